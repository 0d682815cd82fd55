"""Rank the candidates of a search by the rules, with the data that each rule needs from the database."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Any, NamedTuple

from chunker.index.filters import Filter
from chunker.index.ranking import (
    Candidate,
    FilePoints,
    NamedDefinition,
    QueryWords,
    Weights,
    definition_points,
    factor_of,
    is_older,
    latest_versions,
    most_factor,
    stem_points,
)
from chunker.index.words import names_in_query, phrases_in_query

EMBEDDINGS = (
    "SELECT p.embedding FROM places AS p JOIN versions AS v ON v.id = p.version JOIN files AS f ON f.version = v.id"
)
_PLACES = (
    "SELECT p.embedding, f.source, p.version, p.number, v.language, p.start FROM json_each(?) AS asked "
    "CROSS JOIN places AS p ON p.embedding = asked.value JOIN versions AS v ON v.id = p.version "
    "JOIN files AS f ON f.version = v.id"
)
# Limits: places of one text that become candidates, files added for their name, and definitions read for one name.
_MOST_PLACES = 8
_MOST_FILES = 20
_MOST_DEFINITIONS = 200
# Characters that code writes before a name and people leave out.
_SIGILS = ("", "$", "_")
# Hits of a file add up (rule "file") if their BM25 is above this share of the best.
_COUNTED = 0.3
# Files that are rated before the score that a hit must reach is computed again.
_FILES_AT_ONCE = 16
# All tags, with one look-up in the index of files for each.
EVERY_TAG = (
    "WITH RECURSIVE t(tag) AS (SELECT min(tag) FROM files UNION ALL SELECT (SELECT min(tag) FROM files WHERE tag > t.tag) FROM t WHERE t.tag IS NOT NULL) "
    "SELECT tag FROM t WHERE tag IS NOT NULL"
)


class Rated(NamedTuple):
    """A candidate with its score, to which its file adds `share` of its points."""

    candidate: Candidate
    score: float
    file: FilePoints
    share: float

    @property
    def points(self) -> dict[str, float]:
        """Return its points by rule."""
        return self.file.points(self.candidate, self.share)


class Ranked:
    """Ranks the candidates of one question."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        only: Filter,
        question: QueryWords,
        weights: Weights,
        paths: Mapping[str, float],
    ) -> None:
        self._connection = connection
        self._condition, self._values = only.condition()
        self._question = question
        self._weights = weights
        self._paths = paths  # BM25 of the words of files' names

    def best(self, worded: Mapping[int, float], similarities: Mapping[int, float], limit: int) -> list[Rated]:
        """The best candidates, best first.

        Args:
            worded: Embedding -> BM25, of those found by words.
            similarities: Embedding -> cosine, of all candidates; empty in a search by words alone.
            limit: The most candidates to return.
        """
        top = max(worded.values(), default=0.0)
        paths = self._paths
        definitions = self._definitions() if self._weights.definitions else []
        candidates = self._candidates({*worded, *similarities})
        candidates += self._further(candidates, paths, definitions)
        low, high = min(similarities.values(), default=0.0), max(similarities.values(), default=0.0)
        phrases = self._phrases(candidates) if self._weights.phrase else {}
        meaning = (self._weights.meaning or 0.0) if high > low else 0.0
        for one in candidates:
            number = one.embedding
            if number in worded:
                one.words = worded[number] / top
            if meaning and number in similarities:
                one.meaning = meaning * ((similarities[number] - low) / (high - low))
            if number in phrases:
                one.phrase = self._weights.phrase
        self._point_definitions(candidates, definitions)
        return self._best_of(candidates, paths, top, limit)

    # --- candidates

    def _candidates(self, embeddings: Iterable[int]) -> list[Candidate]:
        where = f" WHERE {self._condition}" if self._condition else ""
        rows = self._connection.execute(_PLACES + where, [json.dumps(sorted(embeddings)), *self._values])
        # A file with several tags gives one candidate.
        found: dict[tuple[int, str, int], tuple[Any, ...]] = {}
        for row in rows:
            found.setdefault((row[0], row[1], row[3]), row)
        places: dict[int, int] = {}
        candidates = []
        for row in found.values():
            count = places.get(row[0], 0)
            if count < _MOST_PLACES:
                places[row[0]] = count + 1
                candidates.append(Candidate(*row))
        return candidates

    def _further(
        self, candidates: list[Candidate], paths: Mapping[str, float], definitions: Iterable[NamedDefinition]
    ) -> list[Candidate]:
        """One chunk of each file that has no candidate yet, but whose name or definitions match the question."""
        known = {one.source for one in candidates}
        wanted: dict[str, int] = {}
        for one in definitions:
            if one.source not in known:
                wanted.setdefault(one.source, one.start)
        for source in sorted(paths, key=lambda source: (-paths[source], source))[:_MOST_FILES]:
            if source not in known:
                wanted.setdefault(source, 0)
        where = f" AND {self._condition}" if self._condition else ""
        rows = self._connection.execute(
            "SELECT p.embedding, f.source, p.version, p.number, v.language, p.start "  # noqa: S608  # texts of ours
            f"FROM json_each(?) AS asked CROSS JOIN files AS f ON f.tag IN ({EVERY_TAG}) AND f.source = json_extract(asked.value, '$[0]') "
            "CROSS JOIN versions AS v ON v.id = f.version CROSS JOIN places AS p ON p.version = v.id "
            f"WHERE json_extract(asked.value, '$[1]') BETWEEN p.start AND p.end - 1{where}",
            [json.dumps(list(wanted.items())), *self._values],
        )
        found: dict[str, Candidate] = {}
        for row in rows:
            if row[1] not in found:
                found[row[1]] = Candidate(*row)
        return list(found.values())

    # --- what the rules ask for

    def _definitions(self) -> list[NamedDefinition]:
        found: list[NamedDefinition] = []
        where = f" AND {self._condition.replace('p.kind', 'd.kind')}" if self._condition else ""
        for name, _, certain in names_in_query(self._question.text):
            rows = self._connection.execute(
                "SELECT DISTINCT f.source, d.version, d.name, d.qualified, d.kind, d.start, d.end_line - d.line FROM definitions AS d "  # noqa: S608  # texts of ours
                "JOIN versions AS v ON v.id = d.version JOIN files AS f ON f.version = d.version "
                f"WHERE d.folded IN (SELECT value FROM json_each(?)){where} ORDER BY f.source, d.number LIMIT ?",
                [json.dumps([sigil + name.lower() for sigil in _SIGILS]), *self._values, _MOST_DEFINITIONS],
            ).fetchall()
            exact = [row for row in rows if row[2].removesuffix(name) in _SIGILS] or (rows if certain else [])
            count = len({row[0] for row in exact})
            found += [NamedDefinition._make((*row, certain, count)) for row in exact]
        return found

    def _phrases(self, candidates: Iterable[Candidate]) -> set[int]:
        """The embeddings whose text has all phrases that the question puts between double quotes."""
        wanted = phrases_in_query(self._question.text)
        if not wanted:
            return set()
        asked = json.dumps([one.embedding for one in candidates])
        rows = self._connection.execute(
            "SELECT e.id, e.text FROM json_each(?) AS asked CROSS JOIN embeddings AS e ON e.id = asked.value", (asked,)
        )
        return {number for number, text in rows if all(phrase in text.lower() for phrase in wanted)}

    # --- points

    def _point_definitions(self, candidates: list[Candidate], definitions: Iterable[NamedDefinition]) -> None:
        """Give the chunk in which a definition begins its points. Of several definitions of a name in a file, only the best counts."""
        alone = len(self._question.text.split()) == 1
        best: dict[tuple[str, str], tuple[float, int, int]] = {}
        for one in definitions:
            points = self._weights.definitions * definition_points(one, alone=alone)
            key = (one.source, one.name.lower())
            if key not in best or points > best[key][0]:
                best[key] = (points, one.version, one.start)
        by_file: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            by_file[candidate.source].append(candidate)
        for (source, _), (points, version, start) in best.items():
            # The candidate that the definition begins in, or the nearest one of the same file.
            near = [one for one in by_file[source] if one.version == version]
            if near:
                chosen = min(near, key=lambda one: (one.start > start, abs(one.start - start)))
                chosen.definitions += points

    def _best_of(self, candidates: list[Candidate], paths: Mapping[str, float], top: float, limit: int) -> list[Rated]:
        """The best candidates, best first, each text once.

        The rules of names are the slowest part of a search. So files are rated in the order of an upper bound of their
        scores, and rating stops when no further file can have one of the best candidates.
        """
        weights = self._weights
        by_file: dict[str, list[Candidate]] = defaultdict(list)
        for one in candidates:
            by_file[one.source].append(one)
        sums = {source: sum([one.words for one in ones if one.words > _COUNTED]) for source, ones in by_file.items()}
        most = max(sums.values(), default=0.0) or 1.0
        # Not below the best BM25 of texts: a word that is rare in names and frequent in texts must not make names
        # decide alone.
        best_path = max(top, *paths.values()) if paths else 1.0
        latest = latest_versions(by_file) if weights.older != 1.0 else {}
        files = []
        for source, ones in by_file.items():
            path = weights.path * paths[source] / best_path if source in paths else 0.0
            whole = weights.file * sums[source] / most
            files.append((self._bound(source, ones, path, whole), source, path, whole))
        files.sort(reverse=True)
        best: dict[int, Rated] = {}
        least = -math.inf
        for number, (bound, source, path, whole) in enumerate(files):
            if number % _FILES_AT_ONCE == 0 and len(best) >= limit:
                least = nlargest(limit, [one.score for one in best.values()])[-1]
            if bound < least:
                break
            for rated in self._rated(source, by_file[source], path, whole, latest):
                number_of_text = rated.candidate.embedding
                if number_of_text not in best or _order(rated) < _order(best[number_of_text]):
                    best[number_of_text] = rated
        return sorted(best.values(), key=_order)[:limit]

    def _bound(self, source: str, candidates: list[Candidate], path: float, whole: float) -> float:
        """An upper bound of the scores of a file's candidates. It is added up in the order of a score, so that rounding keeps it one."""
        weights = self._weights
        stem = weights.stem if weights.stem > 0 and self._question.may_name(source) else 0.0
        if len(candidates) == 1:
            bound = candidates[0].own + path + stem + whole
        else:
            last = weights.again ** (len(candidates) - 1)  # all shares are between this and 1
            own = max([one.own for one in candidates])
            bound = own + max(path, path * last) + max(stem, stem * last) + max(whole, whole * last)
        factor = most_factor(candidates[0].language) if weights.lower else 1.0
        return max(bound, 0.0) * (factor * max(1.0, weights.older))

    def _rated(
        self, source: str, candidates: list[Candidate], path: float, whole: float, latest: Mapping[str, int]
    ) -> Iterator[Rated]:
        """The candidates of a file with their scores: their own points, and those of the file, in full for the best and in falling shares for the others."""
        weights = self._weights
        stem = weights.stem * stem_points(source, self._question) if weights.stem else 0.0
        factor, reason = factor_of(source, candidates[0].language, self._question) if weights.lower else (1.0, "")
        if latest and is_older(source, self._question, latest):
            factor, reason = factor * weights.older, f"{reason}, older version".removeprefix(", ")
        file = FilePoints(path, stem, whole, factor, reason)
        share = 1.0
        for one in sorted(candidates, key=lambda one: (-one.own, one.number)):
            yield Rated(one, (one.own + path * share + stem * share + whole * share) * factor, file, share)
            share *= weights.again


def _order(rated: Rated) -> tuple[float, int, str]:
    return -rated.score, rated.candidate.embedding, rated.candidate.source
