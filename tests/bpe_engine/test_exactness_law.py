"""The law: after every step, and for every slice, the incremental count is a fresh count of the same text."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from oracles import tokenizer
from strategies import broken_texts, byte_strings, fragments, small_tokenizers, texts
from thresholds import THRESHOLDS, thresholds_set_to

from bpe_engine import AppendingEncoder, EncodingError, Mark, PrependingEncoder, StaleMarkError, Tokenizer, Vocabulary
from bpe_engine.fallback.engine import VocabularyEngine
from bpe_engine.reference import naive
from bpe_engine.reference.dictionary import TokenDictionary

KINDS = ("o200k_base", "cl100k_base", "r50k", "whole")
# Programs for each of appending, prepending and slicing; each runs under every kind.
PROGRAMS = 450 // len(THRESHOLDS)


@pytest.fixture(params=THRESHOLDS, autouse=True, scope="module")
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once as it is, once with every threshold of the engine in Python so small that short texts take the ways that only long ones take."""
    with thresholds_set_to(request.param):
        yield


grow = st.tuples(st.just("grow"), st.one_of(fragments, texts(4)))
snapshot = st.tuples(st.just("snapshot"), st.just(""))
rollback = st.tuples(st.just("rollback"), st.integers(0, 1 << 16))
programs = st.lists(st.one_of(grow, grow, snapshot, rollback), max_size=16)


def run(encoder: AppendingEncoder | PrependingEncoder, program: list[tuple[str, Any]], count: Any) -> None:
    """Run a program on an encoder and, beside it, on a plain str or bytes."""
    appending = isinstance(encoder, AppendingEncoder)
    text: Any = None
    marks: list[tuple[Mark, Any]] = []
    for operation, argument in program:
        if operation == "grow":
            if isinstance(encoder, AppendingEncoder):
                encoder.append(argument)
            else:
                encoder.prepend(argument)
            text = argument if text is None else text + argument if appending else argument + text
        elif operation == "snapshot":
            marks.append((encoder.snapshot(), text))
        elif marks:
            number = argument % len(marks)
            mark, text = marks[number]
            dropped = marks[number + 1 :]
            del marks[number + 1 :]
            encoder.rollback(mark)
            for stale, _ in dropped:
                with pytest.raises(StaleMarkError):
                    encoder.rollback(stale)
        expected = 0 if text is None else count(text)
        assert encoder.count == expected
        assert encoder.fewest <= expected
    if text is not None:
        expected_bytes = (
            text
            if isinstance(text, bytes)
            else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        )
        assert encoder.data == expected_bytes
        assert len(encoder.tokens()) == encoder.count


def run_all(program: list[tuple[str, Any]], *directions: str) -> None:
    """Run a program under every kind, on encoders that grow in these directions."""
    for kind in KINDS:
        note(kind)
        ours = tokenizer(kind)
        for direction in directions:
            encoder = ours.appending_encoder() if direction == "appending" else ours.prepending_encoder()
            run(encoder, program, ours.count)


@settings(max_examples=PROGRAMS)
@given(program=programs)
def test_appending(program: list[tuple[str, Any]]) -> None:
    run_all(program, "appending")


@settings(max_examples=PROGRAMS)
@given(program=programs)
def test_prepending(program: list[tuple[str, Any]]) -> None:
    run_all(program, "prepending")


# Marks in the middle of what a later append can still change.
MIDDLES = [
    ("white space", ["a", "  ", "\n", " ", "\t", "\u3000", "\n", "b", "/", "!"]),
    ("contraction", ["it", "IT", "'", "l", "L", "r", "e", "s", "ſ", "v", "x", " "]),
    ("digits", ["1", "23", "٣", "Ⅷ", "4567", "a", " ", "."]),
    ("mixed case", ["A", "BC", "d", "中", "\u0301", "ʰ", "ǅ", "1", " ", "'s"]),
    ("one letter", ["a", "aaaa", "aaaaaaaaaaaaaaaaa", "b", " "]),
]


@pytest.mark.parametrize("direction", ["appending", "prepending"])
@pytest.mark.parametrize(("_what", "alphabet"), MIDDLES, ids=[what for what, _ in MIDDLES])
@settings(max_examples=60)
@given(data=st.data())
def test_marks_in_the_middle(_what: str, alphabet: list[str], direction: str, data: st.DataObject) -> None:
    step = st.tuples(st.just("grow"), st.sampled_from(alphabet))
    run_all(data.draw(st.lists(st.one_of(step, step, step, snapshot, rollback), max_size=24)), direction)


@settings(max_examples=PROGRAMS)
@given(text=st.one_of(texts(), broken_texts(12), byte_strings(12)), data=st.data())
def test_slices(text: str | bytes, data: st.DataObject) -> None:
    offsets = st.integers(0, len(text))
    slices = [sorted(pair) for pair in data.draw(st.lists(st.tuples(offsets, offsets), min_size=8, max_size=8))]
    for kind in KINDS:
        ours = tokenizer(kind)
        prices = ours.interval_encoder(text)
        for start, end in slices:
            assert prices.count(start, end) == ours.count(text[start:end]), kind


@settings(max_examples=60)
@given(text=st.text(alphabet="aA中 \n1'", max_size=14))
def test_all_slices(text: str) -> None:
    for kind in KINDS:
        ours = tokenizer(kind)
        prices = ours.interval_encoder(text)
        for start in range(len(text) + 1):
            for end in range(start, len(text) + 1):
                assert prices.count(start, end) == ours.count(text[start:end]), kind


parts = st.lists(
    st.one_of(
        st.tuples(st.just("grow"), byte_strings(3)), snapshot, rollback
    ),
    max_size=12,
)  # fmt: skip
broken_parts = st.lists(st.one_of(st.tuples(st.just("grow"), broken_texts(3)), snapshot, rollback), max_size=12)


@settings(max_examples=400)
@given(program=st.one_of(parts, broken_parts))
def test_characters_that_come_in_parts(program: list[tuple[str, Any]]) -> None:
    """A character in two halves, by bytes or by surrogates, is one character as soon as both are there."""
    run_all(program, "appending", "prepending")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(first=st.one_of(broken_texts(4), byte_strings(4)), second=broken_texts(4))
def test_encoders_pickle(kind: str, first: str | bytes, second: str) -> None:
    ours = tokenizer(kind)
    encoder = ours.appending_encoder()
    encoder.append(first)
    # The tokenizers of the tests take seconds to rebuild, so only what the encoder adds is pickled here.
    reduced: Any = encoder.__reduce__()
    rebuild, arguments = reduced
    again: AppendingEncoder = rebuild(*arguments)
    assert (again.count, again.data) == (encoder.count, encoder.data)
    encoder.append(second)
    again.append(second)
    assert (again.count, again.data) == (encoder.count, encoder.data)


def test_encoders_pickle_for_real() -> None:
    ours = tokenizer("o200k_base")
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    appending.append("def f(\ud83d")
    prepending.prepend(b"\x98\x80 tail")
    prices = ours.interval_encoder("some text")
    for encoder in (appending, prepending):
        again = pickle.loads(pickle.dumps(encoder))
        assert (again.count, again.data) == (encoder.count, encoder.data)
    again = pickle.loads(pickle.dumps(appending))
    again.append("\ude00")
    assert again.text == "def f(😀"
    again = pickle.loads(pickle.dumps(prices))
    assert again.count(0, 9) == prices.count(0, 9)


@pytest.mark.parametrize(
    ("first", "second"), [(b"\xe4\xb8", b"\xb8\xe4"), (b"\xf0\x9f", b"\x98\x80"), ("a\ud83d", "\ude00")]
)
def test_a_mark_in_the_middle_of_a_character(first: str | bytes, second: str | bytes) -> None:
    """What comes after the mark makes another character of what was there; the rollback has to bring it back."""
    count = tokenizer("cl100k_base").count
    appending, prepending = tokenizer("cl100k_base").appending_encoder(), tokenizer("cl100k_base").prepending_encoder()
    appending.append(first)
    prepending.prepend(second)
    marks = appending.snapshot(), prepending.snapshot()
    for _ in range(2):
        appending.append(second)
        prepending.prepend(first)
        assert appending.count == prepending.count == count(first + second)  # type: ignore[operator]
        appending.rollback(marks[0])
        prepending.rollback(marks[1])
        assert (appending.count, prepending.count) == (count(first), count(second))


@cache
def dictionary_of(ours: Tokenizer) -> TokenDictionary:
    return VocabularyEngine(ours.vocabulary).dictionary


def count_by_definition(ours: Tokenizer, text: str) -> int:
    """Naive merging of each pre-token; one that is a token itself counts one."""
    dictionary = dictionary_of(ours)
    pieces = [piece.encode() for piece in ours.split(text)]
    return sum(1 if p in dictionary.id_of else len(naive.encode(dictionary, p)) for p in pieces)


letters = st.lists(st.sampled_from(["a", "b", "ab", "aab", "ba" * 9, "a" * 40]), max_size=6).map("".join)
letter_programs = st.lists(st.one_of(st.tuples(st.just("grow"), letters), snapshot, rollback), max_size=10)


@settings(max_examples=500)
@given(ours=small_tokenizers(), program=letter_programs, text=letters, data=st.data())
def test_any_vocabulary(ours: Tokenizer, program: list[tuple[str, Any]], text: str, data: st.DataObject) -> None:
    def count(text: str) -> int:
        return count_by_definition(ours, text)

    for encoder in (ours.appending_encoder(), ours.prepending_encoder()):
        appending = isinstance(encoder, AppendingEncoder)
        grown = ""
        marks: list[tuple[Mark, str]] = []
        for operation, argument in program:
            if operation == "grow":
                grown = grown + argument if appending else argument + grown
                encoder.append(argument) if isinstance(encoder, AppendingEncoder) else encoder.prepend(argument)
            elif operation == "snapshot":
                marks.append((encoder.snapshot(), grown))
            elif marks:
                mark, grown = marks[argument % len(marks)]
                del marks[argument % len(marks) + 1 :]
                encoder.rollback(mark)
            assert encoder.fewest <= encoder.count == count(grown)
    prices = ours.interval_encoder(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert prices.count(start, end) == count(text[start:end])
    limit = data.draw(st.integers(0, 6))
    longest = max(length for length in range(len(text) + 1) if count(text[:length]) <= limit)
    assert len(ours.truncate(text, limit)) == longest
    longest = max(length for length in range(len(text) + 1) if count(text[len(text) - length :]) <= limit)
    assert len(ours.truncate(text, limit, side="tail")) == longest


@settings(max_examples=300)
@given(ours=small_tokenizers(), parts=st.lists(st.one_of(letters, letters, st.just("x")), max_size=8))
def test_a_refused_text_leaves_the_encoder_as_it_was(ours: Tokenizer, parts: list[str]) -> None:
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    after = before = ""
    for part in parts:
        for add in (part, part + "x"):
            try:
                appending.append(add)
                after += add
            except EncodingError:
                assert "x" in add
            try:
                prepending.prepend(add)
                before = add + before
            except EncodingError:
                assert "x" in add
        assert (appending.text, prepending.text) == (after, before)
        assert (appending.count, prepending.count) == (ours.count(after), ours.count(before))


def test_a_whole_pretoken_that_is_a_long_token() -> None:
    ours = Tokenizer(Vocabulary.from_tokens([b"a", b"b", b"ab", b"ab" * 150]))
    text = "ab" * 400
    assert ours.interval_encoder(text).count(10, 310) == ours.count(text[10:310]) == 1
    encoder = ours.appending_encoder()
    encoder.append("ab" * 149)
    encoder.append("ab")
    assert encoder.count == 1
