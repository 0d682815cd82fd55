"""Work that kills its process, or has no result to send. It has a module of its own, which a process that is spawned can import; a test file is no
module to it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunker import Chunk, TextChunker


class Deadly(TextChunker):
    """Kills the process at the word "kill", the first time at "wound", ends it at "exit", and raises at "raise"."""

    def chunk(self, text: str, *, source: str | None = None, metadata: Mapping[str, Any] | None = None) -> list[Chunk]:
        if text.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("wound"):
            marker = Path(text.split(" ", 1)[1])
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("exit"):
            os._exit(3)
        if text.startswith("raise"):
            raise ZeroDivisionError("of its own")
        if text.startswith("sleep"):
            time.sleep(60)
        return super().chunk(text, source=source, metadata=metadata)


def die(_item: int) -> int:
    """No result."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def unsendable(item: int) -> object:
    """A result that does not pickle, for 0."""
    return (lambda: 0) if item == 0 else item
