"""Base of the three tokenizers: the tokens that the merges define, decoding, and the files.

merges           (97, 97) -> 256, (256, 97) -> 257, ...       in the order in which they were learned
vocab            97 -> b"a", 256 -> b"aa", 257 -> b"aaa", ...
special_tokens   "<|endoftext|>" -> 100257                    found as a whole; they never merge
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bpe_engine.errors import UnknownTokenError, VocabularyError
from bpe_engine.formats.minbpe import MinbpeModel, dump_minbpe, parse_minbpe, tokens_of_merges
from bpe_engine.minbpe.pairs import Pair, get_stats, merge, render_token
from bpe_engine.patterns import Pattern
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.vocabulary import Vocabulary


class TeachingTokenizer(ABC):
    """Base class of the three tokenizers. A new tokenizer has the 256 bytes and no merges."""

    def __init__(self) -> None:
        self.merges: dict[Pair, int] = {}
        self.pattern = ""
        self.special_tokens: dict[str, int] = {}
        self.vocab: dict[int, bytes] = tokens_of_merges(self.merges)

    @abstractmethod
    def train(
        self,
        text: str | bytes,
        vocab_size: int,
        verbose: bool | Callable[[str], object] = False,  # noqa: FBT001, FBT002 - as minbpe has it
    ) -> None:
        """Learn merges from `text` until there are `vocab_size` tokens, or no pair is left to merge.

        Of equally frequent pairs the first in the text, as merged so far, is merged. Time: the length of the text times
        the number of merges.

        Args:
            text: The text, as str or as UTF-8 bytes.
            vocab_size: The number of tokens after training, including the 256 bytes; at least 256.
            verbose: True prints a line for each merge; a function is called with each line.

        Raises:
            ValueError: `vocab_size` is below 256.
        """

    @abstractmethod
    def encode(self, text: str | bytes) -> list[int]:
        """The token ids of `text`. Time: the length of a pre-token times the number of different merges in it.

        Args:
            text: The text, as str or as UTF-8 bytes.

        Returns:
            The ids, in the order of the text.
        """

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; U+FFFD for bytes that are not UTF-8.

        Args:
            ids: Token ids, including those of special tokens.

        Returns:
            The text; a character whose bytes are spread over several ids is whole in it.

        Raises:
            UnknownTokenError: No token has one of the ids.
        """
        special = {token: text.encode() for text, token in self.special_tokens.items()}
        parts = []
        for token in ids:
            data = self.vocab.get(token, special.get(token))
            if data is None:
                raise UnknownTokenError(f"no token has the id {token!r}")
            parts.append(data)
        return b"".join(parts).decode("utf-8", "replace")

    def save(self, file_prefix: str | Path) -> None:
        """Write `file_prefix.model`, which `load` reads, and `file_prefix.vocab`, a readable list of the tokens.

        Args:
            file_prefix: The path of both files, without their extension.

        Raises:
            VocabularyError: The format cannot express the pattern or a special token: it holds a line end.
            OSError: A file cannot be written.
        """
        model = dump_minbpe(MinbpeModel(self.pattern, self.merges, self.special_tokens))
        Path(f"{file_prefix}.model").write_bytes(model)
        self.save_vocab(f"{file_prefix}.vocab")

    def save_vocab(self, vocab_file: str | Path) -> None:
        """Write the tokens as a readable list: `[aa][a] -> [aaa] 257`.

        Args:
            vocab_file: The path of the file, with its extension.

        Raises:
            OSError: The file cannot be written.
        """
        pair_of = {token: pair for pair, token in self.merges.items()}
        with Path(vocab_file).open("w", encoding="utf-8", newline="\n") as file:
            for token, data in self.vocab.items():
                halves = "".join(f"[{render_token(self.vocab[half])}]" for half in pair_of.get(token, ()))
                file.write(f"{halves}{' -> ' if halves else ''}[{render_token(data)}] {token}\n")

    def load(self, model_file: str | Path) -> None:
        """Replace the merges, pattern and special tokens by those of a `.model` file. After an error nothing has changed.

        Args:
            model_file: The path of a file written by `save` or by minbpe.

        Raises:
            VocabularyError: The name does not end in `.model`, or the file is malformed; with its name and line.
            OSError: The file cannot be read.
        """
        path = Path(model_file)
        if path.suffix != ".model":
            raise VocabularyError(f"{path}: the name of a model file ends in .model")
        self._take(parse_minbpe(path.read_bytes(), str(path)))

    def to_tokenizer(self, name: str | None = None) -> Tokenizer:
        """The fast tokenizer with the same tokens, pattern and special tokens.

        Args:
            name: A label.

        Returns:
            A `bpe_engine.Tokenizer` with the same ids.

        Raises:
            VocabularyError: Two tokens have the same bytes.
        """
        ranks: dict[bytes, int] = {}
        for token in sorted(set(self.vocab) - set(self.special_tokens.values())):
            if ranks.setdefault(self.vocab[token], token) != token:
                data = self.vocab[token]
                raise VocabularyError(
                    f"the tokens {ranks[data]} and {token} are both {data!r}: only the first is ever made"
                )
        pattern = Pattern(self.pattern) if self.pattern else None
        return Tokenizer(Vocabulary(name, ranks, dict(self.special_tokens), pattern))

    def _take(self, model: MinbpeModel) -> None:
        self.merges = model.merges
        self.pattern = model.pattern
        self.special_tokens = model.special_tokens
        special = {token: text.encode() for text, token in model.special_tokens.items()}
        self.vocab = tokens_of_merges(model.merges) | special

    def _learn(self, pieces: Sequence[bytes], vocab_size: int, *, verbose: bool | Callable[[str], object]) -> None:
        """Learn merges from pre-tokens, which no merge crosses."""
        if vocab_size < 256:
            raise ValueError(f"vocab_size must be at least 256, the number of bytes, not {vocab_size}")
        report = verbose if callable(verbose) else print if verbose else None
        ids = [list(piece) for piece in pieces]
        merges: dict[Pair, int] = {}
        for token in range(256, vocab_size):
            counts: dict[Pair, int] = {}
            for piece in ids:
                get_stats(piece, counts)
            if not counts:
                break
            pair = max(counts, key=counts.__getitem__)
            ids = [merge(piece, pair, token) for piece in ids]
            merges[pair] = token
            if report is not None:
                number = f"{token - 255}/{vocab_size - 256}"
                report(f"merge {number}: {pair[0]} {pair[1]} -> {token}, which had {counts[pair]} occurrences")
        self.merges = merges
        self.vocab = tokens_of_merges(merges)

    def _encode_chunk(self, data: bytes) -> list[int]:
        """Return the ids of one pre-token: merge the pair that was learned first, until no learned pair is left."""
        ids = list(data)
        while len(ids) > 1:
            pair = min(get_stats(ids), key=lambda pair: self.merges.get(pair, float("inf")))
            if pair not in self.merges:
                break
            ids = merge(ids, pair, self.merges[pair])
        return ids
