"""Kinds of files that rank lower, recognized by name: tests, examples, vendored copies, generated and translated files (lowered.toml)."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple


class Lowered(NamedTuple):
    """A kind of files that ranks lower. `unless`: words in a question that ask for such files, which then do not."""

    factor: float
    unless: frozenset[str]
    pattern: re.Pattern[str]


@cache
def lowered_kinds() -> dict[str, Lowered]:
    """The kinds by their names."""
    data = tomllib.loads(files("chunker.symbols").joinpath("lowered.toml").read_text("utf-8"))
    made = {}
    for name, rule in data.items():
        parts = list(rule.get("paths", ()))
        if "folders" in rule:
            parts.append(rf"(?:.*/)?(?:{'|'.join(map(re.escape, rule['folders']))})/.*")
        if "files" in rule:
            parts.append(rf"(?:.*/)?(?:{'|'.join(rule['files'])})")
        pattern = re.compile("|".join(parts), re.IGNORECASE | re.DOTALL)
        made[name] = Lowered(rule["factor"], frozenset(rule["unless"]), pattern)
    return made


@lru_cache(1 << 14)
def lowered_as(source: str) -> tuple[str, ...]:
    """The kinds that a file belongs to.

    >>> lowered_as("tests/test_a.py"), lowered_as("src/a.py")
    (('tests',), ())
    """
    return tuple(name for name, kind in lowered_kinds().items() if kind.pattern.fullmatch(source))
