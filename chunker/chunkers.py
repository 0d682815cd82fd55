"""The chunkers: a format, a tokenizer and a budget, put together.

    CodeChunker("python", max_tokens=512).chunk(source)

A chunker holds settings and no state: it may be shared by threads, and it pickles.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple, Unpack, get_args

from chunker.arguments import require, require_source, require_text
from chunker.context.breadcrumbs import Breadcrumbs, ContextPart, context_parts
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.errors import MissingGrammarError, OptionError
from chunker.formats import Format, Outline
from chunker.formats.detect import UNKNOWN, detect
from chunker.formats.registry import code_format, code_names, format_named, format_names
from chunker.formats.sketches import SketchingFormat
from chunker.formats.unknown import LinesFormat, UnknownFormat
from chunker.growing.assembly import TextOrigin, breadcrumbs_of
from chunker.growing.budget import Budget, OverlapBy
from chunker.growing.compiled import best_pieces, grower_of
from chunker.growing.pieces import ContextAt, Piece, no_context
from chunker.models import Chunk
from chunker.options import Options, Strategy

if TYPE_CHECKING:  # a parser costs nobody anything who does not use it
    import tree_sitter

    from chunker.formats.code.grammar import Grammar


# What is larger than a chunk has to be looked into, and had better be at once: an average token has so many characters.
_CHARACTERS_A_TOKEN = 4


class TextChunker:
    """Chunks text along the boundaries of its format, weaker ones where the budget demands: in plain text whole paragraphs, then lines,
    sentences, words and grapheme clusters.

    `format`: the name of a format (`chunker.formats.registry.format_names`), or an object that is a `chunker.formats.Format`.
    `max_tokens`: no chunk has more tokens. `tokenizer`: an encoding or model name, or a tokenizer. `min_tokens`: no chunk has fewer
    where another cut avoids it (default: an eighth of `max_tokens`). `desired_tokens`: a chunk that has so many ends at the best place
    before `max_tokens`. `overlap`: at most so many tokens of a chunk are repeated at the start of the next; `overlap_by`: in whole units
    of the format ("unit"), in sentences where a unit does not fit ("sentence"), or as much text as fits ("token"). `context`: begin each
    chunk with a line that says where it stands; or with some of "breadcrumb", that line, "imports", what the file imports, and "summary",
    what the definition around it says of itself; with an overlap it is about the text behind that. It is part of `text` and of the budget. `strategy`: "grow" fills chunk after chunk,
    "optimal" chooses all cuts of a text together, so that chunks are even and cuts are strong; it takes a few times as long. `reserve`: so
    many of `max_tokens` are for what a model puts around each chunk, such as [CLS] and [SEP]; None for what the tokenizer says, which for one
    of Hugging Face is what its post-processor adds.

    Raises `OptionError` for limits that do not go together, `WrongTypeError` for arguments of other types, and what `bpe_engine.Tokenizer.load` raises for a name it does not know.
    """

    def __init__(  # noqa: PLR0913  # as many as there are options
        self,
        max_tokens: int = 512,
        *,
        tokenizer: str | TokenCounter = "o200k_base",
        min_tokens: int | None = None,
        desired_tokens: int | None = None,
        overlap: int = 0,
        overlap_by: OverlapBy = "unit",
        context: bool | Collection[ContextPart] = False,
        strategy: Strategy = "grow",
        reserve: int | None = None,
        format: str | Format = "text",  # noqa: A002  # the word that users expect
    ) -> None:
        self._tokenizer = resolve_tokenizer(tokenizer)
        if reserve is None:
            reserve = getattr(self._tokenizer, "reserve", 0)
        self._budget = Budget.of(max_tokens, min_tokens, overlap, desired_tokens, overlap_by, reserve=reserve)
        if strategy not in get_args(Strategy):
            raise OptionError(f"strategy must be one of {', '.join(get_args(Strategy))}; got {strategy!r}")
        self._strategy: Strategy = strategy
        self._context = context_parts(context)
        require(format, (str, Format), "format", "the name of a format, or a chunker.formats.Format")
        self._format = format_named(format) if isinstance(format, str) else format
        # A desired size is looked for among all boundaries, and imports among all labels.
        grows = strategy == "grow" and desired_tokens is None and "imports" not in self._context
        self._sketching = self._format if grows and isinstance(self._format, SketchingFormat) else None

    @property
    def budget(self) -> Budget:
        """The limits of a chunk, without the reserve."""
        return self._budget

    @property
    def max_tokens(self) -> int:
        """No chunk has more tokens, together with `reserve`."""
        return self._budget.max_tokens + self._budget.reserve

    @property
    def reserve(self) -> int:
        """So many of `max_tokens` are for what a model puts around each chunk."""
        return self._budget.reserve

    @property
    def min_tokens(self) -> int:
        """No chunk has fewer tokens where another cut avoids it."""
        return self._budget.min_tokens

    @property
    def overlap(self) -> int:
        """At most so many tokens of a chunk are repeated at the start of the next."""
        return self._budget.overlap

    @property
    def desired_tokens(self) -> int | None:
        """A chunk that has so many tokens ends at the best place that follows; None to fill it."""
        return self._budget.desired_tokens

    @property
    def strategy(self) -> Strategy:
        """How cuts are chosen."""
        return self._strategy

    @property
    def context(self) -> frozenset[ContextPart]:
        """What chunks begin with: nothing, or some of "breadcrumb", "imports" and "summary"."""
        return self._context

    @property
    def tokenizer(self) -> TokenCounter:
        """What counts."""
        return self._tokenizer

    @property
    def format(self) -> Format:
        """What says where a text may be cut."""
        return self._format

    @property
    def language(self) -> str | None:
        """The language of the format: "python", "markdown"; None for plain text."""
        return self._format.language

    def outline(self, text: str) -> Outline:
        """Where the format says that `text` may be cut, how good each cut is, and which named regions it has. Linear."""
        require_text(text)
        return self._format.outline(text)

    def chunk(self, text: str, *, source: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in its order; none if it is empty.

        Without overlap the bodies concatenate to `text`. `source`, usually a path, goes into the metadata, into the context, and into
        the ids, which tell chunks of several texts apart only if each has a source of its own.
        Linear in the length of the text. Raises `BudgetTooSmallError` if one character of the text alone is over the budget.
        """
        require_text(text)
        require_source(source)
        outline = self._sketch(text)
        pieces = self.pieces(text, outline, self.context_of(text, outline, source))
        return self.origin_of(text, outline, list(pieces), source).chunks()

    def origin_of(
        self, text: str, outline: Outline, pieces: list[Piece], source: str | None, *, level: int = 0
    ) -> TextOrigin:
        """The origin that the chunks of `text` share, from its pieces; `level` is that of a hierarchy."""
        return TextOrigin(
            text,
            pieces,
            language=self.language,
            metadata=self.metadata_of(outline, source),
            source=source,
            breadcrumb=breadcrumbs_of(text, outline, self._format),
            level=level,
        )

    def _sketch(self, text: str) -> Outline:
        """As much of the outline as chunks can be grown by: all of it where more is looked at than what does not fit."""
        if self._sketching is None:
            return self.outline(text)
        return self._sketching.sketch(text, self._budget.max_tokens * _CHARACTERS_A_TOKEN)

    def pieces(self, text: str, outline: Outline, context_at: ContextAt) -> Iterator[Piece]:
        """Where the chunks of `text` are to be cut, by an outline of it; `context_at` says what stands before a chunk from an offset.

        Raises `BudgetTooSmallError` as `chunk` does.
        """
        self._budget.check(text, self._tokenizer)
        if self._strategy == "optimal":
            return best_pieces(text, outline, self._tokenizer, self._budget, context_at)
        return grower_of(text, outline, self._tokenizer, self._budget, context_at).pieces()

    def context_of(self, text: str, outline: Outline, source: str | None) -> ContextAt:
        """What stands before a chunk that begins at an offset into `text`: nothing, if no context is asked for."""
        if not self._context:
            return no_context
        limit = self._budget.max_tokens
        return Breadcrumbs(outline, source, self._tokenizer, limit, parts=self._context, text=text)

    def metadata_of(self, outline: Outline, source: str | None) -> dict[str, str]:
        """The metadata of each chunk: the notes of the format, and where the text comes from."""
        return dict(outline.notes) if source is None else {**outline.notes, "source": source}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._repr_prefix()}max_tokens={self.max_tokens}, min_tokens={self.min_tokens}, "
            f"overlap={self.overlap}, context={self._repr_context()}{self._repr_suffix()})"
        )

    def _repr_prefix(self) -> str:
        return ""

    def _repr_context(self) -> str:
        return str(bool(self._context)) if self._context <= {"breadcrumb"} else repr(sorted(self._context))

    def _repr_suffix(self) -> str:
        suffix = "" if self._budget.desired_tokens is None else f", desired_tokens={self._budget.desired_tokens}"
        suffix += "" if self._budget.overlap_by == "unit" else f", overlap_by={self._budget.overlap_by!r}"
        suffix += "" if self._strategy == "grow" else f", strategy={self._strategy!r}"
        return (
            suffix if self.language is None or type(self) is not TextChunker else f"{suffix}, format={self.language!r}"
        )


class MarkdownChunker(TextChunker):
    """Chunks Markdown: whole sections, then blocks; lists by items, tables by rows, fenced code whole if it fits, prose by sentences.

    Takes the options of `TextChunker`. The context of a chunk is the trail of headings above it.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(max_tokens, format="markdown", **options)


class CodeChunker(TextChunker):
    """Chunks source code: whole definitions with their decorators and comments, then members, statements and lines.

    `language` is the name of a programming language ("python", "C++", "rs"); or a `tree_sitter.Language`, of which is taken what the names
    of its nodes tell; or a `chunker.formats.code.grammar.Grammar`, a table of one's own. The other options are those of `TextChunker`. The
    context of a chunk is the trail of classes and functions around it. `isolate`: parse in a process of its own, which is stopped if it
    takes too long; for sources that nobody vouches for.

    Raises `UnknownLanguageError` for a language that has no table, and `MissingGrammarError` for one whose grammar is not installed.
    """

    def __init__(
        self,
        language: str | Grammar | tree_sitter.Language,
        max_tokens: int = 512,
        *,
        isolate: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(max_tokens, format=code_format(language, isolate=isolate), **options)

    def _repr_prefix(self) -> str:
        return f"{self.language!r}, "


def chunker_for(
    path: str | os.PathLike[str], max_tokens: int = 512, *, text: str = "", **options: Unpack[Options]
) -> TextChunker:
    """The chunker for a file of this name, in any case; `text`, or its beginning, tells what the name does not. Opens nothing.

    Code in a language without a table, or whose grammar is not installed, is cut by lines, and the metadata of its chunks say so; what is
    not known to be code is cut as plain text.
    """
    require(path, (str, os.PathLike), "path", "the name of a file, as a str or a path")
    require_text(text)
    return chunker_of(detected(os.fsdecode(path).replace(os.sep, "/"), text), max_tokens, **options)


class Detected(NamedTuple):
    """The kind of a file: its language, its format, and whether it has a name."""

    language: str
    kind: str | None
    named: bool


def detected(name: str, text: str) -> Detected:
    """The kind of a file of this name with this text."""
    return Detected(*detect(name, text), named=bool(name))


def chunker_of(found: Detected, max_tokens: int, **options: Unpack[Options]) -> TextChunker:
    """The chunker for what `detected` has found; equal ones for the same."""
    language, kind, named = found
    if kind == "markdown":
        return MarkdownChunker(max_tokens, **options)
    if kind in code_names():
        try:
            return CodeChunker(kind, max_tokens, **options)
        except MissingGrammarError as error:
            return TextChunker(max_tokens, format=LinesFormat(kind, f"{error}; cut by lines"), **options)
    if kind in format_names():
        return TextChunker(max_tokens, format=kind, **options)
    if language != UNKNOWN:
        note = f"{language}: no grammar, cut by lines"
        return TextChunker(max_tokens, format=LinesFormat(language.lower(), note), **options)
    return TextChunker(max_tokens, format=UnknownFormat() if named else "text", **options)
