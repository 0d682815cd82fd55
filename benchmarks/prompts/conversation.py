"""The time of a turn of 400 characters in conversations of up to 200,000 tokens: ours, `transformers`, encoding anew, `fastokens` and `renderers`.

    python benchmarks/run.py conversation

Writes benchmarks/results/conversation.md. Peers that are not installed, or do not take the tokenizer, are named with
the reason.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from conversation_memory import with_calls
from family_files import family_files
from measuring import conditions, versions
from plain_turns import ROLES, turn_text, turns
from transformers import PreTrainedTokenizerFast

from bpe_engine import Tokenizer, Vocabulary
from chunker.prompt import ChatTemplate, Conversation

TEMPLATE = (
    "{%- for m in messages %}{{- '<|start|>' + m.role + '<|message|>' + m.content + '<|end|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start|>assistant<|message|>' }}{%- endif %}"
)
PACKAGES = ("bpe-chunker", "transformers")
SIZES = (2_000, 20_000, 200_000)
REPEATS = 15
RESULT = Path(__file__).parents[1] / "results" / "conversation.md"


def messages_of(tokenizer: Tokenizer, tokens: int) -> list[dict[str, Any]]:
    """Turns of 400 characters, of so many tokens in all."""
    few = turns(100)
    each = sum(tokenizer.count(message["content"]) + 4 for message in few) / len(few)
    return [*turns(round(tokens / each))]


def timed(turn: Callable[[list[dict[str, str]]], Any], messages: list[dict[str, str]], repeats: int) -> float:
    """Milliseconds per turn, each with one more message."""
    random = Random(2)  # noqa: S311 - the same texts each time
    grown, times = list(messages), []
    for _ in range(repeats):
        grown.append({"role": ROLES[len(grown) % 2], "content": turn_text(random)})
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


class Turns(NamedTuple):
    """Milliseconds, medians: turns after their rendering; rendering and comparing, and rendering the same messages to a text."""

    appended: float
    synced: float
    compared: float
    alone: float


def ours(tokenizer: Tokenizer, messages: list[dict[str, Any]], text: str = TEMPLATE) -> Turns:
    """Our times per turn: by `append` of one message, and by `sync` with a new list of all messages."""
    template = ChatTemplate(text)
    rendering = Rendering(template)
    conversation = Conversation(tokenizer, template)
    conversation.sync(messages)
    random = Random(2)  # noqa: S311 - the same texts each time
    appended: list[float] = []
    synced: list[float] = []
    compared: list[float] = []
    alone: list[float] = []
    for number in range(REPEATS * 4):
        message = {"role": "user", "content": turn_text(random)}
        given = [*(dict(known) for known in conversation.messages), message]
        begin = perf_counter()
        if number % 2:
            conversation.append(message)
        else:
            conversation.sync(given)
        (appended if number % 2 else synced).append((perf_counter() - begin) * 1e3 - rendering.taken)
        compared.append(rendering.taken)
        request = conversation.request
        begin = perf_counter()
        rendering.alone(request, "".join)
        alone.append((perf_counter() - begin) * 1e3)
    anew = tokenizer.encode(template.render(conversation.messages), allowed_special="all")
    assert conversation.ids.tolist() == anew
    return Turns(median(appended), median(synced), median(compared), median(alone))


def families() -> list[str]:
    """A table of published tokenizers, with messages of text and with calls of tools."""
    lines = [
        "## By tokenizer",
        "",
        f"Milliseconds after rendering, of a turn of 400 characters at {SIZES[-1]:,} tokens; the template writes two special tokens of each model.",
        "",
        "| | `append` | `sync` of the whole list | `append`, each second message with the call of a tool | `sync` |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, (path, pattern) in family_files().items():
        tokenizer = Tokenizer.from_file(path, pattern=pattern)
        special = sorted(tokenizer.special_tokens_set, key=lambda one: (len(one), one))
        marks = [mark for mark in special if mark.isascii()][:2] or ["[", "]"]
        text = TEMPLATE.replace("<|start|>", marks[0]).replace("<|end|>", marks[-1]).replace("<|message|>", ": ")
        messages = messages_of(tokenizer, SIZES[-1])
        plain = ours(tokenizer, messages, text)
        calls = ours(
            tokenizer,
            with_calls(messages),
            text.replace("m.content", "m.content + (m.tool_calls | tojson if m.tool_calls else '')"),
        )
        lines.append(
            f"| {name} | {plain.appended:.3f} | {plain.synced:.3f} | {calls.appended:.3f} | {calls.synced:.3f} |"
        )
    return [*lines, ""]


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
    """Measure, and write the tables."""
    tokenizer = made_tokenizer()
    rows: dict[str, list[str]] = {}
    reasons = []
    with tempfile.TemporaryDirectory() as folder:
        others = peers(tokenizer, Path(folder))
        for size in SIZES:
            messages = messages_of(tokenizer, size)
            own = ours(tokenizer, messages)
            rows.setdefault("Conversation.append, after rendering", []).append(f"{own.appended:.3f}")
            rows.setdefault("Conversation.sync of the whole list, after rendering", []).append(f"{own.synced:.3f}")
            rows.setdefault("Conversation, rendering and comparing", []).append(f"{own.compared:.2f}")
            rows.setdefault("the same template, rendered to a text", []).append(f"{own.alone:.2f}")
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
    lines = [
        "# A turn of a conversation",
        "",
        (
            "Milliseconds of a turn of 400 characters (median), in conversations of so many tokens; o200k with three special tokens, "
            "a template like that of ChatML; one thread."
        ),
        "Messages are compared with those before (`sync`), and their dicts made for the template; the latter is a part of rendering.",
        f"`python benchmarks/run.py conversation`; {versions(PACKAGES)}; {conditions()}.",
        "",
        "| | " + " | ".join(f"{size:,}" for size in SIZES) + " |",
        "|---|" + "---:|" * len(SIZES),
        *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()),
        "",
        *reasons,
        "",
        *families(),
    ]
    # The section on exactness stays as it is: it holds the results of tests/support/conversation_turns, and is written
    # by hand.
    _, heading, after = RESULT.read_text("utf-8").partition("\n## Exactness")
    RESULT.write_text("\n".join(lines).rstrip() + "\n" + heading + after, encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
