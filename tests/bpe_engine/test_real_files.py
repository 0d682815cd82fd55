"""Equality with tiktoken and `tokenizers` and the exactness law on real files: a dozen and more languages of people and of machines."""

from __future__ import annotations

import random
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest
from oracles import ENCODINGS, tiktoken_encoding, tokenizer
from real_tokenizers import JSON_FILES, of_tokenizers

from bpe_engine import implementation

# Django carries its messages in a hundred languages; numpy carries sources in many; both are installed for this test.
DJANGO = Path(find_spec("django").origin or "").parent  # type: ignore[union-attr]
NUMPY = Path(find_spec("numpy").origin or "").parent  # type: ignore[union-attr]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
INCLUDE = Path(sysconfig.get_path("include"))

HUMAN_LANGUAGES = (
    "de", "fr", "es", "pl", "cs", "tr", "vi", "ru", "uk", "bg", "el", "hy", "ka", "he", "ar", "fa", "ur", "hi", "bn", "ta", "te", "kn",
    "ml", "th", "my", "km", "ja", "ko", "zh_Hans", "zh_Hant", "mn", "sr",
)  # fmt: skip
SUFFIXES = (
    ".py",
    ".js",
    ".css",
    ".html",
    ".c",
    ".h",
    ".cpp",
    ".hpp",
    ".f",
    ".f90",
    ".pyx",
    ".pxd",
    ".pyf",
    ".pyi",
    ".txt",
    ".xml",
    ".json",
    ".sh",
    ".bat",
    ".svg",
)
FOLDERS = (DJANGO, NUMPY, INCLUDE, STANDARD_LIBRARY / "idlelib", STANDARD_LIBRARY / "test", STANDARD_LIBRARY / "venv")
SAMPLE = 40_000  # characters of a file


def language_files() -> list[Path]:
    files = [DJANGO / "conf" / "locale" / language / "LC_MESSAGES" / "django.po" for language in HUMAN_LANGUAGES]
    found = [path for path in files if path.exists()]
    assert len(found) >= 24
    return found


def source_files() -> list[Path]:
    """The largest file of each kind below a megabyte, so that there is something in it."""
    largest: dict[str, tuple[int, str, Path]] = {}
    for folder in FOLDERS:
        for path in folder.rglob("*"):
            if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size < 1 << 20:
                largest[path.suffix] = max(
                    largest.get(path.suffix, (0, "", path)), (path.stat().st_size, str(path), path)
                )
    # Venv's activation scripts have no suffix of their own kind each, but are three shells.
    scripts = sorted((STANDARD_LIBRARY / "venv" / "scripts").rglob("[aA]ctivate*"))
    found = [path for _, _, path in largest.values()] + scripts
    assert len({path.suffix for path in found}) >= 10
    return sorted(found)


FILES = language_files() + source_files()


def middle_of(path: Path, size: int) -> str:
    """At most so many characters of a file."""
    text = path.read_bytes().decode("utf-8", "replace")
    middle = max(0, len(text) // 2 - size // 2)
    return text[middle : middle + size]


# The Python twin takes seconds to load each; it is compared with the core by small tokenizers.
@pytest.mark.skipif(implementation() != "cpp", reason="large files are for the core")
@pytest.mark.parametrize("name", JSON_FILES)
def test_files_by_real_tokenizers(name: str) -> None:
    theirs, ours = of_tokenizers(name)
    texts = [middle_of(path, SAMPLE // 10) for path in FILES]
    for path, text, expected in zip(FILES, texts, theirs.encode_batch(texts, add_special_tokens=False), strict=True):
        ids, starts = ours.encode_with_offsets(text, unit="characters")
        assert (path, ids) == (path, expected.ids)
        assert (path, starts) == (path, [start for start, _ in expected.offsets])
        assert ours.count(text) == len(ids)
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.parts[-3:]))
def test_file(path: Path) -> None:
    text = middle_of(path, SAMPLE)
    choose = random.Random(path.name)
    for name in ENCODINGS:
        ours, theirs = tokenizer(name), tiktoken_encoding(name)
        expected = theirs.encode_ordinary(text)
        assert ours.encode(text) == expected
        assert ours.count(text) == len(expected)
        assert ours.decode(expected) == text

        appending, prepending, prices = ours.appending_encoder(), ours.prepending_encoder(), ours.interval_encoder(text)
        place = 0
        while place < min(4_000, len(text)):
            size = choose.choice([1, 1, 2, 3, 7, 40, 200])
            appending.append(text[place : place + size])
            prepending.prepend(text[max(0, len(text) - place - size) : len(text) - place])
            place += size
            if choose.random() < 0.2:
                assert appending.count == len(theirs.encode_ordinary(text[:place]))
                assert prepending.count == len(theirs.encode_ordinary(text[max(0, len(text) - place) :]))
        for _ in range(20):
            start = choose.randrange(len(text))
            end = min(len(text), start + choose.randrange(3_000))
            assert prices.count(start, end) == len(theirs.encode_ordinary(text[start:end]))
