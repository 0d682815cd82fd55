"""`chunker index` and `chunker search`: files made searchable, and searched."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from chunker.cli.console import ending_quietly, open_output
from chunker.cli.options import (
    EXIT_CODES,
    SETTINGS_AND_EXIT_CODES,
    Encoding,
    Exclude,
    FilePaths,
    Generated,
    Hidden,
    Include,
    OfKinds,
    OfLanguages,
    OfMetadata,
    OfSources,
    Secrets,
    intake_of,
    setting,
    wanted_of,
)
from chunker.cli.paths import check_paths

IndexFolder = Annotated[
    str,
    typer.Option("--index", "-i", metavar="FOLDER", help="Folder of the index; file names are relative to its parent."),
]

INDEX_EPILOG = f"""\b
Examples:
  chunker index .
  chunker index src docs --dry-run
  chunker index . --tag "$(git branch --show-current)"
  chunker index . --embedder minilm --watch
  chunker index . --embedder openai:text-embedding-3-small --dry-run
  chunker index . --embedder ollama:nomic-embed-text
  chunker index status

{SETTINGS_AND_EXIT_CODES}"""


def index(
    ctx: typer.Context,
    paths: FilePaths,
    *,
    folder: IndexFolder = ".chunker",
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            "-e",
            metavar="NAME",
            show_default=False,
            help="static (default where the packages of that extra are installed), hashing (else the default: no model, "
            "finds shared spelling), minilm, ollama:MODEL, openai:MODEL, http://HOST/v1#MODEL, "
            "sentence-transformers:MODEL, model2vec:MODEL.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", metavar="URL", show_default=False, help="An endpoint that is compatible with OpenAI's."
        ),
    ] = None,
    dimensions: Annotated[
        int | None,
        typer.Option("--dimensions", min=1, show_default=False, help="Length of the vectors of that endpoint."),
    ] = None,
    price: Annotated[
        float | None,
        typer.Option(
            "--price", min=0, show_default=False, help="Price of that endpoint, in dollars per million tokens."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="NAME",
            show_default=False,
            help="Store for the vectors of a new index: lancedb:PLACE, chroma:PLACE, milvus:PLACE, elasticsearch:URL, "
            "qdrant:PLACE, pgvector:URL, weaviate:URL. Default: a file.",
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        setting(
            "--tokenizer",
            "-t",
            metavar="NAME",
            show_default=False,
            help="An encoding, a model, or a tokenizer file. Default: the one that fits the embedder.",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        setting("--max-tokens", "-m", min=1, show_default=False, help="Token limit of a chunk. Default: 256."),
    ] = None,
    overlap: Annotated[
        int | None,
        setting("--overlap", min=0, show_default=False, help="Repeat up to this many tokens of the previous chunk."),
    ] = None,
    context: Annotated[
        bool | None,
        setting("--context/--no-context", show_default=False, help="Begin each chunk with its breadcrumb (default)."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="TAG", show_default=False, help="Tag of this view of the files, such as a branch."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be embedded, and its tokens.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Watch the files for changes until Ctrl-C.")] = False,
    interval: Annotated[float, typer.Option("--interval", min=0.05, help="Seconds between two checks.")] = 2.0,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Build the index again: accept other settings, and embed damaged texts again."),
    ] = False,
    secrets: Secrets = False,
    verify: Annotated[bool, typer.Option("--verify", help="With status: check the whole index.")] = False,
    hidden: Hidden = False,
    include: Include = None,
    exclude: Exclude = None,
    generated: Generated = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Make files searchable; only new text is embedded. `chunker index status` describes the index (to index a folder called status, write ./status).

    The first run creates the index; each later run updates what was changed, moved or removed. A run may be stopped at
    any point, and the index can be searched meanwhile. Keys are read from the environment (OPENAI_API_KEY). Files that
    hold secrets and generated files are left out and reported.
    """
    with ending_quietly():
        require_index()
        from chunker.cli.run_index import IndexOrder, run_index, run_status

        if paths == ["status"]:
            if Path("status").exists():
                typer.echo(
                    "This describes the index; `chunker index ./status` indexes the file or folder called status.",
                    err=True,
                )
            with open_output(None) as results:
                run_status(folder, results, verify=verify)
            return
        if paths[0] == "status" and not Path("status").exists():
            raise typer.BadParameter("`chunker index status` takes no paths", param_hint="PATH")
        if not Path(folder).exists():  # files that are gone can only leave an index that exists
            check_paths(paths, None)
        if rebuild and dry_run:
            raise typer.BadParameter("--rebuild replaces the index, but --dry-run changes nothing: pass one of them")
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
            intake=intake_of(encoding, secrets=secrets, generated=generated, verbatim=False),
            wanted=wanted_of(ctx, include, exclude),
        )
        with open_output(None) as results:
            run_index(paths, order, results)


class HitFormat(enum.StrEnum):
    """The formats of hits."""

    TABLE = "table"
    LINES = "lines"
    JSONL = "jsonl"


class SearchBy(enum.StrEnum):
    """The rankings of a search."""

    BOTH = "both"
    VECTORS = "vectors"
    WORDS = "words"


SEARCH_EPILOG = f"""\b
Examples:
  chunker search "where are headers parsed?"
  chunker search BudgetTooSmallError --by words --source "src/*"
  chunker search "open a file" --language python --limit 3 --format jsonl
  chunker search "how are drafts closed?" --budget 4000 > context.txt
  chunker search "open a file" -n 50 | grep -v test

{EXIT_CODES}"""


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", show_default=False, help="A question, or words.")],
    *,
    folder: IndexFolder = ".chunker",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Largest number of chunks.")] = 5,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            min=1,
            metavar="TOKENS",
            show_default=False,
            help="Print the hits, with the definitions around them, as one text of at most this many tokens.",
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the points from each rule of the ranking.")] = False,
    by: Annotated[SearchBy, typer.Option("--by", help="Vectors, words, or both together.")] = SearchBy.BOTH,
    rerank: Annotated[
        str | None,
        typer.Option(
            "--rerank",
            metavar="MODEL",
            show_default=False,
            help="Rerank the best hits by a cross-encoder of sentence-transformers: the name or folder of a model.",
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", show_default=False, help="Search only files with this tag."),
    ] = None,
    source: OfSources = None,
    language: OfLanguages = None,
    kind: OfKinds = None,
    metadata: OfMetadata = None,
    output_format: Annotated[
        HitFormat | None,
        typer.Option(
            "--format",
            "-f",
            show_default=False,
            help="Text for people; lines such as src/a.py:7: text, which are the default in a pipe; or a record a line.",
        ),
    ] = None,
) -> None:
    """Search what `chunker index` has indexed, by vectors and words together."""
    with ending_quietly():
        require_index()
        from chunker.cli.run_index import IndexQuestion, run_pack, run_search
        from chunker.index import Filter

        only = Filter(
            tuple(tag or ()), tuple(source or ()), tuple(language or ()), tuple(kind or ()), metadata_of(metadata or ())
        )
        with open_output(None) as results:
            asked = IndexQuestion(folder, query, only, by.value, rerank)
            if budget is not None:
                run_pack(asked, budget, results)
            else:
                form = None if output_format is None else output_format.value
                run_search(asked, limit, results, form, explain=explain)


def metadata_of(given: Iterable[str]) -> dict[str, list[Any]]:
    """Return the conditions on metadata: a value is parsed as JSON, or else is a text; a repeated name has several values, of which one must match.

    >>> metadata_of(["team=support", "open=true", "team=sales"])
    {'team': ['support', 'sales'], 'open': [True]}
    """
    found: dict[str, list[Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals:
            raise typer.BadParameter(f"--metadata must be NAME=VALUE, got {one!r}")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        found.setdefault(name, []).append(value if isinstance(value, str | int | float) else text)
    return found


def require_index() -> None:
    """Raise `typer.BadParameter` if a package that the index needs is not installed."""
    from importlib.util import find_spec

    for package in ("numpy", "tantivy"):
        if find_spec(package) is None:
            raise typer.BadParameter(f'the index needs {package}: pip install "bpe-chunker[index]"')
