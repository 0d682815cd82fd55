"""Run prompt-poet in an interpreter that has it (it pins another tiktoken): JSON on standard input, JSON on standard output.

{"texts": [...], "importance": [...], "budgets": [...], "separator": "\\n\\n", "pattern": "...", "ranks": {base64:
rank}}
{"kept": [[0, 3, 4], ...], "errors": ["", ...], "seconds": [...], "altered": [...]}          an entry a budget
"""

from __future__ import annotations

import base64
import json
import logging
import sys
import time

import tiktoken
from prompt_poet import Prompt

# Each item is a part of its own; the highest truncation priority is cut first.
TEMPLATE = """\
{% for part in parts %}
- name: "{{ loop.index0 }}"
  role: user
  content: |
    {{ escape_special_characters(part.text) }}
  truncation_priority: {{ part.priority }}
{% endfor %}
"""


def main() -> None:
    """Answer one question."""
    question = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)
    ranks = {base64.b64decode(token): rank for token, rank in question["ranks"].items()}
    encoding = tiktoken.Encoding("benchmark", pat_str=question["pattern"], mergeable_ranks=ranks, special_tokens={})
    importance = question["importance"]
    # 1 is the lowest there is; the most important one gets it.
    order = sorted(range(len(importance)), key=lambda place: (-importance[place], place))
    priorities = {place: number + 1 for number, place in enumerate(order)}
    parts = [
        {"text": text + question["separator"], "priority": priorities[place]}
        for place, text in enumerate(question["texts"])
    ]
    answer: dict[str, list[object]] = {"kept": [], "errors": [], "seconds": [], "altered": []}
    for budget in question["budgets"]:
        prompt = Prompt(
            template_data={"parts": parts},
            raw_template=TEMPLATE,
            encode_func=encoding.encode_ordinary,
            token_limit=budget,
            truncation_step=1,
        )
        written = {part.name: part.content for part in prompt.parts}
        answer["altered"].append(sum(written[str(place)] != part["text"] for place, part in enumerate(parts)))
        start = time.process_time()
        error = ""
        try:
            prompt.tokenize()
            prompt.truncate()
        except Exception as problem:  # noqa: BLE001 - whatever it raises is its answer
            error = f"{type(problem).__name__}: {problem}"[:200]
        answer["seconds"].append(time.process_time() - start)
        answer["errors"].append(error)
        answer["kept"].append([int(part.name) for part in prompt.parts])
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
