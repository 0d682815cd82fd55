"""The law of counters for tokenizers of Hugging Face: after every call the count is what the package itself counts."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tokenizers import INCREMENTAL, RECOUNTED, corpus, small
from tokenizers import Tokenizer, models, pre_tokenizers

from chunker import OptionError, TextChunker
from chunker.counting import HuggingFaceCounter, resolve_tokenizer
from chunker.counting.growing_tails import TailAppender
from chunker.counting.pipelines import _PLAIN, _plain_characters, cuts_of

ALL = {**INCREMENTAL, **RECOUNTED}
# What configurations differ in: spaces, their neighbours, marks that stick to them, words that are too long, special
# tokens.
PIECES = st.sampled_from(
    [
        *" \n\t\r.,'`_-([]1aAé中文한я½¨▁\u0301\u00a0\u3000\u200b\ufffd\0\ud83d\ude00😀؀",
        "  ", "   ", "\r\n", "``", "''", "don't", "the", " chunk", "chunk,er", "ing ", "tokens", " the chunker", "Größe",
        "x" * 7, "x" * 60, "中文字符", "한국어 ", "[MASK]", "[EAT]", " <mask>", "<unk>", "</s>", "ﷺ", "a ́b", "I'll ",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@functools.cache
def counter_of(name: str) -> HuggingFaceCounter:
    return HuggingFaceCounter(small(name))


def packages_count(name: str) -> Callable[[str], int]:
    tokenizer = small(name)
    return lambda text: len(
        tokenizer.encode(regex.sub(r"[\ud800-\udfff]", "\ufffd", text), add_special_tokens=False).ids
    )


@pytest.mark.parametrize("name", ALL)
def test_what_is_known_to_come_apart(name: str) -> None:
    assert counter_of(name).incremental == (name in INCREMENTAL)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60)
@given(pieces=st.lists(TEXTS, max_size=6))
def test_growing_counts_are_fresh_counts(name: str, pieces: list[str]) -> None:
    count = packages_count(name)
    counter = counter_of(name)
    to_the_right, to_the_left = counter.appending_encoder(), counter.prepending_encoder()
    marks = [(to_the_right.snapshot(), 0)]
    right = left = ""
    for piece in pieces:
        to_the_right.append(piece)
        right += piece
        # Asked after every other call only: what was not asked must not be missed.
        if len(marks) % 2:
            assert to_the_right.count == count(right)
        marks.append((to_the_right.snapshot(), len(right)))
        to_the_left.prepend(piece)
        left = piece + left
        assert to_the_left.count == count(left)
    for mark, length in reversed(marks):
        to_the_right.rollback(mark)
        assert to_the_right.count == count(right[:length])
        to_the_right.append("ing the")
        assert to_the_right.count == count(right[:length] + "ing the")


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40)
@given(text=TEXTS, limit=st.integers(-1, 40))
def test_counts_up_to_a_limit(name: str, text: str, limit: int) -> None:
    expected = packages_count(name)(text)
    counter = counter_of(name)
    assert counter.count(text) == expected
    assert counter.count_up_to(text, limit) == (expected if expected <= limit else None)


@pytest.mark.parametrize("name", INCREMENTAL)
def test_long_texts_in_small_pieces(name: str) -> None:
    text = "".join(corpus())[:20_000]
    encoder = counter_of(name).appending_encoder()
    for at in range(0, len(text), 37):
        encoder.append(text[at : at + 37])
    assert encoder.count == packages_count(name)(text)
    assert encoder.settled > 0.99 * encoder.count


@pytest.mark.parametrize("name", ["bert, uncased", "t5", "gpt2", "llama2", "token of letters"])
@settings(max_examples=30)
@given(text=TEXTS.map(lambda text: text * 4), max_tokens=st.integers(20, 60), overlap=st.integers(0, 10))
def test_chunks_keep_the_budget(name: str, text: str, max_tokens: int, overlap: int) -> None:
    count = packages_count(name)
    chunks = TextChunker(max_tokens, tokenizer=counter_of(name), overlap=overlap).chunk(text)
    for chunk in chunks:
        assert chunk.token_count == count(chunk.text) <= max_tokens
    if not overlap:
        assert "".join(chunk.body for chunk in chunks) == text


def test_plain_characters_are_what_is_said_of_them() -> None:
    import unicodedata  # noqa: PLC0415  # for this test alone

    characters = _plain_characters()
    assert len(characters) > 30_000
    assert {"a", "é", "中", "한", "я", "9"} <= set(characters)
    for character in characters:
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            normal = unicodedata.normalize(form, f"{character} {character}")
            halves = normal.split(" ")
            assert halves == [unicodedata.normalize(form, character)] * 2
        assert regex.findall(r"\X", f"{character} {character}") == [character, " ", character]
    assert not regex.search(_PLAIN, "\u0301\u200d\u0600\u1160\u0e33 \u00a0\ufe70\ufc5e", regex.V1)


def test_a_word_without_end_is_read_about_once() -> None:
    """Longer than WordPiece takes: one unknown token, of however many letters."""
    tokenizer = small("bert, uncased")
    read = 0

    def count(text: str) -> int:
        nonlocal read
        read += len(text)
        return counter_of("bert, uncased").count(text)

    encoder = TailAppender(count, cuts_of(tokenizer))
    for _ in range(200):
        encoder.append("letters" * 50)
        assert encoder.count == 1
    encoder.append(" more, letters")
    assert encoder.count == 1 + counter_of("bert, uncased").count(" more, letters")
    assert read < 200 * 7 * 50


def test_the_tokens_around_a_text_are_the_reserve() -> None:
    tokenizer = small("bert, uncased")
    counter = HuggingFaceCounter(tokenizer)
    assert counter.reserve == 2
    assert len(tokenizer.encode("some text").ids) == counter.count("some text") + counter.reserve
    assert HuggingFaceCounter(tokenizer, add_special_tokens=False).reserve == 0
    assert HuggingFaceCounter(small("t5")).reserve == 1
    assert HuggingFaceCounter(small("gpt2")).reserve == 0


def test_truncation_and_padding_do_not_reach_the_count() -> None:
    tokenizer = Tokenizer.from_str(small("bert, uncased").to_str())
    tokenizer.enable_truncation(max_length=4)
    tokenizer.enable_padding(length=64)
    text = "one two three four five six seven"
    counter = HuggingFaceCounter(tokenizer)
    assert counter.count(text) == packages_count("bert, uncased")(text) > 4
    assert counter.reserve == 2
    # And the tokenizer that was handed over is as it was.
    assert len(tokenizer.encode(text).ids) == 64
    tokenizer.no_padding()
    assert len(tokenizer.encode(text).ids) == 4


@given(scores=st.lists(st.floats(-20, -1e-3), min_size=3, max_size=3), text=st.text("xyz", max_size=24))
def test_equally_good_splits_are_those_of_the_object(scores: list[float], text: str) -> None:
    """The last bit of a score decides which one is taken, and writing a tokenizer to a file rounds it."""
    x, y, z = scores
    words = {"<unk>": 0.0, "x": x, "y": y, "z": z, "xy": x + y, "yz": y + z, "xyz": x + y + z}
    tokenizer = Tokenizer(models.Unigram(list(words.items()), 0, byte_fallback=False))
    number = len(tokenizer.encode(text).ids)
    assert HuggingFaceCounter(tokenizer).count(text) == number
    assert resolve_tokenizer(tokenizer).count(text) == number


def test_special_tokens_in_the_text_are_what_the_tokenizer_says() -> None:
    tokenizer = Tokenizer.from_str(small("bert, uncased").to_str())
    as_special = HuggingFaceCounter(tokenizer).count("[SEP]")
    tokenizer.encode_special_tokens = True
    as_text = HuggingFaceCounter(tokenizer).count("[SEP]")
    assert as_special == 1 < as_text == len(tokenizer.encode("[SEP]", add_special_tokens=False).ids)


class ByHand:
    """A pre-tokenizer in Python, which cannot be copied, and says nothing of what it does."""

    def pre_tokenize(self, text: pre_tokenizers.PreTokenizedString) -> None:  # type: ignore[name-defined]  # not in the stubs
        text.split(lambda _, part: part.split(" ", "merged_with_next"))


def test_a_pre_tokenizer_written_in_python() -> None:
    tokenizer = Tokenizer.from_str(small("word level").to_str())
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(ByHand())
    counter = HuggingFaceCounter(tokenizer)
    assert not counter.incremental
    assert counter.count("one two three") == 3
    tokenizer.enable_truncation(2)
    with pytest.raises(OptionError, match="must neither truncate nor pad"):
        HuggingFaceCounter(tokenizer)


def test_counts_that_are_left_to_chance_are_refused() -> None:
    tokenizer = Tokenizer(models.BPE(dropout=0.1))
    with pytest.raises(OptionError, match="must not have dropout"):
        resolve_tokenizer(tokenizer)


@pytest.mark.parametrize("name", ["bert, uncased", "llama2"])
def test_a_counter_pickles(name: str) -> None:
    counter = HuggingFaceCounter(small(name), add_special_tokens=False)
    again = pickle.loads(pickle.dumps(counter))
    assert (again.reserve, again.incremental) == (0, counter.incremental)
    assert again.count("one two") == counter.count("one two")
    chunker = pickle.loads(pickle.dumps(TextChunker(20, tokenizer=counter)))
    assert chunker.chunk("one two " * 30) == TextChunker(20, tokenizer=counter).chunk("one two " * 30)


class Wrapper:
    """Has the shape of a fast tokenizer of transformers, around a real one."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.backend_tokenizer = tokenizer

    def __call__(self, text: str) -> dict[str, list[int]]:
        raise AssertionError("the real one is to be asked")


def test_what_transformers_wraps_is_unwrapped() -> None:
    counter = resolve_tokenizer(Wrapper(small("t5")))
    assert isinstance(counter, HuggingFaceCounter)
    assert counter.count("one two") == packages_count("t5")("one two")
    with pytest.raises(OptionError, match="must be one of the packages"):
        HuggingFaceCounter("bert-base-uncased")
