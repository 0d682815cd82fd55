"""Offsets where parsing of JSON can resume: each record, and each member and element but the first. The state to resume
from is the open containers.

    {"servers": [{"port": 1},
                 {"port": 2}]}      from the second element on, after the preamble  {"":[0,

A string ends with its line, so only containers are open there.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

import regex

from chunker.formats.nesting import NestingRank, strength_at
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

# An opening bracket that is one character for a reader with what follows it.
_HIDDEN = regex.compile(r"[\[{][ \t]*+[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
# Deeper containers are small.
_DEEPEST = 4
_DEPTHS = {strength_at(depth): depth for depth in range(_DEEPEST + 1)}
_DEPTHS_OF_ALL = _DEPTHS | {strength_at(depth, NestingRank.FIRST): depth for depth in range(1, _DEEPEST + 1)}


class JsonRestarts(Restarts):
    """Restart rules for JSON, from most members, elements and records."""

    # The contexts of elements contain their numbers.
    numbered: ClassVar[str | None] = "element"

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the restart offsets down to a limited depth. If a container has no boundary at its first member, its
        kind is unknown, and if that cannot be seen from the others, so is all after it.
        """
        places = []
        known = 0  # the depth down to which the kinds of containers are known
        # No boundary cuts a character from its accent, so this container has none at its first member.
        hidden = None if text.isascii() else _HIDDEN.search(text)
        end = len(text) if hidden is None else hidden.start()
        for offset, strength in zip(outline.offsets, outline.strengths, strict=True):
            depth = _DEPTHS_OF_ALL.get(strength)
            if offset > end:
                break
            if depth is None or depth > known + 1:
                continue
            known = depth
            if offset >= start and strength in _DEPTHS:
                places.append(offset)
        return places

    def preamble(self, _text: str, outline: Outline, place: int, /) -> str:
        """Return the opening brackets of the open containers, with a short first member in place of the earlier
        ones.
        """
        row = bisect_left(outline.offsets, place)
        depth = _DEPTHS[outline.strengths[row]]
        if depth == 0:
            return "[]\n"
        openings = [""] * depth
        missing = depth
        while missing:
            if _DEPTHS_OF_ALL.get(outline.strengths[row]) == missing:
                missing -= 1
                openings[missing] = "[" if outline.labels[row] == "element" else '{"":'
            row -= 1
        return "".join(openings) + "0,\n"
