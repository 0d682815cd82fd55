"""The examples run as a user runs them, in a process of their own, and print what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from conversation_turns.oracle import world

import bpe_engine

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(name: str, *arguments: str, cwd: Path, quiet: bool = True) -> str:
    # With the packages that are under test here, be they installed or not.
    environment = {**os.environ, "PYTHONPATH": str(Path(bpe_engine.__file__).resolve().parent.parent)}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" or not quiet  # what an engine says of its progress
    return done.stdout


def test_every_example_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'"{example.name}"' in source for example in EXAMPLES.glob("*.py"))


def test_chunk_a_file(tmp_path: Path) -> None:
    lines = run("chunk_a_file.py", cwd=tmp_path).splitlines()
    rows = [re.fullmatch(r"lines (\d+)-(\d+) +(\d+) tokens  (\w+) +(.*)", line) for line in lines[1:]]
    assert len(rows) > 2
    assert all(row is not None and int(row[3]) <= 120 for row in rows)
    # The lines follow each other without a gap, to the end of the file.
    spans = [(int(row[1]), int(row[2])) for row in rows if row is not None]
    assert all(after[0] == before[1] + 1 for before, after in pairwise(spans))
    assert spans[-1][1] == len((EXAMPLES / "chunk_a_file.py").read_text(encoding="utf-8").splitlines())
    assert all(row[5].startswith("chunk_a_file.py") for row in rows if row is not None)


def test_sqlite_store(tmp_path: Path) -> None:
    assert run("sqlite_store.py", cwd=tmp_path) == "3 vectors in SQLite\nbadger.txt: The badger is described here.\n"


def test_chunk_a_named_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\nOne sentence.\n", encoding="utf-8")
    assert run("chunk_a_file.py", str(path), cwd=tmp_path).startswith("notes.md: 1 chunks, ")


def test_hold_a_budget(tmp_path: Path) -> None:
    output = run("hold_a_budget.py", cwd=tmp_path)
    held = re.search(r"^(\d+) of 50 tokens; counted afresh: (\d+)$", output, re.MULTILINE)
    assert held is not None
    assert held[1] == held[2]
    assert 45 <= int(held[1]) <= 50
    # The long note is left out, the short ones after it still find a place.
    assert "left out" in output
    assert "- The parcel came back today." in output


def test_keep_a_conversation(tmp_path: Path) -> None:
    output = run("keep_a_conversation.py", cwd=tmp_path)
    turns = re.findall(r": (\d+) of 500 tokens, begins (as before|anew), (\d+) turns left$", output, re.MULTILINE)
    assert len(turns) == 20
    assert all(int(tokens) <= 500 for tokens, *_ in turns)
    # Only where turns leave does the prompt begin anew, and whole exchanges of four do.
    assert all((start == "anew") == (left != "0") and int(left) % 4 == 0 for _, start, left in turns)
    assert 0 < sum(start == "anew" for _, start, _ in turns) < 10
    assert "kept: rules, wish, turn-" in output
    assert output.endswith("first of the history: I travel with a dog and never fly.\n")


@pytest.mark.parametrize("error", ["disk full on /var/spool", "lost connection to the queue"])
def test_price_slices(error: str, tmp_path: Path) -> None:
    output = run("price_slices.py", cwd=tmp_path)
    assert error in output
    prices = re.findall(r"^lines \d+-\d+: (\d+) tokens, counted afresh: (\d+)$", output, re.MULTILINE)
    assert len(prices) == 2
    assert all(price == afresh and int(price) <= 70 for price, afresh in prices)


def test_migrating_from_langchain(tmp_path: Path) -> None:
    pytest.importorskip("langchain_text_splitters")
    output = run("migrating_from_langchain.py", cwd=tmp_path)
    rows = re.findall(
        r"^  (before|after) +(\d+) chunks, (\d+) over 28 tokens, (\d+) without a place, places (in|out of) order$",
        output,
        re.MULTILINE,
    )
    assert len(rows) == 6
    wrong = {
        label: [int(over) + int(lost) for who, _, over, lost, _ in rows if who == label]
        for label in ("before", "after")
    }
    assert wrong["after"] == [0, 0, 0]
    assert all(order == "in" for who, *_, order in rows if who == "after")
    assert max(wrong["before"]) > 0


def test_index_and_search(tmp_path: Path) -> None:
    lines = run("index_and_search.py", cwd=tmp_path).splitlines()
    assert lines[0].startswith("3 chunks of ")
    assert lines[1:] == [
        "where are request headers read? parser.py, line 1",
        "how long must onions cook? soup.md, line 1",
        "after a rename: 0 embedded, 1 moved",
    ]


def test_ask_a_repository(tmp_path: Path) -> None:
    lines = run("ask_a_repository.py", str(EXAMPLES), "keep a conversation within a budget", cwd=tmp_path).splitlines()
    files = sum(path.is_file() for path in EXAMPLES.iterdir())
    assert re.fullmatch(rf"{files} files, \d+ chunks, \d+ tokens, in \d+\.\d s", lines[0])
    places = [re.fullmatch(r"  (\S+):(\d+)-(\d+)  .+", line) for line in lines[3:6]]
    assert all(place is not None for place in places)
    assert "keep_a_conversation.py" in {place[1] for place in places if place}
    assert lines[-1] == f"a second run: 0 embedded, {files} files unchanged"


def test_answer_from_files(tmp_path: Path) -> None:
    output = run("answer_from_files.py", cwd=tmp_path)
    assert re.findall(r"answer: (.*)", output) == [
        "Let the onions simmer for an hour. [soup.md:1]",
        "Let the dough rest overnight. [bread.md:1]",
        "Sow carrots in March. [garden.md:1]",
    ]
    tokens = [int(number) for number in re.findall(r"prompt: (\d+) of 120 tokens", output)]
    assert len(tokens) == 3
    assert all(100 < number <= 120 for number in tokens)  # the long file is cut to what is left
    assert "truncated" in output


def test_train_a_tokenizer(tmp_path: Path) -> None:
    lines = run("train_a_tokenizer.py", cwd=tmp_path).splitlines()
    assert lines[0].endswith("files read, 4000 tokens learned")
    ours, published = (re.search(r": +(\d+) ids, ([\d.]+) bytes a token", line) for line in lines[1:3])
    assert ours is not None
    assert published is not None
    # A vocabulary of a twenty-fifth of the size does more than half of the work.
    assert float(ours[2]) > float(published[2]) / 2 > 1
    assert lines[-1] == "read again: True"


def test_ray_job(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason='needs Ray: pip install "bpe-chunker[ray]"')
    said = run("ray_job.py", cwd=tmp_path, quiet=False).splitlines()
    lines = [line for line in said if "raylet" not in line]  # Ray's own
    done = [re.fullmatch(r"(\d) parts done, (\d) skipped: (\d+) chunks, (\d+) tokens", line) for line in lines[:2]]
    assert [match and match.groups()[:2] for match in done] == [("4", "0"), ("0", "4")]
    assert done[0] is not None
    assert done[1] is not None
    assert done[0].groups()[2:] == done[1].groups()[2:]
    assert lines[2] == f"as a dataset: {done[0][3]} chunks"
    assert re.fullmatch(r"guide0\.md, \d+ tokens, 256 numbers: guide0\.md.*", lines[3])


def test_serve_a_conversation(tmp_path: Path) -> None:
    lines = run("serve_a_conversation.py", cwd=tmp_path).splitlines()
    assert lines == [
        "1 messages: 14 ids, 0 of them known",
        "3 messages: 39 ids, 23 of them known",
        "5 messages: 58 ids, 42 of them known",
        "5 times <|end|> for 5 messages",
    ]


def test_plan_a_conversation(tmp_path: Path) -> None:
    lines = run("plan_a_conversation.py", cwd=tmp_path).splitlines()
    assert len(lines) == 13
    assert all(int(line.split()[0]) <= 2800 for line in lines[:-1])
    assert sum("dropped" in line for line in lines) == 2
    assert lines[-1] == "$0.0710 in all; 8 turns have left"


def test_train_on_what_was_sampled(tmp_path: Path) -> None:
    lines = run("train_on_what_was_sampled.py", cwd=tmp_path).splitlines()
    assert lines == [
        "15 ids, 4 sampled: 'Hello there'",
        "with the end of the turn: 5",
        "drift from id 10 on: 4 ids where 2 are canonical",
    ]


def test_incremental_chat_template(tmp_path: Path) -> None:
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    world("llama3", template).tokenizer.save_pretrained(tmp_path / "model")
    lines = run("incremental_chat_template.py", "model", cwd=tmp_path, quiet=False).splitlines()
    assert len(lines) == 3
    assert all(line.endswith("ids, equal: True") for line in lines)
