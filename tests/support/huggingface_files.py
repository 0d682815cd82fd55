"""tokenizer.json files, trained and written by `tokenizers` itself: the configurations of well-known models, and all parts in any combination."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, lru_cache
from random import Random
from typing import Any

from small_tokenizers import small
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from bpe_engine import Tokenizer as OurTokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.patterns import PATTERNS, STAGES

CORPUS = (
    "The quick brown fox can't jump over 123 lazy dogs, it's  IT'LL\n\n  be naïve café 中文字 日本語 1234567 return self.x\n"
    * 3,
    "aaaa bbbb abab   def f(x):\n\treturn x+1 ünïcödé é e\u0301 x\u0323\u0307 <think> the end </think>",
)
BYTES = pre_tokenizers.ByteLevel.alphabet()
FALLBACK = [f"<0x{byte:02X}>" for byte in range(256)]


def write(
    model: models.BPE,
    normalizer: Any = None,
    pre_tokenizer: Any = None,
    decoder: Any = None,
    *,
    vocab_size: int = 600,
    added: tuple[AddedToken, ...] = (),
    post_processor: Any = None,
    alphabet: list[str] | None = None,
    limit: int = 1000,
    words: bool = False,
    **training: Any,
) -> str:
    """The file of a tokenizer that is trained on the corpus; as words, so that no token has a space but at its start."""
    tokenizer = Tokenizer(model)
    for name, part in (("normalizer", normalizer), ("pre_tokenizer", pre_tokenizer), ("decoder", decoder)):
        if part is not None:
            setattr(tokenizer, name, part)
    special = ["<unk>", "<s>", *(FALLBACK if model.byte_fallback else [])]
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        show_progress=False,
        special_tokens=special,
        initial_alphabet=alphabet or [],
        limit_alphabet=limit,
        **training,
    )
    tokenizer.train_from_iterator(" ".join(CORPUS).split(" ") if words else CORPUS, trainer)
    tokenizer.add_tokens(list(added))
    if post_processor is not None:
        tokenizer.post_processor = post_processor
    return tokenizer.to_str()


def split(name: str) -> list[Any]:
    """The splits of a named grammar, as its models have them."""
    sources = STAGES.get(name) or (PATTERNS[name].source,)
    return [pre_tokenizers.Split(Regex(source), "isolated") for source in sources]


def _byte_level(*stages: Any, normalizer: Any = None, ignore_merges: bool = False, **options: Any) -> str:
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return write(
        models.BPE(ignore_merges=ignore_merges),
        normalizer,
        pre_tokenizers.Sequence([*stages, last]),
        decoders.ByteLevel(),
        alphabet=BYTES,
        **options,
    )


def _sentencepiece(*, byte_fallback: bool, fuse: bool, metaspace: str | None, words: bool = True) -> str:
    model = models.BPE(unk_token="<unk>", fuse_unk=fuse, byte_fallback=byte_fallback)
    normalizer = None
    pre_tokenizer = None
    if metaspace is None:
        normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        pre_tokenizer = pre_tokenizers.Metaspace("▁", metaspace, False)
    decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    template = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return write(model, normalizer, pre_tokenizer, decoder, post_processor=template, words=words, limit=60)


def _falcon() -> str:
    stages = [
        pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
    ]
    return write(models.BPE(), None, pre_tokenizers.Sequence(stages), decoders.ByteLevel(), alphabet=BYTES)


def _roberta() -> str:
    mask = AddedToken("<mask>", lstrip=True, normalized=False)
    processor = processors.RobertaProcessing(("<s>", 1), ("<unk>", 0), trim_offsets=False)
    stage = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return write(
        models.BPE(), None, stage, decoders.ByteLevel(), alphabet=BYTES, added=(mask,), post_processor=processor
    )


_CLIP = r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""


def _clip() -> str:
    """All bytes, alone and at the end of a word, as OpenAI's vocabulary has them."""
    steps = [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    stages = [
        pre_tokenizers.Split(Regex(_CLIP), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ]
    file = write(
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", continuing_subword_prefix=""),
        normalizers.Sequence(steps),
        pre_tokenizers.Sequence(stages),
        decoders.ByteLevel(),
        alphabet=BYTES,
        added=(AddedToken("<|endoftext|>", special=True, normalized=False),),
        post_processor=processors.RobertaProcessing(
            ("<s>", 1), ("<unk>", 0), trim_offsets=False, add_prefix_space=False
        ),
        end_of_word_suffix="</w>",
    )
    data = json.loads(file)
    vocab = data["model"]["vocab"]
    vocab["<|endoftext|>"] = data["added_tokens"][-1]["id"]
    for byte in BYTES:
        vocab.setdefault(f"{byte}</w>", len(vocab))
    return json.dumps(data)


def _gpt1() -> str:
    return write(
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
        decoders.BPEDecoder("</w>"),
        end_of_word_suffix="</w>",
        limit=40,
    )


def _prefixed(*, whole: bool) -> str:
    """Merges whose right sides are written as WordPiece writes them."""
    return write(
        models.BPE(
            unk_token="<unk>",
            continuing_subword_prefix="##",
            end_of_word_suffix="$",
            fuse_unk=not whole,
            ignore_merges=whole,
        ),
        normalizers.Lowercase(),
        pre_tokenizers.Whitespace(),
        decoders.WordPiece("##"),
        continuing_subword_prefix="##",
        end_of_word_suffix="$",
        limit=30,
    )


def _bloom() -> str:
    pattern = " ?[^(\\s|[.,!?…。，、।۔،])]+"
    return _byte_level(pre_tokenizers.Split(Regex(pattern), "isolated"))


def _gemma() -> str:
    """Spaces are replaced first, so that nothing is cut at them; added tokens for runs of line ends and spaces."""
    model = models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    added = tuple(AddedToken(text, normalized=False) for text in ("\n\n", "\n\n\n", "▁▁", "<start_of_turn>"))
    return write(
        model,
        normalizers.Replace(" ", "▁"),
        pre_tokenizers.Split(" ", "merged_with_previous"),
        decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]),
        added=added,
        words=True,
        limit=60,
    )


def _whisper() -> str:
    """GPT-2's stages, an empty token, and thousands of special ones."""
    times = tuple(AddedToken(f"<|{number / 50:.2f}|>", normalized=False) for number in range(30))
    file = write(
        models.BPE(continuing_subword_prefix="", end_of_word_suffix=""),
        None,
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
        alphabet=BYTES,
        added=(AddedToken("<|startoftranscript|>", special=True, normalized=False), *times),
    )
    data = json.loads(file)
    data["model"]["vocab"][""] = 5000
    return json.dumps(data)


def _scripts(*, in_bytes: bool) -> str:
    """Scripts are parted, digits and punctuation among them."""
    stages: list[Any] = [pre_tokenizers.UnicodeScripts()]
    if not in_bytes:
        stages += [pre_tokenizers.Metaspace("▁", "first", True)]
        return write(
            models.BPE(unk_token="<unk>"), normalizers.NFKC(), pre_tokenizers.Sequence(stages), decoders.Metaspace()
        )
    return _byte_level(*stages)


def shuffled(file: str) -> str:
    """The same with ids in any order but for the first 258."""
    data = json.loads(file)
    vocab = data["model"]["vocab"]
    ids = [token_id for token_id in vocab.values() if token_id >= 258]
    others = dict(zip(ids, Random(1).sample(ids, len(ids)), strict=True))
    data["model"]["vocab"] = {token: others.get(token_id, token_id) for token, token_id in vocab.items()}
    return json.dumps(data)


def _think(**flags: bool) -> tuple[AddedToken, ...]:
    return AddedToken("<think>", **flags), AddedToken("</think>", normalized=False)


FAMILIES: dict[str, Callable[[], str]] = {
    "gpt2": lambda: _byte_level(*split("gpt2")),
    "llama3": lambda: _byte_level(*split("llama3"), ignore_merges=True),
    "llama3, ids in any order": lambda: shuffled(_byte_level(*split("llama3"))),
    "qwen2": lambda: _byte_level(*split("qwen2"), normalizer=normalizers.NFC(), added=_think(normalized=False)),
    "deepseek-v3": lambda: _byte_level(*split("deepseek_v3"), added=_think(normalized=True, single_word=True)),
    "starcoder": lambda: write(
        models.BPE(),
        None,
        pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        ),
        decoders.ByteLevel(),
        alphabet=BYTES,
    ),
    "falcon": _falcon,
    "roberta": _roberta,
    "clip": _clip,
    "gpt1": _gpt1,
    "prefix and suffix": lambda: _prefixed(whole=False),
    "prefix and suffix, whole words": lambda: _prefixed(whole=True),
    "bloom": _bloom,
    "gemma": _gemma,
    "glm4": lambda: _byte_level(*split("llama3"), added=(AddedToken("<|user|>", special=True, normalized=False),)),
    "whisper": _whisper,
    "scripts, in bytes": lambda: _scripts(in_bytes=True),
    "scripts": lambda: _scripts(in_bytes=False),
    "lower case": lambda: _byte_level(
        *split("gpt2"),
        normalizer=normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]),
    ),
    "llama2": lambda: _sentencepiece(byte_fallback=True, fuse=True, metaspace=None),
    "llama2, later": lambda: _sentencepiece(byte_fallback=True, fuse=True, metaspace="first"),
    "sentencepiece, unknown": lambda: _sentencepiece(byte_fallback=False, fuse=False, metaspace="always"),
    "sentencepiece, fused": lambda: _sentencepiece(byte_fallback=False, fuse=True, metaspace=None, words=False),
}


# WordPiece, Unigram and WordLevel, of `small_tokenizers`.
OTHER_MODELS = (
    "bert, uncased",
    "bert, cased",
    "bert, short words",
    "wordpiece, Whitespace",
    "wordpiece, WhitespaceSplit",
    "token of letters",
    "t5",
    "albert",
    "xlm-roberta",
    "word level",
    "token with a space",
    "spaces become letters",
    "strip left",
)


@cache
def family(name: str) -> str:
    """The file of a family."""
    return small(name).to_str() if name in OTHER_MODELS else FAMILIES[name]()


@lru_cache(maxsize=len(FAMILIES) + len(OTHER_MODELS) + 1)
def both(file: str) -> tuple[Tokenizer, OurTokenizer]:
    """Their tokenizer of a file, and ours."""
    theirs = Tokenizer.from_str(file)
    # Special tokens in a text are plain text: our default.
    theirs.encode_special_tokens = True
    return theirs, OurTokenizer.from_specification(parse_tokenizer_json(file.encode(), "a file"))


@cache
def combination(seed: int) -> str:
    """A file with parts of any kind: always the same in one process, though their training breaks ties otherwise each time."""
    random = Random(seed)
    model = models.BPE(
        fuse_unk=random.random() < 0.5,
        byte_fallback=random.random() < 0.4,
        ignore_merges=random.random() < 0.3,
        **random.choice([{}, {"unk_token": "<unk>"}]),
    )
    steps = random.choices(_normalizers(random), k=random.choice([0, 0, 1, 1, 2, 3]))
    stages = random.choices(_pre_tokenizers(random), k=random.choice([0, 1, 1, 2, 2, 3]))
    in_bytes = random.random() < 0.6
    if in_bytes:
        stages.append(pre_tokenizers.ByteLevel(random.random() < 0.4, True, random.random() < 0.5))
    written = random.choices(_decoders(), k=random.choice([1, 2, 3]))
    added = tuple(
        AddedToken(text, **{flag: random.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "normalized")})
        for text in random.sample(
            ["<mask>", "ab", "the", "\n\n", "é", "12", "caf", "x y"], random.choice([0, 0, 1, 2, 3])
        )
    )
    file = write(
        model,
        normalizers.Sequence(steps) if steps else None,
        pre_tokenizers.Sequence(stages) if stages else None,
        decoders.ByteLevel() if in_bytes else decoders.Sequence(written),
        vocab_size=random.choice([300, 420, 700]),
        added=added,
        alphabet=BYTES if in_bytes and random.random() < 0.8 else None,
        limit=random.choice([10, 40, 1000]),
        post_processor=random.choice(
            [None, processors.TemplateProcessing(single="<s> $A <unk>", special_tokens=[("<s>", 1), ("<unk>", 0)])]
        ),
    )
    data = json.loads(file)
    merges = data["model"]["merges"]
    if merges and random.random() < 0.2:  # no longer in merge order
        merges.insert(random.randrange(len(merges)), merges.pop(random.randrange(len(merges))))
    return json.dumps(data)


def crowded(random: Random) -> str:
    """A file of a dozen characters with normalizers and added tokens that get in each other's way."""
    vocab = {character: number for number, character in enumerate("▁abcthe x<>")}
    merges = [("t", "h"), ("th", "e"), ("▁", "a"), ("a", "b"), ("▁", "the")]
    for left, right in merges:
        vocab[left + right] = len(vocab)
    vocab["<unk>"] = len(vocab)
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=random.random() < 0.5))
    steps = [
        normalizers.Prepend("▁"),
        normalizers.Replace(" ", "▁"),
        normalizers.StripAccents(),
        normalizers.NFC(),
        normalizers.Strip(True, False),
        normalizers.Lowercase(),
    ]
    tokenizer.normalizer = normalizers.Sequence(random.sample(steps, random.randint(1, 4)))
    tokenizer.decoder = decoders.Fuse()
    if random.random() < 0.4:
        tokenizer.pre_tokenizer = random.choice(
            [pre_tokenizers.Metaspace("▁", "always", True), pre_tokenizers.Metaspace("▁", "first", False)]
        )
    for text in random.sample(["the", "<x>", " a", "ab", "b"], random.randint(0, 2)):
        flags = {flag: random.random() < 0.4 for flag in ("lstrip", "rstrip", "single_word", "normalized")}
        tokenizer.add_tokens([AddedToken(text, **flags)])
    return tokenizer.to_str()


def _normalizers(random: Random) -> list[Any]:
    return [
        normalizers.NFC(),
        normalizers.NFD(),
        normalizers.NFKC(),
        normalizers.NFKD(),
        normalizers.Lowercase(),
        normalizers.StripAccents(),
        normalizers.Strip(random.random() < 0.5, random.random() < 0.5),
        normalizers.Prepend(random.choice(["▁", "ab"])),
        normalizers.Replace(" ", "▁"),
        normalizers.Replace("ab", "x"),
        normalizers.Replace("a", ""),
        normalizers.Replace(Regex(" {2,}"), " "),
    ]


def _pre_tokenizers(random: Random) -> list[Any]:
    behaviours = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
    behaviour = random.choice(behaviours)
    sources = [PATTERNS[name].source for name in ("llama3", "qwen2", "o200k")]
    sources += [
        r"\p{N}",
        r"\s+(?!\S)|\s+",
        r"[a-c]+|\d{1,2}",
        r"(?i:'s|'t|re)",
        r"\w+",
        r"^.|x$",
        r"(?=[A-Z])",
        r"[^\s\p{L}&&[^.]]{2,}+",
    ]
    return [
        pre_tokenizers.Split(Regex(random.choice(sources)), "isolated"),
        pre_tokenizers.Split(Regex(random.choice(sources[3:])), behaviour, random.random() < 0.3),
        pre_tokenizers.Split(random.choice([" ", "ab", "."]), behaviour, random.random() < 0.2),
        pre_tokenizers.Digits(random.random() < 0.5),
        pre_tokenizers.Punctuation(behaviour),
        pre_tokenizers.Whitespace(),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.BertPreTokenizer(),
        pre_tokenizers.CharDelimiterSplit("a"),
        pre_tokenizers.Metaspace("▁", random.choice(["always", "first", "never"]), random.random() < 0.5),
    ]


def _decoders() -> list[Any]:
    return [
        decoders.ByteFallback(),
        decoders.Metaspace(),
        decoders.Fuse(),
        decoders.Replace("▁", " "),
        decoders.Replace(Regex("a+"), "b"),
    ]
