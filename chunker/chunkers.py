"""The chunkers: a format, a tokenizer and a budget, put together.

    CodeChunker("python", max_tokens=512).chunk(source)

A chunker holds settings and no state: it may be shared by threads, and it pickles.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from chunker.boundaries import Format, Outline
from chunker.breadcrumbs import Breadcrumbs
from chunker.budget import Budget
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.errors import UnknownLanguageError
from chunker.formats import format_named
from chunker.growing import Grower, Piece
from chunker.models import Chunk
from chunker.spans import SpanMeter

_CODE_LANGUAGES = frozenset({"python"})
_FORMAT_OF_SUFFIX = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".md": "markdown",
    ".markdown": "markdown",
}


class TextChunker:
    """Chunks text along the boundaries of its format, weaker ones where the budget demands: in plain text whole paragraphs, then lines,
    sentences, words and grapheme clusters.

    `format`: the name of a format (`chunker.formats.format_names`), or an object that is a `chunker.boundaries.Format`.
    `max_tokens`: no chunk has more tokens. `tokenizer`: an encoding or model name, or a tokenizer. `min_tokens`: no chunk has fewer
    where another cut avoids it (default: an eighth of `max_tokens`). `overlap`: at most so many tokens of a chunk are repeated
    at the start of the next. `context`: begin each chunk with a line that says where it stands; it is part of `text` and of the budget.

    Raises `OptionError` for limits that do not go together, and what `bpe_engine.Tokenizer.load` raises for a name it does not know.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        *,
        tokenizer: str | TokenCounter = "o200k_base",
        min_tokens: int | None = None,
        overlap: int = 0,
        context: bool = False,
        format: str | Format = "text",  # noqa: A002  # the word that users expect
    ) -> None:
        self._budget = Budget.of(max_tokens, min_tokens, overlap)
        self._tokenizer = resolve_tokenizer(tokenizer)
        self._context = context
        self._format = format_named(format) if isinstance(format, str) else format

    @property
    def max_tokens(self) -> int:
        """No chunk has more tokens."""
        return self._budget.max_tokens

    @property
    def min_tokens(self) -> int:
        """No chunk has fewer tokens where another cut avoids it."""
        return self._budget.min_tokens

    @property
    def overlap(self) -> int:
        """At most so many tokens of a chunk are repeated at the start of the next."""
        return self._budget.overlap

    @property
    def context(self) -> bool:
        """Whether chunks begin with a line that says where they stand."""
        return self._context

    @property
    def tokenizer(self) -> TokenCounter:
        """What counts."""
        return self._tokenizer

    @property
    def language(self) -> str | None:
        """The language of the format: "python", "markdown"; None for plain text."""
        return self._format.language

    def outline(self, text: str) -> Outline:
        """Where the format says that `text` may be cut, how good each cut is, and which named regions it has. Linear."""
        return self._format.outline(text)

    def chunk(self, text: str, *, source: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in its order; none if it is empty.

        Without overlap the bodies concatenate to `text`. `source`, usually a path, goes into the metadata and into the context.
        Linear in the length of the text. Raises `BudgetTooSmallError` if one character of the text alone is over the budget.
        """
        self._budget.check(text, self._tokenizer)
        outline = self.outline(text)
        breadcrumbs = Breadcrumbs(outline, source, self._tokenizer, self._budget.max_tokens)
        context_at = breadcrumbs.at if self._context else _no_context
        grower = Grower(text, outline, self._tokenizer, self._budget, context_at)
        metadata = dict(outline.notes)
        if source is not None:
            metadata["source"] = source
        return self._as_chunks(text, grower.pieces(), metadata)

    def _as_chunks(self, text: str, pieces: Iterable[Piece], metadata: dict[str, str]) -> list[Chunk]:
        meter = SpanMeter(text)
        seen: Counter[str] = Counter()
        chunks = []
        for piece in pieces:
            body = text[piece.start : piece.end]
            digest = _digest(piece.context + body)
            seen[digest] += 1
            chunks.append(
                Chunk(
                    body=body,
                    context=piece.context,
                    token_count=piece.tokens,
                    span=meter.span(piece.start, piece.end),
                    kind=piece.label,
                    language=self.language,
                    id=digest if seen[digest] == 1 else f"{digest}-{seen[digest]}",
                    metadata=dict(metadata),
                )
            )
        return chunks

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._repr_prefix()}max_tokens={self.max_tokens}, min_tokens={self.min_tokens}, "
            f"overlap={self.overlap}, context={self.context}{self._repr_suffix()})"
        )

    def _repr_prefix(self) -> str:
        return ""

    def _repr_suffix(self) -> str:
        return "" if self.language is None or type(self) is not TextChunker else f", format={self.language!r}"


class MarkdownChunker(TextChunker):
    """Chunks Markdown: whole sections, then blocks; lists by items, tables by rows, fenced code whole if it fits, prose by sentences.

    Takes the options of `TextChunker`. The context of a chunk is the trail of headings above it.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        *,
        tokenizer: str | TokenCounter = "o200k_base",
        min_tokens: int | None = None,
        overlap: int = 0,
        context: bool = False,
    ) -> None:
        super().__init__(
            max_tokens, tokenizer=tokenizer, min_tokens=min_tokens, overlap=overlap, context=context, format="markdown"
        )


class CodeChunker(TextChunker):
    """Chunks source code: whole definitions with their decorators and comments, then members, statements and lines.

    `language` is "python"; the other options are those of `TextChunker`. The context of a chunk is the trail of classes and functions
    around it. Raises `UnknownLanguageError` for a language that has no format.
    """

    def __init__(
        self,
        language: str,
        max_tokens: int = 512,
        *,
        tokenizer: str | TokenCounter = "o200k_base",
        min_tokens: int | None = None,
        overlap: int = 0,
        context: bool = False,
    ) -> None:
        if language not in _CODE_LANGUAGES:
            raise UnknownLanguageError(
                f"language must be one of {', '.join(sorted(_CODE_LANGUAGES))}; got {language!r}"
            )
        super().__init__(
            max_tokens, tokenizer=tokenizer, min_tokens=min_tokens, overlap=overlap, context=context, format=language
        )

    def _repr_prefix(self) -> str:
        return f"{self.language!r}, "


def chunker_for(
    path: str | os.PathLike[str],
    max_tokens: int = 512,
    *,
    tokenizer: str | TokenCounter = "o200k_base",
    min_tokens: int | None = None,
    overlap: int = 0,
    context: bool = False,
) -> TextChunker:
    """The chunker for a file of this name, by its suffix in any case; plain text for all that is not known. Opens nothing."""
    name = _FORMAT_OF_SUFFIX.get(PurePath(path).suffix.lower(), "text")
    settings: dict[str, Any] = {
        "tokenizer": tokenizer,
        "min_tokens": min_tokens,
        "overlap": overlap,
        "context": context,
    }
    if name in _CODE_LANGUAGES:
        return CodeChunker(name, max_tokens, **settings)
    if name == "markdown":
        return MarkdownChunker(max_tokens, **settings)
    return TextChunker(max_tokens, format=name, **settings)


def _no_context(_offset: int) -> str:
    return ""


def _digest(text: str) -> str:
    """32 hexadecimal digits that depend on `text` alone."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
