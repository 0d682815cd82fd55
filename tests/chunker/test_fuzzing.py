"""The fuzzer of the chunkers: it finds nothing where nothing is wrong, and what is wrong it finds, shows and makes small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from fuzz_chunkers.__main__ import main
from fuzz_chunkers.cases import Case, random_case
from fuzz_chunkers.laws import broken_law
from fuzz_chunkers.shrinking import shrunk

from chunker.growing.compiled import grower_of
from chunker.growing.pieces import Piece


def test_cases_are_made_of_their_numbers() -> None:
    assert [str(random_case(5, number)) for number in range(8)] == [str(random_case(5, number)) for number in range(8)]
    assert len({str(random_case(5, number)) for number in range(8)}) > 1


def test_a_few_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "1", "--cases", "25"]) == 0
    assert "no law broken" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seed", "number"), [(875675574, 13069)]
)  # a stream whose overlap gets shorter after a horizon
def test_what_was_found_once(seed: int, number: int) -> None:
    assert broken_law(random_case(seed, number)) is None


def test_what_loses_text_is_found_and_made_small(capsys: pytest.CaptureFixture[str]) -> None:
    class Losing:
        def __init__(self, text: str, *others: Any) -> None:
            self._text, self._grower = text, grower_of(text, *others)

        def pieces(self) -> Iterator[Piece]:
            for piece in self._grower.pieces():
                yield piece._replace(start=piece.start + 1) if self._text[piece.start] == "w" else piece

    with patch("chunker.chunkers.grower_of", Losing):
        case = Case("# T\n\nsome words and\n\nwords\n" * 3, "markdown", options={"max_tokens": 8, "min_tokens": 1})
        broken = broken_law(case)
        assert broken is not None
        smaller = shrunk(case, broken.law, 30)
        assert len(smaller.text) < len(case.text)
        assert main(["--seed", "1", "--seconds", "60", "--shrink", "1"]) == 1
    assert broken_law(case) is None
    said = capsys.readouterr().out
    assert "python -m fuzz_chunkers --seed 1 --case" in said
    assert "from chunker import TextChunker" in said
    assert broken.law == "bodies concatenate to the text"
