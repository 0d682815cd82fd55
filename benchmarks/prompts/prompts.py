"""Prompts: what a fill costs beside adding up counts and beside counting anew, how it grows, and what others make of the same items.

The items are blocks of Python between blank lines, from the standard library, in its order; the budget is half of their
tokens. prompt-poet pins a tiktoken of its own: `--poet` names an interpreter of an environment that has it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import tiktoken
from growing_plot import draw
from measuring import Report, parser
from prompt_peers import SEPARATOR, Answer, Input, Peer, added_up, langchain, ours, priompt, prompt_poet, recounted
from real_texts import standard_library
from timing import best_seconds, in_units, pin_to_one_core

from bpe_engine import Tokenizer
from chunker.prompt import Item, assemble
from chunker.prompt.pricing import forget

ENCODING = "o200k_base"
BLOCKS = 1_600
GROWTH = (100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800)
# Counting anew is not asked for more items than these: it grows with their square.
GROWTH_RECOUNTED = 1_600
REPEATS = 7
BUDGETS = 20


def blocks(number: int) -> list[str]:
    """Paragraphs of the standard library's sources, `number` of them, stripped."""
    found = [block.strip() for source in standard_library().values() for block in source.split("\n\n") if block.strip()]
    while len(found) < number:
        found += found
    return found[:number]


def inputs(texts: Sequence[str], kind: str) -> list[Input]:
    """The texts with the three orders of importance."""
    size = len(texts)
    chance = random.Random(5)  # noqa: S311 - the same figures each time
    shuffled = chance.sample(range(size), size)
    return [
        Input(f"{kind}, first first", texts, [-place for place in range(size)]),
        Input(f"{kind}, newest first", texts, range(size)),
        Input(f"{kind}, any order", texts, shuffled),
    ]


class Bench:
    """The sections, each of which adds to the report."""

    def __init__(self, report: Report, tokenizer: Tokenizer, oracle: tiktoken.Encoding, poet: Path | None) -> None:
        self.report = report
        self.tokenizer = tokenizer
        self._oracle = oracle
        self.poet = poet

    def count(self, text: str) -> int:
        """Tokens by tiktoken."""
        return len(self._oracle.encode_ordinary(text))

    def total(self, given: Input) -> int:
        """Tokens of all texts together."""
        return self.count(given.joined(range(len(given.texts))))

    def best(self, peer: Peer, given: Input, budget: int, repeats: int) -> Answer:
        """The quickest of some calls."""
        answers = [peer(given, budget)]
        while len(answers) < repeats and sum(answer.seconds for answer in answers) < 2:
            answers.append(peer(given, budget))
        return min(answers, key=lambda answer: answer.seconds)

    def half_of_the_blocks(self) -> None:
        """Measure a fill, and check that it keeps the same items as counting anew."""
        texts = blocks(BLOCKS)
        budget = self.total(inputs(texts, "")[0]) // 2
        self.report.add(f"## Half of {BLOCKS:,} blocks of Python: {budget:,} tokens")
        sums = {
            "tiktoken": best_seconds(lambda: sum(map(self.count, texts)), repeats=REPEATS),
            "ours": best_seconds(lambda: sum(map(self.tokenizer.count, texts)), repeats=REPEATS),
        }
        self.report.add(
            "To count each block by itself and add up: "
            + ", ".join(f"{in_units(seconds)} with {name}" for name, seconds in sums.items())
            + ". Counting anew is with tiktoken; its items are what is right."
        )
        rows = []
        for strict in (True, False):
            for given in inputs(texts, "strict" if strict else "best effort"):
                right = recounted(self.count, strict=strict)(given, budget)
                mine = self.best(ours(self.tokenizer, "strict" if strict else "best_effort"), given, budget, REPEATS)
                theirs = self.best(added_up(self.count, strict=strict), given, budget, REPEATS)
                assert sorted(mine.kept) == sorted(right.kept)
                rows.append(
                    [
                        given.name,
                        in_units(mine.seconds),
                        f"{mine.seconds / sums['tiktoken']:.2f}",
                        f"{len(mine.kept)}",
                        in_units(right.seconds),
                        f"{right.seconds / mine.seconds:,.0f}",
                        f"{len(right.kept)}",
                        in_units(theirs.seconds),
                        f"{len(theirs.kept)}",
                    ]
                )
        header = ["", "assemble", "times the sums of tiktoken", "items", "anew at each step", "times ours", "items"]
        self.report.add_table([*header, "parts added up", "items"], rows)

    def growth(self) -> None:
        """Measure a fill by the number of items."""
        self.report.add("## Over the number of items, in any order of importance, best effort")
        series: dict[str, dict[int, float]] = {
            "assemble": {},
            "parts added up, tiktoken": {},
            "anew at each step, tiktoken": {},
        }
        rows = []
        for size in GROWTH:
            given = inputs(blocks(size), "")[2]
            budget = self.total(given) // 2
            series["assemble"][size] = self.best(ours(self.tokenizer, "best_effort"), given, budget, REPEATS).seconds
            series["parts added up, tiktoken"][size] = self.best(
                added_up(self.count, strict=False), given, budget, REPEATS
            ).seconds
            if size <= GROWTH_RECOUNTED:
                series["anew at each step, tiktoken"][size] = recounted(self.count, strict=False)(given, budget).seconds
            cells = [in_units(points[size]) if size in points else "" for points in series.values()]
            rows.append([f"{size:,}", f"{budget:,}", *cells])
        self.report.add_table(["items", "budget", *series], rows)
        if self.report.output is not None:
            picture = self.report.output.with_name(f"{self.report.output.stem}_items.svg")
            missing = draw(series, "Half of the items, by priority", picture, xlabel="items", ylabel="seconds")
            self.report.add(missing or f"![seconds over items, both logarithmic]({picture.name})")

    def hard_ones(self) -> None:
        """Measure hard inputs: many short items, and items of letters alone, some with nothing between them."""
        self.report.add("## Hard ones, best effort, any order of importance")
        chance = random.Random(7)  # noqa: S311 - the same figures each time
        letters = ["".join(chance.choices("abcdefghij", k=250)) for _ in range(BLOCKS)]
        short = [f"item number {number} is here" for number in range(10_000)]
        rows = []
        for name, texts, separator, in_order in (
            ("10,000 items of 5 tokens", short, SEPARATOR, False),
            (f"{BLOCKS:,} items of letters alone, blank lines between", letters, SEPARATOR, False),
            (f"{BLOCKS:,} items of letters alone, nothing between, in order", letters, "", True),
            (f"{BLOCKS:,} items of letters alone, nothing between", letters, "", False),
        ):
            budget = self.count(separator.join(texts)) // 2
            order = range(len(texts), 0, -1) if in_order else chance.sample(range(len(texts)), len(texts))
            items = [Item(text, priority=level) for text, level in zip(texts, order, strict=True)]
            tokens: list[int] = []

            def fill(
                items: list[Item] = items, budget: int = budget, separator: str = separator, tokens: list[int] = tokens
            ) -> None:
                forget(self.tokenizer)
                prompt = assemble(items, budget, tokenizer=self.tokenizer, separator=separator)
                tokens[:] = [prompt.token_count, self.tokenizer.count(prompt.text)]

            seconds = best_seconds(fill, repeats=3)
            assert tokens[0] == tokens[1]
            rows.append([name, f"{budget:,}", f"{tokens[0]:,}", in_units(seconds)])
        self.report.add_table(["", "budget", "used", "assemble"], rows)

    def side_by_side(self) -> None:
        """Compare the items that other packages keep, and whether these fit."""
        short = [
            "def f(x):",
            "return x",
            "x = 1",
            "if x:",
            "else:",
            "pass",
            "# note",
            "import os",
            "class C:",
            "y = f(x)",
        ]
        chance = random.Random(11)  # noqa: S311 - the same figures each time
        lines = [chance.choice(short) for _ in range(400)]
        peers: dict[str, Peer] = {
            "assemble, best effort": ours(self.tokenizer, "best_effort"),
            "assemble, strict": ours(self.tokenizer, "strict"),
            "parts added up, best effort": added_up(self.count, strict=False),
            "the same, separators forgotten": added_up(self.count, strict=False, with_separators=False),
            "priompt's rule": priompt(self.count),
            "LangChain trim_messages, whole counts": langchain(self.count, whole=True),
            "LangChain trim_messages, message by message": langchain(self.count, whole=False),
            "prompt-poet": prompt_poet(self.tokenizer, self.poet),
        }
        self.report.add("## Side by side")
        self.report.add(
            f"The same texts and {BUDGETS} budgets from a tenth to nine tenths of all tokens (prompt-poet: 4 of them). Used: the tokens of what "
            "is kept, joined by blank lines, by a whole count of tiktoken, in percent of the budget, on average. "
            "Over: how many of the prompts are above their budget."
        )
        for given in (*inputs(blocks(400), "400 blocks")[1:], *inputs(lines, "400 short lines")[1:]):
            total = self.total(given)
            budgets = [total // 10 + number * total * 8 // 10 // (BUDGETS - 1) for number in range(BUDGETS)]
            self.report.add(f"### {given.name}")
            rows = []
            for name, peer in peers.items():
                rows.append([name, *self._compared(peer, given, budgets[::5] if name == "prompt-poet" else budgets)])
            self.report.add_table(["", "used", "items kept", "over", "most over, tokens", "time a prompt"], rows)

    def _compared(self, peer: Peer, given: Input, budgets: Sequence[int]) -> list[str]:
        answers = [peer(given, budget) for budget in budgets]
        failure = next((answer.failure for answer in answers if answer.failure), "")
        if failure:
            return [failure, "", "", "", ""]
        used = [self.count(given.joined(answer.kept)) for answer in answers]
        over = [tokens - budget for tokens, budget in zip(used, budgets, strict=True) if tokens > budget]
        share = sum(tokens / budget for tokens, budget in zip(used, budgets, strict=True)) / len(budgets)
        return [
            f"{100 * share:.2f} %",
            f"{sum(len(answer.kept) for answer in answers) / len(answers):.1f}",
            f"{len(over)} of {len(budgets)}" if over else "0",
            str(max(over, default=0)) if over else "",
            in_units(sum(answer.seconds for answer in answers) / len(answers)),
        ]


def main() -> None:
    """Measure, and write the report."""
    arguments = parser(__doc__)
    arguments.add_argument("--poet", type=Path, metavar="PYTHON", help="an interpreter that has prompt-poet")
    options = arguments.parse_args()
    tokenizer = Tokenizer.load(ENCODING)
    pattern = tokenizer.vocabulary.pattern
    assert pattern is not None
    oracle = tiktoken.Encoding(
        ENCODING, pat_str=pattern.source, mergeable_ranks=dict(tokenizer.vocabulary.ranks), special_tokens={}
    )
    report = Report("Prompts", options.output)
    report.add_provenance(
        ["bpe-chunker", "tiktoken", "langchain-core"],
        pin_to_one_core(),
        "processor time, the shortest of several; nothing of an earlier call is remembered",
        f"{ENCODING}; items joined by blank lines",
    )
    bench = Bench(report, tokenizer, oracle, options.poet)
    sections: Sequence[Callable[[], None]] = (
        bench.half_of_the_blocks,
        bench.growth,
        bench.hard_ones,
        bench.side_by_side,
    )
    for section in sections:
        section()


if __name__ == "__main__":
    main()
