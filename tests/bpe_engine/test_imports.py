"""The import picture of bpe_engine: no circle, and floors that are kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bpe_engine

ROOT = Path(bpe_engine.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in ROOT.rglob("*.py")
}


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported when the code runs, in functions too; not those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=test, orelse=otherwise) if "TYPE_CHECKING" in ast.dump(test):
                for one in otherwise if isinstance(test, ast.Name) else [*node.body, *otherwise]:
                    yield from imported(ast.Module([one], []))
            case ast.ImportFrom(module=str(module), names=names):
                for name in names:
                    full = f"{module}.{name.name}"
                    yield full if full in MODULES else module
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case _:
                yield from imported(node)


IMPORTS = {
    name: {found for found in imported(ast.parse(path.read_text("utf-8"))) if found in MODULES} - {name, "bpe_engine"}
    for name, path in MODULES.items()
}


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
