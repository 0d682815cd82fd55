"""Edited texts: after each edit the chunks are those of the whole text, and only the neighbourhood of the edit is read."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_fragments import BLOCKS

from chunker import BudgetTooSmallError, CodeChunker, MarkdownChunker, OptionError, TextChunker
from chunker.edits import EditedText, restart_reader
from chunker.edits.restart_reader import RestartWindow
from chunker.formats.outline import Outline

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps.",
    "Over",
    "it,",
    "a",
    "lazy",
    "dog!",
    "sleeps?",
    "And",
    "12",
    "more",
    "größer",
    "漢字。",
    "—",
]
BREAKS = ["\r\n", "\n\n", "\n", "\u2029", "\t", "", "\r", "\x1c"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"overlap": 6},
    {"overlap": 9, "overlap_by": "sentence"},
    {"overlap": 5, "overlap_by": "token"},
    {"context": True},
    {"context": True, "overlap": 4},
    {"desired_tokens": 20},
    {"min_tokens": 0},
    {"strategy": "optimal"},
]
LOCAL = ["text", "markdown", "restructuredtext", "latex", "html", "jsonl", "csv", "json", "toml", "yaml", "notebook"]
FORMATS = [*LOCAL, "python"]
# Fragments from which the texts of each format are drawn. Most are well-formed.
PARTS: dict[str, list[str]] = {
    "restructuredtext": [
        "Guide {n}\n=========\n\n",
        "Second {n}\n---------\n\n",
        "Third\n~~~~~\n",
        "=====\nTop\n=====\n\n",
        "Some words here. More of it.\n\n",
        "Number {n} is here.\n\n",
        "And more words.\n",
        "- one\n- two\n\n",
        "* a\n\n  b\n",
        ".. note::\n\n   Text.\n\n",
        ".. code-block:: python\n\n   x = 1\n\n   y\n\n",
        "Words::\n\n   code\n\n",
        "==== ====\n",
        "=  =\nx  y\n=  =\n1  2\n3  4\n=  =\n\n",
        ".. _target:\n\n",
        ".. function:: f(x)\n\n   Of it.\n\n",
        ".. class:: A{n}\n   :final:\n\n   Of it.\n\n   - one\n\n   .. method:: m(x)\n\n      Text.\n\n      More::\n\n         code\n\n      Last.\n\n",
        "   Inside {n}.\n\n",
        "term\n   definition\n\n",
        "~~~~\n",
        "   indented\n",
        "::",
        "=",
        "\n\n",
        "\r\n",
    ],
    "latex": [
        "\\section{Guide {n}}\n",
        "% Why.\n\\subsection[Short]{Two\n$a$}\n",
        "Some words here. More of it.\n\n",
        "Number {n} is here.\n\n",
        "And more words.\n",
        "\\begin{itemize}\n\\item one\n\\item two\n\\end{itemize}\n\n",
        "\\begin{tabular}{l}\na & b \\\\ \\hline\n1\\\\\n2\\\\\n3\\\\\n\\end{tabular}\n\n",
        "\\begin{frame}{Slide}\n",
        "\\end{frame}\n",
        "\\begin{equation}\na = b\n",
        "\\end{equation}\n",
        "\\begin{verbatim}\nx\n\ny\n",
        "\\end{verbatim}\n",
        "\\end{verbatim }\n",
        "\\begin{itemize}\n",
        "\\end{itemize}\n",
        "\\begin{document}\n",
        "\\end{document}\n",
        "\\section[",
        "]{x}",
        "{",
        "%",
        "\n\n",
        "\r\n",
    ],
    "html": [
        "<h1>Guide {n}</h1>\n",
        "<h2>Two &amp; {n}</h2>\n",
        "<p>Some words here. More of it.\n",
        "<p>Number {n} is here.</p>\n",
        "<ul>\n<li>one\n<li>two\n</ul>\n",
        "<div>\n",
        "</div>\n",
        "<section><h3>In {n}</h3>\n",
        "</section>\n",
        "<table>\n<tr><th>a<th>b</tr>\n<tr><td>1<td>2</tr>\n<tr><td>3<td>4</tr>\n</table>\n",
        "<table><caption>c</caption><thead><tr><th>x</tr></thead>\n<tr><td>1</td></tr>\n<tr><td>2</td></tr>\n",
        *("<article>", "</article>", "<table>", "</table>", "<tr>\n", "<td>", "<th>", "</tr>", "<thead>", "</thead>"),
        "<!-- why -->\n",
        "<!-- " + "long words " * 30 + "-->\n",
        "<script>\nvar x = 1;\nf();\n</script>\n",
        "<pre>\n a\n  b\n\n c\n",
        *(
            "</pre>\n",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "<style>a {b: c}</style>",
            "<br>",
            "<hr>\n",
            "<br>\n<!-- c -->x",
        ),
        *('<a href="', '"', "'", ">", "<", "</p>", "<h1>", "</h4>", "<caption>", "<template>", "</template>", "\u0600"),
        "<a href='x'>link</a> and <b>words</b>. ",
        "\n\n",
        "\r\n",
    ],
    "json": [
        '{"a": 1, "b": [1, 2, {"c": "of\\nlines"}]},\n',
        '  {\n    "name": "x",\n    "list": [\n      1,\n      2\n    ]\n  },\n',
        "12, ",
        '"words and more words in a string",\n',
        "// why\n",
        "/* of\nit */ ",
        "[\n",
        "],\n",
        "{",
        '"k": ',
        "}\n",
        "/*",
        '"',
        "\u0301",
        "\n\n",
    ],
    "notebook": [
        '{"cell_type": "markdown", "source": ["# Load {n}\\n", "Then words here."]},\n',
        '{"cell_type": "markdown", "source": ["## Only {n}"]},\n',
        '{"cell_type": "code", "source": ["import os\\n", "\\n", "os.getcwd()"], "outputs": []},\n',
        '  {\n   "outputs": ["'
        + "long output " * 9
        + '"],\n   "source": [\n    "a = 1\\n",\n    "b = 2"\n   ]\n  },\n',
        '{"cell_type": "markdown", "source": "# Title\\n\\nwords and more words"},\n',
        '{"source": "x", "cell_type": "markdown"},\r\n',
        *(
            "12,",
            '{"a": [1,2]},',
            "}",
            "{",
            "]",
            "[",
            ",",
            '"cells": ',
            '{"cells": [',
            '"x": ',
            '"',
            "// why\n",
            "/*",
            "*/",
        ),
        *('"metadata": {"k": 1}', "],\n", ":", "\n", "\\n", "{}", "\u0301", "}}", "]}", "\r\n"),
    ],
    "toml": [
        "[tool.a]\n",
        "# Why.\n",
        "# Of it.\n[tool]\nname = 'x'\n",
        "files = [\n  1,\n  # two\n  [2],\n]\n",
        'text = """\nOne.\n[no.table]\n"""\n\n',
        "[[part]]\nn = 1 # one\n",
        "key = 1\n",
        "a.b = {c = 1}\n",
        "no statement\n",
        '"""',
        "x = [\n",
        "\n",
        "\r\n",
    ],
    "yaml": [
        "key{n}: value\n",
        "map{n}:\n  a: 1\n  b:\n  - x\n  - y: 2\n",
        "- item\n",
        "- a: 1\n  b: 2\n",
        "# Why.\n",
        "  # Deeper.\n",
        "text{n}: |\n  One.\n\n  # no comment\n  Two.\n",
        "list{n}:\n- one\n- two\n",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "plain words\n  that go on\n",
        "  indented{n}: 1\n",
        "  in{n}:\n    x: 1\n    # of it\n    y: |\n      text\n\n    # more\n    z: 2\n",
        *("    deep{n}: 1\n", "    - - x\n      - y\n", "  - # c\n    v: 1\n", "\ufeff", "  \ufeffz: 1\n", "- ", "  "),
        "\n",
        "|\n",
        "[",
        '"',
    ],
}


def piece_of(name: str, chance: random.Random) -> str:
    """Something that is put into a text of a format."""
    words = " ".join(chance.choices(WORDS + BREAKS, k=chance.randrange(1, 30)))
    if name == "markdown" and chance.random() < 0.6:
        return f"\n\n{chance.choice(BLOCKS)}\n\n" if chance.random() < 0.8 else chance.choice(BLOCKS)
    if name == "jsonl":
        record = f'{{"a": {chance.randrange(99)}, "b": "{words[:9].strip()}"}}'
        # Some lines have several values.
        return chance.choice([f"{record}\n", f"{record}\n", f"{record} ", f'[{record}] {{"c": {record}}}\n'])
    if name == "csv":
        return f'{chance.randrange(99)},"{words[:9]}",x\n' if chance.random() < 0.9 else '"'
    if name in PARTS:
        calm = name in {"restructuredtext", "latex", "html", "notebook"} and chance.random() < 0.7
        return "".join(chance.choices(PARTS[name][: 6 if calm else None], k=3)).replace(
            "{n}", str(chance.randrange(99))
        )
    if name == "python":
        return f"def f{chance.randrange(99)}(x):\n    # of it\n    return x\n\n"
    return words + chance.choice(["", "\n", "\n\n", "\n\n\n", " "])


def edited(chance: random.Random, name: str, size: int) -> tuple[int, int, str]:
    """An edit of a text of this size: mostly small."""
    start = chance.randrange(size + 1)
    end = min(
        start + (chance.choice([0, 0, 1, 2, 9, 80]) if chance.random() < 0.97 else chance.randrange(size + 1)), size
    )
    if name in PARTS and chance.random() < 0.5:
        return start, end, chance.choice([*PARTS[name], ""])
    text = chance.choice(["", "x", "\n", "\n\n", "# A\n", "```\n", "| a |\n", " ", '"', piece_of(name, chance)])
    return start, end, text


def check_edits(name: str, seed: int, chunker: TextChunker, *, pieces: int, edits: int) -> None:
    chance = random.Random(seed)
    text = {"json": "[\n", "notebook": '{"cells": [\n'}.get(name, "") + "".join(
        piece_of(name, chance) for _ in range(pieces)
    )
    edited_one = EditedText(chunker, text, source="a.x")
    assert edited_one.chunks == chunker.chunk(text, source="a.x")
    for _ in range(edits):
        start, end, new = edited(chance, name, len(text))
        before = [(chunk.text, chunk.kind) for chunk in edited_one.chunks]
        text = text[:start] + new + text[end:]
        change = edited_one.replace(start, end, new)
        wanted = chunker.chunk(text, source="a.x")
        assert edited_one.text == text
        assert edited_one.chunks == wanted
        after = [(chunk.text, chunk.kind) for chunk in wanted]
        first, removed, added = change
        assert before[:first] == after[:first]
        assert before[first + removed :] == after[first + added :]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", FORMATS)
def test_chunks_after_edits_are_those_of_the_text(name: str, options: dict[str, Any]) -> None:
    check_edits(name, 7, TextChunker(32, format=name, **options), pieces=60, edits=12)


def test_a_container_that_begins_with_an_accent() -> None:
    """No boundary is at its first member, which would tell what it is."""
    check_edits("json", 42, TextChunker(9, format="json"), pieces=36, edits=6)


@given(
    st.sampled_from(LOCAL),
    st.integers(0, 1 << 32),
    st.sampled_from(OPTIONS),
    st.integers(1, 80),
    st.sampled_from([9, 16, 40]),
)
def test_any_edits(name: str, seed: int, options: dict[str, Any], pieces: int, max_tokens: int) -> None:
    if "overlap" in options:
        options = options | {"overlap": 3}
    if "desired_tokens" in options:
        options = options | {"desired_tokens": 8}
    check_edits(name, seed, TextChunker(max_tokens, format=name, **options), pieces=pieces, edits=6)


def long_text(name: str) -> str:
    chance = random.Random(1)
    if name == "json":
        rows = (
            f'  {{"id": {number}, "text": "{" ".join(chance.choices(WORDS[:12], k=chance.randrange(3, 40)))}"}}'
            for number in range(3_000)
        )
        return '{"rows": [\n' + ",\n".join(rows) + "\n]}\n"
    if name == "notebook":
        cells = (f'{{"cell_type": "code", "source": ["{number}\\n", "{"words " * 40}"]}}' for number in range(2_000))
        return '{"cells": [\n' + ",\n".join(cells) + '\n],\n"metadata": {}}\n'
    sizes = (chance.randrange(2, 30) for _ in range(2_500))
    if name == "toml":
        return "".join(f"# Of it.\n[t{number}]\n" + f"a = {number}\n" * size for number, size in enumerate(sizes))
    if name == "yaml":
        keys = (f"  k{number}:\n    c: |\n" + f"      One {number}.\n" * size for number, size in enumerate(sizes))
        return "all:\n" + "".join(keys)
    if name == "restructuredtext":
        return "".join(
            f"Part {number}\n----------\n\n{' '.join(chance.choices(WORDS[:12], k=60))}\n\n" for number in range(2_000)
        )
    if name == "latex":
        body = (
            f"\\section{{Part {number}}}\n\n{' '.join(chance.choices(WORDS[:12], k=60))}\n\n" for number in range(2_000)
        )
        return "\\documentclass{article}\n\\begin{document}\n" + "".join(body) + "\\end{document}\n"
    if name == "html":
        return "".join(
            f"<h2>Part {number}</h2>\n<div><p>{' '.join(chance.choices(WORDS[:12], k=60))}</div>\n"
            for number in range(2_000)
        )
    if name == "markdown":
        return "".join(f"## Part {number}\n\n{' '.join(chance.choices(WORDS, k=60))}\n\n" for number in range(2_000))
    return "".join(f"{' '.join(chance.choices(WORDS, k=9))}\n{chr(10) * (number % 5 == 0)}" for number in range(8_000))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(
            (name, options)
            for name in ("text", "markdown", "restructuredtext", "latex", "html")
            for options in ({}, {"overlap": 20}, {"context": True}, {"context": True, "overlap": 20})
        ),
        *((name, options) for name in ("json", "toml", "yaml", "notebook") for options in ({}, {"overlap": 20})),
    ],
    ids=str,
)
def test_only_the_neighbourhood_is_read(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    text = long_text(name)
    chunker = TextChunker(128, format=name, **options)
    edited_one = EditedText(chunker, text)
    assert edited_one.is_local
    read = []

    class Watched(RestartWindow):
        def __init__(self, *args: Any) -> None:
            read.append(args[-1] - args[2])
            super().__init__(*args)

    monkeypatch.setattr(restart_reader, "RestartWindow", Watched)
    chance = random.Random(3)
    for _ in range(20):
        start = chance.randrange(20_000, len(text) - 20_000)
        end, new = start + 4, "another word"
        if name in PARTS:  # no bracket is lost
            start = text.index("1", start)
            end, new = start + 1, "1122"
        read.clear()
        change = edited_one.replace(start, end, new)
        text = text[:start] + new + text[end:]
        assert sum(read) < 30_000
        assert change.removed + change.added < 40
    assert edited_one.chunks == chunker.chunk(text)


@pytest.mark.parametrize("options", [{}, {"context": True}], ids=str)
def test_a_block_in_directives_is_read(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (f"   .. method:: m{number}\n\n      Some words.\n\n      More of them.\n\n" for number in range(1_000))
    text = "Title\n=====\n\n.. class:: A\n\n" + "".join(parts)
    chunker = TextChunker(64, format="restructuredtext", **options)
    edited_one = EditedText(chunker, text)
    read = []

    class Watched(RestartWindow):
        def __init__(self, *args: Any) -> None:
            read.append(args[-1] - args[2])
            super().__init__(*args)

    monkeypatch.setattr(restart_reader, "RestartWindow", Watched)
    start = text.index("More", len(text) // 2)
    edited_one.replace(start, start + 4, "Many")
    text = f"{text[:start]}Many{text[start + 4 :]}"
    assert sum(read) < 5_000
    assert edited_one.chunks == chunker.chunk(text)


def test_an_edit_that_changes_the_levels_of_titles_is_read_until_they_are_the_same() -> None:
    parts = [
        f"Part {number}\n=======\n\nSome words.\n\nPoint {number}\n-------\n\nMore words.\n\n" for number in range(200)
    ]
    text = "".join(parts)
    chunker = TextChunker(32, format="restructuredtext", context=True)
    edited_one = EditedText(chunker, text)
    for new in ("A\n-\n\n", ""):  # "-" is the highest level now, and then the second one again
        change = edited_one.replace(0, 0 if new else len("A\n-\n\n"), new)
        assert edited_one.chunks == chunker.chunk(edited_one.text)
        assert change.added > 150
    assert edited_one.text == text
    # A third style in a section of its own: the preambles of all that follows have it, too.
    edited_one.replace(text.index("More"), text.index("More"), "B\n~~~\n\n")
    assert edited_one.chunks == chunker.chunk(edited_one.text)


@pytest.mark.parametrize("opening", ["\\begin{verbatim}", "\\begin{document}", "\\begin{itemize}\n\\begin{verbatim}"])
def test_what_latex_may_end_far_away(opening: str) -> None:
    parts = [f"Number {number} is here, with words.\n\n" for number in range(400)]
    chunker = TextChunker(32, format="latex")
    edited_one = EditedText(chunker, "".join(parts))
    places = [(900, opening + "\n\n"), (1_500, "\\end{itemize}\n\n"), (9_000, "\\end{verbatim}\n\n")]
    for place, new in places:
        edited_one.replace(place, place, new)
        assert edited_one.chunks == chunker.chunk(edited_one.text)
    for place, new in reversed(places):
        edited_one.replace(place, place + len(new), "")
        assert edited_one.chunks == chunker.chunk(edited_one.text)


def test_rows_of_a_table_of_html_keep_its_header() -> None:
    rows = "".join(f"<tr><td>{number}<td>some words</tr>\n" for number in range(400))
    text = f"<h1>Prices</h1>\n<table>\n<thead><tr><th>id<th>words</thead><tbody>\n{rows}</table>\n"
    chunker = TextChunker(128, format="html", context=True)
    edited_one = EditedText(chunker, text)
    for word in ("200<", "<td>300", "399"):
        start = edited_one.text.index(word)
        change = edited_one.replace(start, start, "9")
        assert change.added < 5
        assert "<th>id" in edited_one.chunks[change.first].context
        assert edited_one.chunks == chunker.chunk(edited_one.text)


def test_what_has_to_be_read_as_a_whole_says_so() -> None:
    for chunker in (
        CodeChunker("python", 32, strategy="optimal"),
        CodeChunker("python", 32, context=["summary"]),
        TextChunker(32, format="json", context=True),
        TextChunker(32, strategy="optimal"),
        TextChunker(32, context=["imports"]),
    ):
        assert not EditedText(chunker, "x = 1\n").is_local
    assert not EditedText(TextChunker(32, format="csv", context=True), "a,b\n1,2\n").is_local


@pytest.mark.parametrize("name", LOCAL)
def test_a_chunker_with_outlines_of_its_own(name: str) -> None:
    class Lines(TextChunker):
        def outline(self, text: str) -> Outline:
            return TextChunker(32, format="text").outline(text)

    check_edits(name, 5, Lines(32, format=name), pieces=60, edits=6)


def test_wrong_edits_change_nothing() -> None:
    text = EditedText(TextChunker(2, min_tokens=0), "Some words here, and more.\n")
    chunks = list(text.chunks)
    for start, end in ((-1, 2), (3, 2), (0, 99)):
        with pytest.raises(OptionError, match="inside the text"):
            text.replace(start, end, "x")
    with pytest.raises(BudgetTooSmallError) as raised:
        text.replace(5, 5, "words 𓀀")
    assert raised.value.offset == 11
    assert text.chunks == chunks
    assert text.text == "Some words here, and more.\n"


def test_versions_stay_as_they_are() -> None:
    text = EditedText(MarkdownChunker(16), "# A\n\nOne.\n\n# B\n\nTwo.\n" * 9)
    before = text.chunks
    told = [chunk.text for chunk in before]
    text.replace(3, 3, "bc")
    assert [chunk.text for chunk in before] == told
    assert text.chunks[-1] == list(text.chunks)[-1]
    assert text.chunks[:2] == list(text.chunks)[:2]
    with pytest.raises(IndexError):
        text.chunks[len(text.chunks)]


def test_from_nothing_and_to_nothing() -> None:
    text = EditedText(TextChunker(16), "")
    assert list(text.chunks) == []
    text.replace(0, 0, "One line.\nAnother.\n")
    assert text.chunks == TextChunker(16).chunk("One line.\nAnother.\n")
    text.replace(0, len(text.text), "")
    assert list(text.chunks) == []


@pytest.mark.parametrize("options", [{}, {"strategy": "optimal"}])
def test_the_repr_has_the_length_and_the_number_of_chunks(options: dict[str, Any]) -> None:
    text = EditedText(TextChunker(6, min_tokens=0, **options), "One line here.\nAnother line.\nThe last of them.\n")
    assert repr(text) == f"<EditedText: 47 characters, {len(text.chunks)} chunks>"
    text.replace(0, 47, "")
    assert repr(text) == "<EditedText: 0 characters, 0 chunks>"
