"""The facts about a chunked text that the page and the terminal show.

chunk 3   function   src/shop.py > class Cart    lines 40-58   412 of 512 tokens, 80 %
cut       before function, structure 1 of 3
reason    the next function (81 tokens) would make 250 of 200 tokens; it fits into a chunk of its own
overlap   its first 96 characters, 28 tokens, repeat the end of chunk 2
tokens    [3, 1, 5, ...]: how many characters each of the 412 has
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunker.chunkers import TextChunker
from chunker.models import Chunk
from chunker.view.cuts import Cuts, SeenCut
from chunker.view.reasons import CutReason, Reasons

_OWN_NOTES = frozenset({"source"})


@dataclass(frozen=True, slots=True)
class SeenChunk:
    """A chunk, and the facts about it. Sizes of text are in characters.

    Attributes:
        chunk: The chunk.
        fill: Its token count, as a share of the budget.
        breadcrumb: The names of the scopes around its first new character, outermost first, also if the chunk has no
            context.
        cut: The cut before it; None for the first chunk.
        reason: The reason for that cut; None for the first chunk, and if the chunk does not continue the previous one.
        repeated: The number of characters at the start of its body that repeat the end of the previous chunk.
        repeated_tokens: The token count of these characters alone.
        token_lengths: The number of characters of each token of `chunk.text`; 0 for a token that ends inside a
            character, because the token that completes the character counts it. None if the tokenizer does not report
            offsets. Text that is in no token belongs to the token before it, or to the first; without a token it has
            no length.
    """

    chunk: Chunk
    fill: float
    breadcrumb: tuple[str, ...]
    cut: SeenCut | None
    reason: CutReason | None
    repeated: int
    repeated_tokens: int
    token_lengths: list[int] | None


@dataclass(frozen=True, slots=True)
class SeenText:
    """A text, its chunks, and the notes of its format.

    Attributes:
        path: The name of the text.
        text: The text.
        language: Its language; None for plain text.
        max_tokens: The largest number of tokens of a chunk.
        notes: The notes of the format.
        chunks: Its chunks, in order.
    """

    path: str
    text: str
    language: str | None
    max_tokens: int
    notes: dict[str, str]
    chunks: list[SeenChunk]

    @property
    def tokens(self) -> int:
        """The number of tokens of all chunks; text in an overlap counts each time."""
        return sum(seen.chunk.token_count for seen in self.chunks)

    @property
    def mean_fill(self) -> float:
        """The mean share of the budget that a chunk uses; 0 if there are no chunks."""
        return self.tokens / (len(self.chunks) * self.max_tokens) if self.chunks else 0.0


def see(chunker: TextChunker, text: str, path: str) -> SeenText:
    """Chunk a text, and collect the facts that the page and the terminal show.

    Takes the time of chunking, plus parsing and encoding once more.

    Args:
        chunker: The chunker.
        text: The text.
        path: Its name.

    Returns:
        The text and its chunks in order, each with its facts.

    Raises:
        BudgetTooSmallError: As `chunker.chunk`.
    """
    return see_chunks(chunker, text, path, chunker.chunk(text, source=path))


def see_chunks(
    chunker: TextChunker, text: str, path: str, chunks: Sequence[Chunk], *, reasons: bool = True
) -> SeenText:
    """Collect the facts about existing chunks.

    Args:
        chunker: The chunker that made them.
        text: The text.
        path: Its name.
        chunks: The chunks of the text, in order.
        reasons: Whether to find the reason for each cut; only valid for the chunker that made the chunks.

    Returns:
        The text and its chunks in order, each with its facts; `reason` is None without `reasons`.
    """
    outline = chunker.outline(text)
    cuts = Cuts(text, outline).before(chunks)
    told = [None, *Reasons(chunker, text, outline).of(chunks)] if reasons else [None] * (len(chunks) + 1)
    offsets_of: Callable[[str], tuple[list[int], list[int]]] | None
    offsets_of = getattr(chunker.tokenizer, "encode_with_offsets", None)
    seen = []
    done = 0
    for chunk, cut, reason in zip(chunks, cuts, told[: len(chunks)], strict=True):
        start, end = chunk.span.start, chunk.span.end
        # Nested chunks may lie wholly inside earlier text.
        repeated = min(max(done - start, 0), end - start)
        seen.append(
            SeenChunk(
                chunk=chunk,
                fill=chunk.token_count / chunker.max_tokens,
                breadcrumb=outline.breadcrumb(start + repeated if repeated < end - start else start),
                cut=cut,
                reason=reason,
                repeated=repeated,
                repeated_tokens=chunker.tokenizer.count(text[start : start + repeated]) if repeated else 0,
                token_lengths=None if offsets_of is None else _lengths(offsets_of(chunk.text)[1], len(chunk.text)),
            )
        )
        done = max(done, end)
    notes = {key: value for key, value in outline.notes.items() if key not in _OWN_NOTES}
    return SeenText(path, text, chunker.language, chunker.max_tokens, notes, seen)


def histogram(fills: Sequence[float], bins: int = 10) -> list[int]:
    """Count the fills in each of `bins` equal parts of 0..1; a fill of 1 belongs to the last part.

    >>> histogram([0.05, 0.5, 0.99, 1.0], 4)
    [1, 0, 1, 2]
    """
    counts = [0] * bins
    for fill in fills:
        counts[min(int(fill * bins), bins - 1)] += 1
    return counts


def _lengths(offsets: list[int], size: int) -> list[int]:
    """Return the length of each token, from the offsets where the tokens start.

    >>> _lengths([0, 1, 1, 2], 5), _lengths([3, 5], 6), _lengths([], 1)
    ([1, 0, 1, 3], [5, 1], [])
    """
    return [after - start for start, after in pairwise([0, *offsets[1:], size])] if offsets else []
