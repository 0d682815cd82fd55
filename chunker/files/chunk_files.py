"""`chunk_files`: chunk many files, in several processes.

    for result in chunk_files(["src", "docs"], 512, workers=4):
        if isinstance(result, Problem):
            print(result)                       path, place and reason
        else:
            index(result.path, result.chunks)

Files are found as by the command (`discovery`), and results come in the same order. For a file that cannot be read, or
that kills its worker process, the result is a `Problem`; the other files are still chunked.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from bpe_engine.errors import BpeEngineError
from chunker.arguments import require_all, told, whole_number
from chunker.counting import resolve_tokenizer
from chunker.errors import BudgetTooSmallError, ChunkerError, OptionError, WrongTypeError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, find_files, portable
from chunker.files.documents import Document, count_line_ends, read_document
from chunker.files.file_chunks import chunks_in_file
from chunker.files.intake import Intake, done_to
from chunker.files.patterns import Wanted
from chunker.files.progress import with_progress
from chunker.growing.assembly import TextOrigin, shared_origin
from chunker.models import Chunk

if TYPE_CHECKING:
    from chunker.by_name import Detected
    from chunker.chunkers import TextChunker
    from chunker.files.workers import Workers
    from chunker.formats.outline import Outline
    from chunker.options import Options

Result = TypeVar("Result")
# An item of a run: a file, standard input once it is read, or a problem.
Found = FoundFile | Document | Problem


@dataclass(frozen=True, slots=True)
class FileChunks:
    """A file and its chunks.

    Attributes:
        path: The path of the file, with `/` between the names.
        encoding: The codec between its text and its bytes.
        size: Its size in bytes.
        chunks: Its chunks, in the order of its text.
    """

    path: str
    encoding: str
    size: int
    chunks: list[Chunk]

    def __reduce__(self) -> tuple[Any, ...]:
        # The text that the chunks share is pickled once, and no value is computed that was not requested.
        origin = shared_origin(self.chunks)
        if origin is None:
            return FileChunks, (self.path, self.encoding, self.size, self.chunks)
        return _unpacked, (self.path, self.encoding, self.size, origin)


def _unpacked(path: str, encoding: str, size: int, origin: TextOrigin) -> FileChunks:
    return FileChunks(path, encoding, size, origin.chunks())


def chunk_files(  # noqa: PLR0913  # as many as there are options
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    max_tokens: int | TextChunker = 512,
    *,
    workers: int = 1,
    chunker: TextChunker | None = None,
    hidden: bool = False,
    secrets: bool = False,
    generated: bool = False,
    verbatim: bool = False,
    web_text: bool = False,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    encoding: str = "utf-8",
    progress: bool | None = False,
    start_method: str | None = None,
    **options: Unpack[Options],
) -> Generator[FileChunks | Problem, None, None]:
    """Chunk files and folders, file by file, in the order of `chunker.files.discovery.find_files`.

    Each file gets the chunker that `chunker_for` chooses for it. The work starts when the first result is requested,
    and all processes have ended when the iterator is closed.

    Args:
        paths: One or more files and folders.
        max_tokens: The largest number of tokens of a chunk; or a chunker for all files.
        workers: The number of processes; 1 for this process only.
        chunker: Chunk all files with this chunker.
        hidden: Include hidden files of folders.
        secrets: Include files that hold secrets (`chunker.files.secrets`). Otherwise each is a `Problem`, which has
            `failed` set if the file was named.
        generated: Include files that programs wrote: lock files, bundles, generated code, vendored folders
            (`chunker.files.machine_made`). Otherwise each is a `Problem`.
        verbatim: Read notebooks, SVG drawings and embedded data unchanged, not as cells, words and "…".
        web_text: Convert HTML pages to their text: headings, paragraphs, lists and tables, without tags and navigation.
        include: Patterns as in .gitignore, relative to the current folder, of files in folders to include; by default
            all.
        exclude: Patterns of files to exclude; they take precedence.
        encoding: The encoding of files that are not UTF-8.
        progress: Show a bar on standard error; None shows it if that is a terminal.
        start_method: "fork", "forkserver" or "spawn". The last two import the main module again, which must begin its
            work under `if __name__ == "__main__":`. None uses fork if it is safe (Linux, no other threads), else spawn.
        options: Those of `chunker_for`.

    Yields:
        For each file its chunks, or a `Problem` that says why there are none.

    Raises:
        OptionError: An option cannot be used. Raised at once.
        WrongTypeError: An argument has a wrong type. Raised at once.
    """
    workers = whole_number(workers, "workers", least=1)
    if not isinstance(paths, str | os.PathLike):
        require_all(paths, (str, os.PathLike), "paths", "str and paths")
    from chunker.chunkers import TextChunker  # noqa: PLC0415  # loads all formats

    if isinstance(max_tokens, TextChunker):
        if chunker is not None:
            raise OptionError("a chunker was given twice: as the second argument and as chunker")
        chunker, max_tokens = max_tokens, 512
    if chunker is not None and not callable(getattr(chunker, "chunk", None)):
        raise WrongTypeError(f"chunker must be a chunker, such as TextChunker(512), not {told(chunker)}")
    if chunker is not None and (options or max_tokens != 512):
        raise OptionError("a chunker has its own options: pass either a chunker or options")
    cut = Cut(max_tokens, **options) if chunker is None else partial(_cut_with, chunker)
    for name, patterns in (("include", include), ("exclude", exclude)):
        require_all([patterns] if isinstance(patterns, str) else patterns, str, name, "patterns")
    intake = Intake(secrets=secrets, generated=generated, verbatim=verbatim, web_text=web_text, encoding=encoding)
    wanted = Wanted.of(include, exclude)
    listed = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    return _chunk_files(
        listed, cut, workers, intake, wanted, hidden=hidden, progress=progress, start_method=start_method
    )


def _chunk_files(
    paths: list[str],
    cut: Callable[[Document], FileChunks],
    workers: int,
    intake: Intake,
    wanted: Wanted,
    *,
    hidden: bool,
    progress: bool | None,
    start_method: str | None,
) -> Generator[FileChunks | Problem, None, None]:
    found = list(find_files(paths, hidden=hidden, wanted=wanted, vendored=intake.generated))
    with contextlib.ExitStack() as stack:
        done = stack.enter_context(working(cut, min(workers, len(found)), intake, start_method=start_method))
        yield from stack.enter_context(
            with_progress(done(found), "Chunking", len(found), streaming=False, shown=progress)
        )


async def achunk_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    max_tokens: int | TextChunker = 512,
    **options: Any,  # noqa: ANN401  # those of chunk_files, which checks them
) -> AsyncIterator[FileChunks | Problem]:
    """`chunk_files` for an event loop: it runs in a thread of its own.

    Args:
        paths: One or more files and folders.
        max_tokens: The largest number of tokens of a chunk; or a chunker for all files.
        options: The other options of `chunk_files`.

    Yields:
        For each file its chunks, or a `Problem` that says why there are none.

    Raises:
        OptionError: As `chunk_files`.
    """
    results = chunk_files(paths, max_tokens, **options)
    import asyncio  # noqa: PLC0415  # 20 ms that a run of the command does without, as the processes below
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    loop = asyncio.get_running_loop()
    # One thread, so that requests to the iterator, and its end, come one after the other.
    with ThreadPoolExecutor(1, "chunk_files") as thread:
        try:
            while (result := await loop.run_in_executor(thread, next, results, None)) is not None:
                yield result
        finally:
            await asyncio.shield(loop.run_in_executor(thread, results.close))


class Cut:
    """A callable that chunks a file with the chunker that `chunker_for` chooses for it. Can be pickled if the tokenizer
    can; each process loads it once.

    Args:
        max_tokens: The largest number of tokens of a chunk.
        language: The language or format of all files; None detects it from their names and texts.
        options: Those of `chunker_for`.

    Raises:
        OptionError: Options cannot be used together.
        UnknownLanguageError: There is no such language.
    """

    def __init__(self, max_tokens: int = 512, *, language: str | None = None, **options: Unpack[Options]) -> None:
        self._max_tokens = max_tokens
        self._language = language
        self._options = options
        self._chunkers: dict[Detected, TextChunker] = {}
        options["tokenizer"] = resolve_tokenizer(options.get("tokenizer", "o200k_base"))
        self.chunker("", "")

    def __call__(self, document: Document) -> FileChunks:
        """Return the chunks of a file."""
        return self.with_outline(document)[0]

    def with_outline(self, document: Document) -> tuple[FileChunks, Outline]:
        """Return the chunks of a file, and the outline of its text. While the caller holds the outline, breadcrumbs
        need no second parse.
        """
        chunker = self.chunker_of(document)
        outline = chunker.sketch(document.text)
        return _of_file(chunker.chunks_of(document.text, outline, portable(document.path)), document), outline

    def chunker_of(self, document: Document) -> TextChunker:
        """Return the chunker for a file: by the format in which its text was read, else by its name and text."""
        if document.format is None or self._language is not None:
            return self.chunker(document.path, document.text)
        from chunker.formats.detect import file_name_for  # noqa: PLC0415  # imported late, as below

        return self.chunker(file_name_for(document.format), "")

    def chunker(self, path: str, text: str) -> TextChunker:
        """Return the chunker for a file of this name with this text."""
        # Imported late: counting tokens, or finding that no file is there, needs no chunkers.
        from chunker.by_name import Detected, chunker_named, chunker_of, detected  # noqa: PLC0415

        if self._language is not None:
            one = Detected(self._language, self._language, named=True)
            if one not in self._chunkers:
                self._chunkers[one] = chunker_named(self._language, self._max_tokens, **self._options)
            return self._chunkers[one]
        found = detected(path.replace(os.sep, "/"), text)
        chunker = self._chunkers.get(found)
        if chunker is None:
            chunker = self._chunkers[found] = chunker_of(found, self._max_tokens, **self._options)
        return chunker

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_chunkers": {}}


def _cut_with(chunker: TextChunker, document: Document) -> FileChunks:
    return _of_file(chunker.chunk(document.text, source=portable(document.path)), document)


def _of_file(chunks: list[Chunk], document: Document) -> FileChunks:
    """Return the chunks of the text of a file, as chunks of the file."""
    return FileChunks(document.path, document.encoding, document.size, chunks_in_file(chunks, document))


@contextlib.contextmanager
def working(
    work: Callable[[Document], Result],
    workers: int,
    intake: Intake,
    *,
    start_method: str | None = None,
    changed: Counter[str] | None = None,
) -> Iterator[Callable[[Iterable[Found]], Iterator[Result | Problem]]]:
    """Yield a function that applies `work` to each file that is text and yields the results, in order, or the problems.

    `intake`: which files to read, and how. `changed` counts the conversions of files. With at most one worker the work
    runs in this process, with one file in memory at a time; otherwise in as many processes, which live as long as the
    context.
    """
    at_work = _AtWork(work, intake)
    counts = Counter() if changed is None else changed
    if workers < 2:
        yield lambda items: _counted(map(at_work, items), counts)
        return
    from chunker.files.workers import Workers  # noqa: PLC0415

    with Workers(at_work, workers, start_method=start_method) as pool:
        yield lambda items: _counted(_in_processes(items, pool, intake.encoding), counts)


@dataclass(frozen=True, slots=True)
class _Done(Generic[Result]):
    """A result, and the conversion of the file before it."""

    result: Result
    change: str | None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Done, (self.result, self.change)  # as for FoundFile


def _counted(results: Iterable[_Done[Result] | Problem], changed: Counter[str]) -> Iterator[Result | Problem]:
    for one in results:
        if isinstance(one, Problem):
            yield one
        else:
            if one.change is not None:
                changed[one.change] += 1
            yield one.result


def _in_processes(
    items: Iterable[Found], pool: Workers[Found, _Done[Result] | Problem], encoding: str
) -> Iterator[_Done[Result] | Problem]:
    paths: list[str] = []

    def sent() -> Iterator[Found]:
        for item in items:
            paths.append(item.path)
            # The workers cannot read our standard input.
            yield read_document(item, encoding) if isinstance(item, FoundFile) and item.path == STANDARD_INPUT else item

    from chunker.files.workers import Lost  # noqa: PLC0415

    for number, result in enumerate(pool.map(sent())):
        yield Problem(paths[number], result.reason) if isinstance(result, Lost) else result


class _AtWork(Generic[Result]):
    """Reads a file and does the work; an error becomes a `Problem`."""

    def __init__(self, work: Callable[[Document], Result], intake: Intake) -> None:
        self._work = work
        self._intake = intake

    def __call__(self, item: Found) -> _Done[Result] | Problem:
        if isinstance(item, FoundFile):
            document = self._intake.read(item)
        else:  # standard input, which was named
            document = self._intake.accept(item, named=True)
        if isinstance(document, Problem):
            return document
        try:
            return _Done(self._work(document), done_to(document))
        except Exception as error:  # noqa: BLE001 - an error in one file must not stop the others
            return _problem_of(error, document)


def _problem_of(error: Exception, document: Document) -> Problem:
    if isinstance(error, BudgetTooSmallError) and document.format is None and document.shortened is None:
        before = document.text[: error.offset]
        return Problem(document.path, str(error), len(before.encode(document.encoding)), count_line_ends(before) + 1)
    if isinstance(error, ChunkerError | BpeEngineError):
        return Problem(document.path, str(error))
    # Not an error of the user: include the location, so that it can be reported.
    import traceback  # noqa: PLC0415

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return Problem(document.path, f"internal error, please report it: {type(error).__name__}: {error} ({place})")
