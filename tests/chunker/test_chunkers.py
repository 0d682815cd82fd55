"""The laws that hold for every chunker, on texts made to break them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS
from chunker import BudgetTooSmallError, CodeChunker, MarkdownChunker, TextChunker
from chunker.formats.registry import format_names

# All but bash, which is parsed in a process of its own.
FORMATS = [name for name in format_names() if name != "bash"]
BYTES = {bytes([byte]): byte for byte in range(256)}
# What counts words has no token for white space, and with a few merges one token is a lot of text or half a letter.
COUNTERS: dict[str, str | Tokenizer] = {
    "words": "words",
    "bytes": "bytes",
    **{
        name: Tokenizer(
            Vocabulary.from_ranks(
                {**BYTES, **{token: 256 + rank for rank, token in enumerate(tokens)}}, pattern=pattern
            )
        )
        for name, tokens, pattern in (
            ("line ends", [b"\n\n", b"\r\n", b"\r\n\r\n", b"\n\n\n\n"], None),
            ("marks", [b"\xcc\x96", b"\xcc\x96\xcc\x96", b"e\xcc\x96", b"\n\n"], PATTERNS["o200k"]),
            ("words of letters", [b"wo", b"rd", b"word", b"word "], None),
        )
    },
}
KINDS: dict[str, Callable[..., TextChunker]] = {
    "text": TextChunker,
    "markdown": MarkdownChunker,
    "python": lambda *arguments, **options: CodeChunker("python", *arguments, **options),
}

PIECES = [
    *("a", "word", " two words", "don't", " I'LL", "HTTPResponse", "camelCase", "12345", "3.14", "é", "e\u0301", "Ünï"),
    *(
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " \n",
        "\n    ",
        "\u00a0",
        "\u2028",
        "\u2029",
        "\x0b",
        "\x85",
        "\u3000",
    ),
    *("中文", "日本語。", "한국어", "ไทย", "हिन्दी", "العربية", "\u1100\u1161\u11a8"),
    *(
        "👍🏽",
        "👨\u200d👩\u200d👧",
        "🇩🇪🇫🇷",
        "\U00013000",
        "\u0301\u0302\u0303" * 4,
        "\u200d",
        "\ufeff",
        "\x00",
        "\ufffd",
    ),
    *("\ud800", "\udc00", "\ud83d\ude00", "<|endoftext|>"),
    *(". ", "! ", "? ", "...", "# ", "## Head\n", "- item\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\ncode\n```\n"),
    *(
        "def f(x):\n    return x\n",
        "class C:\n",
        "    @property\n",
        "# comment\n",
        "if x:\n",
        '"""doc"""\n',
        "x = (\n",
        "\\\n",
    ),
    *("x" * 300, "=" * 200, "/" * 90, "\n" * 40, " " * 150),
]
# Paragraphs that fill small chunks, line ends that add no token to one another, and grapheme clusters that hardly leave
# room for a context.
CROWDED = st.lists(
    st.tuples(
        st.sampled_from(["word ", "word", "a"]),
        st.integers(0, 6),
        st.sampled_from(["\n", "\n\n", " \n\n", "\r\n\r\n", ""]),
        st.sampled_from(["e", "é", "中", ""]),
        st.sampled_from(["\u0316", "\u0301", "\u200d"]),
        st.integers(0, 6),
        st.sampled_from(["\n", ""]),
    ).map(lambda drawn: drawn[0] * drawn[1] + drawn[2] + drawn[3] + drawn[4] * drawn[5] + drawn[6]),
    min_size=10,
    max_size=40,
).map("".join)
# What makes a context for all that stands below it, by format.
BEGINNINGS = {
    "markdown": "# T\n",
    "python": "class T:\n    ",
    "latex": "\\section{T}\n",
    "html": "<h1>T</h1>\n",
    "restructuredtext": "T\n=\n\n",
    "yaml": "T: |\n  ",
    "toml": "[T]\n",
    "json": '{"T": ["',
    "csv": "a,b\n",
}
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=40).map("".join) | CROWDED


@pytest.fixture(scope="session", params=sorted(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@settings(max_examples=80)
@given(text=TEXTS, max_tokens=st.integers(4, 12) | st.sampled_from([16, 30, 64, 200]), data=st.data())
@example(text="a" * 3_000, max_tokens=16, data=None)
@example(text="\r\n" * 500, max_tokens=4, data=None)
@example(text="e" + "\u0301" * 2_000, max_tokens=9, data=None)
def test_the_laws(
    *,
    kind: str,
    encoding: str,
    count: Callable[[str], int],
    check: Callable[..., None],
    text: str,
    max_tokens: int,
    data: st.DataObject | None,
) -> None:
    options: dict[str, Any] = {"min_tokens": None, "overlap": 0, "context": False}
    if data is not None:
        options["strategy"] = data.draw(st.sampled_from(["grow", "optimal"]), label="strategy")
        options["overlap_by"] = data.draw(st.sampled_from(["unit", "sentence", "token"]), label="overlap_by")
        options["min_tokens"] = data.draw(st.none() | st.integers(0, max_tokens), label="min_tokens")
        options["overlap"] = data.draw(st.just(0) | st.integers(0, max_tokens - 1), label="overlap")
        parts = st.sets(st.sampled_from(["breadcrumb", "imports", "summary"]), min_size=1)
        options["context"] = data.draw(st.booleans() | parts, label="context")
        least = max(max_tokens // 8 if options["min_tokens"] is None else options["min_tokens"], 1)
        options["desired_tokens"] = data.draw(st.none() | st.integers(least, max_tokens), label="desired_tokens")
    chunker = KINDS[kind](max_tokens, tokenizer=encoding, **options)
    chunks = chunker.chunk(text, source="folder/name.txt")
    check(text, chunks, max_tokens, count, overlap=options["overlap"])
    assert all(chunk.context == "" for chunk in chunks) or options["context"]
    assert chunker.chunk(text, source="folder/name.txt") == chunks


@settings(max_examples=300)
@given(
    text=CROWDED,
    format_name=st.just("markdown") | st.sampled_from(FORMATS),
    counter=st.just("o200k_base") | st.just("line ends") | st.sampled_from(sorted(COUNTERS)),
    max_tokens=st.integers(8, 12) | st.integers(4, 24),
    overlap=st.just(0) | st.integers(1, 6),
    context=st.just(True) | st.sets(st.sampled_from(["breadcrumb", "imports", "summary"])),
    options=st.just({})
    | st.fixed_dictionaries(
        {},
        optional={"min_tokens": st.integers(0, 4), "strategy": st.just("optimal"), "overlap_by": st.just("token")},
    ),
)
def test_the_laws_of_all_formats_where_contexts_leave_little_room(
    *,
    check: Callable[..., None],
    text: str,
    format_name: str,
    counter: str,
    max_tokens: int,
    overlap: int,
    context: Any,
    options: dict[str, Any],
) -> None:
    text = BEGINNINGS.get(format_name, "") + text
    overlap = min(overlap, max_tokens - 1)
    chunker = TextChunker(
        max_tokens,
        tokenizer=COUNTERS.get(counter, counter),
        format=format_name,
        overlap=overlap,
        context=context,
        **options,
    )
    count = chunker.tokenizer.count
    if all(count(character) <= max_tokens for character in {*text, "\r\n"}):
        check(text, chunker.chunk(text), max_tokens, count, overlap=overlap)


@settings(max_examples=40)
@given(text=TEXTS, max_tokens=st.integers(1, 3))
def test_a_budget_of_next_to_nothing(
    *, kind: str, encoding: str, count: Callable[[str], int], check: Callable[..., None], text: str, max_tokens: int
) -> None:
    """Either each character fits, and then the laws hold, or the error names one that does not."""
    chunker = KINDS[kind](max_tokens, tokenizer=encoding)
    if all(count(character) <= max_tokens for character in set(text)):
        check(text, chunker.chunk(text), max_tokens, count)
        return
    with pytest.raises(BudgetTooSmallError) as caught:
        chunker.chunk(text)
    error = caught.value
    assert error.tokens == count(error.character) > max_tokens
    assert text.index(error.character) == error.offset


HOSTILE = {
    "one character": "x",
    "one line end": "\n",
    "CR LF": "\r\n",
    "only spaces": " " * 20_000,
    "only line ends": "\n" * 5_000,
    "line ends of all kinds": "\r\n\r\n\n\r\r\n\u2028\u2029\x0b\x0c\x85" * 200,
    "NULs": "\x00" * 3_000,
    "a byte order mark": "\ufeff# Title\n\nText.\n",
    "one line of 200 kB": "The quick brown fox jumps over the lazy dog, again and again; " * 3_300,
    "base64": "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24" * 400,
    "a run of combining marks": "a" + "\u0301" * 10_000 + " b",
    "flags": "🇩🇪" * 2_000,
    "families": "👨\u200d👩\u200d👧\u200d👦" * 800,
    "lone surrogates": "\ud83d" * 500 + "\ude00" * 500 + "\ud83d\ude00" * 500,
    "CJK without a space": "東京特許許可局長今日急遽休暇許可拒否" * 300,
    "open brackets": "(" * 5_000,
    "deeply indented": "".join(" " * (depth % 90) + "if x:\n" for depth in range(600)),
    "quoted deeply": ">" * 3_000 + " end\n",
    "an unfinished string": 'x = """' + "never closed\n" * 800,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("overlap", [0, 12])
def test_hostile_texts(
    kind: str, name: str, overlap: int, count_o200k: Callable[[str], int], check: Callable[..., None]
) -> None:
    text = HOSTILE[name]
    chunks = KINDS[kind](96, overlap=overlap, context=True).chunk(text, source=name)
    check(text, chunks, 96, count_o200k, overlap=overlap)


def test_chunkers_pickle(kind: str) -> None:
    chunker = KINDS[kind](40, overlap=5, context=True)
    copy = pickle.loads(pickle.dumps(chunker))
    text = "# Title\n\n" + "Some words in a paragraph, a few more each time. " * 20
    chunks = chunker.chunk(text, source="a")
    assert copy.chunk(text, source="a") == chunks
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    assert repr(copy) == repr(chunker)


def test_the_source_and_the_notes_of_the_parser_are_in_the_metadata() -> None:
    (chunk,) = TextChunker().chunk("text", source="a.txt")
    assert (chunk.metadata, chunk.source) == ({}, "a.txt")
    (chunk,) = CodeChunker("python").chunk("def f(:\n")
    assert "parse" in chunk.metadata


def test_public_names() -> None:
    import chunker  # noqa: PLC0415  # the module itself, which the names above hide

    assert chunker.__all__ == sorted(chunker.__all__)
    assert all(hasattr(chunker, name) for name in chunker.__all__)
