"""The component against the real Haystack, in its pipelines, beside its own splitter."""

from __future__ import annotations

import inspect
import os
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer

# Before the package is imported: it would report how it is used.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack", reason='needs Haystack: pip install "bpe-chunker[haystack]"')

from haystack import Document, Pipeline
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

from chunker.integrations.haystack import TokenBudgetDocumentSplitter

TOKENIZER = Tokenizer.load("o200k_base")
CHINESE = "東京特許許可局長今日急遽休暇許可拒否𓀀𓀁。" * 30
PROSE = "Don't look up, it's 12'345 of them — naïve 🇩🇪 words.\n\n" * 20
PAGES = "".join(f"Page {number} begins.\nIt has a few lines.\nAnd it ends.\n\f" for number in range(1, 9))
TEXTS = st.lists(st.sampled_from(["word ", "\f", "\n", "\n\n", "中文", "🇩🇪", "don't", ". "]), min_size=1, max_size=60)


def check(pieces: list[Document], whole: Document, size: int) -> None:
    for number, piece in enumerate(pieces):
        start = piece.meta["split_idx_start"]
        assert whole.content[start : piece.meta["split_idx_end"]] == piece.content
        assert TOKENIZER.count(piece.content) == piece.meta["token_count"] <= size
        assert piece.meta["source_id"] == whole.id
        assert piece.meta["split_id"] == number
        # The page of the first character that is no page break.
        first = start + len(piece.content) - len(piece.content.lstrip("\f"))
        page = whole.content.count("\f", 0, first if piece.content.strip("\f") else start) + 1
        assert piece.meta["page_number"] == page


def split(text: str, meta: dict[str, Any] | None = None, **settings: Any) -> tuple[Document, list[Document]]:
    whole = Document(content=text, meta=meta or {})
    return whole, TokenBudgetDocumentSplitter(**settings).run(documents=[whole])["documents"]


@pytest.mark.parametrize("text", [PROSE, CHINESE, PAGES], ids=["prose", "chinese", "pages"])
def test_pieces_of_a_document(text: str) -> None:
    whole, pieces = split(text, {"file_name": "a.txt", "tags": ["x"]}, split_length=24)
    check(pieces, whole, 24)
    assert len(pieces) > 2
    assert "".join(piece.content or "" for piece in pieces) == text
    pieces[0].meta["tags"].append("y")
    assert pieces[1].meta["tags"] == whole.meta["tags"] == ["x"]


@settings(max_examples=40)
@given(TEXTS, st.integers(6, 24), st.integers(0, 5))
def test_pages_and_overlaps(words: list[str], size: int, overlap: int) -> None:
    text = "".join(words)
    whole, pieces = split(text, split_length=size, split_overlap=overlap)
    check(pieces, whole, size)
    if not overlap:
        assert all("_split_overlap" not in piece.meta for piece in pieces)
        return
    for before, after in pairwise(pieces):
        told = [entry for entry in after.meta["_split_overlap"] if entry["doc_id"] == before.id]
        shared = before.meta["split_idx_end"] - after.meta["split_idx_start"]
        assert bool(told) == (shared > 0)
        for entry in told:
            first, last = entry["range"]
            assert before.content is not None
            assert after.content is not None
            assert before.content[first:last] == after.content[:shared]


def test_the_metadata_of_haystacks_own_splitter() -> None:
    whole = Document(content=PAGES)
    theirs = DocumentSplitter(split_by="page", split_length=1).run(documents=[whole])["documents"]
    ours = TokenBudgetDocumentSplitter(split_length=20).run(documents=[whole])["documents"]
    assert theirs[0].meta.keys() <= ours[0].meta.keys()
    pages = {piece.content: piece.meta["page_number"] for piece in theirs}
    assert all(pages[piece.content] == piece.meta["page_number"] for piece in ours if piece.content in pages)


def test_haystacks_own_splitter_goes_over_the_budget() -> None:
    """It counts words; by tokens, where it knows of them, it cuts characters in two and counts them on both sides."""
    whole = Document(content=CHINESE)
    words = DocumentSplitter(split_by="word", split_length=10).run(documents=[whole])["documents"]
    assert max(TOKENIZER.count(piece.content or "") for piece in words) > 10
    if "tokenizer_encoding" in inspect.signature(DocumentSplitter).parameters:
        theirs = DocumentSplitter(split_by="token", split_length=10)
        theirs.warm_up()
        contents = [piece.content or "" for piece in theirs.run(documents=[whole])["documents"]]
        assert any(TOKENIZER.count(content) > 10 for content in contents) or "".join(contents) != CHINESE
    check(split(CHINESE, split_length=10)[1], whole, 10)


def loaded(text: str) -> Pipeline:
    """The pipeline that was saved as this text; Haystack 3 asks what may be imported for it."""
    known = inspect.signature(Pipeline.loads).parameters
    return Pipeline.loads(
        text, **({"allowed_modules": ["chunker.integrations.haystack"]} if "allowed_modules" in known else {})
    )


def test_in_a_pipeline_that_was_saved_and_loaded() -> None:
    store = InMemoryDocumentStore()
    made = Pipeline()
    made.add_component(
        "splitter",
        TokenBudgetDocumentSplitter(split_length=12, language="auto", tokenizer="cl100k_base"),
    )
    pipeline = loaded(made.dumps())
    splitter = pipeline.get_component("splitter")
    assert isinstance(splitter, TokenBudgetDocumentSplitter)
    assert splitter.to_dict() == made.get_component("splitter").to_dict()
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("splitter.documents", "writer.documents")
    documents = [
        Document(content="# Guide\n\nWelcome to it.\n\n## Install\n\nGet the archive.\n", meta={"file_path": "a.md"}),
        Document(content="def f():\n    return 1\n\n\ndef g():\n    return 2\n", meta={"file_path": "b.py"}),
    ]
    written = pipeline.run({"splitter": {"documents": documents}})["writer"]["documents_written"]
    assert written == store.count_documents() >= 4
    found = InMemoryBM25Retriever(store).run(query="archive")["documents"][0]
    assert found.content.startswith("## Install")
    assert found.meta["breadcrumb"] == "Guide"
    count = Tokenizer.load("cl100k_base").count
    assert all(count(piece.content or "") <= 12 for piece in store.filter_documents())


def test_settings_go_through_a_dictionary() -> None:
    splitter = TokenBudgetDocumentSplitter(64, 8, 4, language="python", strategy="optimal", skip_empty_documents=False)
    data = splitter.to_dict()
    assert data["type"] == "chunker.integrations.haystack.TokenBudgetDocumentSplitter"
    assert TokenBudgetDocumentSplitter.from_dict(data).to_dict() == data
    with pytest.raises(ValueError, match="only a tokenizer given by its name can be saved"):
        TokenBudgetDocumentSplitter(tokenizer=len).to_dict()


def test_documents_that_cannot_be_split() -> None:
    splitter = TokenBudgetDocumentSplitter()
    empty = Document(content="")
    assert splitter.run(documents=[empty]) == {"documents": []}
    assert TokenBudgetDocumentSplitter(skip_empty_documents=False).run(documents=[empty]) == {"documents": [empty]}
    with pytest.raises(ValueError, match="only works with text documents"):
        splitter.run(documents=[Document(content=None)])
    wrong: Any = "a text"
    with pytest.raises(TypeError, match="expects a List of Documents"):
        splitter.run(documents=wrong)


def test_an_overlap_as_large_as_the_piece_would_never_end() -> None:
    with pytest.raises(ValueError, match="split_overlap must be less than split_length"):
        TokenBudgetDocumentSplitter(10, 10)


@pytest.mark.parametrize("sizes", [(0, 0), (10, -1)])
def test_errors_are_those_of_haystacks_own_splitter(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="split_") as theirs:
        DocumentSplitter(split_length=sizes[0], split_overlap=sizes[1])
    with pytest.raises(ValueError, match="split_") as ours:
        TokenBudgetDocumentSplitter(*sizes)
    assert str(ours.value) == str(theirs.value)
