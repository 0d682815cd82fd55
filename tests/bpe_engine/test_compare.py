"""Two tokenizers side by side: every figure counted once more from the vocabularies and from the tokens of the texts."""

from __future__ import annotations

from pathlib import Path

from gguf_files import byte_level_entries, write
from hypothesis import example, given, settings
from oracles import tokenizer
from strategies import texts

from bpe_engine import Pattern, Tokenizer, Vocabulary
from bpe_engine.compare import ChangedId, Difference, _compare_text, describe_stages

OLD = Tokenizer(
    Vocabulary.from_tokens(
        [b"a", b"b", b" ", b"ab", b" a"],
        name="old",
        special_tokens={"<end>": 9, "<old>": 10},
        pattern=Pattern(" ?[a-z]+"),
    )
)
NEW = Tokenizer(
    Vocabulary.from_tokens(
        [b"a", b"b", b" ", b" a", b"bb", b"ba"], name="new", special_tokens={"<end>": 8, "<new>": 9, "<new 2>": 11}
    )
)


def test_a_small_one() -> None:
    report = OLD.compare(NEW, {"first": "ab ab", "second": "ba", "third": ""})
    assert (report.names, report.tokens, report.shared, report.same_ids) == (("old", "new"), (5, 6), 4, 3)
    assert report.changed_ids == 3
    assert report.changed_examples == (
        ChangedId(3, b"ab", b" a"),
        ChangedId(4, b" a", b"bb"),
        ChangedId(9, b"<end>", b"<new>"),
    )
    assert (report.special_only_ours, report.special_only_theirs) == (("<old>",), ("<new 2>", "<new>"))
    assert report.special_moved == {"<end>": (9, 8)}
    assert report.stages == (("pattern  ?[a-z]+",), ())
    first, second, third = report.texts
    assert (first.ours, first.theirs, first.characters) == (3, 4, 5)
    assert first.first_difference == Difference(0, "ab", "a|b")
    assert second.first_difference == Difference(0, "b|a", "ba")
    assert second.ratio == 0.5
    assert (third.ours, third.theirs, third.ratio, third.first_difference) == (0, 0, 1.0, None)
    assert not report.is_same
    assert str(report).splitlines() == [
        "old -> new",
        "tokens    5 and 6; 4 in both, 3 of them under the same id",
        "ids       3 mean something else: 3 is b'ab' and b' a'; 4 is b' a' and b'bb'; 9 is b'<end>' and b'<new>'",
        "special   only old: <old>; only new: <new 2>, <new>; other ids: <end> 9 -> 8",
        "stages    old: pattern  ?[a-z]+",
        "stages    new: none",
        "first: 3 tokens -> 4 (133.3 %); first at character 0: 'ab' and 'a|b'",
        "second: 2 tokens -> 1 (50.0 %); first at character 0: 'b|a' and 'ba'",
        "third: 0 tokens -> 0 (100.0 %)",
    ]


def test_the_embedded_ones() -> None:
    ours, theirs = tokenizer("cl100k_base"), tokenizer("o200k_base")
    report = ours.compare(theirs)
    tokens = [vocabulary.ranks for vocabulary in (ours.vocabulary, theirs.vocabulary)]
    shared = tokens[0].keys() & tokens[1].keys()
    assert report.shared == len(shared)
    assert report.same_ids == sum(tokens[0][token] == tokens[1][token] for token in shared)
    meant = [
        {token: data for data, token in ranks.items()}
        | {token: text.encode() for text, token in one.vocabulary.special_tokens.items()}
        for one, ranks in zip((ours, theirs), tokens, strict=True)
    ]
    assert report.changed_ids == sum(meant[0][token] != meant[1][token] for token in meant[0].keys() & meant[1].keys())
    assert report.special_moved == {"<|endoftext|>": (100257, 199999), "<|endofprompt|>": (100276, 200018)}
    assert report.stages == (("pattern cl100k",), ("pattern o200k",))


@settings(max_examples=50)
@example(text="\ue000")
@given(text=texts())
def test_the_first_difference(text: str) -> None:
    ours, theirs = tokenizer("cl100k_base"), tokenizer("o200k_base")
    found = _compare_text(ours, theirs, "a text", text)
    assert (found.ours, found.theirs) == (ours.count(text), theirs.count(text))
    starts = [one.encode_with_offsets(text)[1] for one in (ours, theirs)]
    if starts[0] == starts[1]:
        assert found.first_difference is None
    else:
        first = found.first_difference
        assert first is not None
        before = [[start for start in each if start < first.offset] for each in starts]
        assert before[0] == before[1]
        assert text[first.offset :].startswith(first.ours.replace("|", "")) or "|" in text
        # The same character may be in other pieces.
        assert first.ours != first.theirs or not text.isascii()


def test_with_itself_and_with_files(tmp_path: Path) -> None:
    assert OLD.compare(OLD, ["ab ab"]).is_same
    plain = Tokenizer.from_file(write(tmp_path / "plain.gguf", byte_level_entries("gpt-2")))
    other = Tokenizer.from_file(write(tmp_path / "other.gguf", byte_level_entries("llama-bpe")))
    report = plain.compare(other, ["it's  2025", "a b"])
    assert report.shared == report.same_ids == report.tokens[0]
    assert report.stages == (("pattern gpt2",), ("pattern llama3_ascii", "a pre-token that is a token is not merged"))
    assert report.texts[1].first_difference is None
    assert describe_stages(plain) == ("pattern gpt2",)


def test_a_stand_in_for_spaces_is_a_space(tmp_path: Path) -> None:
    scored = {
        "model": "llama",
        "tokens": ["<unk>", "▁", "a", "▁a"],
        "scores": [0.0, -2.0, -3.0, -1.0],
        "token_type": [2, 1, 1, 1],
    }
    by_scores = Tokenizer.from_file(write(tmp_path / "by scores.gguf", scored | {"add_bos_token": False}))
    report = OLD.compare(by_scores)
    assert report.shared == 3  # "a", " " and " a"
