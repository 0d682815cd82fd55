"""The worked examples in the docstrings are tests: every module of the packages, as it is installed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("bpe_engine", "chunker")


def _not_installed(name: str) -> None:
    assert name.startswith("chunker.integrations."), f"{name} cannot be imported"


def module_names() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        # A plug-in whose other side is not installed cannot be walked into.
        names.extend(module.name for module in pkgutil.walk_packages(path, f"{package}.", onerror=_not_installed))
    return sorted(names)


@pytest.mark.parametrize("name", module_names())
def test_examples(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if not name.startswith("chunker.integrations.") or "pip install" not in str(error):
            raise
        pytest.skip(str(error))
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert outcome.failed == 0, f"{outcome.failed} of {outcome.attempted} examples of {name} failed; see the output"
