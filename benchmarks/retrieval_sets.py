"""Three sets of questions whose answers are spans of real documents, made by rule from what Debian and Python publish.

    FAQ      Python's FAQ                 a heading that is a question        the text under it; the heading is removed
             the same, evened             so that no longer run of blank lines betrays where a heading was
    Node.js  its reference, Markdown      a section's first sentence          the rest of the section; the sentence is removed
    Python   the standard library         a docstring's first line            the function; docstrings of functions are removed

What is asked is thus never in the text that is searched. Nothing is picked by hand: files are drawn in the order of a hash of
their names, until there is enough text, and questions in the order of a hash of theirs.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import regex
from debian_packages import unpacked
from python_structure import definitions
from real_texts import standard_library

LARGEST = 180_000  # characters of the documents of a set: about 45,000 tokens
MOST = 250  # questions of a set
_FAQ = ("python3.11-doc", "usr/share/doc/python3.11/html/_sources/faq/*.rst.txt")
_NODE = ("nodejs-doc", "usr/share/doc/nodejs/api/*.md.gz")


@dataclass(frozen=True)
class Question:
    """What is asked, and where the answer is: in characters of the document of that name."""

    text: str
    document: str
    start: int
    end: int


@dataclass(frozen=True)
class QuestionSet:
    """Documents by name, and questions about them; `source` and `rule` say where both are from."""

    name: str
    source: str
    rule: str
    documents: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()


Maker = Callable[[Path], QuestionSet]


def faq(folder: Path) -> QuestionSet:
    """Python's FAQ. Raises PackageUnavailableError."""
    rule = (
        "Headings that are questions were taken out of the text. What stays behind of each is a longer run of blank lines: a "
        "chunker that cuts at the longest runs first knows where the answers begin."
    )
    return _made(QuestionSet("FAQ", "Python's FAQ, reStructuredText", rule), _faq_texts(folder), _faq_document)


def even_faq(folder: Path) -> QuestionSet:
    """Python's FAQ without the runs of blank lines that headings leave behind. Raises PackageUnavailableError."""
    rule = "The same questions; all runs of blank lines are one blank line."
    return _made(QuestionSet("FAQ, evened", "the same text", rule), _faq_texts(folder), _even_faq_document)


def _faq_texts(folder: Path) -> dict[str, str]:
    package, pattern = _FAQ
    return {path.name.partition(".")[0]: path.read_text("utf-8") for path in unpacked(package, folder).glob(pattern)}


def node(folder: Path) -> QuestionSet:
    """The reference of Node.js. Raises PackageUnavailableError."""
    package, pattern = _NODE
    paths = [path for path in unpacked(package, folder).glob(pattern) if path.name not in ("all.md.gz", "index.md.gz")]
    texts = {path.name.partition(".")[0]: gzip.decompress(path.read_bytes()).decode("utf-8") for path in paths}
    return _made(
        QuestionSet("Node.js", "its reference, Markdown", "First sentences of sections were taken out; headings stay."),
        texts,
        _markdown_document,
    )


def python(_folder: Path) -> QuestionSet:
    """The top-level modules of the standard library."""
    return _made(
        QuestionSet(
            "Python", "modules of its library", "Docstrings of functions were taken out; their first lines ask."
        ),
        standard_library(),
        _python_document,
    )


SETS: Mapping[str, Maker] = {"faq": faq, "even_faq": even_faq, "node": node, "python": python}


class _Rewriting:
    """A text of which parts are left out, and how its offsets move.

    >>> rewriting = _Rewriting("a secret thing", [(2, 9)])
    >>> rewriting.text, rewriting.moved(9)
    ('a thing', 2)
    """

    def __init__(self, text: str, removed: Iterable[tuple[int, int]]) -> None:
        self._removed = sorted(removed)
        kept = []
        last = 0
        for start, end in self._removed:
            kept.append(text[last:start])
            last = end
        self.text = "".join([*kept, text[last:]])

    def moved(self, offset: int) -> int:
        """Where what was at `offset` is now."""
        return offset - sum(min(end, offset) - start for start, end in self._removed if start < offset)


# Questions without the name of their document: what they ask, and the span of the answer.
_Found = tuple[str, int, int]


def _made(
    made: QuestionSet, texts: Mapping[str, str], rewritten: Callable[[str], tuple[str, list[_Found]]]
) -> QuestionSet:
    documents = {}
    asked = []
    size = 0
    for key in sorted(texts, key=_draw):
        text, found = rewritten(texts[key])
        if not found or size + len(text) > LARGEST:
            continue
        documents[key] = text
        size += len(text)
        asked += [Question(question, key, start, end) for question, start, end in found if text[start:end].strip()]
    # What is asked in several places has several answers, of which only one would count.
    times = Counter(question.text for question in asked)
    unique = sorted((question for question in asked if times[question.text] == 1), key=lambda one: _draw(one.text))
    return replace(made, documents=documents, questions=tuple(unique[:MOST]))


def _draw(name: str) -> bytes:
    return hashlib.blake2b(name.encode(), digest_size=8).digest()


def _with_ends(headings: list[regex.Match[str]], text: str) -> Iterator[tuple[regex.Match[str], int]]:
    """Each heading, and where the next begins or the text ends."""
    for index, heading in enumerate(headings, 1):
        yield heading, headings[index].start() if index < len(headings) else len(text)


_UNDERLINED = regex.compile(r"^(?:([=*-])\1*\n)?(\S.*)\n(([=*^~\"-])\4{2,})\n", regex.MULTILINE)
_ROLE = regex.compile(r":[\w:+-]+:(?=`)")
_TARGET = regex.compile(r"`!?([^`<]*?)(?:\s*<[^`>]*>)?`_?")
# Marks and index entries in front of a heading belong to what follows.
_MARKS = regex.compile(r"(?:\n\s*|\.\. _[^\n]*:[ ]*|\.\. index::[^\n]*(?:\n   [^\n]*)*)+\Z")


def _faq_document(text: str) -> tuple[str, list[_Found]]:
    r"""Headings that are questions are left out, with their underlines.

    >>> _faq_document("Why?\n----\n\nSo.\n\n.. _x:\n\nHow `it <a>` goes?\n------------------\n\nThus.\n")
    ('\nSo.\n\n.. _x:\n\n\nThus.\n', [('Why?', 0, 4), ('How it goes?', 14, 20)])
    """
    headings = [match for match in _UNDERLINED.finditer(text) if len(match[3]) >= len(match[2])]
    asking = [(heading, end) for heading, end in _with_ends(headings, text) if heading[2].endswith("?")]
    rewriting = _Rewriting(text, [heading.span() for heading, _ in asking])
    found = []
    for heading, limit in asking:
        marks = _MARKS.search(text, heading.end(), limit)
        end = limit if marks is None else marks.start()
        question = _TARGET.sub(r"\1", _ROLE.sub("", heading[2])).strip()
        found.append((question, rewriting.moved(heading.end()), rewriting.moved(max(end, heading.end()))))
    return rewriting.text, found


_BLANK_LINES = regex.compile(r"(?<=\n\n)\n+")


def _even_faq_document(text: str) -> tuple[str, list[_Found]]:
    r"""As `_faq_document`, with one blank line wherever there are more.

    >>> _even_faq_document("So.\n\n\nWhy?\n----\n\nThus.\n")
    ('So.\n\nThus.\n', [('Why?', 5, 10)])
    """
    uneven, found = _faq_document(text)
    rewriting = _Rewriting(uneven, [match.span() for match in _BLANK_LINES.finditer(uneven)])
    moved = rewriting.moved
    return rewriting.text, [(question, moved(start), moved(end)) for question, start, end in found]


_FENCED = regex.compile(r"^(```+|~~~+).*?^\1[ ]*$", regex.MULTILINE | regex.DOTALL)
_HEADING = regex.compile(r"^#{1,6} .*$", regex.MULTILINE)
# Of paragraphs, the first that is prose: no list, quote, table, comment or code.
_PARAGRAPH = regex.compile(r"(?<=\n\n)(?![-*+>|<#`~\[\s]|\d+\.)(?:[^\n]+\n)+(?=\n)")
_SENTENCE = regex.compile(r".+?[.](?=\s)", regex.DOTALL)
_LINK = regex.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\[[^\]]*\]|\([^)]*\))")


def _markdown_document(text: str) -> tuple[str, list[_Found]]:
    r"""The first sentences of sections are left out: those of at least six words that are not all that the section says.

    >>> text = "# A\n\nIt does one thing and [well][w]. And so on.\n\n## B\n\nToo short. So.\n"
    >>> _markdown_document(text)
    ('# A\n\n And so on.\n\n## B\n\nToo short. So.\n', [('It does one thing and well.', 3, 18)])
    """
    code = [match.span() for match in _FENCED.finditer(text)]
    headings = [
        match for match in _HEADING.finditer(text) if not any(start < match.start() < end for start, end in code)
    ]
    asked = []
    for heading, end in _with_ends(headings, text):
        paragraph = _PARAGRAPH.search(text, heading.end(), end)
        if paragraph is None or any(start < paragraph.start() < stop for start, stop in code):
            continue
        sentence = _SENTENCE.match(paragraph[0])
        if sentence is None or len(sentence[0].split()) < 6:
            continue
        first, last = paragraph.start(), paragraph.start() + sentence.end()
        if len(f"{text[heading.end() : first]}{text[last:end]}".strip()) < 10:
            continue
        question = " ".join(_LINK.sub(r"\1", sentence[0]).split())
        asked.append((question, heading.end(), end, (first, last)))
    rewriting = _Rewriting(text, [sentence for *_, sentence in asked])
    moved = rewriting.moved
    return rewriting.text, [(question, moved(start), moved(end)) for question, start, end, _ in asked]


def _python_document(source: str) -> tuple[str, list[_Found]]:
    r"""The docstrings of functions are left out; questions are the first lines of those of at least four words.

    >>> _python_document("def f(x):\n    'Give back what it gets.'\n    return x\n")
    ('def f(x):\n    return x\n', [('Give back what it gets.', 0, 22)])
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    documented = dict(_docstrings(tree, lines))
    removed = {line for node in documented.values() for line in range(node.lineno - 1, node.end_lineno or 0)}
    # A blank line behind a docstring would become the first of the body.
    removed |= {line + 1 for line in removed if line + 1 < len(lines) and not lines[line + 1].strip()}
    text = "".join(line for number, line in enumerate(lines) if number not in removed)
    # Both walks meet the definitions in the same order: nothing but statements without names was removed.
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    found = []
    for node, place in zip(nodes, definitions(text), strict=True):
        if node in documented:
            question = inspect.cleandoc(ast.get_docstring(node) or "").partition("\n")[0]
            if len(question.split()) >= 4:
                found.append((question, place.start, place.end))
    return text, found


def _docstrings(tree: ast.Module, lines: list[str]) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Functions and their docstrings: those that have lines of their own, and a body beside."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) < 2:
            continue
        first = node.body[0]
        if not isinstance(first, ast.Expr) or ast.get_docstring(node) is None:
            continue
        before = lines[first.lineno - 1].encode()[: first.col_offset]
        behind = lines[(first.end_lineno or 0) - 1].encode()[first.end_col_offset or 0 :]
        if not before.strip() and not behind.strip():
            yield node, first
