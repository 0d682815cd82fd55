"""The worked examples in the docstrings are tests: every module of the three packages, as it is installed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("bpe_engine", "chunker", "integrations")


def module_names() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        names.extend(module.name for module in pkgutil.walk_packages(path, f"{package}."))
    return sorted(names)


@pytest.mark.parametrize("name", module_names())
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert outcome.failed == 0, f"{outcome.failed} of {outcome.attempted} examples of {name} failed; see the output"
