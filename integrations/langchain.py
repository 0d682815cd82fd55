"""A LangChain `TextSplitter` whose chunks fit a token budget exactly and know where they stand.

    from integrations.langchain import TokenBudgetTextSplitter
    splitter = TokenBudgetTextSplitter(chunk_size=512, chunk_overlap=50, add_start_index=True)
    documents = splitter.split_documents(documents)

Sizes are tokens of `tokenizer`, always. Nothing of the text is lost or replaced but the white space at the ends of a chunk, and
`metadata["start_index"]` is where `page_content` stands in the text, not where `str.find` would first see it.

Needs `langchain-text-splitters` (the extra `langchain`).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Literal, Self

from langchain_core.documents import Document
from langchain_text_splitters import Language, TextSplitter

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.counting import TokenCounter

_LANGUAGES = (Language.MARKDOWN, Language.PYTHON)
_REPLACED = {
    "length_function": "sizes are tokens of `tokenizer`, which takes an encoding or model name or a tokenizer",
    "keep_separator": "chunks hold all of their text, separators included",
    "separators": "where a text may be cut is decided by its structure; see `language`",
    "is_separator_regex": "where a text may be cut is decided by its structure; see `language`",
}


class TokenBudgetTextSplitter(TextSplitter):
    """Splits texts into chunks of at most `chunk_size` tokens.

    `chunk_size`, `chunk_overlap`, `min_chunk_size`: in tokens; see `chunker.TextChunker`. `language`: "markdown" or "python" (also as
    a LangChain `Language`) to cut at that structure. `add_start_index`: put the character offset of each chunk into its metadata.
    `strip_whitespace`: without white space at the ends of chunks, and without chunks of white space alone; where stripping would
    *raise* the count above `chunk_size` (a word at the start of a text can cost more than behind a space), that end stays.

    Raises ValueError for sizes and languages that cannot be used, as LangChain's splitters do, and TypeError for their options that
    have no meaning here.
    """

    def __init__(
        self,
        chunk_size: int = 4000,
        chunk_overlap: int = 200,
        *,
        tokenizer: str | TokenCounter = "o200k_base",
        language: Language | str | None = None,
        min_chunk_size: int | None = None,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
        **unsupported: object,
    ) -> None:
        for name in unsupported:
            reason = _REPLACED.get(name, "there is no such option")
            raise TypeError(f"{type(self).__name__} does not take {name}: {reason}")
        super().__init__(chunk_size, chunk_overlap, add_start_index=add_start_index, strip_whitespace=strip_whitespace)
        if chunk_overlap == chunk_size:
            raise ValueError(f"chunk_overlap ({chunk_overlap}) must be smaller than chunk_size ({chunk_size})")
        self._chunker = _chunker(
            language, chunk_size, tokenizer=tokenizer, min_tokens=min_chunk_size, overlap=chunk_overlap
        )
        # The base class measures with it in methods that a subclass of this one might call.
        self._length_function = self._chunker.tokenizer.count

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = "all",
        **kwargs: Any,  # noqa: ANN401  # what the base class declares
    ) -> Self:
        """The splitter that counts as this tiktoken encoding, or the one of this model, does.

        Special tokens that stand in a text are counted as the plain text that they are, so `allowed_special` must be empty;
        `disallowed_special` has no effect.
        """
        del disallowed_special
        if allowed_special:
            raise ValueError(
                f"allowed_special must be empty, special tokens are plain text here; got {allowed_special!r}"
            )
        return cls(tokenizer=encoding_name if model_name is None else model_name, **kwargs)

    @classmethod
    def from_language(cls, language: Language | str, **kwargs: Any) -> Self:  # noqa: ANN401  # as in LangChain's own splitters
        """The splitter that cuts at the structure of this language."""
        return cls(language=language, **kwargs)

    def split_text(self, text: str) -> list[str]:
        """The chunks of `text`, each at most `chunk_size` tokens."""
        return [chunk for _, chunk in self._split(text)]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """A document for each chunk of each text, with a copy of the text's metadata and, if asked for, its exact `start_index`."""
        documents = []
        for index, text in enumerate(texts):
            for start, chunk in self._split(text):
                metadata = copy.deepcopy(metadatas[index]) if metadatas else {}
                if self._add_start_index:
                    metadata["start_index"] = start
                documents.append(Document(page_content=chunk, metadata=metadata))
        return documents

    def _split(self, text: str) -> Iterator[tuple[int, str]]:
        """The character offset and the text of each chunk."""
        for chunk in self._chunker.chunk(text):
            start, body = chunk.span.start, chunk.body
            if self._strip_whitespace:
                stripped = self._strip(body)
                start += body.index(stripped)
                body = stripped
            if body:
                yield start, body

    def _strip(self, body: str) -> str:
        """`body` without the white space at its ends, or at one of them, or as it is: the first that fits the budget."""
        for stripped in (body.strip(), body.rstrip(), body.lstrip()):
            if self._chunker.tokenizer.count_up_to(stripped, self._chunk_size) is not None:
                return stripped
        return body


def _chunker(
    language: Language | str | None,
    max_tokens: int,
    *,
    tokenizer: str | TokenCounter,
    min_tokens: int | None,
    overlap: int,
) -> TextChunker:
    if language is None:
        return TextChunker(max_tokens, tokenizer=tokenizer, min_tokens=min_tokens, overlap=overlap)
    if language == Language.PYTHON:
        return CodeChunker("python", max_tokens, tokenizer=tokenizer, min_tokens=min_tokens, overlap=overlap)
    if language == Language.MARKDOWN:
        return MarkdownChunker(max_tokens, tokenizer=tokenizer, min_tokens=min_tokens, overlap=overlap)
    supported = ", ".join(f'"{known.value}"' for known in _LANGUAGES)
    raise ValueError(f"language {language!r} is not supported; choose one of {supported}, or None for plain text")
