"""`scripts/build_format_index.py`: it finds what contradicts itself, and the index is what it makes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from chunker.formats.format_index import FormatIndex, format_index

SCRIPT = Path(__file__).parents[2] / "scripts" / "build_format_index.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    specification = importlib.util.spec_from_file_location("build_format_index", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def empty() -> FormatIndex:
    return FormatIndex({}, [], {}, {}, {}, {}, {}, {})


def test_the_index_is_made_of_the_declarations(script: ModuleType) -> None:
    assert script.index() == format_index()
    assert script.index()._asdict() == json.loads(script.INDEX.read_text("utf-8"))


def test_a_dialect_leaves_the_language_to_another_format(script: ModuleType, empty: FormatIndex) -> None:
    script.add(empty, "recipe", {"Recipe": {"aliases": ["cook"], "suffixes": [".rcp"], "unread": [".rcpx"]}})
    script.add(empty, "recipes", {"Recipe": {"suffixes": [".rcps"], "dialect": True}})
    script.add(empty, None, {"Menu": {"suffixes": [".menu"], "file_names": ["MENU"], "interpreters": ["cook"]}})
    assert empty.formats == {"Recipe": "recipe"}
    assert empty.suffixes == {".rcp": "Recipe", ".rcpx": "Recipe", ".rcps": "Recipe", ".menu": "Menu"}
    assert empty.formats_of_suffixes == {".rcpx": None, ".rcps": "recipes"}
    assert (empty.aliases, empty.file_names, empty.interpreters) == (
        {"cook": "recipe"},
        {"MENU": "Menu"},
        {"cook": "Menu"},
    )


def test_contradictions_are_found(script: ModuleType, empty: FormatIndex) -> None:
    script.add(empty, "recipe", {"Recipe": {"suffixes": [".rcp"]}})
    with pytest.raises(ValueError, match=r"'\.rcp' is declared twice: for 'Recipe' and for 'Menu'"):
        script.add(empty, None, {"Menu": {"suffixes": [".rcp"]}})
    with pytest.raises(ValueError, match="'Recipe' is declared twice"):
        script.add(empty, "recipes", {"Recipe": {"suffixes": [".rcps"]}})
    with pytest.raises(ValueError, match="Menu declares endings, which means nothing"):
        script.add(empty, None, {"Menu": {"endings": [".menu"]}})
