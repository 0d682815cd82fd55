"""The page: the page of `chunker view` with an editor, a form, and a search; built once, when the server starts."""

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
    """Return the page, and its content security policy for a header. `state`: data for its script: names of tokenizers
    and formats, limits.
    """
    head, body, tail = frame(f"{_OURS}:serve.html", _STYLES, _SCRIPTS)
    head, policy = without_policy(head)
    return (head + body).encode() + block("state-data", state) + tail.encode(), policy


def without_policy(head: str) -> tuple[str, str]:
    """Remove the content security policy from the head of a page. Returns the head, and the policy as a header
    value.
    """
    found = _POLICY.search(head)
    if found is None:
        raise ValueError("the page has no policy")
    return head.replace(found[0], ""), f"{found[1]}; frame-ancestors 'none'"


def samples() -> list[dict[str, str]]:
    """Return the example texts: their names, titles and contents."""
    folder = files(_OURS).joinpath("assets", "samples")
    return [
        {"name": name, "title": title, "text": folder.joinpath(name).read_text("utf-8")}
        for name, title in _SAMPLES.items()
    ]


def exports() -> list[str]:
    """Return the formats in which chunks can be saved; Parquet and Arrow only if pyarrow is installed."""
    needed = {"parquet", "arrow"} if find_spec("pyarrow") is None else set()
    return [name for name in get_args(ExportFormat) if name not in needed]
