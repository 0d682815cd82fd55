"""All code points, by planes and blocks."""

from __future__ import annotations

from hypothesis import settings

PLANES = range(17)
BLOCK = 256
SURROGATES = range(0xD800, 0xE000)
# Where nothing is assigned, or all is of private use, one block is as the next: every sixteenth is read, and all of them with
# --hypothesis-profile=thorough.
ALIKE = {*range(4, 14), 15, 16}
STEP = 16


def blocks(plane: int) -> list[range]:
    """The blocks of 256 code points of a plane, but surrogates; the first, the last and some in between where all are alike."""
    first = plane << 16
    all_blocks = [range(start, start + BLOCK) for start in range(first, first + (1 << 16), BLOCK)]
    if plane in ALIKE and settings.get_current_profile_name() != "thorough":
        return [*all_blocks[:-1:STEP], all_blocks[-1]]
    return [block for block in all_blocks if block[0] not in SURROGATES]


def code_points(plane: int) -> list[str]:
    """The characters of `blocks`."""
    return [chr(code_point) for block in blocks(plane) for code_point in block]
