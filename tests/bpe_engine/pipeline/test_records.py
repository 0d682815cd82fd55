"""Parts of a specification behave as frozen dataclasses."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from bpe_engine.pipeline.specification import AddedToken, Specification


def specification() -> Specification:
    return Specification(name="letters", source="a test", tokens={0: b"a", 1: b"b", 2: b"ab"}, merges=[(0, 1)])


def test_replace_makes_a_copy_with_other_values() -> None:
    changed = dataclasses.replace(specification(), name="mine")
    assert changed.name == "mine"
    assert (changed.source, changed.tokens, changed.merges) == ("a test", specification().tokens, [(0, 1)])
    assert dataclasses.replace(changed, name="letters") == specification() != changed


def test_fields_and_copies() -> None:
    token = AddedToken("<s>", 5, lstrip=True)
    assert [field.name for field in dataclasses.fields(token)][:3] == ["text", "id", "special"]
    assert dataclasses.asdict(token)["lstrip"] is True
    assert dataclasses.is_dataclass(token)
    assert pickle.loads(pickle.dumps(token)) == token
    assert hash(pickle.loads(pickle.dumps(token))) == hash(token)
    copied = dataclasses.replace(specification(), name="mine")
    assert pickle.loads(pickle.dumps(copied)) == copied


def test_the_repr_leaves_out_what_is_long() -> None:
    assert " tokens=" not in repr(specification())
    assert "source='a test'" in repr(specification())


def test_records_stay_as_they_are() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        specification().name = "other"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del AddedToken("<s>", 5).text


def test_the_fields_of_a_specification_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        Specification("letters", "a test", {0: b"a"})  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Specification(name="letters", source="a test")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        AddedToken("<s>", 5, text="</s>")  # type: ignore[misc]
