"""What is kept: damage is told by its name, settings are compared, one writes and others read."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunker.errors import OptionError
from chunker.index import (
    DamagedIndexError,
    EmbedderError,
    Filter,
    HashingEmbedder,
    Index,
    LockedIndexError,
    NotAnIndexError,
    SettingsMismatchError,
)
from chunker.index.schema import DATABASE

Write = Callable[..., Path]
Look = Callable[[Index], dict[str, Any]]
TEXT = "".join(f"Paragraph {n} tells of thing {n * 7}, at some length.\n\n" for n in range(200))


@pytest.fixture
def full(tmp_path: Path, write: Write, index: Index) -> Index:
    write("a.txt", TEXT)
    index.sync(tmp_path)
    return index


@pytest.mark.parametrize("content", [b"", b"nonsense" * 500, None])
def test_damaged_database(content: bytes | None, full: Index) -> None:
    path = full.path / "index.sqlite"
    for extra in full.path.glob("index.sqlite-*"):
        extra.unlink()
    if content is None:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    else:
        path.write_bytes(content)
    with pytest.raises(DamagedIndexError):
        Index.open(full.path).verify()


@pytest.mark.parametrize("how", ["gone", "short", "strange"])
def test_damaged_vectors(how: str, full: Index) -> None:
    path = full.path / "vectors-0.f32"
    if how == "gone":
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(content[:-4] if how == "short" else b"X" + content[1:])
    with pytest.raises(DamagedIndexError, match="texts again"):
        full.search("thing")


def test_a_flipped_bit_is_found(full: Index) -> None:
    assert full.verify() == []
    path = full.path / "vectors-0.f32"
    content = bytearray(path.read_bytes())
    content[2000] ^= 1
    path.write_bytes(content)
    assert full.verify() == ["vectors: 1 are altered"]


def test_database_that_is_missing(full: Index) -> None:
    for path in full.path.glob("index.sqlite*"):
        path.unlink()
    with pytest.raises(DamagedIndexError, match="missing"):
        Index.open(full.path)


def test_no_index_and_strangers(tmp_path: Path, write: Write) -> None:
    with pytest.raises(NotAnIndexError, match="no index at"):
        Index.open(tmp_path / "nowhere", create=False)
    write("folder/letter.txt", "dear\n")
    with pytest.raises(NotAnIndexError, match=r"letter\.txt"):
        Index.open(tmp_path / "folder")
    with pytest.raises(NotAnIndexError, match="is a file"):
        Index.open(tmp_path / "folder/letter.txt")


def test_other_settings_are_an_error_and_a_rebuild_takes_them(full: Index, tmp_path: Path, look: Look) -> None:
    before = look(full)
    with pytest.raises(SettingsMismatchError, match="max_tokens is 256, not 100") as error:
        Index.open(full.path, max_tokens=100)
    assert error.value.differences["max_tokens"] == (256, 100)
    with pytest.raises(SettingsMismatchError, match="dimensions"):
        Index.open(full.path, embedder=HashingEmbedder(64))
    assert look(Index.open(full.path, max_tokens=256, embedder="hashing")) == before
    other = Index.open(full.path, max_tokens=100, rebuild=True)
    assert other.search("thing") == []
    assert other.sync(tmp_path).chunks > len(before["places"])
    assert all(hit.token_count <= 100 for hit in other.search("thing", 1000))
    back = Index.open(full.path, max_tokens=256, desired_tokens=160, rebuild=True)
    assert back.sync(tmp_path).computed == 0  # vectors do not depend on how files are cut
    assert look(back) == before


def test_rebuild_with_another_embedder(full: Index, tmp_path: Path, look: Look) -> None:
    other = Index.open(full.path, embedder=HashingEmbedder(64), rebuild=True)
    report = other.sync(tmp_path)
    assert report.computed == report.chunks > 0
    look(other)
    with pytest.raises(EmbedderError, match="custom embedder"):
        Index.open(full.path).search("thing")


def test_one_writer(full: Index, tmp_path: Path) -> None:
    with full._store.writing():
        with pytest.raises(LockedIndexError):
            Index.open(full.path).sync(tmp_path)
        assert len(full.search("thing")) == 10
    assert full.sync(tmp_path).unchanged == 1


def test_readers_see_whole_commits_while_one_writes(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two states in turn, with the vectors written anew in between; a reader sees one or the other.
    monkeypatch.setattr("chunker.index.writing.SPARE", 0)
    index = Index.open(tmp_path / ".chunker", embedder=HashingEmbedder(32))
    write("a.txt", "alpha state\n" * 50)
    index.sync(tmp_path)
    problems: list[object] = []
    seen: set[str] = set()
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                hits = index.search("alpha omega", 50)
                words = {hit.text.split()[0] for hit in hits}
                seen.update(words)
                if len(words) != 1 or any(abs((hit.similarity or 0) - expected[hit.text]) > 1e-5 for hit in hits):
                    problems.append(hits)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to fail of it
            problems.append(error)

    expected: dict[str, float] = {}
    texts = ["alpha state\n" * 50, "omega state\n" * 50]
    for age, text in enumerate(texts, 1):
        write("a.txt", text, age=age)
        index.sync(tmp_path)
        expected |= {hit.text: hit.similarity or 0.0 for hit in index.search("alpha omega", 50)}
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for age in range(3, 33):
        write("a.txt", texts[age % 2], age=age)
        index.sync(tmp_path)
    done.set()
    for reader in readers:
        reader.join()
    assert problems == []
    assert seen == {"alpha", "omega"}


def test_meta_of_another_version(full: Index) -> None:
    with sqlite3.connect(full.path / "index.sqlite") as connection:
        connection.execute("UPDATE meta SET value = 99 WHERE name = 'schema'")
    connection.close()
    with pytest.raises(DamagedIndexError, match="99"):
        Index.open(full.path)


def test_the_root_is_remembered(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("Apples are red.\n", encoding="utf-8")
    (files / "c.txt").write_text("Cherries are dark.\n", encoding="utf-8")
    Index.open(tmp_path / "index", root=files).sync(files)
    (files / "c.txt").unlink()
    again = Index.open(tmp_path / "index")
    report = again.sync(files)
    assert (report.added, report.removed_files, again.status().files) == (0, 1, 1)
    assert [hit.source for hit in again.search("cherries apples", limit=9)] == ["a.txt"]
    Index.open(tmp_path / "index", root=tmp_path / "index" / ".." / "files")


def test_another_root_is_an_error_and_a_rebuild_takes_it(full: Index, tmp_path: Path) -> None:
    with pytest.raises(SettingsMismatchError, match="root is"):
        Index.open(full.path, root=full.path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "z.txt").write_text("Zebras.\n", encoding="utf-8")
    moved = Index.open(full.path, root=other, rebuild=True)
    assert moved.status().files == 0
    Index.open(full.path).sync(other)
    assert [hit.source for hit in Index.open(full.path).search("zebras")] == ["z.txt"]


def test_a_tree_may_be_moved_with_its_index(tmp_path: Path) -> None:
    files = tmp_path / "tree" / "files"
    files.mkdir(parents=True)
    (files / "a.txt").write_text("Apples are red.\n", encoding="utf-8")
    Index.open(tmp_path / "tree" / "index", root=files).sync(files)
    (tmp_path / "tree").rename(tmp_path / "wood")
    report = Index.open(tmp_path / "wood" / "index").sync(tmp_path / "wood" / "files")
    assert (report.unchanged, report.added, report.removed_files) == (1, 0, 0)


def test_an_index_that_has_no_root_yet_takes_any(full: Index, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(full.path / DATABASE)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE name = 'root'")
    Index.open(full.path, root=tmp_path / "elsewhere")
    assert Index.open(full.path).sync(tmp_path).has_changes is False


@pytest.mark.parametrize(
    "options", [{"max_tokens": -1}, {"max_tokens": 0}, {"overlap": -1}, {"strategy": "best"}, {"min_tokens": 9999}]
)
def test_options_that_cannot_be_are_told_when_an_index_is_opened(options: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        Index.open(tmp_path / ".chunker", **options)
    assert not (tmp_path / ".chunker").exists()


LONE = "a\ud800"


@pytest.mark.parametrize(
    "call",
    [
        lambda index: index.sync(index.path.parent, tags=LONE),
        lambda index: index.sync(index.path.parent, tags=["main", LONE]),
        lambda index: index.sync(LONE),
        lambda index: index.sync(index.path.parent, include=[LONE]),
        lambda index: index.add({LONE: "text"}),
        lambda index: index.add({"name": f"text {LONE}"}),
        lambda index: index.remove(LONE),
        lambda index: index.forget(LONE),
        lambda index: index.definitions(LONE),
        lambda index: index.references(LONE),
        lambda _: Filter(tags=(LONE,)),
        lambda _: Filter(sources=(LONE,)),
        lambda _: Filter(languages=(LONE,)),
        lambda _: Filter(kinds=(LONE,)),
        lambda _: Filter(metadata={"of": LONE}),
        lambda _: Filter(metadata={LONE: 1}),
        lambda index: Index.open(LONE),
        lambda index: Index.open(index.path, root=LONE),
    ],
)
def test_lone_surrogates_are_told(call: Callable[[Index], object], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Title\n\nText.\n")
    index = Index.open(tmp_path / ".chunker")
    index.sync(tmp_path)
    with pytest.raises(OptionError, match=r"lone surrogate|no file can be called"):
        call(index)
    assert [hit.source for hit in index.search("title")] == ["a.md"]
