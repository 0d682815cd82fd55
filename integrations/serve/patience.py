"""Time limits for clients that send too slowly or do not read.

    connected ── head of a request complete ── body complete ── answered ───────────── all of it read
         HEAD_SECONDS             bodies.BODY_SECONDS    server.ANSWER_SECONDS   READ_SECONDS

uvicorn limits the time until the next request of a connection, but waits without limit for the head of a request, and
for a client that does not read its answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
READ_SECONDS = 60.0


class ImpatientProtocol(H11Protocol):
    """Closes a connection whose client does not complete the head of a request within `HEAD_SECONDS`, or has not read
    an answer after `READ_SECONDS`.
    """

    _patience: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  # as uvicorn has it, whose transports are of several kinds
        """Handle a new connection."""
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle a closed connection."""
        self._be_patient()
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle data from the client."""
        super().data_received(data)
        if self._is_served():
            self._be_patient()
        elif self._patience is None:  # the beginning of another request
            self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def on_response_complete(self) -> None:
        """Handle the end of an answer, which has been written but perhaps not read."""
        super().on_response_complete()
        if self._reading is not None:
            self._reading.cancel()
        self._reading = self.loop.call_later(READ_SECONDS, self._look_at_reader)

    def _look_at_reader(self) -> None:
        self._reading = None
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def _is_served(self) -> bool:
        cycle: RequestResponseCycle | None = (
            self.cycle
        )  # before the first request there is none, whatever its type says
        return cycle is not None and not cycle.response_complete

    def _be_patient(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self._is_served() and not self.transport.is_closing():
            self.transport.close()
