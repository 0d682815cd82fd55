"""An index whose vectors are in a store finds what one with a file finds, costs what that costs, and may be stopped at any point."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vector_store_kinds

import chunker
from chunker.index import (
    EmbedderError,
    Filter,
    HashingEmbedder,
    Index,
    SettingsMismatchError,
    VectorStoreError,
    schema,
    stored,
    writing,
)
from chunker.index.vector_stores import VectorStore, store_named, without_password

# qdrant-client does not close some connections of its local mode, which CPython tells from 3.13 on.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <sqlite3.Connection:pytest.PytestUnraisableExceptionWarning"
)

SMALL = HashingEmbedder(32)
KILLS = int(os.environ.get("INDEX_KILLS", "2"))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(params=vector_store_kinds.KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = shared if kind == "pgvector" else tmp_path_factory.mktemp("store")
    return vector_store_kinds.place_of(kind, folder)


@pytest.fixture
def store(kind: str, place: str) -> VectorStore:
    made = vector_store_kinds.store_at(kind, place)
    assert isinstance(made, VectorStore)
    return made


@pytest.fixture
def table(store: VectorStore) -> Iterator[tuple[Any, str]]:
    name = str(stored.TableName.new())
    store.create(name, 8)
    with store.opened(name) as opened:
        yield opened, name
    store.discard(name)


def unit(count: int, dimensions: int = 8, seed: int = 1) -> Any:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write(folder: Path, name: str, text: str, age: int = 0) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_700_000_000 + age,) * 2)


def project(folder: Path, *, changed: bool = False, files: int = 9) -> None:
    for number in range(files):
        lines = [f"def name_{number}_{line}(value):\n    return value + {line}\n\n\n" for line in range(12)]
        if changed and number % 3 == 0:
            lines.insert(number, f"NEW_{number} = {number}\n\n\n")
        if changed and number == 4:
            lines.reverse()
        old, new = folder / f"f{number}.py", folder / f"moved/f{number}.py"
        if changed and number in {5, 7}:
            old.unlink(missing_ok=True)
        if not (changed and number == 7):
            write(
                folder, str((new if changed and number == 5 else old).relative_to(folder)), "".join(lines), int(changed)
            )
    write(folder, "soup.md", "# Soup\n\nCut the onions and let them simmer.\n")


def picture(index: Index) -> dict[str, Any]:
    """All that an index keeps of its files; it holds together, and the store has what it should and no more."""
    assert index.verify() == []
    with index._store.reading() as snapshot:
        ask = snapshot.connection.execute
        files = ask(
            "SELECT tag, source, v.key FROM files JOIN versions AS v ON v.id = version ORDER BY 1, 2"
        ).fetchall()
        needed = ask("SELECT key, text, tokens, places, row FROM embeddings WHERE places > 0 ORDER BY key").fetchall()
        found = snapshot.vectors.take([row for *_, row in needed])
        return {
            "files": files,
            "texts": [row[:4] for row in needed],
            "vectors": [np.array(found[row]).tobytes() for *_, row in needed],
        }


def hits(index: Index, query: str, limit: int = 10, only: Filter | None = None, by: Any = "both") -> list[Any]:
    return [
        (hit.source, hit.span, hit.text, hit.tags, hit.also, pytest.approx(hit.similarity, abs=1e-5))
        for hit in index.search(query, limit, only, by=by)
    ]


def in_store(store: VectorStore, index: Index) -> int:
    with index._store.reading() as snapshot:
        name = str(stored.table_name(snapshot.connection))
    with store.opened(name) as opened:
        return opened.count()


# --- a table


def test_a_table_keeps_vectors_bit_by_bit(table: tuple[Any, str]) -> None:
    opened, _ = table
    rows = unit(300)
    keys = [bytes([number % 256, number // 256]) * 8 for number in range(300)]
    assert opened.count() == 0
    assert opened.vectors(keys[:3]) == {}
    assert opened.nearest(rows[0], 5) == ([], [])
    opened.put(keys[:200], rows[:200])
    opened.put(keys[150:], rows[150:])  # some once more
    assert opened.count() == 300
    found = opened.vectors([*keys, b"\xff" * 16])
    assert sorted(found) == sorted(keys)
    assert all(
        found[key].dtype == np.float32 and np.array_equal(found[key], row) for key, row in zip(keys, rows, strict=True)
    )
    opened.put(keys[:1], rows[1:2])
    assert np.array_equal(opened.vectors(keys[:1])[keys[0]], rows[1])
    opened.drop(keys[:100])
    opened.drop([*keys[:100], b"\xee" * 16])
    opened.drop([])
    assert opened.count() == 200
    assert opened.vectors(keys[:100]) == {}


def test_the_nearest_are_those_with_the_largest_product(table: tuple[Any, str]) -> None:
    opened, _ = table
    rows, queries = unit(300), unit(5, seed=2)
    keys = [number.to_bytes(16, "big") for number in range(300)]
    opened.put(keys, rows)
    for query in queries:
        products = rows @ query
        order = np.argsort(-products)
        for limit in (1, 7, 300, 1000):
            found, scores = opened.nearest(query, limit)
            assert found == [keys[number] for number in order[:limit]]
            assert scores == pytest.approx(products[order[:limit]].tolist(), abs=1e-5)


def test_tables_that_are_there_and_not(store: VectorStore, table: tuple[Any, str]) -> None:
    opened, name = table
    opened.put([b"k" * 16], unit(1))
    store.create(name, 8)  # there is one: nothing happens
    with store.opened(name) as again:
        assert again.count() == 1
    store.discard(name)
    store.discard(name)
    with pytest.raises(VectorStoreError, match=name), store.opened(name):
        pass


def test_errors_of_others_pass_through(store: VectorStore, table: tuple[Any, str]) -> None:
    _, name = table
    with pytest.raises(EmbedderError), store.opened(name):
        raise EmbedderError("of the embedder")
    with pytest.raises(ValueError, match="of the user"), store.opened(name):
        raise ValueError("of the user")


# --- an index


def test_an_index_finds_and_costs_what_one_with_a_file_does(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    plain = Index.open(tmp_path / ".plain", embedder=SMALL, root=tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    paths = [tmp_path / name for name in (*(f"f{number}.py" for number in range(9)), "soup.md", "moved")]
    paths[-1].mkdir()
    for changed in (False, True, False):
        project(tmp_path, changed=changed)
        reports = [one.sync(paths, tags="main") for one in (plain, index)]
        for report in reports:
            report.seconds = report.embedding_seconds = 0.0
        assert reports[0] == reports[1]
        assert picture(plain) == picture(index)
        assert in_store(store, index) == index.status().embeddings
        asked = [
            (query, None, by) for query in ("name_3_4 value", "onions", "NEW_6") for by in ("vectors", "words", "both")
        ]
        filters = Filter(sources=("f3*",)), Filter(languages=("markdown",)), Filter(tags=("other",))
        for query, only, by in [*asked, *(("name_3_4 value", one, "both") for one in filters)]:
            assert hits(index, query, 5, only, by) == hits(plain, query, 5, only, by)
    again = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    assert hits(again, "onions") == hits(plain, "onions")


def test_renames_and_branches_embed_nothing(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    index.sync(tmp_path, tags="main")
    (tmp_path / "f1.py").rename(tmp_path / "g1.py")
    report = index.sync(tmp_path, tags="main")
    assert (report.computed, report.renamed) == (0, 1)
    assert index.sync(tmp_path, tags="branch").computed == 0
    write(tmp_path, "g1.py", "x = 1\n", 5)
    assert index.sync(tmp_path, tags="branch").computed == 1
    assert index.forget("branch") > 0
    assert index.prune() == 1
    assert in_store(store, index) == index.status().embeddings
    assert index.verify() == []


def test_another_embedder_begins_anew(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    index.sync(tmp_path)
    with index._store.reading() as snapshot:
        before = str(stored.table_name(snapshot.connection))
    other = Index.open(tmp_path / ".chunker", embedder=HashingEmbedder(16), store=store, rebuild=True)
    assert other.status().embeddings == 0
    report = other.sync(tmp_path)
    assert report.computed == report.chunks > 0
    picture(other)
    with pytest.raises(VectorStoreError), store.opened(before):
        pass
    cut = Index.open(tmp_path / ".chunker", max_tokens=50, embedder=HashingEmbedder(16), store=store, rebuild=True)
    assert cut.sync(tmp_path).chunks > report.chunks
    back = Index.open(
        tmp_path / ".chunker",
        max_tokens=256,
        desired_tokens=160,
        embedder=HashingEmbedder(16),
        store=store,
        rebuild=True,
    )
    assert back.sync(tmp_path).computed == 0


def test_a_rebuild_puts_lost_vectors_again(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    index.sync(tmp_path)
    before = picture(index)
    with index._store.reading() as snapshot:
        name = str(stored.table_name(snapshot.connection))
        (key,) = snapshot.connection.execute("SELECT key FROM embeddings LIMIT 1").fetchone()
    with store.opened(name) as table:
        table.drop([key])
    assert index.verify() == ["vectors: 1 are not there"]
    again = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store, rebuild=True)
    assert again.sync(tmp_path).computed == 1
    assert picture(again) == before


class Stop(BaseException):
    """As if the process had ended here."""


def stopping(at: int, counted: list[int]) -> Callable[[Callable[..., Any], bool], Callable[..., Any]]:
    """Wraps a step of the book or of the store; the one with the number `at` is the last, before or after its work."""

    def wrap(real: Callable[..., Any], after: bool) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            counted[0] += 1
            if counted[0] == at and not after:
                raise Stop
            result = real(*arguments, **options)
            if counted[0] == at and after:
                raise Stop
            return result

        return step

    return wrap


@pytest.mark.parametrize("after", [False, True])
def test_stopped_at_each_step(
    kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """Puts, drops and commits of a sync that computes, moves, removes and drops spare vectors, and stops at each of them in turn."""
    monkeypatch.setattr(stored, "SPARE", 0)
    monkeypatch.setattr(writing, "SPARE", 0)
    store = vector_store_kinds.store_at(kind, place)

    class Small(HashingEmbedder):
        max_batch_texts = 2

    def fresh(name: str) -> tuple[Path, Index]:
        folder = tmp_path / name
        project(folder, files=5)
        index = Index.open(folder / ".chunker", embedder=Small(32), store=store)
        index.sync(folder)
        for path in folder.glob("f[0-3].py"):
            path.unlink()
        write(folder, "new.py", "".join(f"def other_{line}():\n    return {line * 7}\n\n\n" for line in range(12)), 3)
        return folder, index

    folder, index = fresh("undisturbed")
    report = index.sync(folder)
    assert report.computed > 0
    assert report.dropped > 0
    expected = picture(index)
    steps = 0
    while True:
        steps += 1
        folder, index = fresh(f"stopped-{steps}")
        counted = [0]
        wrap = stopping(steps, counted)
        with monkeypatch.context() as patched:
            real = schema.transaction

            @contextlib.contextmanager
            def commit(connection: Any, real: Any = real, wrap: Any = wrap) -> Iterator[None]:
                wrap(lambda: None, False)()
                with real(connection):
                    yield

            patched.setattr(stored, "transaction", commit)
            patched.setattr(writing, "transaction", commit)
            with store.opened(table_of(index)) as opened:
                for name in ("put", "drop"):
                    patched.setattr(type(opened), name, wrap(getattr(type(opened), name), after))
            try:
                index.sync(folder)
            except Stop:
                pass
            else:
                break
        assert not [fault for fault in index.verify() if "too many" not in fault]
        index.sync(folder)
        assert picture(index) == expected
        assert in_store(store, index) == index.status().embeddings
    assert steps > 7  # three of new vectors, one of files, three of spare ones


def table_of(index: Index) -> str:
    with index._store.reading() as snapshot:
        return str(stored.table_name(snapshot.connection))


SERVER = """
import os, sys
sys.path[:0] = sys.argv[1:3]
import vector_store_kinds
from pathlib import Path
from chunker.index import HashingEmbedder, Index, stored, syncing, writing
stored.SPARE = writing.SPARE = 0
syncing.CHUNKS_AT_ONCE, syncing.FILES_AT_ONCE = 12, 3
class Small(HashingEmbedder):
    max_batch_texts = 5
folder = Path(sys.argv[3])
index = Index.open(folder / ".chunker", embedder=Small(32), store=vector_store_kinds.store_at(*sys.argv[4:6]))
print("ready", flush=True)
index.sync(folder)
print("done", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_random_moments(kind: str, place: str, tmp_path: Path) -> None:
    """A process that is killed, and not told. INDEX_KILLS=200 for two hundred moments."""
    if kind == "qdrant" and "INDEX_KILLS" not in os.environ:
        pytest.skip("takes a minute with a folder of Qdrant: INDEX_KILLS=20")
    chance = random.Random(7)

    def sync(folder: Path, at: str, seconds: float | None) -> tuple[int, float]:
        roots = [str(Path(chunker.__path__[0]).parent), str(Path(vector_store_kinds.__file__).parent)]
        with subprocess.Popen(
            [sys.executable, "-c", SERVER, *roots, str(folder), kind, at], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            began = time.monotonic()
            if seconds is not None:
                time.sleep(seconds)
                process.send_signal(signal.SIGKILL)
            process.stdout.read()
            took = time.monotonic() - began
            return process.wait(), took

    def begun(name: str) -> tuple[Path, str]:
        folder = tmp_path / name
        project(folder)
        at = place if "://" in place else f"{place}-{name}"
        Index.open(folder / ".chunker", embedder=SMALL, store=vector_store_kinds.store_at(kind, at)).sync(folder)
        project(folder, changed=True)
        return folder, at

    folder, at = begun("undisturbed")
    status, whole = sync(folder, at, None)
    assert status == 0
    expected = picture(Index.open(folder / ".chunker", embedder=SMALL, store=vector_store_kinds.store_at(kind, at)))
    killed = 0
    for number in range(KILLS):
        folder, at = begun(f"trial-{number}")
        killed += sync(folder, at, chance.uniform(0, whole))[0] == -signal.SIGKILL
        index = Index.open(folder / ".chunker", embedder=SMALL, store=vector_store_kinds.store_at(kind, at))
        assert not [fault for fault in index.verify() if "too many" not in fault]
        index.sync(folder)
        assert picture(index) == expected
        assert in_store(vector_store_kinds.store_at(kind, at), index) == index.status().embeddings
    assert killed >= KILLS // 2


@pytest.mark.parametrize("name", ["chroma", "lancedb", "milvus", "qdrant"])
def test_a_store_among_the_files_is_none_of_them(name: str, tmp_path: Path) -> None:
    store = vector_store_kinds.store_at(name, vector_store_kinds.place_of(name, tmp_path / "stores"))
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    assert index.sync(tmp_path).files == 10
    report = index.sync(tmp_path)
    assert (report.files, report.problems, report.left_out) == (10, [], [])


def test_several_stores_on_one_file_of_milvus(tmp_path: Path) -> None:
    place = vector_store_kinds.place_of("milvus", tmp_path / "stores")
    stores = [vector_store_kinds.store_at("milvus", place) for _ in range(3)]
    rows = np.eye(3, 8, dtype=np.float32)
    for number, store in enumerate(stores):
        store.create(f"table_{number}", 8)
    # All of them at once, and the last one longer than the others.
    with stores[0].opened("table_0") as first, stores[1].opened("table_1") as second:
        with stores[2].opened("table_2") as third:
            for number, table in enumerate((first, second, third)):
                table.put([bytes([number]) * 16], rows[number : number + 1])
            assert [table.count() for table in (first, second, third)] == [1, 1, 1]
        stores[2].discard("table_2")
        assert first.nearest(rows[0], 3)[0] == [b"\0" * 16]
        assert second.vectors([b"\1" * 16]).keys() == {b"\1" * 16}
    with stores[2].opened("table_0") as again:
        assert again.count() == 1
    with pytest.raises(VectorStoreError, match="no collection table_2"), stores[0].opened("table_2"):
        pass


# --- by name, and what is refused


def test_by_name(kind: str, place: str, tmp_path: Path) -> None:
    try:
        points = distribution("bpe-chunker").entry_points.select(group="bpe_chunker.stores")
    except PackageNotFoundError:
        pytest.skip("the package is not installed, only imported: stores have no names then")
    assert {point.name for point in points} == {
        "chroma",
        "elasticsearch",
        "lancedb",
        "milvus",
        "pgvector",
        "qdrant",
        "weaviate",
    }
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=f"{kind.partition('-')[0]}:{place}")
    index.sync(tmp_path)
    again = Index.open(tmp_path / ".chunker", embedder=SMALL)  # it knows where its vectors are
    assert again.search("onions", 1)[0].source == "soup.md"
    assert again.verify() == []


def test_a_store_is_chosen_once(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    Index.open(tmp_path / ".plain", embedder=SMALL, root=tmp_path).sync(tmp_path / "soup.md")
    with pytest.raises(SettingsMismatchError, match="a file of the index"):
        Index.open(tmp_path / ".plain", embedder=SMALL, store=store)


def test_a_table_that_is_gone(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    index.sync(tmp_path)
    store.discard(table_of(index))
    with pytest.raises(VectorStoreError, match="bpe_chunker_"):
        index.search("onions")
    with pytest.raises(VectorStoreError):
        index.sync(tmp_path)


def test_a_vector_that_is_gone_is_told(store: VectorStore, tmp_path: Path) -> None:
    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=store)
    index.sync(tmp_path)
    with index._store.reading() as snapshot:
        keys = [key for (key,) in snapshot.connection.execute("SELECT key FROM embeddings LIMIT 2")]
    with store.opened(table_of(index)) as opened:
        opened.drop(keys[:1])
        opened.put(keys[1:], unit(1, 32))
        opened.put([b"s" * 16, b"t" * 16], unit(2, 32))
    assert index.verify() == [
        "vectors: 1 are altered",
        "vectors: 1 are not there",
        "vectors: 1 are too many",
    ]


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason='needs psycopg: pip install "bpe-chunker[pgvector]"')
    from chunker.integrations.stores.pgvector import PgStore  # noqa: PLC0415  # where psycopg is installed

    project(tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL, store=PgStore("postgresql://me:secret@127.0.0.1:9/none"))
    with pytest.raises(VectorStoreError, match="PostgreSQL at postgresql://me@127"):
        index.sync(tmp_path)
    assert index.search("onions") == []


def test_passwords_are_not_kept() -> None:
    assert without_password("qdrant:https://host:6333/a") == "qdrant:https://host:6333/a"
    assert without_password("pgvector:postgresql://u:p:w@h/d?x=1") == "pgvector:postgresql://u@h/d?x=1"


def test_names_that_are_none() -> None:
    with pytest.raises(ValueError, match="no vector store is called 'nothing'"):
        store_named("nothing:here")
