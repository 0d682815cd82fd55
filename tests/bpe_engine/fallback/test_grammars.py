"""The named grammars: which pre-tokens are settled, and the rules over class runs against the patterns themselves."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from bpe_engine.fallback.class_runs import ClassRuns, MirroredClassRuns
from bpe_engine.fallback.grammars import GRAMMARS
from bpe_engine.fallback.interval_encoder import REREAD
from bpe_engine.fallback.prepending_encoder import _ALWAYS_CUT
from bpe_engine.fallback.pretokenizer import LOOKBACK, NamedPattern, Span
from bpe_engine.patterns import PATTERNS
from bpe_engine.text.unicode_classes import stand_ins

# One of each class that the grammar can tell apart, and letters that make and break contractions; how long the texts
# are. That four characters tell all is checked with --hypothesis-profile=thorough, by one more.
_GPT2 = ("z0 \t'§slr", 4)
_LLAMA3 = ("z0 \n\t'§slr", 4)
# Long s is another letter here: it takes the place of the z.
_ASCII = ("ſ0 \n\t'§slr", 4)
_O200K = ("Zzª\u03010 \n\t'§/slr", 4)
ALPHABETS = {
    "r50k": _GPT2,
    "gpt2": _GPT2,
    "starcoder": _GPT2,
    "cl100k": _LLAMA3,
    "llama3": _LLAMA3,
    "qwen2": _LLAMA3,
    "qwen35": ("z\u03010 \n\t'§slr", 4),
    "llama3_ascii": _ASCII,
    "qwen2_ascii": _ASCII,
    "qwen35_ascii": ("ſ\u03010 \n\t'§slr", 4),
    "o200k": _O200K,
    "tekken": _O200K,
    # Han of each class: letter, number, symbol; a mark and punctuation behave as the symbol.
    "kimi_k2": ("Zzª\u03010 \n'§sl中〇⺀", 4),
    "falcon": ("z0² \t'¢", 5),
    # White space, letters and signs of ASCII and others, what is neither; and of those that the second split cuts out.
    "deepseek_v3": ("zø\u03010 \n\t!§\ue000ア・\u3040", 4),
}


@cache
def spans_of_short_texts(name: str) -> dict[str, list[Span]]:
    """The pre-tokens of every text over the alphabet of a grammar, up to its length."""
    alphabet, longest = ALPHABETS[name]
    longest += settings.get_current_profile_name() == "thorough"
    spans = NamedPattern(name).spans
    sizes = range(longest + 1)
    return {text: spans(text) for size in sizes for text in map("".join, itertools.product(alphabet, repeat=size))}


def indexes(name: str, text: str) -> tuple[ClassRuns, MirroredClassRuns]:
    """Both indexes over a text of stand-ins, that came in two parts."""
    runs = ClassRuns(name, text.__getitem__)
    mirrored = MirroredClassRuns(name, text.__getitem__)
    for part in (text[: len(text) // 2], text[len(text) // 2 :]):
        runs.extend(part)
    for part in (text[len(text) // 2 :], text[: len(text) // 2]):
        mirrored.extend(part[::-1])
    return runs, mirrored


def test_every_pattern_has_its_rules() -> None:
    assert set(GRAMMARS) == set(PATTERNS) == set(LOOKBACK) == set(ALPHABETS)
    assert [name for name, pattern in PATTERNS.items() if pattern.name != name] == []


@pytest.mark.parametrize("name", PATTERNS)
def test_rules_on_every_short_text(name: str) -> None:
    """The index goes from text to text as a growing text does: it is cut back, and goes on."""
    all_spans = spans_of_short_texts(name)
    alphabet, longest = ALPHABETS[name][0], max(map(len, all_spans))

    def check(runs: ClassRuns, text: str) -> None:
        for character in alphabet:
            mirrored = isinstance(runs, MirroredClassRuns)
            longer = character + text if mirrored else text + character
            size = len(longer)
            origin = size if mirrored else 0
            runs.character = longer.__getitem__
            runs.extend(character)
            for start, end in all_spans[longer]:
                assert runs.pretoken_end(start - origin, size - origin) == end - origin
            if size < longest:
                check(runs, longer)
            runs.truncate(size - 1)

    for kind in (ClassRuns, MirroredClassRuns):
        check(kind(name, "".__getitem__), "")


@pytest.mark.parametrize("name", PATTERNS)
def test_pretokens_leave_no_gap_in_any_short_text(name: str) -> None:
    for text, spans in spans_of_short_texts(name).items():
        assert [start for start, _ in spans] + [len(text)] == [0] + [end for _, end in spans]


@pytest.mark.parametrize("name", PATTERNS)
def test_lookback_on_every_short_text(name: str) -> None:
    all_spans = spans_of_short_texts(name)
    needed = 0
    for text, spans in all_spans.items():
        for length in range(1, len(text)):
            shorter = all_spans[text[:length]]
            same = sum(
                1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(shorter, spans, strict=False))
            )
            needed = max(needed, len(shorter) - same)
    assert needed == LOOKBACK[name]


@pytest.mark.parametrize("name", PATTERNS)
def test_how_many_pretokens_the_end_of_a_slice_changes(name: str) -> None:
    all_spans = spans_of_short_texts(name)
    for text, spans in all_spans.items():
        for length in range(1, len(text)):
            whole = sum(1 for _, end in spans if end < length)  # before the one that the slice cuts, or ends with
            kept = max(0, whole - REREAD + 1)  # REREAD is one more than any pattern needs
            assert all_spans[text[:length]][:kept] == spans[:kept]


@pytest.mark.parametrize("name", PATTERNS)
def test_the_first_open_pretoken_only_grows(name: str) -> None:
    """But for those that `may_shrink` tells of; the lower bound of appending encoders stands on it."""
    pretokenizer = NamedPattern(name)
    all_spans = spans_of_short_texts(name)
    shrunk = set()
    for text, spans in all_spans.items():
        for length in range(1, len(text)):
            shorter = all_spans[text[:length]]
            start, end = shorter[max(0, len(shorter) - LOOKBACK[name])]
            if dict(spans)[start] < end:
                shrunk.add(text[end - 1])
    told = set(filter(pretokenizer.may_shrink, ALPHABETS[name][0]))
    assert shrunk <= told <= shrunk | {"\n"}  # white space that ends with a line break keeps it


@pytest.mark.parametrize("name", PATTERNS)
def test_where_every_pattern_cuts(name: str) -> None:
    """The lower bound of prepending encoders stands on it."""
    for text, spans in spans_of_short_texts(name).items():
        assert {match.start() for match in _ALWAYS_CUT.finditer(text)} <= {start for start, _ in spans}


@settings(max_examples=300)
@given(text=texts(8))
def test_rules_on_any_text(text: str) -> None:
    characters = stand_ins(text)
    size = len(characters)
    for name in PATTERNS:
        spans = NamedPattern(name).spans
        runs, mirrored = indexes(name, characters)
        for limit in range(1, size + 1):  # as if the text ended sooner
            for start, end in spans(text[:limit]):
                assert runs.pretoken_end(start, limit) == end, name
                assert mirrored.pretoken_end(start - size, limit - size) == end - size, name


@settings(max_examples=200)
@given(parts=st.lists(st.tuples(texts(3), st.integers(0, 40)), max_size=6))
def test_class_runs_grow_and_are_cut(parts: list[tuple[str, int]]) -> None:
    for name in PATTERNS:
        check_class_runs(name, parts)


def check_class_runs(name: str, parts: list[tuple[str, int]]) -> None:
    grown, mirrored = ClassRuns(name, "".__getitem__), MirroredClassRuns(name, "".__getitem__)
    text = ""
    for more, cut in parts:
        grown.extend(stand_ins(more))
        mirrored.extend(stand_ins(more))  # of the reversed text
        text += stand_ins(more)
        grown.truncate(cut)
        mirrored.truncate(cut)
        text = text[:cut]
    fresh = ClassRuns(name, "".__getitem__)
    fresh.extend(text)
    for members, runs in fresh._runs.items():
        # A cut leaves the last run open, as at the end of any text.
        assert vars(grown._runs[members]) == vars(mirrored._runs[members]) == vars(runs)


@pytest.mark.parametrize("text", ["1²" * 2000, "12²" * 1500, "²" * 3000 + "12", "1" * 3001, "²" * 3000 + "123"])
def test_long_runs_of_numbers_under_falcon(text: str) -> None:
    runs, mirrored = indexes("falcon", text)
    for start, end in NamedPattern("falcon").spans(text):
        assert runs.pretoken_end(start, len(text)) == end
        assert mirrored.pretoken_end(start - len(text), 0) == end - len(text)
