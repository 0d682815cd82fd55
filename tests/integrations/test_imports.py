"""Importing a plug-in imports what it plugs into, and no other plug-in; where that is not installed, it says how to install it."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import bpe_engine
import chunker.integrations

PLUGINS = {
    "chonkie": "chonkie",
    "haystack": "haystack",
    "langchain": "langchain_text_splitters",
    "llamaindex": "llama_index",
}
# No package of what it plugs into can be found, as if none were installed.
_HIDE = """
import sys, importlib.abc
class Hiding(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"chonkie", "haystack", "langchain_core", "langchain_text_splitters", "llama_index"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hiding())
"""


def run(program: str, *first: Path) -> str:
    """What a fresh interpreter prints that looks for modules in the folders `first`, then where the packages are."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [*first, Path(bpe_engine.__file__).resolve().parent.parent])),
        "HAYSTACK_TELEMETRY_ENABLED": "False",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("plugin", PLUGINS)
def test_one_plugin_imports_no_other(plugin: str) -> None:
    if importlib.util.find_spec(PLUGINS[plugin]) is None:
        pytest.skip(f'needs {PLUGINS[plugin]}: pip install "bpe-chunker[{plugin}]"')
    program = f"import chunker.integrations.{plugin}, sys, json; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(run(program).splitlines()[-1]))
    assert PLUGINS[plugin] in modules
    others = [other for other in PLUGINS if other != plugin]
    assert not modules & {f"chunker.integrations.{other}" for other in others}
    assert not modules & {PLUGINS[other] for other in others}


@pytest.mark.parametrize("plugin", PLUGINS)
def test_what_is_missing_and_how_to_install_it(plugin: str) -> None:
    program = f"""{_HIDE}
try:
    import chunker.integrations.{plugin}
except ImportError as error:
    print(error)
"""
    assert f'is not installed: pip install "bpe-chunker[{plugin}]"' in run(program)


# What a plug-in needs besides the package that it is named for.
_ALSO = {
    "duckdb": "duckdb",
    "polars": "polars",
    "spark": "spark",
    "stores.chroma": "chroma",
    "stores.elasticsearch": "index",
    "stores.lancedb": "lancedb",
    "stores.milvus": "milvus",
    "stores.pgvector": "pgvector",
    "stores.qdrant": "qdrant",
    "stores.weaviate": "index",
}


@pytest.mark.parametrize("plugin", _ALSO)
def test_what_is_missing_is_said_with_its_extra_whatever_it_is(plugin: str) -> None:
    for hidden in ("numpy", "pyarrow"):
        program = f"""import sys
sys.modules["{hidden}"] = None
try:
    import chunker.integrations.{plugin}
except ImportError as error:
    print(type(error).__name__, error)
"""
        told = run(program).strip()
        expected = f'is not installed: pip install "bpe-chunker[{_ALSO[plugin]}]"'
        assert not told or (told.startswith("MissingExtraError") and told.endswith(expected)), told


def test_the_package_imports_none_of_them() -> None:
    imported = "chunker.integrations.splitting, chunker.integrations.separators"
    program = f"{_HIDE}\nimport {imported}, sys, json; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(run(program)))
    assert not modules & {f"chunker.integrations.{plugin}" for plugin in PLUGINS}


def test_a_project_may_have_packages_of_these_names(tmp_path: Path) -> None:
    """A project's own `integrations`, found before ours, and its `chunker_app`; the workers of `serve` and `mcp` start beside them."""
    own = tmp_path / "integrations"
    own.mkdir()
    own.joinpath("__init__.py").write_text("NAME = 'own'\n")
    own.joinpath("splitting.py").write_text("NAME = 'own splitting'\n")
    app = tmp_path / "chunker_app"
    app.mkdir()
    app.joinpath("__init__.py").write_text(
        "import integrations, integrations.splitting\n"
        "from chunker.integrations.service.pool import Pool\n"
        "from chunker.integrations.splitting import Chunkers\n"
        "NAMES = integrations.NAME, integrations.splitting.NAME, Chunkers.__module__\n"
    )
    program = (
        "import asyncio, chunker_app\nprint(*chunker_app.NAMES, sep=', ')\n"
        "async def main():\n    async with chunker_app.Pool(1) as pool:\n"
        "        print(await pool.ask('count', texts=['a b'], tokenizer='words'))\nasyncio.run(main())\n"
    )
    assert run(program, tmp_path) == "own, own splitting, chunker.integrations.splitting\nb'[2]'\n"


def test_the_entry_points_lead_into_this_package() -> None:
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))
    groups = project["project"]["entry-points"].values()
    assert all(point.startswith("chunker.integrations.") for group in groups for point in group.values())
    assert not (Path(bpe_engine.__file__).parents[1] / "integrations").is_dir() or not installed()


def installed() -> bool:
    return not (Path(bpe_engine.__file__).parents[1] / "pyproject.toml").exists()


SOURCES = Path(chunker.integrations.__file__).parent
# A private name of the packages, not of the plug-ins themselves; also in text, as `import_module` takes it.
PRIVATE = re.compile(r"(?:chunker|bpe_engine)(?:\.(?!integrations\b)\w+)*?\._(?!_)\w+(?:\.\w+)*")


def imported(source: str) -> Iterator[str]:
    """Return the full names of all that a source imports, and of the attributes of it that the source uses."""
    known: dict[str, str] = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []  # types alone: the compiled classes have no other name
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root, _, rest = ast.unparse(node).partition(".")
            yield f"{known.get(root, '')}.{rest}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def private_names(source: str) -> list[str]:
    return [name for name in imported(source) if PRIVATE.fullmatch(name)]


@pytest.mark.parametrize(
    "source",
    [
        "import chunker._native",
        "from chunker import _native",
        "from chunker._native import Grower",
        "from chunker.growing.budget import _least as least",
        "if x:\n    def f():\n        from bpe_engine.compiled import _Core",
        "import bpe_engine\nbpe_engine._core.Trainer()",
        "import chunker.native as native\nnative._core",
        "from chunker import TextChunker\nTextChunker._budget",
        "importlib.import_module('bpe_engine._core')",
    ],
)
def test_private_names_are_seen(source: str) -> None:
    assert private_names(source)


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_plugin_takes_a_private_name_of_the_packages(path: Path) -> None:
    assert private_names(path.read_text(encoding="utf-8")) == []
