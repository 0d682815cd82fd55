"""The node parsers against the real LlamaIndex, in its pipelines, beside its own parsers."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer

pytest.importorskip("llama_index.core", reason='needs LlamaIndex: pip install "bpe-chunker[llamaindex]"')

from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    MetadataAwareTextSplitter,
    NodeParser,
    SentenceSplitter,
    get_leaf_nodes,
    get_root_nodes,
)
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, TextNode

from chunker.integrations.llamaindex import TokenBudgetHierarchicalNodeParser, TokenBudgetNodeParser

TOKENIZER = Tokenizer.load("o200k_base")
REPEATED = "the same words again and again\n" * 60
PROSE = "Don't look up, it's 12'345 of them — naïve 🇩🇪 words.\n\n" * 30
CHINESE = "東京特許許可局長今日急遽休暇許可拒否𓀀𓀁。" * 30
GUIDE = "# Guide\n\nWelcome to it.\n\n## Install\n\nGet the archive and unpack it.\n\n## Use\n\nRun it.\n"
WORDS = ["word ", "Don't ", "12345", "\n", "\n\n", "中文", "🇩🇪", "  ", ". "]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map("".join)


def check(nodes: list[Any], document: Document, size: int) -> None:
    for node in nodes:
        assert isinstance(node, TextNode)
        assert document.text[node.start_char_idx : node.end_char_idx] == node.text
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert TOKENIZER.count(node.get_content(metadata_mode=mode)) <= size
        assert node.source_node is not None
        assert node.source_node.node_id == document.node_id


def check_neighbours(nodes: list[Any]) -> None:
    assert nodes[0].prev_node is None
    assert nodes[-1].next_node is None
    for before, after in pairwise(nodes):
        assert before.next_node.node_id == after.node_id
        assert after.prev_node.node_id == before.node_id


def test_it_is_a_node_parser_of_llamaindex() -> None:
    parser = TokenBudgetNodeParser(chunk_size=20, chunk_overlap=0)
    assert isinstance(parser, MetadataAwareTextSplitter)
    assert isinstance(parser, NodeParser)
    assert isinstance(TokenBudgetHierarchicalNodeParser(), NodeParser)


@pytest.mark.parametrize("text", [REPEATED, PROSE, CHINESE], ids=["repeated", "prose", "chinese"])
def test_nodes_of_a_document(text: str) -> None:
    document = Document(text=text, metadata={"file_name": "a.txt", "author": "somebody"})
    nodes = TokenBudgetNodeParser(chunk_size=40, chunk_overlap=6).get_nodes_from_documents([document])
    assert len(nodes) > 5
    check(nodes, document, 40)
    check_neighbours(nodes)
    starts = [node.start_char_idx for node in nodes]
    assert starts == sorted(set(starts))
    assert all(node.metadata == document.metadata for node in nodes)
    assert len({node.node_id for node in nodes}) == len(nodes)


@settings(max_examples=40)
@given(TEXTS, st.integers(24, 50), st.integers(0, 8), st.sampled_from(["", "Don't", "x\n", "中文", " "]))
def test_the_budget_holds_with_any_metadata(text: str, size: int, overlap: int, value: str) -> None:
    document = Document(text=text, metadata={"key": value}, excluded_llm_metadata_keys=["key"] if len(text) % 2 else [])
    nodes = TokenBudgetNodeParser(chunk_size=size, chunk_overlap=overlap).get_nodes_from_documents([document])
    check(nodes, document, size)
    covered = 0
    for node in nodes:
        assert isinstance(node, TextNode)
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        assert text[covered : node.start_char_idx].strip() == ""
        covered = node.end_char_idx
    assert text[covered:].strip() == ""


def test_texts_and_metadata_strings() -> None:
    parser = TokenBudgetNodeParser(chunk_size=30, chunk_overlap=0, strip_whitespace=False)
    assert "".join(parser.split_text(PROSE)) == PROSE
    assert all(TOKENIZER.count(chunk) <= 30 for chunk in parser.split_text(PROSE))
    metadata = "file_name: a.txt\nauthor: somebody"
    chunks = parser.split_text_metadata_aware(PROSE, metadata)
    assert all(TOKENIZER.count(f"{metadata}\n\n{chunk}") <= 30 for chunk in chunks)
    assert "".join(chunks) == PROSE
    assert parser.split_texts_metadata_aware([PROSE], [metadata]) == chunks
    assert parser.split_texts([GUIDE, PROSE]) == [*parser.split_text(GUIDE), *parser.split_text(PROSE)]
    with pytest.raises(ValueError, match=r"Metadata length .* leaves no room in the chunk size"):
        parser.split_text_metadata_aware(PROSE, metadata * 5)


def test_llamaindexs_own_splitter_goes_over_the_budget() -> None:
    """It adds up the counts of the parts and of the metadata; what stands between these two has tokens as well."""
    document = Document(text="one,two,three," * 60, metadata={"file_name": "a.txt"})
    over = 0
    for size in range(20, 32):
        theirs = SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=TOKENIZER.encode)
        over += sum(
            TOKENIZER.count(node.get_content(metadata_mode=MetadataMode.EMBED)) > size
            for node in theirs.get_nodes_from_documents([document])
        )
        ours = TokenBudgetNodeParser(chunk_size=size, chunk_overlap=0).get_nodes_from_documents([document])
        check(ours, document, size)
    assert over > 0


def test_offsets_of_text_that_repeats_itself() -> None:
    document = Document(text=REPEATED)
    theirs = SentenceSplitter(chunk_size=30, chunk_overlap=0, tokenizer=TOKENIZER.encode).get_nodes_from_documents(
        [document]
    )
    # The whole of the text is in the nodes, so their offsets should reach its end, about.
    reached = max(node.end_char_idx or 0 for node in theirs if isinstance(node, TextNode))
    ours = TokenBudgetNodeParser(chunk_size=30, chunk_overlap=0).get_nodes_from_documents([document])
    last = ours[-1]
    assert isinstance(last, TextNode)
    assert last.end_char_idx == len(REPEATED.rstrip())
    assert reached < len(REPEATED.rstrip())


def test_what_is_known_of_a_node() -> None:
    document = Document(text=GUIDE, metadata={"file_name": "guide.md"})
    parser = TokenBudgetNodeParser(chunk_size=20, chunk_overlap=0, language="auto", include_chunk_metadata=True)
    nodes = parser.get_nodes_from_documents([document])
    check(nodes, document, 20)
    install = next(node for node in nodes if node.get_content().startswith("## Install"))
    assert install.metadata["breadcrumb"] == "Guide"
    assert (install.metadata["start_line"], install.metadata["language"]) == (5, "markdown")
    assert install.metadata["token_count"] == TOKENIZER.count(install.get_content())
    assert "breadcrumb" not in install.get_content(metadata_mode=MetadataMode.EMBED)
    assert "breadcrumb" not in install.get_content(metadata_mode=MetadataMode.LLM)


def test_in_an_ingestion_pipeline_behind_another_parser() -> None:
    document = Document(text=PROSE, metadata={"file_name": "a.txt"})
    pipeline = IngestionPipeline(
        transformations=[
            TokenBudgetNodeParser(chunk_size=120, chunk_overlap=0),
            TokenBudgetNodeParser(chunk_size=40, chunk_overlap=0),
            MockEmbedding(embed_dim=4),
        ]
    )
    nodes = list(pipeline.run(documents=[document]))
    check(nodes, document, 40)
    assert all(node.embedding == [0.5] * 4 for node in nodes)
    again = list(asyncio.run(pipeline.arun(documents=[document])))
    assert [node.get_content() for node in again] == [node.get_content() for node in nodes]


def test_a_cache_knows_the_settings() -> None:
    document = Document(text=PROSE)
    pipelines = [
        IngestionPipeline(
            transformations=[TokenBudgetNodeParser(chunk_size=size, chunk_overlap=0, tokenizer=tokenizer)]
        )
        for size, tokenizer in ((40, "o200k_base"), (40, "characters"), (100, "o200k_base"))
    ]
    counts = []
    for pipeline in pipelines:
        pipeline.cache = pipelines[0].cache
        counts.append([len(pipeline.run(documents=[document])) for _ in range(2)])
    assert len({count for count, _ in counts}) == 3
    assert all(first == second for first, second in counts)


def test_settings_go_through_a_dictionary() -> None:
    parser = TokenBudgetNodeParser(
        chunk_size=64, chunk_overlap=8, tokenizer="cl100k_base", language="python", strategy="optimal"
    )
    assert TokenBudgetNodeParser.from_dict(parser.to_dict()).to_dict() == parser.to_dict()
    assert parser.to_dict()["class_name"] == "TokenBudgetNodeParser"
    hierarchical = TokenBudgetHierarchicalNodeParser.from_defaults(chunk_sizes=[100, 50], language="markdown")
    assert TokenBudgetHierarchicalNodeParser.from_dict(hierarchical.to_dict()).chunk_sizes == [100, 50]


@pytest.mark.parametrize("text", [PROSE, GUIDE * 6, CHINESE], ids=["prose", "guide", "chinese"])
def test_nodes_in_nodes(text: str) -> None:
    sizes = [160, 60, 24]
    document = Document(text=text, metadata={"file_name": "a.md"})
    parser = TokenBudgetHierarchicalNodeParser(chunk_sizes=sizes, language="auto", include_chunk_metadata=True)
    nodes = parser.get_nodes_from_documents([document])
    by_id = {node.node_id: node for node in nodes}
    level = get_root_nodes(nodes)
    for size in sizes:
        check(level, document, size)
        check_neighbours(level)
        assert "".join(node.get_content() for node in level) == text
        below = []
        for node in level:
            children = [by_id[child.node_id] for child in node.child_nodes or []]
            assert all(
                child.parent_node is not None and child.parent_node.node_id == node.node_id for child in children
            )
            assert not children or "".join(child.get_content() for child in children) == node.get_content()
            below += children
        if below:
            level = below
    assert level == get_leaf_nodes(nodes)
    assert level == nodes[-len(level) :]


def test_the_relations_of_llamaindexs_own_hierarchy() -> None:
    document = Document(text=PROSE)
    theirs = HierarchicalNodeParser.from_defaults(chunk_sizes=[200, 60], chunk_overlap=0).get_nodes_from_documents(
        [document]
    )
    ours = TokenBudgetHierarchicalNodeParser(chunk_sizes=[200, 60]).get_nodes_from_documents([document])
    for nodes in (theirs, ours):
        assert {relation for node in nodes for relation in node.relationships} == set(NodeRelationship)
        assert all(node.source_node is not None and node.source_node.node_id == document.node_id for node in nodes)


def test_leaves_merge_into_their_parents() -> None:
    document = Document(text="".join(f"Paragraph {number} says what it says.\n\n" for number in range(60)))
    nodes = TokenBudgetHierarchicalNodeParser(chunk_sizes=[200, 40]).get_nodes_from_documents([document])
    storage = StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    leaves = get_leaf_nodes(nodes)
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=MockEmbedding(embed_dim=4))
    retriever = AutoMergingRetriever(index.as_retriever(similarity_top_k=len(leaves)), storage)
    found = retriever.retrieve("anything")
    assert {node.node.node_id for node in found} == {node.node_id for node in get_root_nodes(nodes)}


def test_settings_that_do_not_go_together() -> None:
    for wrong in (
        {"chunk_size": 0},
        {"chunk_overlap": -1},
        {"chunk_size": 10, "chunk_overlap": 10},
        {"language": "Klingon"},
    ):
        with pytest.raises(ValueError, match=r"chunk|overlap|Klingon"):
            TokenBudgetNodeParser(**wrong)
    for sizes in ([], [0], [10, 20], [10, 10]):
        with pytest.raises(ValueError, match="chunk_sizes must be one or more positive numbers in descending order"):
            TokenBudgetHierarchicalNodeParser(chunk_sizes=sizes)
    crowded = Document(text="a", metadata={"key": "many words " * 50})
    for parser in (
        TokenBudgetNodeParser(chunk_size=30, chunk_overlap=0),
        TokenBudgetHierarchicalNodeParser(chunk_sizes=[30]),
    ):
        with pytest.raises(ValueError, match="leaves no room in the chunk size"):
            parser.get_nodes_from_documents([crowded])


def test_documents_without_text() -> None:
    for parser in (TokenBudgetNodeParser(), TokenBudgetHierarchicalNodeParser()):
        assert parser.get_nodes_from_documents([Document(text=""), Document(text=" ")]) == []
