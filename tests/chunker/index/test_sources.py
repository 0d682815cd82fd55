"""Which files come into an index, and which do not."""

from __future__ import annotations

import gzip
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from chunker.index import Index

Write = Callable[..., Path]


def sources(index: Index) -> list[str]:
    return sorted({hit.source for hit in index.search("word", 1000, by="words")})


def test_secrets_are_left_out_and_reported(tmp_path: Path, write: Write, index: Index) -> None:
    for name in (
        ".env",
        "src/.env.local",
        "server.pem",
        "id_rsa",
        "src/credentials.json",
        ".env.example",
        "a.txt",
        "src/b.txt",
    ):
        write(name, f"word in {name}\n")
    write("innocent.txt", "# note\n-----BEGIN OPENSSH PRIVATE KEY-----\nword\n")
    write("docs.md", "A key begins so, this word:\n\n    -----BEGIN RSA PRIVATE KEY-----\n")
    report = index.sync(tmp_path)
    told = [".env", "id_rsa", "innocent.txt", "server.pem", "src/.env.local", "src/credentials.json"]
    assert sorted(problem.path for problem in report.left_out) == told
    assert report.problems == []
    assert sources(index) == ["a.txt", "docs.md", "src/b.txt"]
    assert [problem.path for problem in index.sync(tmp_path / ".env").left_out] == [".env"]  # also when it is named
    index.sync(tmp_path, secrets=True, hidden=True)
    assert {".env", "innocent.txt", "server.pem"} < set(sources(index))
    index.sync(tmp_path)
    assert sources(index) == ["a.txt", "docs.md", "src/b.txt"]


def test_names_have_no_dots_and_no_links(tmp_path: Path, write: Write) -> None:
    write("project/src/a.txt", "word\n")
    write("outside/b.txt", "word and more\n")
    index = Index.open(tmp_path / "project/.chunker")
    index.sync([tmp_path / "project/src/../src/a.txt", tmp_path / "project/src/../../outside"])
    assert sources(index) == sorted(["src/a.txt", str(tmp_path.resolve() / "outside/b.txt")])
    index.sync(tmp_path / "project")  # what is out of the root is none of its business
    assert len(sources(index)) == 2


def test_links_lead_nowhere(tmp_path: Path, write: Write, index: Index) -> None:
    write("src/a.txt", "word\n")
    (tmp_path / "src/loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "src/self").symlink_to("self")
    (tmp_path / "src/passwd").symlink_to("/etc/passwd")
    report = index.sync(tmp_path)
    assert (report.files, report.problems) == (1, [])
    (tmp_path / "named").symlink_to(tmp_path / "src", target_is_directory=True)
    assert index.sync(tmp_path / "named").unchanged == 1
    assert sources(index) == ["src/a.txt"]


def test_large_files_and_the_index_itself(tmp_path: Path, write: Write, index: Index) -> None:
    write("large.txt", "word " * 1000)
    write("a.txt", "word\n")
    report = index.sync(tmp_path, max_file_bytes=1000, hidden=True)
    assert [(problem.path, problem.failed) for problem in report.left_out] == [("large.txt", False)]
    assert sources(index) == ["a.txt"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everybody, or this user, may read everything")
def test_unreadable_file(tmp_path: Path, write: Write, index: Index) -> None:
    write("a.txt", "word\n").chmod(0)
    assert [problem.path for problem in index.sync(tmp_path).problems] == ["a.txt"]


def test_archives_are_not_opened(tmp_path: Path, write: Write, index: Index) -> None:
    text = "word in an archive\n" * 1000
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("../outside.txt", text)
        packed.writestr("/etc/word.txt", text)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tarred:
        tarred.add(write("plain.txt", text), "../outside.txt")
    bomb = gzip.compress(b"\0" * 20_000_000, 1)  # a small file, for who does not unpack it
    (tmp_path / "c.gz").write_bytes(bomb)
    (tmp_path / "d.docx").write_bytes((tmp_path / "a.zip").read_bytes())
    # A document is read, and nothing of an archive that only has its name.
    assert [problem.path for problem in index.sync(tmp_path).problems] == ["d.docx"]
    assert sources(index) == ["plain.txt"]
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_file_as_large_as_the_disk_is_not_read(tmp_path: Path, write: Write, index: Index) -> None:
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.write(b"word\n" * 10_000)
        huge.truncate(1 << 40)  # a terabyte, of which nothing but the beginning is on the disk
    write("a.txt", "word\n")
    report = index.sync(tmp_path)
    assert [problem.path for problem in report.left_out] == ["huge.txt"]
    assert sources(index) == ["a.txt"]


def test_an_empty_file_has_no_chunks(tmp_path: Path, write: Write, index: Index) -> None:
    write("py.typed", "")
    write("a.txt", "word\n")
    report = index.sync(tmp_path)
    assert (report.files, report.computed, report.problems) == (2, 1, [])


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
def test_what_is_no_regular_file_does_not_keep_it_waiting(tmp_path: Path, write: Write, index: Index) -> None:
    write("a.txt", "word\n")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    report = index.sync(tmp_path)
    assert (report.files, report.problems) == (1, [])
