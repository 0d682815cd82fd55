"""The compiled core of bpe_engine."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Self, overload


def report_leaks(wanted: bool) -> None:
    """
    Whether native objects that outlive the interpreter are listed on standard error, those of chunker._native as well: for tests.
    """

class TokenBuffer:
    """Token ids, by the buffer protocol."""

class TokenSet:
    """The tokens of a vocabulary. Tokenizers over the same tokens share one."""

    @staticmethod
    def from_planes(planes: bytes) -> TokenSet:
        """From the packed form of an embedded vocabulary."""

    @staticmethod
    def from_tokens(tokens: list[bytes], ids: list[int]) -> TokenSet:
        """
        From tokens in merge order. Raises VocabularyError where one comes before its halves.
        """

    @staticmethod
    def from_ranks(tokens: list[bytes], ids: list[int], ranks: list[int]) -> TokenSet:
        """
        From tokens with their ids and merge ranks, of which the lowest merges first, the leftmost of equals.
        """

    def arrangement(self) -> tuple[list[bytes], list[int], list[tuple[int, int] | None], bool, list[tuple[int, int]]] | None:
        """
        The tokens in the order of merging, their ids and halves, whether each comes after its halves, and the crossings (bpe_engine/fallback/merge_order.py); None where they were given in that order.
        """

    def __len__(self) -> int: ...

    def bytes_of(self, token: int) -> bytes | None:
        """The bytes of the token with an id; None where no token has it."""

    def joined(self, tokens: list[int], special: dict[int, bytes]) -> bytes | None:
        """
        The bytes of tokens, joined, special ones among them; None where no token has one of the ids.
        """

    def starts(self, tokens: list[int]) -> list[int]:
        """The offset in bytes at which each token of a text starts."""

    def id_of(self, token: bytes) -> int | None:
        """
        The id of the token that is exactly these bytes; None where there is none.
        """

    def largest_id(self) -> int: ...

    def sorted_tokens(self) -> list[bytes]:
        """The bytes of all tokens, in ascending order."""

    def halves(self) -> list[tuple[int, int] | None]:
        """
        For each token, in the order of ids, the ids of the two that it is merged from: its own, where it is one byte; None where no merge makes it.
        """

def halves_of(tokens: list[bytes], priorities: list[int]) -> list[tuple[int, int] | None]:
    """
    For each token the places of the two that it is merged from, of two merges the one of the lower priority first, the leftmost of equals: its own twice, where it is one byte; None where no merge makes it.
    """

class Engine:
    """Text -> tokens, by a vocabulary and a named scanner."""

    def __init__(self, tokens: TokenSet, grammar: str | None) -> None:
        """`grammar` names a scanner, None: the whole text is one pre-token."""

    def count(self, text: str | bytes) -> int:
        """The number of tokens of `text`: `len(encode(text))`, without the ids."""

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """
        The token ids of `text`, special tokens in it taken as plain text: `encode` with no options.
        """

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """
        The token ids of `text` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token).
        """

    def interface(self) -> object:
        """
        For compiled callers: a capsule with the encoders, which keeps this engine.
        """

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """
        The number of tokens of `text`, None if it is above `limit`. Stops reading soon after the limit.
        """

    def split(self, text: str | bytes) -> list[str]:
        """
        The pre-tokens of `text`: no token crosses from one to the next. Bytes that are not UTF-8 show as U+DC80..U+DCFF.
        """

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """`count` of each text, in order."""

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """`encode_ordinary` of each text, in order."""

    def _fitting(self, text: str | bytes, most: int, head: bool) -> str | bytes: ...

    def encode_piece(self, piece: bytes) -> list[int]:
        """The ids of one pre-token, whatever the scanner would make of it."""

def has_lone_surrogates(text: str | bytes) -> bool:
    """Whether `text` is a str that no UTF-8 stands for."""

def character_starts(characters: str, starts: list[int]) -> list[int]:
    """
    The numbers of the characters that ascending offsets into their UTF-8 are in.
    """

def has_scanner(name: str) -> bool:
    """Whether the core knows the grammar of this name."""

class GrowingPiece:
    """A pre-token that grows to the right, and the number of its tokens."""

    def extend(self, more: bytes) -> None:
        """Add bytes at the end."""

    def truncate(self, size: int) -> None:
        """Cut back to the first `size` bytes."""

    def __len__(self) -> int: ...

    def count(self) -> int:
        """The number of tokens, as if the piece ended here."""

    def fewest(self) -> int:
        """A lower bound for the count of this piece and of every continuation."""

class PieceModel:
    """One pre-token -> token ids."""

    def encode(self, piece: bytes) -> list[int]:
        """The token ids of a pre-token."""

    def encode_with_lengths(self, piece: bytes) -> list[tuple[int, int]]:
        """Each token id with the number of bytes it covers."""

    def count(self, piece: bytes) -> int:
        """The number of tokens of a pre-token."""

    def growing(self) -> GrowingPiece | None:
        """An empty pre-token that grows; None where encoding anew is as good."""

class WordLevelModel(PieceModel):
    """A pre-token is one token as a whole, or the unknown token."""

    @overload
    def __init__(self, tokens: dict[bytes, int], *, unknown: int | None) -> None: ...

    @overload
    def __init__(self, tokens: TokenTables, *, unknown: int | None) -> None: ...

class WordPieceModel(PieceModel):
    """The longest token first, inside words those with a prefix."""

    @overload
    def __init__(self, tokens: dict[bytes, int], *, unknown: int | None, prefix: bytes, most_characters: int) -> None: ...

    @overload
    def __init__(self, tokens: TokenTables, *, unknown: int | None, prefix: bytes, most_characters: int) -> None: ...

class UnigramModel(PieceModel):
    """The tokens with the highest sum of scores."""

    @overload
    def __init__(self, tokens: TokenTables, *, unknown: int | None, bytes: dict[int, int], user_defined: Iterable[int], like: str) -> None:
        """As below, of tokens that the core has read."""

    @overload
    def __init__(self, tokens: Iterable[tuple[bytes, int, float]], *, unknown: int | None, bytes: dict[int, int], user_defined: Iterable[int], like: str) -> None:
        """
        `tokens` are bytes, id and score; of equal ones the last counts. `like` is "tokenizers" or "sentencepiece"; `bytes` are the tokens of single bytes, `user_defined` the ids of user-defined ones.
        """

class TokenTables:
    """
    The tokens of a file that texts are encoded to, in the order of ids, with their merges, ranks or scores.
    """

    def __len__(self) -> int: ...

    def __contains__(self, id: object) -> bool:
        """Whether a token has this id."""

    def tokens(self) -> dict[int, bytes] | dict[int, str]:
        """Id -> token."""

    def texts_only(self) -> dict[int, bytes] | dict[int, str]:
        """Id -> what is only ever decoded."""

    def scores(self) -> dict[int, float]:
        """Id -> score, where tokens have scores."""

    def ranks(self) -> dict[int, int]:
        """Id -> merge rank, of the tokens that have one."""

    def merges(self) -> list[tuple[int, int]]:
        """The merges as pairs of ids."""

    @property
    def merge_count(self) -> int:
        """How many merges there are."""

    def first_merge_of(self, ids: list[int]) -> int | None:
        """The place of the first merge of one of these tokens."""

class VocabularyFile:
    """The tokens of a tokenizer.json, and its merges or scores."""

    def __len__(self) -> int: ...

    @property
    def has_merges(self) -> bool:
        """Whether there is a list of merges."""

    @property
    def has_scores(self) -> bool:
        """Whether tokens have scores."""

    @property
    def rest(self) -> bytes:
        """The file with nothing in their place."""

    def find(self, text: str) -> int | None:
        """The id of a token; None where there is none."""

    def is_merged(self, text: str) -> bool:
        """Whether a merge makes this token, or takes it."""

    def select(self, left_out: list[str], byte_of: dict[str, int] | None) -> TokenTables | None:
        """
        All tokens but some, as the bytes that their characters stand for if `byte_of` says so; None where a merge has to do with one that is not among them.
        """

def read_tokenizer_json(data: bytes) -> VocabularyFile | None:
    """The long parts of a file; None where they are not plain, or not right."""

def read_tekken(data: bytes) -> tuple[list[bytes], bytes] | None:
    """
    The tokens of a file by their ranks, and the file with none in their place; None where they are not plain, or not right.
    """

def read_tiktoken(data: bytes) -> dict[bytes, int] | None:
    """Token -> id; None where a line is not plain, or not right."""

class PieceFile:
    """The pieces of a SentencePiece model."""

    @property
    def rest(self) -> bytes:
        """The file without them."""

    def __len__(self) -> int: ...

    def are_distinct(self) -> bool:
        """Whether no text occurs twice."""

    def pieces(self) -> list[tuple[str, float, int]]:
        """Text, score and kind of each."""

    def unusual(self) -> list[tuple[int, str, int]]:
        """Place, text and kind of those that are no normal pieces."""

    def select(self, kinds: list[int], ranked: bool) -> TokenTables | None:
        """
        The pieces of some kinds, with ranks by their scores or with scores; None where there are none.
        """

def read_sentencepiece(data: bytes) -> PieceFile | None:
    """The pieces of a model; None where they are not plain, or not right."""

def made_of_two(tokens: list[str]) -> list[int] | None:
    """
    The places of the tokens that two others make up; None where one has no UTF-8.
    """

def rank_by_pairs(tokens: list[bytes], merges: list[tuple[int, int]]) -> tuple[list[int], int | None, list[int], list[int]]:
    """
    What bpe_engine/fallback/ranking.py calls a Ranking, all in places in `tokens`.
    """

class MergeModel(PieceModel):
    """Byte-pair encoding of any kind."""

    @staticmethod
    def create(tokens: list[bytes], ids: Sequence[int], merges: Sequence[tuple[int, int]] | None, ranks: Sequence[int] | None, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel:
        """
        From tokens and their ids; and from pairs of ids that merge, the best first, or from the ranks of the tokens (4294967295: none).
        """

    @staticmethod
    def of_tables(tables: TokenTables, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel:
        """From the tokens and the merges or ranks of a file."""

    def never_made(self) -> list[int]:
        """
        The ids of the tokens that merging does not make of their own bytes or characters.
        """

    def touching(self) -> Matcher | None:
        """Finds where no token reaches over; None where that cannot be known."""

class Matcher:
    """Finds where a pre-tokenizer cuts."""

    @staticmethod
    def of_expression(source: str) -> Matcher | None:
        """
        From a regular expression as the `regex` package has it; None where it looks behind or matches nothing, which a chain that begins anew at cuts cannot do.
        """

    @staticmethod
    def of_bytes(members: bytes) -> Matcher:
        """Finds single bytes, also inside of characters."""

class Normalizer:
    """Text -> normalized text."""

    @staticmethod
    def of_steps(steps: Sequence[tuple[str, object, object]]) -> Normalizer:
        """
        From steps with two arguments each: NFC, NFD, NFKC, NFKD, lower, strip_accents, strip (left, right), prepend (text), prepend_unless (text, whether only where the text begins), replace (pattern, content), replace_members (the first and the last of each run of characters, content), surround (the same), strip_members (the same runs, "left" or "right"), replace_matches (expression, content), charsmap (a compiled table).
        """

    @staticmethod
    def of_sentence_piece(charsmap: bytes, user_defined: Sequence[bytes], *, add_dummy_prefix: bool, remove_extra_whitespaces: bool, escape_whitespaces: bool) -> Normalizer:
        """
        What the package `sentencepiece` does to a text: a compiled table or none, texts that it leaves as they are, and what becomes of spaces.
        """

    def normalize(self, text: str | bytes) -> str:
        """The normalized text."""

class Pipeline:
    """A whole tokenizer: added tokens, normalizer, pre-tokenizers, model."""

    def __init__(self, added_tokens: Sequence[tuple[str, int, bool, bool, bool, bool, bool, str]], normalizer: Normalizer | None, stages: Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]], insertions: Sequence[tuple[str, str, str, Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]]]], model: PieceModel, looks_inside: bool = False, second: Normalizer | None = None) -> None:
        """
        An added token: text, id, special, lstrip, rstrip, single_word, normalized, and what is looked for where that is another text. With `looks_inside` the `normalized` ones are looked for in what the normalizer leaves, and `second` normalizes what stands between them.
        """

    def count(self, text: str | bytes) -> int:
        """The number of tokens."""

    def encode(self, text: str | bytes, wanted: Sequence[int] | Literal['all'] | None = None) -> list[int]:
        """
        The ids. `wanted`: the numbers of the special tokens that are looked for, in the order in which they were given; or all of them.
        """

    def encode_to_buffer(self, text: str | bytes, wanted: Sequence[int] | Literal['all'] | None = None) -> memoryview: ...

    def encode_with_offsets(self, text: str | bytes, wanted: Sequence[int] | Literal['all'] | None = None) -> tuple[list[int], list[int]]:
        """
        The ids, and for each the offset in bytes of the character that it comes from.
        """

    def interface(self) -> object:
        """
        For compiled callers: a capsule with the encoders, which keeps this engine.
        """

    def count_up_to(self, text: str | bytes, limit: int) -> int | None: ...

    def split(self, text: str | bytes) -> list[str]:
        """The pre-tokens that the model gets."""

    def special_spans(self, text: str, wanted: Sequence[int] | Literal['all']) -> list[tuple[int, int, int]]:
        """
        The special tokens that are found in a text, of those that are wanted: (start, end, id) each, in characters.
        """

    def find_added(self, text: str | bytes) -> list[int]:
        """The numbers of the added tokens that are written in a text."""

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """`encode` without special tokens."""

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]: ...

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]: ...

class Mark:
    """A place that `rollback` can return to."""

class AppendingEncoder:
    """A text that grows to the right, and its count."""

    def __init__(self, tokenizer: object) -> None: ...

    @overload
    def append(self, text: str | bytes) -> None:
        """Add `text` at the end. Amortized time proportional to its length."""

    @overload
    def append(self, text: str | bytes, allowed_special: object) -> None:
        """The same, with special tokens found in `text` alone."""

    @property
    def count(self) -> int:
        """
        The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.
        """

    @property
    def fewest(self) -> int:
        """
        A lower bound for the count of this text and of whatever it may grow to.
        """

    @property
    def text(self) -> str:
        """
        The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.
        """

    @property
    def data(self) -> bytes:
        """The text as bytes, exactly. Linear time."""

    def tokens(self) -> list[int]:
        """
        The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.
        """

    def snapshot(self) -> Mark:
        """
        A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes back before it.
        """

    def rollback(self, mark: Mark) -> None:
        """
        Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

    def append_token(self, id: int) -> None:
        """Add a token as such: nothing merges over its ends."""

    def ids(self) -> memoryview:
        """The token ids of the text, as unsigned 32-bit integers."""

    def changes(self) -> tuple[int, memoryview]:
        """
        From which id on something has changed since the last call, and the ids from there on.
        """

    def move_to(self, text: str | bytes, allowed_special: object = ()) -> None:
        """Go to another text by the longest common prefix."""

    def common_prefix(self, text: str | bytes) -> tuple[int, int]:
        """Bytes and characters that this text and another both begin with."""

    def common_prefix_of(self, parts: Iterable[str]) -> tuple[int, int, str]:
        """
        Bytes and characters that this text and the joined parts both begin with, and the rest of the other text.
        """

    def text_before(self, length: int, characters: int) -> str:
        """The last `characters` characters of the first `length` bytes."""

    def replace_tail(self, length: int, parts: object) -> None:
        """
        Keep the first `length` bytes, and go on with texts and tokens as such.
        """

    def fork(self) -> Self:
        """An independent encoder over the same text, without marks."""

    def _put_token(self, id: int, written: bytes) -> None:
        """Add a token as such that is written in another way."""

    def append_fitting(self, text: str, cuts: Sequence[int], limit: int, slack: int = 0) -> tuple[list[int], bool]:
        """
        Add text[cuts[0]:cuts[1]], text[cuts[1]:cuts[2]] and so on, up to the last cut at which the count is at most `limit`.
        """

class PrependingEncoder:
    """A text that grows to the left, and its count."""

    def __init__(self, tokenizer: object) -> None: ...

    def prepend(self, text: str | bytes) -> None:
        """Add `text` at the start. Amortized time proportional to its length."""

    @property
    def count(self) -> int:
        """
        The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.
        """

    @property
    def fewest(self) -> int:
        """
        A lower bound for the count of this text and of whatever it may grow to.
        """

    @property
    def text(self) -> str:
        """
        The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.
        """

    @property
    def data(self) -> bytes:
        """The text as bytes, exactly. Linear time."""

    def tokens(self) -> list[int]:
        """
        The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.
        """

    def snapshot(self) -> Mark:
        """
        A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes back before it.
        """

    def rollback(self, mark: Mark) -> None:
        """
        Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

class PipelineAppendingEncoder:
    """A text that grows to the right, and its count."""

    def __init__(self, tokenizer: object, engine: Pipeline) -> None: ...

    @overload
    def append(self, text: str | bytes) -> None:
        """Add `text` at the end. Amortized time proportional to its length."""

    @overload
    def append(self, text: str | bytes, allowed_special: object) -> None:
        """The same, with special tokens found in `text` alone."""

    @property
    def count(self) -> int:
        """
        The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.
        """

    @property
    def fewest(self) -> int:
        """
        A lower bound for the count of this text and of whatever it may grow to.
        """

    @property
    def text(self) -> str:
        """
        The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.
        """

    @property
    def data(self) -> bytes:
        """The text as bytes, exactly. Linear time."""

    def tokens(self) -> list[int]:
        """
        The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.
        """

    def snapshot(self) -> Mark:
        """
        A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes back before it.
        """

    def rollback(self, mark: Mark) -> None:
        """
        Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

    def append_token(self, id: int) -> None:
        """Add a token as such: nothing merges over its ends."""

    def ids(self) -> memoryview:
        """The token ids of the text, as unsigned 32-bit integers."""

    def changes(self) -> tuple[int, memoryview]:
        """
        From which id on something has changed since the last call, and the ids from there on.
        """

    def move_to(self, text: str | bytes, allowed_special: object = ()) -> None:
        """Go to another text by the longest common prefix."""

    def common_prefix(self, text: str | bytes) -> tuple[int, int]:
        """Bytes and characters that this text and another both begin with."""

    def common_prefix_of(self, parts: Iterable[str]) -> tuple[int, int, str]:
        """
        Bytes and characters that this text and the joined parts both begin with, and the rest of the other text.
        """

    def text_before(self, length: int, characters: int) -> str:
        """The last `characters` characters of the first `length` bytes."""

    def replace_tail(self, length: int, parts: object) -> None:
        """
        Keep the first `length` bytes, and go on with texts and tokens as such.
        """

    def fork(self) -> Self:
        """An independent encoder over the same text, without marks."""

    def _put_token(self, id: int, written: bytes) -> None:
        """Add a token as such that is written in another way."""

    def append_fitting(self, text: str, cuts: Sequence[int], limit: int, slack: int = 0) -> tuple[list[int], bool]:
        """
        Add text[cuts[0]:cuts[1]], text[cuts[1]:cuts[2]] and so on, up to the last cut at which the count is at most `limit`.
        """

class PipelinePrependingEncoder:
    """A text that grows to the left, and its count."""

    def __init__(self, tokenizer: object, engine: Pipeline) -> None: ...

    def prepend(self, text: str | bytes) -> None:
        """Add `text` at the start. Amortized time proportional to its length."""

    @property
    def count(self) -> int:
        """
        The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.
        """

    @property
    def fewest(self) -> int:
        """
        A lower bound for the count of this text and of whatever it may grow to.
        """

    @property
    def text(self) -> str:
        """
        The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.
        """

    @property
    def data(self) -> bytes:
        """The text as bytes, exactly. Linear time."""

    def tokens(self) -> list[int]:
        """
        The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.
        """

    def snapshot(self) -> Mark:
        """
        A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes back before it.
        """

    def rollback(self, mark: Mark) -> None:
        """
        Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

class IntervalEncoder:
    """The counts of all slices of one text."""

    def __init__(self, tokenizer: object, text: object | None) -> None: ...

    def __len__(self) -> int: ...

    def count(self, start: int, end: int) -> int:
        """
        The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.
        """

    def counts(self, start: int, ends: Sequence[int]) -> list[int]:
        """`count(start, end)` for each of `ends`."""

    @property
    def memory(self) -> int:
        """Bytes of memory, the text itself not counted."""

    def __reduce__(self) -> tuple[object, ...]: ...

class PipelineIntervalEncoder:
    """The counts of all slices of one text."""

    def __init__(self, tokenizer: object, engine: Pipeline, text: str | bytes) -> None: ...

    def __len__(self) -> int: ...

    def count(self, start: int, end: int) -> int:
        """
        The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.
        """

    def counts(self, start: int, ends: Sequence[int]) -> list[int]:
        """`count(start, end)` for each of `ends`."""

    @property
    def memory(self) -> int:
        """Bytes of memory, the text itself not counted."""

    def __reduce__(self) -> tuple[object, ...]: ...

def encode_by_backtracking(tokens: TokenSet, data: bytes) -> list[int]:
    """The byte-pair encoding of `data` as one pre-token, by backtracking."""

def encode_by_heap(tokens: TokenSet, data: bytes) -> list[int]:
    """The byte-pair encoding of `data` as one pre-token, by its definition."""

def encode_by_table(tokens: TokenSet, data: bytes) -> list[int]:
    """
    The byte-pair encoding of `data` as one pre-token, by the table of last tokens.
    """

def encode_greedy(tokens: TokenSet, data: bytes) -> list[int]:
    """The longest token first, at each place. NOT byte-pair encoding."""

def encode_minimal(tokens: TokenSet, data: bytes) -> list[int]:
    """As few tokens as possible. NOT byte-pair encoding."""

def encode_dropout(tokens: TokenSet, data: bytes, dropout: float, seed: int) -> list[int]:
    """
    Each possible merge is skipped with the probability `dropout`. NOT byte-pair encoding. The same seed gives the same tokens.
    """

class RegexProgram:
    """
    A regular expression, compiled to tables. Every match is found in time linear in the text.
    """

    def __init__(self, source: str, flavour: str = 'regex', most_states: int = 5000) -> None: ...

    def findall_spans(self, text: str | bytes) -> list[tuple[int, int]]:
        """Byte offsets of all matches, as `regex.finditer` finds them."""

    def find(self, text: bytes, start: int, from_: int, limit: int, at_end: bool, nonempty: bool = False) -> dict[str, object]:
        """
        The first match at `from_` or after it, and what is certain of it, as Match of regex/program.hpp has it.
        """

    @property
    def looks_behind(self) -> bool: ...

class SpecialFinder:
    """
    Finds the special tokens of a vocabulary in a text. Immutable; threads may share it.
    """

    def __init__(self, id_of: dict[str, int]) -> None: ...

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """
        (start, end, id) of each, in characters: of tokens that overlap the leftmost, then the longest.
        """

class PretokenCounter:
    """
    Counts the pre-tokens of texts, and learns merges from them. One thread may use it at a time.
    """

    def __init__(self, grammar: str | None, threads: int) -> None: ...

    def add(self, texts: list[str | bytes]) -> None:
        """Count whole texts."""

    def add_open(self, block: bytes) -> int:
        """
        Count the next block of a text that goes on. Returns how many bytes of it are done with; the rest belongs before the next block.
        """

    def add_pretokens(self, pieces: list[bytes], counts: list[int]) -> None:
        """Count pre-tokens that somebody else has found."""

    def learn(self, symbols: bytes, merges: int, min_frequency: int, first: bool, progress: Callable[[int], object] | None) -> list[tuple[int, int]]:
        """
        The merges, as pairs of numbers: `symbols[byte]` is that of a byte, 256 + n that of the n-th merge. Leaves the counter empty.
        """

    def __len__(self) -> int:
        """How many distinct pre-tokens were counted."""

    @property
    def memory(self) -> int:
        """Bytes of memory that the counts take."""

def learn_merges(words: list[bytes], counts: list[int], symbols: int, merges: int, min_frequency: int, first: bool, progress: Callable[[int], object] | None) -> list[tuple[int, int]]:
    """
    The merges of words of symbols below `symbols`, each word an array of unsigned 32-bit integers.
    """
