"""Conditions that hits must meet."""

from __future__ import annotations

from dataclasses import dataclass

from chunker.arguments import require_all


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that hits must meet. An empty tuple allows anything.

    Args:
        tags: The tag of the file is one of these.
        sources: The name of the file matches one of these patterns (`*`, `?` and `[...]`; `*` matches slashes, too); a name
            without any of these characters means what is in the folder of this name, too.
        languages: The language of the file is one of these.
        kinds: The kind of the chunk is one of these.

    Raises:
        WrongTypeError: A value is no collection of names, such as a single str.
    """

    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises `WrongTypeError` for what is no collection of names, such as a single str."""
        for name in ("tags", "sources", "languages", "kinds"):
            require_all(getattr(self, name), str, name, "str")

    def condition(self) -> tuple[str, list[str]]:
        """The filter as a condition of SQL over files f, versions v and places p, with its values."""
        parts: list[str] = []
        values: list[str] = []
        for column, wanted in (("f.tag", self.tags), ("v.language", self.languages), ("p.kind", self.kinds)):
            if wanted:
                parts.append(f"{column} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        if self.sources:
            patterns = [pattern for source in self.sources for pattern in _patterns(source)]
            parts.append("(" + " OR ".join(["f.source GLOB ?"] * len(patterns)) + ")")
            values += patterns
        return " AND ".join(parts), values


def _patterns(source: str) -> list[str]:
    """A pattern as it is; a name, and what is in the folder of this name.

    >>> _patterns("src/*.py"), _patterns("docs/en/")
    (['src/*.py'], ['docs/en', 'docs/en/*'])
    """
    if any(character in source for character in "*?["):
        return [source]
    name = source.removeprefix("./").rstrip("/")
    return [name, f"{name}/*"] if name not in {"", "."} else ["*"]
