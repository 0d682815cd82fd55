"""PromptSession: a prompt that grows turn by turn and never exceeds its budget. Old turns leave in steps, so that a
provider's cache stays useful.

    budget  |----------------------------------|
    turn 7  |system|t1|t2|t3|t4|t5|t6|t7|      |     the previous prompt, and the new turn after it
    turn 8  |system|t1|t2|t3|t4|t5|t6|t7| t8 |!|     too much:
            |system|t4|t5|t6|t7| t8 |          |     the oldest leave until a quarter is free (`hysteresis`)
    turn 9  |system|t4|t5|t6|t7| t8 |t9|       |     so this one, and some more, only add to it

A turn takes the time of its own text: it is counted once, and the joins between turns are priced where they are
(`joining.Row`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

from chunker.arguments import require, require_all, require_text, whole_number
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.hits import Hit
from chunker.models import Chunk
from chunker.prompt.assembling import Message, Prompt
from chunker.prompt.chat import CHAT_FORMATS, ChatFormat
from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.items import Item
from chunker.prompt.layout import Layout, content_of
from chunker.prompt.planning.billing import RequestBill
from chunker.prompt.planning.cache_rules import CacheRules
from chunker.prompt.planning.context_plan import ContextPlan, Step
from chunker.prompt.planning.session_turns import SessionTurns
from chunker.prompt.report import Report
from chunker.prompt.report_fields import ItemReport, Reason
from chunker.prompt.rules import PromptOptions, check
from chunker.prompt.truncating import Version
from chunker.prompt.turn_row import TurnRow
from chunker.prompt.turns import Ties, Turn, TurnOptions, Unit

_SYSTEM, _HISTORY = "system", "history"


class PromptSession:
    """A prompt of fixed items and a growing history, counted and kept within a budget.

    It decides which messages there are. For the exact ids of messages under a chat template there is `Conversation`,
    and `PlannedConversation` for these within a budget.

    A call of a tool and its answers always leave together, and so do turns of one `group`. It pickles if its tokenizer
    does; its texts are counted again where it is loaded. Not for use by several threads at a time.

    Args:
        budget: The largest number of tokens of prompt and answer together.
        reserve: The tokens of these that are for the answer and for tools.
        tokenizer: The tokenizer to count with: anything that `chunker.TextChunker` takes.
        chat_format: A name in `CHAT_FORMATS`, a chat format of your own, or None for plain text.
        system: The items at the start of every prompt; their bytes never change.
        hysteresis: When a turn does not fit, the oldest turns leave until this part of the room is free. 0 drops as
            little as possible and changes the start of the prompt at each turn.
        pairs: A user's turn and the turns after it, up to the next one of the user, leave together, so that the history
            never begins with an answer. Such an exchange must fit as a whole.
        separator: Text between items and turns without a chat format.
        rules: Prices and rules of a provider's cache, or the name of one of `PROVIDERS`: then a `ContextPlan` decides
            at each turn that asks which exchanges leave, so that the expected bill is lowest, and none above that of a
            simple rule is risked; `hysteresis` only where an answer exceeds the budget. Exchanges leave whole, as with
            `pairs`; turns of a user without an answer between them are one exchange.
        keep: With `rules`, the tokens of the latest history that stay if the budget allows it; by default half of the
            room beside `system`.

    Raises:
        PromptConfigurationError: Arguments cannot be used together.
        RequiredItemsError: `system` alone does not fit.

    Examples:
        >>> session = PromptSession(34, reserve=6, system=[Item("Be brief.")], chat_format="chatml")
        >>> session.add("user", "Who won?"), session.add("assistant", "Norway."), session.token_count
        ((), (), 27)
        >>> session.add("user", "And who lost?")
        ('turn-0', 'turn-1')
        >>> [message.content for message in session.prompt().messages]
        ['Be brief.', 'And who lost?']
    """

    def __init__(  # noqa: PLR0913  # as many as there are options
        self,
        budget: int,
        reserve: int = 0,
        *,
        tokenizer: AnyTokenizer = "o200k_base",
        chat_format: str | ChatFormat | None = "openai",
        system: Sequence[Item] = (),
        hysteresis: float = 0.25,
        pairs: bool = False,
        separator: str = "\n\n",
        rules: CacheRules | str | None = None,
        keep: int | None = None,
    ) -> None:
        if isinstance(chat_format, str) and chat_format not in CHAT_FORMATS:
            raise PromptConfigurationError(f"chat_format must be one of {', '.join(CHAT_FORMATS)}; got {chat_format!r}")
        require(chat_format, (str, ChatFormat, type(None)), "chat_format", "a name, a ChatFormat or None")
        require_text(separator, "separator")
        require_all(system, Item, "system", "Item")
        budget, reserve = whole_number(budget, "budget", " of tokens"), whole_number(reserve, "reserve", " of tokens")
        require(hysteresis, (int, float), "hysteresis", "a number")
        if not 0 <= hysteresis < 1:
            raise PromptConfigurationError(f"hysteresis must be at least 0 and less than 1, got {hysteresis:g}")
        if rules is not None and chat_format is None:
            raise PromptConfigurationError("rules need a chat_format: its roles tell which turns ask, and which answer")
        self._options = PromptOptions(budget, reserve, "best_effort")
        self._chat_format = CHAT_FORMATS[chat_format] if isinstance(chat_format, str) else chat_format
        self._separator = separator
        self._room = budget - reserve
        self._target = int((1 - hysteresis) * self._room)
        self._row = TurnRow(resolve_tokenizer(tokenizer), self._chat_format, separator)
        self._reports: dict[int, ItemReport] = {}  # by place, of all turns there ever were
        self._ids: set[str] = set()
        self._oldest: deque[Turn] = deque()  # those that may have to leave, and some that have left or were pinned
        self._ties = Ties(pairs=pairs, requests=rules is not None)
        self._first = self._next = 0  # places: of the first turn, of the one to come
        self._steps = 0
        self._put_system(system)
        self._stable_tokens = self._row.stable_tokens()
        self._planned: SessionTurns | None = None
        if rules is not None:
            plan = partial(_plan, budget, reserve, rules, keep)
            self._planned = SessionTurns(plan, self._row.total)

    # --- what there is

    @property
    def token_count(self) -> int:
        """The number of tokens of the prompt. O(1)."""
        return self._row.total

    @property
    def tokens_left(self) -> int:
        """The number of tokens by which the prompt may grow before turns leave."""
        return self._room - self._row.total

    @property
    def step(self) -> Step | None:
        """The plan for the request as it is now: its bill, and why turns have left. None without `rules`."""
        return None if self._planned is None else self._planned.step

    @property
    def bills(self) -> list[RequestBill]:
        """The costs of the requests that have been answered, if the cache follows its rules. Empty without `rules`."""
        return [] if self._planned is None else self._planned.bills

    def __repr__(self) -> str:
        turns = sum(turn.place >= self._first for turn in self._row.turns)
        return f"<PromptSession: {turns} turns, {self.token_count} of {self._room} tokens>"

    def prompt(self) -> Prompt:
        """The prompt as it is now; its report names all turns there ever were. Linear time; nothing is counted.

        Returns:
            A prompt that stays as it is when the session goes on, with text, messages, report and its number of tokens.
        """
        row = self._row
        return Prompt(
            text=row.text(),
            token_count=row.total,
            messages=row.messages(),
            report=Report(
                budget=self._options.budget,
                reserve=self._options.reserve,
                token_count=row.total,
                stable_tokens=self._stable_tokens,
                separator_tokens=row.total - row.tokens,
                items=tuple(self._reports.values()),
                sections=(),
            ),
        )

    # --- turns

    def add(
        self,
        role: str | None,
        text: str | Chunk | Hit = "",
        *,
        id: str | None = None,  # noqa: A002 - as `Item` has it
        pinned: bool = False,
        seconds: float = 0.0,
        **options: Unpack[TurnOptions],
    ) -> tuple[str, ...]:
        """Add a turn.

        A turn that answers a call that has left, or is of a group that has left, is not added, and its id is among
        those returned. A turn that does not fit even alone beside the required ones is truncated if `truncate` allows
        it. After an error the session is as it was.

        Args:
            role: The role of the message; None for a turn without one.
            text: The text of the turn, or a chunk or hit.
            id: Its name in the report; by default "turn-0", "turn-1" ...
            pinned: It never leaves, nor do the turns that would leave together with it.
            seconds: Time since the request before. With `rules` it tells whether the cache still has the prompt.
            options: Fields of an `Item`, such as `tool_call_id` or `truncate`.

        Returns:
            The ids of the turns that left for it, oldest first.

        Raises:
            RequiredItemsError: The turn does not fit even alone.
            PromptConfigurationError: The options cannot be used together.
        """
        identity = id if id is not None else f"turn-{self._next - self._first}"
        item = Item(text, role=role, id=identity, required=pinned, **options)
        self._check(item, identity)
        units = self._ties.units_of(item)
        turn = Turn(self._next, item, identity, role or "user", content_of(item))
        # In a chat a message may be empty if it answers a call.
        if not turn.text and item.tool_call_id is None:
            self._note(turn, _HISTORY, "empty")
            return ()
        if any(unit.gone for unit in units):
            return self._turn_away(turn, units)
        departed = self._put(turn, units, seconds)
        self._ties.tie(turn, units)
        self._oldest.append(turn)
        for left, reason in departed:
            self._forget(left, reason)
        return _names(left for left, _ in departed)

    def _check(self, item: Item, identity: str) -> None:
        """Raise `PromptConfigurationError` if a turn is invalid; the message lists every fault."""
        # The call that the turn answers is looked up below: the rules see this one item only.
        alone = replace(item, tool_call_id=None, required=item.required and item.content != "")
        broken = []
        try:
            check(Layout([alone], self._separator, "best_effort", self._chat_format), self._options)
        except PromptConfigurationError as error:
            broken.append(str(error))
        answered = item.tool_call_id
        if answered is not None and self._chat_format is None:
            broken.append(f"item {identity!r}: tool_call_id needs a chat_format")
        elif answered is not None and not self._ties.knows_call(answered):
            broken.append(f"item {identity!r}: no turn makes the tool call {answered!r} that it answers")
        if identity in self._ids:
            broken.append(f"id {identity!r} is that of two items: ids tell them apart in the report")
        if broken:
            raise PromptConfigurationError("\n".join(broken))

    def _put(self, turn: Turn, units: Sequence[Unit], seconds: float) -> list[tuple[Turn, Reason]]:
        """Put a turn in; return the turns that left for it, each with the reason. Raises `RequiredItemsError` if it does not fit, without any change."""
        row, text, tokens = self._row, turn.text, self._row.count(turn.text)
        most = tokens if turn.item.max_tokens is None else min(tokens, turn.item.max_tokens)
        kept, reason = self._capped(turn, most, tokens)
        added = row.put(turn, kept)
        decision = None if self._planned is None else self._planned.planned(turn.role, added, seconds, row.total)
        departed = []
        if self._planned is not None and decision is not None:
            departed += self._let_go(units, self._planned.begins(decision, turn.place))
        # With a plan, which decides at the next request, an answer may use the tokens reserved for it.
        room = self._room + (self._options.reserve if self._planned and turn.role == "assistant" else 0)
        if row.total > room:
            departed += self._let_go(units)
        if row.total > room:
            total = row.total
            row.take(turn)
            # Cut to the target, so that the turn can stay when the next one comes; if nothing fits that, to the whole
            # room.
            limits = (self._target, room)
            cut = next(filter(None, (row.cut(turn, text, most, limit - row.total) for limit in limits)), None)
            if cut is None:
                row.forget(turn)
                gone = {one.place for one, _ in departed}
                needed = [(one.id, one.tokens) for one in row.turns if one.place not in gone]
                self._bring_back(departed)
                needed.append((turn.id, kept.tokens))
                between = total - sum(tokens for _, tokens in needed)
                raise RequiredItemsError(needed, self._room, "the session", between)
            kept, reason = cut, "budget"
            added = row.put(turn, kept)
        self._keep(turn, _HISTORY, kept, added, before=tokens, reason=reason)
        if self._planned is not None:
            self._planned.add(turn.role, added, seconds, turn.place, decision)
            self._planned.left(max((one.place for one, why in departed if why == "budget"), default=-1))
        return departed

    def _capped(self, turn: Turn, most: int, tokens: int) -> tuple[Version, Reason | None]:
        """Return a version of the turn with at most `most` tokens, whatever the room is, and the reason if it was cut. Raises `RequiredItemsError`."""
        if most == tokens:
            return _whole(turn, tokens), None
        version = self._row.cut(turn, turn.text, most)
        if version is None:
            raise RequiredItemsError([(turn.id, tokens)], most, f"item {turn.id!r} (max_tokens)")
        return version, "maximum"

    def _let_go(self, staying: Sequence[Unit], begin: int | None = None) -> list[tuple[Turn, Reason]]:
        """Take the oldest units out until the target is met, or with `begin` all that start before this place, or until
        no more can leave; return their turns, each with the reason.
        """
        departed: list[tuple[Turn, Reason]] = []
        passed: list[Turn] = []
        while self._oldest and (self._row.total > self._target if begin is None else self._oldest[0].place < begin):
            turn = self._oldest.popleft()
            unit = turn.unit.now()
            if unit in staying:
                passed.append(turn)
            elif not unit.gone and not unit.pinned:
                unit.gone = True
                for one in unit.turns:
                    self._row.take(one)
                    departed.append((one, "budget" if one is turn else "group"))
        self._oldest.extendleft(reversed(passed))
        return departed

    def _bring_back(self, departed: Sequence[tuple[Turn, Reason]]) -> None:
        """Undo `_let_go`."""
        for turn, _ in reversed(departed):
            self._row.put_back(turn)
            turn.unit.now().gone = False
        self._oldest = deque(turn for turn in self._row.turns if turn.place >= self._first)

    def _turn_away(self, turn: Turn, units: Sequence[Unit]) -> tuple[str, ...]:
        """Report a turn as dropped because its unit has left; drop its other units too. Return the ids of all these turns."""
        departed = [one for unit in units for one in unit.turns]
        self._note(turn, _HISTORY, "group")
        self._ties.tie(turn, units)
        for one in departed:
            self._row.take(one)
            self._forget(one, "group")
        turn.unit.gone = True
        turn.unit.turns.clear()
        return _names([*departed, turn])

    # --- bookkeeping

    def _put_system(self, items: Sequence[Item]) -> None:
        role = None if self._chat_format is None else "system"
        fixed = [replace(item, required=item.content != "", stable=True, role=item.role or role) for item in items]
        layout = Layout(fixed, self._separator, "best_effort", self._chat_format)
        check(layout, self._options)
        for leaf in layout.leaves:
            turn = Turn(leaf.place, leaf.item, leaf.id, leaf.role, leaf.content)
            if not turn.text and leaf.item.tool_call_id is None:
                self._note(turn, _SYSTEM, "empty")
                continue
            whole = _whole(turn, self._row.count(turn.text))
            self._keep(turn, _SYSTEM, whole, self._row.put(turn, whole), before=whole.tokens)
            self._ties.tie(turn, ())
        self._first = self._next
        if self._row.total > self._room:
            needed = [(turn.id, turn.tokens) for turn in self._row.turns]
            raise RequiredItemsError(needed, self._room, "the session", self._row.total - self._row.tokens)

    def _keep(
        self, turn: Turn, section: str, kept: Version, added: int, *, before: int, reason: Reason | None = None
    ) -> None:
        """Report a turn that was put in; `before`: the tokens of its whole text."""
        if self._chat_format is not None:
            content = turn.item.content if turn.item.tool_calls else kept.text
            turn.message = Message.of(turn.item, turn.role, content)
        self._report(
            turn.place,
            ItemReport(
                id=turn.id,
                section=section,
                status="kept" if reason is None else "truncated",
                reason=reason,
                tokens_before=before,
                tokens=kept.tokens,
                kept=kept.kept,
                step=self._steps,
                added=added,
            ),
        )
        self._steps += 1

    def _note(self, turn: Turn, section: str, reason: Reason) -> None:
        """Report a turn that was never put in."""
        tokens = self._row.count(turn.text)
        self._report(
            turn.place,
            ItemReport(id=turn.id, section=section, status="dropped", reason=reason, tokens_before=tokens, tokens=0),
        )

    def _report(self, place: int, report: ItemReport) -> None:
        self._reports[place] = report
        self._ids.add(report.id)
        self._next += 1

    def _forget(self, turn: Turn, reason: Reason) -> None:
        """Report that a turn has left the row, and forget all else about it."""
        self._row.forget(turn)
        turn.unit.now().turns = []
        report = self._reports[turn.place]
        self._reports[turn.place] = ItemReport(
            id=report.id,
            section=report.section,
            status="dropped",
            reason=reason,
            tokens_before=report.tokens_before,
            tokens=0,
        )


def _plan(budget: int, reserve: int, rules: CacheRules | str, keep: int | None, fixed: int) -> ContextPlan:
    return ContextPlan(budget, reserve, rules=rules, fixed=fixed, keep=keep)


def _whole(turn: Turn, tokens: int) -> Version:
    return Version(turn.text, ((0, len(turn.text)),), tokens)


def _names(turns: Iterable[Turn]) -> tuple[str, ...]:
    return tuple(turn.id for turn in sorted(turns, key=lambda turn: turn.place))
