"""The command `chunker` as a process of its own, without the half second that importing it takes.

A server has imported what the command imports. For each run it forks, and the child becomes the command: its own
folder, environment and pipes, its own exit. What only the start of an interpreter reads (PYTHONIOENCODING, a locale)
belongs to the server: there is one for each set of these variables.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

_READ_AT_START = ("PYTHON", "BPE_ENGINE", "LC_", "LANG")
_STATUS = struct.Struct("<i")


def run(
    arguments: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: bytes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `chunker` with these arguments; as `subprocess.run` does with captured output, and `given` as its input."""
    environment = dict(os.environ if env is None else env)
    folder = Path.cwd() if cwd is None else cwd
    if not hasattr(os, "fork"):
        command = [sys.executable, "-m", "chunker", *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, input=given, capture_output=True, check=False, timeout=60
        )
    start = frozenset(item for item in environment.items() if item[0].startswith(_READ_AT_START))
    if start not in _servers:
        _servers[start] = _Server(environment)
    return _servers[start].run(list(arguments), str(folder), environment, given)


class _Server:
    """A process that forks commands."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(theirs.fileno())],
            env=dict(environment),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait(timeout=20)

    def run(
        self, arguments: list[str], folder: str, environment: Mapping[str, str], given: bytes | None
    ) -> subprocess.CompletedProcess[bytes]:
        """One command."""
        with contextlib.ExitStack() as stack:
            theirs, ours = [], []
            for number in range(3):
                reads, writes = os.pipe()
                theirs.append(reads if number == 0 else writes)
                ours.append(stack.enter_context(os.fdopen(*((writes, "wb") if number == 0 else (reads, "rb")))))
            request = pickle.dumps((arguments, folder, dict(environment)))
            socket.send_fds(self._socket, [struct.pack("<I", len(request))], theirs)
            self._socket.sendall(request)
            for number in theirs:
                os.close(number)
            (child,) = _STATUS.unpack(_exactly(self._socket, _STATUS.size))
            outputs: dict[int, bytes] = {}
            threads = [
                threading.Thread(target=lambda: _write(ours[0], given or b"")),
                *(threading.Thread(target=lambda n=n: outputs.update({n: ours[n].read()})) for n in (1, 2)),
            ]
            for thread in threads:
                thread.start()
            self._socket.settimeout(60)
            try:
                (code,) = _STATUS.unpack(_exactly(self._socket, _STATUS.size))
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise
            finally:
                self._socket.settimeout(None)
                for thread in threads:
                    thread.join()
        return subprocess.CompletedProcess(["chunker", *arguments], code, outputs[1], outputs[2])


_servers: dict[frozenset[tuple[str, str]], _Server] = {}


def _write(stream: io.BufferedWriter, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), stream:
        stream.write(data)


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _serve(connection: socket.socket) -> list[str]:
    """Fork for each request; the child returns the arguments of its command."""
    while True:
        head, numbers, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            os._exit(0)
        (size,) = struct.unpack("<I", head)
        arguments, folder, environment = pickle.loads(_exactly(connection, size))
        child = os.fork()
        if child == 0:
            connection.close()
            for number, given in enumerate(numbers):
                os.dup2(given, number)
                os.close(given)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            _renew_streams()
            return arguments  # type: ignore[no-any-return]
        for number in numbers:
            os.close(number)
        connection.sendall(_STATUS.pack(child))
        _, status = os.waitpid(child, 0)
        connection.sendall(_STATUS.pack(os.waitstatus_to_exitcode(status)))


def _renew_streams() -> None:
    """Make the standard streams as the interpreter makes them, of the descriptors that are there now."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        raw = io.FileIO(number, "wb" if number else "rb", closefd=False)
        buffer = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        made = io.TextIOWrapper(buffer, encoding=old.encoding, errors=old.errors, line_buffering=number == 2)
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)


def _become_the_command() -> None:
    for name in ("chunker.__main__", "chunker.cli.app", "chunker.files.chunk_files", "chunker.index", "chunker.prompt"):
        importlib.import_module(name)
    importlib.import_module("bpe_engine").Tokenizer.load("o200k_base").count("")
    arguments = _serve(socket.socket(fileno=int(sys.argv[1])))
    # As `python -m chunker` has it.
    main = sys.modules["chunker.__main__"]
    sys.modules["__main__"] = main
    sys.argv = [str(main.__file__), *arguments]
    main.main()


if __name__ == "__main__":
    _become_the_command()
