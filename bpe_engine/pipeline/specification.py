"""Specification: the content of a tokenizer file of any format. Readers make it, `Tokenizer.from_specification` runs
it.

    text  " Ünï <mask>"
      added tokens       found first                          " Ünï " | <mask>
      normalizers        on each text between them            " Ünï "
      pre-tokenizers     split it, one after the other        " Ünï" | " "
      merges             pre-token -> tokens                  " Ü" "n" "ï" | " "
      prefix, suffix     added around it for the model        <s> ... </s>         (never part of a count)
      decoders           tokens -> text

The order and the meaning of the parts are those of Hugging Face `tokenizers`, which has the most parts; other formats
have fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, isnan
from typing import Any, Final, Literal

from bpe_engine.errors import UnsupportedModelError, VocabularyError
from bpe_engine.formats.tables import ReadMerges, ReadNumbers, ReadTokens
from bpe_engine.pipeline.decoders import Decoder
from bpe_engine.pipeline.normalizers import Normalizer
from bpe_engine.pipeline.pre_tokenizers import PreTokenizer
from bpe_engine.pipeline.records import Record
from bpe_engine.vocabulary import LARGEST_ID, has_lone_surrogate

__all__ = ["AddedToken", "Specification"]

MOST_CHARACTERS: Final = 1000
"""The largest `max_characters`: in the worst case WordPiece takes time proportional to its square for a word. Files have 100, some 200."""
_NOTHING: Final[dict[int, Any]] = {}  # shared by all specifications: nobody writes to it
LARGEST_FLOAT: Final = 2.0**128 - 2.0**104


class AddedToken(Record):
    """A token that is searched for in the text before any other stage.

    Args:
        text: Its text.
        id: Its id.
        special: Whether it is found only if `allowed_special` names it; a token that is not special is always found.
        lstrip: Whether it includes the white space to its left.
        rstrip: Whether it includes the white space to its right.
        single_word: Whether it is not found inside a word.
        normalized: Whether it is searched for in normalized text, with its own text normalized, too.
    """

    text: str
    id: int
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


class Specification(Record, kw_only=True):
    """The content of a tokenizer file, as data. Made by the readers in `bpe_engine/formats/`, one a format. Immutable; can be
    pickled; threads may share it.

    A reader checks the syntax of its file and the types of its values. The consistency of a specification is checked
    here, with messages that start with `source`. Do not change the mappings and sequences after passing them.

    There are three ways to define how two neighbours merge:
    - `merges`: only these pairs merge. Each makes the token that is the concatenation of both.
    - `ranks`: any two neighbours merge whose concatenation is a token with a rank; the lowest rank first, the leftmost of
      equals. No merge makes a token without a rank.
    - neither: as `ranks`, where each id is its own rank.

    Args:
        name: A label, usually the name of the file without its suffix.
        source: The name of the file in error messages.
        tokens: The tokens that a text can be encoded to: id -> token. No two are equal, and none is empty. Ids may be in
            any order and have gaps.
        alphabet: "bytes": a token is `bytes`, merging starts from single bytes, and text is encoded as UTF-8.
            "characters": a token is a `str`, and merging starts from characters.
        model: "merges"; or another model, whose tokens are characters, and which has none of the settings for merges.
            "wordpiece": the longest token at the start of a pre-token, then repeatedly the longest at the start of the
            rest. "wordlevel": a pre-token is one token, or unknown. "unigram": the tokens with the highest sum of
            `scores`; adjacent unknown characters are one, the unknown token, or by `byte_fallback` the tokens of their
            bytes.
        texts_only: Tokens for decoding only, in the form of `tokens`: id -> token. No id is in both.
        merges: Pairs of ids (left, right), the best first.
        ranks: Id -> merge rank.
        ignore_merges: Whether a pre-token that is a token is encoded as that token, whatever its merges would give.
        subword_prefix: Text before which each character (or byte) of a pre-token except the first is looked up; a merge
            removes it from its right half. "" for none.
        word_suffix: Text with which the last character (or byte) of a pre-token is looked up. "" for none.
        byte_fallback: Byte value -> id. A byte or character that is not a token becomes one token for each byte of its
            UTF-8, if all have one.
        unknown: What becomes of it otherwise: "error" raises EncodingError, "drop" leaves it out, an id replaces it. Of
            models other than merges an id, or "error".
        fuse_unknown: Whether one id replaces a whole run of such characters.
        continuing_prefix: Text before which "wordpiece" looks up all tokens of a pre-token but the first.
        max_characters: The largest number of characters of a pre-token of "wordpiece"; a longer one is unknown as a
            whole, as is one whose rest has no token.
        scores: Id -> score, of "unigram".
        user_defined: Ids that have scores of their own if `like` is "sentencepiece".
        like: The package whose arithmetic "unigram" has.
        normalizers: Change the text, one after the other.
        pre_tokenizers: Split the text, one after the other, each of them every piece from the one before. A
            `bpe_engine.patterns.Pattern` is one, too. Without any the text is one pre-token.
        added_tokens: Tokens that are found before anything else. One may have the id of a token with the same text.
        added_tokens_order: Which of overlapping ones is found. "leftmost": the leftmost, then the longest; a token that
            is not allowed hides those that overlap it, as in Hugging Face. "longest_first": each is searched for in the
            rest of the text, the one with the most bytes in UTF-8 first, of equals the first in `added_tokens`; those
            that are not allowed hide nothing, as in llama.cpp.
        prefix: Ids put in front of each text for the model, such as that of `[CLS]`.
        suffix: Ids put after it, such as that of `[SEP]`.
        decoders: Make the text of tokens, one after the other. Without any, tokens are concatenated (bytes) or joined by
            spaces (characters), as in Hugging Face.

    Raises:
        VocabularyError: The parts do not go together.
        UnsupportedModelError: A part is well-formed, but not supported.

    >>> Specification(name=None, source="two tokens", tokens={0: b"a", 1: b"aa"}, merges=[(0, 0)]).alphabet
    'bytes'
    """

    _unshown = frozenset({"tokens", "texts_only", "merges", "ranks", "byte_fallback", "scores", "added_tokens"})
    name: str | None
    source: str
    tokens: Mapping[int, bytes] | Mapping[int, str]
    alphabet: Literal["bytes", "characters"] = "bytes"
    model: Literal["merges", "wordpiece", "unigram", "wordlevel"] = "merges"
    texts_only: Mapping[int, bytes] | Mapping[int, str] = _NOTHING
    merges: Sequence[tuple[int, int]] | None = None
    ranks: Mapping[int, int] | None = None
    ignore_merges: bool = False
    subword_prefix: str = ""
    word_suffix: str = ""
    byte_fallback: Mapping[int, int] = _NOTHING
    unknown: int | Literal["error", "drop"] = "error"
    fuse_unknown: bool = False
    continuing_prefix: str = "##"
    max_characters: int = 100
    scores: Mapping[int, float] | None = None
    user_defined: frozenset[int] = frozenset()
    like: Literal["tokenizers", "sentencepiece"] = "tokenizers"
    normalizers: tuple[Normalizer, ...] = ()
    pre_tokenizers: tuple[PreTokenizer, ...] = ()
    added_tokens: tuple[AddedToken, ...] = ()
    added_tokens_order: Literal["leftmost", "longest_first"] = "leftmost"
    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    decoders: tuple[Decoder, ...] = ()

    def __post_init__(self) -> None:
        if self.merges is not None and self.ranks is not None:
            raise VocabularyError(f"{self.source}: merges and ranks exclude each other: pass one of them")
        self._check_tokens()
        self._check_merges()
        self._check_model()
        self._check_other_ids()

    def _check_tokens(self) -> None:
        if not self.tokens:
            raise VocabularyError(f"{self.source}: there are no tokens")
        if isinstance(self.tokens, ReadTokens) and self.texts_only is self.tokens.texts_only:
            return
        self._check_entries(self.tokens)
        self._check_entries(self.texts_only)
        both = self.tokens.keys() & self.texts_only.keys()
        if both:
            raise VocabularyError(f"{self.source}: two tokens have the id {min(both)}")
        if len(set(self.tokens.values())) != len(self.tokens):
            owners: dict[bytes | str, int] = {}
            for token_id, token in self.tokens.items():
                first = owners.setdefault(token, token_id)
                if first != token_id:
                    raise VocabularyError(
                        f"{self.source}: the token {token!r:.80} occurs twice, as id {first} and as id {token_id}"
                    )
        empty = next((token_id for token_id, token in self.tokens.items() if not token), None)
        if empty is not None:
            raise VocabularyError(f"{self.source}: the token with the id {empty} is empty")

    def _check_entries(self, ids: Mapping[int, bytes] | Mapping[int, str]) -> None:
        wanted = bytes if self.alphabet == "bytes" else str
        # These checks run in C over up to a quarter of a million entries; the loop searches for the wrong entry only if
        # they fail.
        are_right = set(map(type, ids)) <= {int} and set(map(type, ids.values())) <= {wanted}
        if are_right and (not ids or (min(ids) >= 0 and max(ids) <= LARGEST_ID)):
            return
        for token_id, token in ids.items():
            if type(token_id) is not int or not 0 <= token_id <= LARGEST_ID:
                raise VocabularyError(
                    f"{self.source}: the token {token!r:.80} has the id {token_id!r:.80}, not a whole number from 0 to {LARGEST_ID}"
                )
            if type(token) is not wanted:
                raise VocabularyError(
                    f"{self.source}: the token {token!r:.80} (id {token_id}) is {type(token).__name__}, not {wanted.__name__}"
                )

    def _check_merges(self) -> None:
        merges = self.merges or ()
        if isinstance(merges, ReadMerges) and isinstance(self.tokens, ReadTokens):
            merges = ()
        for number, (left, right) in enumerate(merges):
            for side in (left, right):
                if side not in self.tokens:
                    raise VocabularyError(f"{self.source}: merge {number}: no token has the id {side!r:.80}")
        if self._is_read(self.ranks):
            return
        for token_id, rank in (self.ranks or {}).items():
            if token_id not in self.tokens:
                raise VocabularyError(f"{self.source}: there is a rank for the id {token_id!r:.80}, which no token has")
            if type(rank) is not int:
                raise VocabularyError(
                    f"{self.source}: the rank of the token with the id {token_id} is {rank!r:.80}, not a whole number"
                )

    def _is_read(self, numbers: object) -> bool:
        """Whether the core has read the tokens and these scores or ranks; if so, they are already checked."""
        tokens = self.tokens
        return isinstance(tokens, ReadTokens) and isinstance(numbers, ReadNumbers) and numbers.tables is tokens.tables

    def _check_model(self) -> None:
        if self.model not in ("merges", "wordpiece", "unigram", "wordlevel"):
            raise VocabularyError(f"{self.source}: {self.model!r:.80} is not a model")
        if (self.scores is not None) != (self.model == "unigram"):
            raise VocabularyError(f"{self.source}: scores are for the model 'unigram', which needs them")
        if self.subword_prefix or self.word_suffix:
            self._check_decoration()
        if self.model == "merges":
            return
        if self.alphabet != "characters" or self.merges is not None or self.ranks is not None or self.ignore_merges:
            raise VocabularyError(
                f"{self.source}: the model {self.model!r} has tokens of characters, so it cannot have merges"
            )
        if self.unknown == "drop":
            raise VocabularyError(f"{self.source}: the model {self.model!r} cannot drop unknown text")
        if type(self.max_characters) is not int or not 0 <= self.max_characters <= MOST_CHARACTERS:
            raise UnsupportedModelError(
                f"{self.source}: words of up to {self.max_characters!r:.80} characters are not supported, only of 0 to {MOST_CHARACTERS}"
            )
        if self.byte_fallback and self.model != "unigram":
            raise VocabularyError(f"{self.source}: the model {self.model!r} has no byte fallback")
        if self.like not in ("tokenizers", "sentencepiece"):
            raise VocabularyError(f"{self.source}: like {self.like!r:.80} is neither 'tokenizers' nor 'sentencepiece'")
        if self.scores is not None:
            self._check_scores(self.scores)

    def _check_decoration(self) -> None:
        if self.model != "merges" or self.merges is None:
            raise VocabularyError(f"{self.source}: a prefix or suffix of words is for merges that are a list of pairs")
        if self.byte_fallback:
            raise UnsupportedModelError(
                f"{self.source}: byte fallback with a prefix or suffix of words is not supported"
            )

    def _check_scores(self, scores: Mapping[int, float]) -> None:
        if self._is_read(scores):
            return
        if scores.keys() != self.tokens.keys():
            odd = min(scores.keys() ^ self.tokens.keys())
            raise VocabularyError(f"{self.source}: the id {odd} has a score and no token, or a token and no score")
        # These checks run in C; the loop searches for the wrong entry only if they fail.
        values = scores.values()
        are_right = set(map(type, values)) <= {int, float} and all(map(isfinite, values))
        if are_right and (self.like != "sentencepiece" or max(map(abs, values), default=0) <= LARGEST_FLOAT):
            return
        for token_id, score in scores.items():
            if type(score) not in (int, float) or isnan(score) or score == inf:
                raise VocabularyError(f"{self.source}: the score of the token with the id {token_id} is {score!r:.80}")
            if self.like == "sentencepiece" and abs(score) > LARGEST_FLOAT:
                raise VocabularyError(
                    f"{self.source}: the score of the token with the id {token_id} is {score!r:.80}, which no float of four bytes holds"
                )

    def _check_other_ids(self) -> None:
        if self.added_tokens_order not in ("leftmost", "longest_first"):
            raise VocabularyError(
                f"{self.source}: the order of added tokens is 'leftmost' or 'longest_first', not {self.added_tokens_order!r:.80}"
            )
        added_ids = {added.id for added in self.added_tokens}

        def known(token_id: object) -> bool:
            return token_id in self.tokens or token_id in self.texts_only

        for byte, token_id in self.byte_fallback.items():
            if not 0 <= byte <= 255 or not known(token_id):
                raise VocabularyError(
                    f"{self.source}: byte fallback: {byte!r:.80} -> {token_id!r:.80} is not a byte and the id of a token"
                )
        if not isinstance(self.unknown, str) and not known(self.unknown):
            raise VocabularyError(f"{self.source}: the unknown token has the id {self.unknown}, which no token has")
        for added in self.added_tokens:
            if type(added.text) is not str or not added.text:
                raise VocabularyError(
                    f"{self.source}: an added token must be a str of at least one character, not {added.text!r:.80}"
                )
            if has_lone_surrogate(added.text):
                raise VocabularyError(
                    f"{self.source}: the added token {added.text!r:.80} contains a lone surrogate, which is not a character"
                )
            if type(added.id) is not int or not 0 <= added.id <= LARGEST_ID:
                raise VocabularyError(
                    f"{self.source}: the added token {added.text!r:.80} has the id {added.id!r:.80}, not a whole number from 0 to {LARGEST_ID}"
                )
        for token_id in (*self.prefix, *self.suffix):
            if token_id not in added_ids and not known(token_id):
                raise VocabularyError(
                    f"{self.source}: the id {token_id!r:.80} is added around each text, but no token has it"
                )
