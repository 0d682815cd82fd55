"""A LlamaIndex `MetadataAwareTextSplitter`: everything that a model reads of a node, including its metadata, has at
most `chunk_size` tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.node_parser.interface import MetadataAwareTextSplitter
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.utils import get_tqdm_iterable

from chunker.integrations.llamaindex.nodes import Rendering, describe, finish, link_neighbours, nodes_of
from chunker.integrations.llamaindex.parsers import CountingNodeParser
from chunker.integrations.splitting import Chunkers, Passage


class TokenBudgetNodeParser(CountingNodeParser, MetadataAwareTextSplitter):
    """Parse documents into nodes of at most `chunk_size` tokens, including the metadata that models are shown with them.

    Attributes:
        chunk_size: The largest number of tokens of a node and its metadata.
        chunk_overlap: The largest number of tokens of the previous node that a node repeats.
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to
            detect it from the file name in the metadata ("file_path", "file_name"), and from the text.
        min_chunk_size: No node has fewer tokens, except the last one if every other cut would divide a part that fits;
            by default an eighth of the budget.
        strategy: "grow" fills node after node, "optimal" chooses all cuts together.
        strip_whitespace: Strip the ends of nodes.
        include_chunk_metadata: Put the fields of a chunk into the metadata of its node, excluded from the text for
            models.
        include_metadata: Give nodes the metadata of their document, and count the part that models are shown.
        include_prev_next_rel: Link each node to its neighbours.
        callback_manager: Receives the events of parsing.
        id_func: Returns the id of a node for its number and its document.

    Raises:
        ValueError: The sizes cannot be used together, or the metadata of a document leaves no room for text.
    """

    chunk_size: int = Field(
        default=1024, description="Largest number of tokens of a node, including its metadata.", gt=0
    )
    chunk_overlap: int = Field(
        default=200, description="Largest number of tokens that a node repeats of the previous one.", ge=0
    )
    min_chunk_size: int | None = Field(default=None, description="Smallest number of tokens of a node.")
    strip_whitespace: bool = Field(default=True, description="Whether to strip white space at the ends of nodes.")

    _last: tuple[object, Chunkers] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401  # as pydantic
        """Check the settings together.

        Args:
            context: Not read.

        Raises:
            ValueError: The overlap is not smaller than the chunk size, or the language is unknown.
        """
        super().model_post_init(context)
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError(
                f"Got a chunk overlap ({self.chunk_overlap}) that is not smaller than the chunk size ({self.chunk_size})."
            )
        self._chunkers(self.chunk_size)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the parser is saved."""
        return "TokenBudgetNodeParser"

    def split_text(self, text: str) -> list[str]:
        """Split a text into chunks of at most `chunk_size` tokens.

        Args:
            text: The text.

        Returns:
            The texts of the chunks, in order.
        """
        return self._chunkers(self.chunk_size).texts(text, {}, strip=self.strip_whitespace)

    def split_text_metadata_aware(self, text: str, metadata_str: str) -> list[str]:
        """Split a text into chunks of at most `chunk_size` tokens, counted with the metadata and a blank line before
        each chunk.

        Args:
            text: The text.
            metadata_str: The metadata, as a model reads it.

        Returns:
            The texts of the chunks, in order, without the metadata.

        Raises:
            ValueError: The metadata leaves no room for text.
        """
        if not metadata_str:
            # Not by `split_text`: LlamaIndex makes a span of tracing around each call of either.
            return self._chunkers(self.chunk_size).texts(text, {}, strip=self.strip_whitespace)
        head = f"{metadata_str}\n\n"
        count = self._counter.count

        def excess(texts: Sequence[str], limit: int) -> int:
            return max((count(head + content) - limit for content in texts), default=0)

        return [passage.text for passage in self._fitting(text, {}, count(head), excess)]

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: FBT001, FBT002  # as LlamaIndex
        **kwargs: Any,  # noqa: ANN401, ARG002  # as LlamaIndex
    ) -> list[BaseNode]:
        parsed: list[BaseNode] = []
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            rendering = Rendering(document, self._counter.count, with_metadata=self.include_metadata)
            passages = self._fitting(
                document.get_content(metadata_mode=MetadataMode.NONE),
                document.metadata,
                rendering.overhead,
                rendering.excess,
            )
            made = nodes_of(document, passages, self.id_func)
            if self.include_chunk_metadata:
                for node, passage in zip(made, passages, strict=True):
                    describe(node, passage)
            parsed += made
        return parsed

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:
        """Postprocess nodes like the base class, but without searching for each node in the text: its offset is
        known.
        """
        finish(nodes, parent_doc_map, with_metadata=self.include_metadata)
        if self.include_prev_next_rel:
            link_neighbours(nodes)
        return nodes

    def _fitting(
        self,
        text: str,
        metadata: Mapping[str, Any],
        overhead: int,
        excess: Callable[[Sequence[str], int], int],
    ) -> list[Passage]:
        """Return passages that fit the budget with their metadata. Token counts are not additive, so each result is
        counted as it will be read.
        """
        budget = self.chunk_size - overhead
        while budget > 0:
            passages = list(self._chunkers(budget).passages(text, metadata, strip=self.strip_whitespace))
            over = excess([passage.text for passage in passages], self.chunk_size)
            if over <= 0:
                return passages
            budget -= over
        raise ValueError(
            f"Metadata length ({overhead}) leaves no room in the chunk size ({self.chunk_size}). Consider increasing the chunk size or "
            "decreasing the size of your metadata to avoid this."
        )

    def _chunkers(self, budget: int) -> Chunkers:
        """Return the chunkers for the rest of the budget; by default the smallest chunk is an eighth of it."""
        # The fields may have been changed.
        settings = (budget, self.language, self.min_chunk_size, self.chunk_overlap, self.strategy)
        if self._last is None or self._last[0] != settings:
            least = self.min_chunk_size
            made = Chunkers(
                budget,
                self.language,
                tokenizer=self._counter,
                min_tokens=least if least is None else min(least, budget),
                overlap=min(self.chunk_overlap, budget - 1),
                strategy=self.strategy,
            )
            self._last = settings, made
        return self._last[1]
