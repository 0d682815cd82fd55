"""The normalizers Charsmap and SentencePieceText: replace text by SentencePiece's tables and report the source of each character."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_engine.fallback.clusters import clusters
from bpe_engine.pipeline.charsmaps import table_of
from bpe_engine.pipeline.normalizers import Charsmap, SentencePieceText
from bpe_engine.text.patience import check_growth

# Bytes. A cluster of fewer than `_LONG` is looked up as a whole; `_LONGEST` is the longest key of a table.
_LONG, _LONGEST = 6, 1024


def map_clusters(charsmap: Charsmap, text: str, places: list[int], original: int) -> tuple[str, list[int]]:
    """Map a text as Hugging Face's Precompiled does; return it with the source offset of each character.

    A grapheme cluster of less than six bytes that starts with a key of the table is replaced as a whole, by the value
    of the shortest such key. In other clusters each character is looked up by itself.
    """
    prefixes = table_of(charsmap.data).prefixes
    parts: list[str] = []
    found: list[int] = []
    place, length = 0, 0
    was_put_in = False  # whether the last character was inserted

    def put(part: str, size: int, known: list[tuple[int, str]]) -> None:
        nonlocal place, length, was_put_in
        made = known[0][1] if known else part
        parts.append(made)
        if not made and was_put_in:
            # The inserted character before it now stands for the removed one.
            found[-1] = places[place]
        was_put_in = len(made) > size
        found.extend(places[place + min(number, size - 1)] for number in range(len(made)))
        place += size
        length += len(made)
        check_growth(length, original, "the normalizers")

    for cluster in clusters(text):
        data = cluster.encode("utf-8", "surrogateescape")
        known = prefixes(data) if len(data) < _LONG else []
        if known:
            put(cluster, len(cluster), known)
            continue
        for character in cluster:
            put(character, 1, prefixes(character.encode("utf-8", "surrogateescape")))
    # Characters removed at the start belong to the first that is left.
    found[:1] = places[: min(1, len(found))]
    return "".join(parts), found


def sentence_piece_text(rules: SentencePieceText, text: str, original: int) -> tuple[str, list[int]]:
    """Normalize a text as `sentencepiece` does; return it with the source offset of each character."""
    removes = rules.remove_extra_whitespaces
    space = "\u2581" if rules.escape_whitespaces else " "
    parts = list(_parts(rules, text))
    first = 0
    while removes and first < len(parts) and parts[first][0] == " ":
        first += 1
    if first == len(parts):
        return "", []
    made: list[str] = []
    places: list[int] = []
    if rules.add_dummy_prefix:
        made.append(space)
        places.append(parts[first][1])
    after_space = removes
    for part, place in parts[first:]:
        kept = part.lstrip(" ") if after_space else part
        made += kept.replace(" ", space)
        places += [place] * len(kept)
        if kept:
            after_space = removes and kept.endswith(" ")
        check_growth(len(made), original, "the normalizers")
    while removes and made and made[-1] == space:
        made.pop()
        places.pop()
    return "".join(made), places


def _parts(rules: SentencePieceText, text: str) -> Iterator[tuple[str, int]]:
    """Replace from left to right; yield each replacement with the offset of the text that it replaces, in characters.

    At each offset the longest user-defined text is kept as it is; otherwise the longest key of the table is replaced;
    otherwise one character is kept.
    """
    table = table_of(rules.charsmap) if rules.charsmap else None
    longest = max(map(len, rules.user_defined), default=0)
    data = text.encode("utf-8", "surrogateescape")
    starts = {start: place for place, start in enumerate(_starts(text))}
    place, start = 0, 0
    while start < len(data):
        for size in range(min(longest, len(text) - place), 0, -1):
            if text[place : place + size] in rules.user_defined:
                yield text[place : place + size], place
                length = len(text[place : place + size].encode())
                break
        else:
            known = table.prefixes(data[start : start + _LONGEST]) if table else []
            if known:
                length, made = known[-1]
                yield made, place
            else:
                length = len(text[place].encode("utf-8", "surrogateescape"))
                yield ("\ufffd" if "\ud800" <= text[place] <= "\udfff" else text[place]), place
        start += length
        place = starts[start]


def _starts(text: str) -> Iterator[int]:
    start = 0
    for character in text:
        yield start
        start += len(character.encode("utf-8", "surrogateescape"))
    yield start
