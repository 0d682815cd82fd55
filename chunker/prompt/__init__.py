"""Prompts that fit a token budget exactly: items and a budget in, the best prompt and a report of why out."""

from __future__ import annotations

from chunker.prompt.assembling import Message, Prompt, assemble
from chunker.prompt.chat import CHAT_FORMATS, ChatFormat
from chunker.prompt.errors import ItemFileError, PromptConfigurationError, RequiredItemsError
from chunker.prompt.items import Item, Section
from chunker.prompt.report import ItemReport, Report, SectionReport
from chunker.prompt.session import PromptSession

__all__ = [
    "CHAT_FORMATS",
    "ChatFormat",
    "Item",
    "ItemFileError",
    "ItemReport",
    "Message",
    "Prompt",
    "PromptConfigurationError",
    "PromptSession",
    "Report",
    "RequiredItemsError",
    "Section",
    "SectionReport",
    "assemble",
]
