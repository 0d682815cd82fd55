"""Steps for the tests of `chunker.scale` that a spawned process, or the worker of an engine, has to import."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chunker.scale import ChunkBatch


class DeadlyOnce(ChunkBatch):
    """Kills its process at the first table that holds "deadly", once; `marker` is where it notes that it has."""

    def __init__(self, marker: str, max_tokens: int = 512, *, always: bool = False, **settings: Any) -> None:
        super().__init__(max_tokens, **settings)
        self._marker = marker
        self._always = always

    def fingerprint(self) -> str:
        return "deadly"

    def __call__(self, table: pa.Table) -> pa.Table:
        if any("deadly" in (text or "") for text in table.column("text").to_pylist()):
            marker = Path(self._marker)
            if self._always or not marker.exists():
                marker.write_text("died", encoding="utf-8")
                os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(table)


def documents(count: int, *, deadly: int | None = None) -> pa.Table:
    """Texts of several formats, with nulls, empty ones, repeats, and what else tables carry."""
    texts: list[str | None] = []
    for number in range(count):
        kind = number % 5
        if kind == 0:
            texts.append(
                "".join(f"def name_{number}_{line}(x):\n    return x + {line}\n\n\n" for line in range(number % 17))
            )
        elif kind == 1:
            texts.append(f"# Part {number}\n\n" + f"Sentence of {number}, with é and 漢字. " * (number % 40) + "\n")
        elif kind == 2:
            texts.append(None if number % 2 else "")
        elif kind == 3:
            texts.append('{"a": [' + ", ".join(str(n) for n in range(number % 60)) + "]}\r\n")
        else:
            texts.append(f"Plain text {number}.\n\n" * (number % 30))
    if deadly is not None:
        texts[deadly] = "deadly\n" + (texts[deadly] or "")
    names = [f"d{number}.{('py', 'md', 'txt', 'json', '')[number % 5]}".rstrip(".") for number in range(count)]
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "path": names,
            "text": pa.array(texts, pa.string()),
            "stars": pa.array([None if number % 7 == 0 else number / 2 for number in range(count)], pa.float64()),
            "labels": pa.array([["x"] * (number % 3) for number in range(count)], pa.list_(pa.string())),
        }
    )


def write_parts(folder: Path) -> Path:
    """The hundred documents as a corpus of four parts of parquet, in a new folder."""
    folder.mkdir()
    for number in range(4):
        pq.write_table(documents(100).slice(number * 25, 25), folder / f"part-{number}.parquet")
    return folder
