"""The published encodings: their names, the models that use them, and loading by name.

The facts are data, in `data/published.json`; the token files come from the package or through `files.py`.
"""

from __future__ import annotations

import threading
from functools import cache

from bpe_engine.errors import UnknownEncodingError
from bpe_engine.formats.tiktoken import parse_tiktoken
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.pipeline.records import Record
from bpe_engine.published import data as vocabularies
from bpe_engine.published import plugins
from bpe_engine.published.files import PublishedFile, fetch
from bpe_engine.vocabulary import Vocabulary


class PublishedEncoding(Record):
    """The published facts about one encoding.

    `files` is one `.tiktoken` file, or GPT-2's `vocab.bpe` and `encoder.json` in this order. `embedded` is the name of
    the package data with the same tokens, None if the files must be found or downloaded.
    """

    name: str
    pattern: Pattern
    special_tokens: dict[str, int]
    files: tuple[PublishedFile, ...]
    embedded: str | None = None
    models: tuple[str, ...] = ()
    model_prefixes: tuple[str, ...] = ()


@cache
def published_encodings() -> dict[str, PublishedEncoding]:
    """Return encoding name -> published facts. The dictionary is shared; do not change it."""
    import json  # noqa: PLC0415 - tokenizers of files do not need it

    encodings = {}
    for name, entry in json.loads(vocabularies.published_table()).items():
        special_tokens = dict(entry["special_tokens"])
        reserved = entry.get("reserved_special_tokens")
        if reserved is not None:
            for token_id in range(reserved["first"], reserved["last"] + 1):
                special_tokens[reserved["text"].format(id=token_id)] = token_id
        encodings[name] = PublishedEncoding(
            name=name,
            pattern=PATTERNS[entry["pattern"]],
            special_tokens=special_tokens,
            files=tuple(PublishedFile(**file) for file in entry["files"]),
            embedded=entry.get("embedded"),
            models=tuple(entry["models"]),
            model_prefixes=tuple(entry["model_prefixes"]),
        )
    return encodings


def encoding_name_for_model(model: str) -> str:
    """The name of the encoding that a model uses: "gpt-4o" -> "o200k_base".

    A dated or fine-tuned model is recognized by the longest published prefix of its name, so a model that does not
    exist may have an encoding, too.

    Args:
        model: The name of the model.

    Returns:
        A name that `Tokenizer.load` and `get_encoding` take.

    Raises:
        UnknownEncodingError: No published model has this name or a prefix of it.
    """
    encodings = published_encodings().values()
    for encoding in encodings:
        if model in encoding.models:
            return encoding.name
    matches = [
        (len(prefix), encoding.name)
        for encoding in encodings
        for prefix in encoding.model_prefixes
        if model.startswith(prefix)
    ]
    if not matches:
        known = [name for encoding in encodings for name in encoding.models]
        raise UnknownEncodingError(f"no published model is called {model!r}{_suggestion(model, known)}")
    return max(matches)[1]


def list_encoding_names() -> list[str]:
    """Return the names of all encodings that `get_encoding` knows, sorted: the published ones, and those of other packages
    (`plugins.py`).
    """
    return sorted({*published_encodings(), *plugins.constructors()})


_loaded: dict[str, Vocabulary] = {}
_loading = threading.Lock()


def load_vocabulary(name: str) -> Vocabulary:
    """Load the vocabulary of a published encoding, or of the encoding that a model uses. Calls share one object.

    o200k_base, cl100k_base and o200k_harmony are embedded; their tokens are read when they are first needed. Others are
    searched for in the folder that TIKTOKEN_CACHE_DIR names and in our own cache folder; a file that is in neither is
    downloaded into the latter.

    Args:
        name: The name of an encoding ("o200k_base") or model ("gpt-4o").

    Raises:
        UnknownEncodingError: No published encoding or model has this name.
        VocabularyUnavailableError: A file is in no cache folder and cannot be downloaded.
        HashMismatchError: A file is not the published one.
    """
    encoding = published_encodings().get(name) or _encoding_of_model(name)
    with _loading:
        if encoding.name not in _loaded:
            _loaded[encoding.name] = build_vocabulary(encoding)
        return _loaded[encoding.name]


def build_vocabulary(encoding: PublishedEncoding) -> Vocabulary:
    """Return a new vocabulary from the package data or the files of an encoding. Raises as `load_vocabulary`."""
    special_tokens = dict(encoding.special_tokens)
    if encoding.embedded is not None:
        return Vocabulary.from_embedded(
            encoding.name, encoding.embedded, special_tokens, encoding.pattern, load_vocabulary
        )
    if len(encoding.files) == 2:
        from bpe_engine.formats.gpt2 import parse_gpt2  # noqa: PLC0415 - of one encoding

        merges, ids = encoding.files
        ranks = parse_gpt2(fetch(merges), fetch(ids), merges.save_as, ids.save_as)
    else:
        (file,) = encoding.files
        ranks = parse_tiktoken(fetch(file), file.save_as)
    return Vocabulary(encoding.name, ranks, special_tokens, encoding.pattern)


def _encoding_of_model(name: str) -> PublishedEncoding:
    try:
        return published_encodings()[encoding_name_for_model(name)]
    except UnknownEncodingError:
        encodings = published_encodings()
        known = [*encodings, *(model for encoding in encodings.values() for model in encoding.models)]
        raise UnknownEncodingError(
            f"no published encoding or model is called {name!r}{_suggestion(name, known)}; "
            f"the encodings are {', '.join(sorted(encodings))}"
        ) from None


def _suggestion(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - takes 10 ms, and only wrong names need it

    close = get_close_matches(name, dict.fromkeys(known), n=3)  # an encoding may be called as a model is
    return f" (close: {', '.join(close)})" if close else ""
