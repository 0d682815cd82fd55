"""Run a benchmark: every folder here, and what the tests share, is on its path, and the package is the installed one.

    python benchmarks/run.py                    lists the benchmarks, each with its first line
    python benchmarks/run.py NAME [OPTION]...   runs one; NAME --help shows its options

Processes that a benchmark starts inherit the path.
"""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def benchmarks() -> dict[str, Path]:
    """The files that run by themselves, by name: those that print, and are no part of another one."""
    files = sorted(FOLDER.glob("*/*.py"))
    return {
        file.stem: file
        for file in files
        if 'if __name__ == "__main__":' in file.read_text(encoding="utf-8")
        and not file.stem.endswith(("_tasks", "_side", "_peers"))
    }


def main(arguments: list[str]) -> None:
    """List the benchmarks, or become the one that is named."""
    known = benchmarks()
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(__doc__)
        for name, file in known.items():
            first = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
            print(f"{file.parent.name:8} {name:20} {first}")
        return
    if arguments[0] not in known:
        raise SystemExit(f"{arguments[0]!r} is no benchmark: one of {', '.join(known)}")
    folders = [*sorted({str(file.parent) for file in FOLDER.glob("*/*.py")}), str(FOLDER.parent / "tests" / "support")]
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([*folders, before] if before else folders)
    # -P: the folder of a script is on the path by PYTHONPATH, the folder one stands in, with the source tree, is not.
    command = [sys.executable, "-P", str(known[arguments[0]]), *arguments[1:]]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": path})  # noqa: S606 - a file of this folder


if __name__ == "__main__":
    main(sys.argv[1:])
