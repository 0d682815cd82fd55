"""The items that other packages keep in a prompt, on the same inputs.

assemble              ours: by priority, each item priced where it stands
parts added up        the same order, with the count of each item and separator by itself
priompt's rule        one cut-off for the whole prompt: everything as important as that, found by binary search over whole counts
LangChain             `trim_messages`, the last messages; counted with all that is between them, or message by message
prompt-poet           the highest truncation priority goes first; counts of parts are added up
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from timing import cpu_seconds

from bpe_engine import Tokenizer
from chunker.prompt import Item, assemble
from chunker.prompt.items import Fill
from chunker.prompt.pricing import forget

SEPARATOR = "\n\n"
# Which texts are kept, by number.
Kept = list[int]
Count = Callable[[str], int]


class Input(NamedTuple):
    """Texts in the order of the prompt, and how important each is: a bigger number stays longer."""

    name: str
    texts: Sequence[str]
    importance: Sequence[float]

    @property
    def is_newest_first(self) -> bool:
        """Whether the last text is the most important one, and so on backwards."""
        return list(self.importance) == sorted(set(self.importance))

    def ranked(self) -> list[int]:
        """The numbers of the texts, the most important first."""
        return sorted(range(len(self.texts)), key=lambda place: (-self.importance[place], place))

    def joined(self, kept: Sequence[int]) -> str:
        """The prompt that has the items of these numbers."""
        return SEPARATOR.join(self.texts[place] for place in sorted(kept))


class Answer(NamedTuple):
    """The items that a package keeps, and its processor time in seconds; `failure` says why there are none."""

    kept: Kept
    seconds: float
    failure: str = ""


Peer = Callable[[Input, int], Answer]


def _timed(choose: Callable[[], Kept]) -> Answer:
    found: list[Kept] = []
    seconds = cpu_seconds(lambda: found.append(choose()))
    return Answer(found[0], seconds)


def ours(tokenizer: Tokenizer, fill: Fill) -> Peer:
    """`assemble`."""

    def peer(given: Input, budget: int) -> Answer:
        # What an earlier call has counted would make this one quicker.
        forget(tokenizer)
        items = [
            Item(text, priority=importance) for text, importance in zip(given.texts, given.importance, strict=True)
        ]

        def choose() -> Kept:
            prompt = assemble(items, budget, tokenizer=tokenizer, separator=SEPARATOR, fill=fill)
            return [place for place, item in enumerate(prompt.report.items) if item.status == "kept"]

        return _timed(choose)

    return peer


def recounted(count: Count, *, strict: bool) -> Peer:
    """Count the whole prompt again at each step: right, but slow."""

    def choose(given: Input, budget: int) -> Kept:
        kept: Kept = []
        for place in given.ranked():
            if count(given.joined([*kept, place])) <= budget:
                kept.append(place)
            elif strict:
                break
        return kept

    return lambda given, budget: _timed(lambda: choose(given, budget))


def added_up(count: Count, *, strict: bool, with_separators: bool = True) -> Peer:
    """Add up the counts of the items, and of the separators if they are counted at all."""

    def choose(given: Input, budget: int) -> Kept:
        kept: Kept = []
        between = count(SEPARATOR) if with_separators else 0
        total = 0
        for place in given.ranked():
            tokens = count(given.texts[place]) + (between if kept else 0)
            if total + tokens <= budget:
                kept.append(place)
                total += tokens
            elif strict:
                break
        return kept

    return lambda given, budget: _timed(lambda: choose(given, budget))


def priompt(count: Count) -> Peer:
    """The rule of priompt: the lowest priority such that all items of at least that priority fit."""

    def choose(given: Input, budget: int) -> Kept:
        levels = sorted(set(given.importance), reverse=True)
        low, high = 0, len(levels)
        while low < high:
            middle = (low + high + 1) // 2
            kept = [place for place, level in enumerate(given.importance) if level >= levels[middle - 1]]
            if count(given.joined(kept)) <= budget:
                low = middle
            else:
                high = middle - 1
        return [place for place, level in enumerate(given.importance) if low and level >= levels[low - 1]]

    return lambda given, budget: _timed(lambda: choose(given, budget))


def langchain(count: Count, *, whole: bool) -> Peer:
    """`trim_messages` with the last messages kept, the separator being part of each; counted as one text, or message by message."""
    from langchain_core.messages import BaseMessage, HumanMessage, trim_messages  # noqa: PLC0415 - heavy, and in an extra

    def tokens(messages: list[BaseMessage]) -> int:
        texts = [str(message.content) for message in messages]
        return count("".join(texts).removesuffix(SEPARATOR)) if whole else sum(map(count, texts))

    def peer(given: Input, budget: int) -> Answer:
        if not given.is_newest_first:
            return Answer([], 0, "knows no priorities")
        messages: list[BaseMessage] = [
            HumanMessage(text + SEPARATOR, id=str(place)) for place, text in enumerate(given.texts)
        ]

        def choose() -> Kept:
            kept = trim_messages(messages, max_tokens=budget, token_counter=tokens, strategy="last")
            return [int(str(message.id)) for message in kept]

        return _timed(choose)

    return peer


def prompt_poet(tokenizer: Tokenizer, interpreter: Path | None) -> Peer:
    """prompt-poet, in an interpreter that has it."""

    def peer(given: Input, budget: int) -> Answer:
        if interpreter is None:
            return Answer([], 0, "not installed")
        pattern = tokenizer.vocabulary.pattern
        assert pattern is not None
        question: dict[str, Any] = {
            "texts": list(given.texts),
            "importance": list(given.importance),
            "budgets": [budget],
            "separator": SEPARATOR,
            "pattern": pattern.source,
            "ranks": {base64.b64encode(token).decode(): rank for token, rank in tokenizer.vocabulary.ranks.items()},
        }
        script = Path(__file__).with_name("poet_side.py")
        done = subprocess.run(  # noqa: S603 - an interpreter that the user names
            [str(interpreter), str(script)], input=json.dumps(question), capture_output=True, text=True, check=False
        )
        if done.returncode:
            return Answer([], 0, done.stderr.strip().splitlines()[-1][:80])
        answer = json.loads(done.stdout)
        return Answer(answer["kept"][0], answer["seconds"][0], answer["errors"][0])

    return peer
