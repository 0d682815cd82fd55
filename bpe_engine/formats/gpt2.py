"""Read the two files of the GPT-2 release: `vocab.bpe` lists the merges, `encoder.json` the id of each token.

`vocab.bpe` has a version line and then one merge a line, two tokens with a space between, best merge first;
`encoder.json` is one object, token -> id. Both write bytes as the stand-in characters of `byte_alphabet.py`. The merge
order defines the ids: 256 single bytes, then one token a merge. `encoder.json` is read to check that it has the same
ids, so that the two files belong together. Its special tokens are left out, because they do not merge.
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.byte_alphabet import BYTES_IN_ORDER, bytes_of
from bpe_engine.formats.utf8 import decoded
from bpe_engine.patterns import GPT2

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

_SPECIAL_TOKENS = ("<|endoftext|>", "<|startoftext|>")
_NAMES = (("vocab.bpe", "encoder.json"), ("merges.txt", "vocab.json"))


def read(path: Path) -> Specification:
    """Read the specification of the pair of files; `path` is one of them, and the other is in the same folder.

    The names are those of the release, `vocab.bpe` and `encoder.json`, or of its copies, `merges.txt` and `vocab.json`.
    The pattern is GPT-2's, because neither file has one. So pairs without GPT-2's `<|endoftext|>`, which belong to
    another model, are refused. Raises `VocabularyError`, naming file and line, and `OSError`.
    """
    from bpe_engine.pipeline.specification import AddedToken, Specification  # noqa: PLC0415 - published encodings do not need it

    names = next((names for names in _NAMES if path.name in names), None)
    if names is None:
        known = ", ".join(name for names in _NAMES for name in names)
        raise VocabularyError(
            f"{path}: looks like one of GPT-2's two files, but its name does not say which; known names are {known}"
        )
    merges, ids = (path.with_name(name) for name in names)
    for file in (merges, ids):
        if not file.is_file():
            raise VocabularyError(f"{file}: is missing: {path.name} is one of two files that belong together")
    ranks = read_gpt2(merges, ids)
    entries = json.loads(ids.read_bytes())
    special = {text: entries[text] for text in _SPECIAL_TOKENS if text in entries}
    if _SPECIAL_TOKENS[0] not in special:
        raise VocabularyError(
            f"{ids}: has no {_SPECIAL_TOKENS[0]}, so it is not GPT-2's, and the pattern that splits its texts is unknown: use a tokenizer.json"
        )
    for text, token in special.items():
        if type(token) is not int or token in ranks.values():
            raise VocabularyError(
                f"{ids}: the special token {text!r} has the id {token!r:.80} of another token, or not a whole number"
            )
    return Specification(
        name="gpt2",
        source=str(path),
        tokens={token_id: token for token, token_id in ranks.items()},
        ignore_merges=True,  # as in tiktoken: a pre-token that is a token is encoded as such; GPT-2's merges always agree
        pre_tokenizers=(GPT2,),
        added_tokens=tuple(AddedToken(text, token) for text, token in special.items()),
    )


def read_gpt2(vocab_bpe: str | PathLike[str], encoder_json: str | PathLike[str]) -> dict[bytes, int]:
    """Read the tokens of the two files: token bytes -> id. Raises `VocabularyError`, naming file and line, and `OSError`."""
    return parse_gpt2(Path(vocab_bpe).read_bytes(), Path(encoder_json).read_bytes(), str(vocab_bpe), str(encoder_json))


def parse_gpt2(
    vocab_bpe: bytes, encoder_json: bytes, vocab_source: str, encoder_source: str, *, own_byte_ids: bool = False
) -> dict[bytes, int]:
    """Parse the contents of the two files and return token bytes -> id; the sources are their names in error messages.

    With `own_byte_ids`, single bytes have the ids of `encoder.json` instead of those of the release.
    """
    ranks = _ranks_of_merges(vocab_bpe, vocab_source)
    ids = _ids_of_tokens(encoder_json, encoder_source)
    if own_byte_ids:
        ranks |= {token: token_id for token, token_id in ids.items() if len(token) == 1}
    for token, token_id in ids.items():
        if ranks.get(token) != token_id:
            by_merges = f"the id {ranks[token]}" if token in ranks else "no such token"
            raise VocabularyError(
                f"{encoder_source}: the token {token!r} has the id {token_id}, but the merge order of {vocab_source} "
                f"gives {by_merges}: the two files do not belong together"
            )
    missing = next((token for token in ranks if token not in ids), None)
    if missing is not None:
        raise VocabularyError(f"{encoder_source}: the token {missing!r}, which {vocab_source} makes, is missing")
    return ranks


def _ranks_of_merges(data: bytes, source: str) -> dict[bytes, int]:
    ranks = {bytes([byte]): rank for rank, byte in enumerate(BYTES_IN_ORDER)}
    # Only "\n" ends a line: splitlines() would also split at characters that are stand-ins or parts of tokens.
    for number, line in enumerate(decoded(data, source).split("\n"), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        parts = line.rstrip("\r").split(" ")
        try:
            left, right = map(bytes_of, parts)
        except ValueError:
            raise VocabularyError(
                f"{source}:{number}: expected two tokens separated by a space, not {line[:60]!r}"
            ) from None
        except KeyError as error:
            raise VocabularyError(f"{source}:{number}: the character {error} does not stand for a byte") from None
        for part in (left, right):
            if part not in ranks:
                raise VocabularyError(
                    f"{source}:{number}: the part {part!r} is neither a byte nor the result of an earlier line"
                )
        if left + right in ranks:
            raise VocabularyError(f"{source}:{number}: the token {left + right!r} already exists")
        ranks[left + right] = len(ranks)
    return ranks


def _ids_of_tokens(data: bytes, source: str) -> dict[bytes, int]:
    try:
        entries = json.loads(decoded(data, source))
    except json.JSONDecodeError as error:
        raise VocabularyError(f"{source}:{error.lineno}: invalid JSON at column {error.colno}: {error.msg}") from error
    if not isinstance(entries, dict):
        raise VocabularyError(f"{source}: expected one object from token to id, not {type(entries).__name__}")
    ids: dict[bytes, int] = {}
    for token, token_id in entries.items():
        if token in _SPECIAL_TOKENS:
            continue
        if type(token_id) is not int:
            raise VocabularyError(f"{source}: the id of the token {token!r} is {token_id!r}, not a whole number")
        try:
            ids[bytes_of(token)] = token_id
        except KeyError as error:
            raise VocabularyError(
                f"{source}: in the token {token!r} the character {error} does not stand for a byte"
            ) from None
    return ids
