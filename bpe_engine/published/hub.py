"""Get tokenizer files of models on the Hugging Face Hub with the package `huggingface_hub` (extra `hub`), from its cache or the network.

    tokenizer_file("Qwen/Qwen3-Embedding-0.6B")      from the cache of huggingface_hub, or downloaded into it

HF_HUB_OFFLINE, HF_HOME, HF_HUB_CACHE, HF_ENDPOINT and HF_TOKEN have the same meaning as for that package.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bpe_engine.errors import MissingExtraError, VocabularyError, VocabularyUnavailableError

_TRUE = frozenset({"1", "ON", "YES", "TRUE"})


def tokenizer_file(
    repository: str,
    *,
    file: str = "tokenizer.json",
    revision: str | None = None,
    local_files_only: bool | None = None,
    token: str | bool | None = None,
) -> Path:
    """Return the path of a model's file in the cache of huggingface_hub, after downloading it if necessary.

    Args:
        repository: The repository, "owner/name".
        file: The path of the file in the repository.
        revision: A branch, tag or commit. A cached branch is used as cached.
        local_files_only: True never uses the network. False uses it to check whether the branch has moved. None uses it
            only for a file that is not in the cache, unless HF_HUB_OFFLINE is set.
        token: The access token of the Hub, or True for the stored one.

    Raises:
        MissingExtraError: The package huggingface_hub is not installed.
        VocabularyError: `repository` is not a name of a repository.
        VocabularyUnavailableError: The file is not available: no such repository, revision or file, no permission, or
            no network.
    """
    given: object = repository  # untyped callers may pass anything
    if not isinstance(given, str):
        raise TypeError(f"repository must be the name of a repository, not {type(given).__name__}")
    try:
        from huggingface_hub import errors, hf_hub_download  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError("hub", "from_pretrained needs the package huggingface_hub") from error
    options: dict[str, Any] = {
        "revision": revision,
        "token": token,
        "endpoint": os.environ.get("HF_ENDPOINT"),
        "library_name": "bpe-chunker",
    }
    offline = local_files_only is True or os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE
    what = f"{file} of {repository}" + (f" at {revision}" if revision else "")
    try:
        if local_files_only is not False or offline:
            try:
                return Path(hf_hub_download(repository, file, local_files_only=True, **options))
            except errors.LocalEntryNotFoundError:
                if offline:
                    raise
        return Path(hf_hub_download(repository, file, **options))
    except errors.HFValidationError as error:
        raise VocabularyError(f"{repository!r:.80} is not the name of a repository: {error}") from error
    except errors.LocalEntryNotFoundError as error:
        reason = (
            "and the network is not to be used" if offline else f"and could not be downloaded: {_first_line(error)}"
        )
        raise VocabularyUnavailableError(f"{what} is not in the cache of huggingface_hub, {reason}") from error
    except (errors.HfHubHTTPError, errors.EntryNotFoundError, OSError) as error:
        raise VocabularyUnavailableError(f"{what} could not be downloaded: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
