"""The chunkers that the retrieval benchmark compares, with one interface."""

from __future__ import annotations

from collections.abc import Callable

from chunk_peers import Split, code_splitters, count, oracle, prose_splitters
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from llama_index.core.node_parser import SentenceSplitter
from semchunk.semchunk import chunkerify

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.evaluation.retrieving import PeerChunk, Splitter

PACKAGES = [
    *("bpe-chunker", "semantic-text-splitter", "langchain-text-splitters", "chonkie", "semchunk", "llama-index-core"),
    "tiktoken",
]

# Ours, which are here with their options; what needs an environment of its own; and what does not count tokens.
_LEFT_OUT = ("bpe-chunker", "chonkie CodeChunker", "LlamaIndex CodeSplitter", "astchunk", "cocoindex")


def systems(kind: str, limit: int) -> dict[str, Splitter]:
    """Name -> chunker of a set of questions into at most `limit` tokens; the first is ours as it comes."""
    is_faq = kind in ("faq", "even_faq")
    makers: dict[str, Callable[..., TextChunker]] = {
        "faq": lambda **options: TextChunker(limit, format="restructuredtext", **options),
        "even_faq": lambda **options: TextChunker(limit, format="restructuredtext", **options),
        "node": lambda **options: MarkdownChunker(limit, **options),
        "python": lambda **options: CodeChunker("python", limit, **options),
    }
    make = makers[kind]
    named = 'TextChunker(format="restructuredtext")' if is_faq else type(make()).__name__
    splitters = code_splitters(limit) if kind == "python" else prose_splitters(limit)
    if is_faq:
        splitters = {name: made for name, made in splitters.items() if "Markdown" not in name}
    peers = {name: made for name, made in splitters.items() if not name.startswith(_LEFT_OUT)}
    return {
        f"ours: {named}": _ours(make()),
        "ours: strategy optimal": _ours(make(strategy="optimal")),
        "ours: context": _ours(make(context=True)),
        "ours: optimal, context": _ours(make(strategy="optimal", context=True)),
        "ours: TextChunker": _ours(TextChunker(limit)),
        **{_shown(name): _split(made) for name, made in peers.items()},
        **({"LangChain RST": _langchain_rst(limit)} if is_faq else {}),
        "LlamaIndex SentenceSplitter": _llama_index(limit),
        "semchunk": _semchunk(limit),
    }


def _shown(name: str) -> str:
    return f"{name} (fixed window)" if name == "chonkie TokenChunker" else name


def _ours(chunker: TextChunker) -> Splitter:
    return lambda _name, text: [PeerChunk(chunk.text, chunk.body) for chunk in chunker.chunk(text)]


def _split(make: Callable[[], Split]) -> Splitter:
    split = make()
    return lambda _name, text: [PeerChunk(piece.text, piece.text) for piece in split(text)]


def _strings(split: Callable[[str], list[str]]) -> Splitter:
    return lambda _name, text: [PeerChunk(piece, piece) for piece in split(text)]


def _llama_index(limit: int) -> Splitter:
    splitter = SentenceSplitter(chunk_size=limit, chunk_overlap=0, tokenizer=oracle().encode_ordinary)
    return _strings(splitter.split_text)


def _semchunk(limit: int) -> Splitter:
    chunker = chunkerify(count, limit)
    return _strings(lambda text: [str(piece) for piece in chunker(text)])


def _langchain_rst(limit: int) -> Splitter:
    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.RST, chunk_size=limit, chunk_overlap=0, length_function=count
    )
    return _strings(splitter.split_text)
