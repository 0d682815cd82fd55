"""E-mail (.eml): the subject as heading, sender, recipients and date, the text, and the names of attachments; read with
the standard library.

If a message has its text both plain and as HTML, the plain one is used. A place is the number of the part in the
message, from 1.
"""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

from chunker.errors import DamagedDocumentError, DocumentTooLargeError
from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.web_page import add_page

MAX_PARTS = 2_000
_HEADERS = ("From", "To", "Cc", "Date")


def read_mail(content: bytes) -> ReadText:
    """Read a message.

    Raises:
        DamagedDocumentError: It is not a message, or nests too deep.
        DocumentTooLargeError: It has too many parts.
    """
    try:
        message = message_from_bytes(content, _class=EmailMessage, policy=policy.default)
        builder = TextBuilder()
        builder.add(f"# {_line(message, 'Subject')}", {"part": 1})
        builder.add("\n".join(f"{name}: {_line(message, name)}" for name in _HEADERS if message[name]), {"part": 1})
        body = message.get_body(("plain", "html"))
        attached: list[str] = []
        for number, part in enumerate(message.walk(), 1):
            if number > MAX_PARTS:
                raise DocumentTooLargeError(f"it has more than {MAX_PARTS:,} parts")
            if part is body:
                _add(builder, part, number)
            elif part.is_attachment() and part.get_filename():
                attached.append(str(part.get_filename()))
        if attached:
            builder.add("Attachments: " + ", ".join(attached), {"part": 1})
    except RecursionError as error:
        raise DamagedDocumentError("its parts nest deeper than those of a message") from error
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, DocumentTooLargeError):
            raise
        raise DamagedDocumentError(f"it cannot be read as a message: {error}") from error
    if not message.keys():
        raise DamagedDocumentError("it has no mail headers")
    return builder.built()


def _line(message: EmailMessage, name: str) -> str:
    return " ".join(str(message[name] or "").split())


def _add(builder: TextBuilder, part: EmailMessage, number: int) -> None:
    text = str(part.get_content())
    if part.get_content_subtype() == "html":
        add_page(builder, text, {"part": number})
        return
    for paragraph in text.replace("\r\n", "\n").split("\n\n"):
        builder.add(paragraph, {"part": number})
