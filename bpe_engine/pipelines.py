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
from bpe_engine.stages.normalizers import Lowercase, Normalizer, Prepend, Replace, Strip, StripAccents, UnicodeForm
from bpe_engine.stages.pre_tokenizers import ByteLevel, Metaspace, PreTokenizer, Split
from bpe_engine.stages.recognition import named_pattern

if TYPE_CHECKING:
    from bpe_engine import _core
    from bpe_engine.specification import Specification

Step = tuple[str, object, object]
Stage = "tuple[str | _core.Matcher, str]"
Insertion = "tuple[str, str, str, list[tuple[str | _core.Matcher, str]]]"

_NO_RANK: Final = 0xFFFFFFFF


class NotNativeError(Exception):
    """The core cannot run a specification; the message says why."""


def pipeline_of(specification: Specification) -> _core.Pipeline:
    """The pipeline that runs `specification`. Raises NotNativeError."""
    from bpe_engine import _core  # noqa: PLC0415 - only where there is a compiled core

    model = _model(specification)
    steps = [_step(normalizer) for normalizer in specification.normalizers]
    if steps and any(token.normalized and not token.special for token in specification.added_tokens):
        raise NotNativeError("added tokens that are looked for in normalized text")
    before, pre_tokenizers = _first_insertion(specification.pre_tokenizers)
    stages, insertions = _stages(pre_tokenizers)
    steps += before
    if not stages and not insertions:
        touching = model.touching()
        if touching is not None:
            stages = [(touching, "isolated")]
    tokens = [
        (token.text, token.id, token.special, token.lstrip, token.rstrip, token.single_word, token.normalized)
        for token in specification.added_tokens
    ]
    return _core.Pipeline(tokens, _core.Normalizer.of_steps(steps) if steps else None, stages, insertions, model)


def _step(normalizer: Normalizer) -> Step:
    match normalizer:
        case UnicodeForm(form):
            return form, None, None
        case Lowercase():
            return "lower", None, None
        case StripAccents():
            return "strip_accents", None, None
        case Strip(left, right):
            return "strip", left, right
        case Prepend(text):
            return "prepend", text, None
        case Replace(str(pattern), content):
            return "replace", pattern, content
    raise NotNativeError(f"the normalizer {normalizer!r}")


def _first_insertion(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Step], tuple[PreTokenizer, ...]]:
    """What the first pre-tokenizer puts into a region, as steps of a normalizer, and the pre-tokenizers without that."""
    match pre_tokenizers:
        case (Metaspace(replacement, scheme, split), *others):
            steps: list[Step] = [("replace", " ", replacement)]
            if scheme != "never":
                steps.append(("prepend_unless", replacement, scheme == "first"))
            splits = [Split(replacement, "merged_with_next")] if split else []
            return steps, (*splits, *others)
        case (ByteLevel(True, use_regex), *others):
            return [("prepend_unless", " ", False)], (ByteLevel(False, use_regex), *others)
    return [], pre_tokenizers


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


def _stages(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Stage], list[Insertion]]:
    """The stages of a chain, and behind an insertion those that are done piece by piece."""
    scanner = _scanner(pre_tokenizers)
    if scanner is not None:
        return [(scanner, "isolated")], []
    stages: list[Stage] = []
    insertions: list[Insertion] = []
    here = stages
    for place, one in enumerate(pre_tokenizers):
        match one:
            case Metaspace(replacement, scheme, split):
                here = [(_matcher(replacement), "with_next")] if split else []
                insertions.append((replacement if scheme != "never" else "", scheme, replacement, here))
                continue
            case ByteLevel(adds, use_regex):
                if any(not isinstance(other, ByteLevel) for other in pre_tokenizers[place + 1 :]):
                    raise NotNativeError("a pre-tokenizer behind ByteLevel, which sees bytes as characters")
                if adds:
                    here = []
                    insertions.append((" ", "always", "", here))
                if use_regex:
                    here.append(("gpt2", "isolated"))
                continue
        here.append(_stage(one))
    return stages, insertions


def _stage(one: PreTokenizer) -> Stage:
    raise NotNativeError(f"the pre-tokenizer {one!r}")


def _matcher(literal: str) -> _core.Matcher:
    raise NotNativeError(literal)


def _scanner(pre_tokenizers: tuple[PreTokenizer, ...]) -> str | None:
    """The name of the scanner that finds the same pieces as all of these."""
    named = named_pattern(pre_tokenizers)
    if named is None and len(pre_tokenizers) == 1 and isinstance(pre_tokenizers[0], Pattern):
        named = pre_tokenizers[0]
    return next((name for name, pattern in PATTERNS.items() if pattern == named), None)
