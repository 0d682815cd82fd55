"""Read Arrow columns of texts as Python strings, from any type: strings of any width, bytes, dictionaries of these,
nulls.

    ["né", null, b"\\xff", b"\\xed\\xa0\\x80"]   ->   "né", None, "\\ufffd", "\\ufffd"

Arrow's string type promises UTF-8, but does not check the bytes. Bytes that are not UTF-8 become U+FFFD; a lone
surrogate becomes one U+FFFD (which has three bytes as well). So every result can be written again.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from chunker.scale.errors import ColumnError

# The number of values that are Python objects at a time.
_BLOCK = 1024


def text_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type in which texts of the type `kind` are returned; None if `kind` holds no texts."""
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
    """Yield the values of a column whose type has a `text_type`."""
    for array in column.chunks:
        for start in range(0, len(array), _BLOCK):
            for value in _bytes(array.slice(start, _BLOCK)).to_pylist():
                yield None if value is None else decoded(value)


def _bytes(array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary.take(array.indices)
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), pa.binary())
    # Take the bytes as they are: a conversion to strings would check them, and one invalid value would fail the whole
    # column. Old versions of Arrow do not cast views.
    if pa.types.is_string_view(array.type):
        return array.view(pa.binary_view())
    return array if pa.types.is_binary_view(array.type) else pc.cast(array, pa.large_binary(), safe=False)


def decoded(value: bytes) -> str:
    """Decode UTF-8; invalid bytes become U+FFFD.

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
    """Replace each lone surrogate by U+FFFD, because files and string columns cannot hold surrogates.

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
    """Return the index of the column of this name. Raises `ColumnError` if there is none, or more than one."""
    numbers = schema.get_all_field_indices(name)
    if len(numbers) != 1:
        told = "several columns" if numbers else "no column"
        raise ColumnError(
            f"the table has {told} called {name!r}; it has {', '.join(map(repr, schema.names)) or 'none'}"
        )
    return int(numbers[0])
