"""The command `chunker mcp`."""

# Imports stand where they are used: the list of commands needs neither the SDK nor tokenizers.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from chunker.cli.console import ending_quietly
from chunker.cli.options import Exclude, Include, setting, wanted_of


def mcp(
    ctx: typer.Context,
    roots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ROOT", show_default=False, help="Folders and files that agents may read; none by default."
        ),
    ] = None,
    *,
    index: Annotated[
        str | None,
        typer.Option(
            "--index",
            "-i",
            metavar="FOLDER",
            show_default=False,
            help="An index to search. Default: .chunker in the first ROOT that has one.",
        ),
    ] = None,
    tokenizer: Annotated[
        list[str] | None,
        setting(
            "--tokenizer",
            "-t",
            metavar="NAME",
            show_default=False,
            help="Offer this tokenizer, too: an encoding, a model, or the file of one.",
        ),
    ] = None,
    include: Include = None,
    exclude: Exclude = None,
) -> None:
    """Tools for agents, by the Model Context Protocol on standard input and output: count, chunk, list files, map, skeleton, search, assemble.

    All tools are read-only. They read the files of ROOT, without hidden files, files that .gitignore names, files that
    hold secrets, and links that lead out of it. Without ROOT, agents can send texts and read no file.

    \b
    In the settings of a client:
      {"mcpServers": {"chunker": {"command": "chunker", "args": ["mcp", "PROJECT"]}}}
    """
    with ending_quietly():
        from importlib.metadata import PackageNotFoundError, version

        from chunker.integrations.requirements import missing

        try:
            from chunker.integrations.mcp.server import mcp_server
            from chunker.integrations.mcp.tools import Offered
        except ModuleNotFoundError as error:
            raise typer.BadParameter(str(missing(error, "mcp"))) from None
        from chunker.integrations.service.options import index_folder, offered_roots, offered_tokenizers

        offered = offered_roots(roots or [], "ROOT", wanted_of(ctx, include, exclude))
        if index is None:
            index = next(
                (str(folder / ".chunker") for folder in offered.folders if (folder / ".chunker").is_dir()), None
            )
        try:
            own = version("bpe-chunker")
        except PackageNotFoundError:  # run from a source tree
            own = ""
        mcp_server(Offered(offered, offered_tokenizers(tokenizer or []), index_folder(index)), own).run()
