"""Find the files that git would ignore: a rule, a file of rules, and the stack of files that apply to a folder.

A rule is compiled into a regular expression over bytes, as git matches bytes: `?` is one byte and does not match `é`.
It is matched against one entry, not against entries below it: a walk goes from the top down and does not enter an
ignored folder. That implements git's rule that nothing below an ignored folder can be included again.

    *.log          a name anywhere below the folder of the file that says so
    /build         an entry of that folder alone
    src/*.c        a path below that folder; `*`, `?` and `[...]` never match `/`
    a/**/b         any number of folders between; `**/` at the start, `/**` at the end
    build/         folders only
    !keep.log      not ignored after all; the last rule that matches decides

Files of rules are searched from the deepest folder up to the root of the repository, then `.git/info/exclude`. Before
all of these come the files `.chunkerignore`, with the same syntax and search order: they take precedence over git's
rules. Not read: the user's own `core.excludesFile` and the index, so that the same tree gives the same files on every
machine. Tried and rejected: `pathspec` differs from git in one of nine trees with random rules, and fails on a range
such as `[b-a]`.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

IGNORE_FILE = ".gitignore"
# Our own file beside .gitignore: excludes files of the repository from chunking, or includes files that git ignores.
OWN_IGNORE_FILE = ".chunkerignore"

_SLASH = ord("/")
_COLON = ord(":")
_NEVER = b"(?!)"
_CLASSES = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, [*range(32), 127])),
    b"digit": string.digits,
    b"graph": string.ascii_letters + string.digits + string.punctuation,
    b"lower": string.ascii_lowercase,
    b"print": string.ascii_letters + string.digits + string.punctuation + " ",
    b"punct": string.punctuation,
    b"space": " \t\n\r",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: its pattern (for a name, or for the path below the folder of its file), and whether it ignores or
    includes.
    """

    regex: re.Pattern[bytes]
    by_name: bool
    folders_only: bool
    ignores: bool

    def matches(self, name: bytes, path: bytes, *, is_folder: bool) -> bool:
        """Whether the rule matches this entry; `path` is relative to the folder of the rule's file, with `/`."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(name if self.by_name else path) is not None


def parse_rules(content: bytes) -> tuple[Rule, ...]:
    """Parse the rules of a file, in order; comments, blank lines and rules that can match nothing are left out.

    >>> [rule.ignores for rule in parse_rules(b"*.log\\n# a comment\\n\\n!keep.log\\n")]
    [True, False]
    """
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rules = (_parse_rule(line.removesuffix(b"\r")) for line in lines)
    return tuple(rule for rule in rules if rule is not None)


def _parse_rule(line: bytes) -> Rule | None:
    if line.startswith(b"#"):
        return None
    line = _without_trailing_spaces(line)
    ignores = not line.startswith(b"!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith(b"/")
    if folders_only:
        pattern = pattern[:-1]
    if not pattern:
        return None
    by_name = b"/" not in pattern
    source = translate(pattern.removeprefix(b"/"))
    if source == _NEVER:
        return None
    return Rule(re.compile(source, re.DOTALL), by_name, folders_only, ignores)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Remove trailing spaces, unless a backslash escapes them.

    >>> _without_trailing_spaces(b"a b  "), _without_trailing_spaces(b"a\\\\  ")
    (b'a b', b'a\\\\ ')
    """
    end = position = 0
    while position < len(line):
        width = 2 if line[position : position + 1] == b"\\" else 1
        if line[position : position + 1] != b" ":
            end = position + width
        position += width
    return line[:end]


def translate(pattern: bytes) -> bytes:
    """Translate a git pattern, without leading and trailing slash, to a regular expression for `fullmatch`.

    Matching time is proportional to the lengths of pattern and path: a gap (a star) is lazy, and the text after it, up
    to the next gap of its kind, is matched only once (`(?>...)`). This changes no result, because the later gap can
    match what the earlier one did not. With ordinary gaps `*a*a*a*a*a*a*b` takes minutes for a name of sixty letters.

    >>> translate(b"a*/b"), translate(b"a/**/b"), translate(b"*a*b"), translate(b"[!a]"[:3])
    (b'a[^/]*/b', b'a/(?:[^/]*/)*?b', b'(?>[^/]*?a)[^/]*b', b'(?!)')
    """
    runs: list[tuple[bytes, list[bytes]]] = [(b"", [])]  # a gap of whole folders, and the parts after it
    position = 0
    while position < len(pattern):
        character = pattern[position : position + 1]
        if character == b"*":
            part, position = _translate_stars(pattern, position)
            if part in (_FOLDERS, _SOME_FOLDERS):
                runs.append((part, []))
                continue
        elif character == b"?":
            part, position = b"[^/]", position + 1
        elif character == b"[":
            members, position = _read_set(pattern, position)
            if members is None:
                return _NEVER
            part = _set_expression(members)
        else:
            if character == b"\\":
                position += 1
                character = pattern[position : position + 1]
                if not character:  # a backslash at the end escapes nothing: git matches nothing
                    return _NEVER
            part, position = re.escape(character), position + 1
        runs[-1][1].append(part)
    *others, (gap, last) = [(gap, _run_expression(parts)) for gap, parts in runs]
    return b"".join(b"(?>%s%s)" % other if other[0] else other[1] for other in others) + gap + last


_STAR, _FOLDERS, _SOME_FOLDERS = b"[^/]*", b"(?:[^/]*/)*?", b"(?:[^/]*/)+?"


def _run_expression(parts: list[bytes]) -> bytes:
    """Join parts without gaps of folders. Each star of a name except the last becomes atomic with the parts up to the
    next star, so that it ends at the first possible position.
    """
    made: list[bytes] = []
    opened = -1  # the index of the last star of this name
    for part in parts:
        if part == _STAR and opened >= 0:
            made[opened] = b"(?>[^/]*?"
            made.append(b")")
        if part == _STAR:
            opened = len(made)
        elif part == b"/":
            opened = -1
        made.append(part)
    return b"".join(made)


def _translate_stars(pattern: bytes, start: int) -> tuple[bytes, int]:
    """Translate a run of stars. Returns the expression, and the position after the characters that it covers."""
    end = start
    while pattern[end : end + 1] == b"*":
        end += 1
    # Two stars match across folders only as a whole path segment; elsewhere they are one star. But git compares the
    # literal start of a pattern separately, and treats the rest as a whole pattern: `a**/b` is `a` and then `**/b`, so
    # it matches `ax/b`.
    opens = pattern[start - 1 : start] in (b"", b"/") or not any(special in pattern[:start] for special in b"*?[\\")
    if end - start >= 2 and opens:
        if end == len(pattern):
            return b".*", end
        if pattern.startswith(b"\\/", end):
            return _SOME_FOLDERS, end + 2
        if pattern[end] == _SLASH:
            return _FOLDERS, end + 1
    return _STAR, end


def _read_set(pattern: bytes, start: int) -> tuple[set[int] | None, int]:
    """Return the bytes that the bracket expression at `start` matches, or None if it is malformed, and the position
    after it.
    """
    position = start + 1
    negated = pattern[position : position + 1] in (b"!", b"^")
    if negated:
        position += 1
    first = position  # here a closing bracket is literal
    members: set[int] = set()
    previous: int | None = None
    while position == first or pattern[position : position + 1] != b"]":
        member = _read_member(pattern[position:], previous)
        if member is None:
            return None, position
        added, previous, width = member
        members.update(added)
        position += width
    if negated:
        members = set(range(256)) - members
    return members - {_SLASH}, position + 1


def _read_member(rest: bytes, previous: int | None) -> tuple[Iterable[int], int | None, int] | None:
    """Parse the first member of `rest`, the inside of a bracket expression; None if it is truncated or names no class.

    Returns the bytes that it matches, the byte at which a range could start, and its length in `rest`.
    """
    first, second = rest[:1], rest[1:2]
    if first == b"-" and previous is not None and second not in (b"", b"]"):
        width = 3 if second == b"\\" else 2
        return (range(previous, rest[width - 1] + 1), None, width) if len(rest) >= width else None
    if first == b"\\":
        return (second, second[0], 2) if second else None
    if first + second == b"[:":
        end = rest.find(b"]", 2)
        if end < 0:
            return None
        if end > 2 and rest[end - 1] == _COLON:  # otherwise the bracket is literal
            characters = _CLASSES.get(rest[2 : end - 1])
            return (characters.encode(), None, end + 1) if characters is not None else None
    return (first, first[0], 1) if first else None


def _set_expression(members: set[int]) -> bytes:
    if not members:
        return _NEVER
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]"


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one file, and the length of the path of its folder, in bytes with the slash after it."""

    rules: tuple[Rule, ...]
    prefix_length: int


@dataclass(frozen=True, slots=True)
class RuleStack:
    """All rules that hold in one folder of a tree; `top` is the absolute path of the tree's root.

    `files` are in order of increasing precedence: `.git/info/exclude`, the root's file, ..., the folder's own. `own`
    are the files `.chunkerignore`, in the same order.
    """

    top: Path
    files: tuple[RuleFile, ...] = ()
    own: tuple[RuleFile, ...] = ()

    def entered(self, folder: str) -> RuleStack:
        """Return the stack one folder further down, with the rules of `folder` (relative to `top`, "" is `top` itself).

        Raises OSError if the folder has a file of rules that cannot be read.
        """
        files = self._with(self.files, folder, IGNORE_FILE)
        own = self._with(self.own, folder, OWN_IGNORE_FILE)
        return self if files is self.files and own is self.own else RuleStack(self.top, files, own)

    def _with(self, files: tuple[RuleFile, ...], folder: str, name: str) -> tuple[RuleFile, ...]:
        content, prefix_length = read_rule_file(self.top, folder, name)
        rules = parse_rules(content)
        return (*files, RuleFile(rules, prefix_length)) if rules else files

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether these rules ignore the entry at `path` (relative to `top`, with `/`) of a folder that was entered."""
        encoded = os.fsencode(path)
        name = encoded[encoded.rfind(b"/") + 1 :]
        for file in (*reversed(self.own), *reversed(self.files)):
            below = encoded[file.prefix_length :]
            for rule in reversed(file.rules):
                if rule.matches(name, below, is_folder=is_folder):
                    return rule.ignores
        return False


def enclosing_rules(folder: str) -> tuple[RuleStack, str]:
    """Return the rules that hold at the start of a walk, without those of `folder` itself, and the path of `folder`
    below their root.

    Inside a repository they come from its root down to the parent of `folder`; elsewhere, rules above `folder` do not
    count. Raises OSError if a file of rules cannot be read.
    """
    start = Path(folder).resolve()
    top = next((parent for parent in (start, *start.parents) if is_repository(parent)), None)
    if top is None:
        return RuleStack(start), ""
    stack = repository_rules(top)
    below = "/".join(start.relative_to(top).parts)
    for around in folders_around(below):
        stack = stack.entered(around)
    return stack, below


def folders_around(folder: str) -> Iterator[str]:
    """Yield the folders around a folder, all relative to the same root: the root, "", first.

    >>> list(folders_around("a/b/c"))
    ['', 'a', 'a/b']
    """
    names = folder.split("/") if folder else []
    return ("/".join(names[:depth]) for depth in range(len(names)))


def read_rule_file(top: Path, folder: str, name: str) -> tuple[bytes, int]:
    """Return the content of a file of rules, b"" if there is none, and the length of the path of its folder, which is
    relative to `top`, in bytes with the slash after it. Raises OSError if the file cannot be read.
    """
    path = top / folder / name
    # A link is not a file of rules: git does not follow it either, because it could lead out of the tree.
    content = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
    return content, len(os.fsencode(folder)) + 1 if folder else 0


def is_repository(folder: str | Path) -> bool:
    """Whether `folder` is the root of a git working tree: it has a `.git`, which is a folder or (linked) a file."""
    return os.path.lexists(Path(folder, ".git"))


def repository_rules(top: Path) -> RuleStack:
    """Return the stack of a repository before its first `.gitignore`: `.git/info/exclude`, in a linked working tree
    too.
    """
    exclude = _common_folder(top / ".git") / "info" / "exclude"
    rules = parse_rules(exclude.read_bytes()) if exclude.is_file() else ()
    return RuleStack(top, (RuleFile(rules, 0),) if rules else ())


def _common_folder(git: Path) -> Path:
    """Return the folder of a repository that all its working trees share, from the `.git` of one of them."""
    if git.is_file():  # a submodule or a linked working tree: the file names the real folder
        git = git.parent / _first_line(git).removeprefix("gitdir: ")
    common = git / "commondir"
    return git / _first_line(common) if common.is_file() else git


def _first_line(path: Path) -> str:
    return os.fsdecode(path.read_bytes().partition(b"\n")[0].rstrip(b"\r"))
