"""All code points, by planes and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hypothesis import settings

from bpe_engine.text.unicode_classes import stand_ins

PLANES = range(17)
BLOCK = 256
SURROGATES = range(0xD800, 0xE000)
# Where nothing is assigned, or all is of private use, one block is as the next: every sixteenth is read, and all of
# them with
# --hypothesis-profile=thorough.
ALIKE = {*range(4, 14), 15, 16}
STEP = 16
# The Digits of `tokenizers` knows thirteen digits of Unicode 17, its expressions do not, nor do we.
DISPUTED = {*map(chr, range(0x11DE0, 0x11DEA)), *map(chr, range(0x16FF4, 0x16FF7))}


def blocks(plane: int) -> list[range]:
    """The blocks of 256 code points of a plane, but surrogates; the first, the last and some in between where all are alike."""
    first = plane << 16
    all_blocks = [range(start, start + BLOCK) for start in range(first, first + (1 << 16), BLOCK)]
    if plane in ALIKE and settings.get_current_profile_name() != "thorough":
        return [*all_blocks[:-1:STEP], all_blocks[-1]]
    return [block for block in all_blocks if block[0] not in SURROGATES]


@cache
def classes(start: int) -> str:
    """The classes of characters in the block that begins there, each once; "" beyond the ends and for surrogates."""
    if start in SURROGATES or not 0 <= start < 0x110000:
        return ""
    return "".join(sorted(set(stand_ins("".join(map(chr, range(start, start + BLOCK)))))))


def surroundings_of(block: range, surroundings: Sequence[str]) -> Sequence[str]:
    """Those that each character of a block is put into.

    In the middle of a large area of one class, such as the ideographs, every sixteenth block is put into all of them,
    any other into the first one; with --hypothesis-profile=thorough each into all.
    """
    first = block[0]
    own = classes(first)
    is_inside = len(own) == 1 and classes(first - BLOCK) == own == classes(first + BLOCK)
    if is_inside and first // BLOCK % STEP != 0 and settings.get_current_profile_name() != "thorough":
        return surroundings[:1]
    return surroundings


def code_points(plane: int) -> list[str]:
    """The characters of `blocks`."""
    return [chr(code_point) for block in blocks(plane) for code_point in block]
