"""The published encodings: the same facts as tiktoken publishes, found by the name of an encoding or a model."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest
import tiktoken.load
import tiktoken.model
import tiktoken_ext.openai_public
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine.errors import UnknownEncodingError
from bpe_engine.published.data import EMBEDDED
from bpe_engine.published.registry import (
    build_vocabulary,
    encoding_name_for_model,
    load_vocabulary,
    published_encodings,
)
from bpe_engine.vocabulary import Vocabulary

NAMES = list(tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS)


@pytest.fixture
def tiktoken_tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What tiktoken publishes about each encoding, with (address, hash) pairs in place of the tokens."""
    module = tiktoken_ext.openai_public
    monkeypatch.setattr(module, "load_tiktoken_bpe", lambda url, expected_hash: [(url, expected_hash)])
    monkeypatch.setattr(
        module,
        "data_gym_to_mergeable_bpe_ranks",
        lambda vocab_bpe_file, encoder_json_file, vocab_bpe_hash, encoder_json_hash: [
            (vocab_bpe_file, vocab_bpe_hash),
            (encoder_json_file, encoder_json_hash),
        ],
    )
    return {name: make() for name, make in module.ENCODING_CONSTRUCTORS.items()}


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_those_of_tiktoken(name: str, tiktoken_tables: dict[str, dict[str, Any]]) -> None:
    ours, theirs = published_encodings()[name], tiktoken_tables[name]
    assert ours.special_tokens == theirs["special_tokens"]
    assert [(file.url, file.sha256) for file in ours.files] == theirs["mergeable_ranks"]


def test_no_encoding_is_missing_or_made_up() -> None:
    assert sorted(published_encodings()) == sorted(NAMES)


def test_files_of_different_contents_have_different_names() -> None:
    files = {file for encoding in published_encodings().values() for file in encoding.files}
    assert len({file.save_as for file in files}) == len(files)
    assert all(file.url.startswith("https://") for file in files)


@pytest.mark.parametrize("model", tiktoken.model.MODEL_TO_ENCODING)
def test_models(model: str) -> None:
    assert encoding_name_for_model(model) == tiktoken.model.MODEL_TO_ENCODING[model]


model_like = st.builds(
    str.__add__,
    st.sampled_from([*tiktoken.model.MODEL_PREFIX_TO_ENCODING, *tiktoken.model.MODEL_TO_ENCODING, "ft:", ""]),
    st.sampled_from(["", "-", "2024-05-13", "mini", "o", "o-mini:org::id", "turbo-16k", "-turbo", ".1-nano"])
    | st.text(max_size=5),
)


@given(model_like)
def test_prefixes(model: str) -> None:
    try:
        expected = tiktoken.model.encoding_name_for_model(model)
    except KeyError:
        with pytest.raises(UnknownEncodingError):
            encoding_name_for_model(model)
    else:
        assert encoding_name_for_model(model) == expected


@pytest.mark.parametrize(
    ("name", "encoding", "number_of_tokens"),
    [
        ("o200k_base", "o200k_base", 199_998),
        ("gpt-4o-2024-05-13", "o200k_base", 199_998),
        ("cl100k_base", "cl100k_base", 100_256),
        ("text-embedding-3-small", "cl100k_base", 100_256),
        ("o200k_harmony", "o200k_harmony", 199_998),
        ("gpt-oss-120b", "o200k_harmony", 199_998),
    ],
)
def test_load_by_encoding_or_model(name: str, encoding: str, number_of_tokens: int) -> None:
    vocabulary = load_vocabulary(name)
    assert vocabulary.name == encoding
    assert len(vocabulary) == number_of_tokens
    assert vocabulary is load_vocabulary(encoding)


def test_harmony_is_o200k_base_with_more_special_tokens() -> None:
    base, harmony = load_vocabulary("o200k_base"), load_vocabulary("o200k_harmony")
    assert harmony.ranks is base.ranks
    assert harmony.pattern == base.pattern
    assert set(harmony.special_tokens.values()) == set(range(199_998, 201_088))
    assert harmony.special_tokens["<|call|>"] == 200_012
    assert harmony.special_tokens["<|endofprompt|>"] == harmony.special_tokens["<|reserved_200018|>"] == 200_018


def test_an_unknown_name_lists_close_and_known_ones() -> None:
    with pytest.raises(
        UnknownEncodingError, match=r"'o200k' \(close: o200k_base.*; the encodings are cl100k_base, gpt2, "
    ):
        load_vocabulary("o200k")
    with pytest.raises(UnknownEncodingError, match=r"no published model is called 'gtp-4o' \(close: gpt-4o"):
        encoding_name_for_model("gtp-4o")
    with pytest.raises(UnknownEncodingError, match=r"'gpt9' \(close: gpt2, gpt-\w+, gpt-\w+\)"):  # each once
        load_vocabulary("gpt9")
    with pytest.raises(UnknownEncodingError, match="is called 'zzz'; the encodings are"):
        load_vocabulary("zzz")


def test_threads_get_one_object() -> None:
    found = []
    threads = [threading.Thread(target=lambda: found.append(load_vocabulary("cl100k_base"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(vocabulary) for vocabulary in found}) == 1


def test_built_anew_it_is_equal() -> None:
    assert build_vocabulary(published_encodings()["cl100k_base"]) == load_vocabulary("cl100k_base")


def test_loading_reads_no_tokens() -> None:
    # In a process of its own: here other tests may have read them already.
    program = (
        "import sys, bpe_engine; from bpe_engine.published import data as vocabularies, registry; read = [];"
        "inner = vocabularies._package_data;"
        "vocabularies._package_data = lambda file_name: read.append(file_name) or inner(file_name);"
        "names = ['o200k_base', 'gpt-4', 'o200k_harmony'];"
        "lengths = [len(registry.load_vocabulary(name)) for name in names];"
        "print(read, lengths)"
    )
    finished = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert finished.stdout == "['published.json'] [199998, 100256, 199998]\n"


def test_package_data_is_named_where_there_is_some() -> None:
    named = {
        name: encoding.embedded for name, encoding in published_encodings().items() if encoding.embedded is not None
    }
    assert named == {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "o200k_harmony": "o200k_base"}
    assert set(named.values()) == set(EMBEDDED)


def test_embedded_vocabularies_travel_by_name() -> None:
    vocabulary = load_vocabulary("cl100k_base")
    assert len(pickle.dumps(vocabulary)) < 200
    assert pickle.loads(pickle.dumps(vocabulary)) is vocabulary
    assert pickle.loads(pickle.dumps(build_vocabulary(published_encodings()["cl100k_base"]))) is vocabulary
    named = Vocabulary.from_ranks({b"a": 0}, name="cl100k_base")
    assert pickle.loads(pickle.dumps(named)) == named
