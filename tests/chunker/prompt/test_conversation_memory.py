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

PROGRAM = Path(__file__).parents[3] / "benchmarks" / "prompts" / "conversation_memory.py"
LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None


@pytest.mark.skipif(not hasattr(LIBRARY, "mallinfo2"), reason="the C library does not tell what is in use")
@pytest.mark.skipif(implementation() != "cpp", reason="of the compiled engine")
def test_at_most_twelve_bytes_a_token() -> None:
    command = [sys.executable, "-P", str(PROGRAM), "10000"]
    made = subprocess.run(command, env={**os.environ, "PYTHONMALLOC": "malloc"}, capture_output=True, check=True)
    found = json.loads(made.stdout)
    # Of these 5.6 are the text and 4 the ids.
    assert found["turn by turn"] <= 12
    assert found["at once"] <= 12
    assert found["fork"] <= 11
