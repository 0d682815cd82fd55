"""Compare our reading of GGUF files with llama.cpp itself: ids, with and without special tokens, and decoded text, on random texts.

    pip install xllamacpp gguf tokenizers hypothesis
    PYTHONPATH=.:tests/support python scripts/check_llama_cpp.py [SEED]

No test of the suite: the wheel of xllamacpp is 34 MB, and its Python interface has no tokenizer, so that the C
functions in it are called, whose structures change between releases. Seen to run with xllamacpp 2026.10: equal for all
pre-tokenizers and for merging by scores, but for characters of Unicode 16.
"""

from __future__ import annotations

import ctypes
import importlib
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from bpe_engine import Tokenizer
from bpe_engine.formats.gguf_patterns import PRE_TOKENIZATIONS

# Where `vocab_only` stands in llama_model_params, which is handed over by value; the size is more than it has.
_VOCAB_ONLY = 72
_PARAMETERS = ctypes.c_ubyte * 256
_MODEL = {
    "llama.context_length": 8,
    "llama.embedding_length": 8,
    "llama.feed_forward_length": 8,
    "llama.attention.head_count": 1,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
}
# Characters that are new in Unicode 16 or later.
_LEFT_OUT = frozenset("\U000323b0\ua7ce\U00010d4a\u1c89")
# What some pre-tokenizers split in ways of their own, and special tokens that overlap.
_SPLITS = ("\u2003", "\u3000", "。", "～", "€", "µ", "ƻ", "\t", "    ", "１", "<sentinel:12>", "IMGIMG", "ABCD", "Z")
_OVERLAPPING = {">>TITLE<<": 3, "<|endoftext|>": 3, "TITLE": 4, "<|": 4, "<<|endo": 3}
# What equals the letters of contractions, or nearly, where case is ignored.
_OTHER_CASES = ("'ſ", "'ſs", "'Lſ", "'\u212a", "'İ", "'ı", "'ẞ", "'ﬆ", "aſ'ſ", "A'Re", "a'VE", "'lL")


_SILENT = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)


class _Parameters(ctypes.Structure):
    _fields_ = [("content", _PARAMETERS)]


class LlamaCpp:
    """The tokenizer of llama.cpp in a GGUF file. Raises ValueError where llama.cpp does not load it."""

    def __init__(self, path: Path) -> None:
        self._library = library = ctypes.CDLL(importlib.import_module("xllamacpp.xllamacpp").__file__ or "")
        library.llama_model_default_params.restype = _Parameters
        library.llama_model_load_from_file.restype = ctypes.c_void_p
        library.llama_model_load_from_file.argtypes = [ctypes.c_char_p, _Parameters]
        library.llama_model_get_vocab.restype = ctypes.c_void_p
        library.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
        library.llama_log_set(_SILENT, None)
        parameters = library.llama_model_default_params()
        parameters.content[_VOCAB_ONLY] = 1
        model = library.llama_model_load_from_file(str(path).encode(), parameters)
        if not model:
            raise ValueError(f"{path}: llama.cpp does not load it")
        self._vocab = ctypes.c_void_p(library.llama_model_get_vocab(model))

    def encode(self, text: str, *, special: bool) -> list[int]:
        """The ids; with `special` what goes around a text, and special tokens in it."""
        data = text.encode()
        ids = (ctypes.c_int32 * (len(data) + 16))()
        count = self._library.llama_tokenize(
            self._vocab, data, len(data), ids, len(ids), ctypes.c_bool(special), ctypes.c_bool(special)
        )
        return list(ids[:count])

    def decode(self, ids: list[int]) -> str:
        """The text of the ids, special tokens written out."""
        written = ctypes.create_string_buffer(64 * len(ids) + 256)
        given = (ctypes.c_int32 * len(ids))(*ids)
        count = self._library.llama_detokenize(
            self._vocab,
            given,
            len(ids),
            written,
            len(written),
            ctypes.c_bool(),
            ctypes.c_bool(1),
        )
        return written.raw[:count].decode("utf-8", "replace")


def main() -> None:
    """Compare, and print how many texts differ for each file."""
    from gguf_files import SPECIALS, byte_level, byte_level_entries, write
    from small_tokenizers import corpus
    from strategies import FRAGMENTS

    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)  # noqa: S311 - texts, not secrets
    fragments = [
        fragment
        for fragment in (
            *FRAGMENTS,
            *_OTHER_CASES,
            *_SPLITS,
            *_OVERLAPPING,
            ">>TITLE<",
            *SPECIALS,
            "▁",
            "▁▁",
            "</s>",
            "<0x0A>",
        )
        if _LEFT_OUT.isdisjoint(fragment)
    ]
    texts = [
        "".join(chance.choice(fragments) * chance.choice((1, 1, 2, 5)) for _ in range(chance.randrange(1, 25)))
        for _ in range(1000)
    ]
    lines = "".join(corpus())
    texts += [lines[start : start + 60] for start in range(0, len(lines), 997)]
    folder = Path(tempfile.mkdtemp())
    files: dict[str, dict[str, Any]] = {pre: byte_level_entries(pre) for pre in PRE_TOKENIZATIONS}
    tokens = byte_level()[0]
    files["overlapping"] = byte_level_entries(
        "falcon",
        tokens=[*tokens, *_OVERLAPPING],
        token_type=[1] * len(tokens) + list(_OVERLAPPING.values()),
        bos_token_id=0,
        eos_token_id=0,
    )
    files |= {"by scores": _by_scores(lines, tied=False), "by tied scores": _by_scores(lines, tied=True)}
    for name, entries in files.items():
        path = write(folder / "one.gguf", entries | _MODEL)
        theirs, ours = LlamaCpp(path), Tokenizer.from_file(path)
        different = [
            text
            for text in texts
            if ours.encode(text) != theirs.encode(text, special=False)
            or ours.encode(text, allowed_special="all", add_special_tokens=True) != theirs.encode(text, special=True)
            # Of byte-level tokens llama.cpp writes " !" as "!", for some names.
            or (name.startswith("by ") and ours.decode(ours.encode(text)) != theirs.decode(ours.encode(text)))
        ]
        print(f"{name:<24} {len(different)} of {len(texts)} differ", *(ascii(text[:60]) for text in different[:1]))


def _by_scores(text: str, *, tied: bool) -> dict[str, Any]:
    """A vocabulary of substrings, whose scores have ties or none; merging finds its way through whatever it is given."""
    chance = random.Random(5)  # noqa: S311 - as above
    pieces = [
        text[start : start + size].replace(" ", "▁")
        for start, size in ((chance.randrange(len(text)), chance.choice((2, 2, 3, 4))) for _ in range(3000))
    ]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "<custom>"]
    types = [2, 3, 3, *([6] * 256), 4]
    found = list(dict.fromkeys([*sorted(set(text.replace(" ", "▁"))), *pieces]))
    scores = [float(-(number // 40 if tied else number)) for number in range(len(found))]
    return {
        "model": "llama",
        "tokens": [*tokens, *found],
        "token_type": [*types, *([1] * len(found))],
        "scores": [*([0.0] * len(tokens)), *scores],
    }


if __name__ == "__main__":
    main()
