"""Options that several commands share, and their checks."""

# ruff: noqa: PLC0415  # modules that load tokenizers are imported when one is requested

from __future__ import annotations

import enum
import os
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chunker.cli.console import STANDARD_OUTPUT
from chunker.cli.outputs import ENDINGS, FileFormat, format_of, require_packages
from chunker.files.discovery import STANDARD_INPUT, printable

if TYPE_CHECKING:
    from chunker.cli.project_settings import Parameter
    from chunker.counting import TokenCounter
    from chunker.files.intake import Intake
    from chunker.files.patterns import Wanted

_EXIT_CODES = """\b
Exit codes:
  0    every file was processed
  1    some files failed (listed on standard error), or the output could not be written
  2    wrong usage; nothing was done
  130  interrupted by Ctrl-C
  141  the reader of the output went away
"""
# Below the help of commands without an option that the environment sets ...
EXIT_CODES = f"""\b
Options can also be set in [tool.chunker] of pyproject.toml. The command line overrides it.

{_EXIT_CODES}"""
# ... and of those with `--tokenizer`, which it sets.
SETTINGS_AND_EXIT_CODES = f"""\b
Options can also be set in [tool.chunker] of pyproject.toml, and some in the environment (CHUNKER_TOKENIZER=gpt-4o), which takes precedence. The command line
overrides both.

{_EXIT_CODES}"""


def setting(name: str, *flags: str, **options: Any) -> object:  # noqa: ANN401  # what typer.Option takes
    """An option that a variable of the environment also sets: CHUNKER_MAX_TOKENS for --max-tokens."""
    return typer.Option(name, *flags, envvar=_variable(name), show_envvar=False, **options)


def _variable(option: str) -> str:
    return "CHUNKER_" + option.partition("/")[0].removeprefix("--").replace("-", "_").upper()


Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", show_default=False, help="Files, folders, or - for standard input."),
]
FilePaths = Annotated[  # of commands that read the same files more than once
    list[str],
    typer.Argument(metavar="PATH", show_default=False, help="Files and folders."),
]
TokenizerName = Annotated[
    str, setting("--tokenizer", "-t", metavar="NAME", help="Encoding, model (gpt-4o) or tokenizer file.")
]
Format = Annotated[
    FileFormat | None,
    typer.Option("--format", "-f", show_default=False, help="Default: by the extension of FILE, else table."),
]
Language = Annotated[
    str | None,
    setting(
        "--language",
        "-l",
        metavar="NAME",
        show_default=False,
        help="Language of all files: python, markdown, json, text ... Default: detected from the name, else from the text if that is clear.",
    ),
]
StdinFilename = Annotated[
    str | None,
    typer.Option(
        "--stdin-filename",
        metavar="NAME",
        show_default=False,
        help="Name for the text from standard input, from which its language is detected.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default=False,
        help="Write to FILE (.jsonl, .json, .csv, .parquet, .arrow; .txt for a table), which appears once it is complete.",
    ),
]
OfSources = Annotated[
    list[str] | None,
    typer.Option(
        "--source", metavar="PATTERN", show_default=False, help="Only in files such as src/*, or in a folder."
    ),
]
OfKinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", show_default=False, help="Only of this kind: function, section ..."),
]
OfMetadata = Annotated[
    list[str] | None,
    typer.Option(
        "--metadata",
        metavar="NAME=VALUE",
        show_default=False,
        help="Only texts that were added with this in their metadata.",
    ),
]
OfLanguages = Annotated[
    list[str] | None, typer.Option("--language", metavar="NAME", show_default=False, help="Only in this language.")
]
MaxTokens = Annotated[int, setting("--max-tokens", "-m", min=1, help="Token limit of a chunk.")]
MinTokens = Annotated[
    int | None,
    setting(
        "--min-tokens",
        min=0,
        show_default=False,
        help="Smallest number of tokens of a chunk; the last may have fewer, to keep a part whole. Default: an eighth of --max-tokens.",
    ),
]
DesiredTokens = Annotated[
    int | None,
    typer.Option(
        "--desired-tokens",
        min=1,
        show_default=False,
        help="End a chunk at the next good boundary once it has this many tokens.",
    ),
]
Overlap = Annotated[int, setting("--overlap", min=0, help="Repeat up to this many tokens of the previous chunk.")]


class StrategyName(enum.StrEnum):
    """The strategies of choosing cuts."""

    GROW = "grow"
    OPTIMAL = "optimal"


Strategy = Annotated[
    StrategyName, typer.Option("--strategy", help="Fill chunk after chunk, or choose all cuts of a text together.")
]
Context = Annotated[bool, setting("--context/--no-context", help="Begin each chunk with its breadcrumb.")]
Hidden = Annotated[bool, setting("--hidden", help="Include hidden files and folders, such as .github.")]
Secrets = Annotated[bool, typer.Option("--secrets", help="Include files that hold secrets, such as .env.")]
Generated = Annotated[
    bool,
    setting("--generated", help="Include generated files: lock files, bundles, generated code, vendored folders."),
]
Verbatim = Annotated[
    bool, setting("--verbatim", help="Keep notebooks, drawings and embedded data as they are, not shortened.")
]
WebText = Annotated[bool, setting("--web-text", help="Read HTML pages as their text, without tags and navigation.")]
Include = Annotated[
    list[str] | None,
    setting(
        "--include",
        metavar="PATTERN",
        show_default=False,
        help="Only these files in folders (*.md, src/**), as in .gitignore; may be repeated.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    setting(
        "--exclude",
        metavar="PATTERN",
        show_default=False,
        help="Exclude these files in folders, even if included; may be repeated.",
    ),
]
Encoding = Annotated[str, setting("--encoding", metavar="NAME", help="Encoding of files that are not UTF-8.")]


# The key, in the context of a run, for the folder whose pyproject.toml has options.
_FOLDER = "chunker.settings"
# That folder and its options, for error messages of functions that do not get the context of a run.
_SETTINGS: ContextVar[tuple[Path | None, Mapping[str, Any]]] = ContextVar("_SETTINGS", default=(None, {}))


def read_settings(ctx: typer.Context) -> None:
    """Make the options of `[tool.chunker]` the defaults of the command that is about to run. A mistake there is wrong usage."""
    from chunker.cli.project_settings import FILE, find_settings
    from chunker.errors import OptionError

    group: Any = ctx.command
    name = ctx.invoked_subcommand or ""
    try:
        settings = find_settings(Path(), name, lambda one: _options_of(group.get_command(ctx, one)), list(group.own))
    except OptionError as error:
        raise typer.BadParameter(str(error), param_hint=FILE) from None
    if settings.folder is not None and "tokenizer" in settings.options:
        settings.options["tokenizer"] = _beside(settings.folder, settings.options["tokenizer"])
    ctx.default_map = {name: settings.options}
    ctx.meta[_FOLDER] = settings.folder
    _SETTINGS.set(settings)


def _beside(folder: Path, given: object) -> object:
    """Return the tokenizers of a settings file, whose paths are relative to that file, as seen from the current folder."""
    from chunker.counting.tokenizer_files import tokenizer_path

    if isinstance(given, list):
        return [_beside(folder, one) for one in given]
    path = tokenizer_path(given, folder) if isinstance(given, str) else None
    return given if path is None or folder == Path.cwd() else str(path)


def _options_of(command: Any) -> dict[str, Parameter]:  # noqa: ANN401  # typer has its classes of commands in private modules
    """Return the parameters of a command; empty for an unknown command. A version of typer with other internals says nothing about their types."""
    from chunker.cli.project_settings import Parameter

    found = {}
    for one in command.params if command is not None else ():
        described = getattr(one, "type_descriptor", None)
        info = getattr(described, "parameter_info", None)
        kind = getattr(described, "annotation", None)
        limits = (getattr(info, "min", None), getattr(info, "max", None))
        found[one.name] = Parameter((*one.opts, *one.secondary_opts), kind, *limits, multiple=bool(one.multiple))
    return found


def wanted_of(ctx: typer.Context, include: list[str] | None, exclude: list[str] | None) -> Wanted:
    """Return the selection of files in folders. Patterns are relative to the current folder, or to that of the pyproject.toml they are in."""
    from chunker.errors import OptionError
    from chunker.files.patterns import Patterns, Wanted

    found = []
    for name, patterns in (("include", include or []), ("exclude", exclude or [])):
        source = ctx.get_parameter_source(name)
        folder = ctx.meta.get(_FOLDER) if source is not None and source.name == "DEFAULT_MAP" else None
        try:
            found.append(Patterns.of(patterns, folder))
        except OptionError as error:  # all patterns come from the same source
            raise typer.BadParameter(str(error), param_hint=hint_of(f"--{name}", patterns[0])) from None
    return Wanted.of(*found)


def intake_of(
    encoding: str,
    *,
    secrets: bool,
    generated: bool = True,
    verbatim: bool = True,
    web_text: bool = False,
    standard_input: str | None = None,
) -> Intake:
    """Return the intake for the options. An unknown encoding is wrong usage."""
    from chunker.errors import OptionError
    from chunker.files.intake import Intake

    taken = {"secrets": secrets, "generated": generated, "verbatim": verbatim, "web_text": web_text}
    try:
        return Intake(**taken, encoding=encoding, standard_input=standard_input or STANDARD_INPUT)
    except OptionError as error:
        raise typer.BadParameter(str(error), param_hint=hint_of("--encoding", encoding)) from None


def load_tokenizer(name: str) -> TokenCounter:
    """Return the tokenizer for a name or file (`chunker.counting.resolve_tokenizer`). An unknown one is wrong usage."""
    from bpe_engine import BpeEngineError
    from chunker.counting import resolve_tokenizer
    from chunker.errors import OptionError

    try:
        return resolve_tokenizer(name)
    except (BpeEngineError, OptionError, OSError) as error:
        raise typer.BadParameter(str(error), param_hint=hint_of("--tokenizer", name)) from None


def hint_of(option: str, value: str) -> str:
    """Return the name, for messages, of what gave an option this value: a variable of the environment, the settings of the project, or the command line."""
    variable = _variable(option)
    given = os.environ.get(variable, "")
    if given and value in (given, *given.split()):  # the latter of an option that may be repeated
        return f"the environment variable {variable}"
    folder, settings = _SETTINGS.get()
    from_file = settings.get(option.removeprefix("--"))
    if folder is not None and (value == from_file or (isinstance(from_file, list) and value in from_file)):
        return f"[tool.chunker] {option.removeprefix('--')} of {printable(str(folder / 'pyproject.toml'))}"
    return option


def wanted_format(output_format: FileFormat | None, output: str | None) -> FileFormat:
    """Return the format of the results, by the option or by the name of the file. Raises before any work if it cannot be written."""
    from chunker.errors import MissingExtraError

    wanted = output_format
    if wanted is None:
        wanted = FileFormat.TABLE if output is None or output == STANDARD_OUTPUT else format_of(output)
    if wanted is None:
        known = ", ".join(ending for ending in ENDINGS if ending)
        message = f"{printable(output or '')}: no format has this extension; use one of {known}, or --format with any other name"
        raise typer.BadParameter(message, param_hint="--output")
    try:
        require_packages(wanted)
    except MissingExtraError as error:
        raise typer.BadParameter(str(error), param_hint="--output" if output_format is None else "--format") from None
    return wanted
