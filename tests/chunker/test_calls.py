"""Chunks in one call: the same as those of a chunker, the same arguments at the same place everywhere."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path

import pytest

import bpe_engine
import chunker
from chunker import (
    ChunkerError,
    CodeChunker,
    FileError,
    MarkdownChunker,
    MissingExtraError,
    OptionError,
    TextChunker,
    UnknownLanguageError,
    achunk,
    chunk,
    chunk_file,
    chunk_files,
    chunk_stream,
    chunker_named,
)
from chunker.files.chunk_files import FileChunks
from chunker.formats.registry import format_names
from chunker.tokenizer_errors import MissingTokenizerPackageError, UnknownTokenizerError

SOURCE = "import os\n\n\n" + "".join(f"def f{n}(x):\n    return x * {n}\n\n\n" for n in range(20))
GUIDE = "# Guide\n\nSome words, and a [link](https://example.com).\n\n## Install\n\n```sh\npip install it\n```\n"


def test_the_same_chunks_by_all_ways(tmp_path: Path) -> None:
    file = tmp_path / "shop.py"
    file.write_text(SOURCE)
    one = CodeChunker("python", 64, overlap=8)
    wanted = [made.text for made in one.chunk(SOURCE)]
    ways = [
        chunk(SOURCE, 64, language="python", overlap=8),
        chunk(SOURCE, one),
        chunk(SOURCE, 64, source="shop.py", overlap=8),
        chunk(SOURCE, 64, overlap=8),  # it is clearly Python
        chunk(file, 64, overlap=8),
        chunk_file(file, one),
        chunk_file(str(file), 64, language="py", overlap=8),
        list(chunk_stream([SOURCE[:99], SOURCE[99:]], one)),
        list(chunk_stream([SOURCE], 64, language="python", overlap=8)),
        asyncio.run(achunk(SOURCE, 64, language="python", overlap=8)),
        asyncio.run(achunk(SOURCE, one)),
        [made for file_ in chunk_files([file], one) if isinstance(file_, FileChunks) for made in file_.chunks],
    ]
    for made in ways:
        assert [chunk.text for chunk in made] == wanted


def test_a_path_is_read_and_a_str_never_is(tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_text(GUIDE)
    assert chunk(file)[0].source == str(file)
    assert chunk(str(file))[0].body == str(file)
    with pytest.raises(FileError, match=r"gone\.md"):
        chunk_file(tmp_path / "gone.md")
    with pytest.raises(OptionError, match="chunk_files"):
        chunk_file(tmp_path)
    (tmp_path / "bin").write_bytes(b"\0\1")
    with pytest.raises(FileError, match="binary"):
        chunk_file(tmp_path / "bin")


def test_a_chunker_has_its_own_options() -> None:
    for call in (
        lambda: chunk("a", TextChunker(8), overlap=2),
        lambda: chunk("a", TextChunker(8), language="text"),
        lambda: list(chunk_stream(["a"], TextChunker(8), overlap=2)),
        lambda: list(chunk_files([], TextChunker(8), overlap=2)),
        lambda: list(chunk_files([], TextChunker(8), chunker=TextChunker(8))),
    ):
        with pytest.raises(OptionError, match="chunker"):
            call()


def test_swapped_arguments_are_told() -> None:
    with pytest.raises(OptionError, match=r'CodeChunker\("python", 512\)'):
        TextChunker("python")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="language='python'"):
        chunk("a", "python")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r'CodeChunker\("python", max_tokens=512\)'):
        CodeChunker(512, "python")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", format_names())
def test_every_format_has_a_name(name: str) -> None:
    made = chunker_named(name, 64)
    assert made == chunker_named(name, 64)
    assert eval(repr(made), vars(chunker)) == made if name != "notebook" else made.language
    assert pickle.loads(pickle.dumps(made)) == made


def test_unknown_names() -> None:
    with pytest.raises(UnknownLanguageError, match="Klingon"):
        chunk("a", language="Klingon")
    for kind in (ChunkerError, bpe_engine.UnknownEncodingError, UnknownTokenizerError):
        with pytest.raises(kind, match="no published encoding or model"):
            chunk("a", tokenizer="no such model")


def test_one_error_for_a_missing_package() -> None:
    for error in (MissingExtraError("numpy", "index"), MissingTokenizerPackageError("huggingface", "because")):
        assert isinstance(error, MissingExtraError)
        assert isinstance(error, ChunkerError)
        assert isinstance(error, ImportError)
        assert 'pip install "bpe-chunker[' in str(error)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_equal_chunkers() -> None:
    given = [
        TextChunker(64),
        TextChunker(65),
        TextChunker(64, min_tokens=3),
        TextChunker(64, overlap=3),
        TextChunker(64, context=True),
        TextChunker(64, context=["imports"]),
        TextChunker(64, strategy="optimal"),
        TextChunker(64, tokenizer="cl100k_base"),
        TextChunker(64, format="json"),
        TextChunker(64, desired_tokens=32),
        TextChunker(64, reserve=2),
        TextChunker(64, overlap=3, overlap_by="token"),
        MarkdownChunker(64),
        CodeChunker("python", 64),
        CodeChunker("go", 64),
    ]
    assert len(set(given)) == len(given)
    names = {name: getattr(chunker, name) for name in chunker.__all__}
    for one in given:
        again = eval(repr(one), names)
        assert again == one
        assert hash(again) == hash(one)
        assert pickle.loads(pickle.dumps(one)) == one
        assert len(repr(one)) < 100
    assert repr(TextChunker()) == "TextChunker(max_tokens=512)"
    assert repr(CodeChunker("py", 64, overlap=4)) == "CodeChunker('python', max_tokens=64, overlap=4)"


def test_a_chunk_shows_itself() -> None:
    made = chunk("# A & B\n\n" + "<b>words</b> " * 100, MarkdownChunker(64), source="a.md")[0]
    assert repr(made).startswith("Chunk(0, source='a.md', lines=1-3, kind=")
    assert len(repr(made)) < 200
    shown = made._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;words" in shown
    assert "A &amp; B" in shown
