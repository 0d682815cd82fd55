"""Texts that look for trouble: white space, apostrophes, digits, marks, CJK, case changes, emoji sequences."""

from __future__ import annotations

from hypothesis import reject
from hypothesis import strategies as st

from bpe_engine import Pattern, Tokenizer, Vocabulary, VocabularyError
from bpe_engine.patterns import PATTERNS

FRAGMENTS = (
    *"aAbBzZlLrRsStTvVeEmMdD",
    *" \n\r\t\v\f\x1c\x1f\u0085\u00a0\u1680\u2003\u2028\u202f\u3000\ufeff\u200b\u180e",
    *"'’`\"/.,!?-_()[]{}<>=+*&^%$#@\\|~:;",
    *"0123456789²½Ⅷ٣०𝟙〇",
    *"éßſİıµªʰǅΣςШи中亚日本語ひカ한글สวัสดीनमस्ते",
    *"\u0301\u0308\u20dd\u0e33\u093f\u200d\ufe0f\U000e0061",
    *"😀👩🏽🇩🇪€§©☃\ue000\U000323b0\U00010d4a\u1c89\ua7ce\U0010ffff\0",
    "'s", "'S", "'ſ", "'ll", "'LL", "'re", "'ve", "'d", "'m", "'t", "'l", "'v", "'r",
    "  ", "    ", "\n\n", "\r\n", " \n", "\n ", "\n  ", "\t\t", " \t\n ",
    "can't", "IT'S", "HTTPResponse", "camelCase", "ABC中", "中ABCd", "AAAA", "aaaa", "é\u0301", "1234", "12345678",
    "👩🏽‍💻", "🇩🇪", "<|endoftext|>", "…", "。", "——", "////", "!\n\n", "!/\n", " !", " a", " A", " 1", " '", "the ", "return ",
)  # fmt: skip


@st.composite
def small_tokenizers(draw: st.DrawFn) -> Tokenizer:
    """Tokenizers over a and b: with and without a pattern, gaps in the ids, tokens that no merge reaches, long ones, no other bytes."""
    tokens = [b"a", b"b"]
    for left, right, free in draw(
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text("ab", max_size=12)), max_size=14)
    ):
        token = free.encode() if len(free) > 6 else tokens[left % len(tokens)] + tokens[right % len(tokens)]
        if token not in tokens and len(token) <= 24:
            tokens.append(token)
    gap = draw(st.sampled_from([1, 3]))
    pattern = draw(st.sampled_from([None, *PATTERNS.values(), Pattern("a+|b{1,3}"), Pattern("ab", "split")]))
    ranks = {token: number * gap for number, token in enumerate(tokens)}
    try:
        return Tokenizer(Vocabulary.from_ranks(ranks, pattern=pattern))
    except VocabularyError:  # not in merge order
        reject()


characters = st.characters(exclude_categories=["Cs"])
fragments = st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), characters)


def texts(max_fragments: int = 20) -> st.SearchStrategy[str]:
    """Texts of up to `max_fragments` fragments, some of them repeated."""
    repeated = st.tuples(fragments, st.integers(1, 12)).map(lambda pair: pair[0] * pair[1])
    return st.lists(st.one_of(fragments, fragments, repeated), max_size=max_fragments).map("".join)


def broken_texts(max_fragments: int = 8) -> st.SearchStrategy[str]:
    """Texts that hold lone surrogates, whole pairs written as two, and ordinary characters."""
    surrogates = st.sampled_from(["\ud83d", "\ude00", "\ud83d\ude00", "\udcff", "a", " ", "中", "😀"])
    return st.lists(st.one_of(surrogates, fragments), max_size=max_fragments).map("".join)


def byte_strings(max_fragments: int = 8) -> st.SearchStrategy[bytes]:
    """Bytes: UTF-8, its pieces, and what is none."""
    pieces = st.sampled_from(
        [
            b"\xe4",
            b"\xb8",
            b"\xad",
            b"\xe4\xb8",
            b"\xe4\xb8\xad",
            b"\xf0\x9f",
            b"\x98\x80",
            b"\x80",
            b"\xff",
            b"\xc0\x80",
        ]
    )
    encoded = fragments.map(lambda text: text.encode("utf-8"))
    return st.lists(st.one_of(pieces, pieces, encoded), max_size=max_fragments).map(b"".join)
