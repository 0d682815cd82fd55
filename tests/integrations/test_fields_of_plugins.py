"""The metadata of the plug-ins: the names of `chunker.fields`, in all systems the same, and true."""

# ruff: noqa: PLC0415  # a plug-in is imported where its system is installed

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from chunker.fields import BREADCRUMB_SEPARATOR, FLAT_NAMES, SPAN_FIELDS, content_hash_of, id_of, identity_of

Record = dict[str, Any]

GUIDE = "# Guide\n\nFirst words, é.\n\n## Install\n\n" + "Run it, then run it again. " * 12 + "\n"
# The parser has something to say of it.
METHODS = "".join(f"    def close_{n}(self):\n        return {n} * {n}\n\n" for n in range(8))
BROKEN = f"class Shop:\n{METHODS}\ndef f(:\n    ]]\n"


def langchain(text: str, source: str) -> list[Record]:
    from langchain_core.documents import Document

    from chunker.integrations.langchain import TokenBudgetTextSplitter

    splitter = TokenBudgetTextSplitter(
        chunk_size=40, chunk_overlap=6, language="auto", add_chunk_metadata=True, strip_whitespace=False
    )
    made = splitter.split_documents([Document(text, metadata={"source": source})])
    return [document.metadata for document in made]


def llamaindex(text: str, source: str) -> list[Record]:
    from llama_index.core.schema import Document

    from chunker.integrations.llamaindex import TokenBudgetNodeParser

    parser = TokenBudgetNodeParser(
        chunk_size=40, chunk_overlap=6, language="auto", include_chunk_metadata=True, strip_whitespace=False
    )
    document = Document(text=text, metadata={"source": source}, excluded_embed_metadata_keys=["source"])
    document.excluded_llm_metadata_keys = ["source"]
    nodes = parser.get_nodes_from_documents([document])
    return [{**node.metadata, "start_index": node.start_char_idx, "end_index": node.end_char_idx} for node in nodes]


def haystack(text: str, source: str) -> list[Record]:
    from haystack import Document

    from chunker.integrations.haystack import TokenBudgetDocumentSplitter

    splitter = TokenBudgetDocumentSplitter(split_length=40, split_overlap=6, language="auto")
    made = splitter.run([Document(content=text, meta={"source": source})])["documents"]
    return [
        {
            **one.meta,
            "id": one.meta["chunk_id"],
            "start_index": one.meta["split_idx_start"],
            "end_index": one.meta["split_idx_end"],
        }
        for one in made
    ]


@pytest.mark.parametrize(
    ("package", "carried"),
    [("langchain_text_splitters", langchain), ("llama_index", llamaindex), ("haystack", haystack)],
)
@pytest.mark.parametrize(("source", "text"), [("guide.md", GUIDE), ("shop.py", BROKEN)])
def test_metadata_of_plugins(package: str, carried: Callable[[str, str], list[Record]], source: str, text: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package}")
    told = carried(text, source)
    assert len(told) > 1
    for index, metadata in enumerate(told):
        ours = {name: metadata[name] for name in FLAT_NAMES if name in metadata}
        assert set(FLAT_NAMES) - set(ours) <= {"note"}
        part = text[ours["start_index"] : ours["end_index"]]
        assert ours["id"] == id_of(identity_of(source), ours["start_index"], part)
        assert ours["content_hash"] == content_hash_of(part)
        assert (ours["index"], metadata["source"]) == (index, source)
        assert text.encode()[ours["start_byte"] : ours["end_byte"]].decode() == part
        assert set(SPAN_FIELDS) <= {name.removesuffix("_index") for name in ours}
        assert ours.get("note") == (None if source == "guide.md" else "parse: had errors")
    assert BREADCRUMB_SEPARATOR.join(["Guide", "Install"] if source == "guide.md" else ["class Shop"]) in {
        metadata["breadcrumb"] for metadata in told
    }
