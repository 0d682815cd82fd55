"""Random documents: soup of fragments, snippets that somebody has spoiled, runs of one thing, and all of these in a row."""

from __future__ import annotations

import functools
import random
import re
from pathlib import Path

from mangled_sources import SHARDS
from markdown_fragments import BLOCKS
from strategies import FRAGMENTS

_TESTS = Path(__file__).parents[2]
_SAMPLES = _TESTS / "chunker" / "formats" / "code" / "samples"
_SAMPLE_NAMES = {
    "bash": "sample.sh",
    "c": "sample.c",
    "cpp": "sample.cpp",
    "csharp": "sample.cs",
    "css": "sample.css",
    "go": "sample.go",
    "haskell": "sample.hs",
    "java": "Sample.java",
    "javascript": "sample.js",
    "kotlin": "sample.kt",
    "lua": "sample.lua",
    "php": "sample.php",
    "ruby": "sample.rb",
    "rust": "sample.rs",
    "scala": "sample.scala",
    "sql": "sample.sql",
    "swift": "sample.swift",
    "toml": "definitions.toml",
    "tsx": "sample.tsx",
    "typescript": "sample.ts",
}

WORDS = ("the", "word", "chunker", "don't", "Größe", "café", "12.5", "HTTPResponse", "a", "I", "naïve", "中文字", "ไทย")
# Clusters of several characters, what is white space somewhere, halves of surrogate pairs, what has no width.
ODD = (
    *("e" + "\u0316" * 3, "a\u0301", "\u0301", "\u0301\u0302\u0303", "👨\u200d👩\u200d👧", "👍🏽", "🇩🇪🇫🇷", "\u1100\u1161\u11a8", "हिन्दी"),
    *("\u00a0", "\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\u3000", "\x1c", "\u200b", "\u200d", "\ufeff", "\x00", "\ufffd"),
    *("\ud800", "\udc00", "\ud83d\ude00", "<|endoftext|>", "\U00013000", "\r\n", "\r", "\n\n", " \n", "\t"),
)  # fmt: skip
RUNS = (
    *("x", " ", "\n", "\r\n", "\r", "\t", "\u0301", "\u0316", "\u200d", "🇩🇪", "中", "\x00", "\ud83d", "\u2028", " \n", "\n\n", "word "),
    *("{", "}", "[", "(", "<", ">", "#", "-", "=", "|", '"', "'", "`", "```\n", "> ", "- ", "a\n", "{}\n", "a,", '[{"a":', "<b>", "\\", "$"),
)  # fmt: skip

_SURROGATE = re.compile("[\ud800-\udfff]")

_SHARDS: dict[str, tuple[str, ...]] = {
    "markdown": (*BLOCKS, "# T\n", "Title\n=====\n", "# H #\r\n"),
    "csv": ("a,b,c\n", "1,2,3\n", '"x\ny",2,3\n', "sep=;\n", ";", '""', "\t", "long cell of words,", "\r\n"),
    "html": ("<h1>T</h1>", "<p>text", "</p>\n", "<table><tr><td>1</td></tr></table>", "<pre>\n a\n</pre>", "<script>x</script>", "<!-- c", "-->",
        "<div>", "</div>", "&amp;", "<li>"),
    "json": ('{"a": ', "[1, 2, ", '"text of words"', "]", "}", ",\n", "null", '"\\u0301"', '{"k": {"l": [true]}},\n', "// c\n"),
    "jsonl": ('{"a": 1, "text": "words of it"}\n', "[1]\n", "\n", '{"b": {"c": [1, 2]}}\r\n', "no json\n"),
    "latex": ("\\section{T}\n", "\\begin{itemize}\n", "\\item a\n", "\\end{itemize}\n", "$x$", "% c\n", "\\begin{verbatim}\n",
        "\\end{verbatim}\n", "text \\emph{a}.\n\n"),
    "notebook": ('{"cells": [', '{"cell_type": "markdown", "source": ["# A\\n", "b"]},',
        '{"cell_type": "code", "outputs": [], "source": ["x = 1\\n"]}', "]}", "\n"),
    "restructuredtext": ("T\n=\n\n", "S\n---\n", "- a\n", ".. note::\n\n   text\n\n", "::\n\n  code\n\n", "+---+\n| a |\n+---+\n", "text.\n\n", ".. [1] x\n"),
    "toml": ("[t]\n", "[[t.u]]\n", "k = 1\n", 'k = """\na\n"""\n', "a = [\n 1,\n]\n", "# c\n"),
    "yaml": ("- a\n", "key: v\n", "key:\n", "  sub: 1\n", "---\n", "k: |\n  text\n  more\n", "# c\n", "? x\n", "&a "),
    "python": ("def f(x):\n    return x\n", "class C:\n", "    @property\n    def p(self):\n        pass\n", "# comment\n", "import os\n", '"""doc"""\n',
        "if x:\n", "x = (\n", "    "),
}  # fmt: skip
_SNIPPETS = {
    "csv": "id,name,price\n" + "".join(f"{row},a name of {row},{row}.5\n" for row in range(12)),
    "html": "<html><body><h1>Title</h1><p>One. Two.</p><h2>Part</h2><ul><li>a</li><li>b</li></ul><pre>x\ny</pre></body></html>\n",
    "json": '{"name": "x", "list": [1, 2, {"deep": ["a", "b"]}], "text": "some words of it", "end": null}\n',
    "jsonl": "".join(f'{{"id": {row}, "text": "the words of {row}"}}\n' for row in range(8)),
    "latex": "\\documentclass{a}\n\\begin{document}\n\\section{One}\nText of it.\n\\subsection{Two}\n"
    "\\begin{itemize}\n\\item a\n\\item b\n\\end{itemize}\n\\end{document}\n",
    "notebook": '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Title\\n", "Some text."]}, '
    '{"cell_type": "code", "outputs": [], "source": ["import os\\n", "x = 1"]}]}\n',
    "restructuredtext": "Title\n=====\n\nText of it.\n\nPart\n----\n\n- one\n- two\n\n.. note::\n\n   Inside.\n",
    "yaml": "name: x\nlist:\n  - a\n  - b: 1\n    c: 2\ntext: |\n  some words\n  of it\nend: null\n",
}  # fmt: skip


@functools.cache
def _snippet(format_name: str) -> str:
    """A text that is well-formed, or nearly."""
    if format_name in _SAMPLE_NAMES:
        return (_SAMPLES / _SAMPLE_NAMES[format_name]).read_text(encoding="utf-8")
    if format_name in _SNIPPETS:
        return _SNIPPETS[format_name]
    path = Path(__file__) if format_name == "python" else _TESTS.parent / "CONTRIBUTING.md"
    return path.read_text(encoding="utf-8")


def document(dice: random.Random, format_name: str, size: int) -> str:
    """A text of about `size` characters; "" at times."""
    parts: list[str] = [_headed(dice)] if dice.random() < 0.4 else []
    left = size if size > 10_000 else dice.choice([0, 20, 60, 60, 200, 200, 500, size])
    while left > 0:
        part = dice.choices([_soup, _spoiled, _prose, _clusters, _run], [3, 3, 2, 2, 1])[0](dice, format_name)[:left]
        parts.append(part)
        left -= max(len(part), 1)
    text = "".join(parts)
    if dice.random() < 0.9:  # halves of surrogate pairs take other ways through everything, and slow ones
        text = _SURROGATE.sub("", text)
    end = dice.choice(["\n", "\n", "\n", "\n", "\r\n", "\r"])
    return text if end == "\n" else text.replace("\n", end)


def _soup(dice: random.Random, format_name: str) -> str:
    kinds = [_SHARDS.get(format_name, SHARDS), ODD, FRAGMENTS, WORDS, BLOCKS]
    chosen = dice.choices(kinds, [5, 2, 2, 3, 1], k=dice.randrange(1, 20))
    return "".join(dice.choice(kind) + dice.choice(["", "", " ", "\n"]) for kind in chosen)


def _spoiled(dice: random.Random, format_name: str) -> str:
    lines = _snippet(format_name).splitlines(keepends=True)
    first = dice.randrange(len(lines))
    text = "".join(lines[first : first + dice.choice([1, 4, 20, 60])])
    for _ in range(dice.randrange(4)):
        start = dice.randrange(len(text) + 1)
        end = min(start + dice.randrange(60), len(text))
        middle = dice.choice(["", dice.choice(SHARDS), dice.choice(ODD), dice.choice(FRAGMENTS)])
        text = text[:start] + middle + dice.choice([text[end:], text[end:], text[start:], text[end : end + 200]])
    return text


def _prose(dice: random.Random, _format_name: str) -> str:
    parts = []
    for _ in range(dice.randrange(1, 12)):
        parts += [
            dice.choice(WORDS),
            dice.choice(["", "", "", dice.choice(ODD)]),
            dice.choice([" ", " ", " ", ". ", ", ", "\n"]),
        ]
    return "".join(parts) + dice.choice(["\n", "\n\n", "\n\n\n", ""])


def _headed(dice: random.Random) -> str:
    """What gives a context to all that follows, in most formats."""
    return dice.choice(
        ["# T\n", "T\n=\n\n", "class T:\n", "\\section{T}\n", "<h1>T</h1>\n", "T:\n", "[T]\n", '{"T": [', "a,b\n"]
    )


def _clusters(dice: random.Random, _format_name: str) -> str:
    """Paragraphs that fill small chunks, line ends that add no token to one another, clusters that hardly leave room for a context."""
    parts = []
    for _ in range(dice.randrange(1, 30)):
        parts.append(dice.choice(["word ", "word", "a"]) * dice.randrange(6))
        parts.append(dice.choice(["\n", "\n\n", " \n\n", "\r\n\r\n", ""]))
        parts.append(
            dice.choice(["e", "é", "中"]) + dice.choice(["\u0316", "\u0316", "\u0301", "\u200d"]) * dice.randrange(7)
        )
        parts.append(dice.choice(["\n", ""]))
    return "".join(parts)


def _run(dice: random.Random, _format_name: str) -> str:
    return dice.choice(RUNS) * dice.choice([3, 10, 40, 200])
