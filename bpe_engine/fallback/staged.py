"""StagedTokenizer: a tokenizer with stages around its merges, as a tokenizer.json describes it.

    text --- added tokens ---> stretches --- normalizers ---> segments --- pre-tokenizers, merges ---> tokens
                               (parted again by added tokens that are looked for in normalized text)

Where the pre-tokenizers are one of the named grammars, or none, segments go to the engine as they are (`segments.EngineSegments`); else they
are cut into pre-tokens here (`segments.PieceSegments`). The incremental encoders of both: `staged_encoders.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from bpe_engine import encoders
from bpe_engine.errors import DisallowedSpecialTokenError, PatternError, UnsupportedModelError, VocabularyError
from bpe_engine.fallback.added_tokens import AddedTokenFinder, Found
from bpe_engine.fallback.normalizing import Normalization
from bpe_engine.fallback.raw_cuts import RawCuts
from bpe_engine.fallback.segments import Segments, segments_of
from bpe_engine.formats.byte_alphabet import characters_of
from bpe_engine.implementation import implementation
from bpe_engine.pipeline.compiling import NotNativeError, pipeline_of
from bpe_engine.pipeline.decoders import ByteLevelDecoder
from bpe_engine.pipeline.decoding import byte_level_bytes, decode_texts
from bpe_engine.pipeline.normalizers import Lowercase, Prepend, UnicodeForm
from bpe_engine.pipeline.pre_tokenizers import Metaspace
from bpe_engine.pipeline.specification import AddedToken, Specification
from bpe_engine.special_tokens import Specials, SpecialTokens
from bpe_engine.text.input import byte_places, received, to_bytes
from bpe_engine.text.offsets import Unit, in_unit, unit_of
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.text.truncation import Text, truncate_head, truncate_tail
from bpe_engine.threads import in_threads
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING or implementation() == "cpp":
    from bpe_engine import _core

Wanted = Callable[[AddedToken], bool]


Made = TypeVar("Made")


class Segment(NamedTuple):
    """Normalized text that is cut into pre-tokens by itself. `is_first`: it begins where the whole text begins."""

    text: str
    is_first: bool


@cache
def _no_tokens() -> Tokenizer:
    """An engine to stand behind tokenizers whose work a pipeline does."""
    return Tokenizer(Vocabulary(None, {bytes([byte]): byte for byte in range(256)}))


def always(token: AddedToken) -> bool:
    """Whether an added token is found though nobody allows it."""
    return not token.special


class StagedTokenizer(Tokenizer):
    """A tokenizer that runs a specification. `Tokenizer.from_specification` makes one where the plain engine does not do.

    Raises VocabularyError, beginning with the specification's source, for what is not supported.
    """

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self._pipeline: _core.Pipeline | None = None
        self._not_native: str | None = "the implementation that runs is 'python'"
        if implementation() == "cpp":
            try:
                self._pipeline, self._not_native = pipeline_of(specification), None
            except NotNativeError as error:
                self._not_native = str(error)
        if self._pipeline is None:
            _ = self.normalization  # raises for an expression that is not supported
        inner = _no_tokens() if self._pipeline is not None else self.segments.merging.tokenizer
        # The pattern stays inside: what is known of its cuts does not hold with stages around it.
        vocabulary = Vocabulary(specification.name, inner.vocabulary.ranks)
        super().__init__(vocabulary, prefix=specification.prefix, suffix=specification.suffix, like=inner)
        self._numbers = {token.text: number for number, token in enumerate(specification.added_tokens) if token.special}
        self.special_tokens = SpecialTokens(
            {token.text: token.id for token in specification.added_tokens if token.special}
        )
        # Before anybody encodes: an expression that does not compile is an error of the file.
        _ = self.normalization
        # So is an added token of which the normalizers leave nothing.
        if specification.normalizers and any(token.normalized for token in specification.added_tokens):
            _ = self.finder

    @property
    def is_native(self) -> bool:
        """Whether the compiled core does all of the work; else `not_native` says why it does not.

        Special tokens of the order "longest_first" are parted from a text in Python, where a call allows or disallows some.
        """
        return self._pipeline is not None

    @property
    def not_native(self) -> str | None:
        """Why the work is done in Python, which is some hundred times as slow; None where it is not."""
        return self._not_native

    @property
    def _longest_first(self) -> bool:
        return self.specification.added_tokens_order == "longest_first"

    @cached_property
    def normalization(self) -> Normalization:
        """The normalizers in Python."""
        return self._supported(lambda: Normalization(self.specification.normalizers))

    @cached_property
    def segments(self) -> Segments:
        """Pre-tokenizers and merges in Python."""
        return self._supported(lambda: segments_of(self.specification))

    @cached_property
    def raw_finder(self) -> AddedTokenFinder:
        """Finds the added tokens that are looked for in the text as it is."""
        tokens = (token for token in self.specification.added_tokens if not token.normalized)
        return AddedTokenFinder(tokens, longest_first=self._longest_first)

    @cached_property
    def finder(self) -> AddedTokenFinder:
        """Finds the added tokens that are looked for in normalized text."""
        tokens = (token for token in self.specification.added_tokens if token.normalized)
        return AddedTokenFinder(tokens, self.normalization.normalize, longest_first=self._longest_first)

    def _supported(self, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except PatternError as error:
            raise UnsupportedModelError(f"{self.specification.source}: {error}") from error

    def __reduce__(self) -> tuple[Callable[[Specification], StagedTokenizer], tuple[Specification]]:
        return type(self), (self.specification,)

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return {token.text for token in self.specification.added_tokens if token.special}

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, and not anew for each count: whether it is known where texts come apart."""
        if self._pipeline is not None:
            return True
        return self.segments.is_incremental and self.normalization.has_cuts and not self.needs_alignment

    # --- text -> segments and added tokens

    @cached_property
    def finds_always(self) -> bool:
        """Whether there are added tokens that are found though nobody allows them."""
        return any(map(always, self.specification.added_tokens))

    @cached_property
    def needs_alignment(self) -> bool:
        """Whether it takes the places of all characters to tell which pieces begin where the text begins."""
        stages, normalizers = self.specification.pre_tokenizers, self.specification.normalizers
        firsts = [isinstance(stage, Metaspace) and stage.prepend_scheme == "first" for stage in stages]
        if not any(firsts) or not normalizers:
            return False
        return not firsts[0] or not all(isinstance(one, UnicodeForm | Lowercase | Prepend) for one in normalizers)

    def parts(self, characters: str, wanted: Wanted, *, is_first: bool = True) -> Iterator[Segment | AddedToken]:
        """The segments and the added tokens of a text, in order; not `is_first`: it stands behind a token."""
        for stretch, start, token in self.stretches(characters, wanted):
            if stretch:
                normalized = self.normalization.normalize(stretch)
                begins = is_first and start == 0
                for number, (segment, inner) in enumerate(self.normal_stretches(normalized, wanted)):
                    if segment:
                        yield Segment(segment, begins and number == 0)
                    if inner is not None:
                        yield inner
            if token is not None:
                yield token

    def stretches(self, characters: str, wanted: Wanted = always) -> Iterator[tuple[str, int, AddedToken | None]]:
        """What stands between the added tokens that are looked for in the text itself, where it starts, and the token behind it."""
        place = 0
        if self.raw_finder and (self.finds_always or wanted is not always):
            for found in self.raw_finder.find(characters, wanted):
                yield characters[place : max(place, found.start)], place, found.token
                place = found.end
        yield characters[place:], place, None

    def normal_stretches(self, normalized: str, wanted: Wanted = always) -> Iterator[tuple[str, AddedToken | None]]:
        """What stands between the added tokens that are looked for in normalized text, and the token behind it."""
        place = 0
        if self.finder and (self.finds_always or wanted is not always):
            for found in self.finder.find(normalized, wanted):
                yield normalized[place : max(place, found.start)], found.token
                place = found.end
        yield normalized[place:], None

    @cached_property
    def raw_cuts(self) -> RawCuts:
        """Where a text comes apart for normalizers and added tokens."""
        return RawCuts(self)

    @cached_property
    def longest_added(self) -> int:
        """Characters of the longest added token that may be found."""
        return max(self.raw_finder.longest, self.finder.longest) if self.finds_always else 0

    def total_cuts(self, characters: str, stride: int) -> Iterator[int]:
        """Some places, at least `stride` characters apart, where the text comes apart altogether, in ascending order: count == count of one side + count of the other (`count_part`)."""
        if not self.is_incremental or self.normalization.strips or not self.normalization.keeps_plain:
            return
        # Added tokens in normalized text are not looked for here: with them, it has to be the same as the text.
        if self.finds_always and self.finder and self.normalization:
            return
        is_cut = self.raw_cuts.checker(characters)
        place = stride
        for cut in self.segments.safe_splits(
            characters, plain=bool(self.normalization), space=self.normalization.space
        ):
            if cut >= place and is_cut(cut):
                yield cut
                place = cut + stride

    def count_part(self, characters: str, *, at_start: bool, at_end: bool, is_first: bool | None = None) -> int:
        """The number of tokens of a part of a text between two `total_cuts`: `at_start`, `at_end` say whether it is the first, the last.

        `is_first`: it begins where the whole text begins; as `at_start` by default.
        """
        first = at_start if is_first is None else is_first
        if not self.finds_always or not self.raw_finder.occurs(characters):
            normalized = self.normalization.normalize(characters, at_start=at_start, at_end=at_end)
            if not self.finds_always or not self.finder.occurs(normalized):
                return self.segments.count(normalized, is_first=first, at_start=at_start)
        total = 0
        begins = at_start
        for stretch, _, token in self.stretches(characters):
            normalized = self.normalization.normalize(stretch, at_start=begins, at_end=at_end or token is not None)
            for segment, inner in self.normal_stretches(normalized):
                if segment:
                    total += self.segments.count(segment, is_first=first, at_start=begins)
                if inner is not None:
                    total += 1
                    begins, first = True, False
            if token is not None:
                total += 1
                begins, first = True, False
        return total

    def _wanted(self, allowed: Specials, disallowed: Specials) -> Wanted:
        for specials in (allowed, disallowed):
            if isinstance(specials, str) and specials != "all":
                raise TypeError(f'special tokens are named by "all" or by a collection of texts, not by {specials!r}')
        if allowed == "all":
            allowed_texts = self.special_tokens_set
        else:
            allowed_texts = set(allowed)
        refused = self.special_tokens_set - allowed_texts if disallowed == "all" else set(disallowed)

        def wanted(token: AddedToken) -> bool:
            if token.text in refused:
                raise DisallowedSpecialTokenError(
                    f"the text holds the disallowed special token {token.text!r}; allow it by allowed_special, or take it out of "
                    f"disallowed_special to encode it as plain text"
                )
            return not token.special or token.text in allowed_texts

        return wanted

    def _allowed(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int] | None:
        """The numbers of the special tokens that are looked for. Raises DisallowedSpecialTokenError."""
        if not allowed and not disallowed:
            return None
        wanted = self._wanted(allowed, disallowed)
        if disallowed and self._pipeline is not None:
            for number in self._pipeline.find_added(text):
                wanted(self.specification.added_tokens[number])
        texts = self.special_tokens_set if allowed == "all" else set(allowed)
        return [self._numbers[text] for text in texts if text in self._numbers]

    # --- text -> tokens

    def encode(
        self,
        text: str | bytes,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
        add_special_tokens: bool = False,
    ) -> list[int]:
        """The token ids of `text`; as `Tokenizer.encode`, with the flags of added tokens.

        `allowed_special="all"` is how Hugging Face encodes; the default is how it does with `encode_special_tokens = True`.
        """
        # Where the longest special token is found first, the core looks for none.
        if self._pipeline is not None and not (self._longest_first and (allowed_special or disallowed_special)):
            found = self._pipeline.encode(text, self._allowed(text, allowed_special, disallowed_special))
            return [*self.prefix, *found, *self.suffix] if add_special_tokens else found
        wanted = self._wanted(allowed_special, disallowed_special) if allowed_special or disallowed_special else always
        ids = self.encode_characters(received(text), wanted)
        return [*self.prefix, *ids, *self.suffix] if add_special_tokens else ids

    def encode_characters(self, characters: str, wanted: Wanted = always, *, is_first: bool = True) -> list[int]:
        """The ids of text that went through `received` already, in Python; not `is_first`: it stands behind a token."""
        if self.needs_alignment:
            return [token for token, _ in self._with_offsets(characters, wanted, is_first=is_first)]
        ids: list[int] = []
        for part in self.parts(characters, wanted, is_first=is_first):
            if isinstance(part, AddedToken):
                ids.append(part.id)
            else:
                ids += self.segments.encode(part.text, is_first=part.is_first)
        return ids

    def find_special(self, characters: str, allowed: Specials) -> list[tuple[int, int, int]]:
        """The special tokens that `encode` finds in received text, if these are allowed: start and end in characters, and the id.

        White space that a token takes along belongs to it.
        """
        wanted = self._wanted(allowed, ())
        if self._pipeline is not None:
            data = to_bytes(characters)
            found = self._pipeline.find_special(data, self._allowed(data, allowed, ()) or [])
            places = in_unit(characters, characters, [place for _, *both in found for place in both], "characters")
            ids = (self.specification.added_tokens[number].id for number, _, _ in found)
            return list(zip(places[::2], places[1::2], ids, strict=True))
        spans = []
        place = 0
        for outer in [*self.raw_finder.find(characters, wanted), None]:
            end = len(characters) if outer is None else max(place, outer.start)
            if self.finder:
                normalized, origins = self.normalization.aligned(characters[place:end])
                origins.append(end - place)
                spans += [
                    (place + origins[inner.start], place + origins[inner.end], inner.token.id)
                    for inner in self.finder.find(normalized, wanted)
                    if inner.token.special
                ]
            if outer is not None:
                if outer.token.special:
                    spans.append((end, outer.end, outer.token.id))
                place = outer.end
        return spans

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """The token ids of `text`: `encode` with no options."""
        return self.encode(text)

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """The token ids of `text` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token)."""
        if self._pipeline is not None:
            return self._pipeline.encode_to_buffer(text)
        return memoryview(array("I", self.encode(text))).toreadonly()

    def count(self, text: str | bytes) -> int:
        """The number of tokens of `text`: `len(encode(text))`, without the ids."""
        if self._pipeline is not None:
            return self._pipeline.count(text)
        return self.count_characters(received(text))

    def count_characters(self, characters: str, *, is_first: bool = True) -> int:
        """`count` of text that went through `received` already; not `is_first`: it stands behind a token."""
        if self.needs_alignment:
            return sum(1 for _ in self._with_offsets(characters, is_first=is_first))
        return self.count_part(characters, at_start=True, at_end=True, is_first=is_first)

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """The number of tokens of `text`, None if it is above `limit`. Stops reading soon after the limit, where that can be known."""
        if self._pipeline is not None:
            return self._pipeline.count_up_to(text, limit)
        characters = received(text)
        encoder = self.appending_encoder()
        step = max(256, 8 * limit)
        place = 0
        while place < len(characters) and self.is_incremental:
            encoder.append(to_bytes(characters[place : place + step]))
            if encoder.fewest > limit:
                return None
            place += step
            step *= 2
        count = encoder.count if self.is_incremental else self.count_characters(characters)
        return count if count <= limit else None

    def split(self, text: str | bytes) -> list[str]:
        """The pre-tokens of `text`, normalized, and the added tokens. Behind ByteLevel bytes show as they do in a tokenizer.json."""
        pieces: list[str] = []
        for part in self.parts(received(text), always):
            if isinstance(part, AddedToken):
                pieces.append(part.text)
            else:
                pieces += self.segments.split(part.text, is_first=part.is_first)
        return pieces

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """`count` of each text, in order."""
        return in_threads(self.count, texts, num_threads)

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """`encode_ordinary` of each text, in order."""
        return in_threads(self.encode_ordinary, text, num_threads)

    def encode_with_offsets(self, text: str | bytes, *, unit: Unit | None = None) -> tuple[list[int], list[int]]:
        """The token ids of `text`, and for each the offset in `text` where it starts; `unit` as for any `Tokenizer`.

        A token that starts inside a character has the offset of that character. What a stage puts in has the offset of what it stands
        before or for, as Hugging Face says it (with `trim_offsets` false: a space that belongs to a token counts).
        """
        wanted = unit_of(text, unit)
        characters = received(text)
        if self._pipeline is not None:
            ids, offsets = self._pipeline.encode_with_offsets(text)
            return ids, in_unit(text, characters, offsets, wanted)
        places = byte_places(characters)
        found = list(self._with_offsets(characters))
        return [token for token, _ in found], in_unit(text, characters, [places[place] for _, place in found], wanted)

    def _with_offsets(
        self, characters: str, wanted: Wanted = always, *, is_first: bool = True
    ) -> Iterator[tuple[int, int]]:
        place = 0
        found: Found | None
        inner: Found | None
        for found in [*self.raw_finder.find(characters, wanted), None]:
            end = len(characters) if found is None else max(place, found.start)
            stretch = characters[place:end]
            normalized, places = self.normalization.aligned(stretch)
            places = [place + inner for inner in places]
            done = 0
            for inner in [*self.finder.find(normalized, wanted), None]:
                stop = len(normalized) if inner is None else inner.start
                if done < stop:
                    begins = is_first and places[done] == 0
                    yield from self.segments.encode_aligned(normalized[done:stop], places[done:stop], is_first=begins)
                if inner is not None:
                    yield inner.token.id, places[inner.start]
                    done = inner.end
            if found is not None:
                yield found.token.id, found.start
                place = found.end

    # --- incremental encoders

    def appending_encoder(self) -> encoders.AppendingEncoder:
        """A text that grows to the right, and its count."""
        if self._pipeline is not None:
            return cast("encoders.AppendingEncoder", _core.PipelineAppendingEncoder(self, self._pipeline))
        from bpe_engine.fallback.staged_encoders import StagedAppendingEncoder  # noqa: PLC0415 - it is written in terms of this class

        return StagedAppendingEncoder(self)

    def prepending_encoder(self) -> encoders.PrependingEncoder:
        """A text that grows to the left, and its count."""
        if self._pipeline is not None:
            return cast("encoders.PrependingEncoder", _core.PipelinePrependingEncoder(self, self._pipeline))
        from bpe_engine.fallback.staged_encoders import StagedPrependingEncoder  # noqa: PLC0415 - as above

        return StagedPrependingEncoder(self)

    def interval_encoder(self, text: str | bytes) -> encoders.IntervalEncoder:
        """The counts of all slices of `text`."""
        if self._pipeline is not None and not _core.has_lone_surrogates(text):
            return cast("encoders.IntervalEncoder", _core.PipelineIntervalEncoder(self, self._pipeline, text))
        from bpe_engine.fallback.staged_intervals import StagedIntervalEncoder  # noqa: PLC0415 - as above

        return StagedIntervalEncoder(self, text)

    def _truncate(self, text: Text, most: int, *, head: bool) -> Text:
        return (truncate_head if head else truncate_tail)(self, text, most)

    # --- tokens -> text

    def decode(self, tokens: Sequence[int], errors: str = "replace", *, skip_special_tokens: bool = False) -> str:
        """The text of the tokens, as the decoders make it. `skip_special_tokens` leaves special tokens out.

        Raises UnknownTokenError for an id that no token has.
        """
        if skip_special_tokens:
            tokens = [token for token in tokens if not self.is_special_token(token)]
        specification = self.specification
        if specification.alphabet == "bytes" and all(
            isinstance(one, ByteLevelDecoder) for one in specification.decoders
        ):
            return self.decode_bytes(tokens).decode("utf-8", errors)
        return decode_texts(specification.decoders, [self._text_of(token) for token in tokens], errors)

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """A decoder that takes one token after the other, and never gives half a character."""
        from bpe_engine.pipeline.streaming import TextStreamDecoder  # noqa: PLC0415 - most streams do without

        decoders = self.specification.decoders
        if self.specification.alphabet == "bytes" and all(isinstance(one, ByteLevelDecoder) for one in decoders):
            return super().stream_decoder(errors)
        return TextStreamDecoder(self._text_of, decoders, errors)

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of the tokens, and for each the offset in characters where it starts.

        Raises as `decode`; VocabularyError where decoders do more than to join bytes, so that there is no such offset.
        """
        if self.specification.alphabet != "bytes":
            raise VocabularyError(f"{self.specification.source}: what its decoders make of tokens has no offsets")
        return super().decode_with_offsets(tokens)

    def _text_of(self, token: int) -> str:
        found = self._texts.get(token)
        if found is not None:
            return found
        data = self.decode_single_token_bytes(token)
        return data.decode("utf-8", "replace") if token in self.specification.texts_only else characters_of(data)

    @cached_property
    def _texts(self) -> dict[int, str]:
        """The texts of all ids, where tokens are texts."""
        specification = self.specification
        texts: dict[int, str] = {}
        for tokens in (specification.texts_only, specification.tokens):
            texts |= {token_id: token for token_id, token in tokens.items() if isinstance(token, str)}
        return texts | self._added_texts

    @property
    def _added_texts(self) -> dict[int, str]:
        """The texts of added tokens as they are looked for, which is as Hugging Face decodes them."""
        found = ((token.id, text) for finder in (self.raw_finder, self.finder) for text, token in finder.tokens.items())
        return dict(found)

    @cached_property
    def _bytes(self) -> dict[int, bytes]:
        """The bytes of all ids."""
        specification = self.specification
        is_byte_level = any(isinstance(decoder, ByteLevelDecoder) for decoder in specification.decoders)
        added = {
            token_id: byte_level_bytes(text) if is_byte_level else text.encode("utf-8", "surrogatepass")
            for token_id, text in self._added_texts.items()
        }
        fallback = {token_id: bytes([byte]) for byte, token_id in specification.byte_fallback.items()}
        found: dict[int, bytes] = {}
        for tokens in (specification.texts_only, specification.tokens):
            for token_id, token in tokens.items():
                found[token_id] = token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")
        return found | fallback | added

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {data: token_id for token_id, data in self._bytes.items()}

    def _bytes_of(self, token: int) -> bytes | None:
        return self._bytes.get(token)

    def _id_of(self, token: bytes) -> int | None:
        return self._ids.get(token)

    def _largest_id(self) -> int:
        return max(self._bytes)

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in ascending order."""
        special = self.special_tokens.bytes_of
        return sorted(data for token_id, data in self._bytes.items() if token_id not in special)
