"""Families without a published file, with vocabularies of the size that models have.

They have the pipelines that the tests write, and models trained on texts of several languages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from huggingface_files import BYTES, FALLBACK, family
from tokenizers import AddedToken, Tokenizer, trainers

TEXT = 2_000_000  # bytes of each language; those at the start of a text are measured with, not trained on
FIRST = 1_000_000
TEXT_OF_UNIGRAM = 200_000  # its training takes ten minutes with as much as the others
# Characters, the most frequent ones; the others are bytes or unknown.
ALPHABET = 6_000
# Pipelines that do not cut at spaces are trained on words, as SentencePiece does: with the space before them, unless
# the normalizer writes it.
WORDS = {"gemma": r" ?\S+|\n+| +", "scripts, in bytes": r" ?\S+|\s+", "llama2": r"\S+"}


def trained_file(name: str, size: int, texts: dict[str, Path], folder: Path) -> Path:
    """Return the file of a family of `huggingface_files` with a vocabulary of some `size` tokens, trained where it is not in `folder` yet.

    Args:
        name: The family.
        size: The number of tokens.
        texts: A file of text for each language.
        folder: Where the file is kept.
    """
    path = folder / f"{re.sub('[^a-z0-9]+', '-', name)}-{size}.json"
    if not path.exists():
        print(f"training {name} with {size:,} tokens ...", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        file = family(name)
        most = TEXT_OF_UNIGRAM if json.loads(file)["model"]["type"] == "Unigram" else TEXT
        made = _retrained(file, size, _lines(texts, WORDS.get(name), most))
        partial = path.with_suffix(".partial")
        partial.write_text(made, encoding="utf-8")
        partial.rename(path)
    return path


def _lines(texts: dict[str, Path], words: str | None, most: int) -> Iterator[str]:
    for path in texts.values():
        data = path.read_bytes()
        first = min(FIRST, len(data) // 3)
        for line in data[first : first + most].decode("utf-8", "ignore").splitlines(keepends=True):
            yield from [line] if words is None else re.findall(words, line)


def _retrained(file: str, size: int, lines: Iterator[str]) -> str:
    """Return the file with its model trained anew on `lines`, to `size` tokens; the pipeline and the special tokens stay."""
    data = json.loads(file)
    model, added = data["model"], data["added_tokens"]
    # Those get new ids after the trained ones, or those of the vocabulary.
    tokenizer = Tokenizer.from_str(json.dumps({**data, "added_tokens": []}))
    options: dict[str, Any] = {"vocab_size": size, "show_progress": False}
    if model["type"] == "BPE":
        in_bytes = set(BYTES) <= set(model["vocab"])
        trainer: Any = trainers.BpeTrainer(
            special_tokens=["<unk>", "<s>", *(FALLBACK if model["byte_fallback"] else [])],
            initial_alphabet=BYTES if in_bytes else [],
            limit_alphabet=ALPHABET,
            **{key: model[key] for key in ("continuing_subword_prefix", "end_of_word_suffix") if model.get(key)},
            **options,
        )
    elif model["type"] == "WordPiece":
        trainer = trainers.WordPieceTrainer(
            special_tokens=["[UNK]", "[CLS]", "[SEP]", "[MASK]"], limit_alphabet=ALPHABET, **options
        )
    elif model["type"] == "Unigram":
        trainer = trainers.UnigramTrainer(special_tokens=["<unk>", "</s>"], unk_token="<unk>", **options)  # noqa: S106 - no password
    else:
        trainer = trainers.WordLevelTrainer(special_tokens=[model["unk_token"]], **options)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_tokens([AddedToken(**{key: one[key] for key in one if key != "id"}) for one in added])
    return _with_bytes_at_the_end_of_words(tokenizer.to_str(), model)


def _with_bytes_at_the_end_of_words(file: str, before: dict[str, Any]) -> str:
    """CLIP's vocabulary has each byte a second time, with its suffix."""
    suffix = before.get("end_of_word_suffix")
    if not suffix or f"{BYTES[0]}{suffix}" not in before["vocab"]:
        return file
    data = json.loads(file)
    for byte in BYTES:
        data["model"]["vocab"].setdefault(f"{byte}{suffix}", len(data["model"]["vocab"]))
    return json.dumps(data)
