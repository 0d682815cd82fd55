"""The definitions of a Python source as the standard library's `ast` and `tokenize` see them: the oracle for chunkers of code."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import regex

_LINE = regex.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclass(frozen=True)
class Definition:
    """A function or class. All offsets are characters.

    `comment` is where its leading comment begins, `decorator` where the first decorator does; None if it has none.
    `keyword` is the "def", "async" or "class", `header_end` the end of that line, `end` that of the body and of the
    comments at its end.
    """

    is_function: bool
    comment: int | None
    decorator: int | None
    keyword: int
    header_end: int
    end: int

    @property
    def start(self) -> int:
        """The offset of its first part: the comment, decorator or keyword."""
        return min(offset for offset in (self.comment, self.decorator, self.keyword) if offset is not None)


def definitions(source: str) -> list[Definition]:
    """All functions and classes of `source`, nested ones too. Raises SyntaxError.

    A leading comment is the comment lines directly above the definition that begin in its column, without a blank line
    between.

    >>> [found] = definitions("import os\\n# why\\n@cache\\ndef f():\\n    return 1\\n")
    >>> found.comment, found.decorator, found.keyword, found.header_end, found.end
    (10, 16, 23, 31, 44)
    """
    lines = _Lines(source)
    comments = _comment_lines(source)
    return [
        _definition(node, lines, comments)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


class _Lines:
    """Line and column of `ast` (from 1, and bytes) -> offset in characters."""

    def __init__(self, source: str) -> None:
        self.texts = _LINE.findall(source)
        self._starts = list(accumulate(map(len, self.texts), initial=0))

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self.texts[line - 1].encode()[:column].decode())

    def end(self, line: int) -> int:
        """The end of a line, without its line break."""
        return self._starts[line - 1] + len(self.texts[line - 1].rstrip("\r\n"))

    def is_blank(self, line: int) -> bool:
        """Whether there is such a line, and nothing on it."""
        return line <= len(self.texts) and self.texts[line - 1].isspace()


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: _Lines, comments: dict[int, int]
) -> Definition:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    top = first
    while comments.get(top - 1) == node.col_offset:
        top -= 1
    return Definition(
        is_function=not isinstance(node, ast.ClassDef),
        comment=lines.offset(top, node.col_offset) if top < first else None,
        decorator=lines.offset(first, node.col_offset) if node.decorator_list else None,
        keyword=lines.offset(node.lineno, node.col_offset),
        header_end=lines.end(node.lineno),
        end=_end(node, lines, comments),
    )


def _end(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: _Lines, comments: dict[int, int]) -> int:
    """The end of the last statement, or of the last comment after it that is indented like the body."""
    last = node.end_lineno or node.lineno
    end = lines.offset(last, node.end_col_offset or 0)
    line = last + 1
    while line in comments or lines.is_blank(line):
        if line in comments:
            if comments[line] <= node.col_offset:
                break
            end = lines.end(line)
        line += 1
    return end


def _comment_lines(source: str) -> dict[int, int]:
    """Number -> column of the lines that hold a comment and nothing else."""
    return {
        token.start[0]: token.start[1]
        for token in _tokens(source)
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source, newline="").readline)
