"""tokenizer.json files that are damaged, or want too much: a VocabularyError that names the file and the place, and nothing else."""

from __future__ import annotations

import json
import tracemalloc
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from huggingface_files import family
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer, UnsupportedModelError, VocabularyError, implementation
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

SMALL: dict[str, Any] = {
    "added_tokens": [{"id": 3, "content": "<s>", "special": True}],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
}


def load(data: Any) -> Tokenizer:
    file = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Tokenizer.from_specification(parse_tokenizer_json(file, "bad.json"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The small file with another value at a place such as "model.vocab"."""
    data: dict[str, Any] = json.loads(json.dumps(SMALL))
    inner: Any = data
    *way, last = path.split(".")
    for name in way:
        inner = inner[int(name)] if name.isdigit() else inner[name]
    inner[int(last) if last.isdigit() else last] = value
    return data


def test_the_small_file_itself() -> None:
    assert load(SMALL).encode("ab ba") == [2, 1, 0]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("model", 1, r"bad.json: model: expected an object, not int"),
        ("model.vocab", [], r"model.vocab: expected an object"),
        ("model.vocab", {}, r"model.vocab: there are no tokens"),
        ("model.vocab.a", "0", r"model.vocab: the id of 'a' is '0'"),
        ("model.vocab.a", -1, r"model.vocab: the id of 'a' is -1"),
        ("model.vocab.a", 1 << 32, r"model.vocab: the id of 'a' is 4294967296"),
        ("model.vocab.a", True, r"model.vocab: the id of 'a' is True"),
        ("model.vocab.a", 1, r"model.vocab: 'a' and 'b' have the same id 1"),
        ("model.vocab", {"": 0}, r"model.vocab: there are no tokens"),
        ("model.merges", {}, r"model.merges: expected an array"),
        ("model.merges", ["ab"], r"model.merges\[0\]: 'ab' is not a pair of tokens"),
        ("model.merges", [["a", "b", "c"]], r"model.merges\[0\]: .* is not a pair of tokens"),
        ("model.merges", [["a", 1]], r"model.merges\[0\]: .* is not a pair of tokens"),
        ("model.merges", ["a b", "ab a"], r"model.merges\[1\]: 'aba' of 'ab a' is not in model.vocab"),
        ("model.merges", ["a z"], r"model.merges\[0\]: 'z' of 'a z' is not in model.vocab"),
        ("model.dropout", 1.5, r"model.dropout: 1.5 is not a probability"),
        ("model.continuing_subword_prefix", 1, r"model.continuing_subword_prefix: expected a text"),
        ("model.end_of_word_suffix", 1, r"model.end_of_word_suffix: expected a text"),
        ("model.unk_token", "?", r"model.unk_token: '\?' is not in model.vocab"),
        ("model.byte_fallback", "yes", r"model.byte_fallback: expected true or false"),
        ("added_tokens", {}, r"added_tokens: expected an array"),
        ("added_tokens", [1], r"added_tokens\[0\]: expected an object"),
        ("added_tokens.0.content", "", r"added_tokens\[0\]: not a string"),
        ("added_tokens.0.id", 1 << 40, r"added_tokens\[0\]: not a string with an id"),
        ("added_tokens.0.content", "ab", r"added_tokens: the added token 'ab' has the id 3, but in model.vocab it has 2"),
        ("added_tokens", [SMALL["added_tokens"][0]] * 2, r"added_tokens\[1\]: .* twice"),
        ("normalizer", {"type": "ByteLevel"}, r"normalizer: the type 'ByteLevel' is not supported"),
        ("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Precompiled"}]},
         r"normalizer.normalizers\[1\].precompiled_charsmap: expected a text"),
        ("normalizer", {"type": "Replace", "pattern": {"String": ""}, "content": ""}, r"normalizer.pattern.String: an empty string"),
        ("normalizer", {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""}, r"pattern '\(a': an open group at character 2"),
        ("normalizer", {}, r"normalizer.type: expected a text"),
        ("pre_tokenizer", {"type": "FixedLength"}, r"pre_tokenizer: the type 'FixedLength' is not supported"),
        ("pre_tokenizer", {"type": "Split", "pattern": {"Regex": r"(a)\1"}, "behavior": "Isolated"}, r"the escape \\1 at character 3"),
        ("pre_tokenizer", {"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"}, r"pre_tokenizer.behavior: 'Odd' is none of"),
        ("pre_tokenizer", {"type": "Metaspace", "replacement": "ab"}, r"pre_tokenizer.replacement: 'ab' is not one character"),
        ("pre_tokenizer", {"type": "Metaspace", "replacement": "_", "add_prefix_space": False, "prepend_scheme": "first"}, r"pre_tokenizer.prepend_scheme"),
        ("decoder", {"type": "CTC"}, r"decoder: the type 'CTC' is not supported"),
        ("post_processor", {"type": "BertProcessing", "sep": ["a", 0], "cls": ["a"]}, r"post_processor.cls: .* is not a token and its id"),
        ("post_processor", {"type": "BertProcessing", "sep": ["a", 0], "cls": ["a", 99]}, r"bad.json: the id 99 is added around each text"),
        ("post_processor", {"type": "TemplateProcessing", "single": [], "special_tokens": {}},
         r"post_processor.single: a single text has one sequence, not 0"),
        ("post_processor", {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {}},
         r"post_processor.special_tokens.x: expected an object"),
    ],
)  # fmt: skip
def test_refused_with_its_place(path: str, value: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message) as caught:
        load(changed(path, value))
    assert str(caught.value).startswith("bad.json: ")


@pytest.mark.parametrize("kind", ["CharacterLevel", None, 1])
def test_other_models_are_for_another_package(kind: Any) -> None:
    data = changed("model.type", kind)
    del data["model"]["merges"]
    with pytest.raises(UnsupportedModelError, match="package `tokenizers`"):
        load(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"bad.json:1: invalid JSON"),
        (b"[]", r"expected a JSON object, not list"),
        (b"\xff{}", r"bad.json:1: not UTF-8"),
        (b'{"model": 1,\n"model": 2}', r"has the key 'model' twice"),
        (b'{"a":' * 200_000, r"JSON nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", r"bad.json: "),
        (b"{}", r"bad.json: model: expected an object, not NoneType"),
    ],
    ids=["empty", "a list", "no UTF-8", "twice", "deep", "a long number", "nothing in it"],
)
def test_no_json_or_another(data: bytes, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        load(data)


def test_a_deep_sequence_is_no_recursion() -> None:
    stage: dict[str, Any] = {"type": "NFC"}
    for _ in range(150):
        stage = {"type": "Sequence", "normalizers": [stage]}
    with pytest.raises(VocabularyError, match="inside 100 others"):
        load(changed("normalizer", stage))


def test_cyclic_and_senseless_merges_do_no_harm() -> None:
    """A merge before the one that makes its half; one that is there twice; one of what nothing makes."""
    data = changed("model.vocab", {"a": 0, "b": 1, "ab": 2, "aba": 4, "abab": 5, "ba": 6, "zz": 7, "zza": 8})
    data["model"]["merges"] = ["aba b", "ab a", "a b", "ab ab", "b a", "ab a", "zz a"]
    ours = load(data)
    # By the definition: "a b" comes before "ab ab" and "b a", and "aba b", which is first, never comes about.
    assert ours.encode("abab") == [5]
    assert ours.encode("aba") == [4]
    assert ours.decode(ours.encode("abaab")) == "abaab"


def test_long_tokens_take_no_quadratic_time() -> None:
    """Each token twice as long as the one before: a merge list of 20 lines makes a megabyte. The twin in Python checks tokens by the definition."""
    powers = 20 if implementation() == "cpp" else 10
    tokens = ["a" * (1 << power) for power in range(powers)]
    data = changed("model.vocab", {token: number for number, token in enumerate(tokens)})
    data["added_tokens"] = []
    data["model"]["merges"] = [[token, token] for token in tokens[:-1]]
    ours = load(data)
    assert ours.encode("a" * ((1 << powers - 1) + 3)) == [powers - 1, 1, 0]


def test_memory_stays_in_proportion_to_the_file() -> None:
    file = family("qwen2").encode()
    tracemalloc.start()
    try:
        load(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * len(file) + (16 << 20)


@pytest.mark.parametrize("name", ["qwen2", "llama2"])
def test_truncated_files(name: str, tmp_path: Path) -> None:
    file = family(name).encode()
    for size in Random(1).sample(range(len(file)), 60):
        with pytest.raises(VocabularyError, match=r"bad\.json"):
            load(file[:size])
    path = tmp_path / "tokenizer.json"
    path.write_bytes(file[: len(file) // 2])
    with pytest.raises(VocabularyError, match=r"tokenizer\.json:\d+: invalid JSON"):
        Tokenizer.from_file(path)


VALUES = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        1,
        2,
        1 << 33,
        1.5,
        "",
        "a",
        "ab",
        "Sequence",
        [],
        {},
        ["a", "b"],
        {"type": "NFC"},
        {"String": "a"},
    ]
)


@settings(max_examples=150)
@given(data=st.data())
def test_changed_files(data: st.DataObject) -> None:
    """Whatever a value is changed to, there is a tokenizer that works or a VocabularyError."""
    file = json.loads(json.dumps(SMALL))
    file["normalizer"] = {
        "type": "Sequence",
        "normalizers": [{"type": "NFC"}, {"type": "Replace", "pattern": {"String": "x"}, "content": "a"}],
    }
    file["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
        "special_tokens": {"<s>": {"ids": [3]}},
    }
    for _ in range(data.draw(st.integers(1, 3))):
        inner: Any = file
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if not isinstance(inner[key], dict | list) or data.draw(st.booleans()):
                inner[key] = deepcopy(data.draw(VALUES))
                break
            inner = inner[key]
    ours = loaded_or_refused(file)
    if ours is not None:
        text = "ab xaab <s> é"
        assert ours.count(text) == len(ours.encode(text))
        ours.decode(ours.encode(text))


def loaded_or_refused(file: dict[str, Any]) -> Tokenizer | None:
    """The tokenizer, None where the file is refused with its name."""
    refused = ""
    try:
        return load(file)
    except VocabularyError as error:
        refused = str(error)
    assert refused.startswith("bad.json")
    return None
