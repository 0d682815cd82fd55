"""Kept messages are a list of plain messages, whatever happens to them; compiled and in Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.native import native
from chunker.prompt.conversation.kept_messages import KeptMessages, PythonMessages
from chunker.prompt.templates.values import identical, plain_message, plain_or_none

TEXTS = st.sampled_from(["", "a", "user", "thinking", "Hello \ud800", "日本"])
LEAVES = st.none() | TEXTS | st.sampled_from([0, 1, True, False, 0.0, -0.0, 1.0, float("nan")])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.tuples(inner) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["content", "reasoning", "thinking", "reasoning_content", "tool_calls", "name"])


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message, of which some have the role last."""
    others = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    role = {"role": draw(st.sampled_from(["user", "assistant"]))}
    return role | others if draw(st.booleans()) else others | role


LISTS = st.lists(messages(), max_size=5)


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


def changed_in_place(value: Any, number: int) -> bool:
    """Change the leaf of this number, counted through all that is nested; whether there is one."""
    left = [value]
    while left:
        one = left.pop(0)
        for key in list(one) if isinstance(one, dict) else range(len(one)):
            if isinstance(one[key], dict | list):
                left.append(one[key])
            elif number == 0:
                one[key] = "other" if one[key] != "other" else "another"
                return True
            else:
                number -= 1
    return False


@given(st.integers(0, 30), st.sampled_from(["changed", "added", "removed"]))
def test_what_a_caller_changes_in_place_is_noticed(number: int, how: str) -> None:
    """However deep inside: the lists and dicts that are given are the same objects as before."""
    call = {"id": "c", "function": {"name": "search", "arguments": {"query": ["harbour", {"limit": [5, [6, {}]]}]}}}
    given_now: list[Any] = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [call, dict(call)]},
        {"role": "tool", "content": "4", "name": "search"},
    ]
    kept = KeptMessages()
    kept.splice(0, 0, given_now)
    assert kept.unchanged(given_now) == (3, 0)
    if how == "added":
        call["function"]["arguments"]["query"][1]["limit"][1][1]["new"] = number  # type: ignore[index]
        place = 1
    elif how == "removed":
        call["function"]["arguments"]["query"].pop()  # type: ignore[index]
        place = 1
    else:
        place = number % 3
        if not changed_in_place(given_now[place], number // 3):
            return
    assert kept.unchanged(given_now) == (place, 2 - place)


@pytest.mark.skipif(native() is None, reason="the engine runs in pure Python: there is nothing to compare")
@given(LISTS, LISTS, st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_compiled_and_in_python_alike(first: list[Any], second: list[Any], places: tuple[int, int]) -> None:
    compiled = native()
    assert compiled is not None
    plain = [[plain_message(message, 0) for message in messages] for messages in (first, second)]
    start, stop = sorted(min(place, len(first)) for place in places)
    told = []
    for kept in (compiled.KeptMessages(), PythonMessages()):
        kept.splice(0, 0, plain[0])
        copy = kept.copy()
        one = kept.splice(start, stop, plain[1]), kept.dicts(), copy.dicts(), len(kept), len(copy)
        lists = (second, first, first + second, second + first, [None, *first], [*first, {"content": "no role"}])
        told.append((one, [kept.unchanged(given_now, plain_or_none) for given_now in lists]))
    assert identical(plain_lists(told[0]), plain_lists(told[1]))


def plain_lists(value: Any) -> Any:
    return [plain_lists(one) for one in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_places_that_are_none(kind: str) -> None:
    compiled = native()
    if compiled is None and kind == "compiled":
        pytest.skip("the engine runs in pure Python")
    kept: Any = PythonMessages() if kind == "python" or compiled is None else compiled.KeptMessages()
    kept.splice(0, 0, [{"role": "user"}, {"role": "tool"}])
    for first, last in ((3, 3), (1, 0), (0, 3)):
        with pytest.raises(IndexError, match=f"no messages {first} to {last}: there are 2"):
            kept.splice(first, last, [])
    assert kept.dicts() == [{"role": "user"}, {"role": "tool"}]


@pytest.mark.skipif(native() is None, reason="the engine runs in pure Python")
def test_messages_that_change_while_they_are_looked_at() -> None:
    compiled = native()
    assert compiled is not None
    with pytest.raises(TypeError, match="a message must be a dict"):
        compiled.KeptMessages().splice(0, 0, [{"role": "user"}, "tool"])
    for taken in ("kept", "given"):
        kept = compiled.KeptMessages()
        kept.splice(0, 0, [{"role": "user"}, {"role": "tool"}])
        given_now = [{"role": "x"}, {"role": "tool"}]

        def taking(message: object, taken: str = taken, kept: Any = kept, given_now: list[Any] = given_now) -> object:
            if taken == "kept":
                kept.splice(0, 2, [])
            else:
                given_now.clear()
            return message

        with pytest.raises((IndexError, ValueError), match=r"taken out|fewer elements"):
            kept.unchanged(given_now, taking)
