"""Checks for merges of a specification that neither engine can honour."""

from __future__ import annotations

from bpe_engine.errors import UnsupportedModelError, VocabularyError
from bpe_engine.formats.tables import first_merge_of
from bpe_engine.pipeline.specification import Specification


def check_merges(specification: Specification) -> None:
    """Raise VocabularyError or UnsupportedModelError if the merges of `specification` cannot be honoured."""
    source, unknown = specification.source, specification.unknown
    if specification.alphabet == "bytes" and (unknown != "error" or specification.byte_fallback):
        raise VocabularyError(
            f"{source}: an unknown token or byte fallback where the alphabet is bytes is not supported"
        )
    if specification.byte_fallback and len(specification.byte_fallback) < 256 and isinstance(unknown, int):
        missing = min(set(range(256)) - specification.byte_fallback.keys())
        raise UnsupportedModelError(
            f"{source}: byte fallback with an unknown token is supported only where every byte has a token; there is none for 0x{missing:02X}"
        )
    never_merged = set(specification.byte_fallback.values()) | ({unknown} if isinstance(unknown, int) else set())
    place = first_merge_of(specification.merges, never_merged)
    if place is not None:
        raise UnsupportedModelError(
            f"{source}: merge {place}: merging an unknown token or one of byte fallback is not supported"
        )
