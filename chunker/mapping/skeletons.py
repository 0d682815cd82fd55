"""The signatures of one file, all of them or those that fit a budget."""

from __future__ import annotations

from array import array
from itertools import islice

from chunker.arguments import whole_number
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.mapping.choosing import Choice, Tree
from chunker.mapping.fitting import fit
from chunker.mapping.mapped_files import mapped_text
from chunker.mapping.ranks import definition_values
from chunker.mapping.sheets import Sheet


def skeleton(text: str, name: str, max_tokens: int | None = None, *, tokenizer: AnyTokenizer = "o200k_base") -> str:
    """The signatures of a source text, or the headings of prose, each on its line and indented by what it is in.

    Args:
        text: The text of a file.
        name: The name of the file, which tells its language.
        max_tokens: The largest number of tokens of the result: the signatures that matter most, with "..." where some
            are left out. None for all.
        tokenizer: The tokenizer that counts them: anything that `chunker.TextChunker` takes.

    Returns:
        The lines; "" for a text without any.

    Raises:
        OptionError: max_tokens is not a whole number from 1.

    Examples:
        >>> print(skeleton("class Box:\\n    def open(self):\\n        return 1\\n", "a.py"), end="")
        class Box:
            def open(self):
    """
    if max_tokens is not None:
        max_tokens = whole_number(max_tokens, "max_tokens", " of tokens", least=1)
    file = mapped_text(name, text)
    if file is None:
        return ""
    names: dict[str, int] = {}
    sheet = Sheet(file, names)

    def lines_of(choice: Choice) -> str:
        return "".join(f"{line}\n" for line in islice(sheet.shown(frozenset(choice.nodes)), 1, None))

    whole = "".join(f"{line}\n" for line in sheet.lines[1:])
    if max_tokens is None:
        return whole
    counter = resolve_tokenizer(tokenizer)
    if counter.count(whole) <= max_tokens:
        return whole
    prices, marks = (array("q", side) for side in sheet.prices(counter))
    prices[0] = 1  # the name of the file, which has no line here
    values = definition_values([sheet.columns], len(names), [1.0], [])
    tree = Tree(values, prices, array("q", sheet.sizes), marks)
    return fit(tree, max_tokens, lines_of, counter, unseen=1).text
