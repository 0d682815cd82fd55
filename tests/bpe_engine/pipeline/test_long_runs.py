"""Long runs in which no character stands alone: emoji between spaces of which one is made, and marks of one grapheme cluster.

Counts and ids of texts that grow, are cut back and sliced are those of `tokenizers`.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import charsmaps
import pytest
import tokenizers
from huggingface_files import both
from small_tokenizers import small
from tokenizers import Regex, models, normalizers, pre_tokenizers

from bpe_engine import AppendingEncoder, PrependingEncoder, Tokenizer, implementation

RUNS = 150 if implementation() == "cpp" else 6
# Characters that no table of a normalizer has, what joins them, and spaces of all kinds.
UNITS = [
    *["😀", "👍🏽", "👨\u200d👩", "🇩🇪", "🇩", "𝐀", "\U00020001", "☺", "☺\ufe0f", "\u200d", "\u200d😀", "\u1112\u1161\u11ab", "\u1161", "한"],
    *["क्ष", "कि", "\u094d", "\u0301", "\u0323", "\u0308\u0301", "\u034f", "\u0344", "e\u0301", "é", "ﬁ", "Ａ", "\u1e9b\u0323", "\ufb2c"],
    *["\u0600", "\u200c", "\u0e33", "\u0903", "  ", "  ", "   ", " ", "\u00a0", "\u00a0\u00a0", "\u3000 ", "\u2003", "\n", "\r\n", "\t "],
    *["▁", "▁▁", "``", "'", "a", "B", "the ", "x", "\x00", "\u200b", "中文", "ф"],
]  # fmt: skip


def _spaces(content: str) -> Any:
    return normalizers.Replace(Regex(" {2,}"), content)


def _steps(name: str) -> list[Any]:
    table = normalizers.Precompiled(charsmaps.named("nmt_nfkc"))
    quotes = [normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    return {
        "t5": [table, normalizers.Strip(left=False), _spaces("▁")],
        "xlm-roberta": [table, _spaces(" ")],
        "albert": [*quotes, table, _spaces(" ")],
        "spaces": [_spaces("▁")],
        "marks": [normalizers.Nmt(), normalizers.NFKC(), _spaces("▁")],
        "marks apart": [normalizers.NFKD(), _spaces(" ")],
        "accents": [*quotes, _spaces(" ")],
        "letters": [table, _spaces("xy"), normalizers.Replace("yx", "z")],
        "white space": [normalizers.NFC(), normalizers.Replace(Regex(r"\s{2,}"), "▁")],
        "prepended": [normalizers.Strip(), normalizers.Prepend("▁"), table, _spaces("▁")],
    }[name]


NAMES = (
    "t5",
    "xlm-roberta",
    "albert",
    "spaces",
    "marks",
    "marks apart",
    "accents",
    "letters",
    "white space",
    "prepended",
)


@cache
def pair(name: str, scheme: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """Their tokenizer and ours: Unigram with these steps; `scheme` is that of Metaspace, or nothing is cut."""
    file = json.loads(small("t5" if name != "albert" else "albert").to_str())
    file["normalizer"] = json.loads(normalizers.Sequence(_steps(name)).__getstate__())
    split = scheme != "whole"
    cutter = pre_tokenizers.Metaspace(prepend_scheme=scheme if split else "always", split=split)
    file["pre_tokenizer"] = json.loads(cutter.__getstate__())
    return both(json.dumps(file))


class Growth:
    """A text that grows on one side, in bytes, so that characters are cut."""

    def __init__(self, tokenizer: Tokenizer, *, to_the_left: bool) -> None:
        self.encoder = tokenizer.prepending_encoder() if to_the_left else tokenizer.appending_encoder()
        self.text = b""

    def add(self, more: bytes) -> None:
        """Add bytes."""
        if isinstance(self.encoder, PrependingEncoder):
            self.encoder.prepend(more)
            self.text = more + self.text
        else:
            assert isinstance(self.encoder, AppendingEncoder)
            self.encoder.append(more)
            self.text += more


def random_text(random: Random, all_units: list[str] = UNITS) -> str:
    """A text of few units, one of which is often repeated over and over."""
    units = random.choices(all_units, k=random.choice((1, 2, 2, 3, 5)))
    parts = random.choices(units, k=random.randint(1, 12))
    long = "".join(random.choices(units, k=random.choice((1, 2)))) * random.choice((3, 40, 200, 500))
    parts.insert(random.randint(0, len(parts)), long)
    return "".join(parts)


def check_growth(theirs: tokenizers.Tokenizer, ours: Tokenizer, random: Random, units: list[str], runs: int) -> None:
    """Random texts that grow to both sides, with returns to marks."""
    for _ in range(runs):
        for to_the_left in (False, True):
            growth = Growth(ours, to_the_left=to_the_left)
            marks = [(growth.encoder.snapshot(), growth.text)]
            for _ in range(random.randint(1, 3)):
                whole = random_text(random, units).encode()
                size = random.choice((1, 3, 40, 41)) if len(whole) < 300 else random.choice((40, 97, 400))
                places = list(range(0, len(whole), size))
                for place in places[::-1] if to_the_left else places:
                    growth.add(whole[place : place + size])
                    if random.random() < 0.1:
                        marks.append((growth.encoder.snapshot(), growth.text))
                    if random.random() < 0.2:
                        assert (growth.text, growth.encoder.count) == (growth.text, ours.count(growth.text))
                text = growth.text.decode("utf-8", "ignore")
                if text.encode() == growth.text:
                    ids = theirs.encode(text, add_special_tokens=False).ids
                    assert (text, growth.encoder.count, growth.encoder.tokens()) == (text, len(ids), ids)
                number = random.randrange(len(marks))
                mark, growth.text = marks[number]
                growth.encoder.rollback(mark)
                del marks[number + 1 :]
                assert (growth.text, growth.encoder.count) == (growth.text, ours.count(growth.text))


@pytest.mark.parametrize("scheme", ["always", "first", "whole"])
@pytest.mark.parametrize("name", NAMES)
def test_growth(name: str, scheme: str) -> None:
    theirs, ours = pair(name, scheme)
    check_growth(theirs, ours, Random(f"{name} {scheme}"), UNITS, RUNS // 10)


@pytest.mark.parametrize("seed", range(8))
def test_growth_of_made_models(seed: int) -> None:
    """Few characters, tokens of several of them, and scores of which many are equal: ties, unknown characters and their bytes."""
    random = Random(seed)
    for _ in range(max(1, RUNS // 20)):
        alphabet = random.sample(["a", "b", "\u0301", "\u0323", "\u0308", "\u1ab0", "中", "文", "😀", "ф", "▁"], k=6)
        tokens = {"<unk>": 0.0}
        for _ in range(random.choice((2, 4, 8, 14))):
            token = "".join(random.choices(alphabet, k=random.choice((1, 1, 1, 2, 2, 3))))
            tokens[token] = random.choice(
                (-1.0, -2.0, -2.0, -3.5, -4.1, -7.0, -2.0 * len(token), random.uniform(-9, -1))
            )
        fallback = random.random() < 0.3
        if fallback:
            tokens |= {f"<0x{byte:02X}>": -12.0 for byte in range(256) if byte != 0xCC or random.random() < 0.5}
        model = models.Unigram(list(tokens.items()), unk_id=0, byte_fallback=fallback)
        made = tokenizers.Tokenizer(model)
        made.normalizer = random.choice([normalizers.NFKC(), normalizers.NFD(), normalizers.Sequence([])])
        cutters = [pre_tokenizers.Metaspace(prepend_scheme="always"), pre_tokenizers.WhitespaceSplit()]
        made.pre_tokenizer = random.choice([*cutters, pre_tokenizers.Sequence(cutters[::-1])])
        theirs, ours = both(made.to_str())
        check_growth(theirs, ours, random, [*alphabet, "z", " ", "\u0301\u0323", "ab"], 3)


@pytest.mark.parametrize("scheme", ["always", "whole"])
@pytest.mark.parametrize("name", NAMES)
def test_slices(name: str, scheme: str) -> None:
    theirs, ours = pair(name, scheme)
    random = Random(f"{name} {scheme}")
    for _ in range(RUNS // 10):
        text = random_text(random) + random_text(random)
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert (text, ours.count(text), ours.encode(text)) == (text, len(ids), ids)
        prices = ours.interval_encoder(text)
        for _ in range(12):
            start, end = sorted(random.choices(range(len(text) + 1), k=2))
            want = len(theirs.encode(text[start:end], add_special_tokens=False).ids)
            assert (text, start, end, prices.count(start, end)) == (text, start, end, want)


@pytest.mark.parametrize("start", ["\u0903 " * 60, "\u0301" * 70 + " "])
@pytest.mark.parametrize("end", ["", "a", "e\u0301 中"])
def test_slices_of_a_text_of_which_nothing_is_left_at_first(start: str, end: str) -> None:
    theirs, ours = pair("albert", "whole")
    text = start + end
    prices = ours.interval_encoder(text)
    for place in range(0, len(text), 7):
        want = [len(theirs.encode(part, add_special_tokens=False).ids) for part in (text[place:], text[:place])]
        assert [prices.count(place, len(text)), prices.count(0, place)] == want
