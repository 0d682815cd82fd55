"""Guard: refuse requests before any work is done for them.

    Host: evil.example          421  a foreign name resolves to this server: DNS rebinding
    Origin: https://evil.test   403  a request of another site, through the browser of a visitor
    Sec-Fetch-Site: cross-site  403  the same, reported by the browser
    no or another token         401  if the server has a token
    Content-Type: text/plain    415  a form of another site could send this without a preflight request

Other sites have no access at all: there are no CORS headers, so their scripts cannot read an answer either.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Paths that a browser may navigate to: the pages, and the API document.
PAGES = frozenset({"/", "/docs", "/openapi.json"})
# Headers of every answer.
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# The policy of answers that are not pages. A page has its own.
_POLICY = "default-src 'none'; frame-ancestors 'none'"


class Guard:
    """An ASGI application around another one. `names`: the allowed names of the host, in lower case, without the port;
    `any_address`: also allow any literal address, which DNS cannot redirect. `token`: the token that requests must
    carry, or None.
    """

    def __init__(
        self, app: App, names: Collection[str], *, any_address: bool = False, token: str | None = None
    ) -> None:
        self._app = app
        self._names = frozenset(names)
        self._any_address = any_address
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a web socket, which this server does not offer
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", _POLICY)
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        await (refusal or self._app)(scope, receive, sending)

    def _refusal(self, method: str, path: str, headers: Headers) -> JSONResponse | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return refused(421, "this server does not answer to this name: use the address that it printed")
        sites = headers.getlist("sec-fetch-site")
        if path in PAGES:
            # A user may follow a link from another site to a page: it opens in its own window, and contains nothing
            # private.
            foreign = any(site not in {"same-origin", "none"} for site in sites)
            visits = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
            return refused(403, "other sites may not embed the page") if foreign and not visits else None
        if any(site != "same-origin" for site in sites):
            return refused(403, "requests from other sites are refused")
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return refused(403, "requests from other sites are refused")
        if self._token is not None:
            kind, _, given = headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._token):
                return refused(401, "this needs the token that the server was started with")
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refused(415, "the body must be application/json")
        return None

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        return name in self._names or (self._any_address and _is_address(name))


def refused(status: int, why: str) -> JSONResponse:
    """Make an answer that says why a request was refused."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": why}, status, headers)


def host_name(host: str) -> str | None:
    """Return the name in a Host header, without the port, in lower case; None if the header is invalid.

    >>> host_name("LocalHost:8000"), host_name("[::1]:80"), host_name("a b"), host_name("127.0.0.1:x"), host_name("u@localhost")
    ('localhost', '::1', None, None, None)
    """
    name, bracket, rest = host.removeprefix("[").partition("]") if host.startswith("[") else (host, "", "")
    if bracket:
        colon, port = rest[:1], rest[1:]
    else:
        name, colon, port = host.partition(":")
    if colon not in {"", ":"} or (colon and not (port.isascii() and port.isdigit())):
        return None
    if not name or not name.isascii() or not all(c.isalnum() or c in ".-_:%" for c in name):
        return None
    return name.lower().removesuffix(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
