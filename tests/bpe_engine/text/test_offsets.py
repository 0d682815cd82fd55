"""Offsets in bytes and in characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from bpe_engine.errors import UnknownTokenError
from bpe_engine.text.input import received, to_bytes
from bpe_engine.text.offsets import character_starts

texts = st.text(alphabet=st.sampled_from(["a", " ", "é", "中", "🙂", "\u0301", "\ud83d", "\ude00"]), max_size=20)


@given(texts | st.binary(max_size=20), st.data())
def test_any_offset_is_in_the_character_that_the_definition_says(text: str | bytes, data: st.DataObject) -> None:
    characters = received(text)
    size = len(to_bytes(characters))
    starts = sorted(data.draw(st.lists(st.integers(0, size), max_size=10)))
    engine = Tokenizer.load("o200k_base")._engine
    assert engine.character_starts(characters, starts) == character_starts(characters, starts)


@given(texts)
def test_characters_of_the_tokens_of_a_text(text: str) -> None:
    tokenizer = Tokenizer.load("o200k_base")
    ids, starts = tokenizer.encode_with_offsets(text, unit="bytes")
    pieces = tokenizer.decode_tokens_bytes(ids)
    assert starts == [sum(map(len, pieces[:number])) for number in range(len(ids))]
    assert tokenizer.decode_bytes(ids) == b"".join(pieces) == to_bytes(received(text))


def test_ids_that_are_none_are_named() -> None:
    tokenizer = Tokenizer.load("o200k_base")
    with pytest.raises(UnknownTokenError, match="no token of o200k_base has the id 99999999"):
        tokenizer.decode([1, 99_999_999, 2])
    with pytest.raises(TypeError, match="a token id must be an int, not str"):
        tokenizer.decode_bytes([1, "2"])  # type: ignore[list-item]
    end = tokenizer.encode_single_token("<|endoftext|>")
    assert tokenizer.decode([*tokenizer.encode("a"), end, *tokenizer.encode("b")]) == "a<|endoftext|>b"
