"""The end of an interpreter: nothing is printed, whatever is still alive; and what this package holds has been freed by then.

In each script every native object that is alive after the end is listed on standard error (`_core.report_leaks`), but
where somebody else keeps it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from bpe_engine import implementation

pytestmark = pytest.mark.skipif(implementation() != "cpp", reason="there are no native objects")

REPORTED = "from bpe_engine import _core\n_core.report_leaks(True)\n"

# Some of everything, in globals.
EVERYTHING = r"""
import functools
import bpe_engine, chunker
from chunker.streams.chunk_stream import chunk_stream
tokenizer = bpe_engine.get_encoding("o200k_base")
other = functools.cache(bpe_engine.Tokenizer.load)("cl100k_base")
bytes_alone = {bytes([byte]): byte for byte in range(256)}
by_regex = bpe_engine.Tokenizer(bpe_engine.Vocabulary("words", bytes_alone, {}, bpe_engine.Pattern(r"\w+|\W")))
assert by_regex.count("ab c") == 4 and by_regex.is_incremental
appending, prepending = tokenizer.appending_encoder(), tokenizer.prepending_encoder()
appending.append("some text")
prepending.prepend("some text")
marks = [appending.snapshot(), prepending.snapshot()]
prices = tokenizer.interval_encoder("some text \u4e2d")
buffer = tokenizer.encode_to_buffer("some text")
chunkers = [chunker.TextChunker(30), chunker.MarkdownChunker(30), chunker.CodeChunker("python", max_tokens=30)]
chunks = [one.chunk("# a\n\ndef f():\n    return 1\n" * 30) for one in chunkers]
stream = chunk_stream(["# a\n\nsome text\n"] * 30, chunkers[1])
next(stream)
try:
    tokenizer.decode([10**9])
except KeyError as error:
    raised = error
"""

FREED = {
    "plain use": EVERYTHING,
    "the tokenizer holds its encoders": EVERYTHING
    + "tokenizer.mine = [appending, prepending, prices, tokenizer.appending_encoder().snapshot()]",
    "a chunker holds itself": EVERYTHING + "chunkers[0].me = chunkers\nchunkers[0].bound = chunkers[0].chunk",
    "an engine holds itself": r"""
tokens = _core.TokenSet.from_tokens([b"a"], [0])
class Own(_core.Engine):
    pass
engine = Own.__new__(Own)
engine.__init__(tokens, None)
engine.me = engine
""",
    "an error on its way": EVERYTHING + "import sys\nsys.last_value = raised\nraise SystemExit(0)",
    "numpy": "import numpy\n" + EVERYTHING + "array = tokenizer.encode_to_numpy('some text')",
    "test tools": "import hypothesis, pytest\n" + EVERYTHING,
    "types in the caches of typing": EVERYTHING
    + "import typing\nkept = typing.Callable[[bpe_engine.Tokenizer], typing.Optional[_core.Mark]], typing.List[bpe_engine.Tokenizer]",
    "context variables": EVERYTHING
    + "import contextvars\nvariable = contextvars.ContextVar('variable', default=tokenizer)\nvariable.set(appending)",
    "a generator that has not ended": EVERYTHING
    + r"""
def counts():
    encoder = tokenizer.appending_encoder()
    while True:
        encoder.append("a")
        yield encoder
generator = counts()
next(generator)
""",
    "threads": EVERYTHING
    + r"""
import threading
from concurrent.futures import ThreadPoolExecutor
local = threading.local()
def work(number):
    local.encoder = tokenizer.appending_encoder()
    return chunkers[number % 3].chunk("some text\n" * 50)
pool = ThreadPoolExecutor(4)
results = list(pool.map(work, range(8)))
counts = tokenizer.count_batch(["some text"] * 50, num_threads=4)
""",
    "work at exit": EVERYTHING + "import atexit\natexit.register(tokenizer.count, 'some text')",
    "a class of ours that somebody keeps": EVERYTHING + "keep(bpe_engine.Tokenizer)",
    "a function of ours that somebody keeps": EVERYTHING + "keep(bpe_engine.get_encoding)\nkeep(chunker.TextChunker.chunk)",
    "modules of ours that somebody keeps": EVERYTHING + "keep(bpe_engine)\nkeep(chunker)",
}  # fmt: skip

KEPT_BY_OTHERS = {
    "a daemon thread": EVERYTHING
    + r"""
import threading
started = threading.Event()
def wait():
    encoder = tokenizer.appending_encoder()
    started.set()
    threading.Event().wait()
threading.Thread(target=wait, daemon=True).start()
started.wait()
""",
    "gc.freeze": EVERYTHING + "import gc\ngc.freeze()",
    "a function of the program that somebody keeps": EVERYTHING + "def callback(): pass\nkeep(callback)",
    "a tokenizer that somebody keeps": EVERYTHING + "keep(tokenizer)",
}

# As an extension module does that never gives a reference back.
KEEP = """
import ctypes
def keep(thing, count=ctypes.pythonapi.Py_IncRef, object=ctypes.py_object):
    count(object(thing))
"""


def errors_of(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", FREED)
def test_what_this_package_holds_is_freed(name: str) -> None:
    pytest.importorskip("numpy")
    assert errors_of(REPORTED + KEEP + FREED[name]) == ""


@pytest.mark.parametrize("name", [*KEPT_BY_OTHERS, "plain use"])
def test_nothing_is_printed_whoever_keeps_what(name: str) -> None:
    assert errors_of(KEEP + (KEPT_BY_OTHERS | FREED)[name]) == ""


def test_a_report_lists_what_is_kept() -> None:
    """Or the tests above would say nothing."""
    report = errors_of(REPORTED + KEEP + KEPT_BY_OTHERS["a tokenizer that somebody keeps"])
    # The stable interface, for CPython 3.12 and later, names types alone.
    assert "nanobind: leaked" in report
    assert '"bpe_engine.' in report


# Before Python 3.14, a daemon thread that takes the GIL back at the end of the interpreter is ended there, in the middle of native code.
WORK_OF_DAEMONS = {
    "counting": "lambda: tokenizer.count(text)",
    "batches": "lambda: tokenizer.count_batch([text] * 4, num_threads=2)",
    "chunking": "lambda: chunker.TextChunker(30).chunk(text)",
    "chunking with names": "lambda: chunker.CodeChunker('python', max_tokens=30, context=True).chunk(code)",
    "training": "lambda: bpe_engine.train([text], vocab_size=270)",
}

DAEMONS = r"""
import threading, bpe_engine, chunker
tokenizer = bpe_engine.get_encoding("o200k_base")
text = "Some words of a text, 1234. " * 20_000
code = "class A:\n    def f(self, x):\n        return x\n" * 10_000
started = threading.Barrier(3)
work = {work}
def run():
    started.wait()
    while True:
        work()
for _ in range(2):
    threading.Thread(target=run, daemon=True).start()
started.wait()
threading.Event().wait({wait})
"""


@pytest.mark.parametrize("wait", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("name", WORK_OF_DAEMONS)
def test_a_daemon_thread_at_work_ends_nothing(name: str, wait: float) -> None:
    assert errors_of(DAEMONS.format(work=WORK_OF_DAEMONS[name], wait=wait)) == ""
