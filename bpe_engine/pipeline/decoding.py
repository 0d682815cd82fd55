"""Decode tokens into text by the decoders of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_engine.formats.byte_alphabet import bytes_of
from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    Decoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
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
    if not decoders:
        return " ".join(tokens)
    parts = list(tokens)
    original = sum(map(len, parts))
    for decoder in decoders:
        parts = _apply(decoder, parts, errors)
        if isinstance(decoder, ReplaceDecoder):
            check_growth(sum(map(len, parts)), original, "the decoders")
    return "".join(parts)


def _apply(decoder: Decoder, tokens: list[str], errors: str) -> list[str]:
    match decoder:
        case ByteLevelDecoder():
            return [b"".join(map(byte_level_bytes, tokens)).decode("utf-8", errors)]
        case ByteFallbackDecoder():
            return _byte_fallback(tokens)
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
    from bpe_engine.pipeline.matching import matcher  # noqa: PLC0415 - few files have such decoders

    return "".join(content if found else token[start:end] for start, end, found in matcher(pattern).spans(token))


def _byte_fallback(tokens: list[str]) -> list[str]:
    texts: list[str] = []
    pending = bytearray()

    def flush() -> None:
        if pending:
            try:
                texts.append(pending.decode("utf-8"))
            except UnicodeDecodeError:
                texts.append("\ufffd" * len(pending))
            pending.clear()

    for token in tokens:
        byte = fallback_byte(token)
        if byte is None:
            flush()
            texts.append(token)
        else:
            pending.append(byte)
    flush()
    return texts


def fallback_byte(token: str) -> int | None:
    """Return the byte of a byte token such as `<0xE4>`; None for any other token.

    >>> fallback_byte("<0xE4>"), fallback_byte("<0xe4 "), fallback_byte("a")
    (228, None, None)
    """
    if len(token) != 6 or not token.startswith("<0x") or not token.endswith(">"):
        return None
    digits = token[3:5]
    return int(digits, 16) if all(digit in "0123456789abcdefABCDEF" for digit in digits) else None


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
