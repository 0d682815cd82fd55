"""The common part of the plug-ins: choose the chunker for each text, strip the ends of its chunks, and describe them in
metadata.

    text      "# Guide\\n\\nFirst.\\n\\n## Install\\n\\nRun it.\\n"
    piece      ^........................                            from the chunker: the pieces cover the whole text
    passage    ^.....................                               stripped, if that fits the budget; its offsets are exact

This module depends on no other system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Unpack

from chunker import TextChunker, chunker_for
from chunker.counting import TokenCounter, UnitCounter
from chunker.errors import UnknownLanguageError
from chunker.fields import SPAN_FIELDS, content_hash_of, flat, id_of, identity_of, note_of
from chunker.formats import Format, Outline
from chunker.formats.detect import format_called
from chunker.formats.registry import format_names
from chunker.growing.pieces import Piece
from chunker.growing.spans import SpanMeter
from chunker.options import Options

AUTO = "auto"
_CHARACTERS = UnitCounter("characters")
# Metadata keys under which the file readers of LangChain, LlamaIndex, Haystack and chonkie put the name of the file.
_NAMES = ("source", "file_path", "file_name", "filename", "path")


class Passage(NamedTuple):
    """`text[start:end]`, with `tokens` tokens. `kind` is the kind of text that begins there, `breadcrumb` the names of
    the regions around it, `index` its number among the passages of its text, `note` a note of the format, `source` the
    name of the file that the text comes from.
    """

    text: str
    start: int
    end: int
    tokens: int
    kind: str
    breadcrumb: tuple[str, ...]
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    language: str | None
    index: int = 0  # type: ignore[assignment]  # a tuple has a method of this name
    note: str | None = None
    source: str | None = None

    def description(self) -> dict[str, int | str]:
        """Return metadata of the passage, with the names of `chunker.fields`: only numbers and strings, which every
        store accepts.
        """
        told = self._asdict()
        span = {name: told[name] for name in SPAN_FIELDS}
        made = {
            "id": id_of(identity_of(self.source), self.start, self.text),
            "content_hash": content_hash_of(self.text),
        }
        return flat({**told, **made, "token_count": self.tokens, "span": span})


class Slice(NamedTuple):
    """`text[start:end]`, with `tokens` tokens. `kind` is the kind of text that begins there; text from `fresh` on is in
    no earlier slice.
    """

    start: int
    end: int
    tokens: int
    kind: str
    fresh: int


class Chunkers:
    """The chunker for each text of a pipeline.

    `language`: None for plain text, any name of a language or format ("python", "C++", "rst"), or "auto" to detect it
    from the name of the file that a text comes from, or from the text. `format`: a `chunker.formats.Format` object,
    instead of `language`.

    Raises `UnknownLanguageError` and `MissingGrammarError`, both ValueErrors, and what `chunker.TextChunker` raises.
    """

    def __init__(
        self,
        max_tokens: int,
        language: str | None = None,
        *,
        format: Format | None = None,  # noqa: A002  # the word of TextChunker
        **options: Unpack[Options],
    ) -> None:
        self._max_tokens = max_tokens
        self._options = options
        self._auto = format is None and language == AUTO
        kept: str | Format = "text" if language is None or self._auto else named_format(language)
        self._fixed = TextChunker(max_tokens, format=kept if format is None else format, **options)

    @property
    def tokenizer(self) -> TokenCounter:
        """The tokenizer that counts."""
        return self._fixed.tokenizer

    def chunker(self, text: str, metadata: Mapping[str, object] | None = None) -> TextChunker:
        """Return the chunker for `text`, which may come from the file that its metadata names."""
        if not self._auto:
            return self._fixed
        return chunker_for(source_of(metadata) or "", self._max_tokens, text=text, **self._options)

    def passages(
        self,
        text: str,
        metadata: Mapping[str, object] | None = None,
        *,
        strip: bool = False,
        drop: Callable[[str], str] | None = None,
    ) -> Iterator[Passage]:
        """Yield the chunks of `text`. With `strip`, white space at their ends is removed, and chunks of white space
        only are dropped. Before that, `drop` removes an unwanted end of a chunk.

        If the shorter text had more tokens than the budget, because a word can cost more at the start of a text than
        after a space, it is not shortened.
        """
        chunker = self.chunker(text, metadata)
        outline = chunker.outline(text)
        meter = SpanMeter(text)
        note = note_of(outline.notes)
        source = source_of(metadata)
        for index, part in enumerate(_slices(text, chunker, outline, strip=strip, drop=drop)):
            place = meter.span(part.start, part.end).model_dump()
            yield Passage(
                text[part.start : part.end],
                tokens=part.tokens,
                kind=part.kind,
                breadcrumb=outline.breadcrumb(part.fresh),
                language=chunker.language,
                index=index,
                note=note,
                source=source,
                **place,
            )

    def texts(
        self,
        text: str,
        metadata: Mapping[str, object] | None = None,
        *,
        strip: bool = False,
        drop: Callable[[str], str] | None = None,
    ) -> list[str]:
        """Return the texts of the passages of `text`, for callers that need nothing else."""
        chunker = self.chunker(text, metadata)
        if drop is not None or not isinstance(chunker.tokenizer, UnitCounter):
            return [text[start:end] for start, end in self.slices(text, metadata, strip=strip, drop=drop)]
        if _is_one_chunk(text, chunker):
            body = text.strip() if strip else text
            return [body] if body else []
        return chunker.bodies(text, strip=strip)

    def slices(
        self,
        text: str,
        metadata: Mapping[str, object] | None = None,
        *,
        strip: bool = False,
        drop: Callable[[str], str] | None = None,
    ) -> list[tuple[int, int]]:
        """Return start and end of the passages of `text`. Faster than `passages`, because less of the text is
        parsed.
        """
        chunker = self.chunker(text, metadata)
        if drop is None and _is_one_chunk(text, chunker):
            start, end = _stripped(text, 0, len(text)) if strip else (0, len(text))
            return [(start, end)] if start < end else []
        return [(part.start, part.end) for part in _slices(text, chunker, chunker.sketch(text), strip=strip, drop=drop)]


def _is_one_chunk(text: str, chunker: TextChunker) -> bool:
    """Whether a text certainly is one chunk, by its length in characters alone."""
    fills = chunker.strategy == "grow" and chunker.desired_tokens is None and not chunker.context
    return fills and len(text) <= chunker.budget.max_tokens and chunker.tokenizer == _CHARACTERS


def _slices(
    text: str, chunker: TextChunker, outline: Outline, *, strip: bool, drop: Callable[[str], str] | None
) -> Iterator[Slice]:
    done = 0
    # A shorter text never has more characters, bytes or words.
    plain = strip and drop is None and isinstance(chunker.tokenizer, UnitCounter)
    for piece in chunker.pieces(text, outline, chunker.context_of(text, outline, None)):
        start, end, _, tokens, label = piece
        fresh, done = max(done, start), end  # after the overlap
        if plain:
            start, end = _stripped(text, start, end)
            tokens = chunker.tokenizer.count(text[start:end])
        elif strip or drop is not None:
            start, end, tokens = _trimmed(text, piece, chunker, _windows(text[start:end], strip=strip, drop=drop))
        if start < end:
            yield Slice(start, end, tokens, label, fresh)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of `text[start:end]` without the white space at its ends."""
    body = text[start:end].rstrip()
    return start + len(body) - len(body.lstrip()), start + len(body)


def _windows(body: str, *, strip: bool, drop: Callable[[str], str] | None) -> Iterator[tuple[int, int]]:
    """Yield the wanted part of a body, and larger parts that may replace it, in characters."""
    wanted = len(body) if drop is None else len(drop(body))
    if not strip:
        yield 0, wanted
        return
    kept = body if wanted == len(body) else body[:wanted]
    left, right = len(kept) - len(kept.lstrip()), len(kept.rstrip())
    if left == wanted:
        yield 0, 0
        return
    yield left, right
    last = len(body.rstrip())
    yield left, last
    yield 0, last
    yield left, len(body)


def _trimmed(text: str, piece: Piece, chunker: TextChunker, windows: Iterator[tuple[int, int]]) -> tuple[int, int, int]:
    """Return start, end and token count of the first of these parts of a piece that fits; of the whole piece, if none
    does.
    """
    whole = piece.end - piece.start
    for first, last in windows:
        if (first, last) == (0, whole):
            break
        start, end = piece.start + first, piece.start + last
        count = chunker.tokenizer.count_up_to(text[start:end], chunker.max_tokens)
        if count is not None:
            return start, end, count
    return piece.start, piece.end, piece.tokens


def named_format(language: str) -> str:
    """Return the name of the format for a language, given by any of its names. Raises `UnknownLanguageError`."""
    name = language if language in format_names() else format_called(language)
    if name is None:
        raise UnknownLanguageError(
            f"language {language!r} is not supported; choose one of {', '.join(format_names())}, "
            f'"{AUTO}" to tell it by the text and the name of its file, or None for plain text'
        )
    return name


def source_of(metadata: Mapping[str, object] | None) -> str | None:
    """Return the name of the file that a text comes from, if its metadata contains it.

    >>> source_of({"page": 3, "file_name": "notes.md"})
    'notes.md'
    """
    values = (metadata.get(name) for name in _NAMES) if metadata else ()
    return next((value for value in values if isinstance(value, str) and value), None)
