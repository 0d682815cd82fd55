"""Which items go into the prompt: the required ones, then section by section what fits, by priority.

    1. Required items, all of them. What is too much is cut from those that may be cut, the least important first.
    2. In each section, from the whole prompt inwards: the sections in it that have a budget, in their order. What one of them leaves goes on
       to the next; what a later one is promised (`min_tokens`) is not touched.
    3. Then the items that stand in it and in no such section, the most important first, each if it fits: with all its separators,
       headers and frames, in the sections around it and in the prompt.
    4. Last the items that grow, in proportion to their weights.

Every step is priced where it happens, in `joining.Row`, so what was decided stays true: a section never uses more than it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chunker.counting import TokenCounter
from chunker.prompt.errors import RequiredItemsError
from chunker.prompt.joining import Pricer, Row
from chunker.prompt.layout import Layout, Leaf, Region
from chunker.prompt.report import Reason, SectionReport
from chunker.prompt.truncating import Cutter


@dataclass(slots=True)
class Outcome:
    """What became of one item so far."""

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
        self._pricer = Pricer(tokenizer)
        self._drop_duplicates = drop_duplicates
        self._texts: set[str] = set()
        self._cutters: dict[int, Cutter] = {}
        self._step = 0
        self.row = Row(len(layout.leaves), self._pricer, layout.glue)
        self.outcomes = [Outcome() for _ in layout.leaves]
        self.sections: list[SectionReport] = []
        self._used = dict.fromkeys(layout.regions, 0)
        self._limits = {region: region.section.max_tokens for region in layout.regions}
        self._limits[layout.root] = room
        self._used[layout.root] = self.row.total
        self._groups = _groups(layout.leaves)

    def fill(self) -> None:
        """Do it. Raises `RequiredItemsError`."""
        self._put_required()
        self._fill_region(self._layout.root)

    def tokens_alone(self, leaf: Leaf) -> int:
        """Tokens of the item's whole text by itself."""
        return self._pricer.priced(leaf.content).tokens

    # --- one item

    def _room(self, leaf: Leaf) -> int:
        """Tokens by which the prompt may grow in the section of this leaf."""
        rooms = [
            limit - self._used[region] for region in leaf.region.around if (limit := self._limits[region]) is not None
        ]
        return min(rooms)

    def _try(self, leaf: Leaf, most: int | None = None) -> bool:
        """Put an item in if it fits, whole or cut, with at most so many tokens of its own; the outcome says why if it does not."""
        outcome, item = self.outcomes[leaf.place], leaf.item
        if not leaf.content:
            outcome.reason = "empty"
            return False
        if self._drop_duplicates and not item.required and leaf.content in self._texts:
            outcome.reason = "duplicate"
            return False
        tokens = self.tokens_alone(leaf)
        limits = [limit for limit in (item.max_tokens, most) if limit is not None]
        allowed = min([tokens, *limits])
        room = self._room(leaf)
        if allowed == tokens and self.row.price(leaf.place, leaf.content) <= room:
            self._put(leaf, leaf.content, ((0, len(leaf.content)),), tokens)
            outcome.reason = None
            return True
        if allowed < tokens and most is None:
            outcome.reason = "maximum"
        elif room < self._limit_of_prompt() - self.row.total:
            outcome.reason = "section"
        else:
            outcome.reason = "budget"
        if item.truncate is None or room <= 0:
            return False
        version = self._cutter(leaf).longest(room, allowed, lambda text: self.row.price(leaf.place, text))
        if version is None:
            outcome.reason = "minimum" if item.min_tokens else outcome.reason
            return False
        self._put(leaf, version.text, version.kept, version.tokens)
        return True

    def _cutter(self, leaf: Leaf) -> Cutter:
        cutter = self._cutters.get(leaf.place)
        if cutter is None:
            cutter = self._cutters[leaf.place] = Cutter(leaf.item, leaf.content, self._tokenizer)
        return cutter

    def _put(self, leaf: Leaf, text: str, kept: tuple[tuple[int, int], ...], tokens: int) -> None:
        outcome = self.outcomes[leaf.place]
        outcome.kept, outcome.tokens, outcome.step = kept, tokens, self._step
        self._step += 1
        outcome.added = self.row.put(leaf.place, text)
        self._texts.add(leaf.content)
        for region in leaf.region.around:
            self._used[region] += outcome.added

    def _take(self, leaf: Leaf) -> None:
        """Take back what was put in."""
        outcome = self.outcomes[leaf.place]
        grown = self.row.take(leaf.place)
        for region in leaf.region.around:
            self._used[region] += grown
        outcome.kept, outcome.tokens, outcome.step, outcome.added = (), 0, None, 0
        self._texts.discard(leaf.content)

    def _limit_of_prompt(self) -> int:
        limit = self._limits[self._layout.root]
        return 0 if limit is None else limit

    # --- what is required

    def _put_required(self) -> None:
        required = [
            leaf for leaf in self._layout.leaves if any(self._is_required(one) for one in self._groups[leaf.place])
        ]
        required.sort(key=_rank)
        for leaf in required:
            if leaf.content:
                self._put(leaf, leaf.content, ((0, len(leaf.content)),), self.tokens_alone(leaf))
            else:
                self.outcomes[leaf.place].reason = "empty"
        for leaf in reversed(required):
            tight = self._tight(leaf)
            most = leaf.item.max_tokens
            too_long = most is not None and self.outcomes[leaf.place].tokens > most
            if leaf.item.truncate is None or not (tight or too_long):
                continue
            self._take(leaf)
            # What of it is least to stay, if even that is too much: the next one will be cut as well.
            if not self._try(leaf):
                self._put_least(leaf)
        self._check_required(required)

    def _put_least(self, leaf: Leaf) -> None:
        least = max(leaf.item.min_tokens, 1)
        version = self._cutter(leaf).longest(1 << 40, least, lambda _text: 0)
        if version is None:
            self._put(leaf, leaf.content, ((0, len(leaf.content)),), self.tokens_alone(leaf))
        else:
            self._put(leaf, version.text, version.kept, version.tokens)

    def _tight(self, leaf: Leaf) -> bool:
        return self._room(leaf) < 0

    def _check_required(self, required: list[Leaf]) -> None:
        for region in self._layout.regions:
            limit = self._limits[region]
            inside = [leaf for leaf in required if region.first <= leaf.place < region.behind]
            if limit is not None and self._used[region] > limit:
                needed = [(leaf.id, self.outcomes[leaf.place].tokens) for leaf in inside]
                raise RequiredItemsError(
                    needed, limit, f"section {region.section.name!r}" if region.parent else "the prompt"
                )
        for leaf in required:
            most = leaf.item.max_tokens
            if most is not None and self.outcomes[leaf.place].tokens > most:
                raise RequiredItemsError(
                    [(leaf.id, self.outcomes[leaf.place].tokens)], most, f"item {leaf.id!r} (max_tokens)"
                )

    @staticmethod
    def _is_required(leaf: Leaf) -> bool:
        return leaf.item.required

    # --- section by section

    def _fill_region(self, region: Region) -> None:
        budgeted, competing = self._inside(region)
        limit = self._limits[region]
        if limit is None:
            raise AssertionError("a section is filled after it was given its budget")
        # What required items outside of these sections have left: it is what is shared out. A section's own ones are part of its share.
        base = max(limit - self._used[region] + sum(self._used[inner] for inner in budgeted), 0)
        passed_on = 0
        for number, inner in enumerate(budgeted):
            section = inner.section
            part = section.tokens if section.tokens is not None else int((section.share or 0) * base)
            promised = sum(max(later.section.min_tokens - self._used[later], 0) for later in budgeted[number + 1 :])
            free = max(limit - self._used[region] - promised, 0)
            given = min(max(part, section.min_tokens) + passed_on, self._used[inner] + free)
            if section.max_tokens is not None:
                given = min(given, section.max_tokens)
            given = max(given, self._used[inner])
            self._limits[inner] = given
            self._fill_region(inner)
            left = given - self._used[inner]
            if left < 0:
                raise AssertionError(f"section {section.name!r} has used {-left} tokens more than it was given")
            passed_on = left
            self.sections.append(SectionReport(name=_path(inner), given=given, used=self._used[inner], passed_on=left))
        waiting = [leaf for leaf in competing if self.outcomes[leaf.place].step is None]
        self._fill_items([leaf for leaf in waiting if not leaf.item.grow])
        self._grow([leaf for leaf in waiting if leaf.item.grow and self.outcomes[leaf.place].step is None])

    def _inside(self, region: Region) -> tuple[list[Region], list[Leaf]]:
        """The nearest sections in a region that have a budget, in order; and the leaves that are in it and in none of these."""
        budgeted: list[Region] = []
        places: list[int] = []
        stack = [region]
        while stack:
            one = stack.pop()
            if one is not region and one.section.has_budget:
                budgeted.append(one)
                continue
            places += one.own
            stack += reversed(one.children)
        return budgeted, [self._layout.leaves[place] for place in sorted(places)]

    def _fill_items(self, leaves: list[Leaf]) -> None:
        stopped: set[Region] = set()
        for leaf in sorted(leaves, key=_rank):
            outcome = self.outcomes[leaf.place]
            if outcome.step is not None or outcome.reason == "group":
                continue
            if any(region in stopped for region in leaf.region.around):
                outcome.reason = "strict"
                continue
            fits = self._try_group(self._groups[leaf.place])
            if not fits and leaf.region.fill == "strict" and outcome.reason not in ("empty", "duplicate"):
                stopped.add(leaf.region)

    def _try_group(self, leaves: Sequence[Leaf]) -> bool:
        """Put all of a group in, or nothing."""
        done: list[Leaf] = []
        for leaf in leaves:
            if self.outcomes[leaf.place].step is not None:
                continue
            if self._try(leaf):
                done.append(leaf)
                continue
            for put in reversed(done):
                self._take(put)
            for other in leaves:
                if other is not leaf:
                    self.outcomes[other.place].reason = "group"
            return False
        return True

    def _grow(self, leaves: list[Leaf]) -> None:
        """Each to its minimum; then what is left in proportion to the weights, no item getting more than there is of it."""
        growing = [leaf for leaf in sorted(leaves, key=_rank) if self._try(leaf, most=max(leaf.item.min_tokens, 1))]
        wanted = {leaf.place: self._most(leaf) - self.outcomes[leaf.place].tokens for leaf in growing}
        open_leaves = [leaf for leaf in growing if wanted[leaf.place] > 0]
        room = min((self._room(leaf) for leaf in open_leaves), default=0)
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
        for most in (True, False):  # what rounding and joins leave over goes to the first that can use it
            for leaf in growing:
                if leaf.place in grants:
                    self._enlarge(
                        leaf, self.outcomes[leaf.place].tokens + grants[leaf.place] if most else self._most(leaf)
                    )

    def _most(self, leaf: Leaf) -> int:
        tokens = self.tokens_alone(leaf)
        return tokens if leaf.item.max_tokens is None else min(tokens, leaf.item.max_tokens)

    def _enlarge(self, leaf: Leaf, most: int) -> None:
        """Put an item in again, with up to `most` tokens; as it was if that does not give more."""
        outcome = self.outcomes[leaf.place]
        text, kept, tokens = self.row.text_at(leaf.place), outcome.kept, outcome.tokens
        if tokens >= most:
            return
        self._take(leaf)
        if self._try(leaf, most=most):
            if self.outcomes[leaf.place].tokens >= tokens:
                return
            self._take(leaf)
        self._put(leaf, text, kept, tokens)


def _rank(leaf: Leaf) -> tuple[float, int]:
    return -leaf.item.priority, leaf.place


def _path(region: Region) -> str:
    """The names of a section and of those around it."""
    return "/".join(around.section.name for around in reversed(region.around[:-1]))


def _groups(leaves: Sequence[Leaf]) -> list[tuple[Leaf, ...]]:
    """For each leaf those that live and die with it, itself included, the most important first."""
    leader = list(range(len(leaves)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    known: dict[tuple[str, str], int] = {}
    for leaf in leaves:
        keys: Iterable[tuple[str, str]] = [
            *([("group", leaf.item.group)] if leaf.item.group is not None else []),
            *(("call", str(call.get("id"))) for call in leaf.item.tool_calls),
            *([("call", leaf.item.tool_call_id)] if leaf.item.tool_call_id is not None else []),
        ]
        for key in keys:
            leader[find(leaf.place)] = find(known.setdefault(key, leaf.place))
    members: dict[int, list[Leaf]] = {}
    for leaf in leaves:
        members.setdefault(find(leaf.place), []).append(leaf)
    groups = {place: tuple(sorted(group, key=_rank)) for place, group in members.items()}
    return [groups[find(leaf.place)] for leaf in leaves]
