"""What texts of the formats are made of, whole and broken."""

from __future__ import annotations

import strategies
from hypothesis import strategies as st

# Of formats of data.
SHARDS = (
    *("{", "}", "[", "]", ",", ":", '"', "'", "\\", '\\"', "\\n", "\\\\n", "//", "/*", "*/", "/", '"a": ', '"b": [1, 2]', "null", '{"k": "v"},\n'),
    *("- ", "-", "key: ", "key:\n", "  ", "    ", "\t", "# c\n", "---\n", "...\n", "|\n", ">-\n", "&a ", "*a", "!!str ", "? ", "- a\n", "{{- x }}\n"),
    *("[t]\n", "[t.u]\n", "[[t]]\n", "[[t.u]]\n", "k = 1\n", "k = [\n", '"""', "'''", "a.b = ", "= ", ".", "[a.a.a]\n"),
    *("a,b,c\n", ";", "|", '"x ""y"', '""', "sep=;\n", "1,2,3\n", "\ufeff"),
    *('{"cells": [', '{"cell_type": "markdown", "source": ["# A\\n", ', '{"cell_type": "code", "outputs": [', '"source": [', '"source": "## B\\n'),
    *("\n", "\r", "\r\n", "\n\n", " \n", "\0", "\u2028", "\x85", "\f", "\ud800", "\u0301", "\u200d", "é", "中。", "word word ", "x" * 70, '"' + "y" * 70 + '"'),
)  # fmt: skip
data_texts = st.one_of(
    st.lists(st.one_of(st.sampled_from(SHARDS), st.sampled_from(SHARDS), strategies.fragments), max_size=40).map(
        "".join
    ),
    strategies.broken_texts(),
)
# Of markup: what all formats of it have, and what each has.
COMMON = [
    *("word ", "a", "A. b", "One. Two! ", "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "x" * 150),
    *(
        "é",
        "e\u0301",
        "\u0301",
        "日本語。",
        "\u0600",
        "👨\u200d👩\u200d👧",
        "\x00",
        "\ud800",
        "\ufeff",
        "\x0b",
        "\u2028",
    ),
    *("<", ">", "&amp;", '"', "'", "{", "}", "\\", "%", "$", "|", "`", "#", "-", "="),
]
PIECES = {
    "html": [
        *(
            "<p>",
            "</p>",
            "<div class='a'>",
            "</div>",
            "<ul>",
            "<li>",
            "</ul>",
            "<h1>",
            "</h1>",
            "<h2>T</h2>",
            "<br>",
            "<hr/>",
        ),
        *(
            "<table>",
            "<tr>",
            "<td>",
            "<th>",
            "</tr>",
            "</table>",
            "<thead>",
            "</thead>",
            "<caption>",
            "<aside>",
            "<section>",
        ),
        *(
            "<pre>",
            "</pre>",
            "<!-- c -->",
            "<!--",
            "-->",
            "<script>var a;\nb",
            "</script>",
            "<style>",
            "</STYLE>",
            "</section>",
        ),
        *("<b>", "</b>", '<a href="x>y', '">', "<![CDATA[", "]]>", "<title>", "<?xml ", "<textarea>"),
    ],
    "latex": [
        *(
            "\\section{A}\n",
            "\\subsection*{B $x$}\n",
            "\\chapter[s]{L {x}}\n",
            "\\section{",
            "\\label{a}",
            "\\par ",
            "\\%",
        ),
        *(
            "\\begin{itemize}\n",
            "\\end{itemize}\n",
            "\\item x",
            "\\begin{verbatim}\n",
            "\\end{verbatim}\n",
            "\\verb|a%b|",
        ),
        *(
            "\\documentclass{a}\n",
            "\\begin{document}\n",
            "\\end{document}\n",
            "% comment\n",
            "\\[",
            "\\]",
            "$$",
            "\\begin{",
        ),
        *(
            "\\begin{equation}\n",
            "\\end{equation}\n",
            "\\begin{theorem}[x]\n",
            "\\end{theorem}\n",
            "\\begin{frame}{T}\n",
        ),
        *(
            "\\begin{table}\n\\begin{tabular}{ll}\nA & B \\\\\n\\hline\n",
            "1 & 2 \\\\\n",
            "\\end{tabular}\n",
            "\\end{table}\n",
        ),
    ],
    "markdown": [
        *("# A\n", "## B\n", "===\n", "---\n", "- a\n", "  - b\n", "1. x\n", "> q", "[^1]: x\n", "[a]: b\n", "<div>\n"),
        *(
            "```py\n",
            "```\n",
            "~~~",
            "    code\n",
            "| a |\n|---|\n| 1 |\n| 2 |\n",
            "$$\n",
            "<!-- ",
            "-->\n",
            "**b** x\n",
        ),
        *("---\na: b\n---\n", "+++\na = 1\n+++\n"),
    ],
    "restructuredtext": [
        *(
            "Title\n=====\n",
            "Sub\n---\n",
            "====\nOver\n====\n",
            "-----\n",
            "\n----\n\n",
            "* a\n",
            "  b\n",
            "1. c\n",
            "#. d\n",
        ),
        *(
            ".. note:: x\n\n   body\n",
            ".. code-block:: python\n\n   def f():\n       pass\n",
            ".. comment\n   more\n",
            "para::\n",
        ),
        *("::\n\n  lit\n\n", ":field: v\n", "- x\n\n  y\n", "   quote\n", "| line\n", "term\n  def\n", ".. [1] foot\n"),
        *(
            "+--+--+\n|a |b |\n+==+==+\n|1 |2 |\n+--+--+\n|3 |4 |\n+--+--+\n",
            "== ==\na  b\n== ==\n1  2\n3  4\n== ==\n",
            ">>> x\n1\n",
        ),
        ".. list-table::\n   :header-rows: 1\n\n   * - a\n   * - b\n   * - c\n",
    ],
}
