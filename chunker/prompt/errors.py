"""The exceptions of prompts and conversations."""

from __future__ import annotations

from chunker.errors import ChunkerError, OptionError


class PromptConfigurationError(OptionError):
    """Items, sections or options cannot be used together; the message names every fault, one a line."""


class ItemFileError(ChunkerError):
    """The file of an item cannot be read, or is not text."""


class RequiredItemsError(ChunkerError, ValueError):
    """The required items do not fit, even truncated as far as they may be.

    Args:
        needed: The id of each required item, and its tokens.
        room: The number of tokens that there are for them.
        section: The section that they are in.
        between: Tokens of the separators, headers and frames between them.
        promised: Tokens that sections are promised (`min_tokens`), which are not a part of `room`.
    """

    def __init__(
        self, needed: list[tuple[str, int]], room: int, section: str, between: int = 0, promised: int = 0
    ) -> None:
        super().__init__(needed, room, section, between, promised)
        self.needed = needed
        self.room = room
        self.section = section
        self.between = between
        self.promised = promised

    def __str__(self) -> str:
        listed = [f"{name} {tokens:,}" for name, tokens in self.needed]
        listed += [f"between them {self.between:,}"] if self.between > 0 else []
        beside = f", beside the {self.promised:,} that sections are promised" if self.promised else ""
        told = f"the required items of {self.section} do not fit into {self.room:,} tokens{beside}: {', '.join(listed)}"
        return f"{told}; {self._advice()}"

    def _advice(self) -> str:
        lacking = sum(tokens for _, tokens in self.needed) + self.between - self.room
        number = "1 token is" if lacking == 1 else f"{lacking:,} tokens are"
        if self.section.startswith(("section ", "item ")):
            return f"{number} lacking: raise its max_tokens, or let required items be cut (truncate, min_tokens)"
        less = " or the min_tokens of sections" if self.promised else ""
        if self.section == "the conversation":
            return f"{number} lacking: raise the budget or lower the reserve"
        return f"{number} lacking: raise the budget, lower the reserve{less}, or let required items be cut (truncate, min_tokens)"


class ChatTemplateError(ChunkerError, ValueError):
    """A chat template cannot be read, or fails.

    Args:
        reason: A sentence that says why.
        name: The name of the template.
        line: Its line where it failed, or None.
    """

    def __init__(self, reason: str, name: str, line: int | None = None) -> None:
        super().__init__(reason, name, line)
        self.reason = reason
        self.name = name
        self.line = line

    def __str__(self) -> str:
        where = self.name if self.line is None else f"{self.name}, line {self.line}"
        return f"{where}: {self.reason}"


class TemplateLimitError(ChatTemplateError):
    """A chat template takes more steps, or makes longer texts, than any conversation needs."""


class MessageError(ChunkerError, ValueError):
    """A message, tool or document is not of the form that chat templates expect; the message says which one and why."""


class ConversationError(ChunkerError, ValueError):
    """A conversation has no such turn or token."""
