"""Read the models without merges in a tokenizer.json: WordPiece, WordLevel and Unigram.

{"type": "WordPiece", "vocab": {"un": 0, "##able": 1, "[UNK]": 2}, "unk_token": "[UNK]", "continuing_subword_prefix":
"##", "max_input_chars_per_word": 100} {"type": "WordLevel", "vocab": {"the": 0, "<unk>": 1}, "unk_token": "<unk>"}
{"type": "Unigram", "vocab": [["<unk>", 0.0], ["a", -1.5]], "unk_id": 0, "byte_fallback": false}           the id is the place in the list
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isnan
from typing import TYPE_CHECKING, Any, Literal, cast

from bpe_engine.formats.json_files import Node
from bpe_engine.formats.tables import ReadNumbers, ReadTokens
from bpe_engine.formats.tokenizer_json_stages import read_decoders, read_normalizers, read_pre_tokenizers, read_specials
from bpe_engine.formats.tokenizer_json_tokens import check_added_tokens, read_added_tokens, read_vocabulary
from bpe_engine.pipeline.specification import MOST_CHARACTERS, Specification

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpe_engine import _core

_KINDS: Mapping[str, Literal["wordpiece", "wordlevel", "unigram"]] = {
    "WordPiece": "wordpiece",
    "WordLevel": "wordlevel",
    "Unigram": "unigram",
}


def parse_piece_model(file: Node, source: str, name: str | None, read: _core.VocabularyFile | None) -> Specification:
    """Return the specification of a file with one of these three models; `read`: its tokens, if the core has read them.

    Raises VocabularyError, and UnsupportedModelError for an unsupported feature.
    """
    model = file.object("model")
    kind = _KINDS[model.string("type")]
    if read is not None:
        entries = _read_vocabulary(read)
    elif kind == "unigram":
        entries = _scored_vocabulary(model)
    else:
        entries = _plain_vocabulary(model)
    find, size, vocabulary = entries
    said = _said_of_unigram(model, find, size) if kind == "unigram" else _said_of_words(model, find, kind)
    added = read_added_tokens(file)
    check_added_tokens(file, added, find)
    prefix, suffix = read_specials(file)
    return Specification(
        name=name,
        source=source,
        alphabet="characters",
        model=kind,
        normalizers=read_normalizers(file),
        pre_tokenizers=read_pre_tokenizers(file),
        added_tokens=added,
        prefix=prefix,
        suffix=suffix,
        decoders=read_decoders(file),
        **vocabulary,
        **said,
    )


_Vocabulary = tuple["Callable[[str], int | None]", int, dict[str, Any]]
"""A function from token text to id, the number of entries, and the arguments of `Specification` that hold the tokens."""


def _read_vocabulary(read: _core.VocabularyFile) -> _Vocabulary:
    """Return the vocabulary of a model that the core has read."""
    tables = read.select([], None)
    if tables is None:
        raise AssertionError("the core does not read a file without tokens")
    tokens = ReadTokens(tables, "characters")
    parts: dict[str, Any] = {"tokens": tokens, "texts_only": tokens.texts_only}
    if read.has_scores:
        parts["scores"] = ReadNumbers(tables, "scores")
    return read.find, len(read), parts


def _plain_vocabulary(model: Node) -> _Vocabulary:
    """Return the vocabulary of a WordPiece or WordLevel model."""
    vocabulary = read_vocabulary(model)
    by_id = sorted(vocabulary.items(), key=lambda item: item[1])
    return (
        vocabulary.get,
        len(vocabulary),
        {
            "tokens": {token_id: token for token, token_id in by_id if token},
            "texts_only": {vocabulary[""]: ""} if "" in vocabulary else {},
        },
    )


def _scored_vocabulary(model: Node) -> _Vocabulary:
    """Return the vocabulary of a Unigram model. The last of equal tokens counts; an empty token is never found in a text."""
    entries = model.array("vocab")
    ids: dict[str, int] = {}
    scores: list[float] = []
    for number, entry in enumerate(entries):
        if (
            type(entry) is not list
            or len(entry) != 2
            or type(entry[0]) is not str
            or type(entry[1]) not in (int, float)
        ):
            raise model.error(f"{entry!r:.80} is not a token and its score", f"vocab[{number}]")
        token, score = cast("tuple[str, float]", entry)
        if isnan(score) or score == inf:
            raise model.error(f"the score of {token!r:.80} is {score}", f"vocab[{number}]")
        ids[token] = number
        scores.append(float(score))
    if not ids.keys() - {""}:
        raise model.error("there are no tokens", "vocab")
    tokens = {token_id: token for token, token_id in ids.items() if token}
    return (
        ids.get,
        len(entries),
        {
            "tokens": tokens,
            "texts_only": {number: entry[0] for number, entry in enumerate(entries) if number not in tokens},
            "scores": {token_id: scores[token_id] for token_id in tokens},
        },
    )


def _said_of_words(model: Node, find: Callable[[str], int | None], kind: str) -> dict[str, Any]:
    """Return the settings of WordPiece or WordLevel, without the tokens."""
    unknown = find(model.string("unk_token"))
    found: dict[str, Any] = {"unknown": "error" if unknown is None else unknown}
    if kind == "wordpiece":
        if model.get("continuing_subword_prefix") is not None:
            found["continuing_prefix"] = model.string("continuing_subword_prefix")
        if model.get("max_input_chars_per_word") is not None:
            most = model.integer("max_input_chars_per_word")
            if not 0 <= most <= MOST_CHARACTERS:
                raise model.unsupported(
                    f"{most} characters a word, more than {MOST_CHARACTERS} or less than none,",
                    "max_input_chars_per_word",
                )
            found["max_characters"] = most
    return found


def _said_of_unigram(model: Node, find: Callable[[str], int | None], size: int) -> dict[str, Any]:
    """Return the settings of Unigram, without its `size` tokens."""
    unknown = model.get("unk_id")
    if unknown is not None and (type(unknown) is not int or not 0 <= unknown < size):
        raise model.error(f"{unknown!r:.80} is not the index of a token in model.vocab", "unk_id")
    fallback: dict[int, int] = {}
    if model.boolean("byte_fallback", default=False):
        named = ((byte, find(f"<0x{byte:02X}>")) for byte in range(256))
        fallback = {byte: token_id for byte, token_id in named if token_id is not None}
    return {"unknown": "error" if unknown is None else unknown, "byte_fallback": fallback}
