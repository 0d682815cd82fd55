"""`chunk_files`: the chunks of many files, on several processes.

    for result in chunk_files(["src", "docs"], 512, workers=4):
        if isinstance(result, Problem):
            print(result)                       path, place and reason
        else:
            index(result.path, result.chunks)

Files are found as the command finds them (`files`), and results come in that order. A file that cannot be read, or that
kills its worker process, is a `Problem` in its place; the others go on.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from bpe_engine.errors import BpeEngineError
from chunker.arguments import require_all, told
from chunker.counting import resolve_tokenizer
from chunker.errors import BudgetTooSmallError, ChunkerError, OptionError, WrongTypeError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, find_files, portable
from chunker.files.documents import Document, count_line_ends, read_document
from chunker.files.progress import with_progress
from chunker.files.secrets import LEFT_OUT_BY_NAME, LEFT_OUT_BY_TEXT, begins_with_key, named_as_secret
from chunker.growing.assembly import TextOrigin, shared_origin
from chunker.models import Chunk

if TYPE_CHECKING:
    from chunker.chunkers import Detected, TextChunker
    from chunker.files.workers import Workers
    from chunker.options import Options

Result = TypeVar("Result")
# What a run finds: files, standard input once it is read, and what is wrong with others.
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
        # The text that they share goes over once, and what nobody asked for is not made.
        origin = shared_origin(self.chunks)
        if origin is None:
            return FileChunks, (self.path, self.encoding, self.size, self.chunks)
        return _unpacked, (self.path, self.encoding, self.size, origin)


def _unpacked(path: str, encoding: str, size: int, origin: TextOrigin) -> FileChunks:
    return FileChunks(path, encoding, size, origin.chunks())


def chunk_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    max_tokens: int = 512,
    *,
    workers: int = 1,
    chunker: TextChunker | None = None,
    hidden: bool = False,
    secrets: bool = False,
    progress: bool | None = False,
    start_method: str | None = None,
    **options: Unpack[Options],
) -> Generator[FileChunks | Problem, None, None]:
    """Chunk files and folders, file by file, in the order in which `files.find_files` finds them.

    Each file gets the chunker that `chunker_for` chooses for it. Nothing begins before the first result is asked for,
    and no process is left when the iterator is closed.

    Args:
        paths: One or more files and folders.
        max_tokens: The largest number of tokens of a chunk.
        workers: The number of processes; 1 works in this one.
        chunker: Chunk all files with this chunker.
        hidden: Include hidden files of folders.
        secrets: Include files that hold secrets (`chunker.files.secrets`). Otherwise each is a `Problem`, which has
            `failed` set if the file was named.
        progress: Show a bar on standard error; None shows it if that is a terminal.
        start_method: "fork", "forkserver" or "spawn". The last two import the main module again, which must begin its
            work under `if __name__ == "__main__":`. None takes fork where it is safe (Linux, no other threads), else
            spawn.
        options: Those of `chunker_for`.

    Yields:
        For each file its chunks, or the `Problem` why there are none.

    Raises:
        OptionError: An option cannot be used. Raised at once.
        WrongTypeError: An argument has a wrong type. Raised at once.
    """
    given: object = workers  # what callers without types may pass
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise OptionError(f"workers must be a whole number from 1, got {workers!r}")
    if not isinstance(paths, str | os.PathLike):
        require_all(paths, (str, os.PathLike), "paths", "str and paths")
    if chunker is not None and not callable(getattr(chunker, "chunk", None)):
        raise WrongTypeError(f"chunker must be a chunker, such as TextChunker(512), not {told(chunker)}")
    if chunker is not None and (options or max_tokens != 512):
        raise OptionError("a chunker has its own options: give either it or them")
    cut = Cut(max_tokens, **options) if chunker is None else _CutAlike(chunker)
    listed = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    return _chunk_files(
        listed, cut, workers, hidden=hidden, secrets=secrets, progress=progress, start_method=start_method
    )


def _chunk_files(
    paths: list[str],
    cut: Callable[[Document], FileChunks],
    workers: int,
    *,
    hidden: bool,
    secrets: bool,
    progress: bool | None,
    start_method: str | None,
) -> Generator[FileChunks | Problem, None, None]:
    found = list(find_files(paths, hidden=hidden))
    with contextlib.ExitStack() as stack:
        done = stack.enter_context(working(cut, min(workers, len(found)), secrets=secrets, start_method=start_method))
        yield from stack.enter_context(
            with_progress(done(found), "Chunking", len(found), streaming=False, shown=progress)
        )


async def achunk_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    max_tokens: int = 512,
    **options: Any,  # noqa: ANN401  # those of chunk_files, which checks them
) -> AsyncIterator[FileChunks | Problem]:
    """`chunk_files` for an event loop: it runs in a thread of its own.

    Args:
        paths: One or more files and folders.
        max_tokens: The largest number of tokens of a chunk.
        options: The other options of `chunk_files`.

    Yields:
        For each file its chunks, or the `Problem` why there are none.

    Raises:
        OptionError: As `chunk_files`.
    """
    results = chunk_files(paths, max_tokens, **options)
    import asyncio  # noqa: PLC0415  # 20 ms that a run of the command does without, as the processes below
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    loop = asyncio.get_running_loop()
    # One thread: whatever is asked of the iterator is asked in turn, its end too.
    with ThreadPoolExecutor(1, "chunk_files") as thread:
        try:
            while (result := await loop.run_in_executor(thread, next, results, None)) is not None:
                yield result
        finally:
            await asyncio.shield(loop.run_in_executor(thread, results.close))


class Cut:
    """A callable that chunks a file with the chunker that `chunker_for` chooses for it. Pickles if the tokenizer does;
    each process loads it once.

    Args:
        max_tokens: The largest number of tokens of a chunk.
        options: Those of `chunker_for`.

    Raises:
        OptionError: Options cannot be used together.
    """

    def __init__(self, max_tokens: int = 512, **options: Unpack[Options]) -> None:
        self._max_tokens = max_tokens
        self._options = options
        self._chunkers: dict[Detected, TextChunker] = {}
        options["tokenizer"] = resolve_tokenizer(options.get("tokenizer", "o200k_base"))
        self.chunker("", "")

    def __call__(self, document: Document) -> FileChunks:
        """The chunks of a file."""
        return _cut_by(self.chunker(document.path, document.text), document)

    def chunker(self, path: str, text: str) -> TextChunker:
        """The chunker for a file of this name with this text."""
        # Imported late: who counts tokens, or finds out that no file is there, needs no chunkers.
        from chunker.chunkers import chunker_of, detected  # noqa: PLC0415

        found = detected(path.replace(os.sep, "/"), text)
        chunker = self._chunkers.get(found)
        if chunker is None:
            chunker = self._chunkers[found] = chunker_of(found, self._max_tokens, **self._options)
        return chunker

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_chunkers": {}}


class _CutAlike:
    """Cuts all files with the same chunker. Pickles if that does."""

    def __init__(self, chunker: TextChunker) -> None:
        self._chunker = chunker

    def __call__(self, document: Document) -> FileChunks:
        return _cut_by(self._chunker, document)


def _cut_by(chunker: TextChunker, document: Document) -> FileChunks:
    """The chunks that `chunker` makes of a file."""
    chunks = chunker.chunk(document.text, source=portable(document.path))
    return FileChunks(document.path, document.encoding, document.size, chunks)


@contextlib.contextmanager
def working(
    work: Callable[[Document], Result], workers: int, *, secrets: bool, start_method: str | None = None
) -> Iterator[Callable[[Iterable[Found]], Iterator[Result | Problem]]]:
    """A function from files to what `work` makes of each that is text, in order, or the problem there is with it.

    `secrets`: also of files that hold secrets. At most one worker: in this process, one file in memory at a time. More: in so many other processes, which live as long as the context does.
    """
    at_work = _AtWork(work, secrets=secrets)
    if workers < 2:
        yield lambda items: map(at_work, items)
        return
    from chunker.files.workers import Workers  # noqa: PLC0415

    with Workers(at_work, workers, start_method=start_method) as pool:
        yield lambda items: _in_processes(items, pool)


def _in_processes(items: Iterable[Found], pool: Workers[Found, Result | Problem]) -> Iterator[Result | Problem]:
    paths: list[str] = []

    def sent() -> Iterator[Found]:
        for item in items:
            paths.append(item.path)
            # Nobody else has our standard input.
            yield read_document(item) if isinstance(item, FoundFile) and item.path == STANDARD_INPUT else item

    from chunker.files.workers import Lost  # noqa: PLC0415

    for number, result in enumerate(pool.map(sent())):
        yield Problem(paths[number], result.reason) if isinstance(result, Lost) else result


class _AtWork(Generic[Result]):
    """Reads a file and does the work; whatever goes wrong is a `Problem`."""

    def __init__(self, work: Callable[[Document], Result], *, secrets: bool) -> None:
        self._work = work
        self._secrets = secrets

    def __call__(self, item: Found) -> Result | Problem:
        named = not isinstance(item, FoundFile) or item.named  # standard input was asked for, too
        if not self._secrets and isinstance(item, FoundFile) and _named_as_secret(item):
            return Problem(item.path, LEFT_OUT_BY_NAME, failed=named)
        document = read_document(item) if isinstance(item, FoundFile) else item
        if isinstance(document, Problem):
            return document
        if not self._secrets and begins_with_key(document.text):
            return Problem(document.path, LEFT_OUT_BY_TEXT, failed=named)
        try:
            return self._work(document)
        except Exception as error:  # noqa: BLE001 - whatever one file leads to, the others are to be done
            return _problem_of(error, document)


def _named_as_secret(file: FoundFile) -> bool:
    """Whether a file, or what the link leads to that was named, has the name of a secret."""
    return named_as_secret(file.path) or (file.named and named_as_secret(portable(os.path.realpath(file.path))))


def _problem_of(error: Exception, document: Document) -> Problem:
    if isinstance(error, BudgetTooSmallError):
        before = document.text[: error.offset]
        return Problem(document.path, str(error), len(before.encode(document.encoding)), count_line_ends(before) + 1)
    if isinstance(error, ChunkerError | BpeEngineError):
        return Problem(document.path, str(error))
    # Nothing that a user has done: say where it comes from, so that it can be reported.
    import traceback  # noqa: PLC0415

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return Problem(document.path, f"internal error, please report it: {type(error).__name__}: {error} ({place})")
