"""Recognize specifications that are plain vocabularies, which run without a pipeline."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.byte_alphabet import bytes_of
from bpe_engine.implementation import core, implementation
from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.decoders import ByteLevelDecoder
from bpe_engine.pipeline.pre_tokenizers import ByteLevel
from bpe_engine.pipeline.recognition import named_pattern
from bpe_engine.pipeline.specification import Specification
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.fallback.ranking import Ranking


def plain_vocabulary(specification: Specification) -> Vocabulary | None:
    """Return the vocabulary that is equivalent to `specification`; None if it needs a pipeline.

    Raises VocabularyError, with a message that starts with the source.
    """
    pattern = _plain_pattern(specification)
    if isinstance(pattern, str):
        return None
    ranks = _plain_ranks(specification)
    if ranks is None:
        return None
    special = {token.text: token.id for token in specification.added_tokens}
    try:
        return Vocabulary(specification.name, ranks, special, pattern)
    except VocabularyError as error:
        raise VocabularyError(f"{specification.source}: {error}") from error


_NO_SUCH = "no such pattern"


def _plain_pattern(specification: Specification) -> Pattern | str | None:
    """Return the pattern of a plain tokenizer, None if it has no pattern; _NO_SUCH if it needs stages."""
    stages = specification.pre_tokenizers
    if specification.alphabet != "bytes" or specification.normalizers or not _has_plain_added_tokens(specification):
        return _NO_SUCH
    if any(not isinstance(decoder, ByteLevelDecoder) for decoder in specification.decoders):
        return _NO_SUCH
    if stages in ((), (ByteLevel(add_prefix_space=False, use_regex=False),)):
        return None
    if len(stages) == 1 and isinstance(stages[0], Pattern):
        return stages[0]
    return named_pattern(stages) or _NO_SUCH


def _has_plain_added_tokens(specification: Specification) -> bool:
    """Whether the added tokens are those of a plain vocabulary.

    All are special and without flags, the leftmost is found first, none is also an ordinary token, and decoders do not
    change their texts.
    """
    ids = set()
    if specification.added_tokens_order != "leftmost":
        return False
    for token in specification.added_tokens:
        if not token.special or token.lstrip or token.rstrip or token.single_word:
            return False
        if token.id in specification.tokens or token.id in specification.texts_only:
            return False
        try:
            if bytes_of(token.text) != token.text.encode("utf-8", "surrogatepass"):
                return False
        except KeyError:
            pass
        ids.add(token.normalized)
    return len(ids) <= 1


def _plain_ranks(specification: Specification) -> dict[bytes, int] | None:
    """Return token -> id if the ids are in merge order and the engine encodes each pre-token as the specification does; otherwise None."""
    if (
        specification.texts_only
        or specification.byte_fallback
        or specification.unknown != "error"
        or specification.ranks
    ):
        return None
    tokens = {token_id: token for token_id, token in specification.tokens.items() if isinstance(token, bytes)}
    order = list(tokens)
    if specification.merges is not None and specification.ignore_merges and implementation() == "cpp":
        # Usually some token differs from the result of its merges, and checking that takes seconds. A pipeline handles
        # such tokens.
        return None
    if specification.merges is not None:
        ranking = _ranking(tokens, specification)
        order = ranking.order
        if ranking.disordered is not None or any(before > after for before, after in pairwise(order)):
            return None
        if ranking.blocked or (ranking.unreachable and not specification.ignore_merges):
            return None
        order += ranking.unreachable
    elif not specification.ignore_merges:
        return None
    return {tokens[token_id]: token_id for token_id in order}


def _ranking(tokens: dict[int, bytes], specification: Specification) -> Ranking:
    """Return the merge order of tokens under the merges of a specification, by the core if there is one."""
    from bpe_engine.fallback.ranking import Ranking, rank_by_pairs  # noqa: PLC0415 - few files need it

    merges, source = specification.merges or (), specification.source
    if implementation() != "cpp":
        return rank_by_pairs(tokens, merges, source)
    ids = list(tokens)
    place_of = {token_id: place for place, token_id in enumerate(ids)}
    pairs = [(place_of[left], place_of[right]) for left, right in merges]
    try:
        order, disordered, blocked, unreachable = core().rank_by_pairs(list(tokens.values()), pairs)
    except VocabularyError as error:
        raise VocabularyError(f"{source}: {error}") from error
    return Ranking(
        [ids[place] for place in order],
        None if disordered is None else ids[disordered],
        [ids[place] for place in blocked],
        [ids[place] for place in unreachable],
    )
