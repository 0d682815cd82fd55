"""Index a folder and ask it: what is new is embedded, and nothing else.

The embedder is the one that needs nothing to be installed: it finds shared spelling, not shared meaning. Without
`embedder="hashing"` it would be "static" where that extra is installed. "minilm", "openai:...",
"sentence-transformers:..." or "model2vec:..." search by meaning.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from chunker.index import Index

FILES = {
    "parser.py": 'def parse_headers(stream):\n    """Read the headers of a request."""\n    return dict(stream)\n',
    "soup.md": "# Soup\n\nCut the onions, add carrots and let the soup simmer for an hour.\n",
    "stars.txt": "The telescope showed a distant galaxy and its slowly turning arms.\n",
}


def main() -> None:
    """Index, ask, rename, and index again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        index = Index.open(folder / ".chunker", embedder="hashing")
        report = index.sync(folder)
        print(f"{report.computed} chunks of {report.tokens_computed} tokens embedded")
        for question in ("where are request headers read?", "how long must onions cook?"):
            best = index.search(question, limit=1)[0]
            print(f"{question} {best.source}, line {best.span.start_line}")
        (folder / "stars.txt").rename(folder / "galaxies.txt")
        report = index.sync(folder)
        print(f"after a rename: {report.computed} embedded, {report.moved} moved")


if __name__ == "__main__":
    main()
