"""Hold a conversation within 3,000 tokens at the least expected bill.

Turns leave together, are summarized, and each request says where to put cache breakpoints.

pip install "bpe-chunker[templates]"
python examples/plan_a_conversation.py
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation, PlannedConversation

TEMPLATE = ChatTemplate(
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|message|>{% endif %}"
)
TOPICS = ["the weather in Oslo", "a train to Bergen", "a hotel by the harbour", "what to pack"]


def summarize(messages: Sequence[dict[str, Any]]) -> str:
    """Stand for a model that is asked to sum up what leaves."""
    return "So far: " + ", ".join(str(message["content"]).split()[-1] for message in messages)


def main() -> None:
    """Twelve turns; print what each request costs, and why."""
    conversation = Conversation(Tokenizer.load("o200k_harmony"), TEMPLATE)
    conversation.append({"role": "system", "content": "You plan journeys. Be brief. " * 200})
    planned = PlannedConversation(conversation, 3000, reserve=200, keep=400, summary=40, summarize=summarize)
    for topic in islice(cycle(TOPICS), 12):
        request = planned.ask({"role": "user", "content": f"Tell me all there is to know about {topic}."}, seconds=20)
        print(
            f"{planned.conversation.count:>4} tokens, ${request.step.bill.dollars:.5f}, breakpoints after messages {request.breakpoints}: {request.step.why}"
        )
        planned.answer({"role": "assistant", "content": f"Here is what I found about {topic}. " * 20})
    print(f"${sum(bill.dollars for bill in planned.bills):.4f} in all; {planned.first} turns have left")


if __name__ == "__main__":
    main()
