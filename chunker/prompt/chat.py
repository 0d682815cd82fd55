"""Chat formats: the frame around each message, as text or as a number of tokens. Data, because vendors differ and
change.

    ChatML      <|im_start|>user\n  ...  <|im_end|>\n         text, of which <|im_start|> is one special token
    OpenAI      3 tokens a message, 1 a name, 3 for the reply   a number: what really stands there is the vendor's secret

Nothing merges with a special token or with a frame that is a number. Text between two of them is counted by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class Break(NamedTuple):
    """A part of a prompt that is not a plain text: a number of tokens, written as `text`. Nothing merges across it."""

    text: str
    tokens: int


Part = str | Break
# The role and the name of a message.
Speaker = tuple[str, str | None]


class ChatFormat(BaseModel):
    """The frames that make messages a prompt.

    Args:
        name: The name of the format.
        prefix: Text before each message, with `{role}` and `{name}` filled in.
        suffix: Text after each message, likewise.
        named: Takes the place of `prefix` for a message with a name.
        reply: Text at the end of the prompt that asks for the answer.
        special: Parts of these texts that are one token each.
        tokens_per_message: Tokens of a message beside these texts.
        tokens_per_name: Tokens of a name, likewise.
        tokens_for_reply: Tokens at the end, likewise.
        roles: Other names of roles, such as {"assistant": "model"}.
        whole_messages: Count role, name and content each by itself, because the vendor does not publish what stands
            between them. `prefix` and `suffix` are not used then, and the text of the prompt is a transcript.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    prefix: str = ""
    suffix: str = ""
    named: str | None = None
    reply: str = ""
    special: tuple[str, ...] = ()
    tokens_per_message: int = Field(default=0, ge=0)
    tokens_per_name: int = Field(default=0, ge=0)
    tokens_for_reply: int = Field(default=0, ge=0)
    roles: dict[str, str] = Field(default_factory=dict)
    whole_messages: bool = False

    def opening(self, role: str, name: str | None) -> list[Part]:
        """The frame before a message.

        Args:
            role: The role of the message.
            name: Its name, or None.

        Returns:
            Its texts, and a `Break` for whatever counts as a number of tokens, in the order of the prompt.
        """
        tokens = self.tokens_per_message + (self.tokens_per_name if name is not None else 0)
        if self.whole_messages:
            named: list[Part] = [] if name is None else [Break(" (", 0), name, Break(")", 0)]
            return [Break("", tokens), self.roles.get(role, role), *named, Break(": ", 0)]
        template = self.named if name is not None and self.named is not None else self.prefix
        parts = self._parts(template, role, name)
        return [Break("", tokens), *parts] if tokens else parts

    def closing(self, role: str, name: str | None) -> list[Part]:
        """The frame after a message.

        Args:
            role: The role of the message.
            name: Its name, or None.

        Returns:
            Texts and breaks, as for `opening`.
        """
        return [Break("\n\n", 0)] if self.whole_messages else self._parts(self.suffix, role, name)

    def ending(self) -> list[Part]:
        """The frame at the end of the prompt.

        Returns:
            Texts and breaks, as for `opening`; they ask the model for its answer.
        """
        parts = self._parts(self.reply, "assistant", None)
        return [*parts, Break("", self.tokens_for_reply)] if self.tokens_for_reply else parts

    def between(self, left: Speaker | None, right: Speaker | None) -> list[Part]:
        """The frames between two messages.

        Args:
            left: The role and the name of the first one; None for the start of the prompt.
            right: Those of the second one; None for the end of the prompt.

        Returns:
            Texts and breaks, as for `opening`, of the end of the first message, then of the start of the second one.
        """
        closing = [] if left is None else self.closing(*left)
        return [*closing, *(self.ending() if right is None else self.opening(*right))]

    def _parts(self, template: str, role: str, name: str | None) -> list[Part]:
        text = template.replace("{role}", self.roles.get(role, role)).replace("{name}", name or "")
        parts: list[Part] = []
        while text:
            found = [(place, -len(token), token) for token in self.special if (place := text.find(token)) >= 0]
            if not found:
                return [*parts, text]
            place, _, token = min(found)
            parts += [text[:place]] if place else []
            parts.append(Break(token, 1))
            text = text[place + len(token) :]
        return parts


CHAT_FORMATS: dict[str, ChatFormat] = {
    # OpenAI's cookbook, "How to count tokens"; its authors verified it for GPT-3.5 and GPT-4 only.
    "openai": ChatFormat(
        name="openai", tokens_per_message=3, tokens_per_name=1, tokens_for_reply=3, whole_messages=True
    ),
    # The plain transcript of the first Claude models.
    "anthropic": ChatFormat(
        name="anthropic",
        prefix="\n\n{role}: ",
        reply="\n\nAssistant:",
        roles={"user": "Human", "assistant": "Assistant", "system": "System"},
    ),
    "chatml": ChatFormat(
        name="chatml",
        prefix="<|im_start|>{role}\n",
        named="<|im_start|>{role} name={name}\n",
        suffix="<|im_end|>\n",
        reply="<|im_start|>assistant\n",
        special=("<|im_start|>", "<|im_end|>"),
    ),
    "llama3": ChatFormat(
        name="llama3",
        prefix="<|start_header_id|>{role}<|end_header_id|>\n\n",
        suffix="<|eot_id|>",
        reply="<|start_header_id|>assistant<|end_header_id|>\n\n",
        special=("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|begin_of_text|>"),
    ),
    "plain": ChatFormat(name="plain", prefix="{role}: ", suffix="\n\n", reply="assistant: "),
}
"""The formats by name."""
