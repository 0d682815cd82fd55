"""The work of `chunker index`, `chunker search` and `chunker index status`: options in, text out."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import typer

from chunker.cli.console import EXIT_FAILED
from chunker.cli.left_out import tell_rules
from chunker.errors import OptionError
from chunker.files.discovery import Problem, portable, printable
from chunker.files.intake import Intake
from chunker.files.patterns import Wanted
from chunker.files.progress import ProgressLines, is_terminal
from chunker.index import Filter, Hit, Index, IndexingError, MissingExtraError, SettingsMismatchError, SyncReport
from chunker.index.packing import hits_for
from chunker.index.reranking import CrossEncoderReranker
from chunker.index.searching import By
from chunker.index.sources import MAX_FILE_BYTES
from chunker.tokenizer_errors import TokenizerError

# The descriptions of the embedders that are taken unasked.
_LABELS = {
    "hashing": "hashed words and parts of words: finds shared spelling, not shared meaning (see --embedder)",
    "static": "vectors of word pieces beside hashed words: finds shared spelling and words of one meaning",
}
# The number of lines shown of each hit.
_SHOWN = 12
_REDRAWN_AFTER = 0.1


@dataclass(frozen=True, slots=True)
class IndexOrder:
    """The arguments of `chunker index`. `options`: those of `Index.open` that were given."""

    folder: str
    embedder: str | None
    embedder_options: dict[str, Any]
    store: str | None
    options: dict[str, Any]
    tags: list[str]
    rebuild: bool
    dry_run: bool
    watch: bool
    interval: float
    hidden: bool
    intake: Intake  # without its `verbatim`
    wanted: Wanted
    max_file_bytes: int = MAX_FILE_BYTES


@contextlib.contextmanager
def telling() -> Iterator[None]:
    """Convert errors of the index to those of the command: wrong options end with code 2, all others with 1."""
    try:
        yield
    except (OptionError, SettingsMismatchError, MissingExtraError) as error:
        raise typer.BadParameter(str(error)) from None
    except TokenizerError as error:
        raise typer.BadParameter(str(error), param_hint="--tokenizer") from None
    except IndexingError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(EXIT_FAILED) from None


def run_index(paths: Sequence[str], order: IndexOrder, output: BinaryIO) -> None:
    """Sync the index with `paths`, and print what was done."""
    with telling():
        index = Index.open(
            order.folder,
            embedder=order.embedder,
            embedder_options=order.embedder_options or None,
            store=order.store,
            rebuild=order.rebuild,
            **order.options,
        )
        report = _sync(index, paths, order)
        output.write(_told(report, index).encode())
        output.flush()
        while order.watch:
            time.sleep(order.interval)
            again = _sync(index, paths, order)
            if again.has_changes or again.problems != report.problems:
                output.write(b"\n" + _told(again, index).encode())
                output.flush()
                _tell_problems(again)
            report = again
    _tell_problems(report)
    if report.problems:
        raise typer.Exit(EXIT_FAILED)


def run_status(folder: str, output: BinaryIO, *, verify: bool) -> None:
    """Print what an index contains; with `verify`, check all of it, and end with an error if it is damaged."""
    with telling():
        index = Index.open(folder, create=False)
        status = index.status()
        faults = index.verify() if verify else []
    tags = ", ".join(f"{printable(tag) or '(none)'}: {_files(files)}" for tag, files in status.tags.items())
    lines = [
        ("index", f"{printable(str(index.path))}, {status.bytes:,} bytes"),
        ("files", f"{status.files:,}" + (f" ({tags})" if any(status.tags) else "")),
        ("chunks", f"{status.chunks:,}, {status.tokens:,} tokens"),
        ("vectors", f"{status.embeddings:,}, {status.spare:,} of them spare"),
        ("embedder", _embedder(index)),
        *([("store", printable(index.store.spec or repr(index.store)))] if index.store is not None else []),
        ("settings", ", ".join(f"{name} {value}" for name, value in status.settings.items() if name in _SETTINGS)),
    ]
    if verify and not faults:
        lines.append(("verified", f"database, full text and {status.embeddings:,} vectors are intact"))
    output.write(_table(lines).encode())
    for fault in faults:
        typer.echo(f"Damaged: {fault}", err=True)
    if faults:
        typer.echo(
            "`chunker index PATHS --rebuild` repairs this: it chunks all files again, and embeds the texts whose vectors are damaged. "
            f"If that fails, remove {printable(str(index.path))} and index again.",
            err=True,
        )
        raise typer.Exit(EXIT_FAILED)


@dataclass(frozen=True, slots=True)
class IndexQuestion:
    """A question to an index: the folder of the index, the question, the conditions on the hits, and the cross-encoder that ranks them."""

    folder: str
    query: str
    only: Filter
    by: By
    rerank: str | None = None

    def hits(self, index: Index, limit: int, *, explain: bool = False) -> list[Hit]:
        """Return the best hits."""
        reranker = None if self.rerank is None else CrossEncoderReranker(self.rerank)
        return index.search(self.query, limit, self.only, by=self.by, explain=explain, rerank=reranker)


def opened(folder: str) -> Index:
    """Return the index in a folder. If a relative folder does not exist, it is searched for in the folders above."""
    path = Path(folder)
    if not path.is_absolute() and not path.exists():
        path = next((parent / folder for parent in Path.cwd().parents if (parent / folder).is_dir()), path)
    return Index.open(path, create=False)


def check_filter(index: Index, only: Filter, *, of_definitions: bool = False) -> None:
    """Raise for an unknown language, and for a kind that nothing in the index has. Note sources and tags that no file has."""
    # Imported late: most questions name no language.
    from chunker.formats.registry import format_names  # noqa: PLC0415

    for option, wanted, has, others in (
        ("--language", only.languages, index.languages, format_names),
        ("--kind", only.kinds, lambda: index.kinds(of_definitions=of_definitions), tuple),
    ):
        if wanted and (unknown := sorted({*wanted} - {*has(), *others()})):
            told = ", ".join(map(printable, unknown))
            raise typer.BadParameter(f"{told}: the index has {', '.join(has()) or 'none'}", param_hint=option)
    # Files and tags come and go: only a note, as a program may ask for one of which nothing is left.
    for one in index.unmatched(only):
        nearest = f"; the nearest: {', '.join(map(printable, one.nearest))}" if one.nearest else ""
        typer.echo(f"Note: --{one.field[:-1]} {printable(one.value)}: no file in the index matches{nearest}", err=True)


def run_search(asked: IndexQuestion, limit: int, output: BinaryIO, form: str | None, *, explain: bool) -> None:
    """Print the hits as "table" for people, "lines" like those of grep, or "jsonl"; None for lines in a pipe and a table on a terminal."""
    with telling():
        index = opened(asked.folder)
        check_filter(index, asked.only)
        hits = asked.hits(index, limit, explain=explain)
    form = form or ("table" if is_terminal(sys.stdout) else "lines")
    for number, hit in enumerate(hits, 1):
        if form == "jsonl":
            output.write(_line(hit))
        else:
            output.write((_shown(number, hit) if form == "table" else _found(hit)).encode("utf-8", "replace"))
    if not hits:
        typer.echo("Nothing found." if index.status().files else "Nothing found: the index has no files.", err=True)


def run_pack(asked: IndexQuestion, budget: int, output: BinaryIO) -> None:
    """Print the pack of the hits; a summary goes to standard error."""
    with telling():
        index = opened(asked.folder)
        check_filter(index, asked.only)
        hits = None if asked.rerank is None else asked.hits(index, hits_for(budget))
        pack = index.pack(asked.query, budget, asked.only, by=asked.by, hits=hits)
    output.write(pack.text.encode("utf-8", "surrogatepass"))
    files = len({part.source for part in pack.parts})
    typer.echo(f"{pack.token_count:,} of {budget:,} tokens, {_files(files)}, {len(pack.hits):,} hits", err=True)


def _sync(index: Index, paths: Sequence[str], order: IndexOrder) -> SyncReport:
    with _bar() as progress:
        return index.sync(
            paths,
            tags=order.tags or "",
            dry_run=order.dry_run,
            hidden=order.hidden,
            secrets=order.intake.secrets,
            generated=order.intake.generated,
            encoding=order.intake.encoding,
            include=order.wanted.include or (),
            exclude=order.wanted.exclude or (),
            max_file_bytes=order.max_file_bytes,
            progress=progress,
        )


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[SyncReport], object]]:
    """Return a function that shows a growing report on standard error: a bar, or a line every few seconds if that is not a terminal."""
    if not is_terminal(sys.stderr):
        lines = ProgressLines()
        yield lambda report: lines.tell(f"Indexing: {_so_far(report)}") if lines.due else None
        return
    # Imported late: a pipe does not show a bar.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("Indexing"), BarColumn(20), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=None)
        drawn = 0.0

        def show(report: SyncReport) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now >= drawn + _REDRAWN_AFTER:
                drawn = now
                bar.update(task, total=report.found, completed=report.files, description=_so_far(report))
                bar.refresh()

        yield show


def _so_far(report: SyncReport) -> str:
    return f"{report.files:,} of {_files(report.found)}, {_bill(report)}"


def _told(report: SyncReport, index: Index) -> str:
    verb = "would be computed" if report.dry_run else "computed"
    files = (
        f"{report.added:,} added ({report.renamed:,} of them renamed), {report.changed:,} changed, "
        f"{report.removed_files:,} removed, {report.unchanged:,} unchanged"
    )
    mended = f", {report.mended:,} of them damaged before" if report.mended else ""
    chunks = f"{report.computed:,} {verb}{mended}, {report.reused:,} reused, {report.moved:,} moved, {report.removed:,} removed"
    total = "in these files" if report.dry_run else "in the index"
    lines = [
        ("files", files),
        ("chunks", f"{chunks}; {report.chunks:,} {total}"),
        ("tokens", f"{_bill(report)}; {report.tokens:,} {total}"),
        ("embedder", _embedder(index)),
    ]
    return _table(lines)


def _bill(report: SyncReport) -> str:
    verb = "to embed" if report.dry_run else "embedded"
    pace = f", {report.pace:,.0f} a second" if report.pace else ""
    waiting = ""
    if report.tokens_waiting and report.pace:
        waiting = f", {report.tokens_waiting:,} more in {report.tokens_waiting / report.pace:,.0f} s"
    cost = f", ${report.cost:,.4f}" if report.cost else ""
    return f"{report.tokens_computed:,} tokens {verb}{pace}{cost}{waiting}"


def _embedder(index: Index) -> str:
    settings = index.settings
    label = _LABELS.get(settings.embedder, "")
    return f"{settings.embedder}, {settings.dimensions} dimensions" + (f"; {label}" if label else "")


def _tell_problems(report: SyncReport) -> None:
    secrets = [problem for problem in report.left_out if "left out" in problem.reason and problem.rule is None]
    if secrets:
        typer.echo(f"Left out on purpose: {_files(len(secrets))}", err=True)
        _list(secrets)
    tell_rules(report.left_out, {"--generated"})
    if report.problems:
        typer.echo(f"Failed: {_files(len(report.problems))}", err=True)
        _list(report.problems)


def _list(problems: Sequence[Problem]) -> None:
    for problem in problems:
        typer.echo(f"  {problem}", err=True)


def _shown(number: int, hit: Hit) -> str:
    similarity = "" if hit.similarity is None else f"  similarity {hit.similarity:.3f}"
    tags = "".join(f"  [{printable(tag)}]" for tag in hit.tags if tag)
    place = f"{printable(hit.source)}:{hit.span.start_line}-{hit.span.end_line}"
    lines = [f"{number}. {place}  {hit.kind}, {hit.token_count} tokens{similarity}{tags}"]
    if hit.context:
        lines.append(f"   | {_safe(hit.context.rstrip())}")
    body = hit.body.strip("\r\n").splitlines()
    lines += [f"   {_safe(line)}" for line in body[:_SHOWN]]
    if len(body) > _SHOWN:
        lines.append(f"   ... {len(body) - _SHOWN} more lines")
    if hit.points is not None:
        lines.append(
            f"   score {hit.score:.3f}: " + ", ".join(f"{rule} {points:.3f}" for rule, points in hit.points.items())
        )
    if hit.also:
        lines.append(f"   also {', '.join(map(printable, hit.also))}")
    return "\n".join(lines) + "\n\n"


_LINE_ENDS = re.compile(r"\r\n|\n|\r")


def _found(hit: Hit) -> str:
    """Return the hit as grep prints it: its file, the number of its first non-blank line, and that line."""
    lines = _LINE_ENDS.split(hit.body)
    place = next((number for number, line in enumerate(lines) if line.strip()), 0)
    rules = "" if hit.points is None else ", ".join(f"{rule} {points:.3f}" for rule, points in hit.points.items())
    points = f"  (score {hit.score:.3f}: {rules})" if rules else ""
    return f"{printable(hit.source)}:{hit.span.start_line + place}: {_safe(lines[place].strip())}{points}\n"


# Not printable for Python, but harmless: the tab, and the joiners in Persian, in Indian scripts and in emoji.
_SAFE = frozenset("\t\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")


def _safe(line: str) -> str:
    """Make a line of a file safe for a terminal: it may contain codes that move the cursor, or worse.

    >>> _safe("a\\tb\\x1b[31m \\U0001f468\\u200d\\U0001f469")
    'a\\tb�[31m 👨\\u200d👩'
    """
    return "".join(c if c.isprintable() or c in _SAFE else "\N{REPLACEMENT CHARACTER}" for c in line)


def _line(hit: Hit) -> bytes:
    return json.dumps(hit.record(), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _table(lines: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{name:<9} {portable(value)}\n" for name, value in lines)


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


_SETTINGS = ("tokenizer", "max_tokens", "desired_tokens", "overlap", "context")
