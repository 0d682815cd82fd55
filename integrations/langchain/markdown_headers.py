"""LangChain's `MarkdownHeaderTextSplitter` with its arguments, but without changing the text.

    # Guide              {"h1": "Guide"}                        # intro, not a heading: it is in code
    First.
    ## Install           {"h1": "Guide", "h2": "Install"}

LangChain's splitter removes tabs and the indentation of every line, even in code, and joins blocks with additional
spaces. Here `page_content` is a slice of the text, at `start_index`; headings are those of CommonMark, including
underlined ones; and a section of more than `chunk_size` tokens is split further.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from langchain_core.documents import Document

from chunker.counting import AnyTokenizer
from chunker.errors import OptionError
from chunker.formats.expressions import re
from chunker.integrations.langchain.markdown_blocks import Heading, MarkdownBlocks
from chunker.integrations.splitting import Chunkers

_BLANK_LINES = re.compile(r"(?:[^\S\r\n]*(?:\r\n|\n|\r))*+")
_LINE = re.compile(r"[^\r\n]+")
_CLOSING_HASHES = re.compile(r"(?:\A|[ \t]++)#++\Z")


class _Found(NamedTuple):
    """A heading to split at, `text[start:end]`: its level, its metadata key (None for none) and its text."""

    start: int
    end: int
    level: int
    key: str | None
    title: str


class _Section(NamedTuple):
    """`text[start:end]` and the headings that enclose it, by their keys; its own heading ends at `body`."""

    start: int
    body: int
    end: int
    headings: dict[str, str]


class MarkdownHeaderTextSplitter:
    """Split Markdown at headings. The metadata of each document contains the headings above it.

    Args:
        headers_to_split_on: Pairs of a mark and a metadata key, such as ("##", "Header 2").
        return_each_line: Return a document for each block instead of each section.
        strip_headers: Leave the headings themselves out of the documents.
        custom_header_patterns: The levels of other marks: {"**": 1} for lines such as `**Title**`.
        chunk_size: The largest number of tokens of a document; None for no limit.
        chunk_overlap: The largest number of tokens of the previous document in the same section that a document
            repeats.
        tokenizer: Counts the tokens: anything that `chunker.TextChunker` accepts.
        add_start_index: Put the offset of each document, in characters, into its metadata as "start_index".

    Raises:
        OptionError: The sizes cannot be used together. It is a ValueError.
    """

    def __init__(
        self,
        headers_to_split_on: list[tuple[str, str]],
        return_each_line: bool = False,  # noqa: FBT001, FBT002  # as LangChain's
        strip_headers: bool = True,  # noqa: FBT001, FBT002  # as LangChain's
        custom_header_patterns: dict[str, int] | None = None,
        *,
        chunk_size: int | None = None,
        chunk_overlap: int = 0,
        tokenizer: AnyTokenizer = "o200k_base",
        add_start_index: bool = False,
    ) -> None:
        self.headers_to_split_on = sorted(headers_to_split_on, key=lambda pair: len(pair[0]), reverse=True)
        self.return_each_line = return_each_line
        self.strip_headers = strip_headers
        self.custom_header_patterns = custom_header_patterns or {}
        self._add_start_index = add_start_index
        self._keys = dict(self.headers_to_split_on)
        self._custom = {
            mark: re.compile(rf"{re.escape(mark)}(?!{re.escape(mark)})(.+)(?<!{re.escape(mark)}){re.escape(mark)}")
            for mark, _ in self.headers_to_split_on
            if mark in self.custom_header_patterns
        }
        if chunk_size is None and chunk_overlap:
            raise OptionError(f"chunk_overlap ({chunk_overlap}) needs a chunk_size")
        self._chunkers: Chunkers | None = None
        if chunk_size is not None:
            self._chunkers = Chunkers(chunk_size, "markdown", tokenizer=tokenizer, overlap=chunk_overlap)

    def split_text(self, text: str) -> list[Document]:
        """Return a document for each non-blank section of a text; with `return_each_line`, for each block.

        Args:
            text: The Markdown.

        Returns:
            The documents, in the order of the text.
        """
        blocks = MarkdownBlocks(text)
        documents: list[Document] = []
        for section in self._sections(text, blocks):
            first = section.body if self.strip_headers else section.start
            cuts: list[int] = []
            if self.return_each_line:
                cuts = blocks.blocks[bisect_right(blocks.blocks, first) : bisect_left(blocks.blocks, section.end)]
            for start, end in zip([first, *cuts], [*cuts, section.end], strict=True):
                documents += self._documents(text, start, end, section.headings)
        return documents

    def _documents(self, text: str, start: int, end: int, headings: dict[str, str]) -> Iterator[Document]:
        """Yield the documents of `text[start:end]`, without leading blank lines and trailing white space."""
        blank = _BLANK_LINES.match(text, start, end)
        start = start if blank is None else blank.end()
        body = text[start:end].rstrip()
        if not body:
            return
        parts = [(0, body)]
        if self._chunkers is not None:
            parts = [(passage.start, passage.text) for passage in self._chunkers.passages(body, drop=str.rstrip)]
        for offset, part in parts:
            place = {"start_index": start + offset} if self._add_start_index else {}
            yield Document(page_content=part, metadata={**headings, **place})

    def _sections(self, text: str, blocks: MarkdownBlocks) -> Iterator[_Section]:
        """Split all of `text` into sections; the first one comes before any heading."""
        found = sorted([*self._marked(text, blocks), *self._titled(text, blocks.headings)])
        start = body = level = 0
        above: list[_Found] = []
        for heading in [*found, None]:
            end = len(text) if heading is None else heading.start
            # A heading without text of its own stays with the first heading below it.
            empty = bool(above) and not text[body:end].strip() and heading is not None and heading.level > level
            if not (empty and not self.strip_headers and not self.return_each_line):
                yield _Section(start, body, end, {known.key: known.title for known in above if known.key is not None})
                start = end
            if heading is not None:
                body, level = heading.end, heading.level
                while above and above[-1].level >= level:
                    above.pop()
                above.append(heading)

    def _titled(self, text: str, headings: list[Heading]) -> Iterator[_Found]:
        """Yield the Markdown headings of the levels to split at."""
        for start, end, level in headings:
            mark = "#" * level
            if mark in self._keys and mark not in self._custom:
                yield _Found(start, end, level, self._keys[mark], _title(text[start:end], mark))

    def _marked(self, text: str, blocks: MarkdownBlocks) -> Iterator[_Found]:
        """Yield the headings with other marks: lines that a custom pattern matches, and lines that begin with a
        mark.
        """
        others = [mark for mark in self._keys if mark in self._custom or mark.strip("#")]
        if not others:
            return
        for first, last in blocks.prose:
            for line in _LINE.finditer(text, first, last):
                content = line[0].strip()
                for mark in others:
                    title = self._title_after(content, mark)
                    if title is not None:
                        level = self.custom_header_patterns.get(mark, mark.count("#"))
                        yield _Found(line.start(), line.end(), level, self._keys[mark], title)
                        break

    def _title_after(self, line: str, mark: str) -> str | None:
        """Return the title on a line that is a heading with this mark; None for any other line."""
        if mark in self._custom:
            match = self._custom[mark].fullmatch(line)
            return match[1].strip() if match is not None and match[1].strip(mark + " ") else None
        rest = line.removeprefix(mark)
        return rest.strip() if len(rest) < len(line) and rest[:1] in ("", " ") else None


def _title(heading: str, mark: str) -> str:
    r"""Return the text of a heading on one line.

    >>> _title("## Use it ##\n", "##"), _title("Use\nit\n--\n", "##")
    ('Use it', 'Use it')
    """
    lines = heading.strip().splitlines()
    if lines[0].lstrip().startswith(mark):
        return _CLOSING_HASHES.sub("", lines[0].strip()[len(mark) :].strip())
    return " ".join(" ".join(lines[:-1]).split())
