"""`chunker agents install`: settings and instructions of coding agents, changed where chunker is concerned and nowhere else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from chunker.cli.agents import BEGIN, PLACES, Client
from chunker.cli.app import app


def install(project: Path, *arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(
        app, ["agents", "install", "--project", str(project), *arguments], input=answer, catch_exceptions=False
    )


@pytest.mark.parametrize("client", list(Client))
def test_the_server_and_the_instructions_are_there_once(client: Client, tmp_path: Path) -> None:
    place = PLACES[client]
    assert install(tmp_path, "--client", client, "--yes").exit_code == 0
    text = (tmp_path / place.settings).read_text(encoding="utf-8")
    settings = tomllib.loads(text) if place.settings.endswith(".toml") else json.loads(text)
    assert settings[place.key]["chunker"]["command"] == "chunker"
    assert settings[place.key]["chunker"]["args"] == ["mcp", "."]
    assert (tmp_path / place.instructions).read_text(encoding="utf-8").count(BEGIN) == 1
    again = install(tmp_path, "--client", client, "--yes")
    assert (again.exit_code, again.stdout) == (0, "Nothing to change.\n")


def test_everything_else_stays(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"other": {"command": "other"}}, "more": 1}', encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("# Rules\n\nBe kind.\n", encoding="utf-8")
    install(tmp_path, "--yes")
    settings = json.loads((tmp_path / ".mcp.json").read_text(encoding="utf-8"))
    assert (settings["mcpServers"]["other"], settings["more"]) == ({"command": "other"}, 1)
    assert (tmp_path / "CLAUDE.md").read_text(encoding="utf-8").startswith("# Rules\n\nBe kind.\n\n" + BEGIN)
    (tmp_path / "CLAUDE.md").write_text(
        (tmp_path / "CLAUDE.md").read_text(encoding="utf-8").replace("exactly", "well") + "\nThe end.\n",
        encoding="utf-8",
    )
    install(tmp_path, "--yes")
    instructions = (tmp_path / "CLAUDE.md").read_text(encoding="utf-8")
    assert "exactly" in instructions
    assert instructions.endswith("The end.\n")


def test_tables_of_toml_stay(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('model = "x" # mine\n', encoding="utf-8")
    install(tmp_path, "--client", "codex", "--yes")
    text = (tmp_path / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert text.startswith('model = "x" # mine\n\n[mcp_servers.chunker]\n')


def test_it_is_shown_and_asked_first(tmp_path: Path) -> None:
    refused = install(tmp_path, answer="n\n")
    assert refused.exit_code == 1
    assert '+    "chunker": {' in refused.stdout
    assert list(tmp_path.iterdir()) == []
    assert install(tmp_path, answer="y\n").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mcp.json", "CLAUDE.md"]


@pytest.mark.parametrize("text", ["// comments\n{}", "[]", '{"mcpServers": []}'])
def test_settings_that_are_not_understood_are_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(text, encoding="utf-8")
    failed = install(tmp_path, "--yes")
    assert failed.exit_code == 1
    assert ".mcp.json" in failed.stderr
    assert (tmp_path / ".mcp.json").read_text(encoding="utf-8") == text
    assert not (tmp_path / "CLAUDE.md").exists()


def test_a_project_that_is_no_folder(tmp_path: Path) -> None:
    assert install(tmp_path / "none").exit_code == 2


def test_an_unknown_client(tmp_path: Path) -> None:
    done = install(tmp_path, "--client", "foo")
    assert done.exit_code == 2
    assert "Invalid value for '--client': 'foo' is not one of 'claude'" in done.stderr
