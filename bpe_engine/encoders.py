"""Abstract classes of the incremental encoders: for a text that grows to the right or to the left, and for slices of a
text. All counts are exact.

An appending encoder may also hold explicit tokens, such as special tokens, and reports which ids have changed.

    Tokenizer.appending_encoder()   append, snapshot, rollback        fallback/appending_encoder.py, cpp/src/appending.cpp
    Tokenizer.prepending_encoder()  the same, to the left             fallback/prepending_encoder.py, cpp/src/prepending.cpp
    Tokenizer.interval_encoder(t)   the count of any slice of t       fallback/interval_encoder.py, cpp/src/interval.cpp
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Self

from bpe_engine.fitting import append_fitting
from bpe_engine.special_tokens import Part, Specials


class Mark(ABC):  # noqa: B024 - it has no methods for users
    """An opaque mark to which `rollback` returns. Only the encoder that made it can use it."""

    def __repr__(self) -> str:
        return f"<Mark of an encoder at {id(self):#x}>"


class GrowingEncoder(ABC):
    """A text that grows at one side, with its current number of tokens. Not thread-safe."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of tokens of the text: equal to `tokenizer.count(encoder.data)` if it holds no explicit token.
        Constant time.
        """

    @property
    @abstractmethod
    def fewest(self) -> int:
        """A lower bound of `count`, for this text and for every text that it may grow to."""

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
        """The token ids of the text: equal to `tokenizer.encode(encoder.data)` if it holds no explicit token. Linear
        time.

        Returns:
            As many ids as `count`, in the order of the text.
        """

    @abstractmethod
    def snapshot(self) -> Mark:
        """Mark the text as it is now, for `rollback`.

        Constant time; a mark takes a few hundred bytes until a rollback passes it.

        Returns:
            The mark. It holds for this encoder alone, and not after a rollback to a mark that was taken before it.
        """

    @abstractmethod
    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - the mark of this very encoder, whichever type it has
        """Return to the text as it was when the mark was taken. The mark stays valid; marks taken after it do not.

        Constant time, apart from freeing the memory of the text that is dropped.

        Args:
            mark: A mark that `snapshot` of this encoder returned.

        Raises:
            StaleMarkError: The mark belongs to another encoder, or a rollback has passed it.
        """

    def __repr__(self) -> str:
        return f"<{_name_of(self)}: {self.count} tokens, {len(self.data)} bytes>"


class AppendingEncoder(GrowingEncoder):
    """A text that grows to the right, with its token count. Made by `tokenizer.appending_encoder()`.

    Examples:
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

        A character that arrives in two parts, as bytes or as surrogates, is joined. Under a pattern that looks back
        (`\\b`, `^`, `(?<=`) the whole text is counted again.

        Args:
            text: The text to add. Bytes need not be valid UTF-8.
            allowed_special: Special tokens to look for in `text`, by their texts, or "all". They are found as
                `Tokenizer.encode` would find them in `text` alone, and each is added as by `append_token`. By default
                special tokens are plain text.

        Raises:
            EncodingError: The vocabulary has no token for a byte. Nothing is added.
            TypeError: `text` is neither str nor bytes, or `allowed_special` is a str other than "all".
        """

    @abstractmethod
    def append_token(self, id: int) -> None:  # noqa: A002 - what everybody calls it
        """Add an explicit token, special or not. Its bytes join `data`, and no merge crosses its two ends.

        The text before it is encoded as if it ended there. The text after it is encoded as after a special token: by
        itself, without the prefix that some tokenizers put before the first word of a text. Of a token that a
        tokenizer.json says is `normalized`, both are parts of one text to the normalizers, as in `tokenizers`: they
        neither strip white space beside it nor put anything there. Takes the time of encoding the open pre-tokens at
        the end.

        Args:
            id: The id of the token.

        Raises:
            UnknownTokenError: No token has this id. Nothing is added.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("Hi"); encoder.append_token(199999); encoder.append("there"); encoder.tokens()
            [12194, 199999, 31813]
        """

    @abstractmethod
    def ids(self) -> memoryview:
        """The token ids of the text: unsigned 32-bit integers, as many as `count`.

        Without explicit tokens they equal `tokenizer.encode(encoder.data)`; with explicit tokens they are the encodings
        of the texts between them, with their ids in between. The result is a copy of four bytes a token. Beside the
        copy it takes the time of `changes` (in pure Python that of encoding all text after the last explicit token). An
        encoder that is never asked for ids spends nothing on them.

        Returns:
            A view of the copy, which stays as it is when the text grows. Its first item is the id of the first token.
        """

    @abstractmethod
    def changes(self) -> tuple[int, memoryview]:
        """The change of the ids since the last call; at the first call all ids.

        Takes the time of what was added since the last call, and of the ids that have changed: of a long word, or of a
        paragraph without spaces, that still goes on only the end is read again (in pure Python as `ids`).

        Returns:
            A position, and the new ids from there on as unsigned 32-bit integers. If `ids` were the ids after the last
            call, the ids are now `[*ids[:position], *new]`.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("def f("); ids = []
            >>> position, new = encoder.changes(); ids[position:] = new
            >>> encoder.append("x):"); position, new = encoder.changes(); position, new.tolist()
            (2, [4061, 3127])
            >>> ids[position:] = new; ids == encoder.tokens()
            True
        """

    @abstractmethod
    def move_to(self, text: str | bytes, allowed_special: Specials = ()) -> None:
        """Replace the text by another, reusing what both begin with.

        Takes the time of encoding the part that differs, of comparing the common part, and once of what was appended
        since the last move; in pure Python of encoding from the last mark that stays valid. Marks of texts that `text`
        does not begin with become stale, as after a rollback.

        Args:
            text: The whole new text.
            allowed_special: As for `append`. Explicit tokens that stand at the same offset in the old text stay.

        Raises:
            EncodingError: The vocabulary has no token for a byte. The text stays as it was.
            TypeError: As for `append`.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("one two three"); encoder.move_to("one two four"); encoder.text, encoder.count
            ('one two four', 3)
        """

    @abstractmethod
    def common_prefix(self, text: str | bytes) -> tuple[int, int]:
        """The length of the longest common prefix of this text and another, in whole characters.

        Explicit tokens are compared by their texts only. Takes the time of comparing bytes, some 0.05 ms a megabyte.

        Args:
            text: The text to compare with.

        Returns:
            The length in bytes, and the length in characters.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("naïve plan"); encoder.common_prefix("naïve place")
            (10, 9)
        """

    @abstractmethod
    def common_prefix_of(self, parts: Iterable[str]) -> tuple[int, int, str]:
        """`common_prefix` of the text that is joined of `parts`, and the rest of that text.

        Each part is compared as it comes, and only the rest is kept: the other text is never made as a whole. A part
        with lone surrogates is of the rest.

        Args:
            parts: The parts of the text to compare with.

        Returns:
            The length of the common prefix in bytes and in characters, and the other text after it.

        Raises:
            TypeError: A part is not a str. Whatever `parts` raises passes through.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("naïve plan"); encoder.common_prefix_of(["naïve", " pla", "ce"])
            (10, 9, 'ce')
        """

    @abstractmethod
    def text_before(self, length: int, characters: int) -> str:
        """The last characters of the first `length` bytes of the text. Takes the time of its result.

        Args:
            length: A number of bytes, at most those of the text.
            characters: How many characters; all if there are fewer.

        Returns:
            The characters. Bytes that are not UTF-8 show as U+FFFD.

        Raises:
            OverflowError: The text is not so long.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("naïve plan"); encoder.text_before(6, 3)
            'ïve'
        """

    @abstractmethod
    def replace_tail(self, length: int, parts: Sequence[Part]) -> None:
        """Keep the first `length` bytes, with the explicit tokens in them, and append `parts`.

        Takes the time of encoding what differs from the text that was there, and up to some thousand bytes before it
        where text is dropped. Marks after `length` become stale, as after a rollback.

        Args:
            length: Number of bytes to keep: at most those of the text, and neither inside a character nor inside an
                explicit token.
            parts: Each part is plain text, the id of the explicit token after it, and the bytes of that token. The last
                part has no token.

        Raises:
            EncodingError: The vocabulary has no token for a byte. The text stays as it was.
            IndexError: `length` is not such a length.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append("Hi there"); encoder.replace_tail(3, [Part("you", 199999, b"<|endoftext|>"), Part("Hi", None, b"")])
            >>> encoder.text, encoder.tokens()
            ('Hi you<|endoftext|>Hi', [12194, 481, 199999, 12194])
        """

    @abstractmethod
    def fork(self) -> Self:
        """An independent encoder over the same text, without marks.

        Its first `changes` are those since the last `changes` of this encoder. Constant time: both share the memory of
        the text and of the ids. The first that goes on does so in the shared memory; if the other goes on as well while
        the first is still in use, it copies its own part once, some 40 us for a megabyte. The tables of a very long
        pre-token at the end are made again when it grows. In pure Python the text is encoded again.

        Returns:
            The new encoder. It and this one share nothing that changes.
        """

    def append_fitting(self, text: str, cuts: Sequence[int], limit: int, slack: int = 0) -> tuple[list[int], bool]:
        """Add `text[cuts[0]:cuts[1]]`, `text[cuts[1]:cuts[2]]` and so on, up to the last cut at which `count` is at
        most `limit`.

        More text can lower a count, seldom and by little, so a count above the limit does not prove that all later ones
        are above it. The search therefore goes on until a count is above `limit + slack`. It reads little more than it
        adds.

        Args:
            text: The text that the parts are taken from.
            cuts: Ascending offsets in `text`, in characters.
            limit: The largest count of the whole text, in tokens.
            slack: By how many tokens a count may exceed `limit` before the search ends.

        Returns:
            The count at each cut that was added, and whether the search ended because a count was above `limit +
            slack`.

        Raises:
            IndexError: `cuts` are not ascending offsets in `text`.
            TypeError: An argument is of another type.
            EncodingError: The vocabulary has no token for a byte.

        Examples:
            >>> from bpe_engine import Tokenizer
            >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
            >>> encoder.append_fitting("one two three four five", [0, 4, 8, 14, 23], limit=4), encoder.text
            (([2, 3, 4], True), 'one two three ')
        """
        return append_fitting(self, text, cuts, limit, slack)


class PrependingEncoder(GrowingEncoder):
    """A text that grows to the left, with its token count. Made by `tokenizer.prepending_encoder()`.

    Examples:
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

        A character that arrives in two parts, as bytes or as surrogates, is joined. Under a pattern that looks back
        (`\\b`, `^`, `(?<=`) the whole text is counted again.

        Args:
            text: The text to add. Special tokens in it are plain text.

        Raises:
            EncodingError: The vocabulary has no token for a byte. Nothing is added.
            TypeError: `text` is neither str nor bytes.
        """


class IntervalEncoder(ABC):
    """The token counts of all slices of one text. Made by `tokenizer.interval_encoder(text)`.

    It never changes, so threads may share it. Offsets are in the unit of the text: characters of a str, bytes of bytes.

    Examples:
        >>> from bpe_engine import Tokenizer
        >>> prices = Tokenizer.load("o200k_base").interval_encoder("def compute_total(self):")
        >>> prices.count(0, 24), prices.count(8, 17), prices.count(5, 5)
        (5, 2, 0)
    """

    @abstractmethod
    def __len__(self) -> int:
        """The length of the text: characters of a str, bytes of bytes."""

    @abstractmethod
    def count(self, start: int, end: int) -> int:
        """The number of tokens of `text[start:end]`: equal to `tokenizer.count(text[start:end])`.

        Typically takes the time of a few pre-tokens, however long the slice is.

        Args:
            start: Offset of the start of the slice.
            end: Offset of its end.

        Returns:
            The number of tokens of the slice, encoded by itself.

        Raises:
            IndexError: Not 0 <= start <= end <= len(text).
        """

    def counts(self, start: int, ends: Sequence[int]) -> list[int]:
        """`count(start, end)` for each of `ends`: the costs of a chunk that starts at `start`, for each offset where it
        could end.

        Args:
            start: Offset of the start of all slices.
            ends: Offsets of their ends.

        Returns:
            One number of tokens for each end, in order.

        Raises:
            IndexError: As `count`.
        """
        return [self.count(start, end) for end in ends]

    # Without the count of the whole text, which may not be known yet.
    def __repr__(self) -> str:
        return f"<{_name_of(self)} of a text of length {len(self)}>"


def _name_of(encoder: GrowingEncoder | IntervalEncoder) -> str:
    """The name of the public class, of which each implementation has its own subclasses."""
    kinds = (AppendingEncoder, PrependingEncoder, IntervalEncoder)
    return next((kind.__name__ for kind in kinds if isinstance(encoder, kind)), type(encoder).__name__)
