"""Pre-tokenizers: the choice by pattern, and custom patterns. The named grammars: `test_grammars.py`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Pattern, PatternError, Tokenizer, Vocabulary
from bpe_engine.fallback.pretokenizer import CustomPattern, NamedPattern, WholeText, pretokenizer_for
from bpe_engine.patterns import PATTERNS

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


def test_a_dollar_before_the_last_line_break_is_open() -> None:
    pretokenizer = pretokenizer_for(Pattern("a+$|a+b|."))
    assert pretokenizer.spans("aa\n") == [(0, 2)]
    assert pretokenizer.spans("aa\nb") == [(0, 1), (1, 2), (3, 4)]
    assert pretokenizer.open_count("aa\n", [(0, 2)]) == 1


def test_behaviour_is_match_or_split() -> None:
    with pytest.raises(PatternError, match="isolated"):
        Pattern("a", "isolated")  # type: ignore[arg-type]


def test_no_pattern() -> None:
    whole = pretokenizer_for(None)
    assert isinstance(whole, WholeText)
    assert whole.spans("a b") == [(0, 3)]
    assert whole.open_count("a b", [(0, 3)]) == 1


@pytest.mark.parametrize(
    "source", [r"\w+|\s+|[^\w\s]", r"\p{L}+|\P{L}", r"[^\W\d]+|.", "[a-\ua7cd]+|.", "\ua7ce|.", r"\uA7CE+|."]
)
def test_characters_have_the_classes_of_unicode_16(source: str) -> None:
    """Unicode 17 has U+A7CE, a letter, and `regex` follows it; the core does not."""
    text = "a\ua7ce\ua7ce b\ua7cd中"
    spans = CustomPattern(Pattern(source)).spans(text)
    tokenizer = Tokenizer(Vocabulary.from_ranks({bytes([byte]): byte for byte in range(256)}, pattern=Pattern(source)))
    assert tokenizer.split(text) == [text[start:end] for start, end in spans]
    assert "a\ua7ce" not in {text[start:end] for start, end in spans}
