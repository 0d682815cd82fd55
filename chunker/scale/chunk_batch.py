"""`ChunkBatch`: a table of texts in, a table of their chunks out.

    path     text         stars          text       body       context  token_count  start  end ... index  kind     path     stars
    a.md     "# A ..."    3        ->    "# A ..."  "# A ..."  ""       212          0      900     0      section  a.md     3
    b.py     null         1              "## B..."  "## B..."  "A\\n"    190          900    1800    1      section  a.md     3

The chunks come in the order of the texts and equal `chunker_for(path, ...).chunk(text)`. The other columns are repeated
for each chunk. Any engine that calls a class on batches can use `ChunkBatch`.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import Counter
from collections.abc import Callable, Collection
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

import pyarrow as pa

from bpe_engine.errors import BpeEngineError
from chunker.arguments import require, require_all, require_text, told
from chunker.chunkers import TextChunker
from chunker.counting.tokenizer_files import file_hash, tokenizer_path
from chunker.errors import ChunkerError, OptionError, WrongTypeError
from chunker.fields import TABLE_COLUMNS, identity_of, note_of
from chunker.files.chunk_files import Cut
from chunker.formats import Outline
from chunker.formats.sketches import Sketch
from chunker.options import Options
from chunker.scale.chunk_columns import COLUMNS, chunk_columns
from chunker.scale.errors import ColumnError, RowError
from chunker.scale.texts import column_of, text_type, texts

Problems = Literal["raise", "rows"]

AUTO = "auto"
# Common column names for the name of the file, in order of preference.
SOURCES = ("path", "source", "file_path", "file_name", "filename")
# Prefix for the names of columns that would clash with a column of chunks.
PREFIX = "document_"
PROBLEM = "problem"

_OTHERS = {
    "breadcrumb": pa.list_(pa.string()),
    "language": pa.string(),
    "note": pa.string(),
    "metadata": pa.string(),
}
# In the order of the table. The source is a column of the input. None: columns of texts have the type of the input
# texts.
_COLUMNS: dict[str, pa.DataType | None] = {
    name: _OTHERS[name] if name in _OTHERS else COLUMNS[name] for name in TABLE_COLUMNS if name != "source"
}


class BatchSettings(TypedDict, total=False):
    """The options of `ChunkBatch` besides those of a chunker."""

    text: str
    source: str | None
    keep: Collection[str] | None
    problems: Problems
    chunker: TextChunker | None


class ChunkSettings(Options, BatchSettings, total=False):
    """All options of `ChunkBatch` besides `max_tokens`."""


class ChunkBatch:
    """Chunk the texts of a table into a table with one row per chunk. Call it with a table.

    It holds only settings, so it can be pickled; each process loads the tokenizer once. Nulls and empty texts have no
    chunks.

    Args:
        max_tokens: The largest number of tokens of a chunk.
        text: The column of texts: strings, bytes, or a dictionary of them.
        source: The column with the name of the file, which determines its format and is part of a context. By default
            the first of "path", "source", "file_path", "file_name" and "filename" that the table has; None for no such
            column.
        keep: The other columns to repeat for each chunk; by default all. A column that has the name of a column of
            chunks gets the prefix "document_".
        problems: How to handle a document that cannot be chunked: "raise" a `RowError`, or "rows" to give it one row,
            whose column `problem` says why. In other rows that column is null.
        chunker: Chunk all texts with this chunker, in place of one for each format.
        options: Those of `chunker.chunker_for`.

    Raises:
        OptionError: The options cannot be used together.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        *,
        text: str = "text",
        source: str | None = AUTO,
        keep: Collection[str] | None = None,
        problems: Problems = "raise",
        chunker: TextChunker | None = None,
        **options: Unpack[Options],
    ) -> None:
        require_text(text, "text, the name of a column,")
        require(source, (str, type(None)), "source, the name of a column,", "a str or None")
        if keep is not None:
            require_all(keep, str, "keep", "names of columns")
        require(chunker, (TextChunker, type(None)), "chunker", "a chunker or None")
        if problems not in get_args(Problems):
            raise OptionError(f"problems must be one of {', '.join(get_args(Problems))}; got {problems!r}")
        if chunker is not None and (options or max_tokens != 512):
            raise OptionError("a chunker has its own options: pass either a chunker or options")
        self._text = text
        self._source = source
        self._keep = None if keep is None else tuple(keep)
        self._problems = problems
        self._chunker = chunker
        self._max_tokens = max_tokens
        self._options = options
        # Created here to raise for invalid options; not pickled.
        self._cut: Cut | None = None if chunker is not None else Cut(max_tokens, **options)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cut": None}

    def __call__(self, table: Any) -> pa.Table:  # noqa: ANN401  # whatever hands out Arrow
        """Chunk the texts of a table.

        Args:
            table: A pyarrow table or batch, or any data frame with Arrow's C interface, as those of pandas and polars.

        Returns:
            The chunks, in the order of the texts.

        Raises:
            ColumnError: The table lacks a column, or its type is wrong.
            RowError: A document cannot be chunked, and `problems` is "raise".
        """
        given = table_of(table)
        schema = self.schema(given.schema)
        text = given.column(column_of(given.schema, self._text))
        source = self._source_of(given.schema)
        names = iter(texts(given.column(column_of(given.schema, source)))) if source is not None else repeat(None)
        rows = _Rows(schema.field(0).type, text.nbytes)
        for number, document in enumerate(texts(text)):
            self._add(rows, number, document, next(names))
        made = rows.arrays()
        columns = [made[name] if name in made else pa.nulls(len(rows), pa.string()) for name in self._columns()]
        columns += [_taken(given.column(number), rows.documents) for number, _ in self._carried(given.schema)]
        return pa.table(columns, schema=schema)

    def schema(self, given: pa.Schema) -> pa.Schema:
        """The schema of the result for a table with a given schema.

        Args:
            given: The schema of a table of texts.

        Returns:
            The columns of chunks, then those that are carried over from the table of texts.

        Raises:
            ColumnError: A column is missing, or its type is wrong.
        """
        kind = given.field(column_of(given, self._text)).type
        wide = text_type(kind)
        if wide is None:
            raise ColumnError(f"column {self._text!r} holds {kind}, no texts")
        source = self._source_of(given)
        if source is not None and text_type(given.field(column_of(given, source)).type) is None:
            raise ColumnError(f"column {source!r} holds {given.field(source).type}, no names")
        ours = [pa.field(name, wide if kind is None else kind) for name, kind in self._columns().items()]
        carried = [given.field(number).with_name(name) for number, name in self._carried(given)]
        return pa.schema([*ours, *carried])

    def fingerprint(self) -> str:
        """Return 32 hexadecimal digits that depend on every setting that changes the chunks."""
        settings = {name: value for name, value in sorted(self.__dict__.items()) if name != "_cut"}
        settings["_tokenizer"] = _tokenizer_hash(self._options.get("tokenizer"))
        settings["_columns"] = list(_COLUMNS)  # a table with other columns has other rows
        return hashlib.blake2b(_described(settings), digest_size=16).hexdigest()

    def _columns(self) -> dict[str, pa.DataType | None]:
        return _COLUMNS if self._problems == "raise" else {**_COLUMNS, PROBLEM: pa.string()}

    def _source_of(self, schema: pa.Schema) -> str | None:
        if self._source != AUTO:
            return self._source
        return next((name for name in SOURCES if len(schema.get_all_field_indices(name)) == 1), None)

    def _carried(self, schema: pa.Schema) -> list[tuple[int, str]]:
        """Return the index of each column that is repeated, and its name in the result."""
        kept = [name for name in schema.names if name != self._text] if self._keep is None else self._keep
        taken = {*self._columns(), *kept}
        carried = []
        for name in kept:
            number, free = column_of(schema, name), name
            if name in self._columns():
                while free in taken:
                    free = PREFIX + free
                taken.add(free)
            carried.append((number, free))
        return carried

    def _add(self, rows: _Rows, number: int, text: str | None, source: str | None) -> None:
        if not text:
            return
        try:
            chunker = self._chunker_for(source or "", text)
            outline = chunker.sketch(text)
            fresh = rows.add_chunks(chunker, text, outline, source)
        except Exception as error:
            known = isinstance(error, ChunkerError | BpeEngineError)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            if self._problems == "raise":
                raise RowError(number, source, reason) from error
            rows.add_problem(number, reason)
        else:
            rows.add_document(
                number,
                fresh,
                language=chunker.language,
                metadata=chunker.metadata_of(outline),
                breadcrumb=outline.breadcrumb if _may_have_names(outline) else None,
            )

    def _chunker_for(self, source: str, text: str) -> TextChunker:
        if self._chunker is not None:
            return self._chunker
        if self._cut is None:
            self._cut = Cut(self._max_tokens, **self._options)
        return self._cut.chunker(source, text)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"ChunkBatch({self._max_tokens}, text={self._text!r}, source={self._source!r}{given})"


def _may_have_names(outline: Outline) -> bool:
    """Return whether a breadcrumb in this outline may have names."""
    return isinstance(outline, Sketch) or bool(outline.scopes)


def _tokenizer_hash(tokenizer: object) -> str:
    """Return the hash of a tokenizer file, because the chunks depend on its contents, not only on its path."""
    path = tokenizer_path(tokenizer) if isinstance(tokenizer, str | Path) else None
    return "" if path is None else file_hash(path)


class _Rows:
    """The columns of chunks so far. `wide` is the type of texts, `size` the number of bytes that they have, about.

    What documents say of all of their rows is kept once for documents in a row that say the same: most of a table do.
    """

    def __init__(self, wide: pa.DataType, size: int) -> None:
        self._wide = wide
        self._columns = chunk_columns(size)
        self.documents: list[int] = []  # for each row, the number of its document
        # Language, notes and metadata (as JSON), and the number of rows.
        self._told: list[tuple[str | None, str | None, str]] = []
        self._sizes: list[int] = []
        self._names: list[str] = []  # the names in the breadcrumbs of all rows
        self._ends = [0]  # the number of names up to the end of each row
        self._problems: list[tuple[int, str]] = []  # by row

    def __len__(self) -> int:
        return len(self.documents)

    def add_chunks(self, chunker: TextChunker, text: str, outline: Outline, source: str | None) -> list[int]:
        """Add the columns that are made of the chunks of a text, or nothing if it cannot be chunked. Return where the new
        text of each begins.
        """
        maker = chunker.maker(text, outline, chunker.context_of(text, outline, source))
        return self._columns.add(text, maker, identity_of(source))

    def add_document(
        self,
        number: int,
        fresh: list[int],
        *,
        language: str | None,
        metadata: dict[str, Any],
        breadcrumb: Callable[[int], tuple[str, ...]] | None,
    ) -> None:
        """Add the columns of a document whose chunks were added. `fresh`: where the new text of each begins; `breadcrumb`
        returns the names of the scopes around an offset, None if there are no scopes.
        """
        size = len(fresh)
        self.documents += [number] * size
        told: tuple[str | None, str | None, str] = language, None, "{}"
        if metadata:
            told = language, note_of(metadata), json.dumps(metadata, ensure_ascii=False, separators=(",", ":"))
        if self._told and self._told[-1] == told:
            self._sizes[-1] += size
        else:
            self._told.append(told)
            self._sizes.append(size)
        names = self._names
        if breadcrumb is None:
            self._ends += [len(names)] * size
            return
        for place in fresh:
            names += breadcrumb(place)
            self._ends.append(len(names))

    def add_problem(self, number: int, reason: str) -> None:
        """Add the row of a document that could not be chunked."""
        self._problems.append((len(self.documents), reason))
        self.documents.append(number)

    def arrays(self) -> dict[str, pa.Array]:
        """Return the columns by name."""
        made = self._columns.arrays(self._wide)
        for place, name in enumerate(("language", "note", "metadata")):
            made[name] = _repeated([told[place] for told in self._told], self._sizes)
        made["breadcrumb"] = pa.ListArray.from_arrays(
            pa.array(self._ends, pa.int32()), pa.array(self._names, pa.string())
        )
        if self._problems:
            # For each row of the table, the row in the columns; None for a problem.
            reasons = dict(self._problems)
            numbers = iter(range(sum(self._sizes)))
            places = pa.array([None if row in reasons else next(numbers) for row in range(len(self))], pa.int64())
            made = {name: column.take(places) for name, column in made.items()}
            made[PROBLEM] = pa.array([reasons.get(row) for row in range(len(self))], pa.string())
        return made


def _repeated(values: list[str | None], sizes: list[int]) -> pa.Array:
    """Return a column that has each of the values so many times."""
    # pa.repeat does not look whether its offsets have room.
    if len(values) == 1 and len((values[0] or "").encode()) * sizes[0] < 1 << 31:
        return pa.repeat(pa.scalar(values[0], pa.string()), sizes[0])
    return pa.array(chain.from_iterable(map(repeat, values, sizes)), pa.string())


def table_of(given: Any) -> pa.Table:  # noqa: ANN401  # whatever hands out Arrow
    """Convert a batch, or an object with Arrow's C interface, to a pyarrow table. Raises `WrongTypeError`."""
    if isinstance(given, pa.Table):
        return given
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return pa.table(given)
    raise WrongTypeError(
        f"table must be a pyarrow.Table or RecordBatch, or a frame with __arrow_c_stream__, not {told(given)}"
    )


def _taken(column: pa.ChunkedArray, rows: list[int]) -> pa.ChunkedArray:
    """Return the values of a column at these rows."""
    try:
        return column.take(pa.array(rows, pa.int64()))
    except pa.ArrowNotImplementedError:
        # Arrow cannot yet take rows of views and other new types: slice each row, and concatenate the slices.
        parts = [part for number, count in Counter(rows).items() for part in [column.slice(number, 1).chunk(0)] * count]
        return pa.chunked_array([pa.concat_arrays(parts)] if parts else [], column.type)


def _described(value: object) -> bytes:
    """Return bytes that are equal for equal settings: JSON where possible, a hash of the pickle otherwise."""
    return json.dumps(value, sort_keys=True, default=_other).encode()


def _other(value: object) -> Any:  # noqa: ANN401  # whatever JSON can take
    if isinstance(value, set | frozenset):
        return sorted(value)
    return [type(value).__name__, hashlib.blake2b(pickle.dumps(value), digest_size=16).hexdigest()]
