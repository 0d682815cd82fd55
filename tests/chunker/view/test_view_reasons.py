"""Each reason for a cut is true: its numbers are those of the tokenizer and the options, its rule is the one by which the grower decided."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.formats import Outline
from chunker.growing import grower
from chunker.growing.cut_rules import balanced_tail, whole_units
from chunker.growing.pieces import ContextAt
from chunker.options import Strategy
from chunker.view import CutPart, cut_reasons, view

TALES = 40


def random_code(chance: random.Random) -> str:
    """Functions, and classes whose methods have comments."""
    parts = ["import os\n" * chance.randrange(4)]
    for number in range(chance.randrange(1, 6)):
        indent = "    " if chance.random() < 0.5 else ""
        parts.append(f'\n\nclass C{number}:\n    """A class."""\n' if indent else "\n")
        for method in range(chance.randrange(1, 4)):
            lines = (f"{indent}    y{row} = z({row}) + {row}\n" for row in range(chance.randrange(1, 12)))
            parts.append(f"\n{indent}# note\n{indent}def m{number}{method}(a):\n" + "".join(lines))
    return "".join(parts)


def random_prose(chance: random.Random) -> str:
    """Headings, and paragraphs of short and long sentences."""
    parts = []
    for _ in range(chance.randrange(1, 8)):
        sentences = ("Some " + "word " * chance.randrange(1, 30) + "end." for _ in range(chance.randrange(1, 8)))
        parts.append(chance.choice(["", "", "", "# Part\n\n"]) + " ".join(sentences) + "\n" * chance.randrange(1, 4))
    return "".join(parts)


def random_chunker(chance: random.Random, strategy: Strategy, *, plain: bool = False) -> tuple[TextChunker, str]:
    """A chunker with random options, and a text for it; `plain`: without `desired_tokens` and overlap."""
    size = chance.choice([40, 60, 90, 140])
    desired, overlap = (None, 0) if plain else (chance.choice([None, size // 2]), chance.choice([0, size // 5]))
    options = {"min_tokens": chance.choice([None, 0, size // 4]), "desired_tokens": desired, "overlap": overlap}
    named = {"context": chance.random() < 0.3, "strategy": strategy}
    kind = chance.choice(["code", "markdown", "text"])
    if kind == "code":
        return CodeChunker("python", size, **options, **named), random_code(chance)  # type: ignore[arg-type]
    made = MarkdownChunker if kind == "markdown" else TextChunker
    return made(size, **options, **named), random_prose(chance)  # type: ignore[arg-type]


def without_blank_end(text: str, start: int, end: int) -> str:
    length = len(text[start:end].rstrip())
    return text[start : text.find("\n", start + length, end) + 1 or end]


def fits_alone(chunker: TextChunker, text: str, context_at: ContextAt, part: CutPart) -> bool:
    """Whether the text of a part, counted at once, fits into a chunk that begins with it."""
    context = context_at(part.start)
    body = without_blank_end(text, part.start, part.end)
    return chunker.tokenizer.count(context + body) <= chunker.budget.max_tokens - chunker.budget.overlap


@pytest.mark.parametrize("strategy", ["grow", "optimal"])
def test_numbers_are_those_of_the_tokenizer_and_the_options(strategy: Strategy) -> None:
    rules: Counter[str] = Counter()
    for seed in range(TALES):
        chunker, text = random_chunker(random.Random(seed), strategy)
        count, budget, outline = chunker.tokenizer.count, chunker.budget, chunker.outline(text)
        context_at = chunker.context_of(text, outline, None)
        chunks = chunker.chunk(text)

        reasons = cut_reasons(chunker, text, chunks)
        assert [reason is None for reason in reasons] == [chunk.span.end == len(text) for chunk in chunks]
        for chunk, reason in zip(chunks, reasons, strict=True):
            if reason is None:
                continue
            rules[reason.rule] += 1
            assert (reason.tokens, reason.limit) == (count(chunk.text), budget.max_tokens)
            part, around, cut = reason.following, reason.around, chunk.span.end
            if part is not None:
                assert reason.rule in {"next", "whole", "head"}
                assert (part.start, part.tokens) == (cut, count(text[cut : part.end]))
                assert part.end in {*outline.offsets, len(text)}
                assert reason.together == count(chunk.text + text[cut : part.end])
                assert reason.together > reason.limit
                assert reason.fits_alone is fits_alone(chunker, text, context_at, part)
                assert reason.fits_alone or reason.rule != "whole"
            if around is not None:
                assert around.start < cut
                assert cut < around.end or not text[cut : around.end].strip()
                assert around.tokens == count(text[around.start : around.end])
                assert around.label == outline.labels[outline.offsets.index(around.start)]
                assert reason.around_fits is fits_alone(chunker, text, context_at, around)
            if reason.before is not None:
                assert reason.around_fits
                assert reason.before < max(budget.min_tokens, 1)
            if reason.rule == "desired":
                assert reason.option == budget.desired_tokens
                assert reason.option is not None
                assert reason.tokens >= reason.option
            if reason.rule == "tail":
                assert reason.option == budget.min_tokens
                assert reason.together == count(chunk.text + text[cut:])
                assert reason.limit < reason.together < reason.limit + budget.min_tokens
            if reason.rule == "inside":
                assert cut not in outline.offsets
    assert (
        rules.keys() - {"tail"}
        == {
            "grow": {"next", "whole", "head", "inside", "desired"},
            "optimal": {"next", "whole", "head", "inside", "optimal"},
        }[strategy]
    )


def grown(chunker: TextChunker, text: str, outline: Outline, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """For each chunk of the readable grower the rules that moved its cut."""
    moved: set[str] = set()

    def noted(name: str, rule: Callable[..., int], place: int) -> Callable[..., int]:
        def run(*arguments: Any) -> int:  # those of the rule
            cut = rule(*arguments)
            if cut != arguments[place]:
                moved.add(name)
            return cut

        return run

    monkeypatch.setattr(grower, "whole_units", noted("whole", whole_units, 3))
    monkeypatch.setattr(grower, "balanced_tail", noted("tail", balanced_tail, 2))
    context_at = chunker.context_of(text, outline, None)
    made = []
    for _ in grower.Grower(text, outline, chunker.tokenizer, chunker.budget, context_at).pieces():
        made.append(set(moved))
        moved.clear()
    return made


def test_the_rule_is_the_one_by_which_the_grower_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    moved_by: dict[str, list[set[str]]] = {
        "next": [set()],
        "whole": [{"whole"}],
        "head": [{"whole"}],
        "inside": [set(), {"tail"}],
        "tail": [{"tail"}],
    }
    rules: Counter[str] = Counter()
    for seed in range(TALES):
        chunker, text = random_chunker(random.Random(seed), "grow", plain=True)
        chunks, outline = chunker.chunk(text), chunker.outline(text)
        moves = grown(chunker, text, outline, monkeypatch)
        for moved, reason in zip(moves, cut_reasons(chunker, text, chunks), strict=True):
            if reason is None:
                assert not moved
                continue
            rules[reason.rule] += 1
            assert moved in moved_by[reason.rule], (seed, reason)
    assert rules.keys() >= {"next", "whole", "head", "inside"}


FUNCTION = "def f(a):\n" + "    a.add(1)\n" * 12
LINES = "One line of words here.\n" * 6


@pytest.mark.parametrize(
    ("chunker", "text", "told"),
    [
        pytest.param(
            CodeChunker("python", 100),
            FUNCTION + "\n\n" + FUNCTION,
            "the next function (76 tokens) would make 152 of 100 tokens; it fits into a chunk of its own",
            id="next",
        ),
        pytest.param(
            CodeChunker("python", 80),
            "import os\nimport re\n" + FUNCTION,
            "82 tokens are left here, and a full chunk would leave less than min_tokens (10) of them; the function (76 tokens) around the cut "
            "would fit into a chunk, but only 6 tokens stand before it, fewer than min_tokens",
            id="tail",
        ),
        pytest.param(
            TextChunker(30, desired_tokens=10), LINES, "the chunk has 12 tokens, desired_tokens is 10", id="desired"
        ),
        pytest.param(
            TextChunker(20, strategy="optimal"),
            LINES[:96],
            "more would fit, but the cuts of the whole text are best like this",
            id="optimal",
        ),
        pytest.param(
            TextChunker(8),
            "many words in one long sentence that does not fit\n" * 2,
            "the paragraph (11 tokens) around the cut does not fit into 8 tokens",
            id="inside",
        ),
        pytest.param(
            TextChunker(10),
            "short\n" + "long " * 3000 + "\n",
            "the next line (15,001 characters) is too long",
            id="long",
        ),
    ],
)
def test_sentences(chunker: TextChunker, text: str, told: str) -> None:
    assert str(cut_reasons(chunker, text, chunker.chunk(text))[0]) == told


def test_only_the_chunker_that_made_chunks_tells_their_reasons() -> None:
    chunker = TextChunker(30)
    chunks = chunker.chunk(LINES)
    assert '"reason":""' in view(chunks).html
    assert '"reason":"the next line' in view(chunks, chunker).html


def test_odd_texts_and_counters() -> None:
    odd = "\ud800 one two three. " * 20 + "\r\n" + "x" * 60 + "\n\n\n" + "word " * 30
    for chunker in (
        TextChunker(12),
        TextChunker(12, overlap=4, strategy="optimal"),
        TextChunker(12, tokenizer=lambda text: len(text.split())),
        MarkdownChunker(40, tokenizer="characters"),
    ):
        chunks = chunker.chunk(odd)
        *reasons, last = cut_reasons(chunker, odd, chunks)
        assert last is None
        assert all(reason is not None and reason.rule != "other" for reason in reasons)


def test_chunks_that_do_not_follow_each_other_have_no_reason() -> None:
    chunker, text = TextChunker(10), "One line of words here.\n" * 8
    chunks = chunker.chunk(text)
    assert cut_reasons(chunker, text, [chunks[0], chunks[2]]) == [None, None]
    assert cut_reasons(chunker, text, []) == []
    assert cut_reasons(chunker, "", []) == []
