"""Regular expressions whose repetitions may be possessive: `from chunker.formats.expressions import re`.

Before Python 3.11.5 the `re` of the standard library matches too little where a group that can match in more than one way is repeated
possessively, as in `(?:ab?c)*+` (python/cpython#106052). There the `regex` package takes its place, which is slower and has no such fault.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 11, 5):
    import re
else:
    import regex as re

__all__ = ["re"]
