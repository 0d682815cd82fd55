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
# Lines that occur in only one language. Two different ones, or three of one kind, decide.
_SIGNS_OF_CODE = {
    "Python": (
        r"^(?:async )?def \w+\(.*\)(?: -> .+)?:[ \t]*(?:#.*)?$",
        r"^class \w+(?:\(.*\))?:[ \t]*$",
        r"^(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .+)$",
        r"^[ \t]+(?:if|for|while|with|elif) .+:[ \t]*$",
    ),
    "C++": (r"^#include <[a-z_]+>", r"^(?:namespace \w+|template ?<.*>)", r"^using (?:namespace )?\w+(?:::\w+)*", r"\bstd::\w+"),
    "C": (r"^#include [<\"][\w/]+\.h[>\"]", r"^(?:static |const |unsigned )*(?:int|void|char|long|double|struct \w+) \*?\w+\(.*\)[ \t]*\{?$"),
    "Go": (r"^package \w+$", r"^func (?:\(\w+ \*?\w+\) )?\w+\(.*\{$", r"^import (?:\(|\"[\w/.]+\")$"),
    "Rust": (r"^(?:pub(?:\(crate\))? )?fn \w+.*\{$", r"^use \w+(?:::[\w{}*, ]+)+;$", r"^(?:pub )?(?:struct|enum|impl|trait)\b.*\{$", r"\blet mut \w+"),
    "Java": (r"^import (?:static )?[\w.]+(?:\.\*)?;$", r"^(?:public |final |abstract )+(?:class|interface) \w+", r"^package [\w.]+;$"),
    "JavaScript": (
        r"^(?:export )?(?:async )?function \w+\(.*\) ?\{$",
        r"^(?:export )?const \w+ = .*[;{(]$",
        r"^import .+ from ['\"].+['\"];?$",
        r"=> \{$",
    ),
    "Shell": (r"^(?:if|while) \[\[? .+ \]\]?; ?(?:then|do)$", r"^(?:fi|done|esac)$", r"^(?:export )?[A-Z_]+=\$[({\w]"),
}  # fmt: skip
_LINES_OF_JSON = 50
_LONGEST_LINE = 400


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
    # A longer line was not written by a person, and may take long to search.
    text = "\n".join(line for line in text.split("\n") if len(line) <= _LONGEST_LINE)
    scores = {}
    for language, signs in _SIGNS_OF_CODE.items():
        found = [min(sum(1 for _ in re.finditer(sign, text, re.MULTILINE)), 3) for sign in signs]
        if sum(map(bool, found)) > 1 or 3 in found:
            scores[language] = sum(found)
    best = sorted(scores, key=lambda language: -scores[language])
    if not best or (len(best) > 1 and scores[best[0]] == scores[best[1]]):
        return None
    # A text with code between fences is documentation.
    return None if _SIGNS_OF_MARKDOWN[0].search(text) else best[0]


def _markdown(text: str) -> str | None:
    front = _FRONT_MATTER.match(text)
    text = text[front.end() :] if front else text
    headings = [found.groups() for found in _HEADING.finditer(text)]
    surrounded = sum(blank is not None for _, blank in headings)
    deep = any(len(marks) > 1 for marks, _ in headings)
    signs = sum(1 for sign in _SIGNS_OF_MARKDOWN if sign.search(text)) + (front is not None)
    clear = surrounded > 1 or (deep and len(headings) > 1) or ((deep or surrounded) and signs) or signs > 1
    return "Markdown" if headings and clear and not _is_settings(text) else None


def _is_settings(text: str) -> bool:
    """Whether most lines of a text, without comments, are settings such as `name: x`, `name = x` and `[name]`."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return sum(_SETTING.match(line) is not None for line in lines) * 2 > len(lines)
