"""The compiled engines, over `bpe_engine._core`.

    CompiledVocabulary    a vocabulary without a pattern, or with one that has a scanner of its own
    CompiledPattern       a vocabulary with a pattern of the user's own: a pipeline of one compiled expression
    CompiledPipeline      a specification: added tokens, normalizers, pre-tokenizers and a model

What the core does not compile (back-references, say) runs on the engine in Python, and says so (`not_native`). Pre-tokens of a vocabulary are
encoded by the core even then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from bpe_engine import _core, encoders
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import EncodingError
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.data import load_planes
from bpe_engine.special_tokens import Specials, SpecialTokens, check_specials
from bpe_engine.text.input import received
from bpe_engine.text.offsets import starts_of_parts
from bpe_engine.text.slices import CountedSlices, SurrogateSlices
from bpe_engine.text.truncation import Text, truncate_head, truncate_tail
from bpe_engine.token_table import TokenTable
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.engine import Engine
    from bpe_engine.fallback.merge_order import Reordered
    from bpe_engine.pipeline.added_tokens import AddedTokenFinder
    from bpe_engine.pipeline.compiling import PipelineParts
    from bpe_engine.pipeline.specification import Specification

# The engine in Python, and pipelines, are imported where they are needed, which is seldom: importing them takes as long as loading a vocabulary.
# Published encodings need neither.
# ruff: noqa: PLC0415

encoders.AppendingEncoder.register(_core.AppendingEncoder)
encoders.PrependingEncoder.register(_core.PrependingEncoder)
encoders.IntervalEncoder.register(_core.IntervalEncoder)
encoders.AppendingEncoder.register(_core.PipelineAppendingEncoder)
encoders.PrependingEncoder.register(_core.PipelinePrependingEncoder)
encoders.IntervalEncoder.register(_core.PipelineIntervalEncoder)
encoders.Mark.register(_core.Mark)


def vocabulary_engine(vocabulary: Vocabulary) -> Engine:
    """The engine of a vocabulary. Raises VocabularyError for tokens that cannot be merged, PatternError for a pattern that does not compile."""
    tokens = tokens_of(vocabulary)
    scanner = scanner_of(vocabulary)
    if scanner is not None or vocabulary.pattern is None:
        return CompiledVocabulary(vocabulary, tokens, scanner)
    from bpe_engine.pipeline.compiling import compile_specification
    from bpe_engine.pipeline.not_native import NotNativeError

    try:
        parts = compile_specification(_specification_of(vocabulary))
    except NotNativeError as error:
        from bpe_engine.fallback.engine import VocabularyEngine

        encode_piece = _core.Engine(tokens, None).encode_piece
        return VocabularyEngine(
            vocabulary,
            encode_piece,
            _arranged(tokens, vocabulary),
            lookup=tokens,
            not_native=str(error),
            made_by=vocabulary_engine,
        )
    return CompiledPattern(vocabulary, tokens, parts)


def specification_engine(specification: Specification) -> Engine:
    """The engine of a specification. Raises VocabularyError, beginning with its source, for what is not supported."""
    from bpe_engine.pipeline.not_native import NotNativeError

    try:
        return CompiledPipeline(specification)
    except NotNativeError as error:
        from bpe_engine.fallback.staged import SpecificationEngine

        return SpecificationEngine(specification, not_native=str(error))


# Sets of special tokens that a vocabulary keeps a finder of: most callers allow one set.
_FINDERS = 16


class _CompiledSpecialTokens(SpecialTokens):
    """Special tokens that the core finds."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        super().__init__(id_of)
        self._finders: dict[frozenset[str], _core.SpecialFinder] = {}  # by the special tokens that are allowed

    def spans(self, text: str, allowed: Specials, disallowed: Specials = ()) -> Iterable[tuple[int, int, int]]:
        """As `SpecialTokens` says."""
        allowed_texts, disallowed_texts = self._named(allowed, disallowed)
        if disallowed_texts:
            return super().spans(text, allowed, disallowed)
        finder = self._finders.get(allowed_texts)
        if finder is None:
            if len(self._finders) == _FINDERS:
                self._finders.clear()
            finder = self._finders[allowed_texts] = _core.SpecialFinder(
                {one: self._id_of[one] for one in allowed_texts}
            )
        return finder.find(text)


class _OfVocabulary:
    """Base of the engines of a vocabulary: its tokens, and its special ones, which the core does not know."""

    not_native = None
    is_incremental = True
    encode_ordinary: Callable[[str | bytes], list[int]]

    def _keep(self, vocabulary: Vocabulary, tokens: _core.TokenSet) -> None:
        self._vocabulary = vocabulary
        self.table = TokenTable(vocabulary, tokens)
        self._special_tokens = _CompiledSpecialTokens(vocabulary.special_tokens)

    def __reduce__(self) -> tuple[Callable[[Vocabulary], Engine], tuple[Vocabulary]]:
        return vocabulary_engine, (self._vocabulary,)

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """As `Engine` says."""
        return self._special_tokens.encode(text, allowed, disallowed, self.encode_ordinary)

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """As `Engine` says."""
        self._special_tokens.check(text, allowed, disallowed)

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """As `Engine` says."""
        return self._special_tokens.spans(characters, allowed)


class CompiledVocabulary(_OfVocabulary, _core.Engine):
    """The engine of a vocabulary whose pattern has a scanner, or of one without a pattern."""

    def __init__(self, vocabulary: Vocabulary, tokens: _core.TokenSet, scanner: str | None) -> None:
        super().__init__(tokens, scanner)
        self._keep(vocabulary, tokens)

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine` says."""
        ids = self.encode_ordinary(text)
        return ids, starts_of_parts([len(self.table.decode_single_token_bytes(token)) for token in ids])

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        if _core.has_lone_surrogates(text):
            return (truncate_head if head else truncate_tail)(self, text, most)
        return cast("Text", self._fitting(text, most, head))

    def appending_encoder(self) -> encoders.AppendingEncoder:
        """As `Engine` says."""
        return cast("encoders.AppendingEncoder", _core.AppendingEncoder(self))

    def prepending_encoder(self) -> encoders.PrependingEncoder:
        """As `Engine` says."""
        return cast("encoders.PrependingEncoder", _core.PrependingEncoder(self))

    def interval_encoder(self, text: str | bytes) -> encoders.IntervalEncoder:
        """As `Engine` says."""
        if isinstance(text, str) and _core.has_lone_surrogates(text):
            return SurrogateSlices(self, text)
        return cast("encoders.IntervalEncoder", _core.IntervalEncoder(self, text))


class _Piped(_core.Pipeline):
    """Base of the engines over a pipeline."""

    not_native = None
    is_incremental = True

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        return (truncate_head if head else truncate_tail)(self, text, most)

    def appending_encoder(self) -> encoders.AppendingEncoder:
        """As `Engine` says."""
        return cast("encoders.AppendingEncoder", _core.PipelineAppendingEncoder(self, self))

    def prepending_encoder(self) -> encoders.PrependingEncoder:
        """As `Engine` says."""
        return cast("encoders.PrependingEncoder", _core.PipelinePrependingEncoder(self, self))

    def interval_encoder(self, text: str | bytes) -> encoders.IntervalEncoder:
        """As `Engine` says."""
        if isinstance(text, str) and _core.has_lone_surrogates(text):
            return SurrogateSlices(self, text)
        try:
            return cast("encoders.IntervalEncoder", _core.PipelineIntervalEncoder(self, self, text))
        except EncodingError:  # a slice beside what is in no token has a count
            return CountedSlices(self, text)


class CompiledPattern(_OfVocabulary, _Piped):
    """The engine of a vocabulary with a pattern of the user's own."""

    def __init__(self, vocabulary: Vocabulary, tokens: _core.TokenSet, parts: PipelineParts) -> None:
        super().__init__(*parts)
        self._keep(vocabulary, tokens)
        self._tokens = tokens

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine` says."""
        ids, firsts = self.encode_with_offsets(text)
        starts, end = [], 0
        for token, first in zip(ids, firsts, strict=True):
            # The offset of the character that the token starts in; after the end of the token before, if text was dropped between them.
            starts.append(max(first, end))
            end = starts[-1] + len(self.table.decode_single_token_bytes(token))
        return ids, starts

    @cached_property
    def _whole(self) -> _core.Engine:
        return _core.Engine(self._tokens, None)

    def encode_piece(self, piece: bytes) -> Sequence[int]:
        """As `Engine` says."""
        return self._whole.encode_piece(piece)


class CompiledPipeline(_Piped):
    """The engine of a specification. Raises NotNativeError where the core cannot run it."""

    def __init__(self, specification: Specification) -> None:
        from bpe_engine.pipeline.added_tokens import written_tokens
        from bpe_engine.pipeline.compiling import compile_specification, token_normalizer
        from bpe_engine.pipeline.specification_table import SpecificationTable

        parts = compile_specification(specification)
        written = written_tokens(specification.added_tokens, token_normalizer(specification))
        super().__init__(*parts)
        self._specification = specification
        self._model = parts.model
        self.table = SpecificationTable(specification, written)
        self._numbers = {token.text: number for number, token in enumerate(specification.added_tokens) if token.special}

    def __reduce__(self) -> tuple[Callable[[Specification], Engine], tuple[Specification]]:
        return specification_engine, (self._specification,)

    @cached_property
    def _longest_first(self) -> AddedTokenFinder | None:
        """Finds the special tokens where the longest is found first, which the core does not do."""
        from bpe_engine.pipeline.added_tokens import AddedTokenFinder

        if self._specification.added_tokens_order != "longest_first":
            return None
        return AddedTokenFinder(self._specification.added_tokens, longest_first=True)

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """As `Engine` says."""
        if self._longest_first is None:
            self.check_special(text, allowed, disallowed)
            return self.encode(text, self._wanted(allowed))
        self.check_special(text, allowed, disallowed)
        encoder = self.appending_encoder()
        encoder.append(text, allowed)
        return encoder.tokens()

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """As `Engine` says."""
        from bpe_engine.pipeline.added_tokens import wanted_tokens

        wanted = wanted_tokens(self._specification.added_tokens, allowed, disallowed)
        if not disallowed:
            return
        if self._longest_first is not None:
            for _ in self._longest_first.find(received(text), wanted):
                pass
            return
        for number in self.find_added(text):
            wanted(self._specification.added_tokens[number])

    def find_special(self, characters: str, allowed: Specials) -> list[tuple[int, int, int]]:
        """As `Engine` says. White space that a token takes along belongs to it."""
        check_specials(allowed)
        if self._longest_first is not None:
            from bpe_engine.pipeline.added_tokens import wanted_tokens

            wanted = wanted_tokens(self._specification.added_tokens, allowed, ())
            spans = self._longest_first.find(characters, wanted)
            return [(start, end, token.id) for token, start, end in spans if token.special]
        return self.special_spans(characters, self._wanted(allowed))

    def _wanted(self, allowed: Specials) -> list[int] | Literal["all"]:
        """The numbers of the special tokens that are allowed."""
        if allowed == "all":
            return "all"
        return [self._numbers[text] for text in set(allowed) if text in self._numbers]

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine` says. A token that starts inside a character has the offset of that character."""
        return self.encode_with_offsets(text)

    def encode_piece(self, piece: bytes) -> Sequence[int]:
        """As `Engine` says."""
        return self._model.encode(piece)


def _specification_of(vocabulary: Vocabulary) -> Specification:
    from bpe_engine.pipeline.specification import Specification

    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    return Specification(
        name=vocabulary.name,
        source=vocabulary.name or "the vocabulary",
        tokens={token_id: token for token, token_id in ranks.items() if token},
        ranks=None if merge_ranks is None else {i: merge_ranks.get(i, i) for token, i in ranks.items() if token},
        ignore_merges=True,
        pre_tokenizers=() if vocabulary.pattern is None else (vocabulary.pattern,),
    )


def scanner_of(vocabulary: Vocabulary) -> str | None:
    """The name of the core's scanner for the pattern of a vocabulary, whatever the pattern is called; None where there is none."""
    for name, named in PATTERNS.items():
        if vocabulary.pattern is not None and vocabulary.pattern.source == named.source and _core.has_scanner(name):
            return name
    return None


def rebuild_appending(
    engine: Engine, finished: bytes, unfinished: str, tokens: tuple[tuple[int, int, int], ...] = ()
) -> encoders.AppendingEncoder:
    """An unpickled encoder: the same text and count, no marks. `tokens` that stand in it as such: start and end in bytes, and the id."""
    encoder = cast("_core.AppendingEncoder", engine.appending_encoder())
    place = 0
    for start, end, token in tokens:
        encoder.append(finished[place:start])
        encoder._put_token(token, finished[start:end])  # noqa: SLF001 - the core is of this package
        place = end
    encoder.append(finished[place:])
    encoder.append(unfinished)
    return cast("encoders.AppendingEncoder", encoder)


def rebuild_prepending(engine: Engine, finished: bytes, unfinished: str) -> encoders.PrependingEncoder:
    """An unpickled encoder: the same text and count, no marks."""
    encoder = engine.prepending_encoder()
    encoder.prepend(finished)
    encoder.prepend(unfinished)
    return encoder


def tokens_of(vocabulary: Vocabulary) -> _core.TokenSet:
    """The tokens of a vocabulary as the core has them. Raises VocabularyError."""
    return _embedded(vocabulary.embedded) if vocabulary.embedded else _token_set(vocabulary)


@cache_until_exit
def _embedded(name: str) -> _core.TokenSet:
    return _core.TokenSet.from_planes(load_planes(name))


def _token_set(vocabulary: Vocabulary) -> _core.TokenSet:
    """The tokens in the order of merging, whatever that of their ids is."""
    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    tokens = sorted(filter(None, ranks), key=ranks.__getitem__)
    ids = list(map(ranks.__getitem__, tokens))
    return _core.TokenSet.from_ranks(
        tokens, ids, ids if merge_ranks is None else [merge_ranks.get(token_id, token_id) for token_id in ids]
    )


def _arranged(tokens: _core.TokenSet, vocabulary: Vocabulary) -> Reordered | None:
    """The tokens in merge order, where they are not by their ids: for the engine in Python."""
    from bpe_engine.fallback.merge_order import Reordered

    found = tokens.arrangement()
    if found is None:
        return None
    by_order, ids, halves, in_order, crossings = found
    ranks = vocabulary.merge_ranks or {}
    priorities = [ranks.get(token_id, token_id) for token_id in ids]
    return Reordered(by_order, ids, priorities, halves, in_order, crossings)
