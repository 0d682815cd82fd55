"""What the chunkers do once for each line or block of a text, compiled."""

from collections.abc import Callable, Sequence
from typing import Any


class NativeSketch:
    """The boundaries of a text, which growers read without Python."""

def placed(kind: type, origin: object, pieces: list[tuple[int, int, str, int, str]], first: int) -> list[object]:
    """
    A chunk for each piece, as `chunker.models.placed` makes it; the first has the index `first`.
    """

class ColumnBuffer:
    """The memory of a column, by the buffer protocol."""

class ChunkColumns:
    """
    Chunks of many texts by columns, as Arrow keeps them: see chunker.scale.chunk_columns.
    """

    def __init__(self, bytes: int = 0) -> None:
        """`bytes`: about so many all texts together will have."""

    def add(self, text: str, pieces: list[tuple[int, int, str, int, str]], identity: bytes) -> None:
        """
        Add the chunks of a text; `identity` is what their ids begin with. Raises UnicodeEncodeError for halves of surrogate pairs.
        """

    def lines(self, breadcrumbs: list[tuple[str, ...]], source: str, rest: bytes) -> bytes:
        """
        The records of the chunks of one text as lines of JSON. `breadcrumbs`: the names around each; `rest`: the JSON of the fields that all have in common, from the language on, with the brace at the end.
        """

    def take(self, wide: bool) -> dict[str, tuple[ColumnBuffer, ...]]:
        """
        Takes all chunks out. The buffers of each column: of strings where each ends and the bytes of all, in 64 bits if `wide` and else in 32; of numbers the values.
        """

class DataOutline:
    """What was found in a text of data."""

    def columns(self) -> tuple[list[int], list[int], list[str]]:
        """Offsets, strengths and labels of the boundaries."""

    def members(self) -> list[tuple[int, int, int, int, int]]:
        """Those of some length, as fields of chunker.formats.nesting.Member."""

    def cells(self) -> list[tuple[int, int, int | None, tuple[int, int] | None, list[tuple[int, int]], tuple[int, int] | None]]:
        """
        Those of a notebook: start, end, the row of its boundary, where the text of Markdown stands, its first lines, and where outputs stand.
        """

    def tables(self) -> list[tuple[int, bool, int, int]]:
        """
        The headers of those of TOML, as fields of chunker.formats.data.toml_text.Header.
        """

def read_json(text: str) -> DataOutline:
    """The members of JSON: see chunker.formats.data.json_text."""

def read_json_lines(text: str) -> DataOutline:
    """The records of JSON Lines: see chunker.formats.data.json_lines."""

def read_yaml(text: str) -> DataOutline:
    """The keys and items of YAML: see chunker.formats.data.yaml_text."""

def read_toml(text: str) -> DataOutline:
    """
    The tables and keys of TOML, which is not empty: see chunker.formats.data.toml_text.
    """

def read_notebook(text: str) -> DataOutline:
    """The cells of a notebook: see chunker.formats.data.notebook."""

def has_data_run(text: str, least: int) -> bool:
    """
    Whether at least so many characters of base64 follow each other; True, too, for a text with halves of surrogate pairs.
    """

class Limits:
    """The budget of a chunk: see chunker.growing.budget."""

    def __init__(self, *, most: int, least: int, overlap: int, desired: int | None, overlap_finest: int) -> None: ...

class Chunking:
    """Makes the chunks of one text, once."""

    def grow(self, kind: type[tuple[int, int, str, int, str]], number: int, horizon: int | None) -> list[Any]:
        """
        The next chunks, at most so many, that begin up to `horizon`, as tuples of a class with these names: where it starts and ends, its context, its tokens, and the label of its first unit. Fewer where there are no more, or where the next call raises.
        """

    def bodies(self, strip: bool) -> list[str]:
        """
        The texts of all further chunks without contexts; with `strip` without white space at their ends, and none of white space only.
        """

    def put_into(self, columns: ChunkColumns, identity: bytes) -> list[int]:
        """
        Add all further chunks to columns, or none where an error is raised; `identity` is what their ids begin with. Where the new text of each begins, after an overlap.
        """

class Grower(Chunking):
    """Grows the chunks of one text, once."""

    def __init__(self, text: str, tokenizer: object, outline: object, limits: Limits, context_at: object | None) -> None:
        """
        `outline`: an Outline or a Sketch, whose `native` is asked before all else of it. `context_at` is None where chunks have no contexts. A text with halves of surrogate pairs raises UnicodeEncodeError.
        """

    def follow(self) -> None:
        """Know of the next chunks how far each of them looks."""

    def reach(self) -> int:
        """
        How far the last chunk looked: it comes out as it did whatever comes after that offset. At least the end of the text if it depends on that.
        """

    def ahead(self, most: int) -> tuple[list[tuple[int, int, str, int]] | None, int, int, int, int]:
        """See chunker.growing.units.Ahead."""

    def details(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """
        Of the units of `ahead` those that are closed, each with where the sketch says that it begins; and those in heads, each with where the head ends.
        """

    def resume(self, places: list[tuple[int, int, str, int]], overlapping: int, closed: list[tuple[int, int]] = ...) -> None:
        """
        Put units ahead that another grower had, the first `overlapping` of which repeat the end of a chunk; `closed` are those that are.
        """

def make_all(makers: list[Chunking]) -> None:
    """
    Make all chunks of several texts in one call, without the GIL; `grow` of each then returns them. Those whose counters are objects of Python are left as they are.
    """

def distinct_characters(text: str) -> list[str]:
    """
    Each character of a text once. Raises UnicodeEncodeError for halves of surrogate pairs.
    """

def sentence_ends(text: str) -> list[int]:
    """The ends of the sentences of a text: see chunker.formats.segmentation."""

def refine(text: str, start: int, end: int, strength: int) -> tuple[list[int], int]:
    """
    The boundaries inside text[start:end] of the next level below `strength` that has any, and that level's strength: see chunker.formats.refining.
    """

class CodeLines:
    """
    Finds the lines of a text that may be code: see chunker.formats.guessing.
    """

    def __init__(self, words: dict[str, int], marks: dict[str, int]) -> None:
        """
        What lines begin with, after spaces and tabs, and what they hold; each with its languages, a bit for each.
        """

    def find(self, text: str, longest: int) -> list[tuple[str, int]]:
        """
        The lines that some language has, each with its languages; none of more than `longest` characters.
        """

def source_names(text: str, block_comments: list[str], line_comments: list[str], strings: list[str], most: int) -> tuple[str, dict[str, list[int]] | None] | None:
    """
    Source code with spaces for comments and strings, and the lines on which each name stands, `most` at most; None for the lines if not all of the code is ASCII, and None for a text with halves of surrogate pairs.
    """

def definition_values(files: list[tuple[bytes, bytes, bytes, bytes]], names: int, starts: list[float], focused: list[int]) -> bytes:
    """
    Numbers of eight bytes: for each file 0 and the value of each of its definitions, by who uses it. See chunker.mapping.ranks.
    """

def choose(values: bytes, prices: bytes, sizes: bytes, marks: bytes, budget: int, raised: float) -> tuple[list[int], float, float]:
    """
    The nodes of the largest value within a budget, that value, and a bound: see chunker.mapping.choosing.
    """

def copy_for_parsers(text: str) -> str | None:
    """
    `text` in ASCII, with a line feed at the end of each line and every character in its place; None if it has lone surrogates.
    """

class MarkdownSketch(NativeSketch):
    """
    Where the units of a text begin and what is left for later; as `markdown_sketch.MarkdownSketch`.
    """

    def __init__(self, copy: str) -> None: ...

    def read_plain(self, start: int) -> int:
        """
        Take in the blocks from `start` on; the offset of the first one that is not certain, or that of the end.
        """

    def heading(self, start: int, end: int, level: int) -> None:
        """A heading, with its marks."""

    def paragraph(self, start: int, end: int) -> None:
        """Prose."""

    def code(self, start: int, end: int, info: str | None) -> None:
        """A fence with its info string, or an indented block."""

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """A table; `rows` are the starts of the lines below the delimiter row."""

    def leaf(self, start: int, end: int, label: str) -> None:
        """Another block without blocks inside."""

    def lines(self, start: int, end: int) -> None:
        """Lines that are no block."""

    def open(self, start: int, label: str) -> None:
        """A block with blocks inside begins."""

    def item(self, start: int) -> None:
        """An item of the innermost list begins."""

    def close(self) -> None:
        """The innermost open block ends."""

    def begin(self, start: int) -> None:
        """Make the block at `start`, after a byte order mark, begin at 0."""

    def front_matter(self, start: int, end: int, language: str) -> None:
        """What stands before the text, without the lines around it."""

    def strengthen(self, start: int) -> None:
        """Make the first boundary at or after `start` as strong as a section."""

    def columns(self) -> tuple[list[int], list[int], list[str]]:
        """Offsets, strengths and labels of the boundaries."""

    def closed(self) -> list[int]:
        """Where units begin that have something left for later."""

    def work_in(self, unit: int) -> list[tuple[str, int, int]]:
        """
        What is left for later of the unit that begins there: what it is, its start and its end.
        """

    def inside(self, text: str, unit: int) -> tuple[list[int], list[int], list[str]] | None:
        """
        Offsets, strengths and labels of the boundaries inside of the unit of `text` that begins there; None if it holds code that may be cut as its language is.
        """

    def may_have_names(self, unit: int) -> bool:
        """
        Whether some of the unit that begins there may be in another language, whose definitions have names.
        """

    def named_unit(self, offset: int) -> int | None:
        """
        Where the unit begins that an offset is inside of, if it may have names; else None.
        """

    def breadcrumb(self, text: str, plain: Callable[[str], str], offset: int) -> tuple[str, ...]:
        """
        The names of the sections of `text` around an offset, outermost first; `plain` as for `scopes`.
        """

    def scopes(self, text: str, plain: Callable[[str], str]) -> list[tuple[int, int, str, str]]:
        """
        Start, end, name and header of the sections and tables of `text`, outermost first. `plain` returns the text of a heading on one line; called for those that have marks or links inside.
        """

class HtmlElements:
    """The elements of HTML that mean something for blocks."""

    def __init__(self, elements: list[tuple[str, str, tuple[bool, ...], bool, list[str]]]) -> None:
        """
        Of each its name, its label, whether it is a block, void, raw, a part of tables, a barrier, ends sections, and stands in headings; whether it is kept whole; and the names of those that it ends.
        """

def read_html(text: str, elements: HtmlElements, code_inside: object) -> tuple[tuple[list[int], list[int], list[str]], list[tuple[int, int, int, int, int | None]], list[tuple[int, int, int, int]]]:
    """
    The boundaries of HTML; its headings, each with its start, its level, its text from where to where, and where its section ends at the latest; and tables with a header: start, end, and from where to where the header stands. See chunker.formats.markup.html.
    """

def html_states(text: str, elements: HtmlElements) -> tuple[list[tuple[int, int, int]], list[tuple[int, str, int, int, str]], list[tuple[int, int, int, int, int]]]:
    """
    The offsets where parsing of HTML can resume, with their states: the columns of chunker.formats.markup.html_restarts.States.
    """

class LatexEnvironments:
    """The environments of LaTeX that mean something for blocks."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        """
        The names of those that are kept whole, of tables, lists and what is verbatim, and the commands of sections, the highest first.
        """

def prose_columns(paragraph: str) -> tuple[list[int], list[int], list[str]]:
    """The boundaries inside a paragraph: see chunker.formats.columns."""

def verbatim_columns(lines: str) -> tuple[list[int], list[int], list[str]]:
    """
    The lines but the first that are not blank: see chunker.formats.columns.
    """

def restructuredtext_lines(copy: str, start: int) -> list[tuple[int, int, int, int, bool, str]]:
    """
    The lines of copy[start:] that are not blank, as fields of chunker.formats.markup.restructuredtext_lines.Line.
    """

def read_latex(text: str, environments: LatexEnvironments, code_inside: object) -> tuple[tuple[list[int], list[int], list[str]], list[tuple[int, int, int, int, int | None]], list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]:
    """
    The boundaries of LaTeX; its headings, as those of read_html; slides, each with its start, its end, and from where to where its title stands; and tables with a header, likewise. See chunker.formats.markup.latex.
    """

class KeptMessages:
    """
    The plain messages of a conversation: see chunker.prompt.conversation.kept_messages.
    """

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def copy(self) -> KeptMessages:
        """Another one, to be changed by itself."""

    def dicts(self) -> list[dict[str, object]]:
        """The messages, each a dict of its own."""

    def splice(self, first: int, last: int, messages: list[dict[str, object]]) -> list[dict[str, object]]:
        """
        Put others in the place of the messages from `first` up to `last`, and return these.
        """

    def unchanged(self, messages: list[object], plain: Callable[[object], object]) -> tuple[int, int]:
        """
        How many messages are those that are kept, at the start and after them at the end. `plain` makes of a message what would be kept of it.
        """

class Optimizer(Chunking):
    """Makes the chunks of one text that cost least, once."""

    def __init__(self, text: str, tokenizer: object, outline: object, limits: Limits, context_at: object | None) -> None:
        """See Grower. The first offset of an outline has to be 0."""

class TextReading(NativeSketch):
    """The lines of a plain text that are not blank, and its first line."""

    def __init__(self, text: str) -> None: ...

    def columns(self) -> tuple[list[int], list[int], list[str]]:
        """
        Where the lines begin, in characters, their strengths and their labels. The first has the strength of a document.
        """

class Separators:
    """Separators, prepared for many texts."""

    def __init__(self, separators: tuple[tuple[tuple[str, int, int], ...], ...], strengths: tuple[int, ...], before: bool) -> None:
        """
        `separators`: the best first, each as strings with the least and greatest numbers of their repetitions; an expression, whose cuts come with each text, is empty. `before`: the side of a separator that is cut. Raises UnicodeEncodeError for halves of surrogate pairs.
        """

class SeparatorSketch(NativeSketch):
    """
    The parts of a text between separators; as `chunker.integrations.separators` finds them.
    """

    def __init__(self, text: str, separators: Separators, cuts: dict[int, list[int]], most: int) -> None:
        """
        `cuts`: the ascending cuts at what the expressions have found, by their ranks. `most`: parts of at most so many characters are cut at the last separator, if that is a character, on request alone. Raises UnicodeEncodeError for halves of surrogate pairs.
        """

class SpanMeter:
    """Turns character offsets into spans: see chunker.growing.spans."""

    def __init__(self, text: str | bytes) -> None:
        """`text` is a str, of ASCII if that is to cost nothing, or UTF-8."""

    def measure(self, start: int, end: int) -> tuple[int, int, int, int]:
        """
        Of text[start:end], which is not empty, in characters: where it starts and ends in bytes, and its first and its last line.
        """

def has_syntax() -> bool:
    """
    Whether the runtime of tree-sitter is built in: without it grammars are of no use.
    """

class CodeReading(NativeSketch):
    """A text, parsed and walked: the boundaries of its sketch."""

    def columns(self) -> tuple[list[int], list[int], list[str], dict[int, int]]:
        """
        Offsets in characters, strengths and labels; and the heads: offsets between the top of a definition and its first line -> where that ends.
        """

    def closed(self) -> list[int]:
        """Where the closed units begin, ascending."""

    def inside(self, offset: int) -> tuple[tuple[list[int], list[int], list[str], dict[int, int]], list[tuple[int, int, str]]]:
        """
        The columns and the regions of what is inside a closed unit. Raises IndexError where none begins.
        """

    def resumption(self, preamble: int = 0) -> tuple[list[tuple[int, int]], list[tuple[str, str]], list[tuple[int, int]]]:
        """
        The offsets outside of closed units from which a part of the text can be read alone, with the same result: in characters, ascending, each with the number of the body around it. By these numbers, the lines that stand in for the text before and after. And the starts and ends of the parser's errors. `preamble`: the number of characters at the start that stand in for text before.
        """

    def regions(self) -> list[tuple[int, int, str]]:
        """
        The definitions outside of closed units that have a name: start and end in characters, and the name, on one line.
        """

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """The names of the definitions around an offset, outermost first."""

    @property
    def had_errors(self) -> bool:
        """Whether the parser met what it does not understand."""

    @property
    def given_up(self) -> bool:
        """Whether it did not get done; all is lines then."""

class Grammar:
    """
    What the nodes of a tree-sitter grammar mean: `Compiled` in chunker/formats/code/grammar.py, in numbers.

    `kinds`: role, inside, number of the label, number of the definition or -1; after those of the grammar that of errors.
    `definitions`: number of the label; conditions: a path and the types of what is there; and the segments of the name: whether it is optional, its literal text, and placeholders, each with its ways and the literal text after it.
    `labels`: the first are line, paragraph, statement, clause, comment.
    """

    def __init__(self, language: object, kinds: Sequence[tuple[int, int, int, int]], definitions: Sequence[tuple[int, Sequence[tuple[Sequence[Sequence[str]], Sequence[str]]], Sequence[tuple[bool, str, Sequence[tuple[Sequence[tuple[str, bool]], str]]]], bool]], whole_text: int, labels: list[str], skimmed: bytes, opening: bytes, spaced: bool) -> None: ...

    @staticmethod
    def reads(language: object) -> bool:
        """Whether the runtime knows grammars of this version."""

    def read(self, text: str, small: int) -> CodeReading:
        """
        Read a text that is not empty; nodes of at most `small` bytes are closed. The GIL is released meanwhile.
        """
