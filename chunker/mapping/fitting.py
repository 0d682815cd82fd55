"""Choose lines whose text, counted as a whole, fits a budget.

Each line has a price by itself, and lines cost more or less together than alone. So the text of a choice is counted,
and if it exceeds the budget the choice is made again with a smaller one; if much of the budget is left, with a larger
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from chunker.counting import TokenCounter
from chunker.mapping.choosing import Choice, Tree, choose

# The choice is made again at most so often to use what is left of the budget.
_TRIES = 6
# It is made again only if at least this share of the budget is left.
_LEFT = 0.02


class Fitted(NamedTuple):
    """A choice that fits, its text and the tokens of that, and the value that no choice exceeds with each line at its own price."""

    choice: Choice
    text: str
    token_count: int
    bound: float


def fit(
    tree: Tree,
    budget: int,
    text_of: Callable[[Choice], str],
    counter: TokenCounter,
    *,
    raised: float = 0.0,
    unseen: int = 0,
) -> Fitted:
    """Choose the nodes of the largest value whose text has at most `budget` tokens.

    Args:
        tree: The nodes.
        budget: The largest number of tokens of the text.
        text_of: Renders a choice.
        counter: Counts the tokens of a text.
        raised: The sum of what was added to values to have their nodes chosen first.
        unseen: The price of nodes that have no line in the text.
    """
    best, text, tokens = Choice([], 0.0, 0.0), "", 0
    bound = 0.0
    allowed = budget
    for tried in range(_TRIES + budget.bit_length()):
        choice = choose(tree, allowed + unseen, raised)
        bound = bound or choice.bound
        drawn = text_of(choice)
        count = counter.count(drawn)
        if count <= budget:
            if choice.value > best.value:
                best, text, tokens = choice, drawn, count
            left = budget - count
            if tried >= _TRIES or allowed > budget or left < _LEFT * budget or choice.value >= choice.bound:
                break
            allowed += left
        elif best.nodes:
            break
        else:
            # Each try lowers it by twice as much: a little less may lead to the same choice.
            allowed -= (count - budget) << tried
    return Fitted(best, text, tokens, bound)
