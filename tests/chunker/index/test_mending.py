"""Damaged vectors: told, embedded anew, and the index is then as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from chunker.cli.app import app
from chunker.index import DamagedIndexError, Index, SyncReport
from chunker.index.embedders import HashingEmbedder
from chunker.index.vectors import HEADER_BYTES, Vectors

Write = Callable[..., Path]
Look = Callable[[Index], dict[str, Any]]

ROW_BYTES = 4 * HashingEmbedder().dimensions


@pytest.fixture
def full(tmp_path: Path, write: Write, index: Index) -> Index:
    """An index of some files, of a text that is none, and of one that was dropped."""
    for number in range(6):
        lines = "".join(f"Sentence {line} of text {number} is about thing {line * number}.\n\n" for line in range(60))
        write(f"a{number}.txt", lines)
    index.sync(tmp_path)
    index.add({"note": "Notes are kept by no file."})
    (tmp_path / "a5.txt").unlink()
    index.sync(tmp_path)
    return index


def damage(index: Index, how: str) -> None:
    """Damage the file of the vectors."""
    (path,) = index.path.glob("vectors-*.f32")
    content = bytearray(path.read_bytes())
    if how == "gone":
        path.unlink()
    elif how == "strange":
        path.write_bytes(b"X" + content[1:])
    elif how == "altered":
        content[HEADER_BYTES + 2 * ROW_BYTES] ^= 1
        path.write_bytes(content)
    else:
        path.write_bytes(content[: {"header": 40, "nothing": 0, "part": HEADER_BYTES + 5 * ROW_BYTES + 7}[how]])


@pytest.mark.parametrize("how", ["gone", "strange", "header", "nothing", "part"])
def test_a_sync_embeds_lost_vectors_anew(how: str, full: Index, tmp_path: Path, look: Look) -> None:
    before = look(full)
    damage(full, how)
    with pytest.raises(DamagedIndexError, match="the next sync"):
        Index.open(full.path).search("thing")
    report = Index.open(full.path).sync(tmp_path)
    needed = len(before["texts"])
    assert report.mended == report.computed == (needed - 5 if how == "part" else needed)
    assert report.has_changes
    assert look(Index.open(full.path)) == before
    assert Index.open(full.path).sync(tmp_path).mended == 0


def test_adding_and_removing_mend_too(full: Index) -> None:
    damage(full, "part")
    assert full.add({"more": "Another note."}).mended > 0
    assert full.verify() == []
    damage(full, "gone")
    assert full.remove("more").mended > 0
    assert full.verify() == []


def test_a_rebuild_embeds_altered_vectors_anew(full: Index, tmp_path: Path, look: Look) -> None:
    full.remove("note")
    full.prune()
    before = look(full)
    damage(full, "altered")
    assert full.verify() == ["vectors: 1 are altered"]
    assert full.sync(tmp_path).mended == 0
    again = Index.open(full.path, rebuild=True)
    report = again.sync(tmp_path)
    assert (report.computed, report.added, report.unchanged) == (1, 5, 0)
    assert look(again) == before


class Stop(BaseException):
    """As if the process had ended here."""


class Stopping(HashingEmbedder):
    """Stops in the third batch."""

    max_batch_texts = 2

    def __init__(self) -> None:
        super().__init__()
        self.left = 2

    def embed(self, texts: Sequence[str], /) -> Vectors:
        self.left -= 1
        if self.left < 0:
            raise Stop
        return np.asarray(super().embed(list(texts)), np.float32)


def test_mending_goes_on_after_a_kill(full: Index, tmp_path: Path, look: Look) -> None:
    before = look(full)
    damage(full, "gone")
    with pytest.raises(Stop):
        Index.open(full.path, embedder=Stopping()).sync(tmp_path)
    killed = Index.open(full.path)
    assert killed.verify() != []
    assert killed.search("thing", 3)
    report: SyncReport = killed.sync(tmp_path)
    assert report.mended == len(before["texts"]) - 4
    assert look(killed) == before


def test_the_command_tells_what_helps(full: Index, tmp_path: Path) -> None:
    place = ["--index", str(full.path)]

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*arguments, *place])
        return done.exit_code, done.output

    code, told = run("index", "status", "--verify")
    assert (code, "verified" in told) == (0, True)
    assert "verified" not in run("index", "status")[1]
    damage(full, "altered")
    code, told = run("index", "status", "--verify")
    assert (code, "--rebuild" in told, "verified" in told) == (1, True, False)
    assert run("index", str(tmp_path), "--rebuild", "--dry-run")[0] == 2
    assert run("index", str(tmp_path), "--rebuild")[0] == 0
    assert run("index", "status", "--verify")[0] == 0
    damage(full, "part")
    code, told = run("search", "thing")
    assert (code, "chunker index PATHS" in told) == (1, True)
    code, told = run("index", str(tmp_path))
    assert (code, "of them damaged before" in told) == (0, True)
    assert run("search", "thing")[0] == 0
