"""Process many items in several processes: results come in order, and a worker that dies loses no other item.

    items     0   1   2   3   4   5 ...             two workers, each with one item at work and one waiting
    worker A  0 --------   2 ---x                   killed while at work on 2: a new worker, and 2 is tried once more
    worker B  1 --   3 -----   4 --
    results   0   1   (2 lost twice: Lost)  3   4   each handed out when all before it are

Each worker has its own pipe. So the parent knows the item that a dead worker was processing, and a half-written result
does not damage other results; a process pool of the standard library offers neither. If the parent dies, its workers
find their pipes closed, and end.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import selectors
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeVar

from chunker.errors import ChunkerError, OptionError
from chunker.processes import without_interrupts

Item = TypeVar("Item")
Result = TypeVar("Result")

# Items per worker: one at work and one waiting, so that no worker waits for the parent.
_AT_A_WORKER = 2
# Results per worker that are held until it is their turn: while one item takes long, up to this many others are
# finished.
_AHEAD = 16
# The number of attempts for an item whose worker dies.
_ATTEMPTS = 2
# The size, in bytes, of a message that any pipe takes at once, even if nobody reads it.
_SHORT = 2_048
# Seconds between two checks of the workers.
_LOOK = 1.0
# Sent instead of the number of an item: the worker has started.
_READY = -1
# Seconds that a worker gets to end by itself.
_GRACE = 5.0


@dataclass(frozen=True, slots=True)
class Lost:
    """Takes the place of a result that is missing."""

    reason: str


def context_of(start_method: str | None) -> BaseContext:
    """Return the multiprocessing context of a start method: "fork", "forkserver" or "spawn".

    None: fork on Linux as long as there are no other threads, which is fastest; otherwise spawn. The methods
    "forkserver" and "spawn" import the main module again, which must therefore do its work under `if __name__ ==
    "__main__":`.
    """
    if start_method is None:
        start_method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    if start_method not in multiprocessing.get_all_start_methods():
        raise OptionError(
            f"start_method must be one of {', '.join(multiprocessing.get_all_start_methods())}; got {start_method!r}"
        )
    return multiprocessing.get_context(start_method)


@dataclass
class _Job:
    """An item, pickled with its number, and the number of attempts."""

    number: int
    message: bytes
    attempts: int = 0

    @classmethod
    def of(cls, number: int, item: object) -> _Job:
        return cls(number, bytes(ForkingPickler.dumps((number, item))))

    def goes_to(self, worker: _Worker) -> bool:
        """Whether the worker can take this job now. A long message is only sent to an idle worker: a busy worker may be
        about to send a long result, and then both would wait for the other to read.
        """
        return len(worker.jobs) < (_AT_A_WORKER if len(self.message) <= _SHORT else 1)


class _Worker:
    """A process, its pipe, and the jobs that it has not answered yet, in order: it is at work on the first."""

    def __init__(self, context: Any, work: Callable[[Any], Any], others: list[Connection]) -> None:  # noqa: ANN401  # contexts share no type that has Process
        self.pipe, theirs = context.Pipe()
        # A forked process has copies of all pipes. A copy of our end would keep the process from noticing that the
        # parent is gone.
        inherited = [*others, self.pipe] if context.get_start_method() == "fork" else []
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, inherited, work), daemon=True)
        with without_interrupts(), _without_current_folder():
            self.process.start()
        theirs.close()
        self.jobs: deque[_Job] = deque()
        self.is_ready = False  # whether it has asked for work

    def give(self, job: _Job) -> None:
        """Send a job. If the worker is dead, `_collect` will notice."""
        self.jobs.append(job)
        with contextlib.suppress(OSError):
            self.pipe.send_bytes(job.message)

    def end(self) -> None:
        """End the process now."""
        self.pipe.close()
        self.process.terminate()
        self.process.join(_GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


@contextlib.contextmanager
def _without_current_folder() -> Iterator[None]:
    """Keep spawned Python processes from importing modules from the current folder first, which may contain a foreign
    multiprocessing.py.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


class Workers(Generic[Item, Result]):
    """`number` processes, each with a copy of `work`, which it calls with one item after the other.

    `work` must not raise: an exception ends the worker, and the item counts as its killer. A context manager; at its
    end all processes are ended, even if they are at work. Raises `OptionError` if `work` has to be pickled and cannot
    be.
    """

    def __init__(self, work: Callable[[Item], Result], number: int, *, start_method: str | None = None) -> None:
        self._start_method = start_method
        self._work = work
        self._number = number
        self._workers: list[_Worker] = []
        self._again: deque[_Job] = deque()
        self._done: dict[int, Result | Lost] = {}
        # `connection.wait` makes a selector for each call, which takes longer than to wait; on Windows there is no other.
        self._selector = None if sys.platform == "win32" else selectors.DefaultSelector()
        if context_of(start_method).get_start_method() != "fork":
            try:
                pickle.dumps(work)
            except Exception as error:
                raise OptionError(f"the work must be picklable, unless workers are forked: {error}") from error

    def __enter__(self) -> Workers[Item, Result]:
        # Start at once, because of fork: later there may be threads.
        try:
            for _ in range(self._number):
                self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        while self._workers:
            self._end(self._workers[-1])
        if self._selector is not None:
            self._selector.close()

    def map(self, items: Iterable[Item]) -> Iterator[Result | Lost]:
        """Apply `work` to each item, in order. Takes only as many items in advance as keep the workers busy.

        Raises `ChunkerError` if workers cannot start at all.
        """
        jobs = (_Job.of(number, item) for number, item in enumerate(items))
        taken = following = 0  # items taken; the number of the next result
        exhausted = False
        while True:
            while self._again or (not exhausted and taken - following < _AHEAD * self._number):
                job = self._again.popleft() if self._again else next(jobs, None)
                if job is None:
                    exhausted = True
                    break
                taken = max(taken, job.number + 1)
                worker = self._worker_for(job)
                if worker is None:
                    self._again.appendleft(job)
                    break
                worker.give(job)
            while following in self._done:
                yield self._done.pop(following)
                following += 1
            if exhausted and following == taken:
                return
            if any(worker.jobs for worker in self._workers):
                self._collect()

    def _start(self) -> None:
        others = [other.pipe for other in self._workers]
        worker = _Worker(context_of(self._start_method), self._work, others)
        self._workers.append(worker)
        if self._selector is not None:
            self._selector.register(worker.pipe, selectors.EVENT_READ, worker)

    def _end(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        if self._selector is not None:
            self._selector.unregister(worker.pipe)
        worker.end()

    def _answering(self) -> list[_Worker]:
        """Wait for workers that have answered, or are gone; none of them after a while."""
        if self._selector is not None:
            return [key.data for key, _ in self._selector.select(_LOOK)]
        by_pipe = {worker.pipe: worker for worker in self._workers}
        return [by_pipe[pipe] for pipe in wait(by_pipe, _LOOK) if isinstance(pipe, Connection)]

    def _worker_for(self, job: _Job) -> _Worker | None:
        """Return the worker with the fewest jobs; None if it has enough."""
        while len(self._workers) < self._number:
            self._start()
        worker = min(self._workers, key=lambda worker: len(worker.jobs))
        return worker if job.goes_to(worker) else None

    def _collect(self) -> None:
        """Wait for results, and handle dead workers."""
        answering = self._answering()
        for worker in answering:
            self._receive(worker)
        if not answering:
            # A child process of a dead worker may keep its pipe open.
            for worker in [worker for worker in self._workers if not worker.process.is_alive()]:
                self._receive(worker) if worker.pipe.poll() else self._bury(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            number, result = worker.pipe.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        except Exception as error:  # noqa: BLE001 - whatever a class raises when it is unpickled, it spoils one result
            number, result = worker.jobs[0].number, Lost(f"the result cannot be read: {error}")
        if number == _READY:
            worker.is_ready = True
        else:
            worker.jobs.popleft()
            self._done[number] = result

    def _bury(self, worker: _Worker) -> None:
        """Handle a dead worker: try its current item once more; the items after it are processed as usual."""
        worker.process.join(_GRACE)
        exit_code = worker.process.exitcode
        jobs = worker.jobs
        self._end(worker)
        if not worker.is_ready and exit_code is not None and exit_code > 0:
            raise ChunkerError(
                "worker processes cannot start (see standard error); a script that uses workers must do its work "
                'under if __name__ == "__main__":'
            )
        if jobs:
            jobs[0].attempts += 1
            if jobs[0].attempts == _ATTEMPTS:
                self._done[jobs.popleft().number] = Lost(_cause_of_death(exit_code))
        self._again.extend(jobs)


def _cause_of_death(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        with contextlib.suppress(ValueError):
            return f"the worker process was killed by {signal.Signals(-exit_code).name}, {_ATTEMPTS} times"
    return f"the worker process ended with exit code {exit_code}, {_ATTEMPTS} times"


def _serve(pipe: Connection, inherited: list[Connection], work: Callable[[Any], Any]) -> None:
    """Run the loop of a worker: answer each item with a result, until there are no more."""
    # Ctrl-C reaches all processes of a terminal; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A signal handler of the parent, perhaps for cleaning up, is not meant for its workers.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for connection in inherited:
        connection.close()
    with contextlib.suppress(EOFError, OSError):  # the parent is gone, or wants no more
        pipe.send((_READY, None))
        while True:
            number, item = pipe.recv()
            result = work(item)
            try:
                pipe.send((number, result))
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                pipe.send((number, Lost(f"the result cannot be sent: {error}")))
