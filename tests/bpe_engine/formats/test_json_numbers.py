"""Scores in a tokenizer.json are rounded as `tokenizers` rounds them, by both readers."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Theirs

from bpe_engine import Tokenizer
from bpe_engine.formats.json_numbers import rounded
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

FLOATS = st.floats(-1e300, 0, allow_nan=False) | st.floats(-20, 0)
WRITTEN = FLOATS.map(repr) | st.from_regex(
    r"-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", fullmatch=True
)


def file_of(scores: dict[str, str]) -> str:
    entries = ",".join(f"[{json.dumps(token)},{score}]" for token, score in scores.items())
    model = f'{{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],{entries}],"byte_fallback":false}}'
    return f'{{"version":"1.0","added_tokens":[],"normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":null,"model":{model}}}'


@settings(max_examples=500, deadline=None)
@given(written=WRITTEN)
@example(written="-10.454418960663874")
@example(written="18446744073709551619.0")
@example(written="-0.00000000000000000000000000000000012345678901234567890123")
@example(written="1e-320")
def test_scores_are_rounded_as_theirs(written: str) -> None:
    try:
        theirs = json.loads(Theirs.from_str(file_of({"a": written})).to_str())["model"]["vocab"][1][1]
    except Exception:  # noqa: BLE001  # theirs are of no class of their own
        assert rounded(written) in {float("inf"), float("-inf")}
        return
    assert rounded(written) == theirs
    if any(mark in written for mark in ".eE"):
        # Through the compiled reader, where there is one.
        specification = parse_tokenizer_json(file_of({"a": written}).encode(), "a file")
        assert specification.scores is not None
        assert specification.scores[1] == theirs


@pytest.mark.parametrize("long", ["-10.454418960663874", "-10.454418960623935", "-10.4544189606"])
def test_ties_are_broken_by_the_last_bit(long: str) -> None:
    scores = {"-": "-5.128409784021301", "|": "-7.325229568153723", "-|": "-4.3", "---|---|---|---|": long}
    file = file_of(scores)
    theirs, ours = Theirs.from_str(file), Tokenizer.from_specification(parse_tokenizer_json(file.encode(), "a file"))
    written = parse_tokenizer_json(theirs.to_str().encode(), "an object", from_memory=True)
    assert ours.specification is not None
    assert dict(written.scores or {}) == dict(ours.specification.scores or {})
    for groups in range(1, 40):
        text = "|" + "---|" * groups
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids
