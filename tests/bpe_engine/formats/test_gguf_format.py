"""GGUF files: metadata as the package `gguf` reads it; ids as `tokenizers` gives them for the same merges, and as merging by scores is defined."""

from __future__ import annotations

import functools
import json
import pickle
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import tokenizers
from gguf_files import SPECIALS, byte_level, byte_level_entries, write
from hostile_files import damaged, refused
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_tokenizers import corpus
from strategies import texts
from tokenizers import models, pre_tokenizers

from bpe_engine import (
    DisallowedSpecialTokenError,
    DoubledTokenWarning,
    EncodingError,
    Tokenizer,
    VocabularyError,
    implementation,
)
from bpe_engine.formats import gguf_metadata
from bpe_engine.formats.gguf import read
from bpe_engine.formats.gguf_metadata import read_metadata
from bpe_engine.formats.gguf_patterns import PRE_TOKENIZATIONS
from bpe_engine.formats.overlaps import hiding, overlapping, tied

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_ENDINGS = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_CASES = [
    r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+",
    r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*",
]
_QWEN35 = rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"
# No white space, for which llama.cpp has another character where it splits by numbers of characters alone.
_CJK = r"[一-龥ࠀ-一가-\ud7ff&&\S]+"
_LETTERS = (
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤ"
    "Ⳬ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃"
)
# The expressions of llama.cpp in the syntax of `tokenizers`, and whether a piece that is a token is that token.
LLAMA_CPP = {
    "gpt-2": ([_GPT2], False),
    "llama-bpe": (
        [rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"],
        True,
    ),
    "qwen2": ([rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"], False),
    "qwen35": ([_QWEN35], False),
    "starcoder": ([r"\p{N}", _GPT2], False),
    "falcon": ([r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]"], False),
    "tekken": ([rf"{_CASES[0]}|{_CASES[1]}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"], True),
    "gpt-4o": (
        [rf"{_CASES[0]}{_ENDINGS}?|{_CASES[1]}{_ENDINGS}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"],
        False,
    ),
    "deepseek-coder": ([r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}"], False),
    "deepseek-llm": (
        [r"[\r\n]", rf"\s?[{_LETTERS}]+", r"\s?[!-/:-~！-／：-～‘-‟\u3001-。]+", r"\s+\z", _CJK, r"\p{N}+"],
        False,
    ),
    "chameleon": (
        [
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            _GPT2,
        ],
        False,
    ),
    "default": ([r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"], False),
}


def ours(path: Path, **changes: Any) -> Tokenizer:
    return Tokenizer.from_file(write(path / "a tokenizer.gguf", byte_level_entries(**changes)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf")


@functools.cache
def oracle(pre: str) -> tokenizers.Tokenizer:
    sources, ignore_merges = LLAMA_CPP[pre]
    tokens, merges = byte_level()
    model = models.BPE(
        {token: number for number, token in enumerate(tokens)},
        [tuple(merge.split(" ")) for merge in merges],  # type: ignore[misc]
        ignore_merges=ignore_merges,
    )
    tokenizer = tokenizers.Tokenizer(model)
    splits = [pre_tokenizers.Split(tokenizers.Regex(source), "isolated") for source in sources]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


@pytest.fixture(scope="module")
def families(folder: Path) -> dict[str, Tokenizer]:
    return {pre: ours(folder, pre=pre) for pre in LLAMA_CPP}


_SPLITS = [
    *(
        "\u2003",
        "\u3000",
        "\u2028",
        "中",
        "文",
        "。",
        "！",
        "～",
        "‘",
        "€",
        "  ",
        " ",
        "\t",
        "\n",
        "    ",
        "a",
        "It's",
        "１",
        "22",
        "$",
        "`",
    ),
    *(
        "<sentinel:12>",
        "<sentinel:>",
        "IMGIMG",
        "ABCD",
        "J",
        "Z",
        "µ",
        "ƻ",
        "ʔ",
        "ǆ",
        "ſ",
        "\U00010428",
        "\U0001d400",
        "한",
        "ㄱ",
        "é",
    ),
]
family_texts = st.one_of(
    texts().map(lambda text: text.replace("<|", "<")), st.lists(st.sampled_from(_SPLITS)).map("".join)
)
# Letters that equal "s" and "k" where case is ignored, and one that becomes two.
_OTHER_CASES = "".join(f"it'{letter} it'{letter}s 'l{letter}'{letter}l" for letter in "ſ\u212aİıẞﬆ")


@settings(max_examples=60)
@example(text=_OTHER_CASES)
@example(text="\u2003中\u3000。文 €  a b  <sentinel:12>IMGIMGABZ    x")
@example(text="€ \u3000 ")
@given(text=family_texts)
def test_equal_to_tokenizers(families: dict[str, Tokenizer], text: str) -> None:
    for pre, tokenizer in families.items():
        # User-defined tokens are always found; the oracle has none.
        texts = [part for piece in text.split("<custom>") for part in piece.split("  \n")]
        if len(texts) == 1:
            assert tokenizer.encode(text) == oracle(pre).encode(text).ids, pre
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert tokenizer.count(text) == len(tokenizer.encode(text))


@settings(max_examples=30)
@given(pieces=st.lists(texts(4) | st.sampled_from(_SPLITS), max_size=8))
def test_the_exactness_law(families: dict[str, Tokenizer], scored: Tokenizer, pieces: list[str]) -> None:
    named = [families[pre] for pre in ("llama-bpe", "gpt-4o", "deepseek-llm", "chameleon")]
    for tokenizer in (*named, scored):
        appending, prepending = tokenizer.appending_encoder(), tokenizer.prepending_encoder()
        for piece in pieces:
            mark = appending.snapshot()
            appending.append("and more <custom> ")
            appending.rollback(mark)
            appending.append(piece)
            assert appending.count == tokenizer.count(appending.text)
            prepending.prepend(piece)
            assert prepending.count == tokenizer.count(prepending.text)
        text = "".join(pieces)
        prices = tokenizer.interval_encoder(text)
        for start in range(0, len(text) + 1, 3):
            assert prices.count(start, len(text)) == tokenizer.count(text[start:])


def test_special_tokens(folder: Path) -> None:
    tokenizer = ours(folder, pre="llama-bpe")
    first = len(byte_level()[0])
    ids = {text: first + number for number, text in enumerate(SPECIALS)}
    assert tokenizer.name == "a tokenizer"
    assert (tokenizer.prefix, tokenizer.suffix) == ((ids["<|im_start|>"],), ())  # llama3 adds one by itself
    # A control token by its text, though its type is "normal"; and one that is always shown, whatever it is.
    assert tokenizer.encode("a<|im_end|>", allowed_special="all") == [*tokenizer.encode("a"), ids["<|im_end|>"]]
    assert len(tokenizer.encode("a<|im_end|>")) > 2
    assert tokenizer.encode("a<|start|><custom>  \n") == [
        *tokenizer.encode("a"),
        ids["<|start|>"],
        ids["<custom>"],
        ids["  \n"],
    ]
    assert tokenizer.decode([*ids.values()]) == "".join(SPECIALS)
    for changes, around in (
        ({"pre": "gpt-2"}, ((), ())),
        ({"pre": "gpt-2", "add_bos_token": True, "add_eos_token": True}, ((first,), (first + 1,))),
        ({"add_bos_token": False}, ((), ())),
        ({"pre": None, "add_eos_token": True, "eos_token_id": 3}, ((), (3,))),
        ({"pre": "gpt-2", "add_bos_token": True, "bos_token_id": 10**6}, ((11,), ())),
    ):
        found = ours(folder, **({"pre": "llama-bpe"} | changes))
        assert (found.prefix, found.suffix) == around
    bos = ours(folder, pre="llama-bpe").encode("a", add_special_tokens=True)
    assert bos == [first, *tokenizer.encode("a")]


def test_what_a_text_has_already_around_it_is_told(folder: Path) -> None:
    tokens = byte_level()[0]
    first = len(tokens)
    special: dict[str, Any] = {
        "tokens": [*tokens, "<s>", "</s>"],
        "token_type": [1] * first + [3, 3],
        "bos_token_id": first,
    }
    flags: dict[str, Any] = {"eos_token_id": first + 1, "add_bos_token": True, "add_eos_token": True}
    tokenizer = ours(folder, **special, **flags)
    whole: dict[str, Any] = {"allowed_special": "all", "add_special_tokens": True}
    with pytest.warns(DoubledTokenWarning, match=f"begins with the token {first}, .* before it") as told:
        assert tokenizer.encode("<s>a", **whole)[:2] == [first, first]
    assert [one.filename for one in told] == [__file__]
    with pytest.warns(DoubledTokenWarning, match=f"ends with the token {first + 1}, .* after it"):
        assert tokenizer.encode("a</s>", **whole)[-2:] == [first + 1, first + 1]
    # Plain text, others, and what nothing is put around: warnings are errors here.
    tokenizer.encode("<s>a</s>", add_special_tokens=True)
    tokenizer.encode("</s>a<s>", **whole)
    tokenizer.encode("<s>a</s>", allowed_special="all")
    tokenizer.encode("", **whole)


def test_flags_by_the_name_of_the_model(folder: Path) -> None:
    tokens = byte_level()[0]
    special = {
        "tokens": [*tokens, "<custom>", "<mask>", "[MASK]", "<s>"],
        "token_type": [1] * len(tokens) + [4] * 4,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    plain = ours(folder, **special)
    first = len(tokens)
    for changes, expected in (
        ({"general.name": "Phi-3 mini"}, [first, *plain.encode("b "), first + 1, *plain.encode("c")]),
        ({"pre": "jina-v2-de"}, [*plain.encode("<custom>  b"), first + 1, *plain.encode("  c")]),
        ({}, plain.encode("<custom>  b <mask>  c")),
    ):
        assert ours(folder, **(special | changes)).encode("<custom>  b <mask>  c") == expected
    with pytest.raises(VocabularyError, match="also matches adjacent white space"):
        ours(folder, **{"general.name": "phi3"})  # where "  \n" is a token, too


def test_every_pre_tokenizer_loads(folder: Path) -> None:
    for pre in {found: name for name, found in PRE_TOKENIZATIONS.items()}.values():  # one name of each
        tokenizer = ours(folder, pre=pre)
        assert (
            tokenizer.decode(tokenizer.encode("It's 2025, École: ~/a  \n\n 中文")) == "It's 2025, École: ~/a  \n\n 中文"
        )


# --- by scores


@functools.cache
def pieces() -> list[tuple[str, float, int]]:
    """A vocabulary as SentencePiece trains one: characters, merges of them with falling scores, bytes, and special ones."""
    text = "".join(corpus())[:4000].replace(" ", "▁")
    merges: list[str] = []
    symbols = list(text)
    for _ in range(220):
        pairs: dict[str, int] = {}
        for left, right in pairwise(symbols):
            if "\n" not in left + right:
                pairs[left + right] = pairs.get(left + right, 0) + 1
        best = max(pairs, key=pairs.__getitem__)
        merges.append(best)
        merged: list[str] = []
        for symbol in symbols:
            if merged and merged[-1] + symbol == best and len(merged[-1]) < len(best):
                merged[-1] = best
            else:
                merged.append(symbol)
        symbols = merged
    characters = sorted(set(text) - set("Ŀ中Ö\n"))
    found = [
        ("<unk>", 0.0, 2),
        ("<s>", 0.0, 3),
        ("</s>", 0.0, 3),
        *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)),
    ]
    found += [("<user>", 0.0, 4), *((token, -float(rank), 1) for rank, token in enumerate(dict.fromkeys(merges)))]
    return [*found, *((character, -1000.0 - rank, 1) for rank, character in enumerate(characters))]


def scored_entries(**changes: Any) -> dict[str, Any]:
    tokens, scores, types = zip(*pieces(), strict=True)
    return {"model": "llama", "tokens": list(tokens), "scores": list(scores), "token_type": list(types)} | changes


@pytest.fixture(scope="module")
def scored(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(write(folder / "scored.gguf", scored_entries()))


def by_definition(text: str, table: list[tuple[str, float, int]], *, prefixed: bool) -> list[int]:
    """Of all neighbours that make a token those with the highest score merge, the leftmost of equals; what is no token is its bytes."""
    id_of = {token: number for number, (token, _, _) in enumerate(table)}
    ids: list[int] = []
    for number, plain in enumerate(text.split("<user>")):
        if number:
            ids.append(id_of["<user>"])
        parts = list((" " * prefixed + plain if plain else "").replace(" ", "▁"))
        while True:
            found = [
                (-table[id_of[left + right]][1], place)
                for place, (left, right) in enumerate(pairwise(parts))
                if left + right in id_of
            ]
            if not found:
                break
            place = min(found)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        for part in parts:
            ids += [id_of[part]] if part in id_of else [id_of[f"<0x{byte:02X}>"] for byte in part.encode()]
    return ids


@settings(max_examples=60)
@given(
    text=st.one_of(
        texts(8),
        st.lists(st.sampled_from(["the ", "token", " ▁", "<user>", "<s>", "Ö", "中", "\n", "  "])).map("".join),
    )
)
def test_merging_by_scores(folder: Path, scored: Tokenizer, text: str) -> None:
    assert scored.encode(text) == by_definition(text, pieces(), prefixed=True)
    assert scored.decode(scored.encode(text)) == text.replace("▁", " ") or "<user>" in text
    assert "".join(scored.stream_decoder().stream(scored.encode(text))) == scored.decode(scored.encode(text))
    tied = [(token, float(round(score / 30)), kind) for token, score, kind in pieces()]
    path = folder / "tied.gguf"
    if not path.exists():
        entries = scored_entries(scores=[score for _, score, _ in tied], add_space_prefix=False, add_bos_token=False)
        write(path, entries)
    other = tied_tokenizer(path)
    assert other.encode(text) == by_definition(text, tied, prefixed=False)
    assert other.prefix == ()


@functools.cache
def tied_tokenizer(path: Path) -> Tokenizer:
    return Tokenizer.from_file(path)


def test_around_a_text_by_scores(scored: Tokenizer) -> None:
    assert (scored.prefix, scored.suffix) == ((1,), ())
    assert scored.encode("</s>", allowed_special="all") == [2]
    assert scored.encode("") == []
    assert scored.decode(scored.encode(" a b")) == " a b"


# --- metadata


@pytest.mark.parametrize("endianess", list(gguf.GGUFEndian))
def test_metadata_as_the_package_reads_it(endianess: Any, tmp_path: Path) -> None:
    path = tmp_path / "every type.gguf"
    writer = gguf.GGUFWriter(path, "llama", endianess=endianess)
    writer.add_uint8("a.uint8", 200)
    writer.add_int8("a.int8", -100)
    writer.add_uint16("a.uint16", 60_000)
    writer.add_int16("a.int16", -30_000)
    writer.add_uint32("a.uint32", 2**32 - 1)
    writer.add_int32("a.int32", -(2**31))
    writer.add_uint64("a.uint64", 2**64 - 1)
    writer.add_int64("a.int64", -(2**63))
    writer.add_float64("a.float64", 1e300)
    writer.add_float32("a.float32", 0.1)
    writer.add_bool("a.bool", val=True)
    writer.add_string("a.string", "Größe 中 \0")
    writer.add_array("a.strings", ["", "a", "中" * 100])
    writer.add_array("a.ints", [1, -2, 2**30])
    writer.add_array("a.floats", [0.1, -2.5])
    writer.add_array("a.bools", [True, False])
    writer.add_tensor_info("t", [4, 4], np.dtype(np.float32), 64)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    with path.open("ab") as file:
        file.write(bytes(4096))
    theirs = gguf.GGUFReader(path)
    expected = {name: field.contents() for name, field in theirs.fields.items() if not name.startswith("GGUF.")}
    found = read_metadata(path)
    assert json.dumps(found) == json.dumps(expected)
    assert read_metadata(path, lambda name: name == "a.bools") == {"a.bools": [True, False]}


def test_metadata_of_a_tokenizer(folder: Path) -> None:
    path = write(folder / "whole.gguf", byte_level_entries(pre="llama-bpe", scores=[0.5] * 1205))
    theirs = gguf.GGUFReader(path)
    expected = {name: field.contents() for name, field in theirs.fields.items() if not name.startswith("GGUF.")}
    assert read_metadata(path) == expected
    assert Tokenizer.from_file(path).n_vocab == len(expected["tokenizer.ggml.tokens"])


def header(entries: int, body: bytes = b"", tensors: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + body


def entry(name: str, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "'the start': 4 bytes are claimed, but the file has only 0 more"),
        (b"GGML" + bytes(100), "not a GGUF file"),
        (header(0, version=1), "GGUF of version 1 is not supported"),
        (header(0, version=2**31), "is not supported"),
        (header(2**60), "the header claims 1152921504606846976 entries"),
        (header(1, struct.pack("<Q", 2**60) + bytes(90)), "the name of an entry has 1152921504606846976 bytes"),
        (header(1, struct.pack("<Q", 2**30) + bytes(90)), "the name of an entry has 1073741824 bytes"),
        (
            header(1, entry("tokenizer.x", 8, struct.pack("<Q", 2**60))),
            "1152921504606846976 bytes are claimed, but the file has only 0 more",
        ),
        (header(1, entry("tokenizer.x", 9, struct.pack("<IQ", 0, 2**60))), "1152921504606846976 bytes are claimed"),
        (header(1, entry("tokenizer.x", 9, struct.pack("<IQ", 8, 2**60))), "1152921504606846976 strings are claimed"),
        (header(1, entry("other", 9, struct.pack("<IQ", 8, 2**60))), "1152921504606846976 strings are claimed"),
        (header(1, entry("other", 9, struct.pack("<IQ", 12, 2**60))), "9223372036854775808 bytes are claimed"),
        (
            header(1, entry("tokenizer.x", 9, struct.pack("<IQ", 9, 1) + bytes(20))),
            "an array of arrays is not supported",
        ),
        (
            header(1, entry("tokenizer.x", 9, struct.pack("<IQ", 77, 1) + bytes(20))),
            "arrays of the type 77 are not supported",
        ),
        (header(1, entry("tokenizer.x", 77, bytes(9))), "the type 77 is unknown"),
        (header(1, entry("tokenizer.x", 8, struct.pack("<Q", 1) + b"\xff")), "not UTF-8"),
        (header(2, entry("a", 0, b"1") + entry("a", 0, b"1")), "the entry 'a' occurs twice"),
        (header(1, entry("tokenizer.x", 4, b"12")), "4 bytes are claimed, but the file has only 2 more"),
        (header(0), "tokenizer.ggml.model: is missing"),
    ],
)
def test_hostile_headers(data: bytes, message: str, tmp_path: Path) -> None:
    found = refused(tmp_path / "hostile.gguf", data, read)
    assert found is not None
    assert message in found


def test_a_tokenizer_of_a_gigabyte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "large.gguf", byte_level_entries())
    monkeypatch.setattr(gguf_metadata, "MOST_BYTES", 50_000)
    with pytest.raises(VocabularyError, match="more than the 50000 bytes that are allowed"):
        read(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert"}, "model: 'bert' is not supported; supported are 'gpt2' and 'llama'"),
        ({"model": 5}, "expected a string, not 5"),
        ({"pre": "superbpe"}, "pre: the pre-tokenizer 'superbpe' is not supported; supported are a.x-4.0, "),
        ({"tokens": [1, 2]}, "tokens: is not a list of strings"),
        ({"tokens": ["a", "a"]}, "tokens: the token 'a' has the ids 0 and 1"),
        ({"token_type": [1, 2]}, "token_type: there are 2 for 1205 tokens"),
        ({"token_type": ["a"]}, "token_type: is not a list of numbers"),
        ({"token_type": [float("inf")] * 1205}, "token_type: one of them is not finite"),
        ({"merges": ["ab"]}, "merges: merge 0: expected two tokens separated by a space, not 'ab'"),
        ({"merges": ["a b", "q qqq"]}, "is not a token"),
        ({"merges": "a b"}, "merges: is not a list of strings"),
        ({"bos_token_id": "a"}, "bos_token_id: expected the id of a token, not 'a'"),
        ({"add_bos_token": 1}, "add_bos_token: expected true or false, not 1"),
        (
            {"tokens": ["!", "!!", "<ab", "ab>"], "token_type": [1, 1, 3, 3], "merges": ["! !"]},
            "'<ab' and 'ab>' overlap and are equally long",
        ),
        (
            {"tokens": ["!", "!!"], "token_type": [1, 1], "merges": ["! !"], "add_bos_token": True},
            "add_bos_token: is true, but there is no bos_token_id",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    entries = byte_level_entries() | changes
    if "token_type" in changes and "merges" in changes:
        del entries["bos_token_id"], entries["eos_token_id"]
    with pytest.raises(VocabularyError) as raised:
        Tokenizer.from_file(write(tmp_path / "refused.gguf", entries))
    assert str(raised.value).startswith(str(tmp_path / "refused.gguf"))
    assert message in str(raised.value)


def test_a_byte_without_a_token(tmp_path: Path) -> None:
    tokens = [chr(point) for point in range(ord("!"), ord("~"))]  # no "~", no space
    tokenizer = Tokenizer.from_file(
        write(tmp_path / "few.gguf", {"model": "gpt2", "pre": "gpt-2", "tokens": [*tokens, "ab"], "merges": ["a b"]})
    )
    assert tokenizer.count("abc") == 2
    for text in ("a~", "a b", "中"):
        with pytest.raises(EncodingError):
            tokenizer.encode(text)
    scores = [(text, score, kind) for text, score, kind in pieces() if text != "<0xE4>"]
    few = scored_entries(
        **dict(zip(("tokens", "scores", "token_type"), map(list, zip(*scores, strict=True)), strict=True))
    )
    by_scores = Tokenizer.from_file(write(tmp_path / "few scores.gguf", few))
    assert by_scores.decode(by_scores.encode("Ö")) == "Ö"
    with pytest.raises(EncodingError):
        by_scores.encode("\u4fff")


def test_scores_that_are_none(tmp_path: Path) -> None:
    scores = scored_entries()["scores"]
    with pytest.raises(VocabularyError, match="scores: one of them is not a number"):
        read(write(tmp_path / "nan.gguf", scored_entries(scores=[float("nan"), *scores[1:]])))
    with pytest.raises(VocabularyError, match="scores: there are 1 for"):
        read(write(tmp_path / "few.gguf", scored_entries(scores=[0.5])))


def test_truncated_and_changed(tmp_path: Path) -> None:
    entries = scored_entries(tokens=[token for token, _, _ in pieces()][:300], scores=[0.5] * 300, token_type=[1] * 300)
    data = write(tmp_path / "small.gguf", entries).read_bytes()
    assert refused(tmp_path / "small.gguf", data, Tokenizer.from_file) is None
    messages = [refused(tmp_path / "small.gguf", copy, Tokenizer.from_file) for copy in damaged(data, 40)]
    assert sum(message is not None for message in messages) > 40


words = st.text("ab<", min_size=1, max_size=4)


def longest_first(text: str, tokens: list[str]) -> list[str]:
    """The parts of a text: as llama.cpp parts it, one token after the other, the longest first, each in what is left."""
    parts = [text]
    for token in sorted(tokens, key=lambda token: -len(token.encode())):
        for place in range(len(parts) - 1, -1, -1):
            if parts[place] not in tokens:
                rest = parts[place].split(token)
                parts[place : place + 1] = [part for one in rest for part in (token, one)][1:]
    return [part for part in parts if part]


# Types of special tokens: control ones that overlap, as Falcon has them; user-defined ones in control ones;
# user-defined ones that overlap.
OVERLAPPING = [
    {">>TITLE<<": 3, "<|endoftext|>": 3, "TITLE<": 3, ">>": 3},
    {">>TITLE<<": 3, "<|endoftext|>": 3, "TITLE": 4, "<|": 4, "<<|endo": 3},
    {">>TITLE<<": 4, "<|custom|>": 4, "é|>>T": 3, "m|>é": 3},
]


@pytest.fixture(scope="module")
def overlapped(folder: Path) -> list[Tokenizer]:
    tokens = byte_level()[0]
    files = [({}, "plain"), *((types, f"overlapping {number}") for number, types in enumerate(OVERLAPPING))]
    return [
        Tokenizer.from_file(
            write(
                folder / f"{name}.gguf",
                byte_level_entries(
                    "falcon",
                    tokens=[*tokens, *types],
                    token_type=[1] * len(tokens) + list(types.values()),
                    bos_token_id=0,
                    eos_token_id=0,
                ),
            )
        )
        for types, name in files
    ]


_SPECIAL_PARTS = [
    ">>",
    ">",
    "TITLE",
    "<",
    "<<",
    "<|",
    "endo",
    "text",
    "|>",
    "<|endoftext|>",
    ">>TITLE<<",
    "a ",
    "é",
    "|",
    "<|custom|>",
    "m",
]


@settings(max_examples=150)
@example(parts=[">>TITLE<", "<|endoftext|>"])
@example(parts=["<|endoftext|>TITLE"])
@given(parts=st.lists(st.sampled_from(_SPECIAL_PARTS), max_size=12))
def test_special_tokens_that_overlap(overlapped: list[Tokenizer], parts: list[str]) -> None:
    plain, *others = overlapped
    text = "".join(parts)
    first = len(byte_level()[0])
    for tokenizer, types in zip(others, OVERLAPPING, strict=True):
        id_of = {token: first + number for number, token in enumerate(types)}

        def expected(
            wanted: list[str], text: str = text, id_of: dict[str, int] = id_of
        ) -> list[int]:  # the names of the loop are bound
            return [
                token
                for part in longest_first(text, wanted)
                for token in ([id_of[part]] if part in wanted else plain.encode(part))
            ]

        always = [token for token, kind in types.items() if kind == 4]
        ids = expected(always)
        assert tokenizer.encode(text) == ids
        assert tokenizer.encode(text, allowed_special="all") == expected(list(types))
        assert tokenizer.encode(text, allowed_special={">>TITLE<<"}) == expected([*always, *{">>TITLE<<"} - {*always}])
        assert tokenizer.count(text) == len(ids)
        assert tokenizer.encode_with_offsets(text)[0] == ids
        assert tokenizer.decode(tokenizer.encode(text, allowed_special="all")) == text
        appending, prepending = tokenizer.appending_encoder(), tokenizer.prepending_encoder()
        for part in parts:
            appending.append(part)
            assert appending.count == tokenizer.count(appending.text)
        for part in reversed(parts):
            prepending.prepend(part)
            assert prepending.count == tokenizer.count(prepending.text)
        prices = tokenizer.interval_encoder(text)
        for start in range(0, len(text) + 1, 5):
            assert prices.count(start, len(text)) == tokenizer.count(text[start:])


def test_what_is_disallowed_where_special_tokens_overlap(overlapped: list[Tokenizer]) -> None:
    tokenizer = overlapped[1]
    first = len(byte_level()[0])
    with pytest.raises(DisallowedSpecialTokenError, match="'TITLE<'"):
        tokenizer.encode("a TITLE<", disallowed_special="all")
    # What is found first, and allowed, leaves nothing of the other one.
    assert tokenizer.encode(">>TITLE<<", allowed_special={">>TITLE<<"}, disallowed_special="all") == [first]
    assert pickle.loads(pickle.dumps(tokenizer)).encode(">>TITLE<<", allowed_special="all") == [first]


@pytest.mark.skipif(implementation() == "python", reason="the compiled core has to be there")
def test_overlapping_special_tokens_run_on_the_core(overlapped: list[Tokenizer]) -> None:
    """Plain texts do, unless those overlap that are found in every text."""
    assert [tokenizer.is_native for tokenizer in overlapped[1:]] == [True, True, False]


@example(["ab", "bc"], "abc")
@given(st.lists(words, max_size=5, unique=True), st.text("ab<", max_size=14))
def test_equally_long(tokens: list[str], text: str) -> None:
    """Where no two are told to be tied, the order of equals does not matter."""
    if tied(tokens) is None:
        assert longest_first(text, tokens) == longest_first(text, tokens[::-1])
    else:
        left, right = tied(tokens) or ("", "")
        both = {left[:place] + right for place in range(len(left)) if right.startswith(left[place:])}
        assert any(longest_first(text, [left, right]) != longest_first(text, [right, left]) for text in both)


@example(["<a>"], ["a"], "<a>")
@given(st.lists(words, max_size=3), st.lists(words, max_size=3), st.text("ab<", max_size=14))
def test_hiding(specials: list[str], always: list[str], text: str) -> None:
    """Where none is told to hide another, those that are not wanted make no difference from left to right."""
    if hiding(specials, always) is not None:
        return
    found: list[list[tuple[int, str]]] = []
    for tokens in ({*specials, *always}, {*always}):
        place, taken = 0, []
        while place < len(text):
            word = max((token for token in tokens if text.startswith(token, place)), key=len, default="")
            taken += [(place, word)] if word in always else []
            place += max(1, len(word))
        found.append(taken)
    assert found[0] == found[1]


@example(["<a", "<<"], "<<a")
@given(st.lists(words, max_size=5, unique=True), st.text("ab<", max_size=14))
def test_overlaps(tokens: list[str], text: str) -> None:
    """Where no two are told to overlap, left to right and longest first part every text in the same way."""
    if overlapping(tokens) is not None:
        return
    left_to_right, place = [], 0
    while place < len(text):
        word = max((token for token in tokens if text.startswith(token, place)), key=len, default="")
        left_to_right += [(place, word)] if word else []
        place += max(1, len(word))
    longest_first: list[tuple[int, str]] = []
    fragments = [(0, text)]
    for token in sorted(tokens, key=len, reverse=True):
        rest = []
        for start, fragment in fragments:
            parts = fragment.split(token)
            for number, part in enumerate(parts):
                rest.append((start, part))
                start += len(part) + len(token)  # noqa: PLW2901 - the place of the next part
                if number < len(parts) - 1:
                    longest_first.append((start - len(token), token))
        fragments = rest
    assert left_to_right == sorted(longest_first)
