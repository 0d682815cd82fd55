"""Workers: what they answer, and that no request stops or fills the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from serving import environment

pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')

from bpe_engine import Tokenizer
from chunker import CodeChunker, TextChunker
from chunker.index import Index
from chunker.integrations.service import cutting, operations
from chunker.integrations.service.errors import BusyError, RefusedError, TooMuchError, WorkerError
from chunker.integrations.service.pool import Pool

CUT = {"name": "", "language": "auto", "max_tokens": 20, "tokenizer": "o200k_base"}
# Some ten seconds of work for a worker: each chunk that could be is counted by a call.
LONG = "a " * 1_800_000
SLOW = {**CUT, "max_tokens": 200, "tokenizer": "words", "strategy": "optimal"}


def run(work: Callable[[Pool], Awaitable[Any]], **options: Any) -> Any:
    async def running() -> Any:
        async with Pool(**options) as pool:
            return await work(pool)

    return asyncio.run(running())


async def ask(pool: Pool, operation: str, **arguments: object) -> Any:
    return json.loads(await pool.ask(operation, **arguments))


def test_answers_are_those_of_the_library(tmp_path: Path) -> None:
    source = "".join(f"def f{n}(x):\n    return x * {n}\n\n\n" for n in range(30))
    (tmp_path / "a.py").write_text(source)
    Index.open(tmp_path / ".chunker").sync(tmp_path)

    async def work(pool: Pool) -> None:
        assert await ask(pool, "count", texts=["a b", "", "é" * 9], tokenizer="cl100k_base") == [
            Tokenizer.load("cl100k_base").count(text) for text in ["a b", "", "é" * 9]
        ]
        expected = CodeChunker("python", 40, overlap=5, context=True).chunk(source, source="a.py")
        options = {"max_tokens": 40, "overlap": 5, "context": True, "tokenizer": "o200k_base"}
        seen = await ask(pool, "see", text=source, name="a.py", language="auto", **options)
        assert [one["characters"] for one in seen["data"]["chunks"]] == [[c.span.start, c.span.end] for c in expected]
        assert "text" not in seen["data"]
        # In parts: each goes on where the one before ended.
        first: int | None = 0
        texts: list[str] = []
        while first is not None:
            part = await ask(
                pool, "chunk", text=source, name="a.py", language="auto", first=first, most_characters=200, **options
            )
            assert 0 < sum(len(one["text"]) for one in part["chunks"]) <= 200
            assert (part["total"], part["tokens"]) == (len(expected), sum(c.token_count for c in expected))
            texts += [one["text"] for one in part["chunks"]]
            first = part["next"]
        assert texts == [chunk.text for chunk in expected]
        plain = await ask(pool, "see", text="One. Two. " * 20, **{**CUT, "language": "text"})
        assert len(plain["data"]["chunks"]) == len(TextChunker(20).chunk("One. Two. " * 20))
        hits = await ask(
            pool,
            "search",
            folder=str(tmp_path / ".chunker"),
            query="f7",
            limit=2,
            by="words",
            sources=["*.py"],
            languages=["python"],
            most_characters=40,
        )
        assert [hit["source"] for hit in hits] == ["a.py"] * len(hits)
        assert all(len(hit["text"]) <= 20 and hit["cut"] for hit in hits)
        assert (await ask(pool, "status", folder=str(tmp_path / ".chunker")))["files"] == 1
        made = await ask(
            pool,
            "assemble",
            items=[{"text": "Be brief.", "required": True}, {"text": "word " * 99}],
            budget=20,
            reserve=2,
            separator="\n",
            tokenizer="o200k_base",
            most_characters=1000,
        )
        assert (made["text"], made["tokens"], [item["status"] for item in made["items"]]) == (
            "Be brief.",
            3,
            ["kept", "dropped"],
        )

    run(work, number=1)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("see", {"text": "x", **CUT, "overlap": 99}, "overlap must be from 0"),
    ("see", {"text": "x", **CUT, "language": "klingon"}, "language must be auto or one of"),
    ("see", {"text": "日", **CUT, "max_tokens": 1, "tokenizer": "bytes"}, "set max_tokens to at least 3"),
    ("search", {"folder": "nowhere", "query": "x", "limit": 1, "by": "both", "sources": [], "languages": [], "most_characters": 9}, "there is no index"),
    ("assemble", {"items": [{"text": "x " * 99, "required": True}], "budget": 5, "reserve": 0, "separator": "", "tokenizer": "o200k_base",
                  "most_characters": 9}, "do not fit"),
    ("assemble", {"items": [{"text": "x " * 99}], "budget": 500, "reserve": 0, "separator": "", "tokenizer": "o200k_base",
                  "most_characters": 9}, "is the limit of an answer"),
]  # fmt: skip


def test_conditions_of_a_search(tmp_path: Path) -> None:
    index = Index.open(tmp_path / "index")
    index.add({"a": "Onions simmer."}, metadata={"team": "kitchen", "open": True}, tags="main")
    index.add({"b": "Onions grow."}, metadata={"team": "garden"}, language="markdown", tags="other")

    def found(**conditions: Any) -> list[str]:
        asked = {"folder": str(tmp_path / "index"), "query": "onions", "by": "words", **conditions}
        hits = operations.OPERATIONS["search"](**asked, limit=5, most_characters=1000)
        files = operations.OPERATIONS["sources"](**asked, budget=100)
        pack = operations.OPERATIONS["pack"](**asked, budget=100, allowed=["a", "b"])
        names = sorted(hit["source"] for hit in hits)
        assert sorted(files) == names
        assert sorted({part["source"] for part in pack["parts"]}) == names
        return names

    assert found() == ["a", "b"]
    assert found(metadata={"team": "kitchen"}) == ["a"]
    assert found(metadata={"team": ["kitchen", "garden"]}) == ["a", "b"]
    assert found(metadata={"open": True}) == ["a"]
    assert found(tags=["other"]) == ["b"]
    assert found(languages=["markdown"], tags=["main"]) == []
    assert found(kinds=["function"]) == []


def test_what_is_wrong_is_told() -> None:
    async def work(pool: Pool) -> None:
        for operation, arguments, reason in WRONG:
            with pytest.raises(RefusedError) as caught:
                await pool.ask(operation, **arguments)
            assert reason in str(caught.value)
            assert await ask(pool, "count", texts=["a"], tokenizer="o200k_base") == [1]

    run(work, number=1)


def test_an_answer_has_only_so_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cutting.MOST_CHUNKS == 50_000
    monkeypatch.setattr(cutting, "MOST_CHUNKS", 50)
    cut = {**CUT, "max_tokens": 1, "tokenizer": "characters"}
    for operation, more in (("see", {}), ("chunk", {"first": 0, "most_characters": 100})):
        with pytest.raises(TooMuchError, match="more than 50 chunks"):
            operations.OPERATIONS[operation](text="a" * 51, **cut, **more)
        assert operations.OPERATIONS[operation](text="a" * 50, **cut, **more)


def test_what_takes_too_long_is_given_up_and_the_next_is_not() -> None:
    async def work(pool: Pool) -> None:
        await pool.ask("count", texts=["a"], tokenizer="o200k_base")
        begin = time.monotonic()
        with pytest.raises(WorkerError, match="more than 2 seconds"):
            await pool.ask("see", text=LONG, **SLOW)
        assert time.monotonic() - begin < 10
        assert await ask(pool, "count", texts=["a b"], tokenizer="words") == [2]

    run(work, number=1, seconds=2)


def test_a_worker_that_dies_and_a_client_that_goes() -> None:
    async def work(pool: Pool) -> None:
        await pool.ask("count", texts=["a"], tokenizer="o200k_base")
        process = pool._workers[0]._process
        assert process is not None
        asking = asyncio.create_task(pool.ask("see", text=LONG, **SLOW))
        await asyncio.sleep(0.2)
        process.kill()
        with pytest.raises(WorkerError, match="crashed"):
            await asking
        assert await ask(pool, "count", texts=["a"], tokenizer="o200k_base") == [1]
        asking = asyncio.create_task(pool.ask("see", text=LONG, **SLOW))
        await asyncio.sleep(0.2)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        # The answer is that of this request, and not of the one before.
        assert await ask(pool, "count", texts=["a", "b c"], tokenizer="o200k_base") == [1, 2]

    run(work, number=1)


@pytest.mark.skipif(sys.platform != "linux", reason="where processes can be looked up")
def test_a_worker_takes_its_processes_along_and_another_takes_its_place() -> None:
    """Source code is parsed by a process of the worker's own."""

    def processes(group: int) -> set[int]:
        found = set()
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it has just ended
                number, _, rest = status.read_text().partition(" (")
                found |= {int(number)} if int(rest.rpartition(") ")[2].split()[2]) == group else set()
        return found

    async def work(pool: Pool) -> None:
        await pool.ask("see", text="a = 1\n", **{**CUT, "language": "python"})
        first = pool._workers[0]._process
        assert first is not None
        assert len(processes(first.pid)) == 2
        asking = asyncio.create_task(pool.ask("see", text=LONG, **SLOW))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        while processes(first.pid):  # killed, and about to end
            await asyncio.sleep(0.01)
        # Nobody has asked for it.
        while not pool._workers[0].is_running:
            await asyncio.sleep(0.01)
        second = pool._workers[0]._process
        assert second is not None
        assert second.pid != first.pid
        assert await ask(pool, "count", texts=["a b"], tokenizer="words") == [2]
        assert pool._workers[0]._process is second

    run(work, number=1)


def test_only_so_many_wait() -> None:
    async def work(pool: Pool) -> None:
        await pool.ask("count", texts=["a"], tokenizer="o200k_base")
        asked = [asyncio.create_task(pool.ask("see", text=LONG, **SLOW))]
        asked += [asyncio.create_task(pool.ask("count", texts=["a"], tokenizer="o200k_base")) for _ in range(20)]
        await asyncio.sleep(0.1)
        busy = [task for task in asked if task.done()]
        assert len(busy) == 4  # one is at work, sixteen wait
        for task in busy:
            assert isinstance(task.exception(), BusyError)
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    run(work, number=1)


def run_program(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program of Python, run in a folder."""
    return subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_module_of_the_current_folder_is_imported(tmp_path: Path) -> None:
    for name in ("json", "struct", "integrations", "chunker", "asyncio"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    program = (
        "import asyncio\nfrom chunker.integrations.service.pool import Pool\n"
        "async def main():\n    async with Pool(1) as pool:\n"
        "        print(await pool.ask('count', texts=['a b'], tokenizer='words'))\nasyncio.run(main())\n"
    )
    done = run_program(program, tmp_path)
    assert (done.stdout, done.stderr) == ("b'[2]'\n", "")
    assert not (tmp_path / "was-run").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="where memory can be limited and looked up")
def test_memory_is_limited(tmp_path: Path) -> None:
    """With a limit of 400 MB set from outside, where the worker's own would be 2 GB."""
    program = (
        "import asyncio, resource\n"
        "from chunker.integrations.service.errors import ServiceError\nfrom chunker.integrations.service.pool import Pool\n"
        "cut = {'name': '', 'language': 'text', 'max_tokens': 1_000_000, 'tokenizer': 'characters'}\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (400_000_000, 400_000_000))\n"
        "async def main():\n    async with Pool(1) as pool:\n"
        "        try:\n            await pool.ask('see', text='x\\n\\n' * 3_000_000, **cut)\n"
        "        except ServiceError as error:\n            print(error)\n"
        "        print(await pool.ask('count', texts=['a b'], tokenizer='words'))\nasyncio.run(main())\n"
    )
    done = run_program(program, tmp_path)
    told, answer = done.stdout.splitlines()
    assert "exceeded the memory limit" in told
    assert answer == "b'[2]'"


def test_the_end_waits_for_nobody_and_leaves_no_worker() -> None:
    async def work(pool: Pool) -> list[int]:
        await pool.ask("count", texts=["a"], tokenizer="words")
        asking = [asyncio.create_task(pool.ask("see", text=LONG, **SLOW)) for _ in range(5)]
        await asyncio.sleep(0.1)
        pids = [worker._process.pid for worker in pool._workers if worker._process is not None]
        begin = time.monotonic()
        await pool.close()
        ends = await asyncio.gather(*asking, return_exceptions=True)
        assert time.monotonic() - begin < 10  # and not until all five are done
        assert {(type(end), str(end)) for end in ends} == {(BusyError, "the server ends")}
        with pytest.raises(BusyError, match="the server ends"):
            await pool.ask("count", texts=["a"], tokenizer="words")
        return pids

    pids = run(work, number=2)
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
