"""LangChain text splitters whose chunks fit a token budget exactly and have exact offsets.

    from chunker.integrations.langchain import TokenBudgetTextSplitter
    splitter = TokenBudgetTextSplitter(chunk_size=512, chunk_overlap=50, language="auto", add_chunk_metadata=True)
    documents = splitter.split_documents(documents)

Splitters with the names and arguments of LangChain's, for programs that change only an import:

    from chunker.integrations.langchain import Language, MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter,
    TokenTextSplitter

Needs `langchain-text-splitters` (the extra `langchain`).
"""

from __future__ import annotations

from chunker.integrations.requirements import missing

try:
    from langchain_text_splitters import Language

    from chunker.integrations.langchain.drop_in import RecursiveCharacterTextSplitter, TokenTextSplitter
    from chunker.integrations.langchain.markdown_headers import MarkdownHeaderTextSplitter
    from chunker.integrations.langchain.splitter import TokenBudgetTextSplitter
except ModuleNotFoundError as error:
    raise missing(error, "langchain") from error

__all__ = [
    "Language",
    "MarkdownHeaderTextSplitter",
    "RecursiveCharacterTextSplitter",
    "TokenBudgetTextSplitter",
    "TokenTextSplitter",
]
