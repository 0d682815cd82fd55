"""The commands that come as plug-ins: `chunker serve` and `chunker mcp`."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from serving import command, environment
from typer.testing import CliRunner

from chunker.cli.app import app
from chunker.cli.chunk import chunk
from chunker.files.patterns import Wanted
from chunker.integrations.service import options
from chunker.integrations.service.cutting import command_of
from chunker.integrations.service.errors import RefusedError

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


def test_the_command_line_of_the_page_leaves_out_what_the_command_has_by_default() -> None:
    given = {name: one.default for name, one in inspect.signature(chunk).parameters.items()}
    named = ("tokenizer", "max_tokens", "min_tokens", "desired_tokens", "overlap", "overlap_by", "strategy", "reserve")
    defaults = {name: given[name] for name in named}
    assert command_of("a.txt", "auto", defaults) == "chunker chunk a.txt --verbatim --format jsonl"
    assert "--reserve 0" in str(command_of("a.txt", "auto", {**defaults, "reserve": 0}))


def test_the_help_names_every_tool_and_every_store() -> None:
    tools = ["count", "chunk", "list", "map", "skeleton", "search", "assemble"]
    stores = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["bpe_chunker.stores"]
    for name, told in (("mcp", tools), ("index", [f"{store}:" for store in stores])):
        shown = CliRunner().invoke(app, [name, "--help"]).stdout
        assert [one for one in told if one not in shown] == []


@pytest.mark.parametrize("name", NEEDED)
def test_patterns_of_the_project_are_relative_to_its_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.chunker]\nexclude = "docs/a.txt"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path / "docs")
    given: list[Wanted] = []

    def refuse(_paths: list[str], *, wanted: Wanted) -> None:
        given.append(wanted)
        raise RefusedError("seen")

    monkeypatch.setattr(options, "Roots", refuse)
    assert "seen" in CliRunner().invoke(app, [name, "."]).stderr
    assert given[0].excludes(str(tmp_path.resolve() / "docs" / "a.txt"), is_folder=False)
