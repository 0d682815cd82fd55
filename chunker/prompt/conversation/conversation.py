"""Conversation: a tokenizer and a chat template, and the ids of the rendered text after each change.

    append     |system|user|                      + |assistant| = ids of what is new
    replace    |system|user'|assistant|             ids from where the text differs
    fork       |system|user|                      -> another one, which shares nothing from then on
    push       |system|user|<assistant>|Hel|lo|     what a model samples, id by id

The text is rendered anew, compared with the text before while it is rendered, and encoded from where they differ. So
templates that rewrite earlier turns are exact.
"""

# A fork is of this class.
# ruff: noqa: SLF001

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bpe_engine.special_tokens import Part
from chunker.arguments import require, whole_number
from chunker.prompt.conversation.compared import WholeText
from chunker.prompt.conversation.drifting import drifts
from chunker.prompt.conversation.layout import Layout
from chunker.prompt.conversation.pins import Drift, Pin
from chunker.prompt.conversation.rendered import Change, RenderedMessages
from chunker.prompt.errors import ConversationError, MessageError
from chunker.prompt.templates.template import continued_field
from chunker.prompt.templates.values import plain_tools


class Conversation(RenderedMessages):
    """The exact ids of a conversation, turn by turn.

    They equal those of `tokenizer.encode(template.render(messages), allowed_special="all")`, with two differences that
    you choose: special tokens in the text of a message are plain text (`spelled_special="text"`), and ids that a model
    sampled stay as they are (`push`). A change costs one rendering, during which the text is compared with the text
    before, and encoding the part that differs.

    Not for use by several threads at a time; `fork` gives another thread its own. Memory: the text in UTF-8, four bytes
    an id, and a tenth to a fifth of that for messages, offsets to go back to and room to grow: 10 to 12 bytes a token
    of English. The strings of messages are the caller's own; of lists and dicts in them the values are kept.

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

    __slots__ = ()

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
            EncodingError: A character is not part of any token of the vocabulary.
        """
        size = len(self._state.messages)
        return self._put(size, size, messages, add_generation_prompt=add_generation_prompt)

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
        return self._put(place, place + 1, [message])

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
        last = first + 1 if stop is None else whole_number(stop, "stop")
        if not first <= last <= len(self._state.messages):
            raise ConversationError(f"there are no messages {start} to {stop}: there are {len(self._state.messages)}")
        return self._put(first, last, [])

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
            EncodingError: A character is not part of any token of the vocabulary.
        """
        require(messages, Sequence, "messages", "a list of dicts")
        continued = continued_field(continue_final_message, add_generation_prompt=add_generation_prompt)
        if continued is not None and not messages:
            raise MessageError("continue_final_message: there is no message to go on with")
        options: dict[str, Any] = {"add_generation_prompt": add_generation_prompt, "continued": continued}
        if tools is not None:
            made = plain_tools(tools) or None
            spelled = self._spelled([made, self._state.documents, self._variables])
            options |= {"tools": made, "spellings": spelled}
        first, last = self._state.messages.unchanged(messages)
        return self._put(first, len(self._state.messages) - last, messages[first : len(messages) - last], **options)

    def ask(self) -> Change:
        """End with the text that asks the model for its answer, as `add_generation_prompt` does. Raises as `append`.

        Returns:
            The change of the ids.
        """
        return self._go(self._state._replace(add_generation_prompt=True, continued=None))

    def push(self, ids: int | Iterable[int]) -> Change:
        """Append ids that a model sampled, unchanged, and pin them. Takes the time of encoding the text that is
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
        given = ids if isinstance(ids, Iterable) and not isinstance(ids, str | bytes) else [ids]
        new = [whole_number(one, "an id") for one in given]
        self._tokenizer.decode_tokens_bytes(new)  # the error, before anything changes
        for token in new:
            self._encoder.append_token(token)
        if self._sampled:
            self._sampled += new
        else:
            self._sampled = new
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
        taken = len(self._sampled) if number is None else whole_number(number, "number")
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

        Both share the text and the ids until both go on; the list of messages is copied. Its first change is relative to
        the last change of this conversation.

        Args:
            messages: How many messages to keep; by default all.

        Returns:
            A conversation with the same template and tokenizer.

        Raises:
            ConversationError: There are not so many messages, perhaps because some were dropped.
        """
        if messages is not None and not 0 <= whole_number(messages, "messages") <= len(self._state.messages):
            raise ConversationError(
                f"there is no turn {messages} to fork at: there are {len(self._state.messages)} messages"
            )
        made = Conversation.__new__(Conversation)
        made._share(self)
        made._encoder = self._encoder.fork()
        made._layout = self._layout.copy()
        made._sampled = list(self._sampled)
        made._state = self._state._replace(messages=self._state.messages.copy())
        if messages is not None and messages < len(self._state.messages):
            made._put(messages, len(self._state.messages), [], tell=False, add_generation_prompt=False)
        return made

    def clear(self) -> Change:
        """Remove all messages. Cannot fail.

        Returns:
            The change of the ids.
        """
        return self._put(0, len(self._state.messages), [], add_generation_prompt=False)

    # --- pinned ids

    def drift(self) -> list[Drift]:
        """The spans whose pinned ids are not those of encoding their text again. Linear time.

        Returns:
            One `Drift` for each such span, in the order of the text; none if all pinned ids are what encoding gives.

        Examples:
            >>> conversation = Conversation("o200k_base", "{% for m in messages %}{{ m.content }}{% endfor %}")
            >>> _ = conversation.push([39, 72])
            >>> conversation.text, conversation.drift()
            ('Hi', [Drift(first=0, ids=(39, 72), canonical=(12194,), start=0, end=2)])
        """
        return drifts(self, self.canonical(), self._all_pins())

    def canonical(self) -> Conversation:
        """A conversation with the same text and no pins: its ids are those of encoding it again. Linear time.

        Returns:
            Another conversation; the pins of this one stay.
        """
        made = self.fork()
        text = self.text
        made._encoder = self._tokenizer.appending_encoder()
        made._layout, made._pins, made._sampled, made._length = Layout(self._tokenizer), (), [], len(text)
        tail = made._layout.tail(WholeText(text), WholeText(self.broken_text()), 0, [])
        made._encoder.replace_tail(0, tail.parts)
        made._layout.keep(tail)
        made._whole = tail.parts
        return made

    def parts(self) -> list[Part]:
        """The plain texts of the conversation, each with the explicit token after it and how that is written. Linear
        time.

        Returns:
            The parts in the order of the text; the last one has no token.
        """
        if self._whole is not None:
            return self._whole
        text, told = WholeText(self.text), WholeText(self.broken_text())
        return Layout(self._tokenizer).tail(text, told, 0, self._all_pins()).parts

    def broken_text(self) -> str:
        """The text with one letter changed in each special token that a message spells: the special tokens left are the
        template's.

        Returns:
            A text with as many characters as `text`.
        """
        text = self.text
        if not self._plain:
            return text
        told = self._broken(self.request, text[: self._length], self._state)
        return told + text[self._length :]
