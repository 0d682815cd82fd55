"""Training is what others do, merge by merge: minbpe's published algorithm, `tokenizers`, and the readable twin."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as HuggingFaceTokenizer

from bpe_engine import Pattern, TrainingWarning, implementation, train, train_words
from bpe_engine.fallback import training as reference
from bpe_engine.formats.byte_alphabet import bytes_of
from bpe_engine.patterns import PATTERNS
from bpe_engine.training.options import PretokenCounter, learn_merges

pytestmark = pytest.mark.filterwarnings("ignore::bpe_engine.training.TrainingWarning")

# Few fragments, often the same: corpora full of pairs that occur equally often, and of runs that overlap themselves.
FRAGMENTS = ["a", "b", "ab", "aa", "aaa", "abab", "c", " ", "  ", "\n", " the", "é", "中", "😀", "1", "22", "'s", "!"]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join) | st.lists(
    st.sampled_from(["a", "b", " "]), max_size=80
).map("".join)


# --- minbpe


def minbpe_tokens(text: str, merges: int, pattern: str | None) -> list[bytes]:
    """The tokens of minbpe's RegexTokenizer, and of its BasicTokenizer where there is no pattern, as it is published: count the pairs of all
    chunks, take the most frequent (the first of equals, as `max` over a dict in the order of insertion), merge it,
    count anew.
    """
    chunks = [list(chunk.encode()) for chunk in (regex.findall(pattern, text) if pattern else [text])]
    tokens = [bytes([byte]) for byte in range(256)]
    for _ in range(merges):
        counts: dict[tuple[int, int], int] = {}
        for chunk in chunks:
            for pair in pairwise(chunk):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: counts[pair])
        chunks = [merged(chunk, best, len(tokens)) for chunk in chunks]
        tokens.append(tokens[best[0]] + tokens[best[1]])
    return tokens


def merged(ids: list[int], pair: tuple[int, int], made: int) -> list[int]:
    result: list[int] = []
    place = 0
    while place < len(ids):
        if place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair:
            result.append(made)
            place += 2
        else:
            result.append(ids[place])
            place += 1
    return result


@settings(max_examples=100)
@given(text=texts.filter(bool), merges=st.integers(0, 40), name=st.sampled_from(["gpt2", "llama3", None]))
def test_equal_to_minbpe(text: str, merges: int, name: str | None) -> None:
    trained = train([text], 256 + merges, pattern=name, tie_breaking="first", layout="minbpe")
    expected = minbpe_tokens(text, merges, PATTERNS[name].source if name else None)
    assert trained.vocabulary.ranks == {token: token_id for token_id, token in enumerate(expected)}


def test_equal_to_minbpe_on_prose() -> None:
    text = "".join(
        f"Line {number} of a text that is not about {'anything' if number % 3 else 'nothing'} at all.\n"
        for number in range(300)
    )
    trained = train([text], 256 + 120, pattern="gpt2", tie_breaking="first", layout="minbpe", special_tokens=[])
    assert list(trained.vocabulary.ranks) == minbpe_tokens(text, 120, PATTERNS["gpt2"].source)


def test_the_example_of_minbpe() -> None:
    trained = train(["aaabdaaabac"], 256 + 3, pattern=None, tie_breaking="first", layout="minbpe")
    assert trained.encode("aaabdaaabac") == [258, 100, 258, 97, 99]


# --- tokenizers


def trained_by_hugging_face(
    corpus: Sequence[str], vocab_size: int, *, pattern: str, min_frequency: int, special_tokens: Sequence[str]
) -> dict[bytes, int]:
    tokenizer = HuggingFaceTokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(special_tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return {
        token.encode() if token in special_tokens else bytes_of(token): token_id
        for token, token_id in tokenizer.get_vocab().items()
    }


@settings(max_examples=100)
@given(
    corpus=st.lists(texts, min_size=1, max_size=4).filter(any),
    merges=st.integers(0, 40),
    name=st.sampled_from(["gpt2", "llama3", "o200k"]),
    min_frequency=st.integers(1, 4),
    special_tokens=st.sampled_from([[], ["<|end|>"], ["<s>", "</s>", "[MASK]"]]),
)
def test_equal_to_tokenizers(
    corpus: list[str], merges: int, name: str, min_frequency: int, special_tokens: list[str]
) -> None:
    vocab_size = 256 + len(special_tokens) + merges
    trained = train(
        corpus,
        vocab_size,
        pattern=name,
        layout="tokenizers",
        min_frequency=min_frequency,
        special_tokens=special_tokens,
    ).vocabulary
    expected = trained_by_hugging_face(
        corpus,
        vocab_size,
        pattern=PATTERNS[name].source,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
    )
    assert {**trained.ranks, **{text.encode(): token for text, token in trained.special_tokens.items()}} == expected


@settings(max_examples=100)
@given(
    counts=st.dictionaries(st.text("abcdé", max_size=9), st.integers(1, 5), min_size=1, max_size=12).filter(any),
    merges=st.integers(0, 30),
    min_frequency=st.integers(1, 3),
)
def test_words_equal_to_tokenizers(counts: dict[str, int], merges: int, min_frequency: int) -> None:
    alphabet = {character for word in counts for character in word}
    trained = train_words(counts, len(alphabet) + merges, min_frequency=min_frequency)
    tokenizer = HuggingFaceTokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=len(alphabet) + merges, min_frequency=min_frequency, show_progress=False)
    tokenizer.train_from_iterator([" ".join([word] * count) for word, count in counts.items()], trainer)
    assert {token: token_id for token_id, token in enumerate(trained.tokens)} == tokenizer.get_vocab()
    for word in counts:
        assert trained.encode(word) == (tokenizer.encode(word).tokens if word else [])


# --- the twin, and other ways to the same counts


@pytest.mark.skipif(implementation() == "python", reason="the twin runs alone: there is nothing to compare it with")
@settings(max_examples=100)
@given(
    words=st.lists(
        st.tuples(st.lists(st.integers(0, 3), max_size=12), st.sampled_from([0, 1, 1, 2, 3, 7, 2**32 - 1, 2**40])),
        max_size=9,
    ),
    merges=st.integers(0, 40),
    min_frequency=st.integers(1, 5),
    first=st.booleans(),
)
def test_equal_to_the_twin(words: list[tuple[list[int], int]], merges: int, min_frequency: int, first: bool) -> None:
    symbols = [array("I", word).tobytes() for word, _ in words]
    counts = [count for _, count in words]
    expected = reference.learn_merges(symbols, counts, 4, merges, min_frequency, first, None)
    assert learn_merges(symbols, counts, 4, merges, min_frequency, first, None) == expected


@pytest.mark.parametrize("name", [None, *PATTERNS])
@settings(max_examples=15)
@given(corpus=st.lists(texts.map(str.encode) | st.binary(max_size=40), max_size=4), size=st.integers(1, 30))
def test_blocks_are_counted_as_whole_texts(name: str | None, corpus: list[bytes], size: int) -> None:
    def merges(counter: PretokenCounter | reference.PretokenCounter) -> list[tuple[int, int]]:
        return counter.learn(bytes(range(256)), 60, 1, True, None)

    whole = PretokenCounter(name, 2)
    whole.add([*corpus])
    twin = reference.PretokenCounter(name, 1)
    twin.add([*corpus])
    counters = [PretokenCounter(name, 2), reference.PretokenCounter(name, 1)]
    for counter in counters:
        for text in corpus:
            rest = b""
            for start in range(0, len(text), size):
                rest += text[start : start + size]
                rest = rest[counter.add_open(rest) :]
            counter.add([rest])
    assert len({len(whole), len(twin), *map(len, counters)}) == 1
    expected = merges(whole)
    assert merges(twin) == expected
    assert [merges(counter) for counter in counters] == [expected] * 2


@pytest.mark.parametrize("tie_breaking", ["lowest", "first"])
def test_threads_change_nothing(tie_breaking: str) -> None:
    corpus = [f"Word number {number} comes after {number - 1}, as always.\n" * 40 for number in range(400)]
    alone, together = (
        train(corpus, 400, num_threads=threads, tie_breaking="first" if tie_breaking == "first" else "lowest")
        for threads in (1, 8)
    )
    assert alone.vocabulary == together.vocabulary


@settings(max_examples=30)
@given(corpus=st.lists(texts, min_size=1, max_size=3).filter(any), merges=st.integers(0, 30))
@pytest.mark.parametrize("name", ["gpt2", "o200k"])
def test_a_pattern_without_a_scanner(name: str, corpus: list[str], merges: int) -> None:
    # The same pre-tokens by the `regex` package: the group makes it another pattern.
    custom = train(corpus, 256 + merges, pattern=Pattern(f"(?:{PATTERNS[name].source})"), tie_breaking="first")
    named = train(corpus, 256 + merges, pattern=name, tie_breaking="first")
    assert custom.vocabulary.ranks == named.vocabulary.ranks


def test_running_out_of_pairs_is_said_once() -> None:
    with pytest.warns(TrainingWarning, match="has 257 tokens, not 300"):
        assert train(["ab"], 300).n_vocab == 257
