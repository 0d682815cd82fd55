"""Both implementations give the same values and raise the same errors, call by call."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tokenizer
from strategies import broken_texts, byte_strings, small_tokenizers, texts
from twin import Twin, perform

import bpe_engine
from bpe_engine import AppendingEncoder, IntervalEncoder, Pattern, PrependingEncoder, Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.registry import load_vocabulary

OTHER = {"cpp": "python", "python": "cpp"}[bpe_engine.implementation()]


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    pytest.importorskip(
        "bpe_engine._core", reason="this installation has no compiled core, so there is one implementation"
    )
    process = Twin(OTHER)
    yield process
    process.close()


def vocabularies() -> dict[str, Vocabulary]:
    """The published encodings, the first tokens of one of them under every other pattern, and all of them under none."""
    tokens = load_vocabulary("cl100k_base").ranks
    found = {name: load_vocabulary(name) for name in ("o200k_base", "cl100k_base", "o200k_harmony")}
    # To read a hundred thousand tokens takes each implementation seconds, and cuts are made before any of them.
    first = {token: number for token, number in tokens.items() if number < 10_000}
    for name, pattern in PATTERNS.items():
        found[f"cl100k_base with {name}"] = Vocabulary.from_ranks(first, pattern=pattern)
    found["whole"] = Vocabulary.from_ranks(tokens)
    found["custom"] = Vocabulary.from_ranks(
        first, pattern=Pattern(r"\w+|\s+|[^\w\s]"), special_tokens={"<|x|>": 200_000}
    )
    found["gaps"] = Vocabulary.from_ranks({b"a": 3, b"b": 7, b"ab": 11, b"abab": 1 << 31}, special_tokens={"<s>": 0})
    return found


NAMES = list(vocabularies())
given_text = st.one_of(
    texts(),
    texts(60),
    broken_texts(),
    byte_strings(),
    byte_strings(40),
    st.sampled_from(["", b"", "a" * 3000, " " * 700]),
)
wrong = st.sampled_from([None, 3, ["a"], bytearray(b"ab")])
numbers = st.integers(-2, 40)


def same(twin: Twin, name: str, ours: Tokenizer, steps: list[tuple[Any, ...]]) -> None:
    __tracebackhide__ = True
    here, there = perform(ours, steps), twin.perform(name, ours.vocabulary, steps)
    assert len(here) == len(there)
    for step, one, other in zip(steps, here, there, strict=False):  # shorter where opening failed
        if step[0] == "count_up_to" and ("value", None) in (one, other) and "EncodingError" in (one[0], other[0]):
            continue  # how far after the limit the reading goes on is open, so one may have met a byte in no token
        assert one == other, step


def calls(text: Any, more: Any, number: int, other: int) -> list[tuple[Any, ...]]:
    """One call of every public method, with these arguments."""
    ids = [number, other, 500, 1000]
    every = {"allowed_special": "all"}
    listed: list[tuple[Any, ...]] = [
        ("encode", (text,), {}),
        ("encode", (text,), every),
        ("encode", (text,), {"disallowed_special": "all"}),
        ("encode", (text,), {"allowed_special": ["<|endoftext|>"], "disallowed_special": "<|endoftext|>"}),
        ("encode_ordinary", (text,), {}),
        ("encode_to_buffer", (text,), {}),
        ("encode_batch", ([text, more],), {}),
        ("encode_batch", ([text, more],), every),
        ("encode_ordinary_batch", ([text, more],), {"num_threads": number}),
        ("encode_with_offsets", (text,), {}),
        ("encode_with_offsets", (text,), {"unit": "characters"}),
        ("encode_with_offsets", (text,), {"unit": "bytes"}),
        ("encode_single_token", (text,), {}),
        ("count", (text,), {}),
        ("count_batch", ([text, more, text],), {"num_threads": max(1, number)}),
        ("count_up_to", (text, number), {}),
        ("truncate", (text, number), {}),
        ("truncate", (text, number), {"side": "tail"}),
        ("truncate", (text, other), {"side": "middle"}),
        ("split", (text,), {}),
        ("decode", (ids,), {}),
        ("decode", ([number],), {"errors": "strict"}),
        ("decode_bytes", (ids,), {}),
        ("decode_tokens_bytes", (ids,), {}),
        ("decode_single_token_bytes", (number,), {}),
        ("decode_with_offsets", (ids[2:],), {}),
        ("decode_batch", ([ids[2:], []],), {}),
        ("decode_bytes_batch", ([ids[2:], []],), {}),
        ("is_special_token", (number,), {}),
    ]
    facts = ("n_vocab", "max_token_value", "name", "eot_token", "special_tokens_set", "reserve", "is_incremental")
    return listed + [("get", fact) for fact in facts]


def growing(kind: str, grow: str, parts: list[Any], places: list[int]) -> list[tuple[Any, ...]]:
    """A text that grows by `parts`, with marks and returns to them."""
    steps: list[tuple[Any, ...]] = [("open", kind), ("rollback", (None,), {})]
    marks = 0
    for part, place in zip(parts, places, strict=False):
        if place % 3 == 0:
            steps.append(("mark",))
            marks += 1
        if place % 5 == 0 and marks:
            steps.append(("back", place % marks))
        if grow == "append" and isinstance(part, str) and place % 2:
            cuts = [len(part) * number // 4 for number in range(5)]
            steps.append(("append_fitting", (part, cuts, 3 * place), {"slack": place % 4}))
        steps += [(grow, (part,), {}), *(("get", name) for name in ("count", "text", "data"))]
    return [*steps, ("tokens", (), {})]


@settings(max_examples=400)
@given(name=st.sampled_from(NAMES), text=st.one_of(given_text, wrong), more=given_text, number=numbers, data=st.data())
def test_every_call(twin: Twin, name: str, text: Any, more: Any, *, number: int, data: st.DataObject) -> None:
    same(twin, name, _tokenizer(name), calls(text, more, number, data.draw(st.integers(0, 1 << 33))))


@settings(max_examples=300)
@given(
    name=st.sampled_from(NAMES),
    parts=st.lists(st.one_of(given_text, wrong), max_size=12),
    places=st.lists(st.integers(0, 30), min_size=12, max_size=12),
)
def test_growing(twin: Twin, name: str, parts: list[Any], places: list[int]) -> None:
    ours = _tokenizer(name)
    same(twin, name, ours, growing("appending_encoder", "append", parts, places))
    same(twin, name, ours, growing("prepending_encoder", "prepend", parts, places))


@settings(max_examples=300)
@given(
    name=st.sampled_from(NAMES),
    text=st.one_of(given_text, wrong),
    slices=st.lists(st.tuples(st.integers(-2, 90), st.integers(-2, 90)), max_size=20),
)
def test_slices(twin: Twin, name: str, text: Any, slices: list[tuple[int, int]]) -> None:
    steps: list[tuple[Any, ...]] = [("open", "interval_encoder", text), ("__len__", (), {})]
    steps += [("count", pair, {}) for pair in slices]
    same(twin, name, _tokenizer(name), [*steps, ("counts", (0, [end for _, end in slices if end >= 0]), {})])


@settings(max_examples=200)
@given(
    ours=small_tokenizers(),
    text=st.text("abc", max_size=60),
    more=st.text("ab", max_size=30),
    number=numbers,
    data=st.data(),
)
def test_small_vocabularies(
    twin: Twin, ours: Tokenizer, text: str, more: str, *, number: int, data: st.DataObject
) -> None:
    name = repr(sorted(ours.vocabulary.ranks.items())) + repr(ours.vocabulary.pattern)
    parts = data.draw(st.lists(st.text("ab", max_size=9), max_size=10))
    same(twin, name, ours, calls(text, more, number, 1))
    same(twin, name, ours, growing("appending_encoder", "append", parts, [3, 5, 1, 6, 10, 4, 9, 5, 2, 15]))
    same(twin, name, ours, growing("prepending_encoder", "prepend", parts, [3, 5, 1, 6, 10, 4, 9, 5, 2, 15]))
    cuts = [(start, end) for start in range(0, len(text) + 1, 3) for end in range(start, len(text) + 1, 2)]
    same(twin, name, ours, [("open", "interval_encoder", text), *(("count", pair, {}) for pair in cuts[:150])])


def test_no_public_name_is_left_out() -> None:
    called = {step[0] for step in calls("", "", 1, 1)} | {step[1] for step in calls("", "", 1, 1) if step[0] == "get"}
    # Made by a class method from a file or a name, from another module, or tested call by call elsewhere.
    elsewhere = {
        "load",
        "from_file",
        "from_specification",
        "from_pretrained",
        "compare",
        "save",
        "vocabulary",
        "specification",
        "encode_to_numpy",
        "token_byte_values",
        "is_native",
        "not_native",
        "find_special",
    }
    opened = {"appending_encoder", "prepending_encoder", "interval_encoder", "stream_decoder"}
    public = {name for name, _ in inspect.getmembers(Tokenizer) if not name.startswith("_")}
    assert public - called - elsewhere - opened == set()
    grown = {"append", "prepend", "count", "text", "data", "tokens", "snapshot", "rollback", "fewest"}
    grown |= {"append_fitting", "counts"}
    # On both implementations in test_growing_ids.py.
    grown |= {"append_token", "changes", "ids", "move_to", "common_prefix", "replace_tail", "fork"}
    grown |= {"common_prefix_of", "text_before"}
    for kind in (AppendingEncoder, PrependingEncoder, IntervalEncoder):
        assert {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")} - {"register"} <= grown


@settings(max_examples=50)
@given(name=st.sampled_from(NAMES), tokens=st.lists(numbers, max_size=8))
def test_streams(twin: Twin, name: str, tokens: list[int]) -> None:
    pushes: list[tuple[Any, ...]] = []
    for token in tokens:
        pushes += [("push", (token,), {}), ("get", "pending")]
    same(twin, name, _tokenizer(name), [("open", "stream_decoder"), *pushes, ("finish", (), {})])


def test_token_byte_values(twin: Twin) -> None:
    for name in ("cl100k_base", "gaps"):
        same(twin, name, _tokenizer(name), [("token_byte_values", (), {})])


_made: dict[str, Tokenizer] = {}


def _tokenizer(name: str) -> Tokenizer:
    if not _made:
        _made.update({known: tokenizer(known) for known in ("o200k_base", "cl100k_base")})
    if name not in _made:
        _made[name] = Tokenizer(vocabularies()[name])
    return _made[name]
