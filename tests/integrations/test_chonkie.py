"""The chunker against the real chonkie, in its pipelines, beside its own chunkers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bpe_engine import Tokenizer

pytest.importorskip("chonkie", reason='needs chonkie: pip install "bpe-chunker[chonkie]"')

from chonkie import BaseChunker, Chunk, Document, OverlapRefinery, Pipeline, RecursiveChunker, TokenChunker
from chonkie.tokenizer import Tokenizer as ChonkieTokenizer

from chunker.integrations.chonkie import TokenBudgetChunker

TOKENIZER = Tokenizer.load("o200k_base")
CHINESE = "東京特許許可局長今日急遽休暇許可拒否𓀀𓀁。" * 30
PROSE = "Don't look up, it's 12'345 of them — naïve 🇩🇪 words.\n\n" * 40
GUIDE = "# Guide\n\nWelcome to it.\n\n## Install\n\nGet the archive and unpack it.\n\n## Use\n\nRun it.\n"


class Counting(ChonkieTokenizer):
    """The tokenizer of these tests, for chonkie's own chunkers."""

    def __repr__(self) -> str:
        return "Counting()"

    def encode(self, text: str) -> list[int]:
        return TOKENIZER.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return TOKENIZER.decode(list(tokens))

    def tokenize(self, text: str) -> list[int]:
        return self.encode(text)


def check(chunks: list[Chunk], text: str, size: int) -> None:
    for chunk in chunks:
        assert text[chunk.start_index : chunk.end_index] == chunk.text
        assert TOKENIZER.count(chunk.text) == chunk.token_count <= size


def run(pipeline: Pipeline, **arguments: Any) -> Document:
    """What the pipeline makes of one text."""
    document = pipeline.run(**arguments)
    assert isinstance(document, Document)
    return document


def test_it_is_a_chunker_with_chonkies_chunks() -> None:
    chunker = TokenBudgetChunker(chunk_size=24)
    assert isinstance(chunker, BaseChunker)
    for text in (PROSE, CHINESE, GUIDE * 2):
        chunks = chunker.chunk(text)
        assert all(type(chunk) is Chunk for chunk in chunks)
        assert len({chunk.id for chunk in chunks}) == len(chunks) > 1
        check(chunks, text, 24)
        assert "".join(chunk.text for chunk in chunks) == text
    assert chunker.chunk("") == []
    assert chunker.tokenizer.count_tokens("Hello, world") == 3
    assert chunker.tokenizer.decode(chunker.tokenizer.encode("Hello, world")) == "Hello, world"


def test_calls_and_batches() -> None:
    chunker = TokenBudgetChunker(chunk_size=24)
    one = [str(chunk) for chunk in chunker(PROSE)]
    batches = chunker.chunk_batch([PROSE, "", CHINESE], show_progress=False)
    assert [len(chunks) for chunks in batches] == [len(one), 0, len(chunker.chunk(CHINESE))]
    assert [chunk.text for chunk in batches[0]] == one
    called: Any = chunker([PROSE, CHINESE], show_progress=False)
    assert [chunk.text for chunk in called[0]] == one
    assert [chunk.text for chunk in asyncio.run(chunker.achunk(PROSE))] == one
    assert chunker.chunk_batch([], show_progress=False) == []


def test_a_pool_of_chonkies_own() -> None:
    chunker = TokenBudgetChunker(chunk_size=24)
    chunker._use_multiprocessing = True
    texts = [PROSE, CHINESE, GUIDE]
    batches = chunker.chunk_batch(texts, show_progress=False)
    assert [[chunk.text for chunk in chunks] for chunks in batches] == [
        [chunk.text for chunk in chunker.chunk(text)] for text in texts
    ]


def test_its_own_token_chunker_breaks_characters() -> None:
    theirs = TokenChunker(tokenizer=Counting(), chunk_size=10).chunk(CHINESE)
    assert any("\ufffd" in chunk.text for chunk in theirs)
    assert any(CHINESE[chunk.start_index : chunk.end_index] != chunk.text for chunk in theirs)
    ours = TokenBudgetChunker(chunk_size=10).chunk(CHINESE)
    check(ours, CHINESE, 10)
    assert not any("\ufffd" in chunk.text for chunk in ours)


def test_its_own_recursive_chunker_breaks_characters_and_indices() -> None:
    theirs = RecursiveChunker(tokenizer=Counting(), chunk_size=10, min_characters_per_chunk=1).chunk(CHINESE)
    assert any(CHINESE[chunk.start_index : chunk.end_index] != chunk.text or "\ufffd" in chunk.text for chunk in theirs)


def test_in_a_pipeline(tmp_path: Path) -> None:
    document = run(Pipeline().chunk_with("token_budget", chunk_size=12, language="markdown"), texts=GUIDE)
    check(document.chunks, GUIDE, 12)
    assert [chunk.text.split("\n")[0] for chunk in document.chunks] == ["# Guide", "## Install", "## Use"]
    assert [chunk.context for chunk in document.chunks] == [None, "Guide", "Guide"]

    path = tmp_path / "shapes.py"
    source = "class Circle:\n    def area(self):\n        return 1\n\n    def name(self):\n        return 'circle'\n"
    path.write_text(source, encoding="utf-8")
    found = run(
        Pipeline()
        .fetch_from("file", path=str(path))
        .process_with("text")
        .chunk_with("token_budget", chunk_size=16, language="python")
    )
    check(found.chunks, source, 16)
    assert [chunk.context for chunk in found.chunks] == [None, "class Circle"]


def test_with_a_refinery_of_chonkies_own() -> None:
    document = run(
        Pipeline()
        .chunk_with("token_budget", chunk_size=30)
        .refine_with("overlap", tokenizer="character", context_size=5, method="prefix", merge=False),
        texts=PROSE,
    )
    assert [chunk.text for chunk in document.chunks] == [
        chunk.text for chunk in TokenBudgetChunker(chunk_size=30).chunk(PROSE)
    ]
    assert document.chunks[1].context == PROSE[document.chunks[0].end_index - 5 : document.chunks[0].end_index]
    assert OverlapRefinery(context_size=5).refine(TokenBudgetChunker(chunk_size=30).chunk(PROSE))


def test_documents_are_cut_by_the_language_of_their_file() -> None:
    source = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    chunker = TokenBudgetChunker(chunk_size=14, language="auto")
    document = chunker.chunk_document(Document(content=source, metadata={"filename": "a.py"}))
    assert [chunk.text.split("(")[0] for chunk in document.chunks] == ["def f", "def g"]
    if hasattr(document.chunks[0], "metadata"):
        assert document.chunks[0].metadata == {"filename": "a.py"}
    # What has chunks is cut further, and the indices are still those of the document.
    again = TokenBudgetChunker(chunk_size=7).chunk_document(document)
    assert len(again.chunks) > 2
    check(again.chunks, source, 7)


def test_overlap_and_other_tokenizers() -> None:
    chunks = TokenBudgetChunker(chunk_size=40, chunk_overlap=0.25).chunk(PROSE)
    check(chunks, PROSE, 40)
    assert any(after.start_index < before.end_index for before, after in pairwise(chunks))
    characters = TokenBudgetChunker("character", chunk_size=50)
    assert all(chunk.token_count == len(chunk.text) <= 50 for chunk in characters.chunk(PROSE))
    with pytest.raises(NotImplementedError, match="counts tokens, it does not encode them"):
        characters.tokenizer.encode("a")


@pytest.mark.parametrize("sizes", [(0, 0), (-1, 0), (10, 10), (10, 1.0), (10, -1)])
def test_sizes_that_do_not_go_together(sizes: tuple[int, float]) -> None:
    with pytest.raises(ValueError, match=r"chunk_size|overlap"):
        TokenBudgetChunker(chunk_size=sizes[0], chunk_overlap=sizes[1])
