"""Commands of other packages: found by entry point, loaded when used, and harmless when broken."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import chunker

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent

MODULE = '''
import sys
import typer

print("greetings loaded", file=sys.stderr)


def greet(name: str, times: int = 1) -> None:
    """Greet somebody.

    And more about it.
    """
    print(f"hello {name} " * times)


app = typer.Typer(help="A group of its own.")


@app.command()
def first() -> None:
    """The first."""
    print("the first")


@app.command()
def fail() -> None:
    raise typer.Exit(7)


number = 3
'''
ENTRY_POINTS = """
[bpe_chunker.commands]
greet = greetings:greet
group = greetings:app
number = greetings:number
lost = greetings:nothing
broken = broken_greetings:app
count = greetings:greet
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed package that adds commands."""
    folder = tmp_path / "site"
    metadata = folder / "greetings-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: greetings\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "greetings.py").write_text(MODULE)
    (folder / "broken_greetings.py").write_text("raise RuntimeError('no such luck')\n")
    return folder


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = [str(site)]
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        places.append(str(_PACKAGE_FOLDER))
    values = dict(os.environ, PYTHONPATH=os.pathsep.join(places))
    command = [sys.executable, "-m", "chunker", *arguments]
    done = subprocess.run(command, cwd=site, env=values, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    return done


def test_a_function_becomes_a_command(site: Path) -> None:
    done = run(site, "greet", "Ada", "--times", "2")
    assert (done.returncode, done.stdout) == (0, "hello Ada hello Ada \n")
    assert run(site, "greet").returncode == 2
    assert "And more about it." in run(site, "greet", "--help").stdout


def test_an_application_becomes_a_group(site: Path) -> None:
    assert run(site, "group", "first").stdout == "the first\n"
    assert run(site, "group", "fail").returncode == 7


def test_help_lists_them_with_what_is_wrong(site: Path) -> None:
    done = run(site, "--help")
    assert done.returncode == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.startswith("  ") and line.strip()}
    assert "Greet somebody." in lines["greet"]
    assert "A group of its own." in lines["group"]
    assert "Cut files" in lines["chunk"]
    for name in ("number", "lost", "broken"):
        assert "Cannot be loaded from greetings" in lines[name]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("broken", "RuntimeError: no such luck"), ("lost", "AttributeError"), ("number", "a int is neither")],
)
def test_a_broken_one_says_why_and_fails_alone(site: Path, name: str, reason: str) -> None:
    done = run(site, name)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"the command '{name}' is not available" in done.stderr
    assert reason in done.stderr


def test_our_own_commands_load_none_and_cannot_be_replaced(site: Path) -> None:
    done = run(site, "count", "greetings.py", "--by", "total")
    assert done.returncode == 0
    assert "tokens" in done.stdout
    assert done.stderr == ""
