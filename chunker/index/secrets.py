"""Files that hold secrets: left out of an index unless they are asked for, and reported.

    .env  .env.local  id_ed25519  server.key  .netrc  credentials.json          by name
    -----BEGIN OPENSSH PRIVATE KEY-----                                         by what they hold

A list, not a proof: what is named otherwise, and a password in the middle of a source, is not found.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".vault-token",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.tfstate",
    "*.tfstate.backup",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
)
# What is handed out to be filled in holds no secrets yet.
_TEMPLATES = (".example", ".sample", ".template", ".dist", ".tmpl")
_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[ \t]*\r?\n")


def named_as_secret(name: str) -> bool:
    """Whether a file of this name, without its folder, is one that secrets are kept in.

    >>> [named_as_secret(name) for name in (".env.local", ".env.example", "ID_RSA", "id_rsa.pub", "keys.py")]
    [True, False, True, False, False]
    """
    lower = name.lower()
    return not lower.endswith(_TEMPLATES) and any(fnmatchcase(lower, pattern) for pattern in _NAMES)


def begins_with_key(text: str) -> bool:
    """Whether a text begins with a private key, behind blank lines and comments of its file at most.

    >>> begins_with_key("-----BEGIN RSA PRIVATE KEY-----\\nMII..."), begins_with_key("def f(): ...")
    (True, False)
    """
    found = _PRIVATE_KEY.search(text, 0, 4096)
    return found is not None and not re.search(r"^[ \t]*[^#\s;/]", text[: found.start()], re.MULTILINE)
