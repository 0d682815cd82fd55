"""append_fitting: add as many parts of a text to an encoder as fit a limit of tokens. Linear in the text that is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

from bpe_engine.text.input import require_int

# Characters that are appended per token of the limit before the count is checked. A token has 3 to 5 characters, so a
# text that is far too long is read at most half a limit further than needed.
_STRIDE = 2


class Growable(Protocol):
    """The methods of an encoder that `append_fitting` needs."""

    @property
    def count(self) -> int: ...  # noqa: D102
    def append(self, text: str, /) -> None: ...  # noqa: D102
    def snapshot(self) -> Any: ...  # noqa: ANN401, D102  # whatever its own rollback takes
    def rollback(self, mark: Any, /) -> None: ...  # noqa: ANN401, D102


def append_fitting(
    encoder: Growable, text: str, cuts: Sequence[int], limit: int, slack: int = 0
) -> tuple[list[int], bool]:
    """`AppendingEncoder.append_fitting` for any encoder that can append, take a mark and return to it.

    Args:
        encoder: The encoder to append to.
        text: As for the method, as are `cuts`, `limit` and `slack`.
        cuts: Ascending offsets in `text`, in characters.
        limit: The largest count, in tokens.
        slack: By how many tokens a count may exceed `limit` before the search ends.

    Returns:
        As the method.

    Raises:
        IndexError: `cuts` are not ascending offsets in `text`.
        TypeError: An argument is of another type.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    if not hasattr(type(cuts), "__getitem__"):
        raise TypeError(f"cuts must be a sequence of offsets, not {type(cuts).__name__}")
    for cut in cuts:
        require_int(cut, "a cut")
    require_int(limit, "limit")
    require_int(slack, "slack")
    if any(not 0 <= start <= end <= len(text) for start, end in pairwise(cuts)):
        raise IndexError(f"cuts must be ascending offsets into a text of {len(text)} characters")
    stride = max(limit, 16) * _STRIDE
    counts: list[int] = []
    fitting, mark = 0, encoder.snapshot()
    overflowed = False
    for start, end in pairwise(cuts):
        for at in range(start, end, stride):
            encoder.append(text[at : min(end, at + stride)])
            overflowed = encoder.count > limit + slack
            if overflowed:
                break
        counts.append(encoder.count)
        if overflowed:
            break
        if encoder.count <= limit:
            fitting, mark = len(counts), encoder.snapshot()
    encoder.rollback(mark)
    return counts[:fitting], overflowed
