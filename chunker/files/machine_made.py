"""Recognize files that a program wrote, by their names, by a note in their first lines, or by the statistics of their
text.

    uv.lock, yarn.lock, go.sum                      lock files           by name
    app.min.js, a bundle with long lines            minified             by name, or by the mean length of its lines
    chunks.jsonl, the page of `chunker view`        generated            by the first record, by the comment at the top
    app.js.map                                      source maps          by name
    ops.pb.go, "Code generated ... DO NOT EDIT."    generated            by name, or by the comments at the top
    embeddings.json, a dump on one line             machine-made data    little prose, and one line or mostly numbers
    node_modules/, vendor/ with modules.txt         vendored folders     by name, and by what a packager leaves in it

Only the rules of this module leave a file out, and each rule needs evidence: `vendor/` without the file of a package
manager may be about the vendors of a shop. In doubt a file is kept. docs/what-is-chunked.md explains the rules to
users.
"""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import translate
from typing import NamedTuple

from chunker.formats.expressions import re

LOCK_FILE = "lock file"
MINIFIED = "minified"
SOURCE_MAP = "source map"
GENERATED = "generated"
DATA = "machine-made data"
VENDORED = "vendored folder"

LOCK_FILES = frozenset(
    {
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock"),
        *("uv.lock", "poetry.lock", "pdm.lock", "pipfile.lock", "pixi.lock", "conda-lock.yml", "pylock.toml"),
        *("cargo.lock", "go.sum", "go.work.sum", "gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock"),
        *("podfile.lock", "package.resolved", "cartfile.resolved", "packages.lock.json", "paket.lock", "flake.lock"),
        *("gradle.lockfile", "module.bazel.lock", ".terraform.lock.hcl", "buf.lock", "chart.lock", "renv.lock"),
        *("stack.yaml.lock", "cabal.project.freeze", "cpanfile.snapshot"),
    }
)
GENERATED_NAMES = (
    *("*.pb.go", "*.pb.gw.go", "*.pb.cc", "*.pb.h", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb.js", "*_pb.d.ts"),
    *("*.g.dart", "*.freezed.dart", "*.g.cs", "*.designer.cs", "*.snap"),
)
MINIFIED_NAMES = ("*.min.js", "*.min.mjs", "*.min.cjs", "*.min.css", "*-min.js", "*-min.css")
SOURCE_MAPS = ("*.js.map", "*.mjs.map", "*.cjs.map", "*.css.map", "*.ts.map")
VENDORED_FOLDERS = frozenset(
    {"node_modules", "bower_components", "jspm_packages", "site-packages", "third_party", "third-party", "_vendor"}
)
# Files that package managers leave in a folder called vendor: Go, PHP, Ruby; cargo leaves a file in each package.
VENDOR_MARKS = frozenset({"modules.txt", "autoload.php", "composer", "bundle"})
ENVIRONMENT_MARK = "pyvenv.cfg"

_BY_NAME = tuple(
    (kind, re.compile("|".join(map(translate, names))))
    for kind, names in ((MINIFIED, MINIFIED_NAMES), (SOURCE_MAP, SOURCE_MAPS), (GENERATED, GENERATED_NAMES))
)
_MINIFIABLE = (".js", ".mjs", ".cjs", ".css")
_DATA = (".json", ".geojson", ".topojson")
_RECORDS_OF_CHUNKS = (".jsonl", ".ndjson", ".json", ".csv")
# In characters. People break lines. Shorter files cost little, so they are kept.
_MINIFIED_FROM, _MINIFIED_LINE = 2_000, 200
_DATA_FROM, _DATA_LINE = 16_384, 1_000
# The share of a text that is words followed by a space, or letters of scripts without spaces; in English prose, more
# than four fifths.
_PROSE_SHARE = 0.1
_NUMBER_SHARE = 0.4  # share of the characters that are not white space
_WORDS = re.compile(r"[^\W\d_]{2,30}(?= [^\W\d_])")
_SAMPLE = 262_144

_HEADER_LINES = 60
_COMMENT = re.compile(
    r"^\s*+(?://++[!/]?|#++!?|/\*++!?|\*++(?!/)|<!--|--|;++|%++|\(\*|\{#|@rem\b|rem\b|\"\"\"|'''|\"|')\s*+",
    re.IGNORECASE,
)
_ENDS_OF_BLOCKS = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''", "(*": "*)", "{#": "#}"}
# Lines that may occur between the comments at the top of a file.
_AMONG = re.compile(
    r"\s*+(?:$|<\?(?:php|xml)|<!doctype\s[^>]*+>|package\s|['\"]use strict|\*/|syntax\s*=)", re.IGNORECASE
)
_MADE = re.compile(
    r"@generated\b|\bauto(?:matically)?[- ]?generated\b|\bgenerated\s+(?:by|from|with|using|automatically)\b|\bcode generated\b|\bmachine-generated\b",
    re.IGNORECASE,
)
_HANDS_OFF = re.compile(
    r"\b(?:do\s+not|don't|never|must\s+not|should\s+not(?:\s+be)?)\s+(?:manually\s+|hand-?\s*)?(?:edit|modify|change|touch|be\s+edited)|\bediting\s+it\s+directly\b|\b(?:changes|edits)\b.{0,40}\b(?:lost|overwritten)\b",
    re.IGNORECASE,
)
# A comment that begins like this is sufficient evidence.
_SAYS_SO = re.compile(
    r"(?:this\s+(?:file|code|module|document)\s+(?:is|was|has\s+been)\s+)(?:auto(?:matically)?[- ]?)?generated\b"
    r"|auto(?:matically)?[- ]?generated\s+(?:by|from|with|using)\b|(?:file|code)\s+generated\s+by\b.*\bdo\s+not\s+edit\b"
    r"|@generated\b|<auto-?generated\b|.{0,40}\s@generated\s+by\b",
    re.IGNORECASE,
)
# Quoted text is ignored: a tool that looks for generated files may quote "Code generated ... DO NOT EDIT." in its
# comments.
_QUOTED = re.compile(r"\"[^\"]++\"|`[^`]++`|“[^”]++”")
# The first record of a file of chunks, as JSON Lines or in a JSON array, or the header of a CSV file.
_RECORDS = re.compile(
    r'(?:\[\s*+)?\{"id": ?"[0-9a-f]{32}", ?"content_hash": ?"[0-9a-f]{32}"|id,content_hash,source,index,text,body,'
)


class Evidence(NamedTuple):
    """The rule that applies to a file, and the evidence; "" if it is the name alone."""

    rule: str
    seen: str = ""

    def __str__(self) -> str:
        return f"left out: {self.rule} ({self.seen})" if self.seen else f"left out: {self.rule}"


def made_by_name(path: str) -> Evidence | None:
    """Return the rule that leaves a file out because of its name, with or without its folder; case does not matter.

    >>> [str(made_by_name(name)) for name in ("docs/yarn.lock", "a.min.js", "lock.py", "api_pb2.py")]
    ['left out: lock file', 'left out: minified', 'None', 'left out: generated']
    """
    name = path.rpartition("/")[2].lower()
    if name in LOCK_FILES:
        return Evidence(LOCK_FILE)
    return next((Evidence(kind) for kind, names in _BY_NAME if names.match(name)), None)


def made_by_text(path: str, text: str) -> Evidence | None:
    """Return the rule that leaves a file out because of its text. Linear. `text` must be free of embedded data, which
    also occurs in files that people write.
    """
    said = _says_so(path, text)
    if said is not None:
        return Evidence(GENERATED, said)
    name = path.lower()
    if name.endswith(_RECORDS_OF_CHUNKS) and _RECORDS.match(text):
        return Evidence(GENERATED, "chunks")
    if name.endswith(_MINIFIABLE) and len(text) >= _MINIFIED_FROM:
        mean = len(text) // (text.count("\n") + 1)
        if mean > _MINIFIED_LINE:
            return Evidence(MINIFIED, f"lines of {mean:,} characters on average")
    if name.endswith(_DATA) and len(text) >= _DATA_FROM:
        return _data(text)
    return None


def vendored(name: str, entries: Collection[str]) -> Evidence | None:
    """Return the rule that leaves a folder out, because of its name or, if that proves nothing, its entries.

    >>> vendored("node_modules", ()) is not None, vendored("vendor", ["views.py"]), str(vendored("vendor", ["modules.txt"]))
    (True, None, 'left out: vendored folder (modules.txt)')
    """
    if name.lower() in VENDORED_FOLDERS:
        return Evidence(VENDORED)
    if ENVIRONMENT_MARK in entries:
        return Evidence(VENDORED, ENVIRONMENT_MARK)
    mark = next((mark for mark in sorted(VENDOR_MARKS) if mark in entries), None)
    return Evidence(VENDORED, mark) if name.lower() == "vendor" and mark else None


def _data(text: str) -> Evidence | None:
    sample = text[:_SAMPLE]
    prose = sum(len(word) + 1 for word in _WORDS.findall(sample)) + sum(not char.isascii() for char in sample)
    if prose > _PROSE_SHARE * len(sample):
        return None
    nonblank = len(sample) - sum(map(sample.count, " \t\r\n"))
    numbers = sum(map(sample.count, "0123456789"))
    if numbers > _NUMBER_SHARE * nonblank:
        return Evidence(DATA, f"{numbers / nonblank:.0%} digits")
    mean = len(text) // (text.count("\n") + 1)
    return Evidence(DATA, f"lines of {mean:,} characters on average") if mean > _DATA_LINE else None


def _says_so(path: str, text: str) -> str | None:
    """Return the line in the comments at the top that says that a program wrote the file, or None."""
    if path.lower().endswith((".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".ipynb")):
        return None  # prose may be about generated files, and its first lines are not comments
    # Every form of the note has this word; most files do not.
    if "generated" not in text[: _HEADER_LINES * 240].lower():
        return None
    before: tuple[str, str] | None = None  # the previous comment line: its text, and the whole line
    for line in _header(text):
        inner = _QUOTED.sub("", _COMMENT.sub("", line, count=1))
        if _SAYS_SO.match(inner):
            return _shown(line)
        near = inner if before is None else f"{before[0]} {inner}"
        if _MADE.search(near) and _HANDS_OFF.search(near):
            return _shown(line if before is None or _MADE.search(inner) else before[1])
        before = inner, line
    return None


def _header(text: str) -> list[str]:
    """Return the lines of the comments at the top of a file."""
    lines: list[str] = []
    closing = ""
    for line in text[: _HEADER_LINES * 240].removeprefix("\ufeff").splitlines()[:_HEADER_LINES]:
        stripped = line.strip()
        if closing:
            lines.append(line)
            closing = "" if closing in stripped else closing
            continue
        opening = next((mark for mark in _ENDS_OF_BLOCKS if stripped.startswith(mark)), None)
        if opening is not None:
            lines.append(line)
            closing = _ENDS_OF_BLOCKS[opening]
            closing = "" if closing in stripped[len(opening) :] else closing
        elif _COMMENT.match(line) and not stripped.startswith(('"', "'")):
            lines.append(line)
        elif not _AMONG.match(line):
            break
    return lines


def _shown(line: str) -> str:
    return f"“{' '.join(line.split())[:80]}”"
