"""Long text between added tokens of all kinds, which grows, is cut inside of characters and goes back to marks: its count and
its ids are those of `tokenizers`.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from huggingface_files import both, crowded
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from bpe_engine import AppendingEncoder, implementation
from bpe_engine.errors import BpeEngineError

SEEDS = 120 if implementation() == "cpp" else 3
UNITS = [
    *[
        "a",
        "b",
        "e",
        "th",
        "the",
        "ab",
        "<",
        "x",
        "0",
        "'s",
        " ",
        "  ",
        "\n",
        "▁",
        "中",
        "の",
        "é",
        "e\u0301",
        "\u0301",
    ],
    *["😀", "\x00", "\u00ad", "\u200b", "\u3000", "\u1ab0", "\u1100", "\ufeff", "İ", "ß"],
]


def long_text(random: Random) -> str:
    units = random.choices(UNITS, k=random.choice((1, 2, 2, 3, 5)))
    widths = random.choice(((1,), (1, 2, 3), (1, 60), (150,)))
    run = "".join(random.choice(units) * random.choice(widths) for _ in range(random.choice((30, 200, 400))))[:1200]
    return random.choice(("", "a ", "\n\n", "The end. ")) + run + random.choice(("", "", " b", "\n", "the", "ab"))


def ids_of(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


class Client:
    """One who asks for changes alone."""

    def __init__(self) -> None:
        self.ids: list[int] = []

    def ask(self, encoder: AppendingEncoder) -> None:
        position, new = encoder.changes()
        self.ids[position:] = new.tolist()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_programs(seed: int) -> None:
    random = Random(seed)
    theirs, ours = both(crowded(random))
    encoder, text, client = ours.appending_encoder(), "", Client()
    marks = [(encoder.snapshot(), text)]

    def check() -> None:
        client.ask(encoder)
        wanted = ids_of(theirs, text)
        assert (text, encoder.count, client.ids) == (text, len(wanted), wanted)

    for _ in range(2):
        more, size = long_text(random), random.choice((1, 7, 40, 300))
        for place in range(0, len(more), size):
            part = more[place : place + size].encode()
            middle = random.randint(0, len(part)) if random.random() < 0.2 else 0
            for half in (part[:middle], part[middle:]):
                try:
                    encoder.append(half)
                except BpeEngineError:  # a character without a token, and no unknown token
                    with pytest.raises(BpeEngineError):
                        ours.encode(encoder.data + half)
                    return
                if random.random() < 0.1:
                    client.ask(encoder)
            text += part.decode()
            if random.random() < 0.05:
                check()
            if random.random() < 0.05:
                marks.append((encoder.snapshot(), text))
            if random.random() < 0.03:
                del marks[random.randrange(len(marks)) + 1 :]
                mark, text = marks[-1]
                encoder.rollback(mark)
                check()
        check()
    end, prepending = text[-500:], ours.prepending_encoder()
    for place in range(len(end), 0, -40):
        prepending.prepend(end[max(0, place - 40) : place])
    assert (end, prepending.count) == (end, len(ids_of(theirs, end)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_programs_to_the_left(seed: int) -> None:
    """A long text, and before it one by one what may complete a token, or ends a region."""
    random = Random(seed)
    theirs, ours = both(crowded(random))
    for _ in range(6):
        encoder, text = ours.prepending_encoder(), ""
        marks = [(encoder.snapshot(), text)]
        long = long_text(random)
        for part in [
            *[long[place : place + 400] for place in range(0, len(long), 400)][::-1],
            *random.choices(UNITS, k=12),
        ]:
            try:
                encoder.prepend(part)
            except BpeEngineError:  # a character without a token, and no unknown token
                with pytest.raises(BpeEngineError):
                    ours.encode(part + text)
                return
            text = part + text
            wanted = ids_of(theirs, text)
            assert (text, encoder.count) == (text, len(wanted))
            if random.random() < 0.2:
                marks.append((encoder.snapshot(), text))
            if random.random() < 0.1:
                del marks[random.randrange(len(marks)) + 1 :]
                mark, text = marks[-1]
                encoder.rollback(mark)
        assert encoder.tokens() == ids_of(theirs, text)


def _tokenizer(normalizer: Any, cutter: Any, tokens: list[AddedToken]) -> tuple[Tokenizer, Any]:
    vocabulary = {token: number for number, token in enumerate(["▁", "a", "<unk>", "t", "h", "e", " "])}
    made = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", fuse_unk=True))
    made.normalizer, made.decoder = normalizer, decoders.Metaspace()
    if cutter is not None:
        made.pre_tokenizer = cutter
    made.add_tokens(tokens)
    return both(made.to_str())


def _raw_beside_normalized(scheme: Any) -> tuple[Tokenizer, Any]:
    """The token "the" is looked for in raw text, "ab" in normalized text."""
    cutter = None if scheme is None else pre_tokenizers.Metaspace("▁", scheme, False)
    tokens = [AddedToken("the", normalized=False), AddedToken("ab", normalized=True)]
    return _tokenizer(normalizers.Lowercase(), cutter, tokens)


@pytest.mark.parametrize("parts", [["中" * 200, "th", "e a"], ["中" * 200, "t", "h", "e"], ["a中" * 300, "th", "e"]])
@pytest.mark.parametrize("scheme", [None, "first", "always"])
def test_a_raw_token_that_is_completed_after_a_long_region(parts: list[str], scheme: Any) -> None:
    """The region ends where the token begins, once all of the token is there."""
    theirs, ours = _raw_beside_normalized(scheme)
    encoder, text, client = ours.appending_encoder(), "", Client()
    for part in parts:
        encoder.append(part)
        text += part
        client.ask(encoder)
        wanted = ids_of(theirs, text)
        assert (encoder.count, client.ids) == (len(wanted), wanted)


@pytest.mark.parametrize("parts", [["中" * 200, "e", "th"], ["中" * 200, "e", "h", "t"], ["a中" * 300, "he", "t"]])
@pytest.mark.parametrize("scheme", [None, "first", "always"])
def test_a_raw_token_that_is_completed_before_a_long_region(parts: list[str], scheme: Any) -> None:
    """The region begins after the token, once all of the token is there."""
    theirs, ours = _raw_beside_normalized(scheme)
    encoder, text = ours.prepending_encoder(), ""
    for part in parts:
        encoder.prepend(part)
        text = part + text
        assert (text, encoder.count) == (text, len(ids_of(theirs, text)))


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("others", [[" ", "x"], ["x", " "], ["é", "\u00a0"], ["a", "ab", " "]])
def test_a_whole_word_before_which_another_text_is_put(others: list[str], normalized: bool) -> None:
    """A token that is a word alone depends on what is before it, which is another text after a return."""
    tokens = [AddedToken("the", single_word=True, normalized=normalized), AddedToken("ab", normalized=not normalized)]
    theirs, ours = _tokenizer(normalizers.Lowercase(), None, tokens)
    encoder = ours.prepending_encoder()
    for part in ("e ", "h", "t"):
        encoder.prepend(part)
    mark = encoder.snapshot()
    for other in others:
        data = other.encode()
        for byte in reversed(range(len(data))):
            encoder.prepend(data[byte : byte + 1])
            text = (data[byte:] + b"the ").decode("utf-8", "replace")
            if byte == 0:
                assert (text, encoder.count) == (text, len(ids_of(theirs, text)))
        encoder.rollback(mark)
        assert encoder.count == len(ids_of(theirs, "the "))


def test_marks_that_are_stripped_at_the_start_of_a_long_text() -> None:
    """The text after the stripped marks gets no "▁": it does not begin at offset 0."""
    cutter = pre_tokenizers.Metaspace("▁", "first", False)
    tokens = [AddedToken("the", normalized=True)]
    theirs, ours = _tokenizer(normalizers.StripAccents(), cutter, tokens)
    encoder, text = ours.prepending_encoder(), ""
    for part in ("か" * 200, "\u0f71\u0f72中"):
        encoder.prepend(part)
        text = part + text
        assert (text, encoder.count) == (text, len(ids_of(theirs, text)))


@pytest.mark.parametrize("scheme", ["first", "always"])
@pytest.mark.parametrize(
    ("steps", "token"),
    [
        ([normalizers.Prepend("q"), normalizers.Replace("b", "")], "b"),
        ([normalizers.Prepend("q"), normalizers.Replace("a", "")], "a"),
        ([normalizers.Prepend("q"), normalizers.Replace("qa", "a"), normalizers.Replace("b", "")], "b"),
        ([normalizers.Replace("x", "qc"), normalizers.Replace("b", "q")], "b"),
    ],
)
@pytest.mark.parametrize("text", ["a", "aa", "中" * 300, "a" * 700, "x" + "中" * 400, "c" * 700])
def test_a_token_in_what_comes_from_the_first_character(text: str, steps: list[Any], token: str, scheme: Any) -> None:
    """The text after the token gets a "▁", because it begins at offset 0, as the token does."""
    cutter = pre_tokenizers.Metaspace("▁", scheme, False)
    theirs, ours = _tokenizer(normalizers.Sequence(steps), cutter, [AddedToken(token, normalized=True)])
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    for place in range(0, len(text), 50):
        appending.append(text[place : place + 50])
    for place in range(len(text), 0, -50):
        prepending.prepend(text[max(0, place - 50) : place])
    wanted = ids_of(theirs, text)
    assert (appending.tokens(), prepending.tokens()) == (wanted, wanted)
    assert (appending.count, prepending.count) == (len(wanted), len(wanted))


def test_slices_of_bytes_that_begin_in_a_character_before_a_whole_word() -> None:
    """Rest of a character is no letter."""
    theirs, ours = _tokenizer(normalizers.Lowercase(), None, [AddedToken("the", normalized=False, single_word=True)])
    data = ("文the a the文 " * 30).encode()
    prices = ours.interval_encoder(data)
    for start in range(40):
        for end in (start + 9, start + 60, len(data)):
            assert (start, end, prices.count(start, end)) == (start, end, ours.count(data[start:end]))
    assert ours.encode("文the the") == ids_of(theirs, "文the the")


@pytest.mark.parametrize("marks", [1, 3, 4, 40])
def test_slices_that_begin_with_what_is_stripped(marks: int) -> None:
    """The "▁" that begins a text stands before the first character that is not stripped."""
    cutter = pre_tokenizers.Metaspace("▁", "always", True)
    steps = normalizers.Sequence([normalizers.Replace(" ", "▁"), normalizers.StripAccents(), normalizers.Prepend("▁")])
    theirs, ours = _tokenizer(steps, cutter, [])
    ours.count("a " * 600_000)  # so much that safe splits are looked for
    text = "a" + "\u0345" * marks + " e a" + "\u0345" * marks + "e" * 30
    prices = ours.interval_encoder(text)
    for end in (len(text), marks + 4):
        for start in range(marks + 2):
            wanted = ids_of(theirs, text[start:end])
            assert (start, end, prices.count(start, end)) == (start, end, len(wanted))


@pytest.mark.parametrize("start", ["", "\n", " \n "])
def test_what_is_left_of_a_text_that_is_stripped_at_its_start(start: str) -> None:
    """Nothing is put before text that is not the first of its text, which the normalizer removes."""
    cutter = pre_tokenizers.Metaspace("▁", "first", False)
    theirs, ours = _tokenizer(normalizers.Strip(True, False), cutter, [AddedToken("zz", normalized=True)])
    text, appending, prepending = start + "中" * 300, ours.appending_encoder(), ours.prepending_encoder()
    for place in range(0, len(text), 50):
        appending.append(text[place : place + 50])
    for place in range(len(text), 0, -50):
        prepending.prepend(text[max(0, place - 50) : place])
    wanted = ids_of(theirs, text)
    assert (appending.tokens(), appending.count, prepending.count) == (wanted, len(wanted), len(wanted))


def test_ids_where_a_whole_word_may_begin() -> None:
    """Nothing is kept of what is normalized after the place where a token may begin."""
    steps = normalizers.Sequence([normalizers.NFC(), normalizers.StripAccents()])
    cutter = pre_tokenizers.Metaspace("▁", "always", True)
    theirs, ours = _tokenizer(steps, cutter, [AddedToken("the", normalized=False, single_word=True)])
    encoder, text, client = ours.appending_encoder(), "", Client()
    for part in ("\u0f71\u0f72" * 85, "the", "e", " the", "\u0f71" * 300, "the"):
        encoder.append(part)
        text += part
        client.ask(encoder)
        wanted = ids_of(theirs, text)
        assert (text, encoder.count, client.ids, encoder.tokens()) == (text, len(wanted), wanted, wanted)


@pytest.mark.parametrize("byte", [b"\xc3", b"\xe4\xb8"])
def test_ids_after_a_return_out_of_a_character(byte: bytes) -> None:
    """White space that is stripped at the end is there again while a character is cut, and only then."""
    file = json.loads(_tokenizer(normalizers.Strip(False, True), None, [])[0].to_str())
    theirs, ours = both(json.dumps(file))
    text, encoder = "a" + " " * 600, ours.appending_encoder()
    encoder.append(text)
    mark = encoder.snapshot()
    encoder.append(byte)
    encoder.rollback(mark)
    assert (encoder.count, encoder.tokens()) == (1, ids_of(theirs, text))
