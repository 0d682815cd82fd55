"""SharedClient: one client of a store for all threads of a process, open while one of them uses it.

Embedded databases lock their folder or file for one client, so threads and nested uses share it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Client = TypeVar("Client")


class SharedClient(Generic[Client]):
    """A client that is opened for its first user and closed after its last one.

    Args:
        make: Opens a client.
        close: Closes it.
    """

    def __init__(self, make: Callable[[], Client], close: Callable[[Client], None]) -> None:
        self._make = make
        self._close = close
        self._lock = threading.RLock()
        self._client: Client | None = None
        self._users = 0

    @contextlib.contextmanager
    def used(self) -> Iterator[Client]:
        """Yield the client, which stays open until the end of the block. Raises what `make` raises."""
        with self._lock:
            if self._client is None:
                self._client = self._make()
            client = self._client
            self._users += 1
        try:
            yield client
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._client = None
                    self._close(client)
