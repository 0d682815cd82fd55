"""Mistral's tekken.json: equal to mistral-common where it is installed, to tiktoken, on which that runs, everywhere."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hostile_files import damaged, refused
from hypothesis import given, settings
from strategies import texts

from bpe_engine import Tokenizer, VocabularyError
from bpe_engine.formats.detection import detect
from bpe_engine.formats.tekken import read
from bpe_engine.patterns import TEKKEN
from bpe_engine.published.data import load_ranks

SIZE = 4000
SPECIALS = 40


def tokens() -> list[bytes]:
    """The bytes in order, then the longer ones of the first tokens of cl100k_base."""
    ranks = load_ranks("cl100k_base")
    return [bytes([byte]) for byte in range(256)] + [token for token in list(ranks)[: SIZE + 300] if len(token) > 1]


def contents(**changes: Any) -> dict[str, Any]:
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(tokens())
    ]
    named = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "<pad>", "[IMG]"]
    return {
        "config": {
            "pattern": TEKKEN.source,
            "num_vocab_tokens": len(vocab),
            "default_vocab_size": SIZE,
            "default_num_special_tokens": SPECIALS,
            "version": "v13",
        },
        "vocab": vocab,
        "special_tokens": [{"rank": rank, "token_str": text, "is_control": True} for rank, text in enumerate(named)],
    } | changes


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tekken") / "tekken.json"
    file.write_text(json.dumps(contents()), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def ours(path: Path) -> Tokenizer:
    assert detect(path) == "tekken"
    return Tokenizer.from_file(path)


@settings(max_examples=60)
@given(text=texts())
def test_equal_to_tiktoken(ours: Tokenizer, text: str) -> None:
    ranks = {token: rank for rank, token in enumerate(tokens()[: SIZE - SPECIALS])}
    oracle = tiktoken.Encoding("tekken", pat_str=TEKKEN.source, mergeable_ranks=ranks, special_tokens={})
    ids = [token + SPECIALS for token in oracle.encode(text)]
    assert ours.encode(text) == ids
    assert ours.count(text) == len(ids)
    assert ours.decode(ids) == text


@pytest.fixture(scope="module")
def mistral_common() -> Any:
    """The module of tekken. `make test` installs the package for its files, without what it takes to import it."""
    return pytest.importorskip(
        "mistral_common.tokens.tokenizers.tekken",
        reason="needs mistral-common with all it depends on: pip install mistral-common",
        exc_type=ImportError,
    )


@settings(max_examples=60)
@given(text=texts())
def test_equal_to_mistral_common(mistral_common: Any, path: Path, ours: Tokenizer, text: str) -> None:
    oracle = mistral_common.Tekkenizer.from_file(path)
    assert oracle.n_words == ours.n_vocab == SIZE
    assert oracle.encode(text, bos=False, eos=False) == ours.encode(text)
    around = oracle.encode(text, bos=True, eos=True)
    assert ours.decode(around) == oracle.decode(around, mistral_common.SpecialTokenPolicy.KEEP)
    named = oracle._all_special_tokens
    assert [ours.encode(token["token_str"], allowed_special="all") for token in named] == [
        [token["rank"]] for token in named
    ]


def test_special_tokens(ours: Tokenizer) -> None:
    assert ours.encode("[INST]a[/INST]<SPECIAL_39>", allowed_special="all") == [3, SPECIALS + ord("a"), 4, 39]
    assert len(ours.encode("[INST]")) > 1
    assert ours.decode([1, 2, 39]) == "<s></s><SPECIAL_39>"


def test_the_oldest_files_name_no_special_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tekken.json"
    older = contents()
    del older["special_tokens"]
    older["config"]["version"] = "v3"
    file.write_text(json.dumps(older), encoding="utf-8")
    tokenizer = Tokenizer.from_file(file)
    assert tokenizer.encode("[TOOL_CONTENT]<SPECIAL_20>", allowed_special="all") == [19, 20]
    older["config"]["version"] = "v11"
    file.write_text(json.dumps(older), encoding="utf-8")
    with pytest.raises(VocabularyError, match="files of the version 'v11' must list them"):
        Tokenizer.from_file(file)


def entry(**changes: Any) -> dict[str, Any]:
    return {"rank": 0, "token_bytes": "AA==", "token_str": None} | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": []}, "config: expected an object, not list"),
        ({"config": {}}, "config.default_num_special_tokens: expected a whole number from 0 to 65536, not None"),
        ({"vocab": [entry()]}, "config.default_vocab_size: expected 40 special tokens and up to 1 others, not 4000"),
        ({"vocab": [[]] * 4000}, "vocab[0]: expected an object, not list"),
        ({"vocab": [entry(rank=1)] * 4000}, "vocab[0].rank: expected 0, not 1"),
        ({"vocab": [entry()] * 4000}, "vocab[1].rank: expected 1, not 0"),
        ({"vocab": [entry(token_bytes=5)] * 4000}, "vocab[0].token_bytes: expected bytes in base64, not 5"),
        ({"vocab": [entry(token_bytes="*")] * 4000}, "vocab[0].token_bytes: '*' is not base64"),
        (
            {"vocab": [entry(rank=rank) for rank in range(4000)]},
            "vocab[1]: the first 256 tokens must be the bytes, in order",
        ),
        ({"special_tokens": {}}, "special_tokens: expected a list, not dict"),
        ({"special_tokens": [{"rank": 7, "token_str": "a"}]}, "special_tokens[0].rank: expected 0, not 7"),
        ({"special_tokens": [{"rank": 0, "token_str": ""}]}, "special_tokens[0].token_str: expected a string, not ''"),
        ({"special_tokens": [{"rank": 0, "token_str": "<SPECIAL_5>"}]}, "special_tokens: '<SPECIAL_5>' occurs twice"),
        (
            {"special_tokens": [{"rank": rank, "token_str": f"<{rank}>"} for rank in range(41)]},
            "there are 41, but only 40 fit",
        ),
    ],
)
def test_damaged_files(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "tekken.json"
    file.write_text(json.dumps(contents(**changes)), encoding="utf-8")
    with pytest.raises(VocabularyError) as raised:
        read(file)
    assert str(raised.value).startswith(str(file))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("default_num_special_tokens", 2**60),
        ("default_vocab_size", 2**60),
        ("default_num_special_tokens", -1),
        ("pattern", 3),
    ],
)
def test_claims(name: str, value: object, tmp_path: Path) -> None:
    found = contents()
    found["config"][name] = value
    message = refused(tmp_path / "tekken.json", json.dumps(found).encode(), read)
    assert message is not None
    assert f"config.{name}" in message


def test_two_equal_tokens(tmp_path: Path) -> None:
    found = contents()
    found["vocab"][300]["token_bytes"] = found["vocab"][299]["token_bytes"]
    message = refused(tmp_path / "tekken.json", json.dumps(found).encode(), read)
    assert message is not None
    assert "occurs twice" in message


def test_truncated_and_changed(tmp_path: Path) -> None:
    small = contents()
    small["vocab"] = small["vocab"][:300]
    small["config"]["default_vocab_size"] = 340
    data = json.dumps(small).encode()
    assert refused(tmp_path / "tekken.json", data, Tokenizer.from_file) is None
    messages = [refused(tmp_path / "tekken.json", copy, Tokenizer.from_file) for copy in damaged(data, 30)]
    assert sum(message is not None for message in messages) > 60
