"""Damaged files for the tests of readers: each is read, or refused by a VocabularyError that names the file; nothing else is raised."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from bpe_engine import VocabularyError


def damaged(data: bytes, number: int, seed: int = 0) -> list[bytes]:
    """Copies of `data`: cut short, with bytes changed, with pieces taken out, doubled or put elsewhere."""
    chance = random.Random(seed)
    copies = [data[: len(data) * part // number] for part in range(number)]
    for _ in range(number):
        place = chance.randrange(len(data))
        size = min(chance.choice((1, 1, 2, 4, 8)), len(data) - place)
        instead = chance.choice((b"\0" * size, b"\xff" * size, chance.randbytes(size)))
        copies.append(data[:place] + instead + data[place + size :])
    for _ in range(number):
        start, other = chance.randrange(len(data)), chance.randrange(len(data))
        piece = data[start : start + chance.randrange(1, 64)]
        copies.append(data[:other] + piece + data[other:])
        copies.append(data.replace(piece, b"", 1))
    return copies


def refused(path: Path, data: bytes, read: Callable[[Path], object]) -> str | None:
    """The message with which `read` refuses a file with these contents, None where it reads it. The message names the file.

    Reading takes no more than a hundred times the size of the file, and 40 MB.
    """
    path.write_bytes(data)
    tracemalloc.start()
    try:
        read(path)
    except VocabularyError as error:
        message = str(error)
    else:
        return None
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert str(path.parent) in message, message
    assert most < 100 * len(data) + 40_000_000, (most, message)
    return message
