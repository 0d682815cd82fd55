"""Expressions for counts and chunks, in Polars itself, eager and lazy."""

from __future__ import annotations

import pytest

pl = pytest.importorskip("polars", reason='needs Polars: pip install "bpe-chunker[polars]"')
pytest.importorskip("pyarrow", reason="needs pyarrow")

from chunker import MarkdownChunker, OptionError, TextChunker  # noqa: E402  # after what says that Polars is there
from chunker.integrations.polars import chunk, count_tokens  # noqa: E402

TEXTS = ["# Guide\n\nOne. Two.\n\n## Install\n\nRun it, größer.\n", "One word.", "", None, "x " * 90]
FRAME = pl.DataFrame({"number": range(len(TEXTS)), "text": TEXTS})


@pytest.mark.parametrize("lazy", [False, True])
def test_counts_and_chunks_are_those_of_the_chunker(*, lazy: bool) -> None:
    chunker = MarkdownChunker(20, min_tokens=0)
    frame = FRAME.lazy() if lazy else FRAME
    made = frame.with_columns(tokens=count_tokens("text"))
    counts = made.collect() if lazy else made
    assert counts["tokens"].to_list() == [None if text is None else chunker.tokenizer.count(text) for text in TEXTS]
    lists = frame.select("number", chunk("text", 20, language="markdown", min_tokens=0))
    rows = lists.explode("chunks").drop_nulls("chunks").unnest("chunks")
    if lazy:
        assert lists.collect_schema()["chunks"] == lists.collect().schema["chunks"]
        rows = rows.collect()
    expected = [(number, one) for number, text in enumerate(TEXTS) for one in chunker.chunk(text or "")]
    assert len(rows) == len(expected) > 5
    for row, (number, one) in zip(rows.to_dicts(), expected, strict=True):
        assert (row["number"], row["text"], row["token_count"]) == (number, one.text, one.token_count)
        assert (row["start_byte"], row["end_line"], row["kind"]) == (one.span.start_byte, one.span.end_line, one.kind)
        assert tuple(row["breadcrumb"]) == one.breadcrumb


def test_expressions_slices_and_other_options() -> None:
    upper = FRAME.select(count_tokens(pl.col("text").str.to_uppercase(), "words"))
    assert upper["text"].to_list() == [None if text is None else len(text.split()) for text in TEXTS]
    part = FRAME[1:4].select(chunk("text", 8, tokenizer="words"))
    # Before 1.16, `list.len` of Polars tells 0 for null.
    assert [None if chunks is None else len(chunks) for chunks in part["chunks"].to_list()] == [1, 0, None]
    assert part["chunks"][0][0]["text"] == TextChunker(8, tokenizer="words").chunk("One word.")[0].text


def test_what_is_refused() -> None:
    with pytest.raises(OptionError):
        chunk("text", 8, overlap=9)


@pytest.mark.parametrize("texts", [None, 3, FRAME["text"]])
def test_what_is_no_column_is_named(texts: object) -> None:
    for make in (count_tokens, chunk):
        with pytest.raises(TypeError, match=r"^texts must be the name of a column or an expression, not "):
            make(texts)  # type: ignore[operator, unused-ignore]  # what is tested; without polars it has no type
