"""The tokens that an index embeds again after an edit: an inserted line, a rename, another branch. Vectors do not matter here."""

from __future__ import annotations

import ast
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from debian_packages import PackageUnavailableError
from real_texts import standard_library
from retrieval_sets import faq, node

from chunker.index import HashingEmbedder, Index

LINES = 2000
PLACES = 100
_SMALL = 16
_INSERTED = {".py": "new_setting = 17  # as it was asked for\n"}
_TEXT = "A new line of text stands here.\n"
_MODULES = 3


@dataclass(frozen=True)
class Edits:
    """The share of tokens embedded again, one per edit; `broken`: those of edits that leave code that does not parse."""

    name: str
    lines: int
    chunks: int
    shares: list[float]
    broken: list[float]


def edits_of(texts: Path) -> list[Edits]:
    """Edit files of code, Markdown and plain text, and measure."""
    return [_edited(name, lines) for name, lines in _files(texts)]


def _files(texts: Path) -> Iterator[tuple[str, list[str]]]:
    modules = {name: text.splitlines(keepends=True) for name, text in standard_library().items()}
    long = [name for name, lines in modules.items() if len(lines) >= LINES]
    yield from ((name, modules[name]) for name in sorted(long, key=lambda name: len(modules[name]))[:_MODULES])
    try:
        documents = node(texts).documents
        longest = max(documents, key=lambda name: len(documents[name]))
        yield f"{longest}.md", _joined(documents, longest)
        questions = faq(texts).documents
        yield "faq.txt", _joined(questions, min(questions))
    except PackageUnavailableError as error:
        print(f"left out: {error}")


def _joined(documents: object, first: str) -> list[str]:
    """The lines of a document, and of others where it has too few."""
    assert isinstance(documents, dict)
    names = [first, *(name for name in sorted(documents) if name != first)]
    lines = [line for name in names for line in documents[name].splitlines(keepends=True)]
    assert len(lines) >= LINES
    return lines[:LINES]


def _edited(name: str, lines: list[str]) -> Edits:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        index = Index.open(Path(folder) / ".chunker", embedder=HashingEmbedder(_SMALL))
        _write(path, "".join(lines), 0)
        chunks = index.sync(folder).chunks
        shares: list[float] = []
        broken: list[float] = []
        for number in range(PLACES):
            place = number * len(lines) // PLACES
            indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())].strip("\n")
            text = "".join([*lines[:place], indent + _INSERTED.get(path.suffix, _TEXT), *lines[place:]])
            _write(path, text, 2 * number + 1)
            (shares if path.suffix != ".py" or _is_python(text) else broken).append(index.sync(folder).share_computed)
            index.prune()
            _write(path, "".join(lines), 2 * number + 2)
            index.sync(folder)
            index.prune()
        return Edits(name, len(lines), chunks, shares, broken)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def moves() -> Iterator[str]:
    """The tokens that a rename and a switch of branches embed, one line each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = standard_library(40)
        for file, text in sources.items():
            _write(folder / "lib" / file, text, 0)
        index = Index.open(folder / ".chunker", embedder=HashingEmbedder(_SMALL))
        first = index.sync(folder)
        (folder / "lib").rename(folder / "renamed")
        moved = index.sync(folder)
        yield (
            f"- A folder of {first.files} files with {first.tokens:,} tokens is renamed: {moved.computed} chunks embedded, "
            f"{moved.moved:,} moved, in {moved.seconds:.2f} s."
        )
        changed = dict(list(sources.items())[::4])
        for file, text in changed.items():
            _write(folder / "renamed" / file, text.replace("def ", "def new_", 3), 1)
        other = index.sync(folder)
        for file, text in changed.items():
            _write(folder / "renamed" / file, text, 2)
        back = index.sync(folder)
        yield (
            f"- A branch that changes {len(changed)} of them is checked out: {other.computed} chunks embedded "
            f"({100 * other.share_computed:.1f} % of the tokens). And back: {back.computed}."
        )


def _write(path: Path, text: str, age: int) -> None:
    """A file that was written long ago, so that its times tell whether it was changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_700_000_000 + age,) * 2)
