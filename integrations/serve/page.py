"""The page: that of `chunker view`, with a field to write in, a form, and a search; made once, when the server starts."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, get_args

from chunker.integrations.serve.bodies import ExportFormat
from chunker.view.page import READER_SCRIPTS, READER_STYLES, block, frame

_OURS = "chunker.integrations.serve"
_STYLES = (*READER_STYLES, f"{_OURS}:serve.css")
_SCRIPTS = (
    *READER_SCRIPTS,
    *(f"{_OURS}:{name}.js" for name in ("asking", "cutting", "taking", "searching", "start")),
)
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">\n')
_SAMPLES = {"guide.md": "Markdown", "cart.py": "Python", "prices.csv": "CSV", "letter.txt": "Prose"}


def serve_page(state: dict[str, Any]) -> tuple[bytes, str]:
    """The page and its content security policy, for a header. `state`: what its script is told: names of tokenizers and formats, limits."""
    head, body, tail = frame(f"{_OURS}:serve.html", _STYLES, _SCRIPTS)
    head, policy = without_policy(head)
    return (head + body).encode() + block("state-data", state) + tail.encode(), policy


def without_policy(head: str) -> tuple[str, str]:
    """The head of a page without its content security policy, and that as the value of a header."""
    found = _POLICY.search(head)
    if found is None:
        raise ValueError("the page has no policy")
    return head.replace(found[0], ""), f"{found[1]}; frame-ancestors 'none'"


def samples() -> list[dict[str, str]]:
    """The texts to begin with: their names, what they are, and their content."""
    folder = files(_OURS).joinpath("assets", "samples")
    return [
        {"name": name, "title": title, "text": folder.joinpath(name).read_text("utf-8")}
        for name, title in _SAMPLES.items()
    ]


def exports() -> list[str]:
    """The formats that chunks can be saved in here: Parquet and Arrow where pyarrow is installed."""
    needed = {"parquet", "arrow"} if find_spec("pyarrow") is None else set()
    return [name for name in get_args(ExportFormat) if name not in needed]
