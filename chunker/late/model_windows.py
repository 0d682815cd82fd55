"""Windows: a document that is longer than its model is read in parts that overlap, each after the same prefix.

    tokens of the text   0 . . . . . . . . . 10 . . . . . . . . . 20 . . 24
    window 1             [==============)-----]                                reads 0-12, keeps 0-10
    window 2                          [--------=======)----]                   reads 8-20, keeps 10-18
    window 3                                        [---------=======]         reads 16-25, keeps 18-25

Each token is kept from one window: in an overlap, from the window in which it stands further from the edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chunker.errors import OptionError
from chunker.late.tokens import EmbedderTokens, TokenSpan


class ModelWindow(NamedTuple):
    """A part of a document that the model reads at once.

    Args:
        ids: What the model reads: special tokens, prefix, a part of the text, special tokens.
        reads: The tokens of the text in it, as numbers in the whole document.
        keeps: Those of them whose vectors are taken from this window. Those of all windows together are the text.
        at: The number, in `ids`, of the first token of the text.
    """

    ids: tuple[int, ...]
    reads: TokenSpan
    keeps: TokenSpan
    at: int


def windows(document: EmbedderTokens, max_tokens: int, overlap: int) -> Iterator[ModelWindow]:
    """Cut a document into windows that a model can read. Linear time.

    Args:
        document: The tokens of the document.
        max_tokens: The largest number of tokens that the model reads at once, special tokens and prefix included.
        overlap: The number of tokens that neighbouring windows share.

    Yields:
        The windows in order, one if the document fits.

    Raises:
        OptionError: The limits leave no room for the text, or `overlap` is negative or half of that room or more.
    """
    ids, first, end = document.ids, document.first, document.end
    if overlap < 0:
        raise OptionError(f"overlap must be at least 0; got {overlap}")
    if len(ids) <= max_tokens:
        yield ModelWindow(ids, TokenSpan(first, end), TokenSpan(first, end), first)
        return
    head, tail = ids[:first], ids[end:]
    room = max_tokens - len(head) - len(tail)
    if room < 1:
        raise OptionError(
            f"max_tokens is {max_tokens}, and the prefix and special tokens of the embedder have {len(head) + len(tail)}"
        )
    if overlap * 2 >= room:
        raise OptionError(
            f"overlap must be less than half of the {room} tokens of text that a window has; got {overlap}"
        )
    kept = first
    for start in range(first, end, room - overlap):
        stop = min(start + room, end)
        keep_until = end if stop == end else stop - overlap // 2
        yield ModelWindow(head + ids[start:stop] + tail, TokenSpan(start, stop), TokenSpan(kept, keep_until), first)
        kept = keep_until
        if stop == end:
            return
