"""Index a repository and ask it: python examples/ask_a_repository.py [FOLDER [QUESTION]...]

What .gitignore names, hidden files and what holds secrets stay out. The index is made in a folder that goes at the end;
in a project it stays in `.chunker`, and a later run embeds what has changed and nothing else. Without extras the
embedder needs no model, and finds shared spelling, not shared meaning.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from chunker.index import Index

REPOSITORY = Path(__file__).resolve().parent.parent
QUESTIONS = [
    "where are cross-site requests refused?",
    "which files hold secrets?",
    "how is the best boundary found when the budget is exceeded?",
]


def main(folder: str = str(REPOSITORY), *questions: str) -> None:
    """Index the folder, ask, and index again."""
    with tempfile.TemporaryDirectory() as name:
        index = Index.open(Path(name) / "index", root=folder)
        begin = time.perf_counter()
        report = index.sync(folder)
        seconds = time.perf_counter() - begin
        print(f"{report.files} files, {report.chunks} chunks, {report.tokens} tokens, in {seconds:.1f} s")
        for problem in report.problems:
            print(f"not indexed: {problem}")
        for question in questions or QUESTIONS:
            print(f"\n{question}")
            for hit in index.search(question, limit=3):
                where = f"{hit.source}:{hit.span.start_line}-{hit.span.end_line}"
                print(f"  {where}  {hit.context.strip() or hit.kind}")
        again = index.sync(folder)
        print(f"\na second run: {again.computed} embedded, {again.unchanged} files unchanged")


if __name__ == "__main__":
    main(*sys.argv[1:])
