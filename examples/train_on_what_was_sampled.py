"""A trainer's loop, tokens in and tokens out: the ids that a model sampled are the ones it is trained on, with a mask for its loss.

pip install "bpe-chunker[templates]" numpy
python examples/train_on_what_was_sampled.py
"""

from __future__ import annotations

import numpy as np

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation, role_mask, sampled_mask

TEMPLATE = ChatTemplate(
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|message|>{% endif %}"
)


def main() -> None:
    """One answer, sampled and masked."""
    tokenizer = Tokenizer.load("o200k_harmony")
    conversation = Conversation(tokenizer, TEMPLATE)
    conversation.append({"role": "user", "content": "Say hello."}, add_generation_prompt=True)
    # As a model may sample it: not the ids that encoding "Hello there" would give.
    for piece in ("Hel", "lo", " th", "ere"):
        conversation.push(tokenizer.encode(piece))
    conversation.append({"role": "assistant", "content": "Hello there"})
    ids = np.asarray(conversation.ids)
    learned = np.frombuffer(sampled_mask(conversation), "u1").astype(bool)
    print(f"{conversation.count} ids, {learned.sum()} sampled: {tokenizer.decode(ids[learned].tolist())!r}")
    print(f"with the end of the turn: {sum(role_mask(conversation))}")
    for drift in conversation.drift():
        print(f"drift from id {drift.first} on: {len(drift.ids)} ids where {len(drift.canonical)} are canonical")


if __name__ == "__main__":
    main()
