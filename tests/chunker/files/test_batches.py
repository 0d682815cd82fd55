"""Many files, several processes: order, bad files, killed workers, interrupts; each with processes that are really started and really killed."""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from deadly import Deadly, die, unsendable
from interrupts import listen_to_interrupts

import chunker
from chunker import OptionError, TextChunker
from chunker.counting import resolve_tokenizer
from chunker.errors import ChunkerError, MissingGrammarError
from chunker.files.chunk_files import FileChunks, achunk_files, chunk_files
from chunker.files.discovery import Problem
from chunker.files.workers import Lost, Workers
from chunker.formats.registry import format_names

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
METHODS = multiprocessing.get_all_start_methods()
FILES = 200


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hundred small files of three kinds, two of which are no text."""
    folder = tmp_path_factory.mktemp("tree")
    for number in range(FILES):
        suffix = (".txt", ".md", ".py")[number % 3]
        line = f"# number {number}: it has a line, and {'one more ' * (number % 40)}\n"
        (folder / f"{number:03}{suffix}").write_text(line * (number % 7 + 1), encoding="utf-8")
    (folder / "051.txt").write_bytes(b"good, then \xff bad")
    (folder / "052.md").write_bytes(b"\0binary")
    return folder


def no_process_is_left() -> bool:
    return not multiprocessing.active_children()


@pytest.mark.parametrize("start_method", METHODS)
def test_workers_give_what_one_process_gives_in_order(tree: Path, start_method: str) -> None:
    alone = list(chunk_files([str(tree)], 32, overlap=4, context=True))
    together = list(chunk_files([str(tree)], 32, overlap=4, context=True, workers=2, start_method=start_method))
    assert together == alone
    assert len(alone) == FILES
    assert [Path(result.path).name for result in alone] == sorted(path.name for path in tree.iterdir())
    problems = [result for result in alone if isinstance(result, Problem)]
    assert [(Path(problem.path).name, problem.offset, problem.failed) for problem in problems] == [
        ("051.txt", 11, True),
        ("052.md", None, False),
    ]
    first = alone[3]
    assert isinstance(first, FileChunks)
    text = Path(first.path).read_text(encoding=first.encoding)
    assert first.size == len(text)
    assert first.chunks == chunker.chunker_for(first.path, 32, overlap=4, context=True).chunk(text, source=first.path)
    assert no_process_is_left()


@posix_only
@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_a_killed_worker_costs_the_file_that_kills_and_no_other(tmp_path: Path, start_method: str) -> None:
    words = {f"{number:02}": f"The file number {number}." for number in range(30)}
    words |= {"07": "kill", "15": f"wound {tmp_path / 'marker'}", "16": "exit", "23": "raise"}
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in words.items():
        (folder / name).write_text(text)
    results = list(chunk_files([str(folder)], chunker=Deadly(64), workers=2, start_method=start_method))
    assert [Path(result.path).name for result in results] == sorted(words)
    reasons = {Path(result.path).name: result.reason for result in results if isinstance(result, Problem)}
    assert set(reasons) == {"07", "16", "23"}
    assert reasons["07"] == "the worker process was killed by SIGKILL, 2 times"
    assert reasons["16"] == "the worker process ended with exit code 3, 2 times"
    assert "internal error, please report it: ZeroDivisionError: of its own (deadly.py" in reasons["23"]
    # Killed once, it was tried once more.
    assert (tmp_path / "marker").exists()
    for result in results:
        if isinstance(result, FileChunks):
            assert [chunk.body for chunk in result.chunks] == [words[Path(result.path).name]]
    assert no_process_is_left()


@posix_only
def test_every_file_kills() -> None:
    with Workers[int, int](die, 2) as workers:
        results = list(workers.map(range(5)))
    assert results == [Lost("the worker process was killed by SIGKILL, 2 times")] * 5


def test_results_that_cannot_be_sent() -> None:
    with Workers[int, object](unsendable, 1) as workers:
        first, second = workers.map([0, 1])
    assert isinstance(first, Lost)
    assert "cannot be sent" in first.reason
    assert second == 1


def test_large_items_and_results_go_through() -> None:
    with Workers[str, str](str.upper, 2) as workers:
        assert [len(result) for result in workers.map(["x" * 5_000_000] * 6) if isinstance(result, str)] == [
            5_000_000
        ] * 6


def test_only_so_many_items_are_taken_ahead() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(10_000):
            taken += 1
            yield number

    with Workers[int, int](abs, 2) as workers:
        results = workers.map(items())
        assert [next(results) for _ in range(5)] == list(range(5))
        time.sleep(0.2)
        assert taken < 100


def test_the_iterator_ends_its_processes(tree: Path) -> None:
    results = chunk_files([str(tree)], 32, workers=2)
    next(results)
    assert not no_process_is_left()
    results.close()
    assert no_process_is_left()


def test_an_empty_batch() -> None:
    assert list(chunk_files([], workers=4)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers must be a whole number from 1, got 0"),
        ({"workers": 1.5}, "workers must be a whole number from 1, got 1.5"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"overlap": 512}, "overlap must be from 0"),
        ({"tokenizer": 7}, "tokenizer must be"),
        ({"chunker": TextChunker(), "overlap": 3}, "a chunker has its own options"),
    ],
)
def test_options_are_looked_at_at_once(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        chunk_files(["nowhere"], **options)  # type: ignore[arg-type]


def by_letters() -> TextChunker:
    return TextChunker(64, tokenizer=resolve_tokenizer(lambda text: len(text) + 0))


def test_what_does_not_pickle_is_told_before_anything_starts(tree: Path) -> None:
    with pytest.raises(OptionError, match="the work must be picklable, unless workers are forked"):
        list(chunk_files([str(tree)], chunker=by_letters(), workers=2, start_method="spawn"))
    with pytest.raises(OptionError, match="start_method must be one of"):
        list(chunk_files([str(tree)], workers=2, start_method="teleport"))
    assert no_process_is_left()


@pytest.mark.skipif("fork" not in METHODS, reason="there is no fork")
def test_forked_workers_take_any_function(tree: Path) -> None:
    results = list(chunk_files([str(tree)], chunker=by_letters(), workers=2, start_method="fork"))
    assert results == list(chunk_files([str(tree)], chunker=TextChunker(64, tokenizer="characters")))


# --- in a process of its own: what a script and a terminal do


def run(script: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=script.parent,
        env={**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_interrupts if os.name == "posix" else None,  # noqa: PLW1509 - nothing but one system call
    )


def test_a_script_without_a_guard_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    (tmp_path / "another").write_text("One file needs no second process, two do.")
    script.write_text(
        "from chunker.files.chunk_files import chunk_files\nlist(chunk_files(['.'], workers=2, start_method='spawn'))\n"
    )
    process = run(script)
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"{ChunkerError.__name__}: worker processes cannot start" in complaints.splitlines()[-1]


INTERRUPTED = textwrap.dedent(
    """
    import os, sys
    from chunker.files.chunk_files import chunk_files
    from chunker import TextChunker

    class Slow(TextChunker):
        def chunk(self, text, *, source=None):
            # In one write: with PYTHONUNBUFFERED, what two processes print is mixed within the line.
            os.write(1, f"at work: {os.getpid()}\\n".encode())
            import time
            time.sleep(60)

    if __name__ == "__main__":
        try:
            list(chunk_files(sys.argv[2:], chunker=Slow(), workers=2, start_method=sys.argv[1]))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
)


def at_work(folder: Path, start_method: str, seconds: int) -> tuple[subprocess.Popen[str], list[int]]:
    """A script whose two workers are at work for so many seconds, and the ids of the workers."""
    script = folder / "script.py"
    script.write_text(INTERRUPTED.replace("60", str(seconds)))
    for name in "ab":
        (folder / name).write_text(name)
    process = run(script, start_method, str(folder / "a"), str(folder / "b"))
    assert process.stdout is not None
    return process, [int(process.stdout.readline().split()[-1]) for _ in range(2)]


@posix_only
@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_an_interrupt_leaves_no_process_behind(tmp_path: Path, start_method: str) -> None:
    """Ctrl-C reaches all processes of the terminal at once. Only the parent says something."""
    process, workers = at_work(tmp_path, start_method, seconds=60)
    os.killpg(process.pid, signal.SIGINT)
    out, complaints = process.communicate(timeout=120)
    assert (out, complaints, process.returncode) == ("interrupted\n", "", 0)
    wait_for_the_end_of(workers)


@posix_only
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    process, workers = at_work(tmp_path, "fork", seconds=1)
    process.kill()
    process.communicate(timeout=120)
    wait_for_the_end_of(workers)


def wait_for_the_end_of(processes: list[int]) -> None:
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{process}").exists() and not is_zombie(process) for process in processes):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.05)


def is_zombie(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


# --- what is shown, and waiting


def test_a_bar_is_shown_when_asked_for(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert len(list(chunk_files([str(tree)], 32, progress=True))) == FILES
    assert f"{FILES}/{FILES}" in shown.getvalue()
    shown.truncate(0)
    assert len(list(chunk_files([str(tree)], 32, progress=None))) == FILES
    assert "/" not in shown.getvalue()


def test_for_an_event_loop(tree: Path) -> None:
    async def collect() -> list[FileChunks | Problem]:
        return [result async for result in achunk_files([str(tree)], 32, workers=2)]

    assert asyncio.run(collect()) == list(chunk_files([str(tree)], 32))
    assert no_process_is_left()


def test_an_event_loop_that_wants_no_more(tree: Path) -> None:
    async def first() -> FileChunks | Problem:
        results = achunk_files([str(tree)], 32, workers=2)
        async for result in results:
            await results.aclose()  # type: ignore[attr-defined]  # it is a generator
            return result
        raise AssertionError("no result")

    assert isinstance(asyncio.run(first()), FileChunks)
    assert no_process_is_left()


def test_the_command_with_workers_writes_what_it_writes_without(tree: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "chunker",
        "chunk",
        ".",
        "--format",
        "jsonl",
        "--max-tokens",
        "32",
        "--reserve",
        "2",
    ]
    variables = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    alone, together = (
        subprocess.run([*command, *more], cwd=tree, env=variables, capture_output=True, check=False)
        for more in ([], ["--workers", "2"])
    )
    assert alone.returncode == together.returncode == 1
    assert alone.stdout.count(b"\n") > FILES - 3
    assert (together.stdout, together.stderr) == (alone.stdout, alone.stderr)
    assert b"051.txt: byte 11" in together.stderr


@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
def test_no_module_of_the_current_folder_is_imported(tmp_path: Path, start_method: str) -> None:
    if start_method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {start_method} on this system")
    hostile, program = tmp_path / "hostile", tmp_path / "program.py"
    hostile.mkdir()
    for name in ("multiprocessing", "pickle", "json"):
        (hostile / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    for name in ("a.txt", "b.txt"):
        (hostile / name).write_text("word\n")
    program.write_text(
        "import os\nfrom chunker.files.chunk_files import chunk_files\n"
        'if __name__ == "__main__":\n'
        f"    done = chunk_files(['a.txt', 'b.txt'], 64, workers=2, start_method={start_method!r})\n"
        "    print([result.path for result in done], 'PYTHONSAFEPATH' in os.environ)\n"
    )
    values = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    values["PYTHONPATH"] = str(Path(chunker.__path__[0]).parent)
    done = subprocess.run(
        [sys.executable, str(program)], cwd=hostile, env=values, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("['a.txt', 'b.txt'] False\n", "")
    assert not (hostile / "was-run").exists()


@pytest.mark.parametrize("name", format_names())
def test_chunks_of_every_format_go_to_other_processes(name: str) -> None:
    text = (
        '{"a": [1, 2, 3], "b": {"c": "words that make a member long enough to be a scope of its own, so that it is named"}}\n'
        * 3
    )
    try:
        chunks = TextChunker(32, format=name).chunk(text)
    except MissingGrammarError as error:
        pytest.skip(str(error))
    copies = pickle.loads(pickle.dumps(FileChunks("a", "utf-8", len(text), chunks))).chunks
    assert [(one.body, one.breadcrumb) for one in copies] == [(one.body, one.breadcrumb) for one in chunks]
