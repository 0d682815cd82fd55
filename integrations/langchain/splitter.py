"""A LangChain `TextSplitter` whose sizes are always tokens, and whose offsets are exact.

Only white space at the ends of chunks is removed; nothing else is lost or replaced. `metadata["start_index"]` is the
true offset of `page_content`, not that of its first occurrence, as `str.find` returns it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Literal, Self

from langchain_core.documents import Document
from langchain_text_splitters import Language, TextSplitter

from chunker.counting import AnyTokenizer, HuggingFaceCounter, resolve_tokenizer
from chunker.counting.huggingface import is_huggingface
from chunker.formats import Format
from chunker.integrations.splitting import Chunkers, Passage
from chunker.options import Options, Strategy

_REPLACED = {
    "length_function": "sizes are tokens of `tokenizer`, which takes an encoding or model name, a tokenizer, or a function",
    "keep_separator": "chunks hold all of their text, separators included",
    "separators": "where a text may be cut is decided by its structure; see `language`",
    "is_separator_regex": "where a text may be cut is decided by its structure; see `language`",
}


class TokenBudgetTextSplitter(TextSplitter):
    """Split texts into chunks of at most `chunk_size` tokens.

    Args:
        chunk_size: The largest number of tokens of a chunk.
        chunk_overlap: The largest number of tokens of the previous chunk that a chunk repeats.
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts.
        language: A format or programming language whose structure decides the cuts, also a LangChain `Language`; None
            for plain text; "auto" to detect it from the file name "source" in the metadata, and from the text.
        min_chunk_size: No chunk has fewer tokens, except the last one if every other cut would divide a part that fits;
            by default an eighth of `chunk_size`.
        strategy: "grow" fills chunk after chunk, "optimal" chooses all cuts together.
        add_start_index: Put the offset of each chunk, in characters, into its metadata as "start_index".
        add_chunk_metadata: Put all fields of a chunk into its metadata: its offsets in characters ("start_index",
            "end_index"), bytes and lines, its tokens, breadcrumb, kind and language.
        strip_whitespace: Strip the ends of chunks, and drop chunks of white space only. If stripping would raise the
            count above `chunk_size` (a word can cost more at the start of a text than after a space), that end is not
            stripped.
        unsupported: Options of LangChain's splitters that have no meaning here; passing one is an error. The splitters
            with LangChain's names accept them.

    Raises:
        ValueError: A size or the language cannot be used; as LangChain's splitters raise it.
        TypeError: An option is unsupported.
    """

    def __init__(  # noqa: PLR0913  # as many as there are options
        self,
        chunk_size: int = 4000,
        chunk_overlap: int = 200,
        *,
        tokenizer: AnyTokenizer = "o200k_base",
        language: Language | str | None = None,
        min_chunk_size: int | None = None,
        strategy: Strategy = "grow",
        add_start_index: bool = False,
        add_chunk_metadata: bool = False,
        strip_whitespace: bool = True,
        **unsupported: object,
    ) -> None:
        for name in unsupported:
            reason = _REPLACED.get(name, "there is no such option")
            raise TypeError(f"{type(self).__name__} does not take {name}: {reason}")
        super().__init__(chunk_size, chunk_overlap, add_start_index=add_start_index, strip_whitespace=strip_whitespace)
        if chunk_overlap == chunk_size:
            raise ValueError(f"chunk_overlap ({chunk_overlap}) must be smaller than chunk_size ({chunk_size})")
        self._add_chunk_metadata = add_chunk_metadata
        self._drop: Callable[[str], str] | None = None  # removes an unwanted end of a chunk
        self._options: Options = {
            "tokenizer": resolve_tokenizer(tokenizer),
            "min_tokens": min_chunk_size,
            "overlap": chunk_overlap,
            "strategy": strategy,
        }
        self._chunkers = self._chunkers_for(language.value if isinstance(language, Language) else language)
        # Methods of the base class, which a subclass of this class may call, measure with it.
        self._length_function = self._chunkers.tokenizer.count

    def _chunkers_for(self, language: str | None, format: Format | None = None) -> Chunkers:  # noqa: A002  # as TextChunker
        return Chunkers(self._chunk_size, language, format=format, **self._options)

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = "all",
        **kwargs: Any,  # noqa: ANN401  # what the base class declares
    ) -> Self:
        """Make a splitter that counts by an encoding of tiktoken. Special tokens in a text are plain text.

        Args:
            encoding_name: The name of the encoding.
            model_name: The name of a model, whose encoding is used instead of `encoding_name`.
            allowed_special: Must be empty.
            disallowed_special: Has no effect.
            kwargs: The other options of the class.

        Returns:
            A splitter of the class that this is called on, with sizes in tokens of the encoding.

        Raises:
            ValueError: There is no such encoding or model, or `allowed_special` is not empty.
        """
        return cls(tokenizer=encoding_of(encoding_name, model_name, allowed_special, disallowed_special), **kwargs)

    @classmethod
    def from_huggingface_tokenizer(cls, tokenizer: Any, **kwargs: Any) -> Self:  # noqa: ANN401  # as the base class; duck-typed
        """Make a splitter that counts by a tokenizer of Hugging Face, without the special tokens that it adds.

        Args:
            tokenizer: A tokenizer of `transformers` or `tokenizers`.
            kwargs: The other options of the class.

        Returns:
            A splitter of the class that this is called on, with sizes in tokens of `tokenizer`.

        Raises:
            ValueError: `tokenizer` is neither.
        """
        if is_huggingface(tokenizer):
            return cls(tokenizer=HuggingFaceCounter(tokenizer, add_special_tokens=False), **kwargs)
        # Tokenizers of transformers that are written in Python.
        if not hasattr(tokenizer, "num_special_tokens_to_add") or not hasattr(tokenizer, "tokenize"):
            raise ValueError(
                f"Tokenizer received was not an instance of PreTrainedTokenizerBase or tokenizers.Tokenizer: {tokenizer!r:.100}"
            )
        return cls(tokenizer=tokenizer.tokenize, **kwargs)

    @classmethod
    def from_language(cls, language: Language | str, **kwargs: Any) -> Self:  # noqa: ANN401  # as in LangChain's own splitters
        """Make a splitter that cuts at the structure of a language.

        Args:
            language: As for the class.
            kwargs: The other options of the class.

        Returns:
            A splitter of the class that this is called on.

        Raises:
            ValueError: The language is unknown, or its grammar is not installed.
        """
        return cls(language=language, **kwargs)

    def split_text(self, text: str) -> list[str]:
        """Split a text into chunks of at most `chunk_size` tokens.

        Args:
            text: The text.

        Returns:
            The texts of the chunks, in order.
        """
        return self._chunkers.texts(text, strip=self._strip_whitespace, drop=self._drop)

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Return a document for each chunk of each text.

        Args:
            texts: The texts.
            metadatas: The metadata of each text; each of its documents gets a copy. None by default.

        Returns:
            The documents, in the order of the texts. The fields of each chunk are in its metadata if the splitter adds
            them.
        """
        documents = []
        for index, text in enumerate(texts):
            given = metadatas[index] if metadatas else {}
            if self._add_chunk_metadata:
                for passage in self._passages(text, given):
                    metadata = {**copy.deepcopy(given), **passage.description()}
                    documents.append(Document(page_content=passage.text, metadata=metadata))
                continue
            for start, end in self._chunkers.slices(text, given, strip=self._strip_whitespace, drop=self._drop):
                metadata = copy.deepcopy(given)
                if self._add_start_index:
                    metadata["start_index"] = start
                documents.append(Document(page_content=text[start:end], metadata=metadata))
        return documents

    def _passages(self, text: str, metadata: Mapping[Any, object] | None) -> Iterator[Passage]:
        return self._chunkers.passages(text, metadata, strip=self._strip_whitespace, drop=self._drop)


def encoding_of(
    encoding_name: str,
    model_name: str | None,
    allowed_special: Literal["all"] | AbstractSet[str] | None,
    _disallowed_special: Literal["all"] | Collection[str],
) -> str:
    """Return the name of the encoding or model that LangChain's four arguments select. Raises ValueError if special
    tokens are allowed.
    """
    if allowed_special:
        raise ValueError(f"allowed_special must be empty, special tokens are plain text here; got {allowed_special!r}")
    return encoding_name if model_name is None else model_name
