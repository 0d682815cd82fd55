"""Vocabulary: what it accepts, what its errors say, and that it travels between processes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from typing import Any

import pytest

from bpe_engine import Tokenizer
from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import CL100K, O200K
from bpe_engine.published import data as vocabularies
from bpe_engine.published.registry import build_vocabulary, load_vocabulary, published_encodings
from bpe_engine.vocabulary import Vocabulary

EMBEDDED_ENCODINGS = ["cl100k_base", "o200k_base", "o200k_harmony"]


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[bytes, int]]:
    """The dictionaries of embedded vocabularies, none of which is made yet, whatever other tests did."""
    loaded: dict[str, dict[bytes, int]] = {}
    monkeypatch.setattr(vocabularies, "_loaded", loaded)
    return loaded


def built_anew(name: str) -> Vocabulary:
    return build_vocabulary(published_encodings()[name])


@pytest.mark.parametrize("merge_ranks", [{}, {0: 0}, {0: 0, 1: -1}, {0: 0, 1: 2**32}, {0: 0, 1: 1.0}])
def test_unusable_merge_ranks(merge_ranks: Any) -> None:
    with pytest.raises(
        VocabularyError, match=r"the merge rank of the token b'[ab]' must be an int from 0 to 4294967294, not"
    ):
        Vocabulary(None, {b"a": 0, b"b": 1}, merge_ranks=merge_ranks)


def test_an_empty_token_is_decoded_and_never_encoded() -> None:
    tokenizer = Tokenizer(Vocabulary.from_ranks({b"a": 0, b"b": 1, b"ab": 2, b"": 7}))
    assert (tokenizer.encode("abab"), tokenizer.decode([2, 7, 0]), tokenizer.n_vocab) == ([2, 2], "aba", 8)
    assert tokenizer.encode_single_token("") == 7


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
        ({b"": 1}, "no token"),
        ({b"a": 0, b"b": 1, b"ab": 1}, "the tokens b'b' and b'ab' have the same id 1"),
        ({b"a": 0, b"b": -3}, "the token b'b' has the negative id -3"),
        ({b"a": 0, "b": 1}, "'b' is str"),
        ({b"a": 0, b"b": 1.0}, r"the id of the token b'b' must be an int, not 1\.0"),
        ({b"a": 0, b"b": True}, "the id of the token b'b' must be an int, not True"),
        ({b"a": 0, b"b": 2**32 - 1}, "the token b'b' has the id 4294967295; the largest that fits is 4294967294"),
        ({b"a": 2**70, b"b": 1}, f"the token b'a' has the id {2**70}; the largest that fits"),
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
        ({"<|end|>": -1}, r"special token '<\|end\|>' must be an int of at least 0, not -1"),
        ({"<|end|>": "9"}, "must be an int of at least 0, not '9'"),
        (
            {"<|end|>": 2**32 - 1},
            r"special token '<\|end\|>' has the id 4294967295; the largest that fits is 4294967294",
        ),
    ],
)
def test_unusable_special_tokens(special_tokens: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(None, {b"a": 0, b"b": 1}, special_tokens)


def test_the_largest_ids_are_allowed() -> None:
    vocabulary = Vocabulary(None, {b"a": 2**32 - 2}, {"<|end|>": 2**32 - 3})
    assert vocabulary.ranks[b"a"] == 4_294_967_294
    assert Vocabulary(None, {b"a": 0}, {"<|end|>": 2**32 - 2}).special_tokens == {"<|end|>": 4_294_967_294}


def test_from_tokens_names_both_places_of_a_repeated_token() -> None:
    with pytest.raises(VocabularyError, match="b'a' occurs twice, as id 0 and as id 2"):
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


@pytest.mark.parametrize("name", EMBEDDED_ENCODINGS)
def test_an_embedded_vocabulary_pickles_by_name(name: str) -> None:
    vocabulary = load_vocabulary(name)
    pickled = pickle.dumps(vocabulary)
    assert len(pickled) < 200
    assert pickle.loads(pickled) is vocabulary


def test_the_name_alone_does_not_make_it_the_embedded_one() -> None:
    impostor = Vocabulary.from_tokens([b"a", b"b"], name="o200k_base")
    assert pickle.loads(pickle.dumps(impostor)) == impostor


def test_the_representation_is_short() -> None:
    vocabulary = load_vocabulary("cl100k_base")
    assert repr(vocabulary) == f"Vocabulary(name='cl100k_base', pattern={CL100K!r})"
    assert repr(vocabulary) == repr(Vocabulary("cl100k_base", {b"a": 0}, {}, CL100K))


@pytest.mark.parametrize("name", EMBEDDED_ENCODINGS)
def test_an_embedded_vocabulary_makes_ranks_only_when_asked(
    name: str, nothing_loaded: dict[str, dict[bytes, int]]
) -> None:
    vocabulary, twin = built_anew(name), built_anew(name)
    assert vocabulary == twin
    assert hash(vocabulary) == hash(twin)
    assert vocabulary != built_anew("cl100k_base" if name != "cl100k_base" else "o200k_base")
    assert repr(vocabulary) == repr(twin)
    assert vocabulary.special_tokens["<|endoftext|>"] > 100_000
    number_of_tokens = len(vocabulary)
    assert vocabulary.planes is not None
    assert len(vocabulary.planes) == 6 * number_of_tokens
    assert copy.deepcopy(load_vocabulary(name)) is load_vocabulary(name)
    assert nothing_loaded == {}

    assert len(vocabulary.ranks) == number_of_tokens
    assert vocabulary.ranks is twin.ranks
    assert list(nothing_loaded) == [vocabulary.embedded]


def test_a_vocabulary_that_is_not_embedded_has_no_planes() -> None:
    vocabulary = Vocabulary.from_tokens([b"a"], name="o200k_base")
    assert vocabulary.planes is None
    assert vocabulary.embedded is None


def test_an_embedded_vocabulary_equals_one_of_the_same_contents() -> None:
    embedded = built_anew("cl100k_base")
    same = Vocabulary.from_ranks(
        embedded.ranks, name=embedded.name, special_tokens=embedded.special_tokens, pattern=embedded.pattern
    )
    assert same == embedded
    assert embedded == same
    assert hash(same) == hash(embedded)
    fewer = dict(list(embedded.ranks.items())[:-1])
    assert Vocabulary.from_ranks(fewer, name=same.name, special_tokens=same.special_tokens, pattern=CL100K) != embedded


def test_one_that_is_built_anew_pickles_by_name() -> None:
    vocabulary = built_anew("cl100k_base")
    copied = pickle.loads(pickle.dumps(vocabulary))
    assert copied == vocabulary
    assert copied is load_vocabulary("cl100k_base")


@pytest.mark.parametrize(
    "vocabulary", [built_anew("cl100k_base"), Vocabulary.from_tokens([b"a"])], ids=["embedded", "own"]
)
def test_it_is_frozen_and_has_the_usual_attributes(vocabulary: Any) -> None:
    for attribute in ("name", "ranks", "special_tokens", "pattern", "embedded", "new"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(vocabulary, attribute, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del vocabulary.ranks
    with pytest.raises(AttributeError, match="'Vocabulary' object has no attribute 'rank'"):
        _ = vocabulary.rank
    assert vocabulary != "a vocabulary"


def test_a_changed_copy_of_an_embedded_vocabulary_stands_on_its_own() -> None:
    embedded = built_anew("cl100k_base")
    changed = dataclasses.replace(embedded, name="mine", special_tokens={})
    assert (changed.name, changed.special_tokens, changed.embedded) == ("mine", {}, None)
    assert changed.ranks is embedded.ranks


def test_threads_that_ask_for_ranks_get_one_dictionary(nothing_loaded: dict[str, dict[bytes, int]]) -> None:
    # Two vocabularies over the same tokens, so that the dictionary has to be shared beyond one object.
    askers = [built_anew("o200k_base"), built_anew("o200k_harmony")] * 2
    start = threading.Barrier(len(askers))
    found = []

    def ask(vocabulary: Vocabulary) -> None:
        start.wait()
        found.append(vocabulary.ranks)

    threads = [threading.Thread(target=ask, args=(vocabulary,)) for vocabulary in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(askers)
    assert {id(ranks) for ranks in found} == {id(nothing_loaded["o200k_base"])}
