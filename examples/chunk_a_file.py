"""Chunk a file: this one, or the one that is named on the command line, into chunks of at most 120 tokens.

Run it with `python examples/chunk_a_file.py [PATH]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chunker import chunker_for


def main() -> None:
    """Chunk the file and print a row for each chunk."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    chunks = chunker_for(path, max_tokens=120, context=True).chunk(path.read_text(encoding="utf-8"), source=path.name)
    print(f"{path.name}: {len(chunks)} chunks, {sum(chunk.token_count for chunk in chunks)} tokens")
    for chunk in chunks:
        lines = f"{chunk.span.start_line}-{chunk.span.end_line}"
        print(f"lines {lines:<8} {chunk.token_count:>4} tokens  {chunk.kind:<10} {chunk.context.rstrip()}")


def nothing_but_a_second_function(values: list[int]) -> int:
    """Here so that the file has more than one definition: each is kept whole, and the context of a chunk says where it stands."""
    total = 0
    for value in values:
        total += value
    return total


if __name__ == "__main__":
    main()
