"""`chunker check`: what is over its budget fails, and is named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from oracles import tiktoken_encoding
from typer.testing import CliRunner, Result

from chunker.cli.app import app

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.md").write_text("A few words.\n", encoding="utf-8")
    (tmp_path / "large.md").write_text("Many words, again and again.\n" * 40, encoding="utf-8")
    return tmp_path


def check(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments)], catch_exceptions=False)


def tokens(path: Path) -> int:
    return len(tiktoken_encoding("o200k_base").encode_ordinary(path.read_text(encoding="utf-8")))


def test_a_file_at_its_budget_passes_and_one_token_less_fails(folder: Path) -> None:
    large = tokens(folder / "large.md")
    assert (check(folder, "--max-tokens", large).exit_code, check(folder, "--max-tokens", large).stdout) == (0, "")
    failed = check(folder, "--max-tokens", large - 1)
    assert failed.exit_code == 1
    assert failed.stdout == f"{folder / 'large.md'}: {large:,} tokens, 1 more than {large - 1:,}\n"


def test_all_files_together(folder: Path) -> None:
    total = tokens(folder / "large.md") + tokens(folder / "small.md")
    assert check(folder, "--max-total", total).exit_code == 0
    failed = check(folder, "--max-total", total - 2)
    assert (failed.exit_code, failed.stdout) == (
        1,
        f"all files together: {total:,} tokens, 2 more than {total - 2:,}\n",
    )


def test_a_budget_has_to_be_named(folder: Path) -> None:
    failed = check(folder)
    assert failed.exit_code == 2
    assert "--max-tokens" in failed.stderr


def test_a_file_that_is_not_there_is_an_error(folder: Path) -> None:
    assert check(folder / "none.md", "--max-tokens", 5).exit_code != 0


def test_the_hook_calls_this_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"].split() == ["chunker", "check"]
