"""Find special tokens that overlap, so that a text could be split at them in two ways.

llama.cpp searches for the longest token first, anywhere in the text, and then for the others in the rest; Hugging Face
searches from left to right, for the longest token at each offset. With "ab" and "bcd", llama.cpp splits the text "abcd"
into a|bcd and Hugging Face into ab|cd. For nearly all sets of tokens both give the same; the functions here find the
exceptions.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ahocorasick


def overlapping(texts: Collection[str]) -> tuple[str, str] | None:
    """Return two of the texts, left and right, whose overlap the two searches split differently; None if there are none.

    >>> overlapping(["ab", "bcd", "x"]), overlapping(["ab", "bc"]), overlapping(["<a>", "<b>", "  ", "   "])
    (('ab', 'bcd'), ('ab', 'bc'), None)
    """
    if not texts:
        return None
    by_start: dict[str, list[str]] = {}
    for text in texts:
        by_start.setdefault(text[0], []).append(text)
    # Imported late, because on an interpreter without the GIL this import switches the GIL on.
    import ahocorasick  # noqa: PLC0415

    automaton = ahocorasick.Automaton()
    for text in texts:
        automaton.add_word(text, text)
    automaton.make_automaton()
    for left in texts:
        for place in range(1, len(left)):
            for right in by_start.get(left[place], ()):
                # Only a text that is not shorter can be found before `left`; `right` must start inside `left` and reach
                # its end.
                if _size(right) >= _size(left) and right.startswith(left[place:]):
                    text = left[:place] + right
                    if _left_to_right(automaton, text) != _longest_first(texts, text, right):
                        return left, right
    return None


def hiding(texts: Collection[str], always: Collection[str]) -> tuple[str, str] | None:
    """Return one of `texts` that hides one of `always` in a search from left to right, and the hidden one; None if there are none.

    >>> hiding(["<a>"], ["a", "x"]), hiding(["<a>"], [">b"]), hiding(["<a>"], ["<a>b", "<"])
    (('<a>', 'a'), ('<a>', '>b'), ('<a>', '<'))
    """
    by_start: dict[str, list[str]] = {}
    for text in always:
        by_start.setdefault(text[0], []).append(text)
    for text in texts:
        for place, character in enumerate(text):
            for other in by_start.get(character, ()):
                if text.startswith(other, place) or (place and other.startswith(text[place:])):
                    return text, other
    return None


def tied(texts: Collection[str]) -> tuple[str, str] | None:
    """Return two overlapping texts of equal size in bytes, so that the order among equals matters; None if there are none.

    >>> tied(["<ab", "ab>", "abc>"]), tied(["<ab", "ab>", "<ab>"]), tied(["aa", "b"])
    (('<ab', 'ab>'), None, None)
    """
    by_size: dict[int, list[str]] = {}
    for text in texts:
        by_size.setdefault(_size(text), []).append(text)
    for size, equals in by_size.items():
        longer = [text for text in texts if _size(text) > size]
        by_start: dict[str, list[str]] = {}
        for text in equals:
            by_start.setdefault(text[0], []).append(text)
        for left in equals:
            for place in range(1, len(left)):
                for right in by_start.get(left[place], ()):
                    # A longer text inside of both is found first, and then they do not overlap.
                    if right != left and right.startswith(left[place:]):
                        both = left[:place] + right
                        if not any(text in both for text in longer):
                            return left, right
    return None


def _size(text: str) -> int:
    return len(text.encode())


def _left_to_right(automaton: ahocorasick.Automaton, text: str) -> list[tuple[int, int]]:
    found = sorted((last + 1 - len(word), -len(word)) for last, word in automaton.iter(text))
    taken = []
    position = 0
    for start, length in found:
        if start >= position:
            taken.append((start, start - length))
            position = start - length
    return taken


def _longest_first(texts: Collection[str], text: str, favoured: str) -> list[tuple[int, int]]:
    """Return the spans found by searching for the longest text first. The order of equal lengths is undefined in llama.cpp:
    here the favoured one comes first.
    """
    taken: list[tuple[int, int]] = []
    words = (word for word in texts if word in text)
    for word in sorted(words, key=lambda word: (_size(word), word == favoured), reverse=True):
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            if all(end <= other_start or start >= other_end for other_start, other_end in taken):
                taken.append((start, end))
                start = text.find(word, end)
            else:
                start = text.find(word, start + 1)
    return sorted(taken)
