"""Train a tokenizer: learn one from the files of a project, compare it with a published one, save it for others.

Without arguments it learns from the Python standard library: `python train_a_tokenizer.py [FOLDER]`.
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path

from bpe_engine import Tokenizer, train

SIZE = 4000


def main() -> None:
    """Print how many tokens the same text has by either tokenizer, and what was written."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("stdlib"))
    files = sorted(folder.glob("*.py"))
    held_out, learned_from = files[::10], [path for number, path in enumerate(files) if number % 10]
    tokenizer = train(learned_from, SIZE, pattern="cl100k", special_tokens=["<|endoftext|>"])
    print(f"{len(learned_from)} files read, {tokenizer.n_vocab} tokens learned")

    published = Tokenizer.load("cl100k_base")
    text = "".join(path.read_text("utf-8") for path in held_out)
    for name, one in (("ours", tokenizer), ("cl100k_base", published)):
        count = one.count(text)
        print(
            f"{name:>12}: {one.n_vocab:>6} ids, {len(text.encode()) / count:.2f} bytes a token on files it has not seen"
        )

    with tempfile.TemporaryDirectory() as place:
        for name in ("tokenizer.json", "project.tiktoken"):
            tokenizer.save(Path(place) / name)
            print(f"{name}: {(Path(place) / name).stat().st_size // 1024} KiB")
        again = Tokenizer.from_file(Path(place) / "project.tiktoken", pattern=tokenizer.vocabulary.pattern)
        print(f"read again: {again.encode(text) == tokenizer.encode(text)}")


if __name__ == "__main__":
    main()
