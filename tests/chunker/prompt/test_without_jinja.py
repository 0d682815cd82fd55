"""Prompts without Jinja, which is an extra: all else works, and what needs it names the extra."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chunker import prompt

# As in an environment in which it is not installed.
_WITHOUT = "import sys\nsys.modules['jinja2'] = None\n"


def _run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-P", "-c", _WITHOUT + program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "statement",
    [
        "from chunker.prompt import Conversation",
        "from chunker.prompt import PlannedConversation",
        "import chunker.prompt; chunker.prompt.spans",
        "import chunker.prompt.conversation.masks",
        "from chunker.prompt.templates.template import ChatTemplate",
    ],
)
def test_what_needs_it_names_the_extra(statement: str) -> None:
    done = _run(statement)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == 'chunker.errors.MissingExtraError: jinja2 is not installed: pip install "bpe-chunker[templates]"'


def test_all_else_is_imported_by_a_star() -> None:
    done = _run("from chunker.prompt import *\nprint(assemble([Item('One word.')], 10).text, 'Conversation' in dir())")
    assert (done.stdout, done.stderr) == ("One word. False\n", "")


def test_with_it_a_star_imports_all() -> None:
    names: dict[str, object] = {}
    exec("from chunker.prompt import *", names)
    assert set(prompt.__all__) <= set(names)
    assert "Conversation" in prompt.__all__
