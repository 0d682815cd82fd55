"""The walk, held against `git ls-files` on trees made here, and its own rules one by one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker.files.chunk_files import chunk_files
from chunker.files.discovery import FoundFile, Problem, find_files, printable
from chunker.files.documents import read_document
from chunker.files.gitignore import translate

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
needs_permissions = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="every file is readable for this user"
)

NAMES = ["a", "b", "ab", "a.c", "b.c", "foo", "build", ".h", "a b", "[x]", "é", "A-1", "!x", "#y"]
SEGMENTS = [
    *("a", "b", "ab", "a*", "*b", "*", "*.c", "**", "foo", "build", "?", "??", "[ab]", "[!a]", "[^a]", "a.c", ".h"),
    *("[a-c]*", "a**", "**b", "a***", "\\[x\\]", "a b", "é", "b?c", "*.*", "[", "[a", "a\\b", "[]]", "[!]]", "[b-a]"),
    *("[[:alpha:]]", "[[:upper:][:digit:]-]*", "[[:none:]]", "[[:alpha]", "[[:]", "[a-]", "[\\]a]", "[a\\-c]", "a\\"),
    *("\\!x", "\\#y", "x ", "a\\ b", "b\\ "),
]


def run_git(folder: Path, *arguments: str) -> str:
    # Neither the user's nor the machine's settings: their excludesFile would decide too.
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "XDG_CONFIG_HOME": str(folder / ".git" / "none"),
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=environment,
        capture_output=True,
        check=True,
    )
    return os.fsdecode(done.stdout)


def git_files(folder: Path) -> list[str]:
    listed = run_git(folder, "ls-files", "-z", "--others", "--cached", "--exclude-standard")
    return sorted((path for path in listed.split("\0") if path), key=os.fsencode)


def found(folder: Path, *, hidden: bool = True) -> list[str]:
    """The paths of a walk, relative to its start; the test fails if anything went wrong in it."""
    paths = []
    for item in find_files([str(folder)], hidden=hidden):
        assert isinstance(item, FoundFile), item
        paths.append(os.path.relpath(item.path, folder).replace(os.sep, "/"))
    return paths


def make(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run_git(tmp_path, "init", "--quiet")
    return tmp_path


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Lines of a .gitignore, most of them sound, some at the edge of what git accepts."""
    path = "/".join(draw(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3)))
    before = draw(st.sampled_from(["", "", "", "", "/", "!", "!", "!/", "**/", "#"]))
    after = draw(st.sampled_from(["", "", "", "/", "/", "/**", "/*", "  ", "\r"]))
    return before + path + after


rule_files = st.lists(patterns(), min_size=1, max_size=5).map("\n".join)
trees = st.dictionaries(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(tuple),
    st.none() | rule_files,  # None: a file; else a folder with rules
    min_size=2,
    max_size=25,
)


def build_tree(folder: Path, tree: dict[tuple[str, ...], str | None], rules: str) -> None:
    (folder / ".gitignore").write_text(rules, encoding="utf-8", newline="")
    for parts, inner in sorted(tree.items(), key=lambda item: len(item[0])):
        path = folder.joinpath(*parts)
        if any(parent.is_file() for parent in path.parents) or path.is_file():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if inner is None and not path.exists():
            path.touch()
        elif inner is not None:
            path.mkdir(exist_ok=True)
            (path / ".gitignore").write_text(inner, encoding="utf-8", newline="")
            (path / "foo").touch()


@needs_git
@settings(max_examples=150)
@given(tree=trees, rules=rule_files)
def test_walk_equals_git_on_random_trees(tree: dict[tuple[str, ...], str | None], rules: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        build_tree(folder, tree, rules)
        run_git(folder, "init", "--quiet")
        assert found(folder) == git_files(folder)


CASES = {
    "a name anywhere": ("*.log", "a.log b/c.log b/d.txt"),
    "anchored": ("/build", "build/x src/build/y"),
    "a slash in the middle anchors": ("src/build", "src/build/x lib/src/build/y"),
    "folders only": ("build/", "build/x src/build"),
    "two stars before, between and after": ("**/a\nb/**/c\nd/**", "x/a b/c b/x/y/c d/e/f d.c"),
    "a negation takes back": ("*.log\n!keep.log", "keep.log a.log b/keep.log"),
    "the last match decides": ("!keep.log\n*.log", "keep.log"),
    "nothing below an ignored folder comes back": ("build\n!build/keep", "build/keep build/x"),
    "a folder's content comes back where the folder does": ("build/*\n!build/keep", "build/keep build/x"),
    "all but one kind of file": ("*\n!*/\n!*.py", "a.py b/c.py b/c.txt"),
    "stars do not cross folders": ("a*b", "a/b axb"),
    "a comment and an escape": ("#a\n\\#b\n\\!c", "#a #b !c"),
    "spaces at the end": ("a   \nb\\ ", "a b"),
    "line ends of Windows": ("*.log\r\n/x\r\n", "a.log x y"),
    "a byte order mark": ("\ufeff*.log\n", "a.log b.txt"),
    "sets and ranges": ("[0-9]*\n[!a-z]z", "1x ax Az bz"),
    "one byte is not one letter": ("?", "a é"),
}


@needs_git
@pytest.mark.parametrize(("rules", "files"), CASES.values(), ids=CASES)
def test_walk_equals_git_case_by_case(repository: Path, rules: str, files: str) -> None:
    make(repository, dict.fromkeys(files.split(), ""))
    everything = found(repository)
    (repository / ".gitignore").write_text(rules, encoding="utf-8", newline="")
    left = git_files(repository)
    assert found(repository) == left
    assert set(left) - {".gitignore"} < set(everything), "the case ignores nothing"


@needs_git
def test_deeper_rules_win_and_hold_only_below(repository: Path) -> None:
    make(
        repository,
        {
            ".gitignore": "*.log\n/sub/x\n",
            "a.log": "",
            "sub/.gitignore": "!keep.log\n/y\n",
            "sub/keep.log": "",
            "sub/x": "",
            "sub/y": "",
            "sub/deep/keep.log": "",
            "sub/deep/y": "",
            "y": "",
            "keep.log": "",
        },
    )
    expected = [".gitignore", "sub/.gitignore", "sub/deep/keep.log", "sub/deep/y", "sub/keep.log", "y"]
    assert found(repository) == git_files(repository) == expected


@needs_git
def test_exclude_file_of_the_repository_and_of_a_linked_tree(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("*.tmp\n!no.tmp\n")
    make(repository, {"a.tmp": "", "no.tmp": "", "b.txt": "", "sub/c.tmp": "", "sub/.gitignore": "!c.tmp\nno.tmp\n"})
    assert found(repository) == git_files(repository) == ["b.txt", "no.tmp", "sub/.gitignore", "sub/c.tmp"]

    linked = tmp_path_factory.mktemp("linked") / "tree"
    run_git(repository, "add", "b.txt")
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    run_git(repository, *identity, "commit", "--quiet", "--no-gpg-sign", "-m", "one file")
    run_git(repository, "worktree", "add", "--quiet", str(linked))
    make(linked, {"x.tmp": "", "y.txt": ""})
    assert found(linked) == git_files(linked) == ["b.txt", "y.txt"]


@needs_git
def test_a_walk_from_a_subfolder_obeys_the_enclosing_rules(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(
        repository,
        {".gitignore": "*.log\n/src/gen/\n", "src/a.log": "", "src/b.py": "", "src/gen/c.py": "", "src/in/a.log": ""},
    )
    assert found(repository / "src") == git_files(repository / "src") == ["b.py"]
    monkeypatch.chdir(repository / "src" / "in")
    assert [item.path for item in find_files([".."])] == ["../b.py"]
    # A folder that is named is walked, also where a rule above would leave it out.
    assert found(repository / "src" / "gen") == ["c.py"]


def test_rules_hold_without_a_repository_and_do_not_come_from_outside_the_walk(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*", "in/.gitignore": "*.log\n", "in/a.log": "", "in/b.txt": "", "in/c/d.log": ""})
    assert found(tmp_path / "in") == [".gitignore", "b.txt"]


@needs_git
def test_a_repository_in_a_repository_has_its_own_rules(repository: Path) -> None:
    make(repository, {".gitignore": "*.log\n", "inner/a.log": "", "inner/sub/.gitignore": "b\n", "inner/sub/b": ""})
    run_git(repository / "inner", "init", "--quiet")
    assert found(repository) == [".gitignore", "inner/a.log", "inner/sub/.gitignore"]
    assert found(repository / "inner") == git_files(repository / "inner") == ["a.log", "sub/.gitignore"]


def test_hidden_files_only_on_request_and_version_control_never(tmp_path: Path) -> None:
    make(
        tmp_path, dict.fromkeys([".env", ".ci/run", "a/.b/c", "a/d", ".hg/x", ".svn/x", "CVS/Entries", "_darcs/x"], "")
    )
    assert found(tmp_path, hidden=False) == ["a/d"]
    assert found(tmp_path, hidden=True) == [".ci/run", ".env", "a/.b/c", "a/d"]


def test_a_named_file_is_taken_whatever_the_rules_say(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*", ".env": "x=1", "a.txt": "abc"})
    paths = [str(tmp_path / "a.txt"), str(tmp_path / ".env")]
    assert list(find_files(paths)) == [FoundFile(paths[0], 3, named=True), FoundFile(paths[1], 3, named=True)]


def test_order_is_by_whole_path_and_each_file_comes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, dict.fromkeys(["b", "a/z", "a.c", "a-b/x", "a/y/w", "Z", "é", "a0"], ""))
    names = ["Z", "a-b/x", "a.c", "a/y/w", "a/z", "a0", "b", "é"]
    assert found(tmp_path) == names == sorted(names, key=str.encode)
    monkeypatch.chdir(tmp_path)
    assert [item.path for item in find_files(["b", ".", "./a/z", "-", "-"])] == [
        "b",
        *(n for n in names if n != "b"),
        "-",
    ]


def test_a_file_named_like_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"-": "text"})
    monkeypatch.chdir(tmp_path)
    for path in (".", "./-"):
        (item,) = find_files([path])
        assert item.path == "./-"


@needs_links
def test_links_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"secret": ""})
    inside = make(tmp_path / "inside", {"a/b": ""})
    (inside / "a" / "loop").symlink_to(inside)
    (inside / "self").symlink_to("self")
    (inside / "folder").symlink_to(outside)
    (inside / "file").symlink_to(outside / "secret")
    (inside / "dangling").symlink_to("nothing")
    assert found(inside) == ["a/b"]
    # What is named is taken: a link to a file, and a link to a folder.
    assert found(inside / "folder") == ["secret"]
    (item,) = find_files([str(inside / "file")])
    assert isinstance(item, FoundFile)


@needs_links
def test_what_is_no_regular_file_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, {"a": ""})
    os.mkfifo(tmp_path / "pipe")
    assert found(tmp_path) == ["a"]


def test_a_missing_path_is_a_problem_and_the_others_go_on(tmp_path: Path) -> None:
    make(tmp_path, {"a": ""})
    missing, there = find_files([str(tmp_path / "none"), str(tmp_path)])
    assert isinstance(missing, Problem)
    assert missing.failed
    assert str(missing).endswith("none: No such file or directory")
    assert isinstance(there, FoundFile)


@needs_permissions
@pytest.mark.parametrize("closed", ["sub", "sub/.gitignore"])
def test_a_folder_that_cannot_be_read_is_a_problem_and_the_others_go_on(tmp_path: Path, closed: str) -> None:
    make(tmp_path, {"a": "", "sub/.gitignore": "x", "sub/b": "", "z": ""})
    (tmp_path / closed).chmod(0)
    try:
        items = list(find_files([str(tmp_path)]))
    finally:
        (tmp_path / closed).chmod(0o700)
    problems = [item for item in items if isinstance(item, Problem)]
    assert [Path(problem.path).name for problem in problems] == ["sub"]
    assert "Permission denied" in str(problems[0])
    assert [Path(item.path).name for item in items if isinstance(item, FoundFile)] == ["a", "z"]


def test_what_is_written_to_is_left_out_of_a_walk(tmp_path: Path) -> None:
    make(tmp_path, {"a": "", "out.jsonl": ""})
    items = find_files([str(tmp_path)], leave_out=[str(tmp_path / "out.jsonl")])
    assert [Path(item.path).name for item in items] == ["a"]


def test_a_tree_deeper_than_the_recursion_limit(tmp_path: Path) -> None:
    # Below the longest path that the system opens at once, and with a limit that recursion would hit.
    depth = 300
    folder = tmp_path.joinpath(*["d"] * depth)
    folder.mkdir(parents=True)
    (folder / "leaf").touch()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        items = list(find_files([str(tmp_path)]))
    finally:
        sys.setrecursionlimit(limit)
    assert [Path(item.path).name for item in items] == ["leaf"]


def test_paths_are_shown_without_control_characters() -> None:
    assert printable("a\x1b[31mb\n\u202ec") == "a\\x1b[31mb\\n\\u202ec"
    assert printable("plain é 漢 \u00a0".strip()) == "plain é 漢"
    assert str(Problem("a\nb", "not UTF-8", 7, 2)) == "a\\nb: byte 7 (line 2): not UTF-8"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 30 + "*b", "a" * 250),
        ("*a*a*a*a*a*a*b/*a*a*a*a*a*a*b", "a" * 120 + "/" + "a" * 120),
        ("**/a/" * 20 + "**/b", "a/" * 1500 + "a"),
        ("**\\/a/" * 20 + "b", "a/" * 1500 + "a"),
        ("**/*a*a*a*b/" * 8 + "c", ("a" * 60 + "/") * 40 + "c"),
        ("[ab]*" * 40 + "c", "ab" * 120),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    rule = re.compile(translate(pattern.encode()), re.DOTALL)
    begin = time.process_time()
    assert rule.fullmatch(path.encode()) is None
    assert time.process_time() - begin < 1  # a thousandth of it, where nothing else runs


@needs_git
@settings(max_examples=100)
@given(
    pattern=st.lists(st.sampled_from(["a", "b", "*", "**", "/", "**/", "/**/", "?", "[ab]", "\\a", "ab"]), max_size=8).map("".join),
    paths=st.lists(st.text("ab/", min_size=1, max_size=12), min_size=1, max_size=8),
)  # fmt: skip
def test_a_pattern_of_many_stars_is_that_of_git(pattern: str, paths: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        build_tree(
            folder, {tuple(filter(None, path.split("/"))): None for path in paths if path.strip("/")}, f"/{pattern}"
        )
        run_git(folder, "init", "--quiet")
        assert found(folder) == git_files(folder)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_told_with_its_encoding(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes("Some notes in Düsseldorf.\n".encode(codec))
    found = read_document(FoundFile(str(path), path.stat().st_size, named=True))
    assert isinstance(found, Problem)
    assert found.reason.endswith(f"--encoding {codec} reads it")
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    other = read_document(FoundFile(str(path), 16, named=True))
    assert isinstance(other, Problem)
    assert other.reason == "binary: a NUL byte at byte 8"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_name_that_no_file_can_have_is_a_problem_of_its_own(tmp_path: Path, workers: int) -> None:
    (tmp_path / "a.txt").write_text("One.\n", encoding="utf-8")
    results = list(chunk_files(["a\0b", "a\ud800b", tmp_path / "a.txt"], 64, workers=workers))
    assert [result.reason if isinstance(result, Problem) else result.chunks[0].text for result in results] == [
        "no file can have this name",
        "no file can have this name",
        "One.\n",
    ]
