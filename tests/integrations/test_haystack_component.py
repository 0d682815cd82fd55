"""The contract of a Haystack component: protocol, sockets, serialization by Haystack's own functions, inputs left alone.

Haystack has no suite of its own for components.
"""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
from dataclasses import asdict
from typing import Any, get_args, get_origin

import pytest

# Before the package is imported: it would report how it is used.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack", reason='needs Haystack: pip install "bpe-chunker[haystack]"')

import haystack
from haystack import Document, Pipeline
from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter
from haystack.components.writers import DocumentWriter
from haystack.core.component import Component
from haystack.core.serialization import component_from_dict, component_to_dict
from haystack.document_stores.in_memory import InMemoryDocumentStore

from chunker.integrations.haystack import TokenBudgetDocumentSplitter

GUIDE = "# Guide\n\nWelcome to it.\n\n## Install\n\nGet the archive and unpack it.\n\n## Use\n\nRun it.\n"


def documents() -> list[Document]:
    return [Document(content=GUIDE * 3, meta={"file_path": "guide.md", "tags": ["a"]}), Document(content="Short.")]


def texts(found: list[Document]) -> list[str | None]:
    return [document.content for document in found]


def written(kind: Any) -> tuple[Any, ...]:
    """A type, however it is written: old versions have typing.List[X] for list[X]."""
    return get_origin(kind) or kind, get_args(kind)


def test_its_sockets_are_those_of_haystacks_own_splitter() -> None:
    ours: Any = TokenBudgetDocumentSplitter(split_length=20)
    theirs: Any = DocumentSplitter()
    assert isinstance(ours, Component)
    for sockets in ("__haystack_input__", "__haystack_output__"):
        told = [
            {name: written(one.type) for name, one in getattr(each, sockets)._sockets_dict.items()}
            for each in (ours, theirs)
        ]
        assert told[0] == told[1]


def test_haystacks_own_functions_save_and_load_it() -> None:
    splitter: Any = TokenBudgetDocumentSplitter(split_length=20, split_overlap=4, tokenizer="words", language="auto")
    data = component_to_dict(splitter, "splitter")
    made: Any = component_from_dict(TokenBudgetDocumentSplitter, data, "splitter")
    for again in (made, copy.deepcopy(splitter), pickle.loads(pickle.dumps(splitter))):  # made here
        assert component_to_dict(again, "splitter") == data
        assert texts(again.run(documents())["documents"]) == texts(splitter.run(documents())["documents"])


def test_inputs_are_left_alone_and_answers_do_not_depend_on_what_was_run_before() -> None:
    splitter = TokenBudgetDocumentSplitter(split_length=20)
    given = documents()
    before = [copy.deepcopy(asdict(document)) for document in given]
    answers = [splitter.run(given)["documents"] for _ in range(2)]
    assert [asdict(document) for document in given] == before
    assert answers[0] == answers[1]
    assert len({document.id for document in answers[0]}) == len(answers[0])
    again = [Document.from_dict(document.to_dict()) for document in answers[0]]
    assert [(one.id, one.content, one.meta) for one in again] == [(one.id, one.content, one.meta) for one in answers[0]]


def piped(kind: Any) -> tuple[Any, InMemoryDocumentStore]:
    store = InMemoryDocumentStore()
    pipeline = kind()
    pipeline.add_component("cleaner", DocumentCleaner(remove_empty_lines=False))
    pipeline.add_component("splitter", TokenBudgetDocumentSplitter(split_length=20, language="auto"))
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("cleaner.documents", "splitter.documents")
    pipeline.connect("splitter.documents", "writer.documents")
    return pipeline, store


def test_between_other_components() -> None:
    pipeline, store = piped(Pipeline)
    pipeline.run({"cleaner": {"documents": documents()}})
    assert store.count_documents() > 2
    if not hasattr(haystack, "AsyncPipeline"):
        return
    waiting, other = piped(haystack.AsyncPipeline)
    asyncio.run(waiting.run_async({"cleaner": {"documents": documents()}}))
    assert sorted(map(str, texts(other.filter_documents()))) == sorted(map(str, texts(store.filter_documents())))
