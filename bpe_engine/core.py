"""tiktoken's module of this name: `from bpe_engine.core import Encoding`."""

from bpe_engine.encoding import Encoding

__all__ = ["Encoding"]
