"""Specs: a prompt described in a file: items, files, globs and budgets, in YAML, TOML or JSON.

    budget: 8000
    reserve: 1000
    items:
      - {id: system, text: You are a careful reviewer., required: true, stable: true}
      - section: context
        share: 0.6
        items:
          - {glob: "src/**/*.py", priority: 5, heading: "File {path}:\\n", truncate: tail}
          - {glob: "docs/**/*.md", chunks: 256}
      - {search: where are headers parsed, share: 0.3}
      - {id: question, file: "-", required: true}

Nothing in it is run or filled in, except `{path}` in a heading: `{{ x }}` is text like any other. `gathering` describes
which files are taken. Errors name file, line (for YAML; the other readers know none) and field, and are reported all at
once.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError

from chunker.files.discovery import printable
from chunker.prompt.chat import ChatFormat
from chunker.prompt.errors import PromptConfigurationError
from chunker.prompt.items import Fill, Truncate
from chunker.prompt.yaml_lines import YamlText

# A place in a spec: keys and indexes from the top.
Location = tuple[str | int, ...]

# More than any person writes, and small enough that aliases inside aliases end in an error before they fill the memory.
_MOST_VALUES, _DEEPEST = 200_000, 100
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpecError(PromptConfigurationError):
    """A spec cannot be used; the message has a line for each fault, with file, line and field."""


class _Fields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _ItemFields(_Fields):
    """The fields of items of any kind; see `Item`."""

    priority: float = 0
    required: bool = False
    stable: bool = False
    truncate: Truncate | None = None
    truncate_at: Literal["token", "line", "sentence"] = "token"
    ellipsis: str = "…"
    min_tokens: int = 0
    max_tokens: int | None = None
    grow: float = 0
    group: str | None = None
    role: str | None = None
    name: str | None = None


class ChunkSpec(_Fields):
    """The settings for chunking files into items; a bare number is taken as `max_tokens`."""

    max_tokens: int = Field(ge=1)
    overlap: int = Field(default=0, ge=0)
    context: bool = False


class TextEntry(_ItemFields):
    """An item whose text is given in the spec."""

    text: str
    id: str | None = None
    tool_calls: list[dict[str, Any]] = []
    tool_call_id: str | None = None


class _FilesFields(_ItemFields):
    """The fields of entries for files. `heading`: text before each file, with its path for `{path}`; `secrets`: also take files that look like secrets."""

    heading: str = ""
    secrets: bool = False
    chunks: Annotated[
        ChunkSpec | None, BeforeValidator(lambda given: {"max_tokens": given} if type(given) is int else given)
    ] = None


class FileEntry(_FilesFields):
    """An item whose text is that of a file, or with "-" that of standard input."""

    file: str = Field(min_length=1)
    id: str | None = None


class GlobEntry(_FilesFields):
    """Files, by one pattern or several, each an item. `hidden`: those whose names begin with a dot too."""

    glob: Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]
    exclude: Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)] = []
    hidden: bool = False


class SectionEntry(_Fields):
    """A section; `Section` describes its fields."""

    section: str
    items: list[Entry]
    tokens: int | None = None
    share: float | None = None
    min_tokens: int = 0
    max_tokens: int | None = None
    separator: str = "\n"
    header: str = ""
    footer: str = ""
    fill: Fill | None = None
    role: str | None = None


class SearchEntry(_Fields):
    """A section with the results of a search in an index: parts of files. The best has `priority`, each further one a little less.

    Attributes:
        search: The question, words, or a name.
        index: The folder of the index, from the root.
        by: Rank by "vectors", by "words", or by "both".
        sources: Only files such as src/*.
        languages: Only files in these languages.
        id: The name of the section; by default the question.
        priority: The priority of the best part.
    """

    search: str = Field(min_length=1)
    index: str = ".chunker"
    by: Literal["both", "vectors", "words"] = "both"
    sources: list[str] = []
    languages: list[str] = []
    id: str | None = None
    priority: float = 0
    tokens: int | None = None
    share: float | None = None
    min_tokens: int = 0
    max_tokens: int | None = None
    header: str = ""
    footer: str = ""
    fill: Fill | None = None
    role: str | None = None


_KINDS = ("text", "file", "glob", "section", "search")


def _kind(entry: object) -> str | None:
    """Return the tag of an entry, such as "<file>" if it has the field `file`; None if it has none of these fields, or several."""
    names = entry if isinstance(entry, dict) else type(entry).model_fields if isinstance(entry, BaseModel) else ()
    named = [kind for kind in _KINDS if kind in names]
    return f"<{named[0]}>" if len(named) == 1 else None


Entry = Annotated[
    Annotated[TextEntry, Tag("<text>")]
    | Annotated[FileEntry, Tag("<file>")]
    | Annotated[GlobEntry, Tag("<glob>")]
    | Annotated[SectionEntry, Tag("<section>")]
    | Annotated[SearchEntry, Tag("<search>")],
    Discriminator(
        _kind,
        custom_error_type="entry",
        custom_error_message="an entry is a mapping with exactly one of text, file, glob, section and search",
    ),
]


class PromptSpec(_Fields):
    """A whole spec; `assemble` describes the fields other than `items`."""

    budget: int
    reserve: int = 0
    tokenizer: str = "o200k_base"
    chat_format: (
        Annotated[
            Annotated[str, Tag("<name>")] | Annotated[ChatFormat, Tag("<format>")],
            Discriminator(lambda given: "<format>" if isinstance(given, dict | ChatFormat) else "<name>"),
        ]
        | None
    ) = None
    separator: str = "\n\n"
    fill: Fill = "best_effort"
    drop_duplicates: bool = False
    items: list[Entry] = Field(min_length=1)


SectionEntry.model_rebuild()
# By the step of a location before a field: the model that has the field.
_MODELS: dict[str | int, type[BaseModel]] = {
    "<text>": TextEntry,
    "<file>": FileEntry,
    "<glob>": GlobEntry,
    "<section>": SectionEntry,
    "<search>": SearchEntry,
    "<format>": ChatFormat,
    "chunks": ChunkSpec,
}


@dataclass(frozen=True)
class LoadedSpec:
    """A spec with its path and line numbers, so that errors can name the line."""

    spec: PromptSpec
    path: Path
    line_of: Callable[[Location], int | None]

    def error(self, location: Location, message: str) -> SpecError:
        """The exception for a wrong value of one field."""
        return SpecError(_told(self.path, self.line_of, location, message))


def load_spec(path: str | Path) -> LoadedSpec:
    """Read and check a spec: `*.yaml`, `*.yml`, `*.toml` or `*.json`. Raises `SpecError` if it is invalid, OSError if the file cannot be read."""
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise SpecError(f"{printable(str(path))}: the name of a spec ends in {', '.join(_READERS)}")
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{printable(str(path))}: line {line}: not UTF-8: {error.reason}") from None
    try:
        data, line_of = read(text)
    except RecursionError:
        raise SpecError(f"{printable(str(path))}: nested too deeply") from None
    except ValueError as error:
        raise SpecError(f"{printable(str(path))}: {error}") from None
    flaw = _flaw(data)
    if flaw is not None:
        raise SpecError(_told(path, line_of, *flaw))
    try:
        return LoadedSpec(PromptSpec.model_validate(data), path, line_of)
    except ValidationError as error:
        told = [
            _told(path, line_of, wrong["loc"], _message(wrong["type"], wrong["msg"], wrong["loc"]))
            for wrong in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise SpecError("\n".join(told)) from None


def _read_yaml(text: str) -> tuple[object, Callable[[Location], int | None]]:
    document = YamlText(text)
    return document.data, document.line_of


def _read_json(text: str) -> tuple[object, Callable[[Location], int | None]]:
    return json.loads(text, object_pairs_hook=_without_doubles), _no_line


def _read_toml(text: str) -> tuple[object, Callable[[Location], int | None]]:
    return tomllib.loads(text), _no_line


def _no_line(_location: Location) -> None:
    return None


_READERS = {".yaml": _read_yaml, ".yml": _read_yaml, ".toml": _read_toml, ".json": _read_json}


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        double = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value] # add is None
        raise ValueError(f"the key {double!r} occurs twice in one object")
    return made


def _flaw(data: object) -> tuple[Location, str] | None:
    """Return the location and the reason if values are unfit for any spec: too many, too deep (aliases can turn a short
    file into many), or no Unicode; None if they are fit.
    """
    level: list[tuple[Location, object]] = [((), data)]
    values = 0
    for _ in range(_DEEPEST):
        inner: list[tuple[Location, object]] = []
        for location, value in level:
            if isinstance(value, str) and not value.isascii():
                half = _SURROGATE.search(value)
                if half is not None:
                    return location, f"half of a surrogate pair, U+{ord(half[0]):04X}, is not text"
            elif isinstance(value, dict):
                inner += (((*location, key), one) for key, one in value.items())
            elif isinstance(value, list):
                inner += (((*location, index), one) for index, one in enumerate(value))
            if values + len(inner) > _MOST_VALUES:
                return (), f"more than {_MOST_VALUES:,} values"
        if not inner:
            return None
        values += len(inner)
        level = inner
    return (), f"nested more than {_DEEPEST} deep"


def _message(kind: str, message: str, location: Sequence[str | int]) -> str:
    if kind != "extra_forbidden":
        return message[:1].lower() + message[1:]
    names = list((_MODELS[location[-2]] if len(location) > 1 else PromptSpec).model_fields)
    close = difflib.get_close_matches(str(location[-1]), names, 1)
    return f"unknown field; did you mean {close[0]}?" if close else f"unknown field; the fields are {', '.join(names)}"


def _told(path: Path, line_of: Callable[[Location], int | None], location: Sequence[str | int], message: str) -> str:
    """One line of the message of a `SpecError`.

    >>> _told(Path("a.yaml"), lambda location: 7, ("items", 0, "<glob>", "priority"), "not a number")
    'a.yaml: line 7: items[0].priority: not a number'
    """
    place = tuple(step for step in location if not str(step).startswith("<"))
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{printable(step)}" for step in place).removeprefix(".")
    line = line_of(place)
    parts = [
        printable(str(path)),
        *([f"line {line}"] if line is not None else []),
        *([field] if field else []),
        message,
    ]
    return ": ".join(parts)
