"""SentencePiece `.model` files: equal to the package `sentencepiece` on models that it trains here, or refused by name."""

from __future__ import annotations

import functools
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hostile_files import damaged, refused
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencepiece_files import unigram_model
from small_tokenizers import corpus
from strategies import texts

from bpe_engine import BpeEngineError, MissingExtraError, Tokenizer, VocabularyError, implementation
from bpe_engine.formats.detection import detect
from bpe_engine.formats.sentencepiece import read
from bpe_engine.formats.sentencepiece_file import parse_model
from bpe_engine.pipeline.specification import Specification
from bpe_engine.training.sentence_piece import train_sentencepiece

SYMBOLS = ["<sep>", "foo", "foobar"]
KINDS: dict[str, dict[str, Any]] = {
    "llama": {"byte_fallback": True, "remove_extra_whitespaces": False},
    "mistral, with symbols": {
        "byte_fallback": True,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": SYMBOLS,
    },
    "gemma": {
        "byte_fallback": True,
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": [*SYMBOLS, "▁▁", "▁▁▁", "\n\n"],
    },
    "unknown tokens": {"remove_extra_whitespaces": False},
    "no dummy prefix": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "no extra spaces": {"byte_fallback": True},
    "no extra spaces, with symbols": {"user_defined_symbols": SYMBOLS},
    "nothing in front, no extra spaces": {"add_dummy_prefix": False},
    "nmt_nfkc": {"normalization_rule_name": "nmt_nfkc"},
    "nmt_nfkc, with symbols": {
        "normalization_rule_name": "nmt_nfkc",
        "byte_fallback": True,
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": [*SYMBOLS, "①"],
    },
    "unigram": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc", "vocab_size": 500},
    "unigram, case folded": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc_cf", "vocab_size": 500},
    "unigram, with symbols": {
        "model_type": "unigram",
        "normalization_rule_name": "nmt_nfkc",
        "vocab_size": 800,
        "byte_fallback": True,
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "user_defined_symbols": [*SYMBOLS, ",", "①"],
    },
    "white space as symbols": {"user_defined_symbols": ["foo", "bar", ",", "\t", "\b", "\n", "\r"]},
    "unigram, white space as symbols": {
        "model_type": "unigram",
        "vocab_size": 500,
        "user_defined_symbols": ["foo", "bar", ",", "\t", "\b", "\n", "\r"],
    },
    "spaces in symbols": {"user_defined_symbols": [" ", "a b", "foo"], "byte_fallback": True},
    "spaces in symbols, all of them kept": {
        "user_defined_symbols": ["  ", "foo bar", "foo"],
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
    },
    "unigram, spaces in symbols": {"model_type": "unigram", "vocab_size": 500, "user_defined_symbols": [" ", "o b"]},
    "unigram, as it is": {"model_type": "unigram", "vocab_size": 500, "remove_extra_whitespaces": False},
}
pieces = st.sampled_from(
    [
        "▁",
        "▁▁",
        "<s>",
        "</s>",
        "<unk>",
        "<ctl>",
        "<0x0A>",
        "<sep>",
        "foo",
        "foo bar",
        "a b",
        "foobar",
        "fo",
        " the",
        "tokenizer",
        "  ",
        "\n",
        "Ö",
        "中文",
        "€",
        "Ｆoo①",
        "ﬁ",
        "e\u0301",
        "\u3000",
        "\u200b",
        "\x07",
        "\t",
        "\b",
        "\r\n",
        "¨",
    ]
)
trouble = st.one_of(texts(10), st.lists(st.one_of(pieces, pieces, texts(1)), max_size=16).map("".join))


@functools.cache
def trained(**options: Any) -> bytes:
    written = io.BytesIO()
    settings_of_all: dict[str, Any] = {
        "model_type": "bpe",
        "vocab_size": 700,
        "normalization_rule_name": "identity",
        "control_symbols": ["<ctl>"],
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line.rstrip("\n") for line in corpus()]),
        model_writer=written,
        character_coverage=0.99,
        minloglevel=2,
        hard_vocab_limit=False,
        **(
            settings_of_all
            | {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
        ),
    )
    return written.getvalue()


def options_of(kind: str) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in KINDS[kind].items()}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Tokenizer, Any]]:
    folder = tmp_path_factory.mktemp("sentencepiece")
    found = {}
    for kind in KINDS:
        path = folder / f"{kind}.model"
        path.write_bytes(trained(**options_of(kind)))
        assert detect(path) == "sentencepiece"
        found[kind] = (Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_file=str(path)))
    return found


@settings(max_examples=60)
@given(text=trouble)
def test_equal_to_sentencepiece(pairs: dict[str, tuple[Tokenizer, Any]], text: str) -> None:
    for kind, (ours, theirs) in pairs.items():
        ids = theirs.encode(text)
        assert ours.encode(text) == ids, kind
        assert ours.count(text) == len(ids)
        assert ours.decode(ids) == theirs.decode(ids), kind


@settings(max_examples=60)
@given(numbers=st.lists(st.integers(0, 1 << 20), max_size=9))
@example(numbers=[0, 40])
def test_decodes_any_pieces(pairs: dict[str, tuple[Tokenizer, Any]], numbers: list[int]) -> None:
    for kind, (ours, theirs) in pairs.items():
        # Among them bytes that are no characters, "▁" at the start, and unknown pieces. Control tokens have a text here, and none there.
        # The first pieces are those of bytes, if there are any.
        for first in (theirs.vocab_size(), 300):
            chosen = [number % min(first, theirs.vocab_size()) for number in numbers]
            pieces = [piece for piece in chosen if not theirs.is_control(piece)]
            stream = ours.stream_decoder()
            assert (
                "".join(map(stream.push, pieces)) + stream.finish() == ours.decode(pieces) == theirs.decode(pieces)
            ), kind


@settings(max_examples=25)
@given(parts=st.lists(st.one_of(pieces, texts(2)), max_size=6))
def test_the_exactness_law(pairs: dict[str, tuple[Tokenizer, Any]], parts: list[str]) -> None:
    for ours, theirs in pairs.values():
        encoder = ours.appending_encoder()
        for part in parts:
            mark = encoder.snapshot()
            encoder.append(" and more")
            encoder.rollback(mark)
            encoder.append(part)
            assert encoder.count == ours.count(encoder.text) == len(theirs.encode(encoder.text))


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_training(model_type: Any, tmp_path: Path) -> None:
    path = tmp_path / "trained.model"
    lines = [line.rstrip("\n") for line in corpus()]
    ours = train_sentencepiece(lines, path, vocab_size=400, model_type=model_type, byte_fallback=True)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert ours.n_vocab == theirs.get_piece_size() == 400
    assert all(ours.encode(line) == theirs.encode(line) for line in lines[:50])
    with pytest.raises(BpeEngineError, match=r"sentencepiece cannot train this model: .+"):
        train_sentencepiece(["a b"], path, vocab_size=100_000, model_type=model_type)


def test_training_without_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"bpe-chunker\[sentencepiece\]"):
        train_sentencepiece(["a"], tmp_path / "no.model", vocab_size=10)


def test_all_are_native(pairs: dict[str, tuple[Tokenizer, Any]]) -> None:
    for kind, (ours, _) in pairs.items():
        assert ours.is_native == (implementation() == "cpp"), kind


@settings(max_examples=60)
@given(text=trouble)
def test_offsets_are_those_of_sentencepiece(pairs: dict[str, tuple[Tokenizer, Any]], text: str) -> None:
    for kind, (ours, theirs) in pairs.items():
        # Of several spaces that are one "▁" ours has the offset of the last, where no table normalizes the text of a BPE model.
        if "nmt" in str(KINDS[kind].get("normalization_rule_name")) or KINDS[kind].get("model_type") == "unigram":
            ids, starts = ours.encode_with_offsets(text, unit="bytes")
            expected = theirs.encode(text, return_type="proto").pieces
            assert (kind, ids) == (kind, [one.id for one in expected])
            assert (kind, starts) == (kind, [one.begin for one in expected])


def test_the_vocabulary(pairs: dict[str, tuple[Tokenizer, Any]]) -> None:
    for kind, (ours, theirs) in pairs.items():
        assert ours.n_vocab == theirs.get_piece_size(), kind
        assert (ours.prefix, ours.suffix) == ((), ())  # sentencepiece adds none unless asked
    ours, theirs = pairs["llama"]
    control = theirs.piece_to_id("<ctl>")
    assert ours.encode("a<ctl>", allowed_special="all")[-1] == control
    assert ours.encode("a<ctl>") == theirs.encode("a<ctl>")
    assert ours.decode([control]) == "<ctl>"


def test_not_yet_exact_means_refused(tmp_path: Path) -> None:
    for options, message in (
        ({"model_type": "word"}, "of the type 'word' is not supported"),
        ({"model_type": "char"}, "of the type 'char' is not supported"),
        ({"treat_whitespace_as_suffix": True}, "white space as a suffix is not supported"),
    ):
        path = tmp_path / "refused.model"
        path.write_bytes(trained(**options))
        with pytest.raises(VocabularyError, match=f"^{re.escape(str(path))}.*{re.escape(message)}"):
            Tokenizer.from_file(path)


@pytest.mark.parametrize("model_type", [1, 2])
def test_symbols_with_spaces_where_spaces_stay(model_type: int, tmp_path: Path) -> None:
    defined = [(text, 0.0, 4) for text in (" ", "a b", "  ")]
    pieces = [("<unk>", 0.0, 2), *defined, *((text, -1.5, 1) for text in ("a", "b", "ab", "▁"))]
    data = unigram_model(pieces, byte_fallback=False).replace(
        b"\x12\x02\x18\x01", b"\x12\x02\x18" + bytes([model_type])
    )
    path = tmp_path / "spaces.model"
    path.write_bytes(data)
    ours, theirs = Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_proto=data)
    for text in ("a b", "ab  a b", "   ", " a▁b a b b", "a  b"):
        assert ours.encode(text) == theirs.encode(text), text


def field(number: int, kind: int, value: bytes) -> bytes:
    return bytes([number << 3 | kind]) + value


def message(number: int, value: bytes) -> bytes:
    return field(number, 2, bytes([len(value)]) + value)


def piece(text: str, kind: int = 1) -> bytes:
    return message(1, message(1, text.encode()) + field(2, 5, bytes(4)) + field(3, 0, bytes([kind])))


BPE = message(2, field(3, 0, b"\x02"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "the model has no pieces"),
        (b"\0", "a field has the number 0"),
        (b"\x0a", "byte 1: the file ends inside a number"),
        (b"\x0a\xff\xff\xff\xff\x7f", "byte 6: 34359738367 bytes are claimed, but there are only 0 more"),
        (b"\x0a" + b"\xff" * 20, "a number has more than 64 bits"),
        (b"\x0b", "the type 3 is unknown"),
        (b"\x0d\0\0\0\0", "field 1 has the type 5: not a SentencePiece model"),
        (message(1, b""), "byte 2: a piece is empty"),
        (message(1, message(1, b"\xff")), "byte 4: not UTF-8"),
        (message(1, message(1, b"a") + field(2, 5, b"\0\0\xc0\x7f")), "the score of the piece 'a' is not a number"),
        (message(1, message(1, b"a") + field(2, 0, b"\0")), "the score of the piece 'a' is not a number"),
        (piece("<unk>", 2) + BPE + piece("a") + piece("a"), "piece 2: the piece 'a' occurs twice"),
        (piece("<unk>", 2) + BPE + piece("a", 5), "piece 1: unused pieces such as 'a' are not supported"),
        (piece("<unk>", 2) + BPE + piece("a", 6), "piece 1: 'a' is not a byte, though its type says so"),
        (piece("<unk>", 2) + BPE + piece("a", 9), "piece 1: 'a' has the type 9, which is unknown"),
        (BPE + piece("a"), "a model must have exactly one unknown piece, not 0"),
        (
            piece("<unk>", 2) + message(2, field(3, 0, b"\x02") + b"\x98\x02\x01") + piece("a"),
            "256 of the 256 have no piece",
        ),
    ],
)
def test_damaged_files(data: bytes, expected: str, tmp_path: Path) -> None:
    found = refused(tmp_path / "damaged.model", data, read)
    assert found is not None
    assert expected in found


def test_a_small_model_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "hand.model"
    path.write_bytes(piece("<unk>", 2) + BPE + piece("a") + piece("b") + piece("ab") + piece("▁"))
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ours = Tokenizer.from_file(path)
    for text in ("ab", "aab", "b  ab ", "xxab", "", " "):
        assert ours.encode(text) == theirs.encode(text)
    assert parse_model(path.read_bytes(), "hand").pieces.all[3] == ("ab", 0.0, 1)


def test_truncated_and_changed(tmp_path: Path) -> None:
    data = trained(**options_of("llama"))
    assert refused(tmp_path / "small.model", data, read) is None
    messages = [refused(tmp_path / "small.model", copy, Tokenizer.from_file) for copy in damaged(data, 15)]
    assert sum(found is not None for found in messages) > 15


def test_bytes_that_stand_for_characters_beside_merges_of_equal_rank() -> None:
    """Scores may be equal, so that merging goes by its definition; what stands for "\\n" then is no token, and merges with nothing."""
    tokenizer = Tokenizer.from_specification(
        Specification(
            name="x",
            source="x",
            alphabet="characters",
            tokens={259: "a", 260: "b", 261: "ab", 262: "ba"},
            texts_only={0: "<unk>", **{3 + byte: f"<0x{byte:02X}>" for byte in range(256)}},
            ranks={259: 0, 260: 1, 261: 2, 262: 2},
            byte_fallback={byte: 3 + byte for byte in range(256)},
            unknown=0,
        )
    )
    assert tokenizer.encode("a\nb") == [259, 13, 260]
    assert tokenizer.encode("bab\n€aba") == [262, 260, 13, 3 + 0xE2, 3 + 0x82, 3 + 0xAC, 261, 259]


def test_the_token_of_a_byte_may_be_merged_from_its_own_text() -> None:
    """In a GGUF file "<1>" may be a token as any other; the byte that it stands for is still not that text."""
    tokens = {0: "a", 1: "<", 2: ">", 3: "<>", 4: "<>a", 5: "a<", 6: "<unk>"}
    tokenizer = Tokenizer.from_specification(
        Specification(
            name="x",
            source="x",
            alphabet="characters",
            tokens=tokens,
            ranks={3: 0, 4: 1, 5: 1},
            byte_fallback=dict.fromkeys(range(256), 3),
            unknown=6,
        )
    )
    assert tokenizer.encode("<>a") == [4]
    assert tokenizer.encode("\na") == [3, 0]
    assert tokenizer.encode("a\n") == [0, 3]
