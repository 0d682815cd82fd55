"""Attributes of GitHub's Linguist in `.gitattributes`: which files are generated, vendored or documentation.

    api/*.ts linguist-generated               a program wrote it
    lib/** linguist-vendored=true             others wrote it
    schema.sql -linguist-generated            people wrote it, whatever its name or its first lines say

Patterns have the syntax of `.gitignore` without `!`. The last line that matches the file and sets the attribute
decides; files in deeper folders take precedence.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from chunker.files.gitignore import Rule, folders_around, parse_rules, read_rule_file

ATTRIBUTES_FILE = ".gitattributes"
GENERATED, VENDORED = b"linguist-generated", b"linguist-vendored"
_FALSE = frozenset({b"false", b"0", b"no"})


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """One line: the files that it matches, and the value that it gives an attribute."""

    rule: Rule
    attribute: bytes
    holds: bool


def parse_attributes(content: bytes) -> tuple[AttributeRule, ...]:
    """Parse the lines of a file that set these attributes, in order.

    >>> [(one.attribute, one.holds) for one in parse_attributes(b"*.ts text linguist-generated\\n/a -linguist-vendored\\n")]
    [(b'linguist-generated', True), (b'linguist-vendored', False)]
    """
    found: list[AttributeRule] = []
    for line in content.removeprefix(b"\xef\xbb\xbf").splitlines():
        pattern, _, rest = line.strip().replace(b"\t", b" ").partition(b" ")
        if not pattern or pattern.startswith((b"#", b"!", b"[attr]", b'"')) or pattern.endswith(b"/"):
            continue
        rules = parse_rules(pattern)
        for word in rest.split():
            name, given, value = word.lstrip(b"-!").partition(b"=")
            if rules and name in (GENERATED, VENDORED):
                holds = not word.startswith((b"-", b"!")) and not (given and value.lower() in _FALSE)
                found.append(AttributeRule(rules[0], name, holds))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class AttributeStack:
    """The rules that hold in one folder of a tree with the root `top`: from the root's file to the folder's own.

    Each file comes with the length of the path of its folder, in bytes with the slash after it.
    """

    top: Path
    files: tuple[tuple[int, tuple[AttributeRule, ...]], ...] = ()

    @classmethod
    def down_to(cls, top: Path, folder: str) -> AttributeStack:
        """Return the stack of the folders around `folder`, which is relative to `top`, without the file of `folder`
        itself.

        Raises OSError if a file cannot be read.
        """
        stack = cls(top)
        for around in folders_around(folder):
            stack = stack.entered(around)
        return stack

    def entered(self, folder: str) -> AttributeStack:
        """Return the stack one folder further down, with the file of `folder`, which is relative to `top`.

        Raises OSError if the file cannot be read.
        """
        content, before = read_rule_file(self.top, folder, ATTRIBUTES_FILE)
        rules = parse_attributes(content)
        return AttributeStack(self.top, (*self.files, (before, rules))) if rules else self

    def holds(self, attribute: bytes, path: str) -> bool | None:
        """Whether a file has an attribute; None if no line says so. `path`: relative to `top`."""
        encoded = os.fsencode(path)
        name = encoded[encoded.rfind(b"/") + 1 :]
        for before, rules in reversed(self.files):
            for one in reversed(rules):
                if one.attribute == attribute and one.rule.matches(name, encoded[before:], is_folder=False):
                    return one.holds
        return None
