"""Hit: a result of a search in an index. Prompts are assembled from hits, also without an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chunker.fields import FIELDS, HIT_FIELDS, content_hash_of, id_of, identity_of, note_of
from chunker.span import Span


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found.

    Args:
        source: The path or name of its document.
        tags: The tags of its document.
        span: The span of the body in the document.
        text: The context and the body.
        context: The lines before the body, or "".
        kind: The kind of text at its start: "function", "section", "paragraph" ...
        language: The language of the document; None for plain text.
        token_count: Tokens of `text`.
        score: The points of the ranking rules; the cosine if the search used only vectors.
        similarity: The cosine similarity to the question; None if vectors were not searched.
        also: Other occurrences of the same text, as "source:line".
        points: The points of each ranking rule; None unless requested.
        index: The index of the chunk in its document, from 0.
        breadcrumb: The names of the scopes around the chunk (classes, functions, sections), outermost first.
        metadata: Notes of formats and readers; "places" are the pages, boxes, slides or cells of the body.
    """

    source: str
    tags: tuple[str, ...]
    span: Span
    text: str
    context: str
    kind: str
    language: str | None
    token_count: int
    score: float
    similarity: float | None
    also: tuple[str, ...] = ()
    points: dict[str, float] | None = None
    index: int = 0
    breadcrumb: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def body(self) -> str:
        """The slice of the document: `text` without `context`."""
        return self.text[len(self.context) :]

    @property
    def id(self) -> str:
        """32 hexadecimal digits of the source, the offset and the text: the id of the chunk in its document."""
        return id_of(identity_of(self.source), self.span.start, self.text)

    @property
    def content_hash(self) -> str:
        """A hash of `text` alone, in 32 hexadecimal digits."""
        return content_hash_of(self.text)

    @property
    def note(self) -> str | None:
        """The notes of the format about the document, for people; or None."""
        return note_of(self.metadata)

    def record(self) -> dict[str, Any]:
        """Return the hit as JSON values: the fields of every chunk, the body only if it differs from the text, and the
        fields of hits.
        """
        told = {name: getattr(self, name) for name in (*FIELDS, *HIT_FIELDS) if name != "body" or self.context}
        lists = {name: list(told[name]) for name in ("breadcrumb", "tags", "also")}
        return {**told, **lists, "span": self.span.model_dump(), "metadata": dict(self.metadata)}
