"""`encode_with_unstable` against tiktoken's: the same stable tokens, the same set of completions."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiktoken_pairs import ALL, END, PATTERNS, pair

from bpe_engine import Encoding, get_encoding

SMALL = list(PATTERNS)
PUBLISHED_ENDS = ["fanta", "x  ", "\n\n", "a\n \n", "é", "中", "!!", "12", "it'", " \t ", "naïv"]
tails = st.lists(
    st.sampled_from([*"aetshTH 0'\n\té中!", "  ", "the", "test", " \n", "\u3000", "\u0085", END]), max_size=7
).map("".join)


def compare(ours: Encoding, theirs: tiktoken.Encoding, text: str, **options: Any) -> None:
    stable, completions = ours.encode_with_unstable(text, **options)
    their_stable, their_completions = theirs.encode_with_unstable(text, **options)
    assert stable == their_stable
    assert len(set(map(tuple, completions))) == len(completions)
    assert set(map(tuple, completions)) == set(map(tuple, their_completions))


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=100)
@given(text=tails, allowed=st.sampled_from(["all", frozenset()]))
@example(text="", allowed="all")
@example(text=f"a{END}", allowed="all")
@example(text=f"{END} \n", allowed="all")
@example(text="a \n\t", allowed="all")
def test_short_texts_under_patterns_of_one_s_own(name: str, text: str, allowed: Any) -> None:
    compare(*pair(name), text, allowed_special=allowed, disallowed_special=())


@pytest.mark.parametrize("name", sorted(set(ALL) - set(SMALL)))
@pytest.mark.parametrize("end", PUBLISHED_ENDS)
def test_ends_under_the_published_encodings(name: str, end: str) -> None:
    compare(*pair(name), f"It said: {end}")


@settings(max_examples=60)
@given(text=st.text("ab", max_size=8), order=st.permutations(range(7)))
def test_tokens_in_any_order(text: str, order: list[int]) -> None:
    ranks = dict(zip([b"a", b"b", b"ab", b"ba", b"aab", b"abab", b"bb"], order, strict=True))
    arguments: dict[str, Any] = {"pat_str": "[ab]+", "mergeable_ranks": ranks, "special_tokens": {}}
    compare(Encoding("x", **arguments), tiktoken.Encoding("x", **arguments), text)


@cache
def sentence() -> tuple[list[int], list[list[int]]]:
    return get_encoding("cl100k_base").encode_with_unstable("hello fanta")


def test_what_the_words_promise() -> None:
    encoding = get_encoding("cl100k_base")
    stable, completions = sentence()
    assert stable == encoding.encode("hello")
    assert all(encoding.decode_bytes(stable + one).startswith(b"hello fanta") for one in completions)
    assert list(encoding.encode("hello fantastic")[1:2]) in completions


def test_a_long_text_costs_its_end_alone() -> None:
    encoding = get_encoding("cl100k_base")
    stable, completions = encoding.encode_with_unstable("hello " * 50_000 + "fanta")
    assert len(stable) == 50_000
    assert sorted(completions) == sorted(sentence()[1])


def test_a_long_word_is_tried_at_its_end_alone() -> None:
    """The places in front of the last 128 bytes, which is the longest token, can begin none."""
    encoding = Encoding(
        "bytes", pat_str=r"\w+|\W", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    stable, completions = encoding.encode_with_unstable("x" * 100_000)
    assert stable == []
    assert completions == [[ord("x")] * 100_000]
