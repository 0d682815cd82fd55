"""Make the package data of the embedded vocabularies, or check what is there.

    python scripts/build_vocabularies.py                             from the rs-bpe package, which holds both
    python scripts/build_vocabularies.py o200k_base.tiktoken ...     from the published files
    python scripts/build_vocabularies.py --check                     verify the package data in this tree

Whatever the source, the tokens are written in the published form and must have the published SHA-256 before anything is
written. Exit code 0 if all is well, 1 if a hash differs, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The script works on the tree it stands in, also where another version of the package is installed.
sys.path.insert(0, str(ROOT))

from bpe_engine.errors import VocabularyError  # noqa: E402 - needs the path above
from bpe_engine.formats.tiktoken import dump_tiktoken, read_tiktoken  # noqa: E402
from bpe_engine.published.data import EMBEDDED, packing  # noqa: E402
from bpe_engine.published.registry import published_encodings  # noqa: E402

FOLDER = ROOT / "bpe_engine" / "published" / "data"


def check_published(name: str, ranks: dict[bytes, int]) -> None:
    """Raise `VocabularyError` unless these are the tokens that are published under this name."""
    found = hashlib.sha256(dump_tiktoken(ranks)).hexdigest()
    published = published_encodings()[name].files[0].sha256
    if found != published:
        raise VocabularyError(f"{name}: the SHA-256 of its {len(ranks)} tokens is {found}, published is {published}")


def ranks_of_rs_bpe(name: str) -> dict[bytes, int]:
    """The tokens as the package rs-bpe holds them."""
    from rs_bpe.bpe import openai

    encoding = getattr(openai, name)().bpe()
    # An id past the end is a panic inside the package, not an exception to catch, so the number of tokens has to be
    # known.
    return {bytes(encoding.decode_tokens([token_id])): token_id for token_id in range(EMBEDDED[name])}


def committed() -> Iterator[tuple[str, dict[bytes, int]]]:
    """Name and tokens of each vocabulary as the package data in this tree holds it."""
    for name in EMBEDDED:
        tokens = packing.unpack((FOLDER / f"{name}.tokens").read_bytes())
        yield name, {token: token_id for token_id, token in enumerate(tokens)}


def build(files: list[Path]) -> None:
    """Write the package data from published files, or from rs-bpe if there are none."""
    sources = {file.stem: file for file in files}
    unknown = sorted(sources.keys() - set(EMBEDDED))
    if unknown:
        raise VocabularyError(f"{', '.join(unknown)}: not an embedded vocabulary; those are {', '.join(EMBEDDED)}")
    for name in sources or EMBEDDED:
        ranks = read_tiktoken(sources[name]) if sources else ranks_of_rs_bpe(name)
        check_published(name, ranks)
        packed = packing.pack(sorted(ranks, key=ranks.__getitem__))
        (FOLDER / f"{name}.tokens").write_bytes(packed)
        print(f"{name}: {len(ranks):,} tokens, {len(packed):,} bytes")


def main() -> int:
    """Run the command line above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a published NAME.tiktoken")
    parser.add_argument("--check", action="store_true", help="verify the package data and write nothing")
    arguments = parser.parse_args()
    if arguments.check and arguments.files:
        parser.error("--check takes no files")
    try:
        if arguments.check:
            for name, ranks in committed():
                check_published(name, ranks)
                print(f"{name}: {len(ranks):,} tokens, as published")
        else:
            build(arguments.files)
    except VocabularyError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
