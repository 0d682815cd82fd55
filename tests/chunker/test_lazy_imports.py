"""Importing is quick because little is imported: modules are counted here, as their number does not depend on how busy a machine is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_engine
import chunker

COMPILED = bpe_engine.implementation() == "cpp"
# A tenth of a second each, or more: no program that cuts a text needs them.
DEAR = {"asyncio", "multiprocessing", "pydantic", "regex", "rich.console", "tree_sitter"}


def imported(program: str, text: str = "") -> set[str]:
    """The modules that a fresh interpreter has imported at the end of a program, beyond those that it always has."""
    told = "\nimport sys\nsys.stderr.write('\\0'.join(sys.modules))\n"
    environment = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    found = []
    for one in ("", program):
        done = subprocess.run(
            [sys.executable, "-P", "-c", one + told],
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(set(done.stderr.split("\0")))
    return found[1] - found[0]


def command(*arguments: str) -> str:
    return (
        f"import sys, json\nsys.argv[1:] = json.loads({json.dumps(json.dumps(arguments))})\n"
        "from chunker.__main__ import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
    )


def test_the_package_alone_imports_nothing_of_itself() -> None:
    modules = imported("import chunker")
    assert {name for name in modules if name.startswith(("chunker.", "bpe_engine"))} == set()
    assert len(modules) < 40


def test_the_engine_alone_imports_no_tokenizer() -> None:
    modules = imported("import bpe_engine; bpe_engine.implementation()")
    ours = {name for name in modules if name.startswith("bpe_engine")}
    assert ours <= {"bpe_engine", "bpe_engine.implementation", "bpe_engine.errors", "bpe_engine._core"}


def test_the_process_that_parses_imports_no_tokenizer() -> None:
    modules = imported("import chunker.formats.code.code_format, chunker.formats.code.worker")
    assert "chunker.formats.code.isolation" in modules
    assert "bpe_engine.tokenizer" not in modules


def test_the_version_needs_no_command() -> None:
    modules = imported(command("--version"))
    assert "typer" not in modules
    assert "bpe_engine" not in modules


def test_help_of_a_command_loads_no_other_and_no_tokenizer() -> None:
    modules = imported(command("chunk", "--help"))
    assert "chunker.cli.chunk" in modules
    assert not modules & {"chunker.cli.prompt", "chunker.cli.index", "bpe_engine.tokenizer"}


@pytest.mark.skipif(not COMPILED, reason="the twin in Python compiles the expressions that the core has tables for")
def test_a_text_is_cut_without_what_it_does_not_need() -> None:
    modules = imported("from chunker import TextChunker\nTextChunker(16).chunk('Two words. ' * 50)[0].span")
    assert not modules & DEAR
    assert len(modules) < 180


@pytest.mark.skipif(not COMPILED, reason="as above")
def test_the_command_cuts_a_text_without_what_it_does_not_need() -> None:
    modules = imported(command("chunk", "-"), "two words\n")
    assert "chunker.chunkers" in modules
    assert not modules & DEAR
    assert len(modules) < 330


def test_all_names_are_there() -> None:
    assert chunker.__version__.count(".") >= 1
    for name in chunker.__all__:
        assert getattr(chunker, name) is not None
    assert sorted(chunker.__all__, key=str.swapcase) == sorted(chunker.__dir__(), key=str.swapcase)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(chunker, "no" + "thing")
