"""The chunkers that are compared, by name: ours with their options, and those of other packages where they are installed.

auto                      the chunker that `chunker_for` chooses for each file
auto+context              with an option: context, optimal, overlap, sentences, desired
text                      plain text for all files
langchain, semchunk, semantic-text-splitter, chonkie, llamaindex      the recursive or sentence splitter of that package
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bpe_engine import Tokenizer
from chunker.by_name import chunker_for
from chunker.chunkers import TextChunker
from chunker.errors import OptionError
from chunker.evaluation.retrieving import PeerChunk, Splitter

DEFAULTS = ("auto", "auto+context", "auto+optimal", "text")

# Option -> the options of a chunker, for a size.
_OPTIONS: dict[str, Callable[[int], dict[str, Any]]] = {
    "context": lambda _: {"context": True},
    "desired": lambda size: {"desired_tokens": size * 7 // 10},
    "optimal": lambda _: {"strategy": "optimal"},
    "overlap": lambda size: {"overlap": size // 8},
    "sentences": lambda size: {"overlap": size // 8, "overlap_by": "sentence"},
}
# Name -> the required module, and the package that has it.
_PEERS = {
    "chonkie": ("chonkie", "chonkie"),
    "langchain": ("langchain_text_splitters", "langchain-text-splitters"),
    "llamaindex": ("llama_index.core", "llama-index-core"),
    "semantic-text-splitter": ("semantic_text_splitter", "semantic-text-splitter"),
    "semchunk": ("semchunk", "semchunk"),
}


def candidate_names() -> list[str]:
    """Return the names of all chunkers, without options."""
    return ["auto", "text", *sorted(_PEERS)]


def candidate(name: str, size: int, tokenizer: Tokenizer) -> Splitter:
    """Make the chunker of a name.

    Args:
        name: "auto" or "text", with options after plus signs; or another package.
        size: Tokens of a chunk.
        tokenizer: The tokenizer to count with.

    Raises:
        OptionError: There is no such chunker or option, or its package is not installed.
    """
    base, *options = name.split("+")
    if base in _PEERS and not options:
        return _peer(base, size, tokenizer)
    unknown = [option for option in options if option not in _OPTIONS]
    if base not in ("auto", "text") or unknown:
        raise OptionError(
            f"no chunker is called {name!r}; there are {', '.join(candidate_names())}; auto and text take "
            f"{', '.join(f'+{option}' for option in _OPTIONS)}"
        )
    keywords: dict[str, Any] = {"tokenizer": tokenizer}
    for option in options:
        keywords |= _OPTIONS[option](size)
    if base == "text":
        plain = TextChunker(size, **keywords)
        return lambda _name, text: _parts(plain, text)
    return lambda name, text: _parts(chunker_for(name, size, text=text, **keywords), text)


def _parts(chunker: TextChunker, text: str) -> list[PeerChunk]:
    return [PeerChunk(chunk.text, chunk.body, chunk.span.start) for chunk in chunker.chunk(text)]


def _peer(name: str, size: int, tokenizer: Tokenizer) -> Splitter:
    module, package = _PEERS[name]
    try:
        imported: Any = import_module(module)
    except ImportError as error:
        raise OptionError(f"the chunker {name!r} needs another package: pip install {package}") from error
    count = tokenizer.count
    if name == "langchain":
        splitter = imported.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, length_function=count)
        return _strings(splitter.split_text)
    if name == "semchunk":
        return _strings(imported.chunkerify(count, size))
    if name == "semantic-text-splitter":
        return _strings(imported.TextSplitter.from_callback(count, size).chunks)
    if name == "llamaindex":
        parser = import_module("llama_index.core.node_parser").SentenceSplitter
        return _strings(parser(chunk_size=size, chunk_overlap=0, tokenizer=tokenizer.encode).split_text)
    chunked = imported.RecursiveChunker(tokenizer=count, chunk_size=size).chunk
    return _strings(lambda text: [chunk.text for chunk in chunked(text)])


def _strings(split: Callable[[str], Any]) -> Splitter:
    return lambda _name, text: [PeerChunk(piece, piece) for piece in map(str, split(text))]
