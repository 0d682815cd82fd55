"""Keep a conversation within 500 tokens, whatever is said: old turns leave in steps, a pinned one stays, and a tool's answer never without its call.

Each turn costs what its own text costs, and between two steps each prompt begins with the one before, so that a
provider's cache knows it.
"""

from __future__ import annotations

from itertools import cycle, islice

from chunker.prompt import Item, PromptSession

TOPICS = ["the weather in Oslo", "a train to Bergen", "a hotel by the harbour", "what to pack", "the way to the museum"]
RULES = "You plan journeys. Be brief."


def main() -> None:
    """Talk, and print what leaves."""
    session = PromptSession(500, chat_format="chatml", system=[Item(RULES, id="rules")], pairs=True, hysteresis=0.5)
    session.add("user", "I travel with a dog and never fly.", id="wish", pinned=True)
    for number, topic in enumerate(islice(cycle(TOPICS), 20)):
        before = session.prompt().text.removesuffix("<|im_start|>assistant\n")
        call = {"id": f"call-{number}", "name": "search", "arguments": topic}
        departed = [
            *session.add("user", f"Tell me about {topic}."),
            *session.add("assistant", "", tool_calls=(call,)),
            *session.add("tool", f"Three pages about {topic}.", tool_call_id=f"call-{number}"),
            *session.add("assistant", f"Here is what I found about {topic}."),
        ]
        start = "begins as before" if session.prompt().text.startswith(before) else "begins anew"
        print(f"{topic}: {session.token_count} of 500 tokens, {start}, {len(departed)} turns left")
    kept = session.prompt()
    print(f"kept: {', '.join(item.id for item in kept.report.items if item.status == 'kept')}")
    print(f"first of the history: {kept.messages[1].content}")


if __name__ == "__main__":
    main()
