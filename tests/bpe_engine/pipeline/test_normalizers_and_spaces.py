"""Normalizers one after the other, some of which make spaces and some of which take them away.

Counts are as `tokenizers` has them, of whole texts and of growing ones.
"""

from __future__ import annotations

import functools
from typing import Any

import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from bpe_engine import AppendingEncoder, Tokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

NORMALIZERS: dict[str, Any] = {
    "bert": normalizers.BertNormalizer(lowercase=False),
    "nmt": normalizers.Nmt(),
    "nfkc": normalizers.NFKC(),
    "nfd": normalizers.NFD(),
    "accents": normalizers.StripAccents(),
    "strip": normalizers.Strip(),
    "strip left": normalizers.Strip(right=False),
    "strip right": normalizers.Strip(left=False),
    "spaces to _": normalizers.Replace(tokenizers.Regex(" {2,}"), "_"),
    "two spaces to x": normalizers.Replace("  ", "x"),
    "three kinds to xyz": normalizers.Replace("\t\n\f", "xyz"),
    "a space after 中": normalizers.Replace("中 ", "b"),
    "space to ▁": normalizers.Replace(" ", "▁"),
    "white space to a space": normalizers.Replace(tokenizers.Regex(r"\s+"), " "),
    "two of white space to a space": normalizers.Replace(tokenizers.Regex(r"\s{2,}"), " "),
    "two lines to a line": normalizers.Replace("\n\n", "\n"),
    "two wide spaces to y": normalizers.Replace("\u3000\u3000", "y"),
    "lines to wide spaces": normalizers.Replace("\n", "\u3000"),
    "nothing of b": normalizers.Replace(tokenizers.Regex("[bB]"), ""),
    "b to a space": normalizers.Replace(tokenizers.Regex("b+"), " "),
    "nothing of ab": normalizers.Replace("ab", ""),
    "nothing of two spaces": normalizers.Replace("  ", ""),
    "prepend": normalizers.Prepend("▁"),
}
PRE_TOKENIZERS: dict[str, Any] = {
    "none": None,
    "bert": pre_tokenizers.BertPreTokenizer(),
    "metaspace": pre_tokenizers.Metaspace(prepend_scheme="always"),
    "words": pre_tokenizers.Split(tokenizers.Regex(r"\p{L}+|[^\s\p{L}]+"), "removed", invert=True),
    "words after spaces": pre_tokenizers.Split(tokenizers.Regex(r" ?\p{L}+|\s+(?!\S)|\s+"), "isolated"),
}
UNITS = [
    "a",
    "b",
    " ",
    "  ",
    "\t",
    "\n",
    "\f",
    "\t\n\f",
    "\r\n",
    "中",
    "文",
    "中 ",
    "▁",
    "\u3000",
    "\u2003",
    "\u3000 ",
    "\u200b\u00a0",
    "\u00a0",
    "\u200b",
    "\u0301",
    "é",
    "\x01",
    "ab",
]
NAMES = st.lists(st.sampled_from(sorted(NORMALIZERS)), min_size=1, max_size=3, unique=True).map(tuple)


@functools.cache
def both(names: tuple[str, ...], pre_tokenizer: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """The same tokenizer of the other package and of ours."""
    tokens = ["<unk>", *" _abxyz中文\t\n\f▁é", "  ", "xy", "ab", "▁▁", "中文"]
    merges = [(" ", " "), ("x", "y"), ("a", "b"), ("▁", "▁"), ("中", "文")]
    model = models.BPE({token: number for number, token in enumerate(tokens)}, merges, unk_token="<unk>")
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = normalizers.Sequence([NORMALIZERS[name] for name in names])
    if PRE_TOKENIZERS[pre_tokenizer] is not None:
        theirs.pre_tokenizer = PRE_TOKENIZERS[pre_tokenizer]
    return theirs, Tokenizer.from_specification(parse_tokenizer_json(theirs.to_str().encode(), "made here"))


@settings(max_examples=500, deadline=None)
@given(
    names=NAMES,
    pre_tokenizer=st.sampled_from(sorted(PRE_TOKENIZERS)),
    runs=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 90)), min_size=1, max_size=5),
    size=st.integers(1, 9),
)
@example(names=("bert", "strip right"), pre_tokenizer="none", runs=[("中文", 1), ("中", 1)], size=1)
@example(names=("bert", "strip right"), pre_tokenizer="none", runs=[("中文", 40)], size=7)
@example(
    names=("three kinds to xyz", "nmt", "strip right"), pre_tokenizer="none", runs=[("a", 1), ("\t\n\f", 200)], size=1
)
@example(
    names=("three kinds to xyz", "nmt", "strip right"), pre_tokenizer="none", runs=[("a", 1), ("\t\n\f", 200)], size=7
)
# The first characters are removed, so the text begins with the next ones: Strip and Prepend act there.
@example(names=("bert", "strip left"), pre_tokenizer="metaspace", runs=[("\u200b\u00a0", 1)], size=1)
@example(names=("bert", "strip left"), pre_tokenizer="metaspace", runs=[("\u00a0", 1), ("\x01", 1), ("  ", 1)], size=2)
@example(names=("nmt", "strip left"), pre_tokenizer="metaspace", runs=[("\u200b", 2), ("ab", 1)], size=3)
@example(names=("bert", "prepend"), pre_tokenizer="bert", runs=[("\u200b", 1), ("\t", 1)], size=1)
@example(names=("bert", "prepend"), pre_tokenizer="words", runs=[("\x01", 1), ("中", 1)], size=2)
@example(names=("accents", "strip left"), pre_tokenizer="metaspace", runs=[("\u0301", 1), ("  ", 2), ("b", 1)], size=2)
# What stood on both sides of what is removed becomes one character.
@example(
    names=("nothing of two spaces", "nfkc"), pre_tokenizer="none", runs=[("e", 1), ("  ", 1), ("\u0301", 1)], size=9
)
# Nothing is left of the last characters, so what is stripped is the white space before them.
@example(names=("nothing of b", "strip right"), pre_tokenizer="none", runs=[("\t", 2), ("b", 1)], size=9)
@example(names=("b to a space", "strip right"), pre_tokenizer="none", runs=[("a", 1), ("\t", 2), ("b", 2)], size=9)
@example(names=("nothing of ab", "strip right"), pre_tokenizer="none", runs=[("a", 1), ("\t", 2), ("ab", 1)], size=4)
def test_counts(names: tuple[str, ...], pre_tokenizer: str, runs: list[tuple[str, int]], size: int) -> None:
    theirs, ours = both(names, pre_tokenizer)
    text = "".join(unit * number for unit, number in runs)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    for piece in pieces:
        appending.append(piece)
    for piece in reversed(pieces):
        prepending.prepend(piece)
    ids = theirs.encode(text, add_special_tokens=False).ids
    assert (ours.count(text), appending.count, prepending.count) == (len(ids), len(ids), len(ids))
    assert appending.tokens() == prepending.tokens() == ids


@settings(max_examples=300, deadline=None)
@given(
    names=NAMES,
    pre_tokenizer=st.sampled_from(sorted(PRE_TOKENIZERS)),
    first=st.sampled_from(["", "a", "\u0301", "é "]),
    runs=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 400)), min_size=1, max_size=3),
    sizes=st.lists(st.integers(1, 40), min_size=20, max_size=20),
)
@example(names=("strip",), pre_tokenizer="none", first="a", runs=[("\u3000 ", 300), ("b", 1)], sizes=[3] * 20)
@example(names=("strip right",), pre_tokenizer="words", first="", runs=[("\u2003", 300)], sizes=[5] * 20)
@example(
    names=("strip left", "white space to a space"),
    pre_tokenizer="none",
    first="a",
    runs=[("\u00a0", 400)],
    sizes=[3] * 20,
)
def test_cut_characters(
    names: tuple[str, ...], pre_tokenizer: str, first: str, runs: list[tuple[str, int]], sizes: list[int]
) -> None:
    """Parts that end inside of a character: white space at the end is stripped, and is back before the first byte of the next character."""
    theirs, ours = both(names, pre_tokenizer)
    text = first + "".join(unit * number for unit, number in runs)
    whole = text.encode()
    want = len(theirs.encode(text, add_special_tokens=False).ids)
    # Most of the text first, so that its open end is long, and the rest in small parts.
    ends = [max(0, len(whole) - sum(sizes))]
    for size in sizes:
        ends.append(min(len(whole), ends[-1] + size))
    for encoder in (ours.appending_encoder(), ours.prepending_encoder()):
        marks: list[tuple[Any, int]] = []
        start = 0
        for end in ends:
            if isinstance(encoder, AppendingEncoder):
                encoder.append(whole[start:end])
                assert encoder.count == ours.count(whole[:end])
            else:
                encoder.prepend(whole[len(whole) - end : len(whole) - start])
                assert encoder.count == ours.count(whole[len(whole) - end :])
            marks.append((encoder.snapshot(), end))
            start = end
        assert encoder.count == want
        more = "é\u3000 ".encode()
        for mark, end in marks[len(marks) // 2 :: -3]:
            encoder.rollback(mark)
            for place in range(1, len(more) + 1):
                if isinstance(encoder, AppendingEncoder):
                    encoder.append(more[place - 1 : place])
                    assert encoder.count == ours.count(whole[:end] + more[:place])
                else:
                    encoder.prepend(more[len(more) - place :][:1])
                    assert encoder.count == ours.count(more[len(more) - place :] + whole[len(whole) - end :])
