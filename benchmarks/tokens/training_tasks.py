"""One training in its own process: `python training_tasks.py train ARGUMENTS`. Arguments and results are JSON.

Seconds are of the clock, for training alone: packages are imported and texts are in memory before. Memory is what the
process has at its peak above what it had then.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

# GPT-4's, as Hugging Face files spell it; every engine for expressions here reads it.
PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# Stands between two texts where a peer takes them as one: no text holds it.
SEPARATOR = "\n\0\n"

_STATUS = Path("/proc/self/status")

Training = Callable[[], int]
"""Trains, and returns the number of tokens."""


def ours(texts: list[str], vocab_size: int, threads: int, _: Path) -> Training:
    """bpe_engine, texts in memory."""
    from bpe_engine import train  # noqa: PLC0415 - only what is measured is imported

    return lambda: train(texts, vocab_size, pattern="llama3", num_threads=threads).n_vocab


def ours_from_a_file(texts: list[str], vocab_size: int, threads: int, folder: Path) -> Training:
    """bpe_engine, one file that is read in blocks."""
    from bpe_engine import train  # noqa: PLC0415 - as above

    path = folder / "texts"
    path.write_bytes("".join(texts).encode())
    texts.clear()
    return lambda: train([path], vocab_size, pattern="llama3", num_threads=threads).n_vocab


def tokenizers(texts: list[str], vocab_size: int, _: int, __: Path) -> Training:
    """Hugging Face tokenizers, BpeTrainer."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers  # noqa: PLC0415 - as above

    tokenizer = Tokenizer(models.BPE())
    splits = [
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, initial_alphabet=alphabet)

    def run() -> int:
        tokenizer.train_from_iterator(texts, trainer)
        return tokenizer.get_vocab_size()

    return run


def gigatoken(texts: list[str], vocab_size: int, _: int, __: Path) -> Training:
    """gigatoken.train_bpe, which has a pattern of its own."""
    import gigatoken as peer  # noqa: PLC0415 - as above

    source = SEPARATOR.join(texts).encode()
    texts.clear()

    def run() -> int:
        peer.train_bpe(source, vocab_size, [], separator=SEPARATOR.encode())
        return vocab_size

    return run


def rustbpe(texts: list[str], vocab_size: int, _: int, __: Path) -> Training:
    """The package rustbpe."""
    import rustbpe as peer  # noqa: PLC0415 - as above

    tokenizer = peer.Tokenizer()

    def run() -> int:
        tokenizer.train_from_iterator(iter(texts), vocab_size, pattern=PATTERN)
        return int(tokenizer.vocab_size)

    return run


def bpeasy(texts: list[str], vocab_size: int, _: int, __: Path) -> Training:
    """The package bpeasy."""
    import bpeasy as peer  # noqa: PLC0415 - as above

    return lambda: len(peer.train_bpe(iter(texts), PATTERN, 1024, vocab_size))


def sentencepiece(texts: list[str], vocab_size: int, threads: int, folder: Path) -> Training:
    """SentencePiece, type BPE, which takes lines and cuts at spaces."""
    import sentencepiece as peer  # noqa: PLC0415 - as above

    path = folder / "texts"
    path.write_text("\n".join(texts), "utf-8")
    texts.clear()
    model = folder / "model"

    def run() -> int:
        peer.SentencePieceTrainer.train(
            input=str(path),
            model_prefix=str(model),
            model_type="bpe",
            vocab_size=vocab_size,
            num_threads=threads,
            byte_fallback=True,
            character_coverage=0.9995,
            max_sentence_length=1 << 20,
            minloglevel=2,
        )
        return int(peer.SentencePieceProcessor(model_file=f"{model}.model").vocab_size())

    return run


PEERS = {
    "bpe_engine": ours,
    "bpe_engine, from a file": ours_from_a_file,
    "gigatoken": gigatoken,
    "rustbpe": rustbpe,
    "bpeasy": bpeasy,
    "tokenizers": tokenizers,
    "sentencepiece": sentencepiece,
}


def train(peer: str, corpus: str, vocab_size: int, threads: int) -> dict[str, float]:
    """Seconds, megabytes and tokens. `corpus` is a file of texts with `SEPARATOR` between them."""
    texts = Path(corpus).read_bytes().decode().split(SEPARATOR)
    with tempfile.TemporaryDirectory() as folder:
        run = PEERS[peer](texts, vocab_size, threads, Path(folder))
        before = _start_anew()
        start = time.perf_counter()
        tokens = run()
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "megabytes": _status("VmHWM") - before, "tokens": tokens}


def _start_anew() -> float:
    """Megabytes that the process has now; its peak is counted from here on. Linux only; elsewhere not a number."""
    if not _STATUS.exists():
        return float("nan")
    gc.collect()
    # What was freed goes back to the system, or it would hide what is taken from now on.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> float:
    if not _STATUS.exists():
        return float("nan")
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    arguments = json.loads(sys.argv[2])
    os.environ["RAYON_NUM_THREADS"] = str(arguments["threads"])
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    print(json.dumps({"train": train}[sys.argv[1]](**arguments)))
