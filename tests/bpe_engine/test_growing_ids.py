"""The law of growing ids: they are the encodings of the plain texts between explicit tokens, with the ids of these in between, whatever was done before."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
import tokenizers
from huggingface_files import both, family
from hypothesis import assume, example, given, note, settings
from hypothesis import strategies as st
from oracles import tokenizer
from strategies import broken_texts, fragments, texts
from thresholds import thresholds_set_to
from tokenizers import AddedToken as TheirToken
from tokenizers import models

from bpe_engine import AppendingEncoder, EncodingError, StaleMarkError, Tokenizer, UnknownTokenError, Vocabulary
from bpe_engine.fallback.appending_encoder import AppendingEncoder as ReferenceEncoder
from bpe_engine.fallback.engine import VocabularyEngine
from bpe_engine.fallback.pipeline_encoders import PipelineAppendingEncoder
from bpe_engine.fallback.specification_engine import SpecificationEngine
from bpe_engine.pipeline.normalizers import Lowercase, UnicodeForm
from bpe_engine.pipeline.specification import AddedToken, Specification
from bpe_engine.special_tokens import Part


class Kind(NamedTuple):
    """A tokenizer, how its encoders are made, and two of its special tokens, of which one at most is in a text."""

    tokenizer: Tokenizer
    encoder: Callable[[], AppendingEncoder]
    special: str
    separator: str


NAMED = ("o200k_base", "cl100k_base", "whole")
# With NFC and a token that is always found; that are found in words; one that takes white space along; with what is put
# before a text.
PIPELINES = (
    "llama3",
    "qwen2",
    "deepseek-v3",
    "roberta",
    "lower case",
    "llama2",
    "llama2, later",
    "sentencepiece, unknown",
)


@cache
def kind_of(name: str) -> Kind:
    name, in_python = name.removesuffix(" in Python"), name.endswith(" in Python")
    if name == "whole":
        vocabulary = tokenizer("cl100k_base").vocabulary
        made = Tokenizer(Vocabulary.from_ranks(vocabulary.ranks, name=name, special_tokens=vocabulary.special_tokens))
    elif name in NAMED:
        made = tokenizer(name)
    else:
        made = both(family(name))[1]
    special, separator = ("<|endoftext|>", "<|endofprompt|>") if name in NAMED else ("<s>", "<unk>")
    if not in_python:
        return Kind(made, made.appending_encoder, special, separator)
    if made.specification is not None:
        pipeline = SpecificationEngine(made.specification)
        return Kind(made, lambda: PipelineAppendingEncoder(pipeline), special, separator)
    engine = VocabularyEngine(made.vocabulary)
    return Kind(made, lambda: ReferenceEncoder(engine), special, separator)


KINDS = [*NAMED, *PIPELINES, *(f"{name} in Python" for name in ("o200k_base", "whole", *PIPELINES))]

# A text is its characters, with explicit tokens among them: (id, how it is written).
Items = tuple[Any, ...]


def plain_texts(items: Items) -> list[tuple[str, int | None]]:
    """The texts between explicit tokens, each with the id after it."""
    found: list[tuple[str, int | None]] = []
    text = ""
    for item in items:
        if isinstance(item, str):
            text += item
        else:
            found.append((text, item[0]))
            text = ""
    return [*found, (text, None)]


def ids_of(kind: Kind, items: Items) -> list[int]:
    """Afresh."""
    ids: list[int] = []
    for number, (text, token) in enumerate(plain_texts(items)):
        if number == 0:
            ids += kind.tokenizer.encode(text)
        else:
            separator = kind.special if kind.separator in text else kind.separator
            assume(separator not in text)
            ids += kind.tokenizer.encode(separator + text, allowed_special={separator})[1:]
        if token is not None:
            ids.append(token)
    return ids


def parted(kind: Kind, text: str) -> Items:
    """A text with its special tokens."""
    items: list[Any] = []
    token = kind.tokenizer.encode(kind.special, allowed_special="all")[0]
    for part in re.split(f"({re.escape(kind.special)})", text):
        items += [(token, part)] if part == kind.special else part
    return tuple(items)


def written(items: Items) -> bytes:
    parts: list[bytes] = []
    plain = ""
    for item in items:
        if isinstance(item, str):
            plain += item
            continue
        parts.append(plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())
        plain = ""
        parts.append(item[1] if isinstance(item[1], bytes) else item[1].encode())
    parts.append(plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())
    return b"".join(parts)


LONG = ["a" * 300, " " * 280, "\n" * 90, "the end of it " * 30, "\u0301" * 70]
PIECES = [
    "<s",
    ">",
    "<s>",
    "<|endoftext|>",
    "<|endof",
    " <mask> ",
    "<mask>",
    "<think>",
    "</think>",
    "e",
    "\u0301",
    "▁",
    "'s",
    " ",
    *LONG,
]
pieces = st.one_of(st.sampled_from(PIECES), fragments, texts(4), broken_texts(2))
grow = st.tuples(st.just("append"), pieces)
with_specials = st.tuples(st.just("append_with_specials"), st.lists(pieces, max_size=4).map("".join))
other_text = st.tuples(
    st.just("move"), st.tuples(st.integers(0, 1 << 16), st.booleans(), st.lists(pieces, max_size=3).map("".join))
)
other_tail = st.tuples(st.just("tail"), st.tuples(st.integers(0, 1 << 16), st.lists(pieces, max_size=3).map("".join)))
number = st.integers(0, 1 << 16)
steps = [
    st.tuples(st.just(name), number) for name in ("token", "snapshot", "rollback", "ids", "changes", "fork", "branch")
]
programs = st.lists(st.one_of(grow, grow, with_specials, other_text, other_tail, *steps), max_size=16)


class Client:
    """One who only gets the changes."""

    def __init__(self) -> None:
        self.ids: list[int] = []

    def ask(self, encoder: AppendingEncoder) -> None:
        position, new = encoder.changes()
        assert (new.format, new.itemsize) == ("I", 4)
        assert position <= len(self.ids)
        self.ids[position:] = new.tolist()


class Program:
    """A program runs on an encoder and, beside it, on a plain list of characters and tokens."""

    def __init__(self, kind: Kind) -> None:
        self.kind, self.encoder, self.client = kind, kind.encoder(), Client()
        self.items: Items = ()
        self.marks: list[tuple[Any, Items]] = []
        self.others: list[tuple[AppendingEncoder, Items, Client, list[tuple[Any, Items]]]] = []

    def append(self, text: str) -> None:
        self.encoder.append(text)
        self.items = (*self.items, *text)

    def append_with_specials(self, text: str) -> None:
        self.encoder.append(text, allowed_special={self.kind.special})
        self.items = (*self.items, *parted(self.kind, text))

    def token(self, number: int) -> None:
        special = [self.kind.tokenizer.encode_single_token(text) for text in self.kind.tokenizer.special_tokens_set]
        token = special[number % len(special)] if number % 3 == 0 else number % 150 + 3
        self.encoder.append_token(token)
        self.items = (*self.items, (token, self.kind.tokenizer.decode_single_token_bytes(token)))

    def snapshot(self, _number: int) -> None:
        self.marks.append((self.encoder.snapshot(), self.items))

    def rollback(self, number: int) -> None:
        if self.marks:
            place = number % len(self.marks)
            stale = self.marks[place + 1 :]
            del self.marks[place + 1 :]
            mark, self.items = self.marks[place]
            self.encoder.rollback(mark)
            refused(self.encoder, stale)

    def ids(self, _number: int) -> None:
        assert self.encoder.ids().tolist() == ids_of(self.kind, self.items)

    def changes(self, _number: int) -> None:
        self.client.ask(self.encoder)
        assert self.client.ids == ids_of(self.kind, self.items)

    def fork(self, _number: int) -> None:
        self.others.append((self.encoder, self.items, self.client, self.marks))
        told, self.client = self.client.ids, Client()
        self.client.ids = list(told)
        self.encoder, self.marks = self.encoder.fork(), []

    def branch(self, number: int) -> None:
        """Go on with another of those that were forked."""
        if self.others:
            place = number % len(self.others)
            current = (self.encoder, self.items, self.client, self.marks)
            self.encoder, self.items, self.client, self.marks = self.others[place]
            self.others[place] = current

    def move(self, argument: tuple[int, bool, str]) -> None:
        place, with_special, text = argument
        common = self.items[: place % (len(self.items) + 1)]
        if with_special:
            text = written(common).decode("utf-8", "replace") + text
            self.encoder.move_to(text, allowed_special={self.kind.special})
            self.items = parted(self.kind, text)
        else:
            text = "".join(item for item in common if isinstance(item, str)) + text
            self.encoder.move_to(text)
            self.items = tuple(text)
        self._stale_marks(len(self.items))

    def tail(self, argument: tuple[int, str]) -> None:
        place, text = argument
        common = self.items[: place % (len(self.items) + 1)]
        if any(map(is_surrogate, self.items)):
            return
        characters = "".join(item for item in self.items if isinstance(item, str))
        if len(characters) == len(self.items):
            another = "\u2603" if characters[-1:] != "\u2603" else "x"
            assert self.encoder.common_prefix(characters[:-1] + another) == (
                len(characters[:-1].encode()),
                len(characters[:-1]),
            )
            assert self.encoder.common_prefix(characters + text) == (len(characters.encode()), len(characters))
            middle, same = place % max(1, len(characters)), characters[:-1]
            found = self.encoder.common_prefix_of(iter((characters[:middle], "", characters[middle:-1], another, "b")))
            assert found == (len(same.encode()), len(same), another + "b")
            assert self.encoder.common_prefix_of([characters]) == (len(characters.encode()), len(characters), "")
            assert self.encoder.text_before(len(same.encode()), min(place, len(same.encode()))) == same[max(0, len(same) - place) :]  # fmt: skip
        new = parted(self.kind, text)
        parts = []
        plain = ""
        for item in new:
            if isinstance(item, str):
                plain += item
            else:
                parts.append(Part(plain, item[0], item[1].encode()))
                plain = ""
        self.encoder.replace_tail(len(written(common)), [*parts, Part(plain, None, b"")])
        self.items = (*common, *new)
        # What comes after it is new, also where it reads as before.
        self._stale_marks(len(common))

    def _stale_marks(self, kept: int) -> None:
        good = 0
        while good < len(self.marks) and same(self.marks[good][1], self.items[:kept][: len(self.marks[good][1])]):
            good += 1
        if not any(map(is_surrogate, self.items)):
            refused(self.encoder, [mark for mark in self.marks[good:] if not any(map(is_surrogate, mark[1]))])
        del self.marks[good:]
        # Of half characters: not all encoders keep them.
        while self.marks and self.marks[-1][1] and is_surrogate(self.marks[-1][1][-1]):
            self.marks.pop()


def run(kind: Kind, steps: list[tuple[str, Any]]) -> None:
    program = Program(kind)
    for operation, argument in steps:
        getattr(program, operation)(argument)
        assert program.encoder.count == len(ids_of(kind, program.items))
        assert program.encoder.fewest <= program.encoder.count
    for encoder, items, client, _marks in [
        *program.others,
        (program.encoder, program.items, program.client, program.marks),
    ]:
        client.ask(encoder)
        assert client.ids == encoder.ids().tolist() == encoder.tokens() == ids_of(kind, items)
        assert encoder.count == len(client.ids)
        assert encoder.data == written(items)


def is_surrogate(item: Any) -> bool:
    return isinstance(item, str) and "\ud800" <= item <= "\udfff"


def same(one: Items, other: Items) -> bool:
    return [item[0] if isinstance(item, tuple) else item for item in one] == [
        item[0] if isinstance(item, tuple) else item for item in other
    ]


def refused(encoder: AppendingEncoder, marks: list[tuple[Any, Items]]) -> None:
    for mark, _ in marks:
        with pytest.raises(StaleMarkError):
            encoder.rollback(mark)


@pytest.fixture
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    with thresholds_set_to(request.param):
        yield


@pytest.mark.parametrize(
    ("names", "thresholds"),
    [(list(KINDS), "ordinary"), ([name for name in KINDS if "in Python" in name], "small")],
    ids=["ordinary", "small"],
    indirect=["thresholds"],
)
@pytest.mark.usefixtures("thresholds")
@settings(max_examples=60)
@given(program=programs)
@example(program=[("append", "<s"), ("snapshot", 0), ("tail", (0, "<s")), ("rollback", 0)])
@example(program=[("token", 124), ("token", 391), ("tail", (2, ""))])  # two halves of a character
def test_any_program(names: list[str], program: list[tuple[str, Any]]) -> None:
    for name in names:
        note(name)
        run(kind_of(name), program)


@pytest.mark.parametrize("name", KINDS)
def test_tails_of_no_such_length(name: str) -> None:
    kind = kind_of(name)
    encoder = kind.encoder()
    encoder.append("aé")
    encoder.append_token(kind.tokenizer.encode_single_token(kind.special))
    before = encoder.data, encoder.tokens()
    for length in (-1, 2, 4, len(before[0]) + 1):
        with pytest.raises(IndexError, match="length"):
            encoder.replace_tail(length, [Part("b", None, b"")])
    assert (encoder.data, encoder.tokens()) == before
    with pytest.raises(TypeError):
        encoder.common_prefix(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        encoder.common_prefix_of(["a", b"b"])  # type: ignore[list-item]
    for argument in (-1, len(before[0]) + 1):
        with pytest.raises(OverflowError):
            encoder.text_before(argument, 0)
        with pytest.raises(OverflowError):
            encoder.text_before(0, argument)


@pytest.mark.parametrize("name", KINDS)
def test_ids_may_be_numbers_of_numpy(name: str) -> None:
    numpy = pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')
    kind = kind_of(name)
    special = kind.tokenizer.encode_single_token(kind.special)
    own, other = kind.encoder(), kind.encoder()
    own.append_token(special)
    other.append_token(numpy.int64(special))
    assert other.tokens() == own.tokens()
    for wrong in (numpy.float64(special), str(special)):
        with pytest.raises(TypeError, match="id must be an int, not"):
            other.append_token(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KINDS)
def test_parts_that_raise_and_parts_with_surrogates(name: str) -> None:
    encoder = kind_of(name).encoder()
    encoder.append("one two")
    assert encoder.common_prefix_of(["\ud83d", "\ude00"]) == (0, 0, "\ud83d\ude00")
    assert encoder.common_prefix_of([]) == (0, 0, "")

    def parts() -> Iterator[str]:
        yield "one"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        encoder.common_prefix_of(parts())
    assert encoder.text == "one two"


@pytest.mark.parametrize("name", KINDS)
def test_unknown_tokens_are_refused(name: str) -> None:
    encoder = kind_of(name).encoder()
    encoder.append("a b")
    before = (encoder.count, encoder.data)
    for token in (1 << 40, -1):
        with pytest.raises(UnknownTokenError, match=str(token)):
            encoder.append_token(token)
    with pytest.raises(TypeError, match="special tokens must be"):
        encoder.append("x", allowed_special="<s>")
    with pytest.raises(TypeError):
        encoder.append(1, allowed_special="all")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        encoder.move_to(None)  # type: ignore[arg-type]
    assert (encoder.count, encoder.data) == before


@pytest.mark.parametrize("name", [name for name in KINDS if "whole" not in name])
def test_a_text_with_special_tokens_as_encode_has_it(name: str) -> None:
    """With the white space that tokens take along."""
    kind = kind_of(name)
    text = f"a  <mask>  b{kind.special} c <think>d</think>{kind.special}{kind.special}"
    for allowed in ("all", {kind.special}, set()):
        encoder = kind.encoder()
        encoder.append(text, allowed_special=allowed)
        assert encoder.tokens() == kind.tokenizer.encode(text, allowed_special=allowed)
        assert encoder.text == text
        moved = kind.encoder()
        moved.append(text + "x")
        moved.move_to(text, allowed_special=allowed)
        assert moved.tokens() == encoder.tokens()


FLAGS = Specification(
    name=None,
    source="x",
    tokens={0: "a", 1: "b", 2: " ", 3: "ab", 4: "<unk>"},
    alphabet="characters",
    merges=[(0, 1)],
    unknown=4,
    added_tokens=(
        AddedToken("<l>", 5, special=True, lstrip=True),
        AddedToken("<r>", 6, special=True, rstrip=True),
        AddedToken("<n>", 7, special=True, normalized=True),
        AddedToken("<w>", 8, special=True, single_word=True),
        AddedToken("<é>", 9, special=True, normalized=True),
        AddedToken("<all>", 10, special=False),
    ),
    normalizers=(UnicodeForm("NFD"), Lowercase()),
)


@cache
def with_flags() -> tuple[Tokenizer, SpecificationEngine]:
    """The tokenizer, and the engine in Python: a second of work."""
    ours = Tokenizer.from_specification(FLAGS)
    assert ours.specification is not None
    return ours, SpecificationEngine(ours.specification)


@settings(max_examples=200)
@given(
    text=st.lists(
        st.sampled_from(["<l>", "<r>", "<n>", "<N>", "<w>", "<é>", "<e\u0301>", "<all>", "a", "b", " ", "é", "😀"])
    ).map("".join),
    in_bytes=st.booleans(),
)
def test_special_tokens_with_flags(text: str, in_bytes: bool) -> None:
    ours, plain = with_flags()
    for encoder in (ours.appending_encoder(), plain.appending_encoder()):
        encoder.append(text.encode() if in_bytes else text, allowed_special="all")
        assert encoder.tokens() == ours.encode(text, allowed_special="all")
        assert encoder.text == text


@pytest.mark.parametrize("name", KINDS)
def test_encoders_with_tokens_pickle(name: str) -> None:
    kind = kind_of(name)
    encoder = kind.encoder()
    encoder.append("a b" + kind.special + "c", allowed_special="all")
    encoder.append("\ud83d")
    reduced: Any = encoder.__reduce__()  # tokenizers take seconds to rebuild
    rebuild, arguments = reduced
    again = rebuild(*pickle.loads(pickle.dumps(arguments)) if name == "o200k_base" else arguments)
    for one in (encoder, again):
        one.append("\ude00")
        assert one.text == "a b" + kind.special + "c😀"
    assert again.tokens() == encoder.tokens()
    assert again.count == encoder.count


def test_what_cannot_be_encoded_leaves_all_as_it_was() -> None:
    tokens = {0: "a", 1: "b", 2: "ab"}
    ours = Tokenizer.from_specification(
        Specification(name=None, source="x", tokens=tokens, alphabet="characters", ranks={2: 7},
                      added_tokens=(AddedToken("<s>", 3, special=True),))
    )  # fmt: skip
    assert ours.specification is not None
    for encoder in (ours.appending_encoder(), SpecificationEngine(ours.specification).appending_encoder()):
        encoder.append("aba<s>b", allowed_special="all")
        first = encoder.snapshot()
        encoder.append("ab")
        second = encoder.snapshot()
        encoder.append("a")
        before = (encoder.tokens(), encoder.data, encoder.count)
        assert before == ([2, 0, 3, 1, 2, 0], b"aba<s>baba", 6)
        with pytest.raises(EncodingError):
            encoder.append("b<s>bc", allowed_special="all")
        assert (encoder.tokens(), encoder.data, encoder.count) == before
        with pytest.raises(EncodingError):
            encoder.move_to("aba<s>bbbbbbbbbc", allowed_special="all")
        assert (encoder.tokens(), encoder.data, encoder.count) == before
        encoder.rollback(second)
        assert encoder.tokens() == [2, 0, 3, 1, 2]
        encoder.rollback(first)
        assert encoder.tokens() == [2, 0, 3, 1]


def test_only_what_changed_is_told() -> None:
    encoder = Tokenizer.load("o200k_base").appending_encoder()
    encoder.append("The first sentence of many. " * 1000)
    position, new = encoder.changes()
    assert (position, len(new)) == (0, encoder.count)
    encoder.append("And one")
    mark = encoder.snapshot()
    encoder.append(" more.")
    before = encoder.count
    position, new = encoder.changes()
    assert position >= before - 6
    assert position + len(new) == before
    encoder.rollback(mark)
    position, new = encoder.changes()
    assert (position, len(new)) == (encoder.count, 0)
    assert encoder.changes()[1].tolist() == []


def test_a_move_keeps_the_marks_of_the_common_prefix() -> None:
    for name in ("o200k_base", "llama3", "o200k_base in Python", "llama3 in Python"):
        encoder = kind_of(name).encoder()
        encoder.append("one two")
        mark = encoder.snapshot()
        encoder.append(" three")
        stale = encoder.snapshot()
        encoder.move_to("one two threw")
        refused(encoder, [(stale, ())])
        encoder.rollback(mark)
        assert encoder.text == "one two"


def test_a_move_within_a_long_text() -> None:
    """Longer than what states are noted for, with marks of all kinds and long pre-tokens."""
    for name in ("o200k_base", "whole", "llama3", "llama2"):
        kind = kind_of(name)
        encoder = kind.encoder()
        words = "".join(f"word {number} é\n" for number in range(700)) + "x" * 3000
        text = words + kind.special + words
        encoder.append(text, allowed_special="all")
        for place in (len(text) - 3, 9000, 4100, len(words) + 1, len(words) - 2500, 5, 0):
            changed = text[:place] + "?!" + text[place + 2 :]
            encoder.move_to(changed, allowed_special="all")
            assert encoder.tokens() == kind.tokenizer.encode(changed, allowed_special="all")
            encoder.move_to(text, allowed_special="all")
            assert encoder.tokens() == kind.tokenizer.encode(text, allowed_special="all")


@pytest.mark.parametrize("space", ["\n\n\n", " \n\n\n", "\n\n\n ", "\n\n\n\n"])
def test_a_token_in_the_white_space_that_another_takes_along(space: str) -> None:
    """`tokenizers` has both."""
    theirs = tokenizers.Tokenizer(models.WordLevel({"a": 0, "u": 1}, unk_token="u"))
    theirs.add_special_tokens([TheirToken("<|end|>", rstrip=True, normalized=False)])
    theirs.add_tokens([TheirToken("\n\n\n", normalized=False)])
    ours = both.__wrapped__(theirs.to_str())[1]
    text = f"a<|end|>{space}a"
    expected = theirs.encode(text).ids
    assert ours.encode(text, allowed_special="all") == expected
    encoder = ours.appending_encoder()
    encoder.append(text, allowed_special={"<|end|>"})
    assert encoder.tokens() == encoder.ids().tolist() == expected
    assert encoder.text == text
    encoder.move_to("a<|end|>b", allowed_special={"<|end|>"})
    encoder.move_to(text, allowed_special={"<|end|>"})
    assert (encoder.tokens(), encoder.count, encoder.text) == (expected, len(expected), text)
    encoder.append_token(expected[-1])
    assert encoder.fork().tokens() == [*expected, expected[-1]]
