"""Every table in benchmarks/results says how it was made: the command, the date, the version of Python, and how busy the machine was."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"

SAYS = {
    "command": r"`(?:cd \.venv && )?[^`\n]*(?:benchmarks/run\.py|-m|make) [^`\n]+`",
    "date": r"\b20\d\d-\d\d-\d\d\b|\b\d{1,2} (?:to \d{1,2} |and \d{1,2} )?[A-Z][a-z]+ 20\d\d\b",
    "version": r"\bPython 3\.\d+",
    "machine": r"(?i)\b(?:busy|quiet|still|shared|others?|nothing (?:else|here depends)|no figure (?:here )?depends|deterministic)\b",
}


def unsaid(text: str) -> list[str]:
    return [what for what, pattern in SAYS.items() if not regex.search(pattern, text)]


@pytest.mark.parametrize("result", sorted(RESULTS.glob("*.md")), ids=lambda path: path.stem)
def test_a_table_says_how_it_was_made(result: Path) -> None:
    assert unsaid(result.read_text(encoding="utf-8")) == []


def test_what_is_not_said() -> None:
    assert unsaid("# Speed\n\n| a | 1 |") == ["command", "date", "version", "machine"]
    told = "- `python benchmarks/run.py speed`\n- Python 3.11.7\n- 2026-11-23\n"
    assert unsaid(told) == ["machine"]
    assert unsaid(told + "- busy machine: load 2.0 on 2 cores\n") == []
