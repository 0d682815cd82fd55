"""Threads that share a tokenizer and a template, each with conversations of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation

THREADS = 4
TOKENIZER = Tokenizer.load("o200k_harmony")
TEMPLATE = ChatTemplate("{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}")
WORDS = ("a ", "<|end|>", "é", "日本", " the", "\n")


def turns(start: Barrier, seed: int, conversation: Conversation) -> Conversation:
    """The conversation after some turns, each compared with encoding the text anew."""
    random = Random(seed)
    start.wait()
    for _ in range(30):
        count = len(conversation.messages)
        message = {"role": random.choice(("user", "assistant")), "content": "".join(random.choices(WORDS, k=30))}
        if count and random.random() < 0.4:
            conversation.replace(random.randrange(count), message)
        else:
            conversation.append(message)
        text = TEMPLATE.render(conversation.messages)
        assert conversation.ids.tolist() == TOKENIZER.encode(text, allowed_special="all")
    return conversation


def test_tokenizers_and_templates_are_shared() -> None:
    """Forks of one conversation, too, are independent of each other."""
    first = Conversation(TOKENIZER, TEMPLATE, spelled_special="token")
    first.append({"role": "system", "content": "Be brief."})
    before = first.ids.tolist()
    start = Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        made = list(pool.map(lambda seed: turns(start, seed, first.fork()), range(THREADS)))
    assert first.ids.tolist() == before
    assert len({tuple(one.ids) for one in made}) == THREADS
