"""The bindings of both compiled modules: whatever Python code hands over, the process lives, and the error says what was wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from bpe_engine import Tokenizer, VocabularyError, implementation

if implementation() != "cpp":
    pytest.skip("there are no bindings", allow_module_level=True)

from bpe_engine import _core
from chunker import _native

PROGRAM = Path(__file__).parent / "support" / "binding_fuzz.py"
SECONDS = 4


@pytest.fixture(scope="module")
def o200k() -> Tokenizer:
    return Tokenizer.load("o200k_base")


SINGLE = [bytes([byte]) for byte in range(256)]


def test_bindings_keep_to_the_stable_interface() -> None:
    """From CPython 3.12 on the wheel is built for it; its headers leave out the macros in capitals, those of 3.11 do not."""
    root = Path(__file__).resolve().parent.parent
    sources = [
        path for core in ("bpe_engine", "chunker") for path in (root / core / "cpp" / "bindings").rglob("*.[ch]pp")
    ]
    assert len(sources) > 20
    macro = re.compile(r"\bPy[A-Z][A-Za-z]*_(?:GET|SET|AS|READ|DATA|KIND)_?[A-Z_]*\(")
    assert [found for path in sources for found in macro.findall(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("seed", range(4))
def test_any_arguments(seed: int, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_bytes(bytes(4096))
    command = [sys.executable, "-P", str(PROGRAM), str(seed), str(SECONDS), str(notes)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS * 30, check=False)
    last = notes.read_bytes().rstrip(b"\0").decode(errors="replace")
    assert done.returncode == 0, f"the last call was {last}\n{done.stderr[-3000:]}"
    # Not one that says std::bad_cast, and some that were well.
    (line,) = done.stdout.splitlines()
    calls, raised = (int(word) for word in line.split() if word.isdigit())
    assert calls > raised > 0


@pytest.mark.parametrize(
    ("tokens", "ids", "error", "message"),
    [
        ([b""], [], ValueError, "tokens and ids are of one length, not 1 and 0"),
        ([], [1], ValueError, "tokens and ids are of one length, not 0 and 1"),
        ([b"a"], [-1], OverflowError, "an id must be from 0 to 4294967294, not -1"),
        ([b"a"], [1 << 32], OverflowError, "an id must be from 0 to 4294967294, not 4294967296"),
        ([b"a"], [1 << 200], OverflowError, "an id must be from 0 to 4294967294"),
        ([b"a"], ["0"], TypeError, "an id must be an int, not str"),
        ([b"a"], [None], TypeError, "an id must be an int, not NoneType"),
        (["a"], [0], TypeError, "a token must be bytes, not str"),
        ([1], [0], TypeError, "a token must be bytes, not int"),
        ([b"a", b"b"], [1, 1], ValueError, "two tokens have the id 1"),
        ([b""], [0], VocabularyError, r"the token b'' \(id 0\) is empty, occurs twice"),
        ([b"a", b"a"], [0, 1], VocabularyError, r"the token b'a' \(id [01]\) is empty, occurs twice"),
    ],
)
def test_token_sets(tokens: list[bytes], ids: list[int], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        _core.TokenSet.from_tokens(tokens, ids)


def test_a_token_set_without_a_token() -> None:
    empty = _core.TokenSet.from_tokens([], [])
    assert (len(empty), empty.largest_id(), empty.sorted_tokens()) == (0, -1, [])
    engine = _core.Engine(empty, None)
    encoder = _core.AppendingEncoder(engine)
    assert (encoder.count, encoder.fewest) == (0, 0)


def test_a_list_of_ids_that_one_of_them_empties() -> None:
    class Emptying:
        def __index__(self) -> int:
            ids.clear()
            return 97

    ids: list[Any] = [Emptying(), 98, 99]
    tokens = _core.TokenSet.from_tokens(SINGLE, list(range(256)))
    assert tokens.joined(ids, {}) == b"a"
    assert tokens.joined([97, 300], {300: b"<s>"}) == b"a<s>"
    with pytest.raises(TypeError, match="a special token must be bytes, not int"):
        tokens.joined([300], {300: 1})  # type: ignore[dict-item]


def test_names_of_grammars() -> None:
    tokens = _core.TokenSet.from_tokens(SINGLE, list(range(256)))
    with pytest.raises(ValueError, match="no grammar of the name 'nonsense'"):
        _core.Engine(tokens, "nonsense")
    with pytest.raises(ValueError, match="no grammar of the name 'nonsense'"):
        _core.PretokenCounter("nonsense", 1)


@pytest.mark.parametrize("kind", [_core.AppendingEncoder, _core.PrependingEncoder])
@pytest.mark.parametrize("tokenizer", [object(), 1, "o200k_base"])
def test_encoders_of_what_is_no_tokenizer(kind: type, tokenizer: object) -> None:
    with pytest.raises(TypeError, match="tokenizer must be a Tokenizer, not"):
        kind(tokenizer)
    with pytest.raises(TypeError, match="tokenizer must be a Tokenizer, not"):
        _core.IntervalEncoder(tokenizer, "a")


def appending(tokenizer: Tokenizer) -> _core.AppendingEncoder:
    return cast("_core.AppendingEncoder", tokenizer.appending_encoder())


def test_limits_beyond_all_counts(o200k: Tokenizer) -> None:
    """Twice such a limit is 0: a step of no characters, for ever."""
    for limit in ((1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        counts, overflowed = appending(o200k).append_fitting("a b c", [0, 5], limit, limit)
        assert (counts, overflowed) == ([3], False)


class Longer(str):
    """Says that it is longer than it is."""

    __slots__ = ()

    def __len__(self) -> int:
        return 1 << 40


def test_a_str_that_is_not_as_long_as_it_says(o200k: Tokenizer) -> None:
    with pytest.raises(IndexError, match="into a text of 3 characters"):
        appending(o200k).append_fitting(Longer("abc"), [0, 1 << 30], 10)


def test_bytes_that_are_no_utf_8() -> None:
    for text in (b"\x80", b"\x80\x80\n\x80", b"\xf0", b"a\xe3", b"\xff\xfe\n" * 9):
        _native.SpanMeter(text).measure(0, len(text) + 5)


def test_numbers_are_no_languages() -> None:
    """Any number passes for an address."""
    for number in (0, 1, 12345, 1 << 200):
        with pytest.raises(TypeError, match="a language must be the capsule that a grammar's package makes, not int"):
            _native.Grammar.reads(number)


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
def test_objects_whose_constructor_never_ran() -> None:
    with pytest.raises(BufferError, match="only encode_to_buffer"):
        memoryview(_core.TokenBuffer.__new__(_core.TokenBuffer))  # type: ignore[arg-type]  # it has the buffer protocol
    with pytest.raises(TypeError):
        _native.Grammar.__new__(_native.Grammar).read("a", 1)
    with pytest.raises(TypeError):
        _core.AppendingEncoder(_core.Engine.__new__(_core.Engine))


def test_lists_that_must_agree() -> None:
    counter = _core.PretokenCounter(None, 1)
    with pytest.raises(ValueError, match="pieces and counts are of one length, not 2 and 1"):
        counter.add_pretokens([b"a", b"b"], [1])
    with pytest.raises(ValueError, match="words and counts are of one length, not 1 and 0"):
        _core.learn_merges([b"\0\0\0\0"], [], 1, 1, 1, False, None)
    with pytest.raises(ValueError, match="a word is an array"):
        _core.learn_merges([b"abc"], [1], 1, 1, 1, False, None)
    with pytest.raises(ValueError, match="`symbols` must be at most"):
        _core.learn_merges([], [], (1 << 32) - 1, 1, 1, False, None)


def test_a_counter_in_use() -> None:
    """Its work is done without the lock of the interpreter, so another thread may come along."""
    program = """
import threading
from bpe_engine import _core
counter = _core.PretokenCounter("o200k", 2)
refused = []
def work(number):
    for _ in range(40):
        for call in (lambda: counter.add([f"{number} some words " * 3000]), lambda: len(counter), lambda: counter.memory,
                     lambda: counter.learn(bytes(range(256)), 20, 1, False, None)):
            try:
                call()
            except RuntimeError as error:
                refused.append(str(error))
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert set(refused) <= {"another thread is using this counter of pre-tokens"}, set(refused)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
