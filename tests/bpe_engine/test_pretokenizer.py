"""Pre-tokens: which are settled, and the rules over class runs against the patterns themselves."""

from __future__ import annotations

import itertools

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from bpe_engine import Pattern, PatternError
from bpe_engine.patterns import PATTERNS
from bpe_engine.reference.class_runs import ClassRuns, MirroredClassRuns
from bpe_engine.reference.pretokenizer import LOOKBACK, NamedPattern, WholeText, pretokenizer_for
from bpe_engine.unicode_classes import STAND_IN_OF_CLASS, stand_ins

# One of each class that a rule can tell apart, and letters that make and break contractions.
ALPHABET = "Zzªʰ\u03010 \n\t'§/slr"


def all_short_texts() -> list[str]:
    return ["".join(letters) for size in range(1, 5) for letters in itertools.product(ALPHABET, repeat=size)]


def assert_rules_agree(name: str, text: str) -> None:
    pretokenizer = NamedPattern(name)
    characters = stand_ins(text)
    size = len(characters)
    runs = ClassRuns(name, characters.__getitem__)
    mirrored = MirroredClassRuns(name, characters.__getitem__)
    runs.extend(characters)
    mirrored.extend(characters[::-1])
    for start, end in pretokenizer.spans(text):
        assert runs.pretoken_end(start, size) == end
        assert mirrored.pretoken_end(start - size, 0) == end - size
    for limit in range(size):  # as if the text ended sooner
        for start, end in pretokenizer.spans(text[:limit]):
            assert runs.pretoken_end(start, limit) == end


@pytest.mark.parametrize("name", PATTERNS)
def test_rules_on_every_short_text(name: str) -> None:
    pretokenizer = NamedPattern(name)
    for text in all_short_texts():
        runs = ClassRuns(name, text.__getitem__)
        runs.extend(text)
        spans = pretokenizer.spans(text)
        assert [runs.pretoken_end(start, len(text)) for start, _ in spans] == [end for _, end in spans]


@pytest.mark.parametrize("name", PATTERNS)
def test_lookback_on_every_short_text(name: str) -> None:
    pretokenizer = NamedPattern(name)
    for text in all_short_texts():
        shorter = pretokenizer.spans(text[:-1])
        settled = max(0, len(shorter) - LOOKBACK[name])
        assert pretokenizer.spans(text)[:settled] == shorter[:settled]


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=300)
@given(text=texts(8))
def test_rules_on_any_text(name: str, text: str) -> None:
    assert_rules_agree(name, text)


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=100)
@given(parts=st.lists(st.tuples(texts(3), st.integers(0, 40)), max_size=6))
def test_class_runs_grow_and_are_cut(name: str, parts: list[tuple[str, int]]) -> None:
    grown = ClassRuns(name, "".__getitem__)
    text = ""
    for more, cut in parts:
        grown.extend(stand_ins(more))
        text += stand_ins(more)
        grown.truncate(cut)
        text = text[:cut]
    fresh = ClassRuns(name, "".__getitem__)
    fresh.extend(text)
    for set_name, runs in grown._runs.items():
        # A cut leaves the last run open, as at the end of any text.
        assert runs.toggles == fresh._runs[set_name].toggles


CUSTOM = [
    Pattern(r"\w+|\s+(?!\S)|\s+|[^\w\s]{1,2}"),
    Pattern(r"\s*[\r\n]+|\s+(?!\S)|\s+|\S+", "split"),
    Pattern(r"[A-Za-z]+c?|\d{2}|'s"),
    Pattern(r"a(?=b*c)|a|b+|."),
    Pattern(r"a(?!bc)|ab|.", "split"),
    Pattern(r"[Aa]+?b|\s"),
    Pattern(r"(?:ab)++c|a|\n+", "split"),
    Pattern(r"a+$|a+b|."),
    Pattern(r"\p{Han}+|\p{Nd}{1,3}|[^\p{Han}\p{Nd}]+"),
    Pattern(r",", "split"),
]


@pytest.mark.parametrize("pattern", CUSTOM, ids=lambda pattern: f"{pattern.behaviour} {pattern.source}")
@settings(max_examples=150)
@given(text=st.text(alphabet="aAbc 1\n,'中s", max_size=12), more=st.text(alphabet="aAbc 1\n,'中s", max_size=6))
def test_settled_pretokens_of_a_custom_pattern_stay(pattern: Pattern, text: str, more: str) -> None:
    pretokenizer = pretokenizer_for(pattern)
    assert not pretokenizer.looks_back
    spans = pretokenizer.spans(text)
    settled = max(0, len(spans) - pretokenizer.open_count(text, spans))
    assert pretokenizer.spans(text + more)[:settled] == spans[:settled]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\bword", True), (r"^a", True), (r"(?<=a)b", True), (r"(?<!a)b", True), (r"\Aa", True), (r"\Ga", True), (r"a\Bb", True),
        (r"[^a]b", False), (r"\\b", False), (r"[\b]", False), (r"a(?!b)", False), (r"\p{L}+|\^", False), (r"[]^]", False), (r"(?<name>a)", False),
    ],
)  # fmt: skip
def test_patterns_that_look_back(source: str, expected: bool) -> None:
    assert pretokenizer_for(Pattern(source)).looks_back is expected


def test_a_pattern_that_does_not_compile() -> None:
    with pytest.raises(PatternError, match="missing"):
        pretokenizer_for(Pattern("(a"))


def test_a_pattern_is_known_by_its_source() -> None:
    assert isinstance(pretokenizer_for(Pattern(PATTERNS["cl100k"].source)), NamedPattern)
    assert not isinstance(pretokenizer_for(Pattern(r"\w|\W", name="cl100k")), NamedPattern)


def test_a_verbose_pattern_may_end_with_a_comment() -> None:
    pretokenizer = pretokenizer_for(Pattern("(?x) a+ # letters"))
    assert pretokenizer.open_count("aab", pretokenizer.spans("aab")) == 0
    assert pretokenizer.open_count("aa", pretokenizer.spans("aa")) == 1


def test_a_pattern_with_too_many_ways_is_open() -> None:
    pretokenizer = pretokenizer_for(Pattern("(?:a|aa)+|."))
    text = "a" * 60 + " b"
    assert pretokenizer.open_count(text, pretokenizer.spans(text)) == 3


def test_behaviour_is_match_or_split() -> None:
    with pytest.raises(PatternError, match="isolated"):
        Pattern("a", "isolated")  # type: ignore[arg-type]


def test_no_pattern() -> None:
    whole = pretokenizer_for(None)
    assert isinstance(whole, WholeText)
    assert whole.spans("a b") == [(0, 3)]
    assert whole.open_count("a b", [(0, 3)]) == 1


def test_every_stand_in_has_its_class_in_every_version_of_unicode() -> None:
    names = ("Lu", "Ll", "Lt", "Lm", "Lo", "M", "N")
    for name, character in STAND_IN_OF_CLASS.items():
        assert [other for other in names if regex.match(rf"\p{{{other}}}", character)] == (
            [name] if name != "-" else []
        )


@given(text=texts())
def test_stand_ins_keep_length_and_white_space(text: str) -> None:
    characters = stand_ins(text)
    assert len(characters) == len(text)
    assert [bool(regex.match(r"\s", c)) for c in characters] == [bool(regex.match(r"\s", c)) for c in text]
