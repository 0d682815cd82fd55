"""Contexts that a callable writes: inside the budget, once for each chunk, and with a defined end when it fails or writes too much."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import Chunk, ContextError, ContextWriter, MarkdownChunker, OptionError, TextChunker, WrongTypeError

TOKENIZER = Tokenizer.load("o200k_base")
TEXT = "# Tower\n\n" + "".join(f"Part {number} is of iron. Millions climb it.\n\n" for number in range(30))
PIECES = ["One. ", "Two words. ", "x" * 90, "\n\n", "é", "   ", "U.S. ", "中文。", "\n"]
CHUNKER = MarkdownChunker(60, context=True)


def counted(_document: str, chunk: Chunk) -> str:
    return f"This is part {chunk.index}."


@settings(max_examples=60, deadline=None)
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    written=st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    room=st.integers(1, 20),
    overlap=st.sampled_from([0, 8]),
)
def test_any_context_is_inside_the_budget(text: str, written: str, room: int, overlap: int) -> None:
    chunker = TextChunker(40, overlap=overlap)
    made = ContextWriter(lambda _document, _chunk: written, max_tokens=room).chunk(chunker, text, source="a.txt")
    bodies = chunker.with_reserve(room).chunk(text, source="a.txt")
    assert [chunk.body for chunk in made] == [chunk.body for chunk in bodies]
    for chunk in made:
        assert chunk.token_count == TOKENIZER.count(chunk.text) <= 40
        assert TOKENIZER.count(chunk.context) <= room
        assert chunk.context == "" or written.strip().startswith(chunk.context.rstrip())
        assert text[chunk.span.start : chunk.span.end] == chunk.body
    assert len({chunk.id for chunk in made}) == len(made)


def test_it_stands_between_breadcrumb_and_body() -> None:
    seen: list[tuple[str, str]] = []

    def write(document: str, chunk: Chunk) -> str:
        seen.append((document, chunk.text))
        return f"  Of part {chunk.index}.\n"

    made = ContextWriter(write, max_tokens=10).chunk(CHUNKER, TEXT, source="a.md", metadata={"by": "me"})
    assert made[1].text.startswith("a.md > Tower\nOf part 1.\nPart ")
    assert made[1].metadata == {"by": "me"}
    assert [document for document, _ in seen] == [TEXT] * len(made)
    assert seen[1][1] == "a.md > Tower\n" + made[1].body


def test_what_is_too_long_ends_with_a_sentence_or_else_a_word() -> None:
    def first(written: str, room: int) -> str:
        return ContextWriter(lambda _document, _chunk: written, max_tokens=room).chunk(CHUNKER, TEXT)[1].context

    assert first("It is short. It goes on and on and on and on.", 8) == "Tower\nIt is short.\n"
    assert first("It goes on and on and on and on", 5) == "Tower\nIt goes on and\n"
    assert first("A sentence. And one without its stop", 9) == "Tower\nA sentence. And one without its stop\n"
    assert first("x" * 400, 5) == "Tower\n"
    assert first("Sentence. " * 100_000, 7) == "Tower\nSentence. Sentence. Sentence.\n"
    assert first(" \n", 7) == "Tower\n"


def test_chunks_are_asked_for_once_and_again_when_they_change() -> None:
    cache: dict[str, str] = {}
    asked: list[int] = []

    def write(_document: str, chunk: Chunk) -> str:
        asked.append(chunk.index)
        return counted("", chunk)

    made = ContextWriter(write, cache=cache, max_tokens=10).chunk(CHUNKER, TEXT, source="a.md")
    assert asked == list(range(len(made)))
    assert ContextWriter(write, cache=cache, max_tokens=10).chunk(CHUNKER, TEXT, source="a.md") == made
    assert len(asked) == len(made)
    changed = TEXT.removesuffix("\n\n") + " And more of it.\n\n"
    ContextWriter(write, cache=cache, max_tokens=10).chunk(CHUNKER, changed, source="a.md")
    assert asked[len(made) :] == [len(made) - 1]
    # Another prompt, another file, and another text without a name are other questions.
    for version, source, text in (("2", "a.md", TEXT), ("", "b.md", TEXT), ("", None, TEXT), ("", None, changed)):
        del asked[:]
        ContextWriter(write, cache=cache, version=version, max_tokens=10).chunk(CHUNKER, text, source=source)
        assert asked == list(range(len(made)))


def test_chunks_that_are_alike_are_asked_for_once() -> None:
    asked: list[int] = []

    def write(_document: str, chunk: Chunk) -> str:
        asked.append(chunk.index)
        return "Alike."

    made = ContextWriter(write, max_tokens=4).chunk(TextChunker(12, min_tokens=0), "One line of words.\n\n" * 9)
    assert len(made) > 2
    assert asked == [0] or (asked == [0, len(made) - 1] and made[-1].body != made[0].body)


def failing(_document: str, chunk: Chunk) -> str:
    if chunk.index == 2:
        raise TimeoutError("no answer")
    return counted("", chunk)


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_failure_says_of_which_chunk_and_keeps_what_was_written(at_once: int) -> None:
    cache: dict[str, str] = {}
    writer = ContextWriter(failing, cache=cache, max_tokens=10, at_once=at_once)
    with pytest.raises(ContextError, match=r"chunk 2 of a\.md: TimeoutError: no answer") as caught:
        writer.chunk(CHUNKER, TEXT, source="a.md")
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert list(cache.values()) == ["This is part 0.", "This is part 1."]


def test_a_fallback_takes_the_place_of_what_failed_and_is_not_kept() -> None:
    cache: dict[str, str] = {}
    told: list[tuple[int, str]] = []

    def fallback(chunk: Chunk, error: Exception) -> str:
        told.append((chunk.index, str(error)))
        return ""

    made = ContextWriter(failing, cache=cache, fallback=fallback, max_tokens=10).chunk(CHUNKER, TEXT)
    assert told == [(2, "no answer")]
    assert [chunk.context == "Tower\n" for chunk in made] == [chunk.index == 2 for chunk in made]
    assert len(cache) == len(made) - 1
    nothing: Any = None
    made = ContextWriter(lambda *_: nothing, fallback=fallback, max_tokens=10).chunk(CHUNKER, "Some words.")
    assert made[0].text == "Some words."
    assert told[1] == (0, "write must return a str; for chunk 0 it returned None")
    with pytest.raises(ContextError, match="write must return a str"):
        ContextWriter(lambda *_: nothing, max_tokens=10).chunk(CHUNKER, TEXT)


def test_several_at_once() -> None:
    together = threading.Barrier(3, timeout=20)

    def write(_document: str, chunk: Chunk) -> str:
        if chunk.index < 3:
            together.wait()
        return counted("", chunk)

    assert ContextWriter(write, max_tokens=10, at_once=3).chunk(CHUNKER, TEXT) == ContextWriter(
        counted, max_tokens=10
    ).chunk(CHUNKER, TEXT)


@pytest.mark.parametrize("kind", ["coroutine", "lambda", "plain"])
def test_awaited_calls(kind: str) -> None:
    running = most = 0

    async def slow(document: str, chunk: Chunk) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return counted(document, chunk)

    def deferred(document: str, chunk: Chunk) -> Awaitable[str]:
        return slow(document, chunk)

    write: Any = {"coroutine": slow, "lambda": deferred, "plain": counted}[kind]
    made = asyncio.run(ContextWriter(write, max_tokens=10, at_once=2).achunk(CHUNKER, TEXT, source="a.md"))
    assert made == ContextWriter(counted, max_tokens=10).chunk(CHUNKER, TEXT, source="a.md")
    assert most <= 2


def test_an_awaited_failure_cancels_the_others() -> None:
    cancelled: list[int] = []

    async def write(_document: str, chunk: Chunk) -> str:
        if chunk.index == 1:
            raise TimeoutError("no answer")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(chunk.index)
            raise
        return ""

    with pytest.raises(ContextError, match="chunk 1: TimeoutError"):
        asyncio.run(ContextWriter(write, max_tokens=10, at_once=2).achunk(CHUNKER, TEXT))
    assert cancelled[0] == 0


def test_what_is_refused() -> None:
    async def write(_document: str, _chunk: Chunk) -> str:
        return ""

    with pytest.raises(OptionError, match="use achunk"):
        ContextWriter(write).chunk(CHUNKER, TEXT)
    with pytest.raises(OptionError, match="room for 60 more tokens around each chunk leaves none"):
        ContextWriter(counted, max_tokens=60).chunk(CHUNKER, TEXT)
    wrong: list[dict[str, Any]] = [
        {"max_tokens": 0},
        {"at_once": 0},
        {"max_tokens": "9"},
        {"cache": []},
        {"version": 2},
    ]
    for options in wrong:
        with pytest.raises(OptionError):
            ContextWriter(counted, **options)
    with pytest.raises(WrongTypeError, match="write must be"):
        ContextWriter("summarize")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(WrongTypeError, match="chunker must be"):
        ContextWriter(counted).chunk(512, TEXT)  # type: ignore[arg-type]  # what is tested


def test_the_repr_has_what_is_not_by_default() -> None:
    assert repr(ContextWriter(counted)) == f"ContextWriter({counted!r}, max_tokens=100)"
    writer = ContextWriter(counted, max_tokens=8, version="2", at_once=4, cache={"key": "a context" * 100})
    assert repr(writer) == f"ContextWriter({counted!r}, max_tokens=8, version='2', at_once=4, cache=<dict>)"
