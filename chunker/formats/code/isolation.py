"""Parse untrusted sources in a separate process: a grammar that hangs, crashes or takes too much memory ends only that
process.

    outline(text) ──request──> worker: parse, walk ──outline──> the same result
                               killed after its time ─────────> lines, {"parse": "given up"}

Each process has one worker, started on first use and again after it was stopped. Its limits grow with the text:
processor time, memory, and as a last resort wall-clock time. The result equals that of the format itself; it can depend
on the machine only if a limit is reached.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from chunker.errors import ChunkerError
from chunker.formats.line_placement import lines_only
from chunker.formats.outline import Format, Outline, Scope
from chunker.formats.text.lines import LineTable
from chunker.processes import CREATION_FLAGS, without_interrupts

LENGTH = struct.Struct("<Q")
READY = b"!"


@dataclass(frozen=True)
class ParserLimits:
    """The limits for one text. `seconds` of processor time, plus `seconds_per_megabyte` for each million bytes; ten
    times that in wall-clock time. `megabytes` of memory, plus `megabytes_per_megabyte` (where the system can limit
    memory: not on Windows).
    """

    seconds: float = 5.0
    seconds_per_megabyte: float = 5.0
    megabytes: int = 1024
    megabytes_per_megabyte: int = 256

    def time(self, size: int) -> float:
        """Return the limit of processor time, in seconds, for a text of `size` bytes."""
        return self.seconds + self.seconds_per_megabyte * size / 1e6

    def memory(self, size: int) -> int:
        """Return the limit of memory, in bytes, for a text of `size` bytes."""
        return 1_000_000 * self.megabytes + self.megabytes_per_megabyte * size


class IsolatedFormat:
    """A format whose outlines are made in another process. The format must be picklable. Raises nothing that the format
    does not raise.
    """

    def __init__(self, inner: Format, limits: ParserLimits | None = None) -> None:
        self._inner = inner
        self._limits = limits or ParserLimits()
        self._pickled = pickle.dumps(inner)

    @property
    def language(self) -> str | None:
        """The name of the language."""
        return self._inner.language

    def outline(self, text: str) -> Outline:
        """Return the outline that the format makes; if that takes too much time or memory, the lines, and the note
        {"parse": "given up"}.
        """
        if not text:
            return self._inner.outline(text)
        source = text.encode("utf-8", "surrogatepass")
        answer = _worker.ask(self._pickled, source, self._limits)
        if answer is None:
            return lines_only(LineTable(text, source), {"parse": "given up"})
        offsets, strengths, labels, scopes, notes, finest, heads = json.loads(answer)
        inner = [Scope(*one) for one in scopes]
        return Outline.of_columns(offsets, strengths, labels, inner, notes, finest=finest, heads=dict(heads))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner!r}, {self._limits!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._inner, self._limits)


class _Watchdog:
    """Kills a process that does not answer in time. One thread for all requests: starting a thread for each costs more
    than most requests.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._changed = threading.Condition()
        self._deadline: float | None = None  # on the monotonic clock; None while no answer is expected
        self._wakes = 0.0  # when the thread wakes up by itself
        self._stopped = False
        threading.Thread(target=self._watch, daemon=True, name="parser watchdog").start()

    def expect(self, seconds: float) -> None:
        """Kill the process after this many seconds, unless `forget` is called before."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            if self._deadline < self._wakes:
                self._changed.notify()

    def forget(self) -> None:
        """Cancel the deadline. The thread is not notified: it sees the change when it wakes up."""
        with self._changed:
            self._deadline = None

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                if self._deadline is not None and self._deadline <= now:
                    self._process.kill()
                    return
                self._wakes = math.inf if self._deadline is None else self._deadline
                self._changed.wait(None if self._deadline is None else self._deadline - now)


class _Worker:
    """The worker process of this process; threads take turns. A forked process starts its own worker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._watchdog: _Watchdog | None = None
        self._owner = 0

    def ask(self, pickled: bytes, source: bytes, limits: ParserLimits) -> bytes | None:
        """Return the answer to one request; None if the worker died before it answered."""
        seconds, memory = limits.time(len(source)), limits.memory(len(source))
        head = json.dumps([seconds, memory, len(pickled), len(source)]).encode()
        with self._lock:
            process = self._running()
            watchdog = self._watchdog or _Watchdog(process)
            self._watchdog = watchdog
            watchdog.expect(10 * seconds)
            try:
                answer = self._exchange(process, (LENGTH.pack(len(head)), head, pickled, source))
            except (
                BaseException
            ):  # such as Ctrl-C: an answer that comes later would be taken for that of the next request
                self.stop()
                raise
            finally:
                watchdog.forget()
            if answer is None:
                self.stop()
            return answer

    def _exchange(self, process: subprocess.Popen[bytes], request: tuple[bytes, ...]) -> bytes | None:
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.writelines(request)
            process.stdin.flush()
        except OSError:  # it died before it had read everything
            return None
        length = process.stdout.read(LENGTH.size)
        if len(length) < LENGTH.size:
            return None
        (size,) = LENGTH.unpack(length)
        answer = process.stdout.read(size)
        return answer if len(answer) == size else None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self.stop()
            self._owner = os.getpid()
            # The worker finds packages where this process does, but never in the current folder (-P), whose json.py may
            # be malicious.
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            with without_interrupts():  # for its whole life: Ctrl-C is handled by this process
                self._process = subprocess.Popen(  # this interpreter, and a module of this package
                    [sys.executable, "-P", "-m", "chunker.formats.code.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=environment,
                    creationflags=CREATION_FLAGS,
                )
            # Starting the process does not count as parsing time.
            try:
                is_ready = self._process.stdout is not None and bool(self._process.stdout.read(len(READY)))
            except BaseException:  # such as Ctrl-C
                self.stop()
                raise
            if not is_ready:
                raise ChunkerError("the parsing process did not start; its standard error says why")
        return self._process

    def stop(self) -> None:
        """Stop the worker, if this process has one."""
        process, self._process = self._process, None
        watchdog, self._watchdog = self._watchdog, None
        if process is None or self._owner != os.getpid():
            return
        if watchdog is not None:
            watchdog.stop()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # the worker had not read a request
                    pipe.close()


_worker = _Worker()
atexit.register(_worker.stop)
