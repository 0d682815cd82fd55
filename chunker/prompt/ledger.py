"""The tokens of each section: its limit, what it uses, what it is promised.

    prompt   limit 1000   used 420   promised 200 to "history"        room for an item of "context": at most 380
      context  given 500  used 300                                     and at most 200
      history  min_tokens 200, not yet filled

Each step of the prompt's growth is booked to the sections around the item that caused it, so the tokens of the prompt
are those of its frame and of all bookings.
"""

from __future__ import annotations

from dataclasses import dataclass

from chunker.prompt.layout import Layout, Leaf, Region
from chunker.prompt.report_fields import SectionReport


@dataclass(slots=True)
class _Closing:
    """The state when a section was filled."""

    region: Region
    given: int
    used: int


class SectionLedger:
    """The budgets of the sections, and the tokens that each has used."""

    def __init__(self, layout: Layout, room: int, frame: int) -> None:
        self.limits: dict[Region, int | None] = {region: region.section.max_tokens for region in layout.regions}
        self.limits[layout.root] = room
        self.used = dict.fromkeys(layout.regions, 0)
        self.used[layout.root] = frame
        # Sections with promised tokens that were not given their budget yet.
        self._open = {region for region in layout.regions if region.section.min_tokens}
        self._closed: list[_Closing] = []

    def book(self, region: Region, tokens: int) -> None:
        """Record that the prompt has grown by `tokens` in a section."""
        for around in region.around:
            self.used[around] += tokens

    def room(self, leaf: Leaf, scope: Region) -> int:
        """Return by how many tokens the prompt may grow at a leaf, under the limits of the sections up to `scope`."""
        least: int | None = None
        for region in leaf.region.around:
            limit = self.limits[region]
            if limit is not None:
                room = limit - self.used[region]
                if self._open:
                    room -= self.promised(region, leaf.place)
                if least is None or room < least:
                    least = room
            if region is scope:
                break
        return 0 if least is None else least

    def promised(self, region: Region, place: int | None = None, *, outside: Region | None = None) -> int:
        """Return the tokens promised to sections in a region and not used yet; sections around leaf `place`, and `outside`, do not count."""
        if not self._open:
            return 0
        tokens = 0
        for inner in region.budgeted:
            if inner is outside:
                continue
            # At most `layout.DEEPEST` sections are inside each other.
            if place is not None and inner.holds(place):
                tokens += self.promised(inner, place, outside=outside)
            else:
                tokens += self.owed(inner)
        return tokens

    def owed(self, region: Region) -> int:
        """Return the tokens still promised to a section or, if that is more, to the sections in it."""
        own = region.section.min_tokens - self.used[region] if region in self._open else 0
        return max(own, self.promised(region), 0)

    def give(self, inner: Region, scope: Region, part: int, passed_on: int) -> int:
        """Give a section its budget from its share `part` and the surplus of others, `passed_on`; return the tokens that it may use in all."""
        free = min(
            limit - self.used[region] - self.promised(region, outside=inner)
            for region in inner.around[1 : inner.around.index(scope) + 1]
            if (limit := self.limits[region]) is not None
        )
        used = self.used[inner]
        given = min(max(part, used + self.owed(inner)) + passed_on, used + max(free, 0))
        if inner.section.max_tokens is not None:
            given = min(given, inner.section.max_tokens)
        given = max(given, used)
        self.limits[inner] = given
        self._open.discard(inner)
        return given

    def close(self, region: Region) -> int:
        """Close a section that was filled; return the tokens that it leaves to others."""
        given, used = self.limits[region], self.used[region]
        if given is None or used > given:
            raise AssertionError(f"section {region.section.name!r} has used {used} tokens and was given {given}")
        self.limits[region] = region.section.max_tokens
        self._closed.append(_Closing(region, given, used))
        return given - used

    def reports(self) -> tuple[SectionReport, ...]:
        """The reports of all sections that had a budget, in the order in which they were filled."""
        return tuple(
            SectionReport(
                name=closing.region.path,
                # Groups that stand in several sections may have come in later, with tokens of the section around all of
                # them.
                given=closing.given + self.used[closing.region] - closing.used,
                used=self.used[closing.region],
                passed_on=closing.given - closing.used,
            )
            for closing in self._closed
        )
