"""Read the tokenizer in a GGUF file as llama.cpp interprets it.

    tokenizer.ggml.model    "gpt2": byte pair encoding, merges in a list         "llama": SentencePiece's, merges by the scores of tokens
    tokenizer.ggml.pre      how the text is split first (`gguf_patterns.py`)     not split; spaces are U+2581
    tokenizer.ggml.tokens, token_type, scores, merges, bos_token_id, eos_token_id, add_bos_token, add_eos_token,
    add_space_prefix

Tokens of the types control and unknown are special: in a text they are plain text unless `allowed_special` names them,
as with llama.cpp's `parse_special`. User-defined tokens are always found. Some types are corrected by the text of the
token, as in llama.cpp: an `<|im_end|>` is a control token, whatever the file says. The tokens added at the start and
the end of a text are the specification's prefix and suffix.

A byte without a token raises EncodingError; llama.cpp would leave the byte out. Not supported, and refused with a
message that names it: other models ("bert", "t5", "rwkv", "gemma4", ...), pre-tokenizers that are not in
`gguf_patterns.py`, merges of texts that are not tokens, and overlapping special tokens of equal length, for which
llama.cpp's order is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, bytes_of
from bpe_engine.formats.gguf_metadata import Value, read_metadata
from bpe_engine.formats.gguf_patterns import PRE_TOKENIZATIONS, PreTokenization
from bpe_engine.formats.gguf_types import TokenType, put_right
from bpe_engine.formats.overlaps import hiding, overlapping, tied
from bpe_engine.formats.scores import byte_fallback_of, ranks_by_score
from bpe_engine.pipeline.decoders import ByteFallbackDecoder, FuseDecoder, ReplaceDecoder, StripDecoder
from bpe_engine.pipeline.normalizers import Prepend, Replace
from bpe_engine.pipeline.specification import AddedToken, Specification

_KEYS = ("tokenizer.", "general.name", "general.architecture")
_SPACE = "\u2581"


def read(path: Path) -> Specification:
    """Read the specification of a file. Raises VocabularyError, naming the file and the place, and OSError."""
    return _Tokenizer(path, read_metadata(path, lambda name: name.startswith(_KEYS))).specification()


class _Tokenizer:
    """Turns the metadata entries of one file into a specification."""

    def __init__(self, path: Path, entries: Mapping[str, Value]) -> None:
        self._path = path
        self._source = str(path)
        self._entries = entries
        self.model = self._text("model")
        if not self.model:
            raise self._error("model", "is missing: the file has no tokenizer")
        # llama.cpp gives each empty token a name.
        self.texts = [text or f"[EMPTY_{token}]" for token, text in enumerate(self._strings("tokens"))]
        if len(set(self.texts)) != len(self.texts):
            seen: dict[str, int] = {}
            for token, text in enumerate(self.texts):
                if seen.setdefault(text, token) != token:
                    raise self._error("tokens", f"the token {text!r:.80} has the ids {seen[text]} and {token}")
        self.id_of = {text: token for token, text in enumerate(self.texts)}
        self.types = self._types()

    def specification(self) -> Specification:
        if self.model == "gpt2":
            return self._byte_level()
        if self.model == "llama":
            return self._by_scores()
        raise self._error("model", f"{self.model!r:.80} is not supported; supported are 'gpt2' and 'llama'")

    # --- gpt2: byte pair encoding on bytes

    def _byte_level(self) -> Specification:
        pre_tokenization = self._pre_tokenization()
        tokens: dict[int, bytes] = {}
        texts_only: dict[int, bytes] = {}
        for token, text in enumerate(self.texts):
            if self._is_byte_level(token, text):
                tokens[token] = bytes_of(text)
            else:  # merging never makes this token
                texts_only[token] = text.encode()
        default_end = 11 if self.texts[11:] else None
        no_start = self._text("pre") in ("glm4", "chatglm-bpe")
        added = self._added_tokens()
        start = self._token("bos_token_id", None if no_start else default_end)
        return Specification(
            name=self._path.stem,
            source=self._source,
            tokens=tokens,
            texts_only=texts_only,
            merges=self._merges(tokens),
            ignore_merges=pre_tokenization.ignore_merges,
            pre_tokenizers=pre_tokenization.stages,
            added_tokens=added,
            added_tokens_order=self._order(added),
            prefix=self._around("add_bos_token", "bos_token_id", start, default=pre_tokenization.adds_bos),
            suffix=self._around(
                "add_eos_token", "eos_token_id", self._token("eos_token_id", default_end), default=False
            ),
        )

    def _is_byte_level(self, token: int, text: str) -> bool:
        if self.types[token] == TokenType.NORMAL:
            return all(map(BYTE_OF_CHARACTER.__contains__, text))
        # Plain text may still merge to a special token of printable ASCII, which is the same in the byte alphabet.
        return all("!" <= character <= "~" for character in text)

    def _pre_tokenization(self) -> PreTokenization:
        name = self._text("pre") or "default"
        found = PRE_TOKENIZATIONS.get(name)
        if found is None:
            known = ", ".join(sorted(PRE_TOKENIZATIONS))
            raise self._error("pre", f"the pre-tokenizer {name!r:.80} is not supported; supported are {known}")
        return found

    def _merges(self, tokens: Mapping[int, bytes]) -> list[tuple[int, int]]:
        pairs: dict[tuple[int, int], None] = {}
        for number, merge in enumerate(self._strings("merges")):
            place = merge.find(" ", 1)
            if place < 0:
                raise self._error(
                    "merges", f"merge {number}: expected two tokens separated by a space, not {merge!r:.80}"
                )
            left, right = merge[:place], merge[place + 1 :]
            ids = [self.id_of.get(text) for text in (left, right, left + right)]
            for text, token in zip((left, right, left + right), ids, strict=True):
                if token is None or token not in tokens:
                    raise self._error("merges", f"merge {number}: {text!r:.80} is not a token")
            if ids[0] is not None and ids[1] is not None:
                pairs.setdefault((ids[0], ids[1]))  # the first of two equal merges counts
        return list(pairs)

    # --- llama: SentencePiece's byte pair encoding, by scores

    def _by_scores(self) -> Specification:
        scores = self._numbers("scores", len(self.texts)) or [0.0] * len(self.texts)
        if any(score != score for score in scores):  # noqa: PLR0124 - only NaN is not itself
            raise self._error("scores", "one of them is not a number")
        fallback = byte_fallback_of(self.id_of)
        added = self._added_tokens()
        prefixed = self._flag("add_space_prefix", default=True)
        spaced = (Prepend(_SPACE), Replace(" ", _SPACE)) if prefixed else (Replace(" ", _SPACE),)
        return Specification(
            name=self._path.stem,
            source=self._source,
            alphabet="characters",
            tokens=dict(enumerate(self.texts)),
            ranks={
                token: rank for token, rank in ranks_by_score(self.texts, scores).items() if self._may_be_merged(token)
            },
            byte_fallback=fallback,
            normalizers=spaced,
            added_tokens=added,
            added_tokens_order=self._order(added),
            prefix=self._around("add_bos_token", "bos_token_id", self._token("bos_token_id", 1), default=True),
            suffix=self._around("add_eos_token", "eos_token_id", self._token("eos_token_id", 2), default=False),
            decoders=(
                ReplaceDecoder(_SPACE, " "),
                ByteFallbackDecoder(),
                FuseDecoder(),
                *([StripDecoder(" ", 1, 0)] if prefixed else []),
            ),
        )

    def _may_be_merged(self, token: int) -> bool:
        """Whether merging can make this token: false if all its occurrences are found before any merge."""
        return self.types[token] != TokenType.USER_DEFINED or _SPACE in self.texts[token]

    # --- both

    def _types(self) -> list[int]:
        given = self._numbers("token_type", len(self.texts))
        if given is not None and not all(map(math.isfinite, given)):
            raise self._error("token_type", "one of them is not finite")
        types = [int(kind) for kind in given] if given is not None else [int(TokenType.NORMAL)] * len(self.texts)
        put_right(types, self.id_of, self._entries)
        return types

    def _added_tokens(self) -> tuple[AddedToken, ...]:
        looked_for = (TokenType.CONTROL, TokenType.UNKNOWN, TokenType.USER_DEFINED)
        added = {text: token for token, text in enumerate(self.texts) if self.types[token] in looked_for}
        for texts in (added, self._always(added)):
            both = tied(texts)
            if both is not None:
                raise self._error(
                    "tokens",
                    f"the special tokens {both[0]!r:.80} and {both[1]!r:.80} overlap and are equally long: not supported",
                )
        takers = self._takers(added)
        strange = next((text for text in added if text.strip() != text), None)
        if takers and strange is not None:
            raise self._error(
                "tokens",
                f"{min(takers)!r:.80} also matches adjacent white space, which {strange!r:.80} contains: not supported",
            )
        return tuple(
            AddedToken(
                text,
                token,
                special=self.types[token] != TokenType.USER_DEFINED,
                lstrip=takers.get(text) == "left",
                rstrip=takers.get(text) == "right",
            )
            for text, token in added.items()
        )

    def _always(self, added: Iterable[str]) -> list[str]:
        return [text for text in added if self.types[self.id_of[text]] == TokenType.USER_DEFINED]

    def _order(self, added: tuple[AddedToken, ...]) -> Literal["leftmost", "longest_first"]:
        """Return the order in which added tokens are found: "longest_first" as in llama.cpp, or "leftmost" if both give the
        same tokens, as they usually do.
        """
        texts = [token.text for token in added]
        always = self._always(texts)
        same = overlapping(texts) is None and overlapping(always) is None
        special = [token.text for token in added if token.special]
        return "leftmost" if same and hiding(special, always) is None else "longest_first"

    def _takers(self, added: Iterable[str]) -> dict[str, str]:
        """Return the special tokens that strip white space on one side, with the side.

        No entry of the file lists them; llama.cpp knows them by the names of models.
        """
        name, pre = self._text_entry("general.name").lower(), self._text("pre")
        if any(one in pre for one in ("jina-v2-de", "jina-v2-es", "jina-v2-code")):
            return {text: "left" for text in added if text == "<mask>"}
        if "phi-3" in name or "phi3" in name:
            return {text: "right" for text in added if text not in ("<unk>", "<s>", "<|endoftext|>")}
        if "modern-bert" in name:
            return {text: "left" for text in added if text == "[MASK]"}
        return {}

    def _around(self, flag: str, entry: str, token: int | None, *, default: bool) -> tuple[int, ...]:
        if not self._flag(flag, default=default):
            return ()
        if token is None:
            raise self._error(flag, f"is true, but there is no {entry}")
        return (token,)

    # --- the entries, with their types

    def _error(self, entry: str, message: str) -> VocabularyError:
        return VocabularyError(f"{self._source}: tokenizer.ggml.{entry}: {message}")

    def _text(self, entry: str) -> str:
        return self._text_entry(f"tokenizer.ggml.{entry}")

    def _text_entry(self, name: str) -> str:
        value = self._entries.get(name, "")
        if not isinstance(value, str):
            raise VocabularyError(f"{self._source}: {name}: expected a string, not {value!r:.80}")
        return value

    def _strings(self, entry: str) -> list[str]:
        value = self._entries.get(f"tokenizer.ggml.{entry}")
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self._error(entry, "is missing" if value is None else "is not a list of strings")
        return [text for text in value if isinstance(text, str)]

    def _numbers(self, entry: str, count: int) -> list[int | float] | None:
        value = self._entries.get(f"tokenizer.ggml.{entry}")
        if value is None:
            return None
        if not isinstance(value, list) or any(isinstance(number, str | bool) for number in value):
            raise self._error(entry, "is not a list of numbers")
        if len(value) < count:
            raise self._error(entry, f"there are {len(value)} for {count} tokens")
        return [number for number in value[:count] if not isinstance(number, str)]

    def _flag(self, entry: str, *, default: bool) -> bool:
        value = self._entries.get(f"tokenizer.ggml.{entry}", default)
        if not isinstance(value, bool):
            raise self._error(entry, f"expected true or false, not {value!r:.80}")
        return value

    def _token(self, entry: str, default: int | None) -> int | None:
        value = self._entries.get(f"tokenizer.ggml.{entry}", default)
        if value is not None and (type(value) is not int or value < 0):
            raise self._error(entry, f"expected the id of a token, not {value!r:.80}")
        # llama.cpp warns about an id that is out of range, and uses its own default.
        return (
            value
            if isinstance(value, int) and value < len(self.texts)
            else default
            if default is not None and default < len(self.texts)
            else None
        )
