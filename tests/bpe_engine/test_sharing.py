"""One tokenizer for several threads, processes and buffers."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import tokenizer
from real_tokenizers import real_file

import bpe_engine
from bpe_engine import Tokenizer

TEXTS = [f"def function_{n}(argument={n * n}):\n    return 'Straße {n} 東京'\n" * (n % 40 + 1) for n in range(300)]


def count(text: str) -> int:
    return tokenizer("o200k_base").count(text)


def test_threads_share_a_tokenizer() -> None:
    ours = tokenizer("o200k_base")
    expected = [len(ours.encode(text)) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ours.count, TEXTS * 3)) == expected * 3
        assert [len(ids) for ids in pool.map(ours.encode_ordinary, TEXTS)] == expected
    for threads in (1, 2, 7):
        assert ours.count_batch(TEXTS, num_threads=threads) == expected
        assert [len(ids) for ids in ours.encode_ordinary_batch(TEXTS, num_threads=threads)] == expected


def at_once(work: list[Any]) -> None:
    """Call each in a thread of its own, all from the same moment on; raise what one of them raised."""
    start = threading.Barrier(len(work))

    def run(one: Any) -> None:
        start.wait()
        one()

    with ThreadPoolExecutor(len(work)) as pool:
        for done in [pool.submit(run, one) for one in work]:
            done.result()


@pytest.mark.skipif(
    bpe_engine.implementation() == "python", reason="encoders of the Python twin are for one thread at a time"
)
@pytest.mark.parametrize("direction", ["appending", "prepending"])
@pytest.mark.parametrize("name", ["o200k_base", "Mistral"])
def test_threads_share_an_encoder(name: str, direction: str) -> None:
    """Each call is whole: the text is made of all parts, and its count is a fresh one. A thread may also look, and go back."""
    ours = tokenizer(name) if name == "o200k_base" else Tokenizer.from_file(small_model())
    encoder: Any = ours.appending_encoder() if direction == "appending" else ours.prepending_encoder()
    grow = encoder.append if direction == "appending" else encoder.prepend
    parts = ["one two ", "東京 ", "12345", "\n\n  x", "Straße"]

    def add(part: str) -> None:
        for _ in range(200):
            grow(part)

    def look() -> None:
        for _ in range(200):
            assert encoder.fewest >= 0
            assert len(encoder.tokens()) >= 0
            assert isinstance(encoder.text, str)

    at_once([*(lambda part=part: add(part) for part in parts), look, look])
    text = encoder.text
    assert encoder.count == ours.count(text)
    assert len(text) == 200 * sum(map(len, parts))
    assert {part: text.count(part) for part in parts[1:]} == dict.fromkeys(parts[1:], 200)

    mark = encoder.snapshot()

    def leave_and_come_back() -> None:
        for part in parts * 20:
            grow(part)
            encoder.rollback(mark)

    at_once([leave_and_come_back] * 4)
    encoder.rollback(mark)
    assert (encoder.text, encoder.count) == (text, ours.count(text))


def small_model() -> Path:
    return real_file("mistral_common", "mistral_common/data/tokenizer.model.v1")


def test_threads_share_the_slices_of_a_text() -> None:
    ours = tokenizer("cl100k_base")
    text = "".join(TEXTS[:40])
    slices = [(start, start + 90) for start in range(0, len(text) - 90, 37)]
    prices = ours.interval_encoder(text)
    expected = [ours.count(text[start:end]) for start, end in slices]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda one: prices.count(*one), slices * 4)) == expected * 4


LOOK = """
import json, sys
import bpe_engine
ours = bpe_engine.Tokenizer.load("o200k_base")
encoder = ours.appending_encoder()
encoder.append("Hello, world")
assert ours.encode("Hello, world") == encoder.tokens()
print(json.dumps([bpe_engine.implementation(), sys._is_gil_enabled()]))
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="an interpreter with the GIL")
def test_the_package_does_not_switch_the_gil_on() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["cpp", False]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_goes_on_with_what_its_parent_had() -> None:
    expected = [count(text) for text in TEXTS]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(count, TEXTS) == expected


def test_a_buffer_is_no_copy_and_outlives_its_tokenizer() -> None:
    ours = Tokenizer.load("cl100k_base")
    expected = ours.encode("Hello, world! " * 50)
    buffer = ours.encode_to_buffer("Hello, world! " * 50)
    del ours
    gc.collect()
    assert (buffer.format, buffer.itemsize, buffer.readonly) == ("I", 4, True)
    ids = np.frombuffer(buffer, dtype=np.uint32)
    assert ids.tolist() == buffer.tolist() == expected
    assert np.shares_memory(ids, np.frombuffer(buffer, dtype=np.uint32))
    assert tokenizer("cl100k_base").encode_to_buffer("").tolist() == []


def test_tokenizers_over_the_same_tokens_share_them() -> None:
    if bpe_engine.implementation() == "cpp":
        from bpe_engine import compiled  # noqa: PLC0415 - it is there with the compiled core alone

        first, second = (compiled.tokens_of(Tokenizer.load("o200k_base").vocabulary) for _ in range(2))
        assert first is second
    assert Tokenizer.load("o200k_base").vocabulary is Tokenizer.load("o200k_base").vocabulary


def test_loading_makes_no_python_dictionary() -> None:
    if bpe_engine.implementation() == "python":
        pytest.skip("the Python twin works with the dictionary")
    ours = Tokenizer(
        bpe_engine.published.registry.build_vocabulary(
            bpe_engine.published.registry.published_encodings()["o200k_base"]
        )
    )
    assert ours.count("Hello, world") == 3
    assert ours.decode(ours.encode("Straße 東京")) == "Straße 東京"
    assert "ranks" not in vars(ours.vocabulary)
