"""Which files look like secrets, by their names or by how they begin: keys, passwords, tokens. They have no place in a prompt by accident."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

# In lower case, for the name without its folder.
_NAMES = (
    ".env", ".env.*", "*.env", ".envrc",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc.key",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg",
    "credentials", "credentials.json", "secrets.y*ml", "secrets.json", "secrets.toml", "secrets.ini",
    "service-account*.json", "*.tfstate", "*.tfvars",
)  # fmt: skip
_TEMPLATES = (".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "sample.env")
_KEY = re.compile(r"\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d)")


def is_secret_name(path: str) -> bool:
    """Whether a file of this path is a secret by its name.

    >>> [is_secret_name(path) for path in ("app/.env", "app/.env.example", "certs/server.KEY", "keyboard.py")]
    [True, False, True, False]
    """
    name = path.rpartition("/")[2].lower()
    return name not in _TEMPLATES and any(fnmatchcase(name, pattern) for pattern in _NAMES)


def is_secret_text(text: str) -> bool:
    """Whether a text begins as a private key does.

    >>> is_secret_text("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Bl"), is_secret_text("a key begins -----BEGIN PRIVATE KEY-----")
    (True, False)
    """
    return _KEY.match(text) is not None
