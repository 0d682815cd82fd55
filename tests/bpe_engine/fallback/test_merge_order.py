"""Vocabularies whose ids are in any order, and merge ranks that may be equal: equal to tiktoken and to the definition, under the exactness law."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Pattern, Tokenizer, Vocabulary, VocabularyError, implementation
from bpe_engine.fallback.engine import VocabularyEngine
from bpe_engine.fallback.merge_order import DEEPEST, find_halves, merge_order, reorder

WORDS = Pattern("[ab]+|c{1,3}| ")
texts = st.text("aabbc", max_size=40)


@st.composite
def merged_tokens(draw: st.DrawFn) -> list[bytes]:
    """Tokens over a, b and c, most of them put together from others."""
    tokens = [b"a", b"b", b"c"]
    for left, right, free in draw(
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text("abc", max_size=9)), max_size=16)
    ):
        token = free.encode() if len(free) > 6 else tokens[left % len(tokens)] + tokens[right % len(tokens)]
        if token not in tokens and len(token) <= 16:
            tokens.append(token)
    return tokens


@st.composite
def disordered(draw: st.DrawFn) -> dict[bytes, int]:
    """Tokens with ids in any order, or in one with two places changed."""
    tokens = draw(merged_tokens())
    if draw(st.booleans()):
        tokens = draw(st.permutations(tokens))
    else:
        one, other = (draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
        tokens[one], tokens[other] = tokens[other], tokens[one]
    gap = draw(st.sampled_from([1, 3]))
    return {token: number * gap for number, token in enumerate(tokens)}


def by_definition(ranks: dict[bytes, int], data: bytes) -> list[bytes]:
    parts = [data[place : place + 1] for place in range(len(data))]
    while True:
        possible = [(ranks.get(left + right), place) for place, (left, right) in enumerate(pairwise(parts))]
        found = [(rank, place) for rank, place in possible if rank is not None]
        if not found:
            return parts
        place = min(found)[1]
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def grow(ours: Tokenizer | VocabularyEngine, text: str, counts: dict[str, int]) -> None:
    """All encoders, a character at a time, with a rollback at each, and all slices; `counts` are those of fresh texts."""
    appending, prepending, prices = ours.appending_encoder(), ours.prepending_encoder(), ours.interval_encoder(text)
    for place, character in enumerate(text):
        mark, other = appending.snapshot(), prepending.snapshot()
        appending.append("ab")
        prepending.prepend("ba")
        appending.rollback(mark)
        prepending.rollback(other)
        appending.append(character)
        prepending.prepend(text[len(text) - 1 - place])
        assert appending.count == counts[text[: place + 1]]
        assert prepending.count == counts[text[len(text) - 1 - place :]]
        for end in range(place, len(text) + 1):
            assert prices.count(place, end) == counts[text[place:end]]


@settings(max_examples=150)
@given(ranks=disordered(), data=st.lists(texts, min_size=1, max_size=6), pattern=st.sampled_from([None, WORDS]))
def test_equal_to_tiktoken(ranks: dict[bytes, int], data: list[str], pattern: Pattern | None) -> None:
    theirs = tiktoken.Encoding(
        "disordered", pat_str=pattern.source if pattern else "(?s:.+)", mergeable_ranks=ranks, special_tokens={}
    )
    vocabulary = Vocabulary.from_ranks(ranks, pattern=pattern)
    ours = Tokenizer(vocabulary)
    tokens = theirs.token_byte_values()
    for engine in (ours, VocabularyEngine(vocabulary)):
        for text in data:
            ids = theirs.encode_ordinary(text)
            assert engine.encode_ordinary(text) == ids
            assert engine.count(text) == len(ids)
            assert ours.decode(ids) == theirs.decode(ids)
        assert (engine.token_byte_values() if isinstance(engine, Tokenizer) else engine.sorted_tokens()) == tokens
    assert ours.max_token_value == theirs.max_token_value
    assert {token: ours.encode_single_token(token) for token in ranks} == ranks


@settings(max_examples=60)
@given(ranks=disordered(), text=st.text("aabbc", max_size=14), pattern=st.sampled_from([None, WORDS]))
def test_growing_as_tiktoken(ranks: dict[bytes, int], text: str, pattern: Pattern | None) -> None:
    theirs = tiktoken.Encoding(
        "disordered", pat_str=pattern.source if pattern else "(?s:.+)", mergeable_ranks=ranks, special_tokens={}
    )
    counts = {
        text[start:end]: len(theirs.encode_ordinary(text[start:end]))
        for start in range(len(text) + 1)
        for end in range(start, len(text) + 1)
    }
    vocabulary = Vocabulary.from_ranks(ranks, pattern=pattern)
    for ours in (Tokenizer(vocabulary), VocabularyEngine(vocabulary)):
        grow(ours, text, counts)


@settings(max_examples=150)
@given(tokens=merged_tokens(), text=st.text("aabbc", max_size=14), data=st.data())
def test_equal_ranks(tokens: list[bytes], text: str, data: st.DataObject) -> None:
    """As the definition: of equal ranks the leftmost. But a text that is a token is that token."""
    few = data.draw(st.sampled_from([1, 2, 4, 8]))
    given_ranks = {token: data.draw(st.integers(0, few)) for token in tokens}
    ids = {token: number for number, token in enumerate(tokens)}
    vocabulary = Vocabulary(None, ids, merge_ranks={ids[token]: rank for token, rank in given_ranks.items()})
    counts = {}
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            part = text[start:end].encode()
            counts[text[start:end]] = 1 if part in ids else len(by_definition(given_ranks, part))
    expected = [text.encode()] if text.encode() in ids else by_definition(given_ranks, text.encode())
    for ours in (Tokenizer(vocabulary), VocabularyEngine(vocabulary)):
        assert ours.encode_ordinary(text) == [ids[token] for token in expected]
        grow(ours, text, counts)
    again = pickle.loads(pickle.dumps(Tokenizer(vocabulary)))
    assert again.encode(text) == [ids[token] for token in expected]


@settings(max_examples=150)
@given(ranks=disordered())
def test_the_order_is_exact_or_says_where_it_is_not(ranks: dict[bytes, int]) -> None:
    tokens = list(ranks)
    found = reorder(tokens, list(ranks.values()), list(ranks.values()), find_halves)
    assert sorted(found.tokens) == sorted(tokens)
    places = {token: place for place, token in enumerate(found.tokens)}
    for left in tokens:
        for right in tokens:
            text = left + right
            same = by_definition(ranks, text) == by_definition(places, text)
            crossed = any(
                found.tokens[one] + found.tokens[(found.halves[other] or (0, 0))[1]] in text
                for one, other in found.crossings
            )
            assert same or crossed or not found.in_order


def test_what_no_order_has_is_named() -> None:
    found = reorder([b"a", b"b", b"ab", b"ba"], [0, 1, 2, 3], [0, 0, 7, 7], find_halves)
    assert [(found.tokens[left], found.tokens[right]) for left, right in found.crossings] == [(b"ba", b"ab")]
    assert not found.is_exact


def test_a_vocabulary_that_is_too_intricate_is_refused() -> None:
    chain = [b"a" * size for size in range(1, DEEPEST + 9)]
    with pytest.raises(VocabularyError, match=r"the tokens have no merge order: b'aaa.* takes more than 256 steps"):
        Tokenizer(Vocabulary.from_tokens(chain[:1] + chain[:0:-1]))
    many = [b"a", b"b", *(bytes([65 + first, 65 + other]) for first in range(40) for other in range(40))]
    halves = [(0, 0), (1, 1), *((0, 0) for _ in many[2:])]
    with pytest.raises(VocabularyError, match="too many merges of equal rank"):
        merge_order(many, [0] * len(many), halves)


@pytest.mark.skipif(implementation() != "cpp", reason="there is no compiled core")
@settings(max_examples=300)
@given(ranks=disordered(), few=st.sampled_from([None, 0, 1, 4]), data=st.data())
def test_the_core_finds_the_same_order(ranks: dict[bytes, int], few: int | None, data: st.DataObject) -> None:
    from bpe_engine import _core  # noqa: PLC0415 - only where there is a compiled core

    tokens = sorted(ranks, key=ranks.__getitem__)
    ids = [ranks[token] for token in tokens]
    numbers = ids if few is None else [data.draw(st.integers(0, few)) for _ in tokens]
    expected = reorder(tokens, ids, numbers, find_halves)
    halves = find_halves(tokens, numbers)
    assert _core.halves_of(tokens, numbers) == halves
    found = _core.TokenSet.from_ranks(tokens, ids, numbers).arrangement()
    if found is None:  # in merge order as they are, which may be another than that of the specification
        assert expected.is_exact
        assert all(pair is None or max(pair) <= place for place, pair in enumerate(halves))
    else:
        assert found == (expected.tokens, expected.ids, expected.halves, expected.in_order, expected.crossings)
