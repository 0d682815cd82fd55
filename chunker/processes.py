"""Start processes that ignore Ctrl-C, which a terminal sends to all processes at once: the parent process decides when
they end.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

# For subprocess.Popen on Windows, where signals cannot be blocked.
CREATION_FLAGS = 0
if sys.platform == "win32":
    CREATION_FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes that are started inside. They inherit the blocked signal; this process receives it
    afterwards.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
