"""Files that hold secrets. Unless requested, they are left out of chunks, indexes, prompts and servers, and always
reported.

    .env  .env.local  id_ed25519  server.key  .netrc  credentials.json          by name
    -----BEGIN OPENSSH PRIVATE KEY-----                                         by content

`NAMES` and `TEMPLATES` are the only list; docs/secrets.md shows it. It cannot be complete: files with other names, and
passwords inside source code, are not found.
"""

from __future__ import annotations

import re
from fnmatch import translate

# Patterns for the name of a file without its folder, in lower case.
NAMES = (
    ".env", ".env.*", "*.env", ".envrc",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
    ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".dockercfg", ".vault-token",
    "credentials", "credentials.json", "credentials.toml", "client_secret*.json", "service-account*.json", "service_account*.json",
    "secrets.json", "secrets.toml", "secrets.y*ml", "secrets.ini",
    "*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json",
)  # fmt: skip
# Templates that users fill in hold no secrets yet.
TEMPLATES = (
    "*.example", "*.sample", "*.template", "*.dist", "*.tmpl",
    "example.env", "sample.env", "template.env",
)  # fmt: skip
# The messages about a file that is left out.
LEFT_OUT_BY_NAME = "left out: by its name it holds secrets"
LEFT_OUT_BY_TEXT = "left out: it holds a private key"
LEFT_OUT = frozenset({LEFT_OUT_BY_NAME, LEFT_OUT_BY_TEXT})

_NAME = re.compile("|".join(map(translate, NAMES)))
_TEMPLATE = re.compile("|".join(map(translate, TEMPLATES)))
# A key begins near the start of its file: only blank lines, comments and other PEM blocks, such as the parameters of a
# curve, come before it.
_LOOKED_AT = 16_384
_KEY = re.compile(r"[ \t]*(?:-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9])")
_MARKS = ("PRIVATE KEY", "PuTTY-User-Key-File-")  # the first line of every key has one of them
_BLOCK = re.compile(r"[ \t]*-----BEGIN ([A-Z0-9 ]+)-----")
_COMMENTS = ("#", ";", "//")


def named_as_secret(path: str) -> bool:
    """Whether the name of a file, with or without its folder, is a usual name for secrets.

    Args:
        path: A path with `/` between names; case does not matter.

    >>> [named_as_secret(path) for path in ("app/.env.local", ".env.example", "ID_RSA", "id_rsa.pub", "keys.py")]
    [True, False, True, False, False]
    """
    name = path.rpartition("/")[2].lower()
    return _NAME.match(name) is not None and _TEMPLATE.match(name) is None


def begins_with_key(text: str) -> bool:
    """Whether a text begins with a private key, after blank lines, comments and other PEM blocks at most.

    >>> begins_with_key("-----BEGIN RSA PRIVATE KEY-----\\nMII..."), begins_with_key("a key begins -----BEGIN PRIVATE KEY-----")
    (True, False)
    """
    start = text[:_LOOKED_AT]
    if not any(mark in start for mark in _MARKS):
        return False
    closing = ""
    for line in start.removeprefix("\ufeff").splitlines():
        inner = line.strip()
        if closing:
            closing = "" if inner == closing else closing
        elif _KEY.match(line):
            return True
        elif block := _BLOCK.match(line):
            closing = f"-----END {block[1]}-----"
        elif inner and not inner.startswith(_COMMENTS):
            return False
    return False
