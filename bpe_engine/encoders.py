"""Protocols of the incremental encoders, whichever implementation runs: a text grows to the right or to the left, or any slice of
it is priced, and the count is exact. What grows to the right may hold tokens as such, special ones say, and tells which ids change.

    Tokenizer.appending_encoder()   append, snapshot, rollback        fallback/appending_encoder.py, cpp/src/appending.cpp
    Tokenizer.prepending_encoder()  the same, to the left             fallback/prepending_encoder.py, cpp/src/prepending.cpp
    Tokenizer.interval_encoder(t)   the count of any slice of t       fallback/interval_encoder.py, cpp/src/interval.cpp
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol, Self

from bpe_engine.special_tokens import Part, Specials

# Characters a token of the limit that are appended before the count is looked at: a token has 3 to 5, so what is too long by far is read as
# far as half a limit behind it.
_STRIDE = 2


class Mark(ABC):  # noqa: B024 - there is nothing that a user could do with one
    """A place that `rollback` can return to. It belongs to the encoder that made it; it says nothing to anybody else."""


class GrowingEncoder(ABC):
    """A text that grows at one side, and always knows its number of tokens. One owner at a time: not for several threads."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of tokens of the text: equal to `tokenizer.count(encoder.data)` where it holds no explicit token. Constant time."""

    @property
    @abstractmethod
    def fewest(self) -> int:
        """A lower bound for the count of this text and of whatever it may grow to."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time."""

    @property
    @abstractmethod
    def data(self) -> bytes:
        """The text as bytes, exactly. Linear time."""

    @abstractmethod
    def tokens(self) -> list[int]:
        """The token ids of the text: equal to `tokenizer.encode(encoder.data)` where it holds no explicit token. Linear time."""

    @abstractmethod
    def snapshot(self) -> Mark:
        """A mark of the text as it is now. Constant time; it takes a few hundred bytes until a rollback goes behind it."""

    @abstractmethod
    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - the mark of this very encoder, whichever type it has
        """Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.

        Constant time, apart from handing back the memory of what is forgotten. Raises StaleMarkError for a mark of another
        encoder, and for one taken after a mark that was since rolled back to.
        """


class AppendingEncoder(GrowingEncoder):
    """A text that grows to the right. `tokenizer.appending_encoder()` makes one.

    >>> from bpe_engine import Tokenizer
    >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
    >>> encoder.append("def f("); mark = encoder.snapshot(); encoder.append("arguments):"); encoder.count
    4
    >>> encoder.rollback(mark); encoder.text, encoder.count
    ('def f(', 3)
    """

    @abstractmethod
    def append(self, text: str | bytes, allowed_special: Specials = ()) -> None:
        """Add `text` at the end. Amortized time proportional to its length.

        A character in two parts, by bytes or by surrogates, is joined. Under a pattern that looks back (`\\b`, `^`, `(?<=`) the whole
        text is counted anew.

        Args:
            text: What is added.
            allowed_special: The special tokens, by their texts or "all", that are found in `text` as `Tokenizer.encode` would in that text
                alone. Each is added as by `append_token`. By default special tokens are plain text.

        Raises:
            EncodingError: A byte is in no token of the vocabulary. Nothing is added.
            TypeError: `text` is neither str nor bytes, or `allowed_special` is a str other than "all".
        """

    @abstractmethod
    def append_token(self, id: int) -> None:  # noqa: A002 - what everybody calls it
        """Add a token as such, special or not. Its bytes join `data`, and nothing merges over its two ends.

        What stands before is encoded as if the text ended there, and what comes behind as behind a special token: by itself, without what
        some tokenizers put before the first word of a text. Time of what is open at the end.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append("Hi"); encoder.append_token(199999); encoder.append("there"); encoder.tokens()
        [12194, 199999, 31813]

        Args:
            id: The id of the token.

        Raises:
            UnknownTokenError: No token has this id. Nothing is added.
        """

    @abstractmethod
    def ids(self) -> memoryview:
        """The token ids of the text: unsigned 32-bit integers, as many as `count`.

        Without explicit tokens equal to `tokenizer.encode(encoder.data)`, else to the encodings of the stretches between them with their ids in
        between. A copy of four bytes a token; beside that, time of what was added since ids were last asked for, and of what is open at the end
        (in pure Python of all behind the last explicit token). Who never asks pays nothing.
        """

    @abstractmethod
    def changes(self) -> tuple[int, memoryview]:
        """What has changed in the ids since the last call; at the first call all of them.

        Time of `ids`, without the copy of what has not changed.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append("def f("); ids = []
        >>> position, new = encoder.changes(); ids[position:] = new
        >>> encoder.append("x):"); position, new = encoder.changes(); position, new.tolist()
        (2, [4061, 3127])
        >>> ids[position:] = new; ids == encoder.tokens()
        True

        Returns:
            A position, and the new ids from there on as unsigned 32-bit integers: `[*ids[:position], *new]` are the ids now, if `ids` were
            those after the last call.
        """

    @abstractmethod
    def move_to(self, text: str | bytes, allowed_special: Specials = ()) -> None:
        """Go to another text: back to a state near the end of what both begin with, and on from there.

        Time of what differs, of comparing what does not, and once of what was appended since the last move; in pure Python from the last mark
        that stays. Marks of texts that `text` does not begin with become stale, as after a rollback.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append("one two three"); encoder.move_to("one two four"); encoder.text, encoder.count
        ('one two four', 3)

        Args:
            text: The whole new text.
            allowed_special: As for `append`. Tokens that stand in the text already, at the same place, stay.

        Raises:
            EncodingError: A byte is in no token of the vocabulary. The text stays as it was.
            TypeError: As for `append`.
        """

    @abstractmethod
    def common_prefix(self, text: str | bytes) -> tuple[int, int]:
        """How much of this text another begins with: bytes, and characters. Whole characters alone; tokens as such are not looked at.

        Time of comparing bytes, some 0.05 ms a megabyte.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append("naïve plan"); encoder.common_prefix("naïve place")
        (10, 9)
        """

    @abstractmethod
    def replace_tail(self, length: int, parts: Sequence[Part]) -> None:
        """Keep the first `length` bytes, with the tokens as such in them, and go on with `parts`.

        Time of the parts, and of some thousand bytes before them. Marks of what is not kept become stale, as after a rollback.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append("Hi there"); encoder.replace_tail(3, [Part("you", 199999, b"<|endoftext|>"), Part("Hi", None, b"")])
        >>> encoder.text, encoder.tokens()
        ('Hi you<|endoftext|>Hi', [12194, 481, 199999, 12194])

        Args:
            length: Bytes that stay. At most those of the text; neither inside of a character nor of a token as such.
            parts: Plain text, the id of the token behind it, and the bytes that this is written with. The last part has no token.

        Raises:
            EncodingError: A byte is in no token of the vocabulary. The text stays as it was.
            IndexError: `length` is no such length.
        """

    @abstractmethod
    def fork(self) -> Self:
        """An independent encoder over the same text, without marks. Its first `changes` are those since the last ones of this encoder.

        Linear: the bytes of the text and the ids that were asked for are copied, some 0.1 ms for a megabyte; tables of a very long pre-token at the
        end are made anew when it grows. In pure Python the text is encoded anew.
        """

    def append_fitting(self, text: str, cuts: Sequence[int], limit: int, slack: int = 0) -> tuple[list[int], bool]:
        """Add text[cuts[0]:cuts[1]], text[cuts[1]:cuts[2]] and so on, up to the last cut at which the count is at most `limit`.

        Returns the count at each of these cuts, and whether the search for more ended because the count was above `limit + slack`:
        more text can lower a count, seldom and by little, so that one above the limit does not prove that no later one is below. `cuts`
        are ascending offsets in characters. Reads little more than what it adds. Raises IndexError for cuts that are no such offsets.

        >>> from bpe_engine import Tokenizer
        >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
        >>> encoder.append_fitting("one two three four five", [0, 4, 8, 14, 23], limit=4), encoder.text
        (([2, 3, 4], True), 'one two three ')
        """
        return append_fitting(self, text, cuts, limit, slack)


class Growable(Protocol):
    """What `append_fitting` needs of an encoder."""

    @property
    def count(self) -> int: ...  # noqa: D102
    def append(self, text: str, /) -> None: ...  # noqa: D102
    def snapshot(self) -> Any: ...  # noqa: ANN401, D102  # whatever its own rollback takes
    def rollback(self, mark: Any, /) -> None: ...  # noqa: ANN401, D102


def append_fitting(
    encoder: Growable, text: str, cuts: Sequence[int], limit: int, slack: int = 0
) -> tuple[list[int], bool]:
    """`AppendingEncoder.append_fitting` for any encoder that can append, take a mark and return to it."""
    if any(not 0 <= start <= end <= len(text) for start, end in pairwise(cuts)):
        raise IndexError(f"cuts must be ascending offsets into a text of {len(text)} characters")
    stride = max(limit, 16) * _STRIDE
    counts: list[int] = []
    fitting, mark = 0, encoder.snapshot()
    overflowed = False
    for start, end in pairwise(cuts):
        for at in range(start, end, stride):
            encoder.append(text[at : min(end, at + stride)])
            overflowed = encoder.count > limit + slack
            if overflowed:
                break
        counts.append(encoder.count)
        if overflowed:
            break
        if encoder.count <= limit:
            fitting, mark = len(counts), encoder.snapshot()
    encoder.rollback(mark)
    return counts[:fitting], overflowed


class PrependingEncoder(GrowingEncoder):
    """A text that grows to the left. `tokenizer.prepending_encoder()` makes one.

    >>> from bpe_engine import Tokenizer
    >>> encoder = Tokenizer.load("o200k_base").prepending_encoder()
    >>> encoder.prepend("arguments):"); mark = encoder.snapshot(); encoder.prepend("def f("); encoder.text, encoder.count
    ('def f(arguments):', 4)
    >>> encoder.rollback(mark); encoder.count
    2
    """

    @abstractmethod
    def prepend(self, text: str | bytes) -> None:
        """Add `text` at the start. Amortized time proportional to its length.

        A character in two parts, by bytes or by surrogates, is joined. Raises EncodingError, and adds nothing, where a byte
        is in no token of the vocabulary. Under a pattern that looks back (`\\b`, `^`, `(?<=`) the whole text is counted anew.
        """


class IntervalEncoder(ABC):
    """Counts of the slices of one text. `tokenizer.interval_encoder(text)` makes one. It never changes: threads may share it.

    Offsets are in the unit of the text: characters of a str, bytes of bytes.

    >>> from bpe_engine import Tokenizer
    >>> prices = Tokenizer.load("o200k_base").interval_encoder("def compute_total(self):")
    >>> prices.count(0, 24), prices.count(8, 17), prices.count(5, 5)
    (5, 2, 0)
    """

    @abstractmethod
    def __len__(self) -> int:
        """The length of the text, in its own unit."""

    @abstractmethod
    def count(self, start: int, end: int) -> int:
        """The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.

        Typically the time of a few pre-tokens, whatever the slice's length. Raises IndexError unless
        0 <= start <= end <= len(text).
        """

    def counts(self, start: int, ends: Sequence[int]) -> list[int]:
        """`count(start, end)` for each of `ends`: what a chunk from `start` would cost at each place where it could end."""
        return [self.count(start, end) for end in ends]
