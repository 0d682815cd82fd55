"""Grapheme clusters, words and sentences against the examples of UAX #29 and against another implementation of its rules, uniseg."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import pytest
import regex
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from uniseg import graphemecluster, sentencebreak, wordbreak  # type: ignore[import-untyped]  # it has no types

from chunker.formats import segmentation
from chunker.formats.segmentation import (
    grapheme_ends,
    prose_sentence_ends,
    sentence_ends,
    tailored_sentence_ends,
    word_ends,
    words_of_script,
)
from chunker.native import native

# At least two characters of each property value that a rule names, so that short texts meet every rule.
PROPERTY_SAMPLES = (
    "aBzÉǅʰ1٣.,:;'\"!?… \t\r\n\v\f\x85\u2028\u2029()«»[]_‿-/אבהアー中ヒ。！．？、·’‧"
    "\u0301\u0308\u20dd\u200d\u200c\u00ad\u2060\ufe0f\u0903\u093e\u0e33ᄀ깍가각🇦🇧😀❤👩🏻กក\u17d2\u0600\u06dd\u070f"
    "कष\u094d\u09cd\u0d4dക™ℹⓂ\u3000\u00a0\u200b\x00\x1f"
)
texts = st.one_of(st.text(st.sampled_from(PROPERTY_SAMPLES), max_size=12), strategies.texts(8), st.text(max_size=12))


@cache
def versions_agree(character: str) -> bool:
    """Whether uniseg and regex, which follow different versions of Unicode, give a character the same properties."""
    if regex.match(r"\p{Cn}", character):
        return False  # what one version knows and the other does not
    return all(
        regex.match(rf"\p{{{name}={value}}}", character) is not None
        for name, value in (
            ("GCB", graphemecluster.grapheme_cluster_break(character).value),
            ("WB", wordbreak.word_break(character).value),
            ("SB", sentencebreak.sentence_break(character).value),
        )
    )


def ends_of(parts: Iterable[str]) -> list[int]:
    ends = []
    end = 0
    for part in parts:
        end += len(part)
        ends.append(end)
    return ends


def test_the_examples_of_the_documentation() -> None:
    assert list(grapheme_ends("e\u0301a")) == [2, 3]
    assert list(word_ends("don't stop")) == [5, 6, 10]
    assert list(sentence_ends("Mr. x said. No! 1")) == [12, 16]


def test_the_versions_of_unicode_agree_on_all_samples() -> None:
    assert [character for character in PROPERTY_SAMPLES if not versions_agree(character)] == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        pytest.param(grapheme_ends, graphemecluster.grapheme_clusters, id="graphemes"),
        pytest.param(word_ends, wordbreak.words, id="words"),
    ],
)
@given(text=texts)
def test_graphemes_and_words_equal_uniseg(
    ours: Callable[[str], Iterable[int]], theirs: Callable[[str], Iterable[str]], text: str
) -> None:
    text = "".join(filter(versions_agree, text))
    assert list(ours(text)) == ends_of(theirs(text))


# uniseg 0.10 forgets in rule SB8 that characters without a sentence property may stand before the lower case letter.
SB8_GAP = regex.compile(
    r"\p{SB=ATerm}[\p{SB=Extend}\p{SB=Format}\p{SB=Close}]*[\p{SB=Extend}\p{SB=Format}\p{SB=Sp}]*"
    r"(?P<end>)[^\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}\p{SB=Sep}\p{SB=CR}\p{SB=LF}\p{SB=STerm}\p{SB=ATerm}]*\p{SB=Other}"
    r"[^\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}\p{SB=Sep}\p{SB=CR}\p{SB=LF}\p{SB=STerm}\p{SB=ATerm}]*\p{SB=Lower}"
)


@given(text=texts)
def test_sentences_equal_uniseg(text: str) -> None:
    text = "".join(filter(versions_agree, text))
    ours = {end for end in sentence_ends(text) if end < len(text)}
    theirs = set(ends_of(sentencebreak.sentences(text))) - {len(text)}
    forgotten = {match.start("end") for match in SB8_GAP.finditer(text, overlapped=True)}
    assert ours <= theirs
    assert theirs - ours <= forgotten


def sentences(text: str, find: Callable[[str], Iterable[int]]) -> list[str]:
    starts = [0, *(end for end in find(text) if end < len(text))]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize(
    "expected",
    [
        # the annex, section 5 and table 5
        ["He said, “Are you going?” ", "John shook his head."],
        ["The resp. leaders are"],
        ["etc.)’ ‘(the"],
        ["etc.)’ ", "‘(The"],
        ["3.4"],
        ["c.d"],
        ["the U.S.A. is"],
        ["字。", "他"],
        ["One.\n", "Two!\r\n", "\n", "Three"],
        ["“Stop!” ", "“Why?” ", "So."],
        ["Wait... ", "What?! ", "Yes."],
        ["これは文です。", "次の文です！", "終わり？「", "はい。」", "と言った。"],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_of_the_annex(expected: list[str]) -> None:
    assert sentences("".join(expected), sentence_ends) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["It is here.\n", "And here. ", "Not e.g. there"],
        ["A line end\ninside a sentence. ", "Then one more."],
        ["**Bold is done.** ", "_So is this._ ", "`Code.Name` stays."],
        ["See https://example.com/?Query=1 for more! ", "Thanks."],
        ["中文。", "再来！\n", "  三？", "Four."],
        ["終わり？", "「はい。」", "と言った。", "(Yes? ", "(No.) ", "So.)"],
        ["> Quoted one.\n", "> Quoted two.\r\n", "> Three."],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_of_prose(expected: list[str]) -> None:
    assert sentences("".join(expected), prose_sentence_ends) == expected


# A realistic paragraph of each script: the first line is cut after each bar.
PARAGRAPHS = {
    "Chinese": "今天天气很好。|他说：“我们走吧！”|然后就离开了？|「是的。」|好",
    "Japanese": "吾輩は猫である。|名前はまだ無い。|「どこで生れたか？」|とんと見当がつかぬ！』|と言った",
    "Korean": "나는 학생입니다. |오늘은 날씨가 좋네요! |당신은요?",
    "Arabic": "كيف حالك؟ |أنا بخير. |شكرا",
    "Urdu": "یہ ایک جملہ ہے۔ |کیا یہ دوسرا ہے؟ |ہاں",
    "Hindi": "यह एक वाक्य है। |क्या यह दूसरा है? |हाँ॥ |ठीक",
    "Bengali": "এটি একটি বাক্য। |এটি আরেকটি। |হ্যাঁ",
    "Amharic": "ሰላም ነው። |እንዴት ነህ፧ |ደህና",
    "Armenian": "Սա նախադասություն է։ |Սա երկրորդն է։ |Այո",
    "Khmer": "នេះជាប្រយោគ។ |នេះជាប្រយោគទីពីរ៕ |បាទ",
    "Burmese": "ဤသည်မှာ ဝါကျဖြစ်သည်။ |ဒုတိယ ဝါကျ။ |ဟုတ်",
    "Thai": "วันนี้อากาศดี |เราไปสวนสาธารณะกัน |แล้วคุณล่ะ",
    "Lao": "ມື້ນີ້ອາກາດດີ |ພວກເຮົາໄປສວນ |ແລ້ວເຈົ້າເດ",
    "Tibetan": "བཀྲ་ཤིས་བདེ་ལེགས། |ང་བོད་པ་ཡིན། །|ཁྱེད",
    "Russian": "Это предложение. |А это — второе, т.е. не первое! |«Правда?» |Да",
    "Greek": "Αυτή είναι μια πρόταση. |Και αυτή! |Ναι",
}


@pytest.mark.parametrize("script", PARAGRAPHS)
def test_sentences_of_every_script(script: str) -> None:
    expected = PARAGRAPHS[script].split("|")
    text = "".join(expected)
    ends = set(tailored_sentence_ends(text)) - {len(text)}
    starts = [0, *sorted(ends)]
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("วันนี้อากาศดี เราไป", ["วันนี้อากาศดี", " ", "เราไป"]),
        ("ສະບາຍດີ 12 ຄົນ", ["ສະບາຍດີ", " ", "12", " ", "ຄົນ"]),
        ("នេះ\u200bជា ABC", ["នេះ", "\u200b", "ជា", " ", "ABC"]),
        ("中文 ok", ["中", "文", " ", "ok"]),
    ],
)
def test_words_of_scripts_without_spaces_are_what_stands_between_spaces(text: str, words: list[str]) -> None:
    ends = words_of_script(text, list(word_ends(text)))
    starts = [0, *ends[:-1]]
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == words


@given(text=texts)
def test_sentences_end_only_at_what_is_searched_for(text: str) -> None:
    assert list(sentence_ends(text)) == [match.end() for match in segmentation._SENTENCE_END.finditer(text)]
    assert list(prose_sentence_ends(text)) == [match.end() for match in segmentation._PROSE_SENTENCE_END.finditer(text)]


@given(text=texts)
def test_the_compiled_core_finds_the_same_sentences(text: str) -> None:
    compiled = native()
    if compiled is None:
        pytest.skip("the engine runs in pure Python: there is nothing to compare")
    assert compiled.sentence_ends(text) == list(sentence_ends(text))


@given(text=texts)
@example(text="a!\r\n\u0301")
def test_prose_never_cuts_a_grapheme_cluster(text: str) -> None:
    assert set(prose_sentence_ends(text)) <= set(grapheme_ends(text))


@pytest.mark.parametrize(
    "unit",
    [
        "🇦",
        "a\u0301",
        "\u0301",
        "\u200d",
        "👩\u200d",
        "क\u094d",
        "ᄀ",
        "\u0600",
        "a'",
        "א'",
        'א"',
        "1,",
        "_",
        ". ",
        "a. ",
        ".)",
        "a'\u0301",
        "! ",
        "\r\n",
        " ",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("find", [grapheme_ends, word_ends, sentence_ends, prose_sentence_ends])
def test_long_runs_are_scanned_at_once(find: Callable[[str], Iterable[int]], unit: str) -> None:
    # Quadratic steps would take minutes here: the built-in \X needs 40 seconds for 100,000 flags.
    text = unit * (100_000 // len(unit))
    ends = list(find(text))
    assert ends == sorted(set(ends))
    assert not ends or ends[-1] <= len(text)
