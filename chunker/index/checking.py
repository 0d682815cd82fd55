"""Check an index: its content is counted again, from the files up."""

from __future__ import annotations

from collections import Counter

from chunker.index.store import Snapshot
from chunker.index.vectors import checksum

# Vectors that are read at a time.
_BLOCK = 1024

_FULL_TEXT = {
    "words": "SELECT id, places > 0 FROM embeddings",
    "names": "SELECT id, files > 0 FROM sources",
}
_COUNTS = {
    "places of embeddings": "SELECT count(*) FROM embeddings AS e WHERE e.places != (SELECT count(*) FROM places WHERE embedding = e.id)",
    "files of versions": "SELECT count(*) FROM versions AS v WHERE v.files != (SELECT count(*) FROM files WHERE version = v.id)",
    "chunks of versions": "SELECT count(*) FROM versions AS v WHERE v.chunks != (SELECT count(*) FROM places WHERE version = v.id)",
    "versions without files": "SELECT count(*) FROM versions WHERE files = 0",
    "places without a version": "SELECT count(*) FROM places WHERE version NOT IN (SELECT id FROM versions)",
    "files without a version": "SELECT count(*) FROM files WHERE version NOT IN (SELECT id FROM versions)",
    "places without a vector": "SELECT count(*) FROM places WHERE embedding NOT IN (SELECT id FROM embeddings)",
    "texts": "SELECT count(*) FROM embeddings WHERE (text IS NULL) != (places = 0)",
    "rows of vectors": "SELECT count(*) FROM embeddings WHERE row < 0 OR row >= (SELECT value FROM meta WHERE name = 'rows')",
    "names of files": "SELECT abs((SELECT count(*) FROM files) - (SELECT coalesce(sum(files), 0) FROM sources))",
    "definitions without a version": "SELECT count(*) FROM definitions WHERE version NOT IN (SELECT id FROM versions)",
    "symbols": "SELECT abs((SELECT count(*) FROM symbols) - (SELECT count(*) FROM versions))",
    "names that are used": "SELECT abs((SELECT count(*) FROM symbols) - (SELECT count(*) FROM used_names_docsize))",
}


def faults(snapshot: Snapshot) -> list[str]:
    """The faults of an index; empty if there are none. Reads everything."""
    # SQLite from 3.44 on checks full text by the structure that this connection has read, which is an old one, and a
    # fault, if another process has written meanwhile. A query reads it anew.
    snapshot.connection.execute("SELECT rowid FROM used_names LIMIT 1").fetchone()
    found = [
        f"the database: {line}" for (line,) in snapshot.connection.execute("PRAGMA integrity_check") if line != "ok"
    ]
    for name, query in _COUNTS.items():
        count = snapshot.connection.execute(query).fetchone()[0]
        if count:
            found.append(f"{name}: {count:,} are wrong")
    for kind, query in _FULL_TEXT.items():
        numbers = Counter((snapshot.words if kind == "words" else snapshot.names).numbers())
        known = dict(snapshot.connection.execute(query))
        unsettled = {n for (n,) in snapshot.connection.execute("SELECT id FROM unsettled WHERE kind = ?", (kind,))}
        count = sum(numbers[number] != needed for number, needed in known.items() if number not in unsettled)
        count += len(numbers.keys() - known.keys() - unsettled)
        if count:
            found.append(f"full text of {kind}: {count:,} are wrong")
    wrong = lost = 0
    rows = snapshot.connection.execute("SELECT row, checksum FROM embeddings")
    while block := dict(rows.fetchmany(_BLOCK)):
        vectors = snapshot.vectors.take(list(block))
        wrong += sum(checksum(vector) != block[row] for row, vector in vectors.items())
        lost += len(block) - len(vectors)
    for count, what in (
        (wrong, "altered"),
        (lost, "not there"),
        (snapshot.vectors.surplus(), "too many"),
        (snapshot.vectors.wrong_sketches(), "sketched wrongly"),
    ):
        if count:
            found.append(f"vectors: {count:,} are {what}")
    return found
