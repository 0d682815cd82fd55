"""Options of the command from pyproject.toml and the environment, and which of them wins."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer.main
from small_tokenizers import small
from typer.testing import CliRunner, Result

from chunker.cli.app import COMMANDS, app

WORDS = "one two three four five six seven eight nine ten\n" * 60


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(WORDS)
    (tmp_path / "b.txt").write_text(WORDS)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project: Path, table: str) -> None:
    (project / "pyproject.toml").write_text(f"[project]\nname = 'x'\n\n{table}\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="chunker")


def largest(*arguments: str) -> int:
    done = run("chunk", *arguments, "--format", "jsonl")
    assert done.exit_code == 0, done.output
    return max(int(json.loads(line)["token_count"]) for line in done.stdout.splitlines())


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 256 < largest("b.txt") <= 512
    write(project, "[tool.chunker]\nmax-tokens = 64")
    assert 32 < largest("b.txt") <= 64
    write(project, "[tool.chunker]\nmax-tokens = 64\n[tool.chunker.chunk]\nmax_tokens = 128")
    assert 64 < largest("b.txt") <= 128
    monkeypatch.setenv("CHUNKER_MAX_TOKENS", "32")
    assert 16 < largest("b.txt") <= 32
    assert 8 < largest("b.txt", "--max-tokens", "16") <= 16


def test_patterns_of_the_file_are_relative_to_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, '[tool.chunker]\nexclude = ["docs/a.txt"]\n[tool.chunker.count]\nby = "total"')
    monkeypatch.chdir(project / "docs")
    (project / "docs" / "c.txt").write_text(WORDS)
    done = run("chunk", "..", "--format", "jsonl")
    assert {json.loads(line)["source"] for line in done.stdout.splitlines()} == {
        "../b.txt",
        "../docs/c.txt",
        "../pyproject.toml",
    }
    assert run("count", "..", "--format", "jsonl").stdout.startswith('{"files":3,')
    monkeypatch.setenv("CHUNKER_EXCLUDE", "c.txt b.txt")
    assert run("count", ".", "--format", "jsonl").stdout.startswith('{"files":1,')


def test_a_tokenizer_file_is_relative_to_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "tokenizer.json").write_text(small("word level").to_str(), "utf-8")
    monkeypatch.chdir(project)
    for given in ("tokenizer.json", "./tokenizer.json", str(project / "tokenizer.json")):
        write(project, f"[tool.chunker]\ntokenizer = '{given}'")
        monkeypatch.chdir(project)
        at_the_root = run("count", "b.txt", "--format", "jsonl")
        assert at_the_root.exit_code == 0, at_the_root.output
        monkeypatch.chdir(project / "docs")
        below = run("count", "../b.txt", "--format", "jsonl")
        assert json.loads(below.stdout)["tokens"] == json.loads(at_the_root.stdout)["tokens"]
        assert run("index", "../b.txt", "--dry-run").exit_code == 0
    write(project, "[tool.chunker]\ntokenizer = 'gpt-4o'")
    assert run("count", "../b.txt").exit_code == 0
    write(project, "[tool.chunker]\ntokenizer = 'nope.json'")
    done = run("count", "../b.txt")
    assert done.exit_code == 2
    assert str(project / "nope.json") in done.stderr.replace("\n", "")


def test_a_wrong_value_of_the_environment_is_told_as_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKER_MAX_TOKENS", "abc")
    done = run("chunk", "b.txt")
    assert done.exit_code == 2
    assert "Invalid value for the environment variable CHUNKER_MAX_TOKENS: " in done.stderr
    assert "--max-tokens" not in done.stderr
    assert "Invalid value for '--max-tokens' / '-m': " in run("chunk", "b.txt", "--max-tokens", "abc").stderr
    monkeypatch.delenv("CHUNKER_MAX_TOKENS")
    monkeypatch.setenv("CHUNKER_TOKENIZER", "nope.json")
    done = run("chunk", "b.txt")
    assert "Invalid value for the environment variable CHUNKER_TOKENIZER: " in done.stderr
    assert "Invalid value for --tokenizer: " in run("chunk", "b.txt", "-t", "nope").stderr
    monkeypatch.delenv("CHUNKER_TOKENIZER")
    monkeypatch.setenv("CHUNKER_ENCODING", "nope")
    assert "Invalid value for the environment variable CHUNKER_ENCODING: " in run("chunk", "b.txt").stderr
    assert "Invalid value for --encoding: " in run("chunk", "b.txt", "--encoding", "none").stderr
    monkeypatch.delenv("CHUNKER_ENCODING")
    write(project, "[tool.chunker]\nencoding = 'nope'")
    assert "Invalid value for [tool.chunker] encoding of " in run("chunk", "b.txt").stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[tool.chunker]\nmax-token = 3", "'max-token', which no command has"),
        ("[tool.chunker.chunk]\nlimit = 3", "'limit', which this command does not have"),
        ("[tool.chunker.cut]\nlimit = 3", "no command has this name"),
        (
            "[tool.chunker]\nmax-tokens = 'many'",
            "[tool.chunker] max-tokens must be a whole number of at least 1, got 'many'",
        ),
        (
            "[tool.chunker]\nmax-tokens = true",
            "[tool.chunker] max-tokens must be a whole number of at least 1, got true",
        ),
        ("[tool.chunker]\nmax-tokens = 0", "[tool.chunker] max-tokens must be a whole number of at least 1, got 0"),
        ("[tool.chunker.chunk]\nmax-tokens = 1.5", "[tool.chunker.chunk] max-tokens must be a whole number"),
        ("[tool.chunker]\nexclude = [1]", "[tool.chunker] exclude must be a string or an array of strings, got [1]"),
        ("[tool.chunker]\ncontext = 'yes'", "[tool.chunker] context must be true or false, got 'yes'"),
        ("[tool.chunker]\ntokenizer = 5", "[tool.chunker] tokenizer must be a string, got 5"),
        ("[tool.chunker]\nstrategy = 'none'", "[tool.chunker] strategy must be one of grow, optimal, got 'none'"),
        ("[tool.chunker\n", "pyproject.toml"),
        ("[tool]\nchunker = 3", "must be a table"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(project: Path, table: str, said: str) -> None:
    write(project, table)
    done = run("chunk", "b.txt")
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_a_file_outside_of_the_repository_says_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "[tool.chunker]\nmax-tokens = 'many'")
    inner = project / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "b.txt").write_text(WORDS)
    monkeypatch.chdir(inner)
    assert 256 < largest("b.txt") <= 512


def test_what_is_left_out_is_told_by_rules(project: Path) -> None:
    (project / "uv.lock").write_text("version = 1\n")
    (project / "a.svg").write_text("<svg><path/></svg>")
    (project / "b.svg").write_text("<svg><text>Hello</text></svg>")
    done = run("chunk", ".")
    assert "Left out generated files (--generated includes them):" in done.output
    assert "  1 lock file: uv.lock" in done.output
    assert "Left out drawings (--verbatim includes them):\n  1 drawing without words: a.svg\n" in done.output
    assert "Shortened (--verbatim keeps all of it): 1 drawing" in done.output
    everything = run("chunk", ".", "--generated", "--verbatim")
    assert "Left out" not in everything.output
    assert "uv.lock" in everything.stdout


def test_a_pattern_that_is_no_rule_is_wrong_usage(project: Path) -> None:
    done = run("chunk", ".", "--include", "[")
    assert done.exit_code == 2
    assert "Invalid value for --include: no file can match the pattern '['" in done.output


def test_every_command_with_a_setting_follows_the_environment(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKER_TOKENIZER", "nope.json")
    (project / "session.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    for arguments in (
        ("map", "."),
        ("skeleton", "b.txt"),
        ("view", "b.txt"),
        ("count", "b.txt"),
        ("prompt simulate", "session.jsonl"),
        ("serve",),
        ("mcp",),
    ):
        done = run(*" ".join(arguments).split())
        assert done.exit_code == 2, arguments
        assert "Invalid value for the environment variable CHUNKER_TOKENIZER: " in done.stderr, arguments
    assert "nope.json" in run("index", "b.txt").stderr
    monkeypatch.delenv("CHUNKER_TOKENIZER")
    monkeypatch.setenv("CHUNKER_MAX_TOKENS", "64")
    monkeypatch.setenv("CHUNKER_CONTEXT", "false")
    assert run("index", "b.txt", "--embedder", "hashing").exit_code == 0
    status = run("index", "status").stdout
    assert "max_tokens 64" in status
    assert "of 2,000 tokens" in run("map", ".").stderr  # the limit of a map is not that of a chunk
    monkeypatch.delenv("CHUNKER_MAX_TOKENS")
    write(project, "[tool.chunker]\nmax-tokens = 64")
    assert "of 2,000 tokens" in run("map", ".").stderr
    write(project, "[tool.chunker.map]\nmax-tokens = 1000")
    assert "of 1,000 tokens" in run("map", ".").stderr


def test_the_help_and_the_documentation_have_the_variables_that_there_are() -> None:
    group = typer.main.get_group(app)
    found = set()
    for name in COMMANDS:
        command = group.get_command(None, name)  # type: ignore[arg-type]  # typer has its contexts in private modules
        own = {one.envvar for one in command.params if one.envvar}  # type: ignore[union-attr]  # it exists
        told = run(*name.split(), "--help").stdout
        assert set(re.findall(r"CHUNKER_\w+", told)) <= own, name
        assert ("environment (" in told) <= bool(own), name
        found |= own
    page = Path(__file__).parents[3] / "docs" / "what-is-chunked.md"
    assert set(re.findall(r"CHUNKER_[A-Z_]+", page.read_text(encoding="utf-8"))) == found


def test_one_string_is_enough_for_an_option_that_may_be_repeated(project: Path) -> None:
    write(project, '[tool.chunker]\ntokenizer = "nope.json"\ninclude = "*.txt"\nexclude = "b.txt"')
    for name in ("serve", "mcp"):
        done = run(name)
        assert done.exit_code == 2
        assert "Invalid value for [tool.chunker] tokenizer of " in done.stderr
    write(project, '[tool.chunker]\ninclude = "*.txt"\nexclude = "b.txt"')
    assert run("count", ".", "--format", "jsonl").stdout.count("\n") == 1


def test_a_setting_holds_for_the_commands_that_can_take_its_value(project: Path) -> None:
    write(project, '[tool.chunker]\nformat = "jsonl"\nlanguage = ["text"]\nspecial = "<|end|>"\nmax-tokens = 32')
    assert json.loads(run("chunk", "b.txt").stdout.splitlines()[0])["token_count"] <= 32
    assert run("encode", "b.txt").exit_code == 0
    assert "no question could be planted" in run("evaluate", "docs", "--sizes", "64").stderr  # after the settings


def test_exit_codes_stand_on_lines_of_their_own() -> None:
    for name in COMMANDS:
        told = run(*name.split(), "--help").stdout
        assert ("Exit codes:" in told) == ("  Exit codes:\n    0    " in told), name
