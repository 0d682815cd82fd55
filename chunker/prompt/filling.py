"""Fill the prompt: the required items, then section by section the items that fit, by priority.

    1. Required items, all of them. What is too much is cut from those that may be cut, the least important first; what sections are
       promised (`min_tokens`) is not touched.
    2. In each section, from the whole prompt inwards: its stable items, in the same way as in 4.
    3. Then the sections in it that have a budget, in their order. What one of them leaves goes on to the next.
    4. Then the items that stand in it and in no such section, the most important first, each if it fits: with all its separators,
       headers and frames, in the sections around it and in the prompt.
    5. Last the items that grow, in proportion to their weights.

Every step is priced where it happens, in `joining.Row`, so what was decided stays true: a section never uses more than
it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chunker.counting import TokenCounter
from chunker.prompt.errors import RequiredItemsError
from chunker.prompt.groups import Group, groups_of, rank
from chunker.prompt.joining import Row
from chunker.prompt.layout import Layout, Leaf, Region
from chunker.prompt.ledger import SectionLedger
from chunker.prompt.pricing import Pricer
from chunker.prompt.report_fields import Reason
from chunker.prompt.truncating import Cutter, Version

# An item that does not fit for these reasons would fit nowhere, so "strict" does not stop at it.
_ITS_OWN_FAULT = ("empty", "duplicate", "maximum")


@dataclass(slots=True)
class FillOutcome:
    """The outcome for one item so far."""

    reason: Reason | None = None
    tokens: int = 0
    kept: tuple[tuple[int, int], ...] = ()
    step: int | None = None
    added: int = 0


class Filler:
    """Fills one prompt, once."""

    def __init__(self, layout: Layout, tokenizer: TokenCounter, room: int, *, drop_duplicates: bool) -> None:
        self._layout = layout
        self._tokenizer = tokenizer
        self._reach = room
        self._pricer = Pricer.remembering(tokenizer)
        self._drop_duplicates = drop_duplicates
        self._texts: set[str] = set()
        self._cutters: dict[int, Cutter] = {}
        self._step = 0
        self.row = Row(len(layout.leaves), self._pricer, layout.glue, layout.kinds.__getitem__)
        self.frame = self.row.total
        self.ledger = SectionLedger(layout, room, self.frame)
        self.outcomes = [FillOutcome() for _ in layout.leaves]
        self._groups = groups_of(layout.leaves)
        self._competing: dict[Region, list[Leaf]] = {}
        for leaf in layout.leaves:
            group = self._groups[leaf.place]
            if not group.required:
                self._competing.setdefault(group.scope, []).append(leaf)

    def fill(self) -> None:
        """Fill the prompt. Raises `RequiredItemsError` if the required items do not fit."""
        self._put_required()
        self._fill_region(self._layout.root)

    def tokens_alone(self, leaf: Leaf) -> int:
        """Tokens of the item's whole text by itself."""
        return self._pricer.priced(leaf.content).tokens

    # --- one item

    def _try(self, leaf: Leaf, scope: Region, most: int | None = None) -> bool:
        """Put an item in if it fits, whole or cut to at most `most` tokens of its own; if not, record the reason. Return whether it was put in."""
        outcome, item = self.outcomes[leaf.place], leaf.item
        whole = self._pricer.priced(leaf.content)
        allowed = whole.tokens
        if item.max_tokens is not None and item.max_tokens < allowed:
            allowed = item.max_tokens
        too_long = allowed < whole.tokens
        if most is not None and most < allowed:
            allowed = most
        room = self.ledger.room(leaf, scope)
        if allowed == whole.tokens and self.row.price(leaf.place, whole) <= room:
            self._put_whole(leaf)
            return True
        outcome.reason = self._why(room, too_long=too_long)
        if item.truncate is None or room <= 0:
            return False
        version = self._cutter(leaf, min(room, allowed)).fitting(room, allowed, self._price_at(leaf))
        if version is None:
            outcome.reason = "minimum" if item.min_tokens else outcome.reason
            return False
        self._put(leaf, version)
        return True

    def _why(self, room: int, *, too_long: bool) -> Reason:
        if too_long:
            return "maximum"
        root = self._layout.root
        return "section" if room < (self.ledger.limits[root] or 0) - self.ledger.used[root] else "budget"

    def _skipped(self, leaf: Leaf) -> Reason | None:
        """Return the reason to skip an item without trying it; None if it is to be tried."""
        # In a chat a message may be empty if it answers a call.
        if not leaf.content and (leaf.item.tool_call_id is None or leaf.region.speaker is not None):
            return "empty"
        if self._drop_duplicates and leaf.content in self._texts and len(self._groups[leaf.place].leaves) == 1:
            return "duplicate"
        return None

    def _price_at(self, leaf: Leaf) -> Callable[[Version], int]:
        return lambda version: self.row.price(leaf.place, version.priced or version.text)

    def _cutter(self, leaf: Leaf, tokens: int) -> Cutter:
        """Return a cutter for versions of up to `tokens` tokens. The cutter of an item that grows is kept, as it is used again."""
        cutter = self._cutters.get(leaf.place)
        if cutter is None:
            reach = self._reach if leaf.item.grow else tokens
            cutter = Cutter(leaf.item, leaf.content, self._tokenizer, pricer=self._pricer, reach=reach)
            if leaf.item.grow:
                self._cutters[leaf.place] = cutter
        return cutter

    def _put_whole(self, leaf: Leaf) -> None:
        whole = self._pricer.priced(leaf.content)
        self._put(leaf, Version(whole.text, ((0, len(whole.text)),), whole.tokens, whole))
        self.outcomes[leaf.place].reason = None

    def _put(self, leaf: Leaf, version: Version) -> None:
        outcome = self.outcomes[leaf.place]
        outcome.kept, outcome.tokens, outcome.step = version.kept, version.tokens, self._step
        self._step += 1
        grown = self.row.put(leaf.place, version.priced or version.text)
        # Growth is booked to the item that caused it, so items and frame add up to the whole, even after some are
        # removed.
        outcome.added += grown
        self.ledger.book(leaf.region, grown)
        if self._drop_duplicates:
            self._texts.add(leaf.content)

    def _take(self, leaf: Leaf) -> None:
        """Take an item out of the prompt again."""
        outcome = self.outcomes[leaf.place]
        grown = self.row.take(leaf.place)
        outcome.kept, outcome.tokens, outcome.step = (), 0, None
        outcome.added += grown
        self.ledger.book(leaf.region, grown)
        self._texts.discard(leaf.content)

    # --- what is required

    def _put_required(self) -> None:
        required = [leaf for leaf in self._layout.leaves if self._groups[leaf.place].required]
        required.sort(key=rank)
        for leaf in required:
            self.outcomes[leaf.place].reason = "empty" if self._skipped(leaf) == "empty" else None
        required = [leaf for leaf in required if self.outcomes[leaf.place].reason is None]
        for leaf in required:
            self._put_whole(leaf)
        for leaf in reversed(required):
            most = leaf.item.max_tokens
            too_long = most is not None and self.outcomes[leaf.place].tokens > most
            if leaf.item.truncate is None or not (too_long or self.ledger.room(leaf, self._layout.root) < 0):
                continue
            self._take(leaf)
            # If even its smallest part is too much, the next item will be cut as well.
            if not self._try(leaf, self._layout.root):
                self._put_least(leaf)
        self._check_required(required)

    def _put_least(self, leaf: Leaf) -> None:
        version = self._cutter(leaf, leaf.item.min_tokens).least()
        if version is None:
            self._put_whole(leaf)
        else:
            self._put(leaf, version)

    def _check_required(self, required: list[Leaf]) -> None:
        for region in self._layout.regions:
            limit = self.ledger.limits[region]
            promised = self.ledger.promised(region)
            if limit is not None and self.ledger.used[region] + promised > limit:
                needed = [(leaf.id, self.outcomes[leaf.place].tokens) for leaf in required if region.holds(leaf.place)]
                between = self.ledger.used[region] - sum(tokens for _, tokens in needed)
                owner = f"section {region.path!r}" if region.parent else "the prompt"
                raise RequiredItemsError(needed, max(limit - promised, 0), owner, between=between, promised=promised)
        for leaf in required:
            most = leaf.item.max_tokens
            if most is not None and self.outcomes[leaf.place].tokens > most:
                raise RequiredItemsError(
                    [(leaf.id, self.outcomes[leaf.place].tokens)], most, f"item {leaf.id!r} (max_tokens)"
                )

    # --- section by section

    def _fill_region(self, region: Region) -> None:
        ledger = self.ledger
        waiting = self._competing.get(region, [])
        stopped: set[Region] = set()
        self._fill_items((leaf for leaf in waiting if leaf.item.stable), region, stopped)
        limit = ledger.limits[region]
        if limit is None:
            raise AssertionError("a section is filled after it was given its budget")
        # Sections share what the required and stable items outside of them leave. A section's own are part of its
        # share.
        base = max(limit - ledger.used[region] + sum(ledger.used[inner] for inner in region.budgeted), 0)
        passed_on = 0
        for inner in region.budgeted:
            section = inner.section
            part = section.tokens if section.tokens is not None else int((section.share or 0) * base)
            ledger.give(inner, region, part, passed_on)
            self._fill_region(inner)
            passed_on = ledger.close(inner)
        self._fill_items((leaf for leaf in waiting if not leaf.item.stable and not leaf.item.grow), region, stopped)
        self._grow([leaf for leaf in waiting if leaf.item.grow], region)

    def _fill_items(self, leaves: Iterable[Leaf], scope: Region, stopped: set[Region]) -> None:
        for leaf in sorted(leaves, key=rank):
            group = self._groups[leaf.place]
            # The most important item of a group decides for all.
            if group.leaves[0] is not leaf:
                continue
            if stopped and any(region in stopped for one in group.leaves for region in one.region.around):
                for one in group.leaves:
                    self.outcomes[one.place].reason = "strict"
                continue
            why = self._try_group(group, scope)
            if leaf.region.fill == "strict" and why not in (None, *_ITS_OWN_FAULT):
                stopped.add(leaf.region.stopper)

    def _try_group(self, group: Group, scope: Region) -> Reason | None:
        """Put in all items of a group, or none and return the reason. Empty items are passed over."""
        done: list[Leaf] = []
        failed: Leaf | None = None
        for leaf in group.leaves:
            reason = self._skipped(leaf)
            if reason is not None:
                self.outcomes[leaf.place].reason = reason
            elif self._try(leaf, scope):
                done.append(leaf)
            else:
                failed = leaf
                break
        if failed is None:
            return None if done else self.outcomes[group.leaves[0].place].reason
        for leaf in reversed(done):
            self._take(leaf)
        for leaf in group.leaves:
            if leaf is not failed and self.outcomes[leaf.place].reason != "empty":
                self.outcomes[leaf.place].reason = "group"
        return self.outcomes[failed.place].reason

    # --- what grows

    def _grow(self, leaves: list[Leaf], scope: Region) -> None:
        """Put in the minimum of each item; then share the remaining room by weight, giving no item more than its whole text."""
        growing = [leaf for leaf in sorted(leaves, key=rank) if self._begin(leaf, scope)]
        wanted = {leaf.place: self._most(leaf) - self.outcomes[leaf.place].tokens for leaf in growing}
        open_leaves = [leaf for leaf in growing if wanted[leaf.place] > 0]
        room = min((self.ledger.room(leaf, scope) for leaf in open_leaves), default=0)
        grants: dict[int, int] = {}
        while open_leaves:
            weight = sum(leaf.item.grow for leaf in open_leaves)
            satisfied = [leaf for leaf in open_leaves if wanted[leaf.place] <= room * leaf.item.grow / weight]
            if not satisfied:
                grants |= {leaf.place: int(room * leaf.item.grow / weight) for leaf in open_leaves}
                break
            for leaf in satisfied:
                grants[leaf.place] = wanted[leaf.place]
                room -= wanted[leaf.place]
            open_leaves = [leaf for leaf in open_leaves if leaf.place not in grants]
        aims = {place: self.outcomes[place].tokens + granted for place, granted in grants.items()}
        for leaf in growing:
            if leaf.place in aims:
                self._enlarge(leaf, aims[leaf.place], scope)
        # Tokens left over by rounding and joins go to the first item that can use them.
        for leaf in growing:
            self._enlarge(leaf, self._most(leaf), scope)

    def _begin(self, leaf: Leaf, scope: Region) -> bool:
        """Put in the minimum of an item that grows; return whether it was put in."""
        outcome = self.outcomes[leaf.place]
        outcome.reason = self._skipped(leaf)
        if outcome.reason is not None:
            return False
        least = max(leaf.item.min_tokens, 1)
        version = self._cutter(leaf, least).least() if self.tokens_alone(leaf) > least else None
        if version is None:
            return self._try(leaf, scope)
        room = self.ledger.room(leaf, scope)
        outcome.reason = self._why(room, too_long=False)
        if version.tokens > self._most(leaf) or self._price_at(leaf)(version) > room:
            outcome.reason = "minimum" if leaf.item.min_tokens else outcome.reason
            return False
        self._put(leaf, version)
        return True

    def _most(self, leaf: Leaf) -> int:
        tokens = self.tokens_alone(leaf)
        return tokens if leaf.item.max_tokens is None else min(tokens, leaf.item.max_tokens)

    def _enlarge(self, leaf: Leaf, most: int, scope: Region) -> None:
        """Put an item in again with up to `most` tokens; restore it if that keeps less than before."""
        outcome = self.outcomes[leaf.place]
        if outcome.tokens >= most:
            return
        before, reason = Version(self.row.text_at(leaf.place), outcome.kept, outcome.tokens), outcome.reason
        self._take(leaf)
        if self._try(leaf, scope, most=most):
            if outcome.tokens >= before.tokens:
                return
            self._take(leaf)
        self._put(leaf, before)
        outcome.reason = reason
