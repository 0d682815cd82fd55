"""Chunk: the result of chunking. It is immutable, compares by value, can be hashed and pickled, and can be a field of
pydantic models.

    chunk = (origin, index, piece)      what a chunker makes: 0.4 us
    chunk.body, chunk.id, chunk.span    found in the origin, the text that all chunks of it share, when they are asked for

`model_dump_json` and `model_validate_json` turn it into JSON and back, as they do a `Span`.

Tried and rejected: a pydantic model with these fields in private state takes 1.0 us to make, and keeps a dict for each
chunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from chunker.fields import content_hash_of, note_of, told_names
from chunker.growing.pieces import Piece
from chunker.span import Span

if TYPE_CHECKING:  # the models are built only if chunks are validated, or dumped as JSON
    from pydantic import BaseModel, GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

    from chunker.schemas import ChunkFields

__all__ = ["Chunk", "Origin", "Span", "is_placed", "placed"]


class Origin(Protocol):
    """Protocol of the source of a chunk's values: a text, or the fields of one chunk."""

    @property
    def language(self) -> str | None:
        """The language of the text; see `Chunk` for all fields."""
        ...

    @property
    def source(self) -> str | None:
        """The source of the text."""
        ...

    def metadata_of(self, index: int) -> Mapping[str, Any]:
        """Return the metadata of the chunk of this index. Do not change it."""
        ...

    def body(self, piece: Piece) -> str:
        """Return the text of a piece."""
        ...

    def span(self, index: int) -> Span:
        """Return the span of the chunk of this index."""
        ...

    def breadcrumb(self, index: int) -> tuple[str, ...]:
        """Return the names of the regions around the chunk of this index."""
        ...

    def id(self, piece: Piece) -> str:
        """Return the id of the chunk made from a piece."""
        ...


class Chunk:
    """A chunk of a text that fits a token budget.

    `token_count` is exactly the number of tokens of `text`, and `text` is `context + body`: the lines of context, if
    requested, then the slice of the input that `span` describes.

    A chunk made by a chunker keeps the whole input text in memory, and computes all fields except `context`,
    `token_count`, `kind` and `index` from it on access. A chunk that was unpickled or made by `Chunk(body=...)` has its
    own values.

    Args:
        body: The slice of the input.
        token_count: Tokens of `text`.
        span: The span of the body in the input.
        kind: The kind of text at the start of the body: "function", "section", "paragraph", "line", ...
        id: A hash of the source, of the offset of the body, and of `text`. No other chunk of the same sources has it.
        context: Lines before the body: its breadcrumb, and lines of the text that a reader needs; or "".
        language: "python", "markdown", ...; None for plain text.
        index: The index of the chunk in its text, from 0.
        breadcrumb: The names of the regions around the chunk (without its overlap), outermost first, also if they are
            not in its context.
        source: The name of the text, usually a path, or None.
        metadata: Your own values, and notes of formats and readers. For a file that is read by pages, cells or the
            like, "places" are the pages or cells of the body.
    """

    __slots__ = ("__weakref__", "_index", "_origin", "_piece")

    _index: int
    _origin: Origin
    _piece: Piece

    # The fields, in the order in which they are shown.
    _FIELDS: ClassVar[tuple[str, ...]] = (
        *("body", "context", "token_count", "span", "kind", "language"),
        *("index", "breadcrumb", "id", "source", "metadata"),
    )

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """Return the names of the fields, in the order of JSON. `text` and `content_hash` are computed from them."""
        return cls._FIELDS

    def __init__(  # noqa: PLR0913  # as many as there are fields
        self,
        *,
        body: str,
        token_count: int,
        span: Span,
        kind: str,
        id: str,  # noqa: A002  # its name in JSON
        context: str = "",
        language: str | None = None,
        source: str | None = None,
        index: int = 0,
        breadcrumb: tuple[str, ...] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        origin = _Given(body, span, id, tuple(breadcrumb), language, source, dict(metadata or {}))
        placed(self, origin, index, Piece(span.start, span.end, context, token_count, kind))

    @property
    def body(self) -> str:
        """The slice of the input."""
        return self._origin.body(self._piece)

    @property
    def context(self) -> str:
        """The lines before the body, or ""."""
        return self._piece.context

    @property
    def text(self) -> str:
        """The text that fits the budget: `context`, then `body`."""
        body = self._origin.body(self._piece)
        return self._piece.context + body if self._piece.context else body

    @property
    def token_count(self) -> int:
        """Tokens of `text`."""
        return self._piece.tokens

    @property
    def span(self) -> Span:
        """The span of the body in its text. The first access measures all chunks of the text."""
        return self._origin.span(self._index)

    @property
    def kind(self) -> str:
        """The kind of text at the start of the body: "function", "paragraph", ..."""
        return self._piece.label

    @property
    def language(self) -> str | None:
        """The language of the text; None for plain text."""
        return self._origin.language

    @property
    def index(self) -> int:
        """The index of the chunk among those of its text, from 0."""
        return self._index

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """The names of the regions around the chunk (without its overlap), outermost first."""
        return self._origin.breadcrumb(self._index)

    @property
    def source(self) -> str | None:
        """The name of the text, usually a path; None if none was given."""
        return self._origin.source

    @property
    def note(self) -> str | None:
        """The notes of the format about the text, for people: that it had errors, that it was cut as plain text; or
        None.
        """
        return note_of(self._origin.metadata_of(self._index))

    @property
    def id(self) -> str:
        """A hash of the source, the offset and the text, in 32 hexadecimal digits. Computed on each access."""
        return self._origin.id(self._piece)

    @property
    def content_hash(self) -> str:
        """A hash of `text` alone, in 32 hexadecimal digits: equal for equal texts, wherever they occur."""
        return content_hash_of(self.text)

    @property
    def metadata(self) -> dict[str, Any]:
        """The notes of the format, and what the caller gave: a copy."""
        return dict(self._origin.metadata_of(self._index))

    # --- as a value

    def __setattr__(self, name: str, value: object) -> None:
        from chunker.schemas import frozen_error  # noqa: PLC0415  # see above

        raise frozen_error(type(self), name, value)

    def __delattr__(self, name: str) -> None:
        from chunker.schemas import frozen_error  # noqa: PLC0415  # see above

        raise frozen_error(type(self), name, None)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Chunk):
            return NotImplemented
        if self._index != other._index or self._piece != other._piece:
            return False
        if self._origin is other._origin and type(self) is Chunk:
            return True
        return all(getattr(self, name) == getattr(other, name) for name in self._FIELDS)

    def __hash__(self) -> int:
        # These two values are equal for equal chunks, and cost nothing.
        return hash((self._index, self._piece))

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for name in told_names(self._FIELDS):
            yield name, getattr(self, name)

    def __repr__(self) -> str:
        span, text = self.span, self.text
        shown = repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
        source = "" if self.source is None else f"source={self.source!r}, "
        lines = f"{span.start_line}-{span.end_line}"
        return (
            f"{type(self).__name__}({self.index}, {source}lines={lines}, kind={self.kind!r}, tokens={self.token_count}, "
            f"text={shown})"
        )

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the location of the chunk, and its text."""
        from html import escape  # noqa: PLC0415  # only here

        where = " > ".join(filter(None, (self.source, *self.breadcrumb)))
        lines = f"lines {self.span.start_line}-{self.span.end_line}"
        head = ", ".join(filter(None, (f"chunk {self.index}", where, self.kind, lines, f"{self.token_count:,} tokens")))
        style = "white-space:pre-wrap;border-left:3px solid #6c8ebf;padding-left:.8em;margin:.3em 0"
        context = f'<span style="opacity:.6">{escape(self.context)}</span>' if self.context else ""
        return f'<div><small>{escape(head)}</small><pre style="{style}">{context}{escape(self.body)}</pre></div>'

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), {name: getattr(self, name) for name in self._FIELDS})

    def record(self) -> dict[str, Any]:
        """Return the chunk as JSON values: all of `chunker.fields.FIELDS`, the body only if it differs from the text.
        The command, the index and the servers use this form.
        """
        told = {name: getattr(self, name) for name in told_names(self._FIELDS) if name != "body" or self.context}
        told["breadcrumb"], told["span"] = list(told["breadcrumb"]), told["span"].model_dump()
        return told

    # --- as a pydantic model

    def model_dump(self, **options: Any) -> dict[str, Any]:  # noqa: ANN401  # those of pydantic
        """Return the fields, `text` and `content_hash` as a dict.

        Args:
            options: Those of pydantic's method of this name.

        Returns:
            A new dict, the name of each field -> its value, a nested model as a dict.
        """
        return self._told(options.get("exclude")).model_dump(**options)

    def model_dump_json(self, **options: Any) -> str:  # noqa: ANN401  # those of pydantic
        """Return the fields, `text` and `content_hash` as JSON.

        Args:
            options: Those of pydantic's method of this name.

        Returns:
            A JSON object.
        """
        return self._told(options.get("exclude")).model_dump_json(**options)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002  # as pydantic
        """Return a copy with other values of some fields.

        Args:
            update: Field -> value. Values are not checked.
            deep: Ignored: chunks are immutable. pydantic's method has it.

        Returns:
            A chunk of the same class.
        """
        fields = {name: getattr(self, name) for name in self._FIELDS}
        return type(self)(**{**fields, **(update or {})})

    @classmethod
    def model_validate(cls, value: object, **options: Any) -> Self:  # noqa: ANN401  # those of pydantic
        """Make a chunk from a mapping of its fields.

        Args:
            value: The mapping.
            options: Those of pydantic's method of this name.

        Returns:
            A chunk of the class that this is called on.

        Raises:
            ValidationError: A field is missing or wrong; pydantic's error.
        """
        made: Self = cls._adapter().validate_python(value, **options)
        return made

    @classmethod
    def model_validate_json(cls, value: str | bytes | bytearray, **options: Any) -> Self:  # noqa: ANN401  # those of pydantic
        """Make a chunk from JSON.

        Args:
            value: A JSON object with its fields.
            options: Those of pydantic's method of this name.

        Returns:
            A chunk of the class that this is called on.

        Raises:
            ValidationError: The value is not JSON, or a field is missing or wrong; pydantic's error.
        """
        made: Self = cls._adapter().validate_json(value, **options)
        return made

    @classmethod
    def model_json_schema(cls, **options: Any) -> dict[str, Any]:  # noqa: ANN401  # those of pydantic
        """Return the JSON schema of a chunk.

        Args:
            options: Those of pydantic's method of this name.

        Returns:
            The schema as a dict, which `json.dumps` can write.
        """
        return cls._adapter().json_schema(**options)

    def _told(self, exclude: object) -> BaseModel:
        """Return the model that pydantic dumps instead of this chunk, without the excluded fields, which may be
        expensive to compute.
        """
        from chunker.schemas import told_as  # noqa: PLC0415  # see above

        left_out = exclude if isinstance(exclude, set | frozenset) else ()
        names = (name for name in told_names(self._FIELDS) if name not in left_out)
        return told_as(self._fields_model(), {name: getattr(self, name) for name in names})

    @classmethod
    def _adapter(cls) -> TypeAdapter[Any]:
        from chunker.schemas import adapter_of  # noqa: PLC0415  # see above

        return adapter_of(cls)

    @classmethod
    def _fields_model(cls) -> type[ChunkFields]:
        """Return the pydantic model with the fields of this class."""
        from chunker.schemas import ChunkFields  # noqa: PLC0415  # see above

        return ChunkFields

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from chunker.schemas import schema_of  # noqa: PLC0415  # see above

        return schema_of(cls, cls._fields_model(), handler)


Kind = TypeVar("Kind", bound=Chunk)

_SHOWN = 60  # characters of a text in a repr


_set_origin = Chunk.__dict__["_origin"].__set__
_set_index = Chunk.__dict__["_index"].__set__
_set_piece = Chunk.__dict__["_piece"].__set__


def placed(chunk: Kind, origin: Origin, index: int, piece: Piece) -> Kind:
    """Set the parts of a new chunk. Returns the chunk."""
    _set_origin(chunk, origin)
    _set_index(chunk, index)
    _set_piece(chunk, piece)
    return chunk


def is_placed(chunk: Chunk, origin: Origin, index: int, piece: Piece) -> bool:
    """Whether `placed` has made this chunk, and of no other class."""
    is_same = chunk._origin is origin and chunk._piece is piece and chunk._index == index  # noqa: SLF001  # its own module
    return is_same and type(chunk) is Chunk


class _Given(NamedTuple):
    """The fields of a single chunk that are not part of its piece."""

    given_body: str
    given_span: Span
    given_id: str
    given_breadcrumb: tuple[str, ...]
    language: str | None
    source: str | None
    metadata: Mapping[str, Any]

    def body(self, _piece: Piece) -> str:
        return self.given_body

    def metadata_of(self, _index: int) -> Mapping[str, Any]:
        return self.metadata

    def span(self, _index: int) -> Span:
        return self.given_span

    def breadcrumb(self, _index: int) -> tuple[str, ...]:
        return self.given_breadcrumb

    def id(self, _piece: Piece) -> str:
        return self.given_id


def _unpickled(kind: type[Chunk], fields: dict[str, Any]) -> Chunk:
    return kind(**fields)
