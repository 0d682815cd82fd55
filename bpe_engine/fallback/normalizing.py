"""Apply normalizers to a text, and find the offsets where a text may be cut before them.

    normalizers   NFC, Replace " " by "\\u2581", Prepend "\\u2581"
    "e\\u0301 a"     ->  "\\u2581\\u00e9\\u2581a"                     normalize
                  ->  0  0      2      3                       aligned: the source offset of each character
    "e\\u0301" | " a"                                            a cut: both sides can be normalized by themselves, whatever the text around them

A side of a cut is not the start or end of a text, so nothing is prepended or stripped there: see `at_start` and
`at_end`.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterator
from functools import cached_property

from bpe_engine.fallback.charsmaps import map_clusters, sentence_piece_text
from bpe_engine.pipeline.characters import WHITE_SPACE, compiled, later_lower_case, members
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.matching import Match, matcher
from bpe_engine.pipeline.normalizers import (
    Charsmap,
    Lowercase,
    Normalizer,
    Prepend,
    Replace,
    ReplaceCharacters,
    SentencePieceText,
    Strip,
    StripAccents,
    Surround,
    UnicodeForm,
)
from bpe_engine.text.patience import check_growth

# Hangul vowels and final consonants: they join the character before them, and are not marks.
_JOINING_JAMO = (0x1160, 0x11FF), (0xD7B0, 0xD7FF)

_PLAIN = frozenset(string.ascii_letters + string.digits)
_SEPARATORS = " " + string.whitespace.replace(" ", "") + string.punctuation


class Normalization:
    """Normalizers in a row. Immutable except for its caches; threads may share it.

    >>> Normalization((Replace(" ", "_"), Prepend("_"))).normalize("a b")
    '_a_b'
    """

    def __init__(self, normalizers: tuple[Normalizer, ...]) -> None:
        self.normalizers = normalizers
        self._fresh: dict[str, bool] = {}
        for normalizer in normalizers:
            if isinstance(normalizer, Replace):
                matcher(normalizer.pattern)  # raises PatternError for an unsupported pattern

    def __reduce__(self) -> tuple[type[Normalization], tuple[tuple[Normalizer, ...]]]:
        return type(self), (self.normalizers,)

    def __bool__(self) -> bool:
        return bool(self.normalizers)

    def normalize(self, text: str, *, at_start: bool = True, at_end: bool = True) -> str:
        """Return the normalized form of a text, or of a part of one between two cuts.

        Raises EncodingError if the result becomes too long (`bpe_engine/text/patience.py`).
        """
        original = len(text)
        for normalizer in self.normalizers:
            match normalizer:
                case UnicodeForm(form):
                    text = unicode_form(form, text)
                case Lowercase():
                    text = lower(text)
                case StripAccents() | ReplaceCharacters():
                    text = _replaced_kind(normalizer, text)
                case Surround(kind, around):
                    found = compiled(f"[{members(kind)}]").findall(text)
                    check_growth(len(text) + 2 * len(around) * len(found), original, "the normalizers")
                    text = compiled(f"([{members(kind)}])").sub(rf"{around}\1{around}", text) if found else text
                case Charsmap() | SentencePieceText():
                    text = _by_table(normalizer, text, list(range(len(text))), original)[0]
                case Strip(left, right):
                    text = text.lstrip(WHITE_SPACE) if left and at_start else text
                    text = text.rstrip(WHITE_SPACE) if right and at_end else text
                case Prepend(added):
                    text = added + text if text and at_start else text
                case Replace(str(pattern), content):
                    if len(content) > len(pattern):
                        grown = text.count(pattern) * (len(content) - len(pattern))
                        check_growth(len(text) + grown, original, "the normalizers")
                    text = text.replace(pattern, content)
                case Replace(pattern, content):
                    spans = matcher(pattern).spans(text)
                    _check_replaced(spans, content, original)
                    text = "".join(content if is_match else text[start:end] for start, end, is_match in spans)
        return text

    def aligned(self, text: str, *, at_start: bool = True) -> tuple[str, list[int]]:
        """Return the normalized text and the source offset in `text` of each of its characters, as Hugging Face reports it.

        With `at_start` false, other text comes before `text`, which does not change the result.

        >>> Normalization((UnicodeForm("NFD"),)).aligned("\\u00e9a")
        ('e\\u0301a', [0, 0, 1])
        """
        original = len(text)
        places = list(range(original))
        for normalizer in self.normalizers:
            match normalizer:
                case UnicodeForm(form):
                    changes = list(_changes(form, text))
                case Lowercase():
                    changes = [
                        (lowered, int(number > 0))
                        for character in text
                        for number, lowered in enumerate(lower(character))
                    ]
                case StripAccents() | Strip():
                    text, places = _without(normalizer, text, places, at_start=at_start)
                    continue
                case ReplaceCharacters() | Surround():
                    text, places = _by_character(normalizer, text, places)
                    continue
                case Charsmap() | SentencePieceText():
                    text, places = _by_table(normalizer, text, places, original)
                    continue
                case Prepend(added):
                    if at_start:
                        text, places = (added + text, places[:1] * len(added) + places) if text else ("", [])
                    continue
                case Replace(pattern, content):
                    text, places = _replaced(pattern, content, text, places, original)
                    continue
            place, found = 0, []
            for _, change in changes:
                found.append(places[max(place - 1, 0)] if change > 0 else places[place])
                place += 0 if change > 0 else 1 - change
            text, places = "".join(character for character, _ in changes), found
        return text, places

    # --- cuts

    @cached_property
    def has_cuts(self) -> bool:
        """Whether cuts are known: not if a normalizer replaces a regular expression or uses a table."""
        return not any(
            isinstance(one, Charsmap | SentencePieceText)
            or (isinstance(one, Replace) and isinstance(one.pattern, Expression))
            for one in self.normalizers
        )

    @cached_property
    def strips(self) -> bool:
        """Whether white space at an end of a text is removed. If so, a cut has no white space on either side."""
        return any(isinstance(one, Strip) for one in self.normalizers)

    @cached_property
    def space(self) -> str:
        """The normalized form of a space inside a text."""
        return self.normalize(" ", at_start=False, at_end=False)

    @cached_property
    def keeps_plain(self) -> bool:
        """Whether ASCII letters and digits become only ASCII letters and digits, and no other printable ASCII but the space is replaced.

        A replaced string that ends with a letter or digit must become one that does, too.
        """
        for normalizer in self.normalizers:
            if isinstance(normalizer, Replace) and isinstance(normalizer.pattern, str):
                pattern, content = normalizer.pattern, normalizer.content
                if pattern[-1] in _PLAIN and content[-1:] not in _PLAIN:
                    return False
                if (len(pattern) > 1 and pattern[0] in _SEPARATORS) or (
                    len(pattern) == 1 and pattern in _SEPARATORS[1:]
                ):
                    return False
        changed = {character: self.normalize(character, at_start=False, at_end=False) for character in _PLAIN}
        return all(after and set(after) <= _PLAIN for after in changed.values())

    def is_cut(self, before: str, after: str) -> bool:
        """Whether there is a cut between two characters."""
        if self.strips and (before in WHITE_SPACE or after in WHITE_SPACE):
            return False
        fresh = self._fresh.get(after)
        if fresh is None:
            fresh = self._fresh[after] = self.has_cuts and self._is_fresh(after)
        return fresh

    def _is_fresh(self, character: str) -> bool:
        """Whether the text before `character` never changes its normalized form, nor `character` the form of that text."""
        firsts = {character}  # characters that the result may start with after each step
        for normalizer in self.normalizers:
            match normalizer:
                case UnicodeForm(form):
                    firsts = {
                        unicode_form("NFKD" if form.endswith("KD") or form == "NFKC" else "NFD", first)[0]
                        for first in firsts
                    }
                    if not all(map(_starts_anew, firsts)):
                        return False
                    if form in ("NFC", "NFKC"):
                        firsts |= {unicode_form(form, first)[0] for first in firsts | {character}}
                case Lowercase():
                    firsts |= {lower(first)[0] for first in firsts}
                case StripAccents() | ReplaceCharacters() | Surround():
                    firsts |= _by_kind(normalizer, firsts)
                    if "" in firsts:
                        return False
                case Replace(str(pattern), content):
                    if any(first in pattern[1:] for first in firsts):
                        return False
                    if pattern[:1] in firsts:
                        if not content:
                            return False
                        firsts.add(content[0])
                case _:
                    pass
        return True


def _by_kind(normalizer: StripAccents | ReplaceCharacters | Surround, firsts: set[str]) -> set[str]:
    """Return the first characters of the replacements of `firsts`, where the normalizer applies; "" for a removed character."""
    kind = "mark" if isinstance(normalizer, StripAccents) else normalizer.kind
    is_member = compiled(f"[{members(kind)}]").match
    if isinstance(normalizer, Surround):
        return {normalizer.text[:1] or first for first in firsts if is_member(first)}
    content = "" if isinstance(normalizer, StripAccents) else normalizer.content
    return {content[:1] for first in firsts if is_member(first)}


def lower(text: str) -> str:
    """Return the text with each character in lower case by itself, without context.

    >>> lower("ΑΣ")
    'ασ'
    """
    if text.isascii():
        return text.lower()
    later = later_lower_case()
    return "".join([later.get(ord(character)) or character.lower() for character in text])


def unicode_form(form: str, text: str) -> str:
    """Return `unicodedata.normalize` as of Unicode 9: a newer character stays as it is, and characters do not compose across it."""
    # Text that is normalized under a later version of Unicode is also normalized under an earlier one: newer marks only
    # separate characters that could be composed.
    if text.isascii() or unicodedata.is_normalized(form, text):  # type: ignore[arg-type]  # one of the four
        return text
    form_of = unicodedata.normalize
    inert = compiled(f"[{members('inert')}]")
    if inert.search(text) is None:
        return form_of(form, text)  # type: ignore[arg-type]  # one of the four
    parts = []
    place = 0
    for found in inert.finditer(text):
        parts += [form_of(form, text[place : found.start()]), found.group()]  # type: ignore[arg-type]  # one of the four
        place = found.end()
    return "".join(parts) + form_of(form, text[place:])  # type: ignore[arg-type]  # one of the four


def _starts_anew(character: str) -> bool:
    """Whether a decomposed character never joins the character before it."""
    if any(first <= ord(character) <= last for first, last in _JOINING_JAMO):
        return False
    return not unicodedata.category(character).startswith("M")


def _combining(character: str) -> int:
    return 0 if compiled(f"[{members('inert')}]").match(character) else unicodedata.combining(character)


def _changes(form: str, text: str) -> Iterator[tuple[str, int]]:
    """Return the characters of the normalized text, each with its change: 1 inserted, 0 replaces one character, -n replaces n + 1 characters.

    >>> list(_changes("NFC", "i\\u0308s")), list(_changes("NFD", "ïs"))
    ([('ï', -1), ('s', 0)], [('i', 0), ('̈', 1), ('s', 0)])
    """
    decomposition = "NFKD" if "K" in form else "NFD"
    ordered: list[tuple[str, int]] = []
    marks: list[tuple[int, tuple[str, int]]] = []
    for character in text:
        for number, part in enumerate(unicode_form(decomposition, character)):
            rank = _combining(part)
            if rank == 0:
                ordered += [found for _, found in sorted(marks, key=lambda mark: mark[0])]
                marks.clear()
                ordered.append((part, int(number > 0)))
            else:
                marks.append((rank, (part, int(number > 0))))
    ordered += [found for _, found in sorted(marks, key=lambda mark: mark[0])]
    return iter(ordered if form in ("NFD", "NFKD") else _composed(ordered))


def _composed(parts: list[tuple[str, int]]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    starter = -1  # in `found`
    last_rank = 0
    for character, change in parts:
        rank = _combining(character)
        if starter >= 0 and (len(found) == starter + 1 or (last_rank < rank and last_rank != 0)):
            whole = unicode_form("NFC", found[starter][0] + character)
            if len(whole) == 1:
                found[starter] = whole, found[starter][1] + change - 1
                continue
        if rank == 0:
            starter = len(found)
        last_rank = rank
        found.append((character, change))
    return found


def _replaced_kind(normalizer: StripAccents | ReplaceCharacters, text: str) -> str:
    if isinstance(normalizer, ReplaceCharacters):
        return compiled(f"[{members(normalizer.kind)}]").sub(normalizer.content, text)
    return text if text.isascii() else compiled(f"[{members('mark')}]").sub("", text)


def _by_table(
    normalizer: Charsmap | SentencePieceText, text: str, places: list[int], original: int
) -> tuple[str, list[int]]:
    if isinstance(normalizer, Charsmap):
        return map_clusters(normalizer, text, places, original)
    text, origins = sentence_piece_text(normalizer, text, original)
    return text, [places[origin] for origin in origins]


def _without(
    normalizer: StripAccents | Strip, text: str, places: list[int], *, at_start: bool
) -> tuple[str, list[int]]:
    if isinstance(normalizer, Strip):
        stripped = text.lstrip(WHITE_SPACE) if normalizer.left and at_start else text
        start = len(text) - len(stripped)
        stripped = stripped.rstrip(WHITE_SPACE) if normalizer.right else stripped
        return stripped, places[start : start + len(stripped)]
    is_mark = compiled(f"[{members('mark')}]").match
    kept = [place for place, character in enumerate(text) if is_mark(character) is None]
    return "".join(text[place] for place in kept), [places[place] for place in kept]


def _by_character(normalizer: ReplaceCharacters | Surround, text: str, places: list[int]) -> tuple[str, list[int]]:
    is_member = compiled(f"[{members(normalizer.kind)}]").match
    parts: list[str] = []
    found: list[int] = []
    for character, place in zip(text, places, strict=True):
        if is_member(character) is None:
            part = character
        elif isinstance(normalizer, Surround):
            part = normalizer.text + character + normalizer.text
        else:
            part = normalizer.content
        parts.append(part)
        found += [place] * len(part)
    return "".join(parts), found


def _check_replaced(spans: list[Match], content: str, original: int) -> None:
    length = sum(len(content) if is_match else end - start for start, end, is_match in spans)
    check_growth(length, original, "the normalizers")


def _replaced(
    pattern: str | Expression, content: str, text: str, places: list[int], original: int
) -> tuple[str, list[int]]:
    """Replace the matches of a pattern. The source of replacement text is the last character of the match."""
    parts, found = [], []
    spans = matcher(pattern).spans(text)
    _check_replaced(spans, content, original)
    for start, end, is_match in spans:
        parts.append(content if is_match else text[start:end])
        found += [places[max(end - 1, 0)]] * len(content) if is_match else places[start:end]
    return "".join(parts), found
