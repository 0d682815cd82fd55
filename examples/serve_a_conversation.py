"""A server's loop: an OpenAI-style list of messages comes in whole with each request, and only what is new is encoded.

    pip install "bpe-chunker[templates]"
    python examples/serve_a_conversation.py

`Served.prompt` returns the ids of the whole prompt and how many of them the last request had as well: what a cache of
prefixes can keep. What the model samples is pushed id by id, so the next request keeps these very ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation

TEMPLATE = ChatTemplate(
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|message|>{% endif %}"
)


class Served:
    """A conversation of one user. A conversation has one owner at a time; the lock sees to that."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.conversation = Conversation(tokenizer, TEMPLATE)
        self.lock = Lock()

    def prompt(self, messages: Sequence[dict[str, Any]]) -> tuple[memoryview, int]:
        """The ids of the prompt for these messages, and how many of them stayed."""
        with self.lock:
            change = self.conversation.sync(messages, add_generation_prompt=True)
            return self.conversation.ids, change.first

    def sampled(self, ids: Sequence[int]) -> None:
        """The ids that the model sampled."""
        with self.lock:
            self.conversation.push(ids)


def main() -> None:
    """Three requests of one user."""
    tokenizer = Tokenizer.load("o200k_harmony")
    served = Served(tokenizer)
    messages = [{"role": "user", "content": "What is <|end|>?"}]
    for answer in ("A special token, which you cannot write.", "Still not."):
        ids, stayed = served.prompt(messages)
        print(f"{len(messages)} messages: {len(ids)} ids, {stayed} of them known")
        served.sampled(tokenizer.encode(answer))
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "And now: <|end|>?"}]
    ids, stayed = served.prompt(messages)
    print(f"{len(messages)} messages: {len(ids)} ids, {stayed} of them known")
    print(
        f"{sum(one == tokenizer.encode_single_token('<|end|>') for one in ids)} times <|end|> for {len(messages)} messages"
    )


if __name__ == "__main__":
    main()
