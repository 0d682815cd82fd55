"""What `make demo` shows, on this repository: chunk it, index it, ask it, and write a page to look at. Writes into the folder that it is given alone.

python scripts/demo.py .venv/demo
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpe_engine
from chunker import Problem, chunk_files, chunker_for
from chunker.index import Filter, Index
from chunker.prompt import Item, Section, assemble
from chunker.view import PageSettings, page, see

REPOSITORY = Path(__file__).resolve().parent.parent
BUDGET = 512
QUESTION = "how is the best boundary found when the budget is exceeded?"
# Not this script, which holds the question.
ASKED = ("bpe_engine/*", "chunker/*", "docs/*", "integrations/*")
PROMPT_BUDGET, FOR_THE_ANSWER = 2000, 500
# What the page shows; the whole repository would be a page of 15 MB.
SHOWN = ("chunker", "docs", "README.md")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints a headline, and how long it took."""
    print(f"\n{what}")
    begin = time.perf_counter()
    yield
    print(f"  {time.perf_counter() - begin:.1f} s")


def main(folder: str) -> None:
    """All four, each with its figures."""
    output = Path(folder)
    output.mkdir(parents=True, exist_ok=True)
    print(f"bpe-chunker, {bpe_engine.implementation()} engine, tokens of o200k_base")
    chunk()
    index = Index.open(output / "index", root=REPOSITORY)
    sync(index)
    ask(index)
    look(output / "demo.html")


def chunk() -> None:
    """Every text of the repository in chunks."""
    with timed(f"Chunks of at most {BUDGET} tokens:"):
        files = size = tokens = chunks = largest = passed = 0
        for result in chunk_files([str(REPOSITORY)], BUDGET):
            if isinstance(result, Problem):
                passed += 1
                if result.failed:
                    print(f"  {result}")
                continue
            counts = [chunk.token_count for chunk in result.chunks]
            files, size, chunks, tokens = files + 1, size + result.size, chunks + len(counts), tokens + sum(counts)
            largest = max(largest, *counts, 0)
        fill = tokens / max(chunks * BUDGET, 1)
        print(
            f"  {files} files, {size / 1e6:.1f} MB, {tokens:,} tokens in {chunks:,} chunks; {passed} files are no text"
        )
        print(f"  the largest has {largest}, the mean uses {fill:.0%} of the budget")


def sync(index: Index) -> None:
    """Twice: the second run finds nothing to do."""
    for run in ("The index, which embeds what is new:", "The index again:"):
        with timed(run):
            report = index.sync(REPOSITORY)
            print(f"  {report.computed:,} of {report.chunks:,} chunks embedded, in {report.files} files")
            for problem in report.problems:
                print(f"  {problem}")


def ask(index: Index) -> None:
    """A question, and a prompt of what is found."""
    with timed(f"Ask it: {QUESTION}"):
        hits = index.search(QUESTION, limit=12, filter=Filter(sources=ASKED))
        for hit in hits[:4]:
            print(f"  {hit.source}:{hit.span.start_line}-{hit.span.end_line}  {hit.context.strip() or hit.kind}")
        found = [Item(hit.text, id=f"{number} {hit.source}", priority=-number) for number, hit in enumerate(hits, 1)]
        prompt = assemble(
            [
                Item("Answer from the context, and name the file.", id="rules", required=True, stable=True),
                Section("context", found),
                Item(QUESTION, id="question", required=True),
            ],
            PROMPT_BUDGET,
            reserve=FOR_THE_ANSWER,
        )
        kept = sum(item.status == "kept" for item in prompt.report.items) - 2
        room = PROMPT_BUDGET - FOR_THE_ANSWER
        print(f"  a prompt of {prompt.token_count} tokens, at most {room}, with {kept} of these {len(hits)} chunks")


def look(path: Path) -> None:
    """A page of the package and its documentation."""
    with timed("A page that shows it:"):
        tops = [REPOSITORY / name for name in SHOWN]
        sources = [file for top in tops for file in ([top] if top.is_file() else sorted(top.rglob("*")))]
        texts = (
            see(chunker_for(file, BUDGET), file.read_text(encoding="utf-8"), file.relative_to(REPOSITORY).as_posix())
            for file in sources
            if file.suffix in {".py", ".md", ".js"}
        )
        plain = chunker_for("", BUDGET)
        settings = PageSettings("o200k_base", BUDGET, plain.min_tokens, plain.overlap, context=False)
        with path.open("wb") as written:
            written.writelines(page(texts, settings, "bpe-chunker"))
        print(f"  {path.stat().st_size / 1e6:.1f} MB, for any browser: {path.resolve()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
