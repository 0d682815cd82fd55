"""A LlamaIndex parser of nested nodes: small nodes to search, large nodes to read, for `AutoMergingRetriever`.

Each node has relationships to its PARENT, its CHILD nodes, and the PREVIOUS and NEXT node of its level:

    2048    |              node               |
     512    |   node   |    node  |    node   |
     128    |  |  |  | |  |  | |  |  |  |  |  |
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.callbacks import CBEventType, EventPayload
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode
from llama_index.core.utils import get_tqdm_iterable

from chunker import Hierarchy, chunk_hierarchy
from chunker.integrations.llamaindex.nodes import Rendering, describe, finish, link_neighbours, nodes_of
from chunker.integrations.llamaindex.parsers import CountingNodeParser
from chunker.integrations.splitting import Chunkers, Passage


class TokenBudgetHierarchicalNodeParser(CountingNodeParser):
    """Parse documents into nodes of several sizes, each node inside one of the next larger size.

    A size limits everything that a model reads of a node, including its metadata. The children of a node concatenate to
    it: nothing is stripped. Nodes come level by level, the largest first.

    Attributes:
        chunk_sizes: The largest numbers of tokens of a node, one for each level, from the largest to the smallest.
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to
            detect it from the file name in the metadata ("file_path", "file_name"), and from the text.
        strategy: "grow" fills node after node, "optimal" chooses all cuts together.
        include_chunk_metadata: Put the fields of a chunk into the metadata of its node, excluded from the text for
            models.
        include_metadata: Give nodes the metadata of their document, and count the part that models are shown.
        include_prev_next_rel: Link each node to its neighbours.
        callback_manager: Receives the events of parsing.
        id_func: Returns the id of a node for its number and its document.

    Raises:
        ValueError: The sizes do not decrease, or the metadata of a document leaves no room for text.
    """

    chunk_sizes: list[int] = Field(
        default=[2048, 512, 128], description="Largest number of tokens of a node, for each level, in descending order."
    )

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401  # as pydantic
        """Check the sizes.

        Args:
            context: Not read.

        Raises:
            ValueError: The sizes do not decrease, or are not positive.
        """
        super().model_post_init(context)
        sizes = self.chunk_sizes
        if not sizes or sizes[-1] < 1 or any(size <= smaller for size, smaller in pairwise(sizes)):
            raise ValueError(f"chunk_sizes must be one or more positive numbers in descending order; got {sizes}")
        self._chunkers(sizes[0])

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the parser is saved."""
        return "TokenBudgetHierarchicalNodeParser"

    def get_nodes_from_documents(
        self,
        documents: Sequence[Any],
        show_progress: bool = False,  # noqa: FBT001, FBT002  # as LlamaIndex
        **kwargs: Any,  # noqa: ANN401  # as LlamaIndex
    ) -> list[BaseNode]:
        """Parse documents into the nodes of all levels.

        Args:
            documents: The documents.
            show_progress: Show a progress bar.
            kwargs: Not read.

        Returns:
            The nodes, document by document, the largest level first.

        Raises:
            ValueError: The metadata of a document leaves no room for text.
        """
        with self.callback_manager.event(
            CBEventType.NODE_PARSING, payload={EventPayload.DOCUMENTS: documents}
        ) as event:
            nodes = self._parse_nodes(documents, show_progress=show_progress, **kwargs)
            event.on_end(payload={EventPayload.NODES: nodes})
        return nodes

    async def aget_nodes_from_documents(
        self,
        documents: Sequence[Any],
        show_progress: bool = False,  # noqa: FBT001, FBT002  # as LlamaIndex
        **kwargs: Any,  # noqa: ANN401  # as LlamaIndex
    ) -> list[BaseNode]:
        """Do the same as `get_nodes_from_documents`, for programs that await it.

        Args:
            documents: The documents.
            show_progress: Show a progress bar.
            kwargs: Not read.

        Returns:
            The nodes, document by document, the largest level first.
        """
        return self.get_nodes_from_documents(documents, show_progress=show_progress, **kwargs)

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: FBT001, FBT002  # as LlamaIndex
        **kwargs: Any,  # noqa: ANN401, ARG002  # as LlamaIndex
    ) -> list[BaseNode]:
        parsed: list[BaseNode] = []
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing documents into nodes"):
            if document.get_content(metadata_mode=MetadataMode.NONE).strip():
                parsed += self._nodes_of(document)
        return parsed

    def _nodes_of(self, document: BaseNode) -> list[BaseNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        hierarchy = self._hierarchy(document, text)
        by_id: dict[str, TextNode] = {}
        made: list[BaseNode] = []
        for level in hierarchy.levels:
            passages = [
                Passage(
                    chunk.body,
                    tokens=chunk.token_count,
                    kind=chunk.kind,
                    breadcrumb=chunk.breadcrumb,
                    language=chunk.language,
                    index=chunk.index,
                    note=chunk.note,
                    **dict[str, Any](chunk.span.model_dump()),
                )
                for chunk in level
            ]
            nodes = nodes_of(document, passages, self.id_func)
            for node, chunk, passage in zip(nodes, level, passages, strict=True):
                by_id[chunk.id] = node
                if self.include_chunk_metadata:
                    describe(node, passage)
            finish(nodes, {document.node_id: document}, with_metadata=self.include_metadata)
            if self.include_prev_next_rel:
                link_neighbours(nodes)
            made += nodes
        for chunk in hierarchy.nodes():
            if chunk.children:
                children = [by_id[child] for child in chunk.children]
                by_id[chunk.id].relationships[NodeRelationship.CHILD] = [
                    child.as_related_node_info() for child in children
                ]
                parent = by_id[chunk.id].as_related_node_info()
                for child in children:
                    child.relationships[NodeRelationship.PARENT] = parent
        return made

    def _hierarchy(self, document: BaseNode, text: str) -> Hierarchy:
        """Return the chunks of a document such that nodes, with their metadata, are within the budgets."""
        rendering = Rendering(document, self._counter.count, with_metadata=self.include_metadata)
        taken = rendering.overhead
        while taken < self.chunk_sizes[-1]:
            chunkers = [self._chunkers(size - taken).chunker(text, document.metadata) for size in self.chunk_sizes]
            hierarchy = chunk_hierarchy(text, chunkers)
            over = max(
                rendering.excess([chunk.body for chunk in level], size)
                for level, size in zip(hierarchy.levels, self.chunk_sizes, strict=True)
            )
            if over <= 0:
                return hierarchy
            taken += over
        raise ValueError(
            f"Metadata length ({taken}) leaves no room in the chunk size ({self.chunk_sizes[-1]}). Consider increasing the chunk sizes or "
            "decreasing the size of your metadata to avoid this."
        )

    def _chunkers(self, budget: int) -> Chunkers:
        return Chunkers(budget, self.language, tokenizer=self._counter, strategy=self.strategy)
