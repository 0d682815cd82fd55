"""A chonkie chunker whose chunks fit a token budget exactly. Its name in pipelines is "token_budget".

    from chunker.integrations.chonkie import TokenBudgetChunker
    chunks = TokenBudgetChunker(chunk_size=512, language="markdown").chunk(text)
    document = Pipeline().chunk_with("token_budget", chunk_size=512, language="auto").run(texts=text)

All indices are in characters: `text[start_index:end_index]` is the text of a chunk. Needs `chonkie` (the extra
`chonkie`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chunker.counting import AnyTokenizer, TokenCounter, resolve_tokenizer
from chunker.integrations.requirements import missing
from chunker.integrations.splitting import AUTO, Chunkers
from chunker.options import Strategy

try:
    from chonkie.chunker import BaseChunker
    from chonkie.pipeline import chunker as register
    from chonkie.tokenizer import Tokenizer as ChonkieTokenizer
    from chonkie.types import Chunk, Document
except ModuleNotFoundError as error:
    raise missing(error, "chonkie") from error

__all__ = ["TokenBudgetChunker"]


@register("token_budget")
class TokenBudgetChunker(BaseChunker):
    """Cut texts into chunks of at most `chunk_size` tokens. Their `context` is the breadcrumb.

    Without overlap the texts of the chunks concatenate to the whole text.

    Args:
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts, and chonkie's "character", "word" and
            "byte".
        chunk_size: The largest number of tokens of a chunk.
        chunk_overlap: The largest number of tokens of the previous chunk that a chunk repeats; a float is a share of
            `chunk_size`.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to
            detect it from the file name in the metadata of a document, and from the text.
        min_chunk_size: No chunk has fewer tokens, except the last one if every other cut would divide a part that fits;
            by default an eighth of `chunk_size`.
        strategy: "grow" fills chunk after chunk, "optimal" chooses all cuts together.

    Raises:
        ValueError: A size or the language cannot be used.
    """

    def __init__(
        self,
        tokenizer: AnyTokenizer = "o200k_base",
        chunk_size: int = 2048,
        chunk_overlap: float = 0,
        *,
        language: str | None = None,
        min_chunk_size: int | None = None,
        strategy: Strategy = "grow",
    ) -> None:
        if chunk_size <= 0:
            raise ValueError("chunk_size must be positive")
        if isinstance(chunk_overlap, float):
            chunk_overlap = int(chunk_overlap * chunk_size)
        if chunk_overlap >= chunk_size:
            raise ValueError("chunk_overlap must be less than chunk_size")
        counter = resolve_tokenizer(_UNITS.get(tokenizer, tokenizer) if isinstance(tokenizer, str) else tokenizer)
        super().__init__(_Counting(counter))
        self.chunk_size = chunk_size
        self.chunk_overlap = chunk_overlap
        self.language = language
        self._chunkers = Chunkers(
            chunk_size,
            language,
            tokenizer=counter,
            min_tokens=min_chunk_size,
            overlap=chunk_overlap,
            strategy=strategy,
        )

    def chunk(self, text: str) -> list[Chunk]:
        """Split a text into chunks.

        Args:
            text: The text.

        Returns:
            The chunks, in order; none for an empty text.
        """
        return list(self._chunks(text, None))

    def chunk_document(self, document: Document) -> Document:
        """Cut a document. If it has chunks already, each of them is cut further.

        Args:
            document: The document, to which the chunks are added. Its metadata is merged into theirs.

        Returns:
            The same document.
        """
        if document.chunks or self.language != AUTO:
            chunked: Document = super().chunk_document(document)
            return chunked
        document.chunks = list(self._chunks(document.content, document.metadata))
        for chunk in document.chunks:
            metadata = getattr(chunk, "metadata", None)  # since chonkie 1.6.1
            if metadata is not None:
                chunk.metadata = {**document.metadata, **metadata}
        return document

    def _chunks(self, text: str, metadata: Mapping[str, object] | None) -> Iterator[Chunk]:
        for passage in self._chunkers.passages(text, metadata):
            yield Chunk(
                text=passage.text,
                start_index=passage.start,
                end_index=passage.end,
                token_count=passage.tokens,
                context=" > ".join(passage.breadcrumb) or None,
            )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(chunk_size={self.chunk_size}, chunk_overlap={self.chunk_overlap}, "
            f"language={self.language!r})"
        )


_UNITS = {"character": "characters", "word": "words", "byte": "bytes"}


class _Counting(ChonkieTokenizer):
    """A counter with the interface of chonkie's tokenizers: `chunker.tokenizer.count_tokens(text)`."""

    def __init__(self, counter: TokenCounter) -> None:
        super().__init__()
        self._counter = counter

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return self._counter.count(text)

    def encode(self, text: str) -> Sequence[int]:
        """Return the token ids of `text`. Raises NotImplementedError if the tokenizer only counts."""
        ids: Sequence[int] = self._coder("encode")(text)
        return ids

    def tokenize(self, text: str) -> Sequence[int]:
        """Return the token ids of `text`, like `encode`."""
        return self.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of token ids. Raises NotImplementedError if the tokenizer only counts."""
        text: str = self._coder("decode")(list(tokens))
        return text

    def __repr__(self) -> str:
        return repr(self._counter)

    def _coder(self, name: str) -> Any:  # noqa: ANN401  # a method of whichever tokenizer it is
        method = getattr(self._counter, name, None)
        if method is None:
            raise NotImplementedError(f"{self._counter!r} counts tokens, it does not {name} them")
        return method
