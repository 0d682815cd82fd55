"""ContextPlan: never dearer than simple rules, as cheap as the cheapest of all ways, and never over budget."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from bpe_engine import Tokenizer
from chunker.cli.app import app
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
from chunker.prompt.planning.billing import Cache, Ledger
from chunker.prompt.planning.simulation import read_session

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
    again = simulate(turns, plan)
    assert again == list(outcomes.values())


@pytest.mark.parametrize("seed", range(40))
def test_as_cheap_as_the_cheapest_of_all_ways(seed: int) -> None:
    random = Random(seed)
    plan, turns = plan_of(random), session(random, 5)
    ledger = plan.ledger(turns)
    cheapest = float("inf")
    for firsts in itertools.product(range(len(turns)), repeat=len(turns)):
        if any(one > other for one, other in itertools.pairwise((0, *firsts))):
            continue
        if any(number < first for number, first in enumerate(firsts)):
            continue
        starts = (0, *firsts[:-1])
        if any(
            first not in plan.choices(ledger, number, before)
            for number, (first, before) in enumerate(zip(firsts, starts, strict=True))
        ):
            continue
        for writes in itertools.product((True, False), repeat=len(turns)):
            cache, dollars = Cache(), 0.0
            for number, (first, before, write) in enumerate(zip(firsts, starts, writes, strict=True)):
                bill, cache = ledger.bill(number, before, first, cache, write=write)
                dollars += bill.dollars
            cheapest = min(cheapest, dollars)
    assert sum(step.bill.dollars for step in plan.steps(turns)) == pytest.approx(cheapest, rel=1e-9)


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
    with pytest.raises(RequiredItemsError, match="turn 1 900"):
        ContextPlan(500, rules=SMALL["marks"]).steps([Exchange(10, 10), Exchange(900, 10)])
    with pytest.raises(PromptConfigurationError, match="was not given"):
        ContextPlan(100).summary_of(0, 1)
    assert ContextPlan(100, summarize=lambda first, last: f"{first}-{last}").summary_of(0, 2) == "0-2"


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
        Exchange(count("4") + 4, 7, 2.0, 2),
        Exchange(count("more") + 4, count("Yes") + 4, 488.0, 2),
    ]
    for line, said in (
        ("{", "line 1: no JSON"),
        ("[]", "line 1: a message is an object"),
        ('{"role": "user", "time": "x"}', "time must be"),
    ):
        with pytest.raises(MessageError, match=said):
            read_session([line], Tokenizer.load("o200k_base"))


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"role": role, "tokens": 300, "time": 10 * turn})
            for turn in range(30)
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
    assert "as of 2025-09" in found.output
    assert "over budget by" in found.output
    path.write_text("{")
    assert CliRunner().invoke(app, ["prompt", "simulate", str(path)]).exit_code == 1
    assert CliRunner().invoke(app, ["prompt", "simulate", str(path), "--provider", "x"]).exit_code == 2
