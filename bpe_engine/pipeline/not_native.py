"""The reason why the compiled core cannot run a specification."""

from __future__ import annotations


class NotNativeError(Exception):
    """The core cannot run a specification; the message says why."""
