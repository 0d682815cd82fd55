"""Whole texts by Unigram, unit by unit: counts, ids, offsets and growth are equal to `sentencepiece` and `tokenizers`.

Ways are nearly as good here, spaces collapse, or units repeat.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import charsmaps
import pytest
import sentencepiece
from huggingface_files import both
from sentencepiece_files import NORMAL, UNKNOWN, unigram_model
from small_tokenizers import corpus, small
from tokenizers import Regex, normalizers, pre_tokenizers

from bpe_engine import Tokenizer, implementation

RUNS = 300 if implementation() == "cpp" else 20
TROUBLE = [
    *["the", "tokens", "of", "a", "chunk", "``", "''", "`", "'", ".", ",", "<unk>", "中文字", "한국어", "é", "e\u0301", "Ａ", "ﬁ", "कि", "क़", "\u0915\u093c"],
    *[" ", "  ", "   ", "\n", "\t", "\u00a0", "\u3000", "\u200b", "\x00", "▁", "¨", "\u0301", "\u093f", "\u200d", "\r", "\r\n", "😀", "\ufffd", "\u1100\u1161"],
]  # fmt: skip


def texts(seed: int) -> list[str]:
    """Random texts: words that repeat, with much between them that is normalized."""
    random = Random(seed)
    words = [word for line in corpus()[:60] for word in line.split(" ")]
    found = []
    for _ in range(RUNS):
        parts = random.choices(TROUBLE, k=random.randint(0, 8))
        for _ in range(random.randint(0, 6)):
            parts.insert(random.randint(0, len(parts)), random.choice(words) + random.choice(["", " "]))
        found.append("".join(parts) * random.choice([1, 1, 2]))
    return found


# Texts and scores: the best way through "ab" changes where the sum is rounded by more, and so does the number of
# tokens.
NEAR = {
    "few bits": [("▁", -1.0), ("a", -30.001), ("b", -20.002), ("ab", -50.0031), ("▁ab", -51.0029), ("c", -2500.125), ("▁c", -2501.124)],
    "ties": [("▁", -1.0), ("a", -8.0), ("b", -8.0), ("c", -24.0), ("ab", -16.0), ("ba", -16.0), ("▁a", -9.0), ("▁c", -25.0)],
    "beyond 100,000": [("▁", -9000.5), ("a", -7000.3), ("b", -12000.1), ("ab", -19000.398), ("c", -1.25), ("▁c", -9001.75)],
}  # fmt: skip

GROWTH = ["ab", "a", " ", "ba ", "abab c", "c", "z", "é", "ab " * 40, "a" * 700]


@pytest.mark.parametrize("name", NEAR)
def test_sums_are_rounded_from_the_start(tmp_path: Path, name: str) -> None:
    data = unigram_model(
        [("<unk>", 0.0, UNKNOWN), *((text, score, NORMAL) for text, score in NEAR[name])], byte_fallback=False
    )
    path = tmp_path / "a.model"
    path.write_bytes(data)
    ours, theirs = Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_proto=data)
    random = Random(3)
    for _ in range(RUNS // 4):
        words = random.choices(["ab", "a", "ba", "abab", "c", "ccab", "zab", "a\u00e9b"], k=random.choice([5, 50, 400]))
        text = " ".join(words)
        expected = theirs.encode(text, return_type="proto").pieces
        count = len(expected)
        assert ours.count(text) == count
        assert ours.count_up_to(text, count) == count
        assert ours.count_up_to(text, count - 1) is None
        ids = [piece.id for piece in expected]
        assert ours.encode(text) == ids
        assert ours.encode_with_offsets(text, unit="bytes") == (ids, [piece.begin for piece in expected])


@pytest.mark.parametrize("name", NEAR)
def test_sums_go_on_where_a_text_grows(tmp_path: Path, name: str) -> None:
    """Appends of parts of words and of many words, with returns to marks: a count and the ids of each state."""
    data = unigram_model(
        [("<unk>", 0.0, UNKNOWN), *((text, score, NORMAL) for text, score in NEAR[name])], byte_fallback=False
    )
    path = tmp_path / "a.model"
    path.write_bytes(data)
    ours, theirs = Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_proto=data)
    random = Random(5)
    for _ in range(RUNS // 10):
        encoder = ours.appending_encoder()
        marks: list[Any] = []
        for _ in range(30):
            if marks and random.random() < 0.2:
                number = random.randrange(len(marks))
                encoder.rollback(marks[number])
                del marks[number + 1 :]
            encoder.append("".join(random.choices(GROWTH, k=random.randint(1, 4))))
            ids = theirs.encode(encoder.text)
            assert encoder.count == len(ids)
            assert encoder.tokens() == ids
            marks.append(encoder.snapshot())


@pytest.mark.parametrize("removes", [False, True])
def test_words_of_sentencepiece(tmp_path: Path, *, removes: bool) -> None:
    """A trained model, whose table of characters joins some and turns others into spaces."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()),
        model_prefix=str(tmp_path / "a"),
        model_type="unigram",
        vocab_size=400,
        normalization_rule_name="nmt_nfkc",
        remove_extra_whitespaces=removes,
        user_defined_symbols=["``", "Ａ", "of a"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path = tmp_path / "a.model"
    ours, theirs = Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in texts(7):
        expected = theirs.encode(text, return_type="proto").pieces
        ids = [piece.id for piece in expected]
        assert (text, ours.count(text)) == (text, len(ids))
        assert (text, *ours.encode_with_offsets(text, unit="bytes")) == (text, ids, [piece.begin for piece in expected])


def _spaces(content: str) -> Any:
    return normalizers.Replace(Regex(" {2,}"), content)


NORMALIZERS: dict[str, Callable[[Any], list[Any]]] = {
    "spaces become one": lambda table: [table, normalizers.Strip(left=False), _spaces("▁")],
    "spaces become a letter": lambda table: [table, _spaces("x")],
    "spaces go": lambda table: [_spaces(""), table],
    "quotes": lambda table: [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", " "),
        normalizers.NFKD(),
        normalizers.StripAccents(),
        table,
        normalizers.Lowercase(),
        _spaces(" "),
    ],
    "both ends": lambda table: [normalizers.NFKC(), normalizers.Strip(), normalizers.Replace(". ", "·")],
}


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("name", NORMALIZERS)
def test_neighbours_that_change_each_other(name: str, *, split: bool) -> None:
    """Normalizers that look at several spaces, quotation marks, and the end of a text; a text is one piece, or words are."""
    steps = NORMALIZERS[name](normalizers.Precompiled(charsmaps.named("nmt_nfkc")))
    parts: dict[str, Any] = {
        "normalizer": normalizers.Sequence(steps),
        "pre_tokenizer": pre_tokenizers.Metaspace(prepend_scheme="always", split=split),
    }
    file = json.loads(small("t5").to_str())
    file |= {key: json.loads(part.__getstate__()) for key, part in parts.items()}
    theirs, ours = both(json.dumps(file))
    for text in texts(11):
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert (text, ours.count(text)) == (text, len(ids))
        assert ours.encode(text) == ids
        encoder = ours.appending_encoder()
        for start in range(0, len(text), 7):
            encoder.append(text[start : start + 7])
            ids = theirs.encode(encoder.text, add_special_tokens=False).ids
            assert (encoder.text, encoder.count, encoder.tokens()) == (encoder.text, len(ids), ids)
