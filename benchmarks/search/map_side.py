"""The repo map of aider for some repositories and budgets: run by maps.py, with the Python of an environment that has aider-chat and tiktoken.

python map_side.py REQUEST     REQUEST: {"repositories": {name: folder}, "budgets": [500, ...], "encoding": FILE};
                               FILE: the ranks and the pattern of the encoding, pickled; prints one line of JSON a
                                   repository
"""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
import time
from pathlib import Path

import tiktoken
from aider.repomap import RepoMap  # type: ignore[import-not-found, unused-ignore]  # of the other environment

_LEFT_OUT = {".git", "node_modules", "__pycache__"}


class _Model:
    """Counts as aider's own models do for o200k_base."""

    def __init__(self, ranks: dict[bytes, int], pattern: str) -> None:
        self._encoding = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})

    def token_count(self, text: str) -> int:
        return len(self._encoding.encode(text, disallowed_special=()))


class _Files:
    """Reads files for aider and prints nothing."""

    def read_text(self, name: str) -> str | None:
        try:
            return Path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def tool_output(self, *_args: object, **_options: object) -> None:
        return None

    tool_warning = tool_error = tool_output


def main() -> None:
    """Draw the maps that are asked for."""
    asked = json.loads(sys.argv[1])
    model = _Model(*pickle.loads(Path(asked["encoding"]).read_bytes()))  # noqa: S301 - maps.py wrote it
    for name, folder in asked["repositories"].items():
        files = [
            str(path)
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and not _LEFT_OUT.intersection(path.parts)
        ]
        with tempfile.TemporaryDirectory() as cache:
            RepoMap.TAGS_CACHE_DIR = str(Path(cache) / "tags")
            rows = []
            for budget in asked["budgets"]:
                repo_map = RepoMap(map_tokens=budget, root=folder, main_model=model, io=_Files(), refresh="always")
                began, used = time.perf_counter(), time.process_time()
                text = repo_map.get_repo_map([], files, force_refresh=True) or ""
                rows.append(
                    {
                        "budget": budget,
                        "tokens": model.token_count(text),
                        "seconds": time.process_time() - used,
                        "wall": time.perf_counter() - began,
                    }
                )
        print(json.dumps({"name": name, "files": len(files), "maps": rows}), flush=True)


if __name__ == "__main__":
    main()
