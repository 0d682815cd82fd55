"""A turn of 400 characters in conversations of up to 200,000 tokens: ours, `transformers`, encoding anew, `fastokens` and `renderers`.

    python benchmarks/run.py conversation

Writes benchmarks/results/conversation.md. Peers that are not installed, or do not take the tokenizer, are named with the reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from transformers import PreTrainedTokenizerFast

from bpe_engine import Tokenizer, Vocabulary
from chunker.prompt import ChatTemplate, Conversation

TEMPLATE = (
    "{%- for m in messages %}{{- '<|start|>' + m.role + '<|message|>' + m.content + '<|end|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start|>assistant<|message|>' }}{%- endif %}"
)
SIZES = (2_000, 20_000, 200_000)
REPEATS = 15
WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "engineers",
    "argue",
    "about",
    "caching",
    "prompts",
    "in",
    "servers",
    "of",
    "many",
    "kinds",
]
RESULT = Path(__file__).parents[1] / "results" / "conversation.md"


def text(random: Random) -> str:
    """400 characters."""
    made = ""
    while len(made) < 400:
        made += random.choice(WORDS) + " "
    return made[:400]


def messages_of(tokenizer: Tokenizer, tokens: int) -> list[dict[str, str]]:
    """Turns of 400 characters, of so many tokens in all."""
    random = Random(1)  # noqa: S311 - the same texts each time
    made: list[dict[str, str]] = []
    count = 0
    while count < tokens:
        made.append({"role": ("user", "assistant")[len(made) % 2], "content": text(random)})
        count += tokenizer.count(made[-1]["content"]) + 4
    return made


def timed(turn: Callable[[list[dict[str, str]]], Any], messages: list[dict[str, str]], repeats: int) -> float:
    """Milliseconds of a turn: a message more each time."""
    random = Random(2)  # noqa: S311 - the same texts each time
    grown, times = list(messages), []
    for _ in range(repeats):
        grown.append({"role": ("user", "assistant")[len(grown) % 2], "content": text(random)})
        begin = perf_counter()
        turn(grown)
        times.append((perf_counter() - begin) * 1e3)
    return median(times)


class Rendering:
    """Milliseconds that rendering takes inside of a turn, with comparing the text while it is rendered."""

    def __init__(self, template: ChatTemplate) -> None:
        self.taken = 0.0
        self.alone = take = template.taken

        def taken(*arguments: Any) -> Any:  # noqa: ANN401 - as it takes and returns them
            begin = perf_counter()
            made = take(*arguments)
            self.taken = (perf_counter() - begin) * 1e3
            return made

        object.__setattr__(template, "taken", taken)


def ours(tokenizer: Tokenizer, messages: list[dict[str, str]]) -> tuple[float, float, float]:
    """Milliseconds of a turn after its rendering, of rendering and comparing, and of rendering the same to a text."""
    template = ChatTemplate(TEMPLATE)
    rendering = Rendering(template)
    conversation = Conversation(tokenizer, template)
    conversation.sync(messages)
    random = Random(2)  # noqa: S311 - the same texts each time
    rest, compared, alone = [], [], []
    for _ in range(REPEATS * 3):
        message = {"role": "user", "content": text(random)}
        begin = perf_counter()
        conversation.append(message)
        rest.append((perf_counter() - begin) * 1e3 - rendering.taken)
        compared.append(rendering.taken)
        request = conversation.request
        begin = perf_counter()
        rendering.alone(request, "".join)
        alone.append((perf_counter() - begin) * 1e3)
    anew = tokenizer.encode(template.render(conversation.messages), allowed_special="all")
    assert conversation.ids.tolist() == anew
    return median(rest), median(compared), median(alone)


def memory(sizes: Sequence[int]) -> list[dict[str, float]]:
    """Bytes a token, by a process of its own (conversation_memory.py)."""
    command = [sys.executable, "-P", str(Path(__file__).with_name("conversation_memory.py")), *map(str, sizes)]
    made = subprocess.run(command, env={**os.environ, "PYTHONMALLOC": "malloc"}, check=True, capture_output=True)  # noqa: S603 - our own file
    return [json.loads(line) for line in made.stdout.splitlines()]


def peers(tokenizer: Tokenizer, folder: Path) -> dict[str, Callable[[list[dict[str, str]]], Any] | str]:
    """The other ways to encode a conversation: the turn of each, or why it does not run."""
    path = folder / "tokenizer.json"
    tokenizer.save(path)
    wrapped: Any = PreTrainedTokenizerFast
    theirs = wrapped(tokenizer_file=str(path), chat_template=TEMPLATE)
    template = ChatTemplate(TEMPLATE)
    made: dict[str, Callable[[list[dict[str, str]]], Any] | str] = {
        "transformers, apply_chat_template": lambda messages: theirs.apply_chat_template(messages, return_dict=False),
        "transformers, rendering alone": lambda messages: theirs.apply_chat_template(messages, tokenize=False),
        "our engine anew, with rendering": lambda messages: tokenizer.encode(
            template.render(messages), allowed_special="all"
        ),
    }
    try:
        from fastokens import Tokenizer as FastTokenizer  # noqa: PLC0415

        fast = FastTokenizer.from_file(str(path))
        made["fastokens anew, with rendering"] = lambda messages: fast.encode(template.render(messages))
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is the reason
        made["fastokens"] = f"{type(error).__name__}: {error}"
    try:
        from renderers import create_renderer  # noqa: PLC0415

        renderer = create_renderer(theirs)
        made["renderers"] = renderer.render_ids
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is the reason
        made["renderers"] = f"{type(error).__name__}: {error}"
    return made


def made_tokenizer() -> Tokenizer:
    """o200k with the special tokens of the template: as such it can be written for the others to read."""
    known = Tokenizer.load("o200k_base").vocabulary
    first = max(known.ranks.values()) + 1
    special = {text: first + number for number, text in enumerate(("<|start|>", "<|message|>", "<|end|>"))}
    return Tokenizer(Vocabulary.from_ranks(known.ranks, name="o200k", special_tokens=special, pattern=known.pattern))


def main() -> None:
    """Measure, and write the table."""
    tokenizer = made_tokenizer()
    rows: dict[str, list[str]] = {}
    reasons = []
    held = memory(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        others = peers(tokenizer, Path(folder))
        for size in SIZES:
            messages = messages_of(tokenizer, size)
            rest, compared, alone = ours(tokenizer, messages)
            rows.setdefault("Conversation, after rendering", []).append(f"{rest:.3f}")
            rows.setdefault("Conversation, rendering and comparing", []).append(f"{compared:.2f}")
            rows.setdefault("the same template, rendered to a text", []).append(f"{alone:.2f}")
            for name, turn in others.items():
                if isinstance(turn, str):
                    if size == SIZES[0]:
                        reasons.append(f"- {name}: {turn}")
                    continue
                try:
                    cell = f"{timed(turn, messages, REPEATS if size < SIZES[-1] else 3):.2f}"
                except Exception as error:  # noqa: BLE001 - whatever a peer raises is the reason
                    cell = type(error).__name__
                rows.setdefault(name, []).append(cell)
    rows["Conversation, bytes a token, grown turn by turn"] = [f"{one['turn by turn']:.1f}" for one in held]
    rows["the same, made at once"] = [f"{one['at once']:.1f}" for one in held]
    rows["beside it, its dicts of the messages"] = [f"{one['dicts']:.1f}" for one in held]
    lines = [
        "# A turn of a conversation",
        "",
        "Milliseconds of a turn of 400 characters (median), in conversations of so many tokens; o200k with three special tokens, a template like that of ChatML; one thread of a shared machine.",
        "`python benchmarks/run.py conversation`",
        "",
        "| | " + " | ".join(f"{size:,}" for size in SIZES) + " |",
        "|---|" + "---:|" * len(SIZES),
        *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()),
        "",
        *reasons,
    ]
    # The sections after the table are written by hand.
    _, heading, after = RESULT.read_text("utf-8").partition("\n## ")
    RESULT.write_text("\n".join(lines).rstrip() + "\n" + heading + after, encoding="utf-8")
    print("\n".join(lines))
    print(json.dumps({"python": sys.version.split()[0]}))


if __name__ == "__main__":
    main()
