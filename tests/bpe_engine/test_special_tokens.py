"""Special tokens are found alike by the compiled engine and in Python."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.special_tokens import SpecialTokens
from bpe_engine.text.input import received, to_bytes

SETS: tuple[tuple[str, ...], ...] = (
    ("<|a|>", "<|ab|>", "<|a|>b", "<|"),
    ("<<", "<<<", "<<a"),
    ("<s>", "</s>", "[X]", "é<s>", "日本"),
    ("<|end|>",),
)
BYTES = {bytes([byte]): byte for byte in range(256)}
TOKENIZERS = {
    texts: Tokenizer(
        Vocabulary.from_ranks(BYTES, special_tokens={text: 256 + number for number, text in enumerate(texts)})
    )
    for texts in SETS
}


@given(
    texts=st.sampled_from(SETS),
    pieces=st.lists(st.sampled_from([*"<|ab>s/[X]é日本😀 \udcff\udce4", "<|a|>", "<|end|>", "<<<", "é<s>", "x" * 40])),
    data=st.data(),
)
def test_the_engine_finds_what_python_finds(texts: tuple[str, ...], pieces: list[str], data: st.DataObject) -> None:
    given_text = to_bytes("".join(pieces))  # not all of it UTF-8
    text = received(given_text)
    in_python = SpecialTokens({text: 256 + number for number, text in enumerate(texts)})
    some = data.draw(st.sampled_from([set(few) for size in range(len(texts) + 1) for few in combinations(texts, size)]))
    for allowed in ("all", some, some | {"no token"}):
        found = list(TOKENIZERS[texts].find_special(text, allowed))
        assert found == list(in_python.spans(text, allowed))
        assert all(text[start:end] == texts[token - 256] for start, end, token in found)
        assert TOKENIZERS[texts].encode(given_text, allowed_special=allowed, disallowed_special=()) == in_python.encode(
            given_text, allowed, (), lambda plain: list(to_bytes(plain) if isinstance(plain, str) else plain)
        )
