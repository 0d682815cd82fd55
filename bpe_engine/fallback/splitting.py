"""Pre-tokens by stages: apply any sequence of pre-tokenizers to a normalized text.

    " a-b"       WhitespaceSplit, then Punctuation       ->  "a" "-" "b"
    "a b"        Metaspace("always")                     ->  "\\u2581a" "\\u2581b"
    "n\\u00f3 12"   ByteLevel(), then Digits()           ->  "n\\u00c3" "\\u00b3" "\\u0120" "12"       bytes, and the second of "\\u00f3" is "\\u00b3"

A piece is a str. After ByteLevel each of its characters stands for a byte, as in `formats/byte_alphabet.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpe_engine.errors import PatternError
from bpe_engine.fallback.pretokenizer import PreTokenizer as PatternStage
from bpe_engine.fallback.pretokenizer import pretokenizer_for
from bpe_engine.formats.byte_alphabet import characters_of
from bpe_engine.patterns import GPT2, Pattern
from bpe_engine.pipeline.characters import compiled, members, numbers, script_of
from bpe_engine.pipeline.expressions import WORD
from bpe_engine.pipeline.matching import Match, RustExpression, matcher, with_gaps
from bpe_engine.pipeline.pre_tokenizers import (
    Behaviour,
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from bpe_engine.text.input import to_bytes

_WORDS = matcher(RustExpression(rf"(?V1)[{WORD}]+|[^\s{WORD}]+"))


class Piece(NamedTuple):
    """A part of the text between two stages.

    `is_first`: whether the whole text starts with it. `places`: the offset of each character in the whole text, None if
    offsets are not needed.
    """

    text: str
    is_first: bool
    places: list[int] | None

    def part(self, start: int, end: int) -> Piece:
        """Return the characters [start, end) of this piece."""
        if self.places is None:
            return Piece(self.text[start:end], self.is_first and start == 0, None)
        # Text that a normalizer inserts has the place of the character after it, which may also be the first one.
        return Piece(self.text[start:end], start < end and self.places[start] == 0, self.places[start:end])

    def after(self, added: str) -> Piece:
        """Return this piece with `added` before it, at the same offset in the whole text."""
        return Piece(
            added + self.text,
            self.is_first,
            None if self.places is None else self.places[:1] * len(added) + self.places,
        )


class Splitting:
    """Pre-tokenizers in a row. Immutable; threads may share it. Raises PatternError for an unsupported expression.

    >>> [piece.text for piece in Splitting((WhitespaceSplit(), Punctuation())).pieces(Piece(" a-b", True, None))]
    ['a', '-', 'b']
    """

    def __init__(self, stages: tuple[PreTokenizer, ...]) -> None:
        self.stages = stages
        self.in_bytes = any(isinstance(stage, ByteLevel) for stage in stages)
        """Whether the characters of the pieces stand for bytes."""
        self._patterns: dict[int, PatternStage] = {}
        for number, stage in enumerate(stages):
            if isinstance(stage, ByteLevel) and any(isinstance(other, ByteLevel) for other in stages[:number]):
                raise PatternError("two consecutive ByteLevel pre-tokenizers are not supported")
            if isinstance(stage, Split):
                matcher(stage.pattern)
            if isinstance(stage, Pattern):
                self._patterns[number] = pretokenizer_for(stage)

    def __reduce__(self) -> tuple[type[Splitting], tuple[tuple[PreTokenizer, ...]]]:
        return type(self), (self.stages,)

    def pieces(self, piece: Piece) -> Iterable[Piece]:
        """Return the pre-tokens of a text, without empty ones."""
        pieces: Iterable[Piece] = (piece,) if piece.text else ()
        for number, stage in enumerate(self.stages):
            pieces = [part for piece in pieces for part in self._apply(number, stage, piece) if part.text]
        return pieces

    def _apply(self, number: int, stage: PreTokenizer, piece: Piece) -> Iterable[Piece]:
        match stage:
            case ByteLevel(add_prefix_space, use_regex):
                return _byte_level(piece, add_prefix_space=add_prefix_space, use_regex=use_regex)
            case Metaspace():
                return _metaspace(stage, piece)
            case Pattern():
                return (piece.part(start, end) for start, end in self._patterns[number].spans(piece.text))
            case _:
                return (piece.part(start, end) for start, end in _behave(*_matches(stage, piece.text)))


def _matches(stage: PreTokenizer, text: str) -> tuple[list[Match], Behaviour]:
    """Return the matches of a stage with the gaps between them, and how the stage splits at them."""
    match stage:
        case Split(pattern, behaviour, invert):
            spans = matcher(pattern).spans(text)
            return [(start, end, found != invert) for start, end, found in spans], behaviour
        case Digits(individual):
            return _each(f"[{numbers()}]", text), "isolated" if individual else "contiguous"
        case Punctuation(behaviour):
            return _each(f"[{members('punctuation')}]", text), behaviour
        case Whitespace():
            return [(start, end, not found) for start, end, found in _WORDS.spans(text)], "removed"
        case WhitespaceSplit():
            return _each(r"\s", text), "removed"
        case CharDelimiterSplit(delimiter):
            return matcher(delimiter).spans(text), "removed"
        case UnicodeScripts():
            return [(start, end, not found) for start, end, found in _script_spans(text)], "removed"
        case _:
            raise TypeError(f"no stage that matches: {stage!r}")


def _script_spans(text: str) -> list[Match]:
    """Return the runs of one script as matches, and the text before the first run as a gap."""
    spans: list[Match] = []
    start, script = 0, 0
    for place, character in enumerate(text):
        here = script_of(character)
        if here not in (0, script):
            if place > start:
                spans.append((start, place, script != 0))
            start, script = place, here
    if start < len(text):
        spans.append((start, len(text), script != 0))
    return spans


def _each(source: str, text: str) -> list[Match]:
    return with_gaps((found.span() for found in compiled(source).finditer(text)), len(text))


def _behave(matches: list[Match], behaviour: Behaviour) -> Iterator[tuple[int, int]]:
    """Return the spans of the pieces that a behaviour makes of matches and gaps.

    >>> "a..b", [_list("a..b", behaviour) for behaviour in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")]
    ('a..b', [['a', 'b'], ['a', '.', '.', 'b'], ['a.', '.', 'b'], ['a', '.', '.b'], ['a', '..', 'b']])
    """
    if behaviour == "removed":
        return ((start, end) for start, end, is_match in matches if not is_match)
    if behaviour == "isolated":
        return ((start, end) for start, end, _ in matches)
    joined: list[list[int]] = []
    previous = False
    for start, end, is_match in reversed(matches) if behaviour == "merged_with_next" else matches:
        joins = is_match == previous if behaviour == "contiguous" else is_match and not previous
        previous = is_match
        if not joins or not joined:
            joined.append([start, end])
        elif behaviour == "merged_with_next":
            joined[-1][0] = start
        else:
            joined[-1][1] = end
    return ((start, end) for start, end in (reversed(joined) if behaviour == "merged_with_next" else joined))


def _list(text: str, behaviour: Behaviour) -> list[str]:
    return [text[start:end] for start, end in _behave(_each(r"\.", text), behaviour)]


def _byte_level(piece: Piece, *, add_prefix_space: bool, use_regex: bool) -> Iterator[Piece]:
    if add_prefix_space and not piece.text.startswith(" "):
        piece = piece.after(" ")
    spans = pretokenizer_for(GPT2).spans(piece.text) if use_regex else [(0, len(piece.text))]
    for start, end in spans:
        part = piece.part(start, end)
        places = None
        if part.places is not None:
            places = [
                place for character, place in zip(part.text, part.places, strict=True) for _ in to_bytes(character)
            ]
        yield Piece(characters_of(to_bytes(part.text)), part.is_first, places)


def _metaspace(stage: Metaspace, piece: Piece) -> Iterator[Piece]:
    piece = Piece(piece.text.replace(" ", stage.replacement), piece.is_first, piece.places)
    wanted = stage.prepend_scheme == "always" or (stage.prepend_scheme == "first" and piece.is_first)
    if wanted and not piece.text.startswith(stage.replacement):
        piece = piece.after(stage.replacement)
    if not stage.split:
        yield piece
        return
    for start, end in _behave(_each(compiled_literal(stage.replacement), piece.text), "merged_with_next"):
        yield piece.part(start, end)


def compiled_literal(character: str) -> str:
    """Return the source of an expression that matches one character."""
    return rf"\U{ord(character):08X}"
