"""The work of `chunker view`: files into a page, or into lines for the terminal."""

from __future__ import annotations

import io
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from chunker.chunkers import TextChunker, chunker_for
from chunker.cli.console import STANDARD_OUTPUT, open_output
from chunker.cli.runs import Run
from chunker.counting import TokenCounter
from chunker.errors import ChunkerError
from chunker.files.chunk_files import suffix_of
from chunker.files.discovery import portable, printable
from chunker.files.documents import Document
from chunker.view.page import PageSettings, page
from chunker.view.seeing import SeenText, see

DEFAULT_PAGE = "chunker-view.html"


@dataclass(frozen=True)
class ViewOptions:
    """The arguments of `chunker view`; limits in tokens."""

    tokenizer: TokenCounter
    tokenizer_name: str
    max_tokens: int
    min_tokens: int | None
    overlap: int
    context: bool
    show_tokens: bool

    def chunker(self, path: str, text: str = "") -> TextChunker:
        """The chunker for a file of this name, or with this text where the name does not tell."""
        return chunker_for(
            path,
            self.max_tokens,
            text=text,
            tokenizer=self.tokenizer,
            min_tokens=self.min_tokens,
            overlap=self.overlap,
            context=self.context,
        )


def show(
    paths: Sequence[str],
    run_to: Callable[..., Run],
    options: ViewOptions,
    output: str | None,
    *,
    terminal: bool,
    open_page: bool,
) -> None:
    """Write the page to `output`, or the lines to standard output or to it; `run_to` makes the run over the files. Raises `typer.Exit` if a file failed."""
    try:
        plain = options.chunker("")
    except ChunkerError as error:
        raise typer.BadParameter(str(error)) from None
    if output is None:
        output = STANDARD_OUTPUT if terminal else DEFAULT_PAGE
    run = run_to(output=output)

    def seen(document: Document) -> SeenText:
        path = document.path if document.format is None else f"text.{suffix_of(document.format)}"
        return see(options.chunker(path, document.text), document.text, portable(document.path))

    texts = run.over(seen, streaming=True)
    with open_output(output) as results:
        if terminal:
            parts = _lines(texts, to_file=output != STANDARD_OUTPUT, show_tokens=options.show_tokens)
        else:
            settings = PageSettings(
                tokenizer=portable(options.tokenizer_name),
                max_tokens=plain.max_tokens,
                min_tokens=plain.min_tokens,
                overlap=plain.overlap,
                context=bool(plain.context),
                show_tokens=options.show_tokens,
            )
            parts = page(texts, settings, ", ".join(map(portable, paths)))
        for part in parts:
            results.write(part)
    if output != STANDARD_OUTPUT:
        typer.echo(f"Written: {printable(output)}", err=True)
    if open_page:
        webbrowser.open(Path(output).resolve().as_uri())
    run.finish()


def _lines(texts: Iterator[SeenText], *, to_file: bool, show_tokens: bool) -> Iterator[bytes]:
    # Imported late: a page needs none of rich's colours.
    from chunker.cli.screen import screen  # noqa: PLC0415
    from chunker.cli.terminal import terminal_view  # noqa: PLC0415

    where = screen(io.StringIO() if to_file else None)  # a file is no terminal, whoever looks on
    for text in texts:
        for line in terminal_view(text, where, show_tokens=show_tokens):
            yield line.encode()
