"""Streams: the chunks of the whole text, whatever the parts; and no more memory for fifty megabytes than for one."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunker
from chunker import BudgetTooSmallError, Chunk, CodeChunker, MarkdownChunker, OptionError, TextChunker
from chunker.formats import restarting as outlines
from chunker.streams import chunk_stream as streaming
from chunker.streams.chunk_stream import ChunkStream, achunk, achunk_stream, chunk_stream

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog.",
    "Then,",
    "it",
    "sleeps!",
    "And",
    "12",
    "more?",
    "café",
    "中文字。",
    "don't",
    "👩\u200d👩\u200d👧",
    "ไทย",
    "é",
]
GAPS = (" ", " ", " ", " ", "\n", "\n\n", ". ", "\r\n", "   \n\n\n", "\r", "\u2029", "\x1c", "\t")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As little as can be is read between two attempts, so that a short text is a stream."""
    for module in (outlines, streaming):
        monkeypatch.setattr(module, "STEP", 2_000)


def plain_text(size: int, random: random.Random) -> str:
    parts: list[str] = []
    while size > 0:
        parts.append(random.choice(WORDS) + random.choice(GAPS))
        size -= len(parts[-1])
    return "".join(parts)


def markdown(size: int, random: random.Random) -> str:
    parts = [random.choice(["", "---\ntitle: x\n# no heading\n---\n", "\ufeff# First\n\n", "---\n\n", "- a\n"])]
    while size > 0:
        word, prose = random.choice(WORDS), " ".join(random.choices(WORDS, k=random.randrange(3, 60)))
        parts.append(
            random.choice(
                [
                    f"# {word} {size}\n\n",
                    f"## {word} `x` #\n{prose}\n\n",
                    f"### \n{prose}\n\n",
                    f"{word}\n{prose}\n-------\n\n",
                    f"{prose}\n\n{prose}\n{prose}\r\n\r\n",
                    f"- {prose}\n- {word}\n\n  {prose}\n\n      code\n\n",
                    f"1. {prose}\n\n   # {word}\n\n",
                    f"```python\ndef f():\n    pass\n\n# {word}\n\nword\n```\n\n",
                    f"~~~\n# {word}\n\n{prose}\n\n",  # not closed, or closed by the next one
                    f"| a | b |\n|---|---|\n| {word} | 2 |\n" + f"| 3 | {word} |\n" * 9 + "\n",
                    f"> {prose}\n> # more\n\n",
                    f"<div>\n{word}\n\n{prose}\n</div>\n\n",
                    f"<!-- {word}\n\n# {prose}\n\n" + random.choice(["-->\n\n", ""]),
                    f"$$\n{word}\n$$\n\n",
                    f"[^1]: {prose}\n\n    {prose}\n\n[{word}]: /url\n\n",
                ]
            )
        )
        size -= len(parts[-1])
    return "".join(parts)


def json_lines(size: int, random: random.Random) -> str:
    parts: list[str] = []
    while size > 0:
        prose = " ".join(random.choices(WORDS, k=random.randrange(1, 40))).replace('"', "")
        parts.append(
            random.choice(
                [
                    f'{{"id": {size}, "text": "{prose}"}}\n',
                    f'{{"record 1": {{"record 2": "{prose}"}}}}\r\n',
                    f"[1, 2, {size}]\n\n",
                    f"{prose}\n",
                    " \n",
                    f'{{"broken": "{prose}\n',
                    f'{{"several": "{prose}"}} ["{prose}"] 3\n',
                ]
            )
        )
        size -= len(parts[-1])
    return "".join(parts)


def table(size: int, random: random.Random) -> str:
    mark = random.choice(",;\t")
    parts = [
        random.choice(["", "\ufeff", "sep=|\n"]),
        random.choice([f"id{mark}text{mark}price\n", f"1{mark}a{mark}2\n"]),
    ]
    broken = random.random() < 0.2
    while size > 0:
        prose = " ".join(random.choices(WORDS, k=random.randrange(1, 30))).replace('"', "")
        cell = random.choice([prose, f'"{prose}\n{mark}""{prose}"""', f'{prose}"', '""'])
        if broken and random.random() < 0.02:
            cell = f'"{prose}'
        parts.append(f"{size}{mark}{cell}{mark}1.5" + random.choice(["\n", "\n", "\r\n", "\n\n"]))
        size -= len(parts[-1])
    return "".join(parts)


MAKERS = {"text": plain_text, "markdown": markdown, "jsonl": json_lines, "csv": table}
OPTIONS: list[dict[str, Any]] = [
    {"max_tokens": 24},
    {"max_tokens": 64, "overlap": 8, "context": True},
    {"max_tokens": 100, "overlap": 20, "min_tokens": 30},
    {"max_tokens": 300, "context": True},
    {"max_tokens": 60, "min_tokens": 0},
    {"max_tokens": 200, "tokenizer": "characters", "context": True},
]


def split(text: str, random: random.Random) -> Iterator[str]:
    at = 0
    while at < len(text):
        size = random.choice([0, 1, 7, 100, 3_000, 20_000])
        yield text[at : at + size]
        at += size


def streamed(text: str, chunker: TextChunker, random: random.Random) -> tuple[list[Chunk], int]:
    """The chunks, and how many of them came before the end."""
    stream = ChunkStream(chunker, source="a source")
    chunks: list[Chunk] = []
    for part in split(text, random):
        if stream.hold(part):
            chunks += stream.advance()
    early = len(chunks)
    return chunks + stream.finish(), early


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(6))
def test_a_stream_has_the_chunks_of_the_whole_text(name: str, seed: int) -> None:
    dice = random.Random(f"{name}{seed}")
    # The format of tables looks at 65,536 characters for the delimiter.
    size = 140_000 if name == "csv" else 80_000
    text = MAKERS[name](size, dice)
    chunker = TextChunker(**OPTIONS[seed % len(OPTIONS)], format=name)
    chunks, early = streamed(text, chunker, dice)
    assert chunks == chunker.chunk(text, source="a source")
    # Where no fence, comment or quote stays open, most come long before the end.
    if name in ("text", "jsonl"):
        assert early > len(chunks) / 4


HOSTILE = {
    "one line": "word, " * 12_000,
    "one word": "x" * 60_000,
    "spaces": "a" + " " * 60_000 + "b",
    "blank lines": "a\n" + "\n \r\n" * 10_000 + "b",
    "nothing visible": " \n" * 20_000,
    "one grapheme cluster": "e" + "\u0301" * 40_000 + " the end",
    "flags": "\U0001f1e6" * 30_000,
    "chinese": "漢字仮名交じり文。" * 6_000,
    "nul": "\0" * 60_000,
    "surrogates": "\ud83d\ude00\ud83d" * 15_000,
    "short lines": "a\n" * 20_000,
    "carriage returns": "a\r" * 12_000 + "b\r\n" * 8_000,
    "fences": "```\n\n" * 8_000,
    "quotes": '"a,""\n' * 8_000,
    "brackets": "[" * 60_000 + "\n" + "{" * 30_000,
}


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_hostile_streams(name: str, kind: str) -> None:
    text = HOSTILE[name]
    chunker = TextChunker(100, format=kind, overlap=10)
    chunks, _ = streamed(text, chunker, random.Random(name))
    assert chunks == chunker.chunk(text, source="a source")


@pytest.mark.usefixtures("small_steps")
@settings(max_examples=40)
@given(
    text=st.text(st.sampled_from("ab. \n\r\t-#`>|é中\u0301"), max_size=200), repeats=st.integers(1, 80), data=st.data()
)
def test_any_text_in_any_parts(text: str, repeats: int, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(MAKERS)))
    chunker = TextChunker(data.draw(st.integers(12, 60)), format=kind, context=data.draw(st.booleans()))
    whole = text * repeats
    chunks, _ = streamed(whole, chunker, random.Random(data.draw(st.integers(0, 9))))
    assert chunks == chunker.chunk(whole, source="a source")


@pytest.mark.parametrize("chunker", [CodeChunker("python", 60), TextChunker(60, strategy="optimal")])
def test_what_has_to_be_seen_whole_is_collected(chunker: TextChunker) -> None:
    text = "def f(x):\n    return x + 1\n\n\n" * 80
    assert list(chunk_stream([text[:500], text[500:]], chunker)) == chunker.chunk(text)


def test_a_chunker_of_ones_own_is_asked_itself() -> None:
    class Shouting(TextChunker):
        def chunk(
            self, text: str, *, source: str | None = None, metadata: Mapping[str, Any] | None = None
        ) -> list[Chunk]:
            return super().chunk(text.upper(), source=source, metadata=metadata)

    assert [chunk.body for chunk in chunk_stream(["some ", "words"], Shouting(20))] == ["SOME WORDS"]


def test_an_empty_stream() -> None:
    assert list(chunk_stream([])) == []
    assert list(chunk_stream(["", ""])) == []
    assert [chunk.body for chunk in chunk_stream([" ", "\n"])] == [" \n"]


def test_nothing_is_read_ahead_of_what_is_needed() -> None:
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield f"Line {read} of a text that has no end.\n"

    chunks = list(islice(chunk_stream(lines(), TextChunker(64)), 1_000))
    assert "".join(chunk.body for chunk in chunks).startswith("Line 1 of")
    assert chunks[-1].span.end_line <= read < chunks[-1].span.end_line + 20_000


@pytest.mark.usefixtures("small_steps")
def test_a_character_over_the_budget_is_named_with_its_place() -> None:
    text = "plain words " * 2_000
    with pytest.raises(BudgetTooSmallError) as caught:
        list(chunk_stream([text, text, "\U00013000"], TextChunker(2, min_tokens=0)))
    assert (caught.value.character, caught.value.offset) == ("\U00013000", 2 * len(text))
    with pytest.raises(OptionError, match="must be made of str, got bytes"):
        list(chunk_stream([b"bytes"]))  # type: ignore[list-item]


MEASURE = """
import resource, sys
from itertools import cycle
from chunker import TextChunker
from chunker.streams.chunk_stream import chunk_stream

name, part, megabytes = sys.argv[1], sys.argv[2].encode().decode("unicode_escape"), int(sys.argv[3])
size, early = 0, 0
parts = cycle([part[at : at + 4096] for at in range(0, len(part), 4096)])

def text():
    global size, early
    while size < megabytes << 20:
        if size < 5 << 20:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        following = next(parts)
        size += len(following)
        yield following

total = sum(len(chunk.body) for chunk in chunk_stream(text(), TextChunker(512, format=name)))
print(total >> 20, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early) >> 10)
"""
ENDLESS = {
    "text": "Some words of a line, as they come.\\nAnother line of words; it goes on.\\n\\n" * 50
    + "one line without end " * 1_000,
    "markdown": "# Part\\n\\nSome words.\\n\\n## Section\\n\\n"
    + "As long as they are. " * 99
    + "\\n\\n- item\\n- item\\n\\n",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is another elsewhere")
@pytest.mark.parametrize(("name", "megabytes"), [("text", 50), ("markdown", 9)])
def test_memory_is_bounded(name: str, megabytes: int) -> None:
    """Of the whole process, the core included: from five megabytes on it hardly grows, by what the ids of the chunks take."""
    command = [sys.executable, "-c", MEASURE, name, ENDLESS[name], str(megabytes)]
    variables = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    done = subprocess.run(command, capture_output=True, check=True, env=variables, text=True)
    total, growth = map(int, done.stdout.split())
    assert total >= megabytes - 1
    assert growth < 8


# --- without waiting


async def parts_of(text: str) -> AsyncIterator[str]:
    for at in range(0, len(text), 5_000):
        await asyncio.sleep(0)
        yield text[at : at + 5_000]


def test_asynchronous_streams() -> None:
    text = plain_text(150_000, random.Random(1))
    chunker = MarkdownChunker(200)

    async def collect() -> tuple[list[Chunk], list[Chunk]]:
        return [chunk async for chunk in achunk_stream(parts_of(text), chunker)], await achunk(
            text, chunker, source="a"
        )

    chunks, whole = asyncio.run(collect())
    assert chunks == chunker.chunk(text)
    assert whole == chunker.chunk(text, source="a")
