"""The compiled engines, over `bpe_engine._core`.

    CompiledVocabulary    a vocabulary without a pattern, or with a pattern that has its own scanner
    CompiledPattern       a vocabulary with a custom pattern: a pipeline of one compiled expression
    CompiledPipeline      a specification: added tokens, normalizers, pre-tokenizers and a model

Features that the core does not support (such as back-references) run on the Python engine, and `not_native` reports the
reason. Even then the core encodes the pre-tokens of a vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from bpe_engine import _core, encoders
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import EncodingError, NotNativeError
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.data import load_planes
from bpe_engine.special_tokens import Specials, SpecialTokens, check_specials
from bpe_engine.text.input import received
from bpe_engine.text.offsets import character_starts
from bpe_engine.text.slices import CountedSlices, SurrogateSlices
from bpe_engine.text.truncation import Text, truncated
from bpe_engine.token_table import TokenTable
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.engine import Engine
    from bpe_engine.fallback.merge_order import Reordered
    from bpe_engine.pipeline.added_tokens import AddedTokenFinder
    from bpe_engine.pipeline.compiling import PipelineParts
    from bpe_engine.pipeline.specification import AddedToken, Specification

# The Python engine and the pipelines are imported on use, because importing them takes as long as loading a vocabulary,
# and published encodings need neither.
# ruff: noqa: PLC0415


def _repr_of(told: Callable[..., str]) -> Callable[[object], str]:
    """The repr of a public class, for a compiled one that is registered as one and so inherits nothing."""

    def shown(self: object) -> str:
        try:
            return told(self)
        except TypeError:  # made by `__new__` alone
            return object.__repr__(self)

    return shown


for _kind, *_compiled in (
    (encoders.AppendingEncoder, _core.AppendingEncoder, _core.PipelineAppendingEncoder),
    (encoders.PrependingEncoder, _core.PrependingEncoder, _core.PipelinePrependingEncoder),
    (encoders.IntervalEncoder, _core.IntervalEncoder, _core.PipelineIntervalEncoder),
    (encoders.Mark, _core.Mark),
):
    for _class in _compiled:
        _kind.register(_class)
        _class.__repr__ = _repr_of(_kind.__repr__)  # type: ignore[assignment, method-assign]  # of a compiled class


def vocabulary_engine(vocabulary: Vocabulary) -> Engine:
    """Return the engine of a vocabulary.

    Raises VocabularyError if its tokens cannot be merged, PatternError if its pattern does not compile.
    """
    tokens = tokens_of(vocabulary)
    scanner = scanner_of(vocabulary)
    if scanner is not None or vocabulary.pattern is None:
        return CompiledVocabulary(vocabulary, tokens, scanner)
    from bpe_engine.pipeline.compiling import compile_specification

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
    """Return the engine of a specification.

    Raises VocabularyError, with a message that starts with the source, for an unsupported specification.
    """
    try:
        return CompiledPipeline(specification)
    except NotNativeError as error:
        from bpe_engine.fallback.specification_engine import SpecificationEngine

        return SpecificationEngine(specification, not_native=str(error))


# The number of sets of allowed special tokens for which a vocabulary keeps a finder. Most callers use one set.
_FINDERS = 16


class _CompiledSpecialTokens(SpecialTokens):
    """Special tokens that the core finds."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        super().__init__(id_of)
        self._finders: dict[frozenset[str], _core.SpecialFinder] = {}  # by the set of allowed special tokens

    def spans(self, text: str, allowed: Specials, disallowed: Specials = ()) -> Iterable[tuple[int, int, int]]:
        """As `SpecialTokens.spans`."""
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


class _Core:
    """Base class of the compiled engines: offsets, which need no vocabulary."""

    @staticmethod
    def character_starts(characters: str, starts: list[int]) -> list[int]:
        """As `Engine` says."""
        if _core.has_lone_surrogates(characters):  # bytes that are not UTF-8
            return character_starts(characters, starts)
        return _core.character_starts(characters, starts)


class _OfVocabulary(_Core):
    """Base class of the engines of a vocabulary: the token table, and the special tokens, which the core does not know."""

    not_native = None
    is_incremental = True
    encode_ordinary: Callable[[str | bytes], list[int]]

    def _keep(self, vocabulary: Vocabulary, tokens: _core.TokenSet) -> None:
        self._vocabulary = vocabulary
        self._tokens = tokens
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
    """The engine of a vocabulary whose pattern has a scanner, or that has no pattern."""

    def __init__(self, vocabulary: Vocabulary, tokens: _core.TokenSet, scanner: str | None) -> None:
        super().__init__(tokens, scanner)
        self._keep(vocabulary, tokens)

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine` says."""
        ids = self.encode_ordinary(text)
        return ids, self._tokens.starts(ids)

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        if _core.has_lone_surrogates(text):
            return truncated(self, text, most, head=head)
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


class _Piped(_Core, _core.Pipeline):
    """Base class of the engines over a pipeline."""

    not_native = None
    is_incremental = True

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        return truncated(self, text, most, head=head)

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
        except (
            EncodingError
        ):  # the text has a character without a token, but slices without that character have a count
            return CountedSlices(self, text)


class CompiledPattern(_OfVocabulary, _Piped):
    """The engine of a vocabulary with a custom pattern."""

    def __init__(self, vocabulary: Vocabulary, tokens: _core.TokenSet, parts: PipelineParts) -> None:
        super().__init__(**vars(parts))
        self._keep(vocabulary, tokens)

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine` says."""
        ids, firsts = self.encode_with_offsets(text)
        starts, end = [], 0
        for token, first in zip(ids, firsts, strict=True):
            # The offset of the character that the token starts in, which may be before the end of the previous token,
            # or after it if text was dropped.
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
    """The engine of a specification. Raises NotNativeError if the core cannot run it."""

    def __init__(self, specification: Specification) -> None:
        from bpe_engine.pipeline.compiling import compile_specification, token_normalizer
        from bpe_engine.pipeline.specification_table import SpecificationTable, written_tokens

        parts = compile_specification(specification)
        written = written_tokens(specification.added_tokens, token_normalizer(specification))
        super().__init__(**vars(parts))
        self._specification = specification
        self._model = parts.model
        self.table = SpecificationTable(specification, written)
        self._numbers = {token.text: number for number, token in enumerate(specification.added_tokens) if token.special}

    def __reduce__(self) -> tuple[Callable[[Specification], Engine], tuple[Specification]]:
        return specification_engine, (self._specification,)

    @cached_property
    def _longest_first(self) -> AddedTokenFinder | None:
        """The finder of special tokens if the longest is found first, which the core does not support; otherwise None."""
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
        check_specials(allowed, disallowed)
        # A wrong argument raises even where the text holds no token.
        allowed, disallowed = (given if given == "all" else frozenset(given) for given in (allowed, disallowed))
        if not disallowed:
            return
        if self._longest_first is not None:
            for _ in self._longest_first.find(received(text), self._wanted_tokens(allowed, disallowed)):
                pass
        elif numbers := self.find_added(text):
            wanted = self._wanted_tokens(allowed, disallowed)
            for number in numbers:
                wanted(self._specification.added_tokens[number])

    def _wanted_tokens(self, allowed: Specials, disallowed: Specials) -> Callable[[AddedToken], bool]:
        from bpe_engine.pipeline.added_tokens import wanted_tokens

        return wanted_tokens(self._specification.added_tokens, allowed, disallowed)

    def find_special(self, characters: str, allowed: Specials) -> list[tuple[int, int, int]]:
        """As `Engine.find_special`. White space that a token strips belongs to its span."""
        check_specials(allowed)
        if self._longest_first is not None:
            spans = self._longest_first.find(characters, self._wanted_tokens(allowed, ()))
            return [(start, end, token.id) for token, start, end in spans if token.special]
        return self.special_spans(characters, self._wanted(allowed))

    def _wanted(self, allowed: Specials) -> list[int] | Literal["all"]:
        """Return the numbers of the allowed special tokens, by their order in the specification."""
        if allowed == "all":
            return "all"
        return [self._numbers[text] for text in set(allowed) if text in self._numbers]

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine.encode_with_starts`. A token that starts inside a character has the offset of that character."""
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
    """Return the name of the core's scanner for the pattern of a vocabulary, by its expression; None if there is none."""
    for name, named in PATTERNS.items():
        if vocabulary.pattern is not None and vocabulary.pattern.source == named.source and _core.has_scanner(name):
            return name
    return None


def rebuild_appending(
    engine: Engine, finished: bytes, unfinished: str, tokens: tuple[tuple[int, int, int], ...] = ()
) -> encoders.AppendingEncoder:
    """Unpickle an encoder: with the same text and count, without marks. `tokens` are its explicit tokens: start and end in bytes, and the id."""
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
    """Unpickle an encoder: with the same text and count, without marks."""
    encoder = engine.prepending_encoder()
    encoder.prepend(finished)
    encoder.prepend(unfinished)
    return encoder


def tokens_of(vocabulary: Vocabulary) -> _core.TokenSet:
    """Return the tokens of a vocabulary in the form of the core. Raises VocabularyError."""
    return _embedded(vocabulary.embedded) if vocabulary.embedded else _token_set(vocabulary)


@cache_until_exit
def _embedded(name: str) -> _core.TokenSet:
    return _core.TokenSet.from_planes(load_planes(name))


def _token_set(vocabulary: Vocabulary) -> _core.TokenSet:
    """Return the tokens with their ids and merge ranks; the core puts them in merge order."""
    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    tokens = sorted(filter(None, ranks), key=ranks.__getitem__)
    ids = list(map(ranks.__getitem__, tokens))
    return _core.TokenSet.from_ranks(
        tokens, ids, ids if merge_ranks is None else [merge_ranks.get(token_id, token_id) for token_id in ids]
    )


def _arranged(tokens: _core.TokenSet, vocabulary: Vocabulary) -> Reordered | None:
    """Return the tokens in merge order, for the Python engine; None if that is the order of their ids."""
    from bpe_engine.fallback.merge_order import Reordered

    found = tokens.arrangement()
    if found is None:
        return None
    by_order, ids, halves, in_order, crossings = found
    ranks = vocabulary.merge_ranks or {}
    priorities = [ranks.get(token_id, token_id) for token_id in ids]
    return Reordered(by_order, ids, priorities, halves, in_order, crossings)
