"""How fast is the tokenizer beside every other that can be installed? On one core, each figure in a fresh process, in one run.

Not called `tokenizers.py`: that is a package it compares with, and a script's folder comes first where Python looks for
one. Machines differ and are noisy: compare the ratios within one report, not the figures of two.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

from incremental_sections import SECTIONS as INCREMENTAL_SECTIONS
from language_texts import SOURCES, default_folder, prepare
from measuring import Report, parser
from peer_files import ENCODINGS, prepare_files
from peer_sections import SECTIONS as PEER_SECTIONS
from peer_sections import Bench
from timing import pin_to_one_core
from tokenizer_peers import PACKAGES

from bpe_engine import implementation

SECTIONS = {**PEER_SECTIONS, **INCREMENTAL_SECTIONS}
RESULTS = Path(__file__).parents[1] / "results"


def _chosen(wanted: str | None, known: Iterable[str], error: Callable[[str], NoReturn]) -> list[str]:
    """The names in a comma-separated list; all known ones without a list."""
    names = wanted.split(",") if wanted else list(known)
    unknown = sorted(set(names) - set(known))
    if unknown:
        error(f"not known: {', '.join(unknown)}; known are {', '.join(known)}")
    return names


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    sections = ", ".join(f"{name} ({(section.__doc__ or '').strip()[:-1]})" for name, section in SECTIONS.items())
    arguments.add_argument("--only", metavar="SECTIONS", help=f"these alone, parted by commas: {sections}")
    arguments.add_argument("--quick", action="store_true", help="half a megabyte of each text, one process a figure")
    arguments.add_argument("--encoding", choices=ENCODINGS, help="this one alone")
    arguments.add_argument("--languages", metavar="NAMES", help=f"these alone, parted by commas: {', '.join(SOURCES)}")
    arguments.add_argument("--megabytes", type=float, help="of each text, at most (default: 4)")
    arguments.add_argument("--rounds", type=int, help="processes for a figure, the best of which counts (default: 3)")
    arguments.add_argument("--limit", type=float, default=20.0, help="seconds a process may take (default: 20)")
    arguments.add_argument(
        "--texts", type=Path, default=default_folder(), help="where texts are kept (default: %(default)s)"
    )
    options = arguments.parse_args()
    chosen = _chosen(options.only, SECTIONS, arguments.error)
    languages = _chosen(options.languages, SOURCES, arguments.error)
    partial = options.quick or options.encoding or options.languages or len(chosen) < len(SECTIONS)
    # What is not the whole does not take the place of the whole.
    output = options.output or RESULTS / ("tokenizers_partial.md" if partial else "tokenizers.md")

    texts, skipped = prepare(options.texts, languages)
    files = options.texts / "vocabularies"
    prepare_files(files)
    if not texts:
        arguments.error(f"there is no text to measure with: {skipped}")
    report = Report("Tokenizers", output)
    report.add_provenance(
        PACKAGES,
        f"processor time unless it says otherwise, {pin_to_one_core()}",
        f"this package's engine: {implementation()}",
        *(f"no {language} text: {why}" for language, why in skipped.items()),
    )
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(
            report=report,
            encodings=[options.encoding] if options.encoding else ENCODINGS,
            texts=texts,
            files=files,
            scratch=Path(scratch),
            size=int(1e6 * (options.megabytes or (0.5 if options.quick else 4))),
            limit=options.limit,
            rounds=options.rounds or (1 if options.quick else 3),
            quick=options.quick,
        )
        for name in chosen:
            SECTIONS[name](bench)
    print(f"kept in {output}")


if __name__ == "__main__":
    main()
