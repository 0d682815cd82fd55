r"""Grapheme clusters (characters as a reader sees them) by Unicode 17, which Hugging Face `tokenizers` 0.23 follows.

    "e\u0301a\r\n"     e\u0301 | a | \r\n

The rules are those of Unicode Standard Annex 29 (GB3 to GB13). The classes come from `clusters.txt`
(scripts/build_cluster_tables.py), so they do not depend on the Unicode version of the `regex` package. Every repetition
is possessive, and no two neighbours compete for a character: linear in the text.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import regex


def clusters(text: str) -> list[str]:
    r"""Return the clusters of a text, from left to right.

    >>> [len(cluster) for cluster in clusters("e\u0301a\r\n")]
    [2, 1, 2]
    """
    return _expression().findall(text)


@cache
def _expression() -> regex.Pattern[str]:
    lines = (resources.files("bpe_engine") / "pipeline" / "clusters.txt").read_text("ascii").splitlines()
    classes = {}
    for line in lines:
        name, *fields = line.split()
        classes[name] = "".join(
            rf"\U{int(first, 16):08X}-\U{int(last, 16):08X}" for first, last in (field.split("-") for field in fields)
        )
    # Hangul syllables: every 28th has no final consonant.
    open_syllables = "".join(map(chr, range(0xAC00, 0xD7A4, 28)))
    join = rf"[{classes['extend']}{classes['spacing']}\u200D]"
    control = rf"{classes['control']}\r\n"
    return regex.compile(
        rf"""
        \r\n
        | [{control}]
        | [{classes["prepend"]}]*+
          (?: [{classes["leading"]}]*+
              (?: [{classes["vowel"]}]++ | [{open_syllables}] [{classes["vowel"]}]*+ | [\uAC00-\uD7A3] )
              [{classes["trailing"]}]*+
            | [{classes["leading"]}]++
            | [{classes["trailing"]}]++
            | [\U0001F1E6-\U0001F1FF] [\U0001F1E6-\U0001F1FF]?+
            | [{classes["pictographic"]}] (?: [{classes["extend"]}]*+ \u200D [{classes["pictographic"]}] )*+
            | [{classes["consonant"]}] (?: [{classes["conjunct_extend"]}]*+ [{classes["linker"]}]
                  [{classes["conjunct_extend"]}{classes["linker"]}]*+ [{classes["consonant"]}] )*+
            | [^{control}{classes["prepend"]}]
          )
          {join}*+
        | [{classes["prepend"]}]++ {join}*+
        """,
        regex.VERBOSE | regex.V0,
    )
