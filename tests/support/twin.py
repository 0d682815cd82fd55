"""The other implementation, in a process of its own, that answers the same calls.

A call is a list of steps on one tokenizer; an answer is a value or an exception, as (type name, message).
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from typing import IO, Any

Answer = tuple[str, Any]


def perform(tokenizer: Any, steps: list[tuple[Any, ...]]) -> list[Answer]:
    """Run the steps, each (method, arguments, keyword arguments): on the tokenizer, or on what "open" made last.

    ("open", name, *arguments) calls a method of the tokenizer and goes on with what it gives; ("mark",) takes a
    snapshot; ("back", n) returns to the n-th of those; ("get", name) reads an attribute.
    """
    current = tokenizer
    marks: list[Any] = []
    answers: list[Answer] = []
    for operation, *arguments in steps:
        try:
            if operation == "open":
                current, marks = getattr(tokenizer, arguments[0])(*arguments[1:]), []
                value: Any = None
            elif operation == "mark":
                marks.append(current.snapshot())
                value = len(marks)
            elif operation == "back":
                value = current.rollback(marks[arguments[0]])
            elif operation == "get":
                value = getattr(current, arguments[0])
            else:
                positional, named = arguments
                value = getattr(current, operation)(*positional, **named)
            answers.append(("value", value.tolist() if isinstance(value, memoryview) else value))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other has to raise the same
            # Which byte without a token is met first depends on the way of reading.
            message = "" if type(error).__name__ == "EncodingError" else str(error)
            answers.append((type(error).__name__, message))
            if operation == "open":
                break
    return answers


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if not head:
        raise EOFError
    (size,) = struct.unpack("<Q", head)
    return pickle.loads(stream.read(size))


class Twin:
    """The other implementation. `perform` answers as the function does, with a tokenizer that is pickled once."""

    def __init__(self, implementation: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, implementation], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._known: set[str] = set()

    def perform(self, name: str, vocabulary: Any, steps: list[tuple[Any, ...]]) -> list[Answer]:
        """`perform` on the tokenizer of a vocabulary; `name` stands for it from then on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _send(self._process.stdin, (name, None if name in self._known else vocabulary, steps))
        self._known.add(name)
        answers: list[Answer] = _receive(self._process.stdout)
        return answers

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)
        self._process.stdout.close()


def _serve(implementation: str) -> None:
    os.environ["BPE_ENGINE_IMPLEMENTATION"] = implementation
    import bpe_engine  # noqa: PLC0415 - it reads the variable when it is imported

    assert bpe_engine.implementation() == implementation
    tokenizers: dict[str, Any] = {}
    while True:
        try:
            name, vocabulary, steps = _receive(sys.stdin.buffer)
        except EOFError:
            return
        if name not in tokenizers:
            tokenizers[name] = bpe_engine.Tokenizer(vocabulary)
        _send(sys.stdout.buffer, perform(tokenizers[name], steps))


if __name__ == "__main__":
    _serve(sys.argv[1])
