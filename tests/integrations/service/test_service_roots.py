"""What clients of the servers may read: what a walk of the roots finds, less secrets, and nothing else."""

from __future__ import annotations

import os
import re
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')

from chunker.files.patterns import Wanted
from chunker.integrations.service.errors import RefusedError, TooMuchError
from chunker.integrations.service.roots import Roots

POSIX = pytest.mark.skipif(os.name != "posix", reason="links and devices are made as POSIX has them")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    files = {
        "src/a.py": "a = 1\n",
        "src/build/made.py": "made = 1\n",
        "notes.md": "# Notes\n",
        ".gitignore": "build/\n*.log\n",
        "run.log": "log\n",
        ".env": "PASSWORD=1\n",
        ".github/ci.yml": "on: push\n",
        "server.pem": "x\n",
        "src/credentials.json": "{}",
        "innocent.txt": "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n",
        "CVS/Entries": "/a/1/\n",
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (tmp_path / "outside.txt").write_text("outside\n")
    return top


def refusal(roots: Roots, name: str) -> str:
    with pytest.raises((RefusedError, TooMuchError)) as caught:
        roots.read(name)
    return str(caught.value)


@pytest.mark.parametrize(
    ("include", "exclude", "names"),
    [
        (["*.py"], [], ["src/a.py"]),
        ([], ["src/"], ["notes.md"]),
        (["src/"], ["*.py"], []),
        (["project/src/"], [], ["src/a.py"]),
        ([], ["*.rs"], ["notes.md", "src/a.py"]),
    ],
)
def test_patterns_leave_out_what_is_not_wanted(
    tree: Path, monkeypatch: pytest.MonkeyPatch, include: list[str], exclude: list[str], names: list[str]
) -> None:
    monkeypatch.chdir(tree.parent)
    roots = Roots([tree], wanted=Wanted.of(include, exclude))
    assert roots.listed(100).names == names
    for name in ("notes.md", "src/a.py"):
        if name in names:
            assert roots.read(name).text
        else:
            assert re.search("is left out: --(exclude names|include does not name) it", refusal(roots, name))
            assert not roots.gives(tree / name)


def test_what_a_walk_finds_can_be_read(tree: Path) -> None:
    roots = Roots([tree])
    assert roots.listed(100).names == ["notes.md", "src/a.py"]
    assert roots.listed(1).names == ["notes.md"]
    assert list(roots.listed(100).refused) == [".env", "innocent.txt", "server.pem", "src/credentials.json"]
    assert roots.read("src/a.py").text == "a = 1\n"
    assert roots.read("./src//a.py").text == "a = 1\n"
    assert roots.gives(tree / "src/a.py")
    for path in ("src/../../outside.txt", ".env", "innocent.txt", "run.log", "gone.py", "src"):
        assert not roots.gives(tree / path)
    assert Roots([tree / "notes.md", tree / "src"]).gives(tree / "notes.md")


def test_what_is_refused_is_listed_as_such(tree: Path) -> None:
    """By its name, by its size, by its first bytes; and a file of which they say nothing is not suspected."""
    (tree / "large.txt").write_text("x" * 100_001)
    (tree / "logo.png").write_bytes(b"\x89PNG\0\0")
    (tree / "latin.txt").write_bytes(b"caf\xe9\n")
    (tree / "wide.txt").write_bytes("wide\r\n".encode("utf-16"))
    (tree / "key.asc").write_bytes("\ufeff# mine\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n".encode("utf-16-le"))
    (tree / "long.txt").write_text("\u20ac" * 30_000)  # the beginning ends in the middle of a character
    (tree / "empty.txt").touch()
    listed = Roots([tree], max_bytes=100_000).listed(100)
    assert listed.names == ["empty.txt", "long.txt", "notes.md", "src/a.py", "wide.txt"]
    assert listed.refused == {
        ".env": "by its name it holds secrets",
        "innocent.txt": "it holds a private key",
        "key.asc": "it holds a private key",
        "server.pem": "by its name it holds secrets",
        "src/credentials.json": "by its name it holds secrets",
        "large.txt": "100,001 bytes are more than 100,000",
        "latin.txt": "not UTF-8: invalid continuation byte (0xE9)",
        "logo.png": "binary: a NUL byte at byte 4",
    }
    assert list(listed.refused)[:5] == [
        name for name, why in listed.refused.items() if "secrets" in why or "key" in why
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="where a name may be any bytes")
def test_names_that_are_not_utf_8_are_listed_as_refused(tree: Path) -> None:
    (tree / os.fsdecode(b"caf\xe9.py")).write_text("a = 1\n")
    (tree / os.fsdecode(b"b\xfcro")).mkdir()
    (tree / os.fsdecode(b"b\xfcro/a.py")).write_text("a = 1\n")
    (tree / "caf\\xea.py").write_text("a = 1\n")  # these are its very characters
    roots = Roots([tree])
    listed = roots.listed(100)
    assert listed.names == ["caf\\xea.py", "notes.md", "src/a.py"]
    assert {name: why for name, why in listed.refused.items() if "UTF-8" in why} == {
        "caf\\xe9.py": "its name is not UTF-8",
        "b\\xfcro/a.py": "its name is not UTF-8",
    }
    for name in listed.names:
        assert roots.read(name).text
    for name in listed.refused:
        refusal(roots, name)
    # As a root of its own it has a name that leads to it.
    assert Roots([tree / os.fsdecode(b"caf\xe9.py")]).listed(100).names == ["caf\\xe9.py"]
    assert Roots([tree / os.fsdecode(b"caf\xe9.py")]).read("caf\\xe9.py").text == "a = 1\n"


def test_a_listing_that_nobody_waits_for_ends(tree: Path) -> None:
    answers = iter([False, False, True])
    assert Roots([tree]).listed(100, lambda: next(answers)) == (
        [],
        {".env": "by its name it holds secrets", "innocent.txt": "it holds a private key"},
    )
    assert next(answers, None) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../outside.txt", "contains .."),
        ("src/../../outside.txt", "contains .."),
        ("src/../src/a.py", "contains .."),
        ("/etc/passwd", "absolute path"),
        ("C:\\Windows\\win.ini", "absolute path"),
        ("C:win.ini", "absolute path"),
        ("//server/share/x", "absolute path"),
        ("\\\\server\\share\\x", "absolute path"),
        ("", "not a file name"),
        ("a\0b", "not a file name"),
        ("a/" * 5000, "not a file name"),
        ("src", "this is a folder"),
        ("src/a.py/b", "Not a directory|No such file"),
        ("nowhere.py", "No such file"),
        (".env", "holds secrets"),
        ("server.pem", "holds secrets"),
        ("src/credentials.json", "holds secrets"),
        ("innocent.txt", "holds a private key"),
        (".gitignore", "hidden"),
        (".github/ci.yml", "hidden"),
        ("CVS/Entries", "hidden"),
        ("run.log", ".gitignore names it"),
        ("src/build/made.py", ".gitignore names it"),
    ],
)
def test_what_is_refused(tree: Path, name: str, reason: str) -> None:
    import re  # noqa: PLC0415 - for this table alone

    told = refusal(Roots([tree]), name)
    assert re.search(reason, told)
    assert str(tree) not in told


@POSIX
def test_links_out_of_the_roots_in_circles_and_to_secrets(tree: Path) -> None:
    for name, target in {
        "passwd": "/etc/passwd",
        "out": "..",
        "self": "self",
        "one": "two",
        "two": "one",
        "key.txt": ".env",
        "log.txt": "run.log",
        "inside.py": "src/a.py",
        "folder": "src",
    }.items():
        (tree / name).symlink_to(target)
    roots = Roots([tree])
    assert "leads out of the roots" in refusal(roots, "passwd")
    assert "leads out of the roots" in refusal(roots, "out/outside.txt")
    assert "not a regular file" in refusal(roots, "self")
    assert "not a regular file" in refusal(roots, "one")
    assert "holds secrets" in refusal(roots, "key.txt")
    assert ".gitignore names it" in refusal(roots, "log.txt")
    assert roots.read("inside.py").text == roots.read("folder/a.py").text == "a = 1\n"
    assert "inside.py" not in roots.listed(100).names


@POSIX
def test_devices_pipes_and_sockets_do_not_keep_it_waiting(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        before = Path.cwd()
        os.chdir(tree)  # the name of a socket is short
        try:
            listening.bind("socket")
        finally:
            os.chdir(before)
        roots = Roots([tree])
        assert "not a regular file" in refusal(roots, "pipe")
        assert "not a regular file" in refusal(roots, "socket")
    assert "not a regular file" in refusal(Roots([Path("/dev")]), "null")
    assert "not a regular file" in refusal(Roots([Path("/dev/zero")]), "zero")


def test_size_and_content(tree: Path) -> None:
    (tree / "large.txt").write_text("x" * 101)
    (tree / "whole.txt").write_text("x" * 100)
    (tree / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tree / "latin.txt").write_bytes(b"caf\xe9\n")
    (tree / "wide.txt").write_bytes("wide\r\n".encode("utf-16"))
    roots = Roots([tree], max_bytes=100)
    assert "more than 100 bytes" in refusal(roots, "large.txt")
    assert roots.read("whole.txt").text == "x" * 100
    assert "binary" in refusal(roots, "picture.png")
    assert "not UTF-8" in refusal(roots, "latin.txt")
    assert roots.read("wide.txt").text == "\ufeffwide\r\n"
    assert "large.txt" not in roots.listed(100).names


@POSIX
def test_a_file_of_which_nobody_knows_the_size() -> None:
    with pytest.raises(TooMuchError, match="more than 10 bytes"):
        Roots(["/proc/self/status"], max_bytes=10).read("status")


def test_several_roots_are_named(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other/project"
    other.mkdir(parents=True)
    (other / "b.py").write_text("b = 2\n")
    roots = Roots([tree, other, tree / "notes.md", tree / ".env", tree])
    assert roots.listed(100).names == [
        "project/notes.md",
        "project/src/a.py",
        "project~2/b.py",
        "notes.md",
    ]
    assert roots.read("project/src/a.py").text == "a = 1\n"
    assert roots.read("project~2/b.py").text == "b = 2\n"
    assert roots.read("notes.md").text == "# Notes\n"
    assert "not in any of the roots, which are project, project~2, notes.md" in refusal(roots, "src/a.py")
    assert "holds secrets" in refusal(roots, ".env")  # named or not
    assert roots.folders == [tree.resolve(), other.resolve()]
    assert not Roots([])
    with pytest.raises(RefusedError, match="does not exist"):
        Roots([tmp_path / "nowhere"])


_NAMES = st.sampled_from(["a", "b.py", ".h", "build", "x.log", "server.key"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    paths=st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), max_size=8),
    rules=st.lists(st.sampled_from(["build", "*.log", "/a", "a/b.py", "!b.py", "**/a/", "b*"]), max_size=3),
    deeper=st.sampled_from(["", "*\n", "!x.log\n"]),
)
def test_it_reads_exactly_what_it_lists(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], rules: list[str], deeper: str
) -> None:
    top = tmp_path_factory.mktemp("tree")
    written = []
    for path in paths:
        try:
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text("text\n")
        except OSError:  # a folder here, a file there
            continue
        written.append(path)
    (top / ".gitignore").write_text("\n".join(rules))
    if (top / "a").is_dir():
        (top / "a/.gitignore").write_text(deeper)
    roots = Roots([top])
    readable = []
    for path in sorted(set(written)):
        try:
            roots.read(path)
        except RefusedError:
            continue
        readable.append(path)
    assert readable == sorted(roots.listed(100).names)


@POSIX
def test_a_file_that_becomes_a_link_while_it_is_read(tree: Path) -> None:
    """Either the file is read or it is refused; what the link leads to is never given out."""
    (tree.parent / "secret.txt").write_text("the secret\n")
    folder, aside, link = tree / "src", tree / "aside", tree / "link"
    link.symlink_to(tree.parent)
    (folder / "secret.txt").write_text("harmless\n")
    stop = threading.Event()

    def swapping() -> None:
        while not stop.is_set():
            folder.rename(aside)
            link.rename(folder)
            folder.rename(link)
            aside.rename(folder)

    thread = threading.Thread(target=swapping)
    thread.start()
    roots = Roots([tree])
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(roots.read("src/secret.txt").text)
            except RefusedError as error:
                seen.add(type(error).__name__)
    finally:
        stop.set()
        thread.join()
    assert seen <= {"harmless\n", "NoSuchFileError", "RefusedError"}
    assert "harmless\n" in seen


def test_reading_does_not_leave_files_open(tree: Path) -> None:
    handles: Callable[[], int] = lambda: len(os.listdir("/proc/self/fd"))  # noqa: E731, PTH208 - as short as can be
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not tell which files are open")
    roots = Roots([tree])
    before = handles()
    for name in ["src/a.py", "src", "nowhere", "src/nowhere/x", "server.pem"] * 20:
        try:
            roots.read(name)
        except RefusedError:
            continue
    assert handles() == before
