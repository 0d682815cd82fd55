"""Retrieval and an answer, in a loop: find chunks, assemble a prompt that fits exactly, and let a model answer.

The "model" here is honest and small: it reads the prompt, and quotes the sentence of the context that shares most words
with the question. Put the call of a real one in its place; what it gets is all it needs.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from chunker.index import Hit, Index
from chunker.prompt import Item, Prompt, Section, assemble

FILES = {
    "soup.md": "# Soup\n\nCut the vegetables first. Let the onions simmer for an hour. Add salt at the end.\n",
    "bread.md": "# Bread\n\nMix flour and water. Let the dough rest overnight. Bake it at 230 degrees.\n",
    "garden.md": "# Garden\n\nSow carrots in March. " + "Water them every evening of the summer. " * 30 + "\n",
}
QUESTIONS = ["How long do onions simmer?", "When does the dough rest?", "When are carrots sown?"]
BUDGET, FOR_THE_ANSWER = 160, 40


def prompt_for(question: str, hits: list[Hit]) -> Prompt:
    """The rules and the question for certain, and of the hits what fits, the best first; a long one is cut at a sentence."""
    found = [
        Item(
            f"[{hit.source}:{hit.span.start_line}] {hit.body}",
            id=f"{hit.source}:{hit.span.start_line}",
            priority=-rank,
            truncate="tail",
            truncate_at="sentence",
        )
        for rank, hit in enumerate(hits)
    ]
    rules = Item("Answer from the context alone, and name its source.", id="rules", required=True, stable=True)
    asked = Item(f"Question: {question}", id="question", required=True)
    return assemble([rules, Section("context", found), asked], BUDGET, reserve=FOR_THE_ANSWER)


def words(text: str) -> set[str]:
    """The beginnings of the words: enough for "simmer" and "simmering", "sow" and "sown"."""
    return {word[:3].lower() for word in re.findall(r"\w{3,}", text)}


def quoting_model(prompt: str) -> str:
    """Stands in for a model: the sentence of the context that shares most words with the question, and its source."""
    context, _, question = prompt.partition("Question: ")
    best, most, source = "nothing in the context says so", 0, ""
    for passage in re.finditer(r"\[([^\]]+:\d+)\] (.*?)(?=\n\[|\Z)", context, re.DOTALL):
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", passage[2]):
            shared = len(words(sentence) & words(question))
            if shared > most:
                best, most, source = sentence, shared, f" [{passage[1]}]"
    return best + source


def main() -> None:
    """Index, then answer each question."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        index = Index.open(folder / ".chunker")
        index.sync(folder)
        for question in QUESTIONS:
            prompt = prompt_for(question, index.search(question, limit=3))
            kept = [f"{item.id} {item.status}" for item in prompt.report.items if item.section == "context"]
            print(question)
            print(f"  prompt: {prompt.token_count} of {BUDGET - FOR_THE_ANSWER} tokens; {', '.join(kept)}")
            print(f"  answer: {quoting_model(prompt.text)}")


if __name__ == "__main__":
    main()
