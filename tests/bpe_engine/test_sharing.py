"""One tokenizer for several threads, processes and buffers."""

from __future__ import annotations

import gc
import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles import tokenizer

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
