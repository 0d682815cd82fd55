"""Grapheme clusters, words and sentences: the rules of Unicode Standard Annex 29, each as one regular expression.

    ends of grapheme clusters   "e\\u0301a"          -> 2, 3
    ends of words               "don't stop"         -> 5, 6, 10
    ends of sentences           "Mr. x said. No! 1"  -> 12, 16

The expressions are written from the rules (GB, WB, SB numbers below) on the properties that the `regex` package knows,
which also fix the Unicode version. Every repetition is possessive and no two neighbours compete for a character, so a
scan is linear on any text. The built-in `\\X` and `(?w)\\b` of `regex` follow the same rules, but are quadratic on a run
of regional indicators (flags): 26 seconds for 80,000 of them.

Nothing is cut at the end of `text`: whoever passes a part of a longer text must know what the part's last segment is
worth. Words and sentences here may end inside a grapheme cluster (the annex says so: a Thai consonant and its SARA AM
are two words); `refine` drops those ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

# Grapheme clusters: table 1c of the annex. CR LF and controls stand alone (GB3-5); else prefixes, a core and what extends it.
_GRAPHEME = regex.compile(
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
    regex.VERBOSE | regex.V0,
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
_WORD = regex.compile(
    rf"""
    \r\n | [\r\n\p{{WB=Newline}}]                                                                                    # WB3-3b
    | (?: \p{{WB=WSegSpace}}++ {_X}                                                                                  # WB3d
        | {_WORD_SEQUENCE}
        | \p{{WB=Regional_Indicator}} {_X} (?: \p{{WB=Regional_Indicator}} {_X} )?+                                  # WB15-16
        | [^\r\n\p{{WB=Newline}}] {_X}
      )
      (?: (?<=\u200d) (?=\p{{ExtPict}}) (?: {_WORD_SEQUENCE} | . {_X} ) )*+                                          # WB3c
    """,
    regex.VERBOSE | regex.DOTALL | regex.V0,
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
_SENTENCE_END = regex.compile(
    rf"""
    \r\n | [\p{{SB=Sep}}\r\n]
    | (?: \p{{SB=STerm}} | (?P<full_stop> {_FULL_STOP} ) )
      {_SB_X} (?: \p{{SB=Close}} {_SB_X} )*+ (?: \p{{SB=Sp}} {_SB_X} )*+
      (?: \r\n | [\p{{SB=Sep}}\r\n]
        | (?! {_SB_GOES_ON} )                                                                       # SB8a
          (?(full_stop) (?! {_SB_NEUTRAL} \p{{SB=Lower}} ) )                                        # SB8: etc. and
      )
    """,
    regex.VERBOSE | regex.V0,
)

# The same for marked-up prose, tailored: a single line end is a space, and a sentence that ends at one ends behind it
# and not behind the indentation of the next line; emphasis marks close a sentence and opening brackets do not; and a
# Latin terminator must be followed by white space, so that an address such as example.com/?Query=1 stays whole. CJK
# terminators need no space. No end cuts a grapheme cluster.
_CJK_TERMINATOR = "[。！？｡]"
_PROSE_CLOSE = rf"(?: (?! [\p{{Ps}}\p{{Pi}}] ) [\p{{SB=Close}}*_~`] {_SB_X} )*+"
_PROSE_NEUTRAL = r"[^\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}\p{SB=STerm}\p{SB=ATerm}]*+"
_PROSE_SENTENCE_END = regex.compile(
    rf"""
    (?: {_CJK_TERMINATOR} {_SB_X} {_PROSE_CLOSE} (?: \p{{SB=Sp}} {_SB_X} )*+ (?: \r\n | [\r\n] )?+
      | (?: \p{{SB=STerm}} | (?P<full_stop> {_FULL_STOP} ) ) {_SB_X} {_PROSE_CLOSE}
        (?: (?: \p{{SB=Sp}} {_SB_X} )++ (?: \r\n | [\r\n] )?+ | \r\n | [\r\n] )
    )
    (?! [\p{{SB=Sp}}\r\n]*+ {_SB_GOES_ON} )
    (?(full_stop) (?! {_PROSE_NEUTRAL} \p{{SB=Lower}} ) )
    (?<! [\p{{GCB=Prepend}}\u200d] ) (?! [\p{{GCB=Extend}}\p{{GCB=SpacingMark}}\u200d] )
    """,
    regex.VERBOSE | regex.V0,
)


def grapheme_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The ends of the grapheme clusters of `text[start:end]`, as offsets into `text`, its end included."""
    return (match.end() for match in _GRAPHEME.finditer(text, start, len(text) if end is None else end))


def word_ends(text: str) -> Iterator[int]:
    """The ends of the words of `text` (of the spaces and marks between them too), its end included."""
    return (match.end() for match in _WORD.finditer(text))


def sentence_ends(text: str) -> Iterator[int]:
    """The ends of the sentences of `text`, trailing spaces included; its own end only behind a terminator or line end."""
    return (match.end() for match in _SENTENCE_END.finditer(text))


def prose_sentence_ends(text: str) -> Iterator[int]:
    """The ends of the sentences of one paragraph of marked-up prose, where a line end is a space."""
    return (match.end() for match in _PROSE_SENTENCE_END.finditer(text))
