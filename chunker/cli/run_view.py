"""The work of `chunker view`: files into a page, or into lines for the terminal."""

from __future__ import annotations

import io
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from chunker.by_name import chunker_for
from chunker.chunkers import TextChunker
from chunker.cli.console import STANDARD_OUTPUT, open_output
from chunker.cli.options import StrategyName, load_tokenizer
from chunker.cli.runs import Run
from chunker.counting import TokenCounter
from chunker.errors import ChunkerError
from chunker.files.discovery import STANDARD_INPUT, portable, printable
from chunker.files.documents import Document
from chunker.formats.detect import file_name_for
from chunker.options import Strategy
from chunker.view.page import PageSettings, page
from chunker.view.seeing import SeenText, see
from chunker.view.side_by_side import Column, side_by_side

DEFAULT_PAGE = "chunker-view.html"


@dataclass(frozen=True)
class ViewOptions:
    """The arguments of `chunker view`; limits in tokens."""

    tokenizer: TokenCounter
    tokenizer_name: str
    max_tokens: int
    min_tokens: int | None
    desired_tokens: int | None
    overlap: int
    strategy: Strategy
    context: bool
    show_tokens: bool
    files: tuple[tuple[str, Any], ...] = ()  # the options of `chunk_files` about files that were given

    def chunker(self, path: str, text: str = "") -> TextChunker:
        """Return the chunker for a file of this name, or with this text if the name does not decide."""
        return chunker_for(
            path,
            self.max_tokens,
            text=text,
            tokenizer=self.tokenizer,
            min_tokens=self.min_tokens,
            desired_tokens=self.desired_tokens,
            overlap=self.overlap,
            strategy=self.strategy,
            context=self.context,
        )

    def of_page(self) -> PageSettings:
        """Return the settings for the head of the page."""
        plain = self.chunker("")
        return PageSettings(
            tokenizer=portable(self.tokenizer_name),
            max_tokens=plain.max_tokens,
            min_tokens=plain.min_tokens,
            overlap=plain.overlap,
            context=bool(plain.context),
            show_tokens=self.show_tokens,
        )

    def code(self, paths: list[str]) -> str:
        """Return Python code that makes the chunks of these files."""
        given = [
            f", {name}={value!r}"
            for name, value, default in (
                *((name, value, None) for name, value in self.files),
                ("tokenizer", self.tokenizer_name, "o200k_base"),
                ("min_tokens", self.min_tokens, None),
                ("desired_tokens", self.desired_tokens, None),
                ("overlap", self.overlap, 0),
                ("strategy", self.strategy, "grow"),
                ("context", self.context, False),
            )
            if value != default
        ]
        if STANDARD_INPUT in paths:
            return f"import sys\nfrom chunker import chunk\nchunk(sys.stdin.read(), {self.max_tokens}{''.join(given)})"
        return f"from chunker import chunk_files\nchunk_files({paths!r}, {self.max_tokens}{''.join(given)})"

    def with_others(self, given: str) -> ViewOptions:
        """Return these settings with some replaced: "max-tokens=256,overlap=32,context=true".

        Raises:
            typer.BadParameter: An option is unknown, or has an invalid value.
        """
        found: dict[str, Any] = {}
        for part in filter(None, map(str.strip, given.split(","))):
            name, _, value = part.partition("=")
            key = name.strip().lstrip("-").replace("-", "_")
            try:
                found |= self._other(key, value.strip())
            except (KeyError, ValueError):
                known = ", ".join(f"{one.replace('_', '-')}={example}" for one, example in _COMPARED.items())
                message = f"{part} is not an option that can be compared; these can: {known}"
                raise typer.BadParameter(message, param_hint="--compare") from None
        return replace(self, **found)

    def _other(self, name: str, value: str) -> dict[str, Any]:
        if name == "tokenizer":
            return {"tokenizer": load_tokenizer(value), "tokenizer_name": value}
        if name == "context":
            return {name: _BOOLEANS[value.lower()]}
        if name == "strategy":
            return {name: StrategyName(value).value}
        return {name: _WHOLE[name](value)}


# The options that can be compared, with an example of each.
_COMPARED = {
    "max_tokens": "256",
    "min_tokens": "16",
    "desired_tokens": "140",
    "overlap": "32",
    "strategy": "optimal",
    "context": "true",
    "tokenizer": "cl100k_base",
}
_WHOLE = dict.fromkeys(("max_tokens", "min_tokens", "desired_tokens", "overlap"), int)
_BOOLEANS = {"": True, "true": True, "yes": True, "false": False, "no": False}


def show(
    paths: Sequence[str],
    run_to: Callable[..., Run],
    settings: Sequence[ViewOptions],
    output: str | None,
    *,
    terminal: bool,
    open_page: bool,
) -> None:
    """Write the page to `output`, or the lines to standard output or to it; `run_to` makes the run over the files. Raises `typer.Exit` if a file failed.

    `settings`: those of the page, or one for each of its columns.
    """
    for options in settings:
        try:
            options.chunker("")
        except ChunkerError as error:
            raise typer.BadParameter(str(error)) from None
    if output is None:
        output = STANDARD_OUTPUT if terminal else DEFAULT_PAGE
    run = run_to(output=output)
    title = ", ".join(map(portable, paths))

    def seen(document: Document) -> list[SeenText]:
        path = document.path if document.format is None else file_name_for(document.format)
        name = portable(document.path)
        return [see(one.chunker(path, document.text), document.text, name) for one in settings]

    texts = run.over(seen, streaming=True)
    first = (columns[0] for columns in texts)
    with open_output(output) as results:
        if terminal:
            parts = _lines(first, to_file=output != STANDARD_OUTPUT, show_tokens=settings[0].show_tokens)
        elif len(settings) > 1:
            parts = iter([_compared(paths, settings, list(texts), title).encode()])
        else:
            parts = page(first, settings[0].of_page(), title, settings[0].code([portable(path) for path in paths]))
        for part in parts:
            results.write(part)
    if output != STANDARD_OUTPUT:
        typer.echo(f"Written: {printable(output)}", err=True)
    if open_page:
        webbrowser.open(Path(output).resolve().as_uri())
    run.finish()


def _compared(
    paths: Sequence[str], settings: Sequence[ViewOptions], texts: Sequence[list[SeenText]], title: str
) -> str:
    """Return a page with a column for each of the settings. `texts`: each file, as each of them cuts it."""
    columns = []
    for number, options in enumerate(settings):
        seen = [columns[number] for columns in texts]
        html = b"".join(page(seen, options.of_page(), title)).decode()
        columns.append(Column(options.code([portable(path) for path in paths]), seen, html))
    return side_by_side(columns, title)


def _lines(texts: Iterator[SeenText], *, to_file: bool, show_tokens: bool) -> Iterator[bytes]:
    # Imported late: a page needs none of rich's colours.
    from chunker.cli.screen import screen  # noqa: PLC0415
    from chunker.cli.terminal import terminal_view  # noqa: PLC0415

    where = screen(io.StringIO() if to_file else None)  # a file is not a terminal
    for text in texts:
        for line in terminal_view(text, where, show_tokens=show_tokens):
            yield line.encode()
