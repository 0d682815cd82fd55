"""The command `chunker serve`."""

# Imports stand where they are used: the list of commands needs neither a server nor tokenizers.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

import ipaddress
import socket
import webbrowser
from typing import Annotated

import typer

from chunker.cli.console import ending_quietly
from chunker.cli.options import Exclude, Include, setting, wanted_of
from chunker.files.discovery import printable

_LEAST_TOKEN = 16
_EVERYWHERE = {"0.0.0.0", "::", ""}  # noqa: S104  # to refuse it without a token


def serve(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", show_default=False, help="Files and folders that may be opened there."),
    ] = None,
    *,
    index: Annotated[
        str | None,
        typer.Option(
            "--index", "-i", metavar="FOLDER", show_default=False, help="An index to search, such as .chunker."
        ),
    ] = None,
    tokenizer: Annotated[
        list[str] | None,
        setting(
            "--tokenizer",
            "-t",
            metavar="NAME",
            show_default=False,
            help="Offer this tokenizer, too: an encoding, a model, or the file of one; the first is the default.",
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 for any free one.")] = 8808,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on, for other machines; needs a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="CHUNKER_SERVE_TOKEN",
            show_default=False,
            show_envvar=True,
            help=f"The token that clients must send; {_LEAST_TOKEN} characters at least. Set it in the environment to keep it out of the process list.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", show_default=False, help="A host name that clients use."),
    ] = None,
    include: Include = None,
    exclude: Exclude = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """A web page on this machine: paste or open a text and watch it being cut, and search an index.

    Texts do not leave the machine. Other machines and other sites in the browser are refused. Files of PATH may be
    opened, without hidden files, files that .gitignore names, and files that hold secrets.

    \b
    Examples:
      chunker serve --open
      chunker serve src docs --index .chunker
      CHUNKER_SERVE_TOKEN=$(openssl rand -hex 16) chunker serve --host 0.0.0.0

    \b
    Exit codes:
      0    ended by Ctrl-C
      1    the address is taken, or cannot be had
      2    wrong usage; nothing was served
    """
    with ending_quietly():
        from chunker.integrations.requirements import missing

        try:
            from chunker.integrations.serve.server import Door, Served, run
        except ModuleNotFoundError as error:
            raise typer.BadParameter(str(missing(error, "serve"))) from None
        from chunker.integrations.service.options import index_folder, offered_roots, offered_tokenizers

        roots = offered_roots(paths or [], "PATH", wanted_of(ctx, include, exclude))
        if token is not None and len(token) < _LEAST_TOKEN:
            raise typer.BadParameter(f"a token must have at least {_LEAST_TOKEN} characters", param_hint="--token")
        if token is not None and not token.isascii():
            raise typer.BadParameter("a token must be ASCII", param_hint="--token")
        served = Served(roots, offered_tokenizers(tokenizer or []), index_folder(index))
        listening = _listen(host, port, token)
        address = listening.getsockname()
        everywhere = address[0] in _EVERYWHERE
        names = {
            "localhost",
            "127.0.0.1",
            "::1",
            host.lower(),
            *(name.lower() for name in allow_host or ()),
        } - _EVERYWHERE
        if everywhere:
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        shown = "127.0.0.1" if everywhere else f"[{address[0]}]" if ":" in address[0] else address[0]
        url = f"http://{shown}:{address[1]}/"

        def tell() -> None:
            typer.echo(f"Serving on {url}  (Ctrl-C ends it)")
            if token is not None:
                typer.echo(f"The page asks for the token; {url}#token=... passes it.")
            if open_page:
                webbrowser.open(url if token is None else f"{url}#token={token}")

        try:
            run(served, Door(frozenset(names), any_address=everywhere, token=token), [listening], tell)
        except KeyboardInterrupt:
            typer.echo("Ended.", err=True)


def _listen(host: str, port: int, token: str | None) -> socket.socket:
    """Open the listening socket. Raises `typer.BadParameter` if other machines can reach the address and there is no
    token.
    """
    try:
        family, *_, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
    except (OSError, UnicodeError) as error:
        raise typer.BadParameter(f"{printable(host)} is not an address: {error}", param_hint="--host") from None
    if token is None and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        message = f"{printable(host)} can be reached by other machines: set a token (--token, or CHUNKER_SERVE_TOKEN)"
        raise typer.BadParameter(message, param_hint="--host")
    try:
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        typer.echo(f"Error: {printable(host)}, port {port}: {error.strerror}. --port 0 uses a free one.", err=True)
        raise typer.Exit(1) from None
