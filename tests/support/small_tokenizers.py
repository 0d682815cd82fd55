"""Small tokenizers of Hugging Face, trained on texts of this repository, in the configurations of well-known models."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers.normalizers import Normalizer
from tokenizers.pre_tokenizers import PreTokenizer

from bpe_engine.patterns import PATTERNS

_ROOT = Path(__file__).parents[2]
_WORLD = "Größe, naïve café; 中文字符很多。日本語のテキスト、한국어 문장 Привет мир ½ ﬁ ﷺ ¨ \u0301 don't I'll 12345 <tag> [x]\n"


@functools.cache
def corpus() -> list[str]:
    """Prose and code in lines, with some of other scripts among them."""
    files = [_ROOT / "README.md", _ROOT / "CHANGELOG.md", Path(__file__)]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines(keepends=True)]
    return [*lines, *[_WORLD] * 20]


def _wordpiece(pre_tokenizer: PreTokenizer, normalizer: Normalizer | None, *, longest: int = 100) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=longest))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        corpus(), trainers.WordPieceTrainer(vocab_size=700, special_tokens=special, show_progress=False)
    )
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return tokenizer


def _unigram(pre_tokenizer: PreTokenizer, normalizer: Normalizer | None) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    end = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", end)])
    return tokenizer


def _bpe(
    pre_tokenizer: PreTokenizer | None, normalizer: Normalizer | None = None, unknown: str | None = None
) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token=unknown, fuse_unk=unknown is not None))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<unk>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _bert(**options: bool) -> Tokenizer:
    return _wordpiece(pre_tokenizers.BertPreTokenizer(), normalizers.BertNormalizer(**options))


def _t5() -> Tokenizer:
    rules = [normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip(left=False), _spaces("▁")]
    return _unigram(pre_tokenizers.Metaspace(prepend_scheme="always"), normalizers.Sequence(rules))


def _albert() -> Tokenizer:
    rules = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
        normalizers.NFKD(),
        normalizers.StripAccents(),
        normalizers.Lowercase(),
        _spaces(" "),
    ]
    return _unigram(pre_tokenizers.Metaspace(prepend_scheme="first"), normalizers.Sequence(rules))


def _xlm() -> Tokenizer:
    parts = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    return _unigram(pre_tokenizers.Sequence(parts), normalizers.NFKC())


def _spaces(content: str) -> Normalizer:
    return normalizers.Replace(tokenizers.Regex(" {2,}"), content)


def _llama3() -> Tokenizer:
    pattern = tokenizers.Regex(PATTERNS["llama3"].source)
    parts = [
        pre_tokenizers.Split(pattern, "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
    return _bpe(pre_tokenizers.Sequence(parts))


def _starcoder() -> Tokenizer:
    parts = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    return _bpe(pre_tokenizers.Sequence(parts))


def _roberta() -> Tokenizer:
    tokenizer = _bpe(pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True)])
    return tokenizer


def _words_only() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(
        corpus(), trainers.WordLevelTrainer(vocab_size=500, special_tokens=["<unk>"], show_progress=False)
    )
    return tokenizer


def _llama2() -> Tokenizer:
    """No pre-tokenizer: merges go across spaces."""
    rules = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    return _bpe(None, normalizers.Sequence(rules), unknown="<unk>")


def _greedy_token() -> Tokenizer:
    tokenizer = _bert()
    tokenizer.add_tokens([tokenizers.AddedToken("[EAT]", rstrip=True)])
    return tokenizer


def _token_with_a_space() -> Tokenizer:
    tokenizer = _bert()
    tokenizer.add_tokens([tokenizers.AddedToken("the chunker", normalized=True)])
    return tokenizer


def _token_of_letters() -> Tokenizer:
    tokenizer = _bert()
    tokenizer.add_tokens(
        [tokenizers.AddedToken("chunk,er", single_word=True), tokenizers.AddedToken("中文", normalized=False)]
    )
    return tokenizer


def _spaces_kept() -> Tokenizer:
    """The regular expression turns two spaces into a letter, so words are joined over them."""
    return _wordpiece(pre_tokenizers.WhitespaceSplit(), _spaces("x"))


def _scripts_first() -> Tokenizer:
    parts = [pre_tokenizers.UnicodeScripts(), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    return _bpe(pre_tokenizers.Sequence(parts))


def _strip_left() -> Tokenizer:
    return _unigram(pre_tokenizers.Metaspace(prepend_scheme="always"), normalizers.Strip())


# Those whose texts come apart at spaces.
INCREMENTAL: dict[str, Callable[[], Tokenizer]] = {
    "bert, uncased": lambda: _bert(lowercase=True),
    "bert, cased": lambda: _bert(lowercase=False, strip_accents=False, handle_chinese_chars=False),
    "bert, short words": lambda: _wordpiece(pre_tokenizers.BertPreTokenizer(), normalizers.BertNormalizer(), longest=6),
    "wordpiece, Whitespace": lambda: _wordpiece(pre_tokenizers.Whitespace(), normalizers.Lowercase()),
    "wordpiece, WhitespaceSplit": lambda: _wordpiece(pre_tokenizers.WhitespaceSplit(), None),
    "token of letters": _token_of_letters,
    "t5": _t5,
    "albert": _albert,
    "xlm-roberta": _xlm,
    "gpt2": lambda: _bpe(pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "roberta": _roberta,
    "llama3": _llama3,
    "starcoder": _starcoder,
    "word level": _words_only,
}
# Those of which nothing is known for certain.
RECOUNTED: dict[str, Callable[[], Tokenizer]] = {
    "llama2": _llama2,
    "token that swallows spaces": _greedy_token,
    "token with a space": _token_with_a_space,
    "spaces become letters": _spaces_kept,
    "scripts first": _scripts_first,
    "strip left": _strip_left,
}


@functools.cache
def small(name: str) -> Tokenizer:
    """The tokenizer of this name."""
    return {**INCREMENTAL, **RECOUNTED}[name]()
