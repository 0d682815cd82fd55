"""Grapheme clusters, words and sentences: the rules of Unicode Standard Annex 29, each as one regular expression.

    ends of grapheme clusters   "e\\u0301a"          -> 2, 3
    ends of words               "don't stop"         -> 5, 6, 10
    ends of sentences           "Mr. x said. No! 1"  -> 12, 16

The expressions implement the rules (GB, WB, SB numbers below) with the properties of the `regex` package, which also
determine the Unicode version. Every repetition is possessive and no two neighbours compete for a character, so a scan
is linear on any text. The built-in `\\X` and `(?w)\\b` of `regex` follow the rules of its own version of Unicode (18
joins conjuncts to any base), and are quadratic on a run of regional indicators (flags): 26 seconds for 80,000 of them.

Searching with an expression full of Unicode properties is slow, so the expressions for sentences are only tried at the
few characters that may end one.

`tailored_sentence_ends` adds what the annex leaves to tailoring: in Thai and Lao a space ends a sentence, in Tibetan a
shad; and a bracket or quote that opens directly after a terminator, as is common in Chinese and Japanese, belongs to
the next sentence. Thai, Lao, Khmer and Burmese have no spaces between words, and finding their words takes a
dictionary: `words_of_script` drops the word ends that the annex finds after nearly every letter of these scripts, so
that long text is cut at spaces, and otherwise between grapheme clusters.

The end of `text` counts as the end of a segment: a caller that passes a part of a longer text must decide whether the
last segment is complete. Words and sentences may end inside a grapheme cluster (by the annex: a Thai consonant and its
SARA AM are two words); `refine` drops those ends.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chunker.formats.expressions import compiled_late, re

if TYPE_CHECKING:
    import regex

# Grapheme clusters: table 1c of the annex. CR LF and controls are clusters of their own (GB3-5); else prefixes, a core
# and what extends it.
_GRAPHEME = compiled_late(
    r"""
    \r\n
    | \p{GCB=Control} | \r | \n
    | \p{GCB=Prepend}*+
      (?: \p{GCB=L}*+ (?: \p{GCB=V}++ | \p{GCB=LV} \p{GCB=V}*+ | \p{GCB=LVT} ) \p{GCB=T}*+          # GB6-8, Hangul syllables
        | \p{GCB=L}++
        | \p{GCB=T}++
        | \p{GCB=Regional_Indicator} \p{GCB=Regional_Indicator}?+                                   # GB12-13, flags
        | \p{ExtPict} (?: \p{GCB=Extend}*+ \p{GCB=ZWJ} \p{ExtPict} )*+                              # GB11, emoji sequences
        | \p{InCB=Consonant} (?: \p{InCB=Extend}*+ \p{InCB=Linker}
                                 [\p{InCB=Extend}\p{InCB=Linker}]*+ \p{InCB=Consonant} )*+          # GB9c, conjuncts
        | [^\p{GCB=Control}\r\n\p{GCB=Prepend}]
      )
      [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+                                              # GB9, GB9a
    | \p{GCB=Prepend}++ [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+                            # prefixes of nothing
    """,
    "VERBOSE",
    "V0",
)

# Words. `_X` is what WB4 lets stick to any character. A word joins letters and digits (WB5, WB8-10), also across one
# mark between two letters or two digits (WB6-7, WB11-12), Katakana (WB13), and either of them across connectors such
# as "_" (WB13a-b).
_X = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
_LETTER = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
_WORD_RUN = rf"""
    (?: (?: \p{{WB=Hebrew_Letter}} {_X} \p{{WB=Double_Quote}} {_X} (?=\p{{WB=Hebrew_Letter}})                        # WB7b-c
          | {_LETTER} {_X} (?: [\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_X} (?={_LETTER}) )?+
          | \p{{WB=Numeric}} {_X} (?: [\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_X} (?=\p{{WB=Numeric}}) )?+
        )++
      | (?: \p{{WB=Katakana}} {_X} )++
    )
"""
_CONNECTORS = rf"(?: \p{{WB=ExtendNumLet}} {_X} )++"
_WORD_SEQUENCE = rf"""
    (?: {_WORD_RUN} (?: {_CONNECTORS} {_WORD_RUN}?+ )*+ | {_CONNECTORS} (?: {_WORD_RUN} (?: {_CONNECTORS} {_WORD_RUN}?+ )*+ )?+ )
    (?: (?<= \p{{WB=Hebrew_Letter}} [\p{{WB=Extend}}\p{{WB=Format}}\p{{WB=ZWJ}}]*+ ) \p{{WB=Single_Quote}} {_X} )?+  # WB7a
"""
_WORD = compiled_late(
    rf"""
    \r\n | [\r\n\p{{WB=Newline}}]                                                                                    # WB3-3b
    | (?: \p{{WB=WSegSpace}}++ {_X}                                                                                  # WB3d
        | {_WORD_SEQUENCE}
        | \p{{WB=Regional_Indicator}} {_X} (?: \p{{WB=Regional_Indicator}} {_X} )?+                                  # WB15-16
        | [^\r\n\p{{WB=Newline}}] {_X}
      )
      (?: (?<=\u200d) (?=\p{{ExtPict}}) (?: {_WORD_SEQUENCE} | . {_X} ) )*+                                          # WB3c
    """,
    "VERBOSE",
    "DOTALL",
    "V0",
)

# Sentences end after a line end (SB4), or after a terminator, what closes it, and spaces (SB9-11), unless one of
# SB6-8a forbids.
_SB_X = r"[\p{SB=Extend}\p{SB=Format}]*+"
_SB_NEUTRAL = r"[^\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}\p{SB=Sep}\p{SB=CR}\p{SB=LF}\p{SB=STerm}\p{SB=ATerm}]*+"
_SB_CASED = r"[\p{SB=Upper}\p{SB=Lower}]"
_FULL_STOP = rf"""
    \p{{SB=ATerm}} (?! {_SB_X} \p{{SB=Numeric}} )                                                   # SB6: 3.4
    (?! (?<= {_SB_CASED} {_SB_X} \p{{SB=ATerm}} ) {_SB_X} \p{{SB=Upper}} )                          # SB7: U.S.
"""
_SB_GOES_ON = r"[\p{SB=SContinue}\p{SB=STerm}\p{SB=ATerm}]"
_SENTENCE_END = compiled_late(
    rf"""
    \r\n | [\p{{SB=Sep}}\r\n]
    | (?: \p{{SB=STerm}} | (?P<full_stop> {_FULL_STOP} ) )
      {_SB_X} (?: \p{{SB=Close}} {_SB_X} )*+ (?: \p{{SB=Sp}} {_SB_X} )*+
      (?: \r\n | [\p{{SB=Sep}}\r\n]
        | (?! {_SB_GOES_ON} )                                                                       # SB8a
          (?(full_stop) (?! {_SB_NEUTRAL} \p{{SB=Lower}} ) )                                        # SB8: etc. and
      )
    """,
    "VERBOSE",
    "V0",
)

# The sentence rules for marked-up prose. A single line end counts as a space. A sentence that ends at a line end ends
# after it, not after the indentation of the next line. Emphasis marks close a sentence, opening brackets do not. A
# Latin terminator must be followed by white space, so that an address such as example.com/?Query=1 stays whole; CJK
# terminators need no space. No sentence end cuts a grapheme cluster.
_CJK_TERMINATOR = "[。！？｡]"
_PROSE_CLOSE = rf"(?: (?! [\p{{Ps}}\p{{Pi}}] ) [\p{{SB=Close}}*_~`] {_SB_X} )*+"
_PROSE_NEUTRAL = r"[^\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}\p{SB=STerm}\p{SB=ATerm}]*+"
_PROSE_SENTENCE_END = compiled_late(
    rf"""
    (?: {_CJK_TERMINATOR} {_SB_X} {_PROSE_CLOSE} (?: \p{{SB=Sp}} {_SB_X} )*+ (?: \r\n | [\r\n] )?+
      | (?: \p{{SB=STerm}} | (?P<full_stop> {_FULL_STOP} ) ) {_SB_X} {_PROSE_CLOSE}
        (?: (?: \p{{SB=Sp}} {_SB_X} )++ (?: \r\n | [\r\n] )?+ | \r\n?+ | \n )
    )
    (?! [\p{{SB=Sp}}\r\n]*+ {_SB_GOES_ON} )
    (?(full_stop) (?! {_PROSE_NEUTRAL} \p{{SB=Lower}} ) )
    (?<! [\p{{GCB=Prepend}}\u200d] ) (?! [\p{{GCB=Extend}}\p{{GCB=SpacingMark}}\u200d] )
    """,
    "VERBOSE",
    "V0",
)

# Letters of scripts that are written without spaces between words.
_UNSPACED = r"\p{LB=SA}"
_INSIDE_UNSPACED = compiled_late(rf"(?<={_UNSPACED})(?={_UNSPACED})", "V0")
_PHRASE_END = re.compile(
    r"""
    [\u0e01-\u0eff] [ ]++ (?=[\u0e01-\u0eff])                           # a space between letters, marks or digits of Thai or Lao
    | [\u0f0d-\u0f11\u0f14] [\u0f0d-\u0f11\u0f14 ]*+                    # Tibetan shads
    """,
    re.VERBOSE,
)
_OPENER = compiled_late(r"[\p{Ps}\p{Pi}]", "V0")
_HAS_PHRASES = re.compile(r"[\u0e01-\u0eff\u0f0d-\u0f14]")
_HAS_UNSPACED = compiled_late(_UNSPACED, "V0")


def grapheme_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Yield the ends of the grapheme clusters of `text[start:end]`, as offsets in `text`, including its end."""
    return (match.end() for match in _GRAPHEME.finditer(text, start, len(text) if end is None else end))


def word_ends(text: str) -> Iterator[int]:
    """Yield the ends of the words of `text`, and of the spaces and marks between them, including its end."""
    return (match.end() for match in _WORD.finditer(text))


def words_of_script(text: str, ends: list[int]) -> list[int]:
    """Drop the word ends between two letters of a script without spaces between words.

    >>> words_of_script("ไป มา", [1, 2, 3, 4, 5])
    [2, 3, 5]
    """
    if text.isascii() or not _HAS_UNSPACED.search(text):
        return ends
    return [end for end in ends if not _INSIDE_UNSPACED.match(text, end)]


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the ends of the sentences of `text`, with trailing spaces; the end of `text` only after a terminator or
    line end.
    """
    return _ends_at(_sentence_candidates(), _SENTENCE_END, text)


def prose_sentence_ends(text: str) -> Iterator[int]:
    """Yield the ends of the sentences of one paragraph of marked-up prose, where a line end counts as a space."""
    return _ends_at(_sentence_candidates(), _PROSE_SENTENCE_END, text)


def tailored_sentence_ends(text: str) -> list[int]:
    """Return the ends of the sentences of `text`, tailored to its scripts; the end of `text` only after a terminator or
    line end.

    >>> tailored_sentence_ends("ไปไหนมา ไปตลาด"), tailored_sentence_ends("好。「是」。好")
    ([8], [2, 6])
    """
    ends = list(sentence_ends(text))
    for index, end in enumerate(ends):
        if text[end - 1] > " ":
            while _OPENER.match(text, ends[index] - 1):
                ends[index] -= 1
    if text.isascii() or not _HAS_PHRASES.search(text):
        return ends
    return sorted({*ends, *(match.end() for match in _PHRASE_END.finditer(text))})


def _ends_at(candidates: re.Pattern[str], expression: regex.Pattern[str], text: str) -> Iterator[int]:
    """Yield the ends of the matches of `expression` that begin at a match of `candidates`."""
    done = 0
    for candidate in candidates.finditer(text):
        start = candidate.start()
        if start >= done:
            match = expression.match(text, start)
            if match is not None:
                done = match.end()
                yield done


@functools.cache
def _sentence_candidates() -> re.Pattern[str]:
    """Return an expression for a character that may end a sentence: those of the first plane that do, and all
    characters of higher planes, which are rare.

    That keeps the class small enough for a lookup table of `re`. Made on first use, because it takes ten milliseconds.
    """
    import regex  # noqa: PLC0415  # only here

    plane = "".join(map(chr, range(0x10000)))
    ends = regex.findall(r"[\p{SB=STerm}\p{SB=ATerm}\p{SB=Sep}\r\n]", plane)
    return re.compile(f"[{re.escape(''.join(ends))}\U00010000-\U0010ffff]")
