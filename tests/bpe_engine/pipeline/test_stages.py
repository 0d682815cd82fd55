"""The stages one by one, on all kinds of characters: normalizers, expressions of Oniguruma and pre-tokenizers, equal to those of `tokenizers`."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts
from tokenizers import Regex, normalizers, pre_tokenizers

from bpe_engine import PatternError
from bpe_engine.fallback.normalizing import Normalization
from bpe_engine.fallback.splitting import Piece, Splitting
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.matching import matcher
from bpe_engine.pipeline.normalizers import Lowercase, Normalizer, Strip, StripAccents, UnicodeForm
from bpe_engine.pipeline.oniguruma import PROPERTIES
from bpe_engine.pipeline.pre_tokenizers import Digits, PreTokenizer, Punctuation, Whitespace, WhitespaceSplit

# All of them but most of Han, Hangul and the private ones, of which each is like the next.
CHARACTERS = [
    chr(point)
    for point in range(0x110000)
    if (
        point < 0x3500
        or 0x9F00 <= point < 0xAD00
        or 0xD700 <= point < 0xD800
        or 0xF900 <= point < 0x20100
        or point % 2011 == 0
    )
    and not 0xD800 <= point < 0xE000
]
SOME = CHARACTERS[::7]
# Digits of Unicode 17, which their Digits knows and their expressions do not.
DISPUTED = {*map(chr, range(0x11DE0, 0x11DEA)), *map(chr, range(0x16FF4, 0x16FF7))}

NORMALIZERS: list[tuple[Any, Normalizer]] = [
    (normalizers.NFC(), UnicodeForm("NFC")),
    (normalizers.NFD(), UnicodeForm("NFD")),
    (normalizers.NFKC(), UnicodeForm("NFKC")),
    (normalizers.NFKD(), UnicodeForm("NFKD")),
    (normalizers.Lowercase(), Lowercase()),
    (normalizers.StripAccents(), StripAccents()),
    (normalizers.Strip(), Strip()),
]
# Each character by itself, and between others that it may join or change places with.
AROUND = [("", ""), ("a", "\u0301"), ("a\u0345", ""), ("\u1100", "\u11a8"), ("", "\u0334\u0323")]


@pytest.mark.parametrize(("theirs", "ours"), NORMALIZERS, ids=[repr(ours) for _, ours in NORMALIZERS])
def test_normalizers_on_every_character(theirs: Any, ours: Normalizer) -> None:
    normalization = Normalization((ours,))
    for before, after in AROUND:
        characters = SOME if before or after else CHARACTERS
        text = "\n".join(before + character + after for character in characters if character != "\n")
        got, expected = normalization.normalize(text).split("\n"), theirs.normalize_str(text).split("\n")
        assert [pair for pair in zip(got, expected, strict=True) if pair[0] != pair[1]] == []


@settings(max_examples=60)
@given(
    text=st.text(
        st.one_of(
            st.sampled_from("a\u0301\u0323\u0345\u0334é한\u1100\u1161\u11a8\u1ac0\U00011938が\u3099"),
            st.characters(exclude_categories=["Cs"]),
        ),
        max_size=12,
    )
)
def test_cuts_of_normalizers(text: str) -> None:
    """Both sides of a cut can be normalized by themselves."""
    for _, one in NORMALIZERS[:6]:
        normalization = Normalization((one,))
        whole = normalization.normalize(text)
        for cut in range(1, len(text)):
            if normalization.is_cut(text[cut - 1], text[cut]):
                assert normalization.normalize(text[:cut]) + normalization.normalize(text[cut:]) == whole


def spans_of(source: str, text: str) -> list[str]:
    return [text[start:end] for start, end, _ in matcher(Expression(source)).spans(text) if start < end]


def test_properties() -> None:
    text = "".join(SOME)
    for name in PROPERTIES:
        split = pre_tokenizers.Split(Regex(rf"\p{{{name}}}"), "removed")
        kept = set("".join(piece for piece, _ in split.pre_tokenize_str(text)))
        ours = {text[start] for start, _, found in matcher(Expression(rf"\p{{{name}}}")).spans(text) if found}
        assert (name, ours) == (name, set(SOME) - kept)


SOURCES = [
    r"\w+", r"\W", r"\s+", r"\S", r"\d", r"\D+", r".", r"^.", r".$", r"\A.", r"[^a-c]+", r"[a-c&&[^b]]+", r"[\w&&[^\d]]+", r"[\w]",
    r"[^\W_]+", r"[\s\w]+", r"[\]\-a]", r"[-a]", r"[a-]",
    r"(?i:'s|'t|ab)", r"(?i)x", r"(?i:[a-z])+", r"a{2}", r"a{1,2}+", r"a{,2}b", r"a{1,2}?", r"(?>a+)b", r"a++", r"(a|b)*c",
    r"(?<=a)b", r"(?<!a)b", r"(?=b)", r"(?!b).",
    r"\x{e9}", r"é", r"[à-ü]+", r"[一-龥]+", r"\.|\\|\n", r"[\p{L}\p{M}]+", r"[^\p{Han}\s]+", r"\p{^L}+", r"a|", r"(?:ab)?", r"x*",
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_expressions(source: str) -> None:
    if source == r"(?i)x":
        with pytest.raises(PatternError, match="the group"):
            matcher(Expression(source))
        return
    random = Random(1)
    pool = "aabbcxX'sSſ \n12٣é中. -]\\\u0301KßàüÜ\u200d²"
    split = pre_tokenizers.Split(Regex(source), "isolated")
    for _ in range(60):
        text = "".join(random.choices(pool, k=random.randrange(12)))
        assert spans_of(source, text) == [piece for piece, _ in split.pre_tokenize_str(text)], text
    text = "".join(SOME)
    assert spans_of(source, text) == [piece for piece, _ in split.pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("(a", "an open group at character 2"),
        ("a)", "a closing parenthesis at character 1"),
        ("[a", "an open set at character 0"),
        ("[]", "an empty set at character 0"),
        ("[b-a]", "a range at character 3"),
        ("[[:alpha:]]", "a POSIX bracket at character 1"),
        (r"\b", r"the escape \\b at character 0"),
        (r"(a)\1", r"the escape \\1 at character 3"),
        (r"\p{Odd}", "the property"),
        ("(?m:.)", "the group"),
        ("(?<name>a)", "the group"),
        ("*a", "a quantifier with nothing before it at character 0"),
        ("a{2}?", r"\{2\}\?"),
        ("(?i:ss)", "'ss' where case is ignored"),
        ("(?i:é)", "'é' where case is ignored"),
        ("", "an empty pattern"),
        ("(" * 60, "a group inside 50 others"),
        ("[" * 60 + "a", "a set inside 50 others"),
    ],
)
def test_refused_expressions(source: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        matcher(Expression(source))


STAGES: list[tuple[Any, PreTokenizer]] = [
    (pre_tokenizers.Digits(individual_digits=True), Digits(individual=True)),
    (pre_tokenizers.Digits(individual_digits=False), Digits()),
    (pre_tokenizers.Punctuation(), Punctuation()),
    (pre_tokenizers.Punctuation("merged_with_next"), Punctuation("merged_with_next")),
    (pre_tokenizers.Whitespace(), Whitespace()),
    (pre_tokenizers.WhitespaceSplit(), WhitespaceSplit()),
]


@pytest.mark.parametrize(("theirs", "ours"), STAGES, ids=[repr(ours) for _, ours in STAGES])
def test_stages_on_every_character(theirs: Any, ours: PreTokenizer) -> None:
    for text in ("".join(CHARACTERS), "a".join(SOME)):
        kept = "".join(character for character in text if character not in DISPUTED)
        pieces = [piece.text for piece in Splitting((ours,)).pieces(Piece(kept, True, None))]
        assert pieces == [piece for piece, _ in theirs.pre_tokenize_str(kept)]


@settings(max_examples=60)
@given(text=texts(8))
def test_places(text: str) -> None:
    """The places that characters come from, in pieces and normalized text, are those of Hugging Face."""
    kept = "".join(character for character in text if character not in DISPUTED)
    for theirs, ours in STAGES:
        pieces = Splitting((ours,)).pieces(Piece(kept, True, list(range(len(kept)))))
        starts = [piece.places[0] for piece in pieces if piece.places]
        assert starts == [start for _, (start, _) in theirs.pre_tokenize_str(kept)]
