"""The chunkers that can be installed, each as its users would call it for chunks of 512 tokens of o200k_base without overlap.

Nothing is imported before it is loaded: loading is measured too. All exact counts are those of tiktoken, on a cache
that holds what it would download. What counts bytes instead is given as many as a budget has in the texts on average.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

LIMIT = 512
_ENCODING = "o200k_base"
_MODEL = "gpt-4o"  # whose encoding that is

PROSE, MARKDOWN, CODE = "prose", "Markdown", "code"

# The chunks of a text. Whatever a peer's objects are, they are looked at after the time is taken.
Split = Callable[[str], Iterable[Any]]


class Setting(NamedTuple):
    """The facts about the texts that a chunker is given: their language, by its name in the packages of grammars, and their bytes per token."""

    language: str
    bytes_a_token: float


@dataclass(frozen=True)
class Peer:
    """A chunker of another package or of this one.

    `kinds`: what it is for. `load` makes it. `text_of` is the text of one of its chunks. `anew`: it remembers texts, so
    that each pass needs a new one.
    """

    package: str
    kinds: tuple[str, ...]
    load: Callable[[Setting], Split]
    text_of: Callable[[Any], str] = str
    anew: bool = False


def _text(chunk: Any) -> str:  # noqa: ANN401 - a chunk of any package
    return str(chunk.text)


def _encoding() -> Any:  # noqa: ANN401 - tiktoken is not to be imported before it is loaded
    return import_module("tiktoken").get_encoding(_ENCODING)


def _ours(name: str, strategy: str, setting: Setting) -> Split:
    chunker = import_module("chunker")
    made = getattr(chunker, name)(
        **({"language": setting.language} if name == "CodeChunker" else {}), max_tokens=LIMIT, strategy=strategy
    )
    return made.chunk  # type: ignore[no-any-return]  # by its name


def _tree_sitter(language: str) -> Any:  # noqa: ANN401 - a capsule
    return import_module(f"tree_sitter_{language}").language()


def _parse_alone(setting: Setting) -> Split:
    tree_sitter = import_module("tree_sitter")
    parser = tree_sitter.Parser(tree_sitter.Language(_tree_sitter(setting.language)))
    return lambda text: [parser.parse(text.encode())]


def _semantic(name: str, setting: Setting) -> Split:
    splitter = getattr(import_module("semantic_text_splitter"), name)
    first = (_tree_sitter(setting.language),) if name == "CodeSplitter" else ()
    made = splitter.from_tiktoken_model(*first, _MODEL, LIMIT)
    return made.chunks  # type: ignore[no-any-return]  # by its name


def _chonkie(name: str, setting: Setting) -> Split:
    options = {"language": setting.language} if name == "CodeChunker" else {}
    made = getattr(import_module("chonkie"), name)(tokenizer=_encoding(), chunk_size=LIMIT, **options)
    return made.chunk  # type: ignore[no-any-return]  # by its name


def _langchain(name: str, _setting: Setting) -> Split:
    made = getattr(import_module("langchain_text_splitters"), name).from_tiktoken_encoder(
        encoding_name=_ENCODING, chunk_size=LIMIT, chunk_overlap=0
    )
    return made.split_text  # type: ignore[no-any-return]  # by its name


def _langchain_language(setting: Setting) -> Split:
    splitters = import_module("langchain_text_splitters")
    known = {"javascript": "js"}
    separators = splitters.RecursiveCharacterTextSplitter.get_separators_for_language(
        splitters.Language(known.get(setting.language, setting.language))
    )
    made = splitters.RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name=_ENCODING,
        chunk_size=LIMIT,
        chunk_overlap=0,
        separators=separators,
        is_separator_regex=True,
        keep_separator=True,
    )
    return made.split_text  # type: ignore[no-any-return]  # by its name


def _llama_sentences(_setting: Setting) -> Split:
    parsers = import_module("llama_index.core.node_parser")
    made = parsers.SentenceSplitter(chunk_size=LIMIT, chunk_overlap=0, tokenizer=_encoding().encode_ordinary)
    return made.split_text  # type: ignore[no-any-return]  # by its name


def _llama_code(setting: Setting) -> Split:
    parsers, tree_sitter = import_module("llama_index.core.node_parser"), import_module("tree_sitter")
    made = parsers.CodeSplitter(
        setting.language,
        count_mode="token",
        max_tokens=LIMIT,
        tokenizer=_encoding().encode_ordinary,
        parser=tree_sitter.Parser(tree_sitter.Language(_tree_sitter(setting.language))),
    )
    return made.split_text  # type: ignore[no-any-return]  # by its name


def _semchunk(_setting: Setting) -> Split:
    encode = _encoding().encode_ordinary
    # A new function each time: counts are remembered by it.
    made: Split = import_module("semchunk").chunkerify(lambda text: len(encode(text)), LIMIT)
    return made


def _cocoindex(setting: Setting, *, named: bool = False) -> Split:
    os.environ["COCOINDEX_DISABLE_USAGE_TRACKING"] = "1"
    splitter = import_module("cocoindex.ops.text").RecursiveSplitter()
    size, language = int(setting.bytes_a_token * LIMIT), setting.language if named else None
    return lambda text: splitter.split(text, chunk_size=size, language=language)


PARSE = "tree-sitter, the parse alone"
OURS = {PROSE: "bpe-chunker TextChunker", MARKDOWN: "bpe-chunker MarkdownChunker", CODE: "bpe-chunker CodeChunker"}

PEERS: dict[str, Peer] = {
    OURS[PROSE]: Peer("bpe-chunker", (PROSE, MARKDOWN, CODE), partial(_ours, "TextChunker", "grow"), _text),
    "bpe-chunker TextChunker, optimal": Peer("bpe-chunker", (PROSE,), partial(_ours, "TextChunker", "optimal"), _text),
    OURS[MARKDOWN]: Peer("bpe-chunker", (MARKDOWN,), partial(_ours, "MarkdownChunker", "grow"), _text),
    "bpe-chunker MarkdownChunker, optimal": Peer(
        "bpe-chunker", (MARKDOWN,), partial(_ours, "MarkdownChunker", "optimal"), _text
    ),
    OURS[CODE]: Peer("bpe-chunker", (CODE,), partial(_ours, "CodeChunker", "grow"), _text),
    "bpe-chunker CodeChunker, optimal": Peer("bpe-chunker", (CODE,), partial(_ours, "CodeChunker", "optimal"), _text),
    PARSE: Peer("tree-sitter", (CODE,), _parse_alone, lambda _: ""),
    "chonkie TokenChunker": Peer(
        "chonkie", (PROSE, MARKDOWN, CODE), partial(_chonkie, "TokenChunker"), _text, anew=True
    ),
    "chonkie RecursiveChunker": Peer(
        "chonkie", (PROSE, MARKDOWN, CODE), partial(_chonkie, "RecursiveChunker"), _text, anew=True
    ),
    "chonkie SentenceChunker": Peer(
        "chonkie", (PROSE, MARKDOWN), partial(_chonkie, "SentenceChunker"), _text, anew=True
    ),
    "chonkie CodeChunker": Peer("chonkie", (CODE,), partial(_chonkie, "CodeChunker"), _text, anew=True),
    "LangChain TokenTextSplitter": Peer(
        "langchain-text-splitters", (PROSE, MARKDOWN, CODE), partial(_langchain, "TokenTextSplitter")
    ),
    "LangChain RecursiveCharacterTextSplitter": Peer(
        "langchain-text-splitters", (PROSE,), partial(_langchain, "RecursiveCharacterTextSplitter")
    ),
    "LangChain recursive, separators of the language": Peer(
        "langchain-text-splitters", (MARKDOWN, CODE), _langchain_language
    ),
    "semchunk": Peer("semchunk", (PROSE, MARKDOWN, CODE), _semchunk, anew=True),
    "semantic-text-splitter TextSplitter": Peer("semantic-text-splitter", (PROSE,), partial(_semantic, "TextSplitter")),
    "semantic-text-splitter MarkdownSplitter": Peer(
        "semantic-text-splitter", (MARKDOWN,), partial(_semantic, "MarkdownSplitter")
    ),
    "semantic-text-splitter CodeSplitter": Peer("semantic-text-splitter", (CODE,), partial(_semantic, "CodeSplitter")),
    "LlamaIndex SentenceSplitter": Peer("llama-index-core", (PROSE, MARKDOWN), _llama_sentences),
    "LlamaIndex CodeSplitter": Peer("llama-index-core", (CODE,), _llama_code),
    "cocoindex RecursiveSplitter, in bytes": Peer("cocoindex", (PROSE,), _cocoindex, _text),
    "cocoindex RecursiveSplitter, in bytes, language given": Peer(
        "cocoindex", (MARKDOWN, CODE), partial(_cocoindex, named=True), _text
    ),
}
PACKAGES = [*dict.fromkeys(peer.package for peer in PEERS.values()), "tiktoken"]
