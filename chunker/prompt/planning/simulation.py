"""Simulate a recorded session under simple rules and under the plan: tokens, hits, misses and dollars of each turn.

keep-all     turns leave only when there is no room, as many as must
drop-oldest  one more each turn than that, as a window that slides
hysteresis   when there is no room, until a quarter of it is free
plan         the cheapest, where the turns to come are expected as they were recorded
plan, blind  the cheapest, where they are expected as the turns so far were on average
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from chunker.counting import TokenCounter
from chunker.prompt.errors import MessageError
from chunker.prompt.planning.billing import MOST, Cache, Exchange, RequestBill
from chunker.prompt.planning.context_plan import HYSTERESIS, ContextPlan
from chunker.prompt.planning.planned_turns import PlannedTurns
from chunker.prompt.planning.searching import PlanState
from chunker.prompt.planning.simple_rules import followed, simple_rules

# Tokens of the frame around a message: see the chat format "openai".
_FRAME = 4


@dataclass(frozen=True)
class Outcome:
    """A rule, and the bills of all requests under it.

    Attributes:
        rule: The name of the rule.
        bills: One bill a request.
        reasons: The reasons of the plan, one a request; empty for other rules.
    """

    rule: str
    bills: tuple[RequestBill, ...]
    reasons: tuple[str, ...] = ()

    @property
    def dollars(self) -> float:
        """The whole bill."""
        return sum(bill.dollars for bill in self.bills)

    @property
    def tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(bill.tokens for bill in self.bills)

    @property
    def hits(self) -> int:
        """Tokens that came from the cache."""
        return sum(bill.hits for bill in self.bills)


def simulate(
    turns: Sequence[Exchange],
    plan: ContextPlan,
    hysteresis: float = HYSTERESIS,
    *,
    numbers: Iterable[int] | None = None,
) -> list[Outcome]:
    """Bill a session under each rule. A plan is made for each turn: some 10 milliseconds.

    Args:
        turns: The turns of the session.
        plan: Budget, prices and cache rules.
        hysteresis: The part of the room that the rule of this name frees.
        numbers: `range(len(turns))`, or an iterator over it that shows how far the work is.

    Returns:
        An outcome for each simple rule, then for the plan that knows all turns, then for the plan that knows only those
        before.

    Raises:
        RequiredItemsError: A turn does not fit even alone.
    """
    ledger = plan.ledger(turns)
    chances = [{ledger.is_alive(number): 1.0} for number in range(len(turns))]
    rules = simple_rules(ledger, partial(plan.choices, ledger), plan.room, hysteresis)
    made = []
    for name, rule in rules.items():
        bills, _ = followed(ledger, rule, 0, PlanState(0, Cache()), chances)
        made.append(Outcome(name, tuple(bill for _, bill in bills)))
    known = plan.steps(turns)
    made.append(Outcome("plan", tuple(step.bill for step in known), tuple(step.why for step in known)))
    return [*made, _blind(turns, plan, range(len(turns)) if numbers is None else numbers)]


def _blind(turns: Sequence[Exchange], plan: ContextPlan, numbers: Iterable[int]) -> Outcome:
    """Return the outcome of a plan that is made anew at each turn, without the turns after it."""
    planned, reasons = PlannedTurns(), []
    for number in numbers:
        turn = turns[number]
        so_far = [*turns[:number], replace(turn, answered=0)]
        step = planned.step(plan, so_far)
        planned.asked(so_far)
        planned.sent(plan, step.first, write=step.write)
        planned.answered(plan, turn.answered, 0)
        reasons.append(step.why)
    return Outcome("plan, blind", tuple(planned.bills), tuple(reasons))


def read_session(
    lines: Iterable[str], tokenizer: TokenCounter, name: str = "the session"
) -> tuple[int, list[Exchange]]:
    """Read messages in JSON, one per line; return the tokens of the fixed start, and the turns.

    Args:
        lines: A message each: "role", "content", "tool_calls"; "time" of the request in seconds; "tokens" instead of
            counting.
        tokenizer: The tokenizer that counts tokens.
        name: The name of the session in error messages.

    Raises:
        MessageError: A line is not a message, with its number.
    """
    fixed = asked = answered = messages = 0
    time = last = 0.0
    bound = False
    turns: list[Exchange] = []

    def close() -> None:
        if asked or answered:
            turns.append(Exchange(asked, answered, max(0.0, time - last) if turns else 0.0, messages, bound))

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        message = _message(line, f"{name}, line {number}")
        tokens = _tokens(message, tokenizer)
        role = message["role"]
        if role in ("system", "developer") and not turns and not asked:
            fixed += tokens
            continue
        if role != "assistant" and answered:
            close()
            asked = answered = messages = 0
            last, time = time, max(time, float(message.get("time", time)))
        elif role != "assistant" and not turns and not asked:
            time = last = float(message.get("time", 0.0))
        if not messages:
            bound = role == "tool" and bool(turns)
        messages += 1
        if role == "assistant":
            answered += tokens
        else:
            asked += tokens
    close()
    return fixed, turns


def _message(line: str, where: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"{where}: not JSON: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise MessageError(f"{where}: a message must be an object with a role")
    if not isinstance(message.get("content"), str | list | None):
        raise MessageError(f"{where}: content must be a text, a list of parts, or null")
    for key, kinds in (("tokens", int), ("time", (int, float))):
        value = message.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= MOST:
            raise MessageError(f"{where}: {key} must be a number from 0 to {MOST:,}")
    return message


def _tokens(message: dict[str, Any], tokenizer: TokenCounter) -> int:
    if "tokens" in message:
        return int(message["tokens"])
    content = message.get("content")
    parts = (
        [content]
        if isinstance(content, str)
        else [str(part.get("text", "")) for part in content or [] if isinstance(part, dict)]
    )
    if message.get("tool_calls"):
        parts.append(json.dumps(message["tool_calls"], ensure_ascii=False))
    return _FRAME + sum(tokenizer.count(part) for part in parts)


def read_session_file(path: Path, tokenizer: TokenCounter) -> tuple[int, list[Exchange]]:
    """Read a session from a file, as `read_session` does. Also raises OSError, and MessageError for a file that is not UTF-8."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MessageError(f"{path}: not UTF-8: {error}") from None
    # Not splitlines(): a string in JSON may hold U+2028 and other characters at which that splits.
    return read_session(text.split("\n"), tokenizer, str(path))
