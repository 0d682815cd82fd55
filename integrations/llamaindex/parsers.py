"""The common part of the LlamaIndex parsers: counting tokens, and saving settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field, PrivateAttr, field_serializer
from llama_index.core.node_parser.interface import NodeParser

from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.integrations.llamaindex.nodes import restored
from chunker.options import Strategy


class CountingNodeParser(NodeParser):
    """Base class of parsers with a token limit for nodes: `TokenBudgetNodeParser` and
    `TokenBudgetHierarchicalNodeParser`.

    Attributes:
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to
            detect it.
        strategy: "grow" fills node after node, "optimal" chooses all cuts together.
        include_chunk_metadata: Put the fields of a chunk into the metadata of its node, excluded from the text for
            models.
    """

    tokenizer: Any = Field(default="o200k_base", description="Counts the tokens: a name, a tokenizer or a function.")
    language: str | None = Field(default=None, description='A format or language, "auto", or None for plain text.')
    strategy: Strategy = Field(default="grow", description="How cuts are chosen.")
    include_chunk_metadata: bool = Field(
        default=False, description="Whether to put the fields of a chunk into the metadata of its node."
    )

    _counter: TokenCounter = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401  # as pydantic
        """Resolve the tokenizer.

        Args:
            context: Not read.
        """
        super().model_post_init(context)
        self._counter = resolve_tokenizer(self.tokenizer)

    @field_serializer("tokenizer")
    def _saved_tokenizer(self, tokenizer: Any) -> str:  # noqa: ANN401  # as the field
        """Serialize the tokenizer as its name, by which caches distinguish parsers."""
        return str(tokenizer) if isinstance(tokenizer, str | Path) else repr(tokenizer)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:  # noqa: ANN401  # as LlamaIndex
        """Make a parser with saved settings.

        Args:
            data: The dictionary that `to_dict` returned.
            kwargs: Settings that replace saved ones.

        Returns:
            A parser of the class that this is called on.

        Raises:
            ValueError: The parser had an `id_func` of its own, which cannot be saved, and none is given.
        """
        made: Self = super().from_dict(restored({**data, **kwargs}))
        return made

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:  # noqa: ANN401  # the fields
        """Make a parser with some settings, like LlamaIndex's own parsers.

        Args:
            settings: The fields of the class.

        Returns:
            A parser of the class that this is called on.
        """
        return cls(**settings)
