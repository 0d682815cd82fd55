"""Vocabulary: what it accepts, what its errors say, and that it travels between processes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import CL100K, O200K
from bpe_engine.registry import load_vocabulary
from bpe_engine.vocabulary import Vocabulary


def test_from_tokens_numbers_in_merge_order() -> None:
    vocabulary = Vocabulary.from_tokens([b"a", b"b", b"ab"], name="tiny", special_tokens={"<|end|>": 9}, pattern=O200K)
    assert vocabulary.ranks == {b"a": 0, b"b": 1, b"ab": 2}
    assert vocabulary.special_tokens == {"<|end|>": 9}
    assert vocabulary.pattern == O200K
    assert len(vocabulary) == 3


def test_from_ranks_copies() -> None:
    ranks = {b"a": 0}
    vocabulary = Vocabulary.from_ranks(ranks)
    ranks[b""] = 0
    assert vocabulary.ranks == {b"a": 0}


def test_gaps_and_shared_special_ids_are_allowed() -> None:
    vocabulary = Vocabulary(None, {b"a": 5, b"b": 70_000}, {"<|x|>": 6, "<|y|>": 6})
    assert vocabulary.special_tokens == {"<|x|>": 6, "<|y|>": 6}


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ({}, "no token"),
        ({b"a": 0, b"": 1}, "the token with id 1 is empty"),
        ({b"a": 0, b"b": 1, b"ab": 1}, "the tokens b'b' and b'ab' have the same id 1"),
        ({b"a": 0, b"b": -3}, "the token b'b' has the negative id -3"),
        ({b"a": 0, "b": 1}, "'b' is str"),
        ({b"a": 0, b"b": 1.0}, r"the id of the token b'b' is an int, not 1\.0"),
        ({b"a": 0, b"b": True}, "the id of the token b'b' is an int, not True"),
    ],
)
def test_unusable_tokens(ranks: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(None, ranks)


@pytest.mark.parametrize(
    ("special_tokens", "message"),
    [
        ({"<|end|>": 1}, r"special token '<\|end\|>' and the token b'b' have the same id 1"),
        ({"": 9}, "at least one character, not ''"),
        ({b"<|end|>": 9}, "at least one character, not b"),
        ({"<|end|>": -1}, r"special token '<\|end\|>' is an int from 0 on, not -1"),
        ({"<|end|>": "9"}, "is an int from 0 on, not '9'"),
    ],
)
def test_unusable_special_tokens(special_tokens: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(None, {b"a": 0, b"b": 1}, special_tokens)


def test_from_tokens_names_both_places_of_a_repeated_token() -> None:
    with pytest.raises(VocabularyError, match="b'a' stands twice, as id 0 and as id 2"):
        Vocabulary.from_tokens([b"a", b"b", b"a"])


def test_equality_is_by_contents() -> None:
    def tiny(**changes: Any) -> Vocabulary:
        options: dict[str, Any] = {"name": "tiny", "pattern": O200K, **changes}
        return Vocabulary.from_tokens([b"a", b"b"], **options)

    assert tiny() == tiny()
    assert tiny() != tiny(pattern=CL100K)
    assert tiny() != tiny(special_tokens={"<|end|>": 2})
    assert tiny() != Vocabulary.from_tokens([b"b", b"a"], name="tiny", pattern=O200K)


def test_a_vocabulary_of_ones_own_pickles_whole() -> None:
    vocabulary = Vocabulary.from_tokens([b"a", b"b", b"ab"], special_tokens={"<|end|>": 9}, pattern=O200K)
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "o200k_harmony"])
def test_an_embedded_vocabulary_pickles_by_name(name: str) -> None:
    vocabulary = load_vocabulary(name)
    pickled = pickle.dumps(vocabulary)
    assert len(pickled) < 200
    assert pickle.loads(pickled) is vocabulary


def test_the_name_alone_does_not_make_it_the_embedded_one() -> None:
    impostor = Vocabulary.from_tokens([b"a", b"b"], name="o200k_base")
    assert pickle.loads(pickle.dumps(impostor)) == impostor


def test_the_representation_is_short() -> None:
    assert len(repr(load_vocabulary("cl100k_base"))) < 400
