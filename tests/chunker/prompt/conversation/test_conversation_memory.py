"""Memory of a conversation, as glibc's malloc tells it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_engine import implementation

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
PROGRAM = BENCHMARKS / "prompts" / "conversation_memory.py"
LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None


@pytest.mark.skipif(not hasattr(LIBRARY, "mallinfo2"), reason="the C library does not tell what is in use")
@pytest.mark.skipif(implementation() != "cpp", reason="of the compiled engine")
def test_at_most_twelve_bytes_a_token() -> None:
    """Of all that a conversation allocates: of 2,000 tokens and 10,000, in long messages, in short ones, and with calls of tools."""
    command = [sys.executable, "-P", str(PROGRAM), "2000", "10000"]
    # Without a cache for each thread, in which malloc counts what was freed as in use.
    path = {
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
        "PYTHONPATH": str(BENCHMARKS / "support"),
    }
    made = subprocess.run(command, env={**os.environ, **path}, capture_output=True, check=True)
    found = [json.loads(line) for line in made.stdout.splitlines()]
    assert len(found) == 6
    for row in found:
        # Of these 5.6 are the text and 4 the ids.
        assert row["turn by turn"] <= 12, row
        assert row["at once"] <= 12, row
        assert row["fork"] <= (11 if row["tokens"] > 5000 else 12), row
