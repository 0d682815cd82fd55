"""tiktoken's module of this name: published encodings by their names."""

from bpe_engine.encoding import get_encoding
from bpe_engine.published.registry import list_encoding_names

__all__ = ["get_encoding", "list_encoding_names"]
