"""The tokenizers that can be installed, each by the expression that its user would write to count the tokens of a text.

Nothing is imported before it is loaded: loading is measured too. `files` is where `peer_files.py` wrote the
vocabularies.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

# The names that an expression uses; whatever a peer's objects are, they are looked at by that expression alone.
Names = dict[str, Any]


@dataclass(frozen=True)
class Peer:
    """How to load a package, count one text and count many.

    `expression` counts `text`, `batch` gives the sum over `texts` with `threads` threads (None: there is no such call).
    What they use, `load` returns for an encoding and the folder of files. `ids`: the count is the length of ids.
    """

    package: str
    expression: str
    load: Callable[[str, Path], Names]
    batch: str | None = None
    ids: bool = False

    def counter(self, names: Names) -> Callable[[str], int]:
        """The expression as a function."""
        # An expression of the table below, so that the time of a call has no wrapper in it.
        return cast("Callable[[str], int]", eval(f"lambda text: {self.expression}", names))  # noqa: S307

    def batch_counter(self, names: Names, threads: int) -> Callable[[list[str]], int]:
        """The batch expression as a function."""
        assert self.batch is not None
        return cast("Callable[[list[str]], int]", eval(f"lambda texts: {self.batch}", {**names, "threads": threads}))  # noqa: S307


def _load_ours(encoding: str, _files: Path) -> Names:
    from bpe_engine import Tokenizer  # noqa: PLC0415 - see the module docstring

    tokenizer = Tokenizer.load(encoding)
    return {"tokenizer": tokenizer, "count": tokenizer.count, "encode": tokenizer.encode, "encode_to_buffer": tokenizer.encode_to_buffer}  # fmt: skip


def _load_tiktoken(encoding: str, files: Path) -> Names:
    # Its own loader, on a cache that holds what it would download.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(files)
    import tiktoken  # noqa: PLC0415 - see the module docstring

    loaded = tiktoken.get_encoding(encoding)
    return {"encoding": loaded, "encode_ordinary": loaded.encode_ordinary}


def _load_gigatoken(encoding: str, files: Path) -> Names:
    import gigatoken  # noqa: PLC0415 - see the module docstring

    tokenizer = gigatoken.Tokenizer.from_tiktoken(files / f"{encoding}.tiktoken")
    # The wrapper in Python around it would only add to a small call.
    return {"tokenizer": tokenizer, "encode": tokenizer.backend.encode}


def _load_toktok(encoding: str, _files: Path) -> Names:
    import toktok  # noqa: PLC0415 - see the module docstring

    toktok.batch_count([""], encoding)  # which loads the encoding, and keeps it
    return {"batch_count": toktok.batch_count, "encoding": encoding}


def _load_toktok_inside(encoding: str, _files: Path) -> Names:
    import toktok  # noqa: PLC0415 - see the module docstring

    # Not part of its public interface, but as fast as it gets.
    tokenizer = vars(toktok)["_encoding"](encoding)
    return {"count": tokenizer.count, "count_batch": tokenizer.count_batch}


def _load_quicktok(encoding: str, _files: Path) -> Names:
    import quicktok  # noqa: PLC0415 - see the module docstring

    loaded = quicktok.get_encoding(encoding)
    return {"encoding": loaded, "count": loaded.count, "count_batch": quicktok.count_batch}


def _load_rs_bpe(encoding: str, _files: Path) -> Names:
    from rs_bpe.bpe import openai  # noqa: PLC0415 - see the module docstring

    loaded = getattr(openai, encoding)()
    return {
        "count": loaded.count,
        "encode_batch": loaded.encode_batch,
        "encode_batch_parallel": loaded.encode_batch_parallel,
        "ParallelOptions": openai.ParallelOptions,
    }


def _load_tokenizers(encoding: str, files: Path) -> Names:
    from tokenizers import Tokenizer  # noqa: PLC0415 - see the module docstring

    tokenizer = Tokenizer.from_file(str(files / f"{encoding}.json"))
    return {"encode": tokenizer.encode, "encode_batch": tokenizer.encode_batch}


def _load_tokie(encoding: str, files: Path) -> Names:
    import tokie  # noqa: PLC0415 - see the module docstring

    # Its own format, which loads in a tenth of the time; the first to come makes the file.
    native = files / f"{encoding}.tkz"
    if not native.exists():
        tokie.Tokenizer.from_json(str(files / f"{encoding}.json")).save(str(native))
    tokenizer = tokie.Tokenizer.from_file(str(native))
    return {"count_tokens": tokenizer.count_tokens, "count_tokens_batch": tokenizer.count_tokens_batch}


REFERENCE = "tiktoken encode_ordinary"
OURS = "bpe-chunker count"
OURS_BUFFER = "bpe-chunker encode_to_buffer"
OURS_LIST = "bpe-chunker encode"

# Packages that start threads of their own take one for each core that the process may run on: nothing else limits
# those.
PEERS: dict[str, Peer] = {
    OURS: Peer("bpe-chunker", "count(text)", _load_ours, "sum(tokenizer.count_batch(texts, num_threads=threads))"),
    OURS_BUFFER: Peer("bpe-chunker", "len(encode_to_buffer(text))", _load_ours, ids=True),
    OURS_LIST: Peer(
        "bpe-chunker",
        "len(encode(text))",
        _load_ours,
        "sum(map(len, tokenizer.encode_ordinary_batch(texts, num_threads=threads)))",
        ids=True,
    ),
    "gigatoken encode": Peer(
        "gigatoken",
        "len(encode(text))",
        _load_gigatoken,
        "len(tokenizer.encode_batch(texts, parallel=threads > 1).layout.content)",
        ids=True,
    ),
    "toktok-rs batch_count": Peer(
        "toktok-rs",
        "batch_count([text], encoding, threads=1)[0]",
        _load_toktok,
        "sum(batch_count(texts, encoding, threads=threads))",
    ),
    "quicktok-v1 count": Peer(
        "quicktok-v1", "count(text)", _load_quicktok, "int(count_batch(encoding, texts, threads).sum())"
    ),
    "tokie count_tokens": Peer("tokie", "count_tokens(text)", _load_tokie, "sum(count_tokens_batch(texts))"),
    "rs-bpe count": Peer(
        "rs-bpe",
        "count(text)",
        _load_rs_bpe,
        "(encode_batch_parallel(texts, ParallelOptions(20, 100, threads)) if threads > 1 else encode_batch(texts))[1]",
    ),
    REFERENCE: Peer(
        "tiktoken",
        "len(encode_ordinary(text))",
        _load_tiktoken,
        "sum(map(len, encoding.encode_ordinary_batch(texts, num_threads=threads)))",
        ids=True,
    ),
    "tokenizers encode": Peer(
        "tokenizers",
        "len(encode(text, add_special_tokens=False))",
        _load_tokenizers,
        "sum(map(len, encode_batch(texts, add_special_tokens=False)))",
        ids=True,
    ),
}
# For calls on short texts alone: on a large text it is what the public function is.
INSIDE_TOKTOK = "toktok-rs, private count"
SMALL_PEERS = {**PEERS, INSIDE_TOKTOK: Peer("toktok-rs", "count(text)", _load_toktok_inside)}
PACKAGES = list(dict.fromkeys(peer.package for peer in PEERS.values()))
