"""`chunker prompt`: a prompt that fits a token budget, from a file that says what goes into it."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunker.cli.console import ending_quietly
from chunker.cli.options import EXIT_CODES
from chunker.cli.paths import check_paths
from chunker.files.discovery import STANDARD_INPUT, printable

# Extensions of formats for chunks, in which no prompt is written.
_TABLES = (".jsonl", ".csv", ".parquet", ".arrow")
EPILOG = f"""\b
Examples:
  chunker prompt review.yaml
  chunker prompt review.yaml --report
  chunker prompt review.yaml --html prompt.html
  chunker prompt review.toml --json | jq .messages
  echo "What does it do?" | chunker prompt review.yaml --root ../project > prompt.txt
  chunker prompt simulate session.jsonl    what a session costs, with the provider's cache

\b
A spec, in YAML (JSON and TOML have the same fields):
  budget: 8000
  reserve: 1000
  items:
    - {{id: system, text: You are a careful reviewer., required: true}}
    - section: context
      share: 0.6
      items:
        - {{glob: "src/**/*.py", priority: 5, heading: "File {{path}}:\\n", truncate: tail}}
        - {{glob: "docs/**/*.md", chunks: 256}}
    - {{id: question, file: "-", required: true}}

{EXIT_CODES.replace("every file was processed", "the prompt was made").replace("some", "what is required does not fit, or some")}"""


def prompt(
    spec: Annotated[str, typer.Argument(metavar="SPEC", show_default=False, help="The spec: .yaml, .toml or .json.")],
    *,
    report: Annotated[
        bool, typer.Option("--report", help="Print the outcome for each item, instead of the prompt.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print prompt, messages and report as JSON.")] = False,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", show_default=False, help="Write a page that shows the prompt."),
    ] = None,
    root: Annotated[
        str | None,
        typer.Option("--root", metavar="DIR", show_default=False, help="Folder of the files. Default: that of SPEC."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write to FILE: the text of the prompt, or JSON as with --json if the name ends in .json.",
        ),
    ] = None,
) -> None:
    """Assemble a prompt that fits a token budget exactly, from a file of items, globs and budgets.

    Required items go in first, then the others by priority, each if it fits. Hidden files, files that .gitignore names,
    and files that hold secrets are left out; nothing outside of the folder is read. With --html alone nothing is
    printed.
    """
    with ending_quietly():
        from chunker.cli.run_prompt import PromptOutput, run

        if report and as_json:
            raise typer.BadParameter("choose one of --report and --json", param_hint="--json")
        check_paths([spec], output)
        check_paths([spec], html)
        ending = "" if output is None else Path(output).suffix.lower()
        if ending in _TABLES or (ending == ".json" and report):
            message = f"{printable(str(output))}: a prompt is written as text, or as JSON to a name that ends in .json"
            raise typer.BadParameter(f"{message}; a report is text" if report else message, param_hint="--output")
        if Path(spec).is_dir() or spec == STANDARD_INPUT:
            raise typer.BadParameter(f"{printable(spec)} is not a file", param_hint="SPEC")
        if root is not None and not Path(root).is_dir():
            raise typer.BadParameter(f"{printable(root)} is not a folder", param_hint="--root")
        run(spec, root, PromptOutput(output, html, report, as_json or ending == ".json"))
