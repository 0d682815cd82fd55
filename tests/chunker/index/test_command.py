"""`chunker index`, `chunker search` and `chunker index status`, as a user runs them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import command as forked
import pytest
from interrupts import listen_to_interrupts

import chunker
from chunker.index import Index

Write = Callable[..., Path]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "chunker", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}


def run(cwd: Path, *arguments: str, code: int = 0) -> tuple[str, str]:
    done = forked.run(arguments, cwd=cwd, env=environment())
    out, error = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in error
    assert done.returncode == code, error
    return out, error


def test_index_search_status(tmp_path: Path, write: Write) -> None:
    write("soup.md", "# Soup\n\nCut the onions \x1b[31m and simmer.\n")
    write("stars.txt", "The telescope showed a distant galaxy.\n")
    write(".env", "PASSWORD=1\n")
    dry, _ = run(tmp_path, "index", ".", "--dry-run")
    assert "2 would be computed" in dry
    assert not (tmp_path / ".chunker").exists()
    told, complaints = run(tmp_path, "index", ".", "--embedder", "hashing")
    assert "2 computed, 0 reused, 0 moved, 0 removed; 2 in the index" in told
    assert "not shared meaning" in told
    assert complaints == "Left out on purpose: 1 file\n  .env: left out: by its name it holds secrets\n"
    found, _ = run(tmp_path, "search", "onions", "-n", "1", "--format", "table")
    assert found.startswith("1. soup.md:1-3  section")
    assert "\x1b" not in found
    lines, _ = run(tmp_path, "search", "galaxy", "--format", "jsonl", "--limit", "2")
    records = [json.loads(line) for line in lines.splitlines()]
    assert (records[0]["source"], records[0]["span"]["start_line"]) == ("stars.txt", 1)
    status, _ = run(tmp_path, "index", "status", "--verify")
    assert "vectors   2, 0 of them spare" in status
    write("status/new.txt", "Not indexed yet.\n")
    again, hint = run(tmp_path, "index", "status")
    assert "vectors   2, 0 of them spare" in again
    assert "`chunker index ./status` indexes" in hint
    assert "files     1 added" in run(tmp_path, "index", "./status")[0]
    assert "other settings: max_tokens is 256, not 100" in run(tmp_path, "index", ".", "-m", "100", code=2)[1]
    assert "there is no index" in run(tmp_path, "search", "x", "--index", "nowhere", code=1)[1]
    write("family.txt", "\tThe family \U0001f468\u200d\U0001f469 of \u202emirrors.\n")
    run(tmp_path, "index", ".")
    shown, _ = run(tmp_path, "search", "mirrors", "--format", "lines", "-n", "1")
    assert shown == "family.txt:1: The family \U0001f468\u200d\U0001f469 of \ufffdmirrors.\n"
    write("bad.txt", b"a \xff\n")
    assert "bad.txt: byte 2 (line 1)" in run(tmp_path, "index", ".", code=1)[1]


def test_a_cross_encoder_ranks(tmp_path: Path, write: Write) -> None:
    write("long.md", "# Soup\n\nOnions, onions and onions, cut and simmered.\n")
    write("short.md", "Onions.\n")
    run(tmp_path, "index", ".")
    package = tmp_path / "packages"
    package.mkdir()
    (package / "sentence_transformers.py").write_text(
        "class CrossEncoder:\n"
        "    def __init__(self, name):\n"
        "        assert name == 'tiny'\n"
        "    def predict(self, pairs):\n"
        "        return [len(text) if question == 'onions' else 0 for question, text in pairs]\n"
    )
    path = os.pathsep.join([str(package), environment()["PYTHONPATH"]])

    def first(*options: str) -> str:
        done = subprocess.run(
            command("search", "onions", *options),
            cwd=tmp_path,
            env={**environment(), "PYTHONPATH": path},
            capture_output=True,
            check=True,
            timeout=60,
            encoding="utf-8",
        )
        return done.stdout.partition(".md")[0]

    assert first() == "short"
    assert first("--rerank", "tiny") == "long"
    assert first("--rerank", "tiny", "--budget", "60") == "## long"


def test_paths_that_do_not_exist(tmp_path: Path, write: Write) -> None:
    write("notes.md", "# A\n")
    assert "nope does not exist" in run(tmp_path, "index", "nope", code=2)[1]
    assert "`chunker index status` takes no paths" in run(tmp_path, "index", "status", "nope", code=2)[1]
    assert not (tmp_path / ".chunker").exists()
    run(tmp_path, "index", "notes.md")
    (tmp_path / "notes.md").unlink()
    assert "1 removed" in run(tmp_path, "index", "notes.md")[0]
    assert run(tmp_path, "search", "notes") == ("", "Nothing found: the index has no files.\n")
    assert (
        "--interval': must be a number of at least 0.05, got 'x'"
        in run(tmp_path, "index", ".", "--interval", "x", code=2)[1]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is of POSIX")
def test_watch(tmp_path: Path, write: Write) -> None:
    write("a.txt", "one\n")
    with subprocess.Popen(
        command("index", ".", "--watch", "--interval", "0.1"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=listen_to_interrupts,  # noqa: PLW1509 - nothing but one system call
    ) as watching:
        assert watching.stdout is not None
        assert "1 added" in watching.stdout.readline()
        write("b.txt", "two\n")
        assert any("1 added" in line and "1 unchanged" in line for line in iter(watching.stdout.readline, ""))
        watching.send_signal(signal.SIGINT)
        try:
            assert watching.wait(60) == 130
        finally:
            watching.kill()
        watching.communicate()


def test_symbols_packs_and_an_index_in_a_folder_above(tmp_path: Path, write: Write) -> None:
    write("src/shop/boxes.py", "class Box:\n    def open(self, key):\n        return key\n")
    write("src/use.py", "from shop.boxes import Box\n\nBox().open(1)\n")
    write("docs/en/guide.md", "# Guide\n\nA Box is opened with a key.\n")
    run(tmp_path, "index", ".")
    inside = tmp_path / "src/shop"
    told, _ = run(inside, "symbols", "Box.open")
    assert told == "src/shop/boxes.py:2: function Box.open: def open(self, key):\n"
    told, _ = run(inside, "symbols", "Box", "--references")
    assert told == "src/use.py:1: from shop.boxes import Box\nsrc/use.py:3: Box().open(1)\n"
    records = [
        json.loads(line) for line in run(inside, "symbols", "o", "--prefix", "--format", "jsonl")[0].splitlines()
    ]
    assert [record["definition"]["qualified"] for record in records] == ["Box.open"]
    assert run(inside, "symbols", "nothing") == ("", "Nothing found.\n")
    pack, bill = run(inside, "search", "how is a Box opened", "--budget", "60")
    assert pack.startswith("## src/")
    assert re.fullmatch(r"\d+ of 60 tokens, \d files?, \d hits\n", bill)
    assert "score " in run(inside, "search", "Box", "--explain")[0]
    # In a pipe one line a hit, each with the line that it shows.
    found = run(inside, "search", "Box opened key")[0].splitlines()
    assert len(found) == 3
    for line in found:
        source, number, shown = line.split(":", 2)
        assert (tmp_path / source).read_text().splitlines()[int(number) - 1].strip() == shown.strip()
    assert run(inside, "search", "Box", "--source", "docs/en", "--format", "jsonl")[0].count("\n") == 1
    _, complaint = run(tmp_path.parent, "symbols", "Box", "--index", "none", code=1)
    assert "there is no index" in complaint


def test_search_by_metadata_and_kind(tmp_path: Path) -> None:
    index = Index.open(tmp_path / ".chunker")
    index.add({"one": "# Printer\n\nNo toner.\n"}, language="markdown", metadata={"team": "support", "open": True})
    index.add({"two": "The printer is stolen.\n"}, metadata={"team": "security", "open": False})

    def found(*options: str) -> list[str]:
        lines, _ = run(tmp_path, "search", "printer", "--format", "jsonl", *options)
        return [json.loads(line)["source"] for line in lines.splitlines()]

    assert found("--metadata", "team=security", "--metadata", "team=sales") == ["two"]
    assert found("--metadata", "open=true") == ["one"]
    assert found("--kind", "section") == ["one"]
    assert "must be NAME=VALUE" in run(tmp_path, "search", "printer", "--metadata", "team", code=2)[1]


def test_sources_and_tags_that_no_file_has_are_noted(tmp_path: Path, write: Write) -> None:
    write("src/http/client.py", "def send():\n    return 1\n")
    run(tmp_path, "index", ".", "--tag", "feature-a")
    for command in (["search", "send", "--by", "words"], ["symbols", "send"], ["search", "send", "--budget", "50"]):
        _, told = run(tmp_path, *command, "--source", "src/htpp/client.py", "--source", "src", "--source", "other/*")
        assert told.startswith(
            "Note: --source src/htpp/client.py: no file in the index matches; the nearest: src/http/client.py\n"
            "Note: --source other/*: no file in the index matches\n"
        )
    out, told = run(tmp_path, "search", "send", "--tag", "feature-b")
    assert (out, told) == (
        "",
        "Note: --tag feature-b: no file in the index matches; the nearest: feature-a\nNothing found.\n",
    )
    assert "Note" not in run(tmp_path, "search", "send", "--tag", "feature-a", "--source", "./src/")[1]
