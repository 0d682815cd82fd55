r"""LangChain's splitters under their names and with their arguments: only the import changes.

    from chunker.integrations.langchain import RecursiveCharacterTextSplitter       # was: from langchain_text_splitters import ...
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=512, chunk_overlap=50)

The chunks are others, and that is the point: none is above `chunk_size`, none has U+FFFD in it, each knows its `start_index`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from langchain_text_splitters import Language
from langchain_text_splitters import RecursiveCharacterTextSplitter as _Theirs

from chunker.counting import TokenCounter
from chunker.errors import MissingGrammarError
from chunker.formats import Format
from chunker.formats.detect import format_called
from chunker.formats.registry import format_names
from chunker.integrations.langchain.splitter import TokenBudgetTextSplitter, encoding_of
from chunker.integrations.separators import Keep, SeparatorsFormat
from chunker.integrations.splitting import AUTO, Chunkers

# Of the constructor, or of `from_language`, which calls it.
_CALLER = 4


class RecursiveCharacterTextSplitter(TokenBudgetTextSplitter):
    """LangChain's splitter of this name, with a budget that holds.

    `separators`: where to cut, the best first; a stretch without any that does not fit is cut at sentences and words. By default texts are
    cut as plain text is: at paragraphs, lines, sentences, words. `keep_separator`: False drops the one at the end of a chunk, "end"
    keeps it there, True and "start" put it in front of the next chunk. `length_function`: what sizes are measured in, by default
    characters; a function that is a tokenizer's `count` is known for that, others are asked again and again. `from_language`: at the
    structure of the language where it is known to this package, else at LangChain's separators for it; so, too, with a warning, where the
    grammar of the language is not installed.

    The other arguments are those of `TokenBudgetTextSplitter`. Raises what that raises, and ValueError for expressions that are none.
    """

    def __init__(
        self,
        separators: list[str] | None = None,
        keep_separator: bool | Literal["start", "end"] = True,  # noqa: FBT001, FBT002  # as LangChain's
        is_separator_regex: bool = False,  # noqa: FBT001, FBT002  # as LangChain's
        *,
        length_function: Callable[[str], int] = len,
        tokenizer: str | TokenCounter | Callable[[str], object] | None = None,
        **kwargs: Any,  # noqa: ANN401  # as LangChain's
    ) -> None:
        self._separators = separators
        self._is_regex = is_separator_regex
        self._keep: Keep = keep_separator
        super().__init__(tokenizer=_counter(length_function) if tokenizer is None else tokenizer, **kwargs)
        self._keep_separator = keep_separator

    def _chunkers_for(self, language: str | None, format: Format | None = None) -> Chunkers:  # noqa: A002  # as TextChunker
        if format is not None or (language is None and self._separators is None):
            return super()._chunkers_for(language, format)
        if language is None:
            return self._at_separators(self._separators or [], regex=self._is_regex)
        if not _known(language):
            return self._at_separators(self.get_separators_for_language(Language(language)), regex=True)
        try:
            return super()._chunkers_for(language)
        except MissingGrammarError as error:
            if language not in set(Language):
                raise
            warnings.warn(f"{error}; cut at LangChain's separators for it", stacklevel=_CALLER)
            return self._at_separators(self.get_separators_for_language(Language(language)), regex=True)

    def _at_separators(self, separators: list[str], *, regex: bool) -> Chunkers:
        at_separators = SeparatorsFormat(separators, regex=regex, keep=self._keep)
        self._drop = at_separators.without_separator if self._keep is False else None
        return super()._chunkers_for(None, at_separators)

    @staticmethod
    def get_separators_for_language(language: Language) -> list[str]:
        """LangChain's separators for a language."""
        return _Theirs.get_separators_for_language(language)


class TokenTextSplitter(TokenBudgetTextSplitter):
    """LangChain's splitter of this name: chunks of tokens of an encoding, with nothing stripped, and no character cut in two.

    Chunks end between words where that is possible, so most have some tokens fewer than `chunk_size`. Raises ValueError as LangChain's
    does, and for `allowed_special`: special tokens in a text are the plain text that they are.
    """

    def __init__(
        self,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = "all",
        *,
        tokenizer: str | TokenCounter | Callable[[str], object] | None = None,
        **kwargs: Any,  # noqa: ANN401  # as LangChain's
    ) -> None:
        for unused in (
            "length_function",
            "keep_separator",
            "strip_whitespace",
        ):  # as in LangChain's, which ignores them
            kwargs.pop(unused, None)
        named = encoding_of(encoding_name, model_name, allowed_special, disallowed_special)
        super().__init__(tokenizer=named if tokenizer is None else tokenizer, strip_whitespace=False, **kwargs)


def _counter(length_function: Callable[[str], int]) -> TokenCounter | Callable[[str], int] | str:
    """The counter of a length function: a tokenizer, if the function is its `count`."""
    if length_function is len:
        return "characters"
    owner = getattr(length_function, "__self__", None)
    # Methods of the compiled core do not compare equal to each other.
    if isinstance(owner, TokenCounter) and getattr(length_function, "__name__", "") == "count":
        return owner
    return length_function


def _known(language: str) -> bool:
    return language == AUTO or language in format_names() or format_called(language) is not None
