"""What goes in, and in which order: replayed with a full count at each step, and shown by examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import SEPARATORS, counter, leaves, texts, written

from chunker import Chunk, TextChunker
from chunker.prompt import (
    Item,
    ItemFileError,
    ItemReport,
    Prompt,
    RequiredItemsError,
    Section,
    assemble,
)

count = counter("o200k_base").count


def report_of(prompt: Prompt, name: str) -> ItemReport:
    return next(item for item in prompt.report.items if item.id == name)


def kept_of(prompt: Prompt) -> list[str]:
    return [item.id for item in prompt.report.items if item.status != "dropped"]


def reports(kept: set[str], items: list[Item]) -> dict[str, ItemReport]:
    """Reports as they would be if exactly these were kept, whole."""
    return {
        str(item.id): ItemReport(
            id=str(item.id), section="", status="kept" if item.id in kept else "dropped", tokens_before=0, tokens=0
        )
        for item in items
    }


# --- by brute force


@st.composite
def trees(draw: st.DrawFn) -> list[Item | Section]:
    """Items that are kept whole or not at all; sections have no budget of their own."""
    names = iter(range(100))

    def items(most: int) -> list[Any]:
        return [
            Item(
                draw(texts),
                id=str(next(names)),
                priority=draw(st.integers(0, 4)),
                group=draw(st.sampled_from([None, None, None, "one", "two"])),
            )
            for _ in range(draw(st.integers(1, most)))
        ]

    made: list[Item | Section] = items(5)
    for number in range(draw(st.integers(0, 2))):
        ends = st.sampled_from(["", "", "Files:\n", "'", "s"])
        separator = draw(st.sampled_from(SEPARATORS))
        made.append(Section(f"s{number}", items(4), separator=separator, header=draw(ends), footer=draw(ends)))
    return made


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "whole text", "function"])
@pytest.mark.parametrize("fill", ["best_effort", "strict"])
@settings(max_examples=25)
@given(tree=trees(), budget=st.integers(1, 60), separator=st.sampled_from(SEPARATORS))
def test_best_effort_leaves_nothing_out_that_fits_and_strict_skips_nothing(
    name: str, fill: Any, tree: list[Item | Section], budget: int, separator: str
) -> None:
    tokenizer = counter(name)
    prompt = assemble(tree, budget, tokenizer=tokenizer, fill=fill, separator=separator)
    items = leaves(tree)
    groups: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: -item.priority):
        groups.setdefault(item.group or str(item.id), []).append(item)
    kept: set[str] = set()
    for group in groups.values():
        more = kept
        for item in group:
            more = more | {str(item.id)}
            if tokenizer.count(written(tree, separator, reports(more, items)) or "") > budget:
                break
        else:
            kept = more
            continue
        if fill == "strict":
            break
    assert set(kept_of(prompt)) == kept


@settings(max_examples=60)
@given(
    sections=st.lists(
        st.tuples(
            st.sampled_from([None, 5, 20]),
            st.integers(0, 10),
            st.sampled_from([None, 12, 30]),
            st.lists(texts, max_size=4),
        ),
        min_size=1,
        max_size=4,
    ),
    outside=st.lists(st.tuples(texts, st.booleans()), max_size=4),
    budget=st.integers(40, 120),
)
def test_sections_are_filled_as_the_rules_say(
    sections: list[tuple[int | None, int, int | None, list[str]]], outside: list[tuple[str, bool]], budget: int
) -> None:
    share = 1 / len(sections)
    tree: list[Item | Section] = []
    for number, (tokens, least, most, inner) in enumerate(sections):
        items = [Item(text, id=f"{number}.{place}") for place, text in enumerate(inner)]
        given_to = {"share": share} if tokens is None else {"tokens": tokens}
        tree.append(Section(str(number), items, min_tokens=least, max_tokens=most, **given_to))
    tree += [Item(text, id=f"o{place}", required=required) for place, (text, required) in enumerate(outside)]
    items = leaves(tree)
    kept: set[str] = set()
    used = [0] * len(sections)
    total = 0

    def grown(item: Item) -> int:
        return count(written(tree, "\n\n", reports(kept | {str(item.id)}, items)) or "") - total

    for item in items:
        if item.required:
            total += grown(item)
            kept.add(str(item.id))
    if total + sum(least for _, least, _, _ in sections) > budget:
        with pytest.raises(RequiredItemsError):
            assemble(tree, budget)
        return
    prompt = assemble(tree, budget)
    base, passed_on = budget - total, 0
    for number, (tokens, least, most, _) in enumerate(sections):
        promised = sum(least for _, least, _, _ in sections[number + 1 :])
        part = int(share * base) if tokens is None else tokens
        limit = min(max(part, least) + passed_on, budget - total - promised, most if most is not None else budget)
        for item in leaves([tree[number]]):
            growth = grown(item)
            if used[number] + growth <= limit:
                used[number] += growth
                total += growth
                kept.add(str(item.id))
        passed_on = limit - used[number]
        report = prompt.report.sections[number]
        assert (report.given, report.used, report.passed_on) == (limit, used[number], passed_on)
        assert report.given >= least
    for item in leaves(tree[len(sections) :]):
        if not item.required and total + (growth := grown(item)) <= budget:
            total += growth
            kept.add(str(item.id))
    assert set(kept_of(prompt)) == kept


# --- by examples: each word is a token, and so is a line end


def words(number: int, word: str = " a") -> str:
    return word.strip() + word * (number - 1)


def test_a_bigger_number_stays_longer_and_the_first_of_equals() -> None:
    items = [Item(words(5), id=name, priority=priority) for name, priority in zip("abcd", (1, 2, 2, 0), strict=True)]
    assert [kept_of(assemble(items, budget)) for budget in (5, 11, 17)] == [["b"], ["b", "c"], ["a", "b", "c"]]


def test_required_items_are_cut_the_least_important_first() -> None:
    items = [
        Item(words(50), id=name, priority=priority, required=True, truncate="tail", min_tokens=10)
        for name, priority in (("a", 1), ("b", 2))
    ]
    prompt = assemble(items, 70)
    assert [report_of(prompt, name).status for name in "ab"] == ["truncated", "kept"]
    prompt = assemble(items, 40)
    assert report_of(prompt, "a").tokens == 10
    assert report_of(prompt, "b").tokens >= 26
    with pytest.raises(RequiredItemsError) as raised:
        assemble(items, 19)
    assert raised.value.needed == [("b", 10), ("a", 10)]
    assert (raised.value.room, raised.value.section) == (19, "the prompt")
    assert str(raised.value) == (
        "the required items of the prompt do not fit into 19 tokens: b 10, a 10; 1 token is lacking: "
        "raise the budget, lower the reserve, or let required items be cut (truncate, min_tokens)"
    )


def test_what_lacks_is_advice_that_holds() -> None:
    whole = Item(words(50), id="whole", required=True)
    prompts: list[Callable[[int], Prompt]] = [
        lambda more: assemble([whole, Item(words(9), id="b", required=True)], 20 + more),
        lambda more: assemble([Section("s", [whole], tokens=5, max_tokens=20 + more)], 100),
        lambda more: assemble([replace(whole, max_tokens=20 + more)], 100),
        lambda more: assemble([whole, Section("s", [Item("x")], tokens=10, min_tokens=10)], 20 + more),
    ]
    for make in prompts:
        with pytest.raises(RequiredItemsError) as raised:
            make(0)
        found = re.search(r"; ([0-9]+) tokens are lacking: raise (the budget|its max_tokens)", str(raised.value))
        assert found is not None
        assert make(int(found[1])).report.items[0].status == "kept"
        with pytest.raises(RequiredItemsError):
            make(int(found[1]) - 1)


def test_required_items_of_lines_keep_the_least_that_is_enough() -> None:
    lines = "".join(f"line number {number} of many\n" for number in range(40))
    items = [
        Item(lines, id="a", required=True, truncate="tail", truncate_at="line", min_tokens=10),
        Item(words(50), id="b", priority=1, required=True),
    ]
    prompt = assemble(items, 70)
    assert report_of(prompt, "a").tokens == count("line number 0 of many\nline number 1 of many\n")


def test_what_sections_are_promised_is_kept_from_required_items() -> None:
    history = Section(
        "history", [Item(words(8), id=f"turn {number}") for number in range(20)], tokens=50, min_tokens=40
    )
    long = Item(words(500), id="long", required=True, truncate="tail")
    prompt = assemble([history, long], 100)
    (section,) = prompt.report.sections
    assert section.given >= 40
    assert section.used > 30
    assert prompt.token_count > 95
    with pytest.raises(RequiredItemsError) as raised:
        assemble([history, Item(words(70), id="whole", required=True)], 100)
    assert (raised.value.room, raised.value.promised) == (60, 40)
    assert "beside the 40 that sections are promised: whole 70" in str(raised.value)


def test_sections_inside_of_sections_keep_their_promises() -> None:
    inner = Section("inner", [Item(words(30), id="inner")], share=0.1, min_tokens=35)
    prompt = assemble(
        [Section("first", [Item(words(60), id="first")], share=0.8), Section("second", [inner], share=0.1)], 100
    )
    assert kept_of(prompt) == ["first", "inner"]
    assert [(section.name, section.given) for section in prompt.report.sections] == [
        ("first", 65),
        ("second/inner", 35),
        ("second", 40),
    ]


def test_surplus_goes_forward() -> None:
    sections = [Section(name, [Item(words(size), id=name)], share=0.5) for name, size in (("a", 10), ("b", 80))]
    prompt = assemble(sections, 100)
    assert kept_of(prompt) == ["a", "b"]
    assert [(section.given, section.used, section.passed_on) for section in prompt.report.sections] == [
        (50, 10, 40),
        (90, 81, 9),
    ]


def test_a_maximum_holds_for_surplus_too() -> None:
    sections = [Section("a", [], share=0.5), Section("b", [Item(words(80))], share=0.5, max_tokens=60)]
    prompt = assemble(sections, 100)
    assert kept_of(prompt) == []
    assert prompt.report.items[0].reason == "section"


def test_a_strict_section_stops_alone() -> None:
    def items(name: str) -> list[Item | Section]:
        return [Item(words(size), id=f"{name}{size}", priority=-place) for place, size in enumerate((5, 50, 6))]

    prompt = assemble([Section("s", items("s"), fill="strict"), *items("o")], 40)
    assert kept_of(prompt) == ["s5", "o5", "o6"]
    assert report_of(prompt, "s6").reason == "strict"
    inherited = assemble([Section("s", items("s")), *items("o")], 40, fill="strict")
    assert kept_of(inherited) == ["s5", "o5"]
    budgeted = assemble([Section("s", items("s"), share=0.5), *items("o")], 40, fill="strict")
    assert kept_of(budgeted) == ["s5", "o5"]


def test_what_could_never_fit_does_not_stop_a_strict_section() -> None:
    items = [
        Item("", id="empty", priority=3),
        Item(words(9), id="long", max_tokens=5, priority=2),
        Item("a", id="short"),
    ]
    prompt = assemble(items, 20, fill="strict")
    assert kept_of(prompt) == ["short"]
    assert [item.reason for item in prompt.report.items] == ["empty", "maximum", None]


def test_a_group_that_stands_in_several_sections_takes_what_they_leave() -> None:
    sections = [
        Section("a", [Item(words(10), id="a"), Item(words(10), id="pair a", group="g")], share=0.2),
        Section("b", [Item(words(30), id="b"), Item(words(10), id="pair b", group="g")], share=0.5),
    ]
    prompt = assemble(sections, 100)
    assert kept_of(prompt) == ["a", "pair a", "b", "pair b"]
    assert [(section.given, section.used, section.passed_on) for section in prompt.report.sections] == [
        (31, 21, 10),
        (71, 42, 29),
    ]
    assert kept_of(assemble(sections, 60)) == ["a", "b"]


def test_an_empty_item_does_no_harm_to_its_group() -> None:
    prompt = assemble([Item("", id="empty", group="g", priority=1), Item("some", id="some", group="g")], 10)
    assert kept_of(prompt) == ["some"]
    prompt = assemble(
        [Item("", id="empty", group="g", priority=1), Item("some", id="some", group="g", required=True)], 10
    )
    assert kept_of(prompt) == ["some"]


def test_of_duplicates_the_most_important_stays_and_groups_are_left_alone() -> None:
    items = [
        Item("same", id="low"),
        Item("same", id="high", priority=1),
        Item("same", id="answer", group="pair"),
        Item("question", id="question", group="pair"),
    ]
    prompt = assemble(items, 30, drop_duplicates=True)
    assert kept_of(prompt) == ["high", "answer", "question"]
    assert report_of(prompt, "low").reason == "duplicate"
    assert kept_of(assemble(items, 30)) == ["low", "high", "answer", "question"]


def test_what_grows_shares_by_weight_what_is_left() -> None:
    items = [
        Item(words(500, word), id=name, truncate="tail", grow=grow, min_tokens=10)
        for name, word, grow in (("a", " a", 3), ("b", " b", 1))
    ]
    prompt = assemble([*items, Item(words(100), id="fixed")], 304)
    assert kept_of(prompt) == ["a", "b", "fixed"]
    assert prompt.token_count == 304
    beyond = [report_of(prompt, name).tokens - 10 for name in "ab"]
    assert sum(beyond) > 170
    assert beyond[0] == pytest.approx(3 * beyond[1], abs=8)


def test_what_grows_leaves_what_it_cannot_use_to_the_others() -> None:
    items = [
        Item(words(size), id=str(size), truncate="tail", grow=1, max_tokens=most)
        for size, most in ((20, None), (400, None), (300, 30))
    ]
    prompt = assemble(items, 200)
    assert prompt.token_count == 200
    assert [item.tokens for item in prompt.report.items] == [20, 148, 30]
    assert [item.status for item in prompt.report.items] == ["kept", "truncated", "truncated"]


def test_what_grows_by_lines_begins_with_enough_of_them() -> None:
    lines = "".join(f"line number {number} of many\n" for number in range(40))
    prompt = assemble([Item(lines, truncate="tail", truncate_at="line", grow=1, min_tokens=15)], 22)
    assert prompt.text == "line number 0 of many\nline number 1 of many\nline number 2 of many\n…"


def test_stable_items_come_first_and_keep_their_bytes() -> None:
    stable = [Item(words(10, " s"), id=f"stable {number}", stable=True) for number in range(3)]
    starts = set()
    for size in (1, 10, 60):
        prompt = assemble([*stable, Section("history", [Item(words(size), id="turn", priority=9)], share=1.0)], 60)
        starts.add(prompt.text[: len("\n\n".join(item.content for item in stable))])
        assert prompt.report.stable_tokens == count("\n\n".join(item.content for item in stable)) == 32
    assert len(starts) == 1


def test_the_report_says_what_is_stable_and_no_more() -> None:
    items = [Item(words(5), id="a", stable=True), Item(words(500), id="b", stable=True), Item(words(5), id="c")]
    prompt = assemble(items, 50)
    assert kept_of(prompt) == ["a", "c"]
    assert prompt.report.stable_tokens == 5


def test_a_reserve_is_left_free() -> None:
    items = [Item("a", id=str(number)) for number in range(100)]
    assert assemble(items, 50).token_count == 49
    assert assemble(items, 50, reserve=20).token_count == 29


def test_chunks_go_in_as_they_are() -> None:
    chunks = TextChunker(20).chunk("Some sentence or other. " * 20)
    assert isinstance(chunks[0], Chunk)
    prompt = assemble([Item(chunk, priority=-place) for place, chunk in enumerate(chunks)], 50)
    assert prompt.text == "\n\n".join(chunk.text for chunk in chunks[: prompt.text.count("\n\n") + 1])
    assert prompt.token_count == count(prompt.text) > 20


def test_chunks_and_files_are_items_by_themselves(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes("\ufeffNötes.\r\n".encode())
    chunks = TextChunker(20).chunk("Some sentence or other. " * 20, source="other.txt")
    prompt = assemble(
        [Section("found", [*chunks[:2], chunks[0], file], separator="\n"), file.parent / "notes.txt"], 500
    )
    assert (
        prompt.text
        == "\n".join([*(chunk.text for chunk in chunks[:2]), chunks[0].text, "Nötes.\r\n"]) + "\n\nNötes.\r\n"
    )
    assert prompt.token_count == count(prompt.text)
    assert [item.id for item in prompt.report.items][:3] == ["other.txt:1-1", "item-1", "item-2"]


def test_a_file_that_is_no_text_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(ItemFileError, match=r"the file of an item, .*nothing\.txt"):
        Item(tmp_path / "nothing.txt")
    (tmp_path / "binary").write_bytes(b"\0\0")
    with pytest.raises(ItemFileError, match="binary: a NUL byte at byte 0"):
        assemble([tmp_path / "binary"], 50)


def test_reasons_name_what_stood_in_the_way() -> None:
    items: list[Item | Section] = [
        Section("s", [Item(words(30), id="section")], tokens=0, max_tokens=20),
        Item(words(90), id="budget", priority=1),
        Item(words(30), id="minimum", truncate="tail", truncate_at=lambda _text: [4], min_tokens=20, max_tokens=25),
        Item(words(30), id="maximum", truncate="tail", max_tokens=5),
        Item(words(5), id="fits", priority=9),
    ]
    prompt = assemble(items, 60)
    assert {item.id: item.reason for item in prompt.report.items} == {
        "section": "section",
        "budget": "budget",
        "minimum": "minimum",
        "maximum": "maximum",
        "fits": None,
    }


def test_a_model_that_puts_tokens_around_each_text_gets_room_for_them() -> None:
    tokenizer = counter("bert, uncased")
    assert getattr(tokenizer, "reserve", 0) == 2
    prompt = assemble([Item("a", id=str(number)) for number in range(50)], 20, tokenizer=tokenizer)
    assert prompt.token_count == 18
