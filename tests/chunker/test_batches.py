"""Many texts in one call: the chunks of each by itself, whatever the number of threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import BudgetTooSmallError, CodeChunker, MarkdownChunker, TextChunker
from chunker.errors import OptionError, WrongTypeError
from chunker.growing.compiled import ChunkMaker, make_together
from chunker.native import native

PROSE = "A sentence of some words. Another one, which is longer than that.\n\n"
MARKDOWN = f"# Title\n\n{PROSE}\n## Part\n\n- one\n- two\n\n```python\ndef inner():\n    return 1\n```\n\n{PROSE}"
CODE = "class Thing:\n    def method(self):\n        return [1, 2, 3]\n\n\n" * 3
# Longer than a run, so that there are several.
LONG = PROSE * 2000


class Words:
    """A counter in Python, which the compiled grower calls."""

    name = "words of a test"

    def __call__(self, text: str) -> int:
        return len(text.split())


KINDS: dict[str, Callable[[], TextChunker]] = {
    "text": lambda: TextChunker(16),
    "overlap": lambda: TextChunker(24, overlap=6),
    "optimal": lambda: TextChunker(24, strategy="optimal"),
    "markdown": lambda: MarkdownChunker(32, overlap=8, context=True),
    "code": lambda: CodeChunker("python", 24, context=True),
    "characters": lambda: TextChunker(80, tokenizer="characters"),
    "a function": lambda: TextChunker(12, tokenizer=Words()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_threads", [1, 4])
def test_each_text_as_by_itself(kind: str, num_threads: int) -> None:
    chunker = KINDS[kind]()
    texts = [PROSE, "", MARKDOWN, LONG, CODE, "a", "é \ud800 x " * 9, MARKDOWN * 400, LONG + "ü", CODE * 300]
    sources = [None if number % 3 == 0 else f"{number}.txt" for number in range(len(texts))]
    expected = [
        chunker.chunk(text, source=source, metadata={"a": 1}) for text, source in zip(texts, sources, strict=True)
    ]
    found = chunker.chunk_batch(iter(texts), sources=iter(sources), metadata={"a": 1}, num_threads=num_threads)
    assert found == expected
    assert [[chunk.id for chunk in chunks] for chunks in found] == [
        [chunk.id for chunk in chunks] for chunks in expected
    ]
    assert [[chunk.breadcrumb for chunk in chunks] for chunks in found] == [
        [chunk.breadcrumb for chunk in chunks] for chunks in expected
    ]


@settings(max_examples=30)
@given(st.lists(st.text() | st.just(PROSE * 700), max_size=6), st.integers(1, 9))
def test_any_texts(texts: list[str], num_threads: int) -> None:
    chunker = TextChunker(40, overlap=10)
    assert chunker.chunk_batch(texts, num_threads=num_threads) == list(map(chunker.chunk, texts))


def test_no_texts() -> None:
    assert TextChunker(10).chunk_batch([]) == []


@pytest.mark.parametrize("num_threads", [1, 4])
def test_the_first_error_is_raised(num_threads: int) -> None:
    chunker = TextChunker(1, tokenizer="bytes")
    texts = ["abc" * 30_000, "é", "abc" * 30_000, "猫"]
    with pytest.raises(BudgetTooSmallError) as raised:
        chunker.chunk_batch(texts, num_threads=num_threads)
    assert raised.value.character == "é"


def test_an_earlier_text_fails_first() -> None:
    """A text of which growing fails comes before one that is refused at once."""

    def count(text: str) -> int:
        if "ba" in text:
            raise KeyError("ba")
        return len(text.encode())

    chunker = TextChunker(3, tokenizer=count, min_tokens=0)
    with pytest.raises(BudgetTooSmallError):
        chunker.chunk_batch(["abc", "\U0001f469", "ba"])
    with pytest.raises(KeyError, match="ba"):
        chunker.chunk_batch(["abc", "ba", "\U0001f469"])


def test_what_counts_in_python_is_called_by_one_thread() -> None:
    threads = set()

    def count(text: str) -> int:
        threads.add(threading.get_ident())
        return len(text.split())

    TextChunker(200, tokenizer=count).chunk_batch([LONG] * 4, num_threads=4)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"texts": "one text"}, WrongTypeError, r"not one text: pass \[text\]"),
        ({"texts": [b"bytes"]}, WrongTypeError, "text must be a str"),
        ({"texts": ["a", "b"], "sources": ["x"]}, OptionError, "as many sources as texts: 1 for 2"),
        ({"texts": ["a"], "sources": "x"}, WrongTypeError, "not one name"),
        ({"texts": ["a"], "sources": [3]}, WrongTypeError, "source"),
        ({"texts": ["a"], "num_threads": 0}, OptionError, "num_threads must be a whole number from 1, got 0"),
        ({"texts": ["a"], "metadata": []}, WrongTypeError, "metadata must be a mapping"),
    ],
)
def test_wrong_arguments(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TextChunker(10).chunk_batch(**wrong)


@pytest.mark.skipif(native() is None, reason="in pure Python nothing runs without the lock")
@pytest.mark.parametrize("kind", ["text", "overlap", "optimal", "markdown", "code", "characters"])
def test_others_run_meanwhile(kind: str) -> None:
    """No thread is made to let go of the lock, so another one runs only if growing does so of itself. The system may be slow
    to wake it up, which is why there are several attempts.
    """
    chunker = KINDS[kind]()
    text = {"markdown": MARKDOWN, "code": CODE}.get(kind, PROSE) * 4000
    outline = chunker.sketch(text)
    context_at = chunker.context_of(text, outline, "a name")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        assert any(_ran_meanwhile(chunker.maker(text, outline, context_at)) for _ in range(100))
    finally:
        sys.setswitchinterval(interval)


def _ran_meanwhile(maker: ChunkMaker) -> bool:
    """Whether this thread runs before another one has made all chunks."""
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        make_together([maker])
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    ran = not ended.is_set()
    thread.join()
    return ran
