"""`chunker prompt` as a user runs it: what is printed where, the page, the complaints, and the exit codes."""

from __future__ import annotations

import json
import os
import re
import sysconfig
from pathlib import Path
from typing import Any

import command
import pytest
from typer.testing import CliRunner

import chunker
from bpe_engine import Tokenizer
from chunker.cli.app import app

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent
SPEC = """\
budget: 300
reserve: 50
items:
  - {id: system, text: You are a careful reviewer., required: true, stable: true}
  - section: context
    share: 0.7
    items:
      - {glob: "src/**/*.py", priority: 5, heading: "File {path}:\\n", truncate: tail}
  - {id: question, file: "-", required: true}
"""


def run(*arguments: str, cwd: Path, code: int = 0, given: str = "Why?", **variables: str) -> tuple[str, str]:
    """Standard output and standard error of the command."""
    values = {
        name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
    } | variables
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        values["PYTHONPATH"] = str(_PACKAGE_FOLDER)
    done = command.run(["prompt", *arguments], cwd=cwd, env=values, given=given.encode())
    out, errors = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in errors, errors
    assert done.returncode == code, errors
    return out, errors


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("def one():\n    return 'é'\n", "utf-8")
    (tmp_path / "src" / "long.py").write_text("# A long comment that goes on and on.\n" * 80)
    return tmp_path


def test_the_prompt_is_printed_and_nothing_else(tree: Path) -> None:
    out, errors = run("spec.yaml", cwd=tree, PYTHONIOENCODING="ascii")
    assert errors == ""
    assert out.startswith("You are a careful reviewer.\n\nFile src/a.py:\ndef one():\n    return 'é'\n")
    assert out.endswith("…\n\nWhy?")
    assert 150 < Tokenizer.load("o200k_base").count(out) <= 250
    again, errors = run("spec.yaml", "-o", "prompt.txt", cwd=tree)
    assert (again, errors) == ("", "")
    assert (tree / "prompt.txt").read_text("utf-8") == out


def test_the_report_is_a_table_with_a_bar(tree: Path) -> None:
    out, errors = run("spec.yaml", "--report", cwd=tree, COLUMNS="110", PYTHONIOENCODING="ascii")
    assert errors == ""
    assert "\x1b" not in out
    lines = out.splitlines()
    assert re.match("█+·*░+ +█ system 6 █ context [0-9]+ █ question [0-9]+$", lines[0])
    assert any(
        re.match(r"src/long.py +context/src/long.py +truncated +section +[0-9]+ +[0-9]+$", line) for line in lines
    )
    assert re.search(r"of 250 tokens \(50 in reserve\)", lines[-1])
    coloured, _ = run("spec.yaml", "--report", cwd=tree, COLUMNS="110", FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[34m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == out
    run("spec.yaml", "--report", "-o", "report.txt", cwd=tree, FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b" not in (tree / "report.txt").read_text("utf-8")


def test_a_required_question_that_is_empty_is_an_error(tree: Path) -> None:
    out, errors = run("spec.yaml", "--report", cwd=tree, given="", code=1)
    assert out == ""
    assert errors.splitlines()[-3:] == [
        "Failed: 1 file",
        "  -: it is required, but has no text",
        "Error: no prompt: required items cannot be read, or are empty.",
    ]


def test_the_name_of_the_output_says_its_format(tree: Path) -> None:
    run("spec.yaml", "-o", "prompt.json", cwd=tree)
    assert json.loads((tree / "prompt.json").read_text("utf-8"))["messages"] == []
    for name in ("prompt.jsonl", "prompt.csv", "prompt.parquet"):
        _, errors = run("spec.yaml", "-o", name, cwd=tree, code=2)
        assert f"{name}: a prompt is written as text, or as JSON to a name that ends in .json" in " ".join(
            errors.split()
        )
        assert not (tree / name).exists()
    assert "a report is text" in run("spec.yaml", "--report", "-o", "report.json", cwd=tree, code=2)[1]
    run("spec.yaml", "--report", "-o", "report.txt", cwd=tree)
    assert "question" in (tree / "report.txt").read_text("utf-8")


def test_json_holds_all_of_it(tree: Path) -> None:
    (tree / "chat.json").write_text(
        json.dumps({"budget": 60, "chat_format": "openai", "items": [{"text": "Be brief.", "role": "system"}, {"file": "-", "id": "q"}]})
    )  # fmt: skip
    out, _ = run("chat.json", "--json", cwd=tree)
    told: dict[str, Any] = json.loads(out)
    assert [(message["role"], message["content"]) for message in told["messages"]] == [
        ("system", "Be brief."),
        ("user", "Why?"),
    ]
    assert told["token_count"] == told["report"]["token_count"]
    assert [item["id"] for item in told["report"]["items"]] == ["item-0", "q"]


def test_the_page(tree: Path) -> None:
    out, errors = run("spec.yaml", "--html", "page.html", cwd=tree)
    assert (out, errors) == ("", "Written: page.html\n")
    page = (tree / "page.html").read_text("utf-8")
    found = re.search(r'<script type="application/json" id="prompt">(.*?)</script>', page)
    assert found
    told = json.loads(found[1])
    plain, _ = run("spec.yaml", cwd=tree)
    assert "".join(text for _, text in told["parts"]) == plain
    assert [item["status"] for item in told["items"]] == ["kept", "kept", "truncated", "kept"]
    both, errors = run("spec.yaml", "--html", "page.html", "-o", "-", cwd=tree)
    assert (both, errors) == (plain, "Written: page.html\n")
    report, _ = run("spec.yaml", "--html", "page.html", "--report", cwd=tree)
    assert "of 250 tokens" in report
    page_again, errors = run("spec.yaml", "--html", "-", cwd=tree)
    assert page_again == page
    assert errors == ""


def test_files_are_found_from_the_spec_and_from_the_root(tree: Path) -> None:
    here, _ = run("spec.yaml", cwd=tree)
    there, _ = run(str(tree / "spec.yaml"), cwd=Path(tree.anchor))
    assert there == here
    (tree / "specs").mkdir()
    (tree / "specs" / "review.yaml").write_text(SPEC)
    out, errors = run("review.yaml", cwd=tree / "specs")
    assert "File" not in out
    assert errors == "No files match src/**/*.py: hidden and ignored files are not searched\n"
    out, errors = run("review.yaml", "--root", "..", cwd=tree / "specs")
    assert (out, errors) == (here, "")


def test_the_tokenizer_of_a_file_beside_the_spec(tree: Path) -> None:
    (tree / "characters.json").write_text(
        '{"budget": 12, "tokenizer": "characters", "items": [{"text": "0123456789"}]}'
    )
    assert run("characters.json", cwd=tree)[0] == "0123456789"
    lines = [f"{piece} {rank}" for rank, piece in enumerate(["YQ==", "Yg==", "YWI="])]
    (tree / "tiny.tiktoken").write_text("\n".join(lines) + "\n")
    (tree / "other.json").write_text('{"budget": 3, "tokenizer": "tiny.tiktoken", "items": [{"text": "ababab"}]}')
    assert run("../other.json", cwd=tree / "src")[0] == "ababab"
    (tree / "tiny.tiktoken").write_text("no vocabulary")
    _, errors = run("other.json", cwd=tree, code=2)
    assert "other.json: tokenizer: " in errors


def test_what_failed_is_told_at_the_end(tree: Path) -> None:
    (tree / "src" / "bad.py").write_bytes(b"ok\ncaf\xe9\n")
    (tree / "src" / "server.key.py").write_text("-----BEGIN PRIVATE KEY-----\nMII\n")
    (tree / "src" / "picture.py").write_bytes(b"\0\0")
    out, errors = run("spec.yaml", cwd=tree, code=1)
    assert out.endswith("Why?")
    assert "Left out files that look like secrets (`secrets: true` includes them): src/server.key.py\n" in errors
    assert "Skipped without text: src/picture.py\n" in errors
    assert "Failed: 1 file\n  src/bad.py: byte 6 (line 2): not UTF-8" in errors


def test_no_prompt_without_what_it_requires(tree: Path) -> None:
    (tree / "src" / "bad.py").write_bytes(b"caf\xe9\n")
    (tree / "needs.yaml").write_text('budget: 99\nitems: [{glob: "src/b*.py", required: true}]\n')
    out, errors = run("needs.yaml", "-o", "prompt.txt", cwd=tree, code=1)
    assert out == ""
    assert "no prompt: required items cannot be read" in errors
    (tree / "needs.yaml").write_text("budget: 9\nitems: [{file: src/long.py, required: true}]\n")
    out, errors = run("needs.yaml", "-o", "prompt.txt", cwd=tree, code=1)
    assert out == ""
    assert re.search(
        r"Error: needs.yaml: the required items of the prompt do not fit into 9 tokens: src/long.py [0-9]+", errors
    )
    assert not (tree / "prompt.txt").exists()


@pytest.mark.parametrize(
    ("spec", "arguments", "complaint"),
    [
        ("budget: 5\nitems: [{text: x, prio: 1}]", [], "spec.yaml: line 2: items[0].prio: unknown field; did you mean priority?"),
        ("budget: 5\nreserve: 9\nitems: [{text: x}]", [], "spec.yaml: reserve must be from 0 to budget - 1"),
        ("budget: 5\ntokenizer: nope\nitems: [{text: x}]", [], "spec.yaml: line 2: tokenizer: "),
        ("budget: 5\nchat_format: nope\nitems: [{text: x}]", [], "spec.yaml: chat_format must be one of"),
        ("budget: 5\nitems: [{file: ../x}]", [], "spec.yaml: line 2: items[0].file: ../x is outside of"),
        ("budget: 5\nitems: [{text: x, id: a}, {text: y, id: a}]", [], "spec.yaml: id 'a' is used by 2 items"),
        ("budget: 5\nitems: [{text: x}]", ["--report", "--json"], "choose one of --report and --json"),
        ("budget: 5\nitems: [{text: x}]", ["--root", "nowhere"], "nowhere is not a folder"),
        ("budget: 5\nitems: [{text: x}]", ["--html", "nowhere/page.html"], "the folder of nowhere/page.html does not exist"),
        ("budget: 5\nitems: [{text: x}]", ["--output", "src"], "src is a folder"),
    ],
)  # fmt: skip
def test_wrong_usage_writes_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, spec: str, arguments: list[str], complaint: str
) -> None:
    (tree / "spec.yaml").write_text(spec)
    monkeypatch.chdir(tree)
    # In this process: to start one takes longer than all the rest.
    done = CliRunner().invoke(app, ["prompt", "spec.yaml", *arguments])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert complaint in " ".join(done.stderr.split())
    assert sorted(path.name for path in tree.iterdir()) == ["spec.yaml", "src"]


@pytest.mark.parametrize("spec", ["nowhere.yaml", "src", "-"])
def test_a_spec_that_is_none(tree: Path, monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.chdir(tree)
    done = CliRunner().invoke(app, ["prompt", spec])
    assert done.exit_code == 2
    assert f"{spec} " in done.stderr


def test_a_piped_report_breaks_no_name(tree: Path) -> None:
    name = "src/" + "a_folder_with_a_long_name/" * 4 + "a_file_with_a_name_that_is_long_as_well.py"
    (tree / name).parent.mkdir(parents=True)
    (tree / name).write_text("x = 1\n", encoding="utf-8")
    out, _ = run("spec.yaml", "--report", cwd=tree)
    (row,) = [line for line in out.splitlines() if line.startswith("src/a_folder")]
    assert row.split()[:3] == [name, "context/" + name, "kept"]
    run("spec.yaml", "--report", "-o", "report.txt", cwd=tree)
    assert (tree / "report.txt").read_text("utf-8") == out
    narrow, _ = run("spec.yaml", "--report", cwd=tree, COLUMNS="60")
    assert max(map(len, narrow.splitlines())) <= 60


@pytest.mark.parametrize("value", ["0", "abc", "-5", "1.5"])
def test_a_wrong_number_is_told_in_plain_words(tree: Path, value: str) -> None:
    _, errors = run("simulate", "session.jsonl", "--budget", value, cwd=tree, code=2)
    assert errors.splitlines()[-1] == (
        f"Error: Invalid value for '--budget': must be a whole number of at least 1, got {value!r}"
    )
