"""Files that are kept open from search to search: what others write is seen, what is another file is opened anew."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from chunker.index import DamagedIndexError, Index
from chunker.index.kept_open import KeptOpen

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing is kept open there")

Write = Callable[..., Path]


@pytest.fixture
def searched(tmp_path: Path, write: Write, index: Index) -> Index:
    write("a.txt", "The parser reads headers.\n")
    index.sync(tmp_path)
    assert sources(index, "parser") == ["a.txt"]
    return index


def sources(index: Index, query: str) -> list[str]:
    return sorted(hit.source for hit in index.search(query, by="words"))


def idle(index: Index) -> int:
    return len(index._store._kept_open._idle)


def test_one_connection_serves_many_searches(searched: Index) -> None:
    assert idle(searched) == 1
    before = searched._store._kept_open._idle[0][1]
    searched.search("parser")
    assert [one[1] for one in searched._store._kept_open._idle] == [before]


def test_what_another_writes_is_found(tmp_path: Path, write: Write, searched: Index) -> None:
    other = Index.open(searched.path)
    write("b.txt", "A parser of another kind.\n")
    other.sync(tmp_path)
    assert sources(searched, "parser") == ["a.txt", "b.txt"]
    (tmp_path / "a.txt").unlink()
    other.sync(tmp_path)
    assert sources(searched, "parser") == ["b.txt"]


def test_an_index_that_was_made_anew_is_found(tmp_path: Path, write: Write, searched: Index) -> None:
    shutil.rmtree(searched.path)
    write("a.txt", "Nothing but trees.\n")
    Index.open(searched.path).sync(tmp_path)
    assert sources(searched, "trees") == ["a.txt"]
    assert searched.verify() == []


def test_a_database_that_was_cut_off_is_damaged(searched: Index) -> None:
    path = searched.path / "index.sqlite"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(DamagedIndexError):
        searched.verify()
    assert idle(searched) == 0


def test_a_connection_is_closed_after_an_error(searched: Index) -> None:
    kept = KeptOpen(searched.path)
    with kept.connection() as connection:
        connection.execute("BEGIN")
    assert [one[1] for one in kept._idle] == [connection]
    assert not connection.in_transaction
    with pytest.raises(sqlite3.OperationalError), kept.connection() as again:
        again.execute("SELECT nothing")
    assert again is connection
    assert kept._idle == []
    with pytest.raises(Exception, match="closed"):
        connection.execute("SELECT 1")


def test_a_writer_closes_the_database_last(tmp_path: Path, write: Write, searched: Index) -> None:
    write("b.txt", "More.\n")
    searched.sync(tmp_path)
    assert not (searched.path / "index.sqlite-wal").exists()


def test_threads_have_a_connection_each(searched: Index) -> None:
    together, found = threading.Barrier(4), []

    def search() -> None:
        together.wait()
        found.append([sources(searched, "parser") for _ in range(5)])

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[["a.txt"]] * 5] * 4
    assert 1 <= idle(searched) <= 4


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_forked_process_opens_its_own(searched: Index) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def search() -> None:
        theirs = searched._store._kept_open._idle[0][1]
        found = sources(searched, "parser")
        answers.put((found, searched._store._kept_open._idle[0][1] is theirs))

    child = context.Process(target=search)
    child.start()
    assert answers.get(timeout=30) == (["a.txt"], False)
    child.join()
    assert child.exitcode == 0
    assert sources(searched, "parser") == ["a.txt"]


def test_connections_go_with_the_index(tmp_path: Path, searched: Index) -> None:
    index = Index.open(searched.path)
    index.search("parser")
    kept = index._store._kept_open._idle
    assert len(kept) == 1
    del index
    gc.collect()
    assert kept == []
