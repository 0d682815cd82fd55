"""`EditedText`: a text that is edited. After each edit only the chunks around it are made again.

    text = EditedText(MarkdownChunker(512), content)
    change = text.replace(2_000, 2_010, "other words")
    text.chunks[change.first : change.first + change.added]         what to embed anew

The chunks always equal those of the whole text.

    before     |----|----|----|--x-|----|----|----|        x: the edit
    after      |----|----|=====|=======|-|----|----|
                    ^ read from here    ^ a chunk begins where one began, and the grower stands there as it did: all others follow

Plain text, Markdown, reStructuredText, LaTeX and HTML, and without context JSON, JSON Lines, CSV, TOML, YAML and
notebooks, are parsed only around the edit. At least this much is parsed: of HTML, the text between two blocks; of
reStructuredText, that between two blocks in no others but directives; of the other markups, the text between two
headings or paragraphs outside of all lists and environments; of YAML, the text between two keys of little depth; of
notebooks, a cell; of source code, some statements before and after the edit, and around a syntax error that it causes. All
other formats, the strategy "optimal", and contexts of more than breadcrumbs are parsed and chunked as a whole after
each edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from chunker.arguments import require, require_source, require_text, whole_number
from chunker.chunkers import TextChunker
from chunker.edits.blocks import BlockText
from chunker.edits.reading import reader_of
from chunker.edits.rows import EditedRow, Mark, Pieces, Rows, Stand
from chunker.edits.windows import StartsTooLateError, TooNarrowError, WindowReader, same_stand
from chunker.errors import BudgetTooSmallError, OptionError
from chunker.formats.outline import Outline
from chunker.formats.restarting import NotLocalError
from chunker.growing.assembly import LateBreadcrumbs, TextOrigin
from chunker.growing.budget import moved
from chunker.models import Chunk

_NOTHING = Stand((), 0, 0)
# A window ends this many restart offsets after the text that the chunks around the edit looked at, because the last
# ones are never certain.
_MORE = 3
# Characters that the grower may look farther after an edit than before it. Without them every fifth window of code is too small.
_FARTHER = 384
# How many times as many restart offsets before an edit are read if an error may begin before them.
_FARTHER_BACK = 6


class ChunkChange(NamedTuple):
    """The effect of an edit on the chunks.

    Args:
        first: The number of the first chunk that changed.
        removed: How many chunks have gone from there.
        added: How many chunks are in their place.
    """

    first: int
    removed: int
    added: int


class EditedText:
    """A text, its chunks, and edits.

    Args:
        chunker: Makes the chunks.
        text: The text to begin with.
        source: As for `TextChunker.chunk`: usually a path.

    Raises:
        BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.
        WrongTypeError: An argument has a wrong type.

    Examples:
        >>> text = EditedText(TextChunker(6, min_tokens=0), "One line here.\\nAnother line.\\nThe last of them.\\n")
        >>> text.replace(0, 3, "No")
        ChunkChange(first=0, removed=1, added=1)
        >>> text.chunks[0].body
        'No line here.\\n'
    """

    def __init__(self, chunker: TextChunker, text: str, *, source: str | None = None) -> None:
        require(chunker, TextChunker, "chunker", "a chunker, such as TextChunker(512)")
        require_text(text)
        require_source(source)
        self._chunker = chunker
        self._source = source
        self._text = BlockText.of(text)
        self._reader: WindowReader | None = None
        self._whole: list[Chunk] | None = None  # if the whole text is parsed after each edit
        self._rows = Rows([], [])
        self._chunks: Sequence[Chunk] | None = None
        self._read(self._text)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return str(self._text)

    @property
    def chunks(self) -> Sequence[Chunk]:
        """The chunks of the text as it is now. A sequence that was returned before an edit does not change."""
        if self._chunks is None:
            self._chunks = self._whole if self._whole is not None else _Chunks(self._origin(), len(self._rows.rows))
        return self._chunks

    @property
    def is_local(self) -> bool:
        """Whether an edit takes the time of the text around it, not of the whole text."""
        return self._reader is not None

    def __repr__(self) -> str:
        chunks = len(self._rows.rows if self._whole is None else self._whole)
        return f"<EditedText: {len(self._text)} characters, {chunks} chunks>"

    def replace(self, start: int, end: int, text: str) -> ChunkChange:
        """Replace `text[start:end]`.

        Args:
            start: Offset of the first character to replace.
            end: Offset after the last one.
            text: The new text in their place; "" deletes.

        Returns:
            The numbers of the chunks that have changed.

        Raises:
            OptionError: The offsets are outside the text. Nothing is changed.
            BudgetTooSmallError: One character of the text needs more tokens than a chunk may have. Nothing is changed.
        """
        require_text(text)
        start, end = whole_number(start, "start", " of characters"), whole_number(end, "end", " of characters")
        if not 0 <= start <= end <= len(self._text):
            raise OptionError(f"an edit must be inside the text, 0 to {len(self._text)}; got {start} to {end}")
        old = self._text
        new = old.replaced(start, end, text)
        self._check(new, start, start + len(text))
        change = None
        if self._reader is not None and start >= self._reader.decided_by and self._rows.rows and len(new):
            try:
                change = self._reread(self._reader, new, start, end)
            except NotLocalError:
                change = None
        if change is None:
            before = self._rows if self._whole is None else self._whole
            self._read(new)
            change = self._compared(before, str(old), str(new))
        self._text = new
        self._chunks = None
        return change

    # --- all of the text

    def _read(self, text: BlockText) -> None:
        """Chunk all of the text."""
        self._reader = reader_of(self._chunker, self._source, str(text))
        if self._reader is not None:
            try:
                self._rows = self._grown(self._reader, text)
            except NotLocalError:
                self._reader = None
        self._whole = None if self._reader is not None else self._chunker.chunk(str(text), source=self._source)

    def _grown(self, reader: WindowReader, text: BlockText) -> Rows:
        self._chunker.budget.check(str(text), self._chunker.tokenizer)
        if not len(text):
            return Rows([], [])
        made = list(reader.window(text, 0, Mark(0, "", 0, ""), (len(text), ""), 0).grow(0, _NOTHING))
        return Rows([one.row for one in made], [one.step for one in made])

    def _compared(self, before: Rows | list[Chunk], old: str, new: str) -> ChunkChange:
        """Return the change between two lists of chunks, found by comparing all of them."""
        mine = _told(self._rows if self._whole is None else self._whole, new)
        theirs = _told(before, old)
        first = next(
            (number for number, (one, other) in enumerate(zip(theirs, mine, strict=False)) if one != other), None
        )
        first = min(len(theirs), len(mine)) if first is None else first
        most = min(len(theirs), len(mine)) - first
        last = next((number for number in range(most) if theirs[-1 - number] != mine[-1 - number]), most)
        return ChunkChange(first, len(theirs) - last - first, len(mine) - last - first)

    # --- the neighbourhood of an edit

    def _reread(self, reader: WindowReader, new: BlockText, start: int, end: int) -> ChunkChange:
        """Chunk the text around an edit of text[start:end], which turned the text into `new`."""
        reader = reader.edited(new, start, end, len(new) - len(self._text))
        back, size = 1, _FARTHER  # text before the last restart offset but one is parsed as before
        while True:
            kept = self._rows.place_before(start, back)
            try:
                return self._reread_from(kept, reader, new, (start, end), size)
            except StartsTooLateError:
                if kept == 0:
                    raise
                back *= _FARTHER_BACK
                size = max(size, start - kept)  # what is read after the edit keeps up with that before it

    def _reread_from(
        self, kept: int, reader: WindowReader, new: BlockText, edit: tuple[int, int], size: int
    ) -> ChunkChange:
        """Chunk again as `_reread` does, from the first chunk on for which the grower looked at text after `kept`, in
        windows that end `size` characters or more after the edit.
        """
        start, end = edit
        longer = len(new) - len(self._text)
        rows = self._rows
        first, stand = rows.stand(rows.first_reaching(kept))
        at, mark_at, mark = rows.starts[first], rows.mark(first), rows.rows[first].mark
        made: list[EditedRow] = []
        steps: list[int] = []
        ahead = rows.first_marked_from(end)
        usual = len(self._text) // max(len(rows.rows), 1)  # characters of a chunk
        while True:
            seen = rows.reach(max(ahead - 1, 0)) + longer if ahead < len(rows.rows) else len(new)
            until = (len(new), "")
            # A chunk is uncertain if the grower looked as far as the end of the certain text.
            last = rows.place_from(max(seen, at) + 1 + size - longer, _MORE - 1)
            if last is not None:
                until = (last[0] + longer, last[1])
            size = max(2 * size, usual)
            try:
                window = reader.window(new, mark_at, mark, until, kept)
            except TooNarrowError:
                if until[0] == len(new):
                    raise
                continue
            known: Stand | None = stand
            for one in window.grow(at, stand):
                made.append(one.row)
                steps.append(one.step)
                at += one.step
                known = one.stand
                same = rows.at(at - longer)
                if same is None or rows.mark(same) < end or at >= len(new):
                    continue
                before, here = rows.rows[same], window.mark(at)
                if before.mark == here and same_stand(before.stand, known, window.settled - at):
                    self._reader = reader
                    return self._put(first, same, made, steps, start)
            if window.is_last:
                self._reader = reader
                return self._put(first, len(rows.rows), made, steps, start)
            while known is None:  # the next window begins with an earlier chunk
                at -= steps.pop()
                known = made.pop().stand
            stand = known
            here = window.mark(at)
            mark_at, mark = at + here.offset, here

    def _put(self, first: int, stop: int, made: list[EditedRow], steps: list[int], start: int) -> ChunkChange:
        """Replace rows[first:stop] by the rows made. Returns the change without the chunks before the edit, at
        `start`, that are unchanged.
        """
        before = self._rows
        self._rows = before.replaced(first, stop, made, steps)
        same, at = 0, before.starts[first]
        for row, other in zip(made, before.rows[first:stop], strict=False):
            if at + row.size > start or row[:5] != other[:5] or steps[same] != before.steps[first + same]:
                break
            at += steps[same]
            same += 1
        return ChunkChange(first + same, stop - first - same, len(made) - same)

    def _check(self, new: BlockText, start: int, end: int) -> None:
        """Raise `BudgetTooSmallError` for a character in new[start:end] that is over the budget."""
        first = max(start - 1, 0)
        try:
            self._chunker.budget.check(new.slice(first, end + 1), self._chunker.tokenizer)
        except BudgetTooSmallError as error:
            raise moved(error, first) from None

    def _origin(self) -> TextOrigin:
        notes = Outline([], notes=self._reader.notes if self._reader is not None else {})
        text = str(self._text)
        return TextOrigin(
            text,
            Pieces(self._rows),
            language=self._chunker.language,
            metadata=self._chunker.metadata_of(notes),
            source=self._source,
            breadcrumb=LateBreadcrumbs(text, self._chunker.format),
        )


class _Chunks(Sequence[Chunk]):
    """The chunks of one version of a text, each created on access."""

    def __init__(self, origin: TextOrigin, size: int) -> None:
        self._origin = origin
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Chunk: ...

    @overload
    def __getitem__(self, index: slice) -> list[Chunk]: ...

    def __getitem__(self, index: int | slice) -> Chunk | list[Chunk]:
        if isinstance(index, slice):
            return [self._origin.chunk(Chunk, number) for number in range(*index.indices(self._size))]
        number = index + self._size if index < 0 else index
        if not 0 <= number < self._size:
            raise IndexError(f"there is no chunk {index}: there are {self._size} chunks")
        return self._origin.chunk(Chunk, number)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._origin.chunks())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def _told(chunks: Rows | list[Chunk], text: str) -> list[tuple[str, str, int, str]]:
    """Return the text, context, token count and kind of each chunk."""
    if isinstance(chunks, Rows):
        return [(text[piece.start : piece.end], *piece[2:]) for piece in Pieces(chunks)]
    return [(chunk.body, chunk.context, chunk.token_count, chunk.kind) for chunk in chunks]
