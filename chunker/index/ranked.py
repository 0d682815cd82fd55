"""Rank the candidates of a search by the rules, with the data that each rule needs from the database."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from chunker.index.filters import Filter
from chunker.index.ranking import (
    Candidate,
    NamedDefinition,
    QueryWords,
    Weights,
    definition_points,
    factor_of,
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
# Places of one text that are looked at, files that are found by their name, and definitions of one name.
_MOST_PLACES = 8
_MOST_FILES = 20
_MOST_DEFINITIONS = 200
# Hits of a file count together from this share of the best on.
_COUNTED = 0.3


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

    def best(
        self, worded: Mapping[int, float], similarities: Mapping[int, float], limit: int
    ) -> list[tuple[Candidate, float]]:
        """The best candidates and their scores, best first. `worded`: BM25 of those found by words; `similarities`: cosines of all, or none."""
        top = max(worded.values(), default=0.0)
        paths = self._paths
        definitions = self._definitions() if self._weights.definitions else []
        candidates = self._candidates({*worded, *similarities})
        candidates += self._further(candidates, paths, definitions)
        low, high = min(similarities.values(), default=0.0), max(similarities.values(), default=0.0)
        phrases = self._phrases(candidates) if self._weights.phrase else {}
        for one in candidates:
            if one.embedding in worded:
                one.points["words"] = worded[one.embedding] / top
            if one.embedding in similarities and high > low and self._weights.meaning:
                share = (similarities[one.embedding] - low) / (high - low)
                one.points["meaning"] = self._weights.meaning * share
            if one.embedding in phrases:
                one.points["phrase"] = self._weights.phrase
        self._point_definitions(candidates, definitions)
        return self._chosen(self._pointed_files(candidates, paths, top), limit)

    # --- candidates

    def _candidates(self, embeddings: Iterable[int]) -> list[Candidate]:
        where = f" WHERE {self._condition}" if self._condition else ""
        rows = self._connection.execute(_PLACES + where, [json.dumps(sorted(embeddings)), *self._values])
        found: dict[tuple[int, str, int], Candidate] = {}
        places: Counter[int] = Counter()
        for row in rows:
            key = (row[0], row[1], row[3])
            if key not in found and places[row[0]] < _MOST_PLACES:
                places[row[0]] += 1
                found[key] = Candidate(*row)
        return list(found.values())

    def _further(
        self, candidates: list[Candidate], paths: Mapping[str, float], definitions: Iterable[NamedDefinition]
    ) -> list[Candidate]:
        """A chunk of each file that its name or its definitions speak for, and that has none among the candidates."""
        known = {one.source for one in candidates}
        wanted: dict[str, int] = {}
        for one in definitions:
            if one.source not in known:
                wanted.setdefault(one.source, one.start)
        for source in sorted(paths, key=lambda source: (-paths[source], source))[:_MOST_FILES]:
            if source not in known:
                wanted.setdefault(source, 0)
        found = []
        where = f" AND {self._condition}" if self._condition else ""
        for source, start in wanted.items():
            row = self._connection.execute(
                "SELECT p.embedding, f.source, p.version, p.number, v.language, p.start FROM files AS f JOIN versions AS v ON v.id = f.version "  # noqa: S608  # texts of ours
                f"JOIN places AS p ON p.version = v.id WHERE f.source = ? AND p.start <= ? AND p.end > ?{where} LIMIT 1",
                [source, start, start, *self._values],
            ).fetchone()
            if row is not None:
                found.append(Candidate(*row))
        return found

    # --- what the rules ask for

    def _definitions(self) -> list[NamedDefinition]:
        found: list[NamedDefinition] = []
        where = f" AND {self._condition.replace('p.kind', 'd.kind')}" if self._condition else ""
        for name, _, certain in names_in_query(self._question.text):
            rows = self._connection.execute(
                "SELECT DISTINCT f.source, d.version, d.name, d.qualified, d.kind, d.start, d.end_line - d.line FROM definitions AS d "  # noqa: S608  # texts of ours
                "JOIN versions AS v ON v.id = d.version JOIN files AS f ON f.version = d.version "
                f"WHERE d.folded = ?{where} ORDER BY f.source, d.number LIMIT ?",
                [name.lower(), *self._values, _MOST_DEFINITIONS],
            ).fetchall()
            exact = [row for row in rows if row[2] == name] or (rows if certain else [])
            count = len({row[0] for row in exact})
            found += [NamedDefinition._make((*row, certain, count)) for row in exact]
        return found

    def _phrases(self, candidates: Iterable[Candidate]) -> set[int]:
        """The embeddings whose text has all phrases that stand between quotation marks."""
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
        """Points for the chunk in which a definition begins; for each name those of the best definition of a file."""
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
            # The chunk that the definition begins in, else the one of the file that is next to it.
            near = [one for one in by_file[source] if one.version == version]
            if near:
                chosen = min(near, key=lambda one: (one.start > start, abs(one.start - start)))
                chosen.points["definitions"] = chosen.points.get("definitions", 0.0) + points

    def _pointed_files(
        self, candidates: list[Candidate], paths: Mapping[str, float], top: float
    ) -> list[tuple[Candidate, float]]:
        """Each candidate with its score, the best of a file with the points of the file."""
        by_file: dict[str, list[Candidate]] = defaultdict(list)
        for one in candidates:
            by_file[one.source].append(one)
        sums = {
            source: sum(words for one in ones if (words := one.points.get("words", 0.0)) > _COUNTED)
            for source, ones in by_file.items()
        }
        most = max(sums.values(), default=0.0)
        # Words that are rare in names and frequent in texts are no reason to go by names alone.
        best_path = max(top, *paths.values()) if paths else 1.0
        scored = []
        for source, ones in by_file.items():
            ones.sort(key=lambda one: (-one.own, one.number))
            shared = {
                "path": self._weights.path * paths.get(source, 0.0) / best_path,
                "stem": self._weights.stem * stem_points(source, self._question) if self._weights.stem else 0.0,
                "file": self._weights.file * sums[source] / most if most else 0.0,
            }
            factor, reason = factor_of(source, ones[0].language, self._question) if self._weights.lower else (1.0, "")
            for rank, one in enumerate(ones):
                decay = self._weights.again**rank
                one.points.update({rule: points * decay for rule, points in shared.items() if points})
                score = sum(one.points.values()) * factor
                if factor != 1.0:
                    one.points[f"lower: {reason}"] = factor
                scored.append((one, score))
        return scored

    @staticmethod
    def _chosen(scored: list[tuple[Candidate, float]], limit: int) -> list[tuple[Candidate, float]]:
        """The best, each text once."""
        chosen: dict[int, tuple[Candidate, float]] = {}
        for one, score in sorted(scored, key=lambda item: (-item[1], item[0].embedding, item[0].source)):
            if one.embedding not in chosen:
                chosen[one.embedding] = (one, score)
                if len(chosen) == limit:
                    break
        return list(chosen.values())
