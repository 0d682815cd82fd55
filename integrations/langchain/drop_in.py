r"""LangChain's splitters under their names and with their arguments: only the import changes.

    from chunker.integrations.langchain import RecursiveCharacterTextSplitter       # was: from langchain_text_splitters import ...
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=512, chunk_overlap=50)

The chunks differ from LangChain's: none exceeds `chunk_size`, none contains half a character, and each `start_index` is
exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any, Literal, Self, cast

from langchain_text_splitters import Language
from langchain_text_splitters import RecursiveCharacterTextSplitter as _Theirs

from chunker.counting import AnyTokenizer, TokenCounter
from chunker.errors import OptionError
from chunker.formats import Format
from chunker.integrations.langchain.splitter import TokenBudgetTextSplitter, encoding_of
from chunker.integrations.separators import Keep, SeparatorsFormat
from chunker.integrations.splitting import Chunkers


class RecursiveCharacterTextSplitter(TokenBudgetTextSplitter):
    """LangChain's splitter of this name, with a budget that holds.

    `from_language` cuts at LangChain's separators, lines that begin with certain words. With `language` the parsed
    structure of a text decides: no function is cut because a line in it looks like the start of another.

    Args:
        separators: Strings to cut at, the best first. Text between two of them that does not fit is cut at sentences
            and words. By default texts are cut as plain text: at paragraphs, lines, sentences, words.
        keep_separator: True and "start" keep the separator at the start of the next chunk, "end" at the end of the
            chunk; False drops it.
        is_separator_regex: Whether the separators are regular expressions.
        length_function: Measures `chunk_size` and `chunk_overlap`; by default in characters. The `count` of a tokenizer
            of this package counts incrementally; any other function is called again for each part of a growing chunk. A
            length that is not an integer, as from `lambda text: len(text) / 4`, is rounded up.
        tokenizer: As for `TokenBudgetTextSplitter`, instead of `length_function`.
        kwargs: The other options of `TokenBudgetTextSplitter`.

    Raises:
        ValueError: A size, the language or a regular expression cannot be used, or separators and a language are given.
        TypeError: There is no such option.
    """

    def __init__(
        self,
        separators: list[str] | None = None,
        keep_separator: bool | Literal["start", "end"] = True,  # noqa: FBT001, FBT002  # as LangChain's
        is_separator_regex: bool = False,  # noqa: FBT001, FBT002  # as LangChain's
        *,
        length_function: Callable[[str], float] = len,
        tokenizer: AnyTokenizer | None = None,
        **kwargs: Any,  # noqa: ANN401  # as LangChain's
    ) -> None:
        self._separators = separators
        self._is_regex = is_separator_regex
        self._keep: Keep = keep_separator
        super().__init__(tokenizer=_counter(length_function) if tokenizer is None else tokenizer, **kwargs)
        self._keep_separator = keep_separator

    def _chunkers_for(self, language: str | None, format: Format | None = None) -> Chunkers:  # noqa: A002  # as TextChunker
        if self._separators is None:
            return super()._chunkers_for(language, format)
        if language is not None:
            raise ValueError(f"separators and language={language!r} both say where to cut; give one of them")
        at_separators = SeparatorsFormat(self._separators, regex=self._is_regex, keep=self._keep)
        self._drop = at_separators.without_separator if self._keep is False else None
        return super()._chunkers_for(None, at_separators)

    @classmethod
    def from_language(cls, language: Language | str, **kwargs: Any) -> Self:  # noqa: ANN401  # as LangChain's
        """Make a splitter that cuts at LangChain's separators for a language, as LangChain's own does.

        These are the beginnings of lines, such as "\\nclass ". The option `language` of the class cuts at the structure
        of a text in their place.

        Args:
            language: A language of LangChain, or its value.
            kwargs: The other options of the class.

        Returns:
            The splitter.

        Raises:
            ValueError: LangChain has no separators for the language.
        """
        try:
            known = Language(language)
        except ValueError as error:
            raise ValueError(f"LangChain has no separators for {language!r}; see the option `language`") from error
        return cls(cls.get_separators_for_language(known), is_separator_regex=True, **kwargs)

    @staticmethod
    def get_separators_for_language(language: Language) -> list[str]:
        """Return LangChain's separators for a language.

        Args:
            language: The language.

        Returns:
            The separators, in the order in which LangChain tries them.

        Raises:
            ValueError: LangChain has no separators for it.
        """
        return _Theirs.get_separators_for_language(language)


class TokenTextSplitter(TokenBudgetTextSplitter):
    """LangChain's splitter of this name: chunks of at most `chunk_size` tokens of an encoding, with nothing stripped.

    No character is split. Chunks end between words if possible, so most have a few tokens less than `chunk_size`.

    Args:
        encoding_name: The name of the encoding of tiktoken.
        model_name: The name of a model, whose encoding is used instead of `encoding_name`.
        allowed_special: Must be empty: special tokens in a text are plain text.
        disallowed_special: Has no effect.
        tokenizer: As for `TokenBudgetTextSplitter`, instead of an encoding.
        kwargs: The other options of `TokenBudgetTextSplitter`. `length_function`, `keep_separator` and
            `strip_whitespace` have no effect, as in LangChain's.

    Raises:
        ValueError: A size or an encoding cannot be used, or `allowed_special` is not empty.
        TypeError: There is no such option.
    """

    def __init__(
        self,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = "all",
        *,
        tokenizer: AnyTokenizer | None = None,
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


def _counter(length_function: Callable[[str], float]) -> TokenCounter | Callable[[str], int] | str:
    """Return the counter for a length function: the tokenizer itself, if the function is its `count`."""
    if cast("object", length_function) is len:
        return "characters"
    owner = getattr(length_function, "__self__", None)
    # Methods of the compiled core do not compare equal to each other.
    if isinstance(owner, TokenCounter) and getattr(length_function, "__name__", "") == "count":
        return owner
    return _Length(length_function)


class _Length:
    """A length function that rounds up: a length is within an integer limit if and only if the rounded length is."""

    def __init__(self, function: Callable[[str], float]) -> None:
        self.function = function

    def __call__(self, text: str) -> int:
        length: object = self.function(text)
        number = float(length) if not isinstance(length, bool) and isinstance(length, Real) else -1.0
        if not 0 <= number < math.inf:
            raise OptionError(
                f"length_function must return a length, a number from 0; {self.function!r} returned {length!r:.100}"
            )
        return math.ceil(number)

    def __repr__(self) -> str:
        return repr(self.function)
