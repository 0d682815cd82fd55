"""One list of secrets, the same for chunks, indexes, prompts and servers, and the same in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunker.counting import resolve_tokenizer
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.files.discovery import Problem
from chunker.files.secrets import NAMES, TEMPLATES, begins_with_key, named_as_secret
from chunker.index import Index
from chunker.integrations.service.roots import Roots
from chunker.prompt.gathering import gather
from chunker.prompt.spec import load_spec

PAGE = Path(__file__).resolve().parents[3] / "docs" / "secrets.md"
# Each was once known to the index or to prompts alone.
ONCE_KNOWN_TO_ONE = [
    "client_secret_12.json",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "prod.tfstate.backup",
    "prod.tfvars",
    "secrets.ini",
    "service_account.json",
]
KEYS = {
    "of-openssh.txt": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n",
    "of-pgp.txt": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOY\n",
    "of-putty.txt": "PuTTY-User-Key-File-3: ssh-ed25519\n",
    "after-a-comment.txt": "# mine\n\n-----BEGIN RSA PRIVATE KEY-----\r\nMII\n",
    "after-a-mark.txt": "\ufeff-----BEGIN PRIVATE KEY-----\nMII\n",
    "after-parameters.txt": "-----BEGIN EC PARAMETERS-----\nBggq\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\nMHc\n",
}
INNOCENT = {
    "a.py": "key = 1\n",
    "certificate.txt": "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\nThis is public.\n",
    "example.env": "TOKEN=\n",
    "prod.tfvars.example": "token = 0\n",
    "told.md": "A key begins so:\n\n    -----BEGIN PRIVATE KEY-----\n",
    "tool.py": "# It finds -----BEGIN PRIVATE KEY-----\nkey = 1\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for name in ONCE_KNOWN_TO_ONE:
        (root / name).write_text("hunter2\n", encoding="utf-8")
    for name, text in (KEYS | INNOCENT).items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def of_chunk_files(root: Path, workers: int = 1) -> tuple[set[str], set[str]]:
    results = list(chunk_files([str(root)], 64, workers=workers))
    out = [one for one in results if isinstance(one, Problem)]
    assert all("left out" in one.reason and not one.failed for one in out)
    taken = {Path(one.path).name for one in results if isinstance(one, FileChunks)}
    return taken, {Path(one.path).name for one in out}


def of_index(root: Path) -> tuple[set[str], set[str]]:
    index = Index.open(root / ".chunker")
    report = index.sync(root)
    taken = {hit.source for name in INNOCENT for hit in index.search("key token public", 50) if hit.source == name}
    return taken, {Path(one.path).name for one in report.left_out}


def of_prompt(root: Path) -> tuple[set[str], set[str]]:
    spec = root.parent / "spec.yaml"
    spec.write_text('budget: 10000\nitems: [{glob: "*"}]\n', encoding="utf-8")
    gathered = gather(load_spec(spec), root, resolve_tokenizer("o200k_base"))
    return {str(getattr(item, "id", None)) for item in gathered.items}, set(gathered.secrets)


def of_roots(root: Path) -> tuple[set[str], set[str]]:
    roots = Roots([root])
    listed = roots.listed(1000)
    given = {name for name in listed.names if roots.gives(root / name)}
    return given, {*listed.refused, *(set(listed.names) - given)}


@pytest.mark.parametrize("way", [of_chunk_files, of_index, of_prompt, of_roots])
def test_all_ways_leave_out_the_same(tree: Path, way: object) -> None:
    assert callable(way)
    assert way(tree) == (set(INNOCENT), {*ONCE_KNOWN_TO_ONE, *KEYS})


def test_workers_leave_them_out_too(tree: Path) -> None:
    assert of_chunk_files(tree, workers=2) == of_chunk_files(tree)


def test_a_secret_that_was_named_is_a_failure_and_one_that_was_asked_for_is_taken(tree: Path) -> None:
    link = tree / "notes.txt"
    link.symlink_to(tree / "prod.tfvars")
    for path in (tree / "prod.tfvars", tree / "of-pgp.txt", link):
        (result,) = chunk_files([str(path)], 64)
        assert isinstance(result, Problem)
        assert result.failed
        (result,) = chunk_files([str(path)], 64, secrets=True)
        assert isinstance(result, FileChunks)


@pytest.mark.parametrize("name", [name.replace("*", "x") for name in NAMES])
def test_each_name_and_no_template_of_it(name: str) -> None:
    assert named_as_secret(f"some/folder/{name.upper()}")
    assert not named_as_secret(f"{name}.example")
    assert not named_as_secret(f"{name}/notes.md")


def test_texts() -> None:
    assert all(map(begins_with_key, KEYS.values()))
    assert not any(map(begins_with_key, INNOCENT.values()))
    assert not begins_with_key("")


@pytest.mark.parametrize(("kind", "patterns"), [("names", NAMES), ("templates", TEMPLATES)])
def test_the_documentation_has_the_whole_list(kind: str, patterns: tuple[str, ...]) -> None:
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"```{kind}\n")
    assert after.partition("\n```")[0].split("\n") == list(patterns)
