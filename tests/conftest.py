"""Settings of the whole test run: which package is under test, and how hypothesis searches."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

import bpe_engine

# No deadline: the first example of a property pays for loading a vocabulary, and a shared machine is slow at times.
settings.register_profile("default", deadline=None)
# For a long search by hand: pytest --hypothesis-profile=thorough
settings.register_profile("thorough", deadline=None, max_examples=5_000)
settings.load_profile("default")

_PACKAGE = Path(bpe_engine.__file__).resolve().parent
_SOURCE_TREE = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--installed",
        action="store_true",
        help="refuse to run if the source tree would be tested in place of the wheel",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--installed") and _PACKAGE.parent == _SOURCE_TREE:
        raise pytest.UsageError(
            f"bpe_engine was imported from the source tree {_SOURCE_TREE}, not from an installed wheel"
        )


def pytest_report_header() -> str:
    return f"bpe_engine under test: {_PACKAGE}, implementation: {bpe_engine.implementation()}"
