"""Offsets of tokens in a text, in characters or in bytes.

"naïve 👍"          tokens     na | ïve | ·\\xf0\\x9f | \\x99 | \\x82
in bytes             0 | 2 | 6 | 9 | 10
in characters        0 | 2 | 5 | 6 | 6         a token that starts inside a character has the place of that character
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal

from bpe_engine.text.input import byte_places, source_places

Unit = Literal["characters", "bytes"]


def unit_of(text: str | bytes, unit: Unit | None) -> Unit:
    """The unit of offsets into `text`: its own where none is asked for. Raises ValueError for one that is none.

    >>> unit_of("a", None), unit_of(b"a", None), unit_of("a", "bytes")
    ('characters', 'bytes', 'bytes')
    """
    if unit not in ("characters", "bytes", None):
        raise ValueError(f'unit is "characters" or "bytes", not {unit!r}')
    return unit or ("characters" if isinstance(text, str) else "bytes")


def in_unit(text: str | bytes, characters: str, starts: Sequence[int], unit: Unit) -> list[int]:
    """Byte offsets into the received `characters`, ascending, as offsets into the `text` that they were received from.

    Bytes are those of the UTF-8 of the text, with U+FFFD for a lone surrogate; of bytes, its own. A byte that is no UTF-8 is a character.

    >>> in_unit("aé b", "aé b", [0, 1, 2, 3, 5], "characters"), in_unit("é", "é", [1], "bytes")
    ([0, 1, 1, 2, 4], [1])
    """
    if unit == "bytes" or characters.isascii():
        return list(starts)
    places = byte_places(characters)
    found = []
    character = 0
    last = len(characters)
    for start in starts:
        while character < last and places[character + 1] <= start:
            character += 1
        found.append(character)
    if isinstance(text, str) and len(text) != last:  # surrogate pairs, of which each became one character
        place_of = source_places(text, characters)
        found = [place_of[offset] for offset in found]
    return found


def starts_of_parts(lengths: Iterable[int]) -> list[int]:
    """The offsets of parts of these lengths, one after the other.

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
    """The byte offsets of the tokens of pieces of a text, between which there may be gaps. `spans` are the pieces, in characters."""
    places = byte_places(characters)
    return [
        places[start] + offset
        for start, end in spans
        for offset in starts_of_parts(len(bytes_of(token)) for token in encode(characters[start:end]))
    ]
