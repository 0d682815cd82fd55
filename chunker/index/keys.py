"""The two keys of the index: one of everything a vector depends on, one of everything the chunks of a file depend on.

    embed_key     the embedder (model, revision, dimensions, prefix)  and  the exact text that is sent
    version_key   the settings of the chunker, the format of the file  and  its text

Neither knows where a text stands: a file that is renamed has the version it had, a line that is inserted changes the
embed_key of the chunk it is in and of no other. All hashes are of 16 bytes (BLAKE2b): among 10**12 texts two are alike
with a probability of 10**-15.
"""

from __future__ import annotations

import hashlib
import json

# To be raised when the same text would get another key, or the same key another vector.
KEY_FORMAT = 1
KEY_BYTES = 16


def digest(*parts: bytes | str) -> bytes:
    """A hash of 16 bytes of the parts and of the boundaries between them.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    for part in parts:
        encoded = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        hasher.update(len(encoded).to_bytes(8, "little"))
        hasher.update(encoded)
    return hasher.digest()


def embed_key(identity: bytes, text: str) -> bytes:
    """The key of the vector of `text` under the embedder of this identity (`identity_of`)."""
    return digest(b"embed", identity, text)


def identity_of(model_id: str, revision: str, dimensions: int, prefix: str) -> bytes:
    """A key of everything that a vector depends on, beside its text. All vectors are kept with length 1, so it does not
    matter whether the model does that.
    """
    return digest(b"embedder", json.dumps([KEY_FORMAT, model_id, revision, dimensions, prefix]))


def version_key(settings: bytes, format_name: str, language: str | None, notes: str, text: str) -> bytes:
    """The key of the chunks of `text` under the settings of this fingerprint, cut by this format."""
    return digest(b"version", settings, json.dumps([format_name, language, notes]), text)
