"""Which implementation runs: each choice in a process of its own, because it is made once, at import."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_engine
from bpe_engine.implementation import VARIABLE

HAS_CORE = importlib.util.find_spec("bpe_engine._core") is not None
# Python's own way to make an import fail.
WITHOUT_CORE = "import sys; sys.modules['bpe_engine._core'] = None\n"
REPORT = "import bpe_engine; print(bpe_engine.implementation())\n"


def run(code: str, variable: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `code` on the package under test, with the variable set or unset."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["PYTHONPATH"] = str(Path(bpe_engine.__file__).resolve().parent.parent)
    if variable is not None:
        environment[VARIABLE] = variable
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("code", [REPORT, WITHOUT_CORE + REPORT], ids=["as installed", "without a core"])
def test_python_when_asked_for_is_silent(code: str) -> None:
    done = run(code, "python", "-W", "error")
    assert (done.stdout, done.stderr) == ("python\n", "")


@pytest.mark.skipif(not HAS_CORE, reason="this installation has no compiled core")
@pytest.mark.parametrize("variable", ["cpp", None])
def test_the_core_runs_where_there_is_one(variable: str | None) -> None:
    code = REPORT + "from bpe_engine.implementation import core; print(core().__name__)\n"
    done = run(code, variable, "-W", "error")
    assert (done.stdout, done.stderr) == ("cpp\nbpe_engine._core\n", "")


def test_the_core_forced_and_missing_is_an_error_that_names_the_reason() -> None:
    line = last_line(run(WITHOUT_CORE + REPORT, "cpp"))
    assert line.startswith("bpe_engine.errors.BpeEngineError: BPE_ENGINE_IMPLEMENTATION=cpp: ")
    assert "this installation has no compiled core" in line


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    expected = (
        "bpe_engine.errors.BpeEngineError: BPE_ENGINE_IMPLEMENTATION=rust: the implementations are 'cpp' and 'python'"
    )
    assert last_line(run(REPORT, "rust")) == expected


def test_the_empty_variable_is_an_unset_one() -> None:
    empty, unset = run(REPORT, ""), run(REPORT, None)
    assert (empty.stdout, empty.stderr) == (unset.stdout, unset.stderr)
    assert empty.stdout in {"cpp\n", "python\n"}


def test_the_fallback_warns_once_and_says_why_and_how_to_silence_it() -> None:
    code = WITHOUT_CORE + "from bpe_engine.implementation import choose\nassert choose(None) is None\n"
    done = run(code, "python", "-W", "always")
    assert done.returncode == 0
    (warning,) = done.stderr.splitlines()
    assert "RuntimeWarning: bpe_engine runs in pure Python" in warning
    assert "this installation has no compiled core" in warning
    assert "BPE_ENGINE_IMPLEMENTATION=python" in warning


def test_the_fallback_warning_points_at_the_line_that_imports(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        WITHOUT_CORE + "\nimport bpe_engine\nimport bpe_engine.tokenizer\nimport chunker\n", encoding="utf-8"
    )
    done = run(f"import runpy; runpy.run_path({str(script)!r})", None)
    assert done.returncode == 0
    assert done.stderr.count("Warning") == 1
    assert done.stderr.startswith(f"{script}:3: RuntimeWarning: ")


@pytest.mark.parametrize(
    "start", ["python", pytest.param("cpp", marks=pytest.mark.skipif(not HAS_CORE, reason="no core"))]
)
def test_a_choice_that_comes_too_late_is_an_error(start: str) -> None:
    other = "cpp" if start == "python" else "python"
    code = f"import os, bpe_engine; os.environ[{VARIABLE!r}] = {other!r}; bpe_engine.implementation()"
    line = last_line(run(code, start))
    assert line.startswith(f"bpe_engine.errors.BpeEngineError: BPE_ENGINE_IMPLEMENTATION={other} comes too late: ")
    assert repr(start) in line


def test_the_twin_has_no_core() -> None:
    code = "from bpe_engine.implementation import core; core()"
    assert last_line(run(code, "python")).startswith(
        "bpe_engine.errors.BpeEngineError: the compiled core is not in use"
    )
