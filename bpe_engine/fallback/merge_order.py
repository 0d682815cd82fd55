"""Reorder merge ranks so that tokens merge in the order of their ids, as the engine's fast algorithms require.

Merging takes, of all neighbours that make up a token, those whose token has the lowest rank, the leftmost of equals. Nothing says that a token has
a higher rank than its halves (Llama 3's and Qwen 3.6's files have tokens of which it is not true), nor that no two ranks are equal (SentencePiece).

    rank    4: ab     7: abc = ab c     9: de     2: cde = c de     6: dea

A token has one pair of halves, whatever the text: two neighbours that make it up, with no merge across their outer ends so far, came about as
they do in the token by itself. And its time is known: "cde" is made as soon as "de" is, ahead of all that waits for a rank above 9. So a time is the ranks
of the merges that had to be waited for, none lower than what is after it, and with each the place where it happened; times compare as lists do:

    de  [9]     cde  [9, 2]     abc  [7]     ab  [4]     dea  [9, 6]             order: ab abc de cde dea

A set of merges, each with both its halves in the set, is what a text comes to if and only if each merge that is left out shares a half with one in the set that is
earlier. So times have to be compared for two merges that share a half, and for no others. The order is found by the ranks of times without their places. It is that of all texts
unless there are two such merges whose places decide otherwise: these are the `crossings`. Then, or where a half comes after its token, no order is
that of merging, and the engine goes by the ranks themselves: each text by the definition, each pair of tokens by all merges at their join.

    rank 2 for both:  ab  ba         "aba" is  ab a,  "bab" is  ba b:  whichever is first in the order, one of them is a crossing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from bpe_engine.errors import VocabularyError

Halves = tuple[int, int] | None
"""The two that a token is merged from; itself twice, where it is a single byte; None where no merge makes it."""
_Time = tuple[tuple[int, int], ...]
"""Rank and place of each merge that had to be waited for, the place in bytes from the start of the token."""

MOST_NEIGHBOURS = 1 << 20
"""Pairs of merges that are compared. A vocabulary of equal ranks has up to as many as the square of its tokens."""
DEEPEST = 256
"""Without an order all merges on both sides of a join are looked at: so many on one."""


class Reordered(NamedTuple):
    """The tokens of a vocabulary in the order of `merge_order`: what the engine takes. All but `ids` and `priorities` are places in `tokens`."""

    tokens: list[bytes]
    ids: list[int]
    priorities: list[int]
    """The merge ranks."""
    halves: list[Halves]
    in_order: bool
    crossings: list[tuple[int, int]]

    @property
    def is_exact(self) -> bool:
        """Whether it is the order of merging in all texts."""
        return self.in_order and not self.crossings


def reorder(
    tokens: Sequence[bytes],
    ids: Sequence[int],
    ranks: Sequence[int],
    halves_of: Callable[[Sequence[bytes], Sequence[int]], Sequence[Halves]],
) -> Reordered:
    """The tokens of a vocabulary with their ids and merge ranks, in the order of merging.

    Raises VocabularyError as `merge_order`, and what `halves_of` raises.

    >>> found = reorder([b"a", b"b", b"c", b"abc", b"ab"], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], find_halves)
    >>> found.tokens, found.ids, found.is_exact
    ([b'a', b'b', b'c', b'ab', b'abc'], [0, 1, 2, 4, 3], True)
    """
    halves = halves_of(tokens, ranks)
    found = merge_order(tokens, ranks, halves)
    place_of = {token: place for place, token in enumerate(found.order)}

    def placed(pair: Halves) -> Halves:
        return None if pair is None else (place_of[pair[0]], place_of[pair[1]])

    return Reordered(
        tokens=[tokens[token] for token in found.order],
        ids=[ids[token] for token in found.order],
        priorities=[ranks[token] for token in found.order],
        halves=[placed(halves[token]) for token in found.order],
        in_order=found.in_order,
        crossings=[(place_of[left], place_of[right]) for left, right in found.crossings],
    )


def find_halves(tokens: Sequence[bytes], ranks: Sequence[int]) -> list[Halves]:
    """The halves of each token, by merging its bytes: the lowest rank first, the leftmost of equals. Some ten microseconds a token.

    Raises VocabularyError where a token holds a byte that is no token.

    >>> find_halves([b"a", b"b", b"ab", b"ba", b"aba"], [0, 1, 9, 9, 0])
    [(0, 0), (1, 1), (0, 1), (1, 0), (2, 0)]
    """
    number_of = {token: number for number, token in enumerate(tokens)}
    halves: list[Halves] = []
    for token in tokens:
        parts = [token[place : place + 1] for place in range(len(token))]
        pair = [token, token]
        while len(parts) > 1:
            found = [number_of.get(left + right) for left, right in pairwise(parts)]
            best = (
                min((ranks[made], place) for place, made in enumerate(found) if made is not None)
                if any(made is not None for made in found)
                else None
            )
            if best is None:
                break
            place = best[1]
            pair = parts[place : place + 2]
            parts[place : place + 2] = [pair[0] + pair[1]]
        if len(parts) > 1:
            halves.append(None)
            continue
        for half in pair:
            if half not in number_of:
                raise VocabularyError(f"the token {token!r} holds the byte {half!r}, which is no token")
        halves.append((number_of[pair[0]], number_of[pair[1]]))
    return halves


class MergeOrder(NamedTuple):
    """An order of tokens, and where merging goes by another.

    `order`: the tokens, the single bytes first. `in_order`: each comes after its halves. `crossings`: pairs of tokens, the left one's right half
    being the right one's left half, of which the one that is later in `order` comes first.
    """

    order: list[int]
    in_order: bool
    crossings: list[tuple[int, int]]


def merge_order(tokens: Sequence[bytes], ranks: Sequence[int], halves: Sequence[Halves]) -> MergeOrder:
    """The order of some tokens with their ranks and halves, all by the place in `tokens`; ranks are from 0 on. About two microseconds a token.

    Raises VocabularyError where there is no order and the vocabulary is too intricate to do without.

    >>> tokens = [b"a", b"b", b"c", b"d", b"e", b"ab", b"abc", b"de", b"cde", b"dea"]
    >>> halves = [*((n, n) for n in range(5)), (0, 1), (5, 2), (3, 4), (2, 7), (7, 0)]
    >>> found = merge_order(tokens, [0, 0, 0, 0, 0, 4, 7, 9, 2, 6], halves)
    >>> b" ".join(tokens[token] for token in found.order), found.in_order, found.crossings
    (b'a b c d e ab abc de cde dea', True, [])
    >>> merge_order([b"a", b"b", b"ab", b"ba"], [0, 0, 2, 2], [(0, 0), (1, 1), (0, 1), (1, 0)])
    MergeOrder(order=[0, 1, 2, 3], in_order=True, crossings=[(3, 2)])
    """
    times = _times(tokens, ranks, halves)
    order = [token for token, pair in enumerate(halves) if pair is not None and pair[0] == token]
    merged = [token for token, pair in enumerate(halves) if pair is not None and pair[0] != token]
    first_ranks = list(ranks)
    for token, time in times.items():
        first_ranks[token] = time[0][0]
    merged.sort(key=first_ranks.__getitem__)
    # Tokens that share the first rank of their times are ordered by their places.
    groups = []
    for _, same in groupby(merged, first_ranks.__getitem__):
        group = list(same)
        if len(group) > 1:
            group.sort(key=lambda token: ([rank for rank, _ in _time(token, ranks, halves, times)], len(tokens[token])))
            groups.append(group)
        order += group
    place_of = {token: place for place, token in enumerate(order)}
    in_order = all(max(map(place_of.__getitem__, _pair(halves, token))) < place_of[token] for token in times)
    crossings = []
    for left, right in _neighbours(tokens, halves, groups):
        begins = len(tokens[_pair(halves, left)[0]])
        comes_first = _time(left, ranks, halves, times) < _moved(_time(right, ranks, halves, times), begins)
        if comes_first != (place_of[left] <= place_of[right]):
            crossings.append((left, right))
    if crossings or not in_order:
        _check_depth(tokens, halves)
    # Tokens that no merge makes may be anywhere.
    order += [token for token, pair in enumerate(halves) if pair is None]
    return MergeOrder(order, in_order, crossings)


def _neighbours(
    tokens: Sequence[bytes], halves: Sequence[Halves], groups: Iterable[list[int]]
) -> Iterator[tuple[int, int]]:
    """Two tokens of one group, the first of which ends in the half that the second begins with."""
    found = 0
    for group in groups:
        by_left: dict[int, list[int]] = {}
        for token in group:
            by_left.setdefault(_pair(halves, token)[0], []).append(token)
        for left in group:
            rights = by_left.get(_pair(halves, left)[1], ())
            found += len(rights)
            if found > MOST_NEIGHBOURS:
                raise VocabularyError(
                    f"too many merges of equal rank, {tokens[left]!r:.80} among them: more than {MOST_NEIGHBOURS} pairs"
                )
            for right in rights:
                yield left, right


def _times(tokens: Sequence[bytes], ranks: Sequence[int], halves: Sequence[Halves]) -> dict[int, _Time]:
    """The times of the tokens that do not just wait for their own rank, at their start."""
    times: dict[int, _Time] = {}
    sizes = list(map(len, tokens))
    waits = [-1 if pair is None or pair[0] == token else ranks[token] for token, pair in enumerate(halves)]
    for token in sorted(range(len(tokens)), key=sizes.__getitem__):
        pair = halves[token]
        rank = waits[token]
        if pair is None or rank < 0:
            continue
        left, right = pair
        if waits[left] < rank and waits[right] < rank and left not in times and right not in times:
            continue
        before, behind = _time(left, ranks, halves, times), _time(right, ranks, halves, times)
        latest = max(before, _moved(behind, sizes[left]))
        if latest[0] >= (rank, 0):
            times[token] = (*(waited for waited in latest if waited >= (rank, 0)), (rank, 0))
            if len(times[token]) > DEEPEST:
                raise VocabularyError(
                    f"tokens merge in no order, and {tokens[token]!r:.80} takes more than {DEEPEST} steps"
                )
    return times


def _time(token: int, ranks: Sequence[int], halves: Sequence[Halves], times: Mapping[int, _Time]) -> _Time:
    if _pair(halves, token)[0] == token:
        return ()
    return times.get(token) or ((ranks[token], 0),)


def _moved(time: _Time, offset: int) -> _Time:
    return tuple((rank, place + offset) for rank, place in time)


def _pair(halves: Sequence[Halves], token: int) -> tuple[int, int]:
    pair = halves[token]
    if pair is None:
        raise VocabularyError(f"a half of a token, number {token}, is made by no merge")
    return pair


def _check_depth(tokens: Sequence[bytes], halves: Sequence[Halves]) -> None:
    depths: dict[int, tuple[int, int]] = {}
    for token in sorted(range(len(tokens)), key=lambda token: len(tokens[token])):
        pair = halves[token]
        if pair is None or pair[0] == token:
            depths[token] = 1, 1
            continue
        depths[token] = depths[pair[0]][0] + 1, depths[pair[1]][1] + 1
        if max(depths[token]) > DEEPEST:
            raise VocabularyError(
                f"tokens merge in no order, and {tokens[token]!r:.80} is merged in more than {DEEPEST} steps at one end"
            )
