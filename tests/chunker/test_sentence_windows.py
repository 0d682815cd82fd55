"""Single sentences to find, windows and parents of a hierarchy to read."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import (
    MarkdownChunker,
    OptionError,
    TextChunker,
    WrongTypeError,
    chunk_hierarchy,
    sentence_chunker,
    window_around,
)
from chunker.formats.markup.markdown import MarkdownFormat
from chunker.formats.text import sentences
from chunker.formats.text.sentences import SentenceFormat

TOKENIZER = Tokenizer.load("o200k_base")
PIECES = [
    "One. ",
    "It goes\non here! ",
    "\n\n",
    "# Head\n\n",
    "- item\n",
    "x" * 90,
    "Is it? ",
    "中文。",
    "Mr. ",
    "  ",
    "| a | b |\n",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
STORY = "# Tower\n\n" + "".join(f"Step {number} is of iron. " for number in range(12)) + "\n\n## End\n\nThe last one.\n"


def test_a_sentence_a_chunk() -> None:
    text = "# Tower\n\nIt is high,\nand of iron. Who climbs it? Everyone!\n\n- a lift\n- stairs. Many of them.\n"
    assert [chunk.body for chunk in sentence_chunker(format="markdown").chunk(text)] == [
        "# Tower\n\nIt is high,\nand of iron. ",
        "Who climbs it? ",
        "Everyone!\n\n",
        "- a lift\n",
        "- stairs. ",
        "Many of them.\n",
    ]
    chunks = sentence_chunker(format="markdown").chunk(text)
    assert [chunk.breadcrumb for chunk in chunks][-1] == ("Tower",)
    assert [chunk.kind for chunk in chunks][2] == "sentence"
    assert [chunk.body for chunk in sentence_chunker().chunk("One.\nTwo is\nlong. Three of them")] == [
        "One.\n",
        "Two is\nlong. ",
        "Three of them",
    ]


def test_a_long_sentence_is_cut_into_as_few_parts_as_can_be() -> None:
    long = "It has many words and goes on and on "
    chunks = sentence_chunker(16).chunk("One. Two. " + long * 6 + "to here. Three.")
    assert [chunk.body for chunk in chunks if chunk.body[0].isupper()] == ["One. ", "Two. ", chunks[2].body, "Three."]
    assert [chunk.token_count for chunk in chunks[2:-2]] == [16, 16, 16]
    assert all(chunk.token_count == 16 for chunk in sentence_chunker(16).chunk(long * 6)[:-1])
    # Else many a character, and for each of them all that could be in its chunk was read again.
    assert len(sentence_chunker(16).chunk("_" * 4_000)) < 20


@given(text=TEXTS)
def test_the_compiled_core_finds_the_same_sentences(text: str) -> None:
    found = SentenceFormat(MarkdownFormat()).outline(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "_compiled", None)
        assert SentenceFormat(MarkdownFormat()).outline(text).boundaries == found.boundaries


@settings(max_examples=40, deadline=None)
@given(text=TEXTS, kind=st.sampled_from(["text", "markdown"]), context=st.booleans())
def test_sentences_keep_the_laws(text: str, kind: str, *, context: bool) -> None:
    chunks = sentence_chunker(20, format=kind, context=context).chunk(text)
    assert "".join(chunk.body for chunk in chunks) == text
    assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= 20 for chunk in chunks)


@settings(max_examples=60, deadline=None)
@given(
    text=TEXTS.filter(bool),
    data=st.data(),
    size=st.integers(0, 6),
    limit=st.none() | st.integers(20, 60),
    overlap=st.sampled_from([0, 6]),
)
def test_windows_are_slices_within_the_budget(
    text: str, data: st.DataObject, size: int, limit: int | None, overlap: int
) -> None:
    chunks = TextChunker(20, overlap=overlap, min_tokens=0).chunk(text)
    number = data.draw(st.integers(0, len(chunks) - 1))
    window = window_around(chunks, number, size, max_tokens=limit)
    assert text[window.start : window.end] == window.text
    assert window.start <= chunks[number].span.start
    assert chunks[number].span.end <= window.end
    assert window.token_count == TOKENIZER.count(window.text) <= (limit or 10**9)
    assert number - size <= window.first <= number <= window.last <= number + size
    for first, last in ((window.first - 1, window.last), (window.first, window.last + 1)):
        if limit is None and first >= 0 and last < len(chunks):
            assert first < number - size or last > number + size
        elif (
            limit is not None and first >= 0 and last < len(chunks) and number - size <= first and last <= number + size
        ):
            assert TOKENIZER.count(text[chunks[first].span.start : chunks[last].span.end]) > limit


def test_a_side_that_does_not_fit_ends_and_the_other_goes_on() -> None:
    sentences = sentence_chunker().chunk("A. " + "Long words of it " * 9 + ". B. C. D. E.")
    window = window_around(sentences, 2, 3, max_tokens=9)
    assert (window.first, window.last, window.text) == (2, 5, "B. C. D. E.")


def test_windows_and_parents_of_a_hierarchy() -> None:
    hierarchy = chunk_hierarchy(STORY, [MarkdownChunker(60, min_tokens=0), sentence_chunker(30, format="markdown")])
    leaves = hierarchy.leaves
    assert len(hierarchy.levels[0]) > 1
    found = next(leaf for leaf in leaves if leaf.body == "Step 5 is of iron. ")
    assert hierarchy.window(found, 1).text == "Step 4 is of iron. Step 5 is of iron. Step 6 is of iron. "
    assert hierarchy.window(found.id, 9, max_tokens=16).text == "Step 4 is of iron. Step 5 is of iron. "
    assert hierarchy.parents([leaves[-1], found, leaves[-2]]) == [
        hierarchy.node(str(leaves[-1].parent)),
        hierarchy.node(str(found.parent)),
    ]
    assert hierarchy.parents([found.id], level=1) == [found]
    assert hierarchy.parents(hierarchy.levels[0], level=1) == list(hierarchy.levels[0])


def test_children_are_merged_where_most_were_found() -> None:
    hierarchy = chunk_hierarchy(STORY, [TextChunker(120), TextChunker(40, min_tokens=0), sentence_chunker(30)])
    family = max(hierarchy.levels[1], key=lambda node: len(node.children))
    children = [hierarchy.node(child) for child in family.children]
    half = len(children) // 2
    assert hierarchy.merged(children[:half]) == children[:half]
    other = next(leaf for leaf in hierarchy.leaves if leaf.parent != family.id)
    most = [children[0], other, *children[1 : half + 1]]
    assert hierarchy.merged(most, 0.49)[0] in (family, *hierarchy.levels[0])
    assert hierarchy.merged([children[0], other], 0) == hierarchy.parents([children[0], other])
    # All leaves are all of the text; and what lies in another one that was found is not told twice.
    assert hierarchy.merged(hierarchy.leaves) == list(hierarchy.levels[0])
    assert hierarchy.merged([children[0].id, family]) == [family]
    for share in (-0.1, 1):
        with pytest.raises(OptionError, match="share must be"):
            hierarchy.merged(children, share)
    with pytest.raises(KeyError):
        hierarchy.parents(["no such id"])
    for wrong in (None, "id", [5]):
        with pytest.raises(WrongTypeError, match=r"found must .* chunks of this hierarchy or their ids"):
            hierarchy.parents(wrong)  # type: ignore[arg-type]  # what is tested
        with pytest.raises(WrongTypeError, match="found must"):
            hierarchy.merged(wrong)  # type: ignore[arg-type]  # what is tested


def test_what_is_refused_and_values() -> None:
    chunks = sentence_chunker().chunk("One. Two.")
    with pytest.raises(OptionError, match="number must be that of one of the 2 chunks, counted from 0; got 2"):
        window_around(chunks, 2)
    with pytest.raises(OptionError, match="number must be that of one of the 0 chunks"):
        window_around([], 0)
    with pytest.raises(WrongTypeError, match=r"max_tokens must be a whole number, got '5'$"):
        window_around(chunks, 0, max_tokens="5")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(OptionError, match="size must be"):
        window_around(chunks, 0, -1)
    with pytest.raises(OptionError, match="alone has more than max_tokens"):
        window_around(chunks, 0, max_tokens=1)
    with pytest.raises(WrongTypeError, match="format must be"):
        sentence_chunker(format=3)  # type: ignore[arg-type]  # what is tested
    assert sentence_chunker() == sentence_chunker()
    assert sentence_chunker() != sentence_chunker(format="markdown")
    assert pickle.loads(pickle.dumps(sentence_chunker())).chunk("One. Two.") == chunks
