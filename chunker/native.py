"""The compiled part of chunker, `chunker._native`; None if the package runs in pure Python.

The engine decides (`bpe_engine.implementation`): one build compiles both packages, and both have a Python twin with
equal results.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType

from bpe_engine import implementation


@cache
def native() -> ModuleType | None:
    """Return the compiled module, or None if the engine runs in pure Python. Raises ImportError if the engine is
    compiled and this module is missing.
    """
    return importlib.import_module("chunker._native") if implementation() == "cpp" else None
