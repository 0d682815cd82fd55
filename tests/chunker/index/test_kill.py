"""kill -9 at any moment of a sync: the next one ends where an undisturbed one does. INDEX_KILLS=200 for two hundred moments."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import chunker
from chunker.index import HashingEmbedder, Index, vectors, writing

Look = Callable[[Index], dict[str, Any]]
Write = Callable[..., object]

KILLS = int(os.environ.get("INDEX_KILLS", "20"))
SMALL = HashingEmbedder(32)

# Forks a process for each sync, for to start one takes longer than a sync. Reads "folder" lines; a number of seconds,
# or "-" to let it end.
SERVER = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from chunker.index import HashingEmbedder, Index, syncing, writing
writing.SPARE, writing.UNSKETCHED, syncing.CHUNKS_AT_ONCE, syncing.FILES_AT_ONCE = 0, 0, 12, 3
from chunker.index import settling
settling.REMOVED = -1000  # full text is written anew, too
from chunker import chunker_for
chunker_for("a.py").chunk("x = 1")  # loads what each sync would load
class Small(HashingEmbedder):
    max_batch_texts = 5
for line in sys.stdin:
    seconds, folder = line.rstrip("\\n").split(" ", 1)
    began = time.monotonic()
    child = os.fork()
    if not child:
        Index.open(Path(folder) / ".chunker", embedder=Small(32)).sync(folder)
        os._exit(0)
    if seconds != "-":
        time.sleep(float(seconds))
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    print(status, time.monotonic() - began, flush=True)
"""


def write_file(folder: Path, name: str, text: str, age: int = 0) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_700_000_000 + age,) * 2)


def project(write: Write, changed: bool) -> None:
    for number in range(14):
        lines = [f"def name_{number}_{line}(value):\n    return value + {line}\n\n\n" for line in range(14)]
        if changed and number % 3 == 0:
            lines.insert(number % 20, f"NEW_{number} = {number}\n\n\n")
        if changed and number % 5 == 0:
            lines.reverse()
        name = f"moved/f{number}.py" if changed and number % 7 == 0 else f"f{number}.py"
        if not (changed and number % 11 == 0):
            write(name, "".join(lines), age=int(changed))


@pytest.mark.skipif(sys.platform == "win32", reason="there is neither fork nor SIGKILL")
def test_killed_at_random_moments(tmp_path: Path, look: Look) -> None:
    """From an index of the project as it was to one of what it became: files changed, moved, gone; spare vectors dropped."""
    before, after = tmp_path / "before", tmp_path / "after"
    root = Path(chunker.__path__[0]).parent
    chance = random.Random(4)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:

        def sync(folder: Path, seconds: float | None) -> tuple[int, float]:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(f"{'-' if seconds is None else seconds} {folder}\n")
            server.stdin.flush()
            status, took = server.stdout.readline().split()
            return int(status), float(took)

        project(partial(write_file, before), changed=False)
        assert sync(before, None)[0] == 0
        project(partial(write_file, after), changed=True)

        def trial(name: str) -> Path:
            folder = tmp_path / name
            shutil.copytree(after, folder)
            shutil.copytree(before / ".chunker", folder / ".chunker")
            return folder

        undisturbed = trial("undisturbed")
        status, whole = sync(undisturbed, None)
        assert status == 0
        expected = look(Index.open(undisturbed / ".chunker", embedder=SMALL))
        killed = 0
        for number in range(KILLS):
            folder = trial(f"trial-{number}")
            for _ in range(2):
                killed += sync(folder, chance.uniform(0, whole))[0] == signal.SIGKILL
            index = Index.open(folder / ".chunker", embedder=SMALL)
            assert index.verify() == []  # whatever was done, was done in whole
            assert sync(folder, None)[0] == 0
            assert look(index) == expected, number
            shutil.rmtree(folder)
        server.stdin.close()  # type: ignore[union-attr]  # it is a pipe
    assert killed > KILLS // 2


def test_stopped_after_each_step_of_a_commit(
    tmp_path: Path, write: Write, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The disk has the vectors, the database does not know of them yet.
    project(write, changed=False)
    index = Index.open(tmp_path / ".chunker", embedder=SMALL)

    def written_and_gone(path: Path, first: int, rows: Any) -> None:
        real(path, first, rows)
        raise KeyboardInterrupt

    real = vectors.write_rows
    with monkeypatch.context() as patched:
        patched.setattr(writing, "write_rows", written_and_gone)
        with pytest.raises(KeyboardInterrupt):
            index.sync(tmp_path)
    assert index.status().embeddings == 0
    index.sync(tmp_path)
    other = Index.open(tmp_path / "other", embedder=SMALL, root=tmp_path)
    other.sync(tmp_path)
    assert look(index) == look(other)
