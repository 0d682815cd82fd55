"""Three sets of questions whose answers are spans of real documents, made by rule from what Debian and Python publish.

    FAQ      Python's FAQ                 a heading that is a question        the text under it; the heading is removed
             the same, evened             so that no longer run of blank lines betrays where a heading was
    Node.js  its reference, Markdown      a section's first sentence          the rest of the section; the sentence is removed
    Python   the standard library         a docstring's first line            the function; docstrings of functions are removed

What is asked is thus never in the text that is searched. Nothing is picked by hand: files are drawn in the order of a
hash of their names, until there is enough text, and questions in the order of a hash of theirs.
"""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import regex
from debian_packages import unpacked
from python_structure import definitions
from real_texts import standard_library

from chunker.evaluation.planting import Planted, Rewriting, docstrings, sections, with_ends
from chunker.evaluation.questions import Question

LARGEST = 180_000  # characters of the documents of a set: about 45,000 tokens
MOST = 250  # questions of a set
_FAQ = ("python3.11-doc", "usr/share/doc/python3.11/html/_sources/faq/*.rst.txt")
_NODE = ("nodejs-doc", "usr/share/doc/nodejs/api/*.md.gz")


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
    """Python's FAQ without the runs of blank lines that headings leave. Raises PackageUnavailableError."""
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
        sections,
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


def _made(
    made: QuestionSet, texts: Mapping[str, str], rewritten: Callable[[str], tuple[str, list[Planted]]]
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


_UNDERLINED = regex.compile(r"^(?:([=*-])\1*\n)?(\S.*)\n(([=*^~\"-])\4{2,})\n", regex.MULTILINE)
_ROLE = regex.compile(r":[\w:+-]+:(?=`)")
_TARGET = regex.compile(r"`!?([^`<]*?)(?:\s*<[^`>]*>)?`_?")
# Marks and index entries in front of a heading belong to what follows.
_MARKS = regex.compile(r"(?:\n\s*|\.\. _[^\n]*:[ ]*|\.\. index::[^\n]*(?:\n   [^\n]*)*)+\Z")


def _faq_document(text: str) -> tuple[str, list[Planted]]:
    r"""Headings that are questions are left out, with their underlines.

    >>> _faq_document("Why?\n----\n\nSo.\n\n.. _x:\n\nHow `it <a>` goes?\n------------------\n\nThus.\n")
    ('\nSo.\n\n.. _x:\n\n\nThus.\n', [('Why?', 0, 4), ('How it goes?', 14, 20)])
    """
    headings = [match for match in _UNDERLINED.finditer(text) if len(match[3]) >= len(match[2])]
    asking = [(heading, end) for heading, end in with_ends(headings, text) if heading[2].endswith("?")]
    rewriting = Rewriting(text, [heading.span() for heading, _ in asking])
    found = []
    for heading, limit in asking:
        marks = _MARKS.search(text, heading.end(), limit)
        end = limit if marks is None else marks.start()
        question = _TARGET.sub(r"\1", _ROLE.sub("", heading[2])).strip()
        found.append((question, rewriting.moved(heading.end()), rewriting.moved(max(end, heading.end()))))
    return rewriting.text, found


_BLANK_LINES = regex.compile(r"(?<=\n\n)\n+")


def _even_faq_document(text: str) -> tuple[str, list[Planted]]:
    r"""As `_faq_document`, with one blank line wherever there are more.

    >>> _even_faq_document("So.\n\n\nWhy?\n----\n\nThus.\n")
    ('So.\n\nThus.\n', [('Why?', 5, 10)])
    """
    uneven, found = _faq_document(text)
    rewriting = Rewriting(uneven, [match.span() for match in _BLANK_LINES.finditer(uneven)])
    moved = rewriting.moved
    return rewriting.text, [(question, moved(start), moved(end)) for question, start, end in found]


def _python_document(source: str) -> tuple[str, list[Planted]]:
    """As `docstrings`, with the comments of a function as a part of the answer."""
    text, found = docstrings(source)
    around = {place.keyword if place.decorator is None else place.decorator: place for place in definitions(text)}
    places = [around[start + len(text[start:end]) - len(text[start:end].lstrip())] for _, start, end in found]
    return text, [(question, place.start, place.end) for (question, _, _), place in zip(found, places, strict=True)]
