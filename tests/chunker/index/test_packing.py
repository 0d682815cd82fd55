"""Packs: within the budget, lines as they are in the files, definitions whole where they are small."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker.errors import OptionError
from chunker.index import Filter, Index, Pack
from chunker.prompt import Item, assemble

Write = Callable[..., Path]

METHOD = '    def {name}(self, key):\n        """{doc}"""\n{body}        return key\n\n'


def source(methods: int, lines: int) -> str:
    """A class with methods of so many lines."""
    body = "".join(f"        value_{line} = key + {line}\n" for line in range(lines))
    parts = [METHOD.format(name=f"open_{number}", doc=f"Open drawer {number}.", body=body) for number in range(methods)]
    return "class Cupboard:\n" + "".join(parts)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Index]:
    folder = tmp_path_factory.mktemp("packs")
    (folder / "small.py").write_text(source(6, 3))
    (folder / "large.py").write_text("import os\n\n\n" + source(2, 150).replace("drawer", "chest"))
    (folder / "crlf.md").write_bytes("# Drawers\r\n\r\nA drawer opens.\r\n\r\n東京の引き出し 🗄️\r\n".encode() * 9)
    index = Index.open(folder / ".chunker")
    index.sync(folder)
    return folder, index


def check(pack: Pack, folder: Path, budget: int) -> None:
    """What every pack holds."""
    assert pack.token_count == Tokenizer.load("o200k_base").count(pack.text) <= budget
    for part in pack.parts:
        lines = (folder / part.source).read_bytes().decode().replace("\r\n", "\n").split("\n")
        assert part.text == "\n".join(lines[part.start_line - 1 : part.end_line])
        assert f"@@ {part.start_line}-{part.end_line}\n{part.text}\n" in pack.text
    assert pack.text.count("## ") == len({part.source for part in pack.parts}) or "# Drawers" in pack.text
    places = [(part.source, line) for part in pack.parts for line in range(part.start_line, part.end_line + 1)]
    assert len(places) == len(set(places))
    assert bool(pack.hits) == bool(pack.parts)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    budget=st.integers(1, 3000),
    question=st.sampled_from(["how is drawer 3 opened", "open_1", "chest value", "引き出し", "key", "nothing of it"]),
)
def test_a_pack_is_within_its_budget_and_true(budget: int, question: str, project: tuple[Path, Index]) -> None:
    folder, index = project
    check(index.pack(question, budget), folder, budget)


def test_a_small_definition_is_whole_and_says_where_it_is(project: tuple[Path, Index]) -> None:
    pack = project[1].pack("open_3", 400, Filter(sources=("small.py",)))
    first = pack.parts[0]
    assert first.source == "small.py"
    assert "class Cupboard:" in pack.text
    method = source(6, 3).split("\n\n")[3]
    assert method.strip("\n") in pack.text


def test_a_large_definition_gives_its_first_line_and_the_part_that_was_found(project: tuple[Path, Index]) -> None:
    pack = project[1].pack("value_140", 900, Filter(sources=("large.py",)))
    assert "value_140 = key + 140" in pack.text
    assert "class Cupboard:" in pack.text
    assert "    def open_0(self, key):" in pack.text or "    def open_1(self, key):" in pack.text
    assert "value_60 = key + 60\n" not in pack.text


def test_a_small_budget_shows_the_line_that_was_asked_for(project: tuple[Path, Index]) -> None:
    for name in ("value_77", "value_140"):
        pack = project[1].pack(name, 60, Filter(sources=("large.py",)))
        assert name in pack.text


def test_more_budget_never_means_less(project: tuple[Path, Index]) -> None:
    folder, index = project
    before = 0
    for budget in (100, 300, 900, 2700):
        pack = index.pack("drawer key", budget)
        check(pack, folder, budget)
        lines = sum(part.end_line - part.start_line + 1 for part in pack.parts)
        assert lines > before
        before = lines


def test_a_pack_with_another_tokenizer_counts_with_it(project: tuple[Path, Index]) -> None:
    pack = project[1].pack("drawer", 200, tokenizer="cl100k_base")
    assert pack.token_count == Tokenizer.load("cl100k_base").count(pack.text) <= 200


def test_nothing_found_is_an_empty_pack(project: tuple[Path, Index], index: Index) -> None:
    assert index.pack("drawer", 100) == Pack("", 0, 100, (), ())
    assert project[1].pack("drawer", 100, Filter(sources=("none",))).text == ""
    for budget in (0, -1):
        with pytest.raises(OptionError, match="budget"):
            index.pack("drawer", budget)


def test_a_notebook_is_packed_by_what_it_says(tmp_path: Path, write: Write, index: Index) -> None:
    cells: list[dict[str, Any]]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# Drawers\n", "\n", "How a drawer is opened.\n"]}]
    cells += [
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "outputs": [],
            "source": [f"drawer_{n} = open({n})"],
        }
        for n in range(9)
    ]
    write("a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    index.sync(tmp_path)
    for budget in (20, 60, 500):
        pack = index.pack("how a drawer is opened", budget)
        assert pack.token_count == Tokenizer.load("o200k_base").count(pack.text) <= budget
    assert "How a drawer is opened." in pack.text
    assert {part.source for part in pack.parts} == {"a.ipynb"}


def test_parts_of_a_pack_compete_in_a_prompt(project: tuple[Path, Index]) -> None:
    pack = project[1].pack("drawer key", 1500)
    alone = assemble([pack.section()], 1500)
    assert (alone.text, alone.token_count) == (pack.text, pack.token_count)
    for share in (0.2, 0.5):
        found = pack.section("found", share=share, min_tokens=60, priority=3)
        system = Item("Be brief. " * 20, id="system", required=True)
        history = Item("Earlier. " * 600, id="history", truncate="tail", priority=2)
        prompt = assemble([system, found, history], 1000)
        assert prompt.token_count == Tokenizer.load("o200k_base").count(prompt.text) <= 1000
        section = next(one for one in prompt.report.sections if one.name == "found")
        assert 60 <= section.used <= share * 1000
        reports = [one for one in prompt.report.items if one.id not in {"system", "history"}]
        kept = {one.id for one in reports if one.status == "kept"}
        assert kept
        assert len(kept) < len(pack.parts)
    ranks = [item.priority for file in pack.section(priority=3).items for item in file.items]  # type: ignore[union-attr]
    assert all(2 < priority <= 3 for priority in ranks)


def test_lines_of_a_shortened_file_are_those_that_are_told(tmp_path: Path, index: Index) -> None:
    data = "".join(hashlib.sha256(str(number).encode()).hexdigest().upper() for number in range(40))
    sections = [f"# Drawer {number}\n\nA drawer opens with key {number}.\n\nIt is old.\n" for number in range(120)]
    text = "\n".join([*sections[:20], f"```js\n{{ modulus: '{data}' }}\n```\n", *sections[20:]])
    (tmp_path / "long.md").write_text(text)
    index.sync(tmp_path)
    pack = index.pack("drawer opens key old", 9000)
    lines = text.split("\n")
    assert pack.parts
    for part in pack.parts:
        shown = part.text.split("\n")
        own = lines[part.start_line - 1 : part.end_line]
        assert len(shown) == len(own)
        assert all(line == there or "…" in line for line, there in zip(shown, own, strict=True))
    assert "…" in "".join(hit.text for hit in index.search("modulus", 40))
