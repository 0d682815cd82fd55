"""A text in each format to measure with: from files of the installed Python packages, or made if they have none."""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SIZE = 400_000  # characters at most
_ENDINGS = {
    "html": ("html",),
    "markdown": ("md",),
    "restructuredtext": ("rst",),
    "toml": ("toml",),
    "yaml": ("yaml", "yml"),
}
_REPOSITORY = Path(__file__).parents[2]
_SAMPLES = {
    "go": "sample.go",
    "java": "Sample.java",
    "javascript": "sample.js",
    "rust": "sample.rs",
    "typescript": "sample.ts",
}


def format_texts() -> dict[str, str]:
    """One text per format."""
    folder = Path(sysconfig.get_paths()["purelib"])
    made = {"csv": _table(), "json": _records(), "jsonl": _record_lines(), "latex": _article(), "notebook": _notebook()}
    found = {name: _gathered(folder, endings) for name, endings in _ENDINGS.items()}
    return dict(sorted({**made, **{name: text for name, text in found.items() if text}}.items()))


def edited_texts() -> dict[str, str]:
    """The texts on which edits are measured: those of `format_texts`, plain text and code."""
    code = _gathered(Path(sysconfig.get_paths()["purelib"]) / "pip", ("py",))
    chance = random.Random(2)  # noqa: S311  # texts to measure by
    prose = "".join(f"{_words(chance, 20).capitalize()}.\n" + "\n" * (number % 5 == 0) for number in range(10_000))
    return {"text": prose, "python": code, "cpp": _own_sources(), **_samples(), **format_texts()}


def _own_sources() -> str:
    """The C++ of this repository."""
    paths = (path for name in ("bpe_engine", "chunker") for path in (_REPOSITORY / name / "cpp").glob("**/*.[ch]pp"))
    return "".join(path.read_text("utf-8") for path in sorted(paths))


def _samples() -> dict[str, str]:
    """The sample of each language in the tests, which are short, so that each can follow itself."""
    folder = _REPOSITORY / "tests" / "chunker" / "formats" / "code" / "samples"
    shebang = "#!/usr/bin/env node\n"  # an error further down
    return {name: (folder / file).read_text("utf-8").removeprefix(shebang) for name, file in _SAMPLES.items()}


def _gathered(folder: Path, endings: tuple[str, ...]) -> str:
    """The contents of the files with these endings, one after the other."""
    text = ""
    if not folder.is_dir():
        return text
    for path in sorted(path for ending in endings for path in folder.glob(f"**/*.{ending}")):
        text += path.read_text("utf-8", "ignore")
        if len(text) > SIZE:
            break
    return text[:SIZE]


def _words(chance: random.Random, most: int) -> str:
    return " ".join(chance.choices(("some", "words", "that", "stand", "here", "again"), k=chance.randrange(most)))


def _objects() -> Iterator[dict[str, object]]:
    chance = random.Random(1)  # noqa: S311  # texts to measure by
    for number in range(2_500):
        nested = {"x": chance.random(), "text": _words(chance, 30)}
        yield {"id": number, "name": f"item {number}", "tags": ["a", "b"], "nested": nested}


def _records() -> str:
    return json.dumps(list(_objects()), indent=1)


def _record_lines() -> str:
    return "\n".join(map(json.dumps, _objects()))


def _table() -> str:
    chance = random.Random(1)  # noqa: S311  # texts to measure by
    return "\n".join(f'{number},name {number},{chance.random()},"quoted, text {number}"' for number in range(9_000))


def _notebook() -> str:
    chance = random.Random(1)  # noqa: S311  # texts to measure by
    cells: list[dict[str, object]] = [
        {
            "cell_type": kind,
            "metadata": {},
            "outputs": [],
            "source": ["# Title\n", *(_words(chance, 14) + "\n" for _ in range(8))],
        }
        for kind in chance.choices(("markdown", "code"), k=1_300)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _article() -> str:
    chance = random.Random(1)  # noqa: S311  # texts to measure by
    parts = []
    for number in range(900):
        parts.append(
            f"\\section{{Part {number}}}\n{_words(chance, 40)} with \\emph{{words}} and $x^2$. See \\cite{{a}}.\n"
        )
        parts.append("\\begin{itemize}\n\\item one\n\\item two % more\n\\end{itemize}\n")
        parts.append("\\begin{tabular}{ll}\na & b \\\\ \\hline\n1 & 2 \\\\\n3 & 4 \\\\\n\\end{tabular}\n")
    return "\n".join(parts)[:SIZE]
