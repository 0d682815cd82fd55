"""The cost of a turn in a `PromptSession` of up to 200,000 tokens, beside counting the history anew; and what hysteresis does for a cache.

The turns are pieces of real documents and sources, about a hundred tokens each. Every prompt's count is checked against
tiktoken at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from time import process_time

import tiktoken
from measuring import Report, parser
from real_texts import own_markdown, standard_library
from timing import best_seconds, in_units, pin_to_one_core

from bpe_engine import Tokenizer
from bpe_engine.published.registry import load_vocabulary
from chunker.prompt import Item, PromptSession

ENCODING = "o200k_base"
SIZES = (25_000, 50_000, 100_000, 200_000)
MEASURED_TURNS = 101
PIECE = 400  # characters
LONG_RUN = 6_000  # turns


def pieces() -> Iterator[str]:
    """An endless series of texts."""
    texts = [*own_markdown().values(), *standard_library(60).values()]
    for text in cycle(texts):
        for start in range(0, len(text), PIECE):
            yield text[start : start + PIECE]


def session_of(tokens: int, chat_format: str, source: Iterator[str]) -> PromptSession:
    """A session with a history of this many tokens, and room for more."""
    session = PromptSession(tokens + 50_000, tokenizer=ENCODING, chat_format=chat_format, system=[Item("Be brief.")])
    turn = 0
    while session.token_count < tokens:
        session.add("user" if turn % 2 == 0 else "assistant", next(source))
        turn += 1
    return session


def turn_seconds(session: PromptSession, source: Iterator[str]) -> float:
    """The median time of adding a turn."""
    taken = []
    for _ in range(MEASURED_TURNS):
        piece = next(source)
        start = process_time()
        session.add("user", piece)
        taken.append(process_time() - start)
    return median(taken)


def publishers_count() -> Callable[[str], int]:
    """Counts with tiktoken, on the embedded vocabulary: its own loader would download it."""
    vocabulary = load_vocabulary(ENCODING)
    assert vocabulary.pattern is not None
    encoding = tiktoken.Encoding(
        ENCODING, pat_str=vocabulary.pattern.source, mergeable_ranks=vocabulary.ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


def check(session: PromptSession, count: Callable[[str], int]) -> str:
    """The text of the prompt, whose count must be right. For the plain format only: no special tokens."""
    prompt = session.prompt()
    assert prompt.token_count == count(prompt.text)
    return prompt.text


def growth_rows() -> Iterator[list[str]]:
    """One row per size: the times of a turn, of the prompt, and of counting all anew."""
    tokenizer = Tokenizer.load(ENCODING)
    count = publishers_count()
    for tokens in SIZES:
        source = pieces()
        session = session_of(tokens, "plain", source)
        turn = turn_seconds(session, source)
        text = check(session, count)
        chat = session_of(tokens, "chatml", pieces())
        chat_turn = turn_seconds(chat, pieces())
        prompt = best_seconds(session.prompt)
        anew = best_seconds(lambda: tokenizer.count(text))  # noqa: B023 - called before the next turn of the loop
        theirs = best_seconds(lambda: count(text))  # noqa: B023 - called before the next turn of the loop
        yield [
            f"{tokens:,}",
            in_units(turn),
            in_units(chat_turn),
            in_units(prompt),
            f"{in_units(anew)}, {anew / turn:,.0f}x",
            f"{in_units(theirs)}, {theirs / turn:,.0f}x",
        ]


def step_row(hysteresis: float) -> list[str]:
    """A long run under a budget: how often its start changes, what a turn costs with all that leaves, how full it is."""
    source = pieces()
    session = PromptSession(200_000, tokenizer=ENCODING, chat_format="chatml", hysteresis=hysteresis)
    changed, full, tokens = 0, 0, 0
    start = process_time()
    for turn in range(LONG_RUN):
        departed = session.add("user" if turn % 2 == 0 else "assistant", next(source))
        full += bool(changed)
        tokens += session.token_count if changed else 0
        changed += bool(departed)
    seconds = (process_time() - start) / LONG_RUN
    return [f"{hysteresis:g}", in_units(seconds), f"{changed:,} of {full:,}", f"{tokens / max(full, 1) / 200_000:.0%}"]


def main() -> None:
    """Measure, and write the report."""
    options = parser(__doc__).parse_args()
    report = Report("Sessions: the cost of a turn", options.output)
    report.add_provenance(["tiktoken"], pin_to_one_core())
    report.add(
        f"A turn of about {PIECE} characters is added to a history (median of {MEASURED_TURNS}), under `plain` (text between turns) and "
        "`chatml` (special tokens between turns); the prompt's text and messages are made; the whole text is counted anew by this package "
        "and by tiktoken, as one does who has no session. Under `plain` the session's count is that of tiktoken."
    )
    header = ["tokens", "turn, plain", "turn, chatml", "prompt()", "count anew", "tiktoken anew"]
    report.add_table(header, growth_rows())
    report.add(
        f"Under a budget of 200,000 tokens, {LONG_RUN:,} turns: what a turn costs on average with all that leaves, how many turns change the "
        "start of the prompt, which a provider's cache then does not know, once the budget has been reached, and how full the budget is then."
    )
    report.add_table(["hysteresis", "turn", "changes of the start", "filled"], map(step_row, (0, 0.1, 0.25, 0.5)))


if __name__ == "__main__":
    main()
