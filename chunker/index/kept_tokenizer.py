"""The tokenizer of an index as its settings keep it: by name, or by the path and the SHA-256 of a file.

kept_tokenizer("gpt-4o", root)              ("gpt-4o", "")
kept_tokenizer("tok/tokenizer.json", root)  ("tok/tokenizer.json", "9f2c..."), relative to the root of the index
kept_tokenizer("/models/t.json", root)      ("/models/t.json", "51d0..."), a file outside of the root
"""

from __future__ import annotations

import os
from pathlib import Path

from chunker.counting import AnyTokenizer, TokenCounter, name_of_tokenizer, resolve_tokenizer
from chunker.counting.tokenizer_files import file_hash, tokenizer_path
from chunker.errors import OptionError
from chunker.index.errors import SettingsMismatchError
from chunker.tokenizer_errors import UnknownTokenizerError


def kept_tokenizer(given: AnyTokenizer, root: Path) -> tuple[str, str]:
    """Return how an index stores a tokenizer: its name and "", or the path of its file and the hash of the file.

    Raises as `resolve_tokenizer`, and OptionError for a tokenizer that neither a name nor a file finds again.
    """
    if not isinstance(given, str | os.PathLike):
        counter = resolve_tokenizer(given)
        name = name_of_tokenizer(counter)
        if name is None or resolve_tokenizer(name) != counter:
            raise OptionError(
                f"an index keeps only the name or path of its tokenizer: pass one of these; got {given!r:.100}"
            )
        return name, ""
    path = tokenizer_path(given)
    if path is None:
        resolve_tokenizer(given)
        return str(given), ""
    try:
        sha256 = file_hash(path)
        resolve_tokenizer(path)
    except OSError as error:
        raise OptionError(f"the tokenizer file cannot be read: {error}") from error
    here, top = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    return (here.relative_to(top).as_posix() if here.is_relative_to(top) else str(here)), sha256


def hash_now(tokenizer: str, root: Path) -> str:
    """The hash of the tokenizer file of an index as it is now. Raises UnknownTokenizerError where it is gone, and OptionError."""
    path = Path(root, tokenizer)
    if not path.is_file():
        raise UnknownTokenizerError(
            f"the tokenizer file of the index, {str(path)!r}, is missing: restore it, or pass another one and rebuild=True (--tokenizer, --rebuild)"
        )
    try:
        return file_hash(path)
    except OSError as error:
        raise OptionError(f"the tokenizer file of the index cannot be read: {error}") from error


def counter_of(tokenizer: str, sha256: str, root: Path) -> TokenCounter:
    """The tokenizer that is kept by this name or path. Raises SettingsMismatchError for a file that has changed."""
    if not sha256:
        return resolve_tokenizer(tokenizer)
    now = hash_now(tokenizer, root)
    if now != sha256:
        raise SettingsMismatchError({"tokenizer": (told_file(tokenizer, sha256), told_file(tokenizer, now))})
    return resolve_tokenizer(Path(root, tokenizer))


def told_file(tokenizer: str, sha256: str) -> str:
    """A tokenizer for a message: the file with the start of its hash, or the name."""
    return f"{tokenizer} (SHA-256 {sha256[:12]})" if sha256 else tokenizer
