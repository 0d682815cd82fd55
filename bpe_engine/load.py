"""Read and write files of tokens, under tiktoken's names: `from bpe_engine.load import load_tiktoken_bpe`.

A path is read. For an `http` or `https` address, caches are searched as for published files (`published/files.py`): the
folder that TIKTOKEN_CACHE_DIR names, then our own cache folder. Otherwise the file is downloaded once, and kept in the
latter. The tokens of cl100k_base and o200k_base come with the package, so their addresses need no cache or network.
Addresses of storage services (`gs://`, `az://`, `s3://`) are refused: copy the file and pass its path.
"""

from __future__ import annotations

import hashlib
from os import PathLike, fspath
from pathlib import Path

from bpe_engine.errors import HashMismatchError, VocabularyError
from bpe_engine.formats.gpt2 import parse_gpt2
from bpe_engine.formats.tiktoken import dump_tiktoken, parse_tiktoken
from bpe_engine.published.files import PublishedFile, fetch
from bpe_engine.published.registry import load_vocabulary, published_encodings

__all__ = [
    "check_hash",
    "data_gym_to_mergeable_bpe_ranks",
    "dump_tiktoken_bpe",
    "load_tiktoken_bpe",
    "read_file",
    "read_file_cached",
]

PathOrAddress = str | PathLike[str]


def load_tiktoken_bpe(tiktoken_bpe_file: PathOrAddress, expected_hash: str | None = None) -> dict[bytes, int]:
    """Read the tokens of a `.tiktoken` file: token -> id. Each call returns a new dictionary.

    Args:
        tiktoken_bpe_file: A path, or an address.
        expected_hash: The SHA-256 of the contents in hexadecimal; None checks nothing.

    Returns:
        The bytes of each token -> its id, which is its merge rank. Special tokens are not in these files.

    Raises:
        VocabularyError: The file is malformed; with its name and line.
        HashMismatchError: The contents have another SHA-256.
        VocabularyUnavailableError: An address cannot be read.
        OSError: A path cannot be read.
    """
    source = fspath(tiktoken_bpe_file)
    embedded = _embedded_name(source)
    if embedded is not None:
        name, sha256 = embedded
        if expected_hash not in (None, sha256):
            raise HashMismatchError(f"the published {source} has the SHA-256 {sha256}, not {expected_hash}")
        return dict(load_vocabulary(name).ranks)
    return parse_tiktoken(read_file_cached(source, expected_hash), source)


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: PathOrAddress,
    encoder_json_file: PathOrAddress,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,  # noqa: FBT001, FBT002 - tiktoken's
) -> dict[bytes, int]:
    """Read the tokens of GPT-2's pair of files: token -> id.

    Args:
        vocab_bpe_file: The merges; a path, or an address.
        encoder_json_file: The ids, which must be those of the merge order.
        vocab_bpe_hash: The SHA-256 of the file of merges in hexadecimal; None checks nothing.
        encoder_json_hash: The SHA-256 of the file of ids in hexadecimal; None checks nothing.
        clobber_one_byte_tokens: Take the ids of single bytes from the second file instead of GPT-2's order of bytes.

    Returns:
        The bytes of each token -> its id, which is its merge rank; `<|endoftext|>` is left out.

    Raises:
        VocabularyError: A file is malformed, or they do not belong together.
        HashMismatchError: The contents have another SHA-256.
        VocabularyUnavailableError: An address cannot be read.
        OSError: A path cannot be read.
    """
    merges, ids = fspath(vocab_bpe_file), fspath(encoder_json_file)
    return parse_gpt2(
        read_file_cached(merges, vocab_bpe_hash),
        read_file_cached(ids, encoder_json_hash),
        merges,
        ids,
        own_byte_ids=clobber_one_byte_tokens,
    )


def dump_tiktoken_bpe(bpe_ranks: dict[bytes, int], tiktoken_bpe_file: str | PathLike[str]) -> None:
    """Write a `.tiktoken` file, in the order of ids.

    Args:
        bpe_ranks: Token -> id.
        tiktoken_bpe_file: The path to write.

    Raises:
        OSError: The file cannot be written.
    """
    Path(tiktoken_bpe_file).write_bytes(dump_tiktoken(bpe_ranks))


def read_file(blobpath: PathOrAddress) -> bytes:
    """Read the contents of a path or an address, without any cache.

    Args:
        blobpath: A path, or an address.

    Returns:
        The contents as bytes, unchanged.

    Raises:
        VocabularyError: The address is neither `http` nor `https`.
        VocabularyUnavailableError: An address cannot be read.
        OSError: A path cannot be read.
    """
    source = fspath(blobpath)
    if "://" not in source:
        return Path(source).read_bytes()
    _check_address(source)
    from bpe_engine.published import download  # noqa: PLC0415 - few use the network

    return download.read(source, source, [])


def read_file_cached(blobpath: PathOrAddress, expected_hash: str | None = None) -> bytes:
    """Read the contents of a path, or of an address from a cache folder or the network.

    Args:
        blobpath: A path, or an address.
        expected_hash: The SHA-256 of the contents in hexadecimal; None checks nothing.

    Returns:
        The contents as bytes, unchanged.

    Raises:
        VocabularyError: The address is neither `http` nor `https`.
        HashMismatchError: The contents have another SHA-256.
        VocabularyUnavailableError: An address cannot be read.
        OSError: A path cannot be read.
    """
    source = fspath(blobpath)
    if "://" in source:
        _check_address(source)
        return fetch(_file_of(source, expected_hash))
    contents = Path(source).read_bytes()
    if expected_hash is not None and not check_hash(contents, expected_hash):
        found = hashlib.sha256(contents).hexdigest()
        raise HashMismatchError(f"{source}: the SHA-256 is {found}, the expected one {expected_hash}")
    return contents


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether data has a given SHA-256.

    Args:
        data: The contents.
        expected_hash: The SHA-256 in hexadecimal, in lower case.

    Returns:
        True if it is the SHA-256 of `data`; False for any other text, also for one in upper case.
    """
    return hashlib.sha256(data).hexdigest() == expected_hash


def _check_address(source: str) -> None:
    if not source.startswith(("http://", "https://")):
        raise VocabularyError(
            f"{source}: files are read from paths and from http and https: copy it, and pass the path"
        )


def _file_of(address: str, expected_hash: str | None) -> PublishedFile:
    for encoding in published_encodings().values():
        for file in encoding.files:
            if file.url == address:
                return PublishedFile(address, expected_hash or file.sha256, file.save_as)
    # Two addresses may end in the same name.
    key = hashlib.sha256(address.encode()).hexdigest()[:16]
    return PublishedFile(address, expected_hash, f"{key}-{address.rpartition('/')[2][-60:]}")


def _embedded_name(source: str) -> tuple[str, str] | None:
    """Return the name of the embedded encoding that was published at this address, and the SHA-256 of its file; None if there is none."""
    for encoding in published_encodings().values():
        if encoding.embedded is not None and encoding.files[0].url == source and encoding.files[0].sha256 is not None:
            return encoding.name, encoding.files[0].sha256
    return None
