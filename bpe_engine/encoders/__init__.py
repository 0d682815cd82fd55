"""The incremental encoders: a text grows to the right or to the left, or any slice of it is priced, and the count is exact.

appending.py   append, snapshot, rollback           growing.py       what both growing encoders share
prepending.py  the same, to the left                open_pieces.py   the tables of pre-tokens too long to recount
interval.py    the count of any slice               received.py      str and bytes, joined as the tokenizer sees them
"""

from bpe_engine.encoders.appending import AppendingEncoder
from bpe_engine.encoders.growing import Mark
from bpe_engine.encoders.interval import IntervalEncoder
from bpe_engine.encoders.prepending import PrependingEncoder

__all__ = ["AppendingEncoder", "IntervalEncoder", "Mark", "PrependingEncoder"]
