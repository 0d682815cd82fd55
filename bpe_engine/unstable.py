"""Complete the end of a text by all tokens that may follow: tiktoken's `encode_with_unstable`.

The tokens of all pre-tokens but the last are stable. The bytes of the last pre-token, such as "fanta", are not: a token
of text that is still to come may start at any offset in them.

    fanta        whole tokens that start with it         fantasy, fantas, ...
    f|anta       "f", and tokens with "anta" first       fantage -> f antage, ...
    ...
    fant|a       "fant", and tokens with "a" first       fantaught -> fant aught, ...

Each of these texts is encoded again, because its tokens may differ, and cut after the token in which "fanta" ends.
White space is an exception to the rule that earlier pre-tokens are stable: cl100k makes one pre-token of a line end and
spaces if another line end follows. So all white space at the end is unstable, and one more completion has its last
character by itself.

Not here: a proof that there are no other completions. `AppendingEncoder` is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from bpe_engine.engine import Engine, Tokens

_SPACES = b" \n\t"


def with_spaces_before(table: Tokens, ids: Sequence[int], stable: Sequence[int]) -> list[int]:
    """Return the stable tokens, without white-space tokens at their end if the first unstable token is white space, too.

    `stable` is a prefix of `ids`, which have at least one more token.
    """
    size = len(stable)
    if _is_space(table, ids[size]):
        while size > 0 and _is_space(table, ids[size - 1]):
            size -= 1
    return list(ids[:size])


def completions_of(engine: Engine, tokens: Sequence[bytes], unstable: bytes) -> list[list[int]]:
    """Return all token sequences that may encode `unstable`, whose last token may reach beyond it, each once, in no order.

    `tokens` are all tokens except the special ones, ascending.
    """
    single = map(engine.table.id_of, _starting_with(tokens, unstable))
    found: set[tuple[int, ...]] = {(token,) for token in single if token is not None}
    longest = max(map(len, tokens))
    for place in range(max(1, len(unstable) - longest), len(unstable)):
        before = unstable[:place]
        texts = [before + token for token in _starting_with(tokens, unstable[place:])]
        found |= {_cut_after(engine.table, ids, len(unstable)) for ids in _encoded(engine, texts)}
    last = _last_character(unstable)
    if last.isspace() and len(last.encode()) < len(unstable):
        size = len(unstable) - len(last.encode())
        parts = (unstable[:size], unstable[size:])
        found.add(tuple(token for part in parts for token in engine.encode_piece(part)))
    return list(map(list, found))


def _starting_with(tokens: Sequence[bytes], start: bytes) -> Iterator[bytes]:
    """Yield the tokens, of an ascending sequence, that start with `start`.

    >>> list(_starting_with([b"a", b"ab", b"abc", b"b"], b"ab"))
    [b'ab', b'abc']
    """
    for place in range(bisect_left(tokens, start), len(tokens)):
        if not tokens[place].startswith(start):
            return
        yield tokens[place]


def _encoded(engine: Engine, texts: Iterable[bytes]) -> Iterator[list[int]]:
    """Yield the tokens of each text: UTF-8 is split by the pattern, a text that ends inside a character is one pre-token."""
    characters: list[bytes] = []
    pieces: list[bytes] = []
    for text in texts:
        (characters if _is_utf8(text) else pieces).append(text)
    yield from engine.encode_ordinary_batch(characters, num_threads=1)
    yield from (list(engine.encode_piece(piece)) for piece in pieces)


def _cut_after(table: Tokens, ids: Sequence[int], size: int) -> tuple[int, ...]:
    """Return the first tokens, up to the token in which the first `size` bytes end."""
    taken = 0
    for number, token in enumerate(ids):
        taken += len(table.decode_single_token_bytes(token))
        if taken >= size:
            return tuple(ids[: number + 1])
    return tuple(ids)


def _is_space(table: Tokens, token: int) -> bool:
    return token not in table.special_ids and not table.decode_single_token_bytes(token).strip(_SPACES)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _last_character(text: bytes) -> str:
    """Return the last character, or "" if the end is not UTF-8.

    >>> _last_character("aé".encode()), _last_character("aé".encode()[:-1])
    ('é', '')
    """
    for size in range(1, 5):
        try:
            return text[-size:].decode()[-1:]
        except UnicodeDecodeError:
            continue
    return ""
