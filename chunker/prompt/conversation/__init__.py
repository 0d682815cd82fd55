"""Conversations that grow: the exact ids of the rendered text after each change, at the cost of what changed.

conversation.py    Conversation: messages in, changes of ids out
rendered.py        the ids of rendered messages, from one state to another
kept_messages.py   messages without a dict each
pin_placement.py   pins in a text that has changed
layout.py          where tokens stand as such in a rendered text
pins.py            ids that a model sampled, which stay as they are; where they differ from the canonical ones
spans.py           which ids and characters belong to which message, tool call, thinking or generation
masks.py           masks for training losses
offsets.py         the characters of each id
drifting.py        where pinned ids are not the canonical ones
tokenizers.py      the tokenizer of a conversation, whoever made it
"""

from __future__ import annotations

from chunker.prompt.conversation.conversation import Conversation
from chunker.prompt.conversation.pins import Drift
from chunker.prompt.conversation.rendered import Change

__all__ = ["Change", "Conversation", "Drift"]
