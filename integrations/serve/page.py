"""The page: that of `chunker view`, with a field to write in, a form, and a search; made once, when the server starts."""

from __future__ import annotations

import re
from typing import Any

from chunker.view.page import READER_SCRIPTS, READER_STYLES, block, frame

_OURS = "chunker.integrations.serve"
_STYLES = (*READER_STYLES, f"{_OURS}:serve.css")
_SCRIPTS = (*READER_SCRIPTS, f"{_OURS}:asking.js", f"{_OURS}:cutting.js", f"{_OURS}:searching.js", f"{_OURS}:start.js")
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">\n')


def serve_page(state: dict[str, Any]) -> tuple[bytes, str]:
    """The page and its content security policy, for a header. `state`: what its script is told: names of tokenizers and formats, limits."""
    head, body, tail = frame(f"{_OURS}:serve.html", _STYLES, _SCRIPTS)
    found = _POLICY.search(head)
    if found is None:
        raise ValueError("serve.html has no policy")
    page = (head.replace(found[0], "") + body).encode() + block("state-data", state) + tail.encode()
    return page, f"{found[1]}; frame-ancestors 'none'"
