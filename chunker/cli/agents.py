"""`chunker agents install`: set up the coding agents of a project to use the tools of `chunker mcp`.

An agent reads two files: settings that name the servers it may use (MCP), and instructions in plain text. Only the
parts about `chunker` are changed, and everything is shown as a diff before anything is written.

    .mcp.json      {"mcpServers": {"chunker": {"command": "chunker", "args": ["mcp", "."]}}}
    AGENTS.md      a paragraph between two comments, which a later run replaces
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from chunker.cli.console import EXIT_FAILED, ending_quietly

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Tools and instructions for coding agents.")

EPILOG = """\b
Examples:
  chunker agents install                          Claude Code; shows the changes and asks
  chunker agents install --client cursor --yes
  chunker agents install --client vscode --project ../service
"""

BEGIN, END = "<!-- chunker: begin -->", "<!-- chunker: end -->"
INSTRUCTIONS = f"""{BEGIN}
## Token budgets

The MCP server `chunker` counts tokens exactly and cuts files at their structure. It reads files of this project and writes nothing.

- Before reading a file that may be large, ask `count`. Read one that is too large through `chunk`, a part at a time.
- To see what a file defines before reading it, ask `skeleton`; `map` shows what matters most in a folder.
- To gather several files within a budget, ask `assemble` with a priority for each.
- To find code or documentation by its meaning, ask `search`, if the project has an index (`chunker index .`).
{END}
"""


class Client(StrEnum):
    """The supported coding agents."""

    CLAUDE = "claude"
    CODEX = "codex"
    CURSOR = "cursor"
    GEMINI = "gemini"
    VSCODE = "vscode"


@dataclass(frozen=True)
class ConfigFiles:
    """The file in which a client keeps the servers of a project, and their key in it.

    `settings`: the file, relative to the root of the project. `key`: the member that contains the servers. `extra`:
    further members of an entry. `instructions`: the file that the agent reads.
    """

    settings: str
    key: str
    instructions: str = "AGENTS.md"
    extra: tuple[tuple[str, str], ...] = ()


PLACES = {
    Client.CLAUDE: ConfigFiles(".mcp.json", "mcpServers", "CLAUDE.md"),
    Client.CODEX: ConfigFiles(".codex/config.toml", "mcp_servers"),
    Client.CURSOR: ConfigFiles(".cursor/mcp.json", "mcpServers"),
    Client.GEMINI: ConfigFiles(".gemini/settings.json", "mcpServers", "GEMINI.md"),
    Client.VSCODE: ConfigFiles(".vscode/mcp.json", "servers", extra=(("type", "stdio"),)),
}


class UnreadableSettingsError(Exception):
    """The settings of a client cannot be changed safely. They stay unchanged, and the message says what to add by hand."""


@app.command("install", epilog=EPILOG)
def install(
    *,
    client: Annotated[Client, typer.Option("--client", help="The agent.")] = Client.CLAUDE,
    project: Annotated[Path, typer.Option("--project", metavar="FOLDER", help="The root of the project.")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Let the coding agent of a project count, chunk, search and assemble.

    Shows each change as a diff and asks before it writes. A second run changes nothing.
    """
    if not project.is_dir():
        raise typer.BadParameter(f"{project} is not a folder", param_hint="--project")
    place = PLACES[client]
    with ending_quietly():
        try:
            changes = [
                change
                for path, edited in (
                    (project / place.settings, with_server),
                    (project / place.instructions, with_instructions),
                )
                if (change := _change(path, edited(_text(path), place)))
            ]
        except UnreadableSettingsError as error:
            typer.echo(f"{project / place.settings}: {error}", err=True)
            raise typer.Exit(EXIT_FAILED) from error
        if not changes:
            typer.echo("Nothing to change.")
            return
        for path, before, after in changes:
            typer.echo("".join(_diff(path, before, after)), nl=False)
        if not yes and not typer.confirm("Write this?"):
            raise typer.Exit(EXIT_FAILED)
        for path, _, after in changes:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(after, encoding="utf-8", newline="")
            typer.echo(f"Wrote {path}")


def with_server(text: str, place: ConfigFiles) -> str:
    """Return the settings `text` with an entry for `chunker mcp`; other entries do not change.

    Raises:
        UnreadableSettingsError: The settings do not have the form that the client expects.
    """
    entry: dict[str, str | list[str]] = {**dict(place.extra), "command": "chunker", "args": ["mcp", "."]}
    if place.settings.endswith(".toml"):
        table = f"[{place.key}.chunker]"
        if table in text:
            return text
        lines = [table, *(f"{name} = {json.dumps(value)}" for name, value in entry.items())]
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        return before + "\n".join(lines) + "\n"
    try:
        settings = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise UnreadableSettingsError(
            f'not JSON that can be changed here ({error}); add to "{place.key}" by hand: "chunker": {json.dumps(entry)}'
        ) from error
    servers = settings.setdefault(place.key, {}) if isinstance(settings, dict) else None
    if not isinstance(servers, dict):
        raise UnreadableSettingsError(f'"{place.key}" is not an object')
    if servers.get("chunker") == entry:
        return text
    servers["chunker"] = entry
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def with_instructions(text: str, place: ConfigFiles) -> str:  # noqa: ARG001  # called as `with_server` is
    """Return the instructions `text` with the paragraph about budgets, which replaces an older one or goes to the end."""
    there = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}\n?", re.DOTALL)
    if there.search(text):
        return there.sub(lambda _: INSTRUCTIONS, text, count=1)
    return f"{text.rstrip()}\n\n{INSTRUCTIONS}" if text.strip() else INSTRUCTIONS


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open(encoding="utf-8", newline="") as stream:  # line ends stay as they are
        return stream.read()


def _change(path: Path, after: str) -> tuple[Path, str, str] | None:
    before = _text(path)
    return None if before == after else (path, before, after)


def _diff(path: Path, before: str, after: str) -> list[str]:
    old = str(path) if before else "/dev/null"
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, str(path), lineterm="")
    return [f"{line}\n" for line in lines]
