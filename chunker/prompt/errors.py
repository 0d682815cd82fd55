"""What the assembler raises on purpose."""

from __future__ import annotations

from chunker.errors import ChunkerError, OptionError


class PromptConfigurationError(OptionError):
    """Items, sections or options do not go together; the message names all of them, a rule a line."""


class ItemFileError(ChunkerError):
    """The file that an item is cannot be read, or is no text."""


class RequiredItemsError(ChunkerError, ValueError):
    """The required items do not fit, cut as far as they may be.

    `needed`: (id, tokens) of each; `room`: the tokens that there are for them; `section`: whose. `between`: tokens of what stands between
    them: separators, headers, frames; `promised`: tokens that sections are promised (`min_tokens`), which are no part of `room`.
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
        return f"the required items of {self.section} do not fit into {self.room:,} tokens{beside}: {', '.join(listed)}"
