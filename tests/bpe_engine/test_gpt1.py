"""The tokenizer of GPT-1, equal to that of `transformers` where it is installed; in parts by itself where it is not."""

from __future__ import annotations

import collections
import functools
import importlib.metadata
import importlib.util
import json
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from bpe_engine import DisallowedSpecialTokenError, MissingExtraError, UnknownTokenError, VocabularyError
from bpe_engine.gpt1 import END, GPT1Tokenizer, parse_merges, standardized


def _transformers_is_before_5() -> bool:
    try:
        return int(importlib.metadata.version("transformers").partition(".")[0]) < 5
    except importlib.metadata.PackageNotFoundError:
        return False


needs_english = pytest.mark.skipif(
    not (importlib.util.find_spec("ftfy") and importlib.util.find_spec("spacy")),
    reason='needs ftfy and spaCy: pip install "bpe-chunker[gpt1]"',
)
needs_oracle = pytest.mark.skipif(
    not (importlib.util.find_spec("spacy") and _transformers_is_before_5()),
    reason='needs transformers before 5, whose tokenizer is in Python: pip install "bpe-chunker[gpt1]" "transformers<5"',
)
# Words, and what spaCy's rules and ftfy's repairs are about.
PIECES = (
    *("the", "The", "THERE", "lower", "lowest", "newer", "don't", "can't", "It's", "I'll", "u.s.a.", "e.g.", "a.m.", "10km", "$5.00", "1,000"),
    *("well-known", "and/or", "x", "x.", "…", "—", "–", "―", "´", "``", "''", "¿que?", "(a)", "[b]", "{c}", "~~", "!!!", "---", "_x_", "a|b", "\\"),
    *("schÃ¶n", "doesnâ€™t", "&amp;", "&lt;b&gt;", "ﬁne", "ＦＵＬＬ", "\u2019", "\ufeff", "\x1b[31m", "\x85", "İ", "ΟΔΟΣ", "Σ", "ß", "中文", "😀", ":-)", "<3"),
    *(" ", "  ", "\n", "\n\n", " \n ", "\t", "\r\n", "\u00a0", "\u2028", "\u3000", "\x1c", "\x00"),
    *("<unk>", "<end>", "<END>", "<end>s", "<start>", "<st", "unk", "http://a.b/c?d=e", "a@b.co", "www.x.org."),
)  # fmt: skip
SPECIALS = ("<start>", "<end>", "<end>s", "<BIG>", "x")
trouble = st.one_of(
    texts(10),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
)


@functools.cache
def trained() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocabulary of the words above: some of their characters, and the most frequent pairs."""
    words = collections.Counter(word for piece in PIECES for word in piece.lower().split() for _ in range(3))
    words.update(["lower", "the", "there", "newer", "low", "n't", "..."] * 5)
    parts = {word: [*word[:-1], word[-1] + END] for word in words}
    symbols = dict.fromkeys(symbol for word in parts.values() for symbol in word if symbol[0] not in "中Ã😀{")
    symbols["\n" + END] = None
    merges: list[tuple[str, str]] = []
    for _ in range(80):
        pairs: collections.Counter[tuple[str, str]] = collections.Counter()
        for word, split in parts.items():
            for pair in pairwise(split):
                pairs[pair] += words[word]
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        symbols["".join(best)] = None
        for split in parts.values():
            place = 0
            while place < len(split) - 1:
                if (split[place], split[place + 1]) == best:
                    split[place : place + 2] = ["".join(best)]
                place += 1
    return {symbol: number for number, symbol in enumerate(["<unk>", *symbols])}, merges


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("gpt1")
    tokens, merges = trained()
    (folder / "vocab.json").write_text(json.dumps(tokens), encoding="utf-8")
    lines = ["#version: 0.2", *map(" ".join, merges), ""]
    (folder / "merges.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder / "vocab.json", folder / "merges.txt"


@pytest.fixture(scope="module")
def oracle(files: tuple[Path, Path]) -> Any:
    from transformers import OpenAIGPTTokenizer  # noqa: PLC0415 - not everybody has it

    tokenizer = OpenAIGPTTokenizer(*map(str, files))
    assert tokenizer.fix_text is not None
    tokenizer.add_special_tokens({"additional_special_tokens": list(SPECIALS)})
    return tokenizer


@pytest.fixture(scope="module")
def ours(files: tuple[Path, Path]) -> GPT1Tokenizer:
    return GPT1Tokenizer.from_files(*files).with_special_tokens(SPECIALS)


@needs_oracle
@settings(max_examples=200)
@given(text=trouble)
def test_equal_to_transformers(ours: GPT1Tokenizer, oracle: Any, text: str) -> None:
    ids = ours.encode(text, allowed_special="all")
    assert ids == oracle.encode(text)
    assert ours.count(text) == len(ours.encode(text))
    assert ours.decode(ids) == oracle.decode(ids)


@needs_oracle
@settings(max_examples=60)
@given(data=st.data())
def test_decoded_as_transformers_does(ours: GPT1Tokenizer, oracle: Any, data: st.DataObject) -> None:
    ids = data.draw(
        st.lists(st.one_of(st.integers(0, ours.n_vocab - 1), st.integers(ours.n_vocab - 5, ours.n_vocab - 1)))
    )
    assert ours.decode(ids) == oracle.decode(ids)


@needs_oracle
@settings(max_examples=60)
@given(text=trouble)
def test_special_tokens_are_plain_text_unless_allowed(ours: GPT1Tokenizer, oracle: Any, text: str) -> None:
    lowered = "".join(map(str.lower, text))
    assert ours.encode(text) == oracle.convert_tokens_to_ids(oracle._tokenize(lowered))


@needs_oracle
def test_the_ids_of_special_tokens(ours: GPT1Tokenizer, oracle: Any) -> None:
    assert ours.special_tokens == {text: oracle.convert_tokens_to_ids(text) for text in ("<unk>", *SPECIALS)}
    assert ours.n_vocab == len(oracle)


@needs_english
def test_words_and_pieces(ours: GPT1Tokenizer) -> None:
    assert ours.split("Don’t  panic…\n\nOK?") == ["do", "n't", "panic", "...", "\n ", "ok", "?"]
    assert ours.pieces("\n ") == ["\n</w>"]
    assert ours.pieces("lower") == ["lower</w>"]
    assert ours.pieces("") == []
    ids = ours.encode("The lower\nthe newer 中 <end>", allowed_special={"<end>"})
    assert ours.decode(ids) == "the lower \n the newer <unk> <end>"
    assert ids[-2:] == [0, ours.special_tokens["<end>"]]
    with pytest.raises(DisallowedSpecialTokenError):
        ours.encode("the <END>", disallowed_special="all")
    with pytest.raises(TypeError, match="does not encode bytes"):
        ours.encode(b"the")  # type: ignore[arg-type]  # a mistake that somebody makes
    again = pickle.loads(pickle.dumps(ours))
    assert again.encode("the lower <end>", allowed_special="all") == ours.encode(
        "the lower <end>", allowed_special="all"
    )


@needs_english
def test_a_surrogate_and_a_long_word(ours: GPT1Tokenizer) -> None:
    assert ours.encode("\ud83d\ude00 \ud83d") == ours.encode("😀 \ufffd")
    assert len(ours.encode("lower" * 20_000)) == 3 * 19_999 + 1


def test_decoding_needs_neither_ftfy_nor_spacy(ours: GPT1Tokenizer) -> None:
    lower, end = trained()[0]["lower</w>"], ours.special_tokens["<end>"]
    assert ours.decode([lower, lower]) == "lower lower"
    assert ours.decode([lower, end, end, lower]) == "lower <end> <end> lower"
    assert ours.decode([]) == ""
    with pytest.raises(UnknownTokenError, match="100000"):
        ours.decode([100_000])


def test_files_that_are_written(ours: GPT1Tokenizer, files: tuple[Path, Path], tmp_path: Path) -> None:
    written = tmp_path / "vocabulary.json", tmp_path / "merges.bpe"
    ours.save_files(*written)
    assert json.loads(written[0].read_bytes()) == json.loads(files[0].read_bytes())
    assert written[1].read_text("utf-8").splitlines()[1:] == files[1].read_text("utf-8").splitlines()[1:]
    again = GPT1Tokenizer.from_files(*written).with_special_tokens(SPECIALS)
    assert again.__reduce__() == ours.__reduce__()
    spaced = GPT1Tokenizer({"a": 0, " ": 1, "a ": 2, "<unk>": 3}, [("a", " ")])
    with pytest.raises(VocabularyError, match="contains white space"):
        spaced.save_files(*written)


def test_standardized() -> None:
    assert standardized("a—b–c―d…e´f") == "a - b - c - d...e'f"
    assert standardized("(((a)))__b \t\n c\u00a0d") == "((( a ))) __ b \n c d"


def test_without_ftfy_and_spacy(files: tuple[Path, Path]) -> None:
    program = (
        "import sys; sys.modules['spacy'] = None\n"
        "from bpe_engine.gpt1 import GPT1Tokenizer\n"
        "GPT1Tokenizer.from_files(*sys.argv[1:]).encode('the')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, files)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert (
        'MissingExtraError: the tokenizer of GPT-1 needs ftfy and spaCy: pip install "bpe-chunker[gpt1]"' in done.stderr
    )
    assert issubclass(MissingExtraError, ImportError)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ":1: expected a line that begins with #version"),
        (b"a b\n", ":1: expected a line that begins with #version"),
        (b"#version: 0.2\na b c\n", ":2: expected two symbols"),
        (b"#version: 0.2\na b\n\n", ":3: expected two symbols"),
        (b"#version: 0.2\na b\na b\n", ":3: line 2 already has the pair 'a b'"),
        (b"#version: 0.2\na \xff\n", ":2: not UTF-8"),
    ],
)
def test_damaged_merges(data: bytes, message: str) -> None:
    with pytest.raises(VocabularyError) as raised:
        parse_merges(data, "bad.bpe")
    assert str(raised.value).startswith("bad.bpe" + message)
    assert parse_merges(b"#version: 0.2\r\na b\r\n", "windows.bpe") == [("a", "b")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "JSON object"),
        ('{"a": 0', "invalid JSON"),
        ('{"a": "b"}', "is 'b', not a whole number"),
        ('{"a": 0}', "'<unk>', which stands for unknown text, is missing"),
        ('{"<unk>": 0, "a": 0}', "the same id 0"),
        ('{"<unk>": -1}', "'<unk>' has the id -1"),
        ('{"<unk>": 1152921504606846976}', "a whole number from 0 to"),
        ('{"<unk>": 0, "": 1}', "'' has the id 1"),
    ],
)
def test_damaged_vocabularies(text: str, message: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VocabularyError) as raised:
        GPT1Tokenizer.from_files(path, files[1])
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)


def test_special_tokens_that_cannot_be(ours: GPT1Tokenizer) -> None:
    tokens, merges = trained()
    with pytest.raises(VocabularyError, match="of the symbol"):
        GPT1Tokenizer(tokens, merges, special_tokens={"<end>": 1})
    assert ours.with_special_tokens(["<end>", "<new>"]).special_tokens["<new>"] == ours.n_vocab
