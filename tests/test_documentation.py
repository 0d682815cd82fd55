"""The Python in README.md and docs/ runs, and what a comment `# ->` promises is what comes out."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import regex
import yaml

from chunker.formats.detect import detect
from chunker.formats.format_index import format_index
from chunker.formats.registry import format_names

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = regex.compile(r"^```python\n(.*?)^```", regex.DOTALL | regex.MULTILINE)
PROMISE = regex.compile(r"# -> (.*)$")


def run(block: str, names: dict[str, Any]) -> int:
    """Run the statements of a block; the number of promises that were checked."""
    lines = block.splitlines()
    checked = 0
    for statement in ast.parse(block).body:
        source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        promise = PROMISE.search(lines[(statement.end_lineno or 1) - 1])
        if promise and isinstance(statement, ast.Expr):
            assert repr(eval(ast.unparse(statement), names)) == promise[1], source
            checked += 1
        else:
            exec(compile(ast.Module([statement], []), "block", "exec"), names)
    return checked


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page(page: Path) -> None:
    names: dict[str, Any] = {}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    checked = sum(run(block, names) for block in blocks)
    assert checked > 0 or not blocks


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(page: Path) -> None:
    links = regex.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


# What the blocks import that the package alone does not bring -> the extras that do.
EXTRAS = {
    "chonkie": {"chonkie"},
    "haystack": {"haystack"},
    "langchain_core": {"langchain"},
    "llama_index": {"llamaindex"},
    "numpy": {"index", "late", "arrow"},
    "pyarrow": {"arrow"},
    "ray": {"ray"},
    "tokenizers": {"huggingface", "late"},
    "tree_sitter_lua": {"code"},
}
OWN = {"bpe_engine", "chunker", "tree_sitter"}
ANY_BLOCK = regex.compile(r"^``` ?python\n(.*?)^```", regex.DOTALL | regex.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_the_extra_of_what_its_blocks_import(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for block in ANY_BLOCK.finditer(text):
        modules = set()
        for node in ast.walk(ast.parse(block[1])):
            if isinstance(node, ast.Import):
                modules |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add((node.module or "").partition(".")[0])
        # On the page before, or in the block itself.
        named = set(regex.findall(r'"bpe-chunker\[(\w+)\]"', text[: block.end()]))
        for module in modules - OWN - sys.stdlib_module_names:
            assert named & EXTRAS[module], module


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    def pages(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [page for inner in (entry.values() if isinstance(entry, dict) else entry) for page in pages(inner)]

    named = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    there = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(named) == sorted(there)


def test_every_format_is_in_its_table() -> None:
    page = (ROOT / "docs" / "reference" / "formats-and-languages.md").read_text(encoding="utf-8")
    endings = dict(regex.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, regex.MULTILINE))
    assert sorted(endings) == format_names()
    found = defaultdict(set)
    for suffix in format_index().suffixes:
        found[detect(f"a{suffix}").format].add(suffix)
    assert {name: set(told.split()) for name, told in endings.items()} == {name: found[name] for name in endings}


def test_every_public_package_and_plugin_is_in_the_reference() -> None:
    tree = ast.parse((ROOT / "scripts" / "check_words.py").read_text(encoding="utf-8"))
    assigned = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    public = ast.literal_eval(assigned["PUBLIC"])
    names = next(node.iter for node in ast.walk(assigned["PLUGINS"]) if isinstance(node, ast.comprehension))
    plugins = [f"chunker.integrations.{name}" for name in ast.literal_eval(names)]
    pages = (ROOT / "docs" / "reference").glob("*.md")
    shown = [name for page in pages for name in regex.findall(r"(?m)^::: (\S+)$", page.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted([*public, *plugins])


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200
