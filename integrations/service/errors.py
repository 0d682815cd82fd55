"""The exceptions of the servers. Their messages go to clients, so they contain no path outside the roots.

ServiceError                 the root, a ChunkerError
├── RefusedError             a client asked for something that is forbidden or does not exist
│   └── NoSuchFileError      no file of the roots has this name
├── TooMuchError             a request exceeds the limits of one answer
├── BusyError                more requests are waiting than there is room for
└── WorkerError              a worker died or took too long; the next request has a new one
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class ServiceError(ChunkerError):
    """Base class of all exceptions that the servers raise on purpose."""


class RefusedError(ServiceError):
    """A client asked for something that is forbidden or does not exist; the message says what and why."""


class NoSuchFileError(RefusedError):
    """No file of the roots has this name."""


class TooMuchError(ServiceError):
    """A request exceeds the limits of one answer; the message names the limit."""


class BusyError(ServiceError):
    """Too many requests are waiting; a later attempt may succeed."""


class WorkerError(ServiceError):
    """A worker died or took too long; the next request has a new one."""
