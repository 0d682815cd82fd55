"""The compiled readers of markup find what their specifications in Python find, in any text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from format_fragments import COMMON, PIECES
from hypothesis import example, given
from hypothesis import strategies as st

from chunker.formats import Outline
from chunker.formats.code.parser_copies import copy_in_python
from chunker.formats.columns import prose_columns
from chunker.formats.markup.html import HtmlFormat, html_in_python, states_by_compiled, states_in_python
from chunker.formats.markup.latex import LatexFormat, latex_in_python
from chunker.formats.markup.restructuredtext_lines import lines_in_python, lines_of
from chunker.native import native

pytestmark = pytest.mark.skipif(native() is None, reason="the engine runs in pure Python: there is nothing to compare")

TWINS: dict[str, tuple[Callable[[str], Outline], Callable[[str], Outline]]] = {
    "html": (HtmlFormat().outline, html_in_python),
    "latex": (LatexFormat().outline, latex_in_python),
}

# What more of a format decides about a character.
MORE = {
    "html": [
        *("<H3 id='x'>", "</h3>", "<h1>One <i>two</i>&amp;\n", "<article>", "</article>", "<nav>", "<dl>", "<dt>",
          "<dd>", "<option>", "<optgroup>", "<tbody>", "<tfoot>"),
        *("</pre>", "<b", "<b\x1c", "</", "<!", "<?", "<!DOCTYPE html>", "<!-->", "<script type='text/babel'>\n",
          "<script>\n" + "let a = {b: 1};\n" * 70, "</SCRIPT >"),
        *("<style>\n" + "p { color: red }\n" * 60 + "</style>", "<!--" + "long " * 70 + "\n\nx -->", "<form>", "</form>",
          "<col>", "<title>", "</table x>", "\n\n \n", "<center>"),
    ],
    "latex": [
        *("\\verb*+a%+", "\\verb@x@", "\\verbatiminput{a}", "\\begin {a*}", "\\begin{ verbatim }\n", "\\end{ verbatim }",
          "\\begin{document}", "%\\begin{document}\n", "\\\\", "\\\\*[2pt] \\hline\n"),
        *("\\begin{lstlisting}[language=Python]\n" + "def f(x):\n    return x\n\n" * 60 + "\\end{lstlisting}\n",
          "\\begin{minted}[a]{c}\n" + "int f(void);\n" * 90 + "\\end{minted}"),
        *("\\begin{frame}{One \\& {two}}\n", "\\begin{frame}{}\n", "\\end{frame}\n", "\\label{x}\n", "\\section*[s]{A\n\nB}",
          "\\part{P}", "\\paragraph {Q \\footnote{x}} r", "\\section{A \\begin", "\\tabularnewline\n"),
        *("\\begin{tabular*}{2}\n", "\\endhead\n", "\\midrule", "  % x\n", "\n  % y\n", "text\n", "\\item[a] ", "\\begin{figure}\n",
          "\\end{figure}", "\\begin{", "[a]", "{b}"),
    ],
}  # fmt: skip
MARKS = {"latex": '\\%{}[]$&~ \t\n\rab.A"é\u0301*@', "html": "<>/!?-\"' \t\n\rpbh1.Aa)é\u0301"}
PROSE = st.text(st.sampled_from(".!?。！｡…»«\"')(*_~`aA1é,;: \n\r\t\u0301\u200d\u00ad\u0600\u2029"), max_size=40)
SENTENCES = [
    *".!? \n\t-,(\"'*_`;1aB)",
    "\r\n",
    ". A",
    ". a",
    "e.g. ",
    "3.14",
    "U.S. ",
    "\x0b",
    "\x00",
    "?! ",
    '."  ',
    "日。",
    "é. ",
]


def assert_alike(name: str, text: str) -> None:
    if not text:
        return
    compiled, in_python = TWINS[name]
    one, other = compiled(text), in_python(text)
    assert one.boundaries == other.boundaries
    assert (one.scopes, one.notes, one.finest, one.heads) == (other.scopes, other.notes, other.finest, other.heads)
    if name == "html":
        assert states_by_compiled(text) == states_in_python(text)


@pytest.mark.parametrize("name", TWINS)
@given(data=st.data())
@example(data=None)
def test_any_text_is_read_alike(name: str, data: st.DataObject | None) -> None:
    if data is None:
        assert_alike(name, "\ufeff" + "".join(PIECES[name] + MORE[name]))
        assert_alike(name, "".join(MORE[name] + PIECES[name]))
        return
    pieces = st.sampled_from(PIECES[name] + MORE[name] + MORE[name] + COMMON)
    text = st.lists(pieces | st.text(max_size=6), max_size=30).map("".join)
    assert_alike(name, data.draw(text | st.text(st.sampled_from(MARKS[name]), max_size=60) | PROSE))


@given(text=PROSE | st.lists(st.sampled_from(SENTENCES), max_size=14).map("".join))
def test_prose_is_read_alike(text: str) -> None:
    compiled = native()
    assert compiled is not None
    assert compiled.prose_columns(text) == prose_columns(text, copy_in_python(text))


@given(
    text=st.lists(st.sampled_from([" ", "\t", "\n", "\x1c", "- a", "b", "\x02"]), max_size=20).map("".join),
    start=st.integers(0, 2),
)
def test_lines_of_restructuredtext_are_read_alike(text: str, start: int) -> None:
    assert lines_of(text, start) == lines_in_python(text, start)
