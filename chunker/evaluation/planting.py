"""Questions planted by rule: a sentence that says what a part is about is taken out of the text, and asked.

    Markdown     the first sentence of a section     answer: the rest of the section
    Python       the first line of a docstring       answer: the function; docstrings of functions are removed
    other text   the first sentence of a paragraph   answer: the rest of the paragraph

So a question is never in the text that is searched. Documents and questions are drawn in the order of a hash, never by
hand.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

import regex

from chunker.evaluation.questions import Question

# A question without the name of its document: its text, and the span of the answer.
Planted = tuple[str, int, int]
Rule = Callable[[str], tuple[str, list[Planted]]]

_WORDS = 6  # the fewest words of a sentence that becomes a question
_REST = 10  # characters that an answer has at least


class Rewriting:
    """A text with parts removed, and the mapping of its offsets.

    Args:
        text: The text.
        removed: Spans that do not overlap.

    Examples:
        >>> rewriting = Rewriting("a secret thing", [(2, 9)])
        >>> rewriting.text, rewriting.moved(9)
        ('a thing', 2)
    """

    def __init__(self, text: str, removed: Iterable[tuple[int, int]]) -> None:
        spans = sorted(removed)
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self._gone = list(accumulate((end - start for start, end in spans), initial=0))
        kept = [text[end:start] for end, start in zip([0, *self._ends], [*self._starts, len(text)], strict=True)]
        self.text = "".join(kept)

    def moved(self, offset: int) -> int:
        """Return the offset in the new text for an offset in the old one.

        Args:
            offset: The offset in the old text, in characters.
        """
        before = bisect_right(self._starts, offset)
        if before and offset < self._ends[before - 1]:  # inside a removed span
            return self._starts[before - 1] - self._gone[before - 1]
        return offset - self._gone[before]


def plant_questions(
    documents: Mapping[str, str], *, most: int = 250, largest: int = 2_000_000
) -> tuple[dict[str, str], list[Question]]:
    """Make questions out of documents by rule.

    Args:
        documents: Texts by name; the ending of a name chooses the rule.
        most: The largest number of questions.
        largest: The largest number of characters of all documents together; if there are more, some documents are
            drawn.

    Returns:
        The documents without the sentences that are asked, and the questions. Documents without questions are among
        them, because they are searched like the others.
    """
    rewritten: dict[str, str] = {}
    asked: list[Question] = []
    size = 0
    for name in sorted(documents, key=_draw):
        if size + len(documents[name]) > largest:
            continue
        size += len(documents[name])
        try:
            text, found = _rule(name)(documents[name])
        except (
            SyntaxError,
            ValueError,
            RecursionError,
        ):  # not valid Python for this version: searched, but not asked about
            text, found = documents[name], []
        rewritten[name] = text
        asked += [Question(question, name, start, end) for question, start, end in found if text[start:end].strip()]
    # A question from several places has several answers, of which only one would count.
    times = Counter(question.text for question in asked)
    unique = sorted((question for question in asked if times[question.text] == 1), key=lambda one: _draw(one.text))
    return {name: rewritten[name] for name in documents if name in rewritten}, unique[:most]


def _rule(name: str) -> Rule:
    ending = name.rpartition(".")[2].lower()
    return {"md": sections, "markdown": sections, "mdx": sections, "py": docstrings}.get(ending, paragraphs)


def _draw(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()


_FENCED = regex.compile(r"^(```+|~~~+).*?^\1[ ]*$", regex.MULTILINE | regex.DOTALL)
_HEADING = regex.compile(r"^#{1,6} .*$", regex.MULTILINE)
# A first paragraph of prose: no list, quote, table, comment or code.
_PARAGRAPH = regex.compile(r"(?:(?<=\n\n)|\A)(?![-*+>|<#`~\[\s]|\d+\.)(?:[^\n]+\n)+(?=\n|\Z)")
_SENTENCE = regex.compile(r".+?[.!?。！？](?=\s|$)", regex.DOTALL)  # full stops of Chinese and Japanese
_LINK = regex.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\[[^\]]*\]|\([^)]*\))")


def sections(text: str) -> tuple[str, list[Planted]]:
    r"""Take out the first sentences of sections: those of at least six words that are not all that the section says.

    Args:
        text: Markdown.

    Examples:
        >>> sections("# A\n\nIt does one thing and [well][w]. And so on.\n\n## B\n\nToo short. So.\n")
        ('# A\n\n And so on.\n\n## B\n\nToo short. So.\n', [('It does one thing and well.', 3, 18)])
    """
    code = [match.span() for match in _FENCED.finditer(text)]
    headings = [match for match in _HEADING.finditer(text) if not _within(match.start(), code)]
    asked = []
    for heading, end in with_ends(headings, text):
        paragraph = _PARAGRAPH.search(text, heading.end(), end)
        if paragraph is None or _within(paragraph.start(), code):
            continue
        first, last = paragraph.start(), paragraph.start() + _opening(paragraph[0])
        if first == last or len(f"{text[heading.end() : first]}{text[last:end]}".strip()) < _REST:
            continue
        asked.append((_plain(text[first:last]), heading.end(), end, (first, last)))
    return _without(text, asked)


def paragraphs(text: str) -> tuple[str, list[Planted]]:
    r"""Remove the first sentences of paragraphs, if they have at least six words and are not the whole paragraph.

    Args:
        text: Any text.

    Examples:
        >>> paragraphs("One.\n\nThe weather was fine on that day. We went out early.\n")
        ('One.\n\n We went out early.\n', [('The weather was fine on that day.', 6, 26)])
    """
    asked = []
    for paragraph in _PARAGRAPH.finditer(text):
        first, last = paragraph.start(), paragraph.start() + _opening(paragraph[0])
        if first < last and len(text[last : paragraph.end()].strip()) >= _REST:
            asked.append((_plain(text[first:last]), first, paragraph.end(), (first, last)))
    return _without(text, asked)


def _without(text: str, asked: list[tuple[str, int, int, tuple[int, int]]]) -> tuple[str, list[Planted]]:
    rewriting = Rewriting(text, [sentence for *_, sentence in asked])
    moved = rewriting.moved
    return rewriting.text, [(question, moved(start), moved(end)) for question, start, end, _ in asked]


def _opening(paragraph: str) -> int:
    """Return the length of the first sentence; 0 if it is too short for a question."""
    sentence = _SENTENCE.match(paragraph)
    return 0 if sentence is None or len(sentence[0].split()) < _WORDS else sentence.end()


def _plain(sentence: str) -> str:
    return " ".join(_LINK.sub(r"\1", sentence).split())


def _within(offset: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < offset < end for start, end in spans)


def with_ends(headings: list[regex.Match[str]], text: str) -> Iterator[tuple[regex.Match[str], int]]:
    """Yield each heading, and the offset where the next begins or the text ends.

    Args:
        headings: Matches in ascending order.
        text: The text they are of.
    """
    for index, heading in enumerate(headings, 1):
        yield heading, headings[index].start() if index < len(headings) else len(text)


def docstrings(source: str) -> tuple[str, list[Planted]]:
    r"""Remove the docstrings of functions; first lines of at least four words become questions.

    Args:
        source: Python.

    Raises:
        SyntaxError: The source is not valid Python for this version.

    Examples:
        >>> docstrings("def f(x):\n    'Give back what it gets.'\n    return x\n")
        ('def f(x):\n    return x\n', [('Give back what it gets.', 0, 22)])
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    documented = dict(_docstrings(tree, lines))
    removed = {line for node in documented.values() for line in range(node.lineno - 1, node.end_lineno or 0)}
    # A blank line after a docstring would become the first line of the body.
    removed |= {line + 1 for line in removed if line + 1 < len(lines) and not lines[line + 1].strip()}
    starts = list(accumulate((0 if number in removed else len(line) for number, line in enumerate(lines)), initial=0))
    text = "".join(line for number, line in enumerate(lines) if number not in removed)
    found = []
    for node in documented:
        question = inspect.cleandoc(ast.get_docstring(node) or "").partition("\n")[0]
        if len(question.split()) >= 4:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            end = starts[node.end_lineno or first]
            found.append((question, starts[first - 1], end - (text[:end].endswith("\n"))))
    return text, found


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _docstrings(tree: ast.Module, lines: list[str]) -> Iterator[tuple[_Function, ast.stmt]]:
    """Yield functions with a docstring on lines of its own, and more in their body."""
    for node in ast.walk(tree):
        if not isinstance(node, _Function) or len(node.body) < 2:
            continue
        first = node.body[0]
        if not isinstance(first, ast.Expr) or ast.get_docstring(node) is None:
            continue
        before = lines[first.lineno - 1].encode()[: first.col_offset]
        after = lines[(first.end_lineno or 0) - 1].encode()[first.end_col_offset or 0 :]
        if not before.strip() and not after.strip():
            yield node, first
