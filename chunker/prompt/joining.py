"""The exact number of tokens of a row of texts, while texts are inserted and removed.

    kept      "You are ..."  ¶¶  "def f(x): ..."  ¶¶  "What is f?"
    safe splits        |                |       |            |
    counted   once   |  at each join  | once  |  at a join | once

Counts do not add up where texts meet, but they do at safe splits (see `pricing`). So a text with a safe split has three
parts: a head up to its first one, a tail from its last one, and the tokens between. Inserting a text counts only the
few characters at its two joins; distant text is not read. If neither a text nor its joins have a safe split, the whole
text takes part in the joins: a run of such texts is counted again, exactly, at each step in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from chunker.prompt.chat import Part
from chunker.prompt.pricing import Priced, Pricer

# The text between two neighbours of the row; -1 is the start of the row, and its length the end.
Glue = Callable[[int, int], Sequence[Part]]
# Texts of one kind have the same glue before and after them.
Kind = Callable[[int], int]

# The counts of runs of at least this many characters are remembered, for at most this many runs.
_LONG = 200
_REMEMBERED = 6
# The number of characters on each side of an offset that decide whether it is a safe split.
_SIGHT = 2


class Row:
    """Numbered places in a row, some of which keep a text.

    `glue` is called once for each pair of kinds, so its result must depend on nothing else. -1 and `size`, the start
    and the end of the row, have a kind too.
    """

    def __init__(self, size: int, pricer: Pricer, glue: Glue, kind: Kind) -> None:
        self._size = size
        self._pricer = pricer
        self._glue_parts = glue
        self._kind = kind
        self._glues: dict[tuple[int, int], Priced] = {}
        self._kept: list[int] = []
        self._texts: dict[int, Priced] = {}
        self._long: dict[str, int] = {}  # the counts of the last long runs
        self._joins: dict[int, int] = {}  # the tokens of joins that end at safe splits, by the place before them
        self._priced: tuple[int, Priced, int] | None = None  # the last result of `price`, while it is valid
        self.total = self._through("", (self._glue(-1, size),), "")

    @property
    def kept(self) -> Sequence[int]:
        """The places whose texts are kept, ascending."""
        return self._kept

    def text_at(self, place: int) -> str:
        """The text that is kept at a place."""
        return self._texts[place].text

    def text(self) -> str:
        """Return the kept texts with the glue between them. Linear time; nothing is counted."""
        pieces: list[str] = []
        before, kind = -1, self._kind(-1)
        for place, text in [*((place, self._texts[place].text) for place in self._kept), (self._size, "")]:
            own = self._kind(place)
            glue = self._glues.get((kind, own)) or self._glue(before, place)
            pieces += (glue.text, text)
            before, kind = place, own
        return "".join(pieces)

    def tokens_up_to(self, number: int) -> int:
        """Return the tokens from the start of the row to the end of the first `number` kept texts."""
        texts: list[Priced] = []
        before = -1
        for place in self._kept[:number]:
            texts += (self._glue(before, place), self._texts[place])
            before = place
        return self._through("", texts, "")

    def price(self, place: int, text: str | Priced) -> int:
        """Return by how many tokens `total` would grow if `text` were kept at the free `place`. May be negative."""
        item = self._pricer.priced(text) if isinstance(text, str) else text
        known = self._priced
        if known is not None and known[0] == place and known[1] is item:
            return known[2]
        kept = self._kept
        index = bisect_left(kept, place)
        before = kept[index - 1] if index else -1
        after = kept[index] if index < len(kept) else self._size
        left, right = self._left_of(index), self._right_of(index)
        now = self._through(left, (self._glue(before, place), item, self._glue(place, after)), right)
        grown = now - self._join(before, after, left, right)
        self._priced = (place, item, grown)
        return grown

    def put(self, place: int, text: str | Priced) -> int:
        """Keep `text` at the free `place`; return by how many tokens `total` has grown."""
        item = self._pricer.priced(text) if isinstance(text, str) else text
        grown = self.price(place, item)
        index = bisect_left(self._kept, place)
        self._forget(self._kept[index - 1] if index else -1, place)
        self._kept.insert(index, place)
        self._texts[place] = item
        self.total += grown
        return grown

    def take(self, place: int) -> int:
        """Drop the text at `place`; return by how many tokens `total` has grown, mostly a negative number."""
        text = self._texts.pop(place)
        index = bisect_left(self._kept, place)
        del self._kept[index]
        self._forget(self._kept[index - 1] if index else -1, place)
        grown = -self.price(place, text)
        self.total += grown
        return grown

    def _forget(self, before: int, place: int) -> None:
        """Drop the known prices of the joins beside `place`."""
        self._priced = None
        self._joins.pop(before, None)
        self._joins.pop(place, None)

    def _glue(self, left: int, right: int) -> Priced:
        key = (self._kind(left), self._kind(right))
        known = self._glues.get(key)
        if known is None:
            known = self._glues[key] = self._pricer.of_parts(self._glue_parts(left, right))
        return known

    def _join(self, before: int, after: int, left: str, right: str) -> int:
        """Return the tokens of a join: `left`, the glue between the two neighbours, and `right`."""
        known = self._joins.get(before)
        if known is not None:
            return known
        tokens = self._through(left, (self._glue(before, after),), right)
        if (before < 0 or self._texts[before].tail is not None) and (
            after == self._size or self._texts[after].tail is not None
        ):
            self._joins[before] = tokens
        return tokens

    def _through(self, left: str, texts: Sequence[Priced], right: str) -> int:
        """Tokens of `left`, `texts` and `right` in a row."""
        total, run = 0, left
        for _, head, inner, tail, _ in texts:
            run += head
            if tail is not None:
                total += self._count(run) + inner
                run = tail
        return total + self._count(run + right)

    def _count(self, run: str) -> int:
        if len(run) < _LONG:
            return self._pricer.count(run) if run else 0
        # The current row is priced again and again, and a row that was priced last often becomes the current one.
        tokens = self._long.pop(run, None)
        if tokens is None:
            tokens = self._pricer.count_run(run)
            if len(self._long) >= _REMEMBERED:
                del self._long[next(iter(self._long))]
        self._long[run] = tokens
        return tokens

    def _left_of(self, index: int) -> str:
        """The text to the left of the kept text number `index`, back to the nearest safe split."""
        if index == 0:
            return ""
        text = self._texts[self._kept[index - 1]]
        if text.tail is not None:
            return text.tail
        pieces: list[str] = []
        while True:
            index -= 1
            before = self._kept[index - 1] if index else -1
            glue = self._glue(before, self._kept[index])
            pieces.append(text.head)
            if glue.tail is not None:
                pieces.append(glue.tail)
                break
            previous = self._texts[before] if index else None
            seam = ("" if previous is None else previous.end(_SIGHT)) + glue.head
            cut = self._pricer.last_cut(seam + text.head[:_SIGHT])
            if cut is not None:
                pieces[-1:] = [seam[cut:] + text.head[max(0, cut - len(seam)) :]]
                break
            pieces.append(glue.head)
            if previous is None:
                break
            if previous.tail is not None:
                pieces.append(previous.tail)
                break
            text = previous
        return "".join(reversed(pieces))

    def _right_of(self, index: int) -> str:
        """The text to the right of the kept text number `index - 1`, up to the nearest safe split."""
        if index == len(self._kept):
            return ""
        text = self._texts[self._kept[index]]
        if text.tail is not None:
            return text.head
        pieces: list[str] = []
        while True:
            pieces.append(text.head)
            index += 1
            after = self._kept[index] if index < len(self._kept) else self._size
            glue = self._glue(self._kept[index - 1], after)
            if glue.tail is not None:
                pieces.append(glue.head)
                break
            following = self._texts[after] if after != self._size else None
            seen = text.head[-_SIGHT:]
            seam = glue.head + ("" if following is None else following.start(_SIGHT))
            cut = self._pricer.first_cut(seen + seam)
            if cut is not None:
                over = cut - len(seen)
                pieces[-1:] = [text.head + seam[:over] if over >= 0 else text.head[:over]]
                break
            pieces.append(glue.head)
            if following is None:
                break
            if following.tail is not None:
                pieces.append(following.head)
                break
            text = following
        return "".join(pieces)
