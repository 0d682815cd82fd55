"""Chat formats: what stands around a message, as text or as a number of tokens. Data, for vendors differ and change.

    ChatML      <|im_start|>user\n  ...  <|im_end|>\n         text, of which <|im_start|> is one special token
    OpenAI      3 tokens a message, 1 a name, 3 for the reply   a number: what really stands there is the vendor's secret

A special token is a token of its own, whatever stands beside it; so is a frame that is a number. Text between two of them is counted by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class Break(NamedTuple):
    """Something in a prompt that is no plain text: so many tokens, written as `text`; nothing merges across it."""

    text: str
    tokens: int


Part = str | Break


class ChatFormat(BaseModel):
    """How messages become a prompt.

    `prefix` and `suffix` stand around each message, with `{role}` and `{name}` filled in; `named` takes the place of `prefix` where a message
    has a name. `special`: stretches of them that are one token each. `reply`: what asks for the answer, at the end.
    `tokens_per_message`, `tokens_per_name`, `tokens_for_reply`: tokens beside these.
    `roles`: other names of roles, such as {"assistant": "model"}. `whole_messages`: what the vendor writes between role, name and content is
    not known, so each of them is counted by itself; `prefix` and `suffix` are not used, and the prompt's text is a transcript.
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
        """What stands before a message."""
        tokens = self.tokens_per_message + (self.tokens_per_name if name is not None else 0)
        if self.whole_messages:
            named: list[Part] = [] if name is None else [Break(" (", 0), name, Break(")", 0)]
            return [Break("", tokens), self.roles.get(role, role), *named, Break(": ", 0)]
        template = self.named if name is not None and self.named is not None else self.prefix
        parts = self._parts(template, role, name)
        return [Break("", tokens), *parts] if tokens else parts

    def closing(self, role: str, name: str | None) -> list[Part]:
        """What stands behind a message."""
        return [Break("\n\n", 0)] if self.whole_messages else self._parts(self.suffix, role, name)

    def ending(self) -> list[Part]:
        """What stands at the end of the prompt."""
        parts = self._parts(self.reply, "assistant", None)
        return [*parts, Break("", self.tokens_for_reply)] if self.tokens_for_reply else parts

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
