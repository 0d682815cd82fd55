"""Convert any str or bytes to "received" characters, all of which can be encoded.

- Surrogates in a str are handled as in tiktoken: a pair becomes its character, a lone surrogate becomes U+FFFD.
- Bytes that are not UTF-8 are kept: each becomes one character, a lone surrogate U+DC80..U+DCFF as with
  errors="surrogateescape", and has the class of punctuation for patterns. This is our definition; tiktoken has none for
  patterns. So `decode_bytes(encode(data)) == data` for all bytes.
"""

from __future__ import annotations

import codecs
import re
from array import array
from itertools import accumulate
from typing import TypeVar

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UTF8_DECODER = codecs.getincrementaldecoder("utf-8")
Texts = TypeVar("Texts")


def received(text: str | bytes) -> str:
    """Return the characters of `text` to encode; `to_bytes` converts them to bytes.

    >>> received("a\\ud83d\\ude00b\\ud83d"), received(b"a\\xff")
    ('a😀b\\ufffd', 'a\\udcff')
    """
    if isinstance(text, str):
        return text if text.isascii() or not _SURROGATE.search(text) else _replace_surrogates(text)
    if isinstance(text, bytes | bytearray | memoryview):
        return bytes(text).decode("utf-8", "surrogateescape")
    raise TypeError(f"text must be str or bytes, not {type(text).__name__}")


def several(texts: Texts) -> Texts:
    """Return `texts` unchanged. Raises TypeError for a single text, whose characters would otherwise be taken for texts.

    >>> several(["a", "b"])
    ['a', 'b']
    """
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise TypeError(
            f"texts must be a collection of texts, not one text ({type(texts).__name__}): put it into a list"
        )
    return texts


def to_bytes(characters: str) -> bytes:
    """Return the bytes of `received` characters.

    >>> to_bytes(received(b"a\\xff"))
    b'a\\xff'
    """
    return characters.encode("utf-8", "surrogateescape")


def cut_unfinished_end(text: str | bytes) -> tuple[str, str | bytes]:
    """Split `text` into finished characters, received, and an unfinished end, unchanged, that more text could complete.

    The end is a high surrogate, or the first bytes of a UTF-8 sequence; usually it is empty.

    >>> cut_unfinished_end("a\\ud83d"), cut_unfinished_end(b"a\\xe4\\xb8"), cut_unfinished_end("a")
    (('a', '\\ud83d'), ('a', b'\\xe4\\xb8'), ('a', ''))
    """
    if isinstance(text, str):
        finished = text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text
        return received(finished), text[len(finished) :]
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    decoder = _UTF8_DECODER("surrogateescape")
    return decoder.decode(bytes(text)), decoder.getstate()[0]


def cut_unfinished_start(text: str | bytes) -> tuple[str, str | bytes]:
    """Split `text` into the finished rest, received, and an unfinished start, unchanged, that text put before it could
    complete.

    >>> cut_unfinished_start("\\ude00a"), cut_unfinished_start(b"\\xb8\\xada"), cut_unfinished_start(b"ab")
    (('a', '\\ude00'), ('a', b'\\xb8\\xad'), ('ab', b''))
    """
    if isinstance(text, str):
        unfinished = 1 if "\udc00" <= text[:1] <= "\udfff" else 0
        return received(text[unfinished:]), text[:unfinished]
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    data = bytes(text)
    unfinished = 0
    # A sequence has at most three continuation bytes.
    while unfinished < min(3, len(data)) and 0x80 <= data[unfinished] < 0xC0:
        unfinished += 1
    return received(data[unfinished:]), data[:unfinished]


def byte_places(characters: str) -> array[int]:
    """Return the byte offset of each of the received `characters`, and of their end.

    >>> list(byte_places("aéb"))
    [0, 1, 3, 4]
    """
    return array("q", accumulate((len(to_bytes(character)) for character in characters), initial=0))


def source_places(text: str, characters: str) -> list[int]:
    """Return the offset of each of the received `characters`, and of their end, in the str that they come from.

    >>> source_places("\\ud83d\\ude00b", "😀b")
    [0, 2, 3]
    """
    places = [0]
    for character in characters:
        place = places[-1]
        is_pair = character > "\uffff" and text[place] < character
        places.append(place + (2 if is_pair else 1))
    return places


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def require_int(value: object, name: str) -> None:
    """Raise TypeError if a value is not a whole number: neither an int nor one of numpy's.

    Args:
        value: The value that was passed.
        name: The name of the argument, for the message.
    """
    if not hasattr(type(value), "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
