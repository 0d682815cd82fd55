"""Guess the language of a text without a file name (pasted, or piped) if it is clear; otherwise the text is plain text.

    {"a": [1, 2]}                             JSON: it can be parsed
    # Guide ... ## Install ... ```sh ...      Markdown: headings between blank lines, and another sign of it
    import os ... def main(): ...             Python: several lines that few other texts have

Comments in shell scripts, settings and YAML look like Markdown headings. So a heading counts if it is below another one
(##), or has blank lines around it, and not where most lines are settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from chunker.formats.content import LOOKED_AT
from chunker.native import native

if TYPE_CHECKING:
    from chunker._native import CodeLines

# A heading, its marks and the blank line after it.
_HEADING = re.compile(r"\n(#{1,6}) \S[^\n]*\n(?:(?=([ \t]*\n))|(?=[^\s#]))")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){1,99}?---[ \t]*\n")
# A line of YAML, TOML or INI.
_SETTING = re.compile(r"[ \t]*(?:- +)?(?:\[[^\[\]]+\]|[\w.\"'-]+[ \t]*[:=](?:\s.*)?)\Z")
# In a text after a line end.
_SIGNS_OF_MARKDOWN = (
    re.compile(r"\n(?:```|~~~)"),
    re.compile(r"\[[^\]\n]{1,99}\]\([^)\s]{1,999}\)"),
    re.compile(r"\n[-*+] \S[^\n]*\n[-*+] \S"),
    re.compile(r"\n1\. \S[^\n]*\n2\. \S"),
    re.compile(r"\*\*(?<!\S\*\*)[^\s*][^*\n]{0,99}\*\*"),
    re.compile(r"\n\|[^\n]*\|[ \t]*\n\|[ :|-]+\|"),
    re.compile(r"`(?<![^\s(*_]`)[^`\n]{1,99}`(?![`\w])"),
)


class _Language(NamedTuple):
    """Lines that occur in one language only. Two different ones, or three of one kind, decide."""

    signs: tuple[str, ...]
    # Each of these lines begins with one of these words or holds one of these marks. Few lines of other texts do, and only
    # those are searched: to search all of them took a hundred times as long.
    words: tuple[str, ...]
    marks: tuple[str, ...] = ()


_CODE = {
    "Python": _Language(
        (
            r"^(?:async )?def \w+\(.*\)(?: -> .+)?:[ \t]*(?:#.*)?$",
            r"^class \w+(?:\(.*\))?:[ \t]*$",
            r"^(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .+)$",
            r"^[ \t]+(?:if|for|while|with|elif) .+:[ \t]*$",
        ),
        ("async def ", "class ", "def ", "elif ", "for ", "from ", "if ", "import ", "while ", "with "),
    ),
    "C++": _Language(
        (r"^#include <[a-z_]+>", r"^(?:namespace \w+|template ?<.*>)", r"^using (?:namespace )?\w+(?:::\w+)*", r"\bstd::\w+"),
        ("#include <", "namespace ", "template", "using "),
        ("std::",),
    ),
    "C": _Language(
        (r"^#include [<\"][\w/]+\.h[>\"]", r"^(?:static |const |unsigned )*(?:int|void|char|long|double|struct \w+) \*?\w+\(.*\)[ \t]*\{?$"),
        ("#include ", "char ", "const ", "double ", "int ", "long ", "static ", "struct ", "unsigned ", "void "),
    ),
    "Go": _Language(
        (r"^package \w+$", r"^func (?:\(\w+ \*?\w+\) )?\w+\(.*\{$", r"^import (?:\(|\"[\w/.]+\")$"),
        ("func ", "import ", "package "),
    ),
    "Rust": _Language(
        (r"^(?:pub(?:\(crate\))? )?fn \w+.*\{$", r"^use \w+(?:::[\w{}*, ]+)+;$", r"^(?:pub )?(?:struct|enum|impl|trait)\b.*\{$", r"\blet mut \w+"),
        ("enum", "fn ", "impl", "pub", "struct", "trait", "use "),
        ("let mut ",),
    ),
    "Java": _Language(
        (r"^import (?:static )?[\w.]+(?:\.\*)?;$", r"^(?:public |final |abstract )+(?:class|interface) \w+", r"^package [\w.]+;$"),
        ("abstract ", "final ", "import ", "package ", "public "),
    ),
    "JavaScript": _Language(
        (
            r"^(?:export )?(?:async )?function \w+\(.*\) ?\{$",
            r"^(?:export )?const \w+ = .*[;{(]$",
            r"^import .+ from ['\"].+['\"];?$",
            r"=> \{$",
        ),
        ("async function ", "const ", "export ", "function ", "import "),
        ("=> {",),
    ),
    "Shell": _Language(
        (r"^(?:if|while) \[\[? .+ \]\]?; ?(?:then|do)$", r"^(?:fi|done|esac)$", r"^(?:export )?[A-Z_]+=\$[({\w]"),
        ("done", "esac", "fi", "if [", "while ["),
        ("=$",),
    ),
}  # fmt: skip
_LINES_OF_JSON = 50
_LONGEST_LINE = 400
_WORDS = 8  # that a sentence has at least, on a line that is no comment


def guess(text: str) -> str | None:
    """Return the language of a text if it is clear, with the name that `detect` uses; None for plain text.

    >>> guess('{"a": [1, 2]}'), guess("Some words."), guess("import os\\n\\n\\ndef f(x):\\n    return os.sep + x\\n")
    ('JSON', None, 'Python')
    """
    if not text.strip():
        return None
    text = text.removeprefix("\ufeff")
    beginning = text[:LOOKED_AT]
    if "\r" in beginning:
        beginning = beginning.replace("\r\n", "\n").replace("\r", "\n")
    return _data(text, beginning) or _code(beginning) or _markdown(beginning)


def _data(text: str, beginning: str) -> str | None:
    begins = beginning[:1000].lstrip()[:1]
    if begins not in {"{", "["}:
        return None
    lines = [line for line in beginning.split("\n")[:_LINES_OF_JSON] if line.strip()]
    if len(text) > LOOKED_AT and len(lines) > 1:
        lines.pop()  # it may be truncated
    if len(lines) > 1 and begins == "{" and all(map(_is_json, lines)):
        return "JSON Lines"
    return "JSON" if _is_json(text) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _code(text: str) -> str | None:
    scores = {}
    for name, lines in _lines_of_languages(text).items():
        found = [min(_number_of(sign, lines), 3) for sign in _signs()[name]]
        if sum(map(bool, found)) > 1 or 3 in found:
            scores[name] = sum(found)
    best = sorted(scores, key=lambda name: -scores[name])
    if not best or (len(best) > 1 and scores[best[0]] == scores[best[1]]):
        return None
    return None if _is_documentation(text) else best[0]


@cache
def _signs() -> dict[str, list[re.Pattern[str]]]:
    return {name: [re.compile(sign) for sign in language.signs] for name, language in _CODE.items()}


def _number_of(sign: re.Pattern[str], lines: list[str]) -> int:
    """Return how often a sign occurs in lines; one that begins a line does so once in a line."""
    if sign.pattern.startswith("^"):
        return sum(1 for line in lines if sign.match(line))
    return sum(1 for line in lines for _ in sign.finditer(line))


def _lines_of_languages(text: str) -> dict[str, list[str]]:
    """Return the lines of which each language may have a sign. A longer line than others was not written by a person, and
    may take long to search.
    """
    finder = _finder()
    found = _lines(text) if finder is None else finder.find(text, _LONGEST_LINE)
    all_languages = 0
    for _, languages in found:
        all_languages |= languages
    return {
        name: [line for line, languages in found if languages >> number & 1]
        for number, name in enumerate(_CODE)
        if all_languages >> number & 1
    }


@cache
def _finder() -> CodeLines | None:
    compiled = native()
    return None if compiled is None else compiled.CodeLines(*_words_and_marks())


def _lines(text: str) -> list[tuple[str, int]]:
    """Return the lines that begin with a word of some language or hold a mark of it, each with its languages, a bit for each:
    what the compiled finder finds.

    >>> _lines("import os\\nThe standard says\\n  def main():")
    [('import os', 105), ('  def main():', 1)]
    """
    words, marks = _words_and_marks()
    found = []
    for line in text.split("\n"):
        begins = line.lstrip(" \t")
        # Of two words the longer one counts: it has the languages of both.
        languages = next((words[word] for word in words if begins.startswith(word)), 0)
        for mark, of_mark in marks.items():
            languages |= of_mark if mark in line else 0
        if languages and len(line) <= _LONGEST_LINE:
            found.append((line, languages))
    return found


@cache
def _words_and_marks() -> tuple[dict[str, int], dict[str, int]]:
    """Return the languages of each word and mark, a bit for each."""
    words = sorted({word for language in _CODE.values() for word in language.words}, reverse=True)
    marks = sorted({mark for language in _CODE.values() for mark in language.marks})
    return (
        {
            word: sum(1 << number for number, one in enumerate(_CODE.values()) if word.startswith(one.words))
            for word in words
        },
        {mark: sum(1 << number for number, one in enumerate(_CODE.values()) if mark in one.marks) for mark in marks},
    )


def _is_documentation(text: str) -> bool:
    """Whether code is quoted in a text: it is between fences, or a third of the text is sentences, each on a line of its own."""
    if _SIGNS_OF_MARKDOWN[0].search(f"\n{text}"):
        return True
    lines = text.split("\n")
    sentences = (
        line for line in lines if line.endswith((".", ":")) and line[0].isupper() and line.count(" ") >= _WORDS
    )
    return sum(map(len, sentences)) * 3 > len(text)


def _markdown(text: str) -> str | None:
    if "\n#" not in text and not text.startswith("#"):
        return None
    front = _FRONT_MATTER.match(text)
    text = "\n\n" + (text[front.end() :] if front else text)
    headings = list(_headings(text))
    if not headings:
        return None
    surrounded = sum(blank for _, blank in headings)
    deep = any(marks > 1 for marks, _ in headings)
    clear = surrounded > 1 or (deep and len(headings) > 1)
    if not clear:
        signs = sum(1 for sign in _SIGNS_OF_MARKDOWN if sign.search(text)) + (front is not None)
        clear = signs > (0 if deep or surrounded else 1)
    return "Markdown" if clear and not _is_settings(text) else None


def _headings(text: str) -> Iterator[tuple[int, bool]]:
    """Yield, of each heading after a blank line, the number of its marks and whether a blank line follows. Of headings with
    a blank line between them only the first.
    """
    end = 0
    for heading in _HEADING.finditer(text):
        before = text.rfind("\n", end, heading.start())
        if before >= 0 and not text[before : heading.start()].strip():
            end = heading.end()
            yield len(heading[1]), heading[2] is not None


def _is_settings(text: str) -> bool:
    """Whether most lines of a text, without comments, are settings such as `name: x`, `name = x` and `[name]`."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return sum(_SETTING.match(line) is not None for line in lines) * 2 > len(lines)
