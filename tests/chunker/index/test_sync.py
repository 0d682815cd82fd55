"""A sync embeds what is new and nothing else, and its report says so."""

from __future__ import annotations

import ast
import random
import shutil
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chunker.errors import OptionError
from chunker.index import HashingEmbedder, Index, SyncReport
from chunker.index.embedders import Embedder
from chunker.index.vectors import Vectors

Write = Callable[..., Path]
Look = Callable[[Index], dict[str, Any]]

CODE = "".join(f'def function_{n}(value):\n    """Adds {n}."""\n    return value + {n}\n\n\n' for n in range(60))
PAGE = "".join(f"## Section {n}\n\nWhat section {n} says, in some words.\n\n- item {n}\n\n" for n in range(40))


class Counting(HashingEmbedder):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], /) -> Vectors:
        self.asked += texts
        return super().embed(texts)


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def counted(tmp_path: Path, embedder: Counting) -> Index:
    return Index.open(tmp_path / ".chunker", embedder=embedder)


def numbers(report: SyncReport) -> tuple[int, int, int, int]:
    return report.computed, report.reused, report.moved, report.removed


def insert(lines: list[str], at: int, line: str) -> str:
    return "".join([*lines[:at], line, *lines[at:]])


def test_first_and_second_sync(tmp_path: Path, write: Write, counted: Index, embedder: Counting) -> None:
    write("a.py", CODE)
    write("docs/b.md", PAGE)
    report = counted.sync(tmp_path)
    assert (report.files, report.added, report.unchanged) == (2, 2, 0)
    assert report.computed == len(embedder.asked) == len(set(embedder.asked)) == report.chunks > 10
    assert report.tokens_computed == report.tokens
    again = counted.sync(tmp_path)
    assert (again.files, again.unchanged, again.added, numbers(again)) == (2, 2, 0, (0, 0, 0, 0))
    assert (again.chunks, again.tokens, len(embedder.asked)) == (report.chunks, report.tokens, report.computed)
    assert not again.has_changes


def test_what_is_embedded_is_the_text_of_the_chunk(
    tmp_path: Path, write: Write, counted: Index, embedder: Counting
) -> None:
    text = "class Box:\n" + "".join(f"    def open_{n}(self):\n        return {n}\n\n" for n in range(40))
    write("box.py", text)
    counted.sync(tmp_path)
    sent = set(embedder.asked)
    hits = counted.search("open", limit=100)
    assert {hit.text for hit in hits} == sent
    assert all(hit.body == text[hit.span.start : hit.span.end] for hit in hits)
    assert any(hit.context == "class Box\n" for hit in hits)
    assert all(hit.token_count <= 256 for hit in hits)


def test_rename_embeds_nothing(tmp_path: Path, write: Write, counted: Index, embedder: Counting) -> None:
    path = write("a.py", CODE)
    before = counted.sync(tmp_path)
    path.rename(tmp_path / "z.py")
    report = counted.sync(tmp_path)
    assert numbers(report) == (0, 0, before.chunks, 0)
    assert (report.added, report.renamed, report.removed_files) == (1, 1, 1)
    assert len(embedder.asked) == before.computed
    assert {hit.source for hit in counted.search("function", 100)} == {"z.py"}


def test_copy_reuses_and_is_one_hit(tmp_path: Path, write: Write, counted: Index) -> None:
    write("a.py", CODE)
    first = counted.sync(tmp_path)
    write("copy.py", CODE)
    report = counted.sync(tmp_path)
    assert numbers(report) == (0, first.chunks, 0, 0)
    hit = counted.search("function_3", 1)[0]
    assert (hit.source, hit.also) == ("a.py", (f"copy.py:{hit.span.start_line}",))


def test_lines_inserted_at_the_top_move_the_rest(tmp_path: Path, write: Write, counted: Index) -> None:
    write("a.md", PAGE)
    counted.sync(tmp_path)
    write("a.md", "A beginning.\n\n" + PAGE, age=1)
    report = counted.sync(tmp_path)
    assert report.computed <= 2
    assert report.moved >= report.chunks - 3
    assert report.changed == 1
    last = counted.search("section 39", 1, by="words")[0]
    assert last.body in PAGE
    assert ("A beginning.\n\n" + PAGE)[last.span.start : last.span.end] == last.body


@pytest.mark.parametrize("kind", ["code", "markdown", "text"])
def test_one_line_in_two_thousand_embeds_less_than_two_percent(
    kind: str, tmp_path: Path, write: Write, index: Index, python_lines: list[str]
) -> None:
    chance = random.Random(kind)
    name = {"code": "a.py", "markdown": "a.md", "text": "a.txt"}[kind]
    lines = python_lines if kind == "code" else even_lines(chance, headings=kind == "markdown")
    assert len(lines) >= 2000
    write(name, "".join(lines))
    index.sync(tmp_path)
    shares: list[float] = []
    for at in chance.sample(range(2000), 30):
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())].strip("\n")
        text = insert(lines, at, f"{indent}note_{len(shares)} = {at}\n")
        if kind == "code" and not is_python(text):
            continue  # a line in the middle of a statement: what follows is other code
        write(name, text, age=len(shares) + 1)
        report = index.sync(tmp_path)
        assert report.computed >= 1
        shares.append(report.share_computed)
        if len(shares) == 12:
            break
    assert len(shares) == 12
    assert statistics.mean(shares) < 0.02
    assert max(shares) < 0.1


def even_lines(chance: random.Random, *, headings: bool) -> list[str]:
    """2,000 lines in paragraphs that are all alike but for a number: nothing to find one's place by but the words."""
    lines = []
    for number in range(500):
        head = f"{'#' * (number % 3 + 1)} Part {number}\n" if headings else f"Part {number} begins.\n"
        said = (
            f"The parser reads line {chance.randrange(999)} and gives it to whoever asked, unless nobody may see it.\n"
        )
        lines += [head, "\n", said, "\n"]
    return lines


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def test_switching_back_embeds_nothing(
    tmp_path: Path, write: Write, counted: Index, embedder: Counting, look: Look
) -> None:
    write("a.py", CODE)
    counted.sync(tmp_path)
    before = look(counted)
    write("a.py", CODE.replace("value", "number"), age=1)
    assert counted.sync(tmp_path).computed > 0
    asked = len(embedder.asked)
    assert look(counted) != before
    write("a.py", CODE)
    report = counted.sync(tmp_path)
    assert (report.computed, len(embedder.asked)) == (0, asked)
    assert look(counted) == before


def test_tags_are_views_that_share_what_is_alike(tmp_path: Path, write: Write, counted: Index, look: Look) -> None:
    write("a.py", CODE)
    write("b.md", PAGE)
    main = counted.sync(tmp_path, tags="main")
    write("a.py", CODE + "x = 1\n", age=1)
    (tmp_path / "b.md").unlink()
    other = counted.sync(tmp_path, tags="other")
    assert 1 <= other.computed <= 2
    assert other.reused >= 5
    assert counted.status().tags == {"main": 2, "other": 1}
    write("a.py", CODE, age=2)
    write("b.md", PAGE, age=2)
    again = counted.sync(tmp_path, tags="main")
    assert (numbers(again), again.chunks) == ((0, 0, 0, 0), main.chunks)
    both = counted.sync(tmp_path, tags=["main", "other"])
    assert both.computed == 0
    assert counted.status().tags == {"main": 2, "other": 2}
    assert counted.forget("other") == 2
    assert counted.status().tags == {"main": 2}
    look(counted)


def test_a_sync_touches_only_what_it_is_asked_for(tmp_path: Path, write: Write, counted: Index) -> None:
    for name in ("src/a.py", "src2/b.py", "docs/c.md"):
        write(name, CODE if name.endswith("py") else PAGE)
    counted.sync(tmp_path)
    shutil.rmtree(tmp_path / "src2")
    (tmp_path / "docs/c.md").unlink()
    assert counted.sync(tmp_path / "src").removed_files == 0
    assert counted.sync([tmp_path / "docs"]).removed_files == 1
    assert counted.sync([tmp_path / "src2"]).removed_files == 1  # it is gone itself
    report = counted.sync([tmp_path / "never"])
    assert [problem.path for problem in report.problems] == ["never"]
    assert counted.status().files == 1


def test_dry_run_tells_what_a_run_then_does(tmp_path: Path, write: Write, counted: Index, embedder: Counting) -> None:
    write("a.py", CODE)
    write("b.py", CODE)
    write("c.md", PAGE)
    dry = counted.sync(tmp_path, dry_run=True)
    assert embedder.asked == []
    assert not (tmp_path / ".chunker").exists()
    run = counted.sync(tmp_path)
    assert (numbers(dry), dry.tokens_computed, dry.chunks) == (numbers(run), run.tokens_computed, run.chunks)
    write("a.py", "x = 1\n" + CODE, age=1)
    (tmp_path / "c.md").rename(tmp_path / "d.md")
    dry = counted.sync(tmp_path, dry_run=True)
    assert counted.status().files == 3
    assert numbers(counted.sync(tmp_path)) == numbers(dry)


def test_a_file_that_cannot_be_read_keeps_what_it_had(tmp_path: Path, write: Write, index: Index) -> None:
    write("a.txt", "alpha beta\n")
    write("b.txt", "gamma delta\n")
    index.sync(tmp_path)
    write("a.txt", b"alpha \xff\n", age=1)
    write("b.txt", "gamma epsilon\n", age=1)
    report = index.sync(tmp_path)
    assert [(problem.path, problem.offset) for problem in report.problems] == [("a.txt", 6)]
    assert [hit.source for hit in index.search("alpha beta", by="words")] == ["a.txt"]
    assert [hit.source for hit in index.search("epsilon", by="words")] == ["b.txt"]
    write("a.txt", b"\0\0\0", age=2)  # no text any more, and nobody need know
    assert index.sync(tmp_path).problems == []
    assert index.search("alpha", by="words") == []


def test_a_file_written_a_moment_ago_is_read_again(tmp_path: Path, index: Index) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one two\n")
    index.sync(tmp_path)
    path.write_text("one ten\n")  # the same size, and on a coarse clock the same time
    assert index.sync(tmp_path).changed == 1


def test_text_of_what_is_gone_is_gone_and_spare_vectors_go(
    tmp_path: Path, write: Write, counted: Index, monkeypatch: pytest.MonkeyPatch, look: Look
) -> None:
    monkeypatch.setattr("chunker.index.writing.SPARE", 0)
    write("a.py", CODE)
    write("keep.md", "# Keep\n\nThis stays.\n")
    counted.sync(tmp_path)
    before = counted.status()
    (tmp_path / "a.py").unlink()
    report = counted.sync(tmp_path)
    assert report.dropped == report.removed == before.chunks - 1
    assert (counted.status().embeddings, counted.status().spare) == (1, 0)
    assert [hit.source for hit in counted.search("This stays")] == ["keep.md"]
    assert sorted(path.name for path in counted.path.glob("vectors-*")) == ["vectors-1.f32"]
    look(counted)


def test_prune(tmp_path: Path, write: Write, counted: Index, look: Look) -> None:
    write("a.py", CODE)
    write("b.md", PAGE)
    counted.sync(tmp_path)
    (tmp_path / "a.py").unlink()
    report = counted.sync(tmp_path)
    before = look(counted)
    assert counted.status().spare == report.removed
    assert counted.prune() == report.removed
    assert counted.status().spare == 0
    assert look(counted) == before


def test_batches_keep_the_limits_of_the_embedder(tmp_path: Path, write: Write) -> None:
    sizes: list[int] = []

    class Small(HashingEmbedder):
        max_batch_texts = 3

        def embed(self, texts: Sequence[str], /) -> Vectors:
            sizes.append(len(texts))
            return super().embed(texts)

    embedder: Embedder = Small(32)
    write("a.py", CODE)
    report = Index.open(tmp_path / ".chunker", embedder=embedder).sync(tmp_path)
    assert max(sizes) == 3
    assert sum(sizes) == report.computed


def test_an_embedder_that_fails_loses_nothing(tmp_path: Path, write: Write, look: Look) -> None:
    class Failing(HashingEmbedder):
        max_batch_texts = 2
        calls = 0

        def embed(self, texts: Sequence[str], /) -> Vectors:
            self.calls += 1
            if self.calls == 2:
                raise ConnectionError("gone")
            return super().embed(texts)

    write("a.py", CODE)
    failing = Failing(32)
    index = Index.open(tmp_path / ".chunker", embedder=failing)
    with pytest.raises(ConnectionError):
        index.sync(tmp_path)
    assert index.status().embeddings == 2
    assert index.sync(tmp_path).computed == index.status().chunks - 2
    other = Index.open(tmp_path / "other", embedder=HashingEmbedder(32), root=tmp_path)
    other.sync(tmp_path / "a.py")
    assert look(other) == look(index)


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeffa\r\nb\rc\n", "\0".join("abc" * 4000), "x" * 300_000, "漢" * 5000])
def test_odd_texts(text: str, tmp_path: Path, write: Write, index: Index, look: Look) -> None:
    write("a.txt", "word " * 2000 + text)
    write("b.txt", text)
    index.sync(tmp_path)
    pieces = sorted(
        (hit for hit in index.search("word", 10_000, by="vectors") if hit.source == "a.txt"),
        key=lambda hit: hit.span.start,
    )
    assert all(("word " * 2000 + text)[hit.span.start : hit.span.end] == hit.body for hit in pieces)
    look(index)


def test_options(tmp_path: Path, index: Index) -> None:
    for call in (
        lambda: index.sync("-"),
        lambda: index.sync("a\0b"),
        lambda: index.sync(""),
        lambda: index.sync(tmp_path, tags=[]),
        lambda: index.sync(tmp_path, max_file_bytes=-1),
        lambda: index.search("x", 0),
        lambda: index.search("x", by="luck"),  # type: ignore[arg-type]  # on purpose
        lambda: Index.open(tmp_path / "i", tokenizer=len),  # type: ignore[arg-type]  # on purpose
        lambda: Index.open(tmp_path / "i", colour="red"),  # type: ignore[call-arg]  # on purpose
        lambda: Index.open(tmp_path / "i", embedder="nobody"),
        lambda: Index.open(tmp_path / "i", max_tokens=10, overlap=20).sync(tmp_path),
    ):
        with pytest.raises(OptionError):
            call()
    assert not (tmp_path / "i").exists()


def test_the_number_of_files_is_known_before_the_first(tmp_path: Path, write: Write, index: Index) -> None:
    for number in range(5):
        write(f"f{number}.txt", f"Text {number}.\n" * 9)
    write(".env", "PASSWORD=1\n")
    told: list[tuple[int, int]] = []
    report = index.sync(tmp_path, progress=lambda so_far: told.append((so_far.files, so_far.found)))
    assert (report.files, report.found) == (5, 5)
    assert told
    assert all(found == 5 for _, found in told)
