"""What a format declares of itself is what the registry and detection go by."""

from __future__ import annotations

import pytest

from chunker.formats.code.tables import languages_of, table_names
from chunker.formats.declarations import LanguageNames
from chunker.formats.detect import UNKNOWN, detect, file_name_for, format_called
from chunker.formats.registry import code_names, format_named, format_names, is_plain, name_of


def declared(name: str) -> dict[str, LanguageNames]:
    languages: dict[str, LanguageNames] = (
        vars(type(format_named(name)))["languages"] if is_plain(name) else languages_of(name)
    )
    return languages


@pytest.mark.parametrize("name", format_names())
def test_a_format_is_found_by_all_that_it_declares(name: str) -> None:
    assert format_called(name.upper()) == name
    assert detect(file_name_for(name)).format == name
    for language, names in declared(name).items():
        assert names.keys() <= LanguageNames.__annotations__.keys()
        for suffix in names.get("suffixes", []):
            assert detect(f"a{suffix}") == (language, name)
        for suffix in names.get("unread", []):
            assert detect(f"a{suffix}") == (language, None)
        for file_name in names.get("file_names", []):
            assert detect(f"a/{file_name}") == (language, name)
        for interpreter in names.get("interpreters", []):
            assert detect("run", f"#!/usr/bin/env {interpreter}\n") == (language, name)
        for alias in names.get("aliases", []):
            assert format_called(alias) == name
        if not names.get("dialect"):
            assert format_called(language) == name


def test_a_plain_format_knows_its_name() -> None:
    for name in filter(is_plain, format_names()):
        made = format_named(name)
        assert vars(type(made))["name"] == name == name_of(made)
        assert made.language == (None if name == "text" else name)


def test_each_table_is_a_format() -> None:
    assert code_names() == table_names()
    assert all(languages_of(name) for name in table_names())


def test_a_text_in_no_format_is_named_by_it() -> None:
    assert file_name_for("klingon") == "text.klingon"
    assert detect("text.klingon") == (UNKNOWN, None)
