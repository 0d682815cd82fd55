"""Streams of tokens and offsets: the text of a stream is the decoded text, and no piece of it ends inside a character."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tokenizer
from strategies import broken_texts, byte_strings, texts

from bpe_engine import Pattern, Tokenizer, UnknownTokenError, Vocabulary
from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    Decoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    StripDecoder,
)
from bpe_engine.pipeline.decoding import decode_texts
from bpe_engine.pipeline.streaming import TextStreamDecoder

BYTES = {bytes([byte]): byte for byte in range(256)}
whole = Tokenizer(Vocabulary.from_ranks(BYTES | {b"ab": 256, " é".encode(): 257, b"\x9f\x98": 258}))
dropping = Tokenizer(Vocabulary.from_ranks(BYTES | {b"ab": 256}, pattern=Pattern("[a-zé中\\d]+")))


@given(st.lists(st.integers(0, 258)), st.sampled_from(["replace", "ignore", "backslashreplace", "surrogateescape"]))
def test_the_pieces_make_up_the_text(ids: list[int], errors: str) -> None:
    decoder = whole.stream_decoder(errors)
    pieces = [decoder.push(token) for token in ids]
    assert len(decoder.pending) <= 3
    pieces.append(decoder.finish())
    assert "".join(pieces) == whole.decode(ids, errors)
    assert "".join(whole.stream_decoder(errors).stream(ids)) == whole.decode(ids, errors)
    assert decoder.pending == b""


@given(texts())
def test_no_half_characters_and_none_held_back(text: str) -> None:
    """Each piece is the characters that the bytes so far make up, and no less."""
    ours = tokenizer("o200k_base")
    decoder = ours.stream_decoder()
    so_far, shown = b"", ""
    for token in ours.encode(text):
        so_far += ours.decode_single_token_bytes(token)
        shown += decoder.push(token)
        assert shown == so_far.decode("utf-8", "ignore")
    assert shown + decoder.finish() == text


@given(st.lists(st.integers(0, 258)))
def test_strict_streams_complain_as_strict_decoding_does(ids: list[int]) -> None:
    def streamed() -> str:
        return "".join(whole.stream_decoder("strict").stream(ids))

    try:
        expected = whole.decode(ids, "strict")
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            streamed()
    else:
        assert streamed() == expected


def test_streams_are_used_again_and_know_their_errors() -> None:
    decoder = whole.stream_decoder()
    assert (decoder.push(0xF0), decoder.push(0x9F), decoder.pending) == ("", "", b"\xf0\x9f")
    assert decoder.finish() == "\ufffd"
    assert (decoder.push(97), decoder.finish(), decoder.finish()) == ("a", "", "")
    with pytest.raises(UnknownTokenError):
        decoder.push(1000)
    with pytest.raises(LookupError):
        whole.stream_decoder("whatever")
    special = Tokenizer.load("o200k_base")
    assert list(special.stream_decoder().stream([199999, 13225])) == ["<|endoftext|>", "Hello"]


def test_a_token_costs_the_same_at_any_length() -> None:
    decoder = whole.stream_decoder()
    before = sys.getsizeof(decoder.__dict__)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(20_000):
            decoder.push(0xE4), decoder.push(0xB8), decoder.push(0xAD)
        seconds.append(time.process_time() - start)
    assert sys.getsizeof(decoder.__dict__) == before
    assert seconds[2] < 5 * seconds[0]


@given(st.one_of(texts(), broken_texts(), byte_strings()), st.sampled_from(["o200k_base", "cl100k_base", "whole"]))
def test_offsets_in_both_units(text: str | bytes, name: str) -> None:
    ours = whole if name == "whole" else tokenizer(name)
    ids, in_bytes = ours.encode_with_offsets(text, unit="bytes")
    same, in_characters = ours.encode_with_offsets(text, unit="characters")
    assert ids == same == ours.encode(text)
    assert ours.encode_with_offsets(text) == (ids, in_characters if isinstance(text, str) else in_bytes)
    data = (
        text if isinstance(text, bytes) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    )
    lengths = [len(ours.decode_single_token_bytes(token)) for token in ids]
    for start, length, token in zip(in_bytes, lengths, ids, strict=True):
        assert data[start : start + length] == ours.decode_single_token_bytes(token)
    assert sum(lengths) == len(data)
    if isinstance(text, bytes):
        characters = data.decode("utf-8", "surrogateescape")
        sizes = [len(character.encode("utf-8", "surrogateescape")) for character in characters]
    else:
        # A pair of surrogates is two characters of the str and four bytes.
        characters = text
        pairs = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        sizes = [size for c in pairs for size in ([len(c.encode())] if c <= "\uffff" or c in text else [4, 0])]
        if len(sizes) != len(text):  # both ways to write the same character: told apart by the characters themselves
            return
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    for place, start in zip(in_characters, in_bytes, strict=True):
        assert place == max(index for index, byte in enumerate(starts) if byte <= start and sizes[index] > 0)


def test_offsets_where_the_pattern_drops_text() -> None:
    text = "ab, é中! a1\n\nab "
    ids, starts = dropping.encode_with_offsets(text)
    assert [text[start] for start in starts] == ["a", "é", "é", "中", "中", "中", "a", "1", "a"]
    assert starts == [0, 4, 4, 5, 5, 5, 8, 9, 12]
    assert dropping.encode_with_offsets(text, unit="bytes")[1] == [0, 4, 5, 6, 7, 8, 11, 12, 15]
    assert len(ids) == dropping.count(text)
    assert dropping.encode_with_offsets(text.encode()) == dropping.encode_with_offsets(text, unit="bytes")


def test_another_unit() -> None:
    with pytest.raises(ValueError, match='"characters" or "bytes", not \'lines\''):
        whole.encode_with_offsets("a", unit="lines")  # type: ignore[arg-type]  # a mistake that somebody makes


DECODERS: dict[str, tuple[Decoder, ...]] = {
    "none": (),
    "llama": (ReplaceDecoder("▁", " "), ByteFallbackDecoder(), FuseDecoder(), StripDecoder(" ", 1, 0)),
    "metaspace": (MetaspaceDecoder(),),
    "metaspace kept": (ByteFallbackDecoder(), MetaspaceDecoder(prepend_scheme="never")),
    "byte level": (ByteLevelDecoder(),),
    "stripped at both ends": (FuseDecoder(), StripDecoder("a", 2, 1)),
    "replaced at the end": (ByteFallbackDecoder(), FuseDecoder(), ReplaceDecoder("ab", "x"), StripDecoder("▁", 1, 0)),
    "each stripped": (StripDecoder("▁", 1, 1), FuseDecoder(), StripDecoder("a", 1, 0), StripDecoder("b", 1, 0)),
}
token_texts = st.sampled_from(
    ["▁", "a", "b", "▁a", "ab▁", "<0xE4>", "<0xB8>", "<0xAD>", "<0x41>", "▁▁", "Ġ", "Ã", "©", "x y", "\ud83d"]
)


@pytest.mark.parametrize("name", DECODERS)
@given(tokens=st.lists(token_texts, max_size=12))
def test_streams_through_decoders(name: str, tokens: list[str]) -> None:
    decoder = TextStreamDecoder(tokens.__getitem__, DECODERS[name])
    for _ in range(2):  # it is as new after its end
        text = "".join(decoder.stream(range(len(tokens))))
        assert text == decode_texts(DECODERS[name], tokens)
    assert decoder.pending == b""


def test_text_is_not_held_back() -> None:
    tokens = ["▁Hello", "<0xE4>", "<0xB8>", "<0xAD>", "!", "▁"]
    decoder = TextStreamDecoder(tokens.__getitem__, DECODERS["llama"])
    assert [decoder.push(token) for token in range(6)] == ["Hello", "", "", "", "中!", " "]
    assert decoder.finish() == ""
    assert decoder.push(1) == ""
    assert decoder.pending == b"\xe4"
    assert decoder.finish() == "\ufffd"


def test_the_repr_has_the_number_of_pending_bytes() -> None:
    decoder = whole.stream_decoder()
    assert repr(decoder) == "<StreamDecoder: 0 bytes pending>"
    decoder.push(0xF0)
    decoder.push(258)
    assert repr(decoder) == "<StreamDecoder: 3 bytes pending>"
