"""The commands that come as plug-ins: `chunker serve` and `chunker mcp`."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from serving import command, environment

PROJECT = Path(__file__).resolve().parent.parent.parent / "pyproject.toml"
NEEDED = {"serve": ("starlette", "uvicorn"), "mcp": ("mcp",)}
# None of the packages can be found, as if they were not installed.
HIDE = """
import sys, importlib.abc
class Hiding(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hiding())
"""


@pytest.mark.parametrize("name", NEEDED)
def test_the_entry_point_leads_to_a_function_with_help(name: str) -> None:
    points = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["bpe_chunker.commands"]
    module, _, function = points[name].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    done = subprocess.run(command(name, "--help"), env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "hidden files" in " ".join(done.stdout.split())


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_missing_and_how_to_install_it(name: str) -> None:
    program, *arguments = command(name)
    arguments[-1] = HIDE.format(names=set(NEEDED[name])) + arguments[-1]
    done = subprocess.run([program, *arguments], env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f'is not installed: pip install "bpe-chunker[{name}]"' in " ".join(done.stderr.split())


def test_the_list_of_commands_imports_neither() -> None:
    program = (
        "import sys, chunker.integrations.serve.command, chunker.integrations.mcp.command; "
        "print(sorted({'starlette', 'uvicorn', 'mcp', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_installed_command_lists_them() -> None:
    if not {point.name for point in entry_points(group="bpe_chunker.commands")} >= set(NEEDED):
        pytest.skip("the package is not installed: it runs from the source tree")
    values = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "chunker", "--help"], env=values, capture_output=True, text=True, check=True
    )
    assert "A web page on this machine" in done.stdout
    assert "Tools for agents, by the Model Context Protocol" in done.stdout
