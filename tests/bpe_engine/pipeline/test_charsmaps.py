"""Tables by which SentencePiece normalizes: as `tokenizers` and as `sentencepiece` read them, in Python and in the core."""

from __future__ import annotations

import base64
import contextlib
import json
from functools import cache
from importlib import resources
from itertools import pairwise
from random import Random
from typing import Any

import charsmaps
import pytest
import sentencepiece
from growing_programs import EDGES, run_at_random
from huggingface_files import both
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tokenizers import corpus, small
from tokenizers import Regex, normalizers, pre_tokenizers

from bpe_engine import Tokenizer, VocabularyError, implementation
from bpe_engine.errors import EncodingError
from bpe_engine.fallback.clusters import clusters
from bpe_engine.fallback.normalizing import Normalization
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.pipeline.normalizers import Charsmap, SentencePieceText

if implementation() == "cpp":
    from bpe_engine import _core

EVERY = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
# What joins clusters, what is replaced, what is left out, and what is a space afterwards.
TROUBLE = [
    *"abc \r\n\t\x00\x07,(",
    *"\u0301\u0308\u200d\u20dd\ufe0f\u00a9\u3099\u0600\u06dd\u0903\u0b40\u0d4e\u0958\u0915\u094d\u093c",
    *"\u1100\u1161\u11a8가각\ua97cﬁｅカｶﾞ🇦🇧👍🏽❤¨№㍿▁é\u200b\u3000\u00a0\ufffd\u0345Å",
    *["  ", "e\u0301", "<|pad|>", "hello"],
]
trouble = st.lists(st.one_of(st.sampled_from(TROUBLE), st.sampled_from(EVERY)), max_size=12).map("".join)


def normalized_by_ours(normalizer: Charsmap | SentencePieceText, text: str) -> str:
    """By both implementations, which agree."""
    made = Normalization((normalizer,)).normalize(text)
    if implementation() == "cpp":
        assert _native(normalizer).normalize(text) == made
    return made


@cache
def _native(normalizer: Charsmap | SentencePieceText) -> Any:
    if isinstance(normalizer, Charsmap):
        return _core.Normalizer.of_steps([("charsmap", normalizer.data, None)])
    return _core.Normalizer.of_sentence_piece(
        normalizer.charsmap,
        sorted(symbol.encode() for symbol in normalizer.user_defined),
        add_dummy_prefix=normalizer.add_dummy_prefix,
        remove_extra_whitespaces=normalizer.remove_extra_whitespaces,
        escape_whitespaces=normalizer.escape_whitespaces,
    )


def ranges() -> list[tuple[int, int]]:
    """All code points, in ranges of which the expression of `clusters` has no character in one class and others in another."""
    lines = (resources.files("bpe_engine") / "pipeline" / "clusters.txt").read_text("ascii").splitlines()
    named = [field.split("-") for line in lines for field in line.split()[1:]]
    ranges = [(int(first, 16), int(last, 16)) for first, last in named]
    # What the expression names by itself: line ends, the joiner, each of the syllables, flags. Surrogates are none of
    # our characters.
    ranges += [(point, point) for point in (0x0A, 0x0D, 0x200D, *range(0xAC00, 0xD7A4))]
    ranges += [(0x1F1E6, 0x1F1FF), (0xD800, 0xDFFF)]
    edges = sorted({0, 0x110000, *(first for first, _ in ranges), *(last + 1 for _, last in ranges)})
    return [(first, end) for first, end in pairwise(edges) if not 0xD800 <= first < 0xE000]


def test_clusters_are_those_of_tokenizers() -> None:
    """Where all characters but one are kept, a cluster that begins with that one loses the others."""
    table = charsmaps.of_rules({"a": "X", "\u0600": "P", "\u0d4e": "Q"})
    theirs = normalizers.Precompiled(table)
    for before in "a\u0600\u0d4e":
        # Clusters end before and after a control character: many are read in one text, and that one by itself.
        joined = [EVERY[0]] if len(theirs.normalize_str(before + EVERY[0])) == 1 else []
        for start in range(1, len(EVERY), 8192):
            part = EVERY[start : start + 8192]
            made = theirs.normalize_str(EVERY[0].join(before + one for one in part)).split(EVERY[0])
            joined += [one for one, normalized in zip(part, made, strict=True) if len(normalized) == 1]
        ours = []
        for first, end in ranges():
            alike = {len(clusters(before + chr(point))) == 1 for point in (first, (first + end) // 2, end - 1)}
            assert len(alike) == 1, (first, end)
            ours += [chr(point) for point in range(first, end) if True in alike]
        assert joined == [one for one in ours if len((before + one).encode()) < 6]
        assert len(joined) > 1000


@pytest.mark.skipif(implementation() == "python", reason="there is no core")
def test_clusters_of_the_core() -> None:
    table = Charsmap(charsmaps.of_rules({"a": "X", "\u0600": "P", "\u0d4e": "Q"}))
    native = _native(table).normalize
    plain = Normalization((table,)).normalize
    for before in "a\u0600\u0d4e":
        for start in range(0, len(EVERY), 4096):
            text = "".join(f"b{before}{one}" for one in EVERY[start : start + 4096 : 1 if start < 0x3000 else 17])
            assert native(text) == plain(text)


@settings(max_examples=300)
@given(text=trouble)
def test_precompiled_is_that_of_tokenizers(text: str) -> None:
    table = charsmaps.named("nmt_nfkc")
    assert normalized_by_ours(Charsmap(table), text) == normalizers.Precompiled(table).normalize_str(text)


def test_every_character_of_a_table() -> None:
    table = charsmaps.named("nmt_nfkc")
    theirs = normalizers.Precompiled(table).normalize_str
    native = _native(Charsmap(table)).normalize if implementation() == "cpp" else None
    plain = Normalization((Charsmap(table),)).normalize
    for start in range(0, len(EVERY), 512):
        part = EVERY[start : start + 512]
        for text in ("b".join(part), "".join(f"{one}\u0301" for one in part)):
            assert native is None or native(text) == theirs(text)
            assert plain(text[::31]) == theirs(text[::31])


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nmt_nfkc_cf", "nfkc"])
@pytest.mark.parametrize("dummy", [False, True])
@pytest.mark.parametrize("removes", [False, True])
@pytest.mark.parametrize("escapes", [False, True])
def test_sentencepiece_text(rule: str, *, dummy: bool, removes: bool, escapes: bool) -> None:
    theirs = sentencepiece.SentencePieceNormalizer(
        rule_name=rule, add_dummy_prefix=dummy, remove_extra_whitespaces=removes, escape_whitespaces=escapes
    )
    ours = SentencePieceText(charsmaps.named(rule), frozenset(), dummy, removes, escapes)
    random = Random(1)
    for _ in range(300):
        text = "".join(random.choices(TROUBLE, k=random.randint(1, 9)))
        assert (text, normalized_by_ours(ours, text)) == (text, theirs.normalize(text))
    for start in range(0, len(EVERY), 4096):
        text = "b".join(EVERY[start : start + 4096])
        if implementation() == "cpp":
            assert _native(ours).normalize(text) == theirs.normalize(text)
        assert normalized_by_ours(ours, text[::101]) == theirs.normalize(text[::101])


def _file(name: str) -> str:
    """A published configuration: its normalizers around a table, over the small Unigram models."""
    precompiled = normalizers.Precompiled(charsmaps.named("nmt_nfkc"))
    spaces = normalizers.Replace(Regex(" {2,}"), "▁")
    normalizer, pre_tokenizer = {
        "t5": (precompiled, pre_tokenizers.Metaspace(prepend_scheme="always")),
        "t5, later": (
            normalizers.Sequence([precompiled, normalizers.Strip(left=False), spaces]),
            pre_tokenizers.Metaspace(prepend_scheme="first"),
        ),
        "xlm-roberta": (
            precompiled,
            pre_tokenizers.Sequence(
                [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
            ),
        ),
        "mbart": (
            normalizers.Sequence([precompiled, normalizers.Replace(Regex(" {2,}"), " ")]),
            pre_tokenizers.Metaspace(prepend_scheme="always"),
        ),
        "albert": (
            normalizers.Sequence(
                [
                    normalizers.Replace("``", '"'),
                    normalizers.Replace("''", '"'),
                    normalizers.NFKD(),
                    normalizers.StripAccents(),
                    normalizers.Lowercase(),
                    precompiled,
                    normalizers.Replace(Regex(" {2,}"), " "),
                ]
            ),
            pre_tokenizers.Metaspace(prepend_scheme="always"),
        ),
    }[name]
    file = json.loads(small("t5").to_str())
    for key, part in (("normalizer", normalizer), ("pre_tokenizer", pre_tokenizer)):
        file[key] = json.loads(part.__getstate__())
    return json.dumps(file)


@pytest.mark.parametrize("name", ["t5", "t5, later", "xlm-roberta", "mbart", "albert"])
def test_published_configurations(name: str) -> None:
    theirs, ours = both(_file(name))
    assert ours.is_native == (implementation() == "cpp")
    random = Random(2)
    texts = [
        *corpus()[:100],
        "".join(corpus()[:30]),
        *(f"x{one}y" for one in EVERY[:: 501 if ours.is_native else 4001]),
    ]
    texts += ["".join(random.choices(TROUBLE, k=random.randint(0, 9))) for _ in range(500 if ours.is_native else 50)]
    for text in texts:
        expected = theirs.encode(text, add_special_tokens=False)
        ids, starts = ours.encode_with_offsets(text, unit="characters")
        assert (text, ids) == (text, expected.ids)
        assert ours.encode(text) == ids
        assert ours.count(text) == len(ids)
        # Theirs are moved by what is left out at the very start of a text.
        if not text or normalizers.Precompiled(charsmaps.named("nmt_nfkc")).normalize_str(text[0]):
            assert (text, starts) == (text, [start for start, _ in expected.offsets])


@pytest.mark.parametrize("name", ["t5", "t5, later", "xlm-roberta", "mbart", "albert"])
def test_published_configurations_grow(name: str) -> None:
    ours = both(_file(name))[1]
    random = Random(3)
    edges = [*EDGES, *TROUBLE]
    run_at_random(ours, random, edges, 50 if ours.is_native else 4)


def test_long_texts_read_in_windows() -> None:
    ours = both(_file("t5, later"))[1]
    text = "".join(Random(4).choices([*TROUBLE, *corpus()[:50]], k=4000 if ours.is_native else 40))
    encoder = ours.appending_encoder()
    for start in range(0, len(text), 997):
        encoder.append(text[start : start + 997])
    assert encoder.tokens() == ours.encode(text)


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\4\0\0\0", b"\xff\xff\xff\xff1234", b"\5\0\0\0abcdef", b"\4\0\0\0abcd\xff\xfe"]
)
def test_what_is_no_table(data: bytes) -> None:
    file = json.loads(_file("t5"))
    file["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}
    with pytest.raises(VocabularyError, match=r"a file: normalizer.precompiled_charsmap: .*(table|UTF-8)"):
        parse_tokenizer_json(json.dumps(file).encode(), "a file")


def test_damaged_tables() -> None:
    """Whatever a table says, a text is normalized or refused, and both implementations agree."""
    table = bytearray(charsmaps.named("nfkc"))
    size = int.from_bytes(table[:4], "little")
    random = Random(5)
    for _ in range(30):
        damaged = bytearray(table)
        for _ in range(random.choice([1, 100, 20_000])):
            damaged[random.randrange(4, 4 + size)] = random.randrange(256)
        rules = Charsmap(bytes(damaged)), SentencePieceText(bytes(damaged))
        text = "".join(random.choices(TROUBLE, k=20))
        for rule in rules:
            with contextlib.suppress(EncodingError):
                normalized_by_ours(rule, text)


def test_a_table_that_makes_texts_grow() -> None:
    table = charsmaps.of_rules({"a": "b" * 2000})
    file = json.loads(_file("t5"))
    file["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}
    ours = Tokenizer.from_specification(parse_tokenizer_json(json.dumps(file).encode(), "a file"))
    with pytest.raises(EncodingError, match="make more than"):
        ours.count("a" * 100_000)
