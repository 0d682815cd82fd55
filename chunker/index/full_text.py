"""A full-text index of numbered texts in a folder, by tantivy: which texts have a term, and which have the best BM25.

    0 "the parser reads"      best(["parser"], 10)  ->  [(0, 1.38), (2, 0.91)]
    2 "a parser and a test"   count("parser")       ->  2

Texts are given as terms (`terms`), joined by spaces. A commit is written whole or not at all; a reader sees the last
commit before it was opened. `settling` keeps these folders in step with the database.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from chunker.errors import MissingExtraError
from chunker.index.errors import DamagedIndexError, StorageError

_NUMBER, _TEXT = "number", "text"
# Bytes that a writer gathers before it writes a part to the disk.
_HEAP = 64 << 20


def create(folder: Path) -> None:
    """Make an empty folder of full text, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    package = _tantivy()
    builder = package.SchemaBuilder()
    # Signed: terms of unsigned fields cannot be removed by their value.
    builder.add_integer_field(_NUMBER, indexed=True, fast=True)
    builder.add_text_field(_TEXT, tokenizer_name="whitespace", index_option="freq")
    with _translating(folder):
        folder.mkdir()
        package.Index(builder.build(), path=str(folder), reuse=False)


class FullText:
    """The last commit of a folder of full text."""

    def __init__(self, folder: Path) -> None:
        index = _opened(folder)
        with _translating(folder):
            index.config_reader("manual")
            index.reload()
            self._searcher = index.searcher()
        self._schema = index.schema
        self._folder = folder

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def count(self, term: str) -> int:
        """The number of texts that have a term. Texts that were removed since the folder was last written anew still count."""
        return int(self._searcher.doc_freq(_TEXT, term))

    def best(self, terms: Sequence[str], limit: int, among: Iterable[int] | None = None) -> list[tuple[int, float]]:
        """The texts with the largest BM25 for some terms, best first, the lower number first among equals.

        Args:
            terms: The terms, of which a text has one at least.
            limit: The most texts.
            among: Only texts of these numbers; None for all.
        """
        # tantivy reserves memory for `limit` hits, and aborts the process if there is not enough.
        limit = min(limit, len(self))
        if not terms or limit < 1:
            return []
        package = _tantivy()
        asked = [
            (package.Occur.Should, package.Query.term_query(self._schema, _TEXT, term, index_option="freq"))
            for term in terms
        ]
        query = package.Query.boolean_query(asked)
        if among is not None:
            only = package.Query.term_set_query(self._schema, _NUMBER, list(among))
            only = package.Query.const_score_query(only, 0.0)
            query = package.Query.boolean_query([(package.Occur.Must, query), (package.Occur.Must, only)])
        with _translating(self._folder):
            hits = self._searcher.search(query, limit, count=False).hits
            numbers = self._searcher.fast_field_values(_NUMBER, [address for _, address in hits])
        return sorted(
            ((number, score) for number, (score, _) in zip(numbers, hits, strict=True)),
            key=lambda one: (-one[1], one[0]),
        )

    def beginning_with(self, prefix: str, limit: int) -> list[str]:
        """The terms that begin with `prefix`, the most frequent first."""
        with _translating(self._folder):
            return [term for term, _ in self._searcher.terms_with_prefix(_TEXT, prefix, limit=limit)]

    def numbers(self) -> list[int]:
        """The numbers of all texts, ascending."""
        if not len(self):
            return []
        with _translating(self._folder):
            hits = self._searcher.search(_tantivy().Query.all_query(), len(self), count=False).hits
            found: list[int] = self._searcher.fast_field_values(_NUMBER, [address for _, address in hits])
        return sorted(found)


class FullTextWriter:
    """Changes a folder of full text. There is one at a time: the lock of the index sees to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        index = _opened(folder)
        with _translating(folder):
            # One thread: the order of the texts in a part is that in which they came.
            self._writer = index.writer(_HEAP, 1)
            # Remove what a killed run left: its numbers will be used again, and tantivy fails on a file that already
            # exists.
            self._writer.garbage_collect_files()

    def add(self, number: int, terms: str) -> None:
        """Keep a text under a number that has none."""
        document = _tantivy().Document()
        document.add_integer(_NUMBER, number)
        document.add_text(_TEXT, terms)
        with _translating(self._folder):
            self._writer.add_document(document)

    def remove(self, numbers: Iterable[int]) -> None:
        """Forget the texts of some numbers that were added before this call; one without a text is not an error."""
        with _translating(self._folder):
            for number in numbers:
                self._writer.delete_documents_by_term(_NUMBER, number)

    def commit(self) -> None:
        """Make all changes since the last commit durable, and visible to whoever opens the folder from now on."""
        with _translating(self._folder):
            self._writer.commit()

    def close(self) -> None:
        """Let go of the folder; changes without a commit are lost."""
        with _translating(self._folder):
            self._writer.wait_merging_threads()


def analyzer(language: str | None) -> Callable[[str], str]:
    """A function that turns a word into a term: in small letters, without accents, and stemmed for a language (None: not stemmed)."""
    package = _tantivy()
    steps = [package.Filter.lowercase(), package.Filter.ascii_fold()]
    if language is not None:
        # Stem first, for accents matter to stemmers; in English they are in foreign words only.
        steps.insert(2 if language == "english" else 1, package.Filter.stemmer(language))
    builder = package.TextAnalyzerBuilder(package.Tokenizer.raw())
    for step in steps:
        builder = builder.filter(step)
    analyze = builder.build().analyze

    def term(word: str) -> str:
        return "".join(analyze(word))

    return term


def without_function_words(language: str) -> Callable[[str], int]:
    """A function that counts the words of a text, without the function words of a language."""
    package = _tantivy()
    builder = package.TextAnalyzerBuilder(package.Tokenizer.simple()).filter(package.Filter.lowercase())
    analyze = builder.filter(package.Filter.stopword(language)).build().analyze

    def count(text: str) -> int:
        return len(analyze(text))

    return count


def _opened(folder: Path) -> Any:  # noqa: ANN401  # tantivy's own index
    """The index of tantivy in a folder. Raises FileNotFoundError if there is none."""
    package = _tantivy()
    if not (folder / "meta.json").exists():
        raise FileNotFoundError(folder)
    with _translating(folder):
        return package.Index.open(str(folder))


def _tantivy() -> Any:  # noqa: ANN401  # a module of a package that need not be there
    try:
        return import_module("tantivy")
    except ImportError as error:
        raise MissingExtraError("tantivy", "index") from error


@contextlib.contextmanager
def _translating(folder: Path) -> Iterator[None]:
    """Convert errors of tantivy and of the disk to errors of the index."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{folder}: {error}") from error
    except (ValueError, RuntimeError) as error:
        raise DamagedIndexError(
            f"the full text in {folder} cannot be used ({error}): remove the folder of the index and index again"
        ) from error
