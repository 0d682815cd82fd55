"""How chunkers cut real texts: which definitions stay whole, what is over the budget, lost or misplaced, and how full chunks are.

The texts are the top-level modules of Python's standard library, this repository's Markdown and the documents of
installed packages. What a definition is, Python's own `ast` and `tokenize` say; what a token is, tiktoken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import code_texts
import language_texts
from chunk_findings import BrokenLaws, Findings, Text, code, plain, python
from chunk_peers import PACKAGES, Split, code_splitters, prose_splitters
from measuring import Report, parser
from real_texts import installed_documents, own_markdown, standard_library
from rich.progress import track

from chunker import CodeChunker, MarkdownChunker, TextChunker

LIMITS = (64, 256, 512, 2000)

Column = tuple[str, Callable[[Findings], str]]

STRUCTURE: Sequence[Column] = (
    ("functions intact", lambda found: _share(found.functions - found.broken_functions, found.functions)),
    ("broken", lambda found: str(found.broken_functions)),
    ("decorators cut off", lambda found: f"{found.cut_decorators}/{found.decorators}"),
    ("comments cut off", lambda found: f"{found.cut_comments}/{found.comments}"),
    ("heads torn", lambda found: f"{found.cut_heads}/{found.heads}"),
)
ALWAYS: Sequence[Column] = (
    ("over budget", lambda found: f"{found.over_budget} (up to {found.largest:,})" if found.over_budget else "0"),
    ("lost (not white space)", lambda found: f"{found.lost:,} ({found.lost_black:,})" if found.lost else "0"),
    ("wrong offsets", lambda found: f"{found.wrong_offsets:,}"),
    ("spread", lambda found: f"{found.spread:.2f}"),
    (
        "undersized",
        lambda found: f"{found.undersized} ({_share(found.undersized, found.chunks)})" if found.undersized else "0",
    ),
    ("chunks", lambda found: f"{found.chunks:,}"),
)
EXPLANATION = """\
Each cut is counted once, by what it separates.

- functions intact, broken: of functions and methods that need at most 80 % of the budget with their decorators and leading comments: those \
that one chunk holds from the line of their name to their end, and the number of the others
- decorators, comments cut off: of the definitions of at most 80 % of the budget that have them: those that have these in another \
chunk than what they stand before
- heads torn: of definitions that are longer and that have decorators or comments, where these and the line of the name together need at most \
80 %: those where one chunk does not hold all of that
- over budget: chunks of more tokens than the limit by tiktoken
- lost: characters of the text that are in no chunk, and how many of them are not white space
- wrong offsets: chunks whose offsets are missing or do not give the chunk's text
- undersized: chunks of less than 10 % of the budget in texts that have more
- spread: standard deviation of the sizes of chunks, as a share of their mean

How fast they are is measured by benchmarks/chunks/chunk_speed.py."""


def run(make: Callable[[], Split], texts: Sequence[Text], limit: int) -> tuple[Findings, list[str]]:
    """The findings on all texts, and the errors."""
    found = Findings()
    try:
        split = make()
    except Exception as error:  # noqa: BLE001 - whatever a package fails with is a result
        return found, [f"does not run: {_in_short(error)}"]
    failed: dict[str, list[str]] = {}
    for text in texts:
        try:
            pieces = split(text.text)
        except Exception as error:  # noqa: BLE001 - as above
            failed.setdefault(_in_short(error), []).append(text.name)
            continue
        found.judge(text, pieces, limit)
    return found, [f"fails on {_some(names)}: {message}" for message, names in failed.items()]


def compare(
    report: Report,
    texts: Sequence[Text],
    limit: int,
    splitters: Mapping[str, Callable[[], Split]],
    columns: Sequence[Column],
    *,
    only: str,
) -> None:
    """The table of the splitters whose names contain `only` at one limit."""
    report.add(f"### {limit:,} tokens")
    rows = []
    notes = []
    chosen = {name: make for name, make in splitters.items() if only in name}
    for name, make in track(chosen.items(), description=f"{limit} tokens", transient=True):
        found, failures = run(make, texts, limit)
        notes += [f"- {name} {failure}" for failure in failures]
        if found.chunks:
            cells = [show(found) for _, show in columns]
            fill = _share(found.tokens, found.chunks * limit, digits=0)
            rows.append([name, *cells, fill])
    report.add_table(["", *(title for title, _ in columns), "mean fill"], rows)
    if notes:
        report.add("\n".join(notes))


def check_laws(report: Report, groups: Mapping[str, tuple[Sequence[Text], list[TextChunker]]]) -> None:
    """Our own chunkers against the laws: one row for each group of texts and chunker. All but "chunks" must be 0."""
    rows = []
    for name, (texts, chunkers) in groups.items():
        for chunker in track(chunkers, description=name, transient=True):
            broken = BrokenLaws()
            for text in texts:
                broken.judge(chunker, text.text)
            options = f"overlap {chunker.overlap}, context" if chunker.context else "plain"
            rows.append([f"{name}, {options}", chunker.max_tokens, *broken.values()])
    header = ["", "limit", "chunks", "over budget", "wrong token_count", "wrong start, end"]
    header += ["wrong start_byte, end_byte", "wrong start_line, end_line", "characters lost"]
    report.add_table(header, rows)


def _share(part: int, whole: int, digits: int = 2) -> str:
    """A share, in percent.

    >>> _share(1, 3), _share(0, 0)
    ('33.33 %', '0.00 %')
    """
    return f"{100 * part / max(whole, 1):.{digits}f} %"


def _some(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} texts, first on {names[0]}"


def _in_short(error: Exception) -> str:
    """The kind of an error and the first line of its message, without paths of this machine."""
    message = re.sub(r" ?\(/[^)]*\)", "", str(error).partition("\n")[0])
    return f"{type(error).__name__}: {message[:160]}"


def _megabytes(texts: Sequence[Text]) -> str:
    return f"{len(texts)} texts, {sum(len(text.text.encode()) for text in texts) / 1e6:.2f} MB"


def _other_language(report: Report, language: str, most: int | None, only: str) -> None:
    """The table of one language."""
    sources, missing = code_texts.code_texts(language, language_texts.default_folder())
    texts = [code(name, source, language) for name, source in islice(sources.items(), most)]
    found = [one for text in texts for one in text.definitions]
    packages = ", ".join(source.package for source in code_texts.SOURCES[language])
    report.add(
        f"## {language}: files of {packages}\n\n{_megabytes(texts)}, "
        f"{sum(one.is_function for one in found):,} functions, {sum(not one.is_function for one in found):,} types"
        + "".join(f"; {reason}" for reason in missing)
    )
    compare(report, texts, 512, code_splitters(512, language), (*STRUCTURE, *ALWAYS), only=only)


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--files", type=int, help="only the first so many modules and documents")
    arguments.add_argument("--limit", type=int, action="append", help="this limit alone; may be repeated")
    arguments.add_argument("--language", action="append", help="of the other languages this one alone; may be repeated")
    arguments.add_argument("--only", default="", metavar="NAME", help="only splitters whose names contain this")
    options = arguments.parse_args()
    limits = options.limit or LIMITS

    report = Report("Chunks of real texts", options.output)
    report.add_provenance(PACKAGES, "tokens are those of o200k_base")
    report.add(EXPLANATION)
    modules = [python(name, source) for name, source in standard_library(options.files).items()]
    found = [one for module in modules for one in module.definitions]
    report.add(
        f"## Python: the standard library's top-level modules\n\n{_megabytes(modules)}, "
        f"{sum(one.is_function for one in found):,} functions, {sum(not one.is_function for one in found):,} classes"
    )
    for limit in limits:
        compare(report, modules, limit, code_splitters(limit), (*STRUCTURE, *ALWAYS), only=options.only)

    for language in options.language or code_texts.SOURCES:
        _other_language(report, language, options.files, options.only)

    own = [plain(name, text) for name, text in own_markdown().items()]
    documents = [plain(name, text) for name, text in installed_documents(options.files).items()]
    report.add(
        f"## Markdown\n\nThis repository's own ({_megabytes(own)}), and the documents and descriptions of the packages that are "
        f"installed here ({_megabytes(documents)}; some are reStructuredText)"
    )
    for limit in limits:
        compare(report, [*own, *documents], limit, prose_splitters(limit), ALWAYS, only=options.only)

    report.add("## Our laws")

    def of_code(limit: int) -> list[TextChunker]:
        return [CodeChunker("python", limit), CodeChunker("python", limit, overlap=limit // 8, context=True)]

    def of_markdown(limit: int) -> list[TextChunker]:
        return [MarkdownChunker(limit), MarkdownChunker(limit, overlap=limit // 8, context=True)]

    check_laws(
        report,
        {
            "standard library": (modules, [chunker for limit in limits for chunker in of_code(limit)]),
            "this repository": (own, [chunker for limit in limits for chunker in of_markdown(limit)]),
            "packages' documents": (documents, [chunker for limit in limits for chunker in of_markdown(limit)]),
        },
    )


if __name__ == "__main__":
    main()
