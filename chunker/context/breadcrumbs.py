"""The context of a chunk: the file and the place in it where its body begins, and other lines that a reader needs.

    src/shop.py > class Cart > def total          the breadcrumb: the scopes around the first new character of the body
    import math; from shop import Item            what the file imports, if asked for ("imports")
    The price of all that is in it.               what the innermost definition says of itself, if asked for ("summary")
    item,price,currency                           lines that a scope wants repeated, such as the header row of a table

"New" is text that the previous chunk does not have. The context describes the first new character, not the overlap,
because it says where the chunk goes on.

A context may use a quarter of the budget. If it is longer, its parts are dropped in this order: repeated lines,
imports, the summary, then names from the outermost on, because the innermost names say most about the body.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from chunker.arguments import require
from chunker.context.summaries import imports_line, summary_of
from chunker.counting import TokenCounter
from chunker.errors import OptionError
from chunker.formats import Outline, Scope
from chunker.formats.sketches import Sketch

ContextPart = Literal["breadcrumb", "imports", "summary"]

_BREADCRUMB: frozenset[ContextPart] = frozenset({"breadcrumb"})
_SEPARATOR = " > "
_MAX_SHARE = 4


def context_parts(context: bool | Collection[ContextPart]) -> frozenset[ContextPart]:  # noqa: FBT001  # it may be other than a bool
    """Return the parts that the option `context` asks for. Raises `OptionError` for an unknown part."""
    if isinstance(context, bool):
        return _BREADCRUMB if context else frozenset()
    wanted = "True, False or a collection of names (CodeHeaders and ContextWriter chunk by themselves: CodeHeaders(48).chunk(chunker, text))"
    require(context, Collection, "context", wanted)
    known = get_args(ContextPart)
    unknown = [part for part in context if part not in known] if not isinstance(context, str) else [context]
    if unknown:
        raise OptionError(f"context must be True, False or some of {', '.join(known)}; got {unknown[0]!r}")
    return frozenset(context)


class Breadcrumbs:
    """The contexts of one text; each distinct context is counted once. `text` is needed only for "imports" and
    "summary".
    """

    def __init__(
        self,
        outline: Outline,
        source: str | None,
        tokenizer: TokenCounter,
        max_tokens: int,
        *,
        parts: Collection[ContextPart] = _BREADCRUMB,
        text: str = "",
    ) -> None:
        self._text = text
        self._outline = outline
        self._source = source
        self._tokenizer = tokenizer
        self._limit = max_tokens // _MAX_SHARE
        self._parts = parts
        self._contexts: dict[tuple[tuple[str, ...], str, str, str], str] = {}
        # Key: the innermost scope, which determines all others, and whether the imports come before it. Value: the
        # lines that the scope wants repeated, and the context.
        self._inside: dict[tuple[Scope | None, bool], tuple[str, str]] = {}
        self._imports, self._imported = imports_line(text, outline) if "imports" in parts else ("", 0)
        self._summaries: dict[Scope, str] = {}

    @property
    def outline(self) -> Outline:
        """The outline that the contexts are read from."""
        return self._outline

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that determine the context outside the closed units of a sketch."""
        outline = self._outline
        return outline.outer_scopes if isinstance(outline, Sketch) else outline.scopes

    @property
    def imported(self) -> int:
        """The offset from which on a context has the imports; 0 if it never or always has them."""
        return self._imported

    @property
    def names_only(self) -> tuple[str | None, int] | None:
        """The source and the limit of a context in tokens, if contexts are made of names and repeated lines alone: compiled
        code makes these itself. None if they may have imports or a summary.
        """
        return (self._source, self._limit) if self._parts == _BREADCRUMB else None

    def with_repeats(self, offset: int) -> tuple[str, bool]:
        """Return the context at `offset` for a chunk without overlap, and whether it repeats lines: after an overlap that has these lines, the context is
        another one.
        """
        repeated, context = self._known(offset)[1:]
        return context, bool(repeated)

    def __call__(self, offset: int, overlap: str = "", /) -> str:
        """Return the context of a chunk whose body begins at `offset`, after `overlap`; "" if there is nothing to say.

        `offset`, in characters: the first character that the previous chunk does not have. `overlap`: the text that
        both chunks have; lines in it are not repeated in the context. The context has at most a quarter of the budget.
        """
        scopes, repeated, context = self._known(offset)
        return (
            self._around(scopes, "", imported=offset >= self._imported) if repeated and repeated in overlap else context
        )

    def _known(self, offset: int) -> tuple[tuple[Scope, ...], str, str]:
        """Return the scopes around an offset, the lines that one of them wants repeated, and the context with these lines."""
        scopes = self._outline.scopes_around(offset)
        place = scopes[-1] if scopes else None, offset >= self._imported
        known = self._inside.get(place)
        if known is None:
            headers = [scope.header for scope in scopes if scope.header]
            repeated = headers[-1] if headers else ""
            known = self._inside[place] = repeated, self._around(scopes, repeated, imported=place[1])
        return scopes, *known

    def _around(self, scopes: tuple[Scope, ...], repeated: str, *, imported: bool) -> str:
        """Return the context inside these scopes, with the lines `repeated`."""
        breadcrumb = tuple([scope.name for scope in scopes if scope.name]) if "breadcrumb" in self._parts else ()
        imports = self._imports if imported else ""
        summary = self._summary(scopes) if "summary" in self._parts else ""
        return self._context_of(breadcrumb, imports, summary, repeated)

    def _context_of(self, breadcrumb: tuple[str, ...], imports: str, summary: str, repeated: str) -> str:
        key = breadcrumb, imports, summary, repeated
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = self._context(breadcrumb, [summary, imports, repeated])
        return context

    def _summary(self, scopes: tuple[Scope, ...]) -> str:
        for scope in reversed(scopes):
            if scope not in self._summaries:
                summary = summary_of(self._text, scope)
                # In some languages a heading looks like a comment, and is in the breadcrumb already.
                self._summaries[scope] = "" if summary == scope.name else summary
            if self._summaries[scope]:
                return self._summaries[scope]
        return ""

    def _context(self, outer: tuple[str, ...], lines: list[str]) -> str:
        """Return the longest context that fits. `lines` may follow the breadcrumb; the most important comes first."""
        names = outer if self._source is None or "breadcrumb" not in self._parts else (self._source, *outer)
        # Each name goes on one line, whatever characters it has.
        parts = [part for part in (" ".join(name.split()) for name in names) if part]
        breadcrumb = _line(parts)
        if any(lines):
            summary, imports, repeated = (
                line if not line or line.endswith(("\n", "\r")) else line + "\n" for line in lines
            )
            for kept in (imports + summary + repeated, imports + summary, summary):
                if self._fits(breadcrumb + kept):
                    return breadcrumb + kept
        while parts and not self._fits(breadcrumb):
            del parts[0]
            breadcrumb = _line(parts)
        return breadcrumb

    def _fits(self, context: str) -> bool:
        return self._tokenizer.count_up_to(context, self._limit) is not None


def _line(names: list[str]) -> str:
    return _SEPARATOR.join(names) + "\n" if names else ""
