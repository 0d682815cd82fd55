"""The script of the GitHub Action, run as GitHub runs it, but in the environment of these tests in place of one that it would make."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ACTION = Path(__file__).resolve().parent.parent / "action.yml"
# What makes the environment: a network and minutes.
SET_UP = (
    'python -m venv "$RUNNER_TEMP/chunker"\n',
    '"$RUNNER_TEMP/chunker/bin/python" -m pip install --quiet "$ACTION"\n',
)

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "short.md").write_text("# One\n\nA few words.\n")
    (folder / "long one.md").write_text("word " * 500)
    return folder


def run(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """Exit code, output and summary of a run in a folder, with inputs as a workflow gives them."""
    action = yaml.safe_load(ACTION.read_text())
    step = action["runs"]["steps"][-1]
    script = step["run"]
    for line in SET_UP:
        assert line in script
        script = script.replace(line, "")
    given = {
        f"${{{{ inputs.{name} }}}}": inputs.get(name, entry["default"]) for name, entry in action["inputs"].items()
    }
    given["${{ github.action_path }}"] = str(ACTION.parent)
    temporary, summary = folder.parent / "temporary", folder.parent / "summary"
    (temporary / "chunker").mkdir(parents=True, exist_ok=True)
    if not (temporary / "chunker" / "bin").exists():
        (temporary / "chunker" / "bin").symlink_to(Path(sys.executable).parent)
    summary.write_text("")
    environment = {name: given[value] for name, value in step["env"].items()}
    done = subprocess.run(
        # As `shell: bash` is run: GitHub's documentation of workflow syntax, "jobs.<job_id>.steps[*].shell".
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **environment, "RUNNER_TEMP": str(temporary), "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr, summary.read_text()


def test_without_limits_it_writes_a_table(files: Path) -> None:
    code, _, summary = run(files)
    assert code == 0
    assert summary.startswith("```\n")
    assert summary.endswith("```\n")
    assert "Markdown" in summary


def test_a_file_above_its_limit_fails(files: Path) -> None:
    code, output, summary = run(files, **{"max-tokens": "100"})
    assert code != 0
    assert "long one.md" in output
    assert "short.md" not in output
    assert summary
    assert run(files, **{"max-tokens": "1000"})[0] == 0


def test_all_files_above_a_limit_fail(files: Path) -> None:
    assert run(files, **{"max-total": "100"})[0] != 0
    assert run(files, **{"max-total": "1000"})[0] == 0


def test_what_users_give_is_no_part_of_the_script(files: Path) -> None:
    code, _, _ = run(files, paths='short.md;touch made $(touch made) "`touch made`"')
    assert code != 0
    assert sorted(path.name for path in files.iterdir()) == ["long one.md", "short.md"]
