"""The splitter against the real LangChain package: its interface, its errors, and where its own splitters go wrong."""

from __future__ import annotations

import asyncio
import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter, TextSplitter

from bpe_engine import Tokenizer
from chunker.integrations.langchain import TokenBudgetTextSplitter

TOKENIZER = Tokenizer.load("o200k_base")
TEXTS = st.lists(
    st.sampled_from(
        ["word", " ", "  ", "\n", "\n\n", "\t", "a", "same line\n", "。", "中文", "🇩🇪", "e\u0301", " \u3000", "don't"]
    ),
    max_size=60,
).map("".join)


def test_it_is_a_text_splitter() -> None:
    splitter = TokenBudgetTextSplitter(chunk_size=20, chunk_overlap=0)
    assert isinstance(splitter, TextSplitter)
    assert isinstance(splitter, BaseDocumentTransformer)


@settings(max_examples=150)
@given(TEXTS, st.integers(4, 30), st.integers(0, 6), st.booleans())
def test_start_index_is_where_the_chunk_stands(text: str, size: int, overlap: int, strip: bool) -> None:
    splitter = TokenBudgetTextSplitter(
        chunk_size=size, chunk_overlap=min(overlap, size - 1), add_start_index=True, strip_whitespace=strip
    )
    documents = splitter.create_documents([text])
    assert [document.page_content for document in documents] == splitter.split_text(text)
    covered = 0
    for document in documents:
        start, content = document.metadata["start_index"], document.page_content
        assert content
        assert text[start : start + len(content)] == content
        assert TOKENIZER.count(content) <= size
        # What lies between two chunks is white space that was stripped.
        assert text[covered:start].strip() == ""
        assert strip or start <= covered
        covered = start + len(content)
    assert text[covered:].strip() == ""


def test_start_index_where_the_search_of_the_base_class_fails() -> None:
    """LangChain's own splitters look their chunks up again with str.find: wrong where a text repeats itself, -1 where it was changed."""
    text = "the same words again and again\n" * 40
    ours = TokenBudgetTextSplitter(chunk_size=30, chunk_overlap=0, add_start_index=True).create_documents([text])
    starts = [document.metadata["start_index"] for document in ours]
    assert starts == sorted(set(starts))
    assert all(text.startswith(document.page_content, start) for document, start in zip(ours, starts, strict=True))

    # With an overlap in tokens and lengths in tokens, the base class searches from an offset that is neither.
    theirs = RecursiveCharacterTextSplitter(
        chunk_size=30, chunk_overlap=15, length_function=TOKENIZER.count, add_start_index=True, separators=[" "]
    ).create_documents([text])
    searched = [document.metadata["start_index"] for document in theirs]
    assert -1 in searched
    assert searched != sorted(searched)


def test_text_of_several_bytes_a_character_is_not_damaged() -> None:
    text = "東京特許許可局長今日急遽休暇許可拒否𓀀𓀁" * 30
    splitter = TokenBudgetTextSplitter(chunk_size=10, chunk_overlap=0)
    assert "".join(splitter.split_text(text)) == text

    # Windows of tokens, as LangChain's TokenTextSplitter takes them, fall between the bytes of a character.
    ids = TOKENIZER.encode(text)
    windows = [TOKENIZER.decode(ids[start : start + 10]) for start in range(0, len(ids), 10)]
    assert any("\ufffd" in window for window in windows)


def test_nothing_over_the_size_where_sums_of_parts_are() -> None:
    """Chunks merged by adding up the counts of their parts, as the base class does it, do not count what was added up."""
    text = "".join(f"{number}{mark}" for number in range(400) for mark in (" ", "'", "s ", "\n", "\n  "))
    splitter = TokenBudgetTextSplitter(chunk_size=25, chunk_overlap=5)
    assert all(TOKENIZER.count(chunk) <= 25 for chunk in splitter.split_text(text))


def test_stripping_that_would_add_a_token_is_left_out() -> None:
    # One token with its space, two without it.
    word = next(
        f" {word}"
        for word in ("Flavoring", "unmistakably", "mosques", "glaciers")
        if TOKENIZER.count(word) > TOKENIZER.count(f" {word}") == 1
    )
    text = word * 6
    splitter = TokenBudgetTextSplitter(chunk_size=1, chunk_overlap=0, add_start_index=True)
    documents = splitter.create_documents([text])
    assert all(TOKENIZER.count(document.page_content) <= 1 for document in documents)
    assert [document.page_content for document in documents] == [word] * 6
    roomy = TokenBudgetTextSplitter(chunk_size=9, chunk_overlap=0)
    assert roomy.split_text(text) == [text.strip()]


def test_white_space_alone_is_no_chunk() -> None:
    assert TokenBudgetTextSplitter(chunk_size=10, chunk_overlap=0).split_text(" \n\n\t ") == []
    kept = TokenBudgetTextSplitter(chunk_size=10, chunk_overlap=0, strip_whitespace=False)
    assert "".join(kept.split_text(" \n\n\t ")) == " \n\n\t "


def test_documents_keep_their_metadata_apart() -> None:
    splitter = TokenBudgetTextSplitter(chunk_size=12, chunk_overlap=0, add_start_index=True)
    given_documents = [
        Document(page_content="One sentence is here. " * 8, metadata={"source": "a", "tags": ["x"]}),
        Document(page_content="Short.", metadata={"source": "b"}),
        Document(page_content="", metadata={"source": "c"}),
    ]
    before = copy.deepcopy(given_documents)
    documents = splitter.split_documents(given_documents)
    assert list(splitter.transform_documents(given_documents)) == documents
    assert given_documents == before
    assert {document.metadata["source"] for document in documents} == {"a", "b"}
    documents[0].metadata["tags"].append("changed")
    assert documents[1].metadata["tags"] == ["x"]
    assert documents[-1].metadata == {"source": "b", "start_index": 0}
    assert (
        "start_index" not in TokenBudgetTextSplitter(chunk_size=12, chunk_overlap=0).create_documents(["a"])[0].metadata
    )


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, -1), (10, 11)])
def test_errors_are_those_of_the_base_class(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="chunk") as theirs:
        RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
    with pytest.raises(ValueError, match="chunk") as ours:
        TokenBudgetTextSplitter(chunk_size=size, chunk_overlap=overlap)
    assert str(ours.value) == str(theirs.value)


def test_an_overlap_as_large_as_the_chunk_would_never_end() -> None:
    with pytest.raises(ValueError, match=r"chunk_overlap \(10\) must be smaller than chunk_size \(10\)"):
        TokenBudgetTextSplitter(chunk_size=10, chunk_overlap=10)


def test_options_that_have_no_meaning_here_are_refused() -> None:
    with pytest.raises(TypeError, match="does not take length_function: sizes are tokens of `tokenizer`"):
        TokenBudgetTextSplitter(length_function=len)
    with pytest.raises(TypeError, match="does not take keep_separator"):
        TokenBudgetTextSplitter(keep_separator=True)
    with pytest.raises(TypeError, match="does not take chunk_sise: there is no such option"):
        TokenBudgetTextSplitter(chunk_sise=5)


def test_the_ways_to_make_one() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    splitter = TokenBudgetTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=14, chunk_overlap=0)
    assert isinstance(splitter, TokenBudgetTextSplitter)
    count = Tokenizer.load("cl100k_base").count
    assert all(count(chunk) <= 14 for chunk in splitter.split_text(text))
    by_model = TokenBudgetTextSplitter.from_tiktoken_encoder(model_name="gpt-4", chunk_size=14, chunk_overlap=0)
    assert by_model.split_text(text) == splitter.split_text(text)
    with pytest.raises(ValueError, match="allowed_special must be empty"):
        TokenBudgetTextSplitter.from_tiktoken_encoder("cl100k_base", allowed_special="all")

    for language in (Language.PYTHON, "python"):
        code = TokenBudgetTextSplitter.from_language(language, chunk_size=14, chunk_overlap=0)
        assert code.split_text(text) == ["def f():\n    return 1", "def g():\n    return 2"]
    markdown = TokenBudgetTextSplitter.from_language(Language.MARKDOWN, chunk_size=12, chunk_overlap=0)
    assert markdown.split_text("# A\n\nText of A, a bit.\n\n# B\n\nText of B, a bit.\n") == [
        "# A\n\nText of A, a bit.",
        "# B\n\nText of B, a bit.",
    ]
    with pytest.raises(ValueError, match="is not supported; choose one of"):
        TokenBudgetTextSplitter.from_language(Language.COBOL)


def test_as_a_transformer_of_documents() -> None:
    """LangChain's standard tests (langchain-tests) have a suite for each class but splitters: their contract is that of a transformer."""
    splitter = TokenBudgetTextSplitter(chunk_size=20, chunk_overlap=4, language="markdown")
    given = [Document(page_content="# A\n\nSome words.\n" * 8, metadata={"tags": ["x"]}), Document(page_content="")]
    before = copy.deepcopy(given)
    found = list(splitter.transform_documents(given))
    assert given == before
    assert found == splitter.split_documents(given) == asyncio.run(splitter.atransform_documents(given))
    assert found[0].metadata == {"tags": ["x"]}
    assert found[0].metadata["tags"] is not given[0].metadata["tags"]
    again = [copy.deepcopy(splitter), pickle.loads(pickle.dumps(splitter))]  # made here
    assert all(list(made.transform_documents(given)) == found for made in again)
