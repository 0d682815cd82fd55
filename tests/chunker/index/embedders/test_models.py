"""Embedders that run models of other packages: real models, tiny ones, made here and kept in folders, for nothing is downloaded."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.index import EmbedderError, Index, embedder_named
from chunker.index.embedders import identity

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *["onions", "soup", "simmer", "cut", "the", "stars", "galaxy", "far", "a", "query", "of", "text"],
]

needs_model2vec = pytest.mark.skipif(
    find_spec("model2vec") is None, reason='needs model2vec: pip install "bpe-chunker[model2vec]"'
)
needs_sentences = pytest.mark.skipif(
    find_spec("sentence_transformers") is None,
    reason='needs sentence-transformers: pip install "bpe-chunker[sentence-transformers]"',
)


def word_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: PLC0415  # where a model is to be made

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def static_model(folder: Path, seed: int = 1) -> Any:
    from model2vec import StaticModel  # noqa: PLC0415  # where it is installed

    vectors = np.random.default_rng(seed).normal(size=(len(WORDS), 24)).astype(np.float32)
    model = StaticModel(vectors, word_tokenizer(), normalize=False)
    model.save_pretrained(folder)
    return model


def sentence_model(folder: Path, *, prompts: dict[str, str] | None = None, default: str | None = None) -> Any:
    """A BERT of one layer, with random weights."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import torch  # noqa: PLC0415  # where it is installed
    from sentence_transformers import SentenceTransformer, models  # noqa: PLC0415
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415

    torch.manual_seed(3)
    (folder / "bert").mkdir(parents=True)
    (folder / "bert/vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(folder / "bert/vocab.txt")).save_pretrained(folder / "bert")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=64, **sizes)).save_pretrained(folder / "bert")
    transformer = models.Transformer(str(folder / "bert"), max_seq_length=64)
    pooling = models.Pooling(32, pooling_mode="mean")
    model = SentenceTransformer(
        modules=[transformer, pooling], prompts=prompts, default_prompt_name=default, device="cpu"
    )
    model.save(str(folder / "model"))
    return SentenceTransformer(str(folder / "model"), device="cpu")


def check_search(name: str, folder: Path) -> None:
    """An index with this embedder finds by its vectors, and knows it again."""
    (folder / "soup.md").write_text("# Soup\n\nCut the onions. Simmer the soup.\n", encoding="utf-8")
    (folder / "stars.txt").write_text("The stars of a galaxy far, far.\n", encoding="utf-8")
    index = Index.open(folder / ".chunker", embedder=name)
    assert index.sync([folder / "soup.md", folder / "stars.txt"]).computed == 2
    again = Index.open(folder / ".chunker")
    assert again.embedder.dimensions == index.settings.dimensions
    hits = again.search("stars far", by="vectors")
    assert hits[0].source == "stars.txt"
    assert hits[0].similarity is not None
    assert hits[0].similarity > (hits[1].similarity or 0)
    assert again.sync([folder / "soup.md", folder / "stars.txt"]).computed == 0


@needs_model2vec
def test_model2vec(tmp_path: Path) -> None:
    model = static_model(tmp_path / "model")
    name = f"model2vec:{tmp_path / 'model'}"
    embedder = embedder_named(name)
    texts = ["Cut the onions", "far, far", "soup " * 3000, "\ud800 soup", "", "nothing that it knows"]
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert found.shape == (6, 24)
    sound = [text.replace("\ud800", "\ufffd") for text in texts]
    assert np.allclose(found, model.encode(sound, max_length=None), atol=1e-6)
    # Read to the end: the last word counts.
    assert not np.allclose(embedder.embed(["soup " * 3000 + "stars " * 3000])[0], found[2])
    assert np.array_equal(embedder.embed_query("far, far"), found[1])
    assert embedder.embed([]).shape == (0, 24)
    (tmp_path / "files").mkdir()
    check_search(name, tmp_path / "files")


@needs_model2vec
def test_other_weights_are_another_embedder(tmp_path: Path) -> None:
    static_model(tmp_path / "model")
    name = f"model2vec:{tmp_path / 'model'}"
    before = embedder_named(name)
    (tmp_path / "a.txt").write_text("Cut the onions.\n", encoding="utf-8")
    Index.open(tmp_path / ".chunker", embedder=name).sync(tmp_path / "a.txt")
    assert identity(embedder_named(name)) == identity(before)
    static_model(tmp_path / "model", seed=2)
    assert identity(embedder_named(name)) != identity(before)
    with pytest.raises(EmbedderError, match="not the one that the index was made with"):
        Index.open(tmp_path / ".chunker").search("onions")


@needs_model2vec
@pytest.mark.parametrize("content", [None, {"config.json": "{}", "model.safetensors": "no weights"}])
def test_no_model(content: dict[str, str] | None, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    for file, text in (content or {}).items():
        folder.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    if content is None:
        folder.mkdir()
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        embedder_named(f"model2vec:{folder}")


@needs_sentences
@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers(tmp_path: Path) -> None:
    model = sentence_model(tmp_path)
    name = f"sentence-transformers:{tmp_path / 'model'}"
    embedder = embedder_named(name, device="cpu")
    texts = ["Cut the onions", "far, far", "soup " * 300, "\ud800 soup", ""]
    found = embedder.embed(texts)
    assert found.dtype == np.float32
    assert found.shape == (5, 32)
    sound = [text.replace("\ud800", "\ufffd") for text in texts]
    assert np.allclose(found, model.encode(sound), atol=1e-5)
    assert np.allclose(embedder.embed_query("far, far"), found[1], atol=1e-5)
    assert embedder.embed([]).shape == (0, 32)
    (tmp_path / "files").mkdir()
    check_search(name, tmp_path / "files")


@needs_sentences
@pytest.mark.filterwarnings("ignore")
def test_prompts_of_a_model(tmp_path: Path) -> None:
    prompts = {"query": "query of ", "document": "text ", "other": "the "}
    model = sentence_model(tmp_path, prompts=prompts, default="other")
    name = f"sentence-transformers:{tmp_path / 'model'}"
    embedder = embedder_named(name, device="cpu")
    assert embedder.prefix == "text "
    plain = model.encode(["text onions", "query of onions", "onions", "cut onions"], prompt="")
    assert np.allclose(embedder.embed(["onions"])[0], plain[0], atol=1e-5)
    assert np.allclose(embedder.embed_query("onions"), plain[1], atol=1e-5)
    bare = embedder_named(name, prefix="", query_prefix="cut ", device="cpu")
    assert np.allclose(bare.embed(["onions"])[0], plain[2], atol=1e-5)
    assert np.allclose(bare.embed_query("onions"), plain[3], atol=1e-5)
    assert identity(bare) != identity(embedder)


@needs_sentences
@pytest.mark.filterwarnings("ignore")
def test_no_sentence_model(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        embedder_named(f"sentence-transformers:{tmp_path / 'model'}")
