"""Completions of the end of a text by further text: tiktoken's `encode_with_unstable`.

The tokens of all pre-tokens but the last are stable. The bytes of the last one, "fanta" say, are not: a token of what is still to come may begin
at any place in them.

    fanta        whole tokens that begin with it         fantasy, fantas, ...
    f|anta       "f", and tokens with "anta" first       fantage -> f antage, ...
    ...
    fant|a       "fant", and tokens with "a" first       fantaught -> fant aught, ...

Each of these texts is encoded anew, as its tokens may be other ones, and cut after the token in which "fanta" ends. White space is the exception to stable pre-tokens:
cl100k makes one pre-token of a line end and spaces if another line end follows. So all white space at the end is unstable, and that its last
character stands by itself is one more way to go on.

Not here: proof that nothing else can happen. `AppendingEncoder` is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_engine.encoding import Encoding

_SPACES = b" \n\t"


def with_spaces_before(encoding: Encoding, ids: Sequence[int], stable: Sequence[int]) -> list[int]:
    """The stable tokens, without those of white space at their end where the unstable ones begin with white space too.

    `stable` are the first of `ids`; after them is at least one.
    """
    size = len(stable)
    if _is_space(encoding, ids[size]):
        while size > 0 and _is_space(encoding, ids[size - 1]):
            size -= 1
    return list(ids[:size])


def completions_of(encoding: Encoding, unstable: bytes) -> list[list[int]]:
    """All sequences of tokens that may stand for `unstable` and what begins in its last token, each once, in no order."""
    tokens = encoding.sorted_tokens
    found: set[tuple[int, ...]] = {(encoding.encode_single_token(token),) for token in _starting_with(tokens, unstable)}
    longest = max(map(len, tokens))
    for place in range(max(1, len(unstable) - longest), len(unstable)):
        before = unstable[:place]
        texts = [before + token for token in _starting_with(tokens, unstable[place:])]
        found |= {_cut_behind(encoding, ids, len(unstable)) for ids in _encoded(encoding, texts)}
    last = _last_character(unstable)
    if last.isspace() and len(last.encode()) < len(unstable):
        size = len(unstable) - len(last.encode())
        parts = (unstable[:size], unstable[size:])
        found.add(tuple(token for part in parts for token in encoding._encode_single_piece(part)))  # noqa: SLF001 - of this package
    return list(map(list, found))


def _starting_with(tokens: Sequence[bytes], start: bytes) -> Iterator[bytes]:
    """
    >>> list(_starting_with([b"a", b"ab", b"abc", b"b"], b"ab"))
    [b'ab', b'abc']
    """
    for place in range(bisect_left(tokens, start), len(tokens)):
        if not tokens[place].startswith(start):
            return
        yield tokens[place]


def _encoded(encoding: Encoding, texts: Iterable[bytes]) -> Iterator[list[int]]:
    """The tokens of each: what is UTF-8 is split by the pattern, what ends inside a character is one pre-token."""
    characters: list[bytes] = []
    pieces: list[bytes] = []
    for text in texts:
        (characters if _is_utf8(text) else pieces).append(text)
    yield from encoding.encode_ordinary_batch(characters, num_threads=1)
    yield from map(encoding._encode_single_piece, pieces)  # noqa: SLF001 - of this package


def _cut_behind(encoding: Encoding, ids: Sequence[int], size: int) -> tuple[int, ...]:
    """The first tokens, up to the one in which the first `size` bytes end."""
    taken = 0
    for number, token in enumerate(ids):
        taken += len(encoding.decode_single_token_bytes(token))
        if taken >= size:
            return tuple(ids[: number + 1])
    return tuple(ids)


def _is_space(encoding: Encoding, token: int) -> bool:
    return not encoding.is_special_token(token) and not encoding.decode_single_token_bytes(token).strip(_SPACES)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _last_character(text: bytes) -> str:
    """The last character; nothing where the end is not UTF-8.

    >>> _last_character("aé".encode()), _last_character("aé".encode()[:-1])
    ('é', '')
    """
    for size in range(1, 5):
        try:
            return text[-size:].decode()[-1:]
        except UnicodeDecodeError:
            continue
    return ""
