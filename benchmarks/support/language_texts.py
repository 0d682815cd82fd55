"""Texts to measure tokenizers with: prose in eight languages and two kinds of code, some megabytes each, never committed.

Sources: Debian's manual pages and their translations, LibreOffice's help and GNOME's guides where there are no manual
pages, message catalogues where there is not enough of either (Hindi); the sources of Python's standard library; headers
of C and C++. A text that is in the folder already, as `<language>.txt`, is used as it is.
"""

from __future__ import annotations

import gzip
import hashlib
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from debian_packages import PackageUnavailableError, unpacked
from markup import from_catalogue, from_html, from_roff, lines_in_script

LARGEST = 8_000_000  # bytes of a text that is kept
SMALLEST = 100_000  # bytes below which a text says little


@dataclass(frozen=True)
class Source:
    """Files of a Debian package (of the standard library where that is None), and how their bytes become text.

    `script`: of the text, only the lines whose letters are mostly of it; untranslated ones are left out.
    """

    package: str | None
    pattern: str
    read: Callable[[bytes], str]
    script: str | None = None


def _plain(data: bytes) -> str:
    return data.decode("utf-8")


def _manual_page(data: bytes) -> str:
    return from_roff(gzip.decompress(data).decode("utf-8"))


def _page(data: bytes) -> str:
    return from_html(data.decode("utf-8"))


SOURCES: dict[str, list[Source]] = {
    "english": [
        Source("manpages", "usr/share/man/man*/*.gz", _manual_page),
        Source("manpages-dev", "usr/share/man/man*/*.gz", _manual_page),
    ],
    "python": [Source(None, "**/*.py", _plain)],
    "cpp": [
        Source("libstdc++-12-dev", "usr/include/c++/**/*", _plain),
        Source("libeigen3-dev", "usr/include/**/*", _plain),
        Source("linux-libc-dev", "usr/include/**/*.h", _plain),
    ],
    "chinese": [Source("manpages-zh", "usr/share/man/zh_CN/man*/*.gz", _manual_page)],
    "japanese": [
        Source("manpages-ja", "usr/share/man/ja/man*/*.gz", _manual_page),
        Source("manpages-ja-dev", "usr/share/man/ja/man*/*.gz", _manual_page),
    ],
    "korean": [
        Source("libreoffice-help-ko", "usr/share/libreoffice/help/ko/**/*.html", _page, "HANGUL"),
        Source("gnome-user-docs", "usr/share/help/ko/**/*.page", _page, "HANGUL"),
    ],
    "russian": [
        Source("manpages-ru", "usr/share/man/ru/man*/*.gz", _manual_page),
        Source("manpages-ru-dev", "usr/share/man/ru/man*/*.gz", _manual_page),
    ],
    "german": [
        Source("manpages-de", "usr/share/man/de/man*/*.gz", _manual_page),
        Source("manpages-de-dev", "usr/share/man/de/man*/*.gz", _manual_page),
    ],
    "hindi": [
        Source("libreoffice-help-hi", "usr/share/libreoffice/help/hi/**/*.html", _page, "DEVANAGARI"),
        *(
            Source(package, "usr/**/hi/LC_MESSAGES/*.mo", from_catalogue, "DEVANAGARI")
            for package in (
                "libreoffice-l10n-hi",
                "evolution-common",
                "gnucash-common",
                "libgtk-3-common",
                "libglib2.0-data",
                "gnome-control-center-data",
                "nautilus-data",
            )
        ),
    ],
}


def default_folder() -> Path:
    """Where texts are kept from run to run: the user's cache, never the repository."""
    return Path(platformdirs.user_cache_dir("bpe-chunker")) / "benchmark-texts"


def prepare(folder: Path, languages: Iterable[str] = SOURCES) -> tuple[dict[str, Path], dict[str, str]]:
    """Language -> file of its text in UTF-8; and language -> why there is none. Fetches what is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Path] = {}
    skipped: dict[str, str] = {}
    for language in languages:
        path = folder / f"{language}.txt"
        if not path.exists():
            print(f"collecting the {language} text ...", flush=True)
            try:
                text = _collect(SOURCES[language], folder)
            except PackageUnavailableError as error:
                skipped[language] = str(error)
                continue
            if len(text.encode()) < SMALLEST:
                skipped[language] = f"only {len(text.encode()):,} bytes were found"
                continue
            path.write_bytes(text.encode())
        found[language] = path
    return found, skipped


def _collect(sources: list[Source], folder: Path) -> str:
    """The text of all sources, file by file in an order that mixes them: the first megabyte is of the same kind as the last."""
    files = sorted((_mixing_key(name), path, source) for source in sources for name, path in _files(source, folder))
    texts = []
    size = 0
    seen: set[bytes] = set()
    for _, path, source in files:
        data = path.read_bytes()
        try:
            text = source.read(data)
        except (UnicodeDecodeError, gzip.BadGzipFile):
            continue  # a binary file, or one in an encoding of old: there are enough others
        if data in seen or not text.strip():
            continue
        seen.add(data)
        texts.append(text)
        size += len(text.encode())
        if source.script is None and size >= LARGEST:
            break
    text = "".join(texts)
    scripts = {source.script for source in sources} - {None}
    for script in scripts:
        text = lines_in_script(text, str(script))
    return text.encode()[:LARGEST].decode("utf-8", "ignore")


def _files(source: Source, folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and path of the files of a source. Raises PackageUnavailableError."""
    root = Path(sysconfig.get_path("stdlib")) if source.package is None else unpacked(source.package, folder)
    for path in root.glob(source.pattern):
        # Other people's packages are not the standard library.
        if path.is_file() and not path.is_symlink() and not {"site-packages", "dist-packages"}.intersection(path.parts):
            yield str(path.relative_to(root)), path


def _mixing_key(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
