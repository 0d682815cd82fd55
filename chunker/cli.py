"""The command `chunker`: cut files into chunks that fit a token budget, and count tokens.

What may go wrong is sorted by whose business it is: wrong usage stops everything before it begins (exit code 2); a bad
file is noted, the others are done, and the notes are printed at the end (exit code 1).
"""

# Imports stand where they are used: help and complaints about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: FBT001, PLC0415, PLR0913

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.console import STANDARD_OUTPUT, ending_quietly, open_output
from chunker.files import STANDARD_INPUT, printable
from chunker.plugins import CommandGroup
from chunker.reports import Grouping
from chunker.tokenizer_command import app as tokenizer_app

if TYPE_CHECKING:
    from chunker.counting import TokenCounter
    from chunker.documents import Document

_LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})
_EXIT_CODES = """\b
Exit codes:
  0    every file was done
  1    some files failed (listed on standard error), or the output could not be written
  2    wrong usage; nothing was done
  130  interrupted by Ctrl-C
  141  the reader of the output went away
"""

app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: the boxes of rich would double the time that `chunker --help` takes.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(tokenizer_app, name="tokenizer")


class StrategyName(enum.StrEnum):
    """How cuts are chosen."""

    GROW = "grow"
    OPTIMAL = "optimal"


class OverlapPieces(enum.StrEnum):
    """What an overlap is made of."""

    UNIT = "unit"
    SENTENCE = "sentence"
    TOKEN = "token"  # noqa: S105  # no password


class OutputFormat(enum.StrEnum):
    """How results are written."""

    TABLE = "table"
    JSONL = "jsonl"


Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", show_default=False, help="Files, folders, or - for standard input."),
]
TokenizerName = Annotated[
    str,
    typer.Option("--tokenizer", "-t", metavar="NAME", help="An encoding, a model (gpt-4o), or the file of one."),
]
Format = Annotated[
    OutputFormat | None,
    typer.Option("--format", "-f", show_default=False, help="Default: jsonl if FILE ends in .jsonl, else table."),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", show_default=False, help="Write to FILE, which appears once it is complete."
    ),
]
Hidden = Annotated[bool, typer.Option("--hidden", help="Also take hidden files and folders, such as .github.")]


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        typer.echo(f"chunker {version('bpe-chunker')}")
    except PackageNotFoundError:  # run from a source tree
        typer.echo("chunker, not installed")
    raise typer.Exit


@app.callback(
    epilog="""\b
Examples:
  chunker chunk .                      a table: how the chunks of this project use the budget
  chunker chunk src -o chunks.jsonl    the chunks themselves
  chunker count . --by language        where the tokens are
  chunker prompt review.yaml           a prompt of files and texts that fits its budget
  chunker train src -o code.json -n 8000   a tokenizer of one's own
  chunker chunk --help                 all options, more examples, exit codes
"""
)
def _root(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Chunks that fit a token budget exactly, at the cost of reading the text once."""


@app.command(
    epilog=f"""\b
Examples:
  chunker chunk .
  chunker chunk src docs --max-tokens 256 --context
  chunker chunk src --overlap 32 --output chunks.jsonl
  chunker chunk . --workers 8 --output chunks.jsonl
  chunker chunk README.md --tokenizer gpt-4 --format jsonl | head -1
  git show HEAD:notes.txt | chunker chunk - --format jsonl

{_EXIT_CODES}"""
)
def chunk(
    paths: Paths,
    *,
    tokenizer: TokenizerName = "o200k_base",
    max_tokens: Annotated[int, typer.Option("--max-tokens", "-m", min=1, help="No chunk has more tokens.")] = 512,
    min_tokens: Annotated[
        int | None,
        typer.Option(
            "--min-tokens",
            min=0,
            show_default=False,
            help="No chunk has fewer tokens where another cut avoids it. Default: an eighth of --max-tokens.",
        ),
    ] = None,
    desired_tokens: Annotated[
        int | None,
        typer.Option(
            "--desired-tokens",
            min=1,
            show_default=False,
            help="End a chunk that has so many at the best place before --max-tokens.",
        ),
    ] = None,
    overlap: Annotated[
        int, typer.Option("--overlap", min=0, help="Begin each chunk with at most so many tokens of the one before.")
    ] = 0,
    overlap_by: Annotated[
        OverlapPieces, typer.Option("--overlap-by", help="Overlap in whole units, in sentences, or as much as fits.")
    ] = OverlapPieces.UNIT,
    strategy: Annotated[
        StrategyName, typer.Option("--strategy", help="Fill chunk after chunk, or choose all cuts of a text together.")
    ] = StrategyName.GROW,
    context: Annotated[
        bool, typer.Option("--context/--no-context", help="Begin each chunk with a line that says where it stands.")
    ] = False,
    reserve: Annotated[
        int,
        typer.Option("--reserve", min=0, help="Of --max-tokens, so many are for what a model puts around each chunk."),
    ] = 0,
    workers: Annotated[int, typer.Option("--workers", "-j", min=1, help="Cut so many files at a time.")] = 1,
    output_format: Format = None,
    output: Output = None,
    hidden: Hidden = False,
) -> None:
    """Cut files into chunks that fit a token budget exactly.

    Code is cut between definitions and statements, Markdown between sections and blocks, other text between
    paragraphs, lines and sentences. Folders are walked to the bottom; what .gitignore names is left out, and so are
    hidden and binary files. The table tells for each file how its chunks use the budget; jsonl is one chunk a line.
    """
    with ending_quietly():
        from chunker.batches import Cut
        from chunker.errors import ChunkerError
        from chunker.reports import CHUNK_COLUMNS, ChunkSummary, render_table
        from chunker.runs import ChunkLines, ChunkRow, Run

        _check_paths(paths, output)
        counter = _load_tokenizer(tokenizer)
        try:
            cut = Cut(
                max_tokens,
                tokenizer=counter,
                min_tokens=min_tokens,
                desired_tokens=desired_tokens,
                overlap=overlap,
                overlap_by=overlap_by.value,
                context=context,
                strategy=strategy.value,
                reserve=reserve,
            )
        except ChunkerError as error:
            raise typer.BadParameter(str(error)) from None

        room = max_tokens - reserve
        with open_output(output) as results:
            run = Run(paths, hidden=hidden, output=output, task="Chunking")
            if _wants_lines(output_format, output):
                for lines in run.over(ChunkLines(cut), streaming=True, workers=workers):
                    results.write(lines)
            else:
                total = ChunkSummary("total", room)
                rows = []
                for summary in run.over(ChunkRow(cut, room), workers=workers):
                    rows.append(summary.cells())
                    total.add(summary)
                results.write(render_table(CHUNK_COLUMNS, rows, total.cells()))
        run.finish()


@app.command(
    epilog=f"""\b
Examples:
  chunker view README.md --open
  chunker view src --max-tokens 256 --overlap 32 --output chunks.html
  chunker view src/main.py --terminal --tokens
  FORCE_COLOR=1 chunker view src --terminal | less -R

{_EXIT_CODES}"""
)
def view(
    paths: Paths,
    *,
    tokenizer: TokenizerName = "o200k_base",
    max_tokens: Annotated[int, typer.Option("--max-tokens", "-m", min=1, help="No chunk has more tokens.")] = 512,
    min_tokens: Annotated[
        int | None,
        typer.Option(
            "--min-tokens",
            min=0,
            show_default=False,
            help="No chunk has fewer tokens where another cut avoids it. Default: an eighth of --max-tokens.",
        ),
    ] = None,
    overlap: Annotated[
        int, typer.Option("--overlap", min=0, help="Begin each chunk with at most so many tokens of the one before.")
    ] = 0,
    context: Annotated[
        bool, typer.Option("--context/--no-context", help="Begin each chunk with a line that says where it stands.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Where to write the page (default: chunker-view.html), or - for standard output.",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Show the page in the browser.")] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Print the chunks here in place of a page.")] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Show where each token begins from the start.")] = False,
    hidden: Hidden = False,
) -> None:
    """Show how files are cut: one HTML page, or the terminal.

    The page is a single file that needs no network: the text in colours, how full each chunk is, how good each cut is,
    where each token begins, with a filter and keys. Of a folder it holds all files.
    """
    with ending_quietly():
        from chunker.view.command import ViewOptions, show

        if open_page and (terminal or output == STANDARD_OUTPUT):
            raise typer.BadParameter("there is no page to open", param_hint="--open")
        _check_paths(paths, output)
        options = ViewOptions(
            _load_tokenizer(tokenizer), tokenizer, max_tokens, min_tokens, overlap, context=context, show_tokens=tokens
        )
        show(paths, options, output, terminal=terminal, open_page=open_page, hidden=hidden)


@app.command(
    epilog=f"""\b
Examples:
  chunker count .
  chunker count src docs --by language --tokenizer gpt-4
  chunker count . --by total
  chunker count . --format jsonl --output tokens.jsonl
  cat prompt.txt | chunker count -

{_EXIT_CODES}"""
)
def count(
    paths: Paths,
    *,
    by: Annotated[Grouping, typer.Option("--by", help="What one row stands for.")] = Grouping.FILE,
    tokenizer: TokenizerName = "o200k_base",
    output_format: Format = None,
    output: Output = None,
    hidden: Hidden = False,
) -> None:
    """Count the tokens of files, exactly as the model does.

    Folders are walked to the bottom; what .gitignore names is left out, and so are hidden and binary files. The
    language of a file is told by its name, or by the interpreter that its first line names.
    """
    with ending_quietly():
        from chunker.documents import count_line_ends
        from chunker.languages import language_of
        from chunker.reports import FileTally, Tally, tally_lines, tally_table
        from chunker.runs import Run

        _check_paths(paths, output)
        counter = _load_tokenizer(tokenizer)

        def tally(document: Document) -> FileTally:
            text = document.text
            unfinished = text != "" and not text.endswith(("\n", "\r"))
            numbers = Tally(1, count_line_ends(text) + unfinished, document.size, counter.count(text))
            return FileTally(document.path, language_of(document.path, text), numbers)

        as_lines = _wants_lines(output_format, output)
        with open_output(output) as results:
            run = Run(paths, hidden=hidden, output=output, task="Counting")
            if as_lines and by is Grouping.FILE:
                for file in run.over(tally, streaming=True):
                    results.write(file.line())
            else:
                write = tally_lines if as_lines else tally_table
                results.write(write(list(run.over(tally)), by))
        run.finish()


@app.command(
    epilog=f"""\b
Examples:
  chunker prompt review.yaml
  chunker prompt review.yaml --report
  chunker prompt review.yaml --html prompt.html
  chunker prompt review.toml --json | jq .messages
  echo "What does it do?" | chunker prompt review.yaml --root ../project > prompt.txt

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

{_EXIT_CODES.replace("every file was done", "the prompt was made").replace("some", "what is required does not fit, or some")}"""
)
def prompt(
    spec: Annotated[str, typer.Argument(metavar="SPEC", show_default=False, help="The spec: .yaml, .toml or .json.")],
    *,
    report: Annotated[
        bool, typer.Option("--report", help="Print what became of each item, in place of the prompt.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print prompt, messages and report as JSON.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", show_default=False, help="Write a page that shows it all.")
    ] = None,
    root: Annotated[
        str | None,
        typer.Option("--root", metavar="DIR", show_default=False, help="Where files are. Default: where SPEC is."),
    ] = None,
    output: Output = None,
) -> None:
    """Assemble a prompt that fits a token budget exactly, from a file of items, globs and budgets.

    What is required is in it, then what matters most, each item if it fits. Of a folder hidden files are left out, what
    .gitignore names, and what looks like a secret; nothing outside of it is read. With --html alone nothing is printed.
    """
    with ending_quietly():
        from chunker.prompt.command import Wanted, run

        if report and as_json:
            raise typer.BadParameter("one of --report and --json", param_hint="--json")
        _check_paths([spec], output)
        _check_paths([spec], html)
        if Path(spec).is_dir() or spec == STANDARD_INPUT:
            raise typer.BadParameter(f"{printable(spec)} is no file", param_hint="SPEC")
        if root is not None and not Path(root).is_dir():
            raise typer.BadParameter(f"{printable(root)} is no folder", param_hint="--root")
        run(spec, root, Wanted(output, html, report, as_json))


IndexFolder = Annotated[
    str,
    typer.Option(
        "--index", "-i", metavar="FOLDER", help="The folder of the index; sources are named from the one around it."
    ),
]


@app.command(
    epilog=f"""\b
Examples:
  chunker index .
  chunker index src docs --dry-run
  chunker index . --tag "$(git branch --show-current)"
  chunker index . --embedder minilm --watch
  chunker index . --embedder openai:text-embedding-3-small --dry-run
  chunker index . --embedder openai:nomic-embed-text --base-url http://localhost:11434/v1 --dimensions 768
  chunker index status

{_EXIT_CODES}"""
)
def index(
    paths: Paths,
    *,
    folder: IndexFolder = ".chunker",
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            "-e",
            metavar="NAME",
            show_default=False,
            help="hashing (default: no model, finds shared spelling), minilm, openai:MODEL, sentence-transformers:MODEL, model2vec:MODEL.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", show_default=False, help="An endpoint that speaks as OpenAI's does."),
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option("--dimensions", min=1, show_default=False, help="Of the vectors of that endpoint.")
    ] = None,
    price: Annotated[
        float | None,
        typer.Option("--price", min=0, show_default=False, help="Of that endpoint, in dollars for a million tokens."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="NAME",
            show_default=False,
            help="Where a new index keeps its vectors: lancedb:PLACE, qdrant:PLACE, pgvector:URL. Default: a file.",
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", "-t", metavar="NAME", show_default=False, help="Default: the one that fits the embedder."
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", "-m", min=1, show_default=False, help="No chunk has more tokens. Default: 256."),
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option("--overlap", min=0, show_default=False, help="Tokens of a chunk that the next repeats at most."),
    ] = None,
    context: Annotated[
        bool | None,
        typer.Option(
            "--context/--no-context", show_default=False, help="Begin each chunk with where it stands (default)."
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", show_default=False, help="A view of the files, such as a branch."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be embedded, and its tokens.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on: look for changes until Ctrl-C.")] = False,
    interval: Annotated[float, typer.Option("--interval", min=0.05, help="Seconds between two looks.")] = 2.0,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Take other settings than the index has.")] = False,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Take files that hold secrets, too, such as .env.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="With status: check all that the index keeps.")] = False,
    hidden: Hidden = False,
) -> None:
    """Make files searchable: what is new in them is embedded, and nothing else. `chunker index status` tells what there is.

    The first run makes the index; each later one looks for what has changed, moved or gone. It may be stopped at any
    point, and searched meanwhile. Keys are read from the environment (OPENAI_API_KEY). Files that hold secrets are left
    out and reported.
    """
    with ending_quietly():
        _require_index()
        from chunker.index.command import IndexOrder, run_index, run_status

        if paths == ["status"] and not Path("status").exists():
            with open_output(None) as results:
                run_status(folder, results, verify=verify)
            return
        given = {"tokenizer": tokenizer, "max_tokens": max_tokens, "overlap": overlap, "context": context}
        reached = {"base_url": base_url, "dimensions": dimensions, "price": price}
        order = IndexOrder(
            folder=folder,
            embedder=embedder,
            embedder_options={name: value for name, value in reached.items() if value is not None},
            store=store,
            options={name: value for name, value in given.items() if value is not None},
            tags=tag or [],
            rebuild=rebuild,
            dry_run=dry_run,
            watch=watch,
            interval=interval,
            hidden=hidden,
            secrets=secrets,
        )
        with open_output(None) as results:
            run_index(paths, order, results)


class SearchBy(enum.StrEnum):
    """What a search goes by."""

    BOTH = "both"
    VECTORS = "vectors"
    WORDS = "words"


@app.command(
    epilog=f"""\b
Examples:
  chunker search "where are headers parsed?"
  chunker search BudgetTooSmallError --by words --source "src/*"
  chunker search "open a file" --language python --limit 3 --format jsonl

{_EXIT_CODES}"""
)
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", show_default=False, help="A question, or words.")],
    *,
    folder: IndexFolder = ".chunker",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many chunks.")] = 5,
    by: Annotated[SearchBy, typer.Option("--by", help="Vectors, words, or both fused.")] = SearchBy.BOTH,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", show_default=False, help="Only in this view.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="PATTERN", show_default=False, help="Only in files such as src/*."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", metavar="NAME", show_default=False, help="Only in this language.")
    ] = None,
    output_format: Annotated[
        OutputFormat, typer.Option("--format", "-f", help="For people, or one chunk a line.")
    ] = OutputFormat.TABLE,
) -> None:
    """Search what `chunker index` has indexed, by vectors and words together."""
    with ending_quietly():
        _require_index()
        from chunker.index import Filter
        from chunker.index.command import run_search

        only = Filter(tuple(tag or ()), tuple(source or ()), tuple(language or ()))
        with open_output(None) as results:
            run_search(folder, query, limit, only, results, by=by.value, as_lines=output_format is OutputFormat.JSONL)


class TieName(enum.StrEnum):
    """Which of several pairs of the same count is merged."""

    LOWEST = "lowest"
    FIRST = "first"


class LayoutName(enum.StrEnum):
    """Which ids the tokens get."""

    GPT2 = "gpt2"
    MINBPE = "minbpe"
    TOKENIZERS = "tokenizers"


@app.command(
    epilog=f"""\b
Examples:
  chunker train src -o code.json --vocab-size 8000
  chunker train corpus.txt -o corpus.tiktoken --vocab-size 32000 --pattern cl100k
  chunker train . -o small.model --vocab-size 1000 --special "<|end|>" --ties first

{_EXIT_CODES}"""
)
def train(
    paths: Paths,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False, help="A .json, .tiktoken or .model (minbpe)."
        ),
    ],
    vocab_size: Annotated[
        int,
        typer.Option(
            "--vocab-size", "-n", min=256, show_default=False, help="Tokens, bytes and special ones included."
        ),
    ],
    pattern: Annotated[
        str, typer.Option("--pattern", "-p", metavar="NAME", help="What cuts the texts: o200k, cl100k, gpt2 ...; none.")
    ] = "o200k",
    expression: Annotated[
        str | None,
        typer.Option(
            "--expression", metavar="REGEX", show_default=False, help="A pattern of your own, in place of a name."
        ),
    ] = None,
    special: Annotated[
        list[str] | None, typer.Option("--special", metavar="TEXT", show_default=False, help="A special token.")
    ] = None,
    min_frequency: Annotated[
        int, typer.Option("--min-frequency", min=1, help="No pair is merged that occurs less often.")
    ] = 1,
    ties: Annotated[
        TieName,
        typer.Option("--ties", help="Of pairs as frequent: the one of the lowest ids, or the first in the texts."),
    ] = TieName.LOWEST,
    layout: Annotated[
        LayoutName | None,
        typer.Option("--layout", show_default=False, help="The ids. Default: minbpe for .model, else gpt2."),
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="At most so many.")] = 8,
    hidden: Hidden = False,
) -> None:
    """Learn a tokenizer from files: byte pair encoding, in bounded memory."""
    with ending_quietly():
        _check_paths(paths, output)
        from bpe_engine import Pattern
        from chunker.training import TrainingOrder, run_training

        named = None if pattern == "none" else pattern
        order = TrainingOrder(
            output=output,
            vocab_size=vocab_size,
            pattern=named if expression is None else Pattern(expression),
            special_tokens=special or [],
            min_frequency=min_frequency,
            tie_breaking=ties.value,
            layout=layout.value if layout else None,
            threads=threads,
            hidden=hidden,
        )
        run_training(paths, order)


def _require_index() -> None:
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        raise typer.BadParameter('the index needs numpy: pip install "bpe-chunker[index]"')


def _check_paths(paths: list[str], output: str | None) -> None:
    """Wrong usage is told before anything is done: a path that is not there, an output that cannot be."""
    for path in paths:
        try:
            if path != STANDARD_INPUT:
                Path(path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            raise typer.BadParameter(f"{printable(path)} does not exist", param_hint="PATH") from None
        except OSError:
            continue  # it may well be there: what is wrong with it is noted when it comes to reading
    if output is None or output == STANDARD_OUTPUT:
        return
    if Path(output).is_dir():
        raise typer.BadParameter(f"{printable(output)} is a folder", param_hint="--output")
    if not Path(output).absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {printable(output)} does not exist", param_hint="--output")


def _load_tokenizer(name: str) -> TokenCounter:
    """The tokenizer that is published under this name, else the one in the file of this name."""
    from bpe_engine import BpeEngineError
    from chunker.counting.tokenizer_files import tokenizer_named
    from chunker.errors import OptionError

    try:
        return tokenizer_named(name)
    except (BpeEngineError, OptionError, OSError) as error:
        raise typer.BadParameter(str(error), param_hint="--tokenizer") from None


def _wants_lines(output_format: OutputFormat | None, output: str | None) -> bool:
    if output_format is None:
        return output is not None and Path(output).suffix.lower() in _LINES_SUFFIXES
    return output_format is OutputFormat.JSONL


def main() -> None:
    """The entry point of the command: runs it and exits."""
    app(prog_name="chunker")


if __name__ == "__main__":
    main()
