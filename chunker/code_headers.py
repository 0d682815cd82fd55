"""Code headers: the imports and signatures of its file that make a chunk of code readable alone.

shapes.py > class Circle                    the breadcrumb, if the chunker has it
from math import pi                         the imports whose names the chunk uses
def area(self) -> float:                    the signature of the function that the chunk is in the middle of
defines Circle.grow, Circle.shrink          the names that it defines
def area(self) -> float: ...                what else the class has, the nearest first
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal, get_args

from chunker.arguments import require_all
from chunker.context.imports import import_statements, used_part
from chunker.context_writer import ContextWriter
from chunker.errors import OptionError
from chunker.formats import Outline
from chunker.formats.code.tables import table_names
from chunker.formats.registry import code_format
from chunker.mapping.lines import parents
from chunker.models import Chunk
from chunker.symbols import Definition, symbols_of, without_comments_and_strings

HeaderPart = Literal["imports", "defines", "siblings"]

# Names, but not those of attributes (`self.path`); a name after two or three dots counts.
_NAME = re.compile(r"(?:(?<![.\w])|(?<=\.\.))[^\W\d]\w*")
_LINE = re.compile(r"[^\n]*(?:\n|$)")
# The largest numbers of siblings and of names in a header, and the end of a signature.
_SIBLINGS = 12
_NAMES = 12
_NO_BODY = re.compile(r"\s*[{;]?\s*$")


class CodeHeaders(ContextWriter):
    """Chunk source code, and begin each chunk with the imports that it uses, the names that it defines, and the
    signatures of neighbouring definitions.

    A header longer than `max_tokens` loses lines from its end. Texts that are not code have no header.

    Args:
        max_tokens: The largest number of tokens of a header, which a chunk keeps free.
        parts: Some of "imports", "defines" and "siblings".

    Raises:
        OptionError: `max_tokens` is not positive, or there is no such part.
        WrongTypeError: An argument has a wrong type.

    Examples:
        >>> from chunker import CodeChunker
        >>> source = "import math\\n\\ndef area(r):\\n    return math.pi * r * r\\n\\ndef grow(r):\\n    return 2 * r\\n"
        >>> print(CodeHeaders(40).chunk(CodeChunker("python", 54, min_tokens=0), source)[1].context, end="")
        import math
        defines area
        def grow(r): ...
    """

    _ends = (lambda written: [match.end() for match in _LINE.finditer(written)],)

    def __init__(
        self, max_tokens: int = 96, *, parts: Collection[HeaderPart] = ("imports", "defines", "siblings")
    ) -> None:
        require_all(parts, str, "parts", "names of parts")
        unknown = sorted(set(parts) - set(get_args(HeaderPart)))
        if unknown:
            raise OptionError(f"parts must be some of {', '.join(get_args(HeaderPart))}; got {unknown[0]!r}")
        self._parts = frozenset(parts)
        self._read: tuple[str | None, CodeFile | None] = (None, None)
        super().__init__(self._header, max_tokens=max_tokens)

    def __repr__(self) -> str:
        every = get_args(HeaderPart)
        parts = [part for part in every if part in self._parts]
        return f"CodeHeaders({self._room}{'' if len(parts) == len(every) else f', parts={parts}'})"

    def _prepare(self, text: str, outline: Outline, language: str | None) -> None:
        self._read = (text, CodeFile(text, outline, language) if language in table_names() else None)

    def _header(self, text: str, chunk: Chunk) -> str:
        read, file = self._read
        if read is not text:  # another thread has prepared another text
            chunked = code_format(chunk.language) if chunk.language in table_names() else None
            file = None if chunked is None else CodeFile(text, chunked.outline(text), chunk.language)
        return "" if file is None else "\n".join(file.header(chunk, self._parts))


class CodeFile:
    """The imports and definitions of a text, and the words of its code."""

    def __init__(self, text: str, outline: Outline, language: str | None) -> None:
        self._language = language or ""
        self._code = without_comments_and_strings(text, self._language)
        self._imports = list(import_statements(text, outline))
        self._definitions = symbols_of(text, outline, language).definitions
        self._parents = parents(self._definitions)

    def header(self, chunk: Chunk, parts: Collection[HeaderPart]) -> Iterator[str]:
        """Yield the lines of the header of a chunk, the most important first."""
        # Ignore blank lines around the body: definitions begin after them, and end before them.
        start, body = chunk.span.start, chunk.body
        blank = body[: len(body) - len(body.lstrip())]
        start, end = start + blank.rfind("\n") + 1, start + len(body.rstrip())
        around = [
            number for number, one in enumerate(self._definitions) if one.start < start < one.end and one.end > start
        ]
        if "siblings" in parts and around:
            signature = _shown(self._definitions[around[-1]])
            if signature.rstrip(": ") not in chunk.context:
                yield signature
        if "imports" in parts:
            yield from self._used_imports(start, end)
        if "defines" in parts:
            names = [one.qualified for one in self._definitions if start <= one.start < end]
            if names:
                yield f"defines {', '.join(names[:_NAMES])}{', ...' if len(names) > _NAMES else ''}"
        if "siblings" in parts:
            whole = [number for number in around if self._definitions[number].end >= end]
            for sibling in self._siblings(start, end, whole[-1] if whole else -1)[:_SIBLINGS]:
                yield f"{_shown(sibling)} ..."

    def _used_imports(self, start: int, end: int) -> Iterator[str]:
        used = set(_NAME.findall(self._code, start, end))
        for statement in self._imports:
            if statement.end <= start or statement.start >= end:
                line = used_part(statement.line, self._language, used)
                if line:
                    yield line

    def _siblings(self, start: int, end: int, around: int) -> list[Definition]:
        """Return the other definitions inside the one around a chunk, the nearest first; if there are none, those next
        to it.
        """
        while True:
            inside = [one for number, one in enumerate(self._definitions) if self._parents[number] == around]
            if inside or around < 0:
                break
            around = self._parents[around]
        outside = [one for one in inside if one.end <= start or one.start >= end]
        return sorted(outside, key=lambda one: min(abs(one.start - end), abs(start - one.end)))


def _shown(definition: Definition) -> str:
    """Return the signature of a definition, without the brace of its body."""
    return _NO_BODY.sub("", definition.signature or definition.name)
