"""Errors that carry more than a message."""

from __future__ import annotations

import pickle

import pytest

from chunker.errors import BudgetTooSmallError, ChunkerError, MissingExtraError
from chunker.index import MissingExtraError as OfIndex


@pytest.mark.parametrize("error", [MissingExtraError("numpy", "index"), BudgetTooSmallError("é", 3, 2, 1)], ids=repr)
def test_errors_pickle(error: ChunkerError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_one_class_says_that_a_package_is_missing() -> None:
    assert OfIndex is MissingExtraError
    assert issubclass(MissingExtraError, ImportError)
    assert str(MissingExtraError("numpy", "index")) == 'numpy is not installed: pip install "bpe-chunker[index]"'
