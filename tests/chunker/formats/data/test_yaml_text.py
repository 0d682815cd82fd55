"""YAML: documents, keys and items, against PyYAML's own marks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats.data.json_text import JsonFormat
from chunker.formats.data.yaml_text import YamlFormat

YAML = YamlFormat()

MANIFEST = dedent("""\
    # Who.
    apiVersion: v1

    # What it is,
    # in two lines.
    kind: &anchor Deployment   # and a comment
    spec:
      # about ports
      ports:
      - name: http
        port: 80
      -   name: ssh
          list:
            - a
            - - b
              - c
      script: |
        echo one # no comment
        key: value

        - no item
      folded: "one
        key: two"
      # at the end of spec
    flow: [
      a, b
    ]
    {{- if .Values.x }}
    "quoted: key": last
    ? complex
    : value
    # at the end

    after: 1
    """)


def cuts(text: str) -> list[tuple[str, str]]:
    outline = YAML.outline(text)
    units = zip(outline.labels, pairwise([*outline.offsets, len(text)]), strict=True)
    return [(label, text[start:end]) for label, (start, end) in units]


def strength_at(text: str, place: str) -> int:
    outline = YAML.outline(text)
    return dict(zip(outline.offsets, outline.strengths, strict=True))[text.index(place)]


def test_keys_and_items() -> None:
    assert cuts(MANIFEST) == [
        ("document", "# Who.\n"),
        ("key", "apiVersion: v1\n\n"),
        ("key", "# What it is,\n"),
        ("line", "# in two lines.\n"),
        ("key", "kind: &anchor Deployment   # and a comment\n"),
        ("key", "spec:\n"),
        ("key", "  # about ports\n"),
        ("key", "  ports:\n"),
        ("item", "  - name: http\n"),
        ("key", "    port: 80\n"),
        ("item", "  -   name: ssh\n"),
        ("key", "      list:\n"),
        ("item", "        - a\n"),
        ("item", "        - - b\n"),
        ("item", "          - c\n"),
        ("key", "  script: |\n"),
        ("line", "    echo one # no comment\n"),
        ("line", "    key: value\n\n"),
        ("paragraph", "    - no item\n"),
        ("key", '  folded: "one\n'),
        ("line", '    key: two"\n'),
        ("line", "  # at the end of spec\n"),
        ("key", "flow: [\n"),
        ("line", "  a, b\n"),
        ("line", "]\n"),
        ("line", "{{- if .Values.x }}\n"),
        ("key", '"quoted: key": last\n'),
        ("line", "? complex\n"),
        ("line", ": value\n"),
        ("line", "# at the end\n\n"),
        ("key", "after: 1\n"),
    ]


def test_strengths_fall_with_depth() -> None:
    order = ["after:", "  script:", "  - ", "    port", "        - - b", "          - c", "    echo", "# in two"]
    strengths = [strength_at(MANIFEST, place) for place in order[:2]]
    assert strengths == sorted(set(strengths), reverse=True)
    assert strength_at(MANIFEST, "# What") == strength_at(MANIFEST, "spec:") > strength_at(MANIFEST, "  script:")
    assert strength_at(MANIFEST, "  script:") > strength_at(MANIFEST, "  -   name") > strength_at(MANIFEST, "    port")
    assert strength_at(MANIFEST, "      list") > strength_at(MANIFEST, "        - - b")
    assert strength_at(MANIFEST, "  -   name") > strength_at(MANIFEST, "  - name")  # the first one
    assert strength_at(MANIFEST, "kind:") < strength_at(MANIFEST, "# What")  # between a comment and its key


def test_the_breadcrumb_is_the_path() -> None:
    text = dedent("""\
        name: x
        services:
          - name: web
            image: {long}
            env:
            - {long}
          - name: db
            text: >-
              {long}
              the end
        """).replace("{long}", "word " * 20)
    outline = YAML.outline(text)
    assert outline.breadcrumb(text.index("word") + 1) == ("services", "0", "image")
    assert outline.breadcrumb(text.index("- word") + 9) == ("services", "0", "env", "0")
    assert outline.breadcrumb(text.index("the end")) == ("services", "1", "text")


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("a: 1\n---\nb: 2\n", ["a: 1\n", "---\nb: 2\n"]),
        ("---\na: 1\n---\nb: 2\n...\n---\nc: 3\n", ["---\na: 1\n", "---\nb: 2\n...\n", "---\nc: 3\n"]),
        ("%YAML 1.2\n# c\n---\na: 1\n--- |\n text\n  ---\n", ["%YAML 1.2\n# c\n---\na: 1\n", "--- |\n text\n  ---\n"]),
        ("\ufeff---\nonly: one\n", ["\ufeff---\nonly: one\n"]),
        ("text: |\n  ---\n---x: 1\n", ["text: |\n  ---\n---x: 1\n"]),
    ],
)
def test_documents(text: str, documents: list[str]) -> None:
    outline = YAML.outline(text)
    starts = [offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "document"]
    assert [text[start:end] for start, end in pairwise([*starts, len(text)])] == documents
    names = [scope.name for scope in outline.scopes if scope.name.startswith("document")]
    assert names == ([f"document {number}" for number in range(1, len(documents) + 1)] if len(documents) > 1 else [])


keys = st.text(st.sampled_from("abc é中#:-? '\"{[&*!|>%@,01"), min_size=1, max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.text(st.sampled_from("ab #:-?'\"{[&|\n\t中é"), max_size=30)
    | st.just("many words in one line that is folded " * 5)
)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=20
)


def lines_of_members(text: str) -> set[int]:
    """The lines on which PyYAML says that a key or an item of a block begins, as the first on its line."""
    found = set()
    ahead: list[Any] = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    while ahead:
        node = ahead.pop()
        if isinstance(node, yaml.ScalarNode) or node is None or node.flow_style:
            continue
        if isinstance(node, yaml.MappingNode):
            found |= {key.start_mark.line for key, _ in node.value}
            ahead += [value for _, value in node.value]
        else:
            # A collection in an item begins on the line of its dash; so does a scalar.
            found |= {item.start_mark.line for item in node.value}
            ahead += node.value
    return found


@settings(max_examples=80)
@given(
    tree=st.lists(trees, min_size=1, max_size=4) | st.dictionaries(keys, trees, min_size=1, max_size=4),
    indent=st.sampled_from([2, 4]),
    style=st.sampled_from([None, "|", ">", '"', "'"]),
    spread=st.booleans(),
)
def test_members_begin_where_pyyaml_says(*, tree: Any, indent: int, style: str | None, spread: bool) -> None:
    class Dumper(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless and not spread)  # lists indented under their keys, or not

    text = yaml.dump(
        tree, Dumper=Dumper, indent=indent, default_flow_style=False, default_style=style, allow_unicode=True
    )
    assert yaml.safe_load(text) == tree
    outline = YAML.outline(text)
    ours = {
        text.count("\n", 0, offset)
        for offset, label in zip(outline.offsets, outline.labels, strict=True)
        if label in {"key", "item", "document"}
    }
    assert ours == {0} | lines_of_members(text)


def test_flow_text_is_json() -> None:
    text = '# a comment\n{"a": [1, 2], "b": 3}\n'
    assert YAML.outline(text).boundaries == JsonFormat().outline(text).boundaries
    template = "{{- range .x }}\na: 1\nb: 2\n{{- end }}\n"
    assert [label for label, _ in cuts(template)] == ["document", "key", "key", "line"]


def test_chunks_keep_whole_entries(count_o200k: Callable[[str], int], check: Callable[..., None]) -> None:
    entry = "  # Number {0}.\n  - name: service{0}\n    ports: [1, 2]\n    text: |\n      One line.\n\n      Another.\n"
    text = "services:\n" + "".join(entry.format(number) for number in range(40)) + "end: 1\n"
    chunks = TextChunker(150, format="yaml", context=True).chunk(text, source="compose.yaml")
    check(text, chunks, 150, count_o200k)
    for chunk in chunks[1:]:
        assert chunk.body.startswith("  # Number ")
        assert chunk.context == "compose.yaml > services\n"
