"""The compiled engine: `bpe_engine._core`, given the vocabulary, for `Tokenizer` to inherit.

A pattern of the user's own is an expression that the core compiles (`_pipeline_of`). What it does not compile (back-references, say) is split by the `regex`
package, in the Python engine; the pieces are still encoded by the core. That engine also answers for slices of a str with lone surrogates, whose
offsets are no offsets of the bytes that the core sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from bpe_engine import _core, encoders
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.data import load_planes
from bpe_engine.text.input import to_bytes
from bpe_engine.text.truncation import Text, truncate_head, truncate_tail
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.fallback import engine as reference
    from bpe_engine.pipeline.merge_order import Reordered
    from bpe_engine.tokenizer import Tokenizer

# The Python engine is imported where it is needed, which is seldom: that takes as long as to load a vocabulary.
# ruff: noqa: PLC0415

encoders.AppendingEncoder.register(_core.AppendingEncoder)
encoders.PrependingEncoder.register(_core.PrependingEncoder)
encoders.IntervalEncoder.register(_core.IntervalEncoder)
encoders.AppendingEncoder.register(_core.PipelineAppendingEncoder)
encoders.PrependingEncoder.register(_core.PipelinePrependingEncoder)
encoders.IntervalEncoder.register(_core.PipelineIntervalEncoder)
encoders.Mark.register(_core.Mark)


class Engine(_core.Engine):
    """Text -> tokens by the compiled core. Raises VocabularyError for tokens that it cannot merge."""

    def __init__(self, vocabulary: Vocabulary, like: Engine | None = None) -> None:
        self._vocabulary = vocabulary
        self._reordered: Reordered | None
        self._tokens: _core.TokenSet
        if like is None:
            self._tokens, self._reordered = _tokens_of(vocabulary)
        else:
            self._tokens, self._reordered = like._tokens, like._reordered  # noqa: SLF001 - of the same class
        grammar = scanner_of(vocabulary)
        self._by_scanner = grammar is not None or vocabulary.pattern is None
        # What splits and encodes under a pattern of the user's own, or why it cannot.
        self._expression, self._not_compiled = (None, None) if self._by_scanner else _pipeline_of(vocabulary)
        super().__init__(self._tokens, grammar, self._answering())

    def _answering(self) -> PipelineAnswers | reference.Engine | None:
        """What answers in place of a scanner."""
        if self._by_scanner:
            return None
        return self.reference if self._expression is None else PipelineAnswers(self._expression)

    @property
    def is_native(self) -> bool:
        """Whether the compiled core does all of the work; else `not_native` says why it does not."""
        return self._not_compiled is None

    @property
    def not_native(self) -> str | None:
        """Why the text is split in Python, which is some ten times as slow; None where it is not."""
        return self._not_compiled

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, and not anew for each count: not under a pattern of one's own that looks back."""
        return self._by_scanner or self._expression is not None or not self.reference.pretokenizer.looks_back

    @cached_property
    def reference(self) -> reference.Engine:
        """The engine in Python, whose pieces the core encodes; made when first asked for."""
        from bpe_engine.fallback import engine as reference

        whole = _core.Engine(self._tokens, None, None)
        encode_piece = whole._encode_piece  # noqa: SLF001 - the core is of this package
        return reference.Engine(self._vocabulary, encode_piece=encode_piece, reordered=self._reordered)

    def appending_encoder(self) -> encoders.AppendingEncoder:
        """A text that grows to the right, and its count."""
        if self._by_scanner:
            return cast("encoders.AppendingEncoder", _core.AppendingEncoder(self))
        if self._expression is not None:
            return cast("encoders.AppendingEncoder", _core.PipelineAppendingEncoder(self, self._expression))
        from bpe_engine.fallback import appending_encoder

        return appending_encoder.AppendingEncoder(self._tokenizer())

    def prepending_encoder(self) -> encoders.PrependingEncoder:
        """A text that grows to the left, and its count."""
        if self._by_scanner:
            return cast("encoders.PrependingEncoder", _core.PrependingEncoder(self))
        if self._expression is not None:
            return cast("encoders.PrependingEncoder", _core.PipelinePrependingEncoder(self, self._expression))
        from bpe_engine.fallback import prepending_encoder

        return prepending_encoder.PrependingEncoder(self._tokenizer())

    def interval_encoder(self, text: str | bytes) -> encoders.IntervalEncoder:
        """The counts of all slices of `text`."""
        if self._by_scanner and not _core.has_lone_surrogates(text):
            return cast("encoders.IntervalEncoder", _core.IntervalEncoder(self, text))
        # A slice beside a byte in no token has a count: the pipeline's encoder refuses the whole text.
        if self._expression is not None and self._has_all_bytes and not _core.has_lone_surrogates(text):
            return cast("encoders.IntervalEncoder", _core.PipelineIntervalEncoder(self, self._expression, text))
        from bpe_engine.fallback import interval_encoder

        return interval_encoder.IntervalEncoder(self._tokenizer(), text)

    @cached_property
    def _has_all_bytes(self) -> bool:
        return all(self._id_of(bytes([byte])) is not None for byte in range(256))

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in ascending order."""
        return self._tokens.sorted_tokens()

    def _truncate(self, text: Text, most: int, *, head: bool) -> Text:
        if self._by_scanner and not _core.has_lone_surrogates(text):
            return cast("Text", self._fitting(text, most, head))
        return (truncate_head if head else truncate_tail)(self._tokenizer(), text, most)

    def starts_in_bytes(self, characters: str, bytes_of: Callable[[int], bytes]) -> list[int]:
        """Where each token starts in text that went through `received`, in bytes; also where the pattern drops some of it."""
        if self._expression is not None:
            ids, firsts = self._expression.encode_with_offsets(to_bytes(characters))
            starts, end = [], 0
            for token, first in zip(ids, firsts, strict=True):
                # Of the character that it starts in: behind the end of the token before, if text was dropped between them.
                starts.append(max(first, end))
                end = starts[-1] + len(bytes_of(token))
            return starts
        return self.reference.starts_in_bytes(characters, bytes_of)

    def _largest_id(self) -> int:
        return self._tokens.largest_id()

    def _tokenizer(self) -> Tokenizer:
        return cast("Tokenizer", self)


class PipelineAnswers:
    """What the core asks in place of a scanner, under the names that it asks by: a pipeline of one compiled expression."""

    def __init__(self, pipeline: _core.Pipeline) -> None:
        self.count = pipeline.count
        self.count_up_to = pipeline.count_up_to
        self.encode_ordinary = pipeline.encode
        self.encode_to_buffer = pipeline.encode_to_buffer
        self.split = pipeline.split
        self._pipeline = pipeline

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int) -> list[int]:
        """`count` of each text, in order."""
        return self._pipeline.count_batch(texts, num_threads)

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int) -> list[list[int]]:
        """`encode_ordinary` of each text, in order."""
        return self._pipeline.encode_batch(text, num_threads)


def _pipeline_of(vocabulary: Vocabulary) -> tuple[_core.Pipeline | None, str | None]:
    """The pipeline that runs a pattern of the user's own, or why there is none."""
    from bpe_engine.pipeline.compiling import NotNativeError, pipeline_of
    from bpe_engine.pipeline.specification import Specification

    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    specification = Specification(
        name=vocabulary.name,
        source=vocabulary.name or "the vocabulary",
        tokens={token_id: token for token, token_id in ranks.items() if token},
        ranks=None if merge_ranks is None else {i: merge_ranks.get(i, i) for token, i in ranks.items() if token},
        ignore_merges=True,
        pre_tokenizers=() if vocabulary.pattern is None else (vocabulary.pattern,),
    )
    try:
        return pipeline_of(specification), None
    except NotNativeError as error:
        return None, str(error)


def scanner_of(vocabulary: Vocabulary) -> str | None:
    """The name of the core's scanner for the pattern of a vocabulary, whatever the pattern is called; None where there is none."""
    for name, named in PATTERNS.items():
        if vocabulary.pattern is not None and vocabulary.pattern.source == named.source and _core.has_scanner(name):
            return name
    return None


def rebuild_appending(
    tokenizer: Tokenizer, finished: bytes, unfinished: str, tokens: tuple[tuple[int, int, int], ...] = ()
) -> encoders.AppendingEncoder:
    """An unpickled encoder: the same text and count, no marks. `tokens` that stand in it as such: start and end in bytes, and the id."""
    encoder = cast("_core.AppendingEncoder", tokenizer.appending_encoder())
    place = 0
    for start, end, token in tokens:
        encoder.append(finished[place:start])
        encoder._put_token(token, finished[start:end])  # noqa: SLF001 - the core is of this package
        place = end
    encoder.append(finished[place:])
    encoder.append(unfinished)
    return cast("encoders.AppendingEncoder", encoder)


def rebuild_prepending(tokenizer: Tokenizer, finished: bytes, unfinished: str) -> encoders.PrependingEncoder:
    """An unpickled encoder: the same text and count, no marks."""
    encoder = tokenizer.prepending_encoder()
    encoder.prepend(finished)
    encoder.prepend(unfinished)
    return encoder


def _tokens_of(vocabulary: Vocabulary) -> tuple[_core.TokenSet, Reordered | None]:
    return (_embedded(vocabulary.embedded), None) if vocabulary.embedded else _token_set(vocabulary)


@cache_until_exit
def _embedded(name: str) -> _core.TokenSet:
    return _core.TokenSet.from_planes(load_planes(name))


def _token_set(vocabulary: Vocabulary) -> tuple[_core.TokenSet, Reordered | None]:
    """The tokens as the core has them; where they are not in merge order by their ids, in which order they are."""
    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    tokens = sorted(filter(None, ranks), key=ranks.__getitem__)
    ids = [ranks[token] for token in tokens]
    if merge_ranks is None:
        try:
            return _core.TokenSet.from_tokens(tokens, ids), None
        except VocabularyError:
            merge_ranks = {}  # not in merge order; if that is not it, it is told again
    from bpe_engine.pipeline.merge_order import reorder

    found = reorder(tokens, ids, [merge_ranks.get(token_id, token_id) for token_id in ids], _halves_of)
    if found.is_exact:
        return _core.TokenSet.from_tokens(found.tokens, found.ids), found
    return _core.TokenSet.from_disorder(*found), found


def _halves_of(tokens: Sequence[bytes], ranks: Sequence[int]) -> list[tuple[int, int] | None]:
    return _core.halves_of(list(tokens), list(ranks))
