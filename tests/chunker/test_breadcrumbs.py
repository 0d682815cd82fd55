"""The context header: what it says, how it is shortened, and that it is part of the budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.boundaries import Boundary, Outline, Scope, Strength
from chunker.breadcrumbs import Breadcrumbs

TOKENIZER = Tokenizer.load("o200k_base")


def outline_of(*scopes: tuple[int, int, str]) -> Outline:
    return Outline([Boundary(0, Strength.DOCUMENT, "module")], [Scope(*scope) for scope in scopes])


def test_the_regions_around_an_offset_outermost_first() -> None:
    breadcrumbs = Breadcrumbs(outline_of((0, 90, "Cart"), (10, 30, "total")), "src/shop.py", TOKENIZER, 400)
    assert breadcrumbs.at(0) == "src/shop.py\n"
    assert breadcrumbs.at(10) == "src/shop.py > Cart\n"
    assert breadcrumbs.at(20) == "src/shop.py > Cart > total\n"
    assert breadcrumbs.at(30) == "src/shop.py > Cart\n"
    assert breadcrumbs.at(90) == "src/shop.py\n"


def test_nothing_to_say() -> None:
    assert Breadcrumbs(outline_of(), None, TOKENIZER, 400).at(5) == ""
    assert Breadcrumbs(outline_of((0, 9, " \n ")), None, TOKENIZER, 400).at(5) == ""


def test_a_name_stays_on_one_line() -> None:
    assert (
        Breadcrumbs(outline_of((0, 9, " Two\r\nlines\u2028and more ")), None, TOKENIZER, 400).at(5)
        == "Two lines and more\n"
    )


def test_the_outermost_parts_go_first() -> None:
    outline = outline_of((0, 90, "Outer class"), (10, 80, "Inner class"), (20, 70, "method"))
    headers = [Breadcrumbs(outline, "source.py", TOKENIZER, limit).at(50) for limit in range(4, 80)]
    assert headers[-1] == "source.py > Outer class > Inner class > method\n"
    assert list(dict.fromkeys(headers)) == [
        "",
        "method\n",
        "Inner class > method\n",
        "Outer class > Inner class > method\n",
        "source.py > Outer class > Inner class > method\n",
    ]


@given(st.lists(st.text(max_size=20), max_size=6), st.integers(1, 60), st.none() | st.text(max_size=20))
def test_a_quarter_of_the_budget_at_most(names: list[str], max_tokens: int, source: str | None) -> None:
    outline = outline_of(*((depth, 100 - depth, name) for depth, name in enumerate(names)))
    header = Breadcrumbs(outline, source, TOKENIZER, max_tokens).at(50)
    assert 4 * TOKENIZER.count(header) <= max_tokens
    assert header == "" or (header.endswith("\n") and len(header.splitlines()) == 1)


def test_code() -> None:
    source = "class Cart:\n    def total(self):\n" + "        value = self.price * self.amount\n" * 12
    chunks = CodeChunker("python", 60, context=True).chunk(source, source="shop.py")
    assert len(chunks) > 2
    assert chunks[0].context == "shop.py\n"
    for chunk in chunks[1:]:
        assert chunk.context == "shop.py > class Cart > def total\n"
        assert chunk.text == chunk.context + chunk.body
        assert chunk.token_count == TOKENIZER.count(chunk.text) <= 60
        assert source[chunk.span.start : chunk.span.end] == chunk.body
    assert "".join(chunk.body for chunk in chunks) == source


def test_markdown() -> None:
    text = "# Guide\n\nHello.\n\n## Install\n\n" + "Run the command and wait. " * 30
    chunks = MarkdownChunker(60, context=True).chunk(text)
    assert chunks[0].context == ""
    assert {chunk.context for chunk in chunks[1:]} == {"Guide > Install\n"}


@pytest.mark.parametrize("max_tokens", [1, 2, 3, 4, 5, 8])
def test_a_header_never_keeps_a_character_out(max_tokens: int) -> None:
    """A character may need all of a small budget: then the header goes, and the cluster stays whole."""
    text = "a\U00013000b" if max_tokens >= 4 else "abc def"
    chunks = TextChunker(max_tokens, context=True).chunk(text, source="a")
    assert "".join(chunk.body for chunk in chunks) == text
    assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= max_tokens for chunk in chunks)
