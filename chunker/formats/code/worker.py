"""The process in which `isolation` parses texts: it reads requests from standard input and writes answers to standard
output.

    request    length, [seconds, bytes of memory, length of the format, length of the text], the format, the text
    ready      one byte, once it has started
    answer     length, [offsets, strengths, labels, scopes, notes, finest, heads]

The system kills the process if it exceeds the limits of a request.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from typing import BinaryIO

from chunker.formats.code.isolation import LENGTH, READY
from chunker.formats.outline import Format

if sys.platform != "win32":  # on Windows, the clock of the parent process has to do
    import resource


def main() -> None:
    """Serve requests."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # If a parser prints, its output must not get into the answers.
    sys.stdout = sys.stderr
    answers.write(READY)
    answers.flush()
    while head := _read(requests, LENGTH.size):
        (size,) = LENGTH.unpack(head)
        seconds, memory, of_format, of_text = json.loads(_read(requests, size))
        kind: Format = pickle.loads(_read(requests, of_format))  # noqa: S301  # from the process that started this one
        source = _read(requests, of_text)
        _limit(seconds, memory)
        outline = kind.outline(source.decode("utf-8", "surrogatepass"))
        columns = (outline.offsets, outline.strengths, outline.labels)
        rest = (outline.scopes, outline.notes, outline.finest, list(outline.heads.items()))
        answer = json.dumps([*columns, *rest]).encode()
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _read(file: BinaryIO, size: int) -> bytes:
    """Read `size` bytes; return b"" if the file ends before."""
    found = file.read(size)
    return found if len(found) == size else b""


def _limit(seconds: float, memory: int) -> None:
    """Limit the resources of this process from now on."""
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory if most == resource.RLIM_INFINITY else min(memory, most), most))


if __name__ == "__main__":
    main()
