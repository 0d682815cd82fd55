"""Types of the tokens in a GGUF file: as in the file, but corrected by the text of the token where llama.cpp does so.

"<|im_end|>" of the type normal    ->  control: it ends a turn, whatever the file says
"<|message|>" of the type control  ->  user-defined: it is always found, and always shown
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from enum import IntEnum


class TokenType(IntEnum):
    """The types of tokens in `tokenizer.ggml.token_type`."""

    UNDEFINED = 0
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


# Texts of control tokens, whatever their type in the file: they end a text or a turn.
_ENDS = frozenset(
    [
        "<|eot_id|>",
        "<|im_end|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<|flush|>",
        "<|calls|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "</s>",
        "<|eom_id|>",
        "<EOT>",
        "_<EOT>",
        "[EOT]",
        "[EOS]",
        "<|end_of_text|>",
        "<end_of_utterance>",
        "<eos>",
        "<turn|>",
        "<|tool_response>",
        "<｜end▁of▁sentence｜>",
        "[e~[",
    ]
)
# Control tokens for fill-in-the-middle: the keys by which a file may name them, and their texts if it does not.
_FILL_IN = (
    (
        ("fim_pre", "prefix"),
        "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|>",
    ),
    (
        ("fim_suf", "suffix"),
        "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|>",
    ),
    (
        ("fim_mid", "middle"),
        "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|>",
    ),
    (("fim_pad",), "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]"),
    (("fim_rep",), "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>"),
    (("fim_sep",), "<|file_sep|>"),
)
_SHOWN = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")


def put_right(types: list[int], id_of: Mapping[str, int], entries: Container[str]) -> None:
    """Correct the types of the tokens that llama.cpp knows by their texts; `entries` are the names of the entries in the file.

    >>> types = [1, 1, 3]
    >>> put_right(types, {"a": 0, "<|im_end|>": 1, "<|start|>": 2}, ())
    >>> types
    [1, 3, 4]
    """

    def put(texts: Iterable[str], kind: TokenType) -> None:
        for text in texts:
            if text in id_of:
                types[id_of[text]] = int(kind)

    for names, texts in _FILL_IN:
        if not any(f"tokenizer.ggml.{name}_token_id" in entries for name in names):
            put(texts.split(), TokenType.CONTROL)
    put(_ENDS, TokenType.CONTROL)
    put(_SHOWN, TokenType.USER_DEFINED)
    calls = "<|call|>" in id_of or "<|calls|>" in id_of
    if calls and ("<|return|>" in id_of or "<|flush|>" in id_of):
        put(["<|end|>"], TokenType.USER_DEFINED)
    if "<|tool_response>" in id_of:
        put(["</s>"], TokenType.NORMAL)
