"""Nodes of LlamaIndex: what a document's node will look like to a model, and how nodes are made of its parts.

An embedder gets to read the metadata, too, so the budget is for all of it:

    source: a.md              metadata_str, of the keys that are not excluded

    Install it. ...           content
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode

from chunker.integrations.splitting import Passage

_MODES = (MetadataMode.EMBED, MetadataMode.LLM)


class Rendering:
    """The texts that embedders and models get to read of a node that is a part of `document`.

    `count`: tokens of a text.
    """

    def __init__(self, document: BaseNode, count: Callable[[str], int], *, with_metadata: bool) -> None:
        (self._probe,) = build_nodes_from_splits(["x"], document)
        if with_metadata:
            self._probe.metadata = dict(document.metadata)
        self._count = count
        self._modes = [mode for mode in _MODES if self._probe.get_content(metadata_mode=mode) != "x"]

    @property
    def overhead(self) -> int:
        """Tokens that the metadata take, about: what they do to the count of a text is known when there is one."""
        return self.tokens("x") - self._count("x") if self._modes else 0

    def tokens(self, text: str) -> int:
        """Tokens of the longest of these texts, where `text` is the content."""
        self._probe.text = text
        return max((self._count(self._probe.get_content(metadata_mode=mode)) for mode in self._modes), default=0)

    def excess(self, texts: Sequence[str], limit: int) -> int:
        """By how many tokens the worst of these is above the limit; 0 if none is."""
        if not self._modes:
            return 0
        return max((self.tokens(text) - limit for text in texts), default=0)


def nodes_of(document: BaseNode, passages: Sequence[Passage], id_func: Any) -> list[TextNode]:  # noqa: ANN401  # as LlamaIndex
    """A node for each passage, with its offsets: those into the text of the document, if `document` is itself a part of one."""
    first = getattr(document, "start_char_idx", None) or 0
    nodes: list[TextNode] = build_nodes_from_splits([passage.text for passage in passages], document, id_func=id_func)
    for node, passage in zip(nodes, passages, strict=True):
        node.start_char_idx, node.end_char_idx = first + passage.start, first + passage.end
        # All nodes share one dictionary, so each gets its own before it is changed.
        node.relationships = dict(node.relationships)
    return nodes


def describe(node: TextNode, passage: Passage) -> None:
    """Put into the metadata what is known of the passage, without a word of it to a model: it is no part of the budget."""
    told = passage.description()
    del told["start_index"], told["end_index"]  # the node has them
    node.metadata = {**node.metadata, **told}
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *told]
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *told]


def restored(data: dict[str, Any]) -> dict[str, Any]:
    """Settings as `to_dict` has them, for a constructor: of the function that makes ids only the name was saved.

    Raises ValueError where that is not LlamaIndex's own, which is a default.
    """
    name = data["id_func"].get("id_func_name") if isinstance(data.get("id_func"), dict) else None
    if name is None:
        return data
    if name != default_id_func.__name__:
        raise ValueError(f"id_func ({name}) cannot be restored from its name: pass it to from_dict")
    return {key: value for key, value in data.items() if key != "id_func"}


def finish(nodes: list[Any], documents: dict[str, Any], *, with_metadata: bool) -> None:
    """Give nodes the metadata of their documents, and the source of a document that is itself a part of one."""
    for node in nodes:
        document = documents.get(node.ref_doc_id or "")
        if document is None:
            continue
        if document.source_node is not None:
            node.relationships[NodeRelationship.SOURCE] = document.source_node
        if with_metadata:
            node.metadata = {**document.metadata, **node.metadata}


def link_neighbours(nodes: Sequence[BaseNode]) -> None:
    """PREVIOUS and NEXT between nodes that follow each other and have one source."""
    for before, behind in pairwise(nodes):
        if before.source_node and behind.source_node and before.source_node.node_id == behind.source_node.node_id:
            behind.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()
            before.relationships[NodeRelationship.NEXT] = behind.as_related_node_info()
