"""Formats in a process of their own: the same outlines, and no source stops the show."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tree_sitter_java
from interrupts import listen_to_interrupts
from tree_sitter import Language

import chunker
from chunker import CodeChunker, OptionError
from chunker.formats.code import isolation
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.code.isolation import IsolatedFormat, ParserLimits

JAVA = CodeFormat("java")
SAMPLE = (Path(__file__).parent / "samples" / "Sample.java").read_text("utf-8")
# The parser's time and memory for this are quadratic: minutes, and tens of gigabytes.
ENDLESS = "x => " * 20_000


def columns(kind: CodeFormat | IsolatedFormat, text: str) -> tuple[object, ...]:
    outline = kind.outline(text)
    return outline.offsets, outline.strengths, outline.labels, outline.scopes, outline.notes, outline.finest


@pytest.mark.parametrize(
    "text", ["", "int a;", SAMPLE, SAMPLE[:700], "class \ud800 { é\0 }\r\n", "class 中 {\n  int f() {\n  }\n}\n"]
)
def test_the_outline_is_the_same(text: str) -> None:
    assert columns(IsolatedFormat(JAVA), text) == columns(JAVA, text)


def test_what_takes_too_long_is_cut_by_lines_and_the_next_one_is_not() -> None:
    kind = IsolatedFormat(JAVA, ParserLimits(seconds=0.2, seconds_per_megabyte=0))
    begin = time.monotonic()
    outline = kind.outline(f"class A {{\n{ENDLESS}\n}}\n")
    assert time.monotonic() - begin < 20
    assert outline.notes == {"parse": "given up"}
    assert outline.offsets == [0, 10, 11 + len(ENDLESS)]
    assert columns(kind, SAMPLE) == columns(JAVA, SAMPLE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="memory is not limited there")
def test_what_takes_too_much_memory_is_cut_by_lines() -> None:
    kind = IsolatedFormat(JAVA, ParserLimits(seconds=60, megabytes=300, megabytes_per_megabyte=0))
    assert kind.outline(ENDLESS).notes == {"parse": "given up"}


def test_a_bash_script_cannot_take_all_there_is() -> None:
    begin = time.monotonic()
    (note,) = {chunk.metadata["parse"] for chunk in CodeChunker("bash").chunk("|x| " * 3_000)}
    assert note == "given up"
    assert time.monotonic() - begin < 60


def test_a_worker_that_died_is_replaced() -> None:
    kind = IsolatedFormat(JAVA)
    assert columns(kind, SAMPLE) == columns(JAVA, SAMPLE)
    process = isolation._worker._process
    assert process is not None
    os.kill(process.pid, signal.SIGTERM)
    process.wait()
    assert columns(kind, SAMPLE) == columns(JAVA, SAMPLE)
    assert isolation._worker._process is not process


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are of POSIX")
def test_an_interrupt_of_the_terminal_is_not_for_the_worker() -> None:
    script = (
        "import os, signal\n"
        "from chunker.formats.code import isolation\n"
        "from chunker.formats.code.code_format import CodeFormat\n"
        "kind = isolation.IsolatedFormat(CodeFormat('bash'))\n"
        "kind.outline('echo 1')\n"
        "first = isolation._worker._process.pid\n"
        "try:\n"
        "    os.killpg(0, signal.SIGINT)\n"
        "    signal.pause()\n"
        "except KeyboardInterrupt:\n"
        "    print(len(kind.outline('echo 1\\necho 2').offsets), isolation._worker._process.pid == first)\n"
    )
    folder = Path(chunker.__path__[0]).parent
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        check=True,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_interrupts,
    )
    assert "Traceback" not in done.stderr
    assert done.stdout == "2 True\n"


def test_an_answer_that_was_not_waited_for_is_that_of_no_other_request(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = IsolatedFormat(JAVA)
    exchange = isolation._worker._exchange

    def interrupted(process: subprocess.Popen[bytes], request: tuple[bytes, ...]) -> None:
        assert process.stdin is not None
        process.stdin.writelines(request)
        process.stdin.flush()
        raise KeyboardInterrupt

    monkeypatch.setattr(isolation._worker, "_exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kind.outline("class A {}")
    monkeypatch.setattr(isolation._worker, "_exchange", exchange)
    assert columns(kind, SAMPLE) == columns(JAVA, SAMPLE)


def test_requests_share_one_thread_that_watches() -> None:
    isolated = IsolatedFormat(JAVA)
    isolated.outline(SAMPLE)
    watching = [thread for thread in threading.enumerate() if thread.name == "parser watchdog"]
    for _ in range(5):
        isolated.outline(SAMPLE)
    assert [thread for thread in threading.enumerate() if thread.name == "parser watchdog"] == watching
    assert len(watching) == 1


def test_a_process_is_killed_when_its_time_is_over_and_not_before() -> None:
    code = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(code) as forgotten, subprocess.Popen(code) as late:
        patient, strict = isolation._Watchdog(forgotten), isolation._Watchdog(late)
        patient.expect(0.1)
        patient.forget()
        strict.expect(60)
        strict.expect(0.1)  # sooner than what it waits for
        assert late.wait(20) != 0
        time.sleep(0.3)
        assert forgotten.poll() is None
        patient.expect(0.1)
        assert forgotten.wait(20) != 0


def test_threads_take_turns() -> None:
    kind = IsolatedFormat(JAVA)
    texts = [SAMPLE[: 100 + 40 * number] for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: columns(kind, text), texts)) == [columns(JAVA, text) for text in texts]


def test_a_grammar_without_a_name_cannot_be_isolated() -> None:
    with pytest.raises(OptionError, match="name"):
        CodeChunker(Language(tree_sitter_java.language()), isolate=True)
    chunker = CodeChunker("java", 200, isolate=True)
    assert chunker.language == "java"
    assert repr(chunker) == "CodeChunker('java', max_tokens=200, isolate=True)"
    assert repr(CodeChunker("java", 200)) == "CodeChunker('java', max_tokens=200)"
    assert [chunk.body for chunk in chunker.chunk(SAMPLE)] == [
        chunk.body for chunk in CodeChunker("java", 200).chunk(SAMPLE)
    ]


def test_no_module_of_the_current_folder_is_imported(tmp_path: Path) -> None:
    for name in ("json", "pickle", "struct", "chunker"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    program = (
        "from chunker import CodeChunker; print(len(CodeChunker('python', 50, isolate=True).chunk('def f(): pass\\n')))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert not (tmp_path / "was-run").exists()
