"""Which modules of a package import which: read from the sources, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType


def modules_of(package: ModuleType) -> dict[str, Path]:
    """The modules of an installed package, by their full names, with their files."""
    root = Path(str(package.__file__)).parent
    return {
        ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in root.rglob("*.py")
    }


def imports_of(modules: dict[str, Path]) -> dict[str, set[str]]:
    """All that each module imports, in functions too, and what only a type checker reads."""
    return {
        name: set(_imported(ast.parse(path.read_text("utf-8")), modules)) - {name} for name, path in modules.items()
    }


def _imported(tree: ast.AST, modules: Collection[str]) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                for name in names:
                    full = f"{module}.{name.name}"
                    yield full if full in modules else module
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case _:
                yield from _imported(node, modules)
