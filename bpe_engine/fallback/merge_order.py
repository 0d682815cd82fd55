"""Reorder merge ranks so that tokens merge in the order of their ids, as the engine's fast algorithms require.

Each merge takes, of all neighbours that make up a token, the pair whose token has the lowest rank, the leftmost of
equals. A token may have a lower rank than its halves (the files of Llama 3 and Qwen 3.6 have such tokens), and ranks
may be equal (SentencePiece).

    rank    4: ab     7: abc = ab c     9: de     2: cde = c de     6: dea

A token has the same two halves in every text: two neighbours that make it up, with no merge across their outer ends so
far, were made as in the token by itself. The time of its merge is also known: "cde" is made as soon as "de" is, before
any merge that waits for a rank above 9. So the time of a token is the list of the merges that it had to wait for, each
with its rank and its place, none with a lower rank than the next. Times compare as lists do:

    de  [9]     cde  [9, 2]     abc  [7]     ab  [4]     dea  [9, 6]             order: ab abc de cde dea

A set of merges that contains both halves of each of its merges is the result for a text if and only if each merge
outside of the set shares a half with an earlier one in the set. So only the times of merges that share a half have to
be compared. The order is found from the ranks in the times, without the places. It holds for all texts unless there are
two such merges whose places decide otherwise: the `crossings`. With a crossing, or a half that comes after its token,
no order of tokens gives the merges. The engine then uses the ranks themselves: it merges each text by the definition,
and checks two neighbouring tokens by all merges at their join.

    rank 2 for both:  ab  ba         "aba" is  ab a,  "bab" is  ba b:  whichever comes first in the order, (ab, ba) or (ba, ab) is a crossing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from bpe_engine.errors import VocabularyError

Halves = tuple[int, int] | None
"""The two tokens that a token is merged from; itself twice if it is a single byte; None if no merge makes it."""
_Time = tuple[tuple[int, int], ...]
"""Rank and place of each merge that the token had to wait for; the place is in bytes from the start of the token."""

MOST_NEIGHBOURS = 1 << 20
"""The largest number of pairs of merges to compare. A vocabulary of equal ranks may have the square of its number of tokens."""
DEEPEST = 256
"""The largest number of merges in a time, and at one end of a token if no order exists: then all merges on both sides of a join are checked."""


class Reordered(NamedTuple):
    """The tokens of a vocabulary in the order of `merge_order`, as the engine takes them. `halves` and `crossings` are places in `tokens`."""

    tokens: list[bytes]
    ids: list[int]
    priorities: list[int]
    """The merge ranks."""
    halves: list[Halves]
    in_order: bool
    crossings: list[tuple[int, int]]

    @property
    def is_exact(self) -> bool:
        """Whether this is the order of merging in all texts."""
        return self.in_order and not self.crossings


def reorder(
    tokens: Sequence[bytes],
    ids: Sequence[int],
    ranks: Sequence[int],
    halves_of: Callable[[Sequence[bytes], Sequence[int]], Sequence[Halves]],
) -> Reordered:
    """Return the tokens of a vocabulary, with their ids and merge ranks, in the order of merging.

    Raises VocabularyError as `merge_order` does, and any error of `halves_of`.

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
    """Return the halves of each token, found by merging its bytes: the lowest rank first, the leftmost of equals. About ten microseconds a token.

    Raises VocabularyError if a token holds a byte that is not a token.

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
                raise VocabularyError(f"the token {token!r} contains the byte {half!r}, which is not a token")
        halves.append((number_of[pair[0]], number_of[pair[1]]))
    return halves


class MergeOrder(NamedTuple):
    """An order of tokens, and the pairs of tokens for which it is not the order of merging.

    `order`: the tokens, single bytes first. `in_order`: whether each token comes after its halves. `crossings`: pairs
    (left, right) of tokens that merge in the opposite order; the right half of `left` is the left half of `right`.
    """

    order: list[int]
    in_order: bool
    crossings: list[tuple[int, int]]


def merge_order(tokens: Sequence[bytes], ranks: Sequence[int], halves: Sequence[Halves]) -> MergeOrder:
    """Return the merge order of tokens; `ranks` (0 or more) and `halves` go by the place in `tokens`. About two microseconds a token.

    Raises VocabularyError if no order exists and the vocabulary is too complex to merge without one.

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
    # Tokens whose times have the same first rank are sorted by all ranks of the time, then by length.
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
    # Tokens that no merge makes may come anywhere.
    order += [token for token, pair in enumerate(halves) if pair is None]
    return MergeOrder(order, in_order, crossings)


def _neighbours(
    tokens: Sequence[bytes], halves: Sequence[Halves], groups: Iterable[list[int]]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of tokens of one group in which the right half of the first is the left half of the second."""
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
    """Return the times of the tokens that wait for more than their own rank at their start."""
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
        before, after = _time(left, ranks, halves, times), _time(right, ranks, halves, times)
        latest = max(before, _moved(after, sizes[left]))
        if latest[0] >= (rank, 0):
            times[token] = (*(waited for waited in latest if waited >= (rank, 0)), (rank, 0))
            if len(times[token]) > DEEPEST:
                raise VocabularyError(
                    f"the tokens have no merge order: {tokens[token]!r:.80} takes more than {DEEPEST} steps"
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
        raise VocabularyError(f"no merge makes token number {token}, which is half of another token")
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
                f"the tokens have no merge order: {tokens[token]!r:.80} is merged in more than {DEEPEST} steps at one end"
            )
