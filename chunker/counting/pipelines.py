"""Safe splits for a tokenizer of Hugging Face: offsets that no effect of its normalizer, pre-tokenizer or added tokens
crosses.

    text           Höhere Ansprüche, sagt er
    a cut here           ^         ^     ^         before white space after a letter; before a comma

The tokens of a text are those of its pre-tokens. So an offset is a safe split if the pre-tokenizer always splits there,
if normalizing both sides gives the same as normalizing the whole, and if no added token crosses it. The components that
are known to leave safe splits are listed here. A tokenizer with any other component has no safe splits: each count then
reads the whole text.

All safe splits have a *plain* character on their left: a letter, a digit or a visible ASCII character that no
normalizer joins with the next character, and that never becomes white space or empty (`_PLAIN`; the tokenizer's
normalizer is tried on all of them).
"""

from __future__ import annotations

import json
import string
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from bpe_engine.patterns import PATTERNS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WHITE_SPACE = " \t\n"
# No compatibility decomposition of these has white space in it, and each begins and ends a grapheme cluster: tests try
# them all.
_PLAIN = (
    r"[!-~[[\p{Lu}\p{Ll}\p{Lo}\p{Nd}]&&[\u00c0-\ud7ff]&&\p{GCB=Other}--\p{Default_Ignorable_Code_Point}--[\u0e33\u0eb3\u1cf2\u1cf3]]"
    r"[\uac00-\ud7a3]]"
)
_HAN = r"[\u4e00-\u9fff]"
# Letters and digits of every version of Unicode with which a tokenizer may have been built.
_IN_WORDS = r"[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c9\u0410-\u044f\uac00-\ud7a3]"

# Pre-tokenizers that drop white space and split there.
_DROP_WHITE_SPACE = frozenset({"BertPreTokenizer", "Whitespace", "WhitespaceSplit"})
# Pre-tokenizers that split at single characters, and never join anything.
_CUT_BY_CHARACTER = frozenset({"Digits", "Punctuation"})
# Normalizers that work on one character or one grapheme cluster at a time; and compositions, which never join a plain
# character with a space.
_LOCAL = frozenset(
    {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled", "Strip", "StripAccents"}
)
_BY_CHARACTER = frozenset({"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"})
_RUN_OF_SPACES = " {2,}"


class Pipeline(NamedTuple):
    """The parts of a tokenizer that decide what a pre-token is, as flat lists of their settings."""

    normalizers: list[dict[str, Any]]
    pre_tokenizers: list[dict[str, Any]]


class PatternCuts:
    """Safe splits where `cut`, an expression without width, matches. A tail that `overlong` matches completely counts
    like its first `longest` characters.
    """

    def __init__(self, cut: str, overlong: str | None, longest: int) -> None:
        self._first = regex.compile(cut, regex.V1)
        self._last = regex.compile(rf"(?r){cut}", regex.V1)
        self._overlong = None if overlong is None else regex.compile(overlong, regex.V1)
        self._longest = longest

    def last(self, text: str) -> int:
        """Return the last safe split in `text`; 0 if there is none."""
        match = self._last.search(text)
        return 0 if match is None else int(match.start())

    def first(self, text: str) -> int:
        """Return the first safe split in `text`; 0 if there is none."""
        match = self._first.search(text)
        return 0 if match is None else int(match.start())

    def shortened(self, tail: str) -> str:
        """Return `tail`, or only its start if `tail` is one word so long that more characters do not change its
        count.
        """
        if self._overlong is None or len(tail) <= self._longest or self._overlong.fullmatch(tail) is None:
            return tail
        return tail[: self._longest]


def cuts_of(tokenizer: Tokenizer) -> PatternCuts | None:
    """Return the safe splits of `tokenizer`; None if its configuration does not show that there are any."""
    pipeline = _pipeline(tokenizer)
    if pipeline is None or not _has_harmless_added_tokens(tokenizer):
        return None
    separators = _separators(pipeline)
    drops = _drops_white_space(pipeline)
    if not separators or not _normalizes_apart(pipeline, drops=drops):
        return None
    if not drops and not _keeps_plain(tokenizer):
        return None
    separators = "".join(mark for mark in _WHITE_SPACE if _is_separator(tokenizer, mark, separators))
    if not separators:
        return None
    cuts = [rf"(?<={_PLAIN})(?=[{separators}][{_PLAIN}{_WHITE_SPACE}])"]
    overlong = None
    longest = 0
    if drops and all(item["type"] in _BY_CHARACTER for item in pipeline.normalizers):
        added = "".join(token.content for token in tokenizer.get_added_tokens_decoder().values())
        cuts += _cuts_at_punctuation(pipeline, added)
        longest = _longest_word(tokenizer)
        if longest and not any(
            regex.match(_IN_WORDS, token.content, regex.V1) for token in tokenizer.get_added_tokens_decoder().values()
        ):
            overlong = rf"{_IN_WORDS}++"
    return PatternCuts("|".join(cuts), overlong, longest)


def _pipeline(tokenizer: Tokenizer) -> Pipeline | None:
    """Return the pipeline of a tokenizer. None if there is no pre-tokenizer, or if a component is written in Python and
    cannot be serialized.
    """
    if tokenizer.pre_tokenizer is None:
        return None
    try:
        normalizers = [] if tokenizer.normalizer is None else _flat(_settings(tokenizer.normalizer), "normalizers")
        return Pipeline(normalizers, _flat(_settings(tokenizer.pre_tokenizer), "pretokenizers"))
    except Exception as error:
        if "cannot be serialized" in str(error):  # the package raises a bare Exception
            return None
        raise


def _settings(component: Any) -> dict[str, Any]:  # noqa: ANN401  # a normalizer or a pre-tokenizer, which share no type
    settings: dict[str, Any] = json.loads(component.__getstate__())
    return settings


def _flat(settings: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the components of a sequence, and of nested sequences, in the order in which they are applied."""
    pending, found = [settings], []
    while pending:
        item = pending.pop()
        if item["type"] == "Sequence":
            pending.extend(reversed(item[key]))
        else:
            found.append(item)
    return found


def _has_harmless_added_tokens(tokenizer: Tokenizer) -> bool:
    """Whether no added token, as written or normalized, contains white space or swallows the white space after it."""
    for token in tokenizer.get_added_tokens_decoder().values():
        written = [token.content]
        if tokenizer.normalizer is not None and token.normalized:
            written.append(tokenizer.normalizer.normalize_str(token.content))
        if token.rstrip or any(character.isspace() for text in written for character in text):
            return False
    return True


def _drops_white_space(pipeline: Pipeline) -> bool:
    return _first_that_cuts(pipeline)["type"] in _DROP_WHITE_SPACE


def _first_that_cuts(pipeline: Pipeline) -> dict[str, Any]:
    """Return the first pre-tokenizer that does more than split at single characters: later ones work on its
    pre-tokens.
    """
    for item in pipeline.pre_tokenizers:
        if item["type"] not in _CUT_BY_CHARACTER or item.get("behavior", "Isolated") != "Isolated":
            return item
    return {"type": "none"}


def _separators(pipeline: Pipeline) -> str:
    """Return the characters before which the pre-tokenizers split a text if the character to the left is not white
    space.
    """
    item = _first_that_cuts(pipeline)
    kind = item["type"]
    following = (
        pipeline.pre_tokenizers[pipeline.pre_tokenizers.index(item) + 1 :] if item in pipeline.pre_tokenizers else []
    )
    # Metaspace with "first" changes the first pre-token of a text, and after a split another pre-token would be the
    # first.
    if any(other["type"] == "Metaspace" and other["prepend_scheme"] == "first" for other in following):
        return ""
    if kind in _DROP_WHITE_SPACE:
        return _WHITE_SPACE
    if kind == "Metaspace" and item.get("split", True):
        return " "
    if kind == "ByteLevel" and item["use_regex"]:
        # A text that does not begin with a space gets one, and so would the right side of a split.
        return " " if item["add_prefix_space"] else _WHITE_SPACE
    if kind == "Split" and item["behavior"] == "Isolated" and not item["invert"]:
        # These patterns match white space only after white space, except for line ends after punctuation.
        known = {pattern.source for pattern in PATTERNS.values()}
        return " " if item["pattern"].get("Regex") in known else ""
    return ""


def _normalizes_apart(pipeline: Pipeline, *, drops: bool) -> bool:
    """Whether normalizing the two sides of a split before white space gives the same as normalizing the whole text."""
    metaspace = _first_that_cuts(pipeline).get("replacement", " ")
    for item in pipeline.normalizers:
        if item["type"] == "Replace":
            written = item["pattern"].get("String")
            if written is None:
                # White space is only on the right of the split. Its replacement must still be split off.
                if item["pattern"].get("Regex") != _RUN_OF_SPACES or item["content"] not in (" ", metaspace):
                    return False
            elif not written or any(character.isspace() for character in written):
                return False
        elif item["type"] not in _LOCAL or (item.get("strip_left") and not drops):
            return False
    return True


def _keeps_plain(tokenizer: Tokenizer) -> bool:
    """Whether the normalizer turns no plain character into white space or nothing."""
    if tokenizer.normalizer is None:
        return True
    plain = _plain_characters()
    normalized = tokenizer.normalizer.normalize_str(".".join(plain))
    parts = normalized.split(".")
    return len(parts) == len(plain) and all(parts) and not any(character.isspace() for character in normalized)


@cache
def _plain_characters() -> list[str]:
    plain = regex.compile(_PLAIN, regex.V1)
    return [chr(point) for point in range(0x21, 0xD7B0) if chr(point) != "." and plain.match(chr(point))]


def _is_separator(tokenizer: Tokenizer, mark: str, separators: str) -> bool:
    """Whether `mark` between two plain characters becomes exactly one of `separators` when it is normalized."""
    if tokenizer.normalizer is None:
        return mark in separators
    before, after = tokenizer.normalizer.normalize_str("a"), tokenizer.normalizer.normalize_str("b")
    whole = tokenizer.normalizer.normalize_str(f"a{mark}b")
    between = whole[len(before) : len(whole) - len(after)]
    return whole == before + between + after and len(between) == 1 and between in separators


def _cuts_at_punctuation(pipeline: Pipeline, added: str) -> list[str]:
    """Return more splits, for pre-tokenizers that split between letters and punctuation, or around ideographs; none
    next to characters that are in an added token.
    """
    kind = _first_that_cuts(pipeline)["type"]
    cuts = []
    marks = "".join(mark for mark in string.punctuation if mark != "_" and mark not in added)
    if kind in {"BertPreTokenizer", "Whitespace"} and marks:
        cuts.append(rf"(?<={_IN_WORDS})(?=[{regex.escape(marks)}])")
    pads = [item["type"] == "BertNormalizer" and item["handle_chinese_chars"] for item in pipeline.normalizers]
    if pads == [True] and not regex.search(_HAN, added):
        cuts.append(rf"(?<={_HAN})(?={_HAN})")
    return cuts


def _longest_word(tokenizer: Tokenizer) -> int:
    """Return the least number of characters that makes any word one unknown token; 0 if there is no such number."""
    kind = type(tokenizer.model).__name__
    if kind == "WordPiece":
        return int(tokenizer.model.max_input_chars_per_word) + 1
    if kind == "WordLevel":
        return 1 + max(map(len, tokenizer.get_vocab(with_added_tokens=False)), default=0)
    return 0
