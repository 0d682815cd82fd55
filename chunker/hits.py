"""Hit: a result of a search in an index. Prompts are made of hits, too, without an index."""

from __future__ import annotations

from dataclasses import dataclass

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
        score: The points of the rules of the ranking; the cosine where it was by vectors alone.
        similarity: The cosine with the question; None if vectors were not searched.
        also: Other places of the same text, as "source:line".
        points: What each rule of the ranking gave; None if it was not asked for.
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

    @property
    def body(self) -> str:
        """The slice of the document: `text` without `context`."""
        return self.text[len(self.context) :]
