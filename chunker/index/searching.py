"""Search: candidates by words and by vectors, then the rules of `ranking`.

    words       BM25 of full text, over words, parts of names, and names that are defined         \
    vectors     exact cosine with every row                                                       >  candidates -> rules -> hits
    names       files that are called by the words, files that define a name of the question      /

By vectors alone there are no rules: the nearest are the hits.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from chunker.fields import SPAN_FIELDS
from chunker.hits import Hit
from chunker.index.filters import Filter
from chunker.index.ranked import EMBEDDINGS, Ranked
from chunker.index.ranking import DEFAULT_WEIGHTS, Candidate, QueryWords, Weights
from chunker.index.store import Snapshot
from chunker.index.terms import terms_of_word
from chunker.index.vectors import Vectors
from chunker.index.words import words_of_query
from chunker.models import Span

By = Literal["both", "vectors", "words"]

# Candidates by words, and as many by vectors: at least so many, and so many for each hit that is asked for.
_LEAST_DEPTH = 200
_DEPTH = 10
# A word in more chunks than this, and in more than a tenth of all, is searched only if the query has no rarer one.
_FREQUENT = 2000
# A word that no text has, if it is long enough, is completed: by so many of the most frequent terms that begin with it.
_COMPLETIONS = 8
_SHORTEST_BEGINNING = 4
# A filter is selective if it passes fewer than one candidate in _SELECTIVE, and at most _FEW chunks in all: these are
# then listed and compared alone.
_SELECTIVE = 8
_FEW = 1 << 14
# File names that the words of the question may find.
_MOST_NAMES = 500
# The most places that a hit lists for a text that stands in several.
_PLACES = 16


class _Asked(NamedTuple):
    """A word of the question: the terms to search it by, how many chunks have it, and its weight, larger for rarer words."""

    word: str
    terms: list[str]
    texts: int
    weight: float


class _Found(NamedTuple):
    """A candidate: its embedding, the row of its vector, and its BM25 or cosine."""

    embedding: int
    row: int
    score: float


class Search:
    """One search in one snapshot. `vector` is that of the question, of length 1; None searches by words alone."""

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
        self._words = snapshot.words
        self._names = snapshot.names
        self._stems = snapshot.stems
        self._vector = vector
        self._text = text
        self._limit = limit
        self._only = only
        self._condition, self._values = only.condition()
        self._weights = weights

    def hits(self, *, explain: bool = False) -> list[Hit]:
        """The best hits, best first; with `explain`, each has the points of each rule."""
        depth = max(self._limit * _DEPTH, _LEAST_DEPTH)
        if self._text is None:
            found = self._by_vectors(self._limit)
            return [self._hit(one.embedding, one.score, one.score) for one in found]
        total = len(self._words)
        words = [self._asked(word, total) for word in words_of_query(self._text)]
        asked = self._telling(words, total)
        worded = self._by_words(asked, depth)
        nearest = [] if self._vector is None else self._by_vectors(depth)
        # All words, also the frequent ones: a word that most texts have may be in the names of few files.
        question = QueryWords({one.word: one.weight for one in words}, self._text)
        paths = self._paths(words) if self._weights.path else {}
        ranked = Ranked(self._connection, self._only, question, self._weights, paths)
        similarities = self._similarities([*worded, *nearest]) if nearest else {}
        best = ranked.best({one.embedding: one.score for one in worded}, similarities, self._limit)
        return [
            self._hit(
                one.candidate.embedding,
                one.score,
                similarities.get(one.candidate.embedding),
                one.candidate,
                one.points if explain else None,
            )
            for one in best
        ]

    @staticmethod
    def _telling(asked: list[_Asked], total: int) -> list[_Asked]:
        """The words that distinguish chunks: without those in a tenth of all chunks or more, if rarer ones were found."""
        most = max(_FREQUENT, total // 10)
        rare = [one for one in asked if one.texts <= most]
        # A rare word that no text has may still be in the name of a file, so it cannot replace the frequent ones.
        return rare if any(one.texts for one in rare) else asked

    def _asked(self, word: str, total: int) -> _Asked:
        terms = terms_of_word(word, self._stems)
        count = max(map(self._words.count, terms), default=0)
        if not count and (len(word) >= _SHORTEST_BEGINNING or not word.isascii()):
            terms += self._words.beginning_with(terms[0], _COMPLETIONS)
            count = max(map(self._words.count, terms))
        return _Asked(word, terms, count, math.log(1 + max(total - count + 0.5, 0.5) / (count + 0.5)))

    def _by_vectors(self, limit: int) -> list[_Found]:
        # Rows that stand nowhere any more, or that the filter refuses, are skipped: ask for more rows until enough are
        # left.
        asked = limit + 16
        while True:
            numbers, scores = self._vectors.best(self._require_vector(), min(asked, len(self._vectors)))
            rows = numbers.tolist()
            passed = self._passed("row", rows, limit)
            found = [
                _Found(passed[row], row, score)
                for row, score in zip(rows, scores.tolist(), strict=True)
                if row in passed
            ]
            if len(found) >= limit or asked >= len(self._vectors):
                return found[:limit]
            few = self._few if len(found) * _SELECTIVE < len(rows) else None
            if few is not None:
                return self._nearest_of(few, limit)
            asked *= 8

    def _by_words(self, asked: list[_Asked], limit: int) -> list[_Found]:
        # Larger BM25 is better. Chunks that the filter refuses are skipped as in `_by_vectors`.
        terms = list(dict.fromkeys(term for one in asked for term in one.terms))
        wanted = limit
        while True:
            best = self._words.best(terms, wanted)
            passed = self._passed("id", [number for number, _ in best], limit)
            found = [_Found(number, passed[number], score) for number, score in best if number in passed]
            if len(found) >= limit or len(best) < wanted:
                return found[:limit]
            few = self._few if len(found) * _SELECTIVE < len(best) else None
            if few is not None:
                return [_Found(number, few[number], score) for number, score in self._words.best(terms, limit, few)]
            wanted *= 8

    def _nearest_of(self, few: dict[int, int], limit: int) -> list[_Found]:
        """The nearest among `few` (embedding -> row); of equal ones the lower row comes first."""
        similarities = self._vectors.similarities(list(few.values()), self._require_vector())
        found = [_Found(number, row, similarities[row]) for number, row in few.items() if row in similarities]
        return sorted(found, key=lambda one: (-one.score, one.row))[:limit]

    @cached_property
    def _few(self) -> dict[int, int] | None:
        """All embeddings that the filter passes, each with its row; None if there are many or no filter is set."""
        if not self._condition:
            return None
        rows = self._connection.execute(
            "SELECT DISTINCT e.id, e.row FROM files AS f CROSS JOIN versions AS v ON v.id = f.version "  # noqa: S608  # texts of ours
            "CROSS JOIN places AS p ON p.version = v.id CROSS JOIN embeddings AS e ON e.id = p.embedding "
            f"WHERE {self._condition} LIMIT ?",
            [*self._values, _FEW + 1],
        ).fetchall()
        return dict(rows) if len(rows) <= _FEW else None

    def _passed(self, column: str, numbers: list[int], limit: int) -> dict[int, int]:
        """Of some embeddings, those with a place that the filter passes; stops once there are `limit`.

        Args:
            column: What `numbers` are: "id" of embeddings, or "row" of their vectors.
            numbers: The embeddings, best first.
            limit: How many are enough.

        Returns:
            Id -> row, or row -> id.
        """
        other = "id" if column == "row" else "row"
        exists = (
            f" AND e.id IN ({EMBEDDINGS} WHERE {self._condition} AND p.embedding = e.id)" if self._condition else ""
        )
        passed: dict[int, int] = {}
        for start in range(0, len(numbers), 2 * limit):
            rows = self._connection.execute(
                f"SELECT e.{column}, e.{other} FROM json_each(?) AS asked CROSS JOIN embeddings AS e ON e.{column} = asked.value "  # noqa: S608  # texts of ours
                f"WHERE e.places > 0{exists}",
                [json.dumps(numbers[start : start + 2 * limit]), *self._values],
            )
            passed.update(rows.fetchall())
            if len(passed) >= limit:
                break
        return passed

    def _paths(self, asked: list[_Asked]) -> dict[str, float]:
        """File name -> BM25 of the words of the question in it."""
        terms = list(dict.fromkeys(term for one in asked for term in terms_of_word(one.word)))
        best = dict(self._names.best(terms, _MOST_NAMES))
        rows = self._connection.execute(
            "SELECT s.id, s.source FROM json_each(?) AS asked CROSS JOIN sources AS s ON s.id = asked.value",
            (json.dumps(list(best)),),
        )
        return {source: best[number] for number, source in rows}

    def _similarities(self, found: Iterable[_Found]) -> dict[int, float]:
        """Embedding -> its cosine with the question; all vectors are read at once."""
        embeddings = {one.row: one.embedding for one in found}
        similarities = self._vectors.similarities(list(embeddings), self._require_vector())
        return {embeddings[row]: similarity for row, similarity in similarities.items()}

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
        places = list(self._places(embedding))
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
            metadata=json.loads(first["metadata"] or "{}") | json.loads(first["own"] or "{}"),
        )

    def _places(self, embedding: int) -> Iterator[sqlite3.Row]:
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        more = f" AND {self._condition}" if self._condition else ""
        query = (
            "SELECT f.source, f.tag, f.metadata AS own, v.language, p.* FROM places AS p JOIN versions AS v ON v.id = p.version "  # noqa: S608  # texts of ours
            f"JOIN files AS f ON f.version = v.id WHERE p.embedding = ?{more} ORDER BY f.source, p.number, f.tag LIMIT ?"
        )
        yield from cursor.execute(query, [embedding, *self._values, _PLACES])

    def _require_vector(self) -> Vectors:
        if self._vector is None:
            raise ValueError("no vector to search by")
        return self._vector
