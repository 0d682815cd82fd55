"""Offsets of tokens in a text, in characters or in bytes.

"naïve 👍"          tokens     na | ïve | ·\\xf0\\x9f | \\x99 | \\x82
in bytes             0 | 2 | 6 | 9 | 10
in characters        0 | 2 | 5 | 6 | 6         a token that starts inside a character has the offset of that character
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal

from bpe_engine.text.input import byte_places, source_places

Unit = Literal["characters", "bytes"]


def unit_of(text: str | bytes, unit: Unit | None) -> Unit:
    """Return the unit of offsets into `text`: `unit`, or the text's own unit if that is None. Raises ValueError for an unknown unit.

    >>> unit_of("a", None), unit_of(b"a", None), unit_of("a", "bytes")
    ('characters', 'bytes', 'bytes')
    """
    if unit not in ("characters", "bytes", None):
        raise ValueError(f'unit must be "characters" or "bytes", not {unit!r}')
    return unit or ("characters" if isinstance(text, str) else "bytes")


def character_starts(characters: str, starts: Sequence[int]) -> list[int]:
    """Convert byte offsets into the received `characters`, ascending, to the numbers of the characters that they are in.

    >>> character_starts("aé b", [0, 1, 2, 3, 5])
    [0, 1, 1, 2, 4]
    """
    places = byte_places(characters)
    found = []
    character = 0
    last = len(characters)
    for start in starts:
        while character < last and places[character + 1] <= start:
            character += 1
        found.append(character)
    return found


def in_unit(
    text: str | bytes,
    characters: str,
    starts: list[int],
    unit: Unit,
    character_starts: Callable[[str, list[int]], list[int]] = character_starts,
) -> list[int]:
    """Convert byte offsets into the received `characters`, ascending, to offsets into the `text` that they come from.

    For a str, byte offsets count its UTF-8, with U+FFFD for a lone surrogate; for bytes, its own bytes. A byte that is
    not UTF-8 is one character.

    >>> in_unit("aé b", "aé b", [0, 1, 2, 3, 5], "characters"), in_unit("é", "é", [1], "bytes")
    ([0, 1, 1, 2, 4], [1])
    """
    if unit == "bytes" or characters.isascii():
        return starts
    found = character_starts(characters, starts)
    if isinstance(text, str) and len(text) != len(characters):  # surrogate pairs, of which each became one character
        place_of = source_places(text, characters)
        found = [place_of[offset] for offset in found]
    return found


def starts_of_parts(lengths: Iterable[int]) -> list[int]:
    """Return the start offsets of consecutive parts of these lengths.

    >>> starts_of_parts([2, 3, 1])
    [0, 2, 5]
    """
    return list(accumulate(lengths, initial=0))[:-1]


def starts_of_pieces(
    characters: str,
    spans: Iterable[tuple[int, int]],
    encode: Callable[[str], Sequence[int]],
    bytes_of: Callable[[int], bytes],
) -> list[int]:
    """Return the byte offsets of the tokens of pieces of a text. `spans` are the pieces, in characters; there may be gaps between them."""
    places = byte_places(characters)
    return [
        places[start] + offset
        for start, end in spans
        for offset in starts_of_parts(len(bytes_of(token)) for token in encode(characters[start:end]))
    ]
