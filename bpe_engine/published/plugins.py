"""Find encodings of other packages as tiktoken does: in modules of the namespace package `tiktoken_ext`.

    tiktoken_ext/my_encodings.py          no __init__.py in the folder, so that several packages can add modules
        ENCODING_CONSTRUCTORS = {"my_base": make_my_base}        make_my_base() -> the arguments of Encoding

tiktoken's own module there is skipped: the published encodings are in `registry.py`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

from bpe_engine.errors import VocabularyError

_PACKAGE = "tiktoken_ext"
_OF_TIKTOKEN = f"{_PACKAGE}.openai_public"

Constructor = Callable[[], dict[str, Any]]


@cache
def constructors() -> dict[str, Constructor]:
    """Return the constructors of all plug-in encodings, by name. The first call imports the modules; callers share the dictionary.

    Raises VocabularyError if a module has no ENCODING_CONSTRUCTORS, or if two modules have the same name.
    """
    try:
        package = importlib.import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != _PACKAGE:
            raise
        return {}
    found: dict[str, Constructor] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{_PACKAGE}."):
        if module.name == _OF_TIKTOKEN:
            continue
        offered = getattr(importlib.import_module(module.name), "ENCODING_CONSTRUCTORS", None)
        if offered is None:
            raise VocabularyError(f"{module.name} has no ENCODING_CONSTRUCTORS, which every module of {_PACKAGE} has")
        for name, constructor in offered.items():
            if name in found:
                raise VocabularyError(f"{module.name}: another module of {_PACKAGE} already has an encoding {name!r}")
            found[name] = constructor
    return found
