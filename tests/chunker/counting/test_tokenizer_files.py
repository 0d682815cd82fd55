"""Tokenizer files on the command line and for chunkers: those of our engine, and those that the package `tokenizers` runs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from huggingface_files import family
from small_tokenizers import small
from typer.testing import CliRunner

from bpe_engine import (
    MissingExtraError,
    Tokenizer,
    UnknownEncodingError,
    UnknownTokenError,
    UnsupportedModelError,
    VocabularyError,
)
from chunker import FileChunks, TextChunker, chunk_files, chunker_for
from chunker import chunk as chunk_text
from chunker.cli.app import app
from chunker.counting import HuggingFaceCounter, TokenCounter, resolve_tokenizer
from chunker.counting.tokenizer_files import tokenizer_of_file, tokenizer_path
from chunker.mapping import map_repository
from chunker.prompt import Item, PromptSession, assemble
from chunker.prompt.conversation.tokenizers import tokenizer_of
from chunker.scale import ChunkBatch
from chunker.tokenizer_errors import UnknownTokenizerError

TEXT = "The quick brown fox can't jump over the lazy dogs. And then it did.\n\n" * 6


def written(folder: Path, file: str) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(file, "utf-8")
    return path


@pytest.mark.parametrize("name", ["bert, uncased", "t5", "word level"])
def test_wordpiece_and_unigram_are_for_the_engine(name: str, tmp_path: Path) -> None:
    counter = tokenizer_of_file(written(tmp_path, small(name).to_str()))
    assert isinstance(counter, Tokenizer)
    chunks = TextChunker(30, tokenizer=counter).chunk(TEXT)
    assert "".join(chunk.text for chunk in chunks) == TEXT
    for chunk in chunks:
        assert chunk.token_count == len(small(name).encode(chunk.text, add_special_tokens=False).ids)


def test_byte_pair_encoding_is_for_the_engine(tmp_path: Path) -> None:
    path = written(tmp_path, family("qwen2"))
    counter = tokenizer_of_file(path)
    assert isinstance(counter, Tokenizer)
    assert isinstance(counter, TokenCounter)
    chunks = TextChunker(30, tokenizer=counter).chunk(TEXT)
    assert [counter.count(chunk.text) for chunk in chunks] == [chunk.token_count for chunk in chunks]


def lacking() -> str:
    """A file with a part that the engine lacks."""
    data = json.loads(family("gpt2"))
    data["pre_tokenizer"]["pretokenizers"].insert(0, {"type": "FixedLength", "length": 5})
    return json.dumps(data)


def test_a_part_that_the_engine_lacks_is_for_the_package(tmp_path: Path) -> None:
    counter = tokenizer_of_file(written(tmp_path, lacking()))
    assert isinstance(counter, HuggingFaceCounter)
    assert counter.count("The fox") > 0


def test_room_for_the_special_tokens_of_the_model(tmp_path: Path) -> None:
    counter = tokenizer_of_file(written(tmp_path, family("llama2")))
    assert getattr(counter, "reserve", 0) == 1


def test_names_first(tmp_path: Path) -> None:
    written(tmp_path, family("gpt2"))
    named = resolve_tokenizer("gpt-4o", folder=tmp_path)
    assert isinstance(named, Tokenizer)
    assert named.name == "o200k_base"
    found = resolve_tokenizer("tokenizer.json", folder=tmp_path)
    assert isinstance(found, Tokenizer)
    with pytest.raises(UnknownEncodingError):
        resolve_tokenizer("no-such-file.json", folder=tmp_path)


def test_a_path_is_a_tokenizer_wherever_a_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, small("word level").to_str())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    for given in ("tokenizer.json", "./tokenizer.json", str(path), path, Path("tokenizer.json")):
        expected = tokenizer_of_file(given)
        chunker = TextChunker(20, tokenizer=given)
        assert chunker.tokenizer == expected
        chunks = chunker.chunk(TEXT)
        assert chunk_text(TEXT, 20, tokenizer=given, language="text") == chunks
        assert chunker_for("a.txt", 20, tokenizer=given) == chunker
        found = next(iter(chunk_files(["a.txt"], 20, tokenizer=given)))
        assert isinstance(found, FileChunks)
        assert [one.text for one in found.chunks] == [one.text for one in chunks]
        assert ChunkBatch(20, tokenizer=given)(pa.table({"text": [TEXT]})).num_rows == len(chunks)
        assert assemble([Item(TEXT)], 500, tokenizer=given).token_count == expected.count(TEXT)
        PromptSession(500, tokenizer=given)
        assert map_repository("a.txt", 50, tokenizer=given).token_count <= 50
        assert tokenizer_of(given) == expected


def test_a_name_wins_over_a_file_and_a_suffix_over_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = small("word level").to_str()
    for name in ("o200k_base", "words", "gpt-4o-mine", "mine", "gpt-4o-mine.json"):
        (tmp_path / name).write_text(file, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert [tokenizer_path(name) for name in ("o200k_base", "words", "gpt-4o-mine", "unknown")] == [None] * 4
    assert [str(tokenizer_path(name)) for name in ("mine", "gpt-4o-mine.json")] == ["mine", "gpt-4o-mine.json"]
    assert tokenizer_path("./o200k_base") == tokenizer_path(Path("o200k_base")) == Path("o200k_base")
    assert tokenizer_path("x" * 100_000) is None


def test_a_file_that_is_changed_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, small("word level").to_str())
    first, batch = resolve_tokenizer(path), ChunkBatch(20, tokenizer=path).fingerprint()
    assert resolve_tokenizer(str(path)) is first
    written(tmp_path, family("gpt2"))
    assert resolve_tokenizer(path) != first
    assert ChunkBatch(20, tokenizer=path).fingerprint() != batch


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("nope.json", r"'nope\.json' is not a file: there is no such tokenizer file$"),
        (Path("nope.json"), r"'nope\.json' is not a file"),
        ("owner/model", r"owner.model' is not a file.*from_pretrained"),
        ("nope", r"called 'nope'.*there is also no file of this name"),
        (Path(), "is a folder"),
        ("model", r"'model' is a folder, not a tokenizer file; pass the file in it: '.*tokenizer\.json'$"),
    ],
)
def test_no_such_file(given: str | Path, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "tokenizer.json").touch()
    with pytest.raises(UnknownTokenizerError, match=reason):
        resolve_tokenizer(given)


def test_an_empty_name_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownEncodingError, match="no published encoding or model is called ''"):
        TextChunker(20, tokenizer="")
    assert tokenizer_path("", tmp_path) is None
    done = CliRunner().invoke(app, ["count", str(tmp_path), "--tokenizer", ""])
    assert done.exit_code == 2
    assert "no published encoding or model is called ''" in done.stderr


def test_no_such_file_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    answer = CliRunner().invoke(app, ["chunk", str(tmp_path), "--tokenizer", "nope.json"])
    assert answer.exit_code == 2
    assert "there is no such tokenizer file" in answer.stderr
    assert "published" not in answer.stderr


def test_the_name_of_a_file_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    written(folder, small("word level").to_str())
    monkeypatch.chdir(folder)
    tokenizer = Tokenizer.from_file("tokenizer.json")
    assert tokenizer.name == "mine"
    with pytest.raises(UnknownTokenError, match="no token of mine has the id 999999"):
        tokenizer.decode([999_999])
    assert tokenizer.specification is not None
    nameless = Tokenizer.from_specification(replace(tokenizer.specification, name=None))
    assert repr(nameless) == f"<Tokenizer: {tokenizer.n_vocab} tokens>"
    with pytest.raises(UnknownTokenError, match="no token of this tokenizer has the id 999999"):
        nameless.decode([999_999])


def test_a_file_that_nobody_reads(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="which cannot read the file"):
        tokenizer_of_file(written(tmp_path, '{"added_tokens": [], "model": {"type": "Odd", "vocab": 1}}'))


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, lacking())
    with pytest.raises(UnsupportedModelError):
        Tokenizer.from_file(path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(
        MissingExtraError, match=r"'FixedLength' is not supported by this engine.*bpe-chunker\[huggingface\]"
    ):
        tokenizer_of_file(path)


@pytest.mark.parametrize("name", ["bert, uncased", "qwen2", "llama2"])
def test_on_the_command_line(name: str, tmp_path: Path) -> None:
    file = family(name) if name in ("qwen2", "llama2") else small(name).to_str()
    path = written(tmp_path, file)
    text = tmp_path / "text.txt"
    text.write_text(TEXT, "utf-8")
    answer = CliRunner().invoke(
        app, ["chunk", str(text), "--tokenizer", str(path), "--max-tokens", "40", "--format", "jsonl"]
    )
    assert answer.exit_code == 0, answer.output
    counter = tokenizer_of_file(path)
    chunks = [json.loads(line) for line in answer.stdout.splitlines()]
    assert "".join(chunk["text"] for chunk in chunks) == TEXT
    assert [counter.count(chunk["text"]) for chunk in chunks] == [chunk["token_count"] for chunk in chunks]


def test_a_bad_file_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, '{"added_tokens": [], "model": {"type": "BPE", "vocab": {"a": "x"}, "merges": []}}')
    answer = CliRunner().invoke(app, ["count", str(path), "--tokenizer", str(path)])
    assert answer.exit_code == 2
    assert "model.vocab" in answer.output
