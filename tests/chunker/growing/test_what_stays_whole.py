"""The guarantee of docs/chunking.md, "What stays whole", on random sources: which parts are never cut, and which chunks may be small."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from chunker import Chunk, CodeChunker
from chunker.formats import Outline
from chunker.options import Strategy


def random_source(chance: random.Random) -> str:
    """Imports, functions and classes of random lengths."""
    parts = []
    for number in range(chance.randrange(2, 9)):
        kind = chance.random()
        if kind < 0.3:
            parts.append(f"import m{number}\n")
        elif kind < 0.7:
            lines = (f"    x{row} = a + b * {row} + g(x, {row})\n" for row in range(chance.randrange(1, 14)))
            parts.append(f"\n\ndef f{number}(a, b):\n" + "".join(lines))
        else:
            parts.append(f'\n\nclass C{number}:\n    """A class."""\n')
            for method in range(chance.randrange(1, 5)):
                lines = (f"        y{row} = self.z({row})\n" for row in range(chance.randrange(1, 8)))
                parts.append(f"\n    # note\n    def m{method}(self):\n" + "".join(lines))
    return "".join(parts)


def units(text: str, outline: Outline) -> Iterator[tuple[int, int]]:
    """All parts of all levels, without the blank lines at their ends: from each boundary to each one that is stronger than all between."""
    columns = [*zip(outline.offsets, outline.strengths, strict=True), (len(text), 1 << 30)]
    for row, (start, strength) in enumerate(columns[:-1]):
        strongest = -1
        for end, other in columns[row + 1 :]:
            if other > strongest:
                yield start, start + len(text[start:end].rstrip())
                strongest = other
            if other >= strength:
                break


def random_chunker(chance: random.Random, strategy: Strategy = "grow", *, overlaps: bool = False) -> CodeChunker:
    max_tokens = chance.choice([40, 60, 90, 140, 225])
    least = chance.choice([0, max_tokens // 8, max_tokens // 4])
    overlap = chance.choice([0, 0, max_tokens // 5]) if overlaps else 0
    return CodeChunker("python", max_tokens, min_tokens=least, overlap=overlap, strategy=strategy)


def divided(chunks: list[Chunk], start: int, end: int) -> bool:
    return any(start < chunk.span.end < end for chunk in chunks)


@pytest.mark.parametrize("strategy", ["grow", "optimal"])
def test_no_part_of_at_most_the_budget_less_the_minimum_is_cut(strategy: Strategy) -> None:
    checked = 0
    for seed in range(40):
        chance = random.Random(seed)
        text, chunker = random_source(chance), random_chunker(chance, strategy, overlaps=True)
        chunks, room = chunker.chunk(text), chunker.max_tokens - chunker.min_tokens - chunker.overlap
        for start, end in units(text, chunker.outline(text)):
            if chunker.tokenizer.count_up_to(text[start:end], room) is not None:
                assert not divided(chunks, start, end), (seed, text[start:end])
                checked += 1
    assert checked > 500


def test_a_larger_part_that_fits_is_cut_only_after_too_little() -> None:
    cut = 0
    for seed in range(80):
        chance = random.Random(seed)
        text, chunker = random_source(chance), random_chunker(chance)
        count, chunks = chunker.tokenizer.count, chunker.chunk(text)
        for start, end in units(text, chunker.outline(text)):
            if divided(chunks, start, end) and count(text[start:end]) <= chunker.max_tokens:
                first = max(chunk.span.start for chunk in chunks if chunk.span.start <= start)
                assert count(text[first:start]) < max(chunker.min_tokens, 1)
                cut += 1
    assert cut


def test_a_small_last_chunk_follows_a_part_that_fits_whole() -> None:
    """Every cut before it that would leave `min_tokens` on both sides divides a part which fits into a chunk and was whole."""
    small = 0
    for seed in range(150):
        chance = random.Random(seed)
        text, chunker = random_source(chance), random_chunker(chance)
        count, chunks, least = chunker.tokenizer.count, chunker.chunk(text), chunker.min_tokens
        below = [index for index, chunk in enumerate(chunks) if chunk.token_count < least]
        assert below in ([], [len(chunks) - 1])
        if not below or len(chunks) == 1:
            continue
        small += 1
        previous, outline = chunks[-2].span, chunker.outline(text)
        for offset in outline.offsets:
            sides = count(text[previous.start : offset]), count(text[offset:])
            if previous.start < offset < previous.end and min(sides) >= least and max(sides) <= chunker.max_tokens:
                whole = [
                    (start, end)
                    for start, end in units(text, outline)
                    if start < offset < end <= previous.end and count(text[start:end]) <= chunker.max_tokens
                ]
                assert whole, (seed, offset)
    assert small


def test_a_small_last_chunk_rather_than_a_class_in_two() -> None:
    methods = [
        f"    def do_{name}(self, item):\n" + "        self.items.append(item)\n" * 12 for name in ("add", "remove")
    ]
    basket = "class Basket:\n" + "\n".join(methods)
    text = basket + "\n\ndef tiny():\n    return 1\n"
    room = CodeChunker("python", 512).tokenizer.count(basket) + 2
    grown = CodeChunker("python", room).chunk(text)
    assert [chunk.body.split()[0] for chunk in grown] == ["class", "def"]
    assert grown[-1].token_count < room // 8
    together = CodeChunker("python", room, strategy="optimal").chunk(text)
    assert all(chunk.token_count >= room // 8 for chunk in together)
