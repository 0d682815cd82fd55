"""The reader of tokenizer files of docs/extending.md, as a format of the package. Copy this for your own."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer, VocabularyError
from bpe_engine.formats import detection

# In your copy: the module of the reader, its format, and the bytes that its files begin with.
PAGE = Path(__file__).resolve().parents[3] / "docs" / "extending.md"
NAME, START = "hexadecimal", b"tokens v"
PATTERN = r"\w+|\W+"
TOKENS = [bytes([byte]) for byte in range(256)] + [b"ab", b"th", b"the", b" a", "é".encode(), b"  ", b"abab"]
CONTENT = "\n".join(["tokens v1", PATTERN, *(token.hex() for token in TOKENS), ""]).encode()
PIECES = st.sampled_from(["ab", "the", " a", "é", "  ", "\n", "x", "😀", "ا", "1"])


@pytest.fixture(scope="module")
def reader() -> ModuleType:
    """The reader of the page."""
    (block,) = [part for part in PAGE.read_text(encoding="utf-8").split("```") if "FIRST_LINE = " in part]
    module = ModuleType(f"bpe_engine.formats.{NAME}")
    exec(block.removeprefix("python\n").partition("\n\n\nsmall = ")[0], vars(module))
    return module


@pytest.fixture
def known(reader: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make its format one that the package knows. In your copy both lines are gone: they are in the package."""
    monkeypatch.setitem(sys.modules, reader.__name__, reader)
    others: Any = detection.detect
    monkeypatch.setattr(detection, "detect", lambda path: NAME if path.read_bytes().startswith(START) else others(path))


@pytest.fixture(scope="module")
def tokenizer(reader: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("own") / "small.tokens"
    path.write_bytes(CONTENT)
    return Tokenizer.from_specification(reader.read(path))


@pytest.mark.usefixtures("known")
def test_files_are_told_by_their_content(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(CONTENT)
    assert Tokenizer.from_file(path).encode("the abé") == tokenizer.encode("the abé") == [258, 32, 256, 260]


@given(st.lists(PIECES | st.text(max_size=3)).map("".join))
def test_ids_are_those_of_the_library(tokenizer: Tokenizer, text: str) -> None:
    library = tiktoken.Encoding(
        "small",
        pat_str=PATTERN,
        mergeable_ranks={token: rank for rank, token in enumerate(TOKENS)},
        special_tokens={},
    )
    expected = library.encode_ordinary(text)
    assert tokenizer.encode(text) == expected
    encoder = tokenizer.appending_encoder()
    for character in text:
        encoder.append(character)
    assert encoder.tokens() == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"any\.tokens:1: expected 'tokens v1', not ''"),
        (b"tokens v2\n", r"any\.tokens:1: expected 'tokens v1', not 'tokens v2'"),
        (b"tokens v1\n.+", r"any\.tokens:2: the file ends before its last token"),
        (CONTENT[:-1], r"any\.tokens:265: the file ends before its last token"),
        (b"tokens v1\n.+\n61\n6\n", r"any\.tokens:4: '6' is no token"),
        (b"tokens v1\n.+\n61\n61\n", r"any\.tokens: the token b'a' occurs twice, as id 0 and as id 1"),
        (b"tokens v1\n.+\n61\n\xff\n", r"any\.tokens: not UTF-8 at byte 16"),
        (b"tokens v1\n(\n61\n", r"any\.tokens: pattern .* does not compile"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(reader: ModuleType, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "any.tokens"
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=message):
        Tokenizer.from_specification(reader.read(path))


@given(st.integers(0, len(CONTENT) - 1), st.binary(max_size=4))
def test_damaged_files_are_read_or_refused(
    reader: ModuleType, tmp_path_factory: pytest.TempPathFactory, offset: int, put: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.tokens"
    path.write_bytes(CONTENT[:offset] + put + CONTENT[offset + 1 :])
    try:
        made = Tokenizer.from_specification(reader.read(path))
    except VocabularyError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 - either outcome is right
    else:
        assert made.n_vocab <= len(TOKENS) + 2
