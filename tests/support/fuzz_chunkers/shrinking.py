"""Smaller cases that break the same law."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from fuzz_chunkers.cases import Case
from fuzz_chunkers.laws import broken_law


def shrunk(case: Case, law: str, seconds: float) -> Case:
    """The smallest case found in so many seconds; `case` itself if there is none."""
    deadline = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in _smaller(case):
            if time.monotonic() > deadline:
                return case
            broken = broken_law(smaller)
            if broken is not None and broken.law == law:
                case, found = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with less in them, those with the least first."""
    yield from _with_less_text(case)
    if case.parts:
        yield replace(case, parts=())
    if case.source is not None:
        yield replace(case, source=None)
    for name in case.options:
        if name != "max_tokens":
            yield replace(case, options={key: value for key, value in case.options.items() if key != name})
    yield from _with_simpler_counting(case)
    if case.format != "text":
        yield replace(case, format="text")
    for index, character in enumerate(case.text):
        if character not in "a \n":
            yield replace(case, text=case.text[:index] + "a" + case.text[index + 1 :])


def _with_less_text(case: Case) -> Iterator[Case]:
    size = len(case.text) // 2
    while size:
        for start in range(0, len(case.text), size):
            yield replace(case, text=case.text[:start] + case.text[start + size :])
        size //= 2


def _with_simpler_counting(case: Case) -> Iterator[Case]:
    if isinstance(case.counting, str):
        if case.counting != "o200k_base":
            yield replace(case, counting="o200k_base")
        return
    kind, pattern, tokens = case.counting
    for index in range(len(tokens)):
        yield replace(case, counting=(kind, pattern, tokens[:index] + tokens[index + 1 :]))
    if pattern is not None:
        yield replace(case, counting=(kind, None, tokens))
