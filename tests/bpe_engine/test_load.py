"""`bpe_engine.load` against `tiktoken.load`: the same dictionaries from the same files, and errors that are caught the same way."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import tiktoken.load
from tiktoken_pairs import small_ranks

from bpe_engine import HashMismatchError, VocabularyError, get_encoding
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, BYTES_IN_ORDER
from bpe_engine.load import (
    check_hash,
    data_gym_to_mergeable_bpe_ranks,
    dump_tiktoken_bpe,
    load_tiktoken_bpe,
    read_file,
    read_file_cached,
)
from bpe_engine.published.registry import published_encodings


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of tokens; tiktoken keeps its copies beside it."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "small.tiktoken"
    dump_tiktoken_bpe(small_ranks(), path)
    return path


def test_tokens_are_written_and_read_as_tiktoken_does(file: Path) -> None:
    assert load_tiktoken_bpe(str(file)) == load_tiktoken_bpe(file) == small_ranks()
    assert tiktoken.load.load_tiktoken_bpe(str(file)) == small_ranks()
    assert list(load_tiktoken_bpe(file).values()) == sorted(small_ranks().values())
    assert load_tiktoken_bpe(file) is not load_tiktoken_bpe(file)


def test_the_hash_is_checked_where_it_is_given(file: Path) -> None:
    contents = file.read_bytes()
    right, wrong = hashlib.sha256(contents).hexdigest(), hashlib.sha256(b"").hexdigest()
    assert check_hash(contents, right)
    assert not check_hash(contents, wrong)
    assert load_tiktoken_bpe(str(file), expected_hash=right) == small_ranks()
    assert read_file(str(file)) == read_file_cached(str(file), right) == contents
    with pytest.raises(ValueError, match="expected one"):
        load_tiktoken_bpe(str(file), expected_hash=wrong)


@pytest.mark.parametrize("line", [b"IQ==", b"IQ== x", b"?? 1", b"IQ== 1 2"])
def test_a_malformed_line_is_a_value_error(file: Path, line: bytes) -> None:
    file.write_bytes(b"Ig== 0\n" + line)
    with pytest.raises(ValueError, match=":2:"):
        load_tiktoken_bpe(str(file))
    with pytest.raises(OSError, match="none"):
        load_tiktoken_bpe(str(file.with_name("none")))


@pytest.mark.parametrize("address", ["gs://bucket/x.tiktoken", "file:///etc/passwd", "az://x", "ftp://x"])
def test_only_http_is_an_address(address: str) -> None:
    for read in (read_file, read_file_cached, load_tiktoken_bpe):
        with pytest.raises(VocabularyError, match="pass the path"):
            read(address)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_addresses_of_embedded_encodings_need_no_network(name: str) -> None:
    (published,) = published_encodings()[name].files
    ranks = load_tiktoken_bpe(published.url, expected_hash=published.sha256)
    assert ranks == get_encoding(name)._mergeable_ranks
    assert ranks is not get_encoding(name)._mergeable_ranks
    with pytest.raises(HashMismatchError, match="published"):
        load_tiktoken_bpe(published.url, expected_hash="0" * 64)


@pytest.mark.parametrize("reverse", [False, True])
def test_gpt2_s_pair_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reverse: bool) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    character = {byte: letter for letter, byte in BYTE_OF_CHARACTER.items()}
    order = list(reversed(BYTES_IN_ORDER)) if reverse else list(BYTES_IN_ORDER)
    ids = {character[byte]: number for number, byte in enumerate(order)} | {"he": 256, "<|endoftext|>": 257}
    merges, encoder = tmp_path / "vocab.bpe", tmp_path / "encoder.json"
    merges.write_text("#version: 0.2\nh e\n")
    encoder.write_text(json.dumps(ids))
    given = (str(merges), str(encoder))
    theirs = tiktoken.load.data_gym_to_mergeable_bpe_ranks(*given, clobber_one_byte_tokens=True)
    assert data_gym_to_mergeable_bpe_ranks(*given, clobber_one_byte_tokens=True) == theirs
    if reverse:
        with pytest.raises(VocabularyError, match="do not belong together"):
            data_gym_to_mergeable_bpe_ranks(*given)
    else:
        assert data_gym_to_mergeable_bpe_ranks(*given) == theirs
    right = hashlib.sha256(merges.read_bytes()).hexdigest()
    with pytest.raises(HashMismatchError, match=r"encoder\.json"):
        data_gym_to_mergeable_bpe_ranks(
            *given, vocab_bpe_hash=right, encoder_json_hash=right, clobber_one_byte_tokens=True
        )
