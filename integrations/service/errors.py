"""The exceptions of the servers. Their messages go to clients, so they contain no path outside the roots.

ServiceError                 the root, a ChunkerError
├── RefusedError             a client asked for what it may not have, or for what is not there
├── TooMuchError             more was asked for than one answer may cost
├── BusyError                more requests are waiting than there is room for
└── WorkerError              a worker died or took too long; the next request has a new one
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class ServiceError(ChunkerError):
    """The root: catches whatever the servers raise on purpose."""


class RefusedError(ServiceError):
    """A client asked for what it may not have, or for what is not there; the message says which and why."""


class TooMuchError(ServiceError):
    """More was asked for than one answer may cost; the message names the limit."""


class BusyError(ServiceError):
    """More requests are waiting than there is room for; asking again later helps."""


class WorkerError(ServiceError):
    """A worker died or took too long; the next request has a new one."""
