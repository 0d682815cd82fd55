"""Late chunking: the model reads the whole document, and each chunk gets the mean of its own tokens.

    plain     chunk -> model -> mean                          a chunk with "it" does not know what that is
    late      document -> model -> one vector a token
              token spans of the chunks -> mean of each       the text around a chunk is in its vector

    from chunker.late import LateEmbedder

    vectors = LateEmbedder(model).embed([(text, chunks)])[0]

Documents longer than the model are read in windows that overlap. Needs numpy and tokenizers: pip install
"bpe-chunker[late]".
"""

from __future__ import annotations

from chunker.errors import MissingExtraError

try:
    import numpy as _numpy  # noqa: F401, ICN001  # to tell what to install, before a module of ours fails on it
except ImportError as error:
    raise MissingExtraError("numpy", "late") from error

from chunker.late.embedding import LateEmbedder, TokenEmbedder
from chunker.late.model_windows import ModelWindow, windows
from chunker.late.pooling import pooled
from chunker.late.requests import late_requests
from chunker.late.tokens import EmbedderTokens, TokenSpan, embedder_tokens, token_spans

__all__ = [
    "EmbedderTokens",
    "LateEmbedder",
    "ModelWindow",
    "TokenEmbedder",
    "TokenSpan",
    "embedder_tokens",
    "late_requests",
    "pooled",
    "token_spans",
    "windows",
]
