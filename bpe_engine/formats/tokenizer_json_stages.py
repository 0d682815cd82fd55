"""Read the stages in a tokenizer.json: normalizers, pre-tokenizers, post-processors and decoders, each a JSON object with a `type`.

    {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}     ->  (UnicodeForm("NFC"), Lowercase())

An unknown type is refused with its place: "pre_tokenizer.pretokenizers[1]: the type 'Odd' is not supported".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from bpe_engine.formats.json_files import Node
from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    Decoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    StripDecoder,
    WordEndDecoder,
    WordPieceDecoder,
)
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.normalizers import (
    Charsmap,
    Lowercase,
    Normalizer,
    Prepend,
    Replace,
    ReplaceCharacters,
    Strip,
    StripAccents,
    UnicodeForm,
    bert_normalizer,
)
from bpe_engine.pipeline.pre_tokenizers import (
    Behaviour,
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)

_BEHAVIOURS: dict[str, Behaviour] = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}
_MOST_NESTED = 100
PrependScheme = Literal["always", "first", "never"]


def read_normalizers(file: Node) -> tuple[Normalizer, ...]:
    """Read the normalizers of a file, with sequences flattened."""
    return tuple(step for node in _flat(file, "normalizer", "normalizers") for step in _normalizers(node))


def read_pre_tokenizers(file: Node) -> tuple[PreTokenizer, ...]:
    """Read the pre-tokenizers of a file, with sequences flattened."""
    return tuple(stage for node in _flat(file, "pre_tokenizer", "pretokenizers") for stage in _pre_tokenizers(node))


def read_decoders(file: Node) -> tuple[Decoder, ...]:
    """Read the decoders of a file, with sequences flattened."""
    return tuple(_decoder(node) for node in _flat(file, "decoder", "decoders"))


def read_specials(file: Node) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Read the ids that the post-processors put before and after a single text."""
    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    for node in _flat(file, "post_processor", "processors"):
        before, after = _post_processor(node)
        prefix, suffix = before + prefix, suffix + after
    return prefix, suffix


def _flat(file: Node, name: str, parts: str) -> Iterator[Node]:
    """Yield the stages under `name`, with each Sequence replaced by its stages, which are its entry `parts`."""
    if file.get(name) is None:
        return
    pending = [(file.object(name), 0)]
    while pending:
        node, depth = pending.pop()
        if node.string("type") != "Sequence":
            yield node
        elif depth >= _MOST_NESTED:
            raise node.error(f"a Sequence inside {_MOST_NESTED} others")
        else:
            pending += [(part, depth + 1) for part in reversed(node.objects(parts))]


def _normalizers(node: Node) -> tuple[Normalizer, ...]:
    match node.string("type"):
        case "BertNormalizer":
            lowercase = node.boolean("lowercase", default=True)
            return bert_normalizer(
                clean_text=node.boolean("clean_text", default=True),
                handle_chinese_chars=node.boolean("handle_chinese_chars", default=True),
                strip_accents=node.boolean("strip_accents", default=lowercase),
                lowercase=lowercase,
            )
        case "Nmt":
            return ReplaceCharacters("nmt_control"), ReplaceCharacters("nmt_space", " ")
        case _:
            return (_normalizer(node),)


def _normalizer(node: Node) -> Normalizer:
    match node.string("type"):
        case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
            return UnicodeForm(form)
        case "Lowercase":
            return Lowercase()
        case "StripAccents":
            return StripAccents()
        case "Strip":
            return Strip(node.boolean("strip_left"), node.boolean("strip_right"))
        case "Prepend":
            return Prepend(node.string("prepend"))
        case "Replace":
            return Replace(_pattern(node), node.string("content"))
        case "Precompiled":
            return _charsmap(node)
        case other:
            raise node.unsupported(f"the type {other!r:.80}")


def _charsmap(node: Node) -> Charsmap:
    from base64 import b64decode  # noqa: PLC0415 - not every file has a table

    from bpe_engine.pipeline.charsmaps import table_of  # noqa: PLC0415 - as above

    text = node.string("precompiled_charsmap")
    try:
        data = b64decode(text, validate=True)
        table_of(data)
    except ValueError as error:
        raise node.error(str(error), "precompiled_charsmap") from None
    return Charsmap(data)


def _pre_tokenizers(node: Node) -> tuple[PreTokenizer, ...]:
    match node.string("type"):
        case "Split":
            return (Split(_pattern(node), _behaviour(node, "Isolated"), node.boolean("invert", default=False)),)
        case "ByteLevel":
            return (ByteLevel(node.boolean("add_prefix_space"), node.boolean("use_regex", default=True)),)
        case "Digits":
            return (Digits(node.boolean("individual_digits", default=False)),)
        case "Punctuation":
            return (Punctuation(_behaviour(node, "Isolated")),)
        case "Whitespace":
            return (Whitespace(),)
        case "WhitespaceSplit":
            return (WhitespaceSplit(),)
        case "BertPreTokenizer":
            return WhitespaceSplit(), Punctuation()
        case "CharDelimiterSplit":
            return (CharDelimiterSplit(_character(node, "delimiter")),)
        case "UnicodeScripts":
            return (UnicodeScripts(),)
        case "Metaspace":
            return (
                Metaspace(_character(node, "replacement"), _prepend_scheme(node), node.boolean("split", default=True)),
            )
        case other:
            raise node.unsupported(f"the type {other!r:.80}")


def _post_processor(node: Node) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match node.string("type"):
        case "ByteLevel":
            return (), ()
        case "BertProcessing" | "RobertaProcessing":
            return (_named_id(node, "cls"),), (_named_id(node, "sep"),)
        case "TemplateProcessing":
            return _template(node)
        case other:
            raise node.unsupported(f"the type {other!r:.80}")


def _named_id(node: Node, name: str) -> int:
    pair = node.array(name)
    if len(pair) != 2 or type(pair[1]) is not int:
        raise node.error(f"{pair!r:.80} is not a token and its id", name)
    return int(pair[1])


def _template(node: Node) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sides: list[list[int]] = [[]]
    for part in node.objects("single"):
        if "Sequence" in part.value:
            if part.object("Sequence").get("id") != "A":
                raise part.error("a single text has one sequence, A")
            sides.append([])
        else:
            name = part.object("SpecialToken").string("id")
            entry = node.object("special_tokens").object(name)
            ids = entry.array("ids")
            if not all(type(token_id) is int for token_id in ids):
                raise entry.error(f"{ids!r:.80} are not ids", "ids")
            sides[-1] += ids
    if len(sides) != 2:
        raise node.error(f"a single text has one sequence, not {len(sides) - 1}", "single")
    return tuple(sides[0]), tuple(sides[1])


def _decoder(node: Node) -> Decoder:
    match node.string("type"):
        case "ByteLevel":
            return ByteLevelDecoder()
        case "ByteFallback":
            return ByteFallbackDecoder()
        case "Metaspace":
            return MetaspaceDecoder(_character(node, "replacement"), _prepend_scheme(node))
        case "WordPiece":
            return WordPieceDecoder(node.string("prefix"), node.boolean("cleanup", default=True))
        case "Fuse":
            return FuseDecoder()
        case "BPEDecoder":
            return WordEndDecoder(node.string("suffix"))
        case "Replace":
            return ReplaceDecoder(_pattern(node), node.string("content"))
        case "Strip":
            return StripDecoder(_character(node, "content"), node.integer("start"), node.integer("stop"))
        case other:
            raise node.unsupported(f"the type {other!r:.80}")


def _pattern(node: Node) -> str | Expression:
    pattern = node.object("pattern")
    if "Regex" in pattern.value:
        return Expression(pattern.string("Regex"))
    text = pattern.string("String")
    if not text:
        raise pattern.unsupported("an empty string, which matches everywhere,", "String")
    return text


def _behaviour(node: Node, default: str) -> Behaviour:
    name = default if node.get("behavior") is None else node.string("behavior")
    if name not in _BEHAVIOURS:
        raise node.error(f"{name!r:.80} is none of {', '.join(_BEHAVIOURS)}", "behavior")
    return _BEHAVIOURS[name]


def _prepend_scheme(node: Node) -> PrependScheme:
    scheme = node.get("prepend_scheme")
    prefixed = node.boolean("add_prefix_space", default=True)  # the key of older files
    if scheme is None:
        return "always" if prefixed else "never"
    if scheme not in ("always", "first", "never") or (not prefixed and scheme != "never"):
        raise node.error(f"{scheme!r:.80} with add_prefix_space {prefixed} is not supported", "prepend_scheme")
    return cast("PrependScheme", scheme)


def _character(node: Node, name: str) -> str:
    text = node.string(name)
    if len(text) != 1:
        raise node.error(f"{text!r:.80} is not one character", name)
    return text
