"""Requests to an endpoint that does late chunking itself, such as Jina's: it joins the texts of a request, reads them as one document, and
answers with one vector a text. So a request contains chunks of one document only, as many as the model can read
together.

    document A   a1 a2 a3 a4 a5      [a1 a2 a3] [a4 a5]
    document B   b1                  [b1]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chunker.arguments import whole_number
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.errors import OptionError
from chunker.models import Chunk


def late_requests(
    documents: Iterable[Sequence[Chunk]], tokenizer: AnyTokenizer, max_tokens: int
) -> Iterator[list[Chunk]]:
    """Pack chunks into requests by document and by tokens. Linear time.

    Args:
        documents: The chunks of each document, in order, without overlap.
        tokenizer: The tokenizer of the endpoint's model, or its name.
        max_tokens: The largest number of tokens of the joined bodies of a request, its special tokens included.

    Yields:
        The chunks of each request, neighbours of one document whose joined bodies have at most `max_tokens`.

    Raises:
        OptionError: One chunk alone has more, or `max_tokens` leaves no room beside the special tokens.

    Examples:
        >>> from chunker import TextChunker
        >>> chunks = TextChunker(2, min_tokens=0).chunk("One.\\n\\nTwo.\\n\\nThree.\\n\\n")
        >>> [[chunk.index for chunk in request] for request in late_requests([chunks, chunks[:1]], "o200k_base", 5)]
        [[0, 1], [2], [0]]
    """
    max_tokens = whole_number(max_tokens, "max_tokens", " of tokens")
    counter = resolve_tokenizer(tokenizer)
    limit = max_tokens - getattr(counter, "reserve", 0)
    if limit < 1:
        raise OptionError(f"max_tokens must be more than the special tokens of the model; got {max_tokens}")
    for chunks in documents:
        request: list[Chunk] = []
        growing = counter.appending_encoder()
        for chunk in chunks:
            growing.append(chunk.body)
            if request and growing.count > limit:
                yield request
                request = []
                growing = counter.appending_encoder()
                growing.append(chunk.body)
            if growing.count > limit:
                raise OptionError(
                    f"chunk {chunk.index} has {growing.count} tokens, but a request takes {limit}: make smaller chunks"
                )
            request.append(chunk)
        if request:
            yield request
