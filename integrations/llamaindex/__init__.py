"""LlamaIndex node parsers whose nodes fit a token budget exactly, metadata included, and have exact offsets.

    from chunker.integrations.llamaindex import TokenBudgetHierarchicalNodeParser, TokenBudgetNodeParser
    nodes = TokenBudgetNodeParser(chunk_size=512, chunk_overlap=50, language="auto").get_nodes_from_documents(documents)

`node.start_char_idx` and `node.end_char_idx` are known, not searched for with `str.find`. Needs `llama-index-core` (the
extra `llamaindex`).
"""

from __future__ import annotations

from chunker.integrations.requirements import missing

try:
    from chunker.integrations.llamaindex.hierarchy import TokenBudgetHierarchicalNodeParser
    from chunker.integrations.llamaindex.splitter import TokenBudgetNodeParser
except ModuleNotFoundError as error:
    raise missing(error, "llamaindex") from error

__all__ = ["TokenBudgetHierarchicalNodeParser", "TokenBudgetNodeParser"]
