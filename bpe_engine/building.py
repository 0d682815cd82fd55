"""From a specification to the tokenizer that runs it: the plain engine where that says the same, stages around it where not."""

from __future__ import annotations

from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import Pattern
from bpe_engine.ranking import rank_by_pairs
from bpe_engine.specification import Specification
from bpe_engine.stages.recognition import named_pattern
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.vocabulary import Vocabulary


def build(specification: Specification) -> Tokenizer:
    """The tokenizer that `specification` describes. Raises VocabularyError, beginning with its source, for what is not supported."""
    if (
        specification.alphabet != "bytes"
        or specification.normalizers
        or any(not added.special for added in specification.added_tokens)
    ):
        raise VocabularyError(f"{specification.source}: stages around the merges are not supported")
    pattern = _pattern(specification)
    if specification.merges is None:
        ranks = {token: token_id for token_id, token in specification.tokens.items() if isinstance(token, bytes)}
        if specification.ranks is not None:
            raise VocabularyError(f"{specification.source}: ranks beside the ids are not supported")
    else:
        ranking = rank_by_pairs(specification.tokens, specification.merges, specification.source)
        if ranking.disordered is not None or ranking.order != sorted(ranking.order):
            raise VocabularyError(f"{specification.source}: ids that are not in merge order are not supported")
        ranks = {}
        for token_id in ranking.order:
            token = specification.tokens[token_id]
            if isinstance(token, bytes):
                ranks[token] = token_id
    taken = set(ranks.values())
    special = {added.text: added.id for added in specification.added_tokens if added.id not in taken}
    return Tokenizer(Vocabulary(specification.name, ranks, special, pattern))


def _pattern(specification: Specification) -> Pattern | None:
    stages = specification.pre_tokenizers
    if not stages:
        return None
    pattern = stages[0] if len(stages) == 1 and isinstance(stages[0], Pattern) else named_pattern(stages)
    if pattern is None:
        raise VocabularyError(f"{specification.source}: these pre-tokenizers are not supported")
    return pattern
