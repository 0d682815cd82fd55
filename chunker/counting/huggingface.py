"""Tokenizers of Hugging Face, from the package `tokenizers` or wrapped by `transformers`: WordPiece, Unigram, BPE, word
level.

    from tokenizers import Tokenizer
    chunks = TextChunker(512, tokenizer=Tokenizer.from_file("tokenizer.json")).chunk(text)

The count is that of `tokenizer.encode(text, add_special_tokens=False)`: the tokenizer decides how it encodes a special
token that is written in the text. If its configuration shows that spaces are safe splits, a growing text is read about
once (see `pipelines`); otherwise each count reads it again, because no other way is exact.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from chunker.counting.counters import RecountingCounter, SettlingCounter
from chunker.counting.growing_tails import SettledCuts, TailAppender, TailPrepender
from chunker.errors import OptionError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")


class HuggingFaceCounter:
    """A counter for a `tokenizers.Tokenizer`, or for the one inside a fast tokenizer of `transformers`. Can be pickled
    if that tokenizer can.

    The tokenizer is copied: truncation and padding are switched off in the copy, and later changes of the original have
    no effect. A lone surrogate, which the package rejects, counts as U+FFFD.

    Args:
        tokenizer: The tokenizer.
        add_special_tokens: Whether the model puts its special tokens around each text, such as `[CLS]` and `[SEP]`.
            `reserve` is their number, for which a chunker keeps room. Counts never include them.

    Raises:
        OptionError: The object is not such a tokenizer, or its counts are random (BPE with dropout).
    """

    def __init__(self, tokenizer: Any, *, add_special_tokens: bool = True) -> None:  # noqa: ANN401  # duck-typed
        own = own_tokenizer(tokenizer)
        if own is None:
            raise OptionError(
                f"tokenizer must be one of the packages tokenizers or transformers; got {tokenizer!r:.100}"
            )
        if getattr(own.model, "dropout", None):
            raise OptionError(f"tokenizer must not have dropout, which makes counts random; it is {own.model.dropout}")
        self._tokenizer = own
        self._special = add_special_tokens
        self.reserve = int(own.num_special_tokens_to_add(is_pair=False)) if add_special_tokens else 0
        from chunker.counting.pipelines import cuts_of  # noqa: PLC0415  # expressions that no tokenizer of ours needs

        cuts = cuts_of(own)
        self._counter = RecountingCounter(self.count) if cuts is None else SettlingCounter(self.count, cuts)

    @property
    def incremental(self) -> bool:
        """Whether a growing text is read about once, not again for each count."""
        return self._counter.cuts is not None

    @property
    def cuts(self) -> SettledCuts | None:
        """The safe splits of its texts; None if they are not known."""
        return self._counter.cuts

    def count(self, text: str, /) -> int:
        """The number of tokens of a text, without the special tokens that the model puts around it.

        Args:
            text: The text.

        Returns:
            As many tokens as the tokenizer's `encode` returns ids.
        """
        if not text.isascii():
            text = _SURROGATE.sub("\ufffd", text)
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """The number of tokens of a text, if it is at most `limit`. See `counters` for when it stops reading.

        Args:
            text: The text.
            limit: The largest number of tokens of interest.

        Returns:
            The number of tokens; None if it is above `limit`.
        """
        return self._counter.count_up_to(text, limit)

    def appending_encoder(self) -> TailAppender:
        """Return a counter over an empty text that grows at the end."""
        return self._counter.appending_encoder()

    def prepending_encoder(self) -> TailPrepender:
        """Return a counter over an empty text that grows at the start."""
        return self._counter.prepending_encoder()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._tokenizer, self._special)

    def __repr__(self) -> str:
        return f"HuggingFaceCounter({type(self._tokenizer.model).__name__}, add_special_tokens={self._special})"


def is_huggingface(tokenizer: object) -> bool:
    """Whether `HuggingFaceCounter` accepts this object. Imports nothing: the package of such an object is imported
    already.
    """
    return _core_of(tokenizer) is not None


def _core_of(tokenizer: Any) -> Tokenizer | None:  # noqa: ANN401  # duck-typed
    package = sys.modules.get("tokenizers")
    if package is None:
        return None
    # A fast tokenizer of transformers has the real one in `backend_tokenizer`; the classes of
    # tokenizers.implementations in `_tokenizer`.
    for candidate in (tokenizer, getattr(tokenizer, "backend_tokenizer", None), getattr(tokenizer, "_tokenizer", None)):
        if isinstance(candidate, package.Tokenizer):
            core: Tokenizer = candidate
            return core
    return None


def own_tokenizer(tokenizer: Any) -> Tokenizer | None:  # noqa: ANN401  # duck-typed
    """Return a copy that neither truncates nor pads; the tokenizer itself if it cannot be copied and does neither."""
    core = _core_of(tokenizer)
    if core is None:
        return None
    try:
        own: Tokenizer = type(core).from_str(core.to_str())
    except Exception as error:
        if "cannot be serialized" not in str(
            error
        ):  # a part that is written in Python; the package raises a bare Exception
            raise
        if core.truncation is not None or core.padding is not None:
            raise OptionError(
                "tokenizer must neither truncate nor pad: call its no_truncation() and no_padding() first, "
                "as one with parts written in Python cannot be copied"
            ) from error
        return core
    # Scores that are written and read again may differ in their last bit, which decides between two equally good splits.
    if type(core.model).__name__ == "Unigram":
        own.model = core.model
    # The file does not hold this setting: whether special tokens in the text are text.
    own.encode_special_tokens = core.encode_special_tokens
    own.no_truncation()
    own.no_padding()
    return own


def _restored(tokenizer: Tokenizer, special: bool) -> HuggingFaceCounter:  # noqa: FBT001  # pickle calls by position
    return HuggingFaceCounter(tokenizer, add_special_tokens=special)
