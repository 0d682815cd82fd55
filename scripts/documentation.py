"""How the documentation site differs from the pages in docs/: its links, the page of the command, examples in docstrings.

mkdocs.yml names this module twice: as a hook of MkDocs, and as an extension of Griffe, which reads the docstrings.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from pathlib import Path

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
RESULTS = "benchmarks/results"
COMMAND = "reference/command.md"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the tables of results, and the pictures in them, to the site."""
    for path in sorted((ROOT / RESULTS).iterdir()):
        files.append(File.generated(config, f"{RESULTS}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write the page of the command, and rewrite the links that lead out of docs/.

    A link to a table of results leads to its page. A link to another file of the repository leads there if mkdocs.yml
    has a `repo_url`, and gives way to its text otherwise.
    """
    name = page.file.src_uri
    if name == COMMAND:
        return markdown + _command()
    # Tables of results stand on the site where they do in the repository, pages of docs/ a folder higher.
    folder = posixpath.dirname(name) if name.startswith(RESULTS) else posixpath.dirname(f"docs/{name}")

    def rewritten(link: re.Match[str]) -> str:
        mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        inside = path.removeprefix("docs/")
        for known in (inside, path):
            if (known != path or path.startswith(RESULTS)) and files.get_file_from_path(known):
                return f"{mark}[{text}]({posixpath.relpath(known, posixpath.dirname(name) or '.')}{anchor})"
        if config.repo_url:
            return f"{mark}[{text}]({config.repo_url.rstrip('/')}/blob/main/{path}{anchor})"
        return text

    return _LINK.sub(rewritten, markdown)


def _command() -> str:
    """All commands and options, as typer documents them; headings a level lower, examples as they are laid out."""
    arguments = ["-m", "typer", "chunker.cli.app", "utils", "docs", "--name", "chunker"]
    written = subprocess.run(  # noqa: S603  # this very interpreter, and constants
        [sys.executable, *arguments], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout
    lower = re.sub(r"^#", "##", written, flags=re.MULTILINE)
    return re.sub(r"^Examples:\n((?:  .*\n)+)", r"**Examples**:\n\n```console\n\1```\n", lower, flags=re.MULTILINE)


class FencedExamples(griffe.Extension):
    """Examples of doctest become blocks of code, wherever they stand in a docstring."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Fence the examples in the docstring of `obj`."""
        if obj.docstring is not None and "Examples:" not in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", obj.docstring.value)
