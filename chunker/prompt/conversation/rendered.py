"""The ids of messages as a template renders them: what a Conversation knows, and its way from one state to another.

state      messages, tools, options      -> rendered -> compared with the text before -> encoded from where they differ
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part
from chunker.arguments import require, whole_number
from chunker.errors import OptionError
from chunker.prompt.chat import CHAT_FORMATS, ChatFormat
from chunker.prompt.conversation.compared import ComparedText, WholeText
from chunker.prompt.conversation.kept_messages import KeptMessages
from chunker.prompt.conversation.layout import Layout, Sliced
from chunker.prompt.conversation.pin_placement import Rendered, Spliced, first_difference, placed, same_before
from chunker.prompt.conversation.pins import Pin
from chunker.prompt.conversation.tokenizers import tokenizer_of
from chunker.prompt.errors import ChatTemplateError, ConversationError, MessageError
from chunker.prompt.templates.spelled import Speller, Spelling, differences
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message, plain_documents, plain_message, plain_part, plain_tools

Spelled = Literal["text", "token"]
# Shared by all conversations, to save memory: replaced, never changed.
_NONE_SPELLED: dict[int, list[Spelling]] = {}
_NONE_SAMPLED: list[int] = []
_NO_VARIABLES: dict[str, Any] = {}


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


class State(NamedTuple):
    """The values that decide the text of a conversation."""

    messages: KeptMessages
    spelled: dict[int, list[Spelling]]  # by the number of a message that spells special tokens: most do not
    tools: list[Any] | None
    documents: list[Any] | None
    add_generation_prompt: bool
    continued: str | None
    spellings: Sequence[Spelling]  # the spellings in tools, documents and variables


class RenderedMessages:
    """Messages, their rendered text and its ids. `Conversation` has the operations that change them."""

    __slots__ = (
        "__weakref__",
        "_encoder",
        "_layout",
        "_length",
        "_next",
        "_pins",
        "_plain",
        "_sampled",
        "_speller",
        "_state",
        "_template",
        "_tokenizer",
        "_variables",
        "_whole",
    )

    def __init__(
        self,
        tokenizer: Tokenizer | str | Any,  # noqa: ANN401  # one of other packages, which are not dependencies
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
            OptionError: An option has an unknown value, or `template` is a text without any expression of Jinja.
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
            template = _template_of(template)
        self._template = template if isinstance(template, ChatTemplate) else ChatTemplate.from_format(template)
        self._tokenizer = tokenizer_of(tokenizer)
        self._speller = Speller(self._tokenizer) if spelled_special == "text" else None
        self._variables = plain_part(variables, "a variable") or _NO_VARIABLES
        self._encoder = self._tokenizer.appending_encoder()
        self._layout = Layout(self._tokenizer)
        made_tools, made_documents = plain_tools(tools), plain_documents(documents)
        spelled = self._spelled([made_tools, made_documents, self._variables])
        self._state = State(
            KeptMessages(),
            _NONE_SPELLED,
            made_tools,
            made_documents,
            add_generation_prompt=False,
            continued=None,
            spellings=spelled or (),
        )
        self._next = 0  # the number of the message that is being sampled
        self._length = 0  # characters of the rendered text
        self._plain: Sequence[int] = ()  # offsets of the letters exchanged to break spelled special tokens
        self._pins: Sequence[Pin] = ()
        self._sampled = _NONE_SAMPLED  # ids after the rendered text, which no message has yet
        self._whole: list[Part] | None = None  # the parts of a copy without pins

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
        """The messages as the template sees them: a dict each, made for you. Linear time."""
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
        return self._request(self._state)._replace(messages=self.messages)

    # --- to another state

    def _request(self, state: State) -> Request:
        return Request(
            state.messages,
            state.tools,
            state.documents,
            state.add_generation_prompt,
            state.continued,
            self._variables,
        )

    def _put(self, first: int, last: int, new: Iterable[object], *, tell: bool = True, **options: Any) -> Change:  # noqa: ANN401 - fields of the state
        """Put other messages in the place of those from `first` up to `last`. Raises MessageError, and what `_go` raises."""
        state = self._state
        made = [plain_message(message, first + number) for number, message in enumerate(new)]
        spelled = self._spelling(first, last, made)
        # In place: to copy all of them takes longer than all the rest.
        gone = state.messages.splice(first, last, made)
        try:
            options = {"spelled": spelled, "continued": None, **options}
            spliced = None
            if self._pins or self._sampled:
                spliced = Spliced(len(state.messages) - len(made) + len(gone), first, gone, made)
            return self._go(state._replace(**options), spliced, tell=tell)
        except BaseException:
            state.messages.splice(first, first + len(made), gone)
            raise

    def _spelling(self, first: int, last: int, new: Sequence[Message]) -> dict[int, list[Spelling]]:
        """The messages that spell special tokens, with others from `first` up to `last`."""
        known = self._state.spelled
        found = {
            number: spellings for number, message in enumerate(new, first) if (spellings := self._spelled(message))
        }
        if not found and (not known or first == len(self._state.messages)):
            return known
        more = len(new) - (last - first)
        kept = {
            number if number < first else number + more: spellings
            for number, spellings in known.items()
            if not first <= number < last
        }
        return kept | found

    def _spelled(self, value: object) -> list[Spelling]:
        return [] if self._speller is None else self._speller.spellings(value)

    def _place(self, number: int) -> int:
        size = len(self._state.messages)
        if not -size <= whole_number(number, "number") < size:
            raise ConversationError(f"there is no message {number}: there are {size}")
        return number % size

    def _render(self, wanted: Request) -> str | None:
        try:
            return self._template.rendered(wanted)
        except (ChatTemplateError, MessageError):
            return None

    def _broken(self, wanted: Request, text: str, state: State) -> str:
        if self._speller is None or not (state.spellings or state.spelled):
            return text
        spellings = [*chain.from_iterable(state.spelled.values()), *state.spellings]
        return self._speller.told_apart(wanted, text, spellings, self._render)

    def _go(self, state: State, spliced: Spliced | None = None, *, tell: bool = True) -> Change:
        """Go to another state. `spliced`: the change of the messages, if there are pins. If an error is raised, nothing else has changed."""
        wanted = self._request(state)
        compare = ComparedText.beside(self._encoder)
        text = self._template.taken(wanted, compare) if state.messages else compare(())
        told: Sliced = text
        broken: Sequence[int] = ()
        if self._speller is not None and (state.spellings or state.spelled) and text.length:
            broken_text = self._broken(wanted, text.whole, state)
            told, broken = WholeText(broken_text), differences(text.whole, broken_text)
        pins: Sequence[Pin] = ()
        stays = same_before(text.same, self._plain, broken) if self._plain or broken else text.same
        if before := self._all_pins():
            numbered = before if spliced is None else spliced.renumbered(before)
            pins = placed(numbered, self._layout, self._template, wanted, Rendered(text, told))
            if (changed := first_difference(before, pins)) is not None:
                stays = min([stays, *(some[changed].start for some in (before, pins) if changed < len(some))])
        tail = self._layout.tail(text, told, stays, pins)
        self._encoder.replace_tail(text.size - len(tail.text[: text.same - tail.start].encode()), tail.parts)
        self._layout.keep(tail)
        self._next = len(state.messages) - (state.continued is not None)
        self._state, self._length, self._plain, self._pins, self._sampled = (
            state,
            text.length,
            broken,
            pins,
            _NONE_SAMPLED,
        )
        return self._told() if tell else Change(0, memoryview(b""), 0)

    def _share(self, other: RenderedMessages) -> None:
        """Take over the state of another conversation, sharing its objects."""
        for name in RenderedMessages.__slots__:
            if name != "__weakref__":
                setattr(self, name, getattr(other, name))

    def _told(self) -> Change:
        first, ids = self._encoder.changes()
        return Change(first, ids, self._encoder.count)

    def _all_pins(self) -> Sequence[Pin]:
        """Return the pins, and the ids that are being sampled as the last one."""
        if not self._sampled:
            return self._pins
        return [*self._pins, Pin.of(self._tokenizer, self._sampled, self._length, self._next)]


def _template_of(text: str) -> ChatTemplate:
    """Return a text as a template.

    Raises OptionError if it has no Jinja expression, such as the name of a file: its output would not depend on the
    messages.
    """
    if any(mark in text for mark in ("{{", "{%")):
        return ChatTemplate(text)
    advice = "for that of a file or folder give ChatTemplate.from_file(...)"
    if text in CHAT_FORMATS:
        ChatTemplate.from_format(CHAT_FORMATS[text])  # tells of one that has no text, such as "openai"
        advice = f"for the chat format of this name give CHAT_FORMATS[{text!r}]"
    raise OptionError(f"template must be the text of a template in Jinja, got {text!r:.60}: {advice}")
