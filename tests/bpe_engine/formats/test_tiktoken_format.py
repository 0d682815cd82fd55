"""The `*.tiktoken` reader: what it reads, what tiktoken reads from the same file, and what its errors say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.tiktoken import dump_tiktoken, parse_tiktoken, read_tiktoken
from bpe_engine.published.data import load_ranks


@given(
    st.dictionaries(st.binary(min_size=1), st.integers(0, 1 << 40), min_size=1).filter(
        lambda ranks: len(set(ranks.values())) == len(ranks)
    )
)
def test_parse_inverts_dump(ranks: dict[bytes, int]) -> None:
    assert parse_tiktoken(dump_tiktoken(ranks), "x") == ranks


def test_reads_what_tiktoken_reads(tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.tiktoken"
    path.write_bytes(dump_tiktoken(load_ranks("cl100k_base")))
    assert read_tiktoken(path) == load_tiktoken_bpe(str(path)) == load_ranks("cl100k_base")


def test_empty_lines_and_windows_line_ends() -> None:
    assert parse_tiktoken(b"\r\nIQ== 0\r\n\r\nIg== 1", "x") == {b"!": 0, b'"': 1}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"IQ== 0\nIg==\n", r"f\.tiktoken:2: expected a token in base64, a space and its id, not b'Ig=='"),
        (b"IQ== 0\n 1\n", r"f\.tiktoken:2: expected"),
        (b"IQ== 0 1\n", r"f\.tiktoken:1: expected"),
        (b"IQ== -1\n", r"f\.tiktoken:1: expected"),
        (b"\nIQ== one\n", r"f\.tiktoken:2: expected"),
        (b"IQ= 0\n", r"f\.tiktoken:1: b'IQ=' is not base64"),
        (b"I!Q== 0\n", r"f\.tiktoken:1: b'I!Q==' is not base64"),
        (b"IQ== 0\n\nIQ== 7\n", r"f\.tiktoken:3: the token b'!' is already on line 1"),
        (b"IQ== 7\nIg== 7\n", r"f\.tiktoken:2: line 1 already has the id 7"),
        (b"", r"f\.tiktoken: the file has no tokens"),
        (b"<html>" + b"x" * 500, r"f\.tiktoken:1: expected .*\.\.\. \(506 bytes\)"),
    ],
)
def test_malformed_files_name_file_and_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "f.tiktoken"
    path.write_bytes(data)
    with pytest.raises(VocabularyError, match=message):
        read_tiktoken(path)


def test_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_tiktoken(tmp_path / "absent.tiktoken")
