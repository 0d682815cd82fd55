"""A row of texts has the tokens of a fresh count after each step, and a price is what a step would cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import PIECES, SEPARATORS, TOKENIZERS, counter, texts

from chunker.counting import TokenCounter
from chunker.prompt.chat import Break, Part
from chunker.prompt.joining import Glue, Row
from chunker.prompt.pricing import Pricer

SIZE = 12
parts = st.one_of(
    st.sampled_from(SEPARATORS), st.sampled_from(PIECES), st.builds(Break, st.just("<|x|>"), st.integers(0, 3))
)
glues = st.lists(st.lists(parts, max_size=3), min_size=9, max_size=9)
steps = st.lists(
    st.tuples(st.sampled_from(["put", "put", "price", "take"]), st.integers(0, SIZE - 1), texts), max_size=30
)


def recounted(tokenizer: TokenCounter, row: Sequence[Part]) -> int:
    """The tokens of a row, by the definition: what is between two breaks is counted as it stands."""
    tokens, run = 0, ""
    for part in row:
        if isinstance(part, Break):
            tokens += part.tokens + tokenizer.count(run)
            run = ""
        else:
            run += part
    return tokens + tokenizer.count(run)


def written_of(kept: Sequence[tuple[int, str]], glue: Glue) -> list[Part]:
    """The parts of a row up to the end of its last text."""
    parts: list[Part] = []
    before = -1
    for place, text in kept:
        parts += [*glue(before, place), text]
        before = place
    return parts


def text_of(row: Sequence[Part]) -> str:
    """The text of a row in parts."""
    return "".join(part.text if isinstance(part, Break) else part for part in row)


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("kinds", [1, 3])
@settings(max_examples=15)
@given(between=glues, program=steps)
def test_every_step_is_a_fresh_count(
    name: str, kinds: int, between: list[list[Part]], program: list[tuple[str, int, str]]
) -> None:
    tokenizer = counter(name)

    def kind(place: int) -> int:
        return place % kinds if 0 <= place < SIZE else 0

    def glue(left: int, right: int) -> list[Part]:
        return between[3 * kind(left) + kind(right)]

    row = Row(SIZE, Pricer(tokenizer), glue, kind)
    kept: dict[int, str] = {}
    for action, place, text in program:
        before = row.total
        if action == "take":
            if place in row.kept:
                assert row.take(place) == row.total - before
                del kept[place]
        elif place not in row.kept:
            price = row.price(place, text)
            assert row.total == before
            if action == "put":
                assert row.put(place, text) == price == row.total - before
                kept[place] = text
        written = written_of(sorted(kept.items()), glue)
        assert row.total == recounted(tokenizer, [*written, *glue(max(kept, default=-1), SIZE)])
        assert row.text() == text_of([*written, *glue(max(kept, default=-1), SIZE)])
        for number in (0, len(kept) // 2, len(kept)):
            assert row.tokens_up_to(number) == recounted(tokenizer, written_of(sorted(kept.items())[:number], glue))


class Counted:
    """A tokenizer that notes how many characters it was asked about."""

    def __init__(self, tokenizer: TokenCounter) -> None:
        self._tokenizer = tokenizer
        self.characters = 0
        self.count_up_to = tokenizer.count_up_to
        self.appending_encoder = tokenizer.appending_encoder
        self.prepending_encoder = tokenizer.prepending_encoder

    def count(self, text: str, /) -> int:
        self.characters += len(text)
        return self._tokenizer.count(text)


@pytest.mark.parametrize(
    ("text", "separator"), [("some words and more", ""), ("word", " "), ("字字", "\n\n"), ("(1)", "\n--a\n")]
)
def test_what_is_far_away_is_not_counted(text: str, separator: str) -> None:
    assert _characters_a_text(1_000, text, separator) <= 1.1 * _characters_a_text(100, text, separator)


def _characters_a_text(size: int, text: str, separator: str) -> float:
    """How many characters are counted for each text, when so many are put into a row in some order."""
    tokenizer = Counted(counter("o200k_base"))
    pricer = Pricer(counter("o200k_base"))
    pricer.count = tokenizer.count
    row = Row(
        size,
        pricer,
        lambda left, right: [separator] if left >= 0 and right < size else [],
        lambda place: int(0 <= place < size),
    )
    for place in sorted(range(size), key=lambda place: place * 7 % 101):
        row.put(place, text)
    assert row.total == counter("o200k_base").count(separator.join([text] * size))
    return tokenizer.characters / size


def test_counts_are_kept_from_prompt_to_prompt() -> None:
    tokenizer = Counted(counter("o200k_base"))
    Pricer.remembering(tokenizer).priced("some text or other")
    read = tokenizer.characters
    assert Pricer.remembering(tokenizer).priced("some text or other").tokens == 4
    assert tokenizer.characters == read
    assert Pricer.remembering(Counted(counter("o200k_base"))).priced("some text or other").tokens == 4
