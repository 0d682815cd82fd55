"""Compiled regular expressions find what the `regex` package finds, and what they call settled stays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Self

import pytest
import regex
from code_points import PLANES, SURROGATES, blocks, surroundings_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import byte_strings, texts

from bpe_engine import PatternError, UnsupportedPatternError
from bpe_engine.formats.gguf_patterns import PRE_TOKENIZATIONS
from bpe_engine.patterns import PATTERNS, STAGES
from bpe_engine.text.unicode_classes import stand_ins

if TYPE_CHECKING:
    from bpe_engine import _core
else:
    _core = pytest.importorskip("bpe_engine._core", reason="this installation has no compiled core")

PUBLISHED = {
    **{name: pattern.source for name, pattern in PATTERNS.items()},
    **{f"{name} {number}": source for name, sources in STAGES.items() for number, source in enumerate(sources)},
    **{stage.source: stage.source for found in PRE_TOKENIZATIONS.values() for stage in found.stages},
}
# Each 0 is the character.
SURROUNDINGS = ("a0A1", " 0 中0'0s\n0  0")
CATEGORIES = [
    "L",
    "M",
    "N",
    "P",
    "S",
    "Z",
    "C",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Co",
    "LC",
]
SCRIPTS = [
    "Latin",
    "Greek",
    "Cyrillic",
    "Arabic",
    "Hebrew",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Thai",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Georgian",
    "Armenian",
    "Ethiopic",
    "Khmer",
    "Lao",
    "Common",
    "Inherited",
]


@cache
def compiled(source: str, flavour: str = "regex", most_states: int = 5000) -> _core.RegexProgram:
    return _core.RegexProgram(source, flavour, most_states)


def byte_spans(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of characters as spans of UTF-8."""
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + len(character.encode()))
    return [(offsets[start], offsets[end]) for start, end in spans]


def expected(source: str, text: str) -> list[tuple[int, int]]:
    return byte_spans(text, [match.span() for match in regex.finditer(source, text)])


@cache
def disputed() -> frozenset[str]:
    """Characters that are not in Unicode 16, which a later `regex` may know, and U+0295, whose category has changed since."""
    unassigned = _core.RegexProgram(r"\p{Cn}")
    everything = "".join(chr(code) for code in range(0x110000) if code not in SURROGATES)
    data = everything.encode()
    return frozenset("".join(data[start:end].decode() for start, end in unassigned.findall_spans(data)) + "\u0295")


@cache
def agreed() -> str:
    """Every character of Unicode 16 but those of private use."""
    return "".join(
        chr(code)
        for code in range(0x110000)
        if code not in SURROGATES and not 0xE100 <= code < 0xF900 and code < 0xF0000 and chr(code) not in disputed()
    )


@pytest.mark.parametrize(
    "name", [*CATEGORIES, *SCRIPTS, *(f"Script={name}" for name in SCRIPTS), "Alphabetic", "White_Space"]
)
def test_properties_of_every_character(name: str) -> None:
    for source in (rf"\p{{{name}}}", rf"[^\P{{{name}}}]", rf"\P{{{name}}}+"):
        assert compiled(source).findall_spans(agreed()) == expected(source, agreed()), source


@pytest.mark.parametrize(
    "source",
    [
        r"\w+",
        r"\W",
        r"\d",
        r"\D+",
        r"\s",
        r"\S+",
        ".",
        "[[:alpha:]]+",
        "[[:punct:]]",
        "[[:^upper:]]+",
        "[[:space:]]",
        r"\b",
    ],
)
def test_classes_of_every_character(source: str) -> None:
    assert compiled(source).findall_spans(agreed()) == expected(source, agreed())


def test_case_is_ignored_by_simple_folding() -> None:
    """All but the Turkic pairs, by which `regex` takes U+0130 for an i and Hugging Face and tiktoken do not."""
    text = "".join(character for character in agreed() if character not in "iIİı")
    for letter in "skaZéßσΣςǅдӘ\u1c8aꙊ\ufb05\u03b8Å":
        source = f"(?i:{regex.escape(letter)})"
        assert compiled(source).findall_spans(text) == expected(source, text), letter
        source = f"(?i:[^{regex.escape(letter)}]+)"
        assert compiled(source).findall_spans(text) == expected(source, text), letter
    assert compiled("(?i:i)").findall_spans("iIİı") == [(0, 1), (1, 2)]


@dataclass(frozen=True)
class Block:
    """256 characters of `size` bytes each in their surroundings. Most blocks have the same classes as others, and are equal to them."""

    classes: str
    is_first: bool
    size: int
    text: str = field(compare=False)


@lru_cache(maxsize=40 * len(PATTERNS))  # half a megabyte each
def spans_of_block(name: str, block: Block) -> list[tuple[int, int]]:
    """The bytes of what the pattern finds in a block."""
    spans = [match.span() for match in regex.finditer(PATTERNS[name].source, block.classes)]
    return byte_spans(block.text, spans)


@pytest.mark.parametrize("plane", PLANES)
def test_named_patterns_on_every_character(plane: int) -> None:
    for block in blocks(plane):
        first = block[0]
        characters = [chr(code) for code in block]
        text = "".join(
            surrounding.replace("0", each)
            for surrounding in surroundings_of(block, SURROUNDINGS)
            for each in characters
        )
        in_classes = Block(stand_ins(text), first < 256, len(characters[0].encode()), text)
        for name, pattern in PATTERNS.items():
            wanted = spans_of_block(name, in_classes)
            assert compiled(pattern.source).findall_spans(text) == wanted, f"{name}, from U+{first:04X} on"


@settings(max_examples=400, deadline=None)
@given(source=st.sampled_from(list(PUBLISHED.values())), text=texts())
def test_published_patterns(source: str, text: str) -> None:
    assume(not disputed().intersection(text))
    wanted = expected(source, text)
    assert compiled(source).findall_spans(text) == wanted
    assert compiled(source.removeprefix("(?V1)"), "fancy").findall_spans(text) == wanted
    if not regex.search(r"\?\)?\+|#|\$", source):
        assert compiled(source, "regex", 2).findall_spans(text) == wanted


CHARACTERS = st.sampled_from(
    ["a", "b", "c", "ab", "[ab]", "[^a]", r"\w", r"\s", r"\d", ".", "[b-d]", "é", r"\n", "A", r"\S", r"\p{Lu}"]
)
PLACES = st.sampled_from(
    [
        "^",
        "$",
        r"\b",
        r"\B",
        r"\A",
        r"\Z",
        "(?<=a)",
        "(?<!b)",
        r"(?<=\s)",
        "(?=a)",
        "(?!b)",
        r"(?!\S)",
        "(?m:^)",
        "(?m:$)",
    ]
)


class Source(str):
    """An expression, and whether it may match nothing."""

    __slots__ = ("empty",)
    empty: bool

    def __new__(cls, text: str, empty: bool) -> Self:
        made = super().__new__(cls, text)
        made.empty = empty
        return made


def larger(smaller: st.SearchStrategy[Source]) -> st.SearchStrategy[Source]:
    groups = st.builds(
        lambda opening, body: Source(f"{opening}{body})", body.empty),
        st.sampled_from(["(?:", "(?:", "(", "(?i:", "(?s:"]),
        smaller,
    )

    def repeated(body: Source, count: str, mode: str) -> Source:
        # What an empty repetition does differs from one library to the next, and no tokenizer has one.
        return body if body.empty else Source(f"{body}{count}{mode}", count in ("*", "?", "{,2}"))

    return st.one_of(
        st.lists(smaller, min_size=2, max_size=3).map(
            lambda parts: Source("|".join(parts), any(part.empty for part in parts))
        ),
        st.lists(groups, min_size=2, max_size=3).map(
            lambda parts: Source("".join(parts), all(part.empty for part in parts))
        ),
        st.builds(
            repeated,
            st.one_of(groups, CHARACTERS.filter(lambda text: text != "ab").map(lambda text: Source(text, empty=False))),
            st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}"]),
            st.sampled_from(["", "", "?", "+"]),
        ),
        st.builds(
            lambda opening, body: Source(f"{opening}{body})", empty=True), st.sampled_from(["(?=", "(?!"]), smaller
        ),
        smaller.map(lambda body: Source(f"(?>{body})", body.empty)),
    )


SOURCES = st.recursive(
    st.one_of(
        CHARACTERS.map(lambda text: Source(text, empty=False)), PLACES.map(lambda text: Source(text, empty=True))
    ),
    larger,
    max_leaves=9,
)
SHORT_TEXTS = st.text("aaabbbcdA é\n1", max_size=10)


@settings(max_examples=400, deadline=None)
@given(
    source=SOURCES, given_texts=st.lists(SHORT_TEXTS, min_size=4, max_size=8), most_states=st.sampled_from([5000, 2])
)
def test_any_pattern(source: Source, given_texts: list[str], most_states: int) -> None:
    try:
        program = _core.RegexProgram(source, "regex", most_states)
    except UnsupportedPatternError as error:
        assume("look-ahead" not in str(error))
        raise
    for text in given_texts:
        assert program.findall_spans(text) == expected(source, text)


@settings(max_examples=300, deadline=None)
@given(
    source=st.one_of(SOURCES, st.sampled_from(list(PUBLISHED.values()))),
    text=st.one_of(SHORT_TEXTS.map(str.encode), byte_strings()),
    more=st.lists(st.one_of(SHORT_TEXTS.map(str.encode), byte_strings()), min_size=1, max_size=4),
    data=st.data(),
)
def test_what_is_settled_stays(source: str, text: bytes, more: list[bytes], data: st.DataObject) -> None:
    try:
        program = _core.RegexProgram(source, most_states=data.draw(st.sampled_from([5000, 2])))
    except UnsupportedPatternError:
        assume(False)
    start = data.draw(st.integers(0, len(text)))
    before = program.find(text, 0, start, len(text), False)
    at_end = program.find(text, 0, start, len(text), True)
    assert (before["start"], before["end"]) == (at_end["start"], at_end["end"])
    assert at_end["settled"]
    if before["settled"]:
        assert before["start_settled"]
        assert start <= int(str(before["reach"])) <= len(text)
    for following in more:
        longer = text + following
        after = program.find(longer, 0, start, len(longer), True)
        if before["settled"]:
            assert (after["start"], after["end"]) == (before["start"], before["end"])
            # Nothing beyond what was looked at matters.
            other = text[: int(str(before["reach"]))] + following
            same = program.find(other, 0, start, len(other), True)
            assert (same["start"], same["end"]) == (before["start"], before["end"])
        elif before["start_settled"]:
            assert after["start"] == before["start"]
        else:
            assert after["start"] is None or int(str(after["start"])) >= int(str(before["open_from"]))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (r"(a)\1", "back-reference"),
        ("(?P=x)", "back-reference"),
        ("(?R)", "recursion"),
        ("(a)(?(1)b|c)", "condition"),
        ("(?<=ab)c", "look-behind"),
        (r"\X", "X"),
        ("(?y)", "flag y"),
        ("((((((a{99}){99}){99}){99}){99}){99})", "too large"),
        ("(" * 500 + ")" * 500, "deeply"),
        (r"\p{Klingon}", "Klingon"),
        ("a(?=.*b)", "look-ahead"),
    ],
)
def test_unsupported(source: str, reason: str) -> None:
    with pytest.raises(UnsupportedPatternError, match=reason):
        _core.RegexProgram(source)


@pytest.mark.parametrize(
    "source",
    ["(", ")", "a)", "[", "[a", "*", "a**", "(?", "(?<", r"\p{L", r"\x4", "[b-a]", "a{3,1}", "(?:", "\\"],
)
def test_wrong_syntax(source: str) -> None:
    with pytest.raises(PatternError):
        _core.RegexProgram(source)


def test_flavours_differ() -> None:
    assert compiled("a$", "regex").findall_spans("a\n") == [(0, 1)]
    assert compiled("a$", "fancy").findall_spans("a\n") == []
    assert compiled("a$", "oniguruma").findall_spans("a\nb") == [(0, 1)]
    assert compiled("[a&&[ab]]+", "fancy").findall_spans("ab&") == [(0, 1)]
    assert compiled("a{1,2}+", "oniguruma").findall_spans("aaaaa") == [(0, 5)]
    assert compiled(r"\h+", "oniguruma").findall_spans("fgA") == [(0, 1), (2, 3)]
