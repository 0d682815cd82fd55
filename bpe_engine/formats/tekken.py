"""Read Tekken, Mistral's files (`tekken.json`): a JSON object with the settings, the tokens as bytes in base64, and the special tokens.

    "config": {"pattern": "...", "default_vocab_size": 131072, "default_num_special_tokens": 1000, "version": "v3"}
    "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, ...]          the first 256 are the bytes
    "special_tokens": [{"rank": 1, "token_str": "<s>", "is_control": true}, ...]       missing in the oldest files, whose special tokens are known

The ids start with the special tokens: rank r of `vocab` is the id default_num_special_tokens + r. Entries of `vocab`
that do not fit into default_vocab_size are left out. The pattern is tekken's, or another one.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.json_files import parse_json
from bpe_engine.implementation import core, implementation
from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.specification import AddedToken, Specification

# The special tokens of files that do not list them, in the order of their ranks.
_OLDEST = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CALLS] [IMG] <pad> [IMG_BREAK]"
    " [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]"
)
_OLD_VERSIONS = ("v1", "v2", "v3", "v7")
_FILLER = "<SPECIAL_{}>"
_MOST_SPECIALS = 1 << 16
_LARGEST = 1 << 24


def read(path: Path) -> Specification:
    """Read the specification of a file. Raises VocabularyError, naming the file and the place, and OSError."""
    return parse_tekken(path.read_bytes(), str(path), path.stem)


def parse_tekken(data: bytes, source: str, name: str | None = None) -> Specification:
    """Parse the specification in the contents of a file; `source` is the name of the file in error messages. Raises VocabularyError."""
    found, read = _parsed(data, source)
    config = _object(found.get("config"), f"{source}: config")
    specials = _whole(
        config.get("default_num_special_tokens"), f"{source}: config.default_num_special_tokens", _MOST_SPECIALS
    )
    size = _whole(config.get("default_vocab_size"), f"{source}: config.default_vocab_size", _LARGEST)
    pattern = config.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        raise VocabularyError(f"{source}: config.pattern: expected a regular expression, not {pattern!r:.80}")
    vocab = _list(found.get("vocab"), f"{source}: vocab") if read is None else read
    if not specials <= size <= specials + len(vocab):
        raise VocabularyError(
            f"{source}: config.default_vocab_size: expected {specials} special tokens and up to {len(vocab)} others, not {size}"
        )
    wanted = vocab[: size - specials]
    if read is None:
        wanted = [_token(entry, place, f"{source}: vocab[{place}]") for place, entry in enumerate(wanted)]
    tokens: dict[int, bytes] = dict(enumerate(wanted, start=specials))
    for byte in range(256):
        if tokens.get(specials + byte) != bytes([byte]):
            raise VocabularyError(f"{source}: vocab[{byte}]: the first 256 tokens must be the bytes, in order")
    if found.get("special_tokens") is None and config.get("version") not in _OLD_VERSIONS:
        raise VocabularyError(
            f"{source}: special_tokens: files of the version {config.get('version')!r:.80} must list them"
        )
    return Specification(
        name=name,
        source=source,
        tokens=tokens,
        # tiktoken, which Mistral's package uses, encodes a pre-token that is a token as that token.
        ignore_merges=True,
        pre_tokenizers=(Pattern(pattern),),
        added_tokens=tuple(
            AddedToken(text, token)
            for token, text in enumerate(_special_tokens(found.get("special_tokens"), specials, source))
        ),
    )


def _parsed(data: bytes, source: str) -> tuple[dict[str, Any], list[bytes] | None]:
    """Parse the file; leave out the tokens if the core has read them. The core accepts valid files only; errors are reported by the Python reader."""
    read = core().read_tekken(data) if implementation() == "cpp" else None
    if read is not None:
        tokens, rest = read
        try:
            return parse_json(rest, source), tokens
        except VocabularyError:
            read = None  # raised again below, with the line in the whole file
    return parse_json(data, source), None


def _token(entry: object, place: int, where: str) -> bytes:
    fields = _object(entry, where)
    if fields.get("rank") != place:
        raise VocabularyError(f"{where}.rank: expected {place}, not {fields.get('rank')!r:.80}: ranks are in order")
    data = fields.get("token_bytes")
    if not isinstance(data, str):
        raise VocabularyError(f"{where}.token_bytes: expected bytes in base64, not {data!r:.80}")
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise VocabularyError(f"{where}.token_bytes: {data!r:.80} is not base64: {error}") from error


def _special_tokens(entries: object, count: int, source: str) -> list[str]:
    """Return the texts of the special tokens: those of the file, then fillers up to `count`, as in Mistral's package."""
    texts: list[str] = []
    if entries is None:
        texts = _OLDEST.split()
    else:
        for place, entry in enumerate(_list(entries, f"{source}: special_tokens")):
            where = f"{source}: special_tokens[{place}]"
            fields = _object(entry, where)
            text = fields.get("token_str")
            if fields.get("rank") != place:
                raise VocabularyError(
                    f"{where}.rank: expected {place}, not {fields.get('rank')!r:.80}: ranks are in order"
                )
            if not isinstance(text, str) or not text:
                raise VocabularyError(f"{where}.token_str: expected a string, not {text!r:.80}")
            texts.append(text)
    if len(texts) > count:
        raise VocabularyError(f"{source}: special_tokens: there are {len(texts)}, but only {count} fit")
    texts += [_FILLER.format(number) for number in range(len(texts), count)]
    if len(set(texts)) != len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise VocabularyError(f"{source}: special_tokens: {twice!r:.80} occurs twice")
    return texts


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise VocabularyError(f"{where}: expected an object, not {type(value).__name__}")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise VocabularyError(f"{where}: expected a list, not {type(value).__name__}")
    return value


def _whole(value: object, where: str, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise VocabularyError(f"{where}: expected a whole number from 0 to {most}, not {value!r:.80}")
    return value
