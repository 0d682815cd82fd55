"""Documents of known text, read by our readers, markitdown and pypdf: the share of the words in their order, and speed.

    python benchmarks/run.py documents [NUMBER] > benchmarks/results/documents.md

Makes NUMBER documents of each kind (50, so 300 in all); markitdown and pypdf read the first four, where they are installed. The share is that of the longest rising run of
words, each of which stands in a document once: 100 % says that all are there and none is out of order; a word that stays parted by a hyphen is lost. Seconds are of this process.
"""

from __future__ import annotations

import importlib
import io
import shutil
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from document_files import Known, found_in_order, groff_of, known_text, latex_of, office_of, pdf_of, slides_of, word_of

from chunker.files.readers.table import read_document_bytes

KINDS: dict[str, tuple[str, Callable[[Known], bytes]]] = {
    "PDF, reportlab, one column": ("pdf", pdf_of),
    "PDF, reportlab, two columns": ("pdf", lambda known: pdf_of(known, 2)),
    "PDF, groff, one column": ("pdf", lambda known: groff_of(known, columns=False)),
    "PDF, groff, two columns": ("pdf", lambda known: groff_of(known, columns=True)),
    "PDF, LaTeX, one column": ("pdf", lambda known: latex_of(known, columns=False)),
    "PDF, LaTeX, two columns": ("pdf", lambda known: latex_of(known, columns=True)),
    "PDF, LibreOffice": ("pdf", lambda known: office_of(known, "pdf")),
    "DOCX, LibreOffice": ("docx", lambda known: office_of(known, "docx")),
    "DOCX, python-docx": ("docx", word_of),
    "PPTX, python-pptx": ("pptx", slides_of),
}
PEERS = 4
TOOLS = {"groff": "groff", "LaTeX": "pdflatex", "LibreOffice": "soffice"}
Reader = Callable[[bytes, str], str]


def readers() -> dict[str, Reader]:
    """Those that are installed, by name."""
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
    return found


def told(name: str) -> str:
    """A package and its version."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


def main(number: int) -> None:
    """Print the results as a page."""
    packages = readers()
    print("# Documents of known text\n")
    print(
        f"`python benchmarks/run.py documents {number}`, {time.strftime('%Y-%m-%d')}, Python {sys.version.split()[0]},",
        end=" ",
    )
    print(f"{', '.join(map(told, [*packages, 'pypdfium2']))}; a busy machine.\n")
    print((__doc__ or "").split("\n\n")[2].replace("\n", " ").strip() + "\n")
    print("| documents | package | mean share | least share | running heads kept | documents a second | kB a second |")
    print("|---|---|---|---|---|---|---|")
    for kind, (ending, make) in KINDS.items():
        tool = next((tool for maker, tool in TOOLS.items() if maker in kind), None)
        if tool is not None and shutil.which(tool) is None:
            print(f"| {kind} | not run: {tool} is not installed | | | | | |")
            continue
        # LibreOffice takes seconds to start.
        made = min(number, PEERS) if "LibreOffice" in kind else number
        texts = [known_text(seed, sections=5, paragraphs=5) for seed in range(made)]
        contents = [make(known) for known in texts]
        for name, read in packages.items():
            if name == "pypdf" and ending != "pdf":
                continue
            taken = made if name == "bpe-chunker" else min(made, PEERS)
            read(contents[0], ending)
            began = time.process_time()
            found = [read(content, ending) for content in contents[:taken]]
            seconds = time.process_time() - began
            shares = [found_in_order(known.words, text) for known, text in zip(texts, found, strict=False)]
            heads = sum(known.running in text for known, text in zip(texts, found, strict=False))
            cells = (f"{sum(shares) / taken:.2%}", f"{min(shares):.2%}", f"{heads} of {taken}")
            size = sum(map(len, contents[:taken])) / 1000
            print(f"| {kind} | {name} | {' | '.join(cells)} | {taken / seconds:,.1f} | {size / seconds:,.0f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
