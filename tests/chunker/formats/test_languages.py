"""The language of a file, by its name and by what is in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker import CodeChunker, UnknownLanguageError, chunker_for
from chunker.formats.detect import UNKNOWN, detect, format_called, language_of
from chunker.formats.registry import code_names, format_names


@pytest.mark.parametrize(
    ("path", "text", "language", "kind"),
    [
        ("a/b.rs", "", "Rust", "rust"),
        ("a.TSX", "", "TypeScript", "tsx"),
        ("a.jsx", "", "JavaScript", "javascript"),
        ("a.mts", "", "TypeScript", "typescript"),
        ("a.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>', "XML", None),
        ("a.h", "", "C", "c"),
        ("a.h", "struct a { int class_count; };\n", "C", "c"),
        ("a.h", '#ifdef __cplusplus\nextern "C" {\nclass A;\n#endif\nint f(void);\n', "C", "c"),
        ("a.h", "#pragma once\nnamespace a {\n", "C++", "cpp"),
        ("a.h", "#include <vector>\n", "C++", "cpp"),
        ("a.h", "#include <stdio.h>\n", "C", "c"),
        ("a.h", "template<typename T>\nT f();\n", "C++", "cpp"),
        ("a.h", "  @interface A : B\n", "Objective-C", None),
        ("a.hpp", "int f(void);\n", "C++", "cpp"),
        ("run", "#!/usr/bin/env -S python3.11 -u\n", "Python", "python"),
        ("run", "\ufeff#!/bin/sh\n", "Shell", "bash"),
        ("run", "#!/usr/bin/env ruby", "Ruby", "ruby"),
        ("run.zzz", "#!/usr/bin/lua5.4\n", "Lua", "lua"),
        ("run.py", "#!/bin/sh\n", "Python", "python"),
        ("x", "\n <?php echo 1;", "PHP", "php"),
        ("x", "<!DOCTYPE HTML>\n", "HTML", "html"),
        ("x", "", UNKNOWN, None),
        ("", "", UNKNOWN, None),
        ("Makefile", "", "Make", None),
        ("Rakefile", "", "Ruby", "ruby"),
        ("config.fish", "", "Shell", None),
        ("a.scss", "", "Sass", None),
        ("a.vue", "", "Vue", "html"),
        (".bashrc", "", "Shell", "bash"),
        ("a.json", "", "JSON", "json"),
    ],
)
def test_detection(path: str, text: str, language: str, kind: str | None) -> None:
    assert detect(path, text) == (language, kind)
    assert language_of(path, text) == language
    chunker = chunker_for(path, text=text)
    assert chunker.language == (kind or (None if language == UNKNOWN else language.lower()))


@given(path=st.text(max_size=20), text=st.text(max_size=40))
def test_any_name_and_any_text_have_a_chunker(path: str, text: str) -> None:
    language, kind = detect(path, text)
    assert language_of(path, text) == language
    assert kind is None or kind in format_names()
    chunks = chunker_for(path, 64, text=text).chunk(text)
    assert "".join(chunk.body for chunk in chunks) == text


def test_every_format_that_is_detected_exists() -> None:
    for name in ("C++", "C#", "js", "py", "yml", "Golang", "go", "Shell", "sh", "bash", "TSX", "kt", "MARKDOWN"):
        assert format_called(name) in format_names()
    assert format_called("Klingon") is None
    # Those that authors write after a fence.
    assert [format_called(name) for name in ("golang", "node", "pycon", "console")] == [
        "go",
        "javascript",
        "python",
        "bash",
    ]
    for name in code_names():
        assert format_called(name) == name


def test_a_language_is_called_by_any_of_its_names() -> None:
    assert CodeChunker("C#").language == CodeChunker("csharp").language == CodeChunker("cs").language == "csharp"
    assert repr(CodeChunker("js", 100)).startswith("CodeChunker('javascript', max_tokens=100")
    for name in ("markdown", "klingon", "", "json"):
        with pytest.raises(UnknownLanguageError, match="haskell, java, javascript"):
            CodeChunker(name)


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("a.dart", "Dart: no grammar, cut by lines"),
        ("Makefile", "Make: no grammar, cut by lines"),
        ("a.zzz", "unknown, cut as plain text"),
        ("a.txt", None),
        ("a.py", None),
    ],
)
def test_the_metadata_say_how_a_text_was_cut_for_want_of_a_grammar(path: str, note: str | None) -> None:
    text = "one\n\ntwo\n" * 200
    chunks = chunker_for(path, 64).chunk(text)
    assert {chunk.metadata.get("language") for chunk in chunks} == {note}
    assert "".join(chunk.body for chunk in chunks) == text


def test_the_command_tells_a_language_by_the_text_where_the_name_does_not(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/usr/bin/env python3\nimport os\n", "utf-8")
    (tmp_path / "box.h").write_text("namespace a {\nclass Box {};\n}\n", "utf-8")
    command = [sys.executable, "-m", "chunker", "chunk", "--format", "jsonl", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [json.loads(line)["language"] for line in done.stdout.splitlines()] == ["cpp", "python"]
