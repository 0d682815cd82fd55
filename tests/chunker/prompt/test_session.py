"""`PromptSession`: exact after every turn, never over budget, a prefix that stays, turns that leave together."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.prompt import (
    CHAT_FORMATS,
    CacheRules,
    ContextPlan,
    Exchange,
    Item,
    ItemReport,
    Prompt,
    PromptConfigurationError,
    PromptSession,
    RequiredItemsError,
    assemble,
    simulate,
)
from chunker.prompt.chat import Break
from chunker.prompt.planning.billing import Cache, Ledger

SYSTEM = [Item("You are a careful reviewer.", id="rules"), Item("Today is Monday.", id="date")]
WORDS = [
    "yes",
    "no",
    "the cat",
    " sat",
    "\n\n",
    "  ",
    "don't",
    "漢字かな",
    "é",
    "👩‍👩‍👧",
    "1234567",
    "x" * 40,
    "'s",
    "A. B.",
    "\t",
    "\r\n",
    "\0",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)
PLAIN_LONG = "Nothing here is short. " * 40

Turn = tuple[str, str, dict[str, Any]]


def kept_text(report: ItemReport, turn: Turn) -> str:
    """What is kept of a turn, by its report."""
    _, text, options = turn
    if report.status == "kept":
        return text
    start = report.kept[0][1] if report.kept[0][0] == 0 else 0
    end = report.kept[-1][0] if report.kept[-1][1] == len(text) else len(text)
    return f"{text[:start]}{options.get('ellipsis', '…')}{text[end:]}"


class Model:
    """A session, all turns that were ever given to it, and the laws."""

    def __init__(self, budget: int, encoding: str, chat: str | None, **options: Any) -> None:
        self.chat, self.encoding, self.options = chat, encoding, options
        self.room = budget - options.get("reserve", 0)
        self.target = int((1 - options.get("hysteresis", 0.25)) * self.room)
        self.turns: dict[str, Turn] = {str(item.id): ("system", item.content, {}) for item in options.get("system", ())}
        self.pinned = set(self.turns)
        self.session = PromptSession(budget, tokenizer=encoding, chat_format=chat, **options)

    def add(self, role: str, text: str, **options: Any) -> tuple[str, ...] | None:
        """Add a turn and look at everything; None if it did not fit."""
        before = self.session.prompt()
        given_role = None if self.chat is None else role
        try:
            departed = self.session.add(given_role, text, **options)
        except RequiredItemsError as error:
            assert self.session.prompt() == before
            too_much = sum(tokens for _, tokens in error.needed) + error.between
            return None if too_much > error.room else pytest.fail(f"this would fit: {error}")
        prompt = self.session.prompt()
        identity = prompt.report.items[-1].id
        self.turns[identity] = (role, text, options)
        if options.get("pinned"):
            self.pinned.add(identity)
        self.check(before, prompt, identity, departed)
        return departed

    def check(self, before: Prompt, prompt: Prompt, identity: str, departed: tuple[str, ...]) -> None:
        report = prompt.report
        assert prompt.token_count == self.session.token_count == report.token_count <= self.room
        assert self.session.tokens_left == self.room - prompt.token_count
        assert [item.id for item in report.items] == list(self.turns)
        kept = {item.id: item for item in report.items if item.status != "dropped"}
        was_kept = {item.id for item in before.report.items if item.status != "dropped"}
        assert set(departed) - {identity} == was_kept - set(kept)
        assert self.pinned & was_kept <= set(kept)
        assert report.separator_tokens == prompt.token_count - sum(item.tokens for item in kept.values())
        if departed == ():
            start = before.text.removesuffix(self.ending())
            assert prompt.text.startswith(start)
        # The same prompt, put together in one go from what is left.
        again = assemble(
            [self.item(item) for item in kept.values()],
            budget=report.budget,
            reserve=report.reserve,
            tokenizer=self.encoding,
            chat_format=self.chat,
            separator=self.options.get("separator", "\n\n"),
        )
        assert (again.text, again.token_count, again.messages) == (prompt.text, prompt.token_count, prompt.messages)
        assert [item.tokens_before for item in again.report.items if item.id in kept] == [
            self.session._row.count(again_text) for again_text in self.contents(kept)
        ]
        if self.options.get("system"):
            assert again.report.stable_tokens == report.stable_tokens > 0

    def ending(self) -> str:
        parts = CHAT_FORMATS[self.chat].ending() if self.chat else []
        return "".join(part.text if isinstance(part, Break) else part for part in parts)

    def contents(self, kept: dict[str, ItemReport]) -> list[str]:
        from chunker.prompt.layout import content_of  # noqa: PLC0415 - only to compare with it

        return [content_of(self.item(report)) for report in kept.values()]

    def item(self, report: ItemReport) -> Item:
        role, _, options = self.turns[report.id]
        text = kept_text(report, self.turns[report.id])
        fields = {name: value for name, value in options.items() if name in ("name", "tool_calls", "tool_call_id")}
        system = report.section == "system"
        return Item(
            text, id=report.id, role=None if self.chat is None else role, required=True, stable=system, **fields
        )


@st.composite
def programs(draw: st.DrawFn) -> tuple[dict[str, Any], list[Turn]]:
    """Options of a session, and turns to add to it."""
    chat = draw(st.sampled_from([None, "openai", "chatml", "llama3", "anthropic", "plain"]))
    options: dict[str, Any] = {
        "budget": draw(st.integers(70, 250)),
        "chat": chat,
        "reserve": draw(st.integers(0, 10)),
        "hysteresis": draw(st.sampled_from([0, 0.25, 0.5, 0.9])),
        "pairs": draw(st.booleans()),
        "system": SYSTEM[: draw(st.integers(0, 2))],
        "separator": draw(st.sampled_from(["\n\n", "", "\n"])),
    }
    turns: list[Turn] = []
    calls: list[str] = []
    for number in range(draw(st.integers(1, 25))):
        role = draw(st.sampled_from(["user", "assistant", "assistant"]))
        text = draw(TEXTS)
        extra: dict[str, Any] = {}
        what = draw(st.sampled_from(["plain", "plain", "plain", "call", "answer", "cut", "pin", "group", "capped"]))
        if what == "call" and chat is not None:
            calls.append(f"call-{number}")
            role, extra = "assistant", {"tool_calls": ({"id": calls[-1], "name": "look"},)}
        elif what == "answer" and calls:
            role, extra = "tool", {"tool_call_id": draw(st.sampled_from(calls))}
            if draw(st.booleans()):
                extra["group"] = draw(st.sampled_from("ab"))
        elif what == "cut":
            extra = {"truncate": draw(st.sampled_from(["head", "tail", "middle"]))}
            text *= 20
        elif what == "capped":
            extra = {"truncate": "tail", "max_tokens": 9, "ellipsis": " [cut]"}
        elif what == "pin":
            extra, text = {"pinned": True}, "kept for good"
        elif what == "group":
            extra = {"group": draw(st.sampled_from("ab"))}
        turns.append((role, text, extra))
    return options, turns


@given(program=programs(), pickled_at=st.integers(0, 24))
@settings(max_examples=50, deadline=None)
def test_the_laws_hold_after_every_turn(
    encoding: str, program: tuple[dict[str, Any], list[Turn]], pickled_at: int
) -> None:
    options, turns = program
    model = Model(options.pop("budget"), encoding, options.pop("chat"), **options)
    known_calls: set[str] = set()
    links: dict[str, set[str]] = {}
    for number, (role, text, extra) in enumerate(turns):
        if number == pickled_at:
            model.session = pickle.loads(pickle.dumps(model.session))
        if extra.get("tool_call_id") is not None and extra["tool_call_id"] not in known_calls:
            with pytest.raises(PromptConfigurationError, match="no turn makes the tool call"):
                model.session.add(role, text, **extra)
            continue
        try:
            departed = model.add(role, text, **extra)
        except PromptConfigurationError as error:
            assert "belongs to turns that have left" in str(error)  # noqa: PT017 - most turns raise nothing
            continue
        if departed is None:
            continue
        known_calls |= {call["id"] for call in extra.get("tool_calls", ())}
        identity = list(model.turns)[-1]
        status = {item.id: item for item in model.session.prompt().report.items}
        if status[identity].reason == "empty":
            continue
        for tie in (
            extra.get("tool_call_id"),
            *(call["id"] for call in extra.get("tool_calls", ())),
            extra.get("group"),
        ):
            if tie is not None:
                links.setdefault(tie, set()).add(identity)
        for together in links.values():
            assert len({status[one].status == "dropped" for one in together}) == 1
        if departed and identity not in departed:
            # Either there is as much room as was asked for, or nothing is left that might leave.
            stays = model.session.prompt().token_count <= model.target
            movable = [
                one for one in model.session._oldest if not one.unit.now().pinned and one.unit.now() is not
                model.session._oldest[-1].unit.now() and not one.unit.now().gone
            ]  # fmt: skip
            assert stays or movable == []


def fill(session: PromptSession, turns: int, text: str = "Word for word. ") -> list[tuple[str, ...]]:
    return [session.add("user" if n % 2 == 0 else "assistant", f"{n}: {text}") for n in range(turns)]


def test_old_turns_leave_in_steps_and_the_prefix_lives_in_between() -> None:
    stepwise = PromptSession(600, tokenizer="o200k_base", chat_format="chatml", system=SYSTEM, hysteresis=0.3)
    each_turn = PromptSession(600, tokenizer="o200k_base", chat_format="chatml", system=SYSTEM, hysteresis=0)
    steps = [bool(left) for left in fill(stepwise, 400)]
    every = [bool(left) for left in fill(each_turn, 400)]
    assert sum(every) > 300
    assert 0 < sum(steps) < sum(every) / 10
    first = stepwise.prompt()
    assert first.report.stable_tokens > 0
    assert [message.content for message in first.messages[:2]] == ["You are a careful reviewer.", "Today is Monday."]
    # What is left is the newest.
    ids = [item.id for item in first.report.items if item.section == "history" and item.status == "kept"]
    assert ids == [f"turn-{n}" for n in range(400 - len(ids), 400)]
    assert {item.reason for item in first.report.items if item.status == "dropped"} == {"budget"}


def test_a_step_frees_what_was_asked_for() -> None:
    session = PromptSession(1000, reserve=200, chat_format="chatml", hysteresis=0.5)
    for number in range(200):
        departed = session.add("user", f"Message number {number}, of ordinary length.")
        if departed:
            assert 800 * 0.5 - 30 < session.token_count <= 800 * 0.5
        assert session.token_count <= 800


def test_pinned_turns_stay_and_the_others_leave_around_them() -> None:
    session = PromptSession(200, chat_format="openai")
    session.add("user", "The code word is marzipan.", id="word", pinned=True)
    fill(session, 60)
    kept = [item.id for item in session.prompt().report.items if item.status == "kept"]
    assert kept[0] == "word"
    assert kept[1] == f"turn-{61 - len(kept) + 1}"
    assert session.prompt().messages[0].content == "The code word is marzipan."


def test_a_call_and_its_answers_leave_together() -> None:
    session = PromptSession(160, chat_format="openai")
    session.add("user", "What is the weather in Oslo?")
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    session.add("assistant", "", tool_calls=(call,), id="call")
    fill(session, 2)
    session.add("tool", "4 degrees", tool_call_id="c1", id="answer")
    assert session.prompt().messages[-1].tool_call_id == "c1"
    assert session.prompt().messages[1].tool_calls == (call,)
    departed: list[str] = []
    number = 0
    while "call" not in departed:
        departed = list(session.add("user", f"And {number}? " + "Tell me more. " * 4))
        number += 1
    assert "answer" in departed
    by_id = {item.id: item for item in session.prompt().report.items}
    assert by_id["call"].reason == "budget"
    assert by_id["answer"].reason == "group"
    # An answer may be empty, and is there all the same.
    session.add("assistant", "", tool_calls=({"id": "c2"},))
    session.add("tool", "", tool_call_id="c2")
    assert [message.content for message in session.prompt().messages[-2:]] == ["", ""]
    # A late second answer to a call that has left is no orphan: it is not taken.
    before = session.prompt()
    assert session.add("tool", "5 degrees", tool_call_id="c1", id="late") == ("late",)
    assert session.prompt().text == before.text
    assert session.prompt().report.items[-1].reason == "group"
    with pytest.raises(PromptConfigurationError, match=r"'late-2'.*have left"):
        session.add("tool", "5 degrees", tool_call_id="c1", id="late-2", pinned=True)


def test_what_had_to_stay_leaves_later() -> None:
    session = PromptSession(200, chat_format="chatml")
    session.add("assistant", "", tool_calls=({"id": "c1"},), id="call")
    fill(session, 8)
    # The oldest stays, for its answer comes just now; those after it leave.
    assert session.add("tool", "word " * 110, tool_call_id="c1", id="answer")[0] == "turn-1"
    departed: list[str] = []
    for number in range(20):
        departed += session.add("user", f"And {number}: more of it.")
    assert departed[:3] == ["call", "answer", "turn-8"]


@pytest.mark.parametrize("pinned", [False, True])
def test_a_turn_of_two_units_makes_them_one(pinned: bool) -> None:
    session = PromptSession(300, chat_format="chatml")
    session.add("user", "Remember this.", id="note", group="g", pinned=pinned)
    session.add("assistant", "", tool_calls=({"id": "c1"},), id="call")
    session.add("tool", "one", tool_call_id="c1", id="first")
    session.add("tool", "two", tool_call_id="c1", id="second", group="g")
    departed = [left for turns in fill(session, 60) for left in turns]
    together = ["note", "call", "first", "second"]
    assert departed[:4] == (["turn-4", "turn-5", "turn-6", "turn-7"] if pinned else together)
    assert bool(set(together) & set(departed)) != pinned


def test_an_answer_to_an_exchange_that_has_left_is_taken() -> None:
    session = PromptSession(160, chat_format="chatml", pairs=True)
    session.add("user", "What is the weather?")
    session.add("assistant", "", tool_calls=({"id": "c1"},))
    session.add("user", "And the time?", id="time")
    assert session.add("tool", "word " * 121, tool_call_id="c1") == ("time",)
    assert session.add("assistant", "Noon.") == ()
    assert session.prompt().messages[-1].content == "Noon."


def test_the_newest_call_of_an_id_is_the_one_that_is_answered() -> None:
    session = PromptSession(120, chat_format="openai")
    for number in range(40):
        session.add("assistant", f"call {number}", tool_calls=({"id": "call_0", "n": number},))
        session.add("tool", f"answer {number}", tool_call_id="call_0")
        messages = session.prompt().messages
        assert [message.role for message in messages] == ["assistant", "tool"] * (len(messages) // 2)
        assert all(
            first.content.split()[1] == second.content.split()[1]
            for first, second in zip(messages[::2], messages[1::2], strict=True)
        )


def test_with_pairs_the_history_begins_with_a_user() -> None:
    session = PromptSession(220, chat_format="chatml", pairs=True, system=SYSTEM, hysteresis=0.2)
    first_roles = set()
    for number in range(120):
        session.add("user", f"Question {number}?")
        for part in range(number % 4):
            session.add("assistant", f"Part {part} of the answer to question {number}.")
        first_roles.add(session.prompt().messages[2].role)
    assert first_roles == {"user"}
    without = PromptSession(220, chat_format="chatml", system=SYSTEM, hysteresis=0.2)
    for number in range(120):
        without.add("user", f"Question {number}?")
        for part in range(number % 4):
            without.add("assistant", f"Part {part} of the answer to question {number}.")
        first_roles.add(without.prompt().messages[2].role)
    assert first_roles == {"user", "assistant"}


def test_a_turn_that_is_too_long_is_an_error_that_changes_nothing() -> None:
    session = PromptSession(100, reserve=20, chat_format="chatml", system=SYSTEM)
    fill(session, 3)
    before = session.prompt()
    with pytest.raises(
        RequiredItemsError, match="the session do not fit into 80 tokens: rules 6, date 4, long 2"
    ) as caught:
        session.add("user", PLAIN_LONG, id="long")
    assert caught.value.room == 80
    assert [name for name, _ in caught.value.needed] == ["rules", "date", "long"]
    assert session.prompt() == before
    assert session.add("user", "short", id="long") == ()
    # Those that had to leave for it, and came back, leave when their time has come.
    departed = [left for n in range(20) for left in session.add("user", f"And {n}: more of it.")]
    assert departed[:4] == ["turn-0", "turn-1", "turn-2", "long"]


def test_a_turn_that_says_so_is_cut_and_leaves_room_for_the_next() -> None:
    session = PromptSession(400, chat_format="chatml", system=SYSTEM)
    fill(session, 3)
    assert session.add("user", PLAIN_LONG * 9, truncate="middle") == ("turn-0", "turn-1", "turn-2")
    cut = session.prompt().report.items[-1]
    assert (cut.status, cut.reason) == ("truncated", "budget")
    assert 290 <= session.token_count <= 300
    assert "…" in session.prompt().messages[-1].content
    assert session.add("assistant", "I see.") == ()
    # What must be at least so much is cut to the last token where that is what it takes.
    tight = PromptSession(400, chat_format="chatml", system=SYSTEM)
    tight.add("user", PLAIN_LONG * 9, truncate="tail", min_tokens=350)
    assert 350 < tight.token_count <= 400
    with pytest.raises(RequiredItemsError):
        PromptSession(400, chat_format="chatml", system=SYSTEM).add(
            "user", PLAIN_LONG * 9, truncate="tail", min_tokens=399
        )


def test_max_tokens_cuts_a_turn_or_says_that_it_may_not_be_cut() -> None:
    session = PromptSession(2000)
    session.add("tool", PLAIN_LONG, truncate="tail", max_tokens=20)
    report = session.prompt().report.items[0]
    assert (report.status, report.reason) == ("truncated", "maximum")
    assert 15 <= report.tokens <= 20
    with pytest.raises(RequiredItemsError, match=r"\(max_tokens\)"):
        session.add("tool", PLAIN_LONG, max_tokens=20)


def test_any_counter_will_do(count_o200k: Callable[[str], int]) -> None:
    for counter, exact in ((count_o200k, count_o200k), ("characters", len)):
        session = PromptSession(150, tokenizer=counter, chat_format="plain")
        departures = fill(session, 40)
        assert any(departures)
        assert session.token_count == exact(session.prompt().text) <= 150


def test_without_a_chat_format_turns_have_no_roles() -> None:
    session = PromptSession(50, chat_format=None, separator=" | ")
    session.add(None, "one")
    session.add(None, "two")
    assert session.prompt().text == "one | two"
    assert session.prompt().messages == ()
    with pytest.raises(PromptConfigurationError, match="need a chat_format"):
        session.add("user", "three")


def test_a_chunk_is_a_turn() -> None:
    (chunk,) = TextChunker(50).chunk("A note.")
    session = PromptSession(50)
    session.add("user", chunk)
    assert session.prompt().messages[0].content == "A note."


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"budget": 0}, "budget must be at least 1"),
        ({"reserve": 50}, "reserve must be from 0"),
        ({"chat_format": "gemini"}, "chat_format must be one of"),
        ({"hysteresis": 1}, "hysteresis must be at least 0"),
        ({"rules": "gpt-4o", "chat_format": None}, "rules need a chat_format"),
        ({"hysteresis": -0.1}, "hysteresis must be at least 0"),
        ({"hysteresis": float("nan")}, "hysteresis must be at least 0"),
        ({"system": [Item("a", id="x"), Item("b", id="x")]}, "id 'x' is used by 2 items"),
        ({"system": [Item("a", truncate="tail")]}, "stable item cannot be truncated"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PromptConfigurationError, match=complaint):
        PromptSession(**{"budget": 50, **options})


def test_a_system_that_is_too_long() -> None:
    with pytest.raises(RequiredItemsError, match="the session do not fit into 10 tokens: rules 6"):
        PromptSession(10, system=SYSTEM)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"id": "rules"}, "id 'rules' is that of two items"),
        ({"tool_call_id": "nowhere"}, "no turn makes the tool call 'nowhere'"),
        ({"tool_calls": ({"name": "x"},)}, "each of tool_calls needs an id"),
        ({"min_tokens": 3}, "min_tokens needs truncate"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"tool_calls": ({"id": "x"},), "truncate": "tail"}, "would cut the JSON"),
    ],
)
def test_turns_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    session = PromptSession(100, system=SYSTEM)
    before = session.prompt()
    with pytest.raises(PromptConfigurationError, match=complaint):
        session.add("user", "text", **options)
    assert session.prompt() == before


def test_an_endless_session_keeps_no_text_that_has_left() -> None:
    session = PromptSession(500, chat_format="chatml")
    for number in range(300):
        session.add("user", f"{number} " + "long text " * 20, truncate="tail" if number % 3 else None)  # type: ignore[arg-type] # None is what an item has by default
    kept = len([item for item in session.prompt().report.items if item.status != "dropped"])
    assert len(session._row.turns) == kept
    assert len(session._row._known) <= kept + 1
    assert len(session._oldest) <= kept


def test_a_turn_counts_its_own_text_and_no_more() -> None:
    class Counting:
        """A tokenizer that notes how much it was asked to count."""

        def __init__(self) -> None:
            self.characters = 0

        def __call__(self, text: str) -> int:
            self.characters += len(text)
            return len(text.split())

    counter = Counting()
    session = PromptSession(10_000, tokenizer=counter, chat_format="chatml")
    fill(session, 1000, "A few words that are the same each time. ")
    counter.characters = 0
    session.add("user", "word " * 20)
    session.prompt()
    assert 0 < counter.characters < 500


RULES = CacheRules(input=3, cached=0.3, write=3.75, output=15, min_tokens=40, breakpoints=4, look_back=20, seconds=300)


@pytest.mark.parametrize("chat_format", ["chatml", "openai"])
@pytest.mark.parametrize("seed", range(8))
def test_a_plan_decides_what_leaves(seed: int, chat_format: str) -> None:
    random = Random(seed)
    budget, reserve = random.choice(((500, 120), (900, 200)))
    session = PromptSession(
        budget, reserve, chat_format=chat_format, system=SYSTEM, rules=RULES, keep=random.choice((None, 0, 100))
    )
    here: list[str] = []
    dollars, unplanned = 0.0, 0
    for turn in range(40):
        call = here and here[-1].startswith("call")
        asked = f"{'tool' if call else 'user'}-{turn}"
        text = "two words " * random.choice((1, 8, 20))
        options: Any = {"tool_call_id": f"c{turn - 1}"} if call else {}
        seconds = random.choice((5, 40, 900))
        left = session.add("tool" if call else "user", text, id=asked, seconds=seconds, **options)
        assert session.token_count <= budget - reserve
        here = [*here, asked]
        assert here[: len(left)] == list(left)
        here = here[len(left) :]
        assert not here[0].startswith("tool")
        assert session.step is not None
        unplanned += bool(left) and "dropped" not in session.step.why
        dollars += session.step.bill.dollars
        # As the plan bills it, but for what merges at the joins.
        assert abs(session.step.bill.tokens - session.token_count) <= 12
        calling = random.random() < 0.3
        options = {"tool_calls": ({"id": f"c{turn}"},)} if calling else {}
        answer = f"{'call' if calling else 'answer'}-{turn}"
        assert session.add("assistant", "" if calling else "an answer " * 12, id=answer, **options) == ()
        here.append(answer)
        assert session.token_count <= budget
        if turn % 10 == 0:
            session = pickle.loads(pickle.dumps(session))
        kept = [
            item.id for item in session.prompt().report.items if item.status == "kept" and item.section == "history"
        ]
        assert kept == here
    assert len(here) < 80
    assert dollars > 0
    assert unplanned <= 1  # where the joins of what is left take a token more


def test_a_plan_costs_less_than_hysteresis() -> None:
    """The bills of both are reckoned by the same ledger."""
    bills = {}
    for name, options in (("plan", {"rules": RULES, "keep": 60}), ("rule", {"hysteresis": 0.25, "pairs": True})):
        session = PromptSession(900, 100, chat_format="chatml", system=SYSTEM, **options)
        fixed = session.token_count
        turns: list[Exchange] = []
        firsts: list[int] = []
        left = 0
        for turn in range(60):
            seconds = 900 if turn % 5 == 0 else 10
            before = session.token_count
            gone = session.add("user", "two words " * 6, seconds=seconds)
            asked = session.token_count - before if not gone else turns[-1].asked
            left += len(gone) // 2
            firsts.append(left)
            turns.append(Exchange(asked, 40, seconds))
            left += len(session.add("assistant", "an answer " * 18)) // 2
        ledger, cache, dollars = Ledger(RULES, turns, fixed), Cache(), 0.0
        for number, first in enumerate(firsts):
            bill, cache = ledger.bill(number, firsts[number - 1] if number else 0, first, cache)
            dollars += bill.dollars
        bills[name] = dollars
    assert bills["plan"] < 0.97 * bills["rule"]


@pytest.mark.parametrize("seed", range(12))
def test_the_plan_of_a_session_is_guarded(seed: int) -> None:
    """Its bills are those of the simulated plan that does not know the turns to come, which is held to the simple rules."""
    random = Random(seed)
    budget, reserve = random.choice(((500, 120), (900, 200)))
    keep = random.choice((None, 0, 100))
    session = PromptSession(budget, reserve, system=SYSTEM, rules=RULES, keep=keep)
    plan = ContextPlan(budget, reserve, rules=RULES, fixed=session.token_count, keep=keep)
    endless = PromptSession(10**6, system=SYSTEM)  # of which nothing leaves: it tells the tokens of each turn
    turns: list[Exchange] = []
    for _ in range(30):
        sizes = [endless.token_count]
        seconds = random.choice((5, 40, 900))
        asked, answered = "two words " * random.choice((1, 8, 20)), "an answer " * random.choice((2, 12))
        for role, text in (("user", asked), ("assistant", answered)):
            session.add(role, text, seconds=seconds)
            endless.add(role, text)
            sizes.append(endless.token_count)
        turns.append(Exchange(sizes[1] - sizes[0], sizes[2] - sizes[1], seconds))
    *rules, _, blind = simulate(turns, plan)
    assert session.bills == list(blind.bills)
    assert blind.bills[-1].first > 0
    assert sum(bill.dollars for bill in session.bills) <= min(outcome.dollars for outcome in rules)


def test_turns_that_have_left_do_not_come_back() -> None:
    """An answer that exceeds the budget drops turns, of which the plan knew nothing; and a request may come in several messages."""
    session = PromptSession(400, 40, chat_format="chatml", system=SYSTEM, rules=RULES, keep=300)
    for turn in range(12):
        for part in range(1 + turn % 3):
            session.add("user", f"question {turn} {part} " * 6, seconds=5)
            assert session.step is not None
            assert abs(session.step.bill.tokens - session.token_count) <= 12
        session.add("assistant", "answer " * (190 if turn % 4 == 3 else 20))
    firsts = [bill.first for bill in session.bills]
    assert firsts == sorted(firsts)
    assert len(session.bills) == 12


def test_pinned_turns_stay_under_a_plan() -> None:
    session = PromptSession(300, 60, chat_format="chatml", system=SYSTEM, rules=RULES, keep=40)
    session.add("user", "I travel with a dog.", id="wish", pinned=True)
    session.add("assistant", "Good.", id="good")
    for turn in range(30):
        session.add("user", f"question {turn} " * 8)
        assert session.token_count <= 240
        session.add("assistant", "answer " * 20)
    kept = {item.id for item in session.prompt().report.items if item.status == "kept"}
    assert {"wish", "good"} <= kept
    with pytest.raises(PromptConfigurationError, match="one of claude-sonnet"):
        PromptSession(300, rules="x")


def test_a_turn_that_does_not_fit_leaves_a_planned_session_as_it_was() -> None:
    session = PromptSession(300, 60, chat_format="chatml", system=SYSTEM, rules=RULES, keep=40)
    for turn in range(6):
        session.add("user", f"question {turn} " * 8)
        session.add("assistant", "answer " * 20)
    before = session.prompt(), session.step
    with pytest.raises(RequiredItemsError):
        session.add("user", "word " * 400)
    assert (session.prompt(), session.step) == before
    session.add("user", "again")
    assert session.token_count <= 240


def test_the_repr_has_the_turns_of_the_prompt_and_its_tokens() -> None:
    session = PromptSession(120, reserve=20, system=SYSTEM)
    assert repr(session) == f"<PromptSession: 0 turns, {session.token_count} of 100 tokens>"
    session.add("user", "Is this right?")
    session.add("assistant", "It is.")
    assert repr(session) == f"<PromptSession: 2 turns, {session.token_count} of 100 tokens>"
    left = session.add("user", "word " * 60)
    assert left
    assert repr(session) == f"<PromptSession: {3 - len(left)} turns, {session.token_count} of 100 tokens>"
