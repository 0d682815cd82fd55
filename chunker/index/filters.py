"""Conditions that hits must meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from chunker.arguments import require, require_all, require_name, require_names

_VALUES = (str, int, float)


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that hits must meet. An empty tuple allows anything.

    Args:
        tags: The tag of the file is one of these.
        sources: The name of the file matches one of these patterns (`*`, `?` and `[...]`; `*` matches slashes, too); a
            name without any of these characters means what is in the folder of this name, too.
        languages: The language of the file is one of these.
        kinds: The kind of the chunk is one of these.
        metadata: Name -> a value, or a collection of values, of which the text has one under this name in the metadata
            that it was added with; where it has a list, one of the list.

    Raises:
        WrongTypeError: A value is not a collection of names, such as a single str; metadata are not names with values
            of JSON.
        OptionError: A name has lone surrogates.
    """

    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Raises `WrongTypeError` for what is not a collection of names, such as a single str."""
        for name in ("tags", "sources", "languages", "kinds"):
            require_names(getattr(self, name), name)
        require(self.metadata, Mapping, "metadata", "a dict")
        require_all(self.metadata, str, "metadata", "names")
        for name in self.metadata:
            require_all(self._wanted(name), _VALUES, f"the values of {name!r}", "str, numbers and bools")
            for value in (name, *self._wanted(name)):
                if isinstance(value, str):
                    require_name(value, "each name and value of metadata")

    def without_kinds(self) -> Filter:
        """Return the same conditions, on files only."""
        return replace(self, kinds=())

    def condition(self) -> tuple[str, list[Any]]:
        """The filter as a condition of SQL over files f, versions v and places p, with its values.

        Returns:
            The condition, with a "?" for each value, and the values in their order; "" and no values if everything
            passes.
        """
        parts: list[str] = []
        values: list[Any] = []
        for column, wanted in (("f.tag", self.tags), ("v.language", self.languages), ("p.kind", self.kinds)):
            if wanted:
                parts.append(f"{column} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        if self.sources:
            patterns = [pattern for source in self.sources for pattern in patterns_of(source)]
            parts.append("(" + " OR ".join(["f.source GLOB ?"] * len(patterns)) + ")")
            values += patterns
        for name in self.metadata:
            allowed = self._wanted(name)
            among = f"IN ({', '.join('?' * len(allowed))})"
            parts.append(
                f"EXISTS (SELECT 1 FROM json_each(f.metadata) AS m WHERE m.key = ? AND (m.atom {among} "  # noqa: S608  # texts of ours
                f"OR m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) AS i WHERE i.atom {among})))"
            )
            values += [name, *allowed, *allowed]
        return " AND ".join(parts), values

    def _wanted(self, name: str) -> list[Any]:
        """The values of which a text must have one under a name."""
        value = self.metadata[name]
        return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def patterns_of(source: str) -> list[str]:
    """A pattern as it is; a name, and what is in the folder of this name.

    >>> patterns_of("src/*.py"), patterns_of("docs/en/")
    (['src/*.py'], ['docs/en', 'docs/en/*'])
    """
    if any(character in source for character in "*?["):
        return [source]
    name = source.removeprefix("./").rstrip("/")
    return [name, f"{name}/*"] if name not in {"", "."} else ["*"]
