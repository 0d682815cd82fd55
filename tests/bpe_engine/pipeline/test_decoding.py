"""Decoding of whole lists, token by token and with what is kept of tokens inside."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    SentencePieceDecoder,
    StripDecoder,
    WordEndDecoder,
    WordPieceDecoder,
)
from bpe_engine.pipeline.decoding import Decoding, SentencePieceDecoding, decode_texts
from bpe_engine.pipeline.streaming import TextStreamDecoder

TEXTS = ["▁", "▁a", "b▁c", " ", "##a", "a</w>", "</w>", "<0xC3>", "<0xa9>", "<0xA9>", "", ".", " n't", "Ġa", "xx"]
decoders = st.lists(
    st.sampled_from(
        [
            ByteFallbackDecoder(),
            ByteLevelDecoder(),
            FuseDecoder(),
            MetaspaceDecoder(),
            MetaspaceDecoder("▁", "never"),
            ReplaceDecoder("▁", " "),
            ReplaceDecoder("x", "yyy"),
            SentencePieceDecoder(has_bytes=True, strips="first"),
            StripDecoder(" ", 1, 1),
            WordEndDecoder(),
            WordPieceDecoder(),
        ]
    ),
    max_size=4,
)


@given(decoders, st.lists(st.lists(st.integers(0, len(TEXTS) - 1), max_size=8), max_size=4))
def test_kept_texts_are_those_of_the_definition(chosen: list[Any], several: list[list[int]]) -> None:
    decoding = Decoding(tuple(chosen), TEXTS.__getitem__)
    for tokens in several:
        assert decoding(tokens) == decode_texts(chosen, [TEXTS[token] for token in tokens])


@given(st.booleans(), st.sampled_from(["none", "first", "all"]), st.lists(st.integers(0, len(TEXTS) - 1), max_size=8))
@example(has_bytes=True, strips="none", tokens=[TEXTS.index("<0xC3>"), TEXTS.index(""), TEXTS.index("<0xa9>")])
def test_pieces_are_decoded_alike_in_all_ways(has_bytes: bool, strips: Any, tokens: list[int]) -> None:
    decoder = SentencePieceDecoder(has_bytes, strips)
    decoding = SentencePieceDecoding(decoder, TEXTS.__getitem__)
    expected = decode_texts([decoder], [TEXTS[token] for token in tokens])
    assert decoding(tokens) == decoding(tokens) == expected
    stream = TextStreamDecoder(TEXTS.__getitem__, [decoder])
    assert "".join(map(stream.push, tokens)) + stream.finish() == expected
