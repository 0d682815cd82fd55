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
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from chunker.formats.content import LOOKED_AT

# A heading after a blank line, its marks and the blank line after it.
_HEADING = re.compile(r"(?:\A|\n[ \t]*\n)(#{1,6}) \S[^\n]*\n(?:(?=([ \t]*\n))|(?=[^\s#]))")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[^\n]*\n){1,99}?---[ \t]*\n")
# A line of YAML, TOML or INI.
_SETTING = re.compile(r"[ \t]*(?:- +)?(?:\[[^\[\]]+\]|[\w.\"'-]+[ \t]*[:=](?:\s.*)?)\Z")
_SIGNS_OF_MARKDOWN = (
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"\[[^\]\n]{1,99}\]\([^)\s]{1,999}\)"),
    re.compile(r"(?:\A|\n)[-*+] \S[^\n]*\n[-*+] \S"),
    re.compile(r"(?:\A|\n)1\. \S[^\n]*\n2\. \S"),
    re.compile(r"(?<!\S)\*\*[^\s*][^*\n]{0,99}\*\*"),
    re.compile(r"^\|[^\n]*\|[ \t]*\n\|[ :|-]+\|", re.MULTILINE),
    re.compile(r"(?<![^\s(*_])`[^`\n]{1,99}`(?![`\w])"),
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
    return _data(text) or _code(text[:LOOKED_AT]) or _markdown(text[:LOOKED_AT])


def _data(text: str) -> str | None:
    begins = text[:1000].lstrip()[:1]
    if begins not in {"{", "["}:
        return None
    lines = [line for line in text[:LOOKED_AT].split("\n")[:_LINES_OF_JSON] if line.strip()]
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
    for name, searched in _searched(text):
        found = [min(sum(1 for _ in re.finditer(sign, searched, re.MULTILINE)), 3) for sign in _CODE[name].signs]
        if sum(map(bool, found)) > 1 or 3 in found:
            scores[name] = sum(found)
    best = sorted(scores, key=lambda name: -scores[name])
    if not best or (len(best) > 1 and scores[best[0]] == scores[best[1]]):
        return None
    return None if _is_documentation(text) else best[0]


def _searched(text: str) -> Iterator[tuple[str, str]]:
    """Yield the languages of which a line may have a sign, each with these lines."""
    first_words, languages_of_words, languages_of_marks = _tables()
    text = f"\n{text}\n"
    starts: defaultdict[str, set[int]] = defaultdict(set)
    for found in first_words.finditer(text):
        for name in languages_of_words[found[1]]:
            starts[name].add(found.start() + 1)
    for mark, names in languages_of_marks.items():
        place = text.find(mark)
        while place >= 0:
            for name in names:
                starts[name].add(text.rfind("\n", 0, place) + 1)
            place = text.find(mark, text.find("\n", place))
    for name in _CODE:
        lines = (text[start : text.find("\n", start)] for start in sorted(starts[name]))
        # A longer line was not written by a person, and may take long to search.
        if searched := "\n".join(line for line in lines if len(line) <= _LONGEST_LINE):
            yield name, searched


@cache
def _tables() -> tuple[re.Pattern[str], dict[str, list[str]], dict[str, list[str]]]:
    """Return what finds the word at the start of a line, and the languages of each word and mark."""
    words = {word for language in _CODE.values() for word in language.words}
    marks = {mark for language in _CODE.values() for mark in language.marks}
    # The line end in front is what the search jumps to. Of two words the longer one is found: it has the languages of both.
    alternatives = "|".join(map(re.escape, sorted(words, reverse=True)))
    return (
        re.compile(rf"\n[ \t]*({alternatives})"),
        {word: [name for name, one in _CODE.items() if word.startswith(one.words)] for word in words},
        {mark: [name for name, one in _CODE.items() if mark in one.marks] for mark in marks},
    )


def _is_documentation(text: str) -> bool:
    """Whether code is quoted in a text: it is between fences, or a third of the text is sentences, each on a line of its own."""
    if _SIGNS_OF_MARKDOWN[0].search(text):
        return True
    lines = text.split("\n")
    sentences = (
        line for line in lines if line[:1].isupper() and line.endswith((".", ":")) and line.count(" ") >= _WORDS
    )
    return sum(map(len, sentences)) * 3 > len(text)


def _markdown(text: str) -> str | None:
    if "#" not in text:
        return None
    front = _FRONT_MATTER.match(text)
    text = text[front.end() :] if front else text
    headings = [found.groups() for found in _HEADING.finditer(text)]
    if not headings:
        return None
    surrounded = sum(blank is not None for _, blank in headings)
    deep = any(len(marks) > 1 for marks, _ in headings)
    clear = surrounded > 1 or (deep and len(headings) > 1)
    if not clear:
        signs = sum(1 for sign in _SIGNS_OF_MARKDOWN if sign.search(text)) + (front is not None)
        clear = signs > (0 if deep or surrounded else 1)
    return "Markdown" if clear and not _is_settings(text) else None


def _is_settings(text: str) -> bool:
    """Whether most lines of a text, without comments, are settings such as `name: x`, `name = x` and `[name]`."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return sum(_SETTING.match(line) is not None for line in lines) * 2 > len(lines)
