"""Every algorithm of the twin against the definition of byte pair encoding, on dictionaries that hypothesis makes up."""

from __future__ import annotations

import pickle
from functools import cache
from random import Random

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from oracles import tokenizer

from bpe_engine import EncodingError, Tokenizer, Vocabulary, VocabularyError
from bpe_engine.fallback.engine import VocabularyEngine
from bpe_engine.fallback.pieces import PieceIds
from bpe_engine.reference import backtracking, compatible, dropout, greedy, heap, minimal, naive, table
from bpe_engine.reference.dictionary import TokenDictionary
from bpe_engine.reference.interval import IntervalTree

EXACT = [heap.encode, backtracking.encode, table.encode]


@st.composite
def dictionaries(draw: st.DrawFn) -> TokenDictionary:
    """Tokens over three letters, each made of two earlier ones; some can never be reached by merging, as in real files."""
    tokens = [b"a", b"b", b"c"]
    for left, right in draw(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=16)):
        token = tokens[left % len(tokens)] + tokens[right % len(tokens)]
        if token not in tokens and len(token) <= 12:
            tokens.append(token)
    dictionary = TokenDictionary({token: number for number, token in enumerate(tokens)})
    try:
        dictionary.check_merge_order()
    except VocabularyError:
        reject()
    return dictionary


@cache
def published(name: str) -> TokenDictionary:
    """The tokens of a published encoding: seconds of work."""
    return VocabularyEngine(tokenizer(name).vocabulary).dictionary


data_of_letters = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=24).map(b"".join)


@settings(max_examples=400)
@given(dictionary=dictionaries(), data=data_of_letters)
def test_exact_encoders(dictionary: TokenDictionary, data: bytes) -> None:
    expected = naive.encode(dictionary, data)
    for encode in EXACT:
        assert encode(dictionary, data) == expected


@settings(max_examples=200)
@given(dictionary=dictionaries(), data=data_of_letters)
def test_tables_know_every_prefix_and_suffix(dictionary: TokenDictionary, data: bytes) -> None:
    prefixes, suffixes = table.TokenTable(dictionary), table.TokenTable(dictionary, mirrored=True)
    for length in range(len(data)):
        prefixes.extend(data[length : length + 1])
    suffixes.extend(data[::-1])
    for length in range(len(data) + 1):
        assert prefixes.tokens(length) == naive.encode(dictionary, data[:length])
        assert prefixes.count(length) == len(prefixes.tokens(length))
        assert suffixes.tokens(length) == naive.encode(dictionary, data[len(data) - length :])
        assert prefixes.fewest(length) <= min(prefixes.count(longer) for longer in range(length, len(data) + 1))
        assert prefixes.prefix(length) == data[:length]
        assert suffixes.prefix(length) == data[len(data) - length :]


@settings(max_examples=150)
@given(
    dictionary=dictionaries(),
    data=data_of_letters,
    cuts=st.lists(st.tuples(st.integers(0, 24), data_of_letters), max_size=6),
)
def test_a_table_may_be_cut_and_grown(dictionary: TokenDictionary, data: bytes, cuts: list[tuple[int, bytes]]) -> None:
    rows = table.TokenTable(dictionary)
    rows.extend(data)
    for cut, more in cuts:
        data = data[:cut] + more
        rows.truncate(min(cut, len(rows)))
        rows.extend(more)
        assert rows.tokens() == naive.encode(dictionary, data)


@settings(max_examples=200)
@given(dictionary=dictionaries(), data=data_of_letters)
def test_interval_tree(dictionary: TokenDictionary, data: bytes) -> None:
    tree = IntervalTree(dictionary, data)
    for start in range(len(data) + 1):
        for end in range(start, len(data) + 1):
            assert tree.count(start, end) == len(naive.encode(dictionary, data[start:end]))


@settings(max_examples=200)
@given(dictionary=dictionaries())
def test_compatible_is_what_it_says(dictionary: TokenDictionary) -> None:
    for left, left_bytes in dictionary.bytes_of.items():
        for right, right_bytes in dictionary.bytes_of.items():
            expected = naive.encode(dictionary, left_bytes + right_bytes) == [left, right]
            assert compatible.compatible(dictionary, left, right) == expected


@given(dictionary=dictionaries())
def test_halves(dictionary: TokenDictionary) -> None:
    for token, data in dictionary.bytes_of.items():
        halves = dictionary.halves(token)
        if len(data) == 1:
            assert halves == (token, token)
        elif halves is None:
            assert naive.encode(dictionary, data) != [token]
        else:
            assert b"".join(dictionary.bytes_of[half] for half in halves) == data
            assert naive.encode(dictionary, data) == [token]


@settings(max_examples=200)
@given(dictionary=dictionaries(), data=data_of_letters)
def test_greedy_and_minimal(dictionary: TokenDictionary, data: bytes) -> None:
    longest_first = greedy.encode(dictionary, data)
    fewest = minimal.encode(dictionary, data)
    for ids in (longest_first, fewest):
        assert b"".join(dictionary.bytes_of[token] for token in ids) == data
    assert len(fewest) <= min(len(longest_first), len(naive.encode(dictionary, data)))
    # The definition of fewest, by trying out.
    best = [0] + [len(data) + 1] * len(data)
    for end in range(1, len(data) + 1):
        best[end] = min(best[start] + 1 for start in range(end) if data[start:end] in dictionary.id_of)
    assert len(fewest) == best[len(data)]


@given(dictionary=dictionaries(), data=data_of_letters, probability=st.floats(0, 1), seed=st.integers(0, 99))
def test_dropout(dictionary: TokenDictionary, data: bytes, probability: float, seed: int) -> None:
    ids = dropout.encode(dictionary, data, dropout=probability, random=Random(seed))
    assert ids == dropout.encode(dictionary, data, dropout=probability, random=Random(seed))
    assert b"".join(dictionary.bytes_of[token] for token in ids) == data
    assert dropout.encode(dictionary, data, dropout=0, random=Random(seed)) == naive.encode(dictionary, data)
    assert dropout.encode(dictionary, data, dropout=1, random=Random(seed)) == [
        dictionary.id_of[bytes([b])] for b in data
    ]


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_dropout_is_a_probability(probability: float) -> None:
    with pytest.raises(ValueError, match="dropout must be between 0 and 1"):
        dropout.encode(TokenDictionary.of("a"), b"a", dropout=probability, random=Random(0))


@pytest.mark.parametrize("encode", [naive.encode, *EXACT, greedy.encode, minimal.encode])
@pytest.mark.parametrize(("data", "offset"), [(b"x", 0), (b"abx", 2), (b"axb", 1), (b"aax", 2)])
def test_a_byte_without_a_token(encode: object, data: bytes, offset: int) -> None:
    with pytest.raises(EncodingError, match=f"0x78 at byte offset {offset}"):
        encode(TokenDictionary.of("a b ab"), data)  # type: ignore[operator]


def test_a_failed_extension_leaves_the_table_as_it_was() -> None:
    rows = table.TokenTable(TokenDictionary.of("a b ab"))
    rows.extend(b"ab")
    with pytest.raises(EncodingError):
        rows.extend(b"axb")
    rows.extend(b"ba")
    assert rows.prefix(len(rows)) == b"abba"
    assert rows.tokens() == naive.encode(TokenDictionary.of("a b ab"), b"abba")


def test_a_piece_that_is_a_token_wins() -> None:
    # No merge ends in "abc" here, because "bc" comes first and "a" + "bc" ... makes it only as a whole.
    dictionary = TokenDictionary(
        {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"cc": 4, b"abcc": 5, b"bcc": 6, b"bc": 7, b"abc": 8}
    )
    assert all(PieceIds.of(dictionary)[data.decode()] == (token,) for data, token in dictionary.id_of.items())


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_every_published_token_is_reached_by_its_merges(name: str) -> None:
    dictionary = published(name)
    dictionary.check_merge_order()
    assert [token for token in dictionary.bytes_of if dictionary.halves(token) is None] == []


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [("a b c abc", "abcab", [0, 1, 2, 0, 1]), ("a b c abc", "abc", [3])],
)
def test_tokens_that_no_merge_reaches(tokens: str, text: str, expected: list[int]) -> None:
    assert Tokenizer(Vocabulary.from_tokens(tokens.encode().split())).encode(text) == expected


def test_a_token_of_bytes_that_are_none() -> None:
    with pytest.raises(VocabularyError, match=r"the token b'ab' \(id 1\) contains the byte b'b', which is not a token"):
        Tokenizer(Vocabulary.from_tokens([b"a", b"ab"]))


def test_ids_out_of_merge_order() -> None:
    """The algorithms take merge order for granted; a tokenizer puts its tokens in order first."""
    tokens = [b"a", b"b", b"bb", b"bbb", b"bbbbbb", b"bbbb"]
    with pytest.raises(VocabularyError, match=r"b'bbbbbb' \(id 4\) is merged from b'bbbb' \(id 5\)"):
        TokenDictionary({token: number for number, token in enumerate(tokens)}).check_merge_order()
    assert Tokenizer(Vocabulary.from_tokens(tokens)).encode(b"b" * 10) == [4, 5]


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@settings(max_examples=60)
@given(data=st.binary(max_size=200))
def test_exact_encoders_on_published_tokens(name: str, data: bytes) -> None:
    dictionary = published(name)
    expected = naive.encode(dictionary, data)
    for encode in EXACT:
        assert encode(dictionary, data) == expected


def test_a_dictionary_pickles() -> None:
    dictionary = TokenDictionary.of("a b c ac bb ab acbb")
    again = pickle.loads(pickle.dumps(dictionary))
    assert again.id_of == dictionary.id_of
    assert table.encode(again, b"abacbb") == [5, 6]
