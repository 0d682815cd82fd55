"""Read the tokens in a tokenizer.json: the added tokens, and a vocabulary that is an object.

"added_tokens": [{"id": 0, "content": "<s>", "special": true, "lstrip": false, ...}]      "vocab": {"a": 1, "b": 2}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpe_engine.formats.json_files import Node
from bpe_engine.pipeline.specification import AddedToken
from bpe_engine.vocabulary import LARGEST_ID


def read_added_tokens(file: Node) -> tuple[AddedToken, ...]:
    """Read the added tokens of a file. Raises VocabularyError."""
    tokens = []
    texts: set[str] = set()
    ids: set[int] = set()
    for entry in file.objects("added_tokens"):
        text, token_id = entry.string("content"), entry.integer("id")
        if not text or not 0 <= token_id <= LARGEST_ID:
            raise entry.error(f"not a string with an id from 0 to {LARGEST_ID}: {text!r:.80}, {token_id}")
        if text in texts or token_id in ids:
            raise entry.error(f"the added token {text!r:.80} or its id {token_id} occurs twice")
        texts.add(text)
        ids.add(token_id)
        flags = {name: entry.boolean(name, default=False) for name in ("special", "lstrip", "rstrip", "single_word")}
        normalized = entry.boolean("normalized", default=not flags["special"])
        tokens.append(AddedToken(text, token_id, normalized=normalized, **flags))
    return tuple(tokens)


def check_added_tokens(file: Node, added: tuple[AddedToken, ...], find: Callable[[str], int | None]) -> None:
    """Raise VocabularyError if an added token has another id in the vocabulary; `find` returns the id there."""
    for token in added:
        other = find(token.text)
        if other not in (None, token.id):
            raise file.error(
                f"the added token {token.text!r:.80} has the id {token.id}, but in model.vocab it has {other}",
                "added_tokens",
            )


def read_vocabulary(model: Node) -> dict[str, int]:
    """Read the vocabulary: token -> id. Raises VocabularyError."""
    vocabulary: dict[str, Any] = model.object("vocab").value
    owners: dict[int, str] = {}
    for token, token_id in vocabulary.items():
        if type(token_id) is not int or not 0 <= token_id <= LARGEST_ID:
            raise model.error(
                f"the id of {token!r:.80} is {token_id!r:.80}, not a whole number from 0 to {LARGEST_ID}", "vocab"
            )
        first = owners.setdefault(token_id, token)
        if first != token:
            raise model.error(f"{first!r:.80} and {token!r:.80} have the same id {token_id}", "vocab")
    if not any(vocabulary):
        raise model.error("there are no tokens", "vocab")
    return vocabulary
