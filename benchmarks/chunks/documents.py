"""Documents of known text, read by our readers and by other packages: the share of the words in their order, speed, and
what becomes of documents that nobody should send.

    python benchmarks/run.py documents                        the tables
    python benchmarks/run.py documents --output FILE          written there as well
    python benchmarks/run.py documents --number 4             4 documents of a kind, not 37

The share is that of the longest rising run of words, each of which stands in a document once: 100 % says that all are
there and none is out of order; a word that stays parted by a hyphen is lost. There are 37 documents of a kind, and four
of LibreOffice, which takes seconds to start: 304. Other packages read the first four of a kind. A tool that is not
installed makes no documents. Times are of the processor, one process, of reading alone.

Footnotes: the share of the words of the text in their order, without the notes where they are blocks of their own; the
share of the words of the notes in theirs; and how many of the notes are blocks of their own. The marks, which other
packages write as parts of words, are taken out before.

Hostile documents are each read in a process of its own, whose largest memory is told beside that of a process that
reads one page.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from document_files import (
    Known,
    found_in_order,
    groff_of,
    known_text,
    latex_of,
    noted_of,
    office_of,
    pdf_of,
    slides_of,
    without_marks,
    word_of,
)
from fresh_process import run
from hostile_documents import HOSTILE, hostile
from measuring import Report, parser

from chunker.errors import DocumentError
from chunker.files.readers.table import read_document_bytes, read_document_file

KINDS: dict[str, tuple[str, Callable[[Known], bytes]]] = {
    "PDF, reportlab, one column": ("pdf", pdf_of),
    "PDF, reportlab, two columns": ("pdf", partial(pdf_of, columns=2)),
    "PDF, groff, one column": ("pdf", partial(groff_of, columns=False)),
    "PDF, groff, two columns": ("pdf", partial(groff_of, columns=True)),
    "PDF, LaTeX, one column": ("pdf", partial(latex_of, columns=False)),
    "PDF, LaTeX, two columns": ("pdf", partial(latex_of, columns=True)),
    "PDF, LibreOffice": ("pdf", partial(office_of, ending="pdf")),
    "DOCX, LibreOffice": ("docx", partial(office_of, ending="docx")),
    "DOCX, python-docx": ("docx", word_of),
    "PPTX, python-pptx": ("pptx", slides_of),
}


def _noted(known: Known, ending: str) -> bytes:
    known.blocks = [block for block in known.blocks if not isinstance(block[1], list)]
    return noted_of(known, ending)


NOTED: dict[str, tuple[str, Callable[[Known], bytes]]] = {
    **{name: KINDS[name] for name in KINDS if "reportlab" in name or "groff" in name or "LaTeX" in name},
    "PDF, LibreOffice": ("pdf", partial(_noted, ending="pdf")),
    "DOCX, LibreOffice": ("docx", partial(_noted, ending="docx")),
}
PEERS = 4
# The formats that a package is measured on. docling reads PDF, too, but downloads a model for it.
ENDINGS = {"pypdf": ("pdf",), "docling-slim": ("docx", "pptx")}
NUMBER = 37
TOOLS = {"groff": "groff", "LaTeX": "pdflatex", "LibreOffice": "soffice"}
NOTE = re.compile(r"\[\^\d+\]: .*")
SECONDS = 120.0  # that a hostile document may take
Reader = Callable[[bytes, str], str]


def readers() -> dict[str, Reader]:
    """The readers that are installed, by name."""
    found: dict[str, Reader] = {"bpe-chunker": lambda content, ending: read_document_bytes(content, ending).text}
    try:
        markitdown = importlib.import_module("markitdown").MarkItDown()
        found["markitdown"] = lambda content, ending: (
            markitdown.convert_stream(io.BytesIO(content), file_extension=f".{ending}").text_content
        )
    except ImportError:
        pass
    try:
        pypdf = importlib.import_module("pypdf")
        found["pypdf"] = lambda content, _: "\n".join(
            page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages
        )
    except ImportError:
        pass
    try:
        docling = importlib.import_module("docling.document_converter").DocumentConverter()
        stream_of = importlib.import_module("docling.datamodel.base_models").DocumentStream
        found["docling-slim"] = lambda content, ending: docling.convert(
            stream_of(name=f"a.{ending}", stream=io.BytesIO(content))
        ).document.export_to_markdown()
    except ImportError:
        pass
    return found


def missing_tool(kind: str) -> str | None:
    """The tool that would make documents of this kind, if it is not installed."""
    tool = next((tool for maker, tool in TOOLS.items() if maker in kind), None)
    return tool if tool is not None and shutil.which(tool) is None else None


def pages_in(content: bytes, ending: str) -> int:
    """The pages of a PDF, the slides of a PPTX; 0 where the file does not say."""
    return int(read_document_bytes(content, ending).notes.get({"pdf": "pages", "pptx": "slides"}.get(ending, ""), 0))


def order_rows(packages: dict[str, Reader], number: int) -> Iterator[list[str]]:
    """One row for each kind of document and package."""
    for kind, (ending, make) in KINDS.items():
        if tool := missing_tool(kind):
            yield [kind, f"not run: {tool} is not installed", *[""] * 7]
            continue
        made = min(number, PEERS) if "LibreOffice" in kind else number
        texts = [known_text(seed, sections=5, paragraphs=5) for seed in range(made)]
        contents = [make(known) for known in texts]
        for name, read in packages.items():
            if ending not in ENDINGS.get(name, ending):
                continue
            taken = made if name == "bpe-chunker" else min(made, PEERS)
            read(contents[0], ending)
            began = time.process_time()
            found = [read(content, ending) for content in contents[:taken]]
            seconds = time.process_time() - began
            shares = [found_in_order(known.words, text) for known, text in zip(texts, found, strict=False)]
            heads = sum(known.running in text for known, text in zip(texts, found, strict=False))
            pages = sum(pages_in(content, ending) for content in contents[:taken])
            megabytes = sum(map(len, contents[:taken])) / 1e6
            yield [
                kind,
                name,
                str(taken),
                f"{sum(shares) / taken:.2%}",
                f"{min(shares):.2%}",
                f"{heads} of {taken}",
                f"{taken / seconds:,.1f}",
                f"{pages / seconds:,.0f}" if pages else "",
                f"{megabytes / seconds:,.2f}",
            ]


def note_rows(packages: dict[str, Reader], number: int) -> Iterator[list[str]]:
    """One row for each kind of document with footnotes and package."""
    for kind, (ending, make) in NOTED.items():
        if tool := missing_tool(kind):
            yield [kind, f"not run: {tool} is not installed", *[""] * 4]
            continue
        texts = [known_text(seed, sections=5, paragraphs=5, notes=True) for seed in range(min(number, PEERS))]
        contents = [make(known) for known in texts]
        for name, read in packages.items():
            if ending not in ENDINGS.get(name, ending):
                continue
            in_text, in_notes, apart, notes = 0.0, 0.0, 0, 0
            for known, content in zip(texts, contents, strict=True):
                blocks = re.split(r"\n{2,}", read(content, ending).strip())
                own = [block for block in blocks if NOTE.fullmatch(block)]
                rest = "\n\n".join(block for block in blocks if not NOTE.fullmatch(block))
                told = "\n\n".join(own) if own else rest
                in_text += found_in_order(known.words, without_marks(rest)) / len(texts)
                in_notes += found_in_order(" ".join(known.notes).split(), without_marks(told)) / len(texts)
                apart += sum(block.partition(": ")[2] in known.notes for block in own)
                notes += len(known.notes)
            yield [kind, name, str(len(texts)), f"{in_text:.2%}", f"{in_notes:.2%}", f"{apart} of {notes}"]


def hostile_rows() -> Iterator[list[str]]:
    """A row for each hostile document."""
    for name in HOSTILE:
        ending, content = hostile(name)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"hostile.{ending}"
            file.write_bytes(content)
            done = run("hostile", SECONDS, script=Path(__file__), file=str(file))
        if done.failure:
            yield [name, f"{len(content) / 1e6:,.2f}", "", "", done.failure]
            continue
        told = done.figures
        yield [
            name,
            f"{len(content) / 1e6:,.2f}",
            f"{told['seconds']:,.2f}",
            f"{told['peak_bytes'] / 1e6:,.0f}",
            str(told["outcome"]),
        ]


def peak_bytes() -> int:
    """The peak memory of this process, from Linux; the figure of `resource` includes the process that started it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) * 1024 if found else 0


def read_hostile(file: Path) -> None:
    """Read one hostile document in this process, and print the figures as JSON."""
    began = time.process_time()
    try:
        read = read_document_file(file)
        outcome = f"read: {len(read.text):,} characters"
    except DocumentError as error:
        outcome = f"{type(error).__name__}: {error}"
    figures = {
        "seconds": time.process_time() - began,
        "peak_bytes": peak_bytes(),
        "outcome": outcome,
    }
    print(json.dumps(figures))


def main() -> None:
    """Print the tables, and write them where that is asked for."""
    arguments = parser(__doc__)
    arguments.add_argument("--number", type=int, default=NUMBER, help="documents of a kind")
    chosen = arguments.parse_args()
    report = Report("Documents of known text", chosen.output)
    report.add_provenance(["bpe-chunker", "pypdfium2", "markitdown", "pypdf", "docling-slim"])
    about = (__doc__ or "").split("\n\n")
    report.add(about[2].replace("\n", " ").strip())
    packages = readers()
    header = ["documents", "package", "read", "mean share", "least share", "running heads kept", "documents/s"]
    report.add_table([*header, "pages/s", "MB/s"], order_rows(packages, chosen.number))
    report.add("## Footnotes")
    report.add(about[3].replace("\n", " ").strip())
    header = ["documents", "package", "read", "share of the text", "share of the notes", "notes apart"]
    report.add_table(header, note_rows(packages, chosen.number))
    report.add("## Hostile documents")
    report.add(about[4].replace("\n", " ").strip())
    report.add_table(["document", "MB", "seconds", "MB of memory", "outcome"], hostile_rows())


if __name__ == "__main__":
    if sys.argv[1:2] == ["hostile"]:
        read_hostile(Path(json.loads(sys.argv[2])["file"]))
    else:
        main()
