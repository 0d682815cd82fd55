"""The chunkers: a format, a tokenizer and a budget, put together.

    CodeChunker("python", max_tokens=512).chunk(source)

A chunker holds settings and no state: threads may share it, and it can be pickled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self, Unpack, get_args

from chunker.arguments import require, require_source, require_text, whole_number
from chunker.batches import Run, in_threads
from chunker.context.breadcrumbs import Breadcrumbs, ContextPart, context_parts
from chunker.counting import AnyTokenizer, TokenCounter, UnitCounter, name_of_tokenizer, resolve_tokenizer
from chunker.errors import OptionError
from chunker.formats import Format, Outline
from chunker.formats.registry import alike, code_format, format_named, name_of
from chunker.formats.sketches import sketching
from chunker.growing.assembly import TextOrigin, breadcrumbs_of
from chunker.growing.budget import Budget, OverlapBy
from chunker.growing.compiled import (
    ChunkMaker,
    bodies_of,
    grower_of,
    is_native,
    make_together,
    optimizer_of,
)
from chunker.growing.pieces import ContextAt, Piece, no_context
from chunker.models import Chunk
from chunker.options import Options, Strategy

if TYPE_CHECKING:  # a chunker of text does not need the parsers
    import tree_sitter

    from chunker.formats.code.grammar import Grammar


# Average characters per token: a unit that is larger than a chunk by this estimate has to be refined, so a sketch
# refines it at once.
_CHARACTERS_A_TOKEN = 4


class TextChunker:
    """Chunk text at the strongest boundaries of its format that the budget allows: in plain text at paragraphs, then at
    lines, sentences, words and grapheme clusters.

    Args:
        max_tokens: The largest number of tokens of a chunk.
        tokenizer: The name of an encoding or model, a tokenizer file, a tokenizer of bpe_engine, tokenizers, transformers or
            tiktoken, a function that counts the tokens of a text, or the unit "characters", "bytes" or "words"; see
            `chunker.counting.resolve_tokenizer`.
        min_tokens: No chunk has fewer tokens, except the last two if every other cut would divide a part that fits into
            a chunk; "optimal" divides it. By default an eighth of `max_tokens`. A part of at most `max_tokens -
            min_tokens` tokens (with its context and an overlap) is never divided.
        desired_tokens: A chunk that has this many tokens ends at the best boundary before `max_tokens`. None fills it.
        overlap: The largest number of tokens at the end of a chunk that the next one repeats.
        overlap_by: The overlap consists of whole units of the format ("unit"), of sentences if no unit fits
            ("sentence"), or of as much text as fits ("token").
        context: Begin each chunk with lines of context: True or "breadcrumb", the names of the sections or definitions
            around it; "imports", the imports of the file; "summary", the first sentence of the documentation of the
            definition around it. A collection combines them. With an overlap the context is that of the text after it.
            Context is a part of `text` and of the budget.
        strategy: "grow" fills chunk after chunk. "optimal" chooses all cuts of a text together, so that chunks are even
            and cuts are strong; it takes a few times as long.
        reserve: The number of the `max_tokens` that a model adds around each chunk, such as [CLS] and [SEP]. None takes
            it from the tokenizer: a tokenizer of Hugging Face knows what its post-processor adds.
        format: The name of a format (`chunker.formats.registry.format_names`), or an object that is a
            `chunker.formats.Format`.

    Raises:
        OptionError: Limits cannot be used together, or an option has an unknown value.
        WrongTypeError: An argument has a wrong type.
        UnknownEncodingError: No encoding or model has the name `tokenizer`; as `bpe_engine.Tokenizer.load`.

    Examples:
        >>> [chunk.body for chunk in TextChunker(6, min_tokens=0).chunk("One line here.\\nAnother line.\\n")]
        ['One line here.\\n', 'Another line.\\n']
    """

    def __init__(  # noqa: PLR0913  # as many as there are options
        self,
        max_tokens: int = 512,
        *,
        tokenizer: AnyTokenizer = "o200k_base",
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
        # "imports" needs all labels, which a sketch does not have.
        grows = strategy == "grow" and "imports" not in self._context
        self._sketching = sketching(self._format) if grows else None

    @property
    def budget(self) -> Budget:
        """The limits of a chunk, without the reserve."""
        return self._budget

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens of a chunk, `reserve` included."""
        return self._budget.max_tokens + self._budget.reserve

    @property
    def reserve(self) -> int:
        """The number of the `max_tokens` that a model adds around each chunk."""
        return self._budget.reserve

    @property
    def min_tokens(self) -> int:
        """No chunk has fewer tokens, except the last two if every other cut would divide a part that fits."""
        return self._budget.min_tokens

    @property
    def overlap(self) -> int:
        """The largest number of tokens at the end of a chunk that the next one repeats."""
        return self._budget.overlap

    @property
    def desired_tokens(self) -> int | None:
        """A chunk that has this many tokens ends at the best boundary before `max_tokens`; None fills each chunk."""
        return self._budget.desired_tokens

    @property
    def strategy(self) -> Strategy:
        """The strategy that chooses the cuts: "grow" or "optimal"."""
        return self._strategy

    @property
    def context(self) -> frozenset[ContextPart]:
        """The parts of the context: none, or some of "breadcrumb", "imports" and "summary"."""
        return self._context

    @property
    def tokenizer(self) -> TokenCounter:
        """The tokenizer that counts."""
        return self._tokenizer

    @property
    def format(self) -> Format:
        """The format that finds the boundaries of a text."""
        return self._format

    @property
    def language(self) -> str | None:
        """The language of the format: "python", "markdown"; None for plain text."""
        return self._format.language

    def with_reserve(self, tokens: int) -> Self:
        """Make a chunker that leaves room for more tokens around each chunk.

        Args:
            tokens: The number of additional tokens to reserve.

        Returns:
            A chunker with the same `max_tokens` and options.

        Raises:
            OptionError: There is no room for so many tokens, the other options leave none, or `tokens` is negative.
            WrongTypeError: `tokens` is not a whole number.
        """
        tokens = whole_number(tokens, "tokens", least=0)
        budget = self._budget
        if budget.reserve + tokens >= self.max_tokens:
            raise OptionError(
                f"room for {tokens} more tokens around each chunk leaves none for the text in max_tokens "
                f"({self.max_tokens}): raise max_tokens, or ask for less room"
            )
        least = None if budget.min_tokens == budget.default_min_tokens else budget.min_tokens
        made = copy(self)
        made._budget = Budget.of(  # noqa: SLF001  # its own class
            self.max_tokens,
            least,
            budget.overlap,
            budget.desired_tokens,
            budget.overlap_by,
            reserve=budget.reserve + tokens,
        )
        return made

    def outline(self, text: str) -> Outline:
        """Find the boundaries of a text, their strengths, and its named regions. Linear time.

        Args:
            text: The text.

        Returns:
            The outline; its offsets are in characters.
        """
        require_text(text)
        return self._format.outline(text)

    def chunk(self, text: str, *, source: str | None = None, metadata: Mapping[str, Any] | None = None) -> list[Chunk]:
        """Chunk a text. Linear time.

        Args:
            text: The text.
            source: Its name, usually a path. It goes into the context and the ids: chunks of several texts have
                different ids only if each text has a source of its own.
            metadata: Your own values, which all chunks get; they should be JSON values.

        Returns:
            The chunks, in the order of the text; none if it is empty. Without overlap their bodies concatenate to
            `text`.

        Raises:
            BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.
            WrongTypeError: An argument has a wrong type.
        """
        require_text(text)
        require_source(source)
        require(metadata, (type(None), Mapping), "metadata", "a mapping or None")
        return self.chunks_of(text, self.sketch(text), source, metadata=metadata)

    def chunk_batch(
        self,
        texts: Iterable[str],
        *,
        sources: Iterable[str | None] | None = None,
        metadata: Mapping[str, Any] | None = None,
        num_threads: int = 8,
    ) -> list[list[Chunk]]:
        """Chunk many texts on several threads, which count without the interpreter's lock.

        Args:
            texts: The texts.
            sources: The name of each text, usually a path, or None; see `chunk`. None names none of them.
            metadata: Your own values, which all chunks get.
            num_threads: The largest number of threads; no more are started than the machine has processors, and one if
                a callable or another package counts, which needs the lock.

        Returns:
            The chunks of each text as `chunk` returns them, in the order of the texts.

        Raises:
            BudgetTooSmallError: As `chunk`, for the first text that cannot be chunked.
            OptionError: There are not as many sources as texts, or `num_threads` is less than 1.
            WrongTypeError: An argument has a wrong type.

        Examples:
            >>> texts = ["One line here.\\nAnother line.\\n", "", "A third."]
            >>> [len(chunks) for chunks in TextChunker(6, min_tokens=0).chunk_batch(texts)]
            [2, 0, 1]
        """
        require(metadata, (type(None), Mapping), "metadata", "a mapping or None")
        chunks_of = partial(self._chunks_of_run, metadata=metadata)
        return in_threads(chunks_of, texts, sources, num_threads, counts_in_python=not is_native(self._tokenizer))

    def _chunks_of_run(self, run: Run, *, metadata: Mapping[str, Any] | None) -> list[list[Chunk]]:
        """Return the chunks of each text of a run; all of them are made in one compiled call."""
        begun = []
        failure: Exception | None = None
        for text, name in run:
            try:
                outline = self.sketch(text)
                begun.append((text, name, outline, self.maker(text, outline, self.context_of(text, outline, name))))
            except Exception as error:  # noqa: BLE001  # raised below, after what a text before it may raise
                failure = error
                break
        if len(begun) > 1:
            make_together(maker for *_, maker in begun)
        made = [
            self.origin_of(text, outline, list(maker.pieces()), name, metadata=metadata).chunks()
            for text, name, outline, maker in begun
        ]
        if failure is not None:
            raise failure
        return made

    def chunks_of(
        self, text: str, outline: Outline, source: str | None, *, metadata: Mapping[str, Any] | None = None
    ) -> list[Chunk]:
        """Chunk a text as `chunk` does, with an outline that exists already. While the caller holds the outline,
        breadcrumbs are read from it.

        Args:
            text: The text.
            outline: The outline or sketch that `sketch` returned for the text.
            source: Its name, usually a path, or None.
            metadata: Values of the caller, for all chunks.

        Returns:
            The chunks in the order of the text; none for an empty text.
        """
        pieces = self.pieces(text, outline, self.context_of(text, outline, source))
        return self.origin_of(text, outline, list(pieces), source, metadata=metadata).chunks()

    def origin_of(
        self,
        text: str,
        outline: Outline,
        pieces: list[Piece],
        source: str | None,
        *,
        level: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> TextOrigin:
        """Return the origin that the chunks of a text share, made from its pieces.

        Args:
            text: The text.
            outline: Its outline.
            pieces: Its pieces, in order.
            source: Its name, usually a path, or None.
            level: The level of a hierarchy; 0 for the largest chunks.
            metadata: Values of the caller, for all chunks.

        Returns:
            The origin, whose `chunks()` makes a chunk of each piece.
        """
        return TextOrigin(
            text,
            pieces,
            language=self.language,
            metadata=self.metadata_of(outline, metadata),
            source=source,
            breadcrumb=breadcrumbs_of(text, outline, self._format),
            level=level,
        )

    def sketch(self, text: str) -> Outline:
        """Find the part of the outline that `pieces` needs: the whole outline if this chunker needs more than the units
        that do not fit.

        Args:
            text: The text.

        Returns:
            An outline for `pieces` and `chunks_of`, with offsets in characters. Inside units that fit it may lack
            boundaries that `outline` has.
        """
        if self._sketching is None:
            return self.outline(text)
        characters = isinstance(self._tokenizer, UnitCounter) and self._tokenizer.unit != "words"
        return self._sketching.sketch(text, self._budget.max_tokens * (1 if characters else _CHARACTERS_A_TOKEN))

    def pieces(self, text: str, outline: Outline, context_at: ContextAt) -> Iterator[Piece]:
        """Choose the cuts of a text.

        Args:
            text: The text.
            outline: Its outline.
            context_at: Returns the context of a chunk that begins at an offset.

        Yields:
            The pieces, with offsets, context, tokens and label of each chunk.

        Raises:
            BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.
        """
        return self.maker(text, outline, context_at).pieces()

    def maker(self, text: str, outline: Outline, context_at: ContextAt) -> ChunkMaker:
        """Return what makes the chunks of a text, by either strategy.

        Args:
            text: The text.
            outline: Its outline.
            context_at: Returns the context of a chunk that begins at an offset.

        Returns:
            The maker, whose `pieces` can be asked for once.

        Raises:
            BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.
        """
        self._budget.check(text, self._tokenizer)
        make = optimizer_of if self._strategy == "optimal" else grower_of
        return make(text, outline, self._tokenizer, self._budget, context_at)

    def bodies(self, text: str, *, strip: bool = False) -> list[str]:
        """Choose the cuts of a text, for a caller that needs only what is between them.

        Args:
            text: The text.
            strip: Remove white space at the ends of the bodies, and leave out those of white space only.

        Returns:
            The bodies of the chunks, in order.

        Raises:
            BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.
        """
        outline = self.sketch(text)
        return bodies_of(text, self.maker(text, outline, self.context_of(text, outline, None)), strip=strip)

    def context_of(self, text: str, outline: Outline, source: str | None) -> ContextAt:
        """Return a function from an offset to the context of a chunk that begins there; it returns "" if `context` is
        off.

        Args:
            text: The text.
            outline: Its outline.
            source: Its name, usually a path, or None.

        Returns:
            The function. It takes an offset in characters; what it returns counts towards the budget of the chunk.
        """
        if not self._context:
            return no_context
        limit = self._budget.max_tokens
        return Breadcrumbs(outline, source, self._tokenizer, limit, parts=self._context, text=text)

    def metadata_of(self, outline: Outline, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the metadata of the chunks of a text: the notes of the format, and the values of the caller.

        Args:
            outline: The outline of the text.
            metadata: Values of the caller.

        Returns:
            A new dict, in which a value of the caller takes the place of a note with the same name.
        """
        return {**outline.notes, **(metadata or {})}

    # --- as a value

    def _settings(self) -> tuple[object, ...]:
        """Return the settings, besides tokenizer and format, that its chunks depend on."""
        return self._budget, self._strategy, self._context

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, TextChunker):
            return NotImplemented
        same = self._settings() == other._settings() and self._tokenizer == other._tokenizer
        return same and alike(self._format, other._format)

    def __hash__(self) -> int:
        return hash((type(self), *self._settings()))

    def __repr__(self) -> str:
        budget = self._budget
        given: list[tuple[str, object, object]] = [
            ("tokenizer", name_of_tokenizer(self._tokenizer) or self._tokenizer, "o200k_base"),
            ("min_tokens", budget.min_tokens, budget.default_min_tokens),
            ("desired_tokens", budget.desired_tokens, None),
            ("overlap", budget.overlap, 0),
            ("overlap_by", budget.overlap_by, "unit"),
            ("context", True if self._context == {"breadcrumb"} else sorted(self._context), []),
            ("strategy", self._strategy, "grow"),
            ("reserve", budget.reserve, getattr(self._tokenizer, "reserve", 0)),
        ]
        told = "".join(f", {name}={value!r}" for name, value, default in given if value != default)
        return f"{type(self).__name__}({self._repr_prefix()}max_tokens={self.max_tokens}{told}{self._repr_suffix()})"

    def _repr_prefix(self) -> str:
        return ""

    def _repr_suffix(self) -> str:
        name = name_of(self._format)
        if type(self) is not TextChunker or name == "text":
            return ""
        return f", format={self._format if name is None else name!r}"


def chunks_locally(chunker: TextChunker) -> bool:
    """Whether the chunks of a part of a text depend on nothing else but its outline, so that a text can be chunked part by
    part.
    """
    kind = type(chunker)
    is_usual = kind.chunk is TextChunker.chunk and kind.pieces is TextChunker.pieces
    return is_usual and chunker.strategy == "grow" and chunker.context <= {"breadcrumb"}


class MarkdownChunker(TextChunker):
    """Chunk Markdown: whole sections, then blocks; lists by items, tables by rows, fenced code whole if it fits, prose
    by sentences.

    The context of a chunk is the headings above it.

    Args:
        max_tokens: The largest number of tokens of a chunk.
        options: Those of `TextChunker`.

    Raises:
        OptionError: As `TextChunker`.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(max_tokens, format="markdown", **options)


class CodeChunker(TextChunker):
    """Chunk source code: whole definitions with their decorators and comments, then members, statements and lines.

    The context of a chunk is the classes and functions around it.

    Args:
        language: The name of a programming language ("python", "C++", "rs"), a `tree_sitter.Language`, whose node names
            tell the structure, or a table of your own (`chunker.formats.code.grammar.Grammar`).
        max_tokens: The largest number of tokens of a chunk.
        isolate: Parse in a separate process, which is stopped if it takes too long: for untrusted sources.
        options: Those of `TextChunker`.

    Raises:
        UnknownLanguageError: There is no table for the language.
        MissingGrammarError: The grammar of the language is not installed.
        OptionError: As `TextChunker`.
        WrongTypeError: As `TextChunker`.
    """

    def __init__(
        self,
        language: str | Grammar | tree_sitter.Language,
        max_tokens: int = 512,
        *,
        isolate: bool = False,
        **options: Unpack[Options],
    ) -> None:
        require(isolate, bool, "isolate", "True or False")
        super().__init__(max_tokens, format=code_format(language, isolate=isolate), **options)
        self._isolate = isolate

    def _repr_prefix(self) -> str:
        return f"{self.language!r}, "

    def _repr_suffix(self) -> str:
        return ", isolate=True" if self._isolate else ""
