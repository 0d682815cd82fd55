"""The commands `chunker tokenizer inspect` and `chunker tokenizer compare`."""

# Imports are where they are used: help and errors about options need no tokenizer.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import ending_quietly, fail, open_output
from chunker.cli.paths import read_input

if TYPE_CHECKING:
    from bpe_engine import Tokenizer

_EXIT_CODES = """\b
Exit codes:
  0    done
  1    a file cannot be read as a tokenizer or as a text
  2    wrong usage
"""
_MOST = 5
_SAMPLE = "Hello, world! It's 2025: naïve café, 中文.\n"

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Inspect a tokenizer, and compare two.",
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="tokenizer.json, *.tiktoken, *.gguf, *.model, tekken.json, vocab.bpe; or an encoding, or a model (gpt-4o).",
    ),
]


@app.command(
    epilog=f"""\b
Examples:
  chunker tokenizer inspect tokenizer.json
  chunker tokenizer inspect model.gguf --sample "some text"
  chunker tokenizer inspect gpt-4o --json

{_EXIT_CODES}"""
)
def inspect(
    name: Name,
    *,
    sample: Annotated[
        str, typer.Option("--sample", metavar="TEXT", show_default=False, help="A text to show as tokens.")
    ] = _SAMPLE,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text for people.")] = False,
) -> None:
    """Describe a tokenizer: its kind, tokens, special tokens and stages, its longest tokens, and a text that it splits."""
    with ending_quietly():
        kind, tokenizer = _load(name)
        facts = _facts(kind, tokenizer, sample)
        with open_output(None) as results:
            if as_json:
                results.write(json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
                return
            width = max(map(len, facts))
            for label, value in facts.items():
                line = f"{label:<{width}}  {_line(value)}\n"
                results.write(line.encode("utf-8", "backslashreplace"))


@app.command(
    epilog=f"""\b
Examples:
  chunker tokenizer compare cl100k_base o200k_base README.md
  chunker tokenizer compare old/tokenizer.json new/tokenizer.json docs/*.md

{_EXIT_CODES}"""
)
def compare(
    ours: Annotated[str, typer.Argument(metavar="A", show_default=False, help="A file, an encoding or a model.")],
    theirs: Annotated[str, typer.Argument(metavar="B", show_default=False, help="The tokenizer to compare it with.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", show_default=False, help="Files to count with both."),
    ] = None,
) -> None:
    """Compare two tokenizers: common tokens, ids with another meaning, special tokens, stages, and the cost of texts."""
    with ending_quietly():
        # Wrong usage is reported first; bytes that are not UTF-8 become surrogates in the str, as the engine expects.
        named = {path: read_input(path).decode(errors="replace") for path in texts or ()}
        (_, first), (_, second) = _load(ours), _load(theirs)
        report = str(first.compare(second, named))
        with open_output(None) as results:
            results.write(report.encode("utf-8", "backslashreplace") + b"\n")


def _load(name: str) -> tuple[str, Tokenizer]:
    """Load a tokenizer. Returns its kind, and the tokenizer."""
    from bpe_engine import BpeEngineError, Tokenizer, UnknownEncodingError
    from bpe_engine.formats.detection import detect
    from chunker.counting.tokenizer_files import require_file, tokenizer_path
    from chunker.files.discovery import printable, reason_of
    from chunker.tokenizer_errors import UnknownTokenizerError

    try:
        path = tokenizer_path(name)
        if path is not None:
            return detect(require_file(path)), Tokenizer.from_file(path)
        return "published encoding", Tokenizer.load(name)
    except UnknownTokenizerError as error:
        raise typer.BadParameter(str(error), param_hint="FILE") from None
    except UnknownEncodingError as error:
        raise typer.BadParameter(f"{error}; there is also no file of this name", param_hint="FILE") from None
    except BpeEngineError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{printable(name)}: {reason_of(error)}")


def _facts(kind: str, tokenizer: Tokenizer, sample: str) -> dict[str, object]:
    from bpe_engine.compare import describe_stages

    tokens = tokenizer.token_byte_values()
    longest = sorted(tokens, key=lambda data: (-len(data), data))[:_MOST]
    special = sorted(tokenizer.special_tokens_set)
    ids, starts = tokenizer.encode_with_offsets(sample, unit="characters")
    return {
        "name": tokenizer.name or "(none)",
        "kind": kind,
        "tokens": len(tokens),
        "ids": tokenizer.n_vocab,
        "special tokens": [f"{text} {tokenizer.encode(text, allowed_special={text})[0]}" for text in special],
        "around a text": {"prefix": list(tokenizer.prefix), "suffix": list(tokenizer.suffix)},
        "stages": list(describe_stages(tokenizer)),
        "longest tokens": [data.decode("utf-8", "backslashreplace") for data in longest],
        "sample": [sample[start:end] for start, end in pairwise([*starts, len(sample)])],
        "sample ids": ids,
    }


def _line(value: object) -> str:
    """Format a value on one line for people.

    >>> _line(["a", "b"]), _line(200019), _line({"prefix": [1], "suffix": []})
    ("'a' 'b'", '200,019', 'prefix 1')
    """
    match value:
        case [] | None:
            return "none"
        case int():
            return f"{value:,}"
        case [int(), *_]:
            return " ".join(map(str, value))
        case list():
            rest = f" and {len(value) - 20} more" if len(value) > 20 else ""
            return " ".join(f"{item!r:.200}" for item in value[:20]) + rest
        case dict():
            parts = [f"{name} {_line(item)}" for name, item in value.items() if item]
            return ", ".join(parts) or "none"
        case _:
            return str(value)
