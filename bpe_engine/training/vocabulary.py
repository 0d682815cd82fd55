"""Train a tokenizer from texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os import PathLike

from bpe_engine.errors import PatternError, TrainingError
from bpe_engine.formats.byte_alphabet import BYTES_IN_ORDER
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.threads import require_threads
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.training.options import (
    Layout,
    PretokenCounter,
    Progress,
    TieBreaking,
    check_sum,
    checked_options,
    merging,
    warn_of_too_few,
)
from bpe_engine.training.texts import Source, count_by_expression, count_by_scanner
from bpe_engine.vocabulary import LARGEST_ID, Vocabulary


def train(  # noqa: PLR0913 - all but the first two have a default, and go by name
    texts: Iterable[Source],
    vocab_size: int,
    *,
    pattern: Pattern | str | None = "o200k",
    special_tokens: Sequence[str] = (),
    min_frequency: int = 1,
    tie_breaking: TieBreaking = "lowest",
    layout: Layout = "gpt2",
    name: str | None = None,
    num_threads: int = 8,
    progress: Progress | None = None,
) -> Tokenizer:
    """Learn a tokenizer from texts.

    The most frequent pair of neighbouring tokens is merged everywhere, from the left; then the next. Every offset where
    the pair occurs is counted, so "aaa" has (a, a) twice. The same texts and options give the same tokens, for any
    `num_threads`. Memory: about 40 bytes for each byte of the distinct pre-tokens, and a block of text.

    Args:
        texts: The texts, each a str, bytes, or a Path, which is read in blocks as bytes.
        vocab_size: The number of tokens: the 256 bytes, the learned tokens, and the special tokens.
        pattern: Splits the texts into pre-tokens, which no merge crosses: the name of one of
            `bpe_engine.patterns.PATTERNS`, a regular expression, a Pattern, or None for whole texts.
        special_tokens: Texts of tokens that get an id. They are not searched for in `texts`.
        min_frequency: The least number of occurrences of a pair to be merged.
        tie_breaking: The choice among equally frequent pairs. "lowest": the pair whose left token has the lowest id,
            then whose right token has the lowest id, regardless of the order of the texts. "first": the pair that
            occurs first in the texts, as merged so far.
        layout: The order of the ids. "gpt2": the bytes in the order of `byte_alphabet.BYTES_IN_ORDER`, then the learned
            tokens, then the special tokens. "minbpe": the bytes in ascending order, the learned tokens, the special
            tokens. "tokenizers": the special tokens, then as "gpt2".
        name: A label for the tokenizer, or None.
        num_threads: The number of threads that count pre-tokens.
        progress: Called from time to time with the stage ("counting" or "merging"), the work done, in bytes or merges,
            and the total (None if unknown). An exception from it ends the training.

    Returns:
        The tokenizer. If no pair is left before `vocab_size` is reached, it is smaller, with a TrainingWarning. With
        layout "minbpe" and `tie_breaking="first"` the merges equal those of minbpe's RegexTokenizer (BasicTokenizer, if
        `pattern` is None) for one text, with `vocab_size` less the special tokens. With layout "tokenizers" and
        `tie_breaking="lowest"` the ids and merges equal those of Hugging Face's BpeTrainer with the ByteLevel alphabet,
        for the same pre-tokens, if no special token is spelled like a learned token.

    Raises:
        TrainingError: `vocab_size` has no room for the bytes and special tokens, the texts are empty, or there is too
            much to learn from.
        PatternError: There is no grammar of this name, or the expression does not compile.
        OSError: A file cannot be read.

    Examples:
        >>> tokenizer = train(["low low low low low lower lower newest newest"], 260, pattern="r50k", special_tokens=["<|end|>"])
        >>> [tokenizer.decode([token]) for token in range(256, 260)]
        ['lo', 'low', ' low', '<|end|>']
    """
    vocab_size, min_frequency = checked_options(vocab_size, tie_breaking, min_frequency)
    specials = _checked_specials(special_tokens)
    wanted = vocab_size - 256 - len(specials)
    if wanted < 0:
        raise TrainingError(
            f"vocab_size must be at least {256 + len(specials)}, for 256 bytes and {len(specials)} special tokens, not {vocab_size}"
        )
    if vocab_size > LARGEST_ID:
        raise TrainingError(f"vocab_size must be at most {LARGEST_ID}, not {vocab_size}")
    if layout not in ("gpt2", "minbpe", "tokenizers"):
        raise ValueError(f'layout must be "gpt2", "minbpe" or "tokenizers", not {layout!r}')
    if isinstance(texts, str | bytes | PathLike):
        raise TypeError(f"texts must be a list or another iterable of texts: [{type(texts).__name__}], for one")
    if not hasattr(texts, "__iter__") and not hasattr(texts, "__getitem__"):
        raise TypeError(f"texts must be a list or another iterable of texts, not {type(texts).__name__}")
    require_threads(num_threads)
    found = _pattern(pattern)
    order = tuple(range(256)) if layout == "minbpe" else BYTES_IN_ORDER

    counter, read = _count(texts, found, num_threads, progress)
    if not read and wanted:
        raise TrainingError("there is nothing to learn from: no texts, or only empty ones")
    symbols = bytearray(256)
    for symbol, byte in enumerate(order):
        symbols[byte] = symbol
    merges = counter.learn(bytes(symbols), wanted, min_frequency, tie_breaking == "first", merging(progress, wanted))
    tokens = _tokens(order, merges)
    first_id = len(specials) if layout == "tokenizers" else 0
    first_special = 0 if layout == "tokenizers" else len(tokens)
    vocabulary = Vocabulary(
        name,
        {token: token_id for token_id, token in enumerate(tokens, first_id)},
        {special: token_id for token_id, special in enumerate(specials, first_special)},
        found,
    )
    if len(merges) < wanted:
        warn_of_too_few(len(tokens) + len(specials), vocab_size, min_frequency)
    return Tokenizer(vocabulary)


def _count(
    texts: Iterable[Source], pattern: Pattern | None, num_threads: int, progress: Progress | None
) -> tuple[PretokenCounter, int]:
    """Return the counted pre-tokens, and the number of bytes read (characters of a str)."""
    # Imported late: this imports the `regex` package, which takes longer than all other imports here.
    from bpe_engine.fallback.pretokenizer import CustomPattern, NamedPattern, pretokenizer_for  # noqa: PLC0415

    pretokenizer = pretokenizer_for(pattern)
    counter = PretokenCounter(pretokenizer.name if isinstance(pretokenizer, NamedPattern) else None, num_threads)
    if isinstance(pretokenizer, CustomPattern):
        return counter, count_by_expression(counter, pretokenizer, texts, progress)
    return counter, count_by_scanner(counter, texts, progress)


def _tokens(order: Iterable[int], merges: Iterable[tuple[int, int]]) -> list[bytes]:
    """Return the bytes of all tokens except the special ones.

    >>> _tokens(range(256), [(97, 98), (256, 256)])[256:]
    [b'ab', b'abab']
    """
    tokens = [bytes([byte]) for byte in order]
    total = len(tokens)
    for left, right in merges:
        total += len(tokens[left]) + len(tokens[right])
        check_sum(total)
        tokens.append(tokens[left] + tokens[right])
    return tokens


def _checked_specials(special_tokens: Sequence[str]) -> list[str]:
    if isinstance(special_tokens, str):
        raise TypeError("special_tokens must be a list of str, not a str")
    for special in special_tokens:
        if type(special) is not str or not special:
            raise TrainingError(f"a special token must be a str of at least one character, not {special!r}")
    if len(set(special_tokens)) != len(special_tokens):
        raise TrainingError(f"a special token occurs twice in {list(special_tokens)!r:.200}")
    return list(special_tokens)


def _pattern(pattern: Pattern | str | None) -> Pattern | None:
    """Return the pattern that a name or an expression stands for.

    >>> _pattern("r50k").name, _pattern(r"\\w+|\\W+").source
    ('r50k', '\\\\w+|\\\\W+')
    """
    if not isinstance(pattern, str):
        return pattern
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    # A name that was mistyped must not become an expression that matches its letters.
    if re.fullmatch(r"[\w-]*", pattern):
        raise PatternError(
            f"no grammar is called {pattern!r:.200}: {', '.join(PATTERNS)}; and this is no expression that cuts texts"
        )
    return Pattern(pattern)
