"""The compiled part of chunker, `chunker._native`; None if Python does it all.

The choice is the engine's (`bpe_engine.implementation`): both are compiled in one build, and both have a twin in Python that says the same.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType

from bpe_engine import implementation


@cache
def native() -> ModuleType | None:
    """The compiled module, None where the engine runs in pure Python. Raises ImportError if the engine is compiled and this is missing."""
    return importlib.import_module("chunker._native") if implementation() == "cpp" else None
