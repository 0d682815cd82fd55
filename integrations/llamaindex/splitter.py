"""A LlamaIndex `MetadataAwareTextSplitter`: all that a model reads of a node, its metadata included, has at most `chunk_size` tokens."""

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
        chunk_overlap: The largest number of tokens that a node repeats of the one before.
        tokenizer: Counts the tokens; all that `chunker.TextChunker` takes.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to detect
            it by the file that the metadata name ("file_path", "file_name"), and by the text.
        min_chunk_size: No node has fewer tokens, except the last one where every other cut would divide a part that fits; by default an eighth of the budget.
        strategy: "grow" fills node after node, "optimal" chooses all cuts together.
        strip_whitespace: Strip the ends of nodes.
        include_chunk_metadata: Put the fields of a chunk into the metadata of its node, where models are not shown them.
        include_metadata: Give nodes the metadata of their document, and count those that models are shown.
        include_prev_next_rel: Link each node to its neighbours.
        callback_manager: Is told of the parsing, as LlamaIndex has it.
        id_func: Makes the id of a node from its number and its document.

    Raises:
        ValueError: The sizes cannot be used together, or the metadata of a document leave no room for text.
    """

    chunk_size: int = Field(default=1024, description="The most tokens of a node, its metadata included.", gt=0)
    chunk_overlap: int = Field(default=200, description="Tokens that a node repeats of the one before, at most.", ge=0)
    min_chunk_size: int | None = Field(default=None, description="Tokens that no node should fall below.")
    strip_whitespace: bool = Field(default=True, description="Whether nodes lose the white space at their ends.")

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
        """The name under which it is saved."""
        return "TokenBudgetNodeParser"

    def split_text(self, text: str) -> list[str]:
        """The chunks of a text, each of at most `chunk_size` tokens.

        Args:
            text: The text.

        Returns:
            The texts of the chunks, in order.
        """
        return self.split_text_metadata_aware(text, "")

    def split_text_metadata_aware(self, text: str, metadata_str: str) -> list[str]:
        """The chunks of a text, each of at most `chunk_size` tokens together with metadata and a blank line before it.

        Args:
            text: The text.
            metadata_str: The metadata, as a model reads them.

        Returns:
            The texts of the chunks, in order, without the metadata.

        Raises:
            ValueError: The metadata leave no room for text.
        """
        if not metadata_str:
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
        """Postprocess nodes as the base class does, without searching each node in the text: its offset is known."""
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
        """Passages within the budget together with their metadata. Counts do not add up, so each result is counted as it will be read."""
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
        """The chunkers for the rest of the budget; the smallest chunk is an eighth of it by default."""
        # The fields may be set anew.
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
