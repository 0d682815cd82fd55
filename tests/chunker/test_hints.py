"""The hints take what the manual shows, and refuse what no call takes. `make lint` checks this file with mypy, for which a needless
`type: ignore` is an error, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sentencepiece
import tiktoken
from small_tokenizers import small
from tokenizers import Tokenizer as HuggingFaceTokenizer

from bpe_engine import Tokenizer
from chunker import CodeChunker, TextChunker, chunk, chunk_files, window_around
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.index import embedder_named
from chunker.late import LateEmbedder, late_requests
from chunker.prompt import Item, assemble

# Its own encodings must be downloaded.
BYTES = tiktoken.Encoding(
    "bytes", pat_str=r"\S+|\s+", mergeable_ranks={bytes([value]): value for value in range(256)}, special_tokens={}
)
HUGGING_FACE: HuggingFaceTokenizer = small("bert, uncased")
TAKEN: list[AnyTokenizer] = [
    "gpt-4o",
    "characters",
    Tokenizer.load("o200k_base"),
    BYTES,
    HUGGING_FACE,
    len,
    lambda text: text.split(),
]


@pytest.mark.parametrize("tokenizer", TAKEN, ids=lambda tokenizer: type(tokenizer).__name__)
def test_every_call_takes_any_tokenizer(tokenizer: AnyTokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.\n", encoding="utf-8")
    chunks = chunk("One.\n", 20, tokenizer=tokenizer)
    assert chunks[0].token_count == resolve_tokenizer(tokenizer).count("One.\n")
    assert TextChunker(20, tokenizer=tokenizer).chunk("One.\n") == chunks
    assert len(list(chunk_files(tmp_path, 20, tokenizer=tokenizer, workers=1))) == 1
    assert CodeChunker("python", 20, tokenizer=tokenizer).chunk("a = 1\n")[0].body == "a = 1\n"
    assert assemble([Item("One.")], 50, tokenizer=tokenizer, chat_format=None).text == "One."
    assert window_around(chunks, 0, tokenizer=tokenizer).text == "One.\n"
    assert list(late_requests([chunks], tokenizer, 20)) == [chunks]


if TYPE_CHECKING:
    TextChunker(20, tokenizer=tiktoken.get_encoding("o200k_base"))
    TextChunker(20, tokenizer=5)  # type: ignore[arg-type]  # refused when it is called, too: test_wrong_types
    TextChunker(20, tokenizer=None)  # type: ignore[arg-type]
    TextChunker(20, tokenizer=b"o200k_base")  # type: ignore[arg-type]
    # These need a model when they are called.
    TextChunker(20, tokenizer=sentencepiece.SentencePieceProcessor())
    LateEmbedder(embedder_named("minilm"))
    LateEmbedder(embedder_named("hashing"))  # type: ignore[arg-type]  # has no vectors of tokens
