"""Columns of Arrow as Python texts, whatever type they have: strings of any width, bytes, dictionaries of these, nulls.

    ["né", null, b"\\xff", b"\\xed\\xa0\\x80"]   ->   "né", None, "\\ufffd", "\\ufffd"

Arrow's strings are UTF-8 by their type and not always by their bytes. What is not UTF-8 becomes U+FFFD, a lone surrogate one of them (which has
the same three bytes), so that whatever comes out can be written again.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from chunker.scale.errors import ColumnError

# Values at a time that are Python objects.
_BLOCK = 1024


def text_type(kind: pa.DataType) -> pa.DataType | None:
    """The type in which texts go out that came in in this one; None if it holds no texts."""
    if pa.types.is_dictionary(kind):
        return text_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return pa.large_string()
    if any(
        test(kind)
        for test in (
            pa.types.is_string,
            pa.types.is_binary,
            pa.types.is_fixed_size_binary,
            pa.types.is_string_view,
            pa.types.is_binary_view,
            pa.types.is_null,
        )
    ):
        return pa.string()
    return None


def texts(column: pa.ChunkedArray) -> Iterator[str | None]:
    """The values of a column whose type has a `text_type`, one after the other."""
    for array in column.chunks:
        for start in range(0, len(array), _BLOCK):
            for value in _bytes(array.slice(start, _BLOCK)).to_pylist():
                yield None if value is None else decoded(value)


def _bytes(array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary.take(array.indices)
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), pa.binary())
    # The bytes as they are: to make strings of them would check them, and refuse all for one. Old versions do not cast views.
    if pa.types.is_string_view(array.type):
        return array.view(pa.binary_view())
    return array if pa.types.is_binary_view(array.type) else pc.cast(array, pa.large_binary(), safe=False)


def decoded(value: bytes) -> str:
    """UTF-8 as text; what is not becomes U+FFFD.

    >>> decoded(b"n\\xc3\\xa9"), decoded(b"a\\xed\\xa0\\x80b"), decoded(b"a\\xffb")
    ('né', 'a\\ufffdb', 'a\\ufffdb')
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        try:
            return sound(value.decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            return value.decode("utf-8", "replace")


def sound(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no file and no column of strings can hold.

    >>> sound("a\\ud800b")
    'a\\ufffdb'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not _is_sound(text) else text


def _is_sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def column_of(schema: pa.Schema, name: str) -> int:
    """The number of the column of this name. Raises `ColumnError` if there is none, or more than one."""
    numbers = schema.get_all_field_indices(name)
    if len(numbers) != 1:
        told = "several columns" if numbers else "no column"
        raise ColumnError(
            f"the table has {told} called {name!r}; it has {', '.join(map(repr, schema.names)) or 'none'}"
        )
    return int(numbers[0])
