"""ContextPlan: never dearer than simple rules, as cheap as the cheapest of all ways, and never over budget."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from bpe_engine import Tokenizer
from chunker.cli.app import app
from chunker.errors import OptionError, WrongTypeError
from chunker.prompt import (
    PROVIDERS,
    CacheRules,
    ContextPlan,
    Exchange,
    MessageError,
    PromptConfigurationError,
    RequiredItemsError,
    simulate,
)
from chunker.prompt.planning import searching
from chunker.prompt.planning.billing import Cache, Ledger
from chunker.prompt.planning.expecting import expected
from chunker.prompt.planning.guarding import Course, is_safe
from chunker.prompt.planning.searching import PlanSearch, PlanState
from chunker.prompt.planning.simple_rules import Rule, simple_rules
from chunker.prompt.planning.simulation import read_session, read_session_file

# So that short sessions meet all rules.
SMALL = {
    "marks": CacheRules(
        input=3, cached=0.3, write=3.75, output=15, min_tokens=100, breakpoints=4, look_back=4, seconds=300
    ),
    "an hour": CacheRules(input=3, cached=0.3, write=6, output=15, min_tokens=50, breakpoints=4, seconds=3600),
    "automatic": CacheRules(input=2.5, cached=1.25, write=2.5, output=10, min_tokens=128, step=64, seconds=300),
}


def session(random: Random, size: int) -> list[Exchange]:
    return [
        Exchange(
            random.choice((20, 80, 200)),
            random.choice((30, 100, 300)),
            random.choice((5, 60, 400, 4000)),
            random.choice((2, 2, 9)),
        )
        for _ in range(size)
    ]


def plan_of(random: Random) -> ContextPlan:
    return ContextPlan(
        random.choice((700, 1200, 2500)),
        100,
        rules=SMALL[random.choice(list(SMALL))],
        fixed=random.choice((0, 60, 150)),
        keep=random.choice((None, 0, 200)),
        summary=random.choice((0, 0, 40)),
    )


@pytest.mark.parametrize("seed", range(200))
def test_never_dearer_than_simple_rules_and_never_over_budget(seed: int) -> None:
    random = Random(seed)
    plan, turns = plan_of(random), session(random, 10)
    outcomes = {outcome.rule: outcome for outcome in simulate(turns, plan)}
    for outcome in outcomes.values():
        assert all(bill.tokens <= plan.room for bill in outcome.bills)
        assert all(0 <= bill.hits <= bill.tokens for bill in outcome.bills)
        assert all(
            list(bill.marks) == sorted(bill.marks) and len(bill.marks) <= max(2, plan.rules.breakpoints)
            for bill in outcome.bills
        )
    simple = [outcomes[name].dollars for name in ("keep-all", "drop-oldest", "hysteresis")]
    assert outcomes["plan"].dollars <= min(simple) + 1e-12
    assert outcomes["plan"].dollars <= outcomes["plan, blind"].dollars + 1e-12
    if seed % 10 == 0:
        seen: list[int] = []

        def watched() -> Iterator[int]:
            for number in range(len(turns)):
                seen.append(number)
                yield number

        assert simulate(turns, plan, numbers=watched()) == list(outcomes.values())
        assert seen == list(range(len(turns)))


@pytest.mark.parametrize("seed", range(30))
def test_what_is_expected_is_never_above_simple_rules(seed: int) -> None:
    """The bill of a plan made on the way, under its model: of the turns so far on average, with the cache alive or not at each pause."""
    random = Random(seed)
    plan, turns, ahead = plan_of(random), session(random, 9), 3
    before, cache = 0, Cache()
    for number in range(len(turns)):
        so_far = turns[: number + 1]
        step = plan.next_step(so_far, before=before, cache=cache, ahead=ahead)
        model = expected(so_far, plan.rules.seconds, plan.room - plan.fixed - plan.summary, ahead)
        ledger = plan.ledger(model.turns)
        rules = simple_rules(ledger, partial(plan.choices, ledger), plan.room, 0.25)

        def costs(rule: Rule, at: int, first: int, held: Cache, alive: bool) -> float:
            chosen = rule(at, first)
            bill, after = ledger.bill(at, first, chosen, held, alive=alive)  # noqa: B023
            if at + 1 == len(model.turns):  # noqa: B023
                return bill.dollars
            return bill.dollars + sum(
                chance * costs(rule, at + 1, chosen, after, lives)
                for lives, chance in ((True, model.chance), (False, 1 - model.chance))  # noqa: B023
            )

        for rule in rules.values():
            assert step.dollars <= costs(rule, number, before, cache, ledger.is_alive(number)) + 1e-9
        bill, cache = plan.ledger(turns).bill(number, before, step.first, cache, write=step.write)
        assert bill.tokens <= plan.room
        before = step.first


# Sessions in which the rules part so that no step is safe.
NOT_SAFE = {60, 125, 270}


@pytest.mark.parametrize("seed", range(300))
def test_from_a_safe_place_no_simple_rule_is_cheaper(seed: int) -> None:
    """A plan on the way: what it keeps of itself and of the rules is what the bills say, and where its last step was safe none of them is cheaper."""
    random = Random(seed)
    plan, turns = plan_of(random), session(random, 10)
    outcomes = {outcome.rule: outcome for outcome in simulate(turns, plan)}
    course, ledger = Course(), plan.ledger(turns)
    for number in range(len(turns)):
        step = plan.next_step(turns[: number + 1], course=course)
        course = plan.taken(turns[: number + 1], course, step.first, write=step.write)
        assert step.first == outcomes["plan, blind"].bills[number].first
    answers = sum(turn.answered for turn in turns) * plan.rules.output / 1e6
    names = ("plan, blind", "keep-all", "drop-oldest", "hysteresis")
    for name, standing in zip(names, (course.own, *course.rules), strict=True):
        assert standing.dollars + answers == pytest.approx(outcomes[name].dollars)
        assert standing.state.first == outcomes[name].bills[-1].first
    if is_safe(ledger, len(turns) - 1, course):
        assert outcomes["plan, blind"].dollars <= min(outcomes[name].dollars for name in names[1:]) + 1e-12
    else:
        assert seed in NOT_SAFE


def test_a_safe_place_stays_safe_beside_one_rule() -> None:
    """Beside any one rule there is a safe step in each turn after a safe place, whatever the turns are."""
    checked = 0
    for seed in range(60):
        random = Random(seed)
        plan, turns = plan_of(random), session(random, 10)
        plan = ContextPlan(plan.room, rules=plan.rules.model_copy(update={"min_tokens": 1, "step": 1}), keep=plan.keep)
        for name in range(3):
            course = Course()
            for number in range(len(turns)):
                so_far = turns[: number + 1]
                found = []
                for first in plan.choices(plan.ledger(so_far), number, course.own.state.first):
                    after = plan.taken(so_far, course, first, write=True)
                    if is_safe(plan.ledger(so_far), number, after._replace(rules=(after.rules[name],) * 3)):
                        found.append(after)
                assert found, (seed, name, number)
                course = random.choice(found)
                checked += 1
    assert checked == 1800


def test_of_many_choices_those_of_simple_rules_are_looked_at() -> None:
    turns = [Exchange(5, 5, 1.0) for _ in range(120)]
    plan = ContextPlan(1200, rules=SMALL["marks"], keep=100)
    outcomes = {outcome.rule: outcome.dollars for outcome in simulate(turns, plan)}
    assert outcomes["plan"] <= min(outcomes[name] for name in ("keep-all", "drop-oldest", "hysteresis")) + 1e-12


def test_of_ways_that_cost_the_same_the_one_that_keeps_more() -> None:
    """To drop three turns while all still fits costs as much as to drop four when it does not: so nothing is dropped before it has to be."""
    plan = ContextPlan(4000, rules="claude-sonnet", fixed=1100, keep=600)
    turns = [Exchange(200, 300, seconds=20) for _ in range(9)]
    steps = plan.steps(turns)
    assert [step.first for step in steps] == [0, 0, 0, 0, 0, 0, 4, 4, 4]
    ledger, before, cache, dollars = plan.ledger(turns), 0, Cache(), 0.0
    for number, first in enumerate([0, 0, 0, 0, 0, 3, 3, 3, 3]):
        bill, cache = ledger.bill(number, before, first, cache, write=steps[number].write if number else False)
        before, dollars = first, dollars + bill.dollars
    assert dollars >= sum(step.bill.dollars for step in steps) - 1e-12


def test_no_prompt_begins_with_answers_of_tools() -> None:
    turns = [Exchange(20, 20, 5, bound=number % 3 == 2) for number in range(12)]
    for outcome in simulate(turns, ContextPlan(140, rules=SMALL["marks"], keep=0)):
        assert not any(turns[bill.first].bound for bill in outcome.bills)
        assert {bill.first for bill in outcome.bills} != {0}


# With caches that round and charge for writing, that are free, and that are worth nothing.
ODD = [
    *SMALL.values(),
    CacheRules(input=3, cached=0.5, write=4, output=9, min_tokens=200, step=50, breakpoints=3, look_back=3),
    CacheRules(input=2, cached=0, write=2, output=9, min_tokens=0, step=16),
    CacheRules(input=2, cached=0.2, write=2, output=9, min_tokens=500),
    CacheRules(input=2, cached=1.9, write=5, output=9, min_tokens=500),
    CacheRules(input=2, cached=2, write=2, output=9, min_tokens=500),
]


@pytest.mark.parametrize("seed", range(80))
def test_as_cheap_as_the_cheapest_of_all_ways(seed: int) -> None:
    """Of all turns that each prompt may begin with, written to the cache or not."""
    random = Random(seed)
    drawn = plan_of(random)
    plan = ContextPlan(drawn.room, rules=random.choice(ODD), fixed=drawn.fixed, keep=drawn.keep, summary=drawn.summary)
    share = random.choice((1, 1, 8))
    turns = [
        replace(
            turn, asked=turn.asked // share, answered=turn.answered // share, bound=number > 0 and random.random() < 0.1
        )
        for number, turn in enumerate(session(random, 11))
    ]
    ledger = plan.ledger(turns)

    @cache
    def cheapest(number: int, before: int, held: Cache) -> float:
        if number == len(turns):
            return 0.0
        firsts = ledger.choices(number, before, plan.room, plan.keep)
        ways = itertools.product(firsts, (True, False))
        bills = [(first, ledger.bill(number, before, first, held, write=write)) for first, write in ways]
        costs = (bill.dollars + cheapest(number + 1, first, after) for first, (bill, after) in bills)
        return min(costs, default=float("inf"))

    dollars = cheapest(0, 0, Cache())
    if dollars == float("inf"):
        with pytest.raises(RequiredItemsError, match="the conversation do not fit"):
            plan.steps(turns)
    else:
        assert sum(step.bill.dollars for step in plan.steps(turns)) == pytest.approx(dollars, rel=1e-9)


def test_choices_are_those_that_fit_and_keep_enough() -> None:
    random = Random(5)
    for _ in range(60):
        plan, turns = plan_of(random), session(random, 9)
        turns = [replace(turn, bound=number > 0 and random.random() < 0.3) for number, turn in enumerate(turns)]
        ledger = plan.ledger(turns)
        for number, before in itertools.combinations_with_replacement(range(9), 2):
            number, before = before, number  # noqa: PLW2901
            fitting = [
                first
                for first in range(before, number + 1)
                if ledger.prompt(first, number) <= plan.room and not turns[first].bound
            ]
            wanted = [first for first in fitting if first == fitting[0] or ledger.history(first, number) >= plan.keep]
            assert ledger.choices(number, before, plan.room, plan.keep) == wanted


def test_a_plan_of_many_turns_looks_at_few_ways() -> None:
    """Linear in the turns, however many of them fit into a prompt."""
    for budget in (6_000, 32_000):
        looked_at = {}
        for size in (120, 240, 480):
            random = Random(1)
            turns = [
                Exchange(random.choice((10, 40)), random.choice((20, 80)), random.choice((8, 40, 900)))
                for _ in range(size)
            ]
            plan = ContextPlan(budget, rules="claude-sonnet-1h", fixed=1200)
            ledger = plan.ledger(turns)
            chances = [{ledger.is_alive(number): 1.0} for number in range(size)]
            looked_at[size] = PlanSearch(
                ledger, partial(plan.choices, ledger), 0, PlanState(0, Cache()), chances
            ).looked_at
            assert looked_at[size] < 200 * size
            model = [{True: 1.0}, *[{True: 0.7, False: 0.3}] * 6]
            step = PlanSearch(ledger, partial(plan.choices, ledger), 113, PlanState(0, Cache(0, 112)), model)
            assert step.looked_at < 1500
        if budget == 6_000:
            # The first turns fit whatever happens.
            assert looked_at[480] - looked_at[240] <= 2.1 * (looked_at[240] - looked_at[120])


def test_simple_rules_are_followed_where_states_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two states a turn and two choices the search finds little, and is never dearer than the rules all the same."""
    monkeypatch.setattr(searching, "_MOST_STATES", 2)
    monkeypatch.setattr(searching, "_MOST_CHOICES", 2)
    for seed in range(40):
        random = Random(seed)
        plan, turns = plan_of(random), session(random, 10)
        outcomes = {outcome.rule: outcome.dollars for outcome in simulate(turns, plan)}
        assert outcomes["plan"] <= min(outcomes[name] for name in ("keep-all", "drop-oldest", "hysteresis")) + 1e-12


def test_what_a_request_costs() -> None:
    """By hand: 1,000 fixed tokens, then 100 asked and 200 answered each turn."""
    rules = PROVIDERS["claude-sonnet"].model_copy(update={"min_tokens": 1000})
    ledger = Ledger(rules, [Exchange(100, 200, 10), Exchange(100, 200, 10), Exchange(100, 200, 999)], 1000)
    first, cache = ledger.bill(0, 0, 0, Cache())
    assert (first.tokens, first.hits, first.marks) == (1100, 0, (1000, 1100))
    assert first.dollars == pytest.approx((1100 * 3.75 + 200 * 15) / 1e6)
    second, cache = ledger.bill(1, 0, 0, cache)
    assert (second.tokens, second.hits) == (1400, 1100)
    assert second.dollars == pytest.approx((1100 * 0.3 + 300 * 3.75 + 200 * 15) / 1e6)
    moved, _ = ledger.bill(1, 0, 1, Cache(0, 0, fixed=True))
    assert (moved.tokens, moved.hits) == (1100, 1000)
    late, _ = ledger.bill(2, 0, 0, cache)
    assert late.hits == 0


def test_a_pause_is_the_time_to_drop() -> None:
    turns = (
        [Exchange(100, 400, 5) for _ in range(6)]
        + [Exchange(100, 400, 9999)]
        + [Exchange(100, 400, 5) for _ in range(4)]
    )
    steps = ContextPlan(20_000, rules=SMALL["marks"], fixed=200, keep=2000).steps(turns)
    assert [step.first for step in steps[:6]] == [0] * 6
    assert steps[6].first == 2
    assert "the cache is empty after 9,999 s" in steps[6].why


def test_wrong_plans() -> None:
    for options in ({"budget": 100, "reserve": 100}, {"budget": 100, "fixed": 100}, {"budget": 100, "keep": -1}):
        with pytest.raises(PromptConfigurationError, match="must be more than fixed"):
            ContextPlan(**options)  # type: ignore[arg-type]
    with pytest.raises(PromptConfigurationError, match="one of claude-sonnet"):
        ContextPlan(100, rules="x")
    with pytest.raises(ValidationError, match="prices must ascend: cached 3, input 2, write 2"):
        CacheRules(input=2, cached=3, write=2, output=9)
    with pytest.raises(ValidationError, match="finite"):
        CacheRules(input=2, cached=1, write=float("inf"), output=9)
    with pytest.raises(RequiredItemsError, match="turn 1 900"):
        ContextPlan(500, rules=SMALL["marks"]).steps([Exchange(10, 10), Exchange(900, 10)])


LINES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi", "time": 10},
    {"role": "assistant", "content": "Hello", "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "4", "time": 12},
    {"role": "assistant", "tokens": 7},
    {"role": "user", "content": [{"type": "text", "text": "more"}, {"type": "image"}], "time": 500},
    {"role": "assistant", "content": "Yes"},
]


def test_sessions_are_read() -> None:
    count = Tokenizer.load("o200k_base").count
    fixed, turns = read_session(map(json.dumps, LINES), Tokenizer.load("o200k_base"))
    assert fixed == count("Be brief.") + 4
    assert turns == [
        Exchange(count("Hi") + 4, count("Hello") + count('[{"id": "1"}]') + 4, 0.0, 2),
        Exchange(count("4") + 4, 7, 2.0, 2, bound=True),
        Exchange(count("more") + 4, count("Yes") + 4, 488.0, 2),
    ]
    for line, said in (
        ("{", "line 1: not JSON"),
        ("[]", "line 1: a message must be an object"),
        ("[" * 100_000, "line 1: not JSON"),
        ('{"role": "user", "content": 3}', "line 1: content must be a text, a list of parts, or null"),
        ('{"role": "user", "content": {"type": "text", "text": "x"}}', "line 1: content must be"),
        ('{"role": "user", "time": "x"}', "time must be"),
    ):
        with pytest.raises(MessageError, match=said):
            read_session([line], Tokenizer.load("o200k_base"))


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"role": role, "tokens": 300, "time": 10 * turn})
            for turn in range(40)
            for role in ("user", "assistant")
        )
    )
    found = CliRunner().invoke(
        app, ["prompt", "simulate", str(path), "--budget", "6000", "--reserve", "500", "--turns", "--explain"]
    )
    assert found.exit_code == 0, found.output
    rows = {line[:12].strip(): line for line in found.output.splitlines() if len(line.split()) > 5}
    dollars = {
        name: float(rows[name].split()[-2]) for name in ("keep-all", "drop-oldest", "hysteresis", "plan", "plan, blind")
    }
    assert dollars["plan"] <= min(dollars.values())
    assert "as of 2026-04" in found.output
    assert "over budget by" in found.output
    for nothing in ("", "\n\n", '{"role": "system", "content": "Be brief."}\n'):
        path.write_text(nothing)
        empty = CliRunner().invoke(app, ["prompt", "simulate", str(path)])
        assert (empty.exit_code, empty.stdout) == (1, "")
        assert "session.jsonl holds no turns" in empty.stderr
    path.write_text("{")
    assert CliRunner().invoke(app, ["prompt", "simulate", str(path)]).exit_code == 1
    assert CliRunner().invoke(app, ["prompt", "simulate", str(path), "--provider", "x"]).exit_code == 2
    for wrong, why in ((tmp_path / "nope", "nope does not exist"), (tmp_path, "is a folder")):
        refused = CliRunner().invoke(app, ["prompt", "simulate", str(wrong)])
        assert refused.exit_code == 2
        assert f"Invalid value for SESSION: {tmp_path}" in refused.stderr
        assert why in refused.stderr


def test_a_step_needs_a_turn_that_asks() -> None:
    plan = ContextPlan(1000, 100)
    assert plan.steps([]) == []
    with pytest.raises(PromptConfigurationError, match="turns must end with the turn that asks"):
        plan.next_step([])
    with pytest.raises(PromptConfigurationError, match="turns must end with the turn that asks"):
        plan.taken([], Course(), 0, write=False)


def test_files_of_sessions(tmp_path: Path) -> None:
    """Line ends and marks of Windows change nothing, and a line ends where JSON says so."""
    lines = [
        '{"role": "user", "content": "one\u2028two\u0085three"}',
        '{"role": "assistant", "content": "four"}',
    ]
    path = tmp_path / "session.jsonl"
    told = []
    for mark, end in (("", "\n"), ("\ufeff", "\r\n")):
        path.write_bytes((mark + end.join(lines) + end).encode())
        told.append(read_session_file(path, Tokenizer.load("o200k_base")))
    assert told[0] == told[1] == read_session(lines, Tokenizer.load("o200k_base"))
    assert len(told[0][1]) == 1
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(MessageError, match=r"session\.jsonl: not UTF-8"):
        read_session_file(path, Tokenizer.load("o200k_base"))


@pytest.mark.parametrize("key", ["time", "tokens"])
@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "-1", "true", "1" + "0" * 400])
def test_numbers_of_a_session_can_be_priced(key: str, value: str) -> None:
    with pytest.raises(MessageError, match=f"line 1: {key} must be a number from 0 to 9,007,199,254,740,992"):
        read_session(['{"role": "user", "' + key + '": ' + value + "}"], Tokenizer.load("o200k_base"))


def test_numbers_of_turns_and_plans_are_checked() -> None:
    turn = Exchange(1, 1)
    for wrong in ({"asked": -1}, {"answered": 2**60}, {"messages": -1}, {"seconds": -1.0}, {"seconds": float("nan")}):
        with pytest.raises(OptionError, match=f"{next(iter(wrong))} must"):
            replace(turn, **wrong)
    for mistyped in ({"asked": 1.5}, {"answered": "a"}, {"messages": None}, {"seconds": "a"}):
        with pytest.raises(WrongTypeError, match=f"{next(iter(mistyped))} must"):
            replace(turn, **mistyped)
    for option in ({"budget": "a"}, {"reserve": None}, {"fixed": 1.5}, {"keep": "a"}, {"summary": "a"}, {"rules": 5}):
        with pytest.raises(WrongTypeError, match=f"{next(iter(option))} must"):
            ContextPlan(**{"budget": 100, **option})  # type: ignore[arg-type]
    for turns in (5, None, "ab", [5], [(1, 2)]):
        with pytest.raises(WrongTypeError, match="turns must"):
            ContextPlan(100).steps(turns)  # type: ignore[arg-type]
        with pytest.raises(WrongTypeError, match="turns must"):
            ContextPlan(100).next_step(turns)  # type: ignore[arg-type]


def test_what_does_not_fit_names_the_turns_that_must_stay_together() -> None:
    """An answer of a tool stays with its call, whose tokens are lacking, too."""
    turns = [Exchange(5, 5), Exchange(20, 10), Exchange(5, 0, bound=True)]
    with pytest.raises(RequiredItemsError, match="fixed 6, summary 2, turn 1 30, turn 2 5; 13 tokens are lacking"):
        ContextPlan(30, fixed=6, keep=0, summary=2).steps(turns)


def test_the_repr_names_the_rules_and_the_tokens() -> None:
    plan = ContextPlan(4000, 500, rules="claude-sonnet", fixed=1100, keep=600)
    assert repr(plan) == "<ContextPlan 'claude-sonnet': 3500 tokens, fixed=1100, keep=600, summary=0>"
    own = ContextPlan(4000, rules=CacheRules(input=7, cached=1, write=8, output=9), summary=20)
    assert repr(own) == "<ContextPlan: 4000 tokens, fixed=0, keep=2000, summary=20>"
