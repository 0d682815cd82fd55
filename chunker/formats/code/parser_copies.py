r"""Make a copy of a text for parsers: ASCII only, of the same length, with line feeds as line ends.

    text    G r ö ß e : \r \n
    copy    G r ☐ ☐ e :    \n      ☐ is the character \x02; a carriage return before a line feed becomes a space

So the byte offsets of a parser are character offsets, and parsers and expressions need to handle only one kind of line
end.
"""

from __future__ import annotations

from chunker.native import native

# Replaces a character beyond ASCII: neither markup nor space.
OTHER = "\x02"
# Some parsers treat form feeds and vertical tabs as spaces; in markup they are ordinary characters.
_TO_COPY = bytes.maketrans(b"?\x01\v\f", f"{OTHER}?{OTHER}{OTHER}".encode())

_compiled = native()


def copy_for_parsers(text: str) -> str:
    r"""Copy `text` to ASCII, with \n at the end of each line and every character at its offset.

    >>> copy_for_parsers("é?\r\na\rb")
    '\x02? \na\nb'
    """
    copy: str | None = None if _compiled is None else _compiled.copy_for_parsers(text)
    return copy_in_python(text) if copy is None else copy


def copy_in_python(text: str) -> str:
    """Make the copy in Python; the compiled twin does not take lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "\x01" in text:
        text = text.replace("\x01", OTHER)
    if text.isascii() and "\v" not in text and "\f" not in text:
        return text
    return text.replace("?", "\x01").encode("ascii", "replace").translate(_TO_COPY).decode("ascii")
