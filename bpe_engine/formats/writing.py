"""Write a tokenizer to files that other programs read.

tokenizer.json     Hugging Face `tokenizers`, `transformers`: tokens, merges, pattern, special tokens
*.tiktoken         tiktoken: tokens only; the pattern and the special tokens are passed separately
*.model            minbpe: bytes 0 to 255, then merges; pattern, special tokens

A file holds exactly the same tokenizer, or is not written: a feature that the format cannot express raises a
VocabularyError that names it. (`tokenizers` has its own, usually older, Unicode tables, in which a recently added
character may belong to another class.)
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from bpe_engine.errors import VocabularyError
from bpe_engine.fallback.merge_order import find_halves
from bpe_engine.formats.byte_alphabet import bytes_of, characters_of
from bpe_engine.formats.minbpe import MinbpeModel, dump_minbpe
from bpe_engine.formats.tiktoken import dump_tiktoken
from bpe_engine.formats.written_patterns import is_grammar, oniguruma_stages
from bpe_engine.implementation import core, implementation
from bpe_engine.patterns import GPT2, Pattern
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

FileFormat = Literal["tokenizer_json", "tiktoken", "minbpe"]


class Writable(Protocol):
    """Protocol for the parts of a Tokenizer that a file holds."""

    prefix: tuple[int, ...]
    suffix: tuple[int, ...]

    @property
    def vocabulary(self) -> Vocabulary: ...  # noqa: D102
    @property
    def specification(self) -> Specification | None: ...  # noqa: D102
    def split(self, text: str, /) -> list[str]: ...  # noqa: D102
    def decode(self, tokens: Sequence[int], /) -> str: ...  # noqa: D102
    def decode_single_token_bytes(self, token: int, /) -> bytes: ...  # noqa: D102
    def is_special_token(self, token: int, /) -> bool: ...  # noqa: D102


_BY_SUFFIX: dict[str, FileFormat] = {".json": "tokenizer_json", ".tiktoken": "tiktoken", ".model": "minbpe"}


def save(tokenizer: Writable, path: str | PathLike[str], file_format: FileFormat | None = None) -> None:
    """Write the file of a tokenizer. An existing file is replaced only after the new one is complete.

    Without `file_format`, the suffix of `path` selects the format: `.json`, `.tiktoken` or `.model`. Raises
    VocabularyError for a feature that the format cannot express, and OSError.
    """
    target = Path(path)
    data = contents(tokenizer, file_format or format_of(target))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as error:  # which names the temporary file
        raise OSError(error.errno, error.strerror, str(target)) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def format_of(path: Path) -> FileFormat:
    """Return the format for the suffix of a path. Raises VocabularyError if no format has this suffix."""
    found = _BY_SUFFIX.get(path.suffix.lower())
    if found is None:
        raise VocabularyError(f"{path}: unknown file extension; the formats are {', '.join(_BY_SUFFIX)}")
    return found


def contents(tokenizer: Writable, file_format: FileFormat) -> bytes:
    """Return the bytes of the file that `save` writes.

    >>> from bpe_engine import train
    >>> contents(train(["abab"], 257, pattern=None, layout="minbpe"), "minbpe")
    b'minbpe v1\\n\\n0\\n97 98\\n'
    """
    _check_plain(tokenizer, file_format)
    if file_format == "tiktoken":
        return dump_tiktoken(tokenizer.vocabulary.ranks)
    if file_format == "minbpe":
        return _minbpe(tokenizer)
    if file_format == "tokenizer_json":
        return _tokenizer_json(tokenizer)
    raise ValueError(f"file_format must be one of {', '.join(_BY_SUFFIX.values())}, not {file_format!r}")


def _check_plain(tokenizer: Writable, file_format: str) -> None:
    if tokenizer.specification is not None:
        raise VocabularyError(
            f"{tokenizer!r} has pipeline stages, which cannot be written: copy {tokenizer.specification.source}"
        )
    if tokenizer.vocabulary.merge_ranks is not None:
        raise VocabularyError(f"{tokenizer!r} has merge ranks that differ from its ids, which no format can store")
    if file_format == "minbpe" and tokenizer.vocabulary.empty_token is not None:
        raise VocabularyError("the format of minbpe cannot store an empty token")
    if file_format == "minbpe" and (tokenizer.prefix or tokenizer.suffix):
        raise VocabularyError("the format of minbpe cannot store what a model gets around each text")


def _halves(tokenizer: Writable) -> dict[int, tuple[int, int] | None]:
    """Return id -> the two ids that a token is merged from, in the order of ids; its own id twice if it is one byte; None if no merge makes it."""
    vocabulary = tokenizer.vocabulary
    tokens = sorted(filter(None, vocabulary.ranks), key=vocabulary.ranks.__getitem__)
    ids = [vocabulary.ranks[token] for token in tokens]
    merge_ranks = vocabulary.merge_ranks or {}
    halves_of = core().halves_of if implementation() == "cpp" else find_halves
    halves = halves_of(tokens, [merge_ranks.get(token_id, token_id) for token_id in ids])
    return {
        token_id: None if pair is None else (ids[pair[0]], ids[pair[1]])
        for token_id, pair in zip(ids, halves, strict=True)
    }


def _check_bytes(ranks: dict[bytes, int], file_format: str) -> None:
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise VocabularyError(f"{file_format} needs a token for each byte, but 0x{missing:02x} has none")


# --- minbpe


def _minbpe(tokenizer: Writable) -> bytes:
    vocabulary = tokenizer.vocabulary
    _check_bytes(vocabulary.ranks, "the format of minbpe")
    if any(vocabulary.ranks[bytes([byte])] != byte for byte in range(256)):
        raise VocabularyError(
            'the format of minbpe has the bytes as ids 0 to 255 in their order: train with layout="minbpe"'
        )
    merges: dict[tuple[int, int], int] = {}
    for token_id, halves in _halves(tokenizer).items():
        if halves is None:
            token = tokenizer.decode_single_token_bytes(token_id)
            raise VocabularyError(f"the format of minbpe cannot store {token!r:.80}, which no merge makes")
        if max(halves) > token_id:
            token = tokenizer.decode_single_token_bytes(token_id)
            raise VocabularyError(f"the format of minbpe cannot store {token!r:.80}, whose id is below that of a half")
        if token_id >= 256:
            merges[halves] = token_id
    pattern = vocabulary.pattern
    if pattern is not None and pattern.behaviour == "split":
        raise VocabularyError(
            'the format of minbpe cannot store behaviour="split": minbpe leaves out what does not match'
        )
    if pattern is not None and _has_groups(pattern):
        raise VocabularyError(
            "minbpe splits by findall, which gives the groups of a pattern in place of its matches: use (?:...)"
        )
    for special in vocabulary.special_tokens:
        if len(special.split()) != 1 or special != special.strip():
            raise VocabularyError(f"the format of minbpe cannot store white space in a special token: {special!r:.80}")
    source = "" if pattern is None else pattern.source
    return dump_minbpe(MinbpeModel(source, merges, dict(vocabulary.special_tokens)))


def _has_groups(pattern: Pattern) -> bool:
    from bpe_engine.fallback.pretokenizer import compiled  # noqa: PLC0415 - brings the `regex` package

    return compiled(pattern.source).groups > 0


# --- tokenizer.json


def _tokenizer_json(tokenizer: Writable) -> bytes:
    vocabulary = tokenizer.vocabulary
    _check_bytes(vocabulary.ranks, "a tokenizer.json")
    text_of = {token_id: characters_of(token) for token, token_id in vocabulary.ranks.items()}
    ids = {text: token_id for token_id, text in text_of.items()}
    taken: dict[int, str] = {}
    for special, token_id in vocabulary.special_tokens.items():
        if _bytes_of(special) not in (None, special.encode("utf-8", "surrogatepass")):
            raise VocabularyError(
                f"the special token {special!r:.80} has letters that a tokenizer.json takes for bytes: it would be decoded otherwise"
            )
        if ids.setdefault(special, token_id) != token_id:
            raise VocabularyError(
                f"the special token {special!r:.80} is spelled like the token with the id {ids[special]} in a tokenizer.json"
            )
        if taken.setdefault(token_id, special) != special:
            raise VocabularyError(
                f"the special tokens {taken[token_id]!r:.80} and {special!r:.80} have the same id {token_id}"
            )
    halves = _halves(tokenizer)
    # tiktoken encodes a pre-token that is a token as that token, even if no merge makes it.
    ignore_merges = None in halves.values()
    if ignore_merges:
        ids = _without_whole(taken, ids, tokenizer)
    merges = [
        [text_of[pair[0]], text_of[pair[1]]]
        for token_id, pair in halves.items()
        if pair is not None and pair != (token_id, token_id)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(special, token_id) for token_id, special in sorted(taken.items())],
        "normalizer": None,
        "pre_tokenizer": _pre_tokenizer(vocabulary.pattern, byte_level),
        "post_processor": _post_processor(tokenizer),
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": ignore_merges,
            "vocab": dict(sorted(ids.items(), key=lambda item: item[1])),
            "merges": merges,
        },
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _bytes_of(special: str) -> bytes | None:
    """Return the bytes that a decoder takes a text for; None if some character stands for none."""
    try:
        return bytes_of(special)
    except KeyError:
        return None


def _without_whole(special: dict[int, str], ids: dict[str, int], tokenizer: Writable) -> dict[str, int]:
    """Return the ids without those of special tokens that are a pre-token: with `ignore_merges` any text that is such a
    token would be one. `tokenizers` numbers tokens that are in no vocabulary itself, after all others.
    """
    whole = [one for one, text in special.items() if _bytes_of(text) is not None and tokenizer.split(text) == [text]]
    if not whole:
        return ids
    rest = {text: token_id for text, token_id in ids.items() if token_id not in special}
    if sorted(special) != list(range(len(rest), len(ids))) or max(rest.values()) != len(rest) - 1:
        raise VocabularyError(
            f"a tokenizer.json cannot store the special token {special[whole[0]]!r:.80}, which is a pre-token, beside tokens that no merge makes, "
            "unless the ids of all special tokens follow those of all others"
        )
    return rest


def _added_token(text: str, token_id: int) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": token_id, "content": text, **flags}


def _post_processor(tokenizer: Writable) -> dict[str, Any] | None:
    """Return the post-processor that puts the prefix and the suffix of a tokenizer around each text; None if both are empty."""
    if not tokenizer.prefix and not tokenizer.suffix:
        return None
    text_of: dict[int, str] = {}
    for token_id in (*tokenizer.prefix, *tokenizer.suffix):
        if not tokenizer.is_special_token(token_id):
            raise VocabularyError(f"a tokenizer.json puts only special tokens around a text, and {token_id} is not one")
        text_of[token_id] = tokenizer.decode([token_id])

    def around(sequence: str, type_id: int) -> list[dict[str, Any]]:
        before, after = (
            [{"SpecialToken": {"id": text_of[token_id], "type_id": type_id}} for token_id in ids]
            for ids in (tokenizer.prefix, tokenizer.suffix)
        )
        return [*before, {"Sequence": {"id": sequence, "type_id": type_id}}, *after]

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": around("A", 0) + around("B", 1),
        "special_tokens": {
            text: {"id": text, "ids": [token_id], "tokens": [text]} for token_id, text in text_of.items()
        },
    }


def _pre_tokenizer(pattern: Pattern | None, byte_level: dict[str, Any]) -> dict[str, Any]:
    stages: Sequence[str] = () if pattern is None else oniguruma_stages(pattern)
    if stages == (GPT2.source,):
        return {**byte_level, "use_regex": True}
    # The named grammars leave nothing out, whatever the name of a pattern.
    dropping = pattern is not None and pattern.name is None and pattern.behaviour == "match" and not is_grammar(pattern)
    # Removes the text between matches; the matches are kept.
    how = {"behavior": "Removed", "invert": True} if dropping else {"behavior": "Isolated", "invert": False}
    splits = [{"type": "Split", "pattern": {"Regex": stage}, **how} for stage in stages]
    return {"type": "Sequence", "pretokenizers": [*splits, byte_level]} if splits else byte_level
