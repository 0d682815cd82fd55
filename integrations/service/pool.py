"""Worker processes that compute answers for clients, each with limits of time and memory, so that no text can block the
server or exhaust its memory.

    async with Pool(2) as pool:
        answer = await pool.ask("count", texts=["a b"], tokenizer="o200k_base")      # JSON, as bytes

    request ──> an idle worker                   ──> answer
                none: wait, unless too many wait   ──> BusyError
                too long, too much memory, a crash ──> killed; WorkerError, and a new worker for the next request

If a client disconnects, its waiting request is dropped. If a worker is processing it, that worker and its child
processes are killed, and replaced at once. A worker whose server has died finds its input closed, and ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import struct
import sys
from asyncio.subprocess import PIPE, Process
from types import TracebackType
from typing import Self

from chunker.integrations.service.errors import BusyError, RefusedError, WorkerError

LENGTH = struct.Struct("<Q")
# The first byte of an answer: a result, a refusal, or a fault of the worker.
DONE, REFUSED, FAILED = b"+", b"-", b"!"
SECONDS = 20.0
_WAITING = 16
# Seconds that a process gets to end after it has closed its output.
_GRACE = 1.0
_ENDS = "the server ends"


class Pool:
    """`number` processes, started on first use. An async context manager: at its end all processes have ended.

    `seconds`: the limit of wall-clock time for one request, once a worker has it.
    """

    def __init__(self, number: int = 2, *, seconds: float = SECONDS) -> None:
        self._workers = [_Worker(seconds) for _ in range(number)]
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        for worker in self._workers:
            self._idle.put_nowait(worker)
        self._waiting = 0
        self._closed = False
        self._replacing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all workers now; running and waiting requests are given up."""
        self._closed = True
        for worker in self._workers:
            worker.end()
        for _ in self._workers:  # each worker is returned at once by the task that waits for its answer
            await (await self._idle.get()).stop()
        for worker in self._workers:
            self._idle.put_nowait(worker)

    async def ask(self, operation: str, **arguments: object) -> bytes:
        """Return the answer of an operation (`chunker.integrations.service.operations`): JSON, or a file.

        Raises `RefusedError` with the error of the operation, `BusyError`, and `WorkerError`.
        """
        if self._waiting >= _WAITING:
            raise BusyError("too many requests are waiting: try again in a moment")
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
        try:
            if self._closed:
                raise BusyError(_ENDS)
            return await worker.ask(json.dumps([operation, arguments]).encode())
        finally:
            self._take_back(worker)

    def _take_back(self, worker: _Worker) -> None:
        """Make a worker available for the next request. A killed worker is started first, while the others go on."""
        if self._closed or worker.is_running:
            self._idle.put_nowait(worker)
            return
        replacing = asyncio.create_task(self._replace(worker))
        self._replacing.add(replacing)
        replacing.add_done_callback(self._replacing.discard)

    async def _replace(self, worker: _Worker) -> None:
        try:
            await worker.start()
        except (OSError, EOFError):
            await worker.stop()  # the next request tries again, and reports the error
        finally:
            self._idle.put_nowait(worker)


class _Worker:
    """A worker process, or none."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: Process | None = None
        self._killed = self._ended = False

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, request: bytes) -> bytes:
        try:
            process = await self.start()
            async with asyncio.timeout(self._seconds):
                answer = await _exchange(process, request)
        except TimeoutError:
            await self.stop()
            raise WorkerError(f"this took more than {self._seconds:g} seconds, and was stopped") from None
        except (OSError, EOFError):  # asyncio.IncompleteReadError is an EOFError
            await self._see_it_end()
            await self.stop()
            if self._ended:
                raise BusyError(_ENDS) from None
            raise WorkerError("this exceeded the memory limit, or crashed; it was stopped") from None
        except BaseException:  # given up: an answer that comes later would be taken for that of the next request
            await self.stop()
            raise
        kind, content = answer[:1], answer[1:]
        if kind == REFUSED:
            raise RefusedError(content.decode())
        if kind != DONE:
            raise WorkerError("internal error; the server has written details to its standard error")
        return content

    async def start(self) -> Process:
        """Return the process; start it if necessary. Raises OSError and EOFError."""
        if self._process is None or self._process.returncode is not None:
            await self.stop()
            # The worker finds packages where this process does, but never in the current folder (-P), whose json.py may
            # be malicious.
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            command = (sys.executable, "-P", "-m", "chunker.integrations.service.worker")
            # A process group of its own, which is killed with it: a worker may start a process that parses.
            group = None if sys.platform == "win32" else 0
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, env=environment, process_group=group
            )
            self._killed = False
            if self._ended:
                raise OSError("the server has ended")
            # Starting the process does not count as answering time.
            await _read(self._process)
        return self._process

    def end(self) -> None:
        """Kill the process for good; a task that waits for its answer will see the end of its output."""
        self._ended = True
        self._kill()

    def _kill(self) -> None:
        """Kill the process group, once. Not by `Process.kill`: that first checks whether the process has ended, and so
        takes the return code of an ending process away from the event loop, which then complains (CPython's
        `Popen.send_signal`).
        """
        if self._process is not None and self._process.returncode is None and not self._killed:
            self._killed = True
            with contextlib.suppress(ProcessLookupError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)

    async def _see_it_end(self) -> None:
        """Give a crashed process time to end by itself. A process that has only closed its output may not end."""
        if self._process is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await self._process.wait()

    async def stop(self) -> None:
        """Kill the process, if there is one, and wait for its end. No other task may wait for its answer."""
        self._kill()
        process, self._process = self._process, None
        if process is None:
            return
        # Waiting for the end of its output, too, closes the transport; the garbage collector would warn about an open
        # one.
        with contextlib.suppress(OSError):
            await process.communicate()


async def _exchange(process: Process, request: bytes) -> bytes:
    if process.stdin is None:
        raise OSError("a worker without an input")
    process.stdin.write(LENGTH.pack(len(request)) + request)
    await process.stdin.drain()
    return await _read(process)


async def _read(process: Process) -> bytes:
    if process.stdout is None:
        raise OSError("a worker without an output")
    (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
    return await process.stdout.readexactly(size)
