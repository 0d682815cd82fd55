"""LaTeX: an article cut by cut, documents that docutils writes, and environments that do not match."""

from __future__ import annotations

import pytest
from docutils.core import publish_string

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.formats import Strength
from chunker.formats.markup.latex import LatexFormat

LATEX = LatexFormat()
TOKENIZER = Tokenizer.load("o200k_base")

ARTICLE = r"""\documentclass{article}
\usepackage{x} % \begin{document}

\title{A}
\begin{document}
\maketitle
% about the section
\section[short]{The \emph{Guide} \& co}
\label{sec:a}

First one. Second
goes on $a.b$ and.

\begin{itemize}
  \item one. Two.
  \item two
    \begin{enumerate}
      \item deep
      \item deeper
    \end{enumerate}
\end{itemize}
Text before
\begin{equation}
  a = b

  c
\end{equation}
and after.

\subsection{Sub}
\begin{verbatim}
\section{no}
% x
\end{verbatim}
\begin{theorem}[X]
Let. It be.

Second part.
\end{theorem}
% a note

\section{B}
End.
\end{document}
"""


def cuts(text: str) -> list[tuple[str, str]]:
    boundaries = LATEX.outline(text).boundaries
    ends = [boundary.offset for boundary in boundaries[1:]] + [len(text)]
    return [(boundary.label, text[boundary.offset : end]) for boundary, end in zip(boundaries, ends, strict=True)]


def test_an_article_cut_by_cut() -> None:
    assert cuts(ARTICLE) == [
        ("preamble", "\\documentclass{article}\n"),
        ("line", "\\usepackage{x} % \\begin{document}\n\n"),
        ("paragraph", "\\title{A}\n"),
        ("document", "\\begin{document}\n\\maketitle\n"),
        (
            "section",
            "% about the section\n\\section[short]{The \\emph{Guide} \\& co}\n\\label{sec:a}\n\nFirst one. ",
        ),
        ("sentence", "Second\n"),
        ("line", "goes on $a.b$ and.\n\n"),
        ("list", "\\begin{itemize}\n  \\item one. "),
        ("sentence", "Two.\n"),
        ("item", "  \\item two\n"),
        ("list", "    \\begin{enumerate}\n      \\item deep\n"),
        ("item", "      \\item deeper\n    \\end{enumerate}\n\\end{itemize}\n"),
        ("paragraph", "Text before\n"),
        ("equation", "\\begin{equation}\n"),
        ("line", "  a = b\n\n"),
        ("paragraph", "  c\n"),
        ("line", "\\end{equation}\n"),
        ("paragraph", "and after.\n\n"),
        ("section", "\\subsection{Sub}\n"),
        ("code", "\\begin{verbatim}\n\\section{no}\n"),
        ("line", "% x\n\\end{verbatim}\n"),
        ("theorem", "\\begin{theorem}[X]\nLet. "),
        ("sentence", "It be.\n\n"),
        ("paragraph", "Second part.\n\\end{theorem}\n"),
        ("comment", "% a note\n\n"),
        ("section", "\\section{B}\nEnd.\n\\end{document}\n"),
    ]


def test_sections_are_scopes() -> None:
    outline = LATEX.outline(ARTICLE)
    assert outline.breadcrumb(ARTICLE.index("Two.")) == ("The Guide & co",)
    assert outline.breadcrumb(ARTICLE.index("It be")) == ("The Guide & co", "Sub")
    assert outline.breadcrumb(ARTICLE.index("End.")) == ("B",)
    by_offset = {boundary.offset: boundary.strength for boundary in outline.boundaries}
    starts = [
        "\\begin{document}\n\\m",
        "% about",
        "\\subsection",
        "\\begin{itemize}",
        "  \\item two",
        "      \\item deeper",
    ]
    found = [by_offset[ARTICLE.index(start)] for start in starts]
    assert found == sorted(found, reverse=True)
    assert found[-1] > Strength.STRUCTURE


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_make_no_difference(line_end: str) -> None:
    changed = cuts(ARTICLE.replace("\n", line_end))
    assert [(label, part.replace(line_end, "\n")) for label, part in changed] == cuts(ARTICLE)


TABLE = r"""\begin{table}[h]
\centering
\begin{tabular}{ll}
\hline
a & b \\ \hline
1 & 2 \\
3 & 4 \\
5 & 6 \\
\end{tabular}
\caption{x}
\end{table}
"""


@pytest.mark.parametrize(
    ("table", "header", "first"),
    [
        (TABLE, "\\begin{tabular}{ll}\n\\hline\na & b \\\\ \\hline\n", "3 & 4"),
        (
            TABLE.replace("\\hline\na", "\\toprule\na").replace(" \\hline\n1", "\n\\midrule\n1"),
            "\\begin{tabular}{ll}\n\\toprule\na & b \\\\\n\\midrule\n",
            "3 & 4",
        ),
        (
            "\\begin{longtable}{ll}\na & b \\\\\n\\endhead\n1 & 2 \\\\\n3 & 4 \\\\\n\\end{longtable}\n",
            "\\begin{longtable}{ll}\na & b \\\\\n\\endhead\n",
            "3 & 4",
        ),
    ],
)
def test_tables_repeat_their_header(table: str, header: str, first: str) -> None:
    text = f"Text.\n\n{table}\nMore.\n"
    outline = LATEX.outline(text)
    (scope,) = outline.scopes
    assert scope.header == header
    inside = [boundary for boundary in outline.boundaries if scope.start < boundary.offset < scope.end]
    # The first row stays with the header; and all is weaker than the table.
    assert text.startswith(first, inside[0].offset)
    assert all(boundary.strength <= Strength.PARAGRAPH for boundary in inside)


def test_a_float_that_fits_is_whole() -> None:
    text = "\\section{A}\n" + ("Words and words and words. " * 15 + "\n\n" + TABLE + "\n") * 5
    limit = TOKENIZER.count(TABLE) * 5 // 4 + 1
    assert sum(TABLE.strip() in chunk.body for chunk in TextChunker(limit, format="latex").chunk(text)) == 5


def test_long_listings_are_cut_as_their_language() -> None:
    code = "".join(
        f"def function_{number}(a):\n    b = a  # \\section{{no}}\n\n    return b\n\n" for number in range(40)
    )
    for begin, end in (
        ("\\begin{lstlisting}[language=Python]", "\\end{lstlisting}"),
        ("\\begin{minted}[linenos]{python}", "\\end{minted}"),
    ):
        text = f"\\section{{A}}\n\n{begin}\n{code}{end}\n\nMore.\n"
        outline = LATEX.outline(text)
        functions = [boundary for boundary in outline.boundaries if boundary.label == "function"]
        assert len(functions) >= 39
        assert all(text.startswith("def", boundary.offset) for boundary in functions)
        assert outline.breadcrumb(text.index("return b")) == ("A", "def function_0")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("\\end{a}text", ["paragraph"]),
        ("\\begin{itemize}\n\\item a\n\\item b\n", ["list", "item"]),
        ("\\begin{a}\n\nx\n\n\\begin{b}\n\ny\n\n\\end{a}\n\nz\n", ["a", "b", "paragraph"]),
        ("\\begin{verbatim}\n\\section{a}\n", ["verbatim", "section"]),
        ("\\begin{equation}\na\n\nb", ["equation", "line", "paragraph"]),
        ("\\section{open\n\ntext", ["section", "paragraph"]),
        ("100\\% \\\\% \\section{no}\n\\section{yes}\n", ["paragraph", "section"]),
        ("\\verb|\\section{no}| x\n\n\\section*{yes}\n", ["paragraph", "section"]),
        ("\\sectional{no}\n\n\\itemsep x\n", ["paragraph", "paragraph"]),
    ],
)
def test_what_does_not_match(text: str, labels: list[str]) -> None:
    assert [boundary.label for boundary in LATEX.outline(text).boundaries] == labels


def test_titles() -> None:
    text = "\\part{P}\n\\chapter*{C \\label{x} {d}}\n\\section\n{E~f}\n\\paragraph{G\\footnote{no}} text\n\nx"
    names = LATEX.outline(text).breadcrumb(len(text) - 1)
    assert names == ("P", "C d", "G")


REST = "\n".join(
    f"Section {name}\n{'=' * 9}\n\nText of it. More.\n\nPart {name}\n{'-' * 9}\n\n- one\n- two\n\n::\n\n   verb\n"
    for name in "abcd"
)


def test_documents_that_docutils_writes() -> None:
    options = {
        "output_encoding": "unicode",
        "use_latex_citations": True,
        "legacy_column_widths": False,
        "_disable_config": True,
    }
    text = publish_string(REST, writer="latex", settings_overrides=options)
    outline = LATEX.outline(text)
    expected = [f"{kind} {name}" for name in "abcd" for kind in ("Section", "Part")]
    assert [scope.name for scope in outline.scopes if scope.name] == expected
    body = text.index("\\begin{document}")
    strengths = {boundary.offset: boundary.strength for boundary in outline.boundaries}
    assert strengths[body] == max(strength for offset, strength in strengths.items() if offset)
    assert [boundary.label for boundary in outline.boundaries].count("item") == 4
