"""Kept messages are a list of plain messages, whatever happens to them; compiled and in Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.native import native
from chunker.prompt.conversation.kept_messages import KeptMessages, dicts_of, place_of, unchanged
from chunker.prompt.templates.values import identical, plain_message, plain_or_none

TEXTS = st.sampled_from(["", "a", "user", "thinking", "Hello \ud800", "日本"])
LEAVES = st.none() | TEXTS | st.sampled_from([0, 1, True, False, 0.0, -0.0, 1.0, float("nan")])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.tuples(inner) | st.dictionaries(TEXTS, inner, max_size=2), max_leaves=4)  # fmt: skip
KEYS = st.sampled_from(["content", "reasoning", "thinking", "reasoning_content", "tool_calls", "name"])


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message, of which some have the role last."""
    others = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    role = {"role": draw(st.sampled_from(["user", "assistant"]))}
    return role | others if draw(st.booleans()) else others | role


LISTS = st.lists(messages(), max_size=5)


def flat(value: Any) -> list[Any]:
    """A plain value as it is kept, by the text that says so."""
    if isinstance(value, dict):
        return [tuple(value), *(one for item in value.values() for one in flat(item))]
    if isinstance(value, list | tuple):
        return [(type(value), len(value)), *(one for item in value for one in flat(item))]
    return [value]


@given(LISTS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), LISTS), max_size=4))
def test_splices_are_those_of_a_list(first: list[Any], splices: list[tuple[int, int, list[Any]]]) -> None:
    model = [plain_message(message, 0) for message in first]
    kept = KeptMessages()
    assert kept.splice(0, 0, model) == []
    for place, size, new in splices:
        start = min(place, len(model))
        stop = min(len(model), start + size)
        made = [plain_message(message, 0) for message in new]
        before, copy = list(model), kept.copy()
        assert identical(kept.splice(start, stop, made), model[start:stop])
        model[start:stop] = made
        assert identical(list(kept), model)
        assert len(kept) == len(model)
        assert [identical(kept[number], message) for number, message in enumerate(model)] == [True] * len(model)
        assert identical(list(copy), before)


@given(LISTS, st.data())
def test_what_is_the_same_at_both_ends(first: list[Any], data: st.DataObject) -> None:
    kept = KeptMessages()
    kept.splice(0, 0, [plain_message(message, 0) for message in first])
    given_now = list(first)
    place = data.draw(st.integers(0, len(given_now)))
    given_now[place : place + data.draw(st.integers(0, 2))] = data.draw(LISTS)
    start, end = kept.unchanged(given_now)
    assert start + end <= min(len(kept), len(given_now))
    plain = [plain_message(message, 0) for message in given_now]
    known = list(kept)
    assert identical(plain[:start], known[:start])
    assert identical(plain[len(plain) - end :], known[len(known) - end :])
    # And no more of them is.
    if start < min(len(known), len(plain)):
        assert not identical(plain[start], known[start])
        if start + end < min(len(known), len(plain)):
            assert not identical(plain[-1 - end], known[-1 - end])


@pytest.mark.skipif(native() is None, reason="the engine runs in pure Python: there is nothing to compare")
@given(LISTS, LISTS)
def test_compiled_and_in_python_alike(first: list[Any], second: list[Any]) -> None:
    compiled = native()
    assert compiled is not None
    kept = KeptMessages()
    kept.splice(0, 0, [plain_message(message, 0) for message in first])
    values = [value for message in kept for value in flat(message)]
    assert identical(compiled.dicts_of(values), dicts_of(values))
    assert identical(list(kept), dicts_of(values))
    for number in range(len(kept) + 1):
        place = place_of(values, number)
        assert compiled.place_of(values, number) == place
        assert identical(dicts_of(values[place:]), list(kept)[number:])
    for given_now in (second, first, first + second, second + first, [None, *first], [*first, {"content": "no role"}]):
        assert compiled.unchanged(values, len(kept), given_now, plain_or_none) == unchanged(values, given_now)


@pytest.mark.skipif(native() is None, reason="the engine runs in pure Python")
def test_no_list_of_messages_is_refused() -> None:
    compiled = native()
    assert compiled is not None
    messages = [{"role": "user", "content": "Hi"}, {"role": "user"}]
    for values in (["role"], [("role",)], [("role", "content"), "user"], [("role",), "user", 3], [("role",), (list, 2), 1], [("role",), (list, -1)], [("role",), (list, "x")]):  # fmt: skip
        with pytest.raises(ValueError, match="a tuple of names"):
            compiled.dicts_of(values)
        with pytest.raises(ValueError, match="a tuple of names"):
            compiled.place_of(values, 2)
        with pytest.raises(ValueError, match="a tuple of names"):
            compiled.unchanged(values, 2, messages, plain_or_none)
    # What changes the lists while they are looked at.
    values, given_now = [("role",), "user", ("role",), "tool"], [{"role": "x"}, {"role": "tool"}]

    def taking(message: object) -> object:
        values.clear()
        given_now.clear()
        return message

    with pytest.raises(IndexError):
        compiled.unchanged(values, 2, given_now, taking)
