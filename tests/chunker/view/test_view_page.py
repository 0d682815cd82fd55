"""The page of `chunker view`: what it is told of a text, and that no text can be anything but data in it."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.view import PageSettings, SeenText, page, see
from chunker.view.page import text_data
from chunker.view.seeing import histogram

SETTINGS = PageSettings("o200k_base", 32, 4, 0, context=False)
HOSTILE = (
    "</script><script>alert(1)</script> <!--<script> \"'`${alert(2)}` <img src=x onerror=alert(3)> &lt;&amp;lt; ]]> "
    "\u2028\u2029 \u202eRLO\u202c \u2066\u2069 \0\x01\x1b[31m \ufeff \ud800\udc00 \udfff \ud83d \ude00 👩‍👩‍👧 \r lone \r\n x"
)


class Elements(HTMLParser):
    """All elements with their attributes, and the content of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag in {"script", "style"}:
            self.raw.append(({"tag": tag, **dict(attrs)}, ""))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is not None:
            attributes, content = self.raw[-1]
            self.raw[-1] = (attributes, content + data)


def html_of(texts: list[SeenText], title: str = "title", used: PageSettings = SETTINGS) -> str:
    return b"".join(page(texts, used, title)).decode("utf-8")


def data_of(html: str) -> dict[str, Any]:
    return {
        str(attributes["id"]): json.loads(content)
        for attributes, content in Elements(html).raw
        if attributes.get("type") == "application/json"
    }


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def check_data(data: dict[str, Any], text: str, chunker: TextChunker, count: Callable[[str], int] | None) -> None:
    """The data of a text against its chunks, in the units of the browser."""
    chunks = chunker.chunk(text, source=data["path"])
    units = utf16(data["text"])
    assert units == utf16(text)
    assert len(data["chunks"]) == len(chunks)
    done = 0
    for told, chunk in zip(data["chunks"], chunks, strict=True):
        body = units[2 * told["start"] : 2 * told["end"]]
        assert body == utf16(chunk.body)
        assert told["context"] == chunk.context
        assert told["count"] == chunk.token_count == len(told["tokens"])
        if count is not None:
            assert told["count"] == count(chunk.text)
        assert sum(told["tokens"]) == len(utf16(chunk.text)) // 2
        assert told["kind"] == chunk.kind
        span = chunk.span
        assert told["characters"] == [span.start, span.end]
        assert told["bytes"] == [span.start_byte, span.end_byte]
        assert told["lines"] == [span.start_line, span.end_line]
        repeated = max(done - span.start, 0)
        assert told.get("repeated", 0) == len(utf16(chunk.body[:repeated])) // 2
        if repeated:
            assert told["repeatedTokens"] == chunker.tokenizer.count(chunk.body[:repeated])
        assert ("cut" in told) == (chunk is not chunks[0])
        done = span.end


@pytest.mark.parametrize("overlap", [0, 6])
def test_the_data_of_real_texts(overlap: int, count_o200k: Callable[[str], int]) -> None:
    source = files("chunker.growing").joinpath("grower.py").read_text("utf-8")
    for chunker, text in (
        (CodeChunker("python", 128, overlap=overlap, context=True), source),
        (
            MarkdownChunker(32, overlap=overlap),
            "# Größe 👩‍👩‍👧\n\n" + "Ein Satz, 漢字. " * 30 + "\n\n## Zwei\n\n- eins\n- zwei\n",
        ),
        (TextChunker(24, overlap=overlap), "emoji 👩‍👩‍👧 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 flags. " * 20),
        (TextChunker(24, overlap=overlap), ""),
    ):
        seen = see(chunker, text, "a/b.txt")
        told = data_of(html_of([seen]))
        check_data(told["text-0"], text, chunker, count_o200k)
        sizes = [chunk.token_count for chunk in chunker.chunk(text, source="a/b.txt")]
        summary = told["index"]["texts"][0]
        assert (summary["chunks"], summary["tokens"]) == (len(sizes), sum(sizes))
        assert sum(summary["fills"]) == len(sizes)


def test_tokens_that_end_inside_a_character_have_no_length() -> None:
    text = "a👩\u200d👩b"
    told = text_data(see(TextChunker(32), text, "x"))["chunks"][0]
    offsets = Tokenizer.load("o200k_base").encode_with_offsets(text)[1]
    assert 0 in told["tokens"]
    # In UTF-16 each of the two emoji has two units, in characters one.
    assert sum(told["tokens"]) == 7
    assert len(told["tokens"]) == len(offsets)


def test_trails_are_told_without_context() -> None:
    source = "class Shop:\n" + "".join(
        f"    def method_{n}(self):\n        return {n} * {n} + {n}\n\n" for n in range(9)
    )
    told = text_data(see(CodeChunker("python", 40), source, "shop.py"))
    assert {chunk["context"] for chunk in told["chunks"]} == {""}
    assert told["chunks"][-1]["breadcrumb"] == ("class Shop",)
    assert told["chunks"][-1]["cut"]["label"] == "function"


def test_notes_of_the_format_are_told_but_not_the_source() -> None:
    seen = see(CodeChunker("python", 64), "def f(:\n  )) = \n", "bad.py")
    assert seen.notes == CodeChunker("python", 64).outline(seen.text).notes
    assert seen.notes
    assert "source" not in seen.notes


@settings(max_examples=50)
@given(
    text=st.text(
        st.one_of(st.sampled_from("</script>&\"' \n\r\0\u2028\u202e\ud800\udc00\udfff👩\u200d漢"), st.characters()),
        max_size=300,
    ),
    overlap=st.integers(0, 10),
    context=st.booleans(),
)
@example(text=HOSTILE, overlap=3, context=True)
def test_any_text_comes_through(text: str, overlap: int, context: bool) -> None:
    chunker = TextChunker(40, overlap=overlap, context=context)
    check_data(data_of(html_of([see(chunker, text, 'x<>&".txt')]))["text-0"], text, chunker, None)


@settings(max_examples=40)
@given(text=st.text(st.sampled_from("</script>!-&\"'=x \n\0\ud800[]{}"), max_size=120))
@example(text=HOSTILE)
@example(text="<!--<script>" * 3)
def test_no_text_adds_an_element(text: str) -> None:
    def elements(content: str) -> list[Any]:
        seen = see(TextChunker(64), content, content)
        return Elements(html_of([seen], title=content)).tags

    assert elements(text) == elements("harmless")


def test_the_title_is_spelled_out_and_escaped() -> None:
    html = html_of([], title='<b>"a&b"\x1b\u202e\ud800')
    assert "<title>&lt;b&gt;&quot;a&amp;b&quot;\\x1b\\u202e\\ud800 in chunks</title>" in html


def test_the_policy_allows_this_script_and_this_style_and_nothing_else() -> None:
    html = html_of([see(TextChunker(16), "some text " * 30, "x.txt")])
    elements = Elements(html)
    policies = [
        dict(attributes)["content"]
        for tag, attributes in elements.tags
        if tag == "meta" and "http-equiv" in dict(attributes)
    ]
    assert len(policies) == 1
    policy = dict(part.split(" ", 1) for part in str(policies[0]).split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["img-src"] == "data:"
    assert "unsafe" not in str(policies[0])
    run = [(a["tag"], content) for a, content in elements.raw if a.get("type") is None]
    assert [tag for tag, _ in run] == ["style", "script"]
    for tag, content in run:
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert policy[f"{tag}-src"] == f"'sha256-{digest}'"


def test_nothing_is_fetched() -> None:
    html = html_of([])
    assert set(re.findall(r"[a-z]+://[^\s'\"]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", html)
    for tag, attributes in Elements(html).tags:
        assert tag not in {"iframe", "img", "object", "embed"}
        for name, value in attributes:
            assert not name.startswith("on")
            assert name != "style"
            if name in {"href", "src"}:
                assert str(value).startswith(("#", "data:"))


def test_the_same_texts_make_the_same_page() -> None:
    seen = [see(MarkdownChunker(16), "# A\n\nwords " * 20, "a.md"), see(TextChunker(16), HOSTILE, "b.txt")]
    assert html_of(seen) == html_of(seen)


def test_one_text_at_a_time_is_held() -> None:
    written: list[bytes] = []
    made: list[int] = []

    def texts() -> Iterator[SeenText]:
        for number in range(4):
            # The page of all texts before this one is out before it is asked for.
            assert sum(f'id="text-{n}"'.encode() in part for n in range(number) for part in written) == number
            made.append(number)
            yield see(TextChunker(16), f"text number {number}", f"{number}.txt")

    for part in page(texts(), SETTINGS, "t"):
        written.append(part)  # noqa: PERF402  # the texts look at what is written meanwhile
    assert made == [0, 1, 2, 3]


def test_a_full_chunk_is_in_the_last_bin() -> None:
    assert histogram([1.0, 0.999, 0.0, 0.1], 10) == [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]


@pytest.mark.parametrize("unit", ["a", "\0", "👩", "</script>"])
def test_hostile_texts_take_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        for _ in page([see(TextChunker(128, overlap=16), text, "x")], SETTINGS, "t"):
            pass
        return time.process_time() - start

    seconds(2_000)
    assert seconds(40_000) < 12 * seconds(10_000) + 0.5


# --- colours

# How three kinds of colour blindness see linear RGB: the matrices of Machado, Oliveira and Fernandes (2009), severity
# 1.
SIGHT = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
Colour = tuple[float, ...]


def colours(theme: int) -> dict[str, Colour]:
    """The colours of the style by name: theme 0 is light, 1 dark."""
    style = files("chunker.view").joinpath("assets", "page.css").read_text("utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)
    assert len(pairs) > 15
    return {name: linear(values[theme]) for name, *values in pairs}


def linear(colour: str) -> Colour:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def contrast(one: Colour, other: Colour) -> float:
    """As WCAG 2 defines it."""
    light, dark = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def difference(one: Colour, other: Colour, sight: str) -> float:
    """The distance in Oklab, in which about 0.02 is just noticed."""

    def lab(colour: Colour) -> Colour:
        seen = [min(max(sum(a * b for a, b in zip(row, colour, strict=True)), 0.0), 1.0) for row in SIGHT[sight]]
        cones = [
            sum(a * b for a, b in zip(row, seen, strict=True)) ** (1 / 3)
            for row in (
                (0.4122214708, 0.5363325363, 0.0514459929),
                (0.2119034982, 0.6806995451, 0.1073969566),
                (0.0883024619, 0.2817188376, 0.6299787005),
            )
        ]
        return tuple(
            sum(a * b for a, b in zip(row, cones, strict=True))
            for row in (
                (0.2104542553, 0.793617785, -0.0040720468),
                (1.9779984951, -2.428592205, 0.4505937099),
                (0.0259040371, 0.7827717662, -0.808675766),
            )
        )

    return math.dist(lab(one), lab(other))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_neighbours_differ_for_every_kind_of_sight(theme: int) -> None:
    known = colours(theme)
    for kind, least in (("tint", 0.05), ("bar", 0.1)):
        cycle = [known[f"{kind}-{index}"] for index in (0, 1, 2, 3, 0)]
        for sight in SIGHT:
            for one, other in pairwise(cycle):
                assert difference(one, other, sight) > least, (kind, sight)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrasts(theme: int) -> None:
    known = colours(theme)
    for index in range(4):
        assert contrast(known["ink"], known[f"tint-{index}"]) >= 7  # AAA
        assert contrast(known[f"bar-{index}"], known["paper"]) >= 3  # parts of graphics
        assert contrast(known[f"bar-{index}"], known[f"tint-{index}"]) >= 2.4
    for ground in ("paper", "raised"):
        assert contrast(known["ink"], known[ground]) >= 7
        for text in ("quiet", "accent", "warn"):
            assert contrast(known[text], known[ground]) >= 4.5
        assert contrast(known["control"], known[ground]) >= 3
    assert contrast(known["on-accent"], known["accent"]) >= 4.5
    assert contrast(known["quiet"], known["track"]) >= 4.5
