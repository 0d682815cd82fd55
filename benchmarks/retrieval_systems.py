"""The chunkers that the retrieval benchmark compares, and their chunks as stretches of the documents that they are of.

Chunks are found again in their documents by the characters that are not white space, one after the other, so that what a chunker
says about offsets, or fails to say, makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chunk_peers import Split, code_splitters, count, oracle, prose_splitters
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from llama_index.core.node_parser import SentenceSplitter
from retrieval_metrics import Ink, Retrieved, Stretch
from semchunk.semchunk import chunkerify

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, TextChunker

PACKAGES = [
    *("bpe-chunker", "semantic-text-splitter", "langchain-text-splitters", "chonkie", "semchunk", "llama-index-core"),
    "tiktoken",
]

# Texts of chunks, each with what of it is the document's: all of it, but for a context in front.
Parts = list[tuple[str, str]]
System = Callable[[str], Parts]

# Ours, which are here with their options; what needs an environment of its own; and what does not count tokens.
_LEFT_OUT = ("bpe-chunker", "chonkie CodeChunker", "LlamaIndex CodeSplitter", "astchunk", "cocoindex")


@dataclass(frozen=True)
class Passage:
    """A chunk: what is embedded, how many tokens that has, and what it holds of the documents."""

    text: str
    tokens: int
    body: int  # where in `text` the document's part begins
    holds: Retrieved


class MisplacedError(Exception):
    """A chunk is not a part of its document."""


def passages(system: System, documents: Mapping[str, str]) -> list[Passage]:
    """The chunks of all documents. Raises MisplacedError for chunks that are no parts of their document."""
    found = []
    for name, text in documents.items():
        ink = Ink(text).text
        end = 0
        for whole, body in system(text):
            own = Ink(body).text
            start = ink.find(own, end)
            if start < 0:
                raise MisplacedError(f"{body!r:.200} is not in {name} behind {end:,} characters of ink")
            end = start + len(own)
            begins = len(whole) - len(body)
            holds = Retrieved(Stretch(name, start, end), len(Ink(whole[:begins]).text))
            found.append(Passage(whole, count(whole), begins, holds))
    return found


def cut(passage: Passage, tokens: int, tokenizer: Tokenizer) -> Retrieved:
    """What the first `tokens` tokens of a passage hold. `tokenizer` is that of its count."""
    if tokens >= passage.tokens:
        return passage.holds
    _, starts = tokenizer.encode_with_offsets(passage.text)
    end = starts[tokens]
    stretch = passage.holds.stretch
    kept = len(Ink(passage.text[passage.body : max(passage.body, end)]).text)
    context = len(Ink(passage.text[: min(passage.body, end)]).text)
    return Retrieved(stretch._replace(end=stretch.start + kept), context)


def systems(kind: str, limit: int) -> dict[str, System]:
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


def _ours(chunker: TextChunker) -> System:
    return lambda text: [(chunk.text, chunk.body) for chunk in chunker.chunk(text)]


def _split(make: Callable[[], Split]) -> System:
    split = make()
    return lambda text: [(piece.text, piece.text) for piece in split(text)]


def _strings(split: Callable[[str], list[str]]) -> System:
    return lambda text: [(piece, piece) for piece in split(text)]


def _llama_index(limit: int) -> System:
    splitter = SentenceSplitter(chunk_size=limit, chunk_overlap=0, tokenizer=oracle().encode_ordinary)
    return _strings(splitter.split_text)


def _semchunk(limit: int) -> System:
    chunker = chunkerify(count, limit)
    return _strings(lambda text: [str(piece) for piece in chunker(text)])


def _langchain_rst(limit: int) -> System:
    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.RST, chunk_size=limit, chunk_overlap=0, length_function=count
    )
    return _strings(splitter.split_text)
