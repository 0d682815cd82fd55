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

# How far down the list of words, and that of vectors, is read.
_LEAST_DEPTH = 200
_DEPTH = 10
# A word of more chunks than these, and than a tenth of all, is looked for only where a query has no rarer one.
_FREQUENT = 2000
# A word that no text has is looked for by so many of the most frequent terms that begin with it, if it has as many letters.
_COMPLETIONS = 8
_SHORTEST_BEGINNING = 4
# A filter that lets fewer than one of so many pass, and no more than these in all: those are listed, and compared alone.
_SELECTIVE = 8
_FEW = 1 << 14
# Names of files that are looked at.
_MOST_NAMES = 500
# Places of one text that a hit names.
_PLACES = 16


class _Asked(NamedTuple):
    """A word of the question, the terms by which it is looked for, how many chunks have it, and its weight: rarer is more."""

    word: str
    terms: list[str]
    texts: int
    weight: float


class _Found(NamedTuple):
    """An embedding, its row among the vectors, and its BM25 or cosine."""

    embedding: int
    row: int
    score: float


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
        """The best hits, best first. `explain`: with the points of each rule."""
        depth = max(self._limit * _DEPTH, _LEAST_DEPTH)
        if self._text is None:
            found = self._by_vectors(self._limit)
            return [self._hit(one.embedding, one.score, one.score) for one in found]
        total = len(self._words)
        words = [self._asked(word, total) for word in words_of_query(self._text)]
        asked = self._telling(words, total)
        worded = self._by_words(asked, depth)
        nearest = [] if self._vector is None else self._by_vectors(depth)
        # A word that most texts have may be in the names of few files.
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
        """The words that tell chunks apart: without those of a tenth of all chunks, if there are rarer ones."""
        most = max(_FREQUENT, total // 10)
        rare = [one for one in asked if one.texts <= most]
        # What no text has may be in the name of a file.
        return rare if any(one.texts for one in rare) else asked

    def _asked(self, word: str, total: int) -> _Asked:
        terms = terms_of_word(word, self._stems)
        count = max(map(self._words.count, terms), default=0)
        if not count and (len(word) >= _SHORTEST_BEGINNING or not word.isascii()):
            terms += self._words.beginning_with(terms[0], _COMPLETIONS)
            count = max(map(self._words.count, terms))
        return _Asked(word, terms, count, math.log(1 + max(total - count + 0.5, 0.5) / (count + 0.5)))

    def _by_vectors(self, limit: int) -> list[_Found]:
        # Rows without places, or filtered out, are passed over: more are asked for until there are enough.
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
        # Larger BM25 is better. Those that are filtered out are passed over as by vectors.
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
        """The nearest of some embeddings, given with their rows; of equal ones the lower row is first."""
        similarities = self._vectors.similarities(list(few.values()), self._require_vector())
        found = [_Found(number, row, similarities[row]) for number, row in few.items() if row in similarities]
        return sorted(found, key=lambda one: (-one.score, one.row))[:limit]

    @cached_property
    def _few(self) -> dict[int, int] | None:
        """Each embedding that the filter lets pass, with its row; None if they are many."""
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
        """The first of some embeddings that stand somewhere where the filter lets them pass, at least `limit` of them if there are: of each "id"
        the row, of each "row" the id.
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
        """BM25 of the words of files' names."""
        terms = list(dict.fromkeys(term for one in asked for term in terms_of_word(one.word)))
        best = dict(self._names.best(terms, _MOST_NAMES))
        rows = self._connection.execute(
            "SELECT s.id, s.source FROM json_each(?) AS asked CROSS JOIN sources AS s ON s.id = asked.value",
            (json.dumps(list(best)),),
        )
        return {source: best[number] for number, source in rows}

    def _similarities(self, found: Iterable[_Found]) -> dict[int, float]:
        """The cosine of each with the question, read at one go."""
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
