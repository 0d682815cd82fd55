"""Columns of chunks: what is compiled says what Python says; frames of other packages come in by the C interface of Arrow."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from hypothesis import given  # noqa: E402  # after what may not be there
from hypothesis import strategies as st  # noqa: E402

from chunker import MarkdownChunker, TextChunker, WrongTypeError  # noqa: E402
from chunker.fields import identity_of  # noqa: E402
from chunker.growing.pieces import Piece  # noqa: E402
from chunker.native import native  # noqa: E402
from chunker.scale import ChunkBatch  # noqa: E402
from chunker.scale.chunk_columns import CompiledColumns, PythonColumns  # noqa: E402

compiled = native()


class Made:
    """Pieces that are there already, as of a grower in Python."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._pieces = pieces

    def pieces(self) -> Iterator[Piece]:
        return iter(self._pieces)


SIGNS = ["a word", " ", "\n", "\r\n", "\r", "\n\n", "é", "漢字", "\U0001f600", "# A\n", "x" * 300, "."]


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(
    st.lists(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join), max_size=4),
    st.sampled_from([None, "", "a.md", "é"]),
    st.sampled_from([{}, {"overlap": 4}, {"context": True}, {"overlap": 3, "context": True}, {"strategy": "optimal"}]),
    st.sampled_from([pa.string(), pa.large_string()]),
)
def test_columns_are_alike(documents: list[str], source: str | None, options: dict[str, Any], wide: Any) -> None:
    assert compiled is not None
    chunker = MarkdownChunker(16, **options)
    columns, others, twin = (
        CompiledColumns(compiled.ChunkColumns()),
        CompiledColumns(compiled.ChunkColumns()),
        PythonColumns(),
    )
    rows = []
    for text in documents:
        outline = chunker.outline(text)
        context_at = chunker.context_of(text, outline, source)
        pieces = list(chunker.pieces(text, outline, context_at))
        fresh = twin.add(text, Made(pieces), identity_of(source))
        assert others.add(text, Made(pieces), identity_of(source)) == fresh
        assert columns.add(text, chunker.maker(text, outline, context_at), identity_of(source)) == fresh
        chunks = chunker.origin_of(text, outline, pieces, source).chunks()
        rows += [(chunk.text, chunk.id, chunk.content_hash, chunk.index) for chunk in chunks]
    made, wanted = columns.arrays(wide), twin.arrays(wide)
    assert others.arrays(wide) == made
    for array in made.values():
        array.validate(full=True)
    assert {name: array.to_pylist() for name, array in made.items()} == {
        name: array.to_pylist() for name, array in wanted.items()
    }
    assert {name: array.type for name, array in made.items()} == {name: array.type for name, array in wanted.items()}
    told = zip(*(made[name].to_pylist() for name in ("text", "id", "content_hash", "index")), strict=True)
    assert list(told) == rows


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_a_text_that_cannot_be_chunked_adds_nothing() -> None:
    assert compiled is not None
    chunker = TextChunker(4, tokenizer="words")
    columns = CompiledColumns(compiled.ChunkColumns())

    def context_at(offset: int, _overlap: str = "", /) -> str:
        if offset > 20:
            raise RuntimeError("no context")
        return ""

    for text in ("one two", "a few words, and so many more that they fill chunks", "end"):
        grower = chunker.maker(text, chunker.sketch(text), context_at)
        if len(text) < 20:
            columns.add(text, grower, b"")
        else:
            with pytest.raises(RuntimeError, match="no context"):
                columns.add(text, grower, b"")
    assert columns.arrays(pa.string())["body"].to_pylist() == ["one two", "end"]


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@pytest.mark.parametrize("size", [*range(1, 6), 126, 127, 128, 129, 255, 256, 257, 1_000, 100_000])
def test_hashes_are_those_of_hashlib(size: int) -> None:
    assert compiled is not None
    text = ("abc\n" * size)[:size]
    columns = compiled.ChunkColumns()
    columns.add(text, [(0, size, "", 1, "line")], b"of a source")
    buffers = columns.take(False)
    content = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    name = hashlib.blake2b(b"of a source" + bytes(8) + bytes.fromhex(content), digest_size=16).hexdigest()
    assert (bytes(buffers["content_hash"][1]), bytes(buffers["id"][1])) == (content.encode(), name.encode())


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(st.lists(st.integers(1, 400), min_size=1, max_size=20))
def test_several_hashes_at_a_time(sizes: list[int]) -> None:
    assert compiled is not None
    text = "some words. " * 400
    columns = compiled.ChunkColumns()
    columns.add(text, [(size, 2 * size, "", 1, "line") for size in sizes], b"")
    hashes = bytes(columns.take(False)["content_hash"][1]).decode()
    wanted = [hashlib.blake2b(text[size : 2 * size].encode(), digest_size=16).hexdigest() for size in sizes]
    assert [hashes[32 * row : 32 * row + 32] for row in range(len(sizes))] == wanted


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_pieces_out_of_a_text_are_refused() -> None:
    assert compiled is not None
    columns = compiled.ChunkColumns()
    for start, end in ((0, 9), (2, 2), (3, 1)):
        with pytest.raises(ValueError, match="inside of its text"):
            columns.add("é", [(start, end, "", 1, "line")], b"")
    for piece in [(0, 1, "", 1), [0, 1, "", 1, "x"], (0, 1, None, 1, "x"), (0, 1, "", 1, b"x"), (-1, 1, "", 1, "x")]:
        with pytest.raises((TypeError, ValueError, OverflowError)):
            columns.add("é", [piece], b"")
    assert all(not bytes(buffers[-1]) for buffers in columns.take(True).values())


class Frame:
    """A frame of another package: all that is known of it is that it hands out Arrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Struct:
    """The same of one batch."""

    def __init__(self, table: Any) -> None:
        self._batch = table.to_batches()[0]

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


TABLE = pa.table(
    {"text": ["One line.\nAnother.\n" * 9, None, "# A\n"], "path": ["a.txt", "b.txt", "c.md"], "stars": [1, 2, 3]}
)


@pytest.mark.parametrize("given_as", [Frame, Struct, lambda table: table.to_batches()[0]])
def test_frames_come_in_by_the_c_interface(given_as: Any) -> None:
    batch = ChunkBatch(16)
    assert batch(given_as(TABLE)).equals(batch(TABLE))


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas", minversion="2.2")
    assert ChunkBatch(16)(pandas.DataFrame(TABLE.to_pydict())).to_pylist() == ChunkBatch(16)(TABLE).to_pylist()


def test_frames_of_polars() -> None:
    polars = pytest.importorskip("polars", minversion="1.0")
    assert ChunkBatch(16)(polars.DataFrame(TABLE.to_pydict())).to_pylist() == ChunkBatch(16)(TABLE).to_pylist()


def test_other_things_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="__arrow_c_stream__"):
        ChunkBatch(16)([{"text": "a"}])


def test_problems_stand_between_the_rows_of_others() -> None:
    table = pa.table({"text": ["ab", "\U00013000", "cd", "ef"]})
    rows = ChunkBatch(problems="rows", chunker=TextChunker(2, min_tokens=0))(table).to_pylist()
    assert [(row["text"], row["index"], row["breadcrumb"], row["problem"] is None) for row in rows] == [
        ("ab", 0, [], True),
        (None, None, None, False),
        ("cd", 0, [], True),
        ("ef", 0, [], True),
    ]
