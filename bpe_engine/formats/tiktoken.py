"""Read and write the `*.tiktoken` format: one token a line, its bytes in base64, a space, its id in decimal.

    IQ== 0
    Ig== 1

The format has neither special tokens nor a pattern; these come with the name of the encoding (`published/registry.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_engine.errors import VocabularyError
from bpe_engine.implementation import core, implementation

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

_EMPTY = b"="
"""An empty token, as written in Whisper's file: empty base64 would not be visible."""


def read(path: Path) -> Specification:
    """Read the specification of a file, which has tokens only. Raises as `read_tiktoken`."""
    from bpe_engine.pipeline.specification import Specification  # noqa: PLC0415 - published encodings do not need it

    ranks = read_tiktoken(path)
    empty = ranks.pop(b"", None)
    return Specification(
        name=path.stem,
        source=str(path),
        tokens={token_id: token for token, token_id in ranks.items()},
        texts_only={} if empty is None else {empty: b""},
        ignore_merges=True,
    )


def read_tiktoken(path: str | PathLike[str]) -> dict[bytes, int]:
    """Read the tokens of a file: token bytes -> id. Raises `VocabularyError`, naming file and line, and `OSError`."""
    return parse_tiktoken(Path(path).read_bytes(), str(path))


def parse_tiktoken(data: bytes, source: str) -> dict[bytes, int]:
    """Parse the contents of a file and return token bytes -> id; `source` is the name of the file in error messages.

    Empty lines are skipped and line ends may be CR LF. A token may be empty: "=". Raises `VocabularyError`, with
    `source:line:` in front, for a line that is not a token and an id, and for a token or an id that an earlier line
    has.

    >>> parse_tiktoken(b"IQ== 0\\nIg== 1\\n", "two.tiktoken")
    {b'!': 0, b'"': 1}
    """
    if implementation() == "cpp":
        found: dict[bytes, int] | None = core().read_tiktoken(data)
        if found is not None:
            return found
        # The fast reader found something unusual: the code below reads it, or raises an error.
    import base64  # noqa: PLC0415 - the fast reader does not need it
    import binascii  # noqa: PLC0415 - as above

    ranks: dict[bytes, int] = {}
    lines_by_id: dict[int, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 2 or not fields[1].isdigit():
            raise VocabularyError(
                f"{source}:{number}: expected a token in base64, a space and its id, not {_shortened(line)}"
            )
        try:
            token = base64.b64decode(fields[0], validate=True) if fields[0] != _EMPTY else b""
        except binascii.Error as error:
            raise VocabularyError(f"{source}:{number}: {_shortened(fields[0])} is not base64: {error}") from error
        token_id = int(fields[1])
        if token in ranks:
            raise VocabularyError(
                f"{source}:{number}: the token {token!r} is already on line {lines_by_id[ranks[token]]}"
            )
        if lines_by_id.setdefault(token_id, number) != number:
            raise VocabularyError(f"{source}:{number}: line {lines_by_id[token_id]} already has the id {token_id}")
        ranks[token] = token_id
    if not ranks:
        raise VocabularyError(f"{source}: the file has no tokens")
    return ranks


def dump_tiktoken(ranks: Mapping[bytes, int]) -> bytes:
    """Return the contents of the file for these tokens, in the order of their ids: byte for byte as OpenAI publishes it.

    >>> dump_tiktoken({b'"': 1, b"!": 0})
    b'IQ== 0\\nIg== 1\\n'
    """
    import base64  # noqa: PLC0415 - few programs write files

    by_id = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%b %d\n" % (base64.b64encode(token) or _EMPTY, token_id) for token, token_id in by_id)


def _shortened(line: bytes) -> str:
    return repr(line) if len(line) <= 60 else f"{line[:60]!r}... ({len(line)} bytes)"
