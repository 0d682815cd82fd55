"""A Haystack component that splits documents into those that fit a token budget exactly.

    from chunker.integrations.haystack import TokenBudgetDocumentSplitter
    pipeline.add_component("splitter", TokenBudgetDocumentSplitter(split_length=512, split_overlap=50, language="auto"))

Haystack 3 loads only what it is told to trust: `Pipeline.loads(yaml, allowed_modules=["chunker.integrations.haystack"])`. Needs `haystack-ai` (the extra
`haystack`).
"""

# The package reads the types of `run` as they are: no `from __future__ import annotations` here.
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from chunker.counting import TokenCounter, resolve_tokenizer
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
    """Splits documents into those of at most `split_length` tokens.

    `split_overlap`, `split_threshold`: in tokens; the threshold is what no document should fall below (see `min_tokens` of
    `chunker.TextChunker`). `tokenizer`: whatever `chunker.TextChunker` takes; only names can be saved with a pipeline. `language`: a format
    or programming language to cut at its structure, None for plain text, or "auto" to tell it by the file that the metadata names
    ("file_path", "file_name", "source"), and by the text. `strategy`: see `chunker.TextChunker`. `skip_empty_documents`: leave out
    documents without text; otherwise they pass through.

    The metadata of a document is that of the one it is from, and source_id (its id), split_id (the number of the piece, from 0),
    split_idx_start (its first character), page_number (from 1; a form feed ends a page), split_idx_end, and what is known of a chunk by the
    names of `chunker.fields`: index, token_count, breadcrumb, kind, start_line and so on; with an overlap, _split_overlap as Haystack's own splitter has it. Without overlap the contents concatenate to
    the content of the whole.

    Raises ValueError for sizes and languages that cannot be used.
    """

    def __init__(
        self,
        split_length: int = 512,
        split_overlap: int = 0,
        split_threshold: int | None = None,
        *,
        tokenizer: str | TokenCounter | Callable[[str], object] = "o200k_base",
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
        self.tokenizer = tokenizer
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
        """The pieces of all `documents`, in order, under "documents".

        Raises TypeError for what is no list of documents, and ValueError for a document without content (its content is None).
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
            # Of an overlap the page breaks are counted already.
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
        """The settings as a dictionary, for `Pipeline.dumps`; raises ValueError for a tokenizer that is not a name."""
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
        """The component with these settings."""
        made: TokenBudgetDocumentSplitter = default_from_dict(cls, data)
        return made


def _description(passage: Passage) -> dict[str, int | str]:
    told = passage.description()
    del told["start_index"], told["end_index"]  # by the names that Haystack's own splitter has for them
    return {"split_idx_end": passage.end, **told}


def _leading_page_breaks(text: str) -> int:
    """Page breaks before the first other character, which says what page a text is on; none if there is no other."""
    match = _PAGE_BREAKS.match(text)
    end = 0 if match is None else match.end()
    return end if end < len(text) else 0


def _tell_overlaps(pieces: list[Document], passages: list[Passage]) -> None:
    """Put into the metadata of neighbours which characters of each other they repeat, in the form of Haystack's own splitter."""
    for piece in pieces:
        piece.meta["_split_overlap"] = []
    for number in range(1, len(pieces)):
        before, piece = pieces[number - 1], pieces[number]
        shared = passages[number - 1].end - passages[number].start
        if shared > 0:
            size = len(passages[number - 1].text)
            piece.meta["_split_overlap"].append({"doc_id": before.id, "range": (size - shared, size)})
            before.meta["_split_overlap"].append({"doc_id": piece.id, "range": (0, shared)})
