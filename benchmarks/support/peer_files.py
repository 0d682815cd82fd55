"""The embedded vocabularies in the formats that the peers load: `.tiktoken`, tiktoken's cache, and tokenizer.json."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from bpe_engine import Vocabulary
from bpe_engine.formats.byte_alphabet import characters_of
from bpe_engine.published.registry import load_vocabulary
from bpe_engine.reference.dictionary import TokenDictionary

ENCODINGS = ("o200k_base", "cl100k_base")

# The patterns as models publish them in tokenizer.json: without possessive quantifiers, which Oniguruma reads
# differently.
_PATTERNS = {
    "cl100k_base": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def prepare_files(folder: Path) -> None:
    """Write what is missing. The files of tiktoken's cache are named as tiktoken names its downloads."""
    folder.mkdir(parents=True, exist_ok=True)
    for encoding in ENCODINGS:
        tiktoken, cached, hugging_face = (make(folder, encoding) for make in (tiktoken_file, _cached_file, json_file))
        if not (tiktoken.exists() and cached.exists() and hugging_face.exists()):
            print(f"writing {encoding} in the formats of the peers ...", flush=True)
            vocabulary = load_vocabulary(encoding)
            lines = b"".join(
                base64.b64encode(token) + b" %d\n" % rank
                for token, rank in sorted(vocabulary.ranks.items(), key=lambda item: item[1])
            )
            tiktoken.write_bytes(lines)
            cached.write_bytes(lines)
            hugging_face.write_text(json.dumps(_tokenizer_json(encoding, vocabulary)), "utf-8")


def tiktoken_file(folder: Path, encoding: str) -> Path:
    """The path of the `.tiktoken` file of an encoding."""
    return folder / f"{encoding}.tiktoken"


def json_file(folder: Path, encoding: str) -> Path:
    """The path of the tokenizer.json of an encoding."""
    return folder / f"{encoding}.json"


def _cached_file(folder: Path, encoding: str) -> Path:
    # tiktoken's choice of a hash, which protects nothing here.
    return folder / hashlib.sha1(_ADDRESS.format(encoding).encode()).hexdigest()  # noqa: S324


def _tokenizer_json(encoding: str, vocabulary: Vocabulary) -> dict[str, object]:
    """The tokenizer.json that Hugging Face's tokenizers reads: merges instead of ranks, and bytes written as printable characters."""
    dictionary = TokenDictionary(vocabulary.ranks)
    written = {token: characters_of(token) for token in vocabulary.ranks}
    merges = []
    for token, rank in sorted(vocabulary.ranks.items(), key=lambda item: item[1]):
        halves = dictionary.halves(rank)
        if len(token) > 1 and halves is not None:
            merges.append([written[dictionary.bytes_of[half]] for half in halves])
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": _PATTERNS[encoding]},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
            ],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {written[token]: rank for token, rank in vocabulary.ranks.items()},
            "merges": merges,
        },
    }
