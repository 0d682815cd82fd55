"""A Haystack component that splits documents into documents that fit a token budget exactly.

    from chunker.integrations.haystack import TokenBudgetDocumentSplitter
    pipeline.add_component("splitter", TokenBudgetDocumentSplitter(split_length=512, split_overlap=50, language="auto"))

Haystack 3 loads only trusted modules: `Pipeline.loads(yaml, allowed_modules=["chunker.integrations.haystack"])`. Needs
`haystack-ai` (the extra `haystack`).
"""

# Haystack reads the annotations of `run` as types: no `from __future__ import annotations` here.
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.integrations.requirements import missing
from chunker.integrations.splitting import Chunkers, Passage
from chunker.options import Strategy

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ModuleNotFoundError as error:
    raise missing(error, "haystack") from error

__all__ = ["TokenBudgetDocumentSplitter"]

_PAGE_BREAKS = re.compile("\f*")


@component
class TokenBudgetDocumentSplitter:
    """Split documents into documents of at most `split_length` tokens.

    The metadata of each is that of its document, the keys of Haystack's own splitter (source_id, split_id,
    split_idx_start, page_number, with an overlap _split_overlap), split_idx_end, and the fields of a chunk: index,
    token_count, breadcrumb, kind, start_line and so on. A form feed ends a page. Without overlap the contents
    concatenate to the content of the document.

    Args:
        split_length: The largest number of tokens of a document.
        split_overlap: The largest number of tokens of the previous document that a document repeats.
        split_threshold: No document has fewer tokens, except the last one if every other cut would divide a part that
            fits; by default an eighth of `split_length`.
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts. Only a name can be saved with a
            pipeline.
        language: A format or programming language whose structure decides the cuts; None for plain text; "auto" to
            detect it from the file name in the metadata ("file_path", "file_name", "source"), and from the text.
        strategy: "grow" fills document after document, "optimal" chooses all cuts together.
        skip_empty_documents: Leave out documents without text; otherwise they pass through.

    Raises:
        ValueError: A size or the language cannot be used.
    """

    def __init__(
        self,
        split_length: int = 512,
        split_overlap: int = 0,
        split_threshold: int | None = None,
        *,
        tokenizer: AnyTokenizer = "o200k_base",
        language: str | None = None,
        strategy: Strategy = "grow",
        skip_empty_documents: bool = True,
    ) -> None:
        if split_length <= 0:
            raise ValueError("split_length must be greater than 0.")
        if split_overlap < 0:
            raise ValueError("split_overlap must be greater than or equal to 0.")
        if split_overlap >= split_length:
            raise ValueError("split_overlap must be less than split_length.")
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_threshold = split_threshold
        self.tokenizer = str(tokenizer) if isinstance(tokenizer, Path) else tokenizer
        self.language = language
        self.strategy = strategy
        self.skip_empty_documents = skip_empty_documents
        self._chunkers = Chunkers(
            split_length,
            language,
            tokenizer=resolve_tokenizer(tokenizer),
            min_tokens=split_threshold,
            overlap=split_overlap,
            strategy=strategy,
        )

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents.

        Args:
            documents: The documents.

        Returns:
            The split documents, in order, under the key "documents".

        Raises:
            TypeError: `documents` is not a list of documents.
            ValueError: The content of a document is None.
        """
        given: object = documents  # callers without types may pass anything
        if not isinstance(given, list) or not all(isinstance(document, Document) for document in given):
            raise TypeError(f"{type(self).__name__} expects a List of Documents as input.")
        pieces: list[Document] = []
        for document in documents:
            if document.content is None:
                raise ValueError(
                    f"{type(self).__name__} only works with text documents but content for document ID {document.id} is None."
                )
            pieces += self._split(document)
        return {"documents": pieces}

    def _split(self, document: Document) -> list[Document]:
        text: str = document.content
        if not text:
            return [] if self.skip_empty_documents else [document]
        pieces: list[Document] = []
        passages = list(self._chunkers.passages(text, document.meta))
        page, counted = 1, 0
        for number, passage in enumerate(passages):
            # An overlap repeats page breaks that were counted already.
            page += text.count("\f", counted, passage.start) if passage.start >= counted else 0
            page -= text.count("\f", passage.start, counted) if passage.start < counted else 0
            counted = passage.start
            meta = {
                **deepcopy(document.meta),
                "source_id": document.id,
                "split_id": number,
                "split_idx_start": passage.start,
                "page_number": page + _leading_page_breaks(passage.text),
                **_description(passage),
            }
            pieces.append(Document(content=passage.text, meta=meta))
        if self.split_overlap:
            _tell_overlaps(pieces, passages)
        return pieces

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary, for `Pipeline.dumps`.

        Returns:
            The class and its settings, in values that JSON and YAML have.

        Raises:
            ValueError: The tokenizer was not given by its name.
        """
        if not isinstance(self.tokenizer, str):
            raise ValueError(  # noqa: TRY004  # of the settings, not of an argument
                f"only a tokenizer given by its name can be saved with a pipeline; this one is {self.tokenizer!r:.100}"
            )
        saved: dict[str, Any] = default_to_dict(
            self,
            split_length=self.split_length,
            split_overlap=self.split_overlap,
            split_threshold=self.split_threshold,
            tokenizer=self.tokenizer,
            language=self.language,
            strategy=self.strategy,
            skip_empty_documents=self.skip_empty_documents,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TokenBudgetDocumentSplitter":
        """Make a component with saved settings.

        Args:
            data: The dictionary that `to_dict` returned.

        Returns:
            A component with the same settings.
        """
        made: TokenBudgetDocumentSplitter = default_from_dict(cls, data)
        return made


def _description(passage: Passage) -> dict[str, int | str]:
    told = passage.description()
    del told["start_index"], told["end_index"]  # Haystack's own splitter has other names for them
    # A document has its own id, and Haystack stores the metadata next to it.
    return {"split_idx_end": passage.end, "chunk_id": told.pop("id"), **told}


def _leading_page_breaks(text: str) -> int:
    """Return the number of page breaks at the start of a text; 0 for a text of page breaks only."""
    match = _PAGE_BREAKS.match(text)
    end = 0 if match is None else match.end()
    return end if end < len(text) else 0


def _tell_overlaps(pieces: list[Document], passages: list[Passage]) -> None:
    """Add the shared characters of neighbours to their metadata, in the form of Haystack's own splitter."""
    for piece in pieces:
        piece.meta["_split_overlap"] = []
    for number in range(1, len(pieces)):
        before, piece = pieces[number - 1], pieces[number]
        shared = passages[number - 1].end - passages[number].start
        if shared > 0:
            size = len(passages[number - 1].text)
            piece.meta["_split_overlap"].append({"doc_id": before.id, "range": (size - shared, size)})
            before.meta["_split_overlap"].append({"doc_id": piece.id, "range": (0, shared)})
