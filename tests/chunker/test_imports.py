"""The import picture of chunker: no circle, floors that are kept, and a command that nothing else imports."""

from __future__ import annotations

from graphlib import TopologicalSorter

import pytest
from import_picture import imports_of, modules_of

import chunker

PLUGINS = "chunker.integrations"
MODULES = {name: path for name, path in modules_of(chunker).items() if not f"{name}.".startswith(f"{PLUGINS}.")}
ALL = imports_of(MODULES)
IMPORTS = {name: (found & MODULES.keys()) - {"chunker"} for name, found in ALL.items()}
# What may be imported by the rooms from which chunks are made, the lowest floor first.
FLOORS = ["formats", "context", "growing", "files", "streams", "index", "scale", "cli"]


def room_of(module: str) -> str:
    return module.split(".")[1] if module.count(".") else ""


def test_no_circle() -> None:
    """CycleError names the modules of one."""
    TopologicalSorter(IMPORTS).prepare()


def test_all_are_seen() -> None:
    assert len(MODULES) > 150
    assert "chunker.cli.run_index" in IMPORTS["chunker.cli.index"]  # in a function


@pytest.mark.parametrize("package", ["typer", "click", "rich"])
def test_the_command_alone_knows_how_terminals_are_written_to(package: str) -> None:
    # But for what is imported when it is asked for: a bar that shows the progress of many files, and a report as a
    # table.
    found = {name for name, names in ALL.items() if any(one.split(".")[0] == package for one in names)}
    assert {name for name in found if room_of(name) != "cli"} <= {"chunker.files.progress", "chunker.prompt.table"}


def test_nothing_imports_the_command() -> None:
    users = {name for name, found in IMPORTS.items() if any(room_of(one) == "cli" for one in found)}
    assert {name for name in users if room_of(name) != "cli"} == {"chunker.__main__"}


def test_imports_go_down() -> None:
    for name, found in IMPORTS.items():
        if room_of(name) in FLOORS:
            above = FLOORS[FLOORS.index(room_of(name)) + 1 :]
            assert not [one for one in found if room_of(one) in above], name


def test_nothing_of_the_plugins() -> None:
    assert not [name for name, found in ALL.items() if any(one.startswith(PLUGINS) for one in found)]
