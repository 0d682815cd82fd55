"""GGUF files for tests: small tokenizers that the tests train, written by the package `gguf`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import tokenizers
from small_tokenizers import corpus
from tokenizers import models, pre_tokenizers, trainers

SPECIALS = {"<|im_start|>": 3, "<|im_end|>": 1, "<custom>": 4, "  \n": 4, "<|start|>": 3}
"""Special tokens and the types that the files give them."""


@cache
def byte_level() -> tuple[list[str], list[str]]:
    """Tokens and merges, in the alphabet of bytes. Pieces of a few characters were trained on, so tokens go across words, spaces and lines."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    text = "".join(corpus())
    trainer = trainers.BpeTrainer(
        vocab_size=1200, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([text[start : start + 8] for start in range(0, len(text), 5)], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    return tokens, [" ".join(pair) for pair in model["merges"]]


def write(path: Path, entries: dict[str, Any], *, endianess: Any = None) -> Path:
    """A file with these entries, named without `tokenizer.ggml.` unless they have a dot; and some of other kinds before and after them."""
    writer = gguf.GGUFWriter(path, "llama", endianess=endianess or gguf.GGUFEndian.LITTLE)
    writer.add_uint32("llama.block_count", 2)
    for name, value in entries.items():
        key = name if "." in name else f"tokenizer.ggml.{name}"
        if isinstance(value, list | tuple):
            writer.add_array(key, list(value))
        elif isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        else:
            writer.add_string(key, value)
    writer.add_string("tokenizer.chat_template", "{{ messages }}")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def byte_level_entries(pre: str | None = "gpt-2", **changes: Any) -> dict[str, Any]:
    """The entries of a file of the model gpt2."""
    tokens, merges = byte_level()
    entries = {
        "model": "gpt2",
        "tokens": [*tokens, *SPECIALS],
        "token_type": [1] * len(tokens) + list(SPECIALS.values()),
        "merges": merges,
        "bos_token_id": len(tokens),
        "eos_token_id": len(tokens) + 1,
    }
    return entries | ({"pre": pre} if pre is not None else {}) | changes
