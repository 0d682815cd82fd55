"""Prompts that fit a token budget exactly, with a report of what was kept and why; and conversations as exact ids.

`Conversation`, `ChatTemplate` and what belongs to them need Jinja: pip install "bpe-chunker[templates]".
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from chunker.prompt.assembling import Message, Prompt, assemble
from chunker.prompt.chat import CHAT_FORMATS, ChatFormat
from chunker.prompt.errors import (
    ChatTemplateError,
    ConversationError,
    ItemFileError,
    MessageError,
    PromptConfigurationError,
    RequiredItemsError,
    TemplateLimitError,
)
from chunker.prompt.items import Item, Section
from chunker.prompt.planning import PROVIDERS, CacheRules, ContextPlan, Course, Exchange, simulate
from chunker.prompt.report import Report
from chunker.prompt.report_fields import ItemReport, SectionReport
from chunker.prompt.session import PromptSession

if TYPE_CHECKING:
    from chunker.prompt.conversation import Change, Conversation, Drift
    from chunker.prompt.conversation.masks import generation_mask, role_mask, sampled_mask
    from chunker.prompt.conversation.spans import ConversationSpan, spans
    from chunker.prompt.planning.driving import PlannedConversation, PlannedRequest
    from chunker.prompt.templates.template import ChatTemplate

# Imported when they are asked for: they need Jinja, which is an extra.
_LATER = {
    "Change": "chunker.prompt.conversation",
    "ChatTemplate": "chunker.prompt.templates.template",
    "Conversation": "chunker.prompt.conversation",
    "Drift": "chunker.prompt.conversation",
    "PlannedConversation": "chunker.prompt.planning.driving",
    "PlannedRequest": "chunker.prompt.planning.driving",
    "ConversationSpan": "chunker.prompt.conversation.spans",
    "generation_mask": "chunker.prompt.conversation.masks",
    "role_mask": "chunker.prompt.conversation.masks",
    "sampled_mask": "chunker.prompt.conversation.masks",
    "spans": "chunker.prompt.conversation.spans",
}

__all__ = [
    "CHAT_FORMATS",
    "PROVIDERS",
    "CacheRules",
    "Change",
    "ChatFormat",
    "ChatTemplate",
    "ChatTemplateError",
    "ContextPlan",
    "Conversation",
    "ConversationError",
    "ConversationSpan",
    "Course",
    "Drift",
    "Exchange",
    "Item",
    "ItemFileError",
    "ItemReport",
    "Message",
    "MessageError",
    "PlannedConversation",
    "PlannedRequest",
    "Prompt",
    "PromptConfigurationError",
    "PromptSession",
    "Report",
    "RequiredItemsError",
    "Section",
    "SectionReport",
    "TemplateLimitError",
    "assemble",
    "generation_mask",
    "role_mask",
    "sampled_mask",
    "simulate",
    "spans",
]
if find_spec("jinja2") is None:
    # `import *` takes what can be had; any other name tells the extra when it is asked for.
    __all__ = [name for name in __all__ if name not in _LATER]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever has this name
    """Import names that need Jinja on their first use. Raises MissingExtraError if Jinja is not installed."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
