"""What is kept of an item that is cut is the longest that fits, by trying every place; and no grapheme cluster is ever cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from prompt_items import PIECES, counter, every_other

from chunker.formats.segmentation import sentence_ends
from chunker.prompt import Item, assemble
from chunker.prompt.clusters import Clusters
from chunker.prompt.truncating import Cutter, Version

pieces = st.sampled_from(
    [*PIECES, "lower case words and more of them. ", "    ", "🇩🇪🇫🇷🇮🇹", "👩🏽‍💻", "क्ष", "line\nline\r\n"]
)
long_texts = st.lists(pieces, min_size=1, max_size=25).map("".join)


def places(text: str, truncate_at: Any) -> list[int]:
    """The places at which an item may be cut, by the definition; its ends are among them."""
    if truncate_at == "token":
        inner = [match.end() for match in regex.finditer(r"\X", text)]
    elif truncate_at == "line":
        inner = [match.end() for match in regex.finditer(r"(?:\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029])", text)]
    elif truncate_at == "sentence":
        inner = list(sentence_ends(text))
    else:
        inner = truncate_at(text)
    return [0, *(place for place in inner if 0 < place < len(text)), len(text)]


def versions(item: Item, text: str, base: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """All pairs of where the kept start ends and the kept end starts; in the middle those that differ from `base` on one side."""
    allowed = places(text, item.truncate_at)
    if item.truncate == "tail":
        yield from ((place, len(text)) for place in allowed)
    elif item.truncate == "head":
        yield from ((0, place) for place in allowed)
    else:
        yield from ((place, base[1]) for place in allowed if place < base[1])
        yield from ((base[0], place) for place in allowed if place > base[0])


def parts_of(version: Version | None, size: int) -> tuple[int, int]:
    """Where the kept start ends and the kept end starts."""
    end, start = 0, size
    for first, last in version.kept if version is not None else ():
        if first == 0:
            end = last
        else:
            start = first
    return end, start


# Three quotes are one token: the half of them on the left is all of the text but its end, and has fewer tokens than are
# asked for.
_QUOTES = {"truncate": "middle", "truncate_at": "token", "ellipsis": "…", "min_tokens": 2}


@pytest.mark.parametrize(
    "name", ["o200k_base", "cl100k_base", "whole text", "custom pattern", "bert, uncased", "words", "llama2"]
)
@settings(max_examples=25)
@example(text="'''t", options=_QUOTES, around=("don", "don"), limits=(3, 8))
@example(text="don ", options=_QUOTES, around=("don", "don"), limits=(2, 8))
@example(text=" '", options=_QUOTES | {"min_tokens": 0}, around=("don", "don"), limits=(1, 8))
@example(text="\ndon", options=_QUOTES | {"truncate_at": "line", "min_tokens": 0}, around=("don", "don"), limits=(1, 8))
@given(
    text=long_texts,
    options=st.fixed_dictionaries(
        {
            "truncate": st.sampled_from(["tail", "head", "middle"]),
            "truncate_at": st.sampled_from(["token", "token", "line", "sentence", every_other]),
            "ellipsis": st.sampled_from(["…", "", " [...]\n", "'s"]),
            "min_tokens": st.integers(0, 8),
        }
    ),
    around=st.tuples(st.sampled_from(PIECES), st.sampled_from(PIECES)),
    limits=st.tuples(st.integers(1, 40), st.integers(8, 60)),
)
def test_nothing_longer_fits(
    name: str, text: str, options: dict[str, Any], around: tuple[str, str], limits: tuple[int, int]
) -> None:
    count = counter(name).count
    room, most = limits
    item = Item(text, **options)
    least, ellipsis = item.min_tokens, item.ellipsis

    def price(cut: str) -> int:
        return count(around[0] + cut + around[1]) - count(around[0] + around[1])

    cutter = Cutter(item, text, counter(name), reach=min(room, most))
    found = cutter.fitting(room, most, lambda version: price(version.text))
    end, start = parts_of(found, len(text))
    kept = 0
    if found is None:
        shortest = cutter.least()
        assert shortest is None or shortest.tokens > most or price(shortest.text) > room
    else:
        kept = count(text[:end]) * bool(end) + count(text[start:]) * (start < len(text))
        assert found.text == text[:end] + ellipsis + text[start:]
        assert found.tokens == kept
        assert max(least, 1) <= kept <= most
        assert price(found.text) <= room
        assert {end, start} <= set(places(text, item.truncate_at))
        assert end < start
    for one, other in versions(item, text, (end, start)):
        tokens = count(text[:one]) * bool(one) + count(text[other:]) * (other < len(text))
        longer = one - other > end - start and kept < tokens <= min(most, kept + 3) and one < other
        if longer and (found is not None or tokens >= max(least, 1)):
            assert price(text[:one] + ellipsis + text[other:]) > room


@pytest.mark.parametrize("name", ["o200k_base", "whole text"])
@settings(max_examples=25)
@given(
    text=long_texts,
    truncate=st.sampled_from(["tail", "head"]),
    truncate_at=st.sampled_from(["token", "line"]),
    least=st.integers(0, 30),
)
@example(text="क्षdon'\u200d", truncate="tail", truncate_at="token", least=2)
def test_the_least_is_the_shortest(name: str, text: str, truncate: Any, truncate_at: Any, least: int) -> None:
    count = counter(name).count
    version = Cutter(
        Item(text, truncate=truncate, truncate_at=truncate_at, min_tokens=least), text, counter(name)
    ).least()
    kept = [text[:place] if truncate == "tail" else text[place:] for place in places(text, truncate_at)]
    enough = [len(part) for part in kept if max(least, 1) <= count(part) and 0 < len(part) < len(text)]
    if version is None:
        # Counts of prefixes may fall again: at the very end there may have been one that is enough.
        assert not enough or max(map(count, kept)) <= max(least, 1) + 1
    else:
        ((start, end),) = version.kept
        assert count(text[start:end]) == version.tokens >= max(least, 1)
        shorter = [length for length in enough if length < end - start]
        assert all(
            count(text[:length] if truncate == "tail" else text[-length:]) <= max(least, 1) + 1 for length in shorter
        )


@given(text=long_texts, data=st.data())
def test_clusters_are_those_of_the_whole_text(text: str, data: st.DataObject) -> None:
    ends = [0, *(match.end() for match in regex.finditer(r"\X", text))]
    place = data.draw(st.integers(0, len(text)))
    clusters = Clusters(text)
    assert clusters.end_at_or_before(place) == max(end for end in ends if end <= place)
    assert clusters.end_at_or_after(place) == min(end for end in ends if end >= place)
    last = data.draw(st.integers(place, len(text)))
    assert list(clusters.ends(place, last)) == [end for end in ends if place <= end <= last]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"truncate": "tail"}, "one two three four five six …"),
        ({"truncate": "head"}, "… seven eight nine ten eleven twelve"),
        ({"truncate": "middle"}, "one two three … ten eleven twelve"),
        ({"truncate": "tail", "ellipsis": ""}, "one two three four five six seven"),
        ({"truncate": "tail", "max_tokens": 3}, "one two three…"),
        ({"truncate": "tail", "min_tokens": 8}, ""),
        ({"truncate": "tail", "truncate_at": lambda text: [text.index("four"), 1_000]}, "one two three …"),
    ],
)
def test_what_is_kept(options: dict[str, Any], text: str) -> None:
    item = Item("one two three four five six seven eight nine ten eleven twelve", **options)
    assert assemble([item], 7).text == text


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        # Half of the room is too little for the first sentence, all of it is not.
        ("One two three four five six seven. Eight nine.", 10, "One two three four five six seven. …"),
        ("Eight nine. One two three four five six seven.", 10, "…One two three four five six seven."),
        # Where one end has less than its half, the other has the rest.
        ("One. Two three four five. Six seven eight nine.", 9, "One. …Six seven eight nine."),
        ("One two three four. Five six seven eight. Nine.", 9, "One two three four. …Nine."),
    ],
)
def test_in_the_middle_one_end_has_what_the_other_leaves(text: str, room: int, kept: str) -> None:
    assert assemble([Item(text, truncate="middle", truncate_at="sentence")], room).text == kept


@pytest.mark.parametrize("truncate", ["tail", "head", "middle"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: "the quick brown fox. " * 500_000,
        lambda: "a" * 2_000_000,
        lambda: " " * 100_000,
        lambda: "🇩🇪" * 100_000,
        lambda: "e" + "\u0301" * 1_000_000,
        lambda: "\n" * 300_000,
    ],
    ids=["words", "letters", "spaces", "flags", "marks", "lines"],
)
def test_of_a_long_item_only_the_ends_are_looked_at(truncate: Any, make: Callable[[], str]) -> None:
    text = make()
    prompt = assemble([Item(text, truncate=truncate, ellipsis=" ... ")], 300)
    count = counter("o200k_base").count
    assert prompt.token_count == count(prompt.text) <= 300
    if "\u0301" not in text:  # all of it is one cluster
        assert prompt.token_count > 280
