"""Other packages that read the file of a family of tokenizers: path -> function that counts the tokens of a text. Each is imported where it is used."""

from __future__ import annotations

from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any

Count = Callable[[str], int]
# By the ends of the names of files; a package that cannot read one says so with an exception of its own.
Opener = Callable[[Path], Count]


def _length_of(encode: Callable[[str], Sized]) -> Count:
    return lambda text: len(encode(text))


def _tokenizers(path: Path) -> Count:
    from tokenizers import Tokenizer  # noqa: PLC0415 - see the module docstring

    loaded = Tokenizer.from_file(str(path))
    loaded.no_truncation()
    loaded.no_padding()
    return _length_of(lambda text: loaded.encode(text, add_special_tokens=False).ids)


def _fastokens(path: Path) -> Count:
    from fastokens import Tokenizer  # noqa: PLC0415 - see the module docstring

    return _length_of(Tokenizer.from_file(str(path)).encode_ordinary)


def _tokie(path: Path) -> Count:
    from tokie import Tokenizer  # noqa: PLC0415 - see the module docstring

    loaded = Tokenizer.from_json(str(path))
    count: Count = loaded.count_tokens
    return count


def _kitoken(path: Path) -> Count:
    from kitoken import Kitoken  # noqa: PLC0415 - see the module docstring

    readers: dict[str, Any] = {".json": Kitoken.from_tokenizers_file, ".tiktoken": Kitoken.from_tiktoken_file}
    reader = (
        Kitoken.from_tekken_file if "tekken" in path.name else readers.get(path.suffix, Kitoken.from_sentencepiece_file)
    )
    loaded = reader(str(path))
    return _length_of(lambda text: loaded.encode(text, encode_specials=False))


def _gigatoken(path: Path) -> Count:
    from gigatoken import Tokenizer  # noqa: PLC0415 - see the module docstring

    if path.suffix == ".json":
        loaded = Tokenizer.from_json(path.read_bytes())
    elif path.suffix == ".tiktoken":
        loaded = Tokenizer.from_tiktoken(path)
    else:
        loaded = Tokenizer.from_sentencepiece(path)
    return _length_of(loaded.backend.encode)


def _sentencepiece(path: Path) -> Count:
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - see the module docstring

    return _length_of(SentencePieceProcessor(model_file=str(path)).encode)


PEERS: dict[str, Opener] = {
    "tokenizers": _tokenizers,
    "fastokens": _fastokens,
    "tokie": _tokie,
    "kitoken": _kitoken,
    "gigatoken": _gigatoken,
    "sentencepiece": _sentencepiece,
}
