"""tokenizer.json: ids, counts, offsets and texts equal to those of `tokenizers`, for the files of known models and for any combination of parts."""

from __future__ import annotations

import pickle
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from code_points import DISPUTED
from huggingface_files import FAMILIES, OTHER_MODELS, both, combination, family, write
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as HuggingFace

from bpe_engine import DoubledTokenWarning, Tokenizer, VocabularyError
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.normalizers import UnicodeForm
from bpe_engine.pipeline.pre_tokenizers import Split
from bpe_engine.pipeline.specification import Specification

OWN = st.sampled_from(
    [
        "<mask>",
        "ab",
        "the",
        "\n\n",
        "é",
        "12",
        "caf",
        "x y",
        "<s>",
        " quick",
        "<think>",
        "</think>",
        "中文",
        "e\u0301",
        "\u0323",
    ]
)
own_texts = (
    st.lists(st.one_of(texts(4), OWN), max_size=8)
    .map("".join)
    .map(lambda text: "".join(character for character in text if character not in DISPUTED))
)


def check(file: str, text: str) -> None:
    """All that both tell about one text is the same."""
    theirs, ours = both(file)
    expected = theirs.encode(text, add_special_tokens=False)
    assert ours.encode(text) == expected.ids
    assert ours.count(text) == len(expected.ids)
    assert ours.count_batch([text, text[1:]]) == [len(expected.ids), ours.count(text[1:])]
    assert ours.encode_to_buffer(text).tolist() == expected.ids
    ids, offsets = ours.encode_with_offsets(text)
    assert ids == expected.ids
    if "drop" not in repr(getattr(ours, "specification", "")):  # what is dropped still moves their offsets
        assert offsets == [start for start, _ in expected.offsets]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubledTokenWarning)  # the texts hold what stands around them
        with_special = ours.encode(text, allowed_special="all", add_special_tokens=True)
    theirs.encode_special_tokens = False
    try:
        assert with_special == theirs.encode(text, add_special_tokens=True).ids
    finally:
        theirs.encode_special_tokens = True
    assert ours.decode(with_special) == theirs.decode(with_special, skip_special_tokens=False)
    if ours.specification is not None:
        assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids, skip_special_tokens=True)


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
@settings(max_examples=40)
@given(text=own_texts)
def test_families(name: str, text: str) -> None:
    check(family(name), text)


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32), data=st.data())
def test_combinations(seed: int, data: st.DataObject) -> None:
    file = combination(seed)
    if NOTHING_LEFT in refusal(file):
        return
    for _ in range(6):
        check(file, data.draw(own_texts))


def test_every_character_beside_a_whole_word() -> None:
    theirs = HuggingFace(models.BPE({"<unk>": 0, "a": 1}, [], unk_token="<unk>"))
    theirs.add_tokens([AddedToken("<w>", single_word=True, normalized=False)])
    ours = both(theirs.to_str())[1]
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    # What stands after one is told in the same way.
    for form, step in (("{}<w> ", 1 if ours.is_native else 97), ("<w>{} ", 97)):
        for start in range(0, len(every), 8192):
            text = "".join(map(form.format, every[start : start + 8192 : step]))
            assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids


NOTHING_LEFT = "is empty after normalization"


def refusal(file: str) -> str:
    """Why a file is refused; nothing if it is not."""
    try:
        both(file)
    except VocabularyError as error:
        return str(error)
    return ""


def test_the_engine_itself_where_it_does() -> None:
    plain = {name for name in FAMILIES if both(family(name))[1].specification is None}
    assert plain == {"gpt2", "starcoder", "glm4"}


@pytest.mark.parametrize("fused", [False, True])
@given(text=st.text("abcü ", max_size=12))
def test_the_first_id_stands_for_what_is_unknown_where_merges_have_no_order(fused: bool, text: str) -> None:
    vocabulary = {token: number for number, token in enumerate(["<unk>", "a", "b", "c", "bc", "abc"])}
    theirs = HuggingFace(models.BPE(vocabulary, [("a", "bc"), ("b", "c")], unk_token="<unk>", fuse_unk=fused))
    theirs.add_tokens([AddedToken("cab", normalized=True)])
    theirs.normalizer = normalizers.Lowercase()
    check(theirs.to_str(), text)


@pytest.mark.parametrize("name", FAMILIES)
def test_what_a_tokenizer_tells(name: str) -> None:
    theirs, ours = both(family(name))
    assert ours.n_vocab == max(theirs.get_vocab().values()) + 1
    assert ours.reserve == theirs.num_special_tokens_to_add(is_pair=False)
    assert ours.special_tokens_set == {
        token.content for token in theirs.get_added_tokens_decoder().values() if token.special
    }
    assert ours.is_special_token(0)
    assert ours.encode_single_token("<s>") == theirs.token_to_id("<s>")
    assert ours.split("The end.") != []
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is type(ours)
    assert again.encode("The café, 123") == ours.encode("The café, 123")
    assert again.reserve == ours.reserve
    assert len(ours.token_byte_values()) == len(set(theirs.get_vocab().values())) - len(ours.special_tokens_set)


def test_threads_share_one() -> None:
    theirs, ours = both(family("qwen2"))
    words = [f"café {number} e\u0301<think>" for number in range(200)]
    expected = [theirs.encode(word, add_special_tokens=False).ids for word in words]
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(list(map(ours.encode, words)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my-model" / "tokenizer.json"
    path.parent.mkdir()
    path.write_text(family("qwen2"), "utf-8")
    tokenizer = Tokenizer.from_file(path)
    assert tokenizer.name == "my-model"
    assert Tokenizer.from_file(str(path), name="other").name == "other"
    assert (
        tokenizer.encode("The <think> end")
        == both(family("qwen2"))[0].encode("The <think> end", add_special_tokens=False).ids
    )
    with pytest.raises(VocabularyError, match="defines its own"):
        Tokenizer.from_file(path, special_tokens={})
    # As it would come from an editor on Windows.
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert Tokenizer.from_file(path).count("The <think> end") == tokenizer.count("The <think> end")


def test_limits_and_batches() -> None:
    ours = both(family("llama2"))[1]
    text = "The café, 123 中"
    assert ours.count_up_to(text, ours.count(text)) == ours.count(text)
    assert ours.count_up_to(text * 100, 10) is None
    assert ours.count(ours.truncate(text, 4)) <= 4
    assert ours.truncate(text, 100) == text
    assert text.endswith(ours.truncate(text, 4, side="tail"))
    assert ours.encode_ordinary_batch([text]) == [ours.encode(text)]


def test_bytes_that_are_no_text_are_kept() -> None:
    ours = both(family("qwen2"))[1]
    data = b"a\xff\xe4\xb8 e\xcc\x81"
    assert ours.decode_bytes(ours.encode(data)) == b"a\xff\xe4\xb8 \xc3\xa9"
    assert ours.encode_with_offsets("é 😀")[1] == both(family("qwen2"))[1].encode_with_offsets("é \ud83d\ude00")[1]


def test_ids_that_are_out_of_order_are_no_matter() -> None:
    file = write(models.BPE(), None, pre_tokenizers.ByteLevel(), decoders.ByteLevel(), vocab_size=500)
    check(file, "The quick brown fox can't jump")


def test_added_tokens_that_meet() -> None:
    tokens = (
        AddedToken("x", rstrip=True, normalized=False),
        AddedToken(" y", lstrip=True, normalized=False),
        AddedToken("\n\n", lstrip=True, rstrip=True, normalized=False),
        AddedToken("xyz", single_word=True, normalized=False),
        AddedToken("É", normalized=True),
        AddedToken("<S>", normalized=True, special=True),
    )
    model = models.BPE(unk_token="<unk>")
    file = write(
        model, normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()]), added=tokens, decoder=decoders.Fuse()
    )
    for text in (
        "x  y",
        "x y",
        " x   ya",
        "a\n\n\n\n\nb",
        "xyz xyza",
        "wxyz x yz",
        "éÉe\u0301<s><S>",
        "\n\n\n\n x\n\n",
        "  y  y",
    ):
        check(file, text)
    assert both(file)[1].not_native in (
        "an added token that takes white space along, which another one may begin with",
        "the implementation that runs is 'python'",
    )


@pytest.mark.parametrize("stages", [[], [Split(Expression("[a-z]+"))], [Split("1", "merged_with_next")]])
def test_a_mark_joins_what_is_not_certain_yet(stages: list[Split]) -> None:
    """The character before it is another one then, also where a part of a long text ends."""
    tokens = dict(enumerate(["x", "a", "á", "xá", "b", "<unk>", "1", "1á"]))
    ours = Tokenizer.from_specification(
        Specification(
            name=None, source="x", tokens=tokens, alphabet="characters", merges=[(0, 2), (6, 2)], unknown=5,
            normalizers=(UnicodeForm("NFC"),), pre_tokenizers=tuple(stages),
        )
    )  # fmt: skip
    for before in "x1":
        text = f"{before}a\u0301"
        growing = ours.appending_encoder()
        for character in text:
            growing.append(character)
            assert growing.count == ours.count(growing.text)
        assert growing.tokens() == ours.encode(text) == ours.encode(f"{before}á")
        for size in range(16376, 16390):
            long = "b" * size + text
            assert ours.encode(long) == [4] * size + ours.encode(text)
            assert ours.interval_encoder(long).count(size - 2, len(long)) == 2 + ours.count(text)


@pytest.mark.parametrize("in_bytes", [True, False])
def test_an_empty_token(in_bytes: bool, tmp_path: Path) -> None:
    """As Whisper's file has it: decoded to nothing, and no text is encoded to it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet()) if in_bytes else ["a", "b"]
    vocabulary = {**{token: number for number, token in enumerate(alphabet)}, "ab": 300, "": 301}
    theirs = HuggingFace(models.BPE(vocabulary, [("a", "b")]))
    if in_bytes:
        theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        theirs.decoder = decoders.ByteLevel()
    else:
        theirs.decoder = decoders.Fuse()
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = Tokenizer.from_file(path)
    for text in ("", "ab", "abba", "a b"):
        assert ours.encode(text) == theirs.encode(text).ids
    assert ours.decode([300, 301, 300]) == theirs.decode([300, 301, 300]) == "abab"
    assert ours.decode([301]) == theirs.decode([301]) == ""
    assert ours.encode_single_token("") == theirs.token_to_id("") == 301
    assert ours.n_vocab == 302
    growing = ours.appending_encoder()
    growing.append("ab")
    assert growing.count == 1
