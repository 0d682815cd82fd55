"""Search: exact, ranked, filtered; whatever is asked."""

from __future__ import annotations

import contextlib
import math
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker.errors import OptionError, WrongTypeError
from chunker.index import Filter, HashingEmbedder, Index, Weights, searching
from chunker.index.ranked import Ranked
from chunker.index.ranking import Candidate, QueryWords, stem_points
from chunker.index.searching import By
from chunker.index.vectors import best_rows, unit_rows

Write = Callable[..., Path]

TOPICS = {
    "parser.py": 'def parse_headers(stream):\n    """Read the headers of a request."""\n    return dict(stream)\n',
    "cooking.md": "# Soup\n\nCut the onions, add carrots and let the soup simmer for an hour.\n",
    "stars.txt": "The telescope showed a distant galaxy and its slowly turning arms.\n",
    "camel.js": "function parseHTTPHeader(raw) { return raw.split(':'); }\n",
    "tokyo.txt": "東京都は日本の首都です。\n",
}


@pytest.fixture
def topics(tmp_path: Path, write: Write, index: Index) -> Index:
    for name, text in TOPICS.items():
        write(name, text)
    index.sync(tmp_path)
    return index


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("where are request headers read", "parser.py"),
        ("onion soup", "cooking.md"),
        ("galaxies seen by telescopes", "stars.txt"),
        ("http header", "camel.js"),
        ("parseHTTPHeader", "camel.js"),
        ("首都 東京", "tokyo.txt"),
    ],
)
def test_the_right_one_is_first(query: str, source: str, topics: Index) -> None:
    for by in ("both", "vectors", "words"):
        assert topics.search(query, 3, by=by)[0].source == source, by


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "NEAR(", "a* AND", "text:soup", "-", "\0", "'; DROP TABLE files; --", "x" * 100_000]
)
def test_no_query_breaks_anything(query: str, topics: Index) -> None:
    topics.search(query)
    topics.search(query, by="words")
    assert topics.status().files == len(TOPICS)


def test_filters(topics: Index, tmp_path: Path) -> None:
    topics.sync(tmp_path / "stars.txt", tags="other")
    assert {hit.source for hit in topics.search("header", 10, Filter(languages=("python",)))} == {"parser.py"}
    assert {hit.source for hit in topics.search("header", 10, Filter(sources=("*.js", "cook*")))} == {
        "camel.js",
        "cooking.md",
    }
    assert [(hit.source, hit.tags) for hit in topics.search("header", 10, Filter(tags=("other",)))] == [
        ("stars.txt", ("other",))
    ]
    assert topics.search("header", 10, Filter(tags=("none",))) == []


def test_vectors_are_searched_exactly(tmp_path: Path, write: Write, index: Index) -> None:
    text = "".join(f"Paragraph {n} tells of thing {n * n % 97} and of {n * 31 % 53}.\n\n" for n in range(300))
    write("a.txt", text)
    index.sync(tmp_path)
    found = index.search("thing 42", 10, by="vectors")
    everything = index.search("thing 42", 10_000, by="vectors")
    embedder = HashingEmbedder()
    query = embedder.embed_query("thing 42")
    scores = sorted((float(row @ query) for row in embedder.embed([hit.text for hit in everything])), reverse=True)
    assert len(everything) == index.status().embeddings > 20
    assert [hit.similarity for hit in found] == pytest.approx(scores[:10], abs=1e-6)
    assert found == everything[:10]


@pytest.mark.parametrize("limit", [1, 7, 500, 20_000])
def test_best_rows_are_those_of_a_sort(limit: int) -> None:
    chance = np.random.default_rng(1)
    rows = unit_rows(chance.integers(-3, 4, (20_000, 8)).astype(np.float32))
    query = unit_rows(np.ones((1, 8), np.float32))[0]
    numbers, scores = best_rows(rows, query, limit)
    expected = np.argsort(-(rows @ query), kind="stable")[:limit]
    assert scores.tolist() == pytest.approx((rows[expected] @ query).tolist(), abs=1e-6)
    assert len(set(numbers.tolist())) == min(limit, len(rows))


def test_an_index_without_files_finds_nothing(index: Index) -> None:
    assert index.search("anything") == []
    assert index.status().files == 0
    assert index.verify() == []


CODE = {
    "src/http_client.py": "class HttpClient:\n    def send(self, request):\n        return request\n\n\ndef connect(pool):\n    return HttpClient()\n",
    "src/pool.py": "from src.http_client import HttpClient\n\n\ndef acquire(client: HttpClient):\n    return client.send(HttpClient)\n",
    "tests/test_http_client.py": "from src.http_client import HttpClient\n\n\ndef test_http_client():\n    assert HttpClient().send(1) == 1\n",
    "vendor/http_client.py": "class HttpClient:\n    def send(self, request):\n        return request, 1\n",
    "docs/guide.md": "# Guide\n\nThe cache keeps what was sent, and what came back, for an hour.\n",
}


@pytest.fixture
def code(tmp_path: Path, write: Write, index: Index) -> Index:
    for name, text in CODE.items():
        write(name, text)
    index.sync(tmp_path)
    return index


@pytest.mark.parametrize("by", ["both", "words"])
def test_what_defines_a_name_is_first_and_copies_and_tests_are_last(code: Index, by: By) -> None:
    for query in ("HttpClient", "httpclient", "how does HttpClient send a request"):
        sources = list(dict.fromkeys(hit.source for hit in code.search(query, 10, by=by)))
        assert sources[0] == "src/http_client.py", query
    assert code.search("HttpClient tests", 1, by=by)[0].source == "tests/test_http_client.py"
    assert code.search("vendored HttpClient", 1, by=by)[0].source == "vendor/http_client.py"


def test_each_rule_tells_what_it_gave(code: Index) -> None:
    hits = code.search("HttpClient", 10, by="words", explain=True)
    first = hits[0].points
    assert first is not None
    assert {"words", "definitions", "path", "stem", "file"} <= set(first)
    assert hits[0].score == pytest.approx(sum(first.values()))
    (test,) = [hit for hit in hits if hit.source.startswith("tests/")]
    assert test.points is not None
    assert test.points["lower: tests"] == pytest.approx(0.4)
    assert code.search("HttpClient", 1)[0].points is None


def test_a_weight_of_nothing_leaves_a_rule_out(code: Index) -> None:
    hits = code.search("HttpClient", 10, explain=True, weights=Weights(0, 0, 0, 0, 0, 0, 1, lower=False))
    assert {rule for hit in hits for rule in hit.points or {}} == {"words"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_vectors_weigh_as_their_embedder_says(tmp_path: Path, write: Write) -> None:
    def meaning(name: str, embedder: Any, weights: Weights | None = None) -> float:
        opened = Index.open(tmp_path / name, root=tmp_path, embedder=embedder)
        opened.sync(tmp_path)
        points = [hit.points or {} for hit in opened.search("soup", explain=True, weights=weights)]
        return max(one.get("meaning", 0.0) for one in points)

    def model(texts: list[str]) -> list[list[float]]:
        return [[1.0, float("soup" in text), len(text) / 100] for text in texts]

    class Unsure(HashingEmbedder):
        model_id = "unsure"
        meaning_weight = 0.25

    write("a.txt", "soup and bread\n")
    write("b.txt", "rain and wind, and nothing to eat\n")
    assert meaning("one", HashingEmbedder(64)) == pytest.approx(0.5)
    assert meaning("two", model) == pytest.approx(1.5)
    assert meaning("three", Unsure(64)) == pytest.approx(0.25)
    assert meaning("three", Unsure(64), Weights(meaning=0.75)) == pytest.approx(0.75)
    assert meaning("three", Unsure(64), Weights(meaning=0)) == 0


@pytest.mark.parametrize("query", ["with", "for", "what is it", "the"])
def test_a_question_of_function_words_finds_what_has_them(query: str, code: Index) -> None:
    hits = code.search(query, 5, by="words")
    assert [hit for hit in hits if set(query.split()) & set(hit.text.lower().split())] == hits
    assert hits or query == "with"


def test_a_phrase_between_quotation_marks_is_looked_for(tmp_path: Path, write: Write, index: Index) -> None:
    write("a.txt", "red box blue box green key box red\n")
    write("b.txt", "the key that is red opens the blue box and no other\n")
    index.sync(tmp_path)
    assert index.search("red blue box", 1, by="words")[0].source == "a.txt"
    assert index.search('red "opens the blue box"', 1, by="words")[0].source == "b.txt"


def test_a_file_is_found_by_its_name_alone(tmp_path: Path, write: Write, index: Index) -> None:
    write("billing/invoice_writer.py", "x = 1\n")
    write("other.py", "y = 2\n")
    index.sync(tmp_path)
    assert index.search("invoice", 1, by="words")[0].source == "billing/invoice_writer.py"
    (tmp_path / "billing/invoice_writer.py").rename(tmp_path / "billing/ledger.py")
    index.sync(tmp_path)
    assert index.search("invoice", 1, by="words") == []
    assert index.search("ledger", 1, by="words")[0].source == "billing/ledger.py"


def test_a_word_that_is_everywhere_is_not_all_that_counts(tmp_path: Path, write: Write, index: Index) -> None:
    write("many.txt", "".join(f"Common words are in paragraph {n}, and common they stay.\n\n" * 8 for n in range(900)))
    write("one.txt", "A common walrus.\n")
    index.sync(tmp_path)
    assert index.search("common walrus", 1, by="words")[0].source == "one.txt"
    assert index.search("common", 1, by="words")[0].text.count("ommon")


def test_files_of_older_versions_are_lower_unless_they_are_asked_for(
    tmp_path: Path, write: Write, index: Index
) -> None:
    write("src/v3/types.ts", "export class Shape {\n  parse(value: unknown) { return value }\n}\n")
    write("src/v4/shapes.ts", "export class Shape {\n  parse(value: unknown) { return value ?? null }\n}\n")
    index.sync(tmp_path)
    older = next(hit for hit in index.search("Shape", explain=True) if hit.source == "src/v3/types.ts")
    assert older.points is not None
    assert older.points["lower: older version"] == pytest.approx(Weights().older)
    assert index.search("Shape types", 1)[0].source == "src/v4/shapes.ts"
    assert index.search("Shape types of v3", 1)[0].source == "src/v3/types.ts"
    assert index.search("Shape types", 1, weights=Weights(older=1))[0].source == "src/v3/types.ts"
    (tmp_path / "src/v4/shapes.ts").unlink()
    index.sync(tmp_path)
    (left,) = index.search("Shape", explain=True)
    assert left.points is not None
    assert "lower: older version" not in left.points


def test_a_definition_is_found_without_the_sigil_before_its_name(tmp_path: Path, write: Write, index: Index) -> None:
    write("core.ts", "export interface $Shape {\n  size: number\n}\n")
    index.sync(tmp_path)
    (hit,) = index.search("Shape", by="words", explain=True)
    assert hit.points is not None
    assert hit.points["definitions"] > 1
    (other,) = index.search("hape", by="both", explain=True)
    assert other.points is not None
    assert "definitions" not in other.points


def test_names_of_files_count_for_words_that_most_texts_have(tmp_path: Path, write: Write, index: Index) -> None:
    # More chunks than a word of which is looked for in texts.
    write(
        "many.txt",
        "".join(f"A parcel {n} is sent with its weight, and the parcel arrives.\n\n" * 8 for n in range(2500)),
    )
    write("parcel_walrus.txt", "Nothing of the sort; the walrus is asleep here.\n")
    write("walrus.txt", "Nothing of the sort; the walrus is awake here.\n")
    index.sync(tmp_path)
    (first, second) = index.search("parcel walrus", 2, by="words", explain=True)
    assert (first.source, second.source) == ("parcel_walrus.txt", "walrus.txt")
    assert first.points is not None
    assert second.points is not None
    assert first.points["path"] > second.points["path"]


@pytest.mark.parametrize("by", ["both", "words", "vectors"])
def test_a_filter_that_few_pass_finds_the_best_of_them(
    by: By, tmp_path: Path, write: Write, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        write(f"many/{number}.txt", f"The walrus {number} is fed with onions, and the walrus sleeps.\n")
    for number in range(4):
        write(f"few/{number}.txt", f"{'A walrus. ' * number}Onions are sold here, {number} of them.\n")
    index.sync(tmp_path)
    monkeypatch.setattr(searching, "_LEAST_DEPTH", 2)
    monkeypatch.setattr(searching, "_SELECTIVE", 0)
    only = Filter(sources=("few",))
    found = index.search("walrus", 2, only, by=by)
    assert [hit.source for hit in found][:1] == ["few/3.txt"]
    assert {hit.source for hit in found} <= {"few/2.txt", "few/3.txt"}
    # As many as pass, and the same as where the few are not listed.
    monkeypatch.setattr(searching, "_FEW", 0)
    assert index.search("walrus", 2, only, by=by) == found
    assert index.search("walrus", 2, Filter(sources=("none",)), by=by) == []


@given(
    words=st.lists(st.text("aberst\u0130\u03a3\u03c3_", min_size=1, max_size=6), min_size=1, max_size=4),
    source=st.text("aberst\u0130\u03a3\u03c3_/.Q", max_size=14),
)
def test_a_file_that_may_not_have_the_name_has_no_points_for_it(words: list[str], source: str) -> None:
    question = QueryWords(dict.fromkeys(words, 1.0), " ".join(words))
    assert question.may_name(source) or stem_points(source, question) == 0


@pytest.mark.parametrize("by", get_args(By))
def test_a_limit_may_be_as_large_as_one_likes(by: By, topics: Index) -> None:
    assert {hit.source for hit in topics.search("soup telescope headers", 10**12, by=by)} <= TOPICS.keys()
    assert len(topics.search("soup telescope headers", 10**12)) >= 3


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"rerank": 5}, WrongTypeError, "rerank must be a Reranker or a function of a question and texts, not 5"),
        (
            {"rerank": lambda _question, _texts: None},
            OptionError,
            "rerank must give a number for each text; it gave None",
        ),
        ({"weights": {"path": 0}}, WrongTypeError, "weights must be Weights or None"),
        ({"limit": 0}, OptionError, "limit must be a whole number from 1, got 0"),
        ({"by": "nope"}, OptionError, "by must be one of both, vectors, words"),
    ],
)
def test_a_wrong_search_says_what_is_wrong(
    asked: dict[str, Any], error: type[Exception], told: str, topics: Index
) -> None:
    with pytest.raises(error, match=told):
        topics.search("soup", **asked)


def test_other_wrong_calls_say_what_is_wrong(topics: Index, tmp_path: Path) -> None:
    for weight in (math.nan, math.inf, "1"):
        with pytest.raises(OptionError, match="the weight path must be a finite number, got"):
            Weights(path=weight)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="hits must contain only hits of search, not 'a'"):
        topics.pack("soup", hits=["a"])  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match="question must be a str, not None"):
        topics.pack(None)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="limit must be a whole number from 1, got -1"):
        topics.definitions("parse_headers", limit=-1)
    with pytest.raises(WrongTypeError, match="include must be a collection of str, not 5"):
        topics.sync(tmp_path, include=5)  # type: ignore[arg-type]
    assert topics.sync(tmp_path, include="*.md").files == 1
    with pytest.raises(OptionError, match="dimensions must be a whole number from 1, got -1"):
        HashingEmbedder(-1)


@settings(max_examples=60, deadline=None)
@given(chance=st.randoms(use_true_random=False), limit=st.integers(1, 12))
def test_files_that_are_not_rated_have_none_of_the_best(chance: random.Random, limit: int) -> None:
    weights = Weights(
        again=chance.choice([0.5, 1.0, 1.5]),
        older=chance.choice([0.6, 1.0, 1.4]),
        stem=chance.choice([0.0, 0.7, 3.0, -0.5]),
        path=chance.choice([1.2, -1.0]),
    )
    question = QueryWords({"parser": 3.0, "write": 1.0}, "parser write")
    ends = ["parser.py", "writer.py", "a.py", "test_parser.py", "notes.md", "b.go"]
    sources = [f"{chance.choice(['src', 'v1', 'v2', 'tests', 'vendor'])}/{n}/{chance.choice(ends)}" for n in range(40)]
    candidates = []
    for number in range(120):
        candidate = Candidate(
            chance.randrange(60), chance.choice(sources), 1, number, chance.choice(["python", None]), 0
        )
        candidate.words, candidate.meaning = chance.random(), chance.choice([0.0, 0.5 * chance.random()])
        candidates.append(candidate)
    paths = {source: chance.random() for source in sources[:9]}
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        ranked = Ranked(connection, Filter(), question, weights, paths)
        every = ranked._best_of(list(candidates), paths, 1.0, len(candidates))
        found = ranked._best_of(list(candidates), paths, 1.0, limit)
    assert len({one.candidate.embedding for one in every}) == len(every) == len({one.embedding for one in candidates})
    assert found == every[:limit]


def test_sources_and_tags_that_no_file_has_are_told_with_the_nearest(tmp_path: Path) -> None:
    index = Index.open(tmp_path / ".chunker")
    assert index.unmatched(Filter(sources=("a.py",))) == []
    names = ["src/http/client.py", "src/http/server.py", "docs/README.md", "docs/en/start.md"]
    index.add(dict.fromkeys(names, "Some text.\n"))
    nearest = {
        "client.py": ("src/http/client.py",),
        "http": ("src/http",),
        "./docs/de/": ("docs",),
        "docs/readme.md": ("docs/README.md",),
        "src/http/severs.py": ("src/http/server.py",),
        "scr/*.py": ("src/*.py",),
        "*.rs": (),
        "[z]": (),
        "/": None,
        "src/*": None,
        "docs/en": None,
        "docs/README.md": None,
    }
    told = index.unmatched(Filter(sources=tuple(nearest), tags=("", "main")))
    assert [(one.field, one.value) for one in told if one.field == "tags"] == [("tags", "main")]
    assert {one.value: one.nearest for one in told if one.field == "sources"} == {
        source: near for source, near in nearest.items() if near is not None
    }
    index.remove("docs/en/start.md")
    assert [one.nearest for one in index.unmatched(Filter(sources=("docs/en",)))] == [("docs",)]
    with pytest.raises(WrongTypeError, match="filter must be a Filter"):
        index.unmatched("docs")  # type: ignore[arg-type]
