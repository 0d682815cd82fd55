"""The scanners of the compiled core split as the patterns do: on every code point of Unicode, and on texts that look for trouble."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from code_points import PLANES, blocks, surroundings_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import broken_texts, byte_strings, texts

from bpe_engine.fallback.pretokenizer import NamedPattern
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.data import load_planes
from bpe_engine.text.input import received
from bpe_engine.text.unicode_classes import stand_ins

if TYPE_CHECKING:
    from bpe_engine import _core
else:
    _core = pytest.importorskip("bpe_engine._core", reason="this installation has no compiled core")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_core_tables.py"

# Each 0 is the character: beside letters of either case, digits, punctuation, white space and Han, and beside itself.
SURROUNDINGS = ("0a 00A1", "02!0\n中0'0  0")


@cache
def engine(name: str) -> _core.Engine:
    """The core with the scanner of a named pattern, whichever implementation the package runs."""
    return _core.Engine(tokens(), name)


@cache
def tokens() -> _core.TokenSet:
    return _core.TokenSet.from_planes(load_planes("cl100k_base"))


def test_every_named_pattern_has_a_scanner() -> None:
    assert [name for name in PATTERNS if not _core.has_scanner(name)] == []
    assert not _core.has_scanner("no such pattern")


@pytest.mark.parametrize("plane", PLANES)
def test_every_code_point_in_several_surroundings(plane: int) -> None:
    """Many blocks have the same classes, and what the pattern says of them is computed once."""
    for block in blocks(plane):
        characters = "".join(map(chr, block))
        around = surroundings_of(block, SURROUNDINGS)
        text = "".join([surrounding.replace("0", each) for surrounding in around for each in characters])
        classes = stand_ins(text)
        for name in PATTERNS:
            assert [*map(len, engine(name).split(text))] == lengths(name, classes), f"{name}, from U+{block[0]:04X} on"


@cache
def lengths(name: str, classes: str) -> list[int]:
    """Of the pre-tokens, in characters."""
    return [end - start for start, end in NamedPattern(name).spans(classes)]


@settings(max_examples=200)
@given(text=st.one_of(texts(), texts(60), broken_texts(), byte_strings(), byte_strings(40)))
def test_texts_that_look_for_trouble(text: str | bytes) -> None:
    for name in PATTERNS:
        assert engine(name).split(text) == NamedPattern(name).split(received(text)), name


def test_table_is_made_of_the_classes_of_the_package() -> None:
    check = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stderr
