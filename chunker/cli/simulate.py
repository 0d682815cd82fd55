"""`chunker prompt simulate`: the cost of a recorded session under simple rules, and under a plan that takes the provider's cache into account."""

# Imports are where they are used: help and errors about options need neither tokenizers nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import ending_quietly, fail
from chunker.cli.options import TokenizerName, load_tokenizer
from chunker.cli.paths import check_file

if TYPE_CHECKING:
    from chunker.prompt.planning.context_plan import ContextPlan
    from chunker.prompt.planning.simulation import Outcome

EPILOG = """\b
Examples:
  chunker prompt simulate session.jsonl --budget 32000
  chunker prompt simulate session.jsonl --provider gpt-4o --turns
  chunker prompt simulate session.jsonl --budget 200000 --reserve 8000 --keep 40000 --explain

\b
A session has one message per line: {"role": "user", "content": "...", "time": 12.5}. "time" is that of the request, in seconds; "tokens" can replace
the content."""


def simulate(
    session: Annotated[Path, typer.Argument(metavar="SESSION", show_default=False, help="The session: JSON lines.")],
    *,
    budget: Annotated[
        int, typer.Option("--budget", min=1, help="Token limit of a request, answer included.")
    ] = 128_000,
    reserve: Annotated[int, typer.Option("--reserve", min=0, help="Tokens of the budget for the answer.")] = 4_000,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=0, show_default=False, help="Tokens of the latest history to keep. Default: half."),
    ] = None,
    summary: Annotated[
        int, typer.Option("--summary", min=0, help="Tokens of a summary of dropped turns; 0: none.")
    ] = 0,
    provider: Annotated[
        str, typer.Option("--provider", help="Provider whose prices and cache rules apply.")
    ] = "claude-sonnet",
    tokenizer: TokenizerName = "o200k_base",
    turns: Annotated[bool, typer.Option("--turns", help="Print each request.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Print the reasons of the plan.")] = False,
) -> None:
    """Print tokens, cache hits, misses and dollars of a session: keep-all, drop-oldest, hysteresis and the plan.

    "plan" knows the next turns; "plan, blind" expects them to be like those so far. Prices and rules are data with a
    date.
    """
    with ending_quietly():
        from chunker.errors import ChunkerError
        from chunker.files.discovery import printable, reason_of
        from chunker.files.progress import with_progress
        from chunker.prompt.planning.cache_rules import PROVIDERS
        from chunker.prompt.planning.context_plan import ContextPlan
        from chunker.prompt.planning.simulation import read_session_file
        from chunker.prompt.planning.simulation import simulate as simulated

        if provider not in PROVIDERS:
            raise typer.BadParameter(f"one of {', '.join(PROVIDERS)}", param_hint="--provider")
        check_file(session, "SESSION")
        counter = load_tokenizer(tokenizer)
        try:
            fixed, exchanges = read_session_file(session, counter)
            if not exchanges:
                fail(
                    f"{printable(str(session))} holds no turns: a session has messages of a user or an assistant, one per line"
                )
            plan = ContextPlan(budget, reserve, rules=provider, fixed=fixed, keep=keep, summary=summary)
            with with_progress(
                range(len(exchanges)), "Planning", len(exchanges), streaming=False, lines=True
            ) as numbers:
                outcomes = simulated(exchanges, plan, numbers=numbers)
        except ChunkerError as error:
            fail(str(error))
        except OSError as error:
            fail(f"{printable(str(session))}: {reason_of(error)}")
        _print(outcomes, plan, provider)
        for outcome in outcomes:
            if turns:
                _print_turns(outcome)
            if explain and outcome.reasons:
                typer.echo(f"\n{outcome.rule}")
                for number, reason in enumerate(outcome.reasons):
                    typer.echo(f"  {number:>4}  {reason}")


def _print(outcomes: list[Outcome], plan: ContextPlan, provider: str) -> None:
    rules = plan.rules
    typer.echo(
        f"{len(outcomes[0].bills):,} requests, {plan.fixed:,} tokens fixed, room {plan.room:,}; {provider} as of {rules.as_of}, {rules.source}"
        + (f" ({rules.note})" if rules.note else "")
    )
    typer.echo(f"{'':12} {'tokens':>14} {'hits':>14} {'misses':>14} {'dollars':>10} {'cuts':>5}")
    for outcome in outcomes:
        firsts = [0, *(bill.first for bill in outcome.bills)]
        cuts = sum(one != other for one, other in pairwise(firsts))
        misses = outcome.tokens - outcome.hits
        typer.echo(
            f"{outcome.rule:12} {outcome.tokens:>14,} {outcome.hits:>14,} {misses:>14,} {outcome.dollars:>10.4f} {cuts:>5}"
        )


def _print_turns(outcome: Outcome) -> None:
    typer.echo(
        f"\n{outcome.rule}\n{'turn':>6} {'from':>6} {'tokens':>10} {'hits':>10} {'misses':>10} {'dollars':>10}  marks"
    )
    for number, bill in enumerate(outcome.bills):
        marks = " ".join(f"{mark:,}" for mark in bill.marks)
        typer.echo(
            f"{number:>6} {bill.first:>6} {bill.tokens:>10,} {bill.hits:>10,} {bill.tokens - bill.hits:>10,} {bill.dollars:>10.5f}  {marks}"
        )
