"""Real files have the same chunks by what is compiled and by its specification: sources, prose, and the samples of every language."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from growers import check_best, check_growing

from chunker import chunker_for
from chunker.growing.compiled import CompiledGrower, grower_of
from chunker.native import native

pytestmark = pytest.mark.skipif(native() is None, reason="the engine runs in pure Python: there is nothing to compare")

ROOT = Path(__file__).resolve().parents[3]
STANDARD_LIBRARY = Path(os.__file__).resolve().parent
FILES = (
    *(STANDARD_LIBRARY / name for name in ("calendar.py", "dataclasses.py", "html/entities.py", "json/decoder.py")),
    *(STANDARD_LIBRARY / name for name in ("typing.py", "unittest/mock.py", "zipfile.py", "test/test_grammar.py")),
    *(STANDARD_LIBRARY / name for name in ("idlelib/NEWS.txt", "pydoc_data/topics.py", "idlelib/help.html")),
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("tests/chunker/formats/code/samples/*")),
)
SAMPLE = 40_000  # characters of a file
SETTINGS: tuple[dict[str, Any], ...] = (
    {"max_tokens": 40},
    {"max_tokens": 96, "overlap": 24, "context": True},
    {"max_tokens": 200, "overlap": 40, "overlap_by": "sentence", "context": ["summary"], "desired_tokens": 120},
    {"max_tokens": 512, "overlap": 100, "overlap_by": "token", "min_tokens": 0},
    {"max_tokens": 1024, "context": ["breadcrumb", "imports", "summary"]},
    {"max_tokens": 80, "overlap": 10, "tokenizer": "words", "context": True},
)
# Those in which the cheapest cuts are compared, too.
BEST = SETTINGS[1:3]


@pytest.mark.parametrize("path", [path for path in FILES if path.is_file()], ids=lambda path: "-".join(path.parts[-2:]))
def test_a_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")[:SAMPLE]
    for options in SETTINGS:
        chunker = chunker_for(path, text=text, **{"tokenizer": "o200k_base", "reserve": 0, **options})
        grower = grower_of(text, chunker.outline(text), chunker.tokenizer, chunker._budget, lambda *_: "")
        assert isinstance(grower, CompiledGrower)
        check_growing(chunker, text)
        if options in BEST:
            check_best(chunker, text)
