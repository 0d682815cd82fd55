"""The command as a user runs it: a process, its output, its complaints and its exit code."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import command
import pytest
from interrupts import listen_to_interrupts
from oracles import tiktoken_encoding
from small_tokenizers import small

import chunker

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and pseudo-terminals are of POSIX")

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent
COMMAND = [sys.executable, "-m", "chunker"]

PYTHON = '''"""A module."""

import os


class Shape:
    """A shape."""

    def area(self):
        """Its area, größer als 0."""
        return os.getpid() * 2


# Says hello.
@staticmethod
def hello(name):
    return f"hello {name}" * 3
'''
MARKDOWN = "# Title\n\nSome words. 漢字 and more.\n\n## Part\n\n- one\n- two\n\n```python\nprint(1)\n```\n"
PROSE = "Erste Zeile.\r\nZweite Zeile mit Emoji 👩‍👩‍👧 darin.\r\n\r\nDritter Absatz, it's here.\r\n" * 20


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, and the package under test found from any folder, also where it is not installed."""
    values = {**os.environ, **(variables or {})}
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        values["PYTHONPATH"] = str(_PACKAGE_FOLDER)
    return values


def run(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", code: int = 0, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command in `cwd` and checks its exit code, and that nobody is shown a traceback."""
    done = command.run([*map(str, arguments)], cwd=cwd, env=environment(variables), given=stdin)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode == code, done.stderr.decode()
    return done


def records(output: bytes) -> list[dict[str, Any]]:
    """The JSON lines of the output, which has nothing else."""
    assert not output or output.endswith(b"\n")
    return [json.loads(line) for line in output.decode("utf-8").split("\n")[:-1]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small project with a bit of everything."""
    files: dict[str, bytes] = {
        ".gitignore": b"*.log\n/build/\n",
        ".secret": b"hidden\n",
        "build/out.txt": b"ignored\n",
        "docs/guide.md": MARKDOWN.encode(),
        "empty.txt": b"",
        "logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "notes.txt": PROSE.encode(),
        "run.log": b"ignored\n",
        "src/shape.py": PYTHON.encode(),
        "src/wide.txt": "\ufeffBreit\n".encode("utf-16-le"),
        "tool": b"#!/usr/bin/env python3\nprint('x')\n",
    }
    project = tmp_path / "project"
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return project


def count_tokens(text: str) -> int:
    """Counts as the publisher's package does, on the embedded vocabulary."""
    return len(tiktoken_encoding("o200k_base").encode_ordinary(text))


TEXT_FILES = ["docs/guide.md", "empty.txt", "notes.txt", "src/shape.py", "src/wide.txt", "tool"]


class TestChunk:
    def test_secrets_are_left_out_and_told_of(self, tree: Path) -> None:
        (tree / "server.key").write_text("hunter2\n", encoding="utf-8")
        done = run("chunk", ".", "--format", "jsonl", cwd=tree)
        assert b"hunter2" not in done.stdout
        assert b"Left out files that hold secrets (--secrets includes them): server.key\n" in done.stderr
        assert b"server.key: left out" in run("chunk", "server.key", cwd=tree, code=1).stderr
        assert b"hunter2" in run("chunk", ".", "--format", "jsonl", "--secrets", cwd=tree).stdout

    @pytest.mark.parametrize("options", [(), ("--context",), ("--overlap", "8"), ("--min-tokens", "0")], ids=" ".join)
    def test_lines_hold_every_file_whole(self, tree: Path, options: tuple[str, ...]) -> None:
        done = run("chunk", ".", "--format", "jsonl", "--max-tokens", "40", *options, cwd=tree)
        chunks = records(done.stdout)
        assert list(dict.fromkeys(chunk["source"] for chunk in chunks)) == [f for f in TEXT_FILES if f != "empty.txt"]
        for path in TEXT_FILES:
            content = (tree / path).read_bytes()
            parts = [chunk for chunk in chunks if chunk["source"] == path]
            encoding = "utf-16-le" if path == "src/wide.txt" else "utf-8"
            text = content.decode(encoding)
            end = 0
            for part in parts:
                part.setdefault("body", part["text"])  # records have it only where it is not the text
                assert part["metadata"].get("encoding", "utf-8") == encoding
                assert part["source"] == path
                assert part["token_count"] == count_tokens(part["text"]) <= 40
                assert part["text"] == part["context"] + part["body"]
                assert bool(part["context"]) == ("--context" in options)
                span = part["span"]
                assert text[span["start"] : span["end"]] == part["body"]
                if encoding == "utf-8":
                    assert content[span["start_byte"] : span["end_byte"]] == part["body"].encode()
                assert span["start"] == end if "--overlap" not in options else span["start"] <= end
                end = span["end"]
            assert end == len(text)

    def test_each_file_is_cut_by_its_own_kind(self, tree: Path) -> None:
        chunks = records(run("chunk", ".", "--format", "jsonl", cwd=tree).stdout)
        languages = {chunk["source"]: chunk["language"] for chunk in chunks}
        assert languages["src/shape.py"] == "python"
        assert languages["docs/guide.md"] == "markdown"
        assert languages["notes.txt"] is None

    def test_table_adds_up_to_the_lines(self, tree: Path) -> None:
        chunks = records(run("chunk", ".", "--format", "jsonl", "--max-tokens", "50", cwd=tree).stdout)
        table = run("chunk", ".", "--max-tokens", "50", cwd=tree).stdout.decode()
        rows = {cells[0]: cells[1:] for cells in (line.split() for line in table.splitlines()) if cells}
        assert [name for name in rows if name in TEXT_FILES] == TEXT_FILES
        assert rows["empty.txt"] == ["0", "0", "-", "-", "-"]
        for name in ("notes.txt", "total"):
            sizes = [chunk["token_count"] for chunk in chunks if name in (chunk["source"], "total")]
            fill = f"{sum(sizes) / len(sizes) / 50:.0%}"
            expected = [f"{len(sizes):,}", f"{sum(sizes):,}", fill, str(min(sizes)), str(max(sizes))]
            assert rows[name] == expected
        assert "\x1b" not in table

    def test_two_runs_give_the_same_bytes(self, tree: Path) -> None:
        first = run("chunk", ".", "--format", "jsonl", cwd=tree, variables={"PYTHONHASHSEED": "1"}).stdout
        assert first == run("chunk", ".", "--format", "jsonl", cwd=tree, variables={"PYTHONHASHSEED": "2"}).stdout

    def test_standard_input(self, tree: Path) -> None:
        done = run("chunk", "-", "-f", "jsonl", "-m", "30", "docs", cwd=tree, stdin=PROSE.encode())
        chunks = records(done.stdout)
        piped = [chunk for chunk in chunks if chunk["source"] == "-"]
        assert "".join(chunk["text"] for chunk in piped) == PROSE
        assert all(chunk["token_count"] == count_tokens(chunk["text"]) <= 30 for chunk in piped)
        assert {chunk["source"] for chunk in chunks} == {"-", "docs/guide.md"}

    def test_a_tokenizer_by_encoding_by_model_and_from_a_file(self, tree: Path) -> None:
        def total(name: str | Path) -> int:
            chunks = records(run("chunk", "src", "-f", "jsonl", "--tokenizer", name, cwd=tree).stdout)
            return sum(chunk["token_count"] for chunk in chunks)

        assert total("gpt-4") == total("cl100k_base") != total("o200k_base")
        # One token a byte: a vocabulary small enough to write down.
        ranks = b"".join(b"%s %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256))
        (tree.parent / "bytes.tiktoken").write_bytes(ranks)
        size = len(PYTHON.encode()) + len("\ufeffBreit\n".encode())
        assert total(tree.parent / "bytes.tiktoken") == size


class TestCount:
    def test_counts_are_those_of_the_publisher(self, tree: Path) -> None:
        rows = records(run("count", ".", "--format", "jsonl", cwd=tree).stdout)
        assert [row["path"] for row in rows] == TEXT_FILES
        for row in rows:
            content = (tree / row["path"]).read_bytes()
            text = content.decode("utf-16-le" if row["path"] == "src/wide.txt" else "utf-8")
            assert row["tokens"] == count_tokens(text)
            assert row["bytes"] == len(content)
            assert row["lines"] == len(text.splitlines())

    def test_the_standard_library_of_python(self, tree: Path) -> None:
        folder = Path(os.__file__).parent
        paths = [*sorted((folder / "json").glob("*.py")), folder / "textwrap.py", folder / "typing.py"]
        rows = records(run("count", *paths, "--format", "jsonl", cwd=tree).stdout)
        assert [row["tokens"] for row in rows] == [count_tokens(path.read_bytes().decode()) for path in paths]

    def test_groups_add_up(self, tree: Path) -> None:
        files = records(run("count", ".", "-f", "jsonl", cwd=tree).stdout)
        languages = records(run("count", ".", "-f", "jsonl", "--by", "language", cwd=tree).stdout)
        (total,) = records(run("count", ".", "-f", "jsonl", "--by", "total", cwd=tree).stdout)
        assert {row["language"]: row["files"] for row in languages} == {"Text": 3, "Python": 2, "Markdown": 1}
        assert [row["tokens"] for row in languages] == sorted((row["tokens"] for row in languages), reverse=True)
        for key in ("lines", "bytes", "tokens"):
            assert sum(row[key] for row in files) == sum(row[key] for row in languages) == total[key]
        assert total["files"] == len(TEXT_FILES)

    @pytest.mark.parametrize("by", ["file", "language", "total"])
    def test_tables_end_in_the_total(self, tree: Path, by: str) -> None:
        (total,) = records(run("count", ".", "-f", "jsonl", "--by", "total", cwd=tree).stdout)
        table = run("count", ".", "--by", by, cwd=tree).stdout.decode()
        last = table.splitlines()[-1].split()
        assert last[-3:] == [f"{total[key]:,}" for key in ("lines", "bytes", "tokens")]

    def test_hidden_files_on_request(self, tree: Path) -> None:
        rows = records(run("count", ".", "--hidden", "-f", "jsonl", cwd=tree).stdout)
        assert [row["path"] for row in rows] == [".gitignore", ".secret", *TEXT_FILES]


class TestBadFiles:
    def test_a_bad_file_is_reported_and_loses_none_of_the_good(self, tree: Path) -> None:
        good = run("count", ".", "-f", "jsonl", cwd=tree)
        assert b"Skipped 1 file without text, such as logo.png: binary: a NUL byte at byte 8" in good.stderr
        (tree / "bad.txt").write_bytes(b"one\ntwo \xff\n")
        (tree / "src" / "latin.py").write_bytes("x = 'Grün'\n".encode("latin-1"))
        for each in ("count", "chunk"):
            done = run(each, ".", "-f", "jsonl", cwd=tree, code=1)
            complaints = done.stderr.decode()
            assert "Failed: 2 of 9 files\n" in complaints
            assert "  bad.txt: byte 8 (line 2): not UTF-8: invalid start byte (0xFF)\n" in complaints
            assert "  src/latin.py: byte 7 (line 1): not UTF-8" in complaints
            if each == "count":
                assert done.stdout == good.stdout

    def test_results_of_the_good_files_reach_the_output_file(self, tree: Path) -> None:
        (tree / "bad.txt").write_bytes(b"\xff")
        run("count", ".", "-o", "out.jsonl", cwd=tree, code=1)
        assert [row["path"] for row in records((tree / "out.jsonl").read_bytes())] == TEXT_FILES

    def test_a_named_binary_file_fails(self, tree: Path) -> None:
        done = run("count", "logo.png", "notes.txt", "-f", "jsonl", cwd=tree, code=1)
        assert [row["path"] for row in records(done.stdout)] == ["notes.txt"]
        assert b"  logo.png: binary: a NUL byte at byte 8" in done.stderr

    def test_bad_standard_input(self, tree: Path) -> None:
        done = run("count", "-", "notes.txt", "-f", "jsonl", cwd=tree, stdin=b"ab\xc3", code=1)
        assert [row["path"] for row in records(done.stdout)] == ["notes.txt"]
        assert b"  -: byte 2 (line 1): not UTF-8" in done.stderr

    def test_a_character_over_the_budget_is_named_with_its_byte(self, tree: Path) -> None:
        (tree / "emoji.txt").write_text("é\n𓀀", encoding="utf-8", newline="")
        done = run("chunk", "emoji.txt", "tool", "-m", "2", "-f", "jsonl", cwd=tree, code=1)
        assert {chunk["source"] for chunk in records(done.stdout)} == {"tool"}
        assert "  emoji.txt: byte 3 (line 2): the character '𓀀' (U+13000)" in done.stderr.decode()

    def test_a_folder_without_files_is_no_failure(self, tree: Path) -> None:
        (tree / "nothing").mkdir()
        done = run("count", "nothing", "--by", "total", cwd=tree)
        assert done.stdout.decode().splitlines()[-1].split() == ["0", "0", "0", "0"]
        assert b"No files found" in done.stderr

    @posix_only
    def test_strange_file_names(self, tree: Path) -> None:
        folder = tree / "names"
        folder.mkdir()
        names = [b"a\nb.txt", b"c\x1b[31m.txt", b"[bold]d.txt", "漢.txt".encode(), b"e\xff.txt"]
        for name in names:
            try:
                (folder / os.fsdecode(name)).write_bytes(b"text\n")
            except OSError:  # a file system that takes no such name
                names.remove(name)
        paths = [row["path"] for row in records(run("count", "names", "-f", "jsonl", cwd=tree).stdout)]
        assert "names/a\nb.txt" in paths
        assert "names/[bold]d.txt" in paths
        assert len(paths) == len(names)
        table = run("count", "names", cwd=tree).stdout.decode()
        assert len(table.splitlines()) == len(names) + 4
        assert "\x1b" not in table
        assert "names/[bold]d.txt" in table
        chunks = records(run("chunk", "names", "-f", "jsonl", "--context", cwd=tree).stdout)
        assert [chunk["source"] for chunk in chunks] == paths


WRONG = {
    "no path": ["count"],
    "a missing path": ["count", "notes.txt", "nowhere.txt"],
    "a path below a file": ["count", "notes.txt/x"],
    "an unknown tokenizer": ["chunk", ".", "--tokenizer", "gpt-0"],
    "a file that is no tokenizer": ["chunk", ".", "--tokenizer", "notes.txt"],
    "a budget of nothing": ["chunk", ".", "--max-tokens", "0"],
    "an overlap as large as the budget": ["chunk", ".", "--max-tokens", "8", "--overlap", "8"],
    "a least size over the budget": ["chunk", ".", "--max-tokens", "8", "--min-tokens", "9"],
    "no number": ["chunk", ".", "--max-tokens", "many"],
    "an unknown format": ["count", ".", "--format", "xml"],
    "an unknown grouping": ["count", ".", "--by", "colour"],
    "an unknown option": ["count", ".", "--frobnicate"],
    "an unknown command": ["fold", "."],
    "output into a folder that is not there": ["count", ".", "--output", "none/out.jsonl"],
    "output onto a folder": ["count", ".", "--output", "src"],
    "output to an empty path": ["count", ".", "--output", ""],
    "an empty path": ["count", ""],
    "an empty path to encode": ["encode", ""],
    "more tokens than there can be": ["chunk", ".", "--max-tokens", "9999999999999"],
}


class TestUsage:
    @pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
    def test_wrong_usage_stops_before_anything_is_done(self, tree: Path, arguments: list[str]) -> None:
        before = sorted(tree.rglob("*"))
        done = run(*arguments, cwd=tree, code=2)
        assert done.stdout == b""
        assert b"Error: " in done.stderr
        assert b"internal" not in done.stderr
        assert sorted(tree.rglob("*")) == before

    def test_the_message_names_the_option_and_what_is_known(self, tree: Path) -> None:
        message = run("chunk", ".", "--tokenizer", "gpt-0", cwd=tree, code=2).stderr.decode()
        assert "--tokenizer" in message
        assert "o200k_base" in message

    def test_help_has_examples_and_exit_codes(self, tree: Path) -> None:
        for arguments in ([], ["chunk"], ["count"]):
            page = run(*arguments, "--help", cwd=tree).stdout.decode("ascii")
            assert "  Examples:\n    chunker c" in page
            assert "\b" not in page
            if arguments:
                assert "Exit codes:" in page
                assert all(f"\n    {code:<5}" in page for code in (0, 1, 2, 130, 141))

    def test_version(self, tree: Path) -> None:
        assert run("--version", cwd=tree).stdout.startswith(b"chunker")

    @pytest.mark.skipif(
        not Path(sysconfig.get_path("scripts"), "chunker").exists(), reason="the script is not installed"
    )
    def test_the_installed_script_is_the_same_command(self, tree: Path) -> None:
        script = str(Path(sysconfig.get_path("scripts"), "chunker"))
        done = subprocess.run([script, "count", ".", "--by", "total"], cwd=tree, capture_output=True, check=True)
        assert done.stdout == run("count", ".", "--by", "total", cwd=tree).stdout


class TestOutput:
    def test_a_file_holds_what_standard_output_would(self, tree: Path) -> None:
        table = run("chunk", ".", cwd=tree).stdout
        lines = run("chunk", ".", "--format", "jsonl", cwd=tree).stdout
        for name, expected in (("a.txt", table), ("b.jsonl", lines), ("c.NDJSON", lines)):
            target = tree.parent / name
            assert run("chunk", ".", "--output", target, cwd=tree).stdout == b""
            assert target.read_bytes() == expected
        assert run("chunk", ".", "--output", "-", cwd=tree).stdout == table
        forced = tree.parent / "d.jsonl"
        run("chunk", ".", "--output", forced, "--format", "table", cwd=tree)
        assert forced.read_bytes() == table

    def test_the_output_is_no_input_of_the_next_run(self, tree: Path) -> None:
        run("count", ".", "--output", "out.jsonl", cwd=tree)
        first = (tree / "out.jsonl").read_bytes()
        run("count", ".", "--output", "out.jsonl", cwd=tree)
        assert (tree / "out.jsonl").read_bytes() == first

    @posix_only
    def test_permissions_and_links_of_the_target_stay(self, tree: Path) -> None:
        target, link = tree.parent / "target.jsonl", tree.parent / "link.jsonl"
        target.write_text("old")
        target.chmod(0o640)
        link.symlink_to(target)
        run("count", ".", "--output", link, cwd=tree)
        assert link.is_symlink()
        assert target.stat().st_mode & 0o777 == 0o640
        assert len(records(target.read_bytes())) == len(TEXT_FILES)
        new = tree.parent / "new.jsonl"
        run("count", ".", "--output", new, cwd=tree)
        (tree.parent / "like any other").touch()
        assert new.stat().st_mode == (tree.parent / "like any other").stat().st_mode

    def test_an_unknown_implementation_is_told(self, tree: Path) -> None:
        arguments = [*COMMAND, "chunk", "notes.txt"]
        variables = environment({"BPE_ENGINE_IMPLEMENTATION": "rust"})
        done = subprocess.run(arguments, cwd=tree, env=variables, capture_output=True, check=False)
        assert done.returncode == 2
        assert done.stderr == b"Error: BPE_ENGINE_IMPLEMENTATION=rust: the implementations are 'cpp' and 'python'\n"

    @posix_only
    def test_a_pipe_without_a_name_is_written_to(self, tree: Path) -> None:
        done = run("count", "notes.txt", "--output", "/dev/stdout", "--format", "jsonl", cwd=tree)
        assert [line["path"] for line in records(done.stdout)] == ["notes.txt"]

    @pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder that nobody can write to")
    def test_errors_name_the_file_and_not_the_temporary_one(self, tree: Path) -> None:
        for arguments in (["count", "notes.txt"], ["train", "notes.txt", "-n", "260"]):
            done = run(*arguments, "--output", "/proc/x.json", cwd=tree, code=1)
            assert done.stderr.endswith(b"No such file or directory: '/proc/x.json'\n")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
    def test_a_full_disk_is_told(self, tree: Path) -> None:
        done = run("count", ".", "--output", "/dev/full", cwd=tree, code=1)
        assert b"Error: the results cannot be written: [Errno 28] No space left on device" in done.stderr

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
    @pytest.mark.parametrize("arguments", ["--version", "--help", "chunk --help", "count .", "encode a.md"])
    def test_a_full_disk_behind_standard_output_is_told(self, tree: Path, arguments: str) -> None:
        (tree / "a.md").write_text("a")
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "chunker", *arguments.split()],
                cwd=tree,
                env=environment(),
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 1
        assert done.stderr == b"Error: the results cannot be written: [Errno 28] No space left on device\n"

    @posix_only
    def test_an_interrupted_run_leaves_the_old_file_and_no_other(self, tree: Path) -> None:
        folder = tree.parent / "out"
        folder.mkdir()
        target = folder / "out.jsonl"
        target.write_text("old")
        with long_run(tree, "--output", str(target)) as process:
            # The temporary file is there when the work has begun.
            wait_for(lambda: len(list(folder.iterdir())) == 2, process)
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=30)
        assert process.returncode == 130
        assert complaints == b"Interrupted.\n"
        assert [path.name for path in folder.iterdir()] == ["out.jsonl"]
        assert target.read_text() == "old"

    @posix_only
    def test_a_reader_that_goes_away_ends_the_run_quietly(self, tree: Path) -> None:
        with long_run(tree, "--format", "jsonl") as process:
            assert process.stdout is not None
            assert process.stderr is not None
            json.loads(process.stdout.readline())
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=30) == 141

    @pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1"])
    def test_output_is_utf8_under_any_locale(self, tree: Path, locale: str) -> None:
        (tree / "漢.txt").write_text("漢字\n", encoding="utf-8")
        settings = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
        done = run("chunk", ".", "-f", "jsonl", cwd=tree, variables=settings)
        assert "漢字" in "".join(chunk["text"] for chunk in records(done.stdout))
        assert "漢.txt" in run("count", ".", cwd=tree, variables=settings).stdout.decode("utf-8")

    @posix_only
    def test_closed_standard_streams(self, tree: Path) -> None:
        def close(*numbers: int) -> subprocess.CompletedProcess[bytes]:
            closing = " ".join(f"{number}>&-" if number else "0<&-" for number in numbers)
            line = f'"$@" {closing}'
            arguments = ["sh", "-c", line, "sh", *COMMAND, "count", "-" if 0 in numbers else "notes.txt"]
            return subprocess.run(arguments, cwd=tree, env=environment(), capture_output=True, check=False, timeout=60)

        no_input, no_output = close(0), close(1)
        assert no_input.returncode == 1
        assert b"  -: standard input is closed" in no_input.stderr
        assert no_output.returncode == 1
        assert b"Error: the results cannot be written" in no_output.stderr
        assert b"Traceback" not in no_input.stderr + no_output.stderr


@contextlib.contextmanager
def long_run(tree: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run over enough text that it is still going on when something happens to it; it does not outlive the test."""
    for number in range(400):
        (tree / f"long{number:03}.txt").write_text(f"{number} " + PROSE * 20, encoding="utf-8", newline="")
    command = [*COMMAND, "chunk", ".", *options]
    with subprocess.Popen(
        command,
        cwd=tree,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=listen_to_interrupts if os.name == "posix" else None,  # noqa: PLW1509 - nothing but one system call
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    for _ in range(3000):
        if condition():
            return
        assert process.poll() is None, "the run ended too early"
        time.sleep(0.01)
    pytest.fail("nothing happened")


def test_the_options_of_the_chunkers(tmp_path: Path) -> None:
    (tmp_path / "prose.txt").write_text("Some words of a line.\n\n" * 60, encoding="utf-8")
    options = {"desired_tokens": 40, "overlap": 9, "overlap_by": "token", "strategy": "optimal", "reserve": 4}
    arguments = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    done = run("chunk", "prose.txt", "--max-tokens", "64", *arguments, "--format", "jsonl", cwd=tmp_path)
    found = [json.loads(line)["token_count"] for line in done.stdout.splitlines()]
    wanted = chunker.chunker_for("prose.txt", 64, **options).chunk((tmp_path / "prose.txt").read_text(encoding="utf-8"))  # type: ignore[arg-type]  # values of several types in one dict
    assert found == [chunk.token_count for chunk in wanted]
    assert max(found) <= 60
    assert b"--strategy" in run("chunk", "prose.txt", "--strategy", "none", cwd=tmp_path, code=2).stderr


def test_the_reserve_is_that_of_the_tokenizer(tmp_path: Path) -> None:
    """The tokens of [CLS] and [SEP] are kept free, as in Python, unless the command line has another number."""
    text = "one two three four five six seven eight nine ten\n" * 40
    (tmp_path / "prose.txt").write_text(text, encoding="utf-8", newline="")
    small("bert, uncased").save(str(tmp_path / "tokenizer.json"))
    asked = ("chunk", "prose.txt", "-m", "64", "-t", "./tokenizer.json")
    for more, options, room in (((), {}, 62), (("--reserve", "0"), {"reserve": 0}, 64)):
        made = chunker.TextChunker(64, tokenizer=str(tmp_path / "tokenizer.json"), **options)  # type: ignore[arg-type]  # one int
        wanted = [chunk.token_count for chunk in made.chunk(text)]
        done = run(*asked, *more, "--format", "jsonl", cwd=tmp_path)
        assert [one["token_count"] for one in records(done.stdout)] == wanted
        fill = f"{sum(wanted) / (len(wanted) * room):.0%}"
        assert fill in run(*asked, *more, cwd=tmp_path).stdout.decode().splitlines()[-1]
