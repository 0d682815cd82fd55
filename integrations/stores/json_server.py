"""A server that speaks JSON over HTTP, accessed with the standard library: the common part of the stores that need no
package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

from chunker.errors import OptionError
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import without_password

# Seconds to wait for an answer.
_SECONDS = 60


class JsonServer:
    """A client for a JSON server.

    Args:
        name: Its name in messages.
        place: Its URL. The user in it is left out of requests.
        headers: The headers of each request besides its content type.
    """

    def __init__(self, name: str, place: str, headers: Mapping[str, str]) -> None:
        url = urlsplit(place)
        port = f":{url.port}" if url.port else ""
        self._url = urlunsplit((url.scheme, f"{url.hostname}{port}", url.path.rstrip("/"), "", ""))
        self.name = name
        self.shown = without_password(place)
        self._headers = {"Content-Type": "application/json", **headers}

    def ask(self, method: str, path: str, body: Any = None, *, missing: bool = False) -> Any:  # noqa: ANN401  # JSON
        """Send a request, and return the parsed JSON answer.

        Args:
            method: The HTTP method.
            path: The path below the URL.
            body: The data to send as JSON; a list is sent as JSON Lines.
            missing: Return None if the server answers 404, instead of raising.

        Raises:
            VectorStoreError: The server cannot be reached, or refuses.
        """
        data = None
        if isinstance(body, list):
            data = "".join(f"{json.dumps(line)}\n" for line in body).encode()
        elif body is not None:
            data = json.dumps(body).encode()
        # The scheme was checked when the store was made.
        request = Request(f"{self._url}/{path}", data, self._headers, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  # see above
                text = answer.read()
            return json.loads(text) if text.strip() else {}
        except HTTPError as error:
            if missing and error.code == 404:
                return None
            said = error.read(500).decode("utf-8", "replace")
            raise VectorStoreError(f"{self.name} at {self.shown}: {method} {path}: {error.code} {said}") from error
        except (URLError, OSError, ValueError) as error:
            raise VectorStoreError(f"{self.name} at {self.shown}: {error}") from error


def require_url(place: str, name: str, example: str) -> None:
    """Raise `OptionError` if a place is not an HTTP URL."""
    if not place.startswith(("http://", "https://")):
        raise OptionError(f"the place of {name} must be a URL, such as {example}; got {place!r}")
