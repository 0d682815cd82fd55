"""What a search in an index finds. It needs no index: prompts are made of hits, too."""

from __future__ import annotations

from dataclasses import dataclass

from chunker.models import Span


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `source` and `span` say where it stands; `also` where else the same text does, as "source:line".

    `score`: that of the fusion, or what it was found by. `similarity`: the cosine with the question, None if vectors were not asked.
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

    @property
    def body(self) -> str:
        """The text without its context: the slice of the file."""
        return self.text[len(self.context) :]
