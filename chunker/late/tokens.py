"""Token spans: which tokens of a whole document, as the embedder reads it, are those of a chunk.

prefix + text    "query: "   "Cut the onions. Simmer the soup."
ids         [CLS] query :     cut the onions . simmer the soup . [SEP]
              0     1   2      3   4    5    6   7     8   9   10  11
chunks                        (3, 7)           (7, 11)
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from chunker.arguments import require, require_text
from chunker.counting.huggingface import own_tokenizer
from chunker.errors import OptionError, WrongTypeError
from chunker.models import Chunk

_SURROGATE = re.compile("[\ud800-\udfff]")


class TokenSpan(NamedTuple):
    """The tokens of a chunk among those of its whole document: `ids[start:end]`.

    Args:
        start: The number of the first token, from 0; special tokens and the prefix count.
        end: The number after that of the last token.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EmbedderTokens:
    """The tokens of a document as its embedder reads it: special tokens, prefix, text, special tokens.

    Attributes:
        ids: The token ids.
        offsets: Start and end of each token in the text, in characters; (0, 0) for special tokens and the prefix.
        first: The number of the first token of the text: those before it are special, or of the prefix.
        end: The number after that of the last token of the text: those after it are special.
    """

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    first: int
    end: int

    def spans(self, spans: Sequence[tuple[int, int]]) -> list[TokenSpan]:
        """The tokens that have at least one character of a span, from the first of them to the last.

        A token with characters of two neighbouring spans is in both. A span without tokens, such as white space that
        the tokenizer drops, is empty: its start is its end.

        Args:
            spans: Starts and ends in the text, in characters.

        Returns:
            One token span for each span.
        """
        own = self.offsets[self.first : self.end]
        # Offsets need not ascend: a normalizer may change the order of marks. The running extremes do.
        ends = list(accumulate((end for _, end in own), max))
        starts = list(accumulate((start for start, _ in reversed(own)), min))[::-1]
        found = []
        for start, end in spans:
            first = bisect_right(ends, start)
            last = max(first, bisect_left(starts, end)) if start < end else first
            found.append(TokenSpan(self.first + first, self.first + last))
        return found


def embedder_tokens(text: str, tokenizer: Any, prefix: str = "") -> EmbedderTokens:  # noqa: ANN401  # duck-typed
    """Encode a document as its embedder does. Linear time.

    Args:
        text: The whole document. A lone surrogate is read as U+FFFD.
        tokenizer: A `tokenizers.Tokenizer`, or a fast tokenizer of transformers. Its truncation and padding settings
            are ignored: the whole text is encoded.
        prefix: What the embedder puts before each text, such as "search_document: ".

    Returns:
        The tokens, those of the prefix and the special ones included.

    Raises:
        WrongTypeError: `tokenizer` is none of these, or the text is not a str.
    """
    require_text(text)
    require(prefix, str, "prefix", "a text")
    own = own_tokenizer(tokenizer)
    if own is None:
        raise WrongTypeError(
            f"tokenizer must be a tokenizers.Tokenizer, or a fast tokenizer of transformers; got {tokenizer!r:.100}"
        )
    whole = prefix + text
    encoded = own.encode(whole if whole.isascii() else _SURROGATE.sub("\ufffd", whole))
    found = encoded.offsets  # a new list each time
    special: list[int] = encoded.special_tokens_mask
    head = special.index(0) if 0 in special else len(special)
    end = len(special) - special[::-1].index(0) if 0 in special else head
    before = len(prefix)
    # A token that begins in the prefix and ends in the text is one of the text.
    first = next((number for number in range(head, end) if found[number][1] > before), end)
    offsets = [(0, 0)] * len(special)
    for number in range(first, end):
        start, stop = found[number]
        offsets[number] = max(start - before, 0), max(stop - before, 0)
    return EmbedderTokens(tuple(encoded.ids), tuple(offsets), first, end)


def token_spans(text: str, chunks: Sequence[Chunk], tokenizer: Any, prefix: str = "") -> list[TokenSpan]:  # noqa: ANN401  # duck-typed
    """The tokens of each chunk among those of its whole document, as the embedder reads it.

    Args:
        text: The whole document.
        chunks: Its chunks, in any order; they may overlap. Their contexts are in no span, because they are not part of
            the document.
        tokenizer: As for `embedder_tokens`.
        prefix: As for `embedder_tokens`.

    Returns:
        One token span for each chunk.

    Raises:
        OptionError: A chunk is not a slice of this text.
        WrongTypeError: As `embedder_tokens`.

    Examples:
        >>> from tokenizers import Tokenizer, models, pre_tokenizers
        >>> words = Tokenizer(models.WordLevel({"cut": 0, "onions": 1, ".": 2, "?": 3}, unk_token="?"))
        >>> words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        >>> from chunker import TextChunker
        >>> text = "cut onions.\\n\\ncut onions."
        >>> token_spans(text, TextChunker(4).chunk(text), words)
        [TokenSpan(start=0, end=3), TokenSpan(start=3, end=6)]
    """
    return embedder_tokens(text, tokenizer, prefix).spans(spans_in(text, chunks))


def spans_in(text: str, chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    """Start and end of each chunk in its text; raises `OptionError` if a chunk is none of it."""
    spans = []
    for chunk in chunks:
        require(chunk, Chunk, "each of chunks", "a chunk")
        start, end = chunk.span[:2]
        if text[start:end] != chunk.body:
            raise OptionError(f"chunk {chunk.index} is not text[{start}:{end}]: pass the text that was chunked")
        spans.append((start, end))
    return spans
