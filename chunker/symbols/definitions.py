"""Definitions of a text: the scopes of its outline that define something, with name, kind and signature.

scope          kind       name        qualified
class Stack    class      Stack       Stack
def push       function   push        Stack.push
func (s *S) f  function   f           S.f
impl<T> A      -                      A is a part of the qualified names inside
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunker.formats.outline import Outline, Scope

# Scopes with these labels define nothing by themselves: they hold definitions, or are not code.
_NO_DEFINITIONS = frozenset(
    {"block", "extension", "impl", "instance", "index", "module", "rule", "script", "section", "stylesheet", "test"}
)
# Words that stand where a name would in scopes without one: `class << self`, a conversion operator.
_NO_NAMES = frozenset({"const", "operator", "self", "this"})
_ATTRIBUTES = ("@", "#[", "[")  # the starts of lines that annotate the definition below
_LONGEST_SIGNATURE = 300  # characters
_FURTHEST = 1 << 16  # characters of comments that may stand above a definition
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_CALL = re.compile(r"\(\s*\)\s*$")
_TYPED = re.compile(r"(?<!:):(?!:).*$")
_PATH = re.compile(r"[~\w$?!]+(?:\s*(?:::|\\|\.|#|->)\s*[~\w$?!]+)*")
_STEP = re.compile(r"\s*(?:::|\\|\.|#|->)\s*")
_RECEIVER = re.compile(r"^func \(\s*(?:\w+\s+)?\*?\s*(\w+)")
_SIGNIFICANT = re.compile(r"[()\[\]{\r\n]")


@dataclass(frozen=True, slots=True)
class Definition:
    """A named part of a file: a function, a class, a type.

    Attributes:
        name: Its name.
        qualified: Its name with the names around it, joined by dots.
        kind: "function", "class", ...
        signature: Its first line, or lines, without the body.
        start: The offset of its start in characters, with the comments and attributes above it.
        end: The offset of its end.
        line: The line where its signature begins, from 1.
        end_line: Its last line.
    """

    name: str
    qualified: str
    kind: str
    signature: str
    start: int
    end: int
    line: int
    end_line: int


def definitions_of(text: str, code: str, outline: Outline, line_starts: Sequence[int]) -> Iterator[Definition]:
    """The definitions of `text`, in order. `code` is the text with comments and strings blanked."""
    labels = dict(zip(outline.offsets, outline.labels, strict=True))
    around: list[tuple[int, str]] = []  # ends and names of the scopes that are open
    for scope in outline.scopes:
        while around and around[-1][0] <= scope.start:
            around.pop()
        holder, name = name_of(scope.name)
        kind = labels.get(scope.start, "definition")
        shown = "module" if kind == "module" and scope.name.startswith(("mod ", "module ")) else kind
        if (
            name
            and name not in _NO_NAMES
            and (kind not in _NO_DEFINITIONS or shown != kind or scope.name.startswith(("mod ", "module ")))
        ):
            breadcrumb = [outer for _, outer in around if outer]
            qualified = ".".join([*breadcrumb, *([holder] if holder else []), name])
            begin = _beginning(code, scope, name)
            line = bisect_right(line_starts, begin)
            last = bisect_right(line_starts, max(scope.end - 1, scope.start))
            signature = _signature(text, code, line_starts[line - 1], scope.end)
            yield Definition(name, qualified, kind, signature, scope.start, scope.end, line, last)
        around.append((scope.end, f"{holder}.{name}" if holder else name))


def name_of(scope: str) -> tuple[str, str]:
    """The type that a scope belongs to, if its header names one, and the name that it defines; "" for none.

    >>> name_of("def push"), name_of("func (mx *Mux) Use"), name_of("impl fmt::Display for Stack<T>"), name_of("val size: Int")
    (('', 'push'), ('Mux', 'Use'), ('', 'Stack'), ('', 'size'))
    """
    receiver = _RECEIVER.match(scope)
    bare = _CALL.sub("", scope)
    shorter = _ARGUMENTS.sub("", bare)
    while shorter != bare:
        bare, shorter = shorter, _ARGUMENTS.sub("", shorter)
    paths = _PATH.findall(_TYPED.sub("", bare)) or [""]
    steps = [step for step in _STEP.split(paths[-1]) if step]
    if not steps:
        return "", ""
    if receiver:
        return receiver[1], steps[-1]
    holder = ".".join(step for step in steps[:-1] if step not in {"self", "this"})
    return holder, steps[-1]


def _beginning(code: str, scope: Scope, name: str) -> int:
    """The offset of the name in the code of a scope, after comments and attributes; the start of the scope if it is not
    there.
    """
    stop = min(scope.end, scope.start + _FURTHEST)
    at = code.find(name, scope.start, stop)
    while at >= 0:
        after = at + len(name)
        if not _is_of_name(code[at - 1 : at]) and not _is_of_name(code[after : after + 1]):
            begin = max(code.rfind("\n", scope.start, at), code.rfind("\r", scope.start, at), scope.start - 1) + 1
            if not code[begin:at].lstrip().startswith(_ATTRIBUTES):
                return at
        at = code.find(name, after, stop)
    return scope.start


def _is_of_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def _signature(text: str, code: str, start: int, end: int) -> str:
    """The text from the start of the line to the body: to the first line end outside of brackets, or to the brace that opens the body."""
    depth = 0
    stop = min(end, start + 4 * _LONGEST_SIGNATURE)
    for match in _SIGNIFICANT.finditer(code, start, stop):
        character, at = match[0], match.start()
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth <= 0 and (character != "{" or code[start:at].strip()):
            break
    else:
        at = stop
    shown = " ".join(text[start:at].split())
    return shown if len(shown) <= _LONGEST_SIGNATURE else f"{shown[: _LONGEST_SIGNATURE - 1]}…"
