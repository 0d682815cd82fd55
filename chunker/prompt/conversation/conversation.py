"""Conversation: a tokenizer and a chat template, and the ids of the rendered text after each change.

    append     |system|user|                      + |assistant| = ids of what is new
    replace    |system|user'|assistant|             ids from where the text differs
    fork       |system|user|                      -> another one, which shares nothing from then on
    push       |system|user|<assistant>|Hel|lo|     what a model samples, id by id

The text is rendered anew, compared with the text before, and encoded from where they differ. So templates that rewrite earlier turns are exact.
"""

# A fork is of this class.
# ruff: noqa: SLF001

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, NamedTuple

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part
from chunker.arguments import require
from chunker.errors import OptionError
from chunker.prompt.chat import ChatFormat
from chunker.prompt.conversation.drifting import drifts
from chunker.prompt.conversation.layout import Layout
from chunker.prompt.conversation.pins import Drift, Pin
from chunker.prompt.conversation.tokenizers import tokenizer_of
from chunker.prompt.errors import ChatTemplateError, ConversationError, MessageError
from chunker.prompt.templates.contents import answers
from chunker.prompt.templates.spelled import Speller, Spelling, differences
from chunker.prompt.templates.template import ChatTemplate, Request, continued_field
from chunker.prompt.templates.values import Message, is_unchanged, plain, plain_documents, plain_message, plain_tools

# Roles of messages that no model samples.
_OTHERS = ("user", "system", "developer", "tool")
Spelled = Literal["text", "token"]


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a change on the ids of a conversation.

    `numpy.asarray(change.ids)` copies nothing; `change.ids.tolist()` makes a list.

    Attributes:
        first: How many ids at the start stay.
        ids: The ids that follow them, as a buffer of unsigned 32-bit integers.
        count: The number of ids now.
    """

    first: int
    ids: memoryview
    count: int


class _State(NamedTuple):
    """The values that decide the text."""

    messages: list[Message]
    spelled: dict[int, list[Spelling]]  # by the id of a message that spells special tokens: most do not
    tools: list[Any] | None
    documents: list[Any] | None
    add_generation_prompt: bool
    continued: str | None
    spellings: list[Spelling]  # of tools, documents and variables


class Conversation:
    """The exact ids of a conversation, turn by turn.

    They equal those of `tokenizer.encode(template.render(messages), allowed_special="all")`, with two differences that
    you choose: special tokens in the text of a message are plain text (`spelled_special="text"`), and ids that a model
    sampled stay as they are (`push`). A change costs one rendering, a comparison of the text (some 0.05 ms a megabyte)
    and encoding the part that differs.

    Not for use by several threads at a time; `fork` gives another thread its own. Memory: about 8 to 16 bytes a token
    (the text, the ids), beside the messages themselves.

    Examples:
        >>> template = "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}{% endfor %}"
        >>> conversation = Conversation("o200k_base", template)
        >>> change = conversation.append({"role": "user", "content": "Hi"}); change.first, change.ids.tolist()
        (0, [199999, 1428, 25, 19260])
        >>> change = conversation.append({"role": "user", "content": "<|endoftext|>"}); change.first, conversation.count
        (4, 14)
        >>> conversation.drop(0).count, conversation.text
        (10, '<|endoftext|>user: <|endoftext|>')
    """

    def __init__(
        self,
        tokenizer: Tokenizer | str | Any,  # noqa: ANN401  # one of other packages, which are no dependencies
        template: ChatTemplate | ChatFormat | str,
        *,
        tools: Sequence[Any] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        spelled_special: Spelled = "text",
        **variables: Any,  # noqa: ANN401 - whatever the template takes
    ) -> None:
        """A conversation without messages; its text is rendered when there are some.

        Args:
            tokenizer: A tokenizer of ours, the name of an encoding or model, a file, or a fast tokenizer of tokenizers
                or transformers.
            template: A chat template, its text in Jinja, or a chat format that is text.
            tools: JSON schemas of tools, or functions (with `transformers`), for all turns.
            documents: Documents for retrieval.
            spelled_special: How to encode a special token in the text of a message, tool or document: as "text", or as
                a "token" like `apply_chat_template`, which lets the author of the text end the turn.
            **variables: Other values that the template reads, such as `enable_thinking`.

        Raises:
            OptionError: An option has an unknown value.
            MessageError: A tool or document is of no known form.
        """
        if spelled_special not in ("text", "token"):
            raise OptionError(f'spelled_special must be "text" or "token", got {spelled_special!r}')
        require(
            template,
            (ChatTemplate, ChatFormat, str),
            "template",
            "a ChatTemplate, a ChatFormat or the text of a template",
        )
        if isinstance(template, str):
            template = ChatTemplate(template)
        self._template = template if isinstance(template, ChatTemplate) else ChatTemplate.from_format(template)
        self._tokenizer = tokenizer_of(tokenizer)
        self._speller = Speller(self._tokenizer) if spelled_special == "text" else None
        self._variables = plain(variables)
        self._encoder = self._tokenizer.appending_encoder()
        self._layout = Layout(self._tokenizer)
        made_tools, made_documents = plain_tools(tools), plain_documents(documents)
        spelled = self._spelled([made_tools, made_documents, self._variables])
        self._state = _State(
            [], {}, made_tools, made_documents, add_generation_prompt=False, continued=None, spellings=spelled
        )
        self._next = 0  # the number of the message that is being sampled
        self._length = 0  # characters of the rendered text
        self._plain: list[int] = []  # places of letters that spelled special tokens were broken at
        self._pins: list[Pin] = []
        self._sampled: list[int] = []  # ids behind the rendered text, which no message has yet
        self._whole: list[Part] | None = None  # of a copy without pins

    # --- what there is

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return self._tokenizer

    @property
    def template(self) -> ChatTemplate:
        """The chat template."""
        return self._template

    @property
    def messages(self) -> list[Message]:
        """The messages as the template sees them. Do not change them."""
        return list(self._state.messages)

    @property
    def count(self) -> int:
        """The number of ids. Constant time."""
        return self._encoder.count

    @property
    def ids(self) -> memoryview:
        """The ids, as a buffer of unsigned 32-bit integers: a copy of four bytes each."""
        return self._encoder.ids()

    @property
    def text(self) -> str:
        """The rendered text, and after it the text of the ids that were pushed since. Linear time."""
        return self._encoder.text

    @property
    def sampled(self) -> list[int]:
        """The ids that were pushed since the last change of messages."""
        return list(self._sampled)

    @property
    def pinned(self) -> list[tuple[int, int]]:
        """The spans of pinned ids, in characters: of messages, and of the ids that are being sampled."""
        return [(pin.start, pin.end) for pin in self._all_pins()]

    @property
    def pinned_messages(self) -> list[tuple[int, int, int]]:
        """`pinned` with the number of the message before each span; for a message that is still sampled, one more than
        the last.
        """
        return [(pin.message, pin.start, pin.end) for pin in self._all_pins()]

    @property
    def rendered_length(self) -> int:
        """The length of the rendered text in characters. The text of pushed ids follows it."""
        return self._length

    @property
    def request(self) -> Request:
        """The request that the text was rendered from."""
        return replace(self._request(self._state), messages=self.messages)

    # --- changes

    def append(self, *messages: Mapping[str, Any], add_generation_prompt: bool = False) -> Change:
        """Add messages at the end. Ids that were pushed stay pinned if the message has their text.

        Args:
            *messages: Dicts with a role.
            add_generation_prompt: End with the text that asks the model for its answer.

        Returns:
            The change of the ids.

        Raises:
            MessageError: A message has no role. As with all errors nothing has changed.
            ChatTemplateError: The template fails, with its line.
            EncodingError: A character is in no token of the vocabulary.
        """
        state = self._state
        size = len(state.messages)
        made = [plain_message(message, size + number) for number, message in enumerate(messages)]
        # In place: to copy a long list takes longer than all the rest.
        state.messages.extend(made)
        try:
            return self._go(state._replace(spelled=self._spelling(made), add_generation_prompt=add_generation_prompt, continued=None))  # fmt: skip
        except BaseException:
            del state.messages[size:]
            raise

    def replace(self, number: int, message: Mapping[str, Any]) -> Change:
        """Replace a message by another.

        Args:
            number: The message: from 0, or from the end if negative.
            message: The new message, a dict with a role.

        Returns:
            The change of the ids.

        Raises:
            ConversationError: There is no such message.
            MessageError: As `append`.
            ChatTemplateError: As `append`.
            EncodingError: As `append`.
        """
        place = self._place(number)
        return self._go(self._changed(place, place + 1, [message]))

    def drop(self, start: int, stop: int | None = None) -> Change:
        """Remove a message, or several.

        Args:
            start: The first message: from 0, or from the end if negative.
            stop: The message after the last one; by default only `start` is removed.

        Returns:
            The change of the ids.

        Raises:
            ConversationError: There are no such messages.
            ChatTemplateError: As `append`.
        """
        first = self._place(start)
        last = first + 1 if stop is None else stop
        if not first <= last <= len(self._state.messages):
            raise ConversationError(f"there are no messages {start} to {stop}: there are {len(self._state.messages)}")
        return self._go(self._changed(first, last, []))

    def sync(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Any] | None = None,
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
    ) -> Change:
        """Go to any list of messages: only the part of the rendered text that differs is encoded.

        Args:
            messages: All messages.
            tools: The tools from now on; None leaves them as they are, [] removes them.
            add_generation_prompt: End with the text that asks the model for its answer.
            continue_final_message: End inside the last message: True, or the field that the model continues.

        Returns:
            The change of the ids.

        Raises:
            MessageError: A message has no role, or there is nothing to continue. As with all errors nothing has
                changed.
            ChatTemplateError: The template fails, with its line.
            EncodingError: A character is in no token of the vocabulary.
        """
        known = self._state.messages
        same = 0
        for message, one in zip(messages, known, strict=False):
            if not is_unchanged(message, one):
                break
            same += 1
        continued = continued_field(continue_final_message, add_generation_prompt=add_generation_prompt)
        state = self._changed(same, None, messages[same:], add_generation_prompt=add_generation_prompt)._replace(
            continued=continued
        )
        if tools is not None:
            made = plain_tools(tools) or None
            spelled = self._spelled([made, state.documents, self._variables])
            state = state._replace(tools=made, spellings=spelled)
        return self._go(state)

    def ask(self) -> Change:
        """End with the text that asks the model for its answer, as `add_generation_prompt` does. Raises as `append`."""
        return self._go(self._state._replace(add_generation_prompt=True, continued=None))

    def push(self, ids: int | Iterable[int]) -> Change:
        """Add ids that a model sampled, at the end and as they are: they are pinned. Takes the time of encoding what is
        added.

        No message has their text yet: `append` or `sync` with the sampled message keeps them if it has their text; any
        other change drops them.

        Args:
            ids: An id, or several.

        Returns:
            The change of the ids.

        Raises:
            UnknownTokenError: No token has one of these ids. Nothing is added.
        """
        new = [ids] if isinstance(ids, int) else [int(one) for one in ids]
        self._tokenizer.decode_tokens_bytes(new)  # the error, before anything changes
        for token in new:
            self._encoder.append_token(token)
        self._sampled += new
        return self._told()

    def unpush(self, number: int | None = None) -> Change:
        """Remove the last of the ids that were pushed.

        Args:
            number: How many ids to remove; by default all.

        Returns:
            The change of the ids.

        Raises:
            ConversationError: Fewer ids have been pushed.
        """
        taken = len(self._sampled) if number is None else number
        if not 0 <= taken <= len(self._sampled):
            raise ConversationError(f"{number} ids cannot be taken back: {len(self._sampled)} have been pushed")
        kept = self._sampled[: len(self._sampled) - taken]
        pin = Pin.of(self._tokenizer, self._sampled, self._length, len(self._state.messages))
        length = len(self._encoder.data) - len(pin.data) + (pin.ends[len(kept) - 1] if kept else 0)
        self._encoder.replace_tail(length, [])
        self._sampled = kept
        return self._told()

    def fork(self, messages: int | None = None) -> Conversation:
        """A copy of this conversation, or of its first messages; neither changes the other from then on.

        Copies the text and the ids, some 0.1 ms a megabyte. Its first change is relative to the last change of this
        conversation.

        Args:
            messages: How many messages to keep; by default all.

        Raises:
            ConversationError: There are not so many messages, perhaps because some were dropped.
        """
        if messages is not None and not 0 <= messages <= len(self._state.messages):
            raise ConversationError(
                f"there is no turn {messages} to fork at: there are {len(self._state.messages)} messages"
            )
        made = Conversation.__new__(Conversation)
        made.__dict__.update(self.__dict__)
        made._encoder = self._encoder.fork()
        made._layout = self._layout.copy()
        made._pins, made._sampled = list(self._pins), list(self._sampled)
        made._state = self._state._replace(messages=list(self._state.messages))
        if messages is not None and messages < len(self._state.messages):
            made._go(self._changed(messages, None, [], add_generation_prompt=False), tell=False)
        return made

    def clear(self) -> Change:
        """Remove all messages. Cannot fail."""
        return self._go(self._changed(0, None, [], add_generation_prompt=False))

    # --- pinned ids

    def drift(self) -> list[Drift]:
        """The spans whose pinned ids are not those of encoding their text again. Linear time.

        Examples:
            >>> conversation = Conversation("o200k_base", "{% for m in messages %}{{ m.content }}{% endfor %}")
            >>> _ = conversation.push([39, 72])
            >>> conversation.text, conversation.drift()
            ('Hi', [Drift(first=0, ids=(39, 72), canonical=(12194,), start=0, end=2)])
        """
        return drifts(self, self.canonical(), self._all_pins())

    def canonical(self) -> Conversation:
        """A conversation with the same text and no pins: its ids are those of encoding it again. Linear time."""
        made = self.fork()
        text = self.text
        made._encoder = self._tokenizer.appending_encoder()
        made._layout, made._pins, made._sampled, made._length = Layout(self._tokenizer), [], [], len(text)
        tail = made._layout.tail(text, self.broken_text(), 0, [])
        made._encoder.replace_tail(0, tail.parts)
        made._layout.keep(tail)
        made._whole = tail.parts
        return made

    def parts(self) -> list[Part]:
        """The plain texts of the conversation, each with the explicit token after it and how that is written. Linear
        time.
        """
        if self._whole is not None:
            return self._whole
        return Layout(self._tokenizer).tail(self.text, self.broken_text(), 0, self._all_pins()).parts

    def broken_text(self) -> str:
        """The text with one letter changed in each special token that a message spells: the special tokens left are the
        template's.
        """
        text = self.text
        if not self._plain:
            return text
        told = self._broken(self.request, text[: self._length], self._state)
        return told + text[self._length :]

    # --- inside

    def _request(self, state: _State) -> Request:
        return Request(
            state.messages,
            state.tools,
            state.documents,
            state.add_generation_prompt,
            state.continued,
            self._variables,
        )

    def _changed(
        self, first: int, last: int | None, new: Iterable[object], *, add_generation_prompt: bool | None = None
    ) -> _State:
        """The state with other messages from `first` up to `last`. Raises MessageError."""
        state = self._state
        made = [plain_message(message, first + number) for number, message in enumerate(new)]
        messages = list(state.messages)
        spelled = self._spelling(made, messages[first:last])
        messages[first:last] = made
        ends = state.add_generation_prompt if add_generation_prompt is None else add_generation_prompt
        return state._replace(messages=messages, spelled=spelled, add_generation_prompt=ends, continued=None)

    def _spelling(self, new: Iterable[Message], gone: Iterable[Message] = ()) -> dict[int, list[Spelling]]:
        """The messages that spell special tokens, when some come and some go."""
        known = self._state.spelled
        if known and (left := set(map(id, gone))):
            known = {number: found for number, found in known.items() if number not in left}
        found = {id(message): spellings for message in new if (spellings := self._spelled(message))}
        return {**known, **found} if found else known

    def _spelled(self, value: object) -> list[Spelling]:
        return [] if self._speller is None else self._speller.spellings(value)

    def _place(self, number: int) -> int:
        size = len(self._state.messages)
        if not -size <= number < size:
            raise ConversationError(f"there is no message {number}: there are {size}")
        return number % size

    def _render(self, wanted: Request) -> str | None:
        try:
            return self._template.rendered(wanted)
        except (ChatTemplateError, MessageError):
            return None

    def _broken(self, wanted: Request, text: str, state: _State) -> str:
        if self._speller is None or not (state.spellings or state.spelled):
            return text
        spellings = [*chain.from_iterable(state.spelled.values()), *state.spellings]
        return self._speller.told_apart(wanted, text, spellings, self._render)

    def _go(self, state: _State, *, tell: bool = True) -> Change:
        """Go to another state. Nothing has changed where it raises."""
        wanted = self._request(state)
        text = self._template.rendered(wanted) if state.messages else ""
        told = self._broken(wanted, text, state) if text else text
        broken = differences(text, told) if told is not text else []
        size, same = self._encoder.common_prefix(text)
        before = self._all_pins()
        pins = self._placed(_renumbered(before, self._state.messages, state.messages), wanted, text, told, same)
        stays = _same_before(same, self._plain, broken)
        if (changed := _first_difference(before, pins)) is not None:
            stays = min([stays, *(some[changed].start for some in (before, pins) if changed < len(some))])
        tail = self._layout.tail(text, told, stays, pins)
        self._encoder.replace_tail(size - len(text[tail.start : same].encode()), tail.parts)
        self._layout.keep(tail)
        self._next = len(state.messages) - (state.continued is not None)
        self._state, self._length, self._plain, self._pins, self._sampled = state, len(text), broken, pins, []
        return self._told() if tell else Change(0, memoryview(b""), 0)

    def _told(self) -> Change:
        first, ids = self._encoder.changes()
        return Change(first, ids, self._encoder.count)

    def _all_pins(self) -> list[Pin]:
        """The pins, and what is being sampled."""
        if not self._sampled:
            return self._pins
        return [*self._pins, Pin.of(self._tokenizer, self._sampled, self._length, self._next)]

    def _placed(self, pins: Sequence[Pin], wanted: Request, text: str, told: str, same: int) -> list[Pin]:
        """The pins of a text that begins with `same` characters of the text before."""
        number = bisect_right(pins, same - self._layout.ahead, key=lambda pin: pin.end)
        kept, lost = list(pins[:number]), list[Pin]()
        for pin in pins[number:]:
            whole = pin.end <= same and self._layout.outside(told, pin) is pin
            (kept if whole and not lost else lost).append(pin)
        if not lost:
            return kept
        where: dict[int, tuple[int, int, int]] | None = None
        for pin in lost:
            if pin.message >= len(wanted.messages) or wanted.messages[pin.message]["role"] in _OTHERS:
                continue
            beginning = pin.beginning(text, pin.start) if pin.start <= same else None
            candidates: list[Pin | None] = [beginning]
            if beginning is None or len(beginning.ids) < len(pin.ids):
                if where is None:
                    where = answers(self._template, wanted, text, [pin.message for pin in lost])
                start, end, least = where.get(pin.message, (0, 0, 0))
                ending = pin.ending(text, start, end)
                candidates.append(ending if ending is not None and ending.end >= least else None)
            fitting = [self._layout.outside(told, one) for one in candidates if one is not None]
            found = max(filter(None, fitting), key=lambda one: len(one.ids), default=None)
            if found is not None and (not kept or found.start >= kept[-1].end):
                kept.append(found)
        return kept


def _renumbered(pins: list[Pin], old: list[Message], new: list[Message]) -> list[Pin]:
    """Pins with the numbers that their messages have now. What is being sampled is of the message that comes next."""
    if not pins or old is new or old == new[: len(old)]:
        return pins
    made: list[Pin] = []
    numbers = {id(message): number for number, message in reversed(list(enumerate(new)))}
    for pin in pins:
        number = pin.message
        if number < len(old):
            found = numbers.get(id(old[number]))
            number = (
                found
                if found is not None
                else next((n for n, message in enumerate(new) if message == old[number]), len(new))
            )
        made.append(pin if number == pin.message else replace(pin, message=number))
    return made


def _first_difference(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    """From which item on two lists differ; None where they do not.

    >>> _first_difference([2, 5], [2, 7]), _first_difference([2], [2, 3]), _first_difference([2], [2])
    (1, 1, None)
    """
    if one == other:
        return None
    shorter = min(len(one), len(other))
    return next((number for number in range(shorter) if one[number] != other[number]), shorter)


def _same_before(same: int, one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the part of `same` characters that stays when two ordered lists of offsets differ from some offset
    on.

    >>> _same_before(9, [2, 5], [2, 7]), _same_before(9, [2], [2])
    (5, 9)
    """
    number = _first_difference(one, other)
    return same if number is None else min(same, *one[number : number + 1], *other[number : number + 1])


def with_prompt(wanted: Request) -> Request:
    """The request, ending with what asks for an answer."""
    return replace(wanted, add_generation_prompt=True, continued=None)
