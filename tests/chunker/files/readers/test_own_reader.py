"""The reader of docs/extending.md, in an installed package of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import chunker
from chunker.files.chunk_files import Cut
from chunker.files.documents import Document

PAGE = Path(__file__).resolve().parents[4] / "docs" / "extending.md"
_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent


def test_the_reader_of_the_page_reads_files_with_its_ending(tmp_path: Path) -> None:
    site = tmp_path / "site"
    metadata = site / "subtitles-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: subtitles\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[bpe_chunker.readers]\nsrt = subtitles:read_subtitles\n")
    (block,) = [part for part in PAGE.read_text(encoding="utf-8").split("```") if "def read_subtitles" in part]
    (site / "subtitles.py").write_text(block.removeprefix("python\n"), encoding="utf-8")
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "evening.srt").write_text("1\n00:01 --> 00:03\nGood\nevening.\n", encoding="utf-8")
    (folder / "broken.srt").write_text("Good evening.\n", encoding="utf-8")

    places = [str(site)]
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        places.append(str(_PACKAGE_FOLDER))
    done = subprocess.run(
        [sys.executable, "-m", "chunker", "chunk", str(folder), "--format", "jsonl"],
        cwd=site,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(places)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "broken.srt" in done.stderr
    assert "'Good evening.' is not the number of a subtitle" in done.stderr
    (record,) = map(json.loads, done.stdout.splitlines())
    assert record["text"] == "Good evening.\n"
    assert record["metadata"]["places"] == [{"subtitle": 1, "time": "00:01 --> 00:03"}]


def test_a_text_is_cut_by_the_format_that_its_reader_names() -> None:
    cut = Cut(64)
    for name in ("csv", "html", "latex", "markdown", "python", "restructuredtext", "text"):
        document = Document("evening.srt", "Good evening.\n", "srt", 14, format=name)
        assert cut.chunker_of(document).language == (None if name == "text" else name)
