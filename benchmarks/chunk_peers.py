"""Our chunkers and those of other packages behind one interface, each with an exact o200k_base count where it takes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, cast

import chonkie
import semantic_text_splitter
import tiktoken
import tree_sitter_python
from chonkie.tokenizer import TokenizerProtocol
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from bpe_engine.registry import load_vocabulary
from chunker import CodeChunker, MarkdownChunker, TextChunker

PACKAGES = ["bpe-chunker", "semantic-text-splitter", "langchain-text-splitters", "chonkie", "tiktoken"]

# Any o200k_base model; this package knows encodings by model.
_MODEL = "gpt-4o"


class Piece(NamedTuple):
    """A chunk and what the chunker says about its place, in characters; None where it says nothing."""

    text: str
    start: int | None
    end: int | None


Split = Callable[[str], list[Piece]]


@cache
def oracle() -> tiktoken.Encoding:
    """The publisher's tokenizer, on the embedded vocabulary: what every count here is held against."""
    vocabulary = load_vocabulary("o200k_base")
    assert vocabulary.pattern is not None
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=vocabulary.pattern.source,
        mergeable_ranks=vocabulary.ranks,
        special_tokens=vocabulary.special_tokens,
    )


def count(text: str) -> int:
    """Tokens of `text` by tiktoken."""
    return len(oracle().encode_ordinary(text))


def ours(chunker: TextChunker) -> Split:
    """One of our chunkers."""
    return lambda text: [Piece(chunk.text, chunk.span.start, chunk.span.end) for chunk in chunker.chunk(text)]


def _semantic(
    splitter: semantic_text_splitter.CodeSplitter
    | semantic_text_splitter.TextSplitter
    | semantic_text_splitter.MarkdownSplitter,
) -> Split:
    return lambda text: [Piece(piece, start, start + len(piece)) for start, piece in splitter.chunk_indices(text)]


def _langchain(splitter: RecursiveCharacterTextSplitter) -> Split:
    def split(text: str) -> list[Piece]:
        pieces = []
        for document in splitter.create_documents([text]):
            start = document.metadata["start_index"]
            pieces.append(Piece(document.page_content, start, start + len(document.page_content)))
        return pieces

    return split


def _oracle_for_chonkie() -> TokenizerProtocol:
    # At run time it recognizes the encodings of tiktoken; only its types do not say so.
    return cast("TokenizerProtocol", oracle())


def _chonkie(chunker: chonkie.BaseChunker) -> Split:
    return lambda text: [Piece(chunk.text, chunk.start_index, chunk.end_index) for chunk in chunker.chunk(text)]


def code_splitters(limit: int) -> dict[str, Callable[[], Split]]:
    """Name -> what makes a splitter of Python source into chunks of at most `limit` tokens."""
    return {
        "bpe-chunker CodeChunker": lambda: ours(CodeChunker("python", limit)),
        "bpe-chunker TextChunker": lambda: ours(TextChunker(limit)),
        "semantic-text-splitter CodeSplitter": lambda: _semantic(
            semantic_text_splitter.CodeSplitter.from_tiktoken_model(tree_sitter_python.language(), _MODEL, limit)
        ),
        "chonkie CodeChunker": lambda: _chonkie(
            chonkie.CodeChunker(tokenizer=_oracle_for_chonkie(), chunk_size=limit, language="python")
        ),
        "LangChain Python": lambda: _langchain(
            RecursiveCharacterTextSplitter.from_language(
                Language.PYTHON, chunk_size=limit, chunk_overlap=0, length_function=count, add_start_index=True
            )
        ),
        **_text_peers(limit),
    }


def prose_splitters(limit: int) -> dict[str, Callable[[], Split]]:
    """Name -> what makes a splitter of Markdown into chunks of at most `limit` tokens."""
    return {
        "bpe-chunker MarkdownChunker": lambda: ours(MarkdownChunker(limit)),
        "bpe-chunker TextChunker": lambda: ours(TextChunker(limit)),
        "semantic-text-splitter MarkdownSplitter": lambda: _semantic(
            semantic_text_splitter.MarkdownSplitter.from_tiktoken_model(_MODEL, limit)
        ),
        "LangChain Markdown": lambda: _langchain(
            RecursiveCharacterTextSplitter.from_language(
                Language.MARKDOWN, chunk_size=limit, chunk_overlap=0, length_function=count, add_start_index=True
            )
        ),
        **_text_peers(limit),
    }


def _text_peers(limit: int) -> dict[str, Callable[[], Split]]:
    return {
        "semantic-text-splitter TextSplitter": lambda: _semantic(
            semantic_text_splitter.TextSplitter.from_tiktoken_model(_MODEL, limit)
        ),
        "LangChain recursive": lambda: _langchain(
            RecursiveCharacterTextSplitter(
                chunk_size=limit, chunk_overlap=0, length_function=count, add_start_index=True
            )
        ),
        "chonkie RecursiveChunker": lambda: _chonkie(
            chonkie.RecursiveChunker(tokenizer=_oracle_for_chonkie(), chunk_size=limit)
        ),
        "chonkie SentenceChunker": lambda: _chonkie(
            chonkie.SentenceChunker(tokenizer=_oracle_for_chonkie(), chunk_size=limit)
        ),
        "chonkie TokenChunker": lambda: _chonkie(
            chonkie.TokenChunker(tokenizer=_oracle_for_chonkie(), chunk_size=limit)
        ),
    }
