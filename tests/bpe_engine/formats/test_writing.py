"""What is written is read by those that it is written for, and is the same tokenizer there."""

from __future__ import annotations

import json
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tokenizer as published
from strategies import FRAGMENTS, texts
from tokenizers import Tokenizer as HuggingFaceTokenizer

from bpe_engine import Pattern, Tokenizer, Vocabulary, VocabularyError, train
from bpe_engine.formats.minbpe import parse_minbpe
from bpe_engine.formats.tiktoken import parse_tiktoken
from bpe_engine.formats.writing import contents, save
from bpe_engine.minbpe import RegexTokenizer
from bpe_engine.patterns import PATTERNS

CORPUS = "".join(
    f"Line {number} has a word's worth of text, {number * 7} more,\n\n  and it's fine!  " for number in range(99)
) + "".join(FRAGMENTS)
# Other Unicode tables know other letters; these are as old as all of them.
OLD = st.lists(
    st.sampled_from(
        [
            fragment
            for fragment in FRAGMENTS
            if not any(
                0x1C80 < ord(c) < 0x1C90
                or 0xA7CB < ord(c) < 0xA7DE
                or ord(c) in range(0x323B0, 0x33480)
                or ord(c) == 0x10D4A
                for c in fragment
            )
        ]
    )
    | st.characters(max_codepoint=0x24F),
    max_size=20,
).map("".join)
CUSTOM = {
    "words": Pattern(r"\p{L}+|\s+"),
    "isolated": Pattern(r"[^\s\p{L}]+|'(?i:[sdmt]|ll)|\n{1,2}(?!\S)", "split"),
}


@cache
def trained(pattern: str | None, layout: Any = "gpt2") -> Tokenizer:
    return train(
        [CORPUS],
        400,
        pattern=CUSTOM.get(pattern or "", pattern),
        layout=layout,
        special_tokens=["<|end|>", "[X]"],
    )


@pytest.mark.parametrize("pattern", [*PATTERNS, *CUSTOM, None])
@pytest.mark.parametrize("layout", ["gpt2", "minbpe", "tokenizers"])
@settings(max_examples=10)
@given(text=OLD)
def test_a_tokenizer_json_is_the_same_tokenizer(pattern: str | None, layout: str, text: str) -> None:
    tokenizer = trained(pattern, layout)
    other = hugging_face(pattern, layout)
    expected = tokenizer.encode(text, allowed_special="all")
    assert other.encode(text).ids == expected
    assert other.decode(expected, skip_special_tokens=False) == tokenizer.decode(expected)


@cache
def hugging_face(pattern: str | None, layout: str) -> HuggingFaceTokenizer:
    return HuggingFaceTokenizer.from_str(contents(trained(pattern, layout), "tokenizer_json").decode())


def test_the_ids_of_a_tokenizer_json() -> None:
    for layout in ("gpt2", "minbpe", "tokenizers"):
        tokenizer, other = trained("o200k", layout), hugging_face("o200k", layout)
        assert other.get_vocab_size() == tokenizer.n_vocab
        for special, token_id in tokenizer.vocabulary.special_tokens.items():
            assert other.token_to_id(special) == token_id
            assert other.encode(f"a{special}").ids[-1] == token_id
            assert other.decode([token_id]) == ""  # it is special there, too


def test_a_published_encoding_as_tokenizer_json() -> None:
    tokenizer = published("cl100k_base")
    other = HuggingFaceTokenizer.from_str(contents(tokenizer, "tokenizer_json").decode())
    generator = random.Random(1)
    for _ in range(200):
        text = "".join(
            generator.choice(["the ", "Tokenizer", " 123", "\n  ", "é", "中文", "'ll", "!?", "x" * 30])
            for _ in range(20)
        )
        assert other.encode(text).ids == tokenizer.encode(text, allowed_special="all")
    for special, token_id in tokenizer.vocabulary.special_tokens.items():
        assert other.token_to_id(special) == token_id


@settings(max_examples=40)
@given(text=texts())
def test_tiktoken_reads_it(text: str) -> None:
    tokenizer = trained("o200k")
    assert tiktoken_encoding().encode_ordinary(text) == tokenizer.encode(text)


@cache
def tiktoken_encoding() -> tiktoken.Encoding:
    tokenizer = trained("o200k")
    return tiktoken.Encoding(
        "trained",
        pat_str=PATTERNS["o200k"].source,
        mergeable_ranks=parse_tiktoken(contents(tokenizer, "tiktoken"), "written"),
        special_tokens=tokenizer.vocabulary.special_tokens,
    )


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "words", None])
def test_minbpe_reads_it(pattern: str | None, tmp_path: Path) -> None:
    tokenizer = trained(pattern, "minbpe")
    path = tmp_path / "trained.model"
    save(tokenizer, path)
    again = Tokenizer.from_file(path)
    # The file does not say by what name its pattern is known.
    assert again.vocabulary.ranks == tokenizer.vocabulary.ranks
    assert again.vocabulary.special_tokens == tokenizer.vocabulary.special_tokens
    assert again.encode(CORPUS) == tokenizer.encode(CORPUS)
    model = parse_minbpe(path.read_bytes(), "written")
    assert len(model.merges) == 400 - 256 - 2
    if pattern is not None:
        teaching = RegexTokenizer()
        teaching.load(str(path))
        assert teaching.encode(CORPUS[:3000], allowed_special="none") == tokenizer.encode(CORPUS[:3000])


@pytest.mark.parametrize("pattern", [*PATTERNS, *CUSTOM, None])
def test_it_comes_back(pattern: str | None, tmp_path: Path) -> None:
    tokenizer = trained(pattern)
    save(tokenizer, tmp_path / "trained.json")
    again = Tokenizer.from_file(tmp_path / "trained.json")
    # A pattern of one's own goes by the Unicode of the `regex` package, one that is read by ours.
    text = CORPUS if pattern not in CUSTOM else CORPUS.replace("\U000323b0", "").replace("\ua7ce", "")
    assert again.encode(text, allowed_special="all") == tokenizer.encode(text, allowed_special="all")
    if pattern in PATTERNS and pattern != "r50k":  # which has the pre-tokens of gpt2
        assert again.vocabulary == Vocabulary(
            "trained", tokenizer.vocabulary.ranks, tokenizer.vocabulary.special_tokens, PATTERNS[pattern]
        )


def test_what_a_model_gets_around_each_text() -> None:
    vocabulary = trained("gpt2").vocabulary
    end, x = vocabulary.special_tokens.values()
    tokenizer = Tokenizer(vocabulary, prefix=[x], suffix=[end, x])
    other = HuggingFaceTokenizer.from_str(contents(tokenizer, "tokenizer_json").decode())
    assert other.encode("a word").ids == tokenizer.encode("a word", add_special_tokens=True)
    with pytest.raises(VocabularyError, match="around each text"):
        contents(tokenizer, "minbpe")
    with pytest.raises(VocabularyError, match="5 is not one"):
        contents(Tokenizer(vocabulary, prefix=[5]), "tokenizer_json")


def test_stages_are_not_written(tmp_path: Path) -> None:
    save(trained("words"), tmp_path / "custom.json")
    pipeline = Tokenizer.from_file(tmp_path / "custom.json")
    for file_format in ("tokenizer_json", "tiktoken", "minbpe"):
        with pytest.raises(VocabularyError, match="has pipeline stages"):
            contents(pipeline, file_format)


def test_save_knows_the_format_by_the_ending(tmp_path: Path) -> None:
    tokenizer = trained("gpt2", "minbpe")
    for name, file_format in (("a.json", "tokenizer_json"), ("b.TIKTOKEN", "tiktoken"), ("c.model", "minbpe")):
        path = tmp_path / name
        path.write_text("what was there before")
        save(tokenizer, path)
        assert path.read_bytes() == contents(tokenizer, file_format)  # type: ignore[arg-type]  # one of them
    tokenizer.save(tmp_path / "named", "tiktoken")
    assert (tmp_path / "named").read_bytes() == (tmp_path / "b.TIKTOKEN").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["model"]["type"] == "BPE"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.TIKTOKEN", "c.model", "named"]
    with pytest.raises(VocabularyError, match=r"unknown file extension; the formats are \.json, \.tiktoken, \.model"):
        save(tokenizer, tmp_path / "trained.bin")
    with pytest.raises(OSError, match="nowhere"):
        save(tokenizer, tmp_path / "nowhere" / "a.json")
    with pytest.raises(ValueError, match="file_format must be one of"):
        contents(tokenizer, "gguf")  # type: ignore[arg-type]  # that is the test


@pytest.mark.skipif(sys.platform == "win32", reason="the mode of a file means nothing there")
def test_a_saved_file_is_as_open_as_others(tmp_path: Path) -> None:
    save(trained("gpt2"), tmp_path / "a.json")
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a.json").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_tokens_that_no_merge_makes() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"ab": 257, b"abcd": 258}
    tokenizer = Tokenizer(Vocabulary.from_ranks(ranks, pattern=PATTERNS["gpt2"]))
    other = HuggingFaceTokenizer.from_str(contents(tokenizer, "tokenizer_json").decode())
    for text in ("abcd", "abc", "abcde", " abcd", "ab"):
        assert other.encode(text).ids == tokenizer.encode(text)
    with pytest.raises(VocabularyError, match="which no merge makes"):
        contents(tokenizer, "minbpe")


EVERY_BYTE = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_grammar_without_its_name(name: str) -> None:
    tokenizer = Tokenizer(Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern(PATTERNS[name].source)))
    other = HuggingFaceTokenizer.from_str(contents(tokenizer, "tokenizer_json").decode())
    assert other.encode("Hello, 12 of\n 中文!").ids == tokenizer.encode("Hello, 12 of\n 中文!")


@pytest.mark.parametrize("pattern", [None, PATTERNS["cl100k"]])
def test_the_text_of_a_special_token_beside_tokens_that_no_merge_makes(pattern: Pattern | None) -> None:
    special = {"<|end|>": 257, "end": 258}
    tokenizer = Tokenizer(Vocabulary.from_ranks({**EVERY_BYTE, b"wxyz": 256}, special_tokens=special, pattern=pattern))
    data = contents(tokenizer, "tokenizer_json").decode()
    other = HuggingFaceTokenizer.from_str(data)
    for text in ("end", "<|end|>", "the end", "wxyz"):
        assert other.encode(text).ids == tokenizer.encode(text, allowed_special="all")
        other.encode_special_tokens = True
        assert other.encode(text).ids == tokenizer.encode(text)
        other.encode_special_tokens = False


@pytest.mark.parametrize(
    ("vocabulary", "file_format", "message"),
    [
        (Vocabulary.from_ranks({b"a": 0}), "tokenizer_json", "0x00 has none"),
        (Vocabulary.from_ranks({b"a": 0}), "minbpe", "0x00 has none"),
        (Vocabulary.from_ranks(EVERY_BYTE, special_tokens={"a": 300}), "tokenizer_json", "spelled like the token"),
        (Vocabulary.from_ranks(EVERY_BYTE, special_tokens={"<a>": 300, "<b>": 300}), "tokenizer_json", "the same id 300"),
        (Vocabulary.from_ranks(EVERY_BYTE, special_tokens={"<a b>": 300}), "minbpe", "white space in a special token"),
        (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern("a\nb")), "minbpe", "line end"),
        (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern("(a)b")), "minbpe", "groups"),
        (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern("a", "split")), "minbpe", "behaviour"),
        (Vocabulary.from_ranks({**EVERY_BYTE, b"ab": 300}), "minbpe", "300 where 256 is next"),
        (Vocabulary.from_ranks({bytes([byte]): 255 - byte for byte in range(256)}), "minbpe", 'layout="minbpe"'),
        *(
            (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern(source)), "tokenizer_json", "Oniguruma")
            for source in (
                r"\w+", r"a$|.", r"^a", r"a{1,3}+", r"(?V1)[a--b]", r"[a&&b]",
                r"\b.", r"(?s).", r"(?i:ss)", r"\h", r"[[:alpha:]]", "(?i:é)", r"[\w]", r"\K", r"(?<name>a)", "(?i)a",
                r"\xe9", r"[\xe0-\xff]", r"a{2}?", r"\p{Word}", r"\p{XDigit}", r"\p{Script=Han}",
            )
        ),
        *(
            (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern(source, "split")), "tokenizer_json", "where there is no text")
            for source in ("a*", "|a", "a??", "(?=a)")
        ),
        (Vocabulary.from_ranks(EVERY_BYTE, pattern=Pattern(r"\p{Alpha}")), "tokenizer_json", "not supported"),
        (Vocabulary.from_ranks(EVERY_BYTE, special_tokens={"<d\xe9but>": 256}), "tokenizer_json", "decoded otherwise"),
        (Vocabulary.from_ranks({**EVERY_BYTE, b"wxyz": 257}, special_tokens={"<a>": 256}), "tokenizer_json", "is a pre-token"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_say(vocabulary: Vocabulary, file_format: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        contents(Tokenizer(vocabulary), file_format)


BYTES = {bytes([byte]): byte for byte in range(256)}


@settings(max_examples=30)
@given(order=st.permutations([b"ab", b"abc", b"bc", b"cab", b"abab", b"ca"]), text=st.text("abc", max_size=30))
def test_ids_in_no_merge_order(tmp_path_factory: pytest.TempPathFactory, order: list[bytes], text: str) -> None:
    """A list of merges may have a token before its halves, too, and `tokenizers` merges as tiktoken does."""
    ranks = BYTES | {token: 256 + number for number, token in enumerate(order)}
    ours = Tokenizer(Vocabulary.from_ranks(ranks))
    path = tmp_path_factory.mktemp("disordered") / "tokenizer.json"
    ours.save(path)
    assert HuggingFaceTokenizer.from_file(str(path)).encode(text).ids == ours.encode(text)
    assert Tokenizer.from_file(path).encode(text) == ours.encode(text)


def test_minbpe_has_no_token_before_its_halves(tmp_path: Path) -> None:
    late = Tokenizer(Vocabulary.from_ranks(BYTES | {b"abc": 256, b"ab": 257}))
    with pytest.raises(VocabularyError, match="cannot store b'abc', whose id is below that of a half"):
        late.save(tmp_path / "late.model")


def test_what_no_format_can_say_of_ranks(tmp_path: Path) -> None:
    ranked = Tokenizer(Vocabulary(None, BYTES | {b"ab": 256}, merge_ranks=dict.fromkeys(range(257), 0)))
    for name in ("a.json", "a.tiktoken", "a.model"):
        with pytest.raises(VocabularyError, match="has merge ranks that differ from its ids"):
            ranked.save(tmp_path / name)
    with pytest.raises(VocabularyError, match="cannot store an empty token"):
        Tokenizer(Vocabulary(None, BYTES | {b"": 256})).save(tmp_path / "a.model")
