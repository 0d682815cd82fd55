"""Full text: terms of words, and folders that keep in step with the database, whatever moment a run is stopped at."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from chunker.index import Index, settling
from chunker.index.full_text import FullText, FullTextWriter, create
from chunker.index.settling import Settling
from chunker.index.stems import stems_of
from chunker.index.terms import terms_of, terms_of_word

Look = Callable[[Index], dict[str, Any]]
Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Parsers", "the parser"),
        ("parseHTTPHeaders", "parsehttpheaders pars http header"),
        ("max_tokens of __all__", "max token of all maxtokens"),
        ("東京都 x", "東京 京都 x"),
        ("Python入門", "python 入門"),
        ("résumé", "resum"),
        ("हिन्दी", "हिन्दी"),
        ("", ""),
    ],
)
def test_terms_of_texts(text: str, terms: str) -> None:
    assert terms_of(text) == terms


def test_terms_of_a_question_are_those_of_texts() -> None:
    for word in ("Parsers", "parseHTTPHeaders", "utf8", "x" * 100_000, "東京"):
        (term,) = terms_of_word(word)
        assert term in terms_of(word).split()
        assert len(term) <= 64


def test_a_word_that_no_text_has_is_looked_for_by_those_that_begin_so(
    index: Index, write: Write, tmp_path: Path
) -> None:
    write("stars.md", "Telescopes see galaxies.\n")
    write("soup.md", "Onions, and telling nothing.\n")
    write("tokyo.md", "東京は日本の首都です。\n")
    index.sync(tmp_path)
    assert index.search("telesc", by="words")[0].source == "stars.md"
    assert index.search("首", by="words")[0].source == "tokyo.md"
    assert index.search("xylophone", by="words") == []


def test_words_between_quotes_are_looked_for_whatever_they_are(index: Index, write: Write, tmp_path: Path) -> None:
    write("who.md", "The Who is a band.\n")
    write("band.md", "A band plays, and a band is a band.\n")
    index.sync(tmp_path)
    assert index.search('band "the who"', by="words")[0].source == "who.md"


def test_a_commit_that_was_killed_half_way_can_be_made_again(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    create(whole)
    with contextlib.closing(FullTextWriter(whole)) as writer:
        for number in range(5):
            writer.add(number, f"word w{number}")
        writer.commit()
    shutil.copytree(whole, killed)
    with contextlib.closing(FullTextWriter(whole)) as writer:
        writer.remove([1])
        writer.commit()
    # All that the commit wrote before its last step.
    for path in whole.iterdir():
        if path.name != "meta.json":
            shutil.copy(path, killed)
    assert len(FullText(killed)) == 5
    with contextlib.closing(FullTextWriter(killed)) as writer:
        writer.remove([1])
        writer.commit()
    assert FullText(killed).numbers() == [0, 2, 3, 4]


def unsettled(index: Index) -> int:
    with index._store.reading() as snapshot:
        return int(snapshot.connection.execute("SELECT count(*) FROM unsettled").fetchone()[0])


@pytest.mark.parametrize("step", ["before the database", "before the removal"])
def test_stopped_between_full_text_and_database(
    step: str, write: Write, tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index.open(tmp_path / ".chunker")
    write("a.py", "def self_line():\n    return 1\n")
    write("f1.py", "def new_line(self):\n    return 2\n")
    index.sync(tmp_path)
    write("a.py", "def other(self):\n    return 3\n", age=1)
    (tmp_path / "f1.py").unlink()
    write("moved/f1.py", "line = 4\n", age=1)

    def gone(self: Settling) -> NoReturn:
        raise KeyboardInterrupt

    def gone_at_once(self: Settling) -> None:
        if unsettled(index):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        if step == "before the database":
            patched.setattr(Settling, "settled", gone)
        else:
            patched.setattr(Settling, "settle", gone_at_once)
        with pytest.raises(KeyboardInterrupt):
            index.sync(tmp_path)
    assert unsettled(index) > 0
    assert index.verify() == []
    found = {hit.source for hit in index.search("return line", by="words")}
    assert found == ({"a.py", "f1.py"} if step == "before the database" else {"a.py", "moved/f1.py"})
    index.sync(tmp_path)
    assert unsettled(index) == 0
    other = Index.open(tmp_path / "other", root=tmp_path)
    other.sync(tmp_path)
    assert look(index) == look(other)


def test_full_text_is_written_anew_when_most_of_it_is_gone(
    index: Index, write: Write, tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "REMOVED", -1000)
    for age in range(4):
        write("a.py", f"def line_{age}(self):\n    return {age}\n", age=age)
        write(f"f{age}.py", f"line = {age}\n")
        index.sync(tmp_path)
    folders = {path.name for path in index.path.iterdir() if path.is_dir()}
    assert "words-0" not in folders
    assert len(folders) == 2
    other = Index.open(tmp_path / "other", root=tmp_path)
    other.sync(tmp_path)
    assert look(index) == look(other)


def test_lost_full_text_is_written_anew_by_the_next_sync(
    index: Index, write: Write, tmp_path: Path, look: Look
) -> None:
    write("a.py", "def line(self):\n    return 1\n")
    index.sync(tmp_path)
    before = look(index)
    for kind in ("words", "names"):
        shutil.rmtree(index.path / f"{kind}-0")
    index.sync(tmp_path)
    assert look(index) == before


def test_a_rebuilt_index_has_no_words_of_before(index: Index, write: Write, tmp_path: Path, look: Look) -> None:
    write("a.py", "def line(self):\n    return 1\n" * 40)
    index.sync(tmp_path)
    again = Index.open(index.path, max_tokens=64, rebuild=True)
    assert again.search("line", by="words") == []
    again.sync(tmp_path)
    other = Index.open(tmp_path / "other", root=tmp_path, max_tokens=64)
    other.sync(tmp_path)
    assert look(again) == look(other)


GERMAN = (
    "Die Häuser stehen an der Straße, und in den Gärten wachsen die Bäume, auf denen die Kinder mit dem Ball spielen.\n"
)
ENGLISH = (
    "The houses stand at the street, and in the gardens there are trees under which the children play with a ball.\n"
)


@pytest.mark.parametrize(
    ("text", "language", "stems"),
    [
        (GERMAN, "markdown", "german"),
        (GERMAN, None, "german"),
        (GERMAN, "python", "english"),
        (ENGLISH, "markdown", "english"),
        ("Le chat est sur la table, et le chien est dans la rue avec les enfants de la maison.", "text", "french"),
        ("Этот дом был построен на углу улицы, и он не был продан, потому что его никто не хотел.", "text", "russian"),
        ("Häuser", "markdown", "english"),
        ("x = 1; y = 2; z = 3; " * 9, "text", "english"),
        ("", "text", "english"),
    ],
)
def test_stems_are_those_of_the_language_of_prose(text: str, language: str | None, stems: str) -> None:
    assert stems_of(text, language) == stems


def test_words_are_found_in_their_forms_in_each_language(index: Index, write: Write, tmp_path: Path) -> None:
    write("de.md", GERMAN)
    write("en.md", ENGLISH)
    write("fr.md", "Le chat est sur la table, et les chiens sont dans la rue avec les enfants de la maison.\n")
    index.sync(tmp_path)
    for query, source in (("Haus", "de.md"), ("Baum", "de.md"), ("house", "en.md"), ("chien", "fr.md")):
        assert index.search(query, by="words")[0].source == source, query
    assert index.verify() == []
