"""The GPT-2 pair of files. The first tokens of cl100k_base, whose single bytes stand in GPT-2's order, serve as the vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiktoken.load import data_gym_to_mergeable_bpe_ranks

from bpe_engine import Tokenizer
from bpe_engine.errors import VocabularyError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, BYTES_IN_ORDER, bytes_of
from bpe_engine.formats.gpt2 import parse_gpt2, read_gpt2
from bpe_engine.published.data import load_ranks

NUMBER_OF_TOKENS = 5_000
CHARACTER_OF_BYTE = {byte: character for character, byte in BYTE_OF_CHARACTER.items()}


def characters_of(token: bytes) -> str:
    return "".join(CHARACTER_OF_BYTE[byte] for byte in token)


def files_of(ranks: dict[bytes, int]) -> tuple[str, dict[str, int]]:
    """The contents of vocab.bpe and encoder.json: any cut of a token into two earlier ones is a merge that makes it."""
    merges = []
    for token, rank in ranks.items():
        if len(token) > 1:
            cuts = ((token[:middle], token[middle:]) for middle in range(1, len(token)))
            left, right = next(cut for cut in cuts if all(ranks.get(part, rank) < rank for part in cut))
            merges.append(f"{characters_of(left)} {characters_of(right)}")
    vocab_bpe = "\n".join(["#version: 0.2", *merges, ""])
    return vocab_bpe, {characters_of(token): rank for token, rank in ranks.items()}


@pytest.fixture(scope="module")
def ranks() -> dict[bytes, int]:
    return dict(list(load_ranks("cl100k_base").items())[:NUMBER_OF_TOKENS])


@pytest.fixture
def paths(tmp_path: Path, ranks: dict[bytes, int]) -> tuple[Path, Path]:
    vocab_bpe, encoder = files_of(ranks)
    encoder["<|endoftext|>"] = len(ranks)
    (tmp_path / "vocab.bpe").write_text(vocab_bpe, "utf-8", newline="\n")
    (tmp_path / "encoder.json").write_text(json.dumps(encoder), "utf-8")
    return tmp_path / "vocab.bpe", tmp_path / "encoder.json"


def test_alphabet() -> None:
    assert sorted(BYTES_IN_ORDER) == list(range(256))
    assert [ranks_id for token, ranks_id in load_ranks("cl100k_base").items() if len(token) == 1] == list(range(256))
    assert [bytes([byte]) for byte in BYTES_IN_ORDER] == list(load_ranks("cl100k_base"))[:256]
    assert bytes_of("".join(CHARACTER_OF_BYTE.values())) == bytes(CHARACTER_OF_BYTE)
    with pytest.raises(KeyError):
        bytes_of(" ")


def test_reads_what_tiktoken_reads(
    paths: tuple[Path, Path], ranks: dict[bytes, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    vocab_bpe, encoder_json = map(str, paths)
    assert read_gpt2(vocab_bpe, encoder_json) == ranks == data_gym_to_mergeable_bpe_ranks(vocab_bpe, encoder_json)


def test_windows_line_ends_and_no_version_line(ranks: dict[bytes, int]) -> None:
    vocab_bpe, encoder = files_of(ranks)
    without = vocab_bpe.removeprefix("#version: 0.2\n").replace("\n", "\r\n")
    assert parse_gpt2(without.encode(), json.dumps(encoder).encode(), "v", "e") == ranks


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a", r"vocab\.bpe:3: expected two tokens separated by a space, not 'a'"),
        ("a b c", r"vocab\.bpe:3: expected two tokens"),
        ("a \u3042", r"vocab\.bpe:3: the character '\u3042' does not stand for a byte"),
        ("xyz a", r"vocab\.bpe:3: the part b'xyz' is neither a byte nor the result of an earlier line"),
        ("h e", r"vocab\.bpe:3: the token b'he' already exists"),
    ],
)
def test_malformed_merges_name_file_and_line(line: str, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        parse_gpt2(f"#version: 0.2\nh e\n{line}\n".encode(), b"{}", "vocab.bpe", "encoder.json")


def encoder_with(**changes: object) -> bytes:
    singles: dict[str, object] = {CHARACTER_OF_BYTE[byte]: rank for rank, byte in enumerate(BYTES_IN_ORDER)}
    return json.dumps(singles | {"he": 256} | changes).encode()


@pytest.mark.parametrize(
    ("encoder_json", "message"),
    [
        (encoder_with(he=300), r"b'he' has the id 300, but the merge order of vocab\.bpe gives the id 256"),
        (encoder_with(hi=257), r"b'hi' has the id 257, but the merge order of vocab\.bpe gives no such token"),
        (encoder_with(he="256"), r"encoder\.json: the id of the token 'he' is '256'"),
        (
            encoder_with(**{"h e": 257}),
            r"encoder\.json: in the token 'h e' the character ' ' does not stand for a byte",
        ),
        (b'{"a": 0,\n"b" 1}', r"encoder\.json:2: invalid JSON"),
        (b"[]", r"encoder\.json: expected one object from token to id, not list"),
        (b'{\n\n"\xff": 0}', r"encoder\.json:3: not UTF-8"),
        (b"{}", r"encoder\.json: the token .* which vocab\.bpe makes, is missing"),
    ],
)
def test_malformed_ids_name_the_file(encoder_json: bytes, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        parse_gpt2(b"#version: 0.2\nh e\n", encoder_json, "vocab.bpe", "encoder.json")


def test_special_tokens_are_left_out() -> None:
    ranks = parse_gpt2(b"#version: 0.2\nh e\n", encoder_with(**{"<|endoftext|>": 257}), "vocab.bpe", "encoder.json")
    assert len(ranks) == 257


def test_from_file_by_either_name(paths: tuple[Path, Path], ranks: dict[bytes, int]) -> None:
    for path in paths:
        tokenizer = Tokenizer.from_file(path)
        assert [tokenizer.encode_single_token(token) for token in ranks] == list(ranks.values())
        assert tokenizer.encode("<|endoftext|>", allowed_special="all") == [len(ranks)]
        assert tokenizer.split("it's  12") == ["it", "'s", " ", " 12"]
        assert tokenizer.decode(tokenizer.encode("it's 中 12")) == "it's 中 12"
    copies = [paths[0].rename(paths[0].with_name("merges.txt")), paths[1].rename(paths[1].with_name("vocab.json"))]
    for path in copies:
        assert Tokenizer.from_file(path).encode("it's 中 12") == tokenizer.encode("it's 中 12")


def test_half_a_pair_and_pairs_of_other_models(paths: tuple[Path, Path]) -> None:
    merges, ids = paths
    entries = json.loads(ids.read_bytes())
    ids.write_text(json.dumps(entries | {"<|endoftext|>": 5}), "utf-8")
    with pytest.raises(VocabularyError, match="has the id 5 of another token"):
        Tokenizer.from_file(merges)
    del entries["<|endoftext|>"]
    ids.write_text(json.dumps(entries), "utf-8")
    with pytest.raises(VocabularyError, match="it is not GPT-2's"):
        Tokenizer.from_file(merges)
    ids.unlink()
    with pytest.raises(VocabularyError, match=r"is missing: vocab\.bpe is one of two files that belong together"):
        Tokenizer.from_file(merges)
    with pytest.raises(VocabularyError, match="its name does not say which"):
        Tokenizer.from_file(merges.rename(merges.with_name("some.txt")))
