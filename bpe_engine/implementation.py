"""Which implementation of the engine runs.

There is one so far, in Python. `BPE_ENGINE_IMPLEMENTATION` is read all the same, so that who asks for the compiled one is
told, and not served the slow one in silence.
"""

from __future__ import annotations

import os
from typing import Literal

from bpe_engine.errors import BpeEngineError

VARIABLE = "BPE_ENGINE_IMPLEMENTATION"


def implementation() -> Literal["python"]:
    """The name of the implementation that runs. Raises BpeEngineError where the environment asks for another."""
    wanted = os.environ.get(VARIABLE, "python")
    if wanted != "python":
        raise BpeEngineError(
            f"{VARIABLE}={wanted}: this release has the implementation 'python' alone; unset {VARIABLE}"
        )
    return "python"
