"""Long runs of combining marks under normalization forms: a mark that is added goes before others of higher classes, and may be joined to the letter.

Counts of growing texts are compared with those of `tokenizers`.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from bpe_engine import AppendingEncoder, PrependingEncoder, Tokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

NORMALIZERS: dict[str, Any] = {
    "NFC": normalizers.NFC(),
    "NFD": normalizers.NFD(),
    "NFKC": normalizers.NFKC(),
    "lower": normalizers.Lowercase(),
    "spaces": normalizers.Replace(tokenizers.Regex(r"\s+"), " "),
    "strip": normalizers.Strip(),
    "prepend": normalizers.Prepend("▁"),
    "a mark is a letter": normalizers.Replace("\u0302", "a"),
    "two marks are one": normalizers.Replace("\u0323\u0301", "\u0301"),
    "a letter is a mark": normalizers.Replace("b", "\u0316"),
}
PRE_TOKENIZERS: dict[str, Any] = {
    "none": None,
    "words": pre_tokenizers.Split(tokenizers.Regex(r" ?\p{L}+| ?[^\s\p{L}]+|\s+"), "isolated"),
    "words and marks": pre_tokenizers.Split(tokenizers.Regex(r"[\p{L}\p{M}]+"), "isolated"),
    "up to three marks": pre_tokenizers.Split(tokenizers.Regex(r"\p{L}|\p{M}{1,3}"), "isolated"),
    "one mark of all": pre_tokenizers.Split("\u0323", "isolated"),
    "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "gpt2, words": pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(r"\p{L}+|[^\s\p{L}]+"), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    ),
    "gpt2, bytes": pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(add_prefix_space=True), pre_tokenizers.Digits()]),
}
# Of the classes 1, 202, 216, 220, 230 and 240; one that is two others, and one that is joined to none.
MARKS = "\u0334\u0327\u031b\u0323\u0316\u0301\u0302\u0300\u0345\u0344\u0489"
OTHERS = ["a", "e", "İ", "ạ", " ", "b", "<", "\u1100", "\u0315a", "12", "<mask>"]


@functools.cache
def both(names: tuple[str, ...], pre_tokenizer: str, kind: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """The same tokenizer of the other package and of ours."""
    characters = "aeb▁ <>1\u1100i" + MARKS
    joined = [
        "\u0301\u0301",
        "\u0323\u0323",
        "\u0323\u0301",
        "\u0301\u0345",
        "\u0334\u0323",
        "a\u0323",
        "ạ\u0301",
        "\u0301\u0301\u0301\u0301",
    ]
    if pre_tokenizer.startswith("gpt2"):
        theirs = tokenizers.Tokenizer(models.BPE())
        theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        in_bytes = [theirs.pre_tokenizer.pre_tokenize_str(text)[0][0] for text in joined]
        # "\u0323\u0301": a token reaches from one mark to the next.
        merges = [("Ì", "£"), ("Ì", "ģ"), ("£", "Ì"), ("Ìģ", "Ìģ"), ("Ì£", "Ìģ"), ("ģ", "Ì"), ("ģÌ", "ģÌ")]
        assert any("Ì£" in text for text in in_bytes)
        tokens = [*alphabet, *(left + right for left, right in merges)]
        suffixes: dict[str, Any] = {}
        if kind == "suffix":
            tokens += [token + "</w>" for token in tokens]
            merges += [(left, right + "</w>") for left, right in merges]
            suffixes = {"end_of_word_suffix": "</w>"}
        model = models.BPE({token: number for number, token in enumerate(tokens)}, merges, **suffixes)
    else:
        merges = [(text[: len(text) // 2], text[len(text) // 2 :]) for text in joined]
        tokens = ["<unk>", *characters, "ạ", *joined]
        vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        options: dict[str, Any] = {}
        if kind == "suffix":
            for token in [*vocabulary]:
                vocabulary[token + "</w>"] = len(vocabulary)
            merges += [(left, right + "</w>") for left, right in merges]
            options = {"end_of_word_suffix": "</w>"}
        model = models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=kind == "fused", **options)
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = normalizers.Sequence([NORMALIZERS[name] for name in names])
    if PRE_TOKENIZERS[pre_tokenizer] is not None:
        theirs.pre_tokenizer = PRE_TOKENIZERS[pre_tokenizer]
    if kind == "added":
        theirs.add_tokens([tokenizers.AddedToken("<mask>", normalized=False, lstrip=True)])
    if kind == "mark added":
        theirs.add_tokens([tokenizers.AddedToken("\u0345\u0334", normalized=False)])
    return theirs, Tokenizer.from_specification(parse_tokenizer_json(theirs.to_str().encode(), "made here"))


kinds = st.builds(
    both,
    st.lists(st.sampled_from(sorted(NORMALIZERS)), min_size=1, max_size=3, unique=True).map(tuple),
    st.sampled_from(sorted(PRE_TOKENIZERS)),
    st.sampled_from(["plain", "suffix", "fused", "added", "mark added"]),
)
runs = st.one_of(
    st.tuples(st.text(MARKS, min_size=1, max_size=4), st.integers(1, 90)).map(lambda pair: pair[0] * pair[1]),
    st.text(MARKS, min_size=1, max_size=40),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), runs),
        st.tuples(st.just("add one by one"), runs),
        st.tuples(st.just("add bytes"), runs),
        st.tuples(st.just("add"), st.sampled_from(OTHERS)),
        st.tuples(st.just("mark"), st.just("")),
        st.tuples(st.just("return"), st.integers(0, 3)),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("side", ["right", "left"])
@settings(max_examples=150, deadline=None)
@given(kind=kinds, first=st.sampled_from(["", *OTHERS]), steps=steps)
def test_marks(
    side: str, kind: tuple[tokenizers.Tokenizer, Tokenizer], first: str, steps: list[tuple[str, Any]]
) -> None:
    theirs, ours = kind
    encoder: AppendingEncoder | PrependingEncoder = (
        ours.appending_encoder() if side == "right" else ours.prepending_encoder()
    )
    text = b""
    marks: list[tuple[Any, bytes]] = []

    def add(more: bytes) -> None:
        nonlocal text
        if isinstance(encoder, AppendingEncoder):
            encoder.append(more)
            text += more
        else:
            encoder.prepend(more)
            text = more + text
        assert encoder.count == ours.count(text)

    add(first.encode())
    for operation, value in steps:
        if operation == "mark":
            marks.append((encoder.snapshot(), text))
        elif operation == "return":
            if marks:
                del marks[value + 1 :]
                mark, text = marks[-1]
                encoder.rollback(mark)
        elif operation == "add":
            add(value.encode())
        else:
            size = 3 if operation == "add bytes" else 1
            units = (
                [value.encode()[place : place + 3] for place in range(0, len(value.encode()), 3)]
                if size == 3
                else value
            )
            for unit in units if side == "right" else reversed(units):
                add(unit if isinstance(unit, bytes) else unit.encode())
    assert encoder.count == len(theirs.encode(text.decode(), add_special_tokens=False).ids)
    assert encoder.tokens() == ours.encode(text)
