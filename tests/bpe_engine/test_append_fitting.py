"""`append_fitting` does at once what `append`, `snapshot` and `rollback` do step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from bpe_engine.fitting import append_fitting

PIECES = [
    "a",
    "word",
    " two",
    "\n",
    "\r\n",
    "  ",
    "don't",
    "é",
    "中文",
    "👍🏽",
    "\ud83d",
    "\ude00",
    "x" * 300,
    " " * 200,
    "12345",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30).map("".join)


@given(before=TEXTS, text=TEXTS, limit=st.integers(-2, 60), slack=st.integers(-2, 5), data=st.data())
@example(before="", text="a \ud83d\ude00 b", limit=9, slack=0, data=None)
@example(before="\ud83d", text="\ude00\ud83d", limit=2, slack=4, data=None)
def test_it_is_what_its_definition_says(
    before: str, text: str, limit: int, slack: int, data: st.DataObject | None
) -> None:
    offsets = st.integers(0, len(text))
    cuts = sorted(data.draw(st.lists(offsets, max_size=12))) if data else list(range(len(text) + 1))
    tokenizer = Tokenizer.load("o200k_base")
    at_once, step_by_step = tokenizer.appending_encoder(), tokenizer.appending_encoder()
    at_once.append(before)
    step_by_step.append(before)
    found = at_once.append_fitting(text, cuts, limit, slack)
    assert found == append_fitting(step_by_step, text, cuts, limit, slack)
    counts, _overflowed = found
    added = text[cuts[0] : cuts[len(counts)]] if cuts else ""
    assert at_once.data == step_by_step.data
    assert at_once.count == step_by_step.count == tokenizer.count(before + added)
    assert not counts or counts[-1] <= limit
    # What comes next finds the encoder in order.
    at_once.append("\ude00 end")
    step_by_step.append("\ude00 end")
    assert (at_once.data, at_once.count) == (step_by_step.data, step_by_step.count)


def test_it_says_why_it_stopped() -> None:
    encoder = Tokenizer.load("o200k_base").appending_encoder()
    assert encoder.append_fitting("one two three", [0, 4, 8], 10) == ([2, 3], False)
    assert encoder.append_fitting("one two three four five six", [8, 14, 19, 24, 27], 5) == ([4, 5], True)
    assert encoder.text == "one two three four "
    assert encoder.append_fitting("", [], 6) == ([], False)


@pytest.mark.parametrize("cuts", [[0, 4], [3, 2], [-1, 2], [0, 1 << 70]])
def test_cuts_that_are_none(cuts: list[int]) -> None:
    encoder = Tokenizer.load("o200k_base").appending_encoder()
    with pytest.raises(IndexError, match="ascending offsets into a text of 3 characters"):
        encoder.append_fitting("abc", cuts, 10)
    assert encoder.text == ""


# Sizes that no count comes near to, and whole numbers of numpy.
@pytest.mark.parametrize("whole", [int, np.int64, np.uint8])
def test_numbers_of_any_size_and_kind(whole: type[int]) -> None:
    encoder = Tokenizer.load("o200k_base").appending_encoder()
    assert encoder.append_fitting("one two", [whole(0), whole(4), whole(7)], whole(5), whole(1)) == ([2, 2], False)
    assert encoder.append_fitting("x", [0, 1], 1 << 90, 1 << 90) == ([3], False)
    assert encoder.append_fitting("x", [0, 1], -(1 << 90), 1 << 20) == ([], True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, [0], 1), "text must be a str, not NoneType"),
        ((b"abc", [0], 1), "text must be a str, not bytes"),
        (("abc", None, 1), "cuts must be a sequence of offsets, not NoneType"),
        (("abc", iter([0, 1]), 1), "cuts must be a sequence of offsets, not list_iterator"),
        (("abc", [0, "x"], 1), "a cut must be an int, not str"),
        (("abc", [0, 1.5], 1), "a cut must be an int, not float"),
        (("abc", [0], 1.5), "limit must be an int, not float"),
        (("abc", [0], None), "limit must be an int, not NoneType"),
        (("abc", [0], 1, "x"), "slack must be an int, not str"),
    ],
)
def test_arguments_of_another_type(arguments: tuple[object, ...], message: str) -> None:
    encoder = Tokenizer.load("o200k_base").appending_encoder()
    with pytest.raises(TypeError, match=f"^{message}$"):
        encoder.append_fitting(*arguments)  # type: ignore[arg-type]  # what is tested
    assert encoder.text == ""
