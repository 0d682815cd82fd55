"""Read and write the `.model` format of minbpe, version 1: lines of text that define all tokens.

    minbpe v1
    'the pattern, or an empty line'
    1                               how many special tokens there are, then each with its id
    <|end|> 259
    97 97                           the pairs in merge order: 256 is "aa",
    256 97                          257 is "aaa",
    257 98                          258 is "aaab"

The ids below 256 are the bytes; the n-th pair, from 0, makes the token 256 + n. minbpe also writes a `.vocab` file,
which is for human readers only: invalid UTF-8 appears as U+FFFD in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bpe_engine.errors import VocabularyError
from bpe_engine.fallback.pair_merging import merge_pairs
from bpe_engine.formats.utf8 import decoded
from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.specification import AddedToken, Specification

FIRST_LINE = "minbpe v1"
MOST_BYTES = 1 << 26
"""The largest size of all tokens together, in bytes. Without it a file of forty lines, each doubling the token before, would need a terabyte."""


@dataclass(frozen=True)
class MinbpeModel:
    """The content of a `.model` file. `merges` maps a pair of ids to the id that it makes, in the order of merging."""

    pattern: str
    merges: dict[tuple[int, int], int]
    special_tokens: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Specification:
    """Read the specification of a file. Raises `VocabularyError`, naming file and line, and `OSError`.

    If two merges make the same bytes, which training never does, only one of them can happen: the other token is for
    decoding only.
    """
    source = str(path)
    model = parse_minbpe(path.read_bytes(), source)
    every = tokens_of_merges(model.merges)
    for text, token in model.special_tokens.items():
        if token in every:
            raise VocabularyError(
                f"{source}: the special token {text!r} has the id {token}, which is also the id of the token {every[token]!r:.80}"
            )
    never = _never_made(every, model.merges)
    return Specification(
        name=path.stem,
        source=source,
        tokens={token: data for token, data in every.items() if token not in never},
        texts_only={token: every[token] for token in sorted(never)},
        merges=[pair for pair, token in model.merges.items() if never.isdisjoint((*pair, token))],
        pre_tokenizers=(Pattern(model.pattern),) if model.pattern else (),
        added_tokens=tuple(AddedToken(text, token) for text, token in model.special_tokens.items()),
    )


def parse_minbpe(data: bytes, source: str) -> MinbpeModel:
    """Parse the model in the contents of a file; `source` is the name of the file in error messages.

    Raises `VocabularyError`, with `source:line:` in front, for another format, a malformed line, a pair of tokens that
    are not defined yet, a duplicate pair, and a duplicate special token.

    >>> parse_minbpe(b"minbpe v1\\n\\n1\\n<|end|> 257\\n97 97\\n", "small.model")
    MinbpeModel(pattern='', merges={(97, 97): 256}, special_tokens={'<|end|>': 257})
    """
    # The line ends of text mode, in which minbpe reads. splitlines() would also split at characters that a pattern may
    # contain.
    lines = decoded(data, source).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines and not lines[-1]:
        del lines[-1]
    if not lines or lines[0].strip() != FIRST_LINE:
        raise VocabularyError(f"{source}:1: expected {FIRST_LINE!r}, not {_shown(lines)}")
    if len(lines) < 3:
        raise VocabularyError(f"{source}:{len(lines) + 1}: the file ends before the number of special tokens")
    number = _whole(lines[2])
    if number is None:
        raise VocabularyError(f"{source}:3: expected the number of special tokens, not {lines[2][:60]!r}")
    if number > len(lines) - 3:
        raise VocabularyError(
            f"{source}:3: {number} special tokens are claimed, but only {len(lines) - 3} lines follow"
        )
    special_tokens: dict[str, int] = {}
    for place, line in enumerate(lines[3 : 3 + number], start=4):
        text, _, last = line.rstrip().rpartition(" ")
        token = _whole(last)
        if not text or token is None:
            raise VocabularyError(f"{source}:{place}: expected a special token, a space and its id, not {line[:60]!r}")
        if text in special_tokens:
            raise VocabularyError(f"{source}:{place}: the special token {text!r} occurs twice")
        special_tokens[text] = token
    return MinbpeModel(lines[1], _merges(lines[3 + number :], 4 + number, source), special_tokens)


def dump_minbpe(model: MinbpeModel) -> bytes:
    """Return the contents of the file.

    Raises `VocabularyError` for a model that the format cannot express: a line end in the pattern or in a special
    token, or merges that do not make 256, 257, ... in this order.

    >>> dump_minbpe(MinbpeModel("", {(97, 97): 256}, {"<|end|>": 257}))
    b'minbpe v1\\n\\n1\\n<|end|> 257\\n97 97\\n'
    """
    for text in (model.pattern, *model.special_tokens):
        if "\n" in text or "\r" in text:
            raise VocabularyError(f"the format of minbpe cannot store a line end, which {text[:60]!r} contains")
    for expected, (pair, token) in enumerate(model.merges.items(), start=256):
        if token != expected:
            raise VocabularyError(
                f"the format of minbpe cannot store that {pair} makes {token} where {expected} is next"
            )
    lines = [FIRST_LINE, model.pattern, str(len(model.special_tokens))]
    lines += [f"{text} {token}" for text, token in model.special_tokens.items()]
    lines += [f"{left} {right}" for left, right in model.merges]
    return "".join(f"{line}\n" for line in lines).encode()


def tokens_of_merges(merges: Mapping[tuple[int, int], int]) -> dict[int, bytes]:
    """Return all tokens, id -> bytes: the 256 bytes, then one token for each merge. The merges must be valid, as from `parse_minbpe`.

    >>> tokens_of_merges({(97, 97): 256, (256, 98): 257})[257]
    b'aab'
    """
    tokens = {byte: bytes([byte]) for byte in range(256)}
    for (left, right), token in merges.items():
        tokens[token] = tokens[left] + tokens[right]
    return tokens


def _never_made(every: Mapping[int, bytes], merges: Mapping[tuple[int, int], int]) -> set[int]:
    """Return the ids of tokens that have the same bytes as another token and are not the result of merging these bytes.

    >>> merges = {(98, 99): 256, (97, 98): 257, (257, 99): 258, (97, 256): 259}
    >>> _never_made(tokens_of_merges(merges), merges)         # "bc" is merged first, so there is no "ab" before a "c"
    {258}
    """
    owners: dict[bytes, list[int]] = {}
    for token, data in every.items():
        owners.setdefault(data, []).append(token)
    never: set[int] = set()
    for data, ids in owners.items():
        if len(ids) > 1:
            never.update(ids)
            made = merge_pairs(list(data), merges, merges.__getitem__)
            never.discard(made[0] if len(made) == 1 else ids[0])
    return never


def _merges(lines: Iterable[str], first_line: int, source: str) -> dict[tuple[int, int], int]:
    merges: dict[tuple[int, int], int] = {}
    lengths = [1] * 256
    total = 256
    for place, line in enumerate(lines, start=first_line):
        parts = [_whole(part) for part in line.split()]
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            raise VocabularyError(f"{source}:{place}: expected two ids separated by a space, not {line[:60]!r}")
        pair = (parts[0], parts[1])
        if max(pair) >= len(lengths):
            raise VocabularyError(
                f"{source}:{place}: the token {max(pair)} does not exist yet: this line makes {len(lengths)}"
            )
        if pair in merges:
            raise VocabularyError(
                f"{source}:{place}: the pair {pair[0]} {pair[1]} already makes the token {merges[pair]}"
            )
        merges[pair] = len(lengths)
        lengths.append(lengths[pair[0]] + lengths[pair[1]])
        total += lengths[-1]
        if total > MOST_BYTES:
            raise VocabularyError(
                f"{source}:{place}: the tokens up to here have {total} bytes, more than the {MOST_BYTES} that are allowed"
            )
    return merges


def _whole(text: str) -> int | None:
    """Return the whole number that a text is; None if it is not one.

    >>> _whole("12"), _whole("-1"), _whole("٣"), _whole("")
    (12, None, None, None)
    """
    # Ids have ten digits at most; int() takes quadratic time for more.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None


def _shown(lines: list[str]) -> str:
    return repr(lines[0][:60]) if lines else "an empty file"
