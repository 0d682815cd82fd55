"""Settings of the whole test run: which package is under test, and how hypothesis searches."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

import bpe_engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# No deadline: the first example of a property pays for loading a vocabulary, and a shared machine is slow at times.
settings.register_profile("default", deadline=None)
# For a long search by hand: pytest --hypothesis-profile=thorough
settings.register_profile("thorough", deadline=None, max_examples=5_000)
settings.load_profile("default")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Bytes: a run writes a twentieth of it.
MEMORY_FOR_FILES = 2 << 30
# Bytes that the memory of the process may grow until free memory is given back to the system.
MEMORY_TO_KEEP = 256 << 20
_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
_MEMORY = pytest.StashKey[int]()
_PACKAGE = Path(bpe_engine.__file__).resolve().parent
_SOURCE_TREE = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--installed",
        action="store_true",
        help="refuse to run if the source tree would be tested in place of the wheel",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Indexes wait for the disk at each commit, where a disk is busy most of their time; a process that is killed loses
    # nothing in memory either.
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > MEMORY_FOR_FILES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    if config.getoption("--installed") and _PACKAGE.parent == _SOURCE_TREE:
        raise pytest.UsageError(
            f"bpe_engine was imported from the source tree {_SOURCE_TREE}, not from an installed wheel"
        )


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Drop what the functions of a test file have cached, when the run turns to another file: real tokenizers take hundreds of megabytes."""
    module = getattr(item, "module", None)
    if module is None or nextitem is None or getattr(nextitem, "module", None) is module:
        return
    for value in vars(module).values():
        if hasattr(value, "cache_clear") and getattr(value, "__module__", None) == module.__name__:
            value.cache_clear()
    _give_back_memory(item.config)


def _give_back_memory(config: pytest.Config) -> None:
    """Return free memory to the system, if there may be much: the C library keeps most of what real tokenizers have freed."""
    if _TRIM is not None and _resident() > config.stash.get(_MEMORY, 0) + MEMORY_TO_KEEP:
        gc.collect()
        _TRIM(0)
        config.stash[_MEMORY] = _resident()


def _resident() -> int:
    """Return the bytes of the process that are in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pytest_report_header() -> str:
    return f"bpe_engine under test: {_PACKAGE}, implementation: {bpe_engine.implementation()}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window. Skipped, with the reason, where there is none, or no playwright to drive it."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on the path: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()
