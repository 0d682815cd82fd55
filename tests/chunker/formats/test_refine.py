"""Cutting one long unit: true boundaries, few at a time, until everything is small."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

from chunker.formats import Boundary, Strength, refine
from chunker.formats.segmentation import grapheme_ends, tailored_sentence_ends, word_ends

WINDOW = 16_384


def pieces(text: str, longest: int) -> list[str]:
    """Refine until every piece is at most `longest` characters long or cannot be cut."""
    done = []
    ahead = [(0, len(text))] if text else []
    while ahead:
        start, end = ahead.pop()
        finer = refine(text, start, end, Strength.LINE) if end - start > longest else []
        if finer:
            offsets = [start, *(boundary.offset for boundary in finer), end]
            ahead.extend(reversed(list(pairwise(offsets))))
        else:
            done.append(text[start:end])
    return done


@given(text=strategies.texts(), data=st.data())
def test_boundaries_are_ascending_inside_and_of_one_level(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    strength = data.draw(
        st.sampled_from([Strength.LINE, Strength.SENTENCE, Strength.WORD, Strength.GRAPHEME, Strength.CHARACTER])
    )
    found = refine(text, start, end, strength)
    offsets = [boundary.offset for boundary in found]
    assert offsets == sorted(set(offsets))
    assert all(start < offset < end for offset in offsets)
    assert all(text[offset - 1 : offset + 1] != "\r\n" for offset in offsets)
    assert len({(boundary.strength, boundary.label) for boundary in found}) <= 1
    assert all(boundary.strength < strength for boundary in found)
    assert refine(text, start, end, strength) == found


UNSPACED = regex.compile(r"(?<=\p{LB=SA})(?=\p{LB=SA})")


def naive_levels(text: str) -> dict[int, set[int]]:
    """All inner boundaries of each level by the rules, with the tailoring for scripts that do not mark words or sentences."""
    clusters = set(grapheme_ends(text)) - {len(text)}
    sentences = set(tailored_sentence_ends(text)) - {len(text)}
    words = {end for end in word_ends(text) if not UNSPACED.match(text, end)}
    return {Strength.SENTENCE: sentences & clusters, Strength.WORD: words & clusters, Strength.GRAPHEME: clusters}


@given(text=strategies.texts())
@example(text=" \t\n  \t\n HTTPResponse" * 9)
@example(text="ภาษาไทยไม่มีช่องว่างระหว่างคำ แต่มีระหว่างประโยค " * 3)
@example(text="don't\u0301 stop\u0308 1,000.5_x กำ 🇩🇪🇫🇷\u200d👩\u200d👩 " * 4)
def test_each_level_is_that_of_the_rules(text: str) -> None:
    levels = naive_levels(text)
    for above in (Strength.LINE, Strength.SENTENCE, Strength.WORD, Strength.GRAPHEME):
        expected = next(((level, ends) for level, ends in levels.items() if level < above and ends), None)
        found = refine(text, 0, len(text), above)
        if expected is None:
            assert all(boundary.strength == Strength.CHARACTER for boundary in found)
        else:
            assert {boundary.strength for boundary in found} == {expected[0]}
            offsets = {boundary.offset for boundary in found}
            assert offsets <= expected[1]
            # All of them, or a spread of them.
            assert offsets == expected[1] or (
                len(text) >= 64 and expected[0] != Strength.SENTENCE and len(offsets) < 64
            )


@pytest.mark.parametrize(
    ("unit", "level"),
    [
        ("lorem ipsum ", Strength.WORD),
        ("slovo и слово ", Strength.WORD),
        ("中", Strength.WORD),
        ("x", Strength.GRAPHEME),
        ("ไ", Strength.GRAPHEME),
    ],
)
@pytest.mark.parametrize("size", [100, 1_000, 40_000])
def test_boundaries_are_spread_evenly(unit: str, level: Strength, size: int) -> None:
    text = (unit * size)[:size]
    found = refine(text, 0, size, Strength.SENTENCE)
    assert {boundary.strength for boundary in found} == {level}
    window = min(size, WINDOW)
    offsets = [0, *(boundary.offset for boundary in found), window]
    assert max(end - start for start, end in pairwise(offsets)) <= 2 * max(window // 32, 8) + len(unit)


@given(text=strategies.broken_texts())
def test_lone_surrogates_are_characters(text: str) -> None:
    assert "".join(pieces(text, 1)) == text


@given(text=strategies.texts())
def test_only_clusters_that_are_too_long_are_cut(text: str) -> None:
    clusters = set(grapheme_ends(text))
    end = 0
    for piece in pieces(text, 1):
        end += len(piece)
        assert len(piece) == 1 or piece == "\r\n"
    assert end == len(text)
    whole = pieces(text, 40)
    end = 0
    for piece in whole:
        end += len(piece)
        if end not in clusters:
            start = max((cluster for cluster in clusters if cluster < end), default=0)
            stop = min(cluster for cluster in clusters if cluster > end)
            assert stop - start > 40


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\n",
        "\r\n",
        "中",
        "\u0301",
        "🇩🇪",
        "👩\u200d",
        "a'",
        "word ",
        "One. ",
        "कष\u094d",
        "กำ",
        "don't ",
        "1,000.5 ",
    ],
    ids=ascii,
)
def test_a_long_line_is_cut_in_few_calls_into_small_pieces(unit: str) -> None:
    text = "x" + unit * (150_000 // len(unit))
    cut = pieces(text, 500)
    assert "".join(cut) == text
    assert max(map(len, cut)) <= 500
    for start in (0, 40_000):
        assert len(refine(text, start, len(text), Strength.SENTENCE)) < 64


def test_after_the_window_is_one_more_unit() -> None:
    text = "a" * 5 * WINDOW
    first = refine(text, 0, len(text), Strength.LINE)
    assert first[-1].offset < WINDOW
    again = refine(text, first[-1].offset, len(text), Strength.LINE)
    assert first[-1].offset < again[0].offset


@pytest.mark.parametrize("shift", range(-4, 5))
def test_words_at_the_end_of_the_window_are_not_cut(shift: int) -> None:
    filler = "ab " * (WINDOW // 3) + "ab "
    text = filler[: WINDOW + shift - 3] + " don't " + filler
    true_ends = set(word_ends(text))
    end = len(text)
    start = 0
    while found := refine(text, start, end, Strength.SENTENCE):
        assert {boundary.offset for boundary in found} <= true_ends
        start = found[-1].offset


def test_a_cluster_longer_than_the_window_is_whole_first() -> None:
    text = "e" + "\u0301" * 3 * WINDOW + "b"
    assert refine(text, 0, len(text), Strength.SENTENCE) == [Boundary(len(text) - 1, Strength.GRAPHEME, "grapheme")]
    inside = refine(text, 0, len(text) - 1, Strength.SENTENCE)
    assert len(inside) == 31
    assert {boundary.strength for boundary in inside} == {Strength.CHARACTER}


@pytest.mark.parametrize("text", ["", "a", "\r\n", "中"])
def test_nothing_is_finer_than_a_character(text: str) -> None:
    assert refine(text, 0, len(text), Strength.LINE) == []
