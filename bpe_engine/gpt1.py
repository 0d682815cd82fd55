"""The tokenizer of GPT-1 (openai-gpt). Unlike all later ones it works on characters instead of bytes, and decoding does
not restore the exact text.

    "Don’t  panic…"
    lower case; ftfy repairs characters       don't  panic…
    dots, dashes, spaces become one kind      don't panic...
    spaCy's rules for English                 do | n't | panic | ...
    characters, the last with "</w>"          d o</w> | n ' t</w> | p a n i c</w> | . . .</w>
    pairs merge, in the order of a list       do</w> | n't</w> | panic</w> | ...</w>
    a symbol that is not in the vocabulary    <unk>

Needs ftfy and spaCy's rules for English (no model): pip install "bpe-chunker[gpt1]". The ids equal those of
`transformers` with the same releases of both packages; spaCy's rules and ftfy's repairs change over time.

Time is O(n log n) except in spaCy, which takes quadratic time for thousands of brackets or quotation marks without a
space (20,000 of them: half a minute).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

from bpe_engine.errors import MissingExtraError, UnknownTokenError, VocabularyError
from bpe_engine.fallback.pair_merging import merge_pairs
from bpe_engine.formats.json_files import read_json
from bpe_engine.special_tokens import Specials, SpecialTokens
from bpe_engine.text.input import received
from bpe_engine.vocabulary import LARGEST_ID

__all__ = ["GPT1Tokenizer"]

END = "</w>"
"""Suffix of the last symbol of each word."""

_ONE_KIND = str.maketrans({"—": "-", "–": "-", "―": "-", "…": "...", "´": "'"})
_MARKS = re.compile(r"""-+|~+|!+|"+|;+|\?+|\++|,+|\)+|\(+|\\+|/+|\*+|\[+|\]+|\}+|\{+|\|+|_+""")
_WHITE_SPACE = re.compile(r"\s+")
_FIRST_LINE = "#version"
_FIRST_LINE_WRITTEN = "#version: 0.2"


class GPT1Tokenizer:
    """The tokenizer of GPT-1: words, merges and a vocabulary of characters. Immutable; threads may share it; can be pickled.

    Encoding needs ftfy and spaCy, and raises MissingExtraError if one of them is not installed.

    Args:
        tokens: Symbol -> id.
        merges: Pairs of symbols, best first.
        special_tokens: Text -> id, in addition to those of `tokens`; `with_special_tokens` chooses the ids.
        unknown: The symbol for all symbols that are not in `tokens`.
        name: A label.

    Raises:
        VocabularyError: An id or a symbol cannot be used, two have the same id, or `unknown` is missing.

    >>> symbols = ["<unk>", *"lower", "r</w>", "lo", "low", "er</w>", "lower</w>", "e</w>", "w</w>"]
    >>> merges = [("l", "o"), ("lo", "w"), ("e", "r</w>"), ("low", "er</w>")]
    >>> tokenizer = GPT1Tokenizer({symbol: number for number, symbol in enumerate(symbols)}, merges)
    >>> tokenizer.pieces("lower"), tokenizer.pieces("slow")
    (['lower</w>'], ['s', 'lo', 'w</w>'])
    >>> tokenizer.decode([10, 12])
    'lower w'
    """

    def __init__(
        self,
        tokens: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        *,
        special_tokens: Mapping[str, int] | None = None,
        unknown: str = "<unk>",
        name: str | None = "gpt1",
    ) -> None:
        self.name = name
        self.unknown = unknown
        self._id_of = dict(tokens)
        self._merges = [(left, right) for left, right in merges]
        self._special_ids = dict(special_tokens or {})
        _check(self._id_of, self._special_ids, unknown)
        self._rank_of = {pair: rank for rank, pair in enumerate(self._merges)}
        self._symbol_of = {token: symbol for symbol, token in self._id_of.items()}
        # The unknown token is special, too: its text may be allowed in a text.
        self._specials = SpecialTokens({unknown: self._id_of[unknown]} | self._special_ids)
        self._text_of_added = {token: text for text, token in self._special_ids.items() if token not in self._symbol_of}
        self._remembered = lru_cache(maxsize=1 << 16)(self._merged)

    @classmethod
    def from_files(
        cls,
        vocabulary: str | PathLike[str],
        merges: str | PathLike[str],
        *,
        special_tokens: Mapping[str, int] | None = None,
        name: str | None = "gpt1",
    ) -> GPT1Tokenizer:
        """Load the tokenizer from the published pair of files: `encoder_bpe_40000.json` and `vocab_40000.bpe`, or `vocab.json` and `merges.txt`.

        Args:
            vocabulary: The path of the JSON file: symbol -> id.
            merges: The path of the merges, best first.
            special_tokens: Text -> id, beside those of the vocabulary.
            name: The name that it shows.

        Returns:
            A tokenizer that needs the files no longer.

        Raises:
            VocabularyError: A file is malformed, or they do not fit together; with the name of the file and the line.
            OSError: A file cannot be read.
        """
        entries = read_json(Path(vocabulary))
        for symbol, token in entries.items():
            if type(token) is not int:
                raise VocabularyError(
                    f"{vocabulary}: the id of the symbol {symbol!r:.80} is {token!r:.80}, not a whole number"
                )
        pairs = parse_merges(Path(merges).read_bytes(), str(merges))
        try:
            return cls(entries, pairs, special_tokens=special_tokens, name=name)
        except VocabularyError as error:
            raise VocabularyError(f"{vocabulary}: {error}") from error

    def save_files(self, vocabulary: str | PathLike[str], merges: str | PathLike[str]) -> None:
        """Write the pair of files that `from_files` reads, in OpenAI's form. Special tokens with their own ids are in neither file.

        Args:
            vocabulary: The path of the JSON file to write: symbol -> id.
            merges: The path of the file of merges to write.

        Raises:
            VocabularyError: A pair holds white space, which separates the pair in the file.
            OSError: A file cannot be written.
        """
        for pair in self._merges:
            if any(len(symbol.split()) != 1 or symbol.split()[0] != symbol for symbol in pair):
                raise VocabularyError(f"the pair {pair!r:.80} contains white space, and cannot be written")
        Path(vocabulary).write_text(json.dumps(self._id_of), "ascii", newline="\n")
        lines = [_FIRST_LINE_WRITTEN, *(f"{left} {right}" for left, right in self._merges)]
        Path(merges).write_text("\n".join(lines) + "\n", "utf-8", newline="\n")

    def with_special_tokens(self, texts: Iterable[str]) -> GPT1Tokenizer:
        """Return a tokenizer with more special tokens. New texts get ids after the largest, in order; existing symbols and special tokens keep theirs.

        Args:
            texts: The texts of the special tokens.

        Returns:
            Another tokenizer; this one is unchanged.
        """
        added = dict(self._special_ids)
        largest = self.n_vocab - 1
        for text in texts:
            if text not in added:
                largest += text not in self._id_of
                added[text] = self._id_of.get(text, largest)
        return GPT1Tokenizer(self._id_of, self._merges, special_tokens=added, unknown=self.unknown, name=self.name)

    def __reduce__(self) -> tuple[Callable[..., GPT1Tokenizer], tuple[Any, ...]]:
        return _rebuilt, (self._id_of, self._merges, self._special_ids, self.unknown, self.name)

    def __repr__(self) -> str:
        return f"<GPT1Tokenizer {self.name!r}: {self.n_vocab} tokens>"

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return max(*self._id_of.values(), *self._special_ids.values(), 0) + 1

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens, the unknown one among them: text -> id."""
        return {self.unknown: self._id_of[self.unknown]} | self._special_ids

    def encode(self, text: str, *, allowed_special: Specials = (), disallowed_special: Specials = ()) -> list[int]:
        """The token ids of `text`.

        Special tokens are searched in the lower-case text, so "<END>" is found as `<end>`; allowed ones are found in
        their own case, too.

        Args:
            text: The text.
            allowed_special: Special tokens to find in the text, by their texts, or "all", as `transformers` has it. Any
                other is plain text.
            disallowed_special: Special tokens that raise; "all" is every one that is not allowed.

        Returns:
            The ids, in the order of the text.

        Raises:
            DisallowedSpecialTokenError: The text holds a disallowed special token.
            MissingExtraError: ftfy or spaCy is not installed.
            TypeError: `text` is not str.
        """
        ids: list[int] = []
        unknown = self._id_of[self.unknown]
        for plain, special in self._specials.parts(
            self._lowered(text, allowed_special), allowed_special, disallowed_special
        ):
            ids += [self._id_of.get(piece, unknown) for word in words_of(plain) for piece in self._remembered(word)]
            if special is not None:
                ids.append(special)
        return ids

    def count(self, text: str) -> int:
        """The number of tokens of `text`: `len(encode(text))`.

        Args:
            text: The text.

        Returns:
            The number of tokens; the text of a special token counts as plain text.

        Raises:
            MissingExtraError: ftfy or spaCy is not installed.
            TypeError: `text` is not str.
        """
        return len(self.encode(text))

    def split(self, text: str) -> list[str]:
        """The words of `text` in lower case, as repaired by ftfy and split by spaCy; no token crosses from one to the next.

        Args:
            text: The text.

        Returns:
            The words from left to right, without white space around them.

        Raises:
            MissingExtraError: ftfy or spaCy is not installed.
            TypeError: `text` is not str.
        """
        return words_of(self._lowered(text, ()))

    def pieces(self, word: str) -> list[str]:
        """The symbols that a word merges to; symbols that are not in the vocabulary are encoded as `unknown`.

        Args:
            word: One word, in lower case.

        Returns:
            The symbols from left to right, of which the last one ends with `</w>`; none for an empty word.
        """
        return list(self._remembered(word))

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of the tokens: words with a space between them. It is not the text that was encoded.

        Args:
            tokens: Token ids. Special tokens that are not symbols of the vocabulary get spaces around them.

        Returns:
            One text for all of the ids.

        Raises:
            UnknownTokenError: No token has one of the ids.
        """
        parts: list[str] = []
        symbols: list[str] = []
        for token in tokens:
            symbol = self._symbol_of.get(token)
            if symbol is not None:
                symbols.append(symbol)
                continue
            if token not in self._text_of_added:
                raise UnknownTokenError(f"no token of {self.name} has the id {token!r}")
            if written := _written(symbols):
                parts.append(written)
            parts.append(self._text_of_added[token])
            symbols = []
        if symbols:
            parts.append(_written(symbols))
        return " ".join(parts)

    def _lowered(self, text: str, allowed: Specials) -> str:
        """Return the text with each character in lower case by itself, except in allowed special tokens."""
        if not isinstance(text, str):
            raise TypeError(f"text must be str, not {type(text).__name__}: GPT-1 does not encode bytes")
        characters = received(text)
        kept = [special for special in self.special_tokens if allowed == "all" or special in allowed]
        if not kept:
            return "".join(map(str.lower, characters))
        # At each offset the first special token of the list is found, not the longest.
        parts = re.split("(" + "|".join(map(re.escape, kept)) + ")", characters)
        return "".join(part if number % 2 else "".join(map(str.lower, part)) for number, part in enumerate(parts))

    def _merged(self, word: str) -> tuple[str, ...]:
        if not word:
            return ()
        merged = " ".join(merge_pairs([*word[:-1], word[-1] + END], self._rank_of, "".join))
        # Symbols are looked up between spaces, so a symbol with a space in it is split; a line end before a space is
        # kept.
        return ("\n" + END,) if merged == "\n  " + END else tuple(merged.split(" "))


def words_of(text: str) -> list[str]:
    """Return the words of a text for GPT-1, in lower case. Raises MissingExtraError if ftfy or spaCy is not installed."""
    repair, split = _english()
    return [word.lower() for word in split(standardized(repair(text)))]


def standardized(text: str) -> str:
    """Return the text with one kind of dash, dots and accent, spaces around runs of marks, and white space reduced to one space or line end.

    >>> standardized("Well…  (no) — yes\\t\\n\\n ok??")
    'Well... ( no ) - yes \\n ok ??'
    """
    text = _MARKS.sub(r" \g<0> ", text.translate(_ONE_KIND))
    return _WHITE_SPACE.sub(lambda run: " \n " if "\n" in run[0] else " ", text).strip()


def parse_merges(data: bytes, source: str) -> list[tuple[str, str]]:
    """Parse the pairs in the contents of `vocab_40000.bpe`: a line with the version, then lines of two symbols with a space between.

    >>> parse_merges(b"#version: 0.2\\nt h\\nth e</w>\\n", "two.bpe")
    [('t', 'h'), ('th', 'e</w>')]
    """
    try:
        lines = data.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1
        raise VocabularyError(f"{source}:{place}: not UTF-8: {error.reason} at byte {error.start}") from error
    if not lines[0].startswith(_FIRST_LINE):
        raise VocabularyError(f"{source}:1: expected a line that begins with {_FIRST_LINE}, not {lines[0][:60]!r}")
    if not lines[-1]:
        del lines[-1]
    pairs: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[1:], start=2):
        parts = line.split()
        if len(parts) != 2:
            raise VocabularyError(f"{source}:{number}: expected two symbols separated by a space, not {line[:60]!r}")
        pair = (parts[0], parts[1])
        if pairs.setdefault(pair, number) != number:
            raise VocabularyError(f"{source}:{number}: line {pairs[pair]} already has the pair {line[:60]!r}")
    return list(pairs)


def _written(symbols: list[str]) -> str:
    return "".join(symbols).replace(END, " ").strip()


def _check(tokens: dict[str, int], special_tokens: dict[str, int], unknown: str) -> None:
    for kind, ids in (("symbol", tokens), ("special token", special_tokens)):
        for symbol, token in ids.items():
            if type(token) is not int or not 0 <= token <= LARGEST_ID or not symbol:
                raise VocabularyError(
                    f"the {kind} {symbol!r:.80} has the id {token!r:.80}: a text and a whole number from 0 to {LARGEST_ID} are needed"
                )
        if len(set(ids.values())) != len(ids):
            owners: dict[int, str] = {}
            for symbol, token in ids.items():
                if owners.setdefault(token, symbol) != symbol:
                    raise VocabularyError(
                        f"the {kind}s {owners[token]!r:.80} and {symbol!r:.80} have the same id {token}"
                    )
    if unknown not in tokens:
        raise VocabularyError(f"the symbol {unknown!r:.80}, which stands for unknown text, is missing")
    symbol_of = {token: symbol for symbol, token in tokens.items()}
    for text, token in special_tokens.items():
        if symbol_of.get(token, text) != text:
            raise VocabularyError(
                f"the special token {text!r:.80} has the id {token} of the symbol {symbol_of[token]!r:.80}"
            )


def _rebuilt(
    tokens: dict[str, int],
    merges: list[tuple[str, str]],
    special_tokens: dict[str, int],
    unknown: str,
    name: str | None,
) -> GPT1Tokenizer:
    return GPT1Tokenizer(tokens, merges, special_tokens=special_tokens, unknown=unknown, name=name)


@cache
def _english() -> tuple[Callable[[str], str], Callable[[str], Iterable[str]]]:
    """Return the function that repairs a text, and the function that splits it."""
    try:
        import ftfy  # noqa: PLC0415 - an extra
        import spacy  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("gpt1", "the tokenizer of GPT-1 needs ftfy and spaCy") from error
    tokenizer = spacy.blank("en").tokenizer

    def split(text: str) -> list[str]:
        return [token.text for token in tokenizer(text)]

    return ftfy.fix_text, split
