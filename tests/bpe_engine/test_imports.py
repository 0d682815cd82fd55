"""The import picture of bpe_engine: no circle, and floors that are kept."""

from __future__ import annotations

from graphlib import TopologicalSorter

import pytest
from import_picture import imports_of, modules_of

import bpe_engine

MODULES = modules_of(bpe_engine)
IMPORTS = {name: (found & MODULES.keys()) - {"bpe_engine"} for name, found in imports_of(MODULES).items()}


def test_no_circle() -> None:
    """CycleError names the modules of one."""
    TopologicalSorter(IMPORTS).prepare()


def test_all_are_seen() -> None:
    assert len(MODULES) > 100
    assert "bpe_engine.pipeline.compiling" in IMPORTS["bpe_engine.compiled"]  # in a function
    assert "bpe_engine.fallback.engine" in IMPORTS["bpe_engine.tokenizer"]  # where the other implementation runs
    assert "bpe_engine.compare" in IMPORTS["bpe_engine.tokenizer"]


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("bpe_engine.reference.")])
def test_the_specification_imports_errors_alone(name: str) -> None:
    others = {found for found in IMPORTS[name] if not found.startswith("bpe_engine.reference.")}
    assert others <= {"bpe_engine.errors"}


@pytest.mark.parametrize("room", ["text", "pipeline", "formats", "reference", "published"])
def test_rooms_know_no_tokenizer(room: str) -> None:
    for name, found in IMPORTS.items():
        if name.startswith(f"bpe_engine.{room}."):
            assert "bpe_engine.tokenizer" not in found, name
            assert "bpe_engine.compiled" not in found, name


def test_engines_know_no_tokenizer() -> None:
    for name, found in IMPORTS.items():
        if name.startswith(("bpe_engine.fallback.", "bpe_engine.compiled", "bpe_engine.engine")):
            assert "bpe_engine.tokenizer" not in found, name
        if name.startswith("bpe_engine.fallback."):
            assert "bpe_engine.compiled" not in found, name
