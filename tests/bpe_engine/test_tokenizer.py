"""The rest of Tokenizer: the names of tiktoken, special tokens, truncation, limits, custom patterns, errors."""

from __future__ import annotations

import inspect
import math
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
from huggingface_files import both, family
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import ENCODINGS, tiktoken_encoding, tokenizer
from strategies import broken_texts, byte_strings, texts

import bpe_engine
from bpe_engine import (
    DisallowedSpecialTokenError,
    EncodingError,
    Pattern,
    Tokenizer,
    UnknownEncodingError,
    UnknownTokenError,
    Vocabulary,
    VocabularyError,
    encoding_for_model,
    get_encoding,
)
from bpe_engine.formats.tiktoken import dump_tiktoken
from bpe_engine.patterns import CL100K

# What a user of tiktoken.Encoding finds missing here: the completions of a prompt that ends inside a token.
NOT_OFFERED = {"encode_with_unstable"}


def test_public_names_are_sorted_and_there() -> None:
    assert bpe_engine.__all__ == sorted(bpe_engine.__all__)
    assert all(hasattr(bpe_engine, name) for name in bpe_engine.__all__)


def test_the_names_of_tiktoken() -> None:
    theirs = {name for name in dir(tiktoken.Encoding) if not name.startswith("_")}
    assert theirs - set(dir(tokenizer("o200k_base"))) == NOT_OFFERED


def parameters(function: Any) -> set[str]:
    """The names of the parameters; of a compiled function from the signature that it brings in place of a Python one."""
    try:
        return set(inspect.signature(function).parameters)
    except ValueError:
        ((signature, *_),) = function.__nb_signature__
        return {"self", *re.findall(r"(\w+):", signature)}


def test_the_parameters_of_tiktoken() -> None:
    """Whoever passes arguments by name may go on doing so."""
    for name, theirs in inspect.getmembers(tiktoken.Encoding, inspect.isfunction):
        if not name.startswith("_") and name not in NOT_OFFERED:
            assert parameters(theirs) <= parameters(getattr(Tokenizer, name)), name


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_facts_about_a_vocabulary(name: str) -> None:
    ours, theirs = tokenizer(name), tiktoken_encoding(name)
    assert ours.name == theirs.name
    assert ours.n_vocab == theirs.n_vocab
    assert ours.max_token_value == theirs.max_token_value
    assert ours.eot_token == theirs.eot_token
    assert ours.special_tokens_set == theirs.special_tokens_set
    assert ours.token_byte_values() == theirs.token_byte_values()
    assert [ours.is_special_token(token) for token in (0, ours.eot_token)] == [False, True]
    for token in (0, 255, 1000, 100_000, ours.eot_token):
        data = ours.decode_single_token_bytes(token)
        assert data == theirs.decode_single_token_bytes(token)
        assert ours.encode_single_token(data) == theirs.encode_single_token(data) == token


def test_harmony_is_o200k_with_more_specials() -> None:
    harmony = Tokenizer.load("o200k_harmony")
    assert harmony.encode("<|start|>user", allowed_special="all") == [200006, *tokenizer("o200k_base").encode("user")]
    assert harmony.n_vocab == 201088


def test_models_and_encodings() -> None:
    assert Tokenizer.load("gpt-4o").name == "o200k_base"
    assert encoding_for_model("text-embedding-3-small") is get_encoding("cl100k_base")
    with pytest.raises(UnknownEncodingError, match="o200k_base") as caught:
        Tokenizer.load("o200k_bass")
    # What tiktoken raises for an encoding, and for a model.
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, KeyError)
    assert bpe_engine.encoding_name_for_model("gpt-4") == "cl100k_base"
    assert set(tiktoken.list_encoding_names()) == set(bpe_engine.list_encoding_names())
    with pytest.raises(TypeError, match="name of an encoding"):
        Tokenizer.load(3)  # type: ignore[arg-type]


# --- special tokens

SPECIALS = ["<|endoftext|>", "<|endofprompt|>", "<|endof", "text|>", "<|endoftext|><|endoftext|>", "a", " ", "中"]


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=150)
@given(
    parts=st.lists(st.sampled_from(SPECIALS), max_size=6),
    allowed=st.one_of(st.just("all"), st.sets(st.sampled_from(SPECIALS[:2]))),
    disallowed=st.one_of(st.just("all"), st.just(()), st.sets(st.sampled_from(SPECIALS[:2]))),
)
def test_special_tokens_as_in_tiktoken(name: str, parts: list[str], allowed: Any, disallowed: Any) -> None:
    text = "".join(parts)
    try:
        expected = tiktoken_encoding(name).encode(text, allowed_special=allowed, disallowed_special=disallowed)
    except ValueError:
        with pytest.raises(DisallowedSpecialTokenError, match="disallowed special token"):
            tokenizer(name).encode(text, allowed_special=allowed, disallowed_special=disallowed)
    else:
        assert tokenizer(name).encode(text, allowed_special=allowed, disallowed_special=disallowed) == expected


def test_special_tokens_are_plain_text_by_default() -> None:
    ours = tokenizer("cl100k_base")
    assert ours.encode("<|endoftext|>") == tiktoken_encoding("cl100k_base").encode_ordinary("<|endoftext|>")
    assert ours.count("<|endoftext|>") == len(ours.encode("<|endoftext|>")) > 1


def test_any_text_may_be_disallowed() -> None:
    with pytest.raises(DisallowedSpecialTokenError, match="'secret' at character 4"):
        tokenizer("cl100k_base").encode("the secret", disallowed_special={"secret"})


@pytest.mark.parametrize("option", ["allowed_special", "disallowed_special"])
def test_special_tokens_are_not_named_by_a_str(option: str) -> None:
    options: dict[str, Any] = {option: "<|endoftext|>"}
    with pytest.raises(TypeError, match="collection of str"):
        tokenizer("cl100k_base").encode("a", **options)


def test_an_empty_text_is_no_special_token() -> None:
    assert tokenizer("cl100k_base").encode("a", disallowed_special={""}) == [64]


def test_the_longest_of_overlapping_specials() -> None:
    ours = Tokenizer(Vocabulary.from_tokens([b"a", b"b"], special_tokens={"<a": 7, "<ab>": 8, "b>": 9}))
    assert ours.encode("<ab><a", allowed_special="all") == [8, 7]


# --- counting and cutting


@pytest.mark.parametrize("name", [*ENCODINGS, "r50k", "whole"])
@settings(max_examples=120)
@given(text=texts(8), max_tokens=st.integers(0, 12))
def test_truncate_is_the_longest_that_fits(name: str, text: str, max_tokens: int) -> None:
    count = tokenizer(name).count
    size = len(text)
    head = max(length for length in range(size + 1) if count(text[:length]) <= max_tokens)
    tail = max(length for length in range(size + 1) if count(text[size - length :]) <= max_tokens)
    assert tokenizer(name).truncate(text, max_tokens) == text[:head]
    assert tokenizer(name).truncate(text, max_tokens, side="tail") == text[size - tail :]


@given(text=broken_texts(12), max_tokens=st.integers(0, 6))
def test_truncate_keeps_surrogates_as_they_are(text: str, max_tokens: int) -> None:
    ours = tokenizer("o200k_base")
    head, tail = ours.truncate(text, max_tokens), ours.truncate(text, max_tokens, side="tail")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert max(ours.count(head), ours.count(tail)) <= max_tokens


@given(text=texts(8), max_tokens=st.integers(0, 6), broken=byte_strings())
def test_truncate_bytes(text: str, max_tokens: int, broken: bytes) -> None:
    ours = tokenizer("cl100k_base")
    assert ours.truncate(text.encode(), max_tokens) == ours.truncate(text, max_tokens).encode()
    assert (
        ours.truncate(text.encode(), max_tokens, side="tail") == ours.truncate(text, max_tokens, side="tail").encode()
    )
    head, tail = ours.truncate(broken, max_tokens), ours.truncate(broken, max_tokens, side="tail")
    assert broken.startswith(head)
    assert broken.endswith(tail)
    assert max(ours.count(head), ours.count(tail)) <= max_tokens


@pytest.mark.parametrize("unit", ["a", " ", "中", "ab", "\n ", "word "])
@pytest.mark.parametrize("name", ["cl100k_base", "whole"])
def test_truncate_long(name: str, unit: str) -> None:
    ours = tokenizer(name)
    text = (unit * 3000)[:3000]
    for side in ("head", "tail"):
        kept = ours.truncate(text, 20, side=side)
        longer = text[: len(kept) + 1] if side == "head" else text[-len(kept) - 1 :]
        assert ours.count(kept) <= 20 < ours.count(longer)


@pytest.mark.parametrize(("max_tokens", "side"), [(-1, "head"), (3, "middle")])
def test_truncate_refuses(max_tokens: int, side: Any) -> None:
    with pytest.raises(ValueError, match=r"max_tokens|side"):
        tokenizer("cl100k_base").truncate("a", max_tokens, side=side)


@pytest.mark.parametrize("name", [*ENCODINGS, "whole"])
@given(text=st.one_of(texts(12), byte_strings()), limit=st.integers(0, 40))
def test_count_up_to(name: str, text: str | bytes, limit: int) -> None:
    count = tokenizer(name).count(text)
    assert tokenizer(name).count_up_to(text, limit) == (count if count <= limit else None)


@pytest.mark.parametrize("side", ["head", "tail"])
def test_limits_of_any_size(side: Any) -> None:
    assert tokenizer("o200k_base").truncate("one two", 1 << 90, side) == "one two"
    assert tokenizer("o200k_base").count_up_to("one two", 1 << 90) == 2
    assert tokenizer("o200k_base").count_up_to("one two", -(1 << 90)) is None


@pytest.mark.parametrize("name", ["o200k_base", "whole"])
def test_count_up_to_stops_soon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    append = bpe_engine.AppendingEncoder.append

    def counted(encoder: bpe_engine.AppendingEncoder, text: str | bytes) -> None:
        read.append(len(text))
        append(encoder, text)

    monkeypatch.setattr(bpe_engine.AppendingEncoder, "append", counted)
    for text, most in (("some words and more " * 5_000, 3_000), ("letters" * 14_000, 3_000), (" " * 99_000, 15_000)):
        read.clear()
        assert tokenizer(name).count_up_to(text, 100) is None
        assert sum(read) < most


def test_offsets_are_in_the_unit_of_the_text() -> None:
    ours = tokenizer("cl100k_base")
    ids, offsets = ours.encode_with_offsets("\ud83d\ude00 b")
    assert (ids[-1], offsets[0], offsets[-1]) == (ours.encode_single_token(" b"), 0, 2)
    data = b"\x80\x80 b \xff c"
    ids, offsets = ours.encode_with_offsets(data)
    ends = [*offsets[1:], len(data)]
    assert [data[start:end] for start, end in zip(offsets, ends, strict=True)] == ours.decode_tokens_bytes(ids)


@given(data=byte_strings())
def test_bytes_survive(data: bytes) -> None:
    for name in (*ENCODINGS, "whole"):
        ids = tokenizer(name).encode(data)
        assert tokenizer(name).decode_bytes(ids) == data
        assert tokenizer(name).count(data) == len(ids)


@given(text=texts(6))
def test_bytes_and_str_are_the_same_text(text: str) -> None:
    for name in ENCODINGS:
        assert tokenizer(name).encode(text.encode()) == tokenizer(name).encode(text)


def test_buffers_batches_and_threads() -> None:
    ours = tokenizer("o200k_base")
    batch = ["one", "two words", "", "中文", "x" * 5_000] * 20
    expected = [ours.encode(text) for text in batch]
    assert ours.encode_batch(batch) == expected
    assert ours.encode_batch(batch, num_threads=1) == ours.encode_ordinary_batch(batch) == expected
    assert ours.encode_batch(["<|endoftext|>"], allowed_special="all") == [[ours.eot_token]]
    assert ours.decode_bytes_batch(expected) == [text.encode() for text in batch]
    assert ours.count_batch(batch) == [len(ids) for ids in expected]
    assert ours.decode_batch(expected) == batch
    buffer = ours.encode_to_buffer("two words")
    assert (memoryview(buffer).format, memoryview(buffer).itemsize, list(buffer)) == ("I", 4, ours.encode("two words"))
    ids = ours.encode_to_numpy("two words")
    assert (ids.dtype.name, ids.tolist()) == ("uint32", ours.encode("two words"))
    fresh = Tokenizer.load("cl100k_base")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fresh.count, batch)) == [tokenizer("cl100k_base").count(text) for text in batch]


# --- patterns of the user's own

PATTERNS = [
    Pattern(r"\w+|\s+(?!\S)|\s+|[^\w\s]{1,2}", "split"),
    Pattern(r"[A-Za-z]+c?|\d{2}|\s"),
    Pattern(r"\p{Han}+|\p{Nd}{1,3}|[^\p{Han}\p{Nd}]+"),
    Pattern(r"\b\w+\b|(?<=a) |.", "split"),
    Pattern(r",", "split"),
]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: f"{pattern.behaviour} {pattern.source}")
@settings(max_examples=80)
@given(parts=st.lists(st.text(alphabet="aAbc 1\n,'中s", max_size=5), max_size=6), data=st.data())
def test_custom_patterns(pattern: Pattern, parts: list[str], data: st.DataObject) -> None:
    ours = with_pattern(pattern)
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    text = ""
    for part in parts:
        appending.append(part)
        text += part
        assert appending.count == ours.count(text) == len(ours.encode(text))
    for number in range(len(parts) - 1, -1, -1):
        prepending.prepend(parts[number])
        assert prepending.count == ours.count("".join(parts[number:]))
    prices = ours.interval_encoder(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert prices.count(start, end) == ours.count(text[start:end])
    if pattern.behaviour == "match" and ours.is_incremental:
        expected = tiktoken.Encoding(
            "custom", pat_str=pattern.source, mergeable_ranks=SMALL.ranks, special_tokens={}
        ).encode_ordinary(text)
        assert ours.encode(text) == expected


SMALL = Vocabulary.from_tokens(
    [bytes([byte]) for byte in range(256)] + [b"aA", b"ab", b"  ", b"\xe4\xb8", b"bc", b"abc"]
)


def with_pattern(pattern: Pattern) -> Tokenizer:
    return Tokenizer(Vocabulary.from_ranks(SMALL.ranks, pattern=pattern))


# --- files, errors, pickles


def test_from_file(tmp_path: Path) -> None:
    path = tmp_path / "cl100k.tiktoken"
    vocabulary = tokenizer("cl100k_base").vocabulary
    path.write_bytes(dump_tiktoken(vocabulary.ranks))
    ours = Tokenizer.from_file(path, pattern=CL100K, special_tokens=vocabulary.special_tokens)
    assert ours.name == "cl100k"
    assert ours.encode("it's 1234<|endoftext|>", allowed_special="all") == tokenizer("cl100k_base").encode(
        "it's 1234<|endoftext|>", allowed_special="all"
    )
    path.write_bytes(b"IQ== 0\nnot a token\n")
    with pytest.raises(VocabularyError, match=r"cl100k\.tiktoken:2"):
        Tokenizer.from_file(path)


def test_a_byte_without_a_token() -> None:
    ours = Tokenizer(Vocabulary.from_tokens([b"a", b"b", b"ab"]))
    encoder = ours.appending_encoder()
    encoder.append("ab")
    for call in (ours.encode, ours.count, encoder.append):
        with pytest.raises(EncodingError, match="0x78 at byte offset"):
            call("abx")
    encoder.append("ba" * 40)
    with pytest.raises(EncodingError):
        encoder.append("bbbx")
    assert encoder.text == "ab" + "ba" * 40
    assert encoder.count == ours.count(encoder.text)
    prepending = ours.prepending_encoder()
    prepending.prepend("ab" * 40)
    with pytest.raises(EncodingError):
        prepending.prepend("xa")
    assert prepending.count == ours.count(prepending.text) == 40


def test_unknown_tokens() -> None:
    ours = tokenizer("cl100k_base")
    with pytest.raises(TypeError, match="str or bytes"):
        ours.encode_single_token(1)  # type: ignore[arg-type]
    for call in (
        lambda: ours.decode([100256]),
        lambda: ours.decode_single_token_bytes(-1),
        lambda: ours.encode_single_token("no such"),
    ):
        with pytest.raises(UnknownTokenError, match="cl100k_base"):
            call()
    assert str(UnknownTokenError("a sentence")) == "a sentence"


@pytest.mark.parametrize("call", ["encode", "count", "split"])
@pytest.mark.parametrize("value", [None, 3, ["a"]])
def test_text_is_str_or_bytes(call: str, value: Any) -> None:
    with pytest.raises(TypeError, match="str or bytes"):
        getattr(tokenizer("cl100k_base"), call)(value)


def test_slices_out_of_range() -> None:
    prices = tokenizer("cl100k_base").interval_encoder("abc")
    for start, end in ((-1, 2), (2, 1), (0, 4)):
        with pytest.raises(IndexError, match=r"no slice"):
            prices.count(start, end)
        with pytest.raises(IndexError, match=r"no slice"):
            prices.counts(start, [2, end])
    assert len(prices) == 3
    assert prices.counts(1, []) == []


def test_pickles_by_name() -> None:
    ours = tokenizer("o200k_base")
    frozen = pickle.dumps(ours)
    assert len(frozen) < 300
    assert pickle.loads(frozen).encode("Hello, world") == ours.encode("Hello, world")
    custom = with_pattern(PATTERNS[0])
    assert pickle.loads(pickle.dumps(custom)).encode("ab, abc") == custom.encode("ab, abc")


def test_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    running = bpe_engine.implementation()
    other = {"cpp": "python", "python": "cpp"}[running]
    monkeypatch.setenv("BPE_ENGINE_IMPLEMENTATION", other)
    with pytest.raises(bpe_engine.BpeEngineError, match=f"BPE_ENGINE_IMPLEMENTATION={other}"):
        bpe_engine.implementation()


def test_every_public_method_has_a_docstring() -> None:
    for public in (Tokenizer, bpe_engine.AppendingEncoder, bpe_engine.PrependingEncoder, bpe_engine.IntervalEncoder):
        for name, member in inspect.getmembers(public):
            if not name.startswith("_"):
                assert inspect.getdoc(member), f"{public.__name__}.{name}"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda tokenizer: tokenizer.truncate("a b", 1.5), "max_tokens must be an int, not float"),
        (lambda tokenizer: tokenizer.truncate("a b", None), "max_tokens must be an int, not NoneType"),
        (lambda tokenizer: tokenizer.count_up_to("a b", 1.5), "limit must be an int, not float"),
        (lambda tokenizer: tokenizer.count_up_to("a b", "1"), "limit must be an int, not str"),
        (lambda tokenizer: tokenizer.count_batch(["a"], num_threads=math.nan), "num_threads must be an int, not float"),
        (
            lambda tokenizer: tokenizer.encode_batch(["a"], num_threads=math.nan),
            "num_threads must be an int, not float",
        ),
        (
            lambda tokenizer: tokenizer.encode_ordinary_batch(["a"], num_threads=None),
            "num_threads must be an int, not None",
        ),
        (
            lambda tokenizer: tokenizer.decode_batch([[1]], num_threads=math.nan),
            "num_threads must be an int, not float",
        ),
        (lambda tokenizer: tokenizer.decode_bytes_batch([[1]], num_threads="2"), "num_threads must be an int, not str"),
        (lambda tokenizer: tokenizer.appending_encoder().append_token("x"), "a token id must be an int, not str"),
        (lambda tokenizer: tokenizer.appending_encoder().append_token(None), "a token id must be an int, not NoneType"),
        (lambda tokenizer: tokenizer.decode([1.5]), "a token id must be an int, not float"),
        (lambda tokenizer: tokenizer.decode_single_token_bytes("x"), "a token id must be an int, not str"),
        (lambda tokenizer: tokenizer.interval_encoder("a b").count(0.0, 1), "start must be an int, not float"),
        (lambda tokenizer: tokenizer.interval_encoder("a b").count(0, None), "end must be an int, not NoneType"),
        (lambda tokenizer: tokenizer.interval_encoder("a b").counts("0", [1]), "start must be an int, not str"),
    ],
)
def test_arguments_of_a_wrong_type_are_named(call: Callable[[Tokenizer], object], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call(Tokenizer.load("cl100k_base"))


def test_whole_numbers_of_other_types_are_numbers() -> None:
    tokenizer = Tokenizer.load("cl100k_base")
    two = np.int64(2)
    assert tokenizer.truncate("a b c", two) == "a b"  # type: ignore[arg-type]
    assert tokenizer.count_up_to("a b", two) == 2  # type: ignore[arg-type]
    assert tokenizer.interval_encoder("a b c").count(0, np.int64(3)) == 2  # type: ignore[arg-type]
    assert tokenizer.count_batch(["a b"], num_threads=two) == [2]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["vocabulary", "pattern", "pipeline"])
def test_the_repr_of_an_encoder_has_its_count_and_length(kind: str) -> None:
    made = {
        "vocabulary": lambda: tokenizer("o200k_base"),
        "pattern": lambda: Tokenizer(
            Vocabulary.from_ranks({bytes([value]): value for value in range(256)}, pattern=Pattern(r"\w+|\W+"))
        ),
        "pipeline": lambda: both(family("gpt2"))[1],
    }[kind]()
    appending, prepending = made.appending_encoder(), made.prepending_encoder()
    assert repr(appending) == "<AppendingEncoder: 0 tokens, 0 bytes>"
    appending.append("naïve plan")
    prepending.prepend("naïve plan")
    count = made.count("naïve plan")
    assert repr(appending) == f"<AppendingEncoder: {count} tokens, 11 bytes>"
    assert repr(prepending) == f"<PrependingEncoder: {count} tokens, 11 bytes>"
    assert repr(appending.snapshot()).startswith("<Mark of an encoder at 0x")
    for text in ("naïve plan", "naïve plan".encode(), "plan \ud800"):
        assert repr(made.interval_encoder(text)) == f"<IntervalEncoder of a text of length {len(text)}>"


@pytest.mark.filterwarnings("ignore:nanobind")
def test_the_repr_of_an_encoder_that_was_never_initialized() -> None:
    core = pytest.importorskip("bpe_engine._core")
    if bpe_engine.implementation() == "python":
        pytest.skip("the compiled classes are not in use")
    for kind in (core.AppendingEncoder, core.PipelinePrependingEncoder, core.IntervalEncoder, core.Mark):
        assert kind.__name__ in repr(kind.__new__(kind))
