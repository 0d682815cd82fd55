"""Masks for training losses: a byte an id, 1 for ids that a model shall learn to write.

ids     <|im_start|> assistant \\n  Hel lo <|im_end|> \\n
roles        0           0      0   1   1      1      0      from the message of a role, without its header and the text after its end
blocks       0           0      0   1   1      1      0      from `{% generation %}`, as `return_assistant_tokens_mask` has it
"""

from __future__ import annotations

import re
from collections.abc import Collection

from chunker.arguments import require, require_all
from chunker.prompt.conversation.conversation import Conversation
from chunker.prompt.conversation.offsets import ids_between, offsets_of
from chunker.prompt.conversation.spans import ConversationSpan, spans
from chunker.prompt.errors import ConversationError

_BLOCKS = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")


def generation_mask(conversation: Conversation) -> bytearray:
    """A mask of the generation blocks of a template, as `transformers` makes it.

    Args:
        conversation: The conversation.

    Returns:
        A byte an id, 1 if it has a character of a `{% generation %}` block. `numpy.frombuffer(mask, "u1")` copies
        nothing.

    Raises:
        ConversationError: The template has no such blocks.
    """
    require(conversation, Conversation, "conversation", "a Conversation")
    if not _BLOCKS.search(conversation.template.text):
        raise ConversationError(f"{conversation.template.name} has no {{% generation %}} blocks: role_mask needs none")
    return _mask(conversation, [span for span in spans(conversation) if span.kind == "generation"])


def sampled_mask(conversation: Conversation) -> bytearray:
    """A mask of the pinned ids, which are exactly the ids that a model sampled.

    Args:
        conversation: The conversation.

    Returns:
        A byte an id, 1 if it is pinned.
    """
    return _mask(conversation, [span for span in spans(conversation) if span.kind == "sampled"])


def role_mask(conversation: Conversation, roles: Collection[str] = ("assistant",)) -> bytearray:
    """A mask of the messages of some roles: thinking, content and tool calls, all between them, and the special token
    at the end.

    Args:
        conversation: The conversation.
        roles: The roles.

    Returns:
        A byte an id, 1 if it is part of such a message.

    Raises:
        WrongTypeError: `roles` is not a collection of names.
    """
    require_all(roles, str, "roles", "str")
    found = spans(conversation)
    text = conversation.broken_text()
    ends = [(start, end) for start, end, _ in conversation.tokenizer.find_special(text, "all")]
    made = []
    for message in (span for span in found if span.kind == "message" and span.role in roles):
        inner = [
            span
            for span in found
            if span.message == message.message
            and span.kind in ("content", "thinking", "tool_call")
            and message.start <= span.start
            and span.end <= message.end
        ]
        if not inner:
            continue
        start, end = min(span.start for span in inner), max(span.end for span in inner)
        closing = next(((first, last) for first, last in ends if first >= end), None)
        if closing is not None and closing[1] <= message.end:
            end = closing[0] + len(text[closing[0] : closing[1]].rstrip())
        made.append(message._replace(start=start, end=end))
    mask = _mask(conversation, made)
    # The answer of a tool that is written inside of the turn of its call, say.
    for other in (span for span in found if span.kind == "message" and span.role not in roles):
        if any(one.start <= other.start and other.end <= one.end for one in made):
            mask[other.first : other.last] = bytes(other.last - other.first)
    return mask


def _mask(conversation: Conversation, found: list[ConversationSpan]) -> bytearray:
    mask = bytearray(conversation.count)
    offsets = offsets_of(conversation, conversation.text)
    for span in found:
        first, last = ids_between(offsets, span.start, span.end)
        mask[first:last] = b"\1" * (last - first)
    return mask
