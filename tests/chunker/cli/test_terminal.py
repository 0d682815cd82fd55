"""The terminal view: the same facts in lines that fit the screen, and no way for a text to command the terminal."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.cli.screen import Screen, shown
from chunker.cli.terminal import terminal_view
from chunker.view import SeenText, see

PLAIN = Screen(80, None, hues=False)
COLOURED = Screen(80, ColorSystem.STANDARD, hues=True)
ESCAPE = re.compile("\x1b\\[[0-9;]*m")
SOURCE = "import os\n\n\nclass Shop:\n" + "".join(
    f"    def method_{n}(self, value):\n        return os.getpid() * {n} + value * {n}\n\n" for n in range(9)
)


def view(seen: SeenText, screen: Screen = PLAIN, *, tokens: bool = False) -> list[str]:
    lines = list(terminal_view(seen, screen, show_tokens=tokens))
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    return [line[:-1] for line in lines]


def bodies(lines: list[str], sign: str = "│~") -> list[tuple[int | None, str]]:
    """The lines of text: their number, None where a line goes on, and what stands on them."""
    found = []
    for line in lines:
        match = re.match(rf" *(\d+)? [{sign}](?: (.*))?$", line)
        if match and not re.match(r"\d", line):
            found.append((int(match[1]) if match[1] else None, match[2] or ""))
    return found


def test_everything_is_told() -> None:
    seen = see(CodeChunker("python", 48, overlap=8, context=True), SOURCE, "src/shop.py")
    lines = view(seen)
    assert lines[0] == "src/shop.py"
    assert f"python   {len(seen.chunks)} chunks, {seen.tokens} tokens   mean fill {seen.mean_fill:.0%}" in lines[1]
    heads = [line for line in lines if re.match(r"\d+  \w+ ", line)]
    assert len(heads) == len(seen.chunks) > 4
    for number, (head, item) in enumerate(zip(heads, seen.chunks, strict=True), 1):
        span = item.chunk.span
        assert head.startswith(f"{number}  {item.chunk.kind}   ")
        assert head.endswith(f" {item.chunk.token_count} of 48, {item.fill:.0%}")
        assert f"lines {span.start_line}-{span.end_line}" in head
        assert (f"repeats {item.repeated_tokens} token" in head) == (item.repeated > 0)
        breadcrumb = " > ".join(item.breadcrumb)
        assert breadcrumb in head or f"   {breadcrumb}" in lines
    cuts = [line for line in lines if re.match("[━─╌┄]{4} before", line)]
    assert [line.strip("━─╌┄ ") for line in cuts] == [str(item.cut) for item in seen.chunks[1:]]
    assert all(len(line) == 80 for line in cuts)
    context = [line for line in lines if re.match(r" *> ", line)]
    assert len(context) == sum(item.chunk.context != "" for item in seen.chunks)
    assert any(re.match(r" *\d+ ~ ", line) for line in lines)


def test_the_text_is_all_there_with_its_line_numbers() -> None:
    seen = see(CodeChunker("python", 48), SOURCE, "shop.py")
    lines = bodies(view(seen))
    expected = [(number, line.rstrip()) for number, line in enumerate(SOURCE.split("\n")[:-1], 1)]
    assert lines == expected


def test_words_that_do_not_fit_go_to_the_next_line() -> None:
    text = "some words of different lengths, one after the other, " * 5 + "\n"
    lines = bodies(view(see(TextChunker(100), text, "x.txt")))
    assert [number for number, _ in lines] == [1, None, None, None]
    assert " ".join(line for _, line in lines) == text.strip()


@settings(max_examples=50)
@given(
    text=st.text(
        st.one_of(st.sampled_from("ab. \n\r\t漢字👩\u200d\u0301\0\x1b[31m\u202e\ud800"), st.characters()), max_size=300
    ),
    width=st.integers(40, 90),
    tokens=st.booleans(),
    coloured=st.booleans(),
    overlap=st.integers(0, 9),
)
@example(text="漢" * 300 + "👩\u200d👩\u200d👧" * 60, width=41, tokens=True, coloured=False, overlap=5)
def test_any_text_fits_and_commands_nothing(text: str, width: int, tokens: bool, coloured: bool, overlap: int) -> None:
    screen = Screen(width, ColorSystem.STANDARD if coloured else None, hues=True)
    for line in view(see(TextChunker(48, overlap=overlap, context=True), text, f"a{text}.txt"), screen, tokens=tokens)[
        1:
    ]:
        bare = ESCAPE.sub("", line)
        assert not re.search("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", bare)
        bare.encode()
        if not re.match(r"\d+  ", bare) and not re.match(
            r".* 0 % .* 100 %$", bare
        ):  # facts and the summary may be longer
            assert cell_len(bare) <= width
        assert coloured or bare == line


def test_tokens_are_underlined_by_turns_or_marked() -> None:
    seen = see(TextChunker(40), "hello, tokenized world\nsecond\n", "x.txt")
    assert seen.chunks[0].token_lengths == [5, 1, 6, 4, 6, 1, 6, 1]
    plain = bodies(view(seen, tokens=True))
    assert plain == [(1, "hello│,│ token│ized│ world│"), (2, "second│")]
    coloured = "\n".join(view(seen, COLOURED, tokens=True))
    underlined = re.findall("\x1b\\[4m(.*?)\x1b\\[0m", coloured)
    assert underlined in ([",", "ized"], ["hello", " token", " world", "second"])
    assert bodies(ESCAPE.sub("", coloured).split("\n")) == [(1, "hello, tokenized world"), (2, "second")]


def test_neighbours_have_different_colours() -> None:
    lines = view(see(MarkdownChunker(16), "# A\n\n" + "Some words here. " * 40, "a.md"), COLOURED)
    colours = [match[1] for line in lines if (match := re.match("\x1b\\[1;(3\\d)m\\d+  ", line))]
    assert len(colours) > 8
    assert all(one != other for one, other in pairwise(colours))


def test_without_hues_there_are_no_colours() -> None:
    seen = see(MarkdownChunker(16, overlap=4), "# A\n\n" + "wordsgoon" * 40, "a.md")
    text = "\n".join(view(seen, Screen(80, ColorSystem.STANDARD, hues=False)))
    codes = {code for found in ESCAPE.findall(text) for code in found[2:-1].split(";")}
    assert codes <= {"0", "1", "2", "3", "4"}
    assert "1" in codes
    assert re.search("\x1b\\[[0-9;]*3[0-7]m", "\n".join(view(seen, COLOURED)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\tb", "a    b"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("x\u202ey\ud800z\x9b\ufeff", "x<U+202E>y<U+D800>z<U+009B><U+FEFF>"),
        ("漢字 é 👩\u200d👧 \u00a0\u3000", "漢字 é 👩\u200d👧 \u00a0\u3000"),
    ],
)
def test_what_is_shown(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_nothing_to_show() -> None:
    assert view(see(TextChunker(16), "", "empty.txt")) == [
        "empty.txt",
        "text   0 chunks, 0 tokens   mean fill 0%   0 % ▁▁▁▁▁▁▁▁▁▁ 100 %",
        "",
        "",
    ]
