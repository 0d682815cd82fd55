"""The ids of long pieces that are open: who asks for the changes alone has the ids that `tokenizers` makes, after every append and return.

Runs without a place to cut: letters and digits at random, one letter, text without spaces, blank lines of many spaces, characters that are no tokens.
"""

from __future__ import annotations

from random import Random

import pytest
import tokenizers
from huggingface_files import FAMILIES, OTHER_MODELS, both, family
from real_tokenizers import JSON_FILES, of_tokenizers

from bpe_engine import Tokenizer, implementation

RUNS = 20 if implementation() == "cpp" else 1
UNITS = [
    "a",
    "b",
    "e",
    "th",
    "in",
    "A",
    "x",
    "0",
    "7",
    "_",
    "-",
    "'s",
    " ",
    "  ",
    "\n",
    "\r\n",
    "▁",
    "中",
    "文",
    "の",
    "é",
    "e\u0301",
    "\u0301",
    "😀",
    "ф",
    "<",
]


def tokenizers_of(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    return of_tokenizers(name) if name in JSON_FILES else both(family(name))


def long_text(random: Random) -> str:
    """A run of few units, with something before it and after it at times."""
    units = random.choices(UNITS, k=random.choice((1, 2, 2, 4)))
    widths = random.choice(((1,), (1, 2, 3), (1, 60), (150,)))
    run = "".join(random.choice(units) * random.choice(widths) for _ in range(random.choice((30, 200, 500))))[:1500]
    return random.choice(("", "a ", "\n\n", "The end. ")) + run + random.choice(("", "", " b", "\n", "."))


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS, "llama 3", "llama 3.2"])
def test_changes(name: str) -> None:
    theirs, ours = tokenizers_of(name)
    random = Random(name)
    for _ in range(RUNS):
        encoder = ours.appending_encoder()
        marks = [(encoder.snapshot(), "")]
        text, client = "", list[int]()
        for _ in range(random.randint(1, 3)):
            more, size = long_text(random), random.choice((1, 7, 40))
            for place in range(0, len(more), size):
                part = more[place : place + size]
                encoder.append(part)
                text += part
                if random.random() < 0.02:
                    del marks[random.randrange(len(marks)) + 1 :]
                    mark, text = marks[-1]
                    encoder.rollback(mark)
                if random.random() < 0.05:
                    marks.append((encoder.snapshot(), text))
                if random.random() < 0.5:
                    position, new = encoder.changes()
                    client[position:] = new.tolist()
                    if random.random() < 0.1:
                        assert (text, client) == (text, theirs.encode(text, add_special_tokens=False).ids)
            position, new = encoder.changes()
            client[position:] = new.tolist()
            assert (text, client) == (text, theirs.encode(text, add_special_tokens=False).ids)
            assert client == encoder.tokens()


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_changes_of_published_encodings(name: str) -> None:
    tokenizer, random = Tokenizer.load(name), Random(name)
    for _ in range(5 * RUNS):
        encoder, text, client = tokenizer.appending_encoder(), b"", list[int]()
        marks = [(encoder.snapshot(), text)]
        more, size = long_text(random).encode(), random.choice((1, 7, 40))
        for place in range(0, len(more), size):
            encoder.append(more[place : place + size])
            text += more[place : place + size]
            if random.random() < 0.03:
                mark, text = marks[-1]
                encoder.rollback(mark)
            if random.random() < 0.05:
                marks.append((encoder.snapshot(), text))
            position, new = encoder.changes()
            client[position:] = new.tolist()
            assert (text, client) == (text, tokenizer.encode(text))
