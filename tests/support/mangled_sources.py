"""Sources of code that somebody has spoiled."""

from __future__ import annotations

import strategies
from hypothesis import strategies as st

SHARDS = (
    "{" * 60,
    "}" * 3,
    "(" * 60,
    '"',
    "'",
    "`",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "<<EOF\n",
    "\0",
    "\ud800",
    "\ufeff",
    "é\u0301",
    "\\\n",
    "end\n",
    "  ",
)


@st.composite
def mangled(draw: st.DrawFn, text: str) -> str:
    """A source with parts cut out, doubled, moved and replaced by what does not belong there."""
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 300)))
        middle = draw(st.one_of(st.just(""), st.sampled_from(SHARDS), strategies.fragments))
        text = text[:start] + middle + draw(st.sampled_from([text[end:], text[start:], text[end : end + 200]]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))
