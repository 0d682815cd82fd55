"""Processes that a test interrupts."""

from __future__ import annotations

import signal


def listen_to_interrupts() -> None:
    """For `preexec_fn`: what is started in the background of a shell ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
