"""A drop-in for a tokenizer of transformers whose `apply_chat_template` is incremental: a turn takes the time of the new turn, not of the whole conversation.

pip install "bpe-chunker[transformers]"
python examples/incremental_chat_template.py [MODEL]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from chunker.prompt import ChatTemplate, Conversation


class IncrementalChat:
    """Stands for a tokenizer in one conversation: `chat = IncrementalChat(tokenizer)`, and all else as before."""

    def __init__(self, tokenizer: Any, **variables: Any) -> None:  # noqa: ANN401 - of a package that is no dependency
        self.tokenizer = tokenizer
        template = ChatTemplate(tokenizer.chat_template, tokenizer.special_tokens_map)
        # As transformers has it: who spells a special token gets one. "text" is the safe choice.
        self.conversation = Conversation(tokenizer, template, spelled_special="token", **variables)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a tokenizer has
        return getattr(self.tokenizer, name)

    def apply_chat_template(
        self,
        conversation: Sequence[dict[str, Any]],
        tools: Sequence[Any] | None = None,
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tokenize: bool = True,
        return_dict: bool = True,
    ) -> Any:  # noqa: ANN401 - as transformers has it
        """The ids of all messages, or their text: what transformers returns for these arguments."""
        self.conversation.sync(
            conversation,
            [] if tools is None else tools,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
        )
        if not tokenize:
            return self.conversation.text
        # The list that transformers has takes a while to make: `conversation.ids` itself is a buffer for numpy and
        # torch.
        ids = self.conversation.ids.tolist()
        return {"input_ids": ids, "attention_mask": [1] * len(ids)} if return_dict else ids


def main() -> None:
    """Three turns, beside transformers itself."""
    from transformers import AutoTokenizer  # noqa: PLC0415 - only this needs it

    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1] if len(sys.argv) > 1 else "Qwen/Qwen3-0.6B")
    chat = IncrementalChat(tokenizer)
    messages: list[dict[str, Any]] = []
    for turn in range(3):
        messages.append({"role": "user", "content": f"Question {turn}?"})
        ours = chat.apply_chat_template(messages, add_generation_prompt=True)
        theirs = tokenizer.apply_chat_template(messages, add_generation_prompt=True)
        print(f"{len(ours['input_ids'])} ids, equal: {ours['input_ids'] == theirs['input_ids']}")
        messages.append({"role": "assistant", "content": f"Answer {turn}."})


if __name__ == "__main__":
    main()
