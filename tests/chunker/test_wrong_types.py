"""What callers without types pass by mistake is told at once, as a TypeError that names the argument; and what is meant is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpe_engine import Tokenizer
from chunker import (
    ChunkerError,
    CodeChunker,
    EditedText,
    MarkdownChunker,
    TextChunker,
    WrongTypeError,
    chunk,
    chunk_file,
    chunk_hierarchy,
    chunker_for,
    chunker_named,
    window_around,
)
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.index import Filter, Index, embedder_named, store_named
from chunker.prompt import Item, PromptSession, assemble
from chunker.streams.chunk_stream import chunk_stream

WRONG: list[Any] = [None, b"bytes", 512, 1.5, ["a"], object(), len]
small = TextChunker(64)
# By the name that the message has: what takes the argument, and values of it that are right.
TAKES: dict[str, list[tuple[Callable[[Any], object], list[Any]]]] = {
    "text must be a str": [
        (chunk, []),
        (small.chunk, []),
        (small.outline, []),
        (MarkdownChunker(64).chunk, []),
        (MarkdownChunker(64).outline, []),
        (CodeChunker("python", 64).chunk, []),
        (CodeChunker("python", 64).outline, []),
        (lambda value: chunk_hierarchy(value, [small]), []),
        (lambda value: chunker_for("a.py", text=value), []),
    ],
    "source must be": [
        (lambda value: small.chunk("a", source=value), [None]),
        (lambda value: chunk_hierarchy("a", [small], source=value), [None]),
        (lambda value: list(chunk_stream(["a"], source=value)), [None]),
    ],
    "language must be": [
        (CodeChunker, []),
        (chunker_named, []),
        (lambda value: chunk("a", language=value), [None]),
    ],
    "isolate must be": [(lambda value: CodeChunker("python", isolate=value), [])],
    "format must be": [(lambda value: TextChunker(format=value), [])],
    "context must be": [(lambda value: TextChunker(context=value), [["a"], b"bytes"])],
    "tokenizer must be": [(lambda value: TextChunker(tokenizer=value), [len])],
    "max_tokens must be": [
        (TextChunker, [512]),
        (MarkdownChunker, [512]),
        (lambda value: chunk_files([], value), [512]),
        (lambda value: chunk("a", value), [512]),
        (lambda value: list(chunk_stream(["a"], value)), [512]),
        (lambda value: window_around(small.chunk("a"), 0, max_tokens=value), [None, 512]),
    ],
    "tokens must be": [(small.with_reserve, [512])],
    "min_tokens must be": [(lambda value: TextChunker(min_tokens=value), [None, 512])],
    "path must be": [(chunker_for, []), (chunk_file, []), (Index.open, [])],
    "chunkers must be": [(lambda value: chunk_hierarchy("a", value), [["a"], b"bytes"])],
    "chunks must": [(lambda value: window_around(value, 0), [])],
    "each of chunkers must be": [(lambda value: chunk_hierarchy("a", [value]), [])],
    "chunker must be": [
        (lambda value: chunk_files([], chunker=value), [None]),
    ],
    "texts must be": [(lambda value: list(chunk_stream(value)), [["a"], b"bytes"])],
    "a stream must be made of": [(lambda value: list(chunk_stream([value])), [])],
    "paths must": [
        (chunk_files, [["a"]]),
        (lambda value: chunk_files([value]), [["a"]]),
        (lambda value: index().sync(value), [["a"]]),
    ],
    "items must": [(lambda value: assemble(value, 10), [["a"]])],
    "chat_format must be": [
        (lambda value: assemble([Item("a")], 10, chat_format=value), [None]),
        (lambda value: PromptSession(10, chat_format=value), [None]),
    ],
    "separator must be": [(lambda value: assemble([Item("a")], 10, separator=value), [])],
    "budget must be": [(PromptSession, [512])],
    "system must": [(lambda value: PromptSession(10, system=value), [])],
    "embedder must be": [(lambda value: index(embedder=value), [None, len])],  # a function may be one
    "the name of an embedder must be": [(embedder_named, [])],
    "store must be": [(lambda value: index(store=value), [None])],
    "the name of a vector store must be": [(store_named, [])],
    "query must be": [(lambda value: index().search(value), [])],
    "limit must be": [(lambda value: index().search("a", value), [512])],
    "filter must be": [(lambda value: index().search("a", 5, value), [None])],
    "tags must": [
        (lambda value: Filter(tags=value), [["a"]]),
        (lambda value: index().sync([], tags=value), [["a"]]),
    ],
    "tag must be": [(lambda value: index().forget(value), [])],
}


def index(**options: Any) -> Index:
    return Index.open("nowhere/.chunker", **options)


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("message", TAKES)
def test_wrong_types(message: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for call, right in TAKES[message]:
        if any(value is one or value == one for one in right):
            continue
        with pytest.raises(WrongTypeError, match=f"^{message}") as caught:
            call(value)
        assert isinstance(caught.value, TypeError)
        assert isinstance(caught.value, ChunkerError)
        assert list(tmp_path.iterdir()) == []


def test_messages_say_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"start must be a whole number of characters, got 'a'$"):
        EditedText(small, "abc").replace("a", 1, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r'such as CodeChunker\("python", max_tokens=512\).*not 512 \(int\)'):
        CodeChunker(512)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not b'abc' .bytes.: decode it first"):
        small.chunk(b"abc")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"embed_query.*\(int\)"):
        Index.open("nowhere", embedder=512)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tags must be a collection of str, not 'main'"):
        Filter(tags="main")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [*WRONG, "text"], ids=lambda value: type(value).__name__)
def test_the_engine(value: Any) -> None:
    for call in (Tokenizer.from_specification, Tokenizer.from_pretrained):
        if not (isinstance(value, str) and call == Tokenizer.from_pretrained):
            with pytest.raises(TypeError, match=r"(specification|repository) must be"):
                call(value)
    with pytest.raises(TypeError, match=r"^vocabulary must be a Vocabulary, not .*Tokenizer\.load takes a name"):
        Tokenizer(value)
    with pytest.raises(TypeError, match=r"^other must be a Tokenizer, not "):
        Tokenizer.load("o200k_base").compare(value)


@pytest.mark.parametrize("value", ["text", b"text", bytearray(b"text")], ids=lambda value: type(value).__name__)
def test_one_text_is_no_batch(value: Any) -> None:
    tokenizer = Tokenizer.load("o200k_base")
    for call in (tokenizer.count_batch, tokenizer.encode_batch, tokenizer.encode_ordinary_batch):
        with pytest.raises(TypeError, match=r"^texts must be a collection of texts, not one text"):
            call(value)
    with pytest.raises(TypeError, match=r"^texts must be a collection of texts, not one text"):
        tokenizer.compare(tokenizer, value)


def test_one_path_or_many(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.\n", encoding="utf-8")
    for paths in (str(tmp_path), tmp_path, [tmp_path], iter([str(tmp_path)])):
        (result,) = chunk_files(paths, 64)
        assert isinstance(result, FileChunks)


def test_whole_numbers_of_numpy_are_taken() -> None:
    """Numbers that come out of tables are numpy's; the settings hold Python's, which pickle and print as such."""
    numpy = pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')
    number: Any = numpy.int64(16)
    text = "One sentence. And another one, with a few more words in it. " * 4
    own = TextChunker(16, overlap=4)
    assert repr(TextChunker(number, overlap=numpy.uint8(4))) == repr(own)
    assert chunk(text, number, overlap=numpy.uint8(4)) == chunk(text, 16, overlap=4) == own.chunk(text)
    assert list(chunk_stream([text], number)) == chunk(text, 16)
    assert chunk(text, number, language="markdown") == chunk(text, 16, language="markdown")
    assert type(assemble([Item("words")], number).report.budget) is int
    for wrong in (True, 16.0, numpy.float64(16), "16"):
        with pytest.raises(WrongTypeError, match="max_tokens must be a whole number"):
            TextChunker(wrong)  # type: ignore[arg-type]
