"""Real files: the standard library's sources, judged by `ast`, and this repository's own Markdown."""

from __future__ import annotations

import ast
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import pytest

from bpe_engine import Tokenizer
from chunker import Chunk, CodeChunker, MarkdownChunker, chunker_for

ROOT = Path(__file__).resolve().parents[2]
STANDARD_LIBRARY = Path(os.__file__).resolve().parent
TOKENIZER = Tokenizer.load("o200k_base")
LIMITS = (64, 256, 512, 2_000)

# Some of each kind: long classes, many small functions, decorators, nested functions, tables, long comments, generated
# code.
SOURCES = (
    *(
        "abc.py",
        "argparse.py",
        "ast.py",
        "bisect.py",
        "calendar.py",
        "collections/__init__.py",
        "contextlib.py",
        "dataclasses.py",
    ),
    *(
        "enum.py",
        "fractions.py",
        "functools.py",
        "html/entities.py",
        "http/cookies.py",
        "inspect.py",
        "json/decoder.py",
        "keyword.py",
    ),
    *(
        "logging/handlers.py",
        "multiprocessing/pool.py",
        "opcode.py",
        "pathlib.py",
        "random.py",
        "sre_parse.py",
        "statistics.py",
    ),
    *(
        "string.py",
        "token.py",
        "turtledemo/clock.py",
        "typing.py",
        "unittest/mock.py",
        "uuid.py",
        "xml/sax/handler.py",
        "zipfile.py",
    ),
)


@dataclass
class Tally:
    """What was seen of some files at one limit: how many there were of a thing, and which of them were broken."""

    functions: int = 0
    broken: list[str] = field(default_factory=list)
    decorators: int = 0
    detached_decorators: list[str] = field(default_factory=list)
    comments: int = 0
    detached_comments: list[str] = field(default_factory=list)
    chunks: int = 0
    undersized: list[str] = field(default_factory=list)

    def add(self, name: str, source: str, chunks: list[Chunk], max_tokens: int) -> None:
        self.add_undersized(name, chunks, max_tokens)
        cuts = [chunk.span.end for chunk in chunks[:-1]]

        def is_cut(start: int, end: int) -> bool:
            """Whether a chunk ends inside source[start:end], its ends apart."""
            index = bisect_left(cuts, start + 1)
            return index < len(cuts) and cuts[index] < end

        def fits(start: int, end: int, limit: float) -> bool:
            return TOKENIZER.count(source[start:end]) <= limit

        for definition in definitions(source):
            where = f"{name}:{definition.line}"
            if definition.is_function and fits(definition.decorated, definition.end, 0.8 * max_tokens):
                self.functions += 1
                if is_cut(definition.decorated, definition.end):
                    self.broken.append(where)
            if definition.decorated < definition.start and fits(definition.decorated, definition.end, max_tokens):
                self.decorators += 1
                if is_cut(definition.decorated, definition.start + 1):
                    self.detached_decorators.append(where)
            if definition.commented < definition.decorated and fits(definition.commented, definition.end, max_tokens):
                self.comments += 1
                if is_cut(definition.commented, definition.decorated + 1):
                    self.detached_comments.append(where)

    def add_undersized(self, name: str, chunks: list[Chunk], max_tokens: int) -> None:
        """A text that is itself less than a tenth of the budget cannot help it."""
        self.chunks += len(chunks)
        if len(chunks) > 1:
            self.undersized += [
                f"{name}:{chunk.span.start_line} {chunk.token_count}"
                for chunk in chunks
                if chunk.token_count * 10 < max_tokens
            ]


@dataclass
class Definition:
    """A function or class; offsets in characters: of its comments, its decorators, its first line, and after its last one."""

    commented: int
    decorated: int
    start: int
    end: int
    line: int
    is_function: bool


def definitions(source: str) -> Iterator[Definition]:
    """Those of `ast`, which shares nothing with the parser under test."""
    lines = re.split(r"(?<=\n)", source)
    offsets = [0, *accumulate(map(len, lines))]
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        assert node.end_lineno is not None
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        comment = first
        indentation = " " * node.col_offset + "#"
        while comment > 0 and lines[comment - 1].startswith(indentation):
            comment -= 1
        yield Definition(
            commented=offsets[comment],
            decorated=offsets[first],
            start=offsets[node.lineno - 1],
            end=offsets[node.end_lineno],
            line=node.lineno,
            is_function=not isinstance(node, ast.ClassDef),
        )


def read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize("max_tokens", LIMITS)
def test_the_standard_library(max_tokens: int, count_o200k: Callable[[str], int], check: Callable[..., None]) -> None:
    chunker = CodeChunker("python", max_tokens)
    tally = Tally()
    for name in SOURCES:
        path = STANDARD_LIBRARY / name
        if not path.exists():
            continue  # other versions of Python have other modules
        source = read(path)
        chunks = chunker.chunk(source)
        check(source, chunks, max_tokens, count_o200k)
        tally.add(name, source, chunks, max_tokens)
    assert tally.functions > 500
    assert tally.broken == []
    assert tally.decorators > 20
    assert tally.detached_decorators == []
    assert tally.comments > 20
    assert tally.detached_comments == []
    assert len(tally.undersized) < 0.01 * tally.chunks, tally.undersized


def markdown_files() -> Iterable[Path]:
    return sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("max_tokens", LIMITS)
def test_the_markdown_of_this_repository(
    max_tokens: int, count_o200k: Callable[[str], int], check: Callable[..., None]
) -> None:
    chunker = MarkdownChunker(max_tokens)
    tally = Tally()
    blocks = 0
    for path in markdown_files():
        text = read(path)
        chunks = chunker.chunk(text)
        check(text, chunks, max_tokens, count_o200k)
        tally.add_undersized(path.name, chunks, max_tokens)
        cuts = {chunk.span.end for chunk in chunks[:-1]}
        for block in re.finditer(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL):
            if TOKENIZER.count(block[0]) <= 0.8 * max_tokens:
                blocks += 1
                assert not cuts.intersection(range(block.start() + 1, block.end())), (path.name, block[0])
    assert blocks > 0
    assert len(tally.undersized) <= 0.01 * tally.chunks, tally.undersized


@pytest.mark.parametrize("path", sorted(path.name for path in (ROOT / "chunker").glob("*.py")))
def test_the_sources_of_this_package_with_overlap_and_context(
    path: str, count_o200k: Callable[[str], int], check: Callable[..., None]
) -> None:
    source = read(ROOT / "chunker" / path)
    chunks = chunker_for(path, 200, overlap=40, context=True).chunk(source, source=f"chunker/{path}")
    check(source, chunks, 200, count_o200k, overlap=40)
    assert all(chunk.context.startswith(f"chunker/{path}") for chunk in chunks)
