"""The teaching tokenizers: equal to definitions written down once more, to the fast engine, and GPT-4's to tiktoken."""

from __future__ import annotations

import functools
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tiktoken_encoding
from strategies import byte_strings, texts

from bpe_engine import DisallowedSpecialTokenError, PatternError, Tokenizer, UnknownTokenError, VocabularyError
from bpe_engine.minbpe import (
    GPT2_SPLIT_PATTERN,
    GPT4_SPLIT_PATTERN,
    BasicTokenizer,
    GPT4Tokenizer,
    RegexTokenizer,
    TeachingTokenizer,
    recover_merges,
    render_token,
)
from bpe_engine.minbpe.pairs import merge

CORPUS = Path(__file__).read_text(encoding="utf-8")[:3000] + "Größe naïve 中文 中文 😀😀 don't I'LL 12345 \r\n\t "
SPECIALS = {"<|endoftext|>": 1000, "<|end|>": 1001, "<|end|>of": 1002, "中": 1003}


@functools.cache
def trained(pattern: str | None) -> TeachingTokenizer:
    tokenizer = BasicTokenizer() if pattern is None else RegexTokenizer(pattern)
    tokenizer.train(CORPUS, 400)
    return tokenizer


def merges_by_definition(pieces: list[bytes], number: int) -> list[tuple[bytes, bytes]]:
    """The most frequent pair, the first of equals, merged from the left: on lists of bytes in place of ids."""
    parts = [[piece[i : i + 1] for i in range(len(piece))] for piece in pieces]
    merges = []
    for _ in range(number):
        pairs = [(a, b) for piece in parts for a, b in pairwise(piece)]
        if not pairs:
            break
        counts = {pair: pairs.count(pair) for pair in dict.fromkeys(pairs)}
        best = next(pair for pair in counts if counts[pair] == max(counts.values()))
        merges.append(best)
        for piece in parts:
            place = 0
            while place < len(piece) - 1:
                if (piece[place], piece[place + 1]) == best:
                    piece[place : place + 2] = [best[0] + best[1]]
                place += 1
    return merges


def test_the_worked_example() -> None:
    tokenizer = BasicTokenizer()
    tokenizer.train("aaabdaaabac", 256 + 3)
    assert tokenizer.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
    assert tokenizer.decode([258, 100, 258, 97, 99]) == "aaabdaaabac"


@pytest.mark.parametrize(
    ("ids", "pair", "expected"),
    [
        ([], (1, 2), []),
        ([2, 1], (1, 2), [2, 1]),
        ([3, 1, 2, 3], (1, 2), [3, 9, 3]),
        ([1, 1, 2, 1, 2], (1, 2), [1, 9, 9]),
        ([1, 1, 2, 1, 1, 1, 2], (1, 1), [9, 2, 9, 1, 2]),
        ([1, 1, 1, 1], (1, 1), [9, 9]),
        ([1, 2, 2], (1, 2), [9, 2]),
    ],
)
def test_pairs_are_merged_from_the_left(ids: list[int], pair: tuple[int, int], expected: list[int]) -> None:
    assert merge(ids, pair, 9) == expected


@settings(max_examples=60)
@given(st.one_of(st.text("ab", max_size=30), st.text("aab c", max_size=60), texts(12)))
def test_merges_are_those_of_the_definition(text: str) -> None:
    for tokenizer, pieces in (
        (BasicTokenizer(), [text]),
        (RegexTokenizer(), regex.findall(GPT4_SPLIT_PATTERN, text)),
        (RegexTokenizer(GPT2_SPLIT_PATTERN), regex.findall(GPT2_SPLIT_PATTERN, text)),
    ):
        tokenizer.train(text, 262)
        expected = merges_by_definition([piece.encode() for piece in pieces], 6)
        assert [(tokenizer.vocab[left], tokenizer.vocab[right]) for left, right in tokenizer.merges] == expected
        assert list(tokenizer.merges.values()) == list(range(256, 256 + len(expected)))


@pytest.mark.parametrize("pattern", [None, GPT4_SPLIT_PATTERN, GPT2_SPLIT_PATTERN, ""])
@settings(max_examples=40)
@given(text=st.one_of(texts(), byte_strings(), st.text("aehnrst ", max_size=40)))
def test_equal_to_the_fast_engine(pattern: str | None, text: str | bytes) -> None:
    slow = trained(pattern)
    fast = fast_twin(pattern)
    assert slow.encode(text) == (fast.encode(text) if pattern != "" else [])  # the empty pattern has empty pre-tokens
    assert slow.decode(slow.encode(text)) == fast.decode(slow.encode(text))


@functools.cache
def fast_twin(pattern: str | None) -> Tokenizer:
    return trained(pattern).to_tokenizer("twin")


def test_training_stops_where_nothing_is_left_to_merge() -> None:
    tokenizer = BasicTokenizer()
    tokenizer.train("abc", 10_000)
    assert len(tokenizer.vocab) == 258
    tokenizer.train("", 10_000)
    assert len(tokenizer.vocab) == 256
    with pytest.raises(ValueError, match="at least 256"):
        tokenizer.train("abc", 255)


def test_each_merge_is_told() -> None:
    told: list[str] = []
    BasicTokenizer().train("aaab", 258, told.append)
    assert told == [
        "merge 1/2: 97 97 -> 256, which had 2 occurrences",
        "merge 2/2: 256 97 -> 257, which had 1 occurrences",
    ]


def test_special_tokens() -> None:
    tokenizer = RegexTokenizer()
    tokenizer.train(CORPUS, 300)
    tokenizer.register_special_tokens(SPECIALS)
    text = "a<|end|>of中<|endoftext|>"
    plain = tokenizer.encode_ordinary
    assert tokenizer.encode(text, allowed_special="none") == plain(text)
    # minbpe splits by an alternation: of two that begin at one place the one that was registered first counts.
    assert tokenizer.encode(text, allowed_special="all") == [97, 1001, *plain("of"), 1003, 1000]
    assert tokenizer.encode(text, allowed_special={"<|end|>of", "<|nothing|>"}) == [97, 1002, *plain("中<|endoftext|>")]
    assert tokenizer.encode(text, allowed_special=()) == plain(text)
    with pytest.raises(DisallowedSpecialTokenError, match=r"'<\|endoftext\|>' at character 11"):
        tokenizer.encode(text)
    with pytest.raises(DisallowedSpecialTokenError):
        tokenizer.encode("中", allowed_special="none_raise")
    assert tokenizer.encode("a <|end") == plain("a <|end")
    with pytest.raises(TypeError, match="not 'some'"):
        tokenizer.encode(text, allowed_special="some")
    assert tokenizer.decode([97, 1002, 1003]) == "a<|end|>of中"
    with pytest.raises(UnknownTokenError, match="4000"):
        tokenizer.decode([4000])
    for wrong in ({"": 5}, {"x": -1}, {"x": "1"}):
        with pytest.raises(VocabularyError):
            tokenizer.register_special_tokens(wrong)  # type: ignore[arg-type]  # as above
    assert tokenizer.special_tokens == SPECIALS


@pytest.mark.parametrize("pattern", [None, GPT4_SPLIT_PATTERN])
def test_saved_and_loaded(pattern: str | None, tmp_path: Path) -> None:
    tokenizer = BasicTokenizer() if pattern is None else RegexTokenizer(pattern)
    tokenizer.train(CORPUS, 300)
    if isinstance(tokenizer, RegexTokenizer):
        tokenizer.register_special_tokens(SPECIALS | {"with a space": 1004})
    tokenizer.save(tmp_path / "small")
    lines = (tmp_path / "small.model").read_text(encoding="utf-8").split("\n")
    assert lines[:3] == ["minbpe v1", pattern or "", str(len(tokenizer.special_tokens))]
    assert lines[-45:] == [f"{left} {right}" for left, right in tokenizer.merges] + [""]
    shown = (tmp_path / "small.vocab").read_text(encoding="utf-8").split("\n")
    assert shown[10] == "[\\u000a] 10"
    assert shown[255] == "[\ufffd] 255"
    left, right = next(iter(tokenizer.merges))
    whole = render_token(tokenizer.vocab[256])
    assert (
        shown[256]
        == f"[{render_token(tokenizer.vocab[left])}][{render_token(tokenizer.vocab[right])}] -> [{whole}] 256"
    )
    again = type(tokenizer)()
    again.load(tmp_path / "small.model")
    assert (again.merges, again.pattern, again.special_tokens) == (
        tokenizer.merges,
        tokenizer.pattern,
        tokenizer.special_tokens,
    )
    assert list(again.merges) == list(tokenizer.merges)
    assert again.encode("the tokenizer, 中文") == tokenizer.encode("the tokenizer, 中文") if pattern is None else True
    again.save(tmp_path / "again")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "small.model").read_bytes()


def test_a_loaded_pattern_is_the_one_that_splits(tmp_path: Path) -> None:
    tokenizer = RegexTokenizer("ab|.")
    tokenizer.train("abab", 257)
    tokenizer.save(tmp_path / "two")
    other = RegexTokenizer()
    other.load(tmp_path / "two.model")
    assert other.encode("xabab") == [120, 256, 256]
    (tmp_path / "bad.model").write_text("minbpe v1\n(\n0\n", encoding="utf-8")
    with pytest.raises(PatternError):
        other.load(tmp_path / "bad.model")
    assert (other.pattern, other.encode("ab")) == ("ab|.", [256])
    with pytest.raises(VocabularyError, match=r"ends in \.model"):
        other.load(tmp_path / "two.vocab")


def test_what_the_format_cannot_say(tmp_path: Path) -> None:
    tokenizer = RegexTokenizer("a\n|.")
    with pytest.raises(VocabularyError, match="line end"):
        tokenizer.save(tmp_path / "none")
    tokenizer = RegexTokenizer()
    tokenizer.register_special_tokens({"a\nb": 300})
    with pytest.raises(VocabularyError, match="line end"):
        tokenizer.save(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


@functools.cache
def gpt4() -> GPT4Tokenizer:
    return GPT4Tokenizer()


@settings(max_examples=100)
@given(texts())
def test_gpt4_is_tiktokens_cl100k(text: str) -> None:
    oracle = tiktoken_encoding("cl100k_base")
    ids = gpt4().encode(text, allowed_special="none")
    assert ids == oracle.encode_ordinary(text)
    assert gpt4().encode(text, allowed_special="all") == oracle.encode(text, allowed_special="all")
    assert gpt4().decode(ids) == oracle.decode(ids)


def test_gpt4_is_what_it_is(tmp_path: Path) -> None:
    tokenizer = gpt4()
    assert tokenizer.encode("hello<|endoftext|>", allowed_special="all") == [15339, 100257]
    assert tokenizer.decode([15339, 100257]) == "hello<|endoftext|>"
    with pytest.raises(NotImplementedError):
        tokenizer.train("a", 300)
    with pytest.raises(NotImplementedError):
        tokenizer.save("x")
    with pytest.raises(NotImplementedError):
        tokenizer.load("x.model")
    tokenizer.save_vocab(tmp_path / "gpt4.vocab")
    lines = (tmp_path / "gpt4.vocab").read_text(encoding="utf-8").split("\n")
    assert "[ th][e] -> [ the] 279" in lines
    assert len(lines) == 100_256 + 1
    assert tokenizer.to_tokenizer().encode("hello") == tokenizer.to_tokenizer("mine").encode("hello") == [15339]


def test_merges_are_recovered_from_the_ranks_that_they_made() -> None:
    tokenizer = trained(GPT4_SPLIT_PATTERN)
    ranks = {data: token for token, data in tokenizer.vocab.items()}
    assert recover_merges(ranks) == tokenizer.merges
    with pytest.raises(VocabularyError, match="is not a merge of two earlier tokens"):
        recover_merges({b"a": 0, b"aaa": 1})
    with pytest.raises(VocabularyError, match="is not a merge of two earlier tokens"):
        recover_merges({b"a": 0, b"ab": 1})


def test_read_by_the_fast_tokenizer(tmp_path: Path) -> None:
    slow = RegexTokenizer()
    slow.train(CORPUS, 400)
    slow.register_special_tokens({"<|end|>": 400})
    slow.save(tmp_path / "small")
    fast = Tokenizer.from_file(tmp_path / "small.model")
    assert (fast.name, fast.n_vocab) == ("small", 401)
    for text in (CORPUS, "", "x<|end|>y", "\r\n 中文"):
        assert fast.encode(text) == slow.encode(text, allowed_special="none")
        assert fast.encode(text, allowed_special="all") == slow.encode(text, allowed_special="all")
        assert fast.decode(fast.encode(text, allowed_special="all")) == text


def test_two_tokens_with_the_same_bytes(tmp_path: Path) -> None:
    """A list that nobody trained: of two ways to "abc" only one ever comes about."""
    path = tmp_path / "twice.model"
    path.write_bytes(b"minbpe v1\n\n0\n98 99\n97 98\n257 99\n97 256\n258 100\n259 101\n")
    slow = BasicTokenizer()
    slow.load(path)
    fast = Tokenizer.from_file(path)
    for text in ("abc", "abcabc", "ab", "abd", "xabcdabce", "aabcc"):
        assert fast.encode(text) == slow.encode(text)
    assert fast.decode([258, 259]) == slow.decode([258, 259]) == "abcabc"
    with pytest.raises(VocabularyError, match="only the first is ever made"):
        slow.to_tokenizer()
    path.write_bytes(b"minbpe v1\n\n1\n<|end|> 256\n97 98\n")
    with pytest.raises(VocabularyError, match="has the id 256, which is also the id of the token b'ab'"):
        Tokenizer.from_file(path)
