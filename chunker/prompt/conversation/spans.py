"""The spans of a conversation: which characters and ids belong to which message, tool call, thinking or generation.

    <|im_start|>assistant\\n<think>\\nhm\\n</think>\\n\\nHello<|im_end|>\\n
    [message 1 .................................................]
                          [thinking ..........]    [content]

Found by rendering once more with marks (templates/marks.py) and with other letters (templates/letters.py), so that
templates which rewrite, trim or move messages are understood too.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from chunker.arguments import require
from chunker.prompt.conversation.conversation import Conversation
from chunker.prompt.conversation.offsets import ids_between, offsets_of
from chunker.prompt.templates.contents import contents, thinking
from chunker.prompt.templates.marks import MarkedSpan, marked_spans

Kind = Literal["message", "content", "thinking", "tool_call", "generation", "sampled"]


class ConversationSpan(NamedTuple):
    """A part of a conversation.

    Attributes:
        kind: "message" (with its frame), "content" (the part of its content that the template shows, without white
            space at both ends), "thinking", "tool_call", "generation" (a `{% generation %}` block) or "sampled" (pinned
            ids).
        message: The number of the message, -1 if no message wrote it.
        role: The role of that message.
        number: The number of the tool call in its message.
        start: Start of the span, in characters.
        end: End of the span.
        first: The first id with a character in it.
        last: The id after the last one.
    """

    kind: Kind
    message: int
    role: str
    number: int
    start: int
    end: int
    first: int
    last: int


def spans(conversation: Conversation) -> list[ConversationSpan]:
    """All spans of a conversation, in the order of the text, outer ones first. Takes some renderings.

    Args:
        conversation: The conversation.

    Returns:
        The spans. A message has several if the template writes it at several offsets.

    Raises:
        ConversationError: The tokenizer does not tell which characters an id has.

    Examples:
        >>> from chunker.prompt.conversation import Conversation
        >>> conversation = Conversation("o200k_base", "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}{% endfor %}")
        >>> _ = conversation.append({"role": "user", "content": "Hi there"})
        >>> [(span.kind, span.start, span.end, span.first, span.last) for span in spans(conversation)]
        [('message', 0, 27, 0, 5), ('content', 19, 27, 3, 5)]
    """
    require(conversation, Conversation, "conversation", "a Conversation")
    wanted = conversation.request
    text = conversation.text
    rendered = text[: conversation.rendered_length]
    parts: list[MarkedSpan] = []
    if wanted.messages:
        parts = marked_spans(conversation.template, wanted, rendered)
        parts += contents(conversation.template, wanted, rendered)
        parts += thinking(conversation.template, wanted, rendered, parts)
    parts += [MarkedSpan("sampled", message, 0, start, end) for message, start, end in conversation.pinned_messages]
    offsets = offsets_of(conversation, text)
    roles = [str(message["role"]) for message in wanted.messages]
    made = []
    for part in parts:
        first, last = ids_between(offsets, part.start, part.end)
        role = roles[part.message] if 0 <= part.message < len(roles) else "assistant" if part.kind == "sampled" else ""
        made.append(ConversationSpan(part.kind, part.message, role, part.number, part.start, part.end, first, last))  # type: ignore[arg-type]
    order = ("message", "generation", "sampled", "thinking", "tool_call", "content")
    return sorted(made, key=lambda span: (span.start, -span.end, order.index(span.kind)))
