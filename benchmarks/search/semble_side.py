"""Semble's search for questions about some repositories: run by search.py, with the Python of an environment that has semble.

    python semble_side.py REQUEST     REQUEST: a file of JSON, {name: {"folder": ..., "questions": [...]}}; prints one line of JSON a repository

Its embedding model is not to be had without a network: a stand-in of one number takes its place, and the weight of
vectors is 0. What is left is its BM25 with all of its rules for code.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from model2vec import StaticModel  # type: ignore[import-not-found, unused-ignore]  # of the other environment
from semble import SembleIndex  # type: ignore[import-not-found, unused-ignore]  # likewise
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

_HITS = 40


def main() -> None:
    """Answer the questions."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "[PAD]": 1}, unk_token="[UNK]"))  # noqa: S106 - no password
        tokenizer.pre_tokenizer = Whitespace()
        StaticModel(np.ones((2, 4), dtype=np.float32), tokenizer).save_pretrained(folder)
        for name, asked in json.loads(Path(sys.argv[1]).read_text("utf-8")).items():
            index = SembleIndex.from_path(asked["folder"], model_path=folder)
            found = [
                list(dict.fromkeys(hit.chunk.file_path for hit in index.search(question, _HITS, alpha=0.0)))
                for question in asked["questions"]
            ]
            print(json.dumps({"name": name, "found": found}), flush=True)


if __name__ == "__main__":
    main()
