"""Open an index: the root of its file names, the store of its vectors, and its settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypedDict

from chunker.arguments import told, whole_number
from chunker.counting import TokenCounter
from chunker.errors import WrongTypeError
from chunker.index.embedders import Embedder, embedder_of, identity
from chunker.index.errors import EmbedderError, SettingsMismatchError, VectorStoreError
from chunker.index.kept_tokenizer import hash_now, kept_tokenizer
from chunker.index.settings import DEFAULT_DESIRED_TOKENS, DEFAULT_MAX_TOKENS, Settings
from chunker.index.store import Store
from chunker.index.vector_stores import VectorStore, store_named
from chunker.options import Strategy

# The embedder in the settings of an index whose embedder has no name, but was given as an object.
GIVEN = "(given)"
# How messages call the place of vectors without a store.
_FILE = "a file of the index"


_EMBEDDER = ", ".join(sorted(name for name in vars(Embedder) if not name.startswith("_")))


class IndexOptions(TypedDict, total=False):
    """The options of chunks in an index; see `chunker.TextChunker`. `tokenizer` is a name or the path of a tokenizer file,
    because it must be found again: a tokenizer that has a published name, too.
    """

    tokenizer: str | Path | TokenCounter
    max_tokens: int
    desired_tokens: int | None
    min_tokens: int | None
    overlap: int
    context: bool
    strategy: Strategy


def given_embedder(given: object) -> Embedder:
    """An embedder that is given as an object. Raises `WrongTypeError` for what is none and cannot be made one."""
    made = embedder_of(given)
    if made is None:
        raise WrongTypeError(
            "embedder must be a name, a function of texts, an embedding object of LangChain or LlamaIndex, or an object that is a "
            f"chunker.index.Embedder, with all of {_EMBEDDER}, not {told(given)}"
        )
    return made


def written_root(folder: Path, root: Path) -> str:
    """A root of names as an index in `folder` keeps it.

    Relative to that folder, so that a tree with its index may be moved; absolute if the two stand apart.
    """
    here, top = os.path.realpath(folder), os.path.realpath(root)
    around = str(Path(here).parent)
    try:
        together = os.path.commonpath([around, top]) in {around, top}
    except ValueError:  # two drives
        together = False
    return os.path.relpath(top, here) if together else top


def root_of(kept_by: Store, given: str | os.PathLike[str] | None, *, exists: bool, rebuild: bool) -> Path:
    """The root of the names of an index. Raises `SettingsMismatchError` for another without `rebuild`."""
    kept = kept_by.kept_root() if exists else None
    if kept is None:
        return kept_by.folder.parent if given is None else Path(given)
    root = Path(os.path.realpath(kept_by.folder), kept)
    if given is None or os.path.realpath(given) == os.path.realpath(root):
        return Path(os.path.realpath(root)) if given is None else Path(given)
    if not rebuild:
        raise SettingsMismatchError({"root": (os.path.realpath(root), os.path.realpath(given))})
    return Path(given)


def vector_store_of(kept_by: Store, given: str | VectorStore | None, *, exists: bool) -> VectorStore | None:
    """The store of the vectors of an index: the given one, if it is that of the index; None for a file."""
    asked = store_named(given) if isinstance(given, str) else given
    if not exists:
        return asked
    has = kept_by.kept_store()
    if asked is None and has is not None:
        if not has:
            raise VectorStoreError("the index was made with a custom store: pass it to Index.open(store=...)")
        return store_named(has)
    if asked is not None and asked.spec != has:
        raise SettingsMismatchError({"store": (_FILE if has is None else has, asked.spec)})
    return asked


def settings_of(
    kept: Settings | None,
    embedder: Embedder | None,
    name: str,
    configured: str,
    options: IndexOptions,
    *,
    root: Path,
) -> Settings:
    """The settings asked for: those of the index, if there is one, changed by the given options, with the present hash of a tokenizer file."""
    given: dict[str, Any] = dict(options)
    if kept is None and embedder is not None:
        given.setdefault("tokenizer", embedder.tokenizer)
    if "tokenizer" in given:
        given["tokenizer"], given["tokenizer_sha256"] = kept_tokenizer(given["tokenizer"], root)
    elif kept is not None and kept.tokenizer_sha256:
        given["tokenizer_sha256"] = hash_now(kept.tokenizer, root)
    if given.get("max_tokens") is not None:
        given["max_tokens"] = whole_number(given["max_tokens"], "max_tokens", " of tokens")
    if kept is not None:
        if embedder is not None:
            given |= {"identity": identity(embedder).hex(), "dimensions": embedder.dimensions, "embedder": name}
            given["embedder_options"] = configured
        if given.get("max_tokens", kept.max_tokens) != kept.max_tokens:
            given.setdefault("desired_tokens", _desired(given["max_tokens"]))
        return kept.with_options(**given)
    if embedder is None:
        raise EmbedderError("an index needs an embedder")
    max_tokens = given.get("max_tokens")
    if max_tokens is not None and "desired_tokens" not in given:
        given["desired_tokens"] = _desired(max_tokens)
    base = Settings(embedder.tokenizer, name, configured, identity(embedder).hex(), embedder.dimensions)
    return base.with_options(**given)


def _desired(max_tokens: int) -> int:
    """The default of `desired_tokens` for a limit, in the proportion of the defaults."""
    return max(max_tokens * DEFAULT_DESIRED_TOKENS // DEFAULT_MAX_TOKENS, 1)
