"""Documents that are zip files of XML: read parts by name, limit their unpacked size, and reject entity definitions.

A zip file may unpack to a thousand times its size, and an XML entity may expand to any size; both are refused before
that happens.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree as ET  # see above

from chunker.errors import DamagedDocumentError, DocumentTooLargeError, EncryptedDocumentError

# In bytes, unpacked. The XML of a book of a thousand pages has some ten million.
MAX_PART = 128 << 20
MAX_TOTAL = 512 << 20
MAX_PARTS = 50_000
# Limit for a part that is parsed into a tree: an empty element is four bytes in the file, but a hundred in memory.
MAX_TAGS = 10_000_000

# Office stores an encrypted document inside a file of this kind.
_COMPOUND = bytes.fromhex("D0CF11E0A1B11AE1")
_DEFINITIONS = ("<!DOCTYPE", "<!ENTITY")


class Package:
    """The parts of a document. Raises a `DocumentError` if the content is not a document."""

    def __init__(self, content: bytes) -> None:
        if content.startswith(_COMPOUND):
            raise EncryptedDocumentError("it is encrypted, or in a format older than 2007")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            self.names = self._zip.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            # For a file without the table at its end, also a truncated one, zipfile only says that it "is not a zip
            # file".
            detail = "" if "not a zip file" in str(error) else f": {error}"
            raise DamagedDocumentError(f"it is not a complete zip file{detail}") from error
        if len(self.names) > MAX_PARTS:
            raise DocumentTooLargeError(f"it has {len(self.names):,} parts, more than {MAX_PARTS:,}")
        self._unpacked = 0

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return name in self.names

    def read(self, name: str) -> bytes:
        """Return the content of a part. Raises a `DocumentError`."""
        try:
            info = self._zip.getinfo(name)
        except KeyError as error:
            raise DamagedDocumentError(f"it lacks {name}") from error
        if info.flag_bits & 1:
            raise EncryptedDocumentError(f"{name} in it is encrypted")
        limit = min(MAX_PART, MAX_TOTAL - self._unpacked)
        try:
            with self._zip.open(info) as stream:
                content = stream.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise DamagedDocumentError(f"{name} in it cannot be unpacked: {error}") from error
        if len(content) > limit:
            raise DocumentTooLargeError(f"{name} in it unpacks to more than {limit:,} bytes")
        self._unpacked += len(content)
        return content

    def xml(self, name: str) -> ET.Element:
        """Parse a part into a tree. Raises a `DocumentError`."""
        return parsed(self.read(name), name)

    def related(self, name: str) -> dict[str, str]:
        """Return the names of the parts that a part refers to, by the ids that it uses."""
        folder, _, own = name.rpartition("/")
        relations = f"{folder}/_rels/{own}.rels" if folder else f"_rels/{own}.rels"
        if not self.has(relations):
            return {}
        return {
            one.get("Id", ""): posixpath.normpath(posixpath.join("/" + folder, one.get("Target", ""))).lstrip("/")
            for one in self.xml(relations)
            if one.get("TargetMode") != "External"
        }


def without_definitions(content: bytes, name: str) -> None:
    """Check that XML defines no entities. Raises `DamagedDocumentError`."""
    if any(word.encode(codec) in content for word in _DEFINITIONS for codec in ("ascii", "utf-16-le", "utf-16-be")):
        raise DamagedDocumentError(f"{name} in it has entity definitions, which are refused")


def parsed(content: bytes, name: str) -> ET.Element:
    """Parse XML into a tree. Raises a `DocumentError`."""
    without_definitions(content, name)
    if content.count(b"<") > MAX_TAGS:
        raise DocumentTooLargeError(f"{name} in it has more than {MAX_TAGS:,} tags")
    try:
        return ET.fromstring(content)  # noqa: S314  # see above
    except (ET.ParseError, ValueError, LookupError) as error:
        raise DamagedDocumentError(f"{name} in it is not XML: {error}") from error


def local(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    tag: object = element.tag  # the tag of a comment is a function
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def child(element: ET.Element | None, *path: str) -> ET.Element | None:
    """Return the first element on a path of local names; None if there is none."""
    for name in path:
        if element is None:
            return None
        element = next((one for one in element if local(one) == name), None)
    return element


def attribute(element: ET.Element | None, name: str) -> str | None:
    """Return an attribute by its local name."""
    if element is None:
        return None
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def relation(element: ET.Element) -> str:
    """Return the id by which the relations of a part name what an element stands for; "" if it has none."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def below(element: ET.Element, wanted: frozenset[str], skipped: frozenset[str]) -> Iterator[ET.Element]:
    """Yield the descendants with the names `wanted`, in order, except those below `skipped`. Without recursion, because
    a file may nest arbitrarily deep.
    """
    pending = list(reversed(element))
    while pending:
        one = pending.pop()
        name = local(one)
        if name in skipped:
            continue
        if name in wanted:
            yield one
        pending.extend(reversed(one))
