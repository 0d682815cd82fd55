"""Search: exact, ranked, filtered; whatever is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from chunker.index import Filter, HashingEmbedder, Index
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
