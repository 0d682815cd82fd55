"""Choose the implementation of the engine: the compiled core, or its twin in pure Python.

`BPE_ENGINE_IMPLEMENTATION` forces one of them: `cpp` or `python`. Without it the compiled core runs; if the core is
missing, the twin runs, after one warning. The choice is made once, when `bpe_engine` is imported.
"""

from __future__ import annotations

import importlib
import os
import warnings
from types import ModuleType
from typing import Literal

from bpe_engine.errors import BpeEngineError

VARIABLE = "BPE_ENGINE_IMPLEMENTATION"

_NAME = "bpe_engine._core"
_NOT_BUILT = "this installation has no compiled core: it was built without a C++ compiler, or with the core turned off"


def choose(wanted: str | None) -> ModuleType | None:
    """Return the compiled core, or None if the Python twin runs. `wanted` is `cpp`, `python`, or None for the core if there is one.

    Raises BpeEngineError if the core is wanted and does not load, or if `wanted` is anything else.

    >>> choose("python") is None
    True
    >>> choose("rust")
    Traceback (most recent call last):
    bpe_engine.errors.BpeEngineError: BPE_ENGINE_IMPLEMENTATION=rust: the implementations are 'cpp' and 'python'
    """
    if wanted not in {"cpp", "python", None}:
        raise BpeEngineError(f"{VARIABLE}={wanted}: the implementations are 'cpp' and 'python'")
    if wanted == "python":
        return None
    try:
        return importlib.import_module(_NAME)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == _NAME
        reason = _NOT_BUILT if missing else f"{_NAME} cannot be loaded: {error}"
        if wanted == "cpp":
            raise BpeEngineError(f"{VARIABLE}=cpp: {reason}") from error
        # The stack level skips this function, this module and bpe_engine/__init__.py, to the line that imports the
        # package.
        message = (
            f"bpe_engine runs in pure Python, which is slow: {reason}. Set {VARIABLE}=python to silence this warning"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=4)
        return None


_CORE = choose(os.environ.get(VARIABLE) or None)


def implementation() -> Literal["cpp", "python"]:
    """Return the name of the implementation that runs.

    Returns:
        "cpp" for the compiled core, "python" for `bpe_engine.fallback`.

    Raises:
        BpeEngineError: The environment variable now names the other one, because it was set after the choice.
    """
    running: Literal["cpp", "python"] = "python" if _CORE is None else "cpp"
    wanted = os.environ.get(VARIABLE) or running
    if wanted != running:
        raise BpeEngineError(
            f"{VARIABLE}={wanted} comes too late: bpe_engine was imported earlier and runs {running!r}; set it before the first import"
        )
    return running


def core() -> ModuleType:
    """Return the compiled core, `bpe_engine._core`. Raises BpeEngineError if the Python twin runs."""
    if _CORE is None:
        raise BpeEngineError("the compiled core is not in use: the implementation that runs is 'python'")
    return _CORE
