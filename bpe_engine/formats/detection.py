"""Detect the format of a tokenizer file by its content and name, and find its reader.

first bytes            a JSON object: by its keys              reader: formats/<format>.py
GGUF                   "model", "added_tokens"                 tokenizer_json
minbpe v1              "config" and a list "vocab"             tekken
#version               tokens and their ids                    gpt2, with vocab.bpe beside it
IQ== 0
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Literal, get_args

from bpe_engine.errors import VocabularyError
from bpe_engine.pipeline.specification import Specification

Format = Literal["tiktoken", "tokenizer_json", "gguf", "minbpe", "sentencepiece", "tekken", "gpt2"]
"""The supported formats; each is a module of `bpe_engine.formats` with a function `read(path) -> Specification`."""

# Bytes at the start of a file that are tested. A JSON object is parsed as a whole if they do not decide.
_HEAD = 4096
_TIKTOKEN_LINE = rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(?:\n|$)"
# The tag of a protobuf field with number 1 and wire type 2: the first piece of the vocabulary.
_SENTENCEPIECE_START = b"\n"


def read_specification(path: str | Path) -> Specification:
    """Read the specification of a tokenizer file.

    Raises VocabularyError, naming the file and the place, if its content is invalid, and OSError if it cannot be read.
    """
    place = Path(path)
    name = detect(place)
    module = f"bpe_engine.formats.{name}"
    try:
        reader = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise VocabularyError(f"{place}: files of the format {name} are not supported") from None
    specification: Specification = reader.read(place)
    return specification


def detect(path: Path) -> Format:
    """Return the format of a file. Raises VocabularyError if the format is not supported, OSError if the file cannot be read."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"GGUF"):
        return "gguf"
    if head.startswith(b"minbpe v"):
        return "minbpe"
    if head.startswith(b"#version") or path.name == "vocab.bpe":
        return "gpt2"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    is_object = text.startswith(b"{")
    if path.suffix == ".tiktoken" or (not is_object and re.match(_TIKTOKEN_LINE, head.lstrip(b"\r\n"))):
        return "tiktoken"
    if is_object:
        if b'"default_num_special_tokens"' in text:
            return "tekken"
        # Publishers write these keys early; any other file is parsed.
        return "tokenizer_json" if b'"added_tokens"' in text else _format_of_json(path)
    if (head.startswith(_SENTENCEPIECE_START) and b"\0" in head) or path.suffix == ".model":
        return "sentencepiece"
    raise VocabularyError(f"{path}: not a tokenizer file of a known format: {', '.join(sorted(get_args(Format)))}")


def _format_of_json(path: Path) -> Format:
    if path.name == "encoder.json":
        return "gpt2"
    from bpe_engine.formats.json_files import read_json  # noqa: PLC0415 - only JSON formats need it

    found = read_json(path)
    if isinstance(found.get("model"), dict):  # encoder.json may have a token of this name
        return "tokenizer_json"
    if "config" in found and isinstance(found.get("vocab"), list):
        return "tekken"
    if "<|endoftext|>" in found and all(isinstance(value, int) for value in found.values()):
        return "gpt2"
    raise VocabularyError(
        f"{path}: this JSON object is not a tokenizer: neither tokenizer.json nor tekken.json nor encoder.json"
    )
