"""Compare two tokenizers before migrating from one to the other: common tokens, ids with another meaning, and the cost
of texts.

cl100k_base -> o200k_base
tokens        100,256 and 199,998; 88,000 in both, 5 of them under the same id
ids           100,251 mean something else: 256 is b'  ' and b' ...'
special       only cl100k_base: <|fim_prefix|>; other ids: <|endoftext|> 100257 -> 199999
stages        pattern cl100k -> o200k
readme        1,234 tokens -> 1,180 (95.6 %); first at character 7: ' to|ken' and ' token'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from bpe_engine.pipeline.normalizers import Replace
from bpe_engine.pipeline.pre_tokenizers import Metaspace

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification
    from bpe_engine.text.offsets import Unit
    from bpe_engine.vocabulary import Vocabulary

_EXAMPLES = 5


class ComparableTokenizer(Protocol):
    """Protocol for what a comparison asks of a `Tokenizer`, which has and documents these."""

    @property
    def name(self) -> str | None:
        """Its name."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Its vocabulary, if it has no specification."""

    @property
    def specification(self) -> Specification | None:
        """Its specification, if it has one."""

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens except special ones."""

    def encode_single_token(self, text_or_bytes: str | bytes, /) -> int:
        """Return the id of a token."""

    def encode(self, text: str, /, *, allowed_special: set[str]) -> list[int]:
        """Return the ids of a text with special tokens."""

    def encode_with_offsets(self, text: str, /, *, unit: Unit) -> tuple[list[int], list[int]]:
        """Return the ids of a text, and where they start."""


@dataclass(frozen=True)
class ChangedId:
    """An id that is another token in each tokenizer."""

    id: int
    ours: bytes
    theirs: bytes


@dataclass(frozen=True)
class Difference:
    """The first offset, in characters, where two tokenizers split a text differently. `ours` and `theirs` are the texts of the tokens there."""

    offset: int
    ours: str
    theirs: str


@dataclass(frozen=True)
class TextComparison:
    """The cost of one text: its characters, its tokens under each tokenizer, and the first difference; None if both split it
    alike.
    """

    name: str
    characters: int
    ours: int
    theirs: int
    first_difference: Difference | None

    @property
    def ratio(self) -> float:
        """The number of their tokens divided by the number of ours; 1.0 for a text without tokens."""
        return self.theirs / self.ours if self.ours else 1.0


@dataclass(frozen=True)
class Comparison:
    """The differences of two tokenizers; `str` of it is a readable report.

    Attributes:
        names: The names of both.
        tokens: The numbers of tokens that are not special.
        shared: The number of tokens with the same bytes in both.
        same_ids: The number of these tokens that also have the same id.
        changed_ids: The number of ids that are tokens in both, special or not, but with other bytes.
        changed_examples: The first of these ids.
        special_only_ours: Texts of special tokens of this tokenizer only.
        special_only_theirs: Texts of special tokens of the other tokenizer only.
        special_moved: Text -> both ids, of special tokens whose ids differ.
        stages: The stages before merging, of this tokenizer and of the other.
        texts: The counts of the compared texts.
    """

    names: tuple[str, str]
    tokens: tuple[int, int]
    shared: int
    same_ids: int
    changed_ids: int
    changed_examples: tuple[ChangedId, ...]
    special_only_ours: tuple[str, ...]
    special_only_theirs: tuple[str, ...]
    special_moved: Mapping[str, tuple[int, int]]
    stages: tuple[tuple[str, ...], tuple[str, ...]]
    texts: tuple[TextComparison, ...] = field(default=())

    @property
    def is_same(self) -> bool:
        """Whether nothing differs: not the ids, special tokens or stages, nor the tokens of the texts."""
        return (
            self.shared == self.same_ids == self.tokens[0] == self.tokens[1]
            and not self.changed_ids
            and not (self.special_only_ours or self.special_only_theirs or self.special_moved)
            and self.stages[0] == self.stages[1]
            and all(text.first_difference is None for text in self.texts)
        )

    def __str__(self) -> str:
        ours, theirs = self.names
        lines = [f"{ours} -> {theirs}"]
        lines.append(
            f"tokens    {self.tokens[0]:,} and {self.tokens[1]:,}; {self.shared:,} in both, {self.same_ids:,} of them under the same id"
        )
        changed = "; ".join(f"{one.id} is {one.ours!r:.40} and {one.theirs!r:.40}" for one in self.changed_examples)
        lines.append(f"ids       {self.changed_ids:,} mean something else" + (f": {changed}" if changed else ""))
        special = []
        for name, texts in ((ours, self.special_only_ours), (theirs, self.special_only_theirs)):
            if texts:
                special.append(f"only {name}: {_listed(texts)}")
        if self.special_moved:
            moved = [f"{text} {before} -> {after}" for text, (before, after) in self.special_moved.items()]
            special.append(f"other ids: {_listed(moved)}")
        lines.append("special   " + ("; ".join(special) or "the same"))
        if self.stages[0] == self.stages[1]:
            lines.append("stages    the same")
        else:
            lines += [
                f"stages    {name}: {_shown(stages)}" for name, stages in zip(self.names, self.stages, strict=True)
            ]
        for text in self.texts:
            line = f"{text.name}: {text.ours:,} tokens -> {text.theirs:,} ({100 * text.ratio:.1f} %)"
            if text.first_difference is not None:
                first = text.first_difference
                line += f"; first at character {first.offset:,}: {first.ours!r:.40} and {first.theirs!r:.40}"
            lines.append(line)
        return "\n".join(lines)


def compare(
    ours: ComparableTokenizer, theirs: ComparableTokenizer, texts: Mapping[str, str] | Iterable[str] = ()
) -> Comparison:
    """See `Tokenizer.compare`."""
    our_ids, their_ids = _ids_by_bytes(ours), _ids_by_bytes(theirs)
    both = our_ids.keys() & their_ids.keys()
    our_special, their_special = _special_ids(ours), _special_ids(theirs)
    meant = [
        {token: data for data, token in ids.items()} | {token: text.encode() for text, token in special.items()}
        for ids, special in ((our_ids, our_special), (their_ids, their_special))
    ]
    changed = sorted(token for token in meant[0].keys() & meant[1].keys() if meant[0][token] != meant[1][token])
    named = (
        texts.items()
        if isinstance(texts, Mapping)
        else ((f"text {number}", text) for number, text in enumerate(texts, start=1))
    )
    return Comparison(
        names=(ours.name or "ours", theirs.name or "theirs"),
        tokens=(len(our_ids), len(their_ids)),
        shared=len(both),
        same_ids=sum(1 for data in both if our_ids[data] == their_ids[data]),
        changed_ids=len(changed),
        changed_examples=tuple(ChangedId(token, meant[0][token], meant[1][token]) for token in changed[:_EXAMPLES]),
        special_only_ours=tuple(text for text in our_special if text not in their_special),
        special_only_theirs=tuple(text for text in their_special if text not in our_special),
        special_moved={
            text: (token, their_special[text])
            for text, token in our_special.items()
            if text in their_special and their_special[text] != token
        },
        stages=(describe_stages(ours), describe_stages(theirs)),
        texts=tuple(_compare_text(ours, theirs, name, text) for name, text in named),
    )


def describe_stages(tokenizer: ComparableTokenizer) -> tuple[str, ...]:
    """Return the stages of a tokenizer before merging, one entry a stage.

    >>> from bpe_engine import Tokenizer
    >>> describe_stages(Tokenizer.load("o200k_base"))
    ('pattern o200k',)
    """
    specification = tokenizer.specification
    if specification is None:
        pattern = tokenizer.vocabulary.pattern
        return () if pattern is None else (f"pattern {pattern.name or pattern.source}",)
    stages = [*specification.normalizers, *specification.pre_tokenizers]
    found = [f"pattern {name}" if (name := getattr(stage, "name", None)) else str(stage) for stage in stages]
    if specification.ignore_merges:
        found.append("a pre-token that is a token is not merged")
    return tuple(found)


def _ids_by_bytes(tokenizer: ComparableTokenizer) -> dict[bytes, int]:
    """Return bytes in a text -> id, for the tokens that are not special. A stand-in for spaces is replaced by a space."""
    ids = {data: tokenizer.encode_single_token(data) for data in tokenizer.token_byte_values()}
    specification = tokenizer.specification
    stand_in = None if specification is None else _stand_in(specification)
    if stand_in is None:
        return ids
    return {data.replace(stand_in, b" "): token for data, token in ids.items()}


def _stand_in(specification: Specification) -> bytes | None:
    """Return the stand-in for a space in the tokens; None if spaces are written as spaces."""
    for stage in (*specification.normalizers, *specification.pre_tokenizers):
        if isinstance(stage, Replace) and stage.pattern == " " and stage.content:
            return stage.content.encode()
        if isinstance(stage, Metaspace):
            return stage.replacement.encode()
    return None


def _special_ids(tokenizer: ComparableTokenizer) -> dict[str, int]:
    return {text: tokenizer.encode(text, allowed_special={text})[0] for text in sorted(tokenizer.special_tokens_set)}


def _compare_text(ours: ComparableTokenizer, theirs: ComparableTokenizer, name: str, text: str) -> TextComparison:
    our_starts = ours.encode_with_offsets(text, unit="characters")[1]
    their_starts = theirs.encode_with_offsets(text, unit="characters")[1]
    first = None
    if our_starts != their_starts:
        pairs = zip(pairwise([*our_starts, len(text)]), pairwise([*their_starts, len(text)]), strict=False)
        start, our_end, their_end = next(
            (
                (our_start, our_stop, their_stop)
                for (our_start, our_stop), (_, their_stop) in pairs
                if our_stop != their_stop
            ),
            (0, (our_starts or [0])[0], (their_starts or [0])[0]),
        )
        until = max(our_end, their_end)
        first = Difference(start, _cut(text, our_starts, start, until), _cut(text, their_starts, start, until))
    return TextComparison(name, len(text), len(our_starts), len(their_starts), first)


def _cut(text: str, starts: list[int], start: int, end: int) -> str:
    """Return a part of a text with bars between its tokens.

    >>> _cut("a token", [0, 1, 4], 1, 7)
    ' to|ken'
    """
    places = [place for place in dict.fromkeys(starts) if start < place < end]
    return "|".join(text[left:right] for left, right in pairwise([start, *places, end]))


def _listed(texts: Iterable[str]) -> str:
    texts = list(texts)
    rest = f" and {len(texts) - _EXAMPLES} more" if len(texts) > _EXAMPLES else ""
    return ", ".join(texts[:_EXAMPLES]) + rest


def _shown(stages: tuple[str, ...]) -> str:
    return ", then ".join(f"{stage:.120}" for stage in stages) or "none"
