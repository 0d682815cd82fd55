"""Parts of SentencePiece models in any file format: tokens with scores, and byte tokens such as `<0x0A>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpe_engine.implementation import core, implementation

_BYTES = {f"<0x{byte:02X}>": byte for byte in range(256)}


def ranks_by_score(tokens: Sequence[str], scores: Sequence[float]) -> dict[int, int]:
    """Return id -> merge rank: the higher the score, the lower the rank; equal scores have equal ranks.

    A token that no two other tokens make up has no rank. The n-th token has the id n.

    >>> ranks_by_score(["a", "b", "ab", "ba", "abc"], [0, 0, -1.5, -1, -0.5])
    {2: 1, 3: 0}
    """
    made = core().made_of_two([*tokens]) if implementation() == "cpp" else None
    if made is None:
        known = frozenset(tokens)
        made = [
            token
            for token, text in enumerate(tokens)
            if any(text[:cut] in known and text[cut:] in known for cut in range(1, len(text)))
        ]
    rank_of = {score: rank for rank, score in enumerate(sorted({scores[token] for token in made}, reverse=True))}
    return {token: rank_of[scores[token]] for token in made}


def byte_fallback_of(id_of: Mapping[str, int]) -> dict[int, int]:
    """Return byte value -> id for the byte tokens.

    >>> byte_fallback_of({"<0x0A>": 13, "<0x0a>": 14, "a": 15})
    {10: 13}
    """
    return {_BYTES[text]: token for text, token in id_of.items() if text in _BYTES}
