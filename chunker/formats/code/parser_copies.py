r"""The copy of a text for parsers: ASCII only, with as many characters, and line feeds for line ends.

    text    G r ö ß e : \r \n
    copy    G r ☐ ☐ e :    \n      ☐ is the character \x02; a carriage return before a line feed becomes a space

So a parser that works on bytes answers in characters, and neither it nor an expression has to know of more than one line end.
"""

from __future__ import annotations

from chunker.native import native

# Stands for a character beyond ASCII: neither markup nor space.
OTHER = "\x02"
# Parsers take form feeds and vertical tabs for spaces at times; in markup they are ordinary characters.
_TO_COPY = bytes.maketrans(b"?\x01\v\f", f"{OTHER}?{OTHER}{OTHER}".encode())

_compiled = native()


def copy_for_parsers(text: str) -> str:
    r"""`text` in ASCII, with \n at the end of each line and every character in its place.

    >>> copy_for_parsers("é?\r\na\rb")
    '\x02? \na\nb'
    """
    copy: str | None = None if _compiled is None else _compiled.copy_for_parsers(text)
    return copy_in_python(text) if copy is None else copy


def copy_in_python(text: str) -> str:
    """The copy made in Python; the compiled twin knows no lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "\x01" in text:
        text = text.replace("\x01", OTHER)
    if text.isascii() and "\v" not in text and "\f" not in text:
        return text
    return text.replace("?", "\x01").encode("ascii", "replace").translate(_TO_COPY).decode("ascii")
