"""Read Hugging Face's tokenizer.json: byte-pair encoding with all its stages. The other models: `tokenizer_json_models.py`.

    {"added_tokens": [...], "normalizer": ..., "pre_tokenizer": ..., "post_processor": ..., "decoder": ...,
     "model": {"type": "BPE", "vocab": {token: id}, "merges": ["a b", ...] or [["a", "b"], ...], ...}}

Unsupported features are refused, with their place in the file. `truncation` and `padding` are not read, because they
concern the input of a model. The parts other than the model: `tokenizer_json_stages.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, cast

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, bytes_of
from bpe_engine.formats.json_files import Node, parse_json
from bpe_engine.formats.tables import ReadMerges, ReadTokens
from bpe_engine.formats.tokenizer_json_models import parse_piece_model
from bpe_engine.formats.tokenizer_json_stages import read_decoders, read_normalizers, read_pre_tokenizers, read_specials
from bpe_engine.formats.tokenizer_json_tokens import check_added_tokens, read_added_tokens, read_vocabulary
from bpe_engine.implementation import core, implementation
from bpe_engine.pipeline.pre_tokenizers import ByteLevel, Metaspace, PreTokenizer
from bpe_engine.pipeline.specification import Specification

if TYPE_CHECKING:
    from bpe_engine import _core


def read(path: Path) -> Specification:
    """Read the specification in a file.

    Raises VocabularyError with the file and the place in it, UnsupportedModelError for an unsupported feature, and
    OSError.
    """
    return parse_tokenizer_json(
        path.read_bytes(),
        str(path),
        name=(path.absolute().parent.name or path.stem) if path.stem == "tokenizer" else path.stem,
    )


def parse_tokenizer_json(
    data: bytes, source: str, name: str | None = None, *, from_memory: bool = False
) -> Specification:
    """Parse the specification in the contents of a file; `source` is the name of the file in error messages. Raises as
    `read`.

    `from_memory`: `tokenizers` has written it from a tokenizer in memory, so that scores are what stands there. Those of a
    file are what `tokenizers` makes of them when it reads the file (`json_numbers`).
    """
    file, read = _parsed(data, source)
    model = file.object("model")
    kind = model.get("type")
    if kind is None and isinstance(model.get("merges"), list):
        kind = "BPE"  # files from before 2020 have no type
    if read is not None and (read.has_scores, read.has_merges) != (kind == "Unigram", kind == "BPE"):
        # The Python reader reports missing or unexpected parts.
        file, read = Node(parse_json(data, source), source, ""), None
        model = file.object("model")
    if from_memory and kind == "Unigram":
        file, read = Node(parse_json(data, source, parse_float=float), source, ""), None
    if kind in ("WordPiece", "WordLevel", "Unigram"):
        return parse_piece_model(file, source, name, read)
    if kind != "BPE":
        raise model.unsupported(f"a model of the type {kind!r:.80}", "type")
    added = read_added_tokens(file)
    stages = read_pre_tokenizers(file)
    vocabulary: _Vocabulary = _VocabularyInPython(model) if read is None else read
    check_added_tokens(file, added, vocabulary.find)
    _check_dropout(model)
    if isinstance(vocabulary, _VocabularyInPython):
        vocabulary.read_merges()
    ignore_merges = model.boolean("ignore_merges", default=False)
    in_bytes = _ends_in_bytes(stages) and _has_all_bytes(model, vocabulary.find)
    # Trainers put special tokens among the others. A special token that no merge makes is only ever found in the text,
    # so it is left out here.
    subword_prefix, word_suffix = _text(model, "continuing_subword_prefix"), _text(model, "end_of_word_suffix")
    left_out = {
        token.text
        for token in added
        if not ignore_merges
        and not vocabulary.is_merged(token.text)
        # One of a single character is what a text begins with before any merge.
        and len(token.text.removeprefix(subword_prefix).removesuffix(word_suffix)) > 1
    }
    unknown, fallback = _read_unknown(model, vocabulary.find, in_bytes=in_bytes)
    left_out = {text for text in left_out if vocabulary.find(text) not in {unknown, *fallback.values()}}
    prefix, suffix = read_specials(file)
    tokens, texts_only, merges = _selected(vocabulary, left_out, data, source, in_bytes=in_bytes)
    return Specification(
        name=name,
        source=source,
        tokens=tokens,
        alphabet="bytes" if in_bytes else "characters",
        texts_only=texts_only,
        merges=merges,
        ignore_merges=ignore_merges,
        subword_prefix=subword_prefix,
        word_suffix=word_suffix,
        byte_fallback=fallback,
        unknown=unknown,
        fuse_unknown=model.boolean("fuse_unk", default=False),
        normalizers=read_normalizers(file),
        pre_tokenizers=stages,
        added_tokens=added,
        prefix=prefix,
        suffix=suffix,
        decoders=read_decoders(file),
    )


_Tokens = Mapping[int, bytes] | Mapping[int, str]
_Selected = tuple[_Tokens, _Tokens, Sequence[tuple[int, int]]]


class _Vocabulary(Protocol):
    """Protocol for the tokens and the merges of a file."""

    def find(self, text: str) -> int | None:
        """Return the id of a token; None if it is not in the vocabulary."""
        ...

    def is_merged(self, text: str) -> bool:
        """Whether any merge makes this token or has it as a half."""
        ...


def _parsed(data: bytes, source: str) -> tuple[Node, _core.VocabularyFile | None]:
    """Parse the file; leave out tokens and merges if the core has read them. The core accepts valid files only; errors are reported by the Python reader."""
    read = core().read_tokenizer_json(data) if implementation() == "cpp" else None
    if read is not None:
        try:
            return Node(parse_json(read.rest, source), source, ""), read
        except VocabularyError:
            read = None  # raised again below, with the line in the whole file
    return Node(parse_json(data, source), source, ""), read


def _selected(vocabulary: _Vocabulary, left_out: set[str], data: bytes, source: str, *, in_bytes: bool) -> _Selected:
    """Return the tokens that a text can be encoded to, the tokens for decoding only, and the merges."""
    if not isinstance(vocabulary, _VocabularyInPython):
        read = cast("_core.VocabularyFile", vocabulary)
        tables = read.select(sorted(left_out), BYTE_OF_CHARACTER if in_bytes else None)
        if tables is not None:
            tokens = ReadTokens(tables, "bytes" if in_bytes else "characters")
            return tokens, tokens.texts_only, ReadMerges(tables)
        vocabulary = _VocabularyInPython(Node(parse_json(data, source), source, "").object("model"))
        vocabulary.read_merges()
    return vocabulary.selected(left_out, in_bytes=in_bytes)


class _VocabularyInPython:
    """The tokens and the merges of a model. Raises VocabularyError."""

    def __init__(self, model: Node) -> None:
        self._model = model
        self._tokens = read_vocabulary(model)
        self._merges: list[tuple[int, int]] = []
        self._merged: set[int] = set()

    def read_merges(self) -> None:
        self._merges, self._merged = _read_merges(self._model, self._tokens)

    def find(self, text: str) -> int | None:
        return self._tokens.get(text)

    def is_merged(self, text: str) -> bool:
        return self._tokens.get(text) in self._merged

    def selected(self, left_out: set[str], *, in_bytes: bool) -> _Selected:
        """Return the tokens except those of `left_out`, the tokens for decoding only, and the merges."""
        by_id = sorted((token_id, token) for token, token_id in self._tokens.items() if token not in left_out)
        # No text is encoded to an empty token; Whisper has one.
        empty = self._tokens.get("")
        if not in_bytes:
            texts = dict(by_id)
            return texts, {} if empty is None else {empty: texts.pop(empty)}, self._merges
        tokens, texts_only = _as_bytes(by_id)
        if empty is not None:
            texts_only[empty] = tokens.pop(empty)
        return tokens, texts_only, self._merges


def _as_bytes(by_id: list[tuple[int, str]]) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Return the tokens as bytes, and separately the tokens with a character outside the byte alphabet, as UTF-8."""
    tokens, texts_only = {}, {}
    for token_id, token in by_id:
        try:
            tokens[token_id] = bytes_of(token)
        except KeyError:
            texts_only[token_id] = token.encode("utf-8", "surrogatepass")
    return tokens, texts_only


def _check_dropout(model: Node) -> None:
    """Check the probability of dropout. It skips merges at random, for training only, and is ignored: counts need to be reproducible."""
    dropout = model.get("dropout")
    if dropout is not None and (type(dropout) not in (int, float) or not 0 <= dropout <= 1):
        raise model.error(f"{dropout!r:.80} is not a probability", "dropout")


def _read_merges(model: Node, vocabulary: dict[str, int]) -> tuple[list[tuple[int, int]], set[int]]:
    """Return the merges as pairs of ids, and the ids of all their halves and results."""
    merges: list[tuple[int, int]] = []
    prefix = _text(model, "continuing_subword_prefix")
    involved: set[int] = set()
    for number, entry in enumerate(model.array("merges")):
        pair = entry.split(" ") if type(entry) is str else entry
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not str:
            raise model.error(f"{entry!r:.80} is not a pair of tokens", f"merges[{number}]")
        left, right = pair
        try:
            ids = vocabulary[left], vocabulary[right]
            involved.add(vocabulary[left + right[len(prefix) :]])
        except KeyError as error:
            raise model.error(f"{error} of {entry!r:.80} is not in model.vocab", f"merges[{number}]") from None
        merges.append(ids)
    for ids in merges:
        involved.update(ids)
    return merges, involved


def _has_all_bytes(model: Node, find: Callable[[str], int | None]) -> bool:
    """Whether every byte is a token at every position in a pre-token (with the subword prefix, with the word suffix)."""
    prefix, suffix = _text(model, "continuing_subword_prefix"), _text(model, "end_of_word_suffix")
    kinds = {(before, after) for before in ("", prefix) for after in ("", suffix)}
    return all(find(f"{before}{byte}{after}") is not None for before, after in kinds for byte in BYTE_OF_CHARACTER)


def _ends_in_bytes(stages: Iterable[PreTokenizer]) -> bool:
    """Whether all characters that the model sees stand for bytes: the one that Metaspace puts in after ByteLevel does not."""
    in_bytes = False
    for stage in stages:
        in_bytes = isinstance(stage, ByteLevel) or (in_bytes and not isinstance(stage, Metaspace))
    return in_bytes


def _text(model: Node, name: str) -> str:
    return "" if model.get(name) is None else model.string(name)


def _read_unknown(
    model: Node, find: Callable[[str], int | None], *, in_bytes: bool
) -> tuple[int | Literal["error", "drop"], dict[int, int]]:
    """Return the id of the unknown token, or the other treatment of unknown characters, and the ids of byte tokens for them."""
    token = model.get("unk_token")
    unknown = find(token) if isinstance(token, str) else None
    if token is not None and unknown is None:
        raise model.error(f"{token!r:.80} is not in model.vocab", "unk_token")
    fallback: dict[int, int] = {}
    if model.boolean("byte_fallback", default=False):
        named = ((byte, find(f"<0x{byte:02X}>")) for byte in range(256))
        fallback = {byte: token_id for byte, token_id in named if token_id is not None}
    if in_bytes:
        return "error", {}  # every byte is a token
    return ("drop" if unknown is None else unknown), fallback
