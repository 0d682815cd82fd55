"""WordPiece, Unigram and WordLevel: the core and its specification, equal to `tokenizers` and `sentencepiece` on made-up vocabularies."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_files import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, unigram_model
from small_tokenizers import corpus
from strategies import texts
from tokenizers import models

from bpe_engine.errors import EncodingError
from bpe_engine.formats.sentencepiece_file import parse_model
from bpe_engine.reference import unigram, wordpiece

_core = pytest.importorskip("bpe_engine._core", reason="this installation has no compiled core")

LETTERS = ["a", "b", "c", "ü", "中", "😀", "▁", "\u0301", "##", "<unk>"]
tokens = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4).map("".join)
words = st.lists(st.sampled_from([*LETTERS, "x", "y"]), max_size=14).map("".join)
# Ties, sums that are equal or nearly so, and what no training makes.
finite_scores = st.one_of(
    st.sampled_from([-1.0, -2.0, -3.0, 0.0, -0.5]),
    st.sampled_from([-0.1, -0.2, -0.3, -0.6, 0.7]),
    st.sampled_from([30.0, -1e9, 5e8, -1e-9]),
    st.floats(-15, 0, width=32),
)
scores = st.one_of(finite_scores, finite_scores, st.just(float("-inf")))
BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]


def outcome(encode: Callable[[], list[int]]) -> list[int] | None:
    """The ids, None where there is no token for the text."""
    try:
        return encode()
    except EncodingError:
        return None


def theirs(model: Any, text: str) -> list[int] | None:
    try:
        return [token.id for token in model.tokenize(text)]
    except Exception as error:
        if "unk" not in str(error).lower():
            raise
        return None


def check(model: Any, text: str, expected: list[int] | None) -> None:
    data = text.encode()
    assert outcome(lambda: model.encode(data)) == expected
    if expected is not None:
        assert model.count(data) == len(expected)
        pairs = model.encode_with_lengths(data)
        assert [token for token, _ in pairs] == expected
        assert sum(length for _, length in pairs) == len(data)


@settings(max_examples=150)
@given(
    vocabulary=st.lists(tokens, min_size=1, max_size=20, unique=True),
    prefix=st.sampled_from(["##", "", "▁", "@@"]),
    inside=st.lists(tokens, max_size=10),
    unknown=st.sampled_from(["[UNK]", "a"]),
    has_unknown=st.booleans(),
    most=st.sampled_from([100, 0, 3, 7]),
    given_words=st.lists(words, max_size=10),
)
def test_word_piece_and_word_level(  # noqa: PLR0917 - hypothesis passes them by name
    vocabulary: list[str],
    prefix: str,
    inside: list[str],
    unknown: str,
    has_unknown: bool,
    most: int,
    given_words: list[str],
) -> None:
    names = dict.fromkeys([*vocabulary, *(prefix + token for token in inside), *(["[UNK]"] if has_unknown else [])])
    ids = {token: 3 * number for number, token in enumerate(names)}
    as_bytes = {token.encode(): number for token, number in ids.items()}
    piece_model = models.WordPiece(
        ids, unk_token=unknown, max_input_chars_per_word=most, continuing_subword_prefix=prefix
    )
    ours = _core.WordPieceModel(as_bytes, unknown=ids.get(unknown), prefix=prefix.encode(), most_characters=most)
    level_model = models.WordLevel(ids, unk_token=unknown)
    level = _core.WordLevelModel(as_bytes, unknown=ids.get(unknown))
    for word in ["", *vocabulary, *given_words]:
        expected = theirs(piece_model, word)
        check(ours, word, expected)
        specified = functools.partial(
            wordpiece.encode, unknown=ids.get(unknown), prefix=prefix.encode(), most_characters=most
        )
        assert outcome(lambda: specified(as_bytes, word.encode())) == expected  # noqa: B023 - called at once
        # Nobody asks `tokenizers` for the tokens of an empty pre-token.
        check(level, word, theirs(level_model, word) if word else [])


@settings(max_examples=150)
@given(
    vocabulary=st.lists(st.tuples(tokens, scores), min_size=1, max_size=20),
    byte_names=st.one_of(st.just([]), st.just(BYTE_NAMES), st.lists(st.sampled_from(BYTE_NAMES), unique=True)),
    unknown=st.one_of(st.none(), st.integers(0, 19)),
    given_words=st.lists(words, max_size=12),
)
def test_unigram_as_tokenizers(
    vocabulary: list[tuple[str, float]], byte_names: list[str], unknown: int | None, given_words: list[str]
) -> None:
    vocabulary = [*vocabulary, *((name, -1.0) for name in byte_names)]
    unknown = unknown if unknown is None else unknown % len(vocabulary)
    model = models.Unigram(vocabulary, unknown, bool(byte_names))
    last = {token: number for number, (token, _) in enumerate(vocabulary)}
    fallback = {int(name[3:5], 16): last[name] for name in byte_names}
    scored = [(token.encode(), number, score) for number, (token, score) in enumerate(vocabulary)]
    ours = _core.UnigramModel(scored, unknown=unknown, bytes=fallback, user_defined=[], like="tokenizers")
    for word in ["", *(token for token, _ in vocabulary[:20]), *given_words]:
        expected = theirs(model, word)
        check(ours, word, expected)
        specified = functools.partial(unigram.encode, unknown=unknown, byte_tokens=fallback)
        assert outcome(lambda: specified(scored, word.encode())) == expected  # noqa: B023 - called at once


@settings(max_examples=150)
@given(
    vocabulary=st.lists(
        st.tuples(tokens, finite_scores, st.sampled_from([NORMAL, NORMAL, NORMAL, USER_DEFINED, UNUSED])),
        min_size=1,
        max_size=20,
        unique_by=lambda piece: piece[0],
    ),
    byte_fallback=st.booleans(),
    given_words=st.lists(words, max_size=12),
)
def test_unigram_as_sentencepiece(
    vocabulary: list[tuple[str, float, int]], byte_fallback: bool, given_words: list[str]
) -> None:
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), *(piece for piece in vocabulary if piece[0] != "<unk>")]
    pieces += [(name, 0.0, BYTE) for name in BYTE_NAMES] if byte_fallback else []
    if not any(kind in (NORMAL, USER_DEFINED, UNUSED) for _, _, kind in pieces):
        return  # refused there
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(unigram_model(pieces, byte_fallback=byte_fallback))
    model = ProcessorModel(processor)
    for word in ["", *(text for text, _, _ in vocabulary), *given_words]:
        # Its normalizer would put U+FFFD for nothing else here.
        expected = processor.encode(word)
        check(model.core, word, expected)
        assert model.specified(word) == expected


class ProcessorModel:
    """The core's model with the pieces of a SentencePiece processor, and its specification."""

    def __init__(self, processor: Any) -> None:
        pieces = parse_model(processor.serialized_model_proto(), "a model").pieces.all
        of_kind = {kind: [number for number, piece in enumerate(pieces) if piece[2] == kind] for kind in range(1, 7)}
        self.scored = [
            (text.encode(), number, score)
            for number, (text, score, kind) in enumerate(pieces)
            if kind in (NORMAL, USER_DEFINED)
        ]
        self.unknown = processor.unk_id()
        self.fallback = {int(pieces[number][0][3:5], 16): number for number in of_kind[BYTE]}
        self.defined = of_kind[USER_DEFINED]
        self.core = _core.UnigramModel(
            self.scored, unknown=self.unknown, bytes=self.fallback, user_defined=self.defined, like="sentencepiece"
        )

    def specified(self, text: str) -> list[int]:
        return unigram.encode(
            self.scored,
            text.encode(),
            unknown=self.unknown,
            byte_tokens=self.fallback,
            user_defined=self.defined,
            like="sentencepiece",
        )


@functools.cache
def trained(byte_fallback: bool) -> Any:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line.rstrip("\n") for line in corpus()]),
        model_writer=written,
        model_type="unigram",
        vocab_size=500,
        character_coverage=0.99,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        byte_fallback=byte_fallback,
        minloglevel=2,
        hard_vocab_limit=False,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())


@functools.cache
def trained_model(byte_fallback: bool) -> ProcessorModel:
    return ProcessorModel(trained(byte_fallback))


@pytest.mark.parametrize("byte_fallback", [False, True])
@settings(max_examples=100)
@given(text=texts(20))
def test_trained_models(byte_fallback: bool, text: str) -> None:
    spaced = text.replace(" ", "▁")
    expected = trained(byte_fallback).encode(text)
    check(trained_model(byte_fallback).core, spaced, expected)
    assert trained_model(byte_fallback).specified(spaced) == expected


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_long_pieces(byte_fallback: bool) -> None:
    """Rows are forgotten on the way, sums of `sentencepiece` begin anew, and a run of unknown characters is one all the way."""
    prose = "".join(corpus())
    for text in (prose * (400_000 // len(prose) + 1), "☃" * 30_000 + "the" + "☃" * 30_000, "a" * 200_000):
        spaced = text.replace(" ", "▁")
        check(trained_model(byte_fallback).core, spaced, trained(byte_fallback).encode(text))
    model = models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -1.7), ("b", -2.0), ("ab", -2.5)], 0, False)
    ours = _core.UnigramModel(
        [(b"<unk>", 0, 0.0), (b"a", 1, -1.0), (b"aa", 2, -1.7), (b"b", 3, -2.0), (b"ab", 4, -2.5)],
        unknown=0,
        bytes={},
        user_defined=[],
        like="tokenizers",
    )
    for text in ("aab☃" * 40_000, "☃" * 60_000, "a" * 100_001):
        check(ours, text, theirs(model, text))


@settings(max_examples=150)
@given(text=texts(16), cuts=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=8))
def test_growing(text: str, cuts: list[tuple[int, int]]) -> None:
    """A piece that grows byte by byte and is cut back has the count of its bytes; so has one that is cut inside a character."""
    model = trained_model(byte_fallback=False).core
    data = text.replace(" ", "▁").encode()
    piece = model.growing()
    bounds = []
    for offset in range(len(data)):
        piece.extend(data[offset : offset + 1])
        assert piece.count() == model.count(data[: offset + 1])
        bounds.append(piece.fewest())
    assert all(bound <= model.count(data) for bound in bounds)
    for cut, size in cuts:
        kept = min(cut, len(piece))
        piece.truncate(kept)
        data = data[:kept] + data[:size]
        piece.extend(data[kept:])
        assert len(piece) == len(data)
        assert piece.count() == model.count(data)


def test_any_bytes() -> None:
    """A byte that is no UTF-8 is a character of its own: here one that no token has."""
    scored = [(b"a", 0, -1.0), ("中".encode(), 1, -2.0), (b"\xff", 2, -3.0)]
    for like in ("tokenizers", "sentencepiece"):
        model = _core.UnigramModel(scored, unknown=9, bytes={}, user_defined=[], like=like)
        for data in (b"a\xe4\xb8", "中".encode()[:2] + b"a", b"\xff\xffa", b"\xed\xa0\x80", "中中".encode()[1:]):
            assert model.encode(data) == unigram.encode(scored, data, unknown=9, like=like)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: _core.WordLevelModel({"a": 1}, unknown=None), TypeError),
        (lambda: _core.WordLevelModel({b"a": -1}, unknown=None), ValueError),
        (lambda: _core.WordLevelModel({b"a": "1"}, unknown=None), TypeError),
        (lambda: _core.WordLevelModel({b"a": 1}, unknown=1 << 32), ValueError),
        (lambda: _core.WordPieceModel({b"a": 1}, unknown=None, prefix=b"", most_characters=-1), OverflowError),
        (lambda: _unigram([(b"a", 0)]), TypeError),
        (lambda: _unigram([(b"a", 0, "x")]), TypeError),
        (lambda: _unigram([(b"a", 0, float("nan"))]), ValueError),
        (lambda: _unigram([(b"a", 0, 1e300)], like="sentencepiece"), ValueError),
        (lambda: _unigram([], like="others"), ValueError),
        (lambda: _unigram([], bytes={256: 1}), ValueError),
        (lambda: _unigram([(b"a", 0, -1.0)]).growing().truncate(1), ValueError),
        (lambda: _unigram([(b"a", 0, -1.0)]).encode("a"), TypeError),
    ],
)
def test_wrong_arguments(make: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def _unigram(tokens: list[Any], **options: Any) -> Any:
    defaults: dict[str, Any] = {"unknown": None, "bytes": {}, "user_defined": [], "like": "tokenizers"}
    return _core.UnigramModel(tokens, **(defaults | options))


def test_no_unknown_token() -> None:
    piece = _unigram([(b"a", 0, -1.0)]).growing()
    piece.extend(b"aa")
    with pytest.raises(EncodingError, match="byte offset 3 is not a token, and the vocabulary has no unknown token"):
        piece.extend(b"axa")
    assert (len(piece), piece.count()) == (2, 2)
    with pytest.raises(EncodingError, match="no unknown token"):
        _core.WordLevelModel({b"a": 1}, unknown=None).count(b"b")
