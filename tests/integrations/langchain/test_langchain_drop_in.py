"""The splitters that carry LangChain's names, beside LangChain's: the same arguments, and what its own do wrong."""

from __future__ import annotations

import asyncio
import pickle
import re
from typing import Any

import langchain_text_splitters as theirs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from tokenizers import Tokenizer as HuggingFaceTokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from bpe_engine import Tokenizer
from chunker.integrations import langchain as ours
from chunker.integrations.langchain import Language, TokenBudgetTextSplitter

TOKENIZER = Tokenizer.load("o200k_base")
CHINESE = "東京特許許可局長今日急遽休暇許可拒否𓀀𓀁。" * 30
GUIDE = "intro\n\n# Guide\n\nFirst.\n\n```python\n# no heading\nif x:\n    return 1\n```\n\n## Install\n\n- a\n  - b\n\n# Two\n\nEnd.\n"
HEADERS = [("#", "Header 1"), ("##", "Header 2")]
TEXTS = st.lists(st.sampled_from(["word", " ", ";", "\n", "\n\n", "|", "中文", "🇩🇪", "don't"]), max_size=50).map(
    "".join
)


def word_level() -> HuggingFaceTokenizer:
    """A tokenizer of Hugging Face whose tokens are words, with two special ones around a text."""
    tokenizer = HuggingFaceTokenizer(WordLevel({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "word": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return tokenizer


# --- RecursiveCharacterTextSplitter


@pytest.mark.parametrize("keep", [True, False, "start", "end"])
def test_separators_are_honoured(keep: Any) -> None:
    text = "aaa bbb;ccc ddd;eee fff ggg hhh"
    arguments: dict[str, Any] = {"separators": [";", " "], "keep_separator": keep, "chunk_size": 10, "chunk_overlap": 0}
    expected = theirs.RecursiveCharacterTextSplitter(**arguments).split_text(text)
    assert ours.RecursiveCharacterTextSplitter(**arguments).split_text(text) == expected
    pattern = {**arguments, "separators": ["[;|]", r"\s"], "is_separator_regex": True}
    assert ours.RecursiveCharacterTextSplitter(**pattern).split_text(text) == expected


@settings(max_examples=60)
@given(
    text=TEXTS,
    size=st.integers(3, 20),
    overlap=st.integers(0, 4),
    keep=st.sampled_from([True, False, "start", "end"]),
    strip=st.booleans(),
    separators=st.sampled_from([None, [";", "\n", " ", ""], ["|"]]),
)
@example(text="|\n\n|word", size=3, overlap=0, keep=False, strip=True, separators=["|"])
def test_the_size_holds_and_places_are_exact(
    text: str, size: int, overlap: int, *, keep: Any, strip: bool, separators: list[str] | None
) -> None:
    splitter = ours.RecursiveCharacterTextSplitter(
        separators,
        keep,
        chunk_size=size,
        chunk_overlap=min(overlap, size - 1),
        add_start_index=True,
        strip_whitespace=strip,
    )
    covered = 0
    for document in splitter.create_documents([text]):
        start, content = document.metadata["start_index"], document.page_content
        assert text[start : start + len(content)] == content
        assert 0 < len(content) <= size
        # Between two chunks there is nothing but white space that was stripped and separators that were not kept.
        left_out = (" \n" if strip else "") + ("".join(separators or []) if keep is False else "")
        assert text[covered:start].strip(left_out) == ""
        covered = start + len(content)


def test_a_text_without_separators_is_cut_all_the_same() -> None:
    text = "word " * 50
    assert (
        max(map(len, theirs.RecursiveCharacterTextSplitter(["\n"], chunk_size=40, chunk_overlap=0).split_text(text)))
        > 40
    )
    chunks = ours.RecursiveCharacterTextSplitter(["\n"], chunk_size=40, chunk_overlap=0).split_text(text)
    assert max(map(len, chunks)) <= 40
    assert " ".join(chunks) == text.strip()


def test_lengths_are_those_of_the_function() -> None:
    text = "some words, and then some more of them. " * 20
    asked: list[str] = []

    def count(part: str) -> int:
        asked.append(part)
        return len(TOKENIZER.encode(part))

    by_function = ours.RecursiveCharacterTextSplitter(length_function=count, chunk_size=30, chunk_overlap=0).split_text(
        text
    )
    assert asked
    assert all(TOKENIZER.count(chunk) <= 30 for chunk in by_function)
    # A tokenizer's own method is known for what it is, and nobody is asked anew.
    splitter = ours.RecursiveCharacterTextSplitter(length_function=TOKENIZER.count, chunk_size=30, chunk_overlap=0)
    assert splitter._chunkers.tokenizer is TOKENIZER
    assert splitter.split_text(text) == by_function
    characters = ours.RecursiveCharacterTextSplitter(chunk_size=30, chunk_overlap=0).split_text(text)
    assert 20 < max(map(len, characters)) <= 30


def test_its_own_splitter_goes_over_the_size() -> None:
    """The base class adds up the lengths of parts: 513 tokens where 512 were the limit."""
    text = "".join(
        f" {word}\n" for word in ["Flavoring", "unmistakably", "mosques", "glaciers", "sprawl", "hinges"] * 200
    )
    over = {}
    for package in (theirs, ours):
        over[package] = 0
        for size in range(8, 24):
            splitter = (
                package.RecursiveCharacterTextSplitter.from_tiktoken_encoder(
                    "o200k_base", chunk_size=size, chunk_overlap=0, separators=["\n", " ", ""], keep_separator=False
                )
                if package is ours
                else package.RecursiveCharacterTextSplitter(
                    chunk_size=size,
                    chunk_overlap=0,
                    separators=["\n", " ", ""],
                    keep_separator=False,
                    length_function=TOKENIZER.count,
                )
            )
            over[package] += sum(TOKENIZER.count(chunk) > size for chunk in splitter.split_text(text))
    assert over[theirs] > 0
    assert over[ours] == 0


@pytest.mark.parametrize("language", list(Language))
def test_every_language_of_langchain(language: Language) -> None:
    text = "class A {\n  x = 1;\n}\n\nfunction f() {\n  return 2;\n}\n\n# Title\n\nSome words; and more of them.\n" * 4
    if language == Language.PERL:  # it has a name there, and no separators
        for package in (theirs, ours):
            with pytest.raises(ValueError, match="PERL is not implemented yet"):
                package.RecursiveCharacterTextSplitter.from_language(language)
        return
    splitter = ours.RecursiveCharacterTextSplitter.from_language(
        language, chunk_size=60, chunk_overlap=0, add_start_index=True
    )
    documents = splitter.create_documents([text])
    assert len(documents) > 4
    for document in documents:
        start = document.metadata["start_index"]
        assert text[start : start + len(document.page_content)] == document.page_content
        assert len(document.page_content) <= 60
    assert splitter.get_separators_for_language(Language.RUBY) == (
        theirs.RecursiveCharacterTextSplitter.get_separators_for_language(Language.RUBY)
    )


def test_structure_or_separators_of_a_language() -> None:
    text = 'def f():\n    text = """\ndef g():\n    return 1\n"""\n    return text\n\n\ndef h():\n    return 2\n'
    sizes: dict[str, Any] = {"chunk_size": 72, "chunk_overlap": 0}
    at_separators = ours.RecursiveCharacterTextSplitter.from_language("python", **sizes)
    assert at_separators.split_text(text) == theirs.RecursiveCharacterTextSplitter.from_language(
        Language.PYTHON, **sizes
    ).split_text(text)
    by_structure = ours.RecursiveCharacterTextSplitter(language="python", **sizes)
    assert by_structure.split_text(text) == [text[: text.index("\n\n\ndef h")], "def h():\n    return 2"]
    with pytest.raises(ValueError, match="see the option `language`"):
        ours.RecursiveCharacterTextSplitter.from_language("no such language")
    with pytest.raises(ValueError, match="give one of them"):
        ours.RecursiveCharacterTextSplitter(["\n"], language="python")


@pytest.mark.parametrize("sizes", [(0, 0), (-1, 0), (10, -1), (10, 11)])
def test_errors_are_those_of_the_original(sizes: tuple[int, int]) -> None:
    for name in ("RecursiveCharacterTextSplitter", "TokenTextSplitter"):
        arguments = {"chunk_size": sizes[0], "chunk_overlap": sizes[1]}
        if name == "TokenTextSplitter":
            arguments["encoding_name"] = "o200k_base"  # type: ignore[assignment]  # arguments of any type
        with pytest.raises(ValueError, match="chunk") as raised:
            getattr(ours, name)(**arguments)
        with pytest.raises(ValueError, match="chunk") as expected:
            theirs.RecursiveCharacterTextSplitter(chunk_size=sizes[0], chunk_overlap=sizes[1])
        assert str(raised.value) == str(expected.value)
    with pytest.raises(ValueError, match="separators must be regular expressions"):
        ours.RecursiveCharacterTextSplitter(["("], is_separator_regex=True)


# --- TokenTextSplitter


def test_tokens_without_broken_characters() -> None:
    ids = TOKENIZER.encode(CHINESE)
    tokens = theirs.Tokenizer(chunk_overlap=0, tokens_per_chunk=10, decode=TOKENIZER.decode, encode=TOKENIZER.encode)
    broken = theirs.split_text_on_tokens(text=CHINESE, tokenizer=tokens)
    assert any("\ufffd" in chunk for chunk in broken)
    splitter = ours.TokenTextSplitter("o200k_base", chunk_size=10, chunk_overlap=0)
    chunks = splitter.split_text(CHINESE)
    assert "".join(chunks) == CHINESE
    assert all(TOKENIZER.count(chunk) <= 10 for chunk in chunks)
    assert len(chunks) <= 1.5 * len(ids) / 10
    assert ours.TokenTextSplitter(model_name="gpt-4o", chunk_size=10, chunk_overlap=0).split_text(CHINESE) == chunks
    # White space is text here, as it is there.
    assert "".join(splitter.split_text(" a\n\n b  ")) == " a\n\n b  "
    with pytest.raises(ValueError, match="allowed_special must be empty"):
        ours.TokenTextSplitter("o200k_base", allowed_special={"<|endoftext|>"})


def test_special_tokens_in_a_text_are_text() -> None:
    text = "a <|endoftext|> b " * 20
    chunks = ours.TokenTextSplitter("o200k_base", chunk_size=12, chunk_overlap=3).split_text(text)
    assert all(TOKENIZER.count(chunk) <= 12 for chunk in chunks)


# --- MarkdownHeaderTextSplitter


@pytest.mark.parametrize("strip", [True, False])
def test_headings_go_into_the_metadata_as_the_original_has_them(strip: bool) -> None:
    expected = theirs.MarkdownHeaderTextSplitter(HEADERS, strip_headers=strip).split_text(GUIDE)
    made = ours.MarkdownHeaderTextSplitter(HEADERS, strip_headers=strip, add_start_index=True).split_text(GUIDE)
    for document in made:
        start = document.metadata.pop("start_index")
        assert GUIDE[start : start + len(document.page_content)] == document.page_content
    assert [document.metadata for document in made] == [document.metadata for document in expected]
    # The words are the same; the original loses the indentation of code and of lists.
    assert [document.page_content.split() for document in made] == [
        document.page_content.split() for document in expected
    ]
    assert "    return 1" in made[1].page_content
    assert "    return 1" not in expected[1].page_content


def test_a_heading_alone_stays_with_the_next_one_below_it() -> None:
    text = "# A\n## B\nwords\n# C\n"
    for package in (theirs, ours):
        documents = package.MarkdownHeaderTextSplitter(HEADERS, strip_headers=False).split_text(text)
        assert [document.metadata for document in documents] == [{"Header 1": "A", "Header 2": "B"}, {"Header 1": "C"}]
        assert documents[0].page_content.split() == ["#", "A", "##", "B", "words"]
        assert [d.page_content for d in package.MarkdownHeaderTextSplitter(HEADERS).split_text(text)] == ["words"]


def test_patterns_of_ones_own() -> None:
    text = "**Title**\n\nSome words.\n\n***Sub***\n\nMore **bold** words.\n\n```\n**code**\n```\n\n§ Law\n\nEnd.\n"
    arguments: dict[str, Any] = {
        "headers_to_split_on": [("**", "one"), ("***", "two"), ("§", "law")],
        "custom_header_patterns": {"**": 1, "***": 2},
    }
    expected = theirs.MarkdownHeaderTextSplitter(**arguments).split_text(text)
    made = ours.MarkdownHeaderTextSplitter(**arguments).split_text(text)
    assert [document.metadata for document in made] == [document.metadata for document in expected]
    assert [document.page_content.split() for document in made] == [
        document.page_content.split() for document in expected
    ]


def test_a_document_for_each_block() -> None:
    made = ours.MarkdownHeaderTextSplitter(HEADERS, return_each_line=True).split_text(GUIDE)
    expected = theirs.MarkdownHeaderTextSplitter(HEADERS, return_each_line=True).split_text(GUIDE)
    assert [(document.page_content.split(), document.metadata) for document in made] == [
        (document.page_content.split(), document.metadata) for document in expected
    ]


def test_sections_within_a_budget() -> None:
    text = "# Guide\n\n" + "Some words of a paragraph.\n\n" * 30 + "Setext\n------\n\nEnd.\n"
    splitter = ours.MarkdownHeaderTextSplitter(HEADERS, chunk_size=20, chunk_overlap=4, add_start_index=True)
    documents = splitter.split_text(text)
    assert len(documents) > 10
    for document in documents:
        start = document.metadata["start_index"]
        assert text[start : start + len(document.page_content)] == document.page_content
        assert TOKENIZER.count(document.page_content) <= 20
        assert document.metadata["Header 1"] == "Guide"
    assert documents[-1].metadata["Header 2"] == "Setext"
    with pytest.raises(ValueError, match="needs a chunk_size"):
        ours.MarkdownHeaderTextSplitter(HEADERS, chunk_overlap=4)


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["# A\n", "## B\n", "words\n", "\n", "```\n", "- x\n", "> # q\n", "---\n", "\ufeff", "中\r\n"])
    ),
    st.booleans(),
)
def test_nothing_but_headings_and_white_space_is_left_out(parts: list[str], strip: bool) -> None:
    text = "".join(parts)
    covered = 0
    for document in ours.MarkdownHeaderTextSplitter(HEADERS, strip_headers=strip, add_start_index=True).split_text(
        text
    ):
        start = document.metadata["start_index"]
        assert text[start : start + len(document.page_content)] == document.page_content
        left_out = text[covered:start]
        assert re.fullmatch(r"\s*(?:[^\n]*\n\s*)*" if strip else r"[\s\ufeff]*", left_out), left_out
        covered = start + len(document.page_content)


# --- what all of them can do


def test_tokenizers_of_hugging_face() -> None:
    text = "word word, word " * 30
    splitter = TokenBudgetTextSplitter.from_huggingface_tokenizer(word_level(), chunk_size=10, chunk_overlap=0)
    chunks = splitter.split_text(text)
    lengths = [len(word_level().encode(chunk, add_special_tokens=False)) for chunk in chunks]
    # As the original counts: without the special tokens around a text.
    assert max(lengths) == 10
    with pytest.raises(ValueError, match="not an instance of PreTrainedTokenizerBase"):
        TokenBudgetTextSplitter.from_huggingface_tokenizer("bert-base-uncased")


def test_tokenizers_of_transformers() -> None:
    transformers = pytest.importorskip("transformers", reason="needs transformers, which no extra brings")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=word_level(), unk_token="[UNK]")
    text = "word word, word " * 30
    arguments: dict[str, Any] = {"chunk_size": 10, "chunk_overlap": 0}
    mine = ours.RecursiveCharacterTextSplitter.from_huggingface_tokenizer(fast, **arguments).split_text(text)
    assert max(len(fast.tokenize(chunk)) for chunk in mine) == 10
    assert theirs.RecursiveCharacterTextSplitter.from_huggingface_tokenizer(fast, **arguments).split_text(text)


def test_what_is_known_of_a_chunk() -> None:
    splitter = TokenBudgetTextSplitter(chunk_size=12, chunk_overlap=0, language="auto", add_chunk_metadata=True)
    source = "class Circle:\n    def area(self):\n        return 'é'\n\n    def name(self):\n        return 'circle'\n"
    documents = splitter.split_documents([Document(page_content=source, metadata={"source": "shapes.py"})])
    assert len(documents) > 1
    lines = source.splitlines()
    for document in documents:
        told, content = document.metadata, document.page_content
        assert source[told["start_index"] : told["end_index"]] == content
        assert source.encode()[told["start_byte"] : told["end_byte"]].decode() == content
        assert TOKENIZER.count(content) == told["token_count"] <= 12
        assert content.splitlines()[0] in lines[told["start_line"] - 1]
        assert content.splitlines()[-1] in lines[told["end_line"] - 1]
        assert told["language"] == "python"
        assert told["source"] == "shapes.py"
    assert [document.metadata["breadcrumb"] for document in documents][-1].startswith("class Circle")


def test_documents_are_transformed_in_the_background() -> None:
    splitter = ours.RecursiveCharacterTextSplitter(chunk_size=30, chunk_overlap=0, add_start_index=True)
    documents = [Document(page_content="Some words. " * 20, metadata={"source": "a"})]
    expected = splitter.split_documents(documents)
    assert list(splitter.transform_documents(documents)) == expected
    assert list(asyncio.run(splitter.atransform_documents(documents))) == expected
    assert len(expected) > 3


def test_in_a_chain_of_langchain() -> None:
    pytest.importorskip("numpy", reason="LangChain's store in memory needs numpy")

    splitter = TokenBudgetTextSplitter(chunk_size=12, chunk_overlap=0, language="markdown", add_chunk_metadata=True)
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    chain = RunnableLambda(splitter.split_documents) | RunnableLambda(store.add_documents)
    ids = chain.invoke([Document(page_content=GUIDE)])
    stored = store.get_by_ids(ids)
    assert [document.page_content for document in stored] == splitter.split_text(GUIDE)
    found = store.similarity_search(stored[2].page_content, k=1)[0]
    assert found.page_content == stored[2].page_content


def test_a_length_that_is_not_whole() -> None:
    def quarter(text: str) -> float:
        return len(text) / 4

    chunks = ours.RecursiveCharacterTextSplitter(length_function=quarter, chunk_size=30, chunk_overlap=0).split_text(
        GUIDE * 20
    )
    in_characters = ours.RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0).split_text(GUIDE * 20)
    assert len(chunks) > 1
    assert max(map(quarter, chunks)) <= 30
    assert max(map(len, in_characters)) <= 120
    again = pickle.loads(
        pickle.dumps(ours.RecursiveCharacterTextSplitter(length_function=_third, chunk_size=30, chunk_overlap=0))
    )
    assert max(map(_third, again.split_text(GUIDE * 20))) <= 30


def _third(text: str) -> float:
    return len(text) / 3


@pytest.mark.parametrize("length", [-1, float("nan"), float("inf"), "3", None, True])
def test_no_length(length: Any) -> None:
    splitter = ours.RecursiveCharacterTextSplitter(length_function=lambda _text: length, chunk_size=30, chunk_overlap=0)
    with pytest.raises(ValueError, match=r"^length_function must return a length, a number from 0; .* returned "):
        splitter.split_text("Some text.")
