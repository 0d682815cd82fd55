"""From a specification to the pipeline of the compiled core that runs it, or the reason why there is none.

    specification                                        core
    added tokens                                         looked for in the text
    normalizers; a first Metaspace or ByteLevel          a normalizer
    pre-tokenizers                                       stages: a named scanner, or a matcher and what becomes of matches and gaps
    a Metaspace or ByteLevel that puts something         an insertion, and the stages behind it: done once a piece, and remembered
      before pieces of other stages
    merges                                               a model

Each behaviour of Hugging Face, inverted or not, is one of six of the core:

    Split(..., "removed", invert=True)     without_gap
    Split(..., "merged_with_next")         with_next
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.stages.pre_tokenizers import ByteLevel, PreTokenizer
from bpe_engine.stages.recognition import named_pattern

if TYPE_CHECKING:
    from bpe_engine import _core
    from bpe_engine.specification import Specification

_NO_RANK: Final = 0xFFFFFFFF


class NotNativeError(Exception):
    """The core cannot run a specification; the message says why."""


def pipeline_of(specification: Specification) -> _core.Pipeline:
    """The pipeline that runs `specification`. Raises NotNativeError."""
    from bpe_engine import _core  # noqa: PLC0415 - only where there is a compiled core

    model = _model(specification)
    if specification.normalizers:
        raise NotNativeError("normalizers")
    stages = _stages(specification.pre_tokenizers)
    if not stages:
        touching = model.touching()
        if touching is not None:
            stages = [(touching, "isolated")]
    tokens = [
        (token.text, token.id, token.special, token.lstrip, token.rstrip, token.single_word, token.normalized)
        for token in specification.added_tokens
    ]
    return _core.Pipeline(tokens, None, stages, [], model)


def _model(specification: Specification) -> _core.MergeModel:
    from bpe_engine import _core  # noqa: PLC0415 - as above

    tokens = specification.tokens
    texts = [token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass") for token in tokens.values()]
    merges, ranks = None, None
    if specification.merges is not None:
        id_of = {token: token_id for token_id, token in tokens.items()}
        merges = [(left, right, id_of[tokens[left] + tokens[right]]) for left, right in specification.merges]  # type: ignore[operator]  # all are bytes, or all are str
    elif specification.ranks is not None:
        ranks = [specification.ranks.get(token_id, _NO_RANK) for token_id in tokens]
    else:
        ranks = list(tokens)
    return _core.MergeModel.create(
        texts,
        list(tokens),
        merges,
        ranks,
        by_characters=specification.alphabet == "characters",
        ignore_merges=specification.ignore_merges,
        unknown=specification.unknown,
        fuse_unknown=specification.fuse_unknown,
        continuing_prefix="",
        end_suffix="",
        byte_fallback=dict(specification.byte_fallback),
    )


def _stages(pre_tokenizers: tuple[PreTokenizer, ...]) -> list[tuple[str | _core.Matcher, str]]:
    named = named_pattern(pre_tokenizers)
    if named is None and len(pre_tokenizers) == 1 and isinstance(pre_tokenizers[0], Pattern):
        named = pre_tokenizers[0]
    if named is not None:
        for name, pattern in PATTERNS.items():
            if pattern == named:
                return [(name, "isolated")]
    match pre_tokenizers:
        case () | (ByteLevel(False, False),):
            return []
        case (ByteLevel(False, True),):
            return [("gpt2", "isolated")]
    raise NotNativeError(f"pre-tokenizers {pre_tokenizers}")
