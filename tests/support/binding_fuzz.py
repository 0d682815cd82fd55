"""Calls everything that the compiled modules show to Python, with arguments that fit and others that do not: `python binding_fuzz.py SEED SECONDS`.

A program of its own, for a crash takes its process along. Each call is written down before it is made, in a file that a
memory map shares with whoever started it, so the last one is known. What is raised has to be an exception that says
what was wrong.
"""

from __future__ import annotations

import faulthandler
import mmap
import pickle
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpe_engine import BpeEngineError, _core
from chunker import _native
from chunker.counting import resolve_tokenizer
from chunker.formats import Strength
from chunker.formats.sketches import Inside, Sketch

# RuntimeError: a counter that another thread is using, and a constructor called twice.
ALLOWED = (
    BpeEngineError,
    TypeError,
    ValueError,
    OverflowError,
    IndexError,
    BufferError,
    KeyError,
    AttributeError,
    RuntimeError,
    MemoryError,
)
NOTED = 4096  # bytes


class Odd(str):
    """A str whose methods lie."""

    __slots__ = ()

    def __len__(self) -> int:
        return 1 << 40

    def isascii(self) -> bool:
        return True


class Shrinking(list[Any]):
    """A list that empties itself while it is looked at."""

    def __iter__(self) -> Any:
        self.clear()
        return iter([1, 2, 3])


class Index:
    """A number that empties a list when it is asked for its value."""

    def __init__(self, victim: list[Any]) -> None:
        self.victim = victim

    def __index__(self) -> int:
        self.victim.clear()
        return 1

    def __hash__(self) -> int:
        self.victim.clear()
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


class Fuzz:
    """Objects of the modules, calls of their methods, and the values that these take."""

    def __init__(self, seed: int, note: Callable[[str], None]) -> None:
        self.chance = random.Random(seed)
        self.note = note
        self.made: dict[str, list[Any]] = {}
        self.calls = 0
        self.raised = 0
        self.complaints: list[str] = []
        self.modules = (_core, _native)
        self.types: dict[str, Any] = {
            name: found for module in self.modules for name, found in vars(module).items() if isinstance(found, type)
        }
        self.functions = {
            f"{module.__name__}.{name}": found
            for module in self.modules
            for name, found in vars(module).items()
            if callable(found) and not isinstance(found, type) and not name.startswith("__") and name != "report_leaks"
        }
        self.languages: list[Any] = []
        try:
            import tree_sitter_python  # noqa: PLC0415 - not everybody has it

            self.languages.append(tree_sitter_python.language())
        except ImportError:
            pass

    # --- values

    def number(self) -> Any:
        choice = self.chance.random()
        if choice < 0.6:
            return self.chance.randrange(-2, 40)
        if choice < 0.8:
            return self.chance.choice(
                (255, 256, 1 << 15, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, -(1 << 31))
            )
        return self.chance.choice(
            ((1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 1 << 200, -(1 << 63), -(1 << 63) - 1, True)
        )

    def text(self) -> Any:
        parts = (
            "a",
            "b",
            "ab",
            " ",
            "\n",
            "# a\n",
            "- b\n",
            "\n\n",
            "é",
            "中",
            "👍",
            "\ud800",
            "\udc80",
            "def f():\n    x\n",
            "|a|b|\n|-|-|\n|1|2|\n",
            "'ll",
            "\r",
            "12",
            "\0",
        )
        found = "".join(self.chance.choices(parts, k=self.chance.choice((0, 1, 2, 5, 20, 300))))
        return Odd(found) if self.chance.random() < 0.1 else found

    def data(self) -> bytes:
        found: bytes = self.text().encode("utf-8", "surrogatepass")
        if self.chance.random() < 0.5:
            found = bytes(self.chance.choices(range(256), k=self.chance.choice((0, 1, 2, 6, 24, 256, 600))))
        return found

    def ascending(self) -> list[int]:
        return sorted(self.chance.choices(range(self.chance.choice((3, 30, 300))), k=self.chance.randrange(12)))

    def listed(self) -> Any:
        kind = self.chance.randrange(9)
        size = self.chance.choice((0, 1, 2, 3, 12))
        if kind == 0:
            return [self.number() for _ in range(size)]
        if kind == 1:
            return [0, *self.ascending()]
        if kind == 2:
            return [self.data() for _ in range(size)]
        if kind == 3:
            return [self.text() for _ in range(size)]
        if kind == 4:
            return [self.value() for _ in range(min(size, 3))]
        if kind == 5:
            return [(self.number(), self.number(), "line", self.number()) for _ in range(size)]
        if kind == 6:
            return [
                (
                    self.chance.randrange(-1, 8),
                    self.chance.randrange(-2, 3),
                    self.chance.randrange(7),
                    self.chance.randrange(-1, 2),
                )
                for _ in range(size)
            ]
        if kind == 7:
            return Shrinking([1, 2, 3])
        found: list[Any] = [0, 1, 2]
        found.insert(self.chance.randrange(3), Index(found))
        return found

    def value(self) -> Any:
        kind = self.chance.randrange(15)
        if kind < 3:
            return self.number()
        if kind < 5:
            return self.text()
        if kind == 5:
            return self.data()
        if kind < 8:
            return self.listed()
        if kind == 8:
            return self.chance.choice(
                (
                    None,
                    1.5,
                    float("nan"),
                    float("inf"),
                    -1e300,
                    (),
                    {},
                    {1: 2},
                    object(),
                    bytearray(b"ab"),
                    memoryview(b"ab"),
                    str,
                    int,
                )
            )
        if kind == 9:
            return bytearray(self.chance.randrange(12))
        if kind == 10:
            return self.chance.choice(("o200k", "cl100k", "code", "list", "toml", "line"))
        if kind == 11 and self.languages:
            return self.chance.choice(self.languages)
        if kind == 12:
            # One whose constructor never ran.
            one = self.chance.choice(list(self.types.values()))
            return one.__new__(one)
        return self.instance(self.chance.choice(list(self.types)))

    # --- objects, so that most of them are well

    def instance(self, name: str) -> Any:
        known = self.made.setdefault(name, [])
        if known and self.chance.random() < 0.8:
            return self.chance.choice(known)
        try:
            made = self.make(name)
        except ALLOWED:
            return None
        if len(known) > 8:
            known.pop(self.chance.randrange(len(known)))
        known.append(made)
        return made

    def make(self, name: str) -> Any:  # noqa: C901, PLR0912 - one a class
        chance = self.chance
        match name:
            case "TokenSet":
                tokens = [bytes([byte]) for byte in range(256 if chance.random() < 0.7 else 100)] + [
                    b"ab",
                    b"abab",
                    b"  ",
                    b"zz",
                ]
                if chance.random() < 0.3:
                    return _core.TokenSet.from_planes(
                        bytes(chance.choices((0, 1, 2, 97, 255), k=6 * chance.randrange(40)))
                    )
                return _core.TokenSet.from_tokens(tokens, sorted(chance.sample(range(10_000), len(tokens))))
            case "Engine":
                return _core.Engine(self.instance("TokenSet"), chance.choice((None, "o200k", "cl100k")))
            case "AppendingEncoder" | "PrependingEncoder":
                return self.types[name](self.instance("Engine"))
            case "IntervalEncoder":
                return _core.IntervalEncoder(self.instance("Engine"), self.text())
            case "Capsule":
                return self.instance("Engine").interface()
            case "Mark":
                return self.instance(chance.choice(("AppendingEncoder", "PrependingEncoder"))).snapshot()
            case "PretokenCounter":
                return _core.PretokenCounter(chance.choice((None, "o200k")), chance.randrange(3))
            case "Limits":
                small = {name: chance.randrange(1, 60) for name in ("most", "least", "overlap_finest")}
                desired = chance.choice((None, chance.randrange(1, 60)))
                return _native.Limits(overlap=chance.randrange(small["most"]), desired=desired, **small)
            case "Grower":
                text = str(self.text())
                rows = [place for place in self.ascending() if 0 < place < len(text)]
                offsets = [0, *rows] if text else []
                columns = offsets, [chance.randrange(60) for _ in offsets], ["row"] * len(offsets)
                tokenizer = resolve_tokenizer(chance.choice(("o200k_base", "words")))
                natives = [_native.MarkdownSketch(_native.copy_for_parsers(text) or "")]
                if text:
                    natives.append(self.instance("Grammar").read(text, chance.randrange(60)))
                outline = Sketch.of(
                    columns,
                    offsets[: chance.randrange(3)],
                    lambda offset: Inside([offset + 1], [5], ["word"], []),
                    list,
                    finest=Strength.LINE,
                    native=chance.choice((None, *natives)),
                )
                context_at = chance.choice((None, lambda *_: "c\n"))
                return _native.Grower(text, tokenizer, outline, self.instance("Limits"), context_at)
            case "MarkdownSketch":
                return _native.MarkdownSketch(_native.copy_for_parsers(str(self.text())) or "")
            case "ChunkColumns":
                return _native.ChunkColumns()
            case "SpanMeter":
                return _native.SpanMeter(self.text() if chance.random() < 0.5 else self.data())
            case "Grammar":
                kinds = [
                    (chance.randrange(-1, 8), chance.randrange(-1, 2), chance.randrange(6), chance.randrange(1))
                    for _ in range(300)
                ]
                return _native.Grammar(
                    self.languages[0],
                    kinds,
                    [
                        (
                            5,
                            [([["name"]], ["identifier"])],
                            [(False, "def ", [([("name", chance.random() < 0.5)], "")])],
                            chance.random() < 0.5,
                        )
                    ],
                    0,
                    ["line", "paragraph", "statement", "clause", "comment", "function"],
                    b"#",
                    chance.choice((b"", b"<?php\n")),
                    chance.random() < 0.5,
                )
            case "CodeReading":
                return self.instance("Grammar").read(str(self.text()), chance.randrange(100))
            case _:
                return self.types[name]()

    # --- calls

    def arguments(self, function: Any) -> tuple[list[Any], dict[str, Any]]:
        """For what is known to take certain things mostly those, else anything."""
        described = getattr(function, "__nb_signature__", None)
        signature = described[0][0] if described else ""
        if self.chance.random() < 0.15 or not signature:
            return [self.value() for _ in range(self.chance.randrange(7))], {}
        inside = signature[signature.find("(") + 1 : signature.rfind(") ->")]
        positional: list[Any] = []
        named: dict[str, Any] = {}
        after_star = False
        depth, start, parts = 0, 0, []
        for place, character in enumerate(inside):
            depth += (character in "[(") - (character in "])")
            if character == "," and depth == 0:
                parts.append(inside[start:place])
                start = place + 1
        parts.append(inside[start:])
        for part in map(str.strip, parts):
            name, _, kind = part.partition(":")
            if name == "*":
                after_star = True
            elif name and name != "self":
                value = self.fitting(name, kind.strip()) if self.chance.random() < 0.85 else self.value()
                if after_star:
                    named[name] = value
                else:
                    positional.append(value)
        return positional, named

    def fitting(self, name: str, kind: str) -> Any:  # noqa: C901, PLR0912 - one a kind
        chance = self.chance
        for known in self.types:
            if known in kind:
                return self.instance(known)
        if name in ("tokenizer", "tokens") and "list" not in kind:
            return self.instance("Engine" if name == "tokenizer" else "TokenSet")
        if name == "encoder":
            return self.instance("Capsule")
        if name == "mark":
            return self.instance("Mark")
        if name == "closed":
            return bytearray(chance.choices((0, 1), k=chance.randrange(12)))
        if "dict" in kind:
            return dict.fromkeys(self.ascending(), 1)
        if "list[list" in kind or "list[tuple" in kind or "Sequence[tuple" in kind:
            return self.listed()
        if "list[bytes]" in kind:
            return [self.data() for _ in range(chance.randrange(4))]
        if "list[int]" in kind or "Sequence[int]" in kind:
            return [0, *self.ascending()] if chance.random() < 0.7 else self.listed()
        if "list" in kind or "Iterable" in kind:
            return [self.text() for _ in range(chance.randrange(4))]
        if "str" in kind:
            return (
                chance.choice(("o200k", "code", "list", "toml"))
                if name in ("label", "grammar", "name", "language") and chance.random() < 0.7
                else self.text()
            )
        if "bytes" in kind:
            return bytes(range(256)) if name == "symbols" else self.data()
        if "bool" in kind:
            return chance.random() < 0.5
        if "float" in kind:
            return chance.random()
        if "int" in kind:
            return chance.randrange(30) if chance.random() < 0.7 else self.number()
        if "Callable" in kind:
            return chance.choice((None, str, lambda done: None, lambda done: 1 // 0))
        if name == "language" and self.languages:
            return self.languages[0]
        return self.value()

    def call(self, shown: str, function: Any, *, positional: list[Any], named: dict[str, Any]) -> None:
        self.note(f"{shown}(*{positional!r:.1500}, **{named!r:.500})")
        self.calls += 1
        try:
            found = function(*positional, **named)
        except ALLOWED as error:
            self.raised += 1
            if "bad_cast" in str(error) or "std::" in str(error):
                self.complaints.append(f"{shown}: {type(error).__name__}: {error}")
        except ZeroDivisionError:
            self.raised += 1  # of a callback
        else:
            if type(found).__name__ in self.types:
                self.made.setdefault(type(found).__name__, []).append(found)

    def step(self) -> None:
        choice = self.chance.random()
        if choice < 0.2:
            name = self.chance.choice(list(self.functions))
            function = self.functions[name]
            positional, named = self.arguments(function)
            if name.endswith("learn_merges") and len(positional) > 2 and isinstance(positional[2], int):
                positional[2] = min(positional[2], 1000)  # a table has a row for each
            self.call(name, function, positional=positional, named=named)
            return
        name = self.chance.choice(list(self.types))
        kind = self.types[name]
        if choice < 0.3:
            positional, named = self.arguments(kind.__init__)
            self.call(name, kind, positional=positional, named=named)
            return
        one = self.instance(name) if choice < 0.95 else kind.__new__(kind)
        members = [
            member
            for member in dir(kind)
            if not member.startswith("__") or member in ("__len__", "__reduce__", "__init__", "__call__")
        ]
        member = self.chance.choice(members or ["__init__"])
        self.note(f"{name}.{member}, read")
        try:
            found = getattr(one, member)
        except ALLOWED:
            return
        if callable(found):
            positional, named = self.arguments(getattr(kind, member, None))
            self.call(f"{name}.{member}", found, positional=positional, named=named)

    def odd_ways(self) -> None:
        """What is no call: buffers, pickles, copies."""
        for name, kind in self.types.items():
            self.note(f"odd ways to a {name}")
            one = kind.__new__(kind)
            for way in (memoryview, bytes, len, repr, hash, pickle.dumps, str, iter, bool):
                try:
                    way(one)
                except (*ALLOWED, pickle.PicklingError):
                    self.raised += 1
            for garbage in (
                b"\x80\x04c" + kind.__module__.encode() + b"\n" + name.encode() + b"\n)\x81.",
                b"\x80\x04c" + kind.__module__.encode() + b"\n" + name.encode() + b"\n)\x81}X\x01\x00\x00\x00aK\x01sb.",
            ):
                try:
                    found = pickle.loads(garbage)
                except (*ALLOWED, pickle.UnpicklingError):
                    self.raised += 1
                else:
                    self.made.setdefault(name, []).append(found)


def main(seed: int, seconds: float, notes: Path) -> None:
    """Calls for so many seconds; the last one is noted."""
    faulthandler.enable()
    warnings.simplefilter("ignore")  # of an object that was never initialized nanobind warns, too
    with notes.open("r+b") as file:
        shared = mmap.mmap(file.fileno(), NOTED)

        def note(text: str) -> None:
            data = text.encode("utf-8", "backslashreplace")[: NOTED - 1]
            shared[:] = data.ljust(NOTED, b"\0")

        fuzz = Fuzz(seed, note)
        fuzz.odd_ways()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            fuzz.step()
    sys.stdout.write(
        f"{fuzz.calls} calls, {fuzz.raised} raised\n" + "".join(f"{line}\n" for line in sorted(set(fuzz.complaints)))
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))
