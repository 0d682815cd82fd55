"""Decode tokens into text by the decoders of a tokenizer.json."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from itertools import islice, takewhile

from bpe_engine.formats.byte_alphabet import bytes_of
from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    Decoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    SentencePieceDecoder,
    StripDecoder,
    WordEndDecoder,
    WordPieceDecoder,
)
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.text.patience import check_growth


def decode_texts(decoders: Sequence[Decoder], tokens: Sequence[str], errors: str = "replace") -> str:
    """Decode the texts of tokens into one text; without decoders they are joined by spaces. `errors` as for `bytes.decode`.

    >>> decode_texts((MetaspaceDecoder(), FuseDecoder()), ["\\u2581a", "\\u2581b"])
    'a b'
    """
    return "".join(decode_parts(decoders, tokens, errors)) if decoders else " ".join(tokens)


def decode_parts(decoders: Sequence[Decoder], tokens: Sequence[str], errors: str) -> list[str]:
    """Return the texts that decoders make of the texts of tokens; the last makes those that are joined."""
    parts = list(tokens)
    original = sum(map(len, parts))
    for decoder in decoders:
        parts = _apply(decoder, parts, errors)
        if isinstance(decoder, ReplaceDecoder):
            check_growth(sum(map(len, parts)), original, "the decoders")
    return parts


# Decoders that treat each token by itself, except perhaps the first and the last.
_OF_TOKENS = (MetaspaceDecoder, StripDecoder, WordPieceDecoder, WordEndDecoder)


class Decoding:
    """`decode_texts` of ids: what the first decoders make of a token inside a text is kept, and looked up when the token comes again.

    Args:
        decoders: The decoders, in order.
        text_of: Id -> the text of a token. Raises UnknownTokenError.

    >>> texts = {1: "\\u2581a", 2: "\\u2581b", 3: "<0xC3>", 4: "<0xA9>"}
    >>> decoding = Decoding((MetaspaceDecoder(), ByteFallbackDecoder(), FuseDecoder()), texts.__getitem__)
    >>> decoding([1, 2, 3, 4])
    'a bé'
    """

    def __init__(self, decoders: Sequence[Decoder], text_of: Callable[[int], str]) -> None:
        self._text_of = text_of
        first = list(takewhile(_is_of_tokens, decoders))
        self._first, self._rest = first, decoders[len(first) :]
        self._inside = _Inside(first, text_of)

    def __call__(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of tokens. `errors` as for `bytes.decode`. Raises UnknownTokenError."""
        if not self._first or len(tokens) < 3:
            return decode_texts((*self._first, *self._rest), list(map(self._text_of, tokens)), errors)
        *start, _ = decode_parts(self._first, [self._text_of(tokens[0]), ""], errors)
        _, *end = decode_parts(self._first, ["", self._text_of(tokens[-1])], errors)
        parts = [*start, *map(self._inside.__getitem__, islice(tokens, 1, len(tokens) - 1)), *end]
        return "".join(decode_parts(self._rest, parts, errors))


class SentencePieceDecoding:
    """`Decoding` by a `SentencePieceDecoder`: what it makes of a token after the start of a text is kept.

    >>> texts = {1: "\u2581a", 2: "\u2581b", 3: "<0xC3>", 4: "<0xA9>"}
    >>> decoding = SentencePieceDecoding(SentencePieceDecoder(has_bytes=True, strips="first"), texts.__getitem__)
    >>> decoding([1, 2, 3, 4]), decoding([2, 3])
    ('a bé', 'b\ufffd')
    """

    def __init__(self, decoder: SentencePieceDecoder, text_of: Callable[[int], str]) -> None:
        self._decoder = decoder
        self._text_of = text_of
        self._inside = _InsidePieces(text_of, has_bytes=decoder.has_bytes)

    def __call__(self, tokens: Sequence[int], errors: str = "replace") -> str:  # noqa: ARG002 - bytes become U+FFFD
        """Return the text of tokens. Raises UnknownTokenError."""
        texts = SentencePieceTexts(self._decoder)
        start, number = "", 0
        while texts.is_start and number < len(tokens) and not texts.is_byte(text := self._text_of(tokens[number])):
            start += texts.push(text)
            number += 1
        rest = "".join(map(self._inside.__getitem__, islice(tokens, number, None)))
        try:
            rest.encode()
        except UnicodeEncodeError:
            rest = rest.encode("utf-8", "surrogateescape").decode("utf-8", _EACH_BYTE)
        return start + rest


class _InsidePieces(dict[int, str]):
    """Id -> the text of a token after the start of a text; a byte token of a byte that is not ASCII is a surrogate, as errors="surrogateescape" has it."""

    def __init__(self, text_of: Callable[[int], str], *, has_bytes: bool) -> None:
        super().__init__()
        self._text_of, self._has_bytes = text_of, has_bytes

    def __missing__(self, token: int) -> str:
        text = self._text_of(token)
        byte = _BYTE_TOKENS.get(text) if self._has_bytes else None
        if byte is None:
            found = text.replace("\u2581", " ")
        else:
            found = bytes([byte]).decode("utf-8", "surrogateescape")
        self[token] = found
        return found


class _Inside(dict[int, str]):
    """Id -> what the decoders make of a token that is neither the first nor the last."""

    def __init__(self, decoders: Sequence[Decoder], text_of: Callable[[int], str]) -> None:
        super().__init__()
        self._decoders, self._text_of = decoders, text_of

    def __missing__(self, token: int) -> str:
        _, found, _ = decode_parts(self._decoders, ["", self._text_of(token), ""], "replace")
        self[token] = found
        return found


def _is_of_tokens(decoder: Decoder) -> bool:
    if isinstance(decoder, ReplaceDecoder):  # where a text may grow, its growth is limited
        pattern = decoder.pattern
        return isinstance(pattern, str) and len(decoder.content) <= len(pattern)
    return isinstance(decoder, _OF_TOKENS)


def _apply(decoder: Decoder, tokens: list[str], errors: str) -> list[str]:
    match decoder:
        case ByteLevelDecoder():
            return [b"".join(map(byte_level_bytes, tokens)).decode("utf-8", errors)]
        case ByteFallbackDecoder():
            return _byte_fallback(tokens)
        case SentencePieceDecoder():
            texts = SentencePieceTexts(decoder)
            return [*map(texts.push, tokens), texts.finish()]
        case MetaspaceDecoder(replacement, prepend_scheme):
            return _metaspace(tokens, replacement, keeps_first=prepend_scheme == "never")
        case FuseDecoder():
            return ["".join(tokens)]
        case ReplaceDecoder(pattern, content):
            return [_replaced(pattern, content, token) for token in tokens]
        case StripDecoder():
            return [_stripped(decoder, token) for token in tokens]
        case WordPieceDecoder():
            return [in_word(decoder, token, is_first=number == 0) for number, token in enumerate(tokens)]
        case WordEndDecoder(suffix):
            return [
                *(token.replace(suffix, " ") for token in tokens[:-1]),
                *(token.replace(suffix, "") for token in tokens[-1:]),
            ]


def byte_level_bytes(token: str) -> bytes:
    """Return the bytes of a token in the byte alphabet; its UTF-8 if it has a character outside of that.

    >>> byte_level_bytes("Ġa"), byte_level_bytes("a b")
    (b' a', b'a b')
    """
    try:
        return bytes_of(token)
    except KeyError:
        return token.encode("utf-8", "surrogatepass")


# The replacements in BERT's own code, in the same order, for each token.
_CLEANUP = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"), (" do not", " don't"),
    (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


def in_word(decoder: WordPieceDecoder, token: str, *, is_first: bool) -> str:
    """Return the text of a token: without the prefix or with a space before it, unless it is the first.

    >>> decoder = WordPieceDecoder()
    >>> [in_word(decoder, token, is_first=False) for token in ("##ing", "a", ".")]
    ['ing', ' a', '.']
    """
    if not is_first:
        token = token.removeprefix(decoder.prefix) if token.startswith(decoder.prefix) else " " + token
    if decoder.cleanup:
        for before, after in _CLEANUP:
            token = token.replace(before, after)
    return token


def _replaced(pattern: str | Expression, content: str, token: str) -> str:
    if isinstance(pattern, str) and pattern:
        return token.replace(pattern, content)
    from bpe_engine.pipeline.matching import matcher  # noqa: PLC0415 - few files have such decoders

    return "".join(content if found else token[start:end] for start, end, found in matcher(pattern).spans(token))


# In upper and lower case, digit by digit.
_BYTE_TOKENS = {
    f"<0x{high}{low}>": int(high + low, 16) for high in "0123456789abcdefABCDEF" for low in "0123456789abcdefABCDEF"
}


def _byte_fallback(tokens: list[str]) -> list[str]:
    if _BYTE_TOKENS.keys().isdisjoint(tokens):
        return tokens
    texts: list[str] = []
    pending = bytearray()

    def flush() -> None:
        try:
            texts.append(pending.decode("utf-8"))
        except UnicodeDecodeError:
            texts.extend("\ufffd" * len(pending))  # one text each, as `tokenizers` has them
        pending.clear()

    for token in tokens:
        byte = _BYTE_TOKENS.get(token)
        if byte is None:
            if pending:
                flush()
            texts.append(token)
        else:
            pending.append(byte)
    if pending:
        flush()
    return texts


class SentencePieceTexts:
    """Decodes tokens one by one, by a `SentencePieceDecoder`; each call returns the text that is certain so far."""

    def __init__(self, decoder: SentencePieceDecoder) -> None:
        self._has_bytes = decoder.has_bytes
        self._strips_all = decoder.strips == "all"
        self.is_start = decoder.strips != "none"
        """Whether nothing has come so far before which "\u2581" is kept."""
        self._bytes = codecs.getincrementaldecoder("utf-8")(_EACH_BYTE)

    @property
    def held(self) -> bytes:
        """The bytes of a character whose end is missing."""
        return self._bytes.getstate()[0]

    def is_byte(self, token: str) -> bool:
        """Whether a token is a byte."""
        return self._has_bytes and token in _BYTE_TOKENS

    def push(self, token: str) -> str:
        """Return the text that a token settles; a token without text changes nothing."""
        if not token:
            return ""
        if self.is_byte(token):
            self.is_start = False
            return self._bytes.decode(bytes([_BYTE_TOKENS[token]]))
        before = self.finish()
        if self.is_start:
            stripped = token.removeprefix("\u2581")
            self.is_start = not stripped and self._strips_all
            token = stripped
        return before + token.replace("\u2581", " ")

    def finish(self) -> str:
        """Return the text of a character whose end is missing."""
        return self._bytes.decode(b"", final=True)


_EACH_BYTE = "bpe_engine.each_byte"


def _replace_each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error(_EACH_BYTE, _replace_each_byte)


def fallback_byte(token: str) -> int | None:
    """Return the byte of a byte token such as `<0xE4>`; None for any other token.

    >>> fallback_byte("<0xE4>"), fallback_byte("<0xe4 "), fallback_byte("a")
    (228, None, None)
    """
    return _BYTE_TOKENS.get(token)


def _metaspace(tokens: list[str], replacement: str, *, keeps_first: bool) -> list[str]:
    """Replace `replacement` by a space; in the first token remove it unless `keeps_first`."""
    first = " " if keeps_first else ""
    return [token.replace(replacement, first if number == 0 else " ") for number, token in enumerate(tokens)]


def _stripped(decoder: StripDecoder, token: str) -> str:
    start, end = 0, len(token)
    while start < min(decoder.start, len(token)) and token[start] == decoder.content:
        start += 1
    while len(token) - end < decoder.stop and end > 0 and token[end - 1] == decoder.content:
        end -= 1
    return token[start:end]
