"""Explicit tokens that `tokenizers` looks for in normalized text: to the normalizers the text on both sides of one is one text.

normalizers Prepend "▁", Replace " " by "▁"        "<s>ca" -> "▁<s>ca" -> ▁<s> | ca            no "▁" before "ca"
normalizer Strip                                   " a <s> b " -> "a <s> b" -> "a " | <s> | " b"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import tokenizers
from hypothesis import assume, example, given, note, settings
from hypothesis import strategies as st
from thresholds import thresholds_set_to
from tokenizers import AddedToken, Regex, models, normalizers, pre_tokenizers

from bpe_engine import AppendingEncoder, Tokenizer
from bpe_engine.fallback.specification_engine import SpecificationEngine
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.special_tokens import Part, parted

NORMALIZERS: dict[str, Any] = {
    "llama": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    "strip": normalizers.Strip(),
    "strip right": normalizers.Strip(left=False),
    "strip left": normalizers.Strip(right=False),
    "strip, prepend": normalizers.Sequence(
        [normalizers.Strip(), normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    ),
    "prepend, strip": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Strip()]),
    "prepend a space": normalizers.Prepend(" "),
    "forms": normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase(), normalizers.Strip(right=False)]),
    "one space": normalizers.Sequence([normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]),
}
PRE_TOKENIZERS: dict[str, Any] = {
    "none": None,
    "white space": pre_tokenizers.Whitespace(),
    "metaspace": pre_tokenizers.Metaspace(prepend_scheme="always"),
    "metaspace, first": pre_tokenizers.Metaspace(prepend_scheme="first"),
    "split": pre_tokenizers.Split(" ", "merged_with_next"),
}
FLAGS: list[dict[str, bool]] = [{}, {"lstrip": True}, {"rstrip": True}, {"single_word": True}]


class Kind(NamedTuple):
    """One tokenizer in three programs."""

    theirs: tokenizers.Tokenizer
    ours: Tokenizer
    plain: SpecificationEngine


@cache
def kind_of(normalizer: str, pre_tokenizer: str, flags: int, *, other_is_normalized: bool) -> Kind:
    merges = [("▁", "a"), ("▁", "▁"), ("a", "b"), ("▁a", "b"), (" ", "a"), (" ", " "), ("b", "c"), (" ", "b")]
    tokens = dict.fromkeys(["<unk>", *"abcd▁ é1\n<>s/", *(left + right for left, right in merges)])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    theirs = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>"))
    theirs.normalizer = NORMALIZERS[normalizer]
    theirs.pre_tokenizer = PRE_TOKENIZERS[pre_tokenizer]
    theirs.add_special_tokens([AddedToken("<s>", normalized=True, **FLAGS[flags])])
    theirs.add_special_tokens([AddedToken("</s>", normalized=other_is_normalized)])
    theirs.add_tokens([AddedToken("cc", normalized=False), AddedToken("dd", normalized=True)])
    ours = Tokenizer.from_specification(parse_tokenizer_json(theirs.to_str().encode(), "x"))
    assert ours.specification is not None
    return Kind(theirs, ours, SpecificationEngine(ours.specification))


kinds = st.builds(
    kind_of,
    st.sampled_from(sorted(NORMALIZERS)),
    st.sampled_from(sorted(PRE_TOKENIZERS)),
    st.integers(0, len(FLAGS) - 1),
    other_is_normalized=st.booleans(),
)
WORDS = ["<s>", "</s>", " <s>", "<s", "a", "ab", " ", "  ", "b", "▁", "cc", "dd", "1", "é", "e\u0301", "\n", "c", "A"]
LONG = ["ab" * 40, " " * 70, "a b " * 30, "\u0301" * 40]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map("".join)
long_texts = st.lists(st.sampled_from([*WORDS, *LONG]), max_size=8).map("".join)


@settings(max_examples=2000)
@given(kind=kinds, text=texts)
def test_a_text_with_special_tokens_is_as_tokenizers_encodes_it(kind: Kind, text: str) -> None:
    expected = kind.theirs.encode(text, add_special_tokens=False)
    assert kind.ours.encode(text, allowed_special="all") == expected.ids
    for encoder in (kind.ours.appending_encoder(), kind.plain.appending_encoder()):
        encoder.append(text, allowed_special="all")
        assert (encoder.tokens(), encoder.count, encoder.text) == (expected.ids, len(expected.ids), text)
        encoder.append("a")
        encoder.move_to(text, allowed_special="all")
        assert encoder.tokens() == expected.ids


BETWEEN_WORDS = [
    "the",
    "er",
    "a",
    "b",
    "c",
    " ",
    "\n",
    ",",
    "-",
    "é",
    "e\u0301",
    "É",
    "中",
    "文",
    "ß",
    "Ｂ",
    "1",
    "_",
    "'s",
    "का",
    "ﬁ",
    "TH",
]
ENDS = ["\u00ad", "\u200b", "\u0301", "\x00", "🙂"]
word_normalizers = st.sampled_from(
    [
        normalizers.BertNormalizer(),
        normalizers.BertNormalizer(lowercase=False, handle_chinese_chars=False),
        normalizers.NFKC(),
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]),
    ]
)
word_pre_tokenizers = st.sampled_from(
    [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=False)]
)
added = st.builds(
    lambda text, whole: AddedToken(text, normalized=True, single_word=whole),
    st.lists(st.sampled_from(BETWEEN_WORDS), min_size=1, max_size=4).map("".join),
    st.booleans(),
)
words = st.lists(st.sampled_from([*BETWEEN_WORDS, *ENDS]), max_size=30).map("".join)


@settings(max_examples=250)
@given(word_normalizers, word_pre_tokenizers, st.lists(added, min_size=1, max_size=3), st.lists(words, min_size=1))
def test_added_words_are_found_in_and_across_words(
    normalizer: Any, pre_tokenizer: Any, tokens: list[AddedToken], parts: list[str]
) -> None:
    """A domain's own words in a tokenizer: texts are counted word by word, but never where such a token may stand."""
    # Of two tokens with one normalized text `tokenizers` finds one or the other.
    assume(len({normalizer.normalize_str(token.content) for token in tokens}) == len(tokens))
    theirs = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2, "the": 3, ",": 4}, unk_token="[UNK]"))
    theirs.normalizer, theirs.pre_tokenizer = normalizer, pre_tokenizer
    theirs.add_tokens(tokens)
    ours = Tokenizer.from_specification(parse_tokenizer_json(theirs.to_str().encode(), "x"))
    encoder = ours.appending_encoder()
    for part in parts:
        encoder.append(part)
        expected = theirs.encode(encoder.text, add_special_tokens=False).ids
        assert (ours.count(encoder.text), encoder.count) == (len(expected), len(expected))
        assert list(ours.encode_to_buffer(encoder.text)) == expected


@pytest.mark.parametrize("pre_tokenizer", ["none", "split"])
def test_text_after_a_token_is_no_text_by_itself(pre_tokenizer: str) -> None:
    """Also of a token that is appended by its id, where no text would be found to have it."""
    kind = kind_of("llama", pre_tokenizer, 0, other_is_normalized=True)
    start, ids = kind.ours.encode_single_token("<s>"), kind.theirs.get_vocab()
    for encoder in (kind.ours.appending_encoder(), kind.plain.appending_encoder()):
        encoder.append("ab")
        encoder.append_token(start)
        encoder.append("ab")
        assert (encoder.tokens(), encoder.count) == ([ids["▁ab"], start, ids["ab"]], 3)
    kind = kind_of("strip", pre_tokenizer, 0, other_is_normalized=True)
    for encoder in (kind.ours.appending_encoder(), kind.plain.appending_encoder()):
        encoder.append(" 1 ")
        encoder.append_token(start)
        encoder.append(" 1 ")
        assert (encoder.tokens(), encoder.count) == ([ids["1"], ids[" "], start, ids[" "], ids["1"]], 5)


numbers = st.integers(0, 1 << 16)
steps = st.one_of(
    st.tuples(st.just("append"), long_texts),
    st.tuples(st.just("append_with_specials"), long_texts),
    st.tuples(st.just("move"), st.tuples(numbers, texts)),
    st.tuples(st.just("tail"), st.tuples(numbers, texts)),
    *(st.tuples(st.just(name), numbers) for name in ("token", "snapshot", "rollback", "fork")),
)


class Program:
    """Steps on an encoder, and beside it on a list of its parts, of which the last one has no token."""

    def __init__(self, kind: Kind, encoder: AppendingEncoder) -> None:
        self.kind, self.encoder = kind, encoder
        self.parts: tuple[Part, ...] = (Part("", None, b""),)
        self.marks: list[tuple[Any, tuple[Part, ...]]] = []
        self.told: list[int] = []

    def _join(self, parts: list[Part]) -> None:
        *before, last = self.parts
        self.parts = (*before, parts[0]._replace(plain=f"{last.plain!s}{parts[0].plain!s}"), *parts[1:])

    def append(self, text: str) -> None:
        self.encoder.append(text)
        self._join([Part(text, None, b"")])

    def append_with_specials(self, text: str) -> None:
        self.encoder.append(text, allowed_special="all")
        self._join(list(parted(self.kind.ours, text, "all")))

    def token(self, number: int) -> None:
        text = ("<s>", "</s>", "<s>", "ab", "dd")[number % 5]
        token = self.kind.theirs.get_vocab()[text]
        self.encoder.append_token(token)
        self._join([Part("", token, text), Part("", None, b"")])

    def snapshot(self, _number: int) -> None:
        self.marks.append((self.encoder.snapshot(), self.parts))

    def rollback(self, number: int) -> None:
        if self.marks:
            del self.marks[number % len(self.marks) + 1 :]
            mark, self.parts = self.marks[-1]
            self.encoder.rollback(mark)

    def fork(self, _number: int) -> None:
        self.encoder, self.marks = self.encoder.fork(), []

    def move(self, argument: tuple[int, str]) -> None:
        place, text = argument
        whole = self.encoder.text
        moved = whole[: place % (len(whole) + 1)] + text
        self.encoder.move_to(moved, allowed_special="all")
        self.parts, self.marks = tuple(parted(self.kind.ours, moved, "all")), []

    def tail(self, argument: tuple[int, str]) -> None:
        place, text = argument
        number = place % len(self.parts)
        *before, last = self.parts[: number + 1]
        kept = last.plain[: place % (len(last.plain) + 1)]
        length = sum(len(f"{part.plain!s}{part.written!s}".encode()) for part in before) + len(str(kept).encode())
        new = list(parted(self.kind.ours, text, "all"))
        self.encoder.replace_tail(length, in_bytes(new))
        self.parts, self.marks = (*before, Part(kept, None, "")), []
        self._join(new)

    def check(self) -> list[int]:
        ids = self.encoder.tokens()
        position, new = self.encoder.changes()
        self.told[position:] = new.tolist()
        assert ids == self.told == self.encoder.ids().tolist()
        assert self.encoder.fewest <= self.encoder.count == len(ids)
        text = "".join(f"{part.plain!s}{part.written!s}" for part in self.parts[:-1]) + str(self.parts[-1].plain)
        assert self.encoder.text == text
        if without_ends(self.parts) == without_ends(tuple(parted(self.kind.ours, text, "all"))):
            assert ids == self.kind.theirs.encode(text, add_special_tokens=False).ids
        return ids


def in_bytes(parts: Sequence[Part]) -> list[Part]:
    return [part._replace(written=str(part.written).encode() if part.token is not None else b"") for part in parts]


def without_ends(parts: tuple[Part, ...]) -> list[tuple[str, int | None, str]]:
    return [(str(part.plain), part.token, str(part.written) if part.token is not None else "") for part in parts]


@pytest.fixture
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    with thresholds_set_to(request.param):
        yield


@pytest.mark.parametrize("thresholds", ["ordinary", "small"], indirect=True)
@pytest.mark.usefixtures("thresholds")
@settings(max_examples=800)
@given(kind=kinds, program=st.lists(steps, max_size=12))
@example(
    kind=kind_of("llama", "none", 0, other_is_normalized=True),
    program=[("append_with_specials", " <s>ab"), ("snapshot", 0), ("append", " "), ("token", 0), ("append", "ab")],
)
def test_any_program(kind: Kind, program: list[tuple[str, Any]]) -> None:
    """Both engines have the same ids after each step; those of `tokenizers` where it finds the same tokens in the text."""
    both = [Program(kind, kind.ours.appending_encoder()), Program(kind, kind.plain.appending_encoder())]
    for operation, argument in program:
        for one in both:
            getattr(one, operation)(argument)
        note(f"{operation} {argument}: {both[0].parts}")
        ids = both[0].check()
        assert ids == both[1].check()
        afresh = kind.ours.appending_encoder()
        afresh.replace_tail(0, in_bytes(both[0].parts))
        assert afresh.tokens() == ids


@settings(max_examples=400)
@given(kind=kinds, text=texts, places=st.lists(numbers, min_size=2, max_size=8))
def test_all_else_of_such_a_tokenizer(kind: Kind, text: str, places: list[int]) -> None:
    """Counts, offsets, prepends and slices; special tokens are plain text there, `dd` and `cc` are found."""
    plain = kind.theirs.from_str(kind.theirs.to_str())
    plain.encode_special_tokens = True
    expected = plain.encode(text, add_special_tokens=False)
    for engine in (kind.ours, kind.plain):
        assert engine.count(text) == len(expected.ids)
        starts = engine.encode_with_starts(text)[1] if engine is kind.plain else kind.ours.encode_with_offsets(text)[1]
        assert len(starts) == len(expected.ids)
        prepending, right = engine.prepending_encoder(), len(text)
        marks = []
        while right:
            left = max(0, right - 1 - places[right % len(places)] % 5)
            marks.append((prepending.snapshot(), right))
            prepending.prepend(text[left:right])
            right = left
            assert prepending.count == len(plain.encode(text[left:], add_special_tokens=False).ids)
        for mark, place in reversed(marks):
            prepending.rollback(mark)
            assert prepending.count == len(plain.encode(text[place:], add_special_tokens=False).ids)
        intervals = engine.interval_encoder(text)
        for first, second in pairwise(places):
            start, end = sorted((first % (len(text) + 1), second % (len(text) + 1)))
            part = text[start:end]
            assert intervals.count(start, end) == len(plain.encode(part, add_special_tokens=False).ids)
