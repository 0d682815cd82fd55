"""Chunks as values: what is made when it is asked for is what was there before; pydantic, pickle and JSON see fields."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from chunker import Chunk, CodeChunker, MarkdownChunker, Span, TextChunker, chunk_hierarchy, fields
from chunker.streams.chunk_stream import chunk_stream

GUIDE = (
    "# Guide\n\nFirst words, and more of them.\n\n## Install\n\n" + "Run it, then run it again. " * 20 + "\n\nÉnd.\n"
)
FIELDS = [
    *("body", "context", "token_count", "span", "kind", "language"),
    *("index", "breadcrumb", "id", "source", "metadata"),
]
# All that is told, in its order; docs/reference/chunk-fields.md says what each is.
TOLD = [
    *("id", "content_hash", "source", "index", "text", "body", "context", "breadcrumb"),
    *("token_count", "span", "kind", "language", "note", "metadata"),
]


class Shelf(BaseModel):
    """A model of somebody who keeps chunks."""

    name: str
    chunks: list[Chunk]


def made(**options: object) -> list[Chunk]:
    return MarkdownChunker(24, **options).chunk(GUIDE, source="guide.md")  # type: ignore[arg-type]  # options of a chunker


def test_chunks_are_numbered_and_say_what_they_stand_in() -> None:
    chunks = made()
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert chunks[0].breadcrumb == ()
    assert {chunk.breadcrumb for chunk in chunks if GUIDE.index("Run") < chunk.span.start} == {("Guide", "Install")}
    assert all(chunk.text == chunk.context + chunk.body for chunk in made(context=True))


def test_the_breadcrumb_is_that_of_the_new_text() -> None:
    source = "class A:\n    def first(self):\n        return 1\n\n    def other(self):\n        return 2\n" * 3
    chunks = CodeChunker("python", 20, overlap=10, context=True, min_tokens=1).chunk(source)
    assert any(len(chunk.breadcrumb) == 2 for chunk in chunks)
    for before, chunk in pairwise(chunks):
        assert before.span.end >= chunk.span.start
        assert chunk.breadcrumb == CodeChunker("python", 20).outline(source).breadcrumb(before.span.end)
        assert " > ".join(chunk.breadcrumb).endswith(chunk.context.strip())  # the outermost names go first


@pytest.mark.parametrize(
    "copied",
    [
        lambda one: pickle.loads(pickle.dumps(one)),
        lambda one: Chunk(**{name: value for name, value in one if name in FIELDS}),
    ],
)
def test_values_of_their_own_are_equal(copied: object) -> None:
    assert callable(copied)
    for chunk in [*made(), *made(overlap=6, context=True)]:
        again = copied(chunk)
        assert again == chunk
        assert hash(again) == hash(chunk)
        assert dict(again) == dict(chunk)
        assert repr(again) == repr(chunk)
    assert made()[0] != made()[1]
    assert made()[0] != made(context=True)[0]
    assert MarkdownChunker(24).chunk(GUIDE)[0] != made()[0]  # of no source
    assert made()[0] != "a chunk"


def test_a_pickle_holds_the_chunk_and_not_its_text() -> None:
    text = "A line of a long text.\n" * 10_000
    chunk = TextChunker(32).chunk(text)[7]
    assert len(pickle.dumps(chunk)) < 2_000
    assert copy.deepcopy(chunk) is copy.copy(chunk) is chunk


def test_json_and_back() -> None:
    chunk = made(context=True)[2]
    told = json.loads(chunk.model_dump_json())
    assert list(told) == list(dict(chunk)) == list(fields.FIELDS) == TOLD
    assert told["breadcrumb"] == ["Guide", "Install"]
    assert told["span"] == chunk.span.model_dump()
    assert chunk.model_dump(mode="json") == told
    assert chunk.model_dump(exclude={"breadcrumb", "text"}) == {
        name: getattr(chunk, name) if name != "span" else chunk.span.model_dump()
        for name in TOLD
        if name not in {"breadcrumb", "text"}
    }
    assert chunk.model_dump(include={"body", "span"}) == {"body": chunk.body, "span": chunk.span.model_dump()}
    assert Chunk.model_validate_json(chunk.model_dump_json()) == Chunk.model_validate(told) == chunk
    older = {name: told[name] for name in ("body", "token_count", "span", "kind", "id")}
    assert (Chunk.model_validate(older).index, Chunk.model_validate(older).breadcrumb) == (0, ())
    assert Chunk.model_validate(chunk) is chunk
    with pytest.raises(ValidationError, match="token_count"):
        Chunk.model_validate(told | {"token_count": -1})


def test_the_record_is_what_json_has() -> None:
    with_context, without = made(context=True)[2], made()[2]
    assert list(with_context.record()) == TOLD
    assert list(without.record()) == [name for name in TOLD if name != "body"]
    assert with_context.record() == json.loads(with_context.model_dump_json())
    assert json.loads(json.dumps(without.record())) == {**without.model_dump(mode="json", exclude={"body"})}


def test_metadata_of_the_caller_and_notes() -> None:
    chunk = TextChunker(24).chunk("Some words.", source="a.txt", metadata={"rights": ["ours"], "year": 2025})[0]
    assert chunk.metadata == {"rights": ["ours"], "year": 2025}
    assert Chunk.model_validate_json(chunk.model_dump_json()) == chunk
    assert chunk.note is None
    broken = CodeChunker("python", 24).chunk("def f(:\n    ]]\n", metadata={"year": 2025})[0]
    assert broken.note == "parse: had errors"
    assert broken.metadata == {"parse": "had errors", "year": 2025}


def test_the_table_of_fields_is_documented() -> None:
    page = Path(__file__).parents[2].joinpath("docs/reference/chunk-fields.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip().strip("`") for line in page.splitlines() if line.startswith("| `")]
    assert rows[: len(TOLD)] == TOLD


def test_a_copy_has_other_values() -> None:
    chunk = made()[1]
    other = chunk.model_copy(update={"metadata": {"tags": ["a"]}})
    assert (other.metadata, other.body, other.id) == ({"tags": ["a"]}, chunk.body, chunk.id)
    assert other != chunk
    assert chunk.model_copy() == chunk


def test_pydantic_takes_chunks_as_fields() -> None:
    shelf = Shelf(name="a", chunks=made())
    assert shelf.chunks[0] == made()[0]
    assert Shelf.model_validate_json(shelf.model_dump_json()) == shelf
    assert shelf.model_dump()["chunks"][0]["span"]["start"] == 0
    schema = TypeAdapter(list[Chunk]).json_schema(mode="serialization")
    assert set(schema["$defs"]["Chunk"]["properties"]) == set(TOLD)
    assert schema["$defs"]["Chunk"]["title"] == Chunk.model_json_schema()["title"] == "Chunk"
    assert Chunk.model_json_schema()["properties"]["body"]["description"] == "the slice of the input"


def test_nothing_of_a_chunk_can_be_changed() -> None:
    chunk = made()[0]
    with pytest.raises(ValidationError, match="frozen"):
        chunk.body = "other"  # type: ignore[misc]  # that it cannot is what is tested
    with pytest.raises(ValidationError, match="frozen"):
        del chunk.body
    chunk.metadata["more"] = "of a copy"
    assert (chunk.metadata, chunk.source) == ({}, "guide.md")


def test_spans_do_not_depend_on_what_was_asked_before() -> None:
    wanted = [chunk.span for chunk in made()]
    chunks = made()
    assert [chunk.span for chunk in reversed(chunks)] == wanted[::-1]
    assert isinstance(wanted[0], Span)
    assert list(chunk_stream([GUIDE[:100], GUIDE[100:]], MarkdownChunker(24), source="guide.md")) == chunks


def test_nodes_of_a_hierarchy_are_chunks() -> None:
    hierarchy = chunk_hierarchy(GUIDE, [MarkdownChunker(64), MarkdownChunker(24)], source="guide.md")
    for level in hierarchy.levels:
        assert [node.index for node in level] == list(range(len(level)))
        for node in level:
            assert pickle.loads(pickle.dumps(node)) == node
            assert type(node).model_validate_json(node.model_dump_json()) == node
            assert node.body == GUIDE[node.span.start : node.span.end]
            assert node != node.model_copy(update={"children": ("x",)})
    assert hierarchy.levels[1][0].parent == hierarchy.levels[0][0].id
