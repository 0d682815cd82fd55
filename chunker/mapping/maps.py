"""The map of a repository within a budget.

    values     by who uses whom (ranks.py)
    prices     of each line by itself (sheets.py)
    choice     the lines of the largest value whose prices add up to the budget (choosing.py), and whose text fits it (fitting.py)

If no line of the focus is chosen, its best line is given the value of a whole map, so that it is chosen if it fits.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from chunker.arguments import require_all, require_names, whole_number
from chunker.counting import AnyTokenizer, TokenCounter, resolve_tokenizer
from chunker.mapping.choosing import Choice, Tree, choose
from chunker.mapping.fitting import fit
from chunker.mapping.focus import Focus
from chunker.mapping.ranks import definition_values, starts_of
from chunker.mapping.repositories import Repository


@dataclass(frozen=True, slots=True)
class RepositoryMap:
    """A map.

    Args:
        text: The names of files, and below each the signatures that were chosen.
        token_count: The tokens of `text`, never more than allowed.
        files: How many files are in it.
        definitions: How many definitions are in it.
        value: The value of these by rank, as a share of the value of all.
        bound: A share that no map of this size exceeds, with each line at its own price.
        unknown: The names of the focus that name no file, folder or symbol with something to show.
    """

    text: str
    token_count: int
    files: int
    definitions: int
    value: float
    bound: float
    unknown: tuple[str, ...] = ()


def map_repository(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Repository,
    max_tokens: int = 2000,
    *,
    focus: str | Collection[str] = (),
    tokenizer: AnyTokenizer = "o200k_base",
    progress: bool | None = False,
) -> RepositoryMap:
    """Draw the map of a repository: the signatures that matter most, in at most so many tokens.

    Args:
        paths: Files and folders, or a `Repository`, which reads again what has changed alone.
        max_tokens: The largest number of tokens of the text.
        focus: Files or folders, by their names on the map or by their paths, or names of symbols, that the map is for.
            Each of them has a line on the map, if it fits. What it does not find is in `unknown`.
        tokenizer: The tokenizer to count with: anything that `chunker.TextChunker` takes.
        progress: Show a bar on standard error while files are read; None shows it if that is a terminal, and else a
            line every few seconds.

    Returns:
        The map; the same files give the same one.

    Raises:
        FileError: A path does not exist.
        OptionError: max_tokens is not a whole number from 1, or no file can be called as one of the paths.
        WrongTypeError: `paths` is not a path and no collection of paths, or `focus` no str and no collection of them.
    """
    max_tokens = whole_number(max_tokens, "max_tokens", " of tokens", least=1)
    if not isinstance(focus, str):
        require_all(focus, str, "focus", "str")
    repository = paths if isinstance(paths, Repository) else Repository(paths)
    repository.refresh(progress=progress)
    wanted = [focus] if isinstance(focus, str) else list(focus)
    require_names(wanted, "focus")
    return _Drawing(repository, wanted, resolve_tokenizer(tokenizer)).map(max_tokens)


class _Drawing:
    """Draws maps of one state of a repository. The lines of all sheets, in order, are the nodes of the tree to choose from."""

    def __init__(self, repository: Repository, focus: Sequence[str], counter: TokenCounter) -> None:
        self._sheets = repository.sheets
        self._counter = counter
        numbers = repository.name_numbers
        files = [sheet.file for sheet in self._sheets]
        self._focus = Focus.of(focus, files, numbers, repository.root)
        focused = sorted(numbers[name] for name in self._focus.symbols)
        starts = starts_of(files, self._focus)
        values = definition_values([sheet.columns for sheet in self._sheets], len(numbers), starts, focused)
        *self._firsts, _ = accumulate([len(sheet.lines) for sheet in self._sheets], initial=0)  # the node of each file
        prices = [sheet.prices(counter) for sheet in self._sheets]
        columns = [side for side, _ in prices], [sheet.sizes for sheet in self._sheets], [side for _, side in prices]
        self._total = sum(values) or 1.0
        self._tree = Tree(values, *(array("q", b"".join(column)) for column in columns))

    def map(self, budget: int) -> RepositoryMap:
        """The map within a budget."""
        raised = self._raise_focus(budget)
        best, text, tokens, bound = fit(self._tree, budget, self._text, self._counter, raised=sum(raised.values()))
        files = self._by_file(best)
        added = sum(raised[node] for node in raised.keys() & set(best.nodes))
        value = max(best.value - added, 0.0)
        bound = max(bound - added, value)
        return RepositoryMap(
            text,
            tokens,
            len(files),
            len(best.nodes) - len(files),
            value / self._total,
            bound / self._total,
            self._focus.unknown,
        )

    def _raise_focus(self, budget: int) -> dict[int, float]:
        """Raise the best line of each part of the focus that the best choice leaves out.

        Returns:
            Node -> what was added to its value: that of the whole choice.
        """
        parts = self._focused_lines()
        if not parts:
            return {}
        choice = choose(self._tree, budget)
        chosen = set(choice.nodes)
        raised: dict[int, float] = {}
        for nodes in parts:
            if chosen.isdisjoint(nodes):
                best = max(nodes, key=lambda node: (self._tree.values[node], -node))
                raised[best] = max(choice.bound, 1.0)
        for node, value in raised.items():
            self._tree.values[node] += value
        return raised

    def _focused_lines(self) -> list[list[int]]:
        """For each part of the focus, the nodes that show it: definitions of that name, or the outermost definitions of its files."""
        sizes = self._tree.sizes
        parts: list[list[int]] = []
        for numbers in self._focus.files:
            nodes: list[int] = []
            for number in numbers:
                first = self._firsts[number]
                node = first + 1
                while node < first + sizes[first]:
                    nodes.append(node)
                    node += sizes[node]
            parts.append(nodes)
        for symbol in self._focus.symbols:
            nodes = [
                first + row
                for first, sheet in zip(self._firsts, self._sheets, strict=True)
                for row, one in enumerate(sheet.file.symbols.definitions, 1)
                if one.name == symbol
            ]
            if nodes:  # a name that is used but not defined here has no line
                parts.append(nodes)
        return parts

    def _by_file(self, choice: Choice) -> dict[int, set[int]]:
        """Number of a sheet -> its chosen rows, of sheets that have some."""
        rows: dict[int, set[int]] = defaultdict(set)
        for node in choice.nodes:
            sheet = bisect_right(self._firsts, node) - 1
            rows[sheet].add(node - self._firsts[sheet])
        return rows

    def _text(self, choice: Choice) -> str:
        parts: list[str] = []
        for sheet, rows in self._by_file(choice).items():
            parts += [*self._sheets[sheet].shown(rows), ""]
        return "\n".join(parts)
