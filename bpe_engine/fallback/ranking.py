"""Turn merges of pairs into merge ranks of tokens, as the engine's fast algorithms require.

A tokenizer.json lists pairs, and only these merge, in this order. The engine merges any two neighbours whose
concatenation is a token, lowest rank first. The results are equal if the rank of a token is the list index of the last
merge in the encoding of the token by itself, and tokens that are not their own encoding are left out:

    merges    0: b c -> bc   1: a b -> ab   2: ab c -> abc   3: a bc -> abc
    abc       a b c  ->  a bc  ->  abc                          rank 3, not 2: "ab c" never comes about
    abd       "ab d" is not in the list                         no rank: nothing makes it

Why: two neighbours that make up the bytes of a token, with no merge across their outer ends so far, were made as in
that token by itself. So either they are the halves of its last merge there, which is in the list; or that token is
never made, and they stay apart.

To find out whether two tokens can become neighbours, they are un-merged from the outside in, the later merge first, as
in `reference/compatible.py`. That requires that a token comes after its halves. A list in which a token that can be
made comes before one of its halves is `disordered`: then only the definition itself is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bpe_engine.errors import VocabularyError

_ATOM = -1


class Ranking(NamedTuple):
    """The order of merges, and the tokens that no merge makes.

    `order`: the ids of the tokens in merge order, single bytes or characters first. `disordered`: the id of a token
    that comes before one of its halves, None if there is none; if there is one, `order` means nothing. `blocked`: the
    ids of tokens that no merge makes, though they are two other tokens side by side. `unreachable`: the ids of all
    other tokens that no merge makes.
    """

    order: list[int]
    disordered: int | None
    blocked: list[int]
    unreachable: list[int]


def rank_by_pairs(
    tokens: Mapping[int, bytes] | Mapping[int, str], merges: Sequence[tuple[int, int]], source: str
) -> Ranking:
    """Return the merge order of `tokens` under a list of pairs of ids. About three microseconds a pair.

    Raises VocabularyError if the concatenation of a pair is not a token.

    >>> tokens = {0: "a", 1: "b", 2: "c", 3: "bc", 4: "ab", 5: "abc", 6: "abca", 7: "cab", 8: "d", 9: "cd"}
    >>> rank_by_pairs(tokens, [(1, 2), (0, 1), (4, 2), (0, 3), (2, 4)], "an example")
    Ranking(order=[0, 1, 2, 8, 3, 4, 5, 7], disordered=None, blocked=[6, 9], unreachable=[])
    """
    places, targets = pair_places(tokens, merges, source)
    made = {token_id: _ATOM for token_id, token in tokens.items() if len(token) == 1}
    atoms = list(made)
    halves: dict[int, tuple[int, int]] = {}
    late: list[tuple[int, int, int]] = []
    for place, (left, right) in enumerate(merges):
        target = targets[place]
        if target is None or target in made:
            continue
        if left not in made or right not in made:
            late.append((left, right, target))
        elif _neighbours(left, right, made, halves, places):
            made[target] = place
            halves[target] = left, right
    disordered = next(
        (
            target
            for left, right, target in late
            if target not in made and left in made and right in made and _neighbours(left, right, made, halves, places)
        ),
        None,
    )
    blocked: list[int] = []
    unreachable: list[int] = []
    if disordered is None:
        reachable = {tokens[token_id] for token_id in made}
        for token_id, token in tokens.items():
            if token_id not in made:
                two = any(token[:cut] in reachable and token[cut:] in reachable for cut in range(1, len(token)))
                (blocked if two else unreachable).append(token_id)
    return Ranking([*atoms, *halves], disordered, blocked, unreachable)


def pair_places(
    tokens: Mapping[int, bytes] | Mapping[int, str], merges: Sequence[tuple[int, int]], source: str
) -> tuple[dict[int, int], list[int | None]]:
    """Return the index of each pair in the list (of a repeated pair the last), and the id that each merge makes (None if the pair comes again).

    Raises VocabularyError if the concatenation of a pair is not a token.
    """
    id_of = {token: token_id for token_id, token in tokens.items()}
    places: dict[int, int] = {}
    targets: list[int | None] = []
    for place, (left, right) in enumerate(merges):
        whole = tokens[left] + tokens[right]  # type: ignore[operator]  # all are bytes, or all are str
        target = id_of.get(whole)
        if target is None:
            raise VocabularyError(f"{source}: merge {place} makes {whole!r:.80}, which is not a token")
        again = places.get(left << 32 | right)
        if again is not None:
            targets[again] = None
        places[left << 32 | right] = place
        targets.append(target)
    return places, targets


def _neighbours(
    left: int, right: int, made: Mapping[int, int], halves: Mapping[int, tuple[int, int]], places: Mapping[int, int]
) -> bool:
    """Whether `left` and `right` can both be made side by side: no merge across their join comes before they are complete."""
    while True:
        left_made, right_made = made[left], made[right]
        if left_made == right_made == _ATOM:
            return True
        # The later merge is undone first, of equals the right one, because merging goes from left to right.
        if left_made > right_made:
            limit = left_made
            left = halves[left][1]
        else:
            limit = right_made + 1
            right = halves[right][0]
        place = places.get(left << 32 | right)
        if place is not None and place < limit:
            return False
