"""Nodes of LlamaIndex: render a node as models will read it, and make nodes from the parts of a document.

An embedder also reads the metadata, so the budget covers both:

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
    """Renders nodes of `document` as embedders and language models read them.

    `count` returns the number of tokens of a text.
    """

    def __init__(self, document: BaseNode, count: Callable[[str], int], *, with_metadata: bool) -> None:
        (self._probe,) = build_nodes_from_splits(["x"], document)
        if with_metadata:
            self._probe.metadata = dict(document.metadata)
        self._count = count
        self._modes = [mode for mode in _MODES if self._probe.get_content(metadata_mode=mode) != "x"]

    @property
    def overhead(self) -> int:
        """The approximate number of tokens of the metadata; the exact effect on a count depends on the text."""
        return self.tokens("x") - self._count("x") if self._modes else 0

    def tokens(self, text: str) -> int:
        """Return the number of tokens of a node with the content `text`, in the rendering with the most tokens."""
        self._probe.text = text
        return max((self._count(self._probe.get_content(metadata_mode=mode)) for mode in self._modes), default=0)

    def excess(self, texts: Sequence[str], limit: int) -> int:
        """Return by how many tokens the longest of the rendered texts exceeds the limit; 0 or less if none does."""
        if not self._modes:
            return 0
        return max((self.tokens(text) - limit for text in texts), default=0)


def nodes_of(document: BaseNode, passages: Sequence[Passage], id_func: Any) -> list[TextNode]:  # noqa: ANN401  # as LlamaIndex
    """Make a node for each passage, with its offsets. If `document` is itself a part of a document, they are offsets in
    that document.
    """
    first = getattr(document, "start_char_idx", None) or 0
    nodes: list[TextNode] = build_nodes_from_splits([passage.text for passage in passages], document, id_func=id_func)
    for node, passage in zip(nodes, passages, strict=True):
        node.start_char_idx, node.end_char_idx = first + passage.start, first + passage.end
        # All nodes share one dictionary; copy it before it is changed.
        node.relationships = dict(node.relationships)
    return nodes


def describe(node: TextNode, passage: Passage) -> None:
    """Put the fields of the passage into the metadata, excluded from the text for models, so that they do not count
    towards the budget.
    """
    told = passage.description()
    del told["start_index"], told["end_index"]  # the node has them
    node.metadata = {**node.metadata, **told}
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *told]
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *told]


def restored(data: dict[str, Any]) -> dict[str, Any]:
    """Convert settings saved by `to_dict` for a constructor. Of the function that makes ids only the name was saved.

    Raises ValueError if it is not LlamaIndex's own function, which is the default.
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
    """Set PREVIOUS and NEXT between consecutive nodes with the same source."""
    for before, after in pairwise(nodes):
        if before.source_node and after.source_node and before.source_node.node_id == after.source_node.node_id:
            after.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()
            before.relationships[NodeRelationship.NEXT] = after.as_related_node_info()
