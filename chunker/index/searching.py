"""Search: candidates by words and by vectors, then the rules of `ranking`.

    words       BM25 of full-text search, over text, parts of names, and names that are defined   \
    vectors     exact cosine with every row                                                       >  candidates -> rules -> hits
    names       files that are called by the words, files that define a name of the question      /

By vectors alone there are no rules: the nearest are the hits.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from typing import Literal

import numpy as np

from chunker.fields import SPAN_FIELDS
from chunker.hits import Hit
from chunker.index.filters import Filter
from chunker.index.ranked import EMBEDDINGS, Ranked
from chunker.index.ranking import DEFAULT_WEIGHTS, Candidate, QueryWords, Weights
from chunker.index.store import Snapshot
from chunker.index.vectors import Vectors
from chunker.index.words import any_of, words_of_query
from chunker.models import Span

By = Literal["both", "vectors", "words"]

# How far down the list of words, and that of vectors, is read.
_LEAST_DEPTH = 200
_DEPTH = 10
# A word of more chunks than these, and than a tenth of all, is looked for only where a query has no rarer one.
_FREQUENT = 2000
# The weights of the columns in BM25: the text, parts of its names, names that are defined in it.
_COLUMNS = "bm25(1.0, 1.0, 0.4)"
# Places of one text that a hit names.
_PLACES = 16


class Search:
    """One search in one snapshot. `vector`: of the question, with length 1; None not to search by vectors."""

    def __init__(
        self,
        snapshot: Snapshot,
        vector: Vectors | None,
        text: str | None,
        limit: int,
        *,
        only: Filter,
        weights: Weights = DEFAULT_WEIGHTS,
    ) -> None:
        self._connection = snapshot.connection
        self._vectors = snapshot.vectors
        self._vector = vector
        self._text = text
        self._limit = limit
        self._only = only
        self._weights = weights

    def hits(self, *, explain: bool = False) -> list[Hit]:
        """The best hits, best first. `explain`: with the points of each rule."""
        depth = max(self._limit * _DEPTH, _LEAST_DEPTH)
        if self._text is None:
            found = self._by_vectors(self._limit)
            return [self._hit(embedding, score, score) for embedding, score in found]
        words = self._telling(words_of_query(self._text))
        worded = dict(self._by_words([word for word, _ in words], depth))
        nearest = {} if self._vector is None else dict(self._by_vectors(depth))
        question = QueryWords(dict(words), self._text)
        ranked = Ranked(self._connection, self._only, question, self._weights)
        similarities = self._similarities(list({**worded, **nearest})) if nearest else {}
        best = ranked.best(worded, similarities, self._limit)
        return [
            self._hit(one.embedding, score, similarities.get(one.embedding), one, one.points if explain else None)
            for one, score in best
        ]

    def _telling(self, words: list[str]) -> list[tuple[str, float]]:
        """The words that tell chunks apart, each with its weight: without those of a tenth of all chunks, if there are rarer ones."""
        total = self._count("SELECT count(*) FROM words_docsize")
        most = max(_FREQUENT, total // 10)
        counted = []
        for word in words:
            quoted = f'"{word}"'
            count = self._count(
                "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", quoted, most + 1
            )
            counted.append((word, count))
        rare = [one for one in counted if one[1] <= most]
        # What no text has may be in the name of a file.
        told = rare if any(count for _, count in rare) else counted
        return [(word, math.log(1 + max(total - n + 0.5, 0.5) / (n + 0.5))) for word, n in told]

    def _count(self, query: str, *values: object) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])

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

    def _by_words(self, words: list[str], limit: int) -> list[tuple[int, float]]:
        """Embeddings and their BM25, larger for better."""
        if not words:
            return []
        query = any_of(words)
        condition, values = self._only.condition()
        # In ascending numbers: `IN` is a look-up for each match.
        among = f" AND rowid IN ({EMBEDDINGS} WHERE {condition})" if condition else ""
        rows = self._connection.execute(
            f"SELECT rowid, rank FROM words WHERE words MATCH ?{among} AND rank MATCH '{_COLUMNS}' ORDER BY rank LIMIT ?",  # noqa: S608  # texts of ours
            [query, *values, limit],
        )
        return [(rowid, -rank) for rowid, rank in rows]

    def _of_rows(self, numbers: list[int]) -> dict[int, int]:
        """Row to embedding, of those rows that the filter lets pass."""
        condition, values = self._only.condition()
        exists = f" AND e.id IN ({EMBEDDINGS} WHERE {condition} AND p.embedding = e.id)" if condition else ""
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

    def _hit(
        self,
        embedding: int,
        score: float,
        similarity: float | None,
        at: Candidate | None = None,
        points: dict[str, float] | None = None,
    ) -> Hit:
        text, tokens = self._connection.execute(
            "SELECT text, tokens FROM embeddings WHERE id = ?", (embedding,)
        ).fetchone()
        condition, values = self._only.condition()
        places = list(self._places(embedding, condition, values))
        first = next((place for place in places if at is not None and place["source"] == at.source), places[0])
        also = dict.fromkeys(f"{place['source']}:{place['start_line']}" for place in places)
        del also[f"{first['source']}:{first['start_line']}"]
        return Hit(
            source=first["source"],
            tags=tuple(dict.fromkeys(p["tag"] for p in places if p["source"] == first["source"])),
            span=Span(**{name: first[name] for name in SPAN_FIELDS}),
            text=text,
            context=text[: first["context"]],
            kind=first["kind"],
            language=first["language"],
            token_count=tokens,
            score=score,
            similarity=similarity,
            also=tuple(also),
            points=points,
            index=first["number"],
            breadcrumb=tuple(json.loads(first["breadcrumb"] or "[]")),
            metadata=json.loads(first["metadata"] or "{}"),
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
