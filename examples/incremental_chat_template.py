"""`apply_chat_template` of a tokenizer of transformers, incrementally: what takes the whole time at each turn there takes that of the new turn here.

pip install "bpe-chunker[transformers]"
python examples/incremental_chat_template.py [MODEL]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from chunker.prompt import ChatTemplate, Conversation


class IncrementalChat:
    """Stands for a tokenizer where conversations are encoded: one of these for each conversation."""

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401 - of a package that is no dependency
        template = ChatTemplate(tokenizer.chat_template, tokenizer.special_tokens_map)
        # As transformers has it: who spells a special token gets one. "text" is the safe choice.
        self.conversation = Conversation(tokenizer, template, spelled_special="token")

    def apply_chat_template(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[Any] | None = None,
        *,
        add_generation_prompt: bool = False,
    ) -> list[int]:
        """The ids of all messages."""
        self.conversation.sync(messages, [] if tools is None else tools, add_generation_prompt=add_generation_prompt)
        return list(self.conversation.ids)


def main() -> None:
    """Three turns, beside transformers itself."""
    from transformers import AutoTokenizer  # noqa: PLC0415 - only this needs it

    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1] if len(sys.argv) > 1 else "Qwen/Qwen3-0.6B")
    chat = IncrementalChat(tokenizer)
    messages: list[dict[str, Any]] = []
    for turn in range(3):
        messages.append({"role": "user", "content": f"Question {turn}?"})
        ours = chat.apply_chat_template(messages, add_generation_prompt=True)
        theirs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        print(f"{len(ours)} ids, equal: {ours == theirs}")
        messages.append({"role": "assistant", "content": f"Answer {turn}."})


if __name__ == "__main__":
    main()
