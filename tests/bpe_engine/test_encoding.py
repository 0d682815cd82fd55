"""Encoding against tiktoken's class: whoever changes the import has the same results, the same errors, and the same objects."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import random
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import ENCODINGS, tiktoken_encoding
from strategies import FRAGMENTS
from tiktoken_pairs import ALL, END, PATTERNS, PROMPT, arguments_of, pair, small_ranks

import bpe_engine
from bpe_engine import Encoding, EncodingError, PatternError, Tokenizer, VocabularyError, get_encoding, implementation
from bpe_engine.published.registry import load_vocabulary

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join) | st.text(max_size=30)


# --- names


def test_every_public_name_of_the_class_with_its_parameters_and_their_order() -> None:
    for name, theirs in inspect.getmembers(tiktoken.Encoding):
        if name.startswith("_"):
            continue
        ours = getattr(Encoding, name)
        if inspect.isfunction(theirs) and inspect.isfunction(ours):
            names = list(inspect.signature(theirs).parameters)
            assert list(inspect.signature(ours).parameters)[: len(names)] == names, name


@pytest.mark.parametrize("module", ["", ".core", ".load", ".model", ".registry"])
def test_the_modules_of_tiktoken_and_what_they_are_imported_for(module: str) -> None:
    wanted = {
        "": ["Encoding", "__version__", "encoding_for_model", "encoding_name_for_model", "get_encoding", "list_encoding_names"],
        ".core": ["Encoding"],
        ".load": ["check_hash", "data_gym_to_mergeable_bpe_ranks", "dump_tiktoken_bpe", "load_tiktoken_bpe", "read_file", "read_file_cached"],
        ".model": ["MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING", "encoding_for_model", "encoding_name_for_model"],
        ".registry": ["list_encoding_names"],
    }  # fmt: skip
    theirs, ours = importlib.import_module(f"tiktoken{module}"), importlib.import_module(f"bpe_engine{module}")
    for name in wanted[module]:
        assert hasattr(theirs, name), name
        assert hasattr(ours, name), name


def test_the_models() -> None:
    ours, theirs = importlib.import_module("bpe_engine.model"), importlib.import_module("tiktoken.model")
    assert ours.MODEL_TO_ENCODING == theirs.MODEL_TO_ENCODING
    assert ours.MODEL_PREFIX_TO_ENCODING == theirs.MODEL_PREFIX_TO_ENCODING
    with pytest.raises(KeyError):
        bpe_engine.encoding_for_model("no such model")
    with pytest.raises(ValueError, match="no such encoding"):
        get_encoding("no such encoding")
    assert bpe_engine.encoding_for_model("gpt-4o") is get_encoding("o200k_base")


def test_the_version_is_that_of_the_package() -> None:
    assert bpe_engine.__version__ == version("bpe-chunker")
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = bpe_engine.no_such_name  # type: ignore[attr-defined]


def test_an_encoding_is_a_tokenizer_and_keeps_its_own_defaults() -> None:
    encoding = get_encoding("o200k_base")
    assert isinstance(encoding, Tokenizer)
    assert encoding.count(END) == len(encoding.encode_ordinary(END)) > 1
    assert Tokenizer.load("o200k_base").encode(END) == encoding.encode_ordinary(END)
    growing = encoding.appending_encoder()
    growing.append(f"a {END}")
    assert growing.tokens() == encoding.encode_ordinary(f"a {END}")
    assert repr(encoding) == repr(tiktoken_encoding("o200k_base"))


# --- encoding and decoding


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=150)
@given(text=texts)
@example(text="the THE of\n\nx\n")
@example(text="ab ba aab\n")
def test_the_tokens_of_a_text_and_back(name: str, text: str) -> None:
    ours, theirs = pair(name)
    ids = theirs.encode(text, disallowed_special=())
    assert ours.encode(text, disallowed_special=()) == ours.encode_ordinary(text) == ids
    assert ours.encode_to_numpy(text, disallowed_special=()).tolist() == ids
    assert ours.count(text) == len(ids)
    assert ours.decode(ids) == theirs.decode(ids)
    assert ours.decode_bytes(np.array(ids, dtype=np.uint32)) == theirs.decode_bytes(ids)
    assert ours.decode_tokens_bytes(ids) == theirs.decode_tokens_bytes(ids)
    if name in ENCODINGS:
        assert ours.decode(ids) == text
    try:
        offsets = theirs.decode_with_offsets(ids)
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            ours.decode_with_offsets(ids)
    else:
        assert ours.decode_with_offsets(ids) == offsets


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60)
@given(batch=st.lists(texts, max_size=6))
def test_batches(name: str, batch: list[str]) -> None:
    ours, theirs = pair(name)
    ids = theirs.encode_ordinary_batch(batch)
    assert ours.encode_ordinary_batch(batch) == ids
    assert ours.encode_batch(batch, disallowed_special=(), num_threads=2) == ids
    assert ours.encode_batch(batch, allowed_special="all") == theirs.encode_batch(batch, allowed_special="all")
    assert ours.decode_batch(ids) == theirs.decode_batch(ids)
    assert ours.decode_bytes_batch(ids) == theirs.decode_bytes_batch(ids)


@pytest.mark.parametrize("name", ALL)
def test_every_token_by_itself(name: str) -> None:
    ours, theirs = pair(name)
    for token in random.Random(3).sample(range(theirs.n_vocab), min(theirs.n_vocab, 2000)):
        try:
            data = theirs.decode_single_token_bytes(token)
        except KeyError:
            with pytest.raises(KeyError):
                ours.decode_single_token_bytes(token)
        else:
            assert ours.decode_single_token_bytes(token) == data
            assert ours.encode_single_token(data) == token
            assert ours._encode_single_piece(data) == theirs._encode_single_piece(data)
    assert ours.token_byte_values() == theirs.token_byte_values()
    assert (ours.n_vocab, ours.max_token_value, ours.eot_token) == (
        theirs.n_vocab,
        theirs.max_token_value,
        theirs.eot_token,
    )
    assert ours.special_tokens_set == theirs.special_tokens_set


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=150)
@given(data=st.binary(max_size=20) | st.tuples(texts, st.binary(max_size=3)).map(lambda two: two[0].encode() + two[1]))
@example(data=b" \xec\x8b\xa4\xed")
@example(data=b"a \n \xe4\xb8")
@example(data=b"\xff")
def test_bytes_that_may_be_no_text(name: str, data: bytes) -> None:
    ours, theirs = pair(name)
    assert ours._encode_bytes(data) == theirs._encode_bytes(data)


SURROGATES = ["\ud83d\udc4d", "\ud83d", "a\udc4d b", "\udc4d\ud83d", "x\ud83d\ude00\ud83d"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("text", SURROGATES)
def test_surrogates_alone_and_in_pairs(name: str, text: str) -> None:
    ours, theirs = pair(name)
    assert ours.encode(text) == theirs.encode(text)
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("character", ["^", "0", "a", "'s", " ", "\n", "中"])
def test_repetitions(name: str, character: str) -> None:
    ours, theirs = pair(name)
    for text in (character * 3_000, f" {character * 3_000}", f"{character * 3_000}\n"):
        assert ours.encode(text) == theirs.encode(text)


def test_a_megabyte_of_one_character() -> None:
    ours, theirs = pair("o200k_base")
    assert ours.encode("x" * 1_000_000) == theirs.encode("x" * 1_000_000)
    assert ours.decode(ours.encode(" " * 1_000_000)) == " " * 1_000_000
    with pytest.raises(ValueError, match="backtracking"):
        theirs.encode(" " * 1_000_000)


def test_a_byte_that_no_token_has() -> None:
    arguments: dict[str, Any] = {"pat_str": ".+", "mergeable_ranks": {b"a": 0, b"aa": 1}, "special_tokens": {}}
    with pytest.raises(EncodingError, match="0x62"):
        Encoding("ours", **arguments).encode("ab")
    with pytest.raises(BaseException, match="no entry found") as panic:
        tiktoken.Encoding("theirs", **arguments).encode("ab")
    assert not isinstance(panic.value, Exception)


# --- special tokens

NAMED = st.sampled_from([END, PROMPT, "<|none|>", "a"])


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=150)
@given(
    text=st.lists(st.sampled_from([END, PROMPT, "<|", "a", " ", "\n", "中", "<|end", "oftext|>"]), max_size=8).map(
        "".join
    ),
    allowed=st.just("all") | st.frozensets(NAMED),
    disallowed=st.just("all") | st.frozensets(NAMED) | st.just(()),
)
def test_special_tokens_in_a_text(name: str, text: str, allowed: Any, disallowed: Any) -> None:
    ours, theirs = pair(name)
    options = {"allowed_special": allowed, "disallowed_special": disallowed}
    try:
        ids = theirs.encode(text, **options)
    except ValueError:
        for method in (ours.encode, ours.encode_to_numpy, ours.encode_with_unstable):
            with pytest.raises(ValueError, match="disallowed"):
                method(text, **options)
        with pytest.raises(ValueError, match="disallowed"):
            ours.encode_batch([text], **options)
    else:
        assert ours.encode(text, **options) == ids
        assert ours.encode_batch([text], **options) == [ids]
        assert ours.encode_to_numpy(text, **options).tolist() == ids


@pytest.mark.parametrize("name", ALL)
def test_a_special_token_raises_by_default(name: str) -> None:
    ours, _ = pair(name)
    for method in (ours.encode, ours.encode_to_numpy, ours.encode_with_unstable):
        with pytest.raises(EncodingError, match="endoftext"):
            method(f"a {END}")
        with pytest.raises(TypeError, match="collection"):
            method("a", disallowed_special=END)
    with pytest.raises(EncodingError, match="endofprompt"):
        ours.encode_batch(["fine", PROMPT])
    assert ours.encode(END, allowed_special={END}) == [ours.eot_token]
    assert ours.is_special_token(ours.eot_token)
    assert not ours.is_special_token(0)


def test_harmony_s_thousand_special_tokens() -> None:
    ours = get_encoding("o200k_harmony")
    with pytest.raises(ValueError, match="reserved_200020"):
        ours.encode("a<|reserved_200020|>")
    assert ours.encode("<|reserved_200020|>", allowed_special="all") == [200020]
    assert ours.encode("a <| b") == get_encoding("o200k_base").encode("a <| b")


# --- an encoding of one's own


def test_extending_a_published_encoding() -> None:
    """What tiktoken's README recommends: the private attributes of one encoding, and two more special tokens."""
    for package in (bpe_engine, tiktoken):
        base: Any = get_encoding("cl100k_base") if package is bpe_engine else tiktoken_encoding("cl100k_base")
        chat = package.Encoding(
            name="cl100k_im",
            pat_str=base._pat_str,
            mergeable_ranks=base._mergeable_ranks,
            special_tokens={**base._special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265},
        )
        ids = chat.encode("<|im_start|>user\nhello<|im_end|>", allowed_special={"<|im_start|>", "<|im_end|>"})
        assert ids == [100264, 882, 198, 15339, 100265]
        assert chat.name == "cl100k_im"


@pytest.mark.parametrize("name", list(PATTERNS))
def test_what_the_constructor_keeps(name: str) -> None:
    ours, theirs = pair(name)
    for attribute in ("name", "_pat_str", "_mergeable_ranks", "_special_tokens"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)


@pytest.mark.skipif(implementation() != "cpp", reason="there is no core")
def test_patterns_run_in_the_core_and_say_where_they_do_not() -> None:
    for name in PATTERNS:
        ours, _ = pair(name)
        assert ours.is_native == (ours.not_native is None) == (name != "looks behind"), name
    assert "looks behind" in (pair("looks behind")[0].not_native or "")
    assert get_encoding("cl100k_base").is_native


@pytest.mark.parametrize("explicit", [0, None, 503])
def test_the_number_of_tokens_may_be_told(explicit: int | None) -> None:
    ranks = small_ranks()
    special = {END: 500, PROMPT: 501, "<|third|>": 502}
    assert len(ranks) == 500
    Encoding("x", pat_str=".", mergeable_ranks=ranks, special_tokens=special, explicit_n_vocab=explicit)


@pytest.mark.parametrize("special", [{END: 500}, {END: 500, PROMPT: 502}, {END: 5}])
def test_a_wrong_number_of_tokens_is_an_error(special: dict[str, int]) -> None:
    with pytest.raises(VocabularyError):
        Encoding("x", pat_str=".", mergeable_ranks=small_ranks(), special_tokens=special, explicit_n_vocab=502)


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(PatternError):
        Encoding("x", pat_str="(a", mergeable_ranks=small_ranks(), special_tokens={})
    with pytest.raises(TypeError, match="pat_str"):
        Encoding("x", pat_str=None, mergeable_ranks=small_ranks(), special_tokens={})  # type: ignore[arg-type]


def test_ids_in_any_order() -> None:
    ranks = {b"a": 7, b"b": 3, b"abab": 2, b"ab": 5, b"ba": 0, b"bab": 9}
    arguments: dict[str, Any] = {"pat_str": r"[ab]+|c", "mergeable_ranks": ranks, "special_tokens": {}}
    ours, theirs = Encoding("x", **arguments), tiktoken.Encoding("x", **arguments)
    for number in range(1 << 10):
        text = f"{number:b}".replace("0", "a").replace("1", "b")
        assert ours.encode(text) == theirs.encode(text)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_and_pickles(name: str, again: Any) -> None:
    ours, _ = pair(name)
    other = again(ours)
    assert type(other) is Encoding
    assert (other.name, other._pat_str, other.special_tokens_set) == (ours.name, ours._pat_str, ours.special_tokens_set)
    assert other.encode("hello fanta 12") == ours.encode("hello fanta 12")
    with pytest.raises(ValueError, match="disallowed"):
        other.encode(END)


def test_published_encodings_pickle_by_name() -> None:
    assert len(pickle.dumps(get_encoding("o200k_base"))) < 300
    assert load_vocabulary("o200k_base") is pickle.loads(pickle.dumps(get_encoding("o200k_base"))).vocabulary


# --- encodings of other packages

PLUGIN = """
from bpe_engine.load import load_tiktoken_bpe

def letters():
    return {"name": "letters", "pat_str": ".", "mergeable_ranks": {b"a": 0, b"b": 1}, "special_tokens": {"<|end|>": 2}, "explicit_n_vocab": 3}

ENCODING_CONSTRUCTORS = {"letters": letters}
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport bpe_engine\n{script}"
    return subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)


def test_a_plugin_of_tiktoken_ext(tmp_path: Path) -> None:
    modules = tmp_path / "tiktoken_ext"
    modules.mkdir()
    (modules / "my_letters.py").write_text(PLUGIN)
    script = """
encoding = bpe_engine.get_encoding("letters")
assert encoding is bpe_engine.get_encoding("letters") and encoding.encode("ab<|end|>", allowed_special="all") == [0, 1, 2]
assert "letters" in bpe_engine.list_encoding_names() and "o200k_base" in bpe_engine.list_encoding_names()
assert "tiktoken" not in sys.modules
"""
    done = run(tmp_path, script)
    assert done.returncode == 0, done.stderr
    (modules / "other_letters.py").write_text(PLUGIN)
    assert "another module" in run(tmp_path, "bpe_engine.get_encoding('letters')").stderr
    (modules / "other_letters.py").write_text("")
    assert "has no ENCODING_CONSTRUCTORS" in run(tmp_path, "bpe_engine.get_encoding('letters')").stderr


SETS = [*(f"[[:{name}:]]" for name in ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit"]),
        r"[[:^space:]]", r"[[:^alpha:]b]", r"[\h-]", r"[]a]", r"[^]a]", r"[$\]]", r"[\w--[a-c]]", r"[a-f~~d-z]", r"[a[b[c]]]", r"a\z|b", r"a$|\n",
        r"(?m:a$)|\n", r"(?i:ß|k)", "(?x: a b # comment\n)", r"\x{4e2d}|\u00e9", r"[\x{4e2d}-\u{4e3f}]", r"\U{41}|\x41|a\\x{2}", r"\R|.", r"\s+\z",
        r"\d+", r"\w+", r"\p{Greek}", r"\p{sc=Han}"]  # fmt: skip


@pytest.mark.parametrize("source", SETS)
def test_the_syntax_of_fancy_regex(source: str) -> None:
    """Each matches the same characters and ends as there; where it is not compiled, that is an error, not another match."""
    try:
        theirs = tiktoken.Encoding("x", **arguments_of(source))
    except ValueError:
        with pytest.raises(PatternError):
            Encoding("x", **arguments_of(source))
        return
    ours = Encoding("x", **arguments_of(source))
    for text in [
        "".join(map(chr, range(0x180))),
        "aab\n",
        "a\na\n",
        "ab",
        "中é\u0663ſKßß",
        "  \n",
        "αβ \u3000",
        "]a$-",
    ]:
        assert ours.encode(text) == theirs.encode(text)
