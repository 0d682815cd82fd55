"""Search: by vectors, by words, or by both fused.

    vectors   exact cosine with every row        1. c  2. a  3. d ...
    words     BM25 of full-text search           1. a  2. e  3. c ...
    fused     1/(60+1) + 1/(60+3) for c, ...     1. a  2. c  3. d ...

Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) needs ranks alone: a cosine and a BM25 have no scale in common.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chunker.arguments import require_all
from chunker.hits import Hit
from chunker.index.store import Snapshot
from chunker.index.vectors import Vectors
from chunker.index.words import query_of
from chunker.models import Span

By = Literal["both", "vectors", "words"]

# The constant of reciprocal rank fusion, as its authors have it.
_FUSION = 60
# How far down each list is read: what both have at the 40th place is not found by reading ten of each.
_LEAST_DEPTH = 50
_DEPTH = 5
# Places of one text that a hit names.
_PLACES = 16


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that hits must meet. An empty tuple allows anything.

    Args:
        tags: The tag of the file is one of these.
        sources: The name of the file matches one of these patterns (`*`, `?` and `[...]`; `*` matches slashes, too).
        languages: The language of the file is one of these.
        kinds: The kind of the chunk is one of these.

    Raises:
        WrongTypeError: A value is no collection of names, such as a single str.
    """

    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises `WrongTypeError` for what is no collection of names, such as a single str."""
        for name in ("tags", "sources", "languages", "kinds"):
            require_all(getattr(self, name), str, name, "str")

    def condition(self) -> tuple[str, list[str]]:
        """As a condition of SQL over files f, versions v and places p, with its values."""
        parts: list[str] = []
        values: list[str] = []
        for column, wanted in (("f.tag", self.tags), ("v.language", self.languages), ("p.kind", self.kinds)):
            if wanted:
                parts.append(f"{column} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        if self.sources:
            parts.append("(" + " OR ".join(["f.source GLOB ?"] * len(self.sources)) + ")")
            values += self.sources
        return " AND ".join(parts), values


class Search:
    """One search in one snapshot. `vector`: of the question, with length 1; None not to search by vectors."""

    def __init__(self, snapshot: Snapshot, vector: Vectors | None, text: str | None, limit: int, only: Filter) -> None:
        self._connection = snapshot.connection
        self._vectors = snapshot.vectors
        self._vector = vector
        self._text = text
        self._limit = limit
        self._only = only

    def hits(self) -> list[Hit]:
        """The best hits, best first; equal ones in the order in which they came into the index."""
        depth = max(self._limit * _DEPTH, _LEAST_DEPTH)
        both = self._vector is not None and self._text is not None
        found = [] if self._vector is None else self._by_vectors(depth if both else self._limit)
        worded = [] if self._text is None else self._by_words(depth if both else self._limit)
        scores: dict[int, float]
        if both:
            scores = {}
            for ranked in (found, worded):
                for rank, (embedding, _) in enumerate(ranked, 1):
                    scores[embedding] = scores.get(embedding, 0.0) + 1 / (_FUSION + rank)
        else:
            scores = dict(found or worded)
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: self._limit]
        similarities = self._similarities([embedding for embedding, _ in best])
        return [self._hit(embedding, score, similarities.get(embedding)) for embedding, score in best]

    def _by_vectors(self, limit: int) -> list[tuple[int, float]]:
        """Embeddings and their cosine. Rows without places, or filtered out, are passed over: more are asked for until there are enough."""
        asked = limit + 16
        while True:
            numbers, scores = self._vectors.best(self._require_vector(), min(asked, len(self._vectors)))
            identifiers = self._of_rows([int(number) for number in numbers])
            found = [
                (identifiers[int(number)], float(score))
                for number, score in zip(numbers, scores, strict=True)
                if int(number) in identifiers
            ]
            if len(found) >= limit or asked >= len(self._vectors):
                return found[:limit]
            asked *= 8

    def _by_words(self, limit: int) -> list[tuple[int, float]]:
        """Embeddings and their BM25, larger for better."""
        query = query_of(self._text or "")
        if not query:
            return []
        condition, values = self._only.condition()
        # In ascending numbers: `IN` is a look-up for each match.
        among = f" AND rowid IN ({_EMBEDDINGS} WHERE {condition})" if condition else ""
        rows = self._connection.execute(
            f"SELECT rowid, rank FROM words WHERE words MATCH ?{among} ORDER BY rank, rowid LIMIT ?",  # noqa: S608  # texts of ours
            [query, *values, limit],
        )
        return [(rowid, -rank) for rowid, rank in rows]

    def _of_rows(self, numbers: list[int]) -> dict[int, int]:
        """Row to embedding, of those rows that the filter lets pass."""
        condition, values = self._only.condition()
        exists = f" AND e.id IN ({_EMBEDDINGS} WHERE {condition} AND p.embedding = e.id)" if condition else ""
        rows = self._connection.execute(
            f"SELECT e.row, e.id FROM json_each(?) AS asked CROSS JOIN embeddings AS e ON e.row = asked.value WHERE e.places > 0{exists}",  # noqa: S608  # texts of ours
            [json.dumps(numbers), *values],
        )
        return dict(rows.fetchall())

    def _similarities(self, embeddings: list[int]) -> dict[int, float]:
        """The cosine of each with the question, read at one go; none if vectors were not asked."""
        if self._vector is None:
            return {}
        asked = "SELECT e.row, e.id FROM json_each(?) AS asked CROSS JOIN embeddings AS e ON e.id = asked.value"
        identifiers = dict(self._connection.execute(asked, (json.dumps(embeddings),)).fetchall())
        found = self._vectors.take(list(identifiers))
        return {identifiers[row]: float(np.dot(vector, self._vector)) for row, vector in found.items()}

    def _hit(self, embedding: int, score: float, similarity: float | None) -> Hit:
        text, tokens = self._connection.execute(
            "SELECT text, tokens FROM embeddings WHERE id = ?", (embedding,)
        ).fetchone()
        condition, values = self._only.condition()
        places = list(self._places(embedding, condition, values))
        first = places[0]
        also = dict.fromkeys(f"{place['source']}:{place['start_line']}" for place in places)
        del also[f"{first['source']}:{first['start_line']}"]
        names = ("start", "end", "start_byte", "end_byte", "start_line", "end_line")
        return Hit(
            source=first["source"],
            tags=tuple(dict.fromkeys(p["tag"] for p in places if p["source"] == first["source"])),
            span=Span(**{name: first[name] for name in names}),
            text=text,
            context=text[: first["context"]],
            kind=first["kind"],
            language=first["language"],
            token_count=tokens,
            score=score,
            similarity=similarity,
            also=tuple(also),
        )

    def _places(self, embedding: int, condition: str, values: list[str]) -> Iterator[sqlite3.Row]:
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        more = f" AND {condition}" if condition else ""
        query = (
            "SELECT f.source, f.tag, v.language, p.* FROM places AS p JOIN versions AS v ON v.id = p.version "  # noqa: S608  # texts of ours
            f"JOIN files AS f ON f.version = v.id WHERE p.embedding = ?{more} ORDER BY f.source, p.number, f.tag LIMIT ?"
        )
        yield from cursor.execute(query, [embedding, *values, _PLACES])

    def _require_vector(self) -> Vectors:
        if self._vector is None:
            raise ValueError("no vector to search by")
        return self._vector


_EMBEDDINGS = (
    "SELECT p.embedding FROM places AS p JOIN versions AS v ON v.id = p.version JOIN files AS f ON f.version = v.id"
)
