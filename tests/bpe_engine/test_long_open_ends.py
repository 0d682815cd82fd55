"""Texts whose open end is thousands of bytes long, for every family: the ways of an encoder that remembers what it has read of it.

Each count is compared with a fresh one, which remembers nothing.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from huggingface_files import FAMILIES, OTHER_MODELS, both, family
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_engine
from bpe_engine import AppendingEncoder, PrependingEncoder, Tokenizer

# Units that are repeated, so that a pre-token, a run of white space or of marks goes on for long; and what ends such
# runs.
UNITS = [
    "a", "ab", "Xy", " ", "\n", "\r\n", " \n", "\t", "'", "''", "``", "#", "##", "▁", " ▁", "1", "12", "'l", "é", "中", "本日", "\u0301",
    "\u0323\u0301", "😀", "ſ", ".", " .", "-a", "ア", "я", "aя", "\u200b", "\u3000", "\u2003", "\u00a0", "\u3000 ", "\u00a0\n", "\u200b\u2003",
    "▁\u3000", "\x01", "\x01 ", "\u0323",
]  # fmt: skip
ENDS = ["", "x", " ", "\n", ".", "1", "中", "é", "<mask>", "the chunker", "chunk,er", "<think>", "</w>", "\u0301", "''"]


@st.composite
def long_programs(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """Texts to add, marks (None) and returns to the mark of a number."""
    runs = draw(st.lists(st.tuples(st.sampled_from(UNITS), st.sampled_from(ENDS)), min_size=1, max_size=2))
    steps: list[tuple[str, Any]] = []
    for unit, end in runs:
        steps.append(("add", unit * (draw(st.integers(530, 1300)) // len(unit.encode()))))
        more = st.one_of(
            st.tuples(st.just(unit), st.integers(1, 90)).map(lambda pair: ("add", (pair[0] * pair[1])[: pair[1]])),
            st.sampled_from(ENDS).map(lambda text: ("add", text)),
            st.just(("mark", None)),
            st.integers(0, 3).map(lambda number: ("return", number)),
        )
        steps += draw(st.lists(more, min_size=2, max_size=6))
        steps.append(("add", end))
    return steps


def check(tokenizer: Tokenizer, encoder: AppendingEncoder | PrependingEncoder, steps: list[tuple[str, Any]]) -> None:
    """Run a program, and compare after each step."""
    text = ""
    marks: list[tuple[Any, str]] = []
    for kind, value in steps:
        if kind == "mark":
            marks.append((encoder.snapshot(), text))
        elif kind == "return":
            if not marks:
                continue
            del marks[value + 1 :]
            mark, text = marks[-1]
            encoder.rollback(mark)
        elif isinstance(encoder, PrependingEncoder):
            encoder.prepend(value)
            text = value + text
        else:
            encoder.append(value)
            text += value
        assert encoder.count == tokenizer.count(text)
        assert encoder.fewest <= encoder.count
    assert encoder.tokens() == tokenizer.encode(text)


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
@settings(max_examples=4, deadline=None)
@given(steps=long_programs())
def test_long_open_ends(name: str, steps: list[tuple[str, Any]]) -> None:
    tokenizer = both(family(name))[1]
    check(tokenizer, tokenizer.appending_encoder(), steps)
    check(tokenizer, tokenizer.prepending_encoder(), steps)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak memory of a process is read from /proc")
@pytest.mark.skipif(bpe_engine.implementation() != "cpp", reason="the memory is that of the compiled core")
def test_many_open_pieces_take_little_memory() -> None:
    """Under o200k a word may end at each of these Chinese characters, until more text moves its end: a table each, thousands of them."""
    program = (
        "import pathlib, re\n"
        "from bpe_engine import Tokenizer\n"
        "tokenizer = Tokenizer.load('o200k_base')\n"
        "text = ('ABCDEFGHIJ' * 30 + '\u4e2d') * 3_500\n"
        "tokens = tokenizer.count(text)\n"
        "for _ in range(3):\n"
        "    assert tokenizer.count(tokenizer.truncate(text, tokens // 2)) <= tokens // 2\n"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', pathlib.Path('/proc/self/status').read_text('ascii'))[1])\n"
    )
    # Not `ru_maxrss`, which a process has from the one that started it.
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300_000  # kB; a megabyte for each table made it more than a million
