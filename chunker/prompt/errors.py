"""What the assembler raises on purpose."""

from __future__ import annotations

from chunker.errors import ChunkerError, OptionError


class PromptConfigurationError(OptionError):
    """Items, sections or options do not go together; the message names all of them, a rule a line."""


class RequiredItemsError(ChunkerError, ValueError):
    """The required items do not fit. `needed`: (id, tokens) of each; `room`: the tokens that there are for them; `section`: whose."""

    def __init__(self, needed: list[tuple[str, int]], room: int, section: str) -> None:
        super().__init__(needed, room, section)
        self.needed = needed
        self.room = room
        self.section = section

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {tokens:,}" for name, tokens in self.needed)
        return f"the required items of {self.section} do not fit into {self.room:,} tokens: {listed}"
