"""Our chunkers and those of other packages with one interface, each with an exact o200k_base count where it takes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

import chonkie
import semantic_text_splitter
import tiktoken
from chonkie.tokenizer import TokenizerProtocol
from cuts import Piece
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from bpe_engine.published.registry import load_vocabulary
from chunker import CodeChunker, MarkdownChunker, TextChunker

PACKAGES = [
    *("bpe-chunker", "semantic-text-splitter", "langchain-text-splitters", "chonkie", "tiktoken"),
    *("llama-index-core", "astchunk", "cocoindex"),
]

# Any o200k_base model; this package knows encodings by model.
_MODEL = "gpt-4o"


Split = Callable[[str], list[Piece]]


@cache
def oracle() -> tiktoken.Encoding:
    """The publisher's tokenizer on the embedded vocabulary, by which every count here is checked."""
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


def code_splitters(limit: int, language: str = "python") -> dict[str, Callable[[], Split]]:
    """Name -> function that makes a splitter of source code into chunks of at most `limit` tokens. `language`: its name in the packages of grammars."""
    return {
        "bpe-chunker CodeChunker": lambda: ours(CodeChunker(language, limit)),
        "bpe-chunker CodeChunker, optimal": lambda: ours(CodeChunker(language, limit, strategy="optimal")),
        "bpe-chunker TextChunker": lambda: ours(TextChunker(limit)),
        "semantic-text-splitter CodeSplitter": lambda: _semantic(
            semantic_text_splitter.CodeSplitter.from_tiktoken_model(
                import_module(f"tree_sitter_{language}").language(), _MODEL, limit
            )
        ),
        "LlamaIndex CodeSplitter": lambda: _llama_index(limit, language),
        "astchunk": lambda: _astchunk(limit, language),
        "cocoindex RecursiveSplitter": lambda: _cocoindex(limit, language),
        "chonkie CodeChunker": lambda: _chonkie(
            chonkie.CodeChunker(tokenizer=_oracle_for_chonkie(), chunk_size=limit, language=language)
        ),
        f"LangChain {language}": lambda: _langchain(
            RecursiveCharacterTextSplitter.from_language(
                _LANGCHAIN[language], chunk_size=limit, chunk_overlap=0, length_function=count, add_start_index=True
            )
        ),
        **_text_peers(limit),
    }


_LANGCHAIN = {
    "python": Language.PYTHON,
    "javascript": Language.JS,
    "java": Language.JAVA,
    "cpp": Language.CPP,
    "go": Language.GO,
    "rust": Language.RUST,
}

# These count characters or bytes, so that they are given as many as a budget of tokens has in code on average.
_BYTES_A_TOKEN = 4
_INK_A_TOKEN = 3


def _llama_index(limit: int, language: str) -> Split:
    from llama_index.core.node_parser import CodeSplitter  # noqa: PLC0415  # not in the environment of the others

    splitter = CodeSplitter(language=language, count_mode="token", max_tokens=limit, tokenizer=oracle().encode_ordinary)
    return lambda text: [Piece(piece, None, None) for piece in splitter.split_text(text)]


def _astchunk(limit: int, language: str) -> Split:
    from astchunk import ASTChunkBuilder  # noqa: PLC0415  # as above

    builder = ASTChunkBuilder(max_chunk_size=_INK_A_TOKEN * limit, language=language, metadata_template="none")
    return lambda text: [Piece(piece["content"], None, None) for piece in builder.chunkify(text)]


def _cocoindex(limit: int, language: str) -> Split:
    from cocoindex.ops.text import RecursiveSplitter  # noqa: PLC0415  # as above

    splitter = RecursiveSplitter()
    return lambda text: [
        Piece(piece.text, piece.start.char_offset, piece.end.char_offset)
        for piece in splitter.split(text, chunk_size=_BYTES_A_TOKEN * limit, language=language)
    ]


def prose_splitters(limit: int) -> dict[str, Callable[[], Split]]:
    """Name -> function that makes a splitter of Markdown into chunks of at most `limit` tokens."""
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
