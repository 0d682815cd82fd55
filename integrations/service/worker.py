"""The worker process: requests on standard input, answers on standard output, until the input ends.

    request    length, JSON [operation, arguments]
    answer     length, one byte (`pool.DONE`, `pool.REFUSED`, `pool.FAILED`), JSON, a file, or a message

The first answer, without a request, says that the process has started. The system ends it if it exceeds the limits of a
request.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import traceback
from typing import BinaryIO

from bpe_engine.errors import BpeEngineError
from chunker.errors import ChunkerError
from chunker.integrations.service.operations import OPERATIONS
from chunker.integrations.service.pool import DONE, FAILED, LENGTH, REFUSED

if sys.platform != "win32":  # on Windows, the clock of the server has to do
    import resource

# The memory limit of the process, in bytes; mapped files, such as the vectors of an index, do not count.
MEMORY_BYTES = 2_000_000_000
# The limit of processor time per request, in seconds; more than the server allows, in case the server has died.
_SECONDS = 120
_MOST_ANSWER_BYTES = 64 << 20


def main() -> None:
    """Serve requests."""
    # The server handles Ctrl-C, and ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # If a library prints, its output must not get into the answers.
    sys.stdout = sys.stderr
    if sys.platform != "win32":
        _lower(resource.RLIMIT_DATA, MEMORY_BYTES)
    _write(answers, DONE)
    while head := _read(requests, LENGTH.size):
        operation, arguments = json.loads(_read(requests, LENGTH.unpack(head)[0]))
        if sys.platform != "win32":
            _lower(resource.RLIMIT_CPU, int(time.process_time()) + _SECONDS)
        _write(answers, _answer(operation, arguments))


def _answer(operation: str, arguments: dict[str, object]) -> bytes:
    try:
        result = OPERATIONS[operation](**arguments)
        content = result if isinstance(result, bytes) else json.dumps(result, separators=(",", ":")).encode()
    except (ChunkerError, BpeEngineError) as error:
        return REFUSED + str(error).encode("utf-8", "backslashreplace")
    except MemoryError:
        return REFUSED + b"this needs exceeded the memory limit"
    except Exception:  # noqa: BLE001  # one request fails, not the worker
        traceback.print_exc()
        return FAILED
    if len(content) > _MOST_ANSWER_BYTES:
        return REFUSED + f"the answer would have {len(content):,} bytes; {_MOST_ANSWER_BYTES:,} is the limit".encode()
    return DONE + content


def _read(file: BinaryIO, size: int) -> bytes:
    """Read `size` bytes; return none if the file ends before."""
    found = file.read(size)
    return found if len(found) == size else b""


def _write(file: BinaryIO, answer: bytes) -> None:
    file.write(LENGTH.pack(len(answer)) + answer)
    file.flush()


def _lower(limit: int, value: int) -> None:
    if sys.platform != "win32":
        _, most = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if most == resource.RLIM_INFINITY else min(value, most), most))


if __name__ == "__main__":
    main()
