"""Every code point, alone and between letters: equal to `tokenizers`, for the files of real models and for all families of small ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest
from code_points import DISPUTED
from huggingface_files import FAMILIES, OTHER_MODELS, both, family
from hypothesis import settings
from real_tokenizers import JSON_FILES, of_tokenizers

from bpe_engine import Tokenizer, implementation

# Ideographs and Hangul syllables: a vocabulary of a few hundred tokens treats all of them alike.
LARGE_AREAS = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4))
BATCH = 1024  # texts


@cache
def characters(kind: str) -> list[str]:
    """The code points that a file is tried with, but surrogates and `DISPUTED`.

    With --hypothesis-profile=thorough all of them, which takes half an hour. Else those that are assigned: of the basic
    plane all for real files, and for small ones every second, but of the large areas one in 31; of the other planes
    one in 7 or 31. Of those that are of private use or not assigned one in 997. The engine in pure Python is tried with
    one in 97 of these.
    """
    steps = {"real": (1, 1, 7, 997), "small": (2, 31, 31, 997)}[kind]
    if settings.get_current_profile_name() == "thorough":
        steps = (1, 1, 1, 1)
    kinds: tuple[list[str], ...] = ([], [], [], [])
    for point in range(0x110000):
        category = unicodedata.category(chr(point))
        if category == "Cs" or chr(point) in DISPUTED:
            continue
        if category in ("Cn", "Co"):
            kinds[3].append(chr(point))
        elif point > 0xFFFF:
            kinds[2].append(chr(point))
        else:
            kinds[any(point in area for area in LARGE_AREAS)].append(chr(point))
    chosen = [character for each, step in zip(kinds, steps, strict=True) for character in each[::step]]
    return chosen[:: 1 if implementation() == "cpp" else 97]


def check(theirs: Any, ours: Tokenizer, tried: list[str]) -> None:
    """Each text is encoded by itself: what stands in one batch has no neighbours."""
    texts = iter([text for character in tried for text in (character, f"a{character}b")])
    for batch in batches(texts):
        expected = theirs.encode_batch(batch, add_special_tokens=False)
        assert dict(zip(batch, map(ours.encode_with_offsets, batch), strict=True)) == {
            text: (one.ids, [start for start, _ in one.offsets]) for text, one in zip(batch, expected, strict=True)
        }


def batches(texts: Iterator[str]) -> Iterator[list[str]]:
    """A thousand texts at a time, for what `tokenizers` makes of each takes a kilobyte."""
    while batch := list(islice(texts, BATCH)):
        yield batch


@pytest.mark.parametrize("name", JSON_FILES)
def test_real_files(name: str) -> None:
    check(*of_tokenizers(name), characters("real"))


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
def test_families(name: str) -> None:
    check(*both(family(name)), characters("small"))
