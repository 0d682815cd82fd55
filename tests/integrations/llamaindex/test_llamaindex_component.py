"""The contract of a LlamaIndex component: saved and loaded in every way that it has, called and awaited, in a pipeline that is kept.

LlamaIndex has no suite of its own for parsers.
"""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason='needs LlamaIndex: pip install "bpe-chunker[llamaindex]"')

from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseComponent, Document, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore

from chunker.integrations.llamaindex import TokenBudgetHierarchicalNodeParser, TokenBudgetNodeParser

GUIDE = "# Guide\n\nWelcome to it.\n\n## Install\n\nGet the archive and unpack it.\n\n## Use\n\nRun it.\n" * 3
PARSERS: dict[str, Callable[[], Any]] = {
    "flat": lambda: TokenBudgetNodeParser(chunk_size=20, chunk_overlap=4, tokenizer="words", language="markdown"),
    "hierarchical": lambda: TokenBudgetHierarchicalNodeParser(
        chunk_sizes=[60, 20], tokenizer="words", language="markdown"
    ),
}


def texts(parser: Any) -> list[str]:
    return [node.get_content() for node in parser([Document(text=GUIDE, metadata={"file_name": "guide.md"})])]


@pytest.mark.parametrize("kind", PARSERS)
def test_it_is_saved_and_loaded(kind: str) -> None:
    parser: Any = PARSERS[kind]()
    assert isinstance(parser, BaseComponent)
    assert isinstance(parser, TransformComponent)
    known = type(parser)
    assert known.class_name() == known.__name__
    copies = [
        known.from_dict(parser.to_dict()),
        known.from_json(parser.to_json()),
        known.from_dict(json.loads(json.dumps(parser.to_dict()))),
        copy.deepcopy(parser),
        pickle.loads(pickle.dumps(parser)),  # made here
        parser.model_copy(),
    ]
    for made in copies:
        assert made.to_dict() == parser.to_dict()
        assert texts(made) == texts(parser)


@pytest.mark.parametrize("kind", PARSERS)
def test_called_and_awaited(kind: str) -> None:
    parser: Any = PARSERS[kind]()
    document = Document(text=GUIDE)
    before = document.to_dict()
    found = [node.get_content() for node in asyncio.run(parser.acall([document]))]
    assert found == [node.get_content() for node in parser([document])]
    assert len(found) > 2
    assert document.to_dict() == before


def test_fields_that_are_set_anew_count() -> None:
    parser: Any = PARSERS["flat"]()
    few = len(parser.split_text(GUIDE))
    parser.chunk_size = 8
    assert len(parser.split_text(GUIDE)) > few


def test_in_a_pipeline_that_is_kept(tmp_path: Path) -> None:
    def made() -> IngestionPipeline:
        return IngestionPipeline(
            transformations=[PARSERS["flat"]()],
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,
        )

    document = Document(text=GUIDE, doc_id="guide")
    pipeline = made()
    assert len(pipeline.run(documents=[document])) > 2
    pipeline.persist(str(tmp_path))
    again = made()
    again.load(str(tmp_path))
    assert list(again.run(documents=[document])) == []  # it was seen
    changed = Document(text=GUIDE + "\n## More\n\nWords.\n")
    assert len(again.run(documents=[changed])) > 2
