"""Maps of repositories: never over the budget, the same for the same files, and steady."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tiktoken_encoding
from typer.testing import CliRunner

import chunker
from bpe_engine import Tokenizer
from chunker.cli.app import app
from chunker.counting import resolve_tokenizer
from chunker.errors import FileError, OptionError, WrongTypeError
from chunker.mapping import Repository, map_repository, skeleton


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Some of this package, outside of the environment, whose files the rules of git leave out from CPython 3.13 on."""
    folder = tmp_path_factory.mktemp("ours")
    for name in ("index", "growing"):
        shutil.copytree(Path(chunker.__path__[0], name), folder / name)
    return Repository([folder], root=folder)


@settings(max_examples=15, deadline=None)
@given(budget=st.integers(1, 6000), focus=st.sampled_from(["", "index/store.py", "Outline", "growing", "anchors"]))
def test_a_map_is_never_over_its_budget(budget: int, focus: str, ours: Repository) -> None:
    drawn = map_repository(ours, budget, focus=focus or ())
    encoding = tiktoken_encoding("o200k_base")
    assert drawn.token_count == len(encoding.encode(drawn.text, disallowed_special=())) <= budget
    assert drawn.value <= drawn.bound + 1e-9
    assert drawn == map_repository(ours, budget, focus=focus or ())
    if budget >= 200:
        assert drawn.token_count > 0.8 * budget


def test_another_tokenizer_counts_otherwise(ours: Repository) -> None:
    drawn = map_repository(ours, 500, tokenizer="cl100k_base")
    assert drawn.token_count == Tokenizer.load("cl100k_base").count(drawn.text) <= 500


def test_what_is_used_most_is_on_the_map(tmp_path: Path) -> None:
    (tmp_path / "core.py").write_text(
        "class Engine:\n    def run(self):\n        return 1\n\n\ndef unused():\n    return 2\n"
    )
    (tmp_path / "odd.py").write_text("def lonely():\n    return 3\n")
    for number in range(6):
        (tmp_path / f"user_{number}.py").write_text(
            f"from core import Engine\n\n\ndef go_{number}():\n    return Engine().run()\n"
        )
    drawn = map_repository(tmp_path, 20)
    assert drawn.text.startswith("core.py\nclass Engine:\n    def run(self):\n")
    focused = map_repository(tmp_path, 20, focus="odd.py")
    assert "def lonely():" in focused.text
    assert "def go_3():" in map_repository(tmp_path, 30, focus="go_3").text


def test_the_value_of_a_map_is_near_the_bound(ours: Repository) -> None:
    for budget in (20, 60, 150, 400, 1000, 3000, 9000):
        drawn = map_repository(ours, budget)
        assert drawn.value >= 0.99 * drawn.bound > 0


def test_a_blank_line_that_costs_a_token_is_in_the_price(tmp_path: Path) -> None:
    # "{})" and a line end are one token of o200k_base, with a blank line they are two.
    (tmp_path / "head.rb").write_text("def test_response(headers = {})\nend\n")
    (tmp_path / "method_override.rb").write_text("def app\nend\n")
    (tmp_path / "Rakefile.rb").write_text("def release\nend\n")
    for budget in range(5, 40):
        for focus in ((), ("head.rb",), ("head.rb", "method_override.rb", "Rakefile.rb")):
            drawn = map_repository(tmp_path, budget, focus=focus)
            assert drawn.value >= 0.99 * drawn.bound
    assert map_repository(tmp_path, 10**15).definitions == 3


def test_a_root_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"root: .*nope is no folder"):
        Repository(tmp_path, root=tmp_path / "nope")
    with pytest.raises(WrongTypeError, match="root must be a str or a path, not 5"):
        Repository(tmp_path, root=5)  # type: ignore[arg-type]


def test_an_edit_changes_few_lines_and_reads_one_file(tmp_path: Path) -> None:
    for number in range(40):
        uses = "\n".join(f"    part_{(number * 7 + step) % 40}(a)" for step in range(1, 6))
        (tmp_path / f"m{number:02}.py").write_text(
            f"def part_{number}(a):\n{uses}\n\n\nclass Thing{number}:\n    pass\n"
        )
    repository = Repository(tmp_path)
    before = map_repository(repository, 300)
    assert repository.refresh() == 0
    chance = random.Random(3)
    for edit in range(12):
        path = tmp_path / f"m{chance.randrange(40):02}.py"
        path.write_text(path.read_text() + f"\n\ndef helper_{edit}():\n    return {edit}\n")
        after = map_repository(repository, 300)
        old, new = set(before.text.splitlines()), set(after.text.splitlines())
        assert len(old ^ new) <= 16
        before = after
    (tmp_path / "m00.py").unlink()
    assert repository.refresh() == 1
    assert repository.files[0].name == "m01.py"


def test_what_is_new_moved_or_ignored_is_seen(tmp_path: Path) -> None:
    (tmp_path / "inner" / "empty").mkdir(parents=True)
    first = tmp_path / "inner" / "a.py"
    first.write_text("def one():\n    return 1\n")
    repository = Repository(tmp_path)

    def names() -> list[str]:
        repository.refresh()
        return [file.name for file in repository.files]

    assert names() == ["inner/a.py"]
    # As editors save: another file takes the place of the old one.
    saved = tmp_path / "inner" / "a.py~"
    saved.write_text("def two_of_them():\n    return 2\n")
    saved.replace(first)
    assert repository.refresh() == 1
    assert "def two_of_them" in map_repository(repository, 50).text
    (tmp_path / "inner" / "empty" / "b.py").write_text("def three():\n    return 3\n")
    assert names() == ["inner/a.py", "inner/empty/b.py"]
    (tmp_path / ".gitignore").write_text("empty\n")
    assert names() == ["inner/a.py"]
    (tmp_path / ".gitignore").write_text("nothing\n")
    assert names() == ["inner/a.py", "inner/empty/b.py"]
    (tmp_path / "inner" / "empty" / "b.py").unlink()
    first.write_text("no_definition = 1\n")
    assert names() == []
    first.unlink()
    assert repository.refresh() == 1


def test_prose_has_its_headings_and_languages_their_signatures(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Guide\n\nText.\n\n## Install\n\nMore.\n")
    (tmp_path / "box.go").write_text(
        "package box\n\n// Open opens.\nfunc (b *Box) Open(key int) int {\n\treturn key\n}\n"
    )
    (tmp_path / "data.json").write_text('{"a": [1, 2]}\n')
    drawn = map_repository(tmp_path, 100)
    assert drawn.text == "box.go\nfunc (b *Box) Open(key int) int\n\nguide.md\nGuide\n    Install\n"


def test_skeletons_of_one_file() -> None:
    assert skeleton(
        "@one\nclass A(B):\n    '''Doc.'''\n    def f(self, a,\n          b):\n        return 1\n", "a.py"
    ) == ("class A(B):\n    def f(self, a, b):\n")
    assert skeleton("", "a.py") == skeleton("just text", "a.txt") == ""


MANY = "".join(
    f"class Box{n}:\n    def open(self, key_{n}):\n        return close_{n}(key_{n})\n\n\ndef close_{n}(key):\n    return {n}\n\n\n"
    for n in range(30)
)


@settings(max_examples=40, deadline=None)
@given(budget=st.integers(1, 1200), name=st.sampled_from(["o200k_base", "cl100k_base", "characters"]))
def test_a_skeleton_is_never_over_its_budget(budget: int, name: str) -> None:
    whole = skeleton(MANY, "a.py")
    shown = skeleton(MANY, "a.py", budget, tokenizer=name)
    count = resolve_tokenizer(name).count
    assert count(shown) <= budget
    if count(whole) <= budget:
        assert shown == whole
    elif budget >= 60:
        assert count(shown) >= 0.8 * budget
    lines = iter(whole.splitlines())
    assert all(line.strip() == "..." or line in lines for line in shown.splitlines())


def test_a_skeleton_keeps_what_is_used() -> None:
    odd, used, caller = (f"def {name}(first, second, third):" for name in ("odd", "used", "caller"))
    text = f"{odd}\n    return 1\n\n\n{used}\n    return 2\n\n\n{caller}\n    return used() + used()\n"
    assert skeleton(text, "a.py", 14) == f"...\n{used}\n...\n"
    for wrong in (0, 1.5):
        with pytest.raises(OptionError, match="max_tokens"):
            skeleton(text, "a.py", wrong)  # type: ignore[arg-type]


def test_the_command_of_skeletons(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(MANY)

    def run(*arguments: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["skeleton", *arguments], catch_exceptions=False)
        return done.exit_code, done.stdout, done.stderr

    assert run(str(path))[:2] == (0, skeleton(MANY, "a.py"))
    code, shown, told = run(str(path), "--max-tokens", "100")
    assert (code, shown) == (0, skeleton(MANY, "a.py", 100))
    assert f"{Tokenizer.load('o200k_base').count(shown)} of 100 tokens, {len(shown.splitlines())} lines" in told
    (tmp_path / "empty.txt").write_text("just text\n")
    assert "Nothing found" in run(str(tmp_path / "empty.txt"))[2]
    assert run(str(tmp_path / "nope.py"))[0] == 2
    assert run(str(tmp_path))[0] == 1
    (tmp_path / "key.txt").write_text("-----BEGIN RSA PRIVATE KEY-----\nabc\n")
    assert "key" in run(str(tmp_path / "key.txt"))[2]


def test_a_table_below_a_heading_is_no_heading() -> None:
    text = "# A\n\n## B\n\n| w | m |\n|---|---|\n| o | p |\n| q | r |\n\n## C\n"
    assert skeleton(text, "a.md") == "A\n    B\n    C\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_the_name_of_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "two\nlines.py").write_text("def odd(): ...\n")
    assert map_repository(tmp_path, 100).text == "two\\nlines.py\ndef odd(): ...\n"


def test_wrong_budgets_are_refused(tmp_path: Path) -> None:
    for wrong in (0, -3, 1.5):
        with pytest.raises(OptionError, match="max_tokens"):
            map_repository(tmp_path, wrong)  # type: ignore[arg-type]
    assert map_repository(tmp_path, 10).text == ""


@pytest.fixture
def used_and_odd(tmp_path: Path) -> Path:
    """A folder in which one file is used by all others but one."""
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "core.py").write_text("class Engine:\n    def run(self):\n        return 1\n")
    (folder / "odd.py").write_text("def lonely(first, second):\n    return 3\n\n\ndef alone():\n    return 4\n")
    for number in range(30):
        (folder / f"user_{number:02}.py").write_text(
            "from core import Engine\n\n\ndef go():\n    return Engine().run()\n"
        )
    return folder


def test_a_focus_is_found_by_its_path(used_and_odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(used_and_odd.parent)
    by_name = map_repository(used_and_odd, 40, focus="odd.py")
    assert "odd.py\ndef " in by_name.text
    for path in ("src/odd.py", "./src/odd.py", str(used_and_odd / "odd.py"), "src/../src/odd.py"):
        assert map_repository(used_and_odd, 40, focus=path) == by_name
    monkeypatch.chdir(used_and_odd.parent.parent)
    assert map_repository(used_and_odd, 40, focus="src/odd.py") == by_name
    assert map_repository(used_and_odd, 40, focus="src").unknown == ()


@pytest.mark.parametrize("focus", ["odd.py", "lonely", "user_17.py"])
def test_a_focus_is_on_the_map_if_it_fits(focus: str, used_and_odd: Path) -> None:
    for budget in (14, 20, 60, 200):
        drawn = map_repository(used_and_odd, budget, focus=focus)
        assert focus in drawn.text
        assert drawn.token_count <= budget
        assert 0 <= drawn.value <= drawn.bound <= 1 + 1e-9


def test_a_focus_that_is_not_there_is_told(used_and_odd: Path) -> None:
    drawn = map_repository(used_and_odd, 60, focus=["nothing_here", "odd.py", "src/gone.py"])
    assert drawn.unknown == ("nothing_here", "src/gone.py")
    asked = ["map", str(used_and_odd), "--focus", "nothing_here"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 2
    assert "nothing_here" in done.stderr


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(a):\n    return a\n")
    done = CliRunner().invoke(app, ["map", str(tmp_path), "--max-tokens", "50", "--focus", "f"], catch_exceptions=False)
    assert done.stdout == "a.py\ndef f(a):\n"
    assert "of 50 tokens, 1 definition in 1 file" in done.stderr


def test_a_text_of_more_tokens_than_its_lines_costs_little_of_the_map(tmp_path: Path) -> None:
    lines = [f"def function_{n}({', '.join(f'argument_{n}_{k}' for k in range(4))}):\n    pass\n" for n in range(90)]
    (tmp_path / "one.py").write_text("\n".join(lines))

    def counted(text: str) -> int:
        # Some tokens more for all lines together, as where a line end joins what follows it.
        return len(text) + (15 if text.count("\n") > 20 else 0)

    for budget in range(2000, 2100):
        drawn = map_repository(tmp_path, budget, tokenizer=resolve_tokenizer(counted))
        assert drawn.token_count == counted(drawn.text) <= budget
        assert drawn.value >= 0.9 * drawn.bound


@pytest.mark.parametrize(
    ("paths", "error", "told"),
    [
        ("nope", FileError, "nope does not exist"),
        (["nope"], FileError, "nope does not exist"),
        ("", FileError, "an empty path does not exist"),
        ("a\0b", OptionError, "no file can be called"),
        ("\ud800", OptionError, "no file can be called"),
        (3, WrongTypeError, "paths must be a collection of str and paths"),
        ([3], WrongTypeError, "paths must contain only str and paths"),
    ],
)
def test_paths_that_cannot_be_are_told(
    paths: Any, error: type[Exception], told: str
) -> None:  # whatever a caller may pass
    with pytest.raises(error, match=told):
        map_repository(paths)


@pytest.mark.parametrize("focus", [3, [3], "\ud800", ["\ud800"]])
def test_a_focus_that_is_no_name_is_told(focus: Any, tmp_path: Path) -> None:  # whatever a caller may pass
    with pytest.raises(OptionError, match="focus"):
        map_repository(tmp_path, focus=focus)


def test_the_command_tells_what_it_could_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/a.py").write_text("def f(a):\n    return a\n")
    Path("src/latin.py").write_bytes(b"def g(): return '\xe9'\n")
    Path("src/logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    Path("src/server.key").write_text("secret\n")
    Path("src/big.py").write_text("x = 1\n" * 200_000)
    Path("dangling.py").symlink_to("gone.py")
    done = CliRunner().invoke(app, ["map", "src", "dangling.py"], catch_exceptions=False)
    assert done.exit_code == 1
    assert done.stdout == "src/a.py\ndef f(a):\n"
    assert done.stderr.splitlines()[1:] == [
        "Skipped 1 file without text, such as src/logo.png: binary: a NUL byte at byte 8",
        "Left out files that hold secrets: src/server.key",
        "Left out large files:",
        "  1 file over 1 MiB: src/big.py",
        "Failed: 2 of 6 files",
        "  dangling.py: No such file or directory",
        "  src/latin.py: byte 17 (line 1): not UTF-8: invalid continuation byte (0xE9)",
    ]
    named = CliRunner().invoke(app, ["map", "src/logo.png", "src/a.py"], catch_exceptions=False)
    assert named.exit_code == 1
    assert "Failed: 1 of 2 files\n  src/logo.png: binary" in named.stderr


def test_problems_are_forgotten_once_they_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_bytes(b"def g(): return '\xe9'\n")
    Path("link.py").symlink_to("gone.py")
    repository = Repository(["a.py", "link.py"])
    assert repository.refresh() == 1
    assert [problem.path for problem in repository.problems] == ["a.py", "link.py"]
    assert repository.found == 2
    Path("a.py").write_text("def g(): pass\n")
    Path("gone.py").write_text("def h(): pass\n")
    assert repository.refresh() == 2
    assert repository.problems == []
    assert [file.name for file in repository.files] == ["a.py", "gone.py"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_a_file_is_read_once_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def g(): pass\n")
    (tmp_path / "a.py").chmod(0)
    repository = Repository(tmp_path)
    repository.refresh()
    assert [problem.reason for problem in repository.problems] == ["Permission denied"]
    (tmp_path / "a.py").chmod(0o600)
    assert repository.refresh() == 1
    assert repository.problems == []


def test_standard_input_has_no_map() -> None:
    done = CliRunner().invoke(app, ["map", "-"], catch_exceptions=False)
    assert done.exit_code == 2
    assert "standard input cannot be read here" in done.stderr
    for command in ("map", "index"):
        told = CliRunner().invoke(app, [command, "--help"], catch_exceptions=False).stdout
        assert "Files and folders." in told
        assert "- for standard input" not in told
