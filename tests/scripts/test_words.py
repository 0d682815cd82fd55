"""`scripts/check_words.py`: each of its rules finds what it is for, and the packages keep it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_words.py"


@pytest.fixture(scope="module")
def words() -> ModuleType:
    specification = importlib.util.spec_from_file_location("check_words", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["check_words"] = module
    specification.loader.exec_module(module)
    return module


def whole(first: int, second: int) -> int:
    """Add two numbers.

    Args:
        first: The first one.
        second: The other,
            on two lines.
    """
    return first + second


def half(first: int, second: int) -> int:
    """Add two numbers.

    Args:
        first: The first one.
        third: Not there.

    Returns:
        The sum: a number.
    """
    return first + second


def lowered(text: str) -> str:
    """Return a text in lower case.

    Args:
        text: The text.
    """
    return text.lower()


def number() -> int:
    """Return a number."""
    return 4


def numbers() -> list[int]:
    """Some numbers."""
    return [4]


def nothing(text: str) -> None:
    """Print a text."""


@dataclass
class Pair:
    """Two numbers.

    Attributes:
        first: The first one.
    """

    first: int
    second: int

    def times(self, factor: int) -> int:
        """The product of all."""
        return self.first * self.second * factor


def module_with(*values: object) -> ModuleType:
    made = ModuleType("made")
    made.__all__ = [value.__name__ for value in values]  # type: ignore[attr-defined]
    for value in values:
        setattr(made, value.__name__, value)  # type: ignore[attr-defined]
    return made


def test_a_documented_callable_passes(words: ModuleType) -> None:
    assert list(words.undocumented(module_with(whole))) == []


def test_a_parameter_without_an_entry(words: ModuleType) -> None:
    assert list(words.undocumented(module_with(half))) == [
        "made.half: no Args entry for second",
        "made.half: third in Args is no parameter",
        "made.half: a colon in the first line of Returns",
    ]


def test_fields_and_methods_of_a_class(words: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "OURS", (Pair.__module__,))
    assert list(words.undocumented(module_with(Pair))) == [
        "made.Pair: no Args entry for second",
        "made.Pair.times: no Args entry for factor",
    ]


def test_results_without_a_section(words: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "OURS", (Pair.__module__,))
    assert list(words.unreturned(module_with(whole, half, lowered, number, numbers, nothing, Pair))) == [
        "made.whole: no section Returns or Yields",
        "made.lowered: no section Returns or Yields",
        "made.numbers: no section Returns or Yields",
        "made.Pair.times: no section Returns or Yields",
    ]


class Scaled:
    """A factor of numbers."""

    def times(self, factor: int) -> int:
        """See `Pair.times`."""
        return factor


def test_what_refers_to_a_protocol_is_documented_there(words: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "OURS", (Pair.__module__,))
    module = module_with(Scaled)
    unknown = ["made.Scaled.times: no Args entry for factor"]
    assert list(words.undocumented(module)) == unknown
    module.Pair = Pair  # type: ignore[attr-defined]
    assert list(words.undocumented(module)) == unknown
    monkeypatch.setattr(Pair.times, "__doc__", "The product of all.\n\nArgs:\n    factor: The third number.\n")
    assert list(words.undocumented(module)) == []


def test_names_twice(words: ModuleType, tmp_path: Path) -> None:
    package = tmp_path / "package"
    for folder in ("inner", "outer"):
        (package / folder).mkdir(parents=True)
    (package / "words.py").write_text("class Word: ...\n", encoding="utf-8")
    (package / "inner" / "words.py").write_text("class _Word: ...\n", encoding="utf-8")
    (package / "outer" / "letters.py").write_text("class Word: ...\n", encoding="utf-8")
    (package / "inner" / "letters.py").write_text("class Layout: ...\n", encoding="utf-8")
    (package / "layouts.py").write_text("class Layout: ...\n", encoding="utf-8")  # allowed
    assert list(words.same_names(package)) == [
        "class Word is in package/outer/letters.py and in package/words.py",
        "module letters is in package/inner and in package/outer",
        "module words is in package/inner and in package",
    ]


def test_names_outside_of_all(words: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "chunker" / "inner").mkdir(parents=True)
    (tmp_path / "chunker" / "__init__.py").write_text('__all__ = ["Known"]\n', encoding="utf-8")
    (tmp_path / "chunker" / "inner" / "__init__.py").write_text("", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "from chunker import (\n    Known,\n    Hidden as H,\n)\n>>> from chunker import inner, Other\nfrom json import loads\n",
        encoding="utf-8",
    )
    assert list(words.unlisted(page, tmp_path)) == [
        "page.md imports Hidden, which chunker does not list in __all__",
        "page.md imports Other, which chunker does not list in __all__",
    ]


def test_constants_without_a_docstring(words: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "chunker").mkdir()
    (tmp_path / "chunker" / "__init__.py").write_text(
        'from chunker.limits import LEAST as LOWEST, MOST, limit\n\n__all__ = ["LOWEST", "MOST", "NONE", "limit"]\nNONE: int = 0\n',
        encoding="utf-8",
    )
    (tmp_path / "chunker" / "limits.py").write_text(
        'LEAST = 1\nMOST = 2\n"""The highest one."""\n_HIDDEN = 3\n\ndef limit(): ...\n', encoding="utf-8"
    )
    assert list(words.undescribed("chunker", tmp_path)) == [
        "chunker.limits.LEAST has no docstring below it",
        "chunker.NONE has no docstring below it",
    ]


def test_words_of_the_glossary(words: ModuleType) -> None:
    found = list(words.other_words("place", "A breadcrumb.\nNo crumbs, and no\nstretch of Inks."))
    assert found == [
        "place, line 2: 'crumbs': the glossary has 'undersized chunk'",
        "place, line 3: 'Inks': the glossary has 'trailing white space'",
        "place, line 3: 'stretch': the glossary has 'span'",
    ]


def test_words_in_code(words: ModuleType, tmp_path: Path) -> None:
    python = tmp_path / "some.py"
    python.write_text(
        '"""Two lines,\nbehind all."""\n\nbehind = "behind"  # Behind it; `behind` is a name\n"""rows[first:behind], which look behind."""\n',
        encoding="utf-8",
    )
    assert list(words.other_words_in_code(python)) == [
        f"{python}, line 2: 'behind': the glossary has 'after'",
        f"{python}, line 4: 'Behind': the glossary has 'after'",
    ]
    cpp = tmp_path / "some.cpp"
    cpp.write_text(
        'auto behind = "// behind";  // what is behind it\nauto more = R"(\n// behind)";\n/* firm,\n behind */ char mark = \'"\';\n',
        encoding="utf-8",
    )
    assert list(words.other_words_in_code(cpp)) == [
        f"{cpp}, line 4: 'firm': the glossary has 'settled, or safe split'",
        f"{cpp}, line 1: 'behind': the glossary has 'after'",
        f"{cpp}, line 5: 'behind': the glossary has 'after'",
    ]


def test_the_plugins_that_are_installed_are_documented(words: ModuleType) -> None:
    # `make lint` does without most of what they plug into; `make test-integrations` installs it.
    faults = [
        fault
        for module in words.installed(words.PLUGINS)
        for fault in (*words.undocumented(module), *words.unreturned(module))
    ]
    assert faults == []


def test_faults_fail(words: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert words.tell([]) == 0
    assert words.tell(["one", "two", "one"]) == 1
    assert capsys.readouterr().out == "one\ntwo\n"


def test_spelling(tmp_path: Path) -> None:
    pytest.importorskip("codespell_lib")
    page = tmp_path / "page.md"
    page.write_text("Recieve the `Nd` of a café.\n", encoding="utf-8")  # codespell:ignore
    command = [sys.executable, "-m", "codespell_lib", "--toml", str(SCRIPT.parents[1] / "pyproject.toml"), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("==>")) == (65, 1), done
