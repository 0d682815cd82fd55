"""The compiled way to read code gives the sketch of its twin in Python: the same boundaries, the same closed units, the same inside of each."""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tree_sitter_python
from hypothesis import given, settings
from hypothesis import strategies as st
from mangled_sources import mangled
from tree_sitter import Language

from chunker.formats.code.code_format import CodeFormat, outline_in_python, sketch_in_python
from chunker.formats.code.compiled_walk import compiled_walk
from chunker.formats.code.generic import generic_grammar
from chunker.formats.code.grammar import DefinitionRule, Grammar
from chunker.formats.code.naming import NameTemplate
from chunker.formats.code.tables import grammar_named, table_names
from chunker.formats.detect import detect
from chunker.formats.line_placement import clipped_scopes
from chunker.formats.sketches import Sketch
from chunker.native import native

compiled = native()
pytestmark = pytest.mark.skipif(
    compiled is None or not compiled.has_syntax(),
    reason="needs the compiled part with tree-sitter's runtime: there is nothing to compare",
)

SAMPLES = Path(__file__).parent / "samples"
SOURCES = {
    detect(path.name, path.read_text("utf-8")).format or "": path.read_text("utf-8")
    for path in SAMPLES.iterdir()
    if path.suffix != ".toml"
}
SOURCES["python"] = Path(argparse.__file__).read_text("utf-8")[20_000:45_000]
LANGUAGES = sorted(table_names())
STANDARD_LIBRARY = sorted(Path(os.__file__).parent.glob("[a-d]*.py"))

each_language = pytest.mark.parametrize("language", LANGUAGES)


def sketched(grammar: Grammar, text: str, size: int) -> Sketch:
    walk = compiled_walk(grammar)
    assert walk is not None
    return walk.sketch(text, size)


def compare(grammar: Grammar, text: str, size: int) -> Sketch:
    expected, found = sketch_in_python(grammar, text, size), sketched(grammar, text, size)
    assert found.boundaries == expected.boundaries
    assert (found.notes, found.finest) == (expected.notes, expected.finest)
    assert found.heads == expected.heads
    assert list(found.closed) == list(expected.closed)
    for offset in expected.closed:
        assert found.inside(offset)[:3] == expected.inside(offset)[:3]
        assert found.inside(offset).heads == expected.inside(offset).heads
        assert list(found.inside(offset).scopes) == list(expected.inside(offset).scopes)
    opened = expected.opened()
    assert found.opened().scopes == opened.scopes
    for offset in range(0, len(text) + 2, 1 + len(text) // 400):
        assert found.breadcrumb(offset) == opened.breadcrumb(offset)
    if not size:
        assert found.opened().scopes == outline_in_python(grammar, text).scopes
    return found


@each_language
@pytest.mark.parametrize("size", [0, 60, 400])
def test_samples(language: str, size: int) -> None:
    found = compare(grammar_named(language), SOURCES[language], size)
    assert len(found.offsets) > 4
    assert bool(found.closed) == bool(size)


@each_language
@settings(max_examples=12)
@given(data=st.data())
def test_mangled_sources(language: str, data: st.DataObject) -> None:
    text = data.draw(mangled(SOURCES[language]).filter(bool))
    compare(grammar_named(language), text, data.draw(st.sampled_from([0, 20, 100, 1000])))


@pytest.mark.parametrize("path", STANDARD_LIBRARY[::4], ids=lambda path: path.stem)
def test_real_sources(path: Path) -> None:
    compare(grammar_named("python"), path.read_text("utf-8"), 800)


def test_hidden_lines() -> None:
    comments = "    # c\n" * 30 + "\n" + "\\\n" * 40 + "#\\ d\r\n" * 30
    for text in (
        comments,
        f"def f():\n    pass\n{comments}def g():\n    pass\n",
        f"x = '''\n{comments}'''\n",
        comments[:-1],
    ):
        compare(grammar_named("python"), text, 100)


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "\n",
        "\r",
        "\0",
        "\ufeff",
        "\ufeff\n\ufeffx = 1\n",
        "\ud800",
        "é",
        "x",
        " \t\f\v",
        "\n\r\r\n\n",
        "# c",
        "@a",
        "@a\n@b\n# c\n",
        "{\n" * 300,
    ],
)
@pytest.mark.parametrize("language", ["java", "python", "rust"])
def test_small_texts(language: str, text: str) -> None:
    for size in (0, 1, 1000):
        compare(grammar_named(language), text, size)


@pytest.mark.parametrize("bracket", ["f(", "{", "a["])
def test_ten_thousand_brackets(bracket: str) -> None:
    closing = {"(": ")", "{": "}", "[": "]"}[bracket[-1]]
    text = f"{bracket}\n" * 10_000 + f"{closing}\n" * 10_000
    assert len(compare(grammar_named("c"), text, 1000).opened().offsets) == 20_000


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_costs_no_more_than_the_length(line_end: str) -> None:
    grammar = grammar_named("javascript")
    texts = [
        f"f(1);{line_end}" * 100_000,
        "x" * 3_000_000,
        line_end * 500_000,
        f"function f(){{{line_end}g(){line_end}}}{line_end}" * 20_000,
    ]
    for text in texts:
        start = time.thread_time()
        sketched(grammar, text, 100)
        assert time.thread_time() - start < 3


@pytest.mark.parametrize("closing", ["]", "]\n", "", "\n}"])
def test_what_is_nested_and_closed_is_looked_at_once(closing: str) -> None:
    grammar, text = grammar_named("java"), "x = [\n" * 8_000 + closing * 4_000
    sketched(grammar, text, 0)
    start = time.thread_time()
    sketched(grammar, text, 0)
    middle = time.thread_time()
    sketched(grammar, text, len(text))
    assert time.thread_time() - middle < 4 * (middle - start)
    compare(grammar, text[-9_000:], 9_000)


def test_a_parse_without_end_is_given_up_alike() -> None:
    text = "def f():\n    pass\n" + "<!--\n" * 12_000
    found = compare(grammar_named("python"), text, 100)
    assert found.notes == {"parse": "given up"}
    assert not found.closed


GREEDY = {
    # Each is quadratic in memory: gigabytes without a limit.
    "arrows": ("java", "x => ", 8_000),
    "lines of arrows": ("java", "x =>\n", 8_000),
    "pipes": ("bash", "|x| ", 3_000),
}
# Of each, the scanner of the grammar looks through all the rest, or all of the line before, for each token.
FAR_SIGHTED = [
    ("bash", ")", True),
    ("swift", "#", True),
    ("bash", "case (", True),
    ("haskell", "data ", True),
    ("haskell", "do ", False),
]
PEAK = """
import resource, sys
from chunker import CodeChunker
language, text, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
chunker = CodeChunker(language)
chunker.chunk("a")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(20):
    notes = {chunk.metadata.get("parse") for chunk in chunker.chunk(text * times)}
print(*notes, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of the memory in kilobytes")
@pytest.mark.parametrize("name", GREEDY)
def test_a_parser_takes_no_more_than_its_share_of_memory(name: str) -> None:
    language, text, times = GREEDY[name]
    command = [sys.executable, "-P", "-c", PEAK, language, text, str(times)]
    *notes, megabytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(megabytes) < 100, "what a parser had when it was stopped is given back, too"
    assert notes == ["given", "up"]


@pytest.mark.parametrize(("language", "part", "given_up"), FAR_SIGHTED)
def test_scanners_read_no_more_than_a_multiple_of_the_text(language: str, part: str, given_up: bool) -> None:
    text = part * (200_000 // len(part))
    start = time.thread_time()
    found = sketched(grammar_named(language), text, 100)
    assert time.thread_time() - start < 1.5
    assert found.notes["parse"] == ("given up" if given_up else "had errors")


@pytest.mark.parametrize("start", ["", "\ufeff", "x = 'é中'; ", "y = \ud800 1\n\r"])
def test_columns_are_counted_in_characters(start: str) -> None:
    line = "f = do { a <- 'é'; do b; do 中 c\n         d; 𝒳 <- e }; "
    for text in (start + line * 20, start + "\n".join([line.rstrip()] * 20), f"{start}f = do a é\n       b\n      c\n"):
        compare(grammar_named("haskell"), text, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_no_memory_is_an_error_and_not_the_end_of_the_process() -> None:
    script = (
        "import resource\n"
        "from chunker import CodeChunker\n"
        "chunker = CodeChunker('java')\n"
        "chunker.chunk('a')\n"
        "text = 'class A {\\n' + 'int a = 1;\\n' * 300_000 + '}'\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + 40_000_000, -1))\n"
        "try:\n"
        "    chunker.chunk(text)\n"
        "except MemoryError:\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n"
        "    print(len(chunker.chunk(text)) > 1)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


def test_readings_share_nothing() -> None:
    grammar = grammar_named("python")
    texts = [path.read_text("utf-8") for path in STANDARD_LIBRARY[1::4]]
    expected = [sketched(grammar, text, 400) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: sketched(grammar, text, 400), texts * 3))
    for one, other in zip(expected * 3, found, strict=True):
        assert one.boundaries == other.boundaries
        assert all(one.inside(offset) == other.inside(offset) for offset in one.closed)


def test_grammars_of_ones_own() -> None:
    functions = {
        "function_definition": DefinitionRule("routine", NameTemplate("{name}"), {"return_type": frozenset(["type"])})
    }
    table = Grammar("mine", tree_sitter_python.language, bodies=frozenset(["module", "block"]), definitions=functions)
    text = "import a\n\ndef f() -> int:\n    return 1\n\ndef g():\n    return 1\n"
    assert "routine" in compare(table, text, 20).labels
    assert compiled_walk(generic_grammar(Language(tree_sitter_python.language()))) is None, (
        "it keeps its pointer to itself"
    )
    assert CodeFormat(Language(tree_sitter_python.language())).sketch(text, 20).offsets


def test_scopes_are_those_of_the_outline() -> None:
    grammar = grammar_named("python")
    outline = CodeFormat(grammar).outline(SOURCES["python"])
    opened = sketched(grammar, SOURCES["python"], 400).opened()
    assert outline.scopes
    assert (opened.boundaries, opened.scopes) == (outline.boundaries, outline.scopes)


def test_a_region_that_was_cut_off_stays_so() -> None:
    regions = [(0, 9, "a"), (3, 12, "b"), (6, 15, "c")]
    assert [(scope.start, scope.end) for scope in clipped_scopes(regions)] == [(0, 3), (3, 6), (6, 15)]


def test_names_are_told_on_one_line() -> None:
    text = "class A(\n    B,\n    Ü\u2003\u3000x,\n):\n" + "    def f(self):\n        return 1\n\n" * 3
    text += f"class {'N' * 120}:\n    def g(self):\n        return 2\n"
    found = compare(grammar_named("python"), text, 20)
    assert found.breadcrumb(len(text) - 1)[0] == f"class {'N' * 93}…"


def test_a_sketch_is_not_kept_by_itself() -> None:
    found = sketched(grammar_named("python"), SOURCES["python"], 400)
    assert found.offsets
    assert found.breadcrumb(len(SOURCES["python"]) // 2)
    kept = weakref.ref(found)
    gc.disable()
    try:
        del found
        assert kept() is None
    finally:
        gc.enable()


def test_what_makes_no_sense_is_refused() -> None:
    assert compiled is not None
    make = compiled.Grammar
    good = {"kinds": [(0, 0, 0, -1)], "definitions": [], "whole_text": 0, "labels": list("abcde")} | {
        "skimmed": b"",
        "opening": b"",
        "spaced": False,
    }
    language = tree_sitter_python.language()
    with pytest.raises(TypeError):
        make("python", **good)
    with pytest.raises(TypeError, match="a language must be the capsule"):
        make(0, **good)
    wrongs: tuple[dict[str, object], ...] = (
        {"kinds": []},
        {"kinds": [(9, 0, 0, -1)]},
        {"kinds": [(5, 0, 0, 0)]},
        {"kinds": [(0, 0, 5, -1)]},
        {"whole_text": 5},
        {"labels": list("abcd")},
    )
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"no such|kinds of nodes"):
            make(language, **{**good, **wrong})
    reading = make(language, **good).read("x = 1\n", 0)
    with pytest.raises(ValueError, match="empty"):
        make(language, **good).read("", 0)
    with pytest.raises(IndexError):
        reading.inside(0)


@pytest.mark.parametrize(
    "text", ["val a\n@Test", "val()\n@", "class A\n@Inject", "fun f() {}\n@", "@", "// a comment\n@A"]
)
def test_an_annotation_at_the_end_is_no_endless_search(text: str) -> None:
    """The scanner of Kotlin skips what is no white space, and does not see the end of the text."""
    assert len(compare(grammar_named("kotlin"), text, 0).boundaries) == text.count("\n") + 1


@pytest.mark.parametrize(("language", "line"), [("rust", "<div>\n"), ("css", ".. a::\n\n"), ("ruby", "<!-- a -->\n")])
def test_broken_code_is_walked_in_linear_time(language: str, line: str) -> None:
    """All of it is in one node of errors, so that to look for the parent of a node is to go over all before it."""
    walk = compiled_walk(grammar_named(language))
    assert walk is not None

    def seconds(lines: int) -> float:
        start = time.process_time()
        walk.sketch(line * lines, 400)
        return time.process_time() - start

    assert min(seconds(16_000) for _ in range(2)) < 8 * max(min(seconds(4_000) for _ in range(3)), 0.01)
