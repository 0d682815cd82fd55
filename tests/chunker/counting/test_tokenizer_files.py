"""Tokenizer files on the command line and for chunkers: those of our engine, and those that the package `tokenizers` runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from huggingface_files import family
from small_tokenizers import small
from typer.testing import CliRunner

from bpe_engine import MissingExtraError, Tokenizer, UnknownEncodingError, UnsupportedModelError, VocabularyError
from chunker import TextChunker
from chunker.cli.app import app
from chunker.counting import HuggingFaceCounter, TokenCounter
from chunker.counting.tokenizer_files import tokenizer_named, tokenizer_of_file

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
    named = tokenizer_named("gpt-4o")
    assert isinstance(named, Tokenizer)
    assert named.name == "o200k_base"
    found = tokenizer_named("tokenizer.json", tmp_path)
    assert isinstance(found, Tokenizer)
    with pytest.raises(UnknownEncodingError):
        tokenizer_named("no-such-file.json", tmp_path)


def test_a_file_that_nobody_reads(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="does not read the file"):
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
