"""The tokenizer of an index: a name or a file, found again, and told when it is another."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from small_tokenizers import small
from typer.testing import CliRunner

from bpe_engine import Tokenizer
from chunker.cli.app import app
from chunker.counting.tokenizer_files import tokenizer_of_file
from chunker.errors import OptionError
from chunker.index import Index, IndexOptions, SettingsMismatchError
from chunker.tokenizer_errors import UnknownTokenizerError

TEXT = "The quick brown fox can't jump over the lazy dogs. And then it did.\n\n" * 20


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT, "utf-8")
    (folder / "sub" / "tokenizer.json").write_text(small("word level").to_str(), "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("form", ["relative", "absolute", "path"])
def test_a_tokenizer_file_counts(project: Path, form: str) -> None:
    path = project / "sub" / "tokenizer.json"
    forms: dict[str, str | Path] = {"relative": "sub/tokenizer.json", "absolute": str(path), "path": path}
    options: IndexOptions = {"max_tokens": 20, "tokenizer": forms[form]}
    Index.open(**options).sync("a.txt")
    index = Index.open(create=False)
    assert index.settings.tokenizer == "sub/tokenizer.json"
    counter = tokenizer_of_file(path)
    hits = index.search("fox", 3)
    assert hits
    for hit in hits:
        assert hit.token_count == counter.count(hit.text) <= 20
    pack = index.pack("fox", 60)
    assert pack.token_count == counter.count(pack.text) <= 60
    assert index.sync("a.txt").unchanged == 1
    assert Index.open(**options).settings == index.settings


def test_a_tree_with_its_tokenizer_may_be_moved(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.open(tokenizer="sub/tokenizer.json").sync("a.txt")
    monkeypatch.chdir(tmp_path)
    shutil.move(project, tmp_path / "moved")
    index = Index.open(tmp_path / "moved" / ".chunker")
    assert index.sync(tmp_path / "moved" / "a.txt").unchanged == 1


def test_a_changed_file_is_another_setting(project: Path) -> None:
    index = Index.open(tokenizer="sub/tokenizer.json")
    index.sync("a.txt")
    (project / "sub" / "tokenizer.json").write_text(small("bert, uncased").to_str(), "utf-8")
    told = r"tokenizer is 'sub/tokenizer\.json \(SHA-256 \w{12}\)', not 'sub/tokenizer\.json \(SHA-256 \w{12}\)'"
    every: list[IndexOptions] = [{}, {"tokenizer": "sub/tokenizer.json"}]
    for options in every:
        with pytest.raises(SettingsMismatchError, match=told):
            Index.open(**options)
    with pytest.raises(SettingsMismatchError, match=told):
        index.sync("a.txt")
    report = Index.open(rebuild=True).sync("a.txt")
    assert (report.added, report.problems) == (1, [])
    assert Index.open().sync("a.txt").unchanged == 1


def test_a_file_that_is_gone(project: Path) -> None:
    Index.open(tokenizer="sub/tokenizer.json").sync("a.txt")
    (project / "sub" / "tokenizer.json").unlink()
    with pytest.raises(
        UnknownTokenizerError, match=r"the tokenizer file of the index, '.*tokenizer\.json', is missing"
    ):
        Index.open()
    index = Index.open(tokenizer="o200k_base", rebuild=True)
    assert (index.settings.tokenizer, index.settings.tokenizer_sha256) == ("o200k_base", "")
    index.sync("a.txt")
    with pytest.raises(UnknownTokenizerError, match="there is no such tokenizer file"):
        Index.open(tokenizer="sub/tokenizer.json")


@pytest.mark.usefixtures("project")
def test_objects_are_kept_by_a_published_name() -> None:
    assert Index.open(tokenizer=Tokenizer.load("cl100k_base")).settings.tokenizer == "cl100k_base"
    with pytest.raises(OptionError, match="keeps only the name or path"):
        Index.open(tokenizer=tokenizer_of_file("sub/tokenizer.json"))
    impostor = Tokenizer.from_file("sub/tokenizer.json", name="o200k_base")
    with pytest.raises(OptionError, match="keeps only the name or path"):
        Index.open(tokenizer=impostor)


@pytest.mark.usefixtures("project")
def test_an_unknown_tokenizer_is_told_before_anything_is_made() -> None:
    for given in ("nope", "nope.json"):
        with pytest.raises(UnknownTokenizerError):
            Index.open(tokenizer=given)
    assert not Path(".chunker").exists()


@pytest.mark.usefixtures("project")
def test_on_the_command_line() -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["index", "a.txt", *arguments])

    for given in ("nope", "nope.json"):
        answer = run("-t", given)
        assert (answer.exit_code, answer.stdout) == (2, "")
        assert "Invalid value for --tokenizer: " in answer.stderr
    answer = run("-t", "sub/tokenizer.json")
    assert answer.exit_code == 0, answer.output
    assert "1 added" in answer.stdout
    assert "tokenizer sub/tokenizer.json" in CliRunner().invoke(app, ["index", "status"]).stdout
    Path("sub/tokenizer.json").unlink()
    answer = CliRunner().invoke(app, ["search", "fox"])
    assert answer.exit_code == 2
    assert "is missing: restore it" in answer.stderr
