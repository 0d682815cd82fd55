"""The named grammars against the `regex` package, and against Hugging Face tokenizers with the patterns as published."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
import regex
import tokenizers
from hypothesis import given, settings
from strategies import texts
from tokenizers import pre_tokenizers

from bpe_engine.fallback.pretokenizer import NamedPattern
from bpe_engine.patterns import CJK, PATTERNS, STAGES
from bpe_engine.text.unicode_classes import STAND_IN_OF_CLASS, in_cjk, ranges, stand_ins

CATEGORIES = ("Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "P", "S")
# Before and after the character: the end, letters, digits, white space, punctuation, contractions, CJK.
SURROUNDINGS = (
    "{}",
    "a{}b",
    "A{}A",
    "{}{}",
    "1{}2",
    "12{}3",
    " {} ",
    "  {}a",
    "!{}\n",
    "{}'s",
    "'{}",
    "\ue000{}a",
    "中{}中",
    "ア{}",
    "\n {}",
)
# Assigned in Unicode 16, and of another class in a later version.
RECLASSIFIED = {"ʕ"}
# tiktoken's own patterns are compared with tiktoken; what `$` means there is not what it means for Hugging Face.
PUBLISHED = {
    name: STAGES.get(name, (pattern.source.removeprefix("(?V1)"),))
    for name, pattern in PATTERNS.items()
    if "$|" not in pattern.source
}


@cache
def hugging_face(name: str) -> pre_tokenizers.Sequence:
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(tokenizers.Regex(stage), "isolated") for stage in PUBLISHED[name]]
    )


@cache
def has_one_class(character: str) -> bool:
    """Whether the `regex` package, which follows a later version of Unicode, puts a character in the class of its stand-in."""
    sets = [rf"\p{{{name}}}" for name in (*CATEGORIES, "Han")]
    return all(bool(regex.match(name, character)) == bool(regex.match(name, stand_ins(character))) for name in sets)


@cache
def hugging_face_has_our_version_of_unicode() -> bool:
    """Unicode 16 has U+1C89 and not U+A7CE."""
    letters = pre_tokenizers.Split(tokenizers.Regex(r"\p{L}"), "isolated")
    return [len(letters.pre_tokenize_str(f"1{letter}1")) for letter in "\u1c89\ua7ce"] == [3, 1]


@cache
def everything() -> str:
    """Every character but surrogates."""
    return "".join(chr(code_point) for code_point in range(0x110000) if not 0xD800 <= code_point < 0xE000)


@cache
def characters_by_stand_in() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for character, stand_in in zip(everything(), stand_ins(everything()), strict=True):
        found.setdefault(stand_in, set()).add(character)
    return found


def characters_at_the_edges() -> list[str]:
    """The first and the last of each range of one class, and some in between."""
    firsts = [first for first, _, _ in ranges()]
    found = {first + step for first in firsts for step in (-1, 0, 1)} | set(range(0, 0x110000, 997)) | set(range(0x300))
    found |= {0x303F, 0x3040, 0x30FF, 0x3100, 0x4DFF, 0x4E00, 0x9FA5, 0x9FA6}
    return [
        chr(code_point)
        for code_point in sorted(found)
        if 0 <= code_point < 0x110000 and not 0xD800 <= code_point < 0xE000
    ]


def test_every_stand_in_has_its_class_in_every_version_of_unicode() -> None:
    for name, character in STAND_IN_OF_CLASS.items():
        category, *flags = name.split()
        assert [other for other in CATEGORIES if regex.match(rf"\p{{{other}}}", character)] == (
            [category] if category != "-" else []
        )
        assert (regex.match(r"\p{Han}", character) is not None) == ("Han" in flags)
        assert in_cjk(ord(character)) == (regex.match(f"[{CJK}]", character) is not None) == ("CJK" in flags)
        assert not regex.match(r"\s", character)
        assert not character.isascii()
        assert stand_ins(character) == character


@given(text=texts())
def test_stand_ins_keep_length_and_white_space(text: str) -> None:
    characters = stand_ins(text)
    assert len(characters) == len(text)
    assert [bool(regex.match(r"\s", c)) for c in characters] == [bool(regex.match(r"\s", c)) for c in text]


@pytest.mark.parametrize("members", [*(rf"\p{{{name}}}" for name in CATEGORIES), r"\s", r"\p{Han}", f"[{CJK}]"])
def test_every_character_is_in_the_sets_of_its_stand_in(members: str) -> None:
    """By the `regex` package, but for what Unicode 16 has not assigned; by Hugging Face for all."""
    by_stand_in = characters_by_stand_in()
    of_stand_ins = set().union(*(by_stand_in[one] for one in by_stand_in if regex.match(members, one)))
    # In runs, which are far fewer.
    of_regex = set().union(*regex.findall(f"{members}+", everything()))
    assert of_stand_ins - of_regex <= RECLASSIFIED
    unassigned = stand_ins("\u0378")
    assert {stand_ins(character) for character in of_regex - of_stand_ins - RECLASSIFIED} <= {unassigned}
    if not members.startswith("[") and hugging_face_has_our_version_of_unicode():
        split = pre_tokenizers.Split(tokenizers.Regex(f"{members}+"), "removed", invert=True)
        assert of_stand_ins == set().union(*(piece for piece, _ in split.pre_tokenize_str(everything())))


def spans_by_hugging_face(name: str, text: str) -> list[tuple[int, int]]:
    return [span for _, span in hugging_face(name).pre_tokenize_str(text)]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_kind_of_character_in_its_surroundings(name: str) -> None:
    if not hugging_face_has_our_version_of_unicode():
        pytest.skip("these tokenizers classify characters by another version of Unicode than 16")
    spans = NamedPattern(name).spans
    for character in characters_at_the_edges():
        for surrounding in SURROUNDINGS:
            text = surrounding.replace("{}", character)
            assert spans(text) == spans_by_hugging_face(name, text)


@settings(max_examples=500)
@given(text=texts())
def test_any_text_by_hugging_face(text: str) -> None:
    for name in PUBLISHED:
        assert NamedPattern(name).spans(text) == spans_by_hugging_face(name, text), name


@settings(max_examples=300)
@given(text=texts())
def test_any_text_by_regex(text: str) -> None:
    """The stand-ins change nothing that the pattern could tell, where both know the characters."""
    known = "".join(filter(has_one_class, text))
    for name, pattern in PATTERNS.items():
        assert NamedPattern(name).spans(known) == [match.span() for match in regex.finditer(pattern.source, known)], (
            name
        )


@given(text=texts())
def test_gpt2_and_r50k_are_the_same(text: str) -> None:
    assert NamedPattern("gpt2").spans(text) == NamedPattern("r50k").spans(text)


@pytest.mark.parametrize("name", STAGES)
def test_one_pattern_for_several_splits(name: str) -> None:
    """On every text of three characters over all classes that any split could tell apart."""
    alphabet = "".join(dict.fromkeys("zA0 \n\t'!$~/sl" + "".join(STAND_IN_OF_CLASS.values())))
    spans = NamedPattern(name).spans
    for letters in itertools.product(alphabet, repeat=3):
        text = "".join(letters)
        assert spans(text) == spans_by_hugging_face(name, text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("llama3", "I'll\n  1234 it'S", ["I", "'ll", "\n", " ", " ", "123", "4", " it", "'S"]),
        ("qwen2", "a12\u0301b", ["a", "1", "2", "\u0301b"]),
        ("qwen35", "नमस्ते दुनिया!\n", ["नमस्ते", " दुनिया", "!\n"]),
        ("llama3", "it'ſo it'Kk 'İm", ["it", "'ſ", "o", " it", "'Kk", " '", "İm"]),
        ("llama3_ascii", "it'ſo it'So 'İm", ["it", "'ſo", " it", "'S", "o", " '", "İm"]),
        ("qwen2_ascii", "'ſ'LL'lL'Lſ 12", ["'ſ", "'LL", "'lL", "'Lſ", " ", "1", "2"]),
        ("qwen35_ascii", "it'ſ\u0301 'T\u0301", ["it", "'ſ\u0301", " '", "T\u0301"]),
        ("tekken", "can't HTTPResponse//\n", ["can", "'t", " HTTPResponse", "//\n"]),
        ("kimi_k2", "中文English混合 a/b", ["中文", "English", "混合", " a", "/b"]),
        ("kimi_k2", "1〇!⼀々!/\n", ["1〇", "!⼀", "々", "!/\n"]),
        ("starcoder", "x  12 'll", ["x", "  ", "1", "2", " '", "ll"]),
        ("falcon", " 12 1234567²89 (a)", [" 12", " ", "123", "456", "7²89", " ", "(", "a", ")"]),
        ("deepseek_v3", "a.b 中・ア12\u0000\u0001x", ["a", ".b", " ", "中", "・", "ア", "12", "\u0000", "\u0001x"]),
    ],
)  # fmt: skip
def test_examples(name: str, text: str, expected: list[str]) -> None:
    assert NamedPattern(name).split(text) == expected
