"""Long texts that repeat a few bytes are counted by what is known of them: the count is the number of ids, and slices of them have the count of their texts."""

from __future__ import annotations

from random import Random

import pytest
from huggingface_files import both, family
from oracles import tokenizer

from bpe_engine import implementation

UNITS = ["a", " ", "\n", "\r\n", "ab", "é", "中", "a b", "=-", "😀", "\u0301"]
# The shortcut is taken beyond 16 KiB, or where a text has grown before.
SIZE = (1 << 14) + 700 if implementation() == "cpp" else 300


@pytest.mark.parametrize("name", ["llama2", "gemma", "qwen2", "sentencepiece, unknown", "starcoder"])
def test_counts_are_those_of_ids(name: str) -> None:
    ours = both(family(name))[1]
    random = Random(name)
    for unit in UNITS:
        size = SIZE + random.randrange(SIZE // 4)
        text = (unit * size)[: size // len(unit.encode())]
        assert ours.count(text) == len(ours.encode(text)), unit
    encoder = ours.appending_encoder()
    encoder.append("a" * 600)
    for unit in UNITS:
        for size in random.sample(range(40, 700), 6):
            text = (unit * size)[:size]
            assert ours.count(text) == len(ours.encode(text)), (unit, size)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "whole"])
def test_slices_of_repetitions(name: str) -> None:
    ours = tokenizer(name)
    random = Random(name)
    for unit in UNITS:
        # What stands around the repetition is in one pre-token with it, or not.
        text = "def a" + (unit * SIZE)[: 2600 if implementation() == "cpp" else 200] + "aab\n" + unit * 60
        prices = ours.interval_encoder(text)
        for _ in range(20):
            start, end = sorted(random.choices(range(len(text) + 1), k=2))
            assert prices.count(start, end) == ours.count(text[start:end]), (unit, start, end)


@pytest.mark.parametrize("name", ["t5", "albert", "xlm-roberta"])
def test_runs_that_become_one_space(name: str) -> None:
    """Line breaks, tabs and spaces in long runs, appended, prepended and taken back, where a table makes spaces of them and one of many stays."""
    ours = both(family(name))[1]
    random = Random(name)
    longest = 400 if implementation() == "cpp" else 12
    for _ in range(6 if implementation() == "cpp" else 2):
        appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
        after = before = ""
        for _ in range(12):
            unit = random.choice(["\n", " \n", "\r\n", " ", "\t", "\r"]) * random.randint(1, longest)
            more = random.choice([unit, unit, "a", "é", "\u0301", "word ", "\u200b"])
            mark = appending.snapshot()
            appending.append(more + "\n")
            appending.rollback(mark)
            appending.append(more)
            prepending.prepend(more)
            after, before = after + more, more + before
            assert (appending.count, prepending.count) == (ours.count(after), ours.count(before))
