"""Texts that are no files: added, found by their metadata, left alone by syncs, and removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunker import MarkdownChunker
from chunker.errors import OptionError, UnknownLanguageError, WrongTypeError
from chunker.index import Filter, HashingEmbedder, Index, syncing

Look = Callable[[Index], dict[str, Any]]
Write = Callable[..., Path]

TICKETS = {
    "ticket-17": "The printer on the second floor has no toner.\n",
    "ticket-18": "# Printer\n\nIt prints blank pages since Monday.\n",
}


@pytest.fixture
def filled(index: Index, write: Write, tmp_path: Path) -> Index:
    """A file, and tickets of two teams."""
    write("printer.md", "How to set up a printer.\n")
    index.sync(tmp_path)
    index.add(TICKETS, metadata={"team": "support", "open": True, "labels": ["urgent", "floor 2"]})
    index.add({"ticket-19": "The printer is stolen.\n"}, metadata={"team": "security", "open": False})
    return index


def sources(index: Index, only: Filter | None = None) -> set[str]:
    return {hit.source for hit in index.search("printer", 10, only)}


def test_they_are_found_beside_files_with_their_metadata(filled: Index) -> None:
    assert sources(filled) == {"printer.md", "ticket-17", "ticket-18", "ticket-19"}
    assert filled.verify() == []
    (hit,) = filled.search("blank pages", 1)
    assert hit.source == "ticket-18"
    assert hit.metadata["team"] == "support"
    assert hit.metadata["open"] is True
    assert hit.metadata["labels"] == ["urgent", "floor 2"]


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"team": "support"}, {"ticket-17", "ticket-18"}),
        ({"team": ("support", "security")}, {"ticket-17", "ticket-18", "ticket-19"}),
        ({"open": False}, {"ticket-19"}),
        ({"labels": "urgent"}, {"ticket-17", "ticket-18"}),
        ({"labels": ["floor 1", "floor 2"], "open": True}, {"ticket-17", "ticket-18"}),
        ({"team": "support", "open": False}, set()),
        ({"no such name": 1}, set()),
        ({}, {"printer.md", "ticket-17", "ticket-18", "ticket-19"}),
    ],
)
def test_filters_ask_for_metadata(metadata: dict[str, Any], found: set[str], filled: Index) -> None:
    for by in ("both", "words", "vectors"):
        hits = filled.search("printer", 10, Filter(metadata=metadata), by=by)
        assert {hit.source for hit in hits} == found


def test_their_names_are_told_from_those_of_files(filled: Index, index: Index) -> None:
    assert filled.added(["printer.md", "ticket-17", "ticket-19", "nowhere"]) == {"ticket-17", "ticket-19"}
    # The name of a file under another tag may be any file's.
    filled.add({"printer.md": "A text of the same name."}, tags="other")
    assert filled.added(["printer.md", "ticket-18"]) == {"ticket-18"}


def test_an_empty_index_has_no_added_texts(index: Index) -> None:
    assert index.added(["a"]) == set()


def test_a_sync_leaves_them_alone(filled: Index, write: Write, tmp_path: Path) -> None:
    (tmp_path / "printer.md").unlink()
    assert filled.sync(tmp_path).removed_files == 1
    assert sources(filled) == {"ticket-17", "ticket-18", "ticket-19"}
    write("ticket-19", "A file of this name takes its place.\n")
    filled.sync(tmp_path)
    assert sources(filled, Filter(metadata={"team": "security"})) == set()
    assert filled.verify() == []


def test_adding_the_same_again_embeds_nothing(filled: Index) -> None:
    report = filled.add(TICKETS, metadata={"team": "sales"})
    assert (report.computed, report.added, report.unchanged) == (0, 0, 2)
    assert sources(filled, Filter(metadata={"team": "sales"})) == {"ticket-17", "ticket-18"}
    report = filled.add({"ticket-17": "There is toner again.\n"})
    assert (report.changed, report.computed) == (1, 1)
    assert "no toner" not in filled.search("toner", 1)[0].text


def test_removing_them(filled: Index, look: Look, tmp_path: Path) -> None:
    assert filled.remove(["ticket-17", "ticket-18", "never there"]).removed_files == 2
    assert filled.remove("ticket-19").removed_files == 1
    assert sources(filled) == {"printer.md"}
    other = Index.open(tmp_path / "other", root=tmp_path)
    other.sync(tmp_path)
    assert look(filled)["texts"] == look(other)["texts"]


def test_chunks_are_taken_as_they_are(index: Index) -> None:
    text = "# Stars\n\n" + "A star is a sphere of plasma. " * 40 + "\n\n## Suns\n\n" + "A sun is a star. " * 40
    chunks = MarkdownChunker(max_tokens=40).chunk(text, source="stars.md")
    report = index.add({"stars": chunks}, metadata={"of": "astronomy"})
    assert report.chunks == len(chunks) > 10
    hit = index.search("sun", 1)[0]
    chunk = chunks[hit.index]
    assert (hit.text, hit.span, hit.breadcrumb) == (chunk.text, chunk.span, chunk.breadcrumb)
    assert hit.metadata["of"] == "astronomy"
    assert index.add({"stars": chunks}).computed == 0


def test_language_and_tags(index: Index) -> None:
    index.add({"snippet": "def sun():\n    return 1\n"}, language="python", tags=["one", "two"])
    assert [one.source for one in index.definitions("sun", Filter(languages=("python",)))] == ["snippet"]
    assert index.status().tags == {"one": 1, "two": 1}
    index.remove("snippet", tags="one")
    assert index.status().tags == {"two": 1}


def test_many_texts_in_several_commits(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.index.adding.FILES_AT_ONCE", 4)
    report = index.add({f"text-{number}": f"It is about the number {number}.\n" for number in range(11)})
    assert (report.added, report.chunks) == (11, 11)
    assert index.verify() == []
    assert syncing.FILES_AT_ONCE == 512


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda index: index.add(["a text"]), WrongTypeError),
        (lambda index: index.add({"": "a text"}), WrongTypeError),
        (lambda index: index.add({"a": 1}), WrongTypeError),
        (lambda index: index.add({"a": ["not", "chunks"]}), WrongTypeError),
        (lambda index: index.add({"a": "b"}, metadata="c"), WrongTypeError),
        (lambda index: index.add({"a": "b"}, metadata={"c": object()}), OptionError),
        (lambda index: index.add({"printer.md": "b"}), OptionError),
        (lambda index: index.remove("printer.md"), OptionError),
        (lambda _: Filter(metadata={"a": object()}), WrongTypeError),
        (lambda _: Filter(metadata=["a"]), WrongTypeError),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_added_is_told(call: Callable[[Any], object], error: type[Exception], filled: Index) -> None:
    with pytest.raises(error):
        call(filled)
    assert filled.verify() == []


def test_a_text_in_an_unknown_language_is_an_error(index: Index) -> None:
    with pytest.raises(UnknownLanguageError, match="klingon"):
        index.add({"a": "b"}, language="klingon")
    assert index.status().files == 0


def test_an_embedder_of_ones_own(tmp_path: Path) -> None:
    index = Index.open(tmp_path / ".chunker", embedder=HashingEmbedder(32))
    assert index.add({"a": "b c d"}).computed == 1
