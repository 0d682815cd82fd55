"""Common part of the LlamaIndex parsers: counting tokens, and saving."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field, PrivateAttr, field_serializer
from llama_index.core.node_parser.interface import NodeParser

from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.integrations.llamaindex.nodes import restored
from chunker.options import Strategy


class CountingNodeParser(NodeParser):
    """A parser whose nodes have at most so many tokens. `TokenBudgetNodeParser` and `TokenBudgetHierarchicalNodeParser` derive from it.

    Attributes:
        tokenizer: Counts the tokens; all that `chunker.TextChunker` takes.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to detect it.
        strategy: "grow" fills node after node, "optimal" chooses all cuts together.
        include_chunk_metadata: Put the fields of a chunk into the metadata of its node, where models are not shown them.
    """

    tokenizer: Any = Field(default="o200k_base", description="What counts: a name, a tokenizer or a function.")
    language: str | None = Field(default=None, description='A format or language, "auto", or None for plain text.')
    strategy: Strategy = Field(default="grow", description="How cuts are chosen.")
    include_chunk_metadata: bool = Field(default=False, description="Whether metadata say what is known of a node.")

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
        """The name of the tokenizer, by which caches tell one parser from another."""
        return str(tokenizer) if isinstance(tokenizer, str | Path) else repr(tokenizer)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:  # noqa: ANN401  # as LlamaIndex
        """The parser with saved settings.

        Args:
            data: What `to_dict` returned.
            kwargs: Settings in place of saved ones.

        Raises:
            ValueError: The parser had an `id_func` of its own, which cannot be saved, and none is given.
        """
        made: Self = super().from_dict(restored({**data, **kwargs}))
        return made

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:  # noqa: ANN401  # the fields
        """The parser with some settings, as LlamaIndex's own parsers have it.

        Args:
            settings: The fields of the class.
        """
        return cls(**settings)
