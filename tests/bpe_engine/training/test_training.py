"""Training from texts, files and words: what it takes, what it gives, what it refuses."""

from __future__ import annotations

import gc
import pickle
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from bpe_engine import (
    Pattern,
    PatternError,
    Tokenizer,
    TrainingError,
    TrainingWarning,
    implementation,
    train,
    train_words,
)
from bpe_engine.formats.byte_alphabet import BYTES_IN_ORDER
from bpe_engine.training import texts as reading

PROSE = "".join(f"Line {number} says a word, and {number * 7} more of them follow it.\n" for number in range(200))
MIXED = PROSE + "日本語のテキスト、もう一つ。" * 30 + "ünï cödé\r\n" * 20 + " \t\n" * 50 + "x" * 3000 + "12345 " * 99


def learned(tokenizer: Tokenizer) -> list[bytes]:
    """The tokens in the order of their ids, the special ones left out."""
    ranks = tokenizer.vocabulary.ranks
    return sorted(ranks, key=ranks.__getitem__)


# --- what it gives


def test_layouts() -> None:
    specials = ["<|a|>", "<|b|>"]
    gpt2, minbpe, tokenizers = (
        train([PROSE], 300, special_tokens=specials, layout=layout).vocabulary
        for layout in (cast("Any", "gpt2"), cast("Any", "minbpe"), cast("Any", "tokenizers"))
    )
    assert [gpt2.ranks[bytes([byte])] for byte in BYTES_IN_ORDER] == list(range(256))
    assert gpt2.special_tokens == {"<|a|>": 298, "<|b|>": 299}
    assert [minbpe.ranks[bytes([byte])] for byte in range(256)] == list(range(256))
    assert minbpe.special_tokens == {"<|a|>": 298, "<|b|>": 299}
    assert tokenizers.special_tokens == {"<|a|>": 0, "<|b|>": 1}
    assert tokenizers.ranks == {token: token_id + 2 for token, token_id in gpt2.ranks.items()}


def test_what_was_learned_is_used() -> None:
    tokenizer = train([PROSE], 400, pattern="cl100k", name="small", special_tokens=["<|end|>"])
    assert (tokenizer.n_vocab, tokenizer.name) == (400, "small")
    assert tokenizer.vocabulary.pattern is not None
    assert tokenizer.vocabulary.pattern.name == "cl100k"
    assert tokenizer.decode(tokenizer.encode(MIXED)) == MIXED
    assert tokenizer.count(PROSE) < len(PROSE) / 2
    assert tokenizer.encode("<|end|>", allowed_special="all") == [399]
    encoder = tokenizer.appending_encoder()
    for word in MIXED.split(" "):
        encoder.append(word + " ")
    assert encoder.count == tokenizer.count(MIXED + " ")


def test_it_pickles() -> None:
    tokenizer = train([PROSE], 300, special_tokens=["<|end|>"])
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.vocabulary == tokenizer.vocabulary
    assert again.encode(MIXED) == tokenizer.encode(MIXED)


def test_min_frequency() -> None:
    text = "abab abab cdcd ef"
    with pytest.warns(
        TrainingWarning, match="no more pairs that occur 3 times: the vocabulary has 257 tokens, not 999"
    ):
        tokenizer = train([text], 999, min_frequency=3)
    assert learned(tokenizer)[256:] == [b"ab"]
    with pytest.warns(TrainingWarning, match="no more pairs: "):
        assert b" ef" in train([text], 999).vocabulary.ranks


def test_special_tokens_in_a_text_are_text() -> None:
    tokenizer = train(["<|end|>" * 50], 262, special_tokens=["<|end|>"])
    assert b"end" in learned(tokenizer)


def test_no_merge_crosses_texts() -> None:
    assert learned(train(["ab", "cd"] * 9, 258, pattern=None))[256:] in ([b"ab", b"cd"], [b"cd", b"ab"])
    with pytest.warns(TrainingWarning):
        assert len(learned(train(["a"] * 9, 258, pattern=None))) == 256


# --- texts and files


@pytest.mark.parametrize(
    "pattern", ["o200k", "cl100k", "falcon", None, Pattern(r"\w+|\s+"), Pattern(r"(?<=\n)\w+|,", "split")]
)
@pytest.mark.parametrize("block", [64, 1000, 1 << 23])
def test_a_file_is_a_text(
    pattern: str | Pattern | None, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_bytes(MIXED.encode())
    expected = train([MIXED], 320, pattern=pattern, tie_breaking="first")
    monkeypatch.setattr(reading, "BLOCK", block)
    monkeypatch.setattr(reading, "MATCHED_BLOCK", block)
    for texts in ([path], [MIXED], [MIXED.encode()], (source for source in [path])):
        assert train(texts, 320, pattern=pattern, tie_breaking="first").vocabulary == expected.vocabulary


def test_many_texts_and_files_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line.encode() for line in MIXED.splitlines(keepends=True)]
    files = []
    for number, line in enumerate(lines):
        files.append(tmp_path / str(number))
        files[-1].write_bytes(line)
    expected = train(lines, 330, tie_breaking="first").vocabulary
    mixed = [line if number % 2 else file for number, (line, file) in enumerate(zip(lines, files, strict=True))]
    assert train(mixed, 330, tie_breaking="first").vocabulary == expected
    monkeypatch.setattr(reading, "BLOCK", 50)
    monkeypatch.setattr(reading, "MOST_TEXTS", 3)
    assert train(mixed, 330, tie_breaking="first").vocabulary == expected


def test_an_expression_is_a_pattern() -> None:
    expression = r"\w+|\W"
    assert train([MIXED], 300, pattern=expression).encode(MIXED) == train(
        [MIXED], 300, pattern=Pattern(expression)
    ).encode(MIXED)


def test_bytes_that_are_not_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = random.Random(3).randbytes(20_000) + b"\xff\xfe" * 500
    path = tmp_path / "data"
    path.write_bytes(data)
    expected = train([data], 300).vocabulary
    monkeypatch.setattr(reading, "BLOCK", 777)
    assert train([path], 300).vocabulary == expected
    assert train([path], 300, pattern=Pattern(r"(?:\s+|\S+)")).n_vocab == 300


def test_lone_surrogates_are_replaced() -> None:
    assert (
        learned(train(["\ud83d\ude00" * 5], 258, pattern=None))[256:]
        == learned(train(["😀" * 5], 258, pattern=None))[256:]
    )
    assert learned(train(["a\ud83d" * 5], 259, pattern=None)) == learned(train(["a\ufffd" * 5], 259, pattern=None))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        train([tmp_path / "nothing"], 300)


# --- progress


def test_progress() -> None:
    seen: list[tuple[str, int, int | None]] = []
    train([PROSE, MIXED], 400, progress=lambda stage, done, total: seen.append((stage, done, total)))
    assert seen[0] == ("counting", len(PROSE) + len(MIXED), None)
    assert seen[-1] == ("merging", 144, 144)
    seen.clear()
    train(
        [MIXED], 300, pattern=Pattern(r"\w+|\W"), progress=lambda stage, done, total: seen.append((stage, done, total))
    )
    assert [stage for stage, *_ in seen] == sorted(stage for stage, *_ in seen)
    assert seen[0] == ("counting", len(MIXED), None)


def test_progress_that_raises_stops_it() -> None:
    class StoppedError(Exception):
        pass

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "merging":
            raise StoppedError

    with pytest.raises(StoppedError):
        train([PROSE], 400, progress=stop)


@pytest.mark.skipif(sys.platform == "win32", reason="this way to be interrupted is of POSIX")
def test_a_signal_stops_the_merging() -> None:
    class InterruptedHereError(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise InterruptedHereError

    def arm(stage: str, done: int, total: int | None) -> None:
        if stage == "counting":
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    generator = random.Random(5)
    text = "".join(generator.choices("abcdefghij", k=500_000 if implementation() == "cpp" else 30_000))
    before = signal.signal(signal.SIGALRM, interrupt)
    # Hypothesis times the collector in a callback of it, and what is raised there is lost.
    gc.disable()
    try:
        with pytest.raises(InterruptedHereError):
            train([text], 200_000, progress=arm)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


# --- what it refuses


def wrong(value: object) -> Any:
    """A value of a type that a type checker would not let pass."""
    return value


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: train([PROSE], 255), TrainingError, "at least 256, for 256 bytes and 0 special tokens, not 255"),
        (lambda: train([PROSE], 256, special_tokens=["<s>"]), TrainingError, "at least 257"),
        (lambda: train([PROSE], 1 << 32), TrainingError, "at most"),
        (lambda: train([], 300), TrainingError, "nothing to learn from"),
        (lambda: train(["", b""], 300), TrainingError, "nothing to learn from"),
        (lambda: train(PROSE, 300), TypeError, r"\[str\], for one"),
        (lambda: train(wrong(Path("x")), 300), TypeError, "for one"),
        (lambda: train(wrong(None), 300), TypeError, "texts must be a list or another iterable of texts, not NoneType"),
        (lambda: train(wrong([3]), 300), TypeError, "not int"),
        (lambda: train(wrong([3]), 300, pattern=Pattern("a")), TypeError, "not int"),
        (lambda: train([PROSE], 300, special_tokens="<s>"), TypeError, "not a str"),
        (lambda: train([PROSE], 300, special_tokens=["<s>", "<s>"]), TrainingError, "twice"),
        (lambda: train([PROSE], 300, special_tokens=[""]), TrainingError, "at least one character"),
        (lambda: train([PROSE], 300, pattern="o200"), PatternError, "r50k, cl100k, o200k"),
        (lambda: train([PROSE], 300, pattern=Pattern("(")), PatternError, "does not compile"),
        (lambda: train([PROSE], 300, pattern="(?:"), PatternError, "does not compile"),
        (lambda: train([PROSE], 300, pattern="o200"), PatternError, "no grammar is called 'o200'"),
        (lambda: train([PROSE], 300, tie_breaking=wrong("last")), ValueError, '"lowest" or "first"'),
        (lambda: train([PROSE], 300, layout=wrong("other")), ValueError, "layout must be"),
        (lambda: train([PROSE], 300, min_frequency=0), ValueError, "min_frequency must be at least 1"),
        (lambda: train([PROSE], 300, min_frequency=wrong("2")), TypeError, "min_frequency must be an int, not str"),
        (lambda: train([PROSE], wrong("300")), TypeError, "vocab_size must be an int, not str"),
        (lambda: train([PROSE], wrong(300.5)), TypeError, "vocab_size must be an int, not float"),
        (lambda: train_words({"abc": 1}, wrong(None)), TypeError, "vocab_size must be an int, not NoneType"),
        (lambda: train([PROSE], 300, num_threads=0), ValueError, "num_threads must be at least 1"),
        (lambda: train_words({"abc": 1}, 2), TrainingError, "at least 3"),
        (lambda: train_words({"abc": -1}, 9), TrainingError, "whole number"),
        (lambda: train_words(wrong({"abc": 1.5}), 9), TrainingError, "whole number"),
        (lambda: train_words({"abc": True}, 9), TrainingError, "whole number"),
        (lambda: train_words({"ab": 1 << 62, "cd": 1 << 62}, 9), TrainingError, r"2\^63"),
        (lambda: train_words({("a", "b"): 2, ("ab", "c"): 1}, 5), TrainingError, "which is a token already"),
        (lambda: train_words({("a", ""): 2}, 5), TrainingError, "one is empty"),
    ],
)
def test_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_no_merge_is_wanted() -> None:
    assert train([], 256).n_vocab == 256
    assert train([""], 257, special_tokens=["<s>"]).n_vocab == 257


# --- words


def test_words() -> None:
    # The words, counts and first merges of the paper that brought byte pair encoding to translation (Sennrich et al.,
    # 2016).
    words = {("l", "o", "w", "</w>"): 5, (*"lower", "</w>"): 2}
    words |= {(*"newest", "</w>"): 6, (*"widest", "</w>"): 3}
    learned_merges = train_words(words, 11 + 10, tie_breaking="first")
    assert learned_merges.merges[:3] == (("e", "s"), ("es", "t"), ("est", "</w>"))
    assert learned_merges.encode(("l", "o", "w", "e", "s", "t", "</w>")) == ["low", "est</w>"]
    assert len(learned_merges.tokens) == 21


def test_words_are_encoded_whole() -> None:
    with pytest.warns(TrainingWarning, match="not 100"):
        merges = train_words({"hug": 10, "pug": 5, "hugs": 5}, 100)
    assert merges.encode("hugs") == ["hugs"]
    assert merges.encode("mugs") == ["m", "ug", "s"]
    assert merges.encode("") == []


def test_a_count_beyond_32_bits() -> None:
    merges = train_words({"ab": 1 << 40, "bc": (1 << 40) + 1, "cd": 3}, 6)
    assert merges.merges == (("b", "c"), ("a", "b"))


# --- hostile input


@pytest.mark.parametrize("tie_breaking", ["lowest", "first"])
@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "ab" * 500_000, "a" * 700_000 + "b" * 300_000], ids=["a", "ab", "a then b"]
)
def test_one_huge_pretoken(text: str, tie_breaking: Any) -> None:
    # To check a token, a tokenizer in Python takes time that is quadratic in its length.
    merges = 15
    if implementation() == "python":
        text, merges = text[: len(text) // 10], 6
    start = time.perf_counter()
    tokenizer = train([text], 256 + merges, pattern=None, tie_breaking=tie_breaking)
    assert time.perf_counter() - start < 60
    if "bb" not in text:
        assert max(map(len, learned(tokenizer))) == 1 << merges  # each merge is of two that are the same


def test_tokens_too_long_to_keep() -> None:
    # Twice the same: each merge makes the token at the start of both one character longer.
    letters = "".join(chr(0x4E00 + number) for number in range(15_000))
    with pytest.raises(TrainingError, match="long repetitions"):
        train([letters, letters], 45_000, pattern=None, tie_breaking="first")


def test_random_letters_in_one_piece() -> None:
    generator = random.Random(7)
    text = "".join(generator.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(60_000))
    tokenizer = train([text], 1000)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_texts_that_are_made_as_they_are_read() -> None:
    def endless() -> Iterator[str]:
        for number in range(5000):
            yield f"Text number {number}.\n"

    assert b"Text" in learned(train(endless(), 300))
