"""What a search finds is part of a prompt as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from chunker.hits import Hit
from chunker.index import Index
from chunker.models import Span
from chunker.prompt import Item, PromptSession, Section, assemble

SPAN = Span(start=0, end=4, start_byte=0, end_byte=4, start_line=3, end_line=5)


def hit(source: str = "a.md", text: str = "Soup > Onions\nLet them simmer.\n") -> Hit:
    return Hit(source, ("",), SPAN, text, "", "section", "markdown", 9, 1.0, None)


def test_hits_of_an_index(tmp_path: Path) -> None:
    (tmp_path / "soup.md").write_text("# Soup\n\nLet the onions simmer for an hour.\n", encoding="utf-8")
    (tmp_path / "bread.md").write_text("# Bread\n\nLet the dough rest overnight.\n", encoding="utf-8")
    index = Index.open(tmp_path / ".chunker")
    index.sync(tmp_path)
    hits = index.search("How long do onions simmer?")
    prompt = assemble(hits, 200)
    assert prompt.text == "\n\n".join(one.text for one in hits)
    assert [item.id for item in prompt.report.items] == [
        f"{one.source}:{one.span.start_line}-{one.span.end_line}" for one in hits
    ]
    assert assemble([Section("context", hits), Item("Well?", required=True)], 200).report.items[0].section == "context"


def test_an_item_of_a_hit_has_its_text() -> None:
    assert Item(hit()).content == hit().text
    assert assemble([Item(hit(), required=True, truncate="tail")], 5).token_count <= 5
    session = PromptSession(100, chat_format=None)
    session.add(None, hit())
    assert session.prompt().text == hit().text


def test_hits_of_one_place_have_names_of_their_own() -> None:
    report = assemble([hit(), hit(text="Other.\n"), hit("b.md")], 200).report
    assert [item.id for item in report.items] == ["a.md:3-5", "item-1", "b.md:3-5"]


def test_prompts_need_no_numpy() -> None:
    script = "import sys; sys.modules['numpy'] = None; from chunker.prompt import Item, assemble; print(assemble([Item('a')], 9).text)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout == "a\n"
