"""Ranking: small rules. Each adds points to a hit, or multiplies its score by a factor.

    words        how well the text has the words of the question: BM25, as a share of the best    1 for the best
    meaning      the cosine of the vectors, as a share of the range of all                        `Weights.meaning`
    definitions  it defines a name that the question has                                          `Weights.definitions`
    path         BM25 of the words of the file's name                                             `Weights.path`
    stem         the last part of that name is made of words of the question                      `Weights.stem`
    file         other chunks of the file are hits, too                                           `Weights.file`
    phrase       it has what stands between double quotes                                         `Weights.phrase`
    again        the file has better hits already                                                 factor `Weights.again` for each
    lower        a test, example, vendored, generated or translated file (lowered.toml)           factor
    older        a file of an older version: v3/a.ts, where another hit is in v4                  factor `Weights.older`

The rules add up; the factors follow. A weight of 0 leaves a rule out. The weights were chosen on thirteen repositories
of labelled questions (benchmarks/results/search.md says what each is worth), with hashed words as vectors; vectors of a
model weigh more (embedders/base.py).

Tried there and left out: points for files that the best files import, or that import them (NDCG@10 from -0.002 to
+0.002, five repositories better, four worse).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import NamedTuple

from chunker.errors import OptionError
from chunker.index.words import FUNCTION_WORDS, parts_of_name
from chunker.symbols.lowered import lowered_as, lowered_kinds

# Kinds that somebody who asks for a name means rather than a method of the same name.
_TYPES = frozenset(
    {
        "annotation",
        "class",
        "concept",
        "container",
        "enum",
        "interface",
        "object",
        "protocol",
        "struct",
        "trait",
        "type",
        "union",
    }
)
# File names that say nothing: the name of the folder stands for them.
_UNNAMED = frozenset({"__init__", "__main__", "index", "lib", "main", "mod", "package", "readme"})
_SUFFIXES = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ions",
    "ion",
    "ers",
    "er",
    "ors",
    "or",
    "ies",
    "es",
    "ed",
    "s",
    "e",
    "y",
)
_LEAST_ROOT = 3
# The factor for files that are not code: they answer questions about code less often.
_NO_CODE = 0.7
_VERSION = re.compile(r"(?:^|/)v(\d{1,9})(?=/)")


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each rule of the ranking, in shares of the best BM25; see the module. 0 leaves a rule out.

    Args:
        meaning: Of the cosine of the vectors; None for the weight that suits the embedder.
        definitions: Of defining a name of the question.
        path: Of BM25 of the words of the file's name.
        stem: Of the last part of that name, if it is made of words of the question.
        file: Of other chunks of the file that are hits.
        phrase: Of containing what stands between double quotes in the question.
        again: The factor for each better hit of the same file.
        lower: Whether tests, examples, vendored, generated and translated files are lowered.
        older: The factor for a file in a folder of an older version (v3 beside v4) that the question does not name.
    """

    meaning: float | None = None
    definitions: float = 1.0
    path: float = 1.2
    stem: float = 0.7
    file: float = 0.4
    phrase: float = 0.5
    again: float = 0.5
    lower: bool = True
    older: float = 0.6

    def __post_init__(self) -> None:
        """Raise `OptionError` for a weight that is no finite number."""
        for name in self.__slots__:
            weight = getattr(self, name)
            if weight is None and name == "meaning":
                continue
            if not isinstance(weight, int | float) or not math.isfinite(weight):
                raise OptionError(f"the weight {name} must be a finite number, got {weight!r:.60}")

    def with_meaning(self, weight: float) -> Weights:
        """Return these weights, with another one for the cosine if they have none.

        Args:
            weight: That of the embedder.

        Returns:
            These weights themselves if they say how much the cosine counts, else a copy.
        """
        return self if self.meaning is not None else replace(self, meaning=weight)


DEFAULT_WEIGHTS = Weights()


@dataclass(slots=True)
class Candidate:
    """A chunk at one of its places that may become a hit, with its own points: those that do not depend on its file."""

    embedding: int
    source: str
    version: int
    number: int
    language: str | None
    start: int
    words: float = 0.0
    meaning: float = 0.0
    phrase: float = 0.0
    definitions: float = 0.0

    @property
    def own(self) -> float:
        """The sum of its own points."""
        return self.words + self.meaning + self.phrase + self.definitions


class FilePoints(NamedTuple):
    """The points that a file gives to each of its chunks, and the factor on their scores.

    Args:
        path: The points for words of the question in its path.
        stem: The points for words of the question in its own name.
        file: The points for having several hits.
        factor: The scores are multiplied by it; 1 changes nothing.
        reason: Why the factor is below 1: the kinds of files that it is of.
    """

    path: float
    stem: float
    file: float
    factor: float
    reason: str

    def points(self, chunk: Candidate, share: float) -> dict[str, float]:
        """Rule -> points of a chunk, without the rules that give it none."""
        of_chunk = {rule: getattr(chunk, rule) for rule in ("words", "meaning", "phrase", "definitions")}
        of_file = {"path": self.path * share, "stem": self.stem * share, "file": self.file * share}
        points = {rule: value for rule, value in (of_chunk | of_file).items() if value}
        return points if self.factor == 1.0 else points | {f"lower: {self.reason}": self.factor}


class QueryWords:
    """A query as the rules see it: its text, and its words with their weights (rarer words weigh more).

    `asked` are the words in small letters, `roots` the words without their endings, and `weight` is the sum of the
    weights of these.
    """

    __slots__ = ("_beginnings", "_folded", "_forms", "asked", "roots", "text", "weight", "words")

    def __init__(self, words: Mapping[str, float], text: str) -> None:
        self.words = words
        self.text = text
        self.asked = frozenset(word.lower() for word in words)
        self.roots = {root(word.lower()): weight for word, weight in words.items()}
        self.weight = sum(self.roots.values()) or 1.0
        self._beginnings = frozenset(word[:_LEAST_ROOT] for word in self.roots)
        self._folded = {beginning.casefold() for beginning in self._beginnings}
        self._forms: dict[str, str | None] = {}

    def may_name(self, source: str) -> bool:
        """Whether `stem_points` of a file may be above 0: a quick test, with false positives."""
        folded = source.casefold()
        for beginning in self._folded:  # noqa: SIM110  # of hundreds of files: a generator takes three times as long
            if beginning in folded:
                return True
        return False

    def form_of(self, part: str) -> str | None:
        """The first root of the query that is a form of the same word as `part`, or None."""
        # Roots of one word begin alike: this test leaves few to compare.
        if part[:_LEAST_ROOT] not in self._beginnings:
            return None
        if part not in self._forms:
            self._forms[part] = next((word for word in self.roots if are_forms(part, word)), None)
        return self._forms[part]


class NamedDefinition(NamedTuple):
    """A definition of a name in the question. `certain`: the name can hardly be a plain word. `files`: how many files define it."""

    source: str
    version: int
    name: str
    qualified: str
    kind: str
    start: int
    lines: int
    certain: bool
    files: int


@lru_cache(1 << 14)
def root(word: str) -> str:
    """A word without its ending, so that forms of it compare: shorter than a stem, and quick.

    >>> root("caching"), root("cached"), root("caches"), root("parser"), root("parsing"), root("validation"), root("validate")
    ('cach', 'cach', 'cach', 'pars', 'pars', 'valid', 'validat')
    """
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST_ROOT:
            return word[: -len(suffix)]
    return word


def are_forms(one: str, other: str) -> bool:
    """Whether two roots belong to the same word, or one is short for it: one begins with the other, which has at least three letters.

    >>> are_forms("valid", "validat"), are_forms("req", "request"), are_forms("de", "deserializ")
    (True, True, False)
    """
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return len(short) >= _LEAST_ROOT and long.startswith(short)


def stem_points(source: str, question: QueryWords) -> float:
    """The share of the last part of a file's name that stands in the question, from 0 to 1.

    A file whose name has words of the question, and no others, is about them; it counts more if these words are most of
    the question. The last of several words need not be in the question ("HttpCookies", "json_writer"): it often says
    what kind of file it is.
    """
    parts = _stem_words(source)
    if not parts:
        return 0.0
    hit = [question.form_of(part) for part in parts]
    if len(parts) > 1 and hit[-1] is None:
        hit = hit[:-1]
    found = {word for word in hit if word is not None}
    if not found:
        return 0.0
    covered = sum(question.roots[word] for word in found) / question.weight
    return sum(word is not None for word in hit) / len(hit) * (0.3 + 0.7 * min(1.0, covered))


def definition_points(definition: NamedDefinition, *, alone: bool) -> float:
    """The points of a file for defining a name of the question, before the weight.

    A type counts more than a function, a top-level name more than a member, and a file named after the definition more
    than another. If the question is the name `alone`, all points count. In a sentence the name counts half at most, and
    less if it may be a plain word that many files define.
    """
    of_type = definition.kind in _TYPES
    points = 1.0 if of_type else 0.7 if definition.qualified == definition.name else 0.42
    name = definition.name.lower().lstrip("$").replace("_", "")
    stem = "".join(re.findall(r"[^\W_]+", definition.source.rpartition("/")[2].split(".")[0].lower()))
    if stem == name:
        points += 0.5
    elif len(stem) >= _LEAST_ROOT and name.startswith(stem):
        points += 0.25
    points += 0.03 * math.sqrt(math.sqrt(min(definition.lines, 1000)))
    if alone:
        return points
    return points * (
        0.5 / math.sqrt(math.sqrt(definition.files)) if definition.certain else 0.3 / math.sqrt(definition.files)
    )


def latest_versions(sources: Iterable[str]) -> dict[str, int]:
    """The latest version in each folder that holds folders of versions (v3, v4).

    >>> latest_versions(["src/v3/a.ts", "src/v4/a.ts", "src/b.ts"])
    {'src': 4}
    """
    latest: dict[str, int] = {}
    for source in sources:
        # This test is quicker than the pattern, and most names have no such folder.
        for found in _VERSION.finditer(source) if "/v" in source or source[:1] == "v" else ():
            folder = source[: found.start()]
            latest[folder] = max(latest.get(folder, 0), int(found[1]))
    return latest


def is_older(source: str, question: QueryWords, latest: Mapping[str, int]) -> bool:
    """Whether a file is in a folder of an older version than the latest beside it, and the question does not ask for that version."""
    return any(
        int(found[1]) < latest.get(source[: found.start()], 0) and f"v{found[1]}" not in question.asked
        for found in _VERSION.finditer(source)
    )


def factor_of(source: str, language: str | None, question: QueryWords) -> tuple[float, str]:
    """The factor on the scores of hits in a file, and the reasons for it."""
    factor, reasons = 1.0, []
    for name in lowered_as(source):
        rule = lowered_kinds()[name]
        if not question.asked & rule.unless:
            factor *= rule.factor
            reasons.append(name)
    if language is None or language in _no_code():
        factor *= _NO_CODE
        reasons.append("no code")
    return factor, ", ".join(reasons)


def most_factor(language: str | None) -> float:
    """The largest factor that `factor_of` may give a file of a language."""
    return _NO_CODE if language is None or language in _no_code() else 1.0


@cache
def _no_code() -> frozenset[str]:
    """The languages without definitions, such as Markdown."""
    return frozenset(
        {"csv", "html", "json", "jsonl", "latex", "markdown", "notebook", "restructuredtext", "text", "toml", "yaml"}
    )


@lru_cache(1 << 14)
def _stem_words(source: str) -> tuple[str, ...]:
    """The words of a file's own name, as roots; those of its folder if the name says nothing ("index", "main")."""
    folders, _, name = source.rpartition("/")
    stem = name.split(".")[0] or name
    if stem.lower() in _UNNAMED:
        stem = folders.rpartition("/")[2]
    words = [word.lower() for word in parts_of_name(stem)]
    return tuple(dict.fromkeys(root(word) for word in words if len(word) > 1 and word not in FUNCTION_WORDS))
