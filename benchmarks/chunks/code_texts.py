"""Sources in several languages to cut, from Debian's packages; never committed, and kept from run to run in the user's cache."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from debian_packages import PackageUnavailableError, unpacked

LARGEST = 2_000_000  # bytes of a language
_LARGEST_FILE = 200_000


@dataclass(frozen=True)
class CodeSource:
    """Files of a package: `pattern` below its root. `archive`: they are in this zip file, under names that begin with `pattern`."""

    package: str
    pattern: str
    archive: str | None = None


SOURCES: dict[str, list[CodeSource]] = {
    "javascript": [
        CodeSource("node-express", "usr/share/nodejs/**/*.js"),
        CodeSource("node-commander", "usr/share/nodejs/**/*.js"),
        CodeSource("node-acorn", "usr/share/nodejs/**/*.js"),
        CodeSource("node-async", "usr/share/nodejs/**/*.js"),
        CodeSource("node-undici", "usr/share/nodejs/**/*.js"),
        CodeSource("eslint", "usr/share/nodejs/eslint/lib/**/*.js"),
    ],
    "java": [CodeSource("openjdk-17-source", "java.base/java/util/", "usr/lib/jvm/openjdk-17/lib/src.zip")],
    "cpp": [
        CodeSource("libstdc++-12-dev", "usr/include/c++/12/**/*"),
        CodeSource("libeigen3-dev", "usr/include/eigen3/**/*.h"),
        CodeSource("libfmt-dev", "usr/include/**/*.h"),
        CodeSource("rapidjson-dev", "usr/include/**/*.h"),
    ],
    "go": [
        CodeSource("golang-golang-x-net-dev", "usr/share/gocode/**/*.go"),
        CodeSource("golang-github-gin-gonic-gin-dev", "usr/share/gocode/**/*.go"),
        CodeSource("golang-github-spf13-cobra-dev", "usr/share/gocode/**/*.go"),
    ],
    "rust": [
        CodeSource("librust-regex-dev", "usr/share/cargo/**/*.rs"),
        CodeSource("librust-rayon-dev", "usr/share/cargo/**/*.rs"),
        CodeSource("librust-serde-dev", "usr/share/cargo/**/*.rs"),
        CodeSource("librust-clap-dev", "usr/share/cargo/**/*.rs"),
    ],
}


def code_texts(language: str, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Name -> source of files in a language, in an order that mixes them; and the missing packages, with the reason."""
    found: dict[str, bytes] = {}
    missing = []
    for source in SOURCES[language]:
        try:
            found.update(_files(source, folder))
        except PackageUnavailableError as error:
            missing.append(f"{source.package}: {error}")
    texts: dict[str, str] = {}
    size = 0
    for name in sorted(found, key=_mixing_key):
        data = found[name]
        if size >= LARGEST:
            break
        try:
            texts[name] = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        size += len(data)
    return texts, missing


def _files(source: CodeSource, folder: Path) -> Iterator[tuple[str, bytes]]:
    root = unpacked(source.package, folder)
    if source.archive is not None:
        with zipfile.ZipFile(root / source.archive) as archive:
            for name in archive.namelist():
                if name.startswith(source.pattern) and archive.getinfo(name).file_size <= _LARGEST_FILE:
                    yield name, archive.read(name)
        return
    for path in root.glob(source.pattern):
        minified = path.name.endswith((".min.js", ".bundle.js"))
        if path.is_file() and not path.is_symlink() and not minified and path.stat().st_size <= _LARGEST_FILE:
            yield f"{source.package}/{path.relative_to(root)}", path.read_bytes()


def _mixing_key(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
