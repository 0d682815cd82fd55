"""A client that threads share is made for its first user, and closed after its last one."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from chunker.integrations.stores.shared_client import SharedClient


def test_one_client_for_all_that_use_it_at_a_time() -> None:
    made: list[object] = []
    closed: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    shared = SharedClient(make, closed.append)
    together = threading.Barrier(4)

    def use() -> None:
        with shared.used() as client:
            together.wait(timeout=60)
            assert client is made[0]
            assert not closed
            together.wait(timeout=60)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    use()
    for thread in threads:
        thread.join()
    assert (len(made), closed) == (1, made)
    with shared.used() as outer, shared.used() as inner:
        assert inner is outer is made[1]
    assert closed == made


def test_a_client_that_cannot_be_made_is_tried_again() -> None:
    answers: Iterator[OSError | str] = iter([OSError("locked"), "client"])

    def make() -> str:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    closed: list[str] = []
    shared = SharedClient(make, closed.append)
    with pytest.raises(OSError, match="locked"), shared.used():
        pass
    with shared.used() as client:
        assert (client, closed) == ("client", [])
    assert closed == ["client"]
