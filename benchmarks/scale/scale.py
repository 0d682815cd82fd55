"""The speed of one core on a corpus, by the size and kind of its documents: the figures of docs/scale.md.

    python benchmarks/run.py scale [--output FILE]

Real texts, cut to the size that is asked for and put into tables: `ChunkBatch` makes tables of their chunks, parquet is
read and written.
"""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pyarrow as pa
import pyarrow.parquet as pq
from debian_packages import PackageUnavailableError
from measuring import Report, parser
from real_texts import standard_library
from retrieval_sets import faq, node
from timing import cpu_seconds, pin_to_one_core

from chunker.scale import ChunkBatch, EmbedBatch

SIZES = (1_000, 4_000, 16_000, 64_000)
BYTES = 4_000_000  # of each kind and size
_SEED = 20_260_101

EXPLANATION = """\
- Processor time of one core. Documents are runs of whole lines of real texts (the standard library of Python, the reference of Node.js, Python's FAQ \
as plain text), about as long as the table says, 4 MB of each; where there is less text it comes again, cut at other lines. 512 tokens of o200k_base, \
with contexts.
- read and write: the parquet file that the texts come from, and the one that the chunks go to, zstd both."""


@dataclass(frozen=True)
class Kind:
    """Texts of one kind, and the name that tells what they are."""

    name: str
    suffix: str
    texts: list[str]


def kinds(folder: Path) -> Iterator[Kind]:
    """The kinds of texts there are: code always, the others if Debian's packages can be fetched."""
    yield Kind("Python", ".py", list(standard_library().values()))
    try:
        yield Kind("Markdown", ".md", list(node(folder).documents.values()))
        yield Kind("plain text", ".txt", list(faq(folder).documents.values()))
    except PackageUnavailableError as error:
        print(f"left out: {error}")


@dataclass(frozen=True)
class Measured:
    """The figures for documents of one kind and size: their number and length, processor seconds, and the chunks made."""

    name: str
    documents: int
    given: int
    reading: float
    working: float
    writing: float
    chunks: int
    tokens: int

    def row(self) -> list[str]:
        """A row of rates per second."""
        return [
            self.name,
            f"{self.given / self.documents:,.0f}",
            f"{self.documents / self.working:,.0f}",
            f"{self.given / self.working / 1e6:.2f}",
            f"{self.tokens / self.working:,.0f}",
            f"{self.chunks / self.working:,.0f}",
            f"{self.working / self.documents * 1e6:,.0f}",
            f"{self.given / self.reading / 1e6:,.0f}",
            f"{self.given / self.writing / 1e6:,.0f}",
        ]

    def billion(self) -> list[str]:
        """A row of costs per billion documents."""
        hours = 1e9 / self.documents / 3600
        chunks = 1e9 * self.chunks / self.documents
        return [
            self.name,
            f"{(self.reading + self.working + self.writing) * hours:,.0f}",
            f"{(self.reading + self.writing) * hours:,.0f}",
            f"{self.tokens / self.documents / 1e3:,.2f} trillion",
            f"{chunks / 1e9:.1f} billion",
            f"{chunks * 384 * 4 / 1e12:.1f} TB",
            f"{chunks * 1536 * 4 / 1e12:.1f} TB",
        ]


def documents(kind: Kind, size: int) -> Iterator[str]:
    """An endless series of documents: runs of whole lines from all texts in turn, which begin at other lines in each round."""
    chance = random.Random(_SEED)  # noqa: S311  # guards no secret
    for text in itertools.cycle(kind.texts):
        lines = text.splitlines(keepends=True)
        run: list[str] = []
        length = 0
        for line in lines[chance.randrange(max(len(lines) // 4, 1)) :]:
            run.append(line)
            length += len(line)
            if length >= size:
                yield "".join(run)
                run, length = [], 0
        if length > size // 2:
            yield "".join(run)


def table_of(kind: Kind, size: int) -> pa.Table:
    """Documents of BYTES characters together."""
    texts: list[str] = []
    length = 0
    for text in documents(kind, size):
        texts.append(text)
        length += len(text)
        if length >= BYTES:
            break
    return pa.table({"path": [f"{number}{kind.suffix}" for number in range(len(texts))], "text": texts})


def main() -> None:
    """Measure each kind at each size."""
    arguments = parser(__doc__)
    arguments.add_argument("--texts", type=Path, metavar="FOLDER", help="keep documents there, not in the user's cache")
    given = arguments.parse_args()
    folder = given.texts or Path(platformdirs.user_cache_dir("bpe-chunker")) / "benchmark-texts"
    report = Report("One core at a corpus", given.output)
    report.add_provenance(["bpe-chunker", "pyarrow"], pin_to_one_core())
    report.add(EXPLANATION)
    batch = ChunkBatch(512, context=True)
    measured: list[Measured] = []
    embedding = []
    for kind in kinds(folder):
        batch(table_of(kind, SIZES[0]).slice(0, 50))  # loads what all need
        measured += [_measured(kind, size, batch) for size in SIZES]
        embedding.append(_embedded(kind, batch))
    report.add_table(
        ["", "mean bytes", "documents/s", "MB/s", "tokens/s", "chunks/s", "µs a document", "read MB/s", "write MB/s"],
        [found.row() for found in measured],
    )
    report.add("## A billion of them")
    report.add("- Hours of one core, chunking and parquet; tokens and chunks that come out; vectors are float32.")
    report.add_table(
        ["", "core-hours", "of them parquet", "tokens", "chunks", "384 numbers", "1,536 numbers"],
        [found.billion() for found in measured],
    )
    report.add("## Vectors of the default embedder (hashed words), chunks of 512 tokens")
    report.add_table(["", "chunks/s", "tokens/s"], embedding)


def _measured(kind: Kind, size: int, batch: ChunkBatch) -> Measured:
    table = table_of(kind, size)
    packed = io.BytesIO()
    pq.write_table(table, packed, compression="zstd")
    made: list[pa.Table] = []
    return Measured(
        name=f"{kind.name}, {size:,}",
        documents=len(table),
        given=sum(len(text.encode()) for text in table["text"].to_pylist()),
        reading=cpu_seconds(lambda: pq.read_table(io.BytesIO(packed.getvalue()), use_threads=False)),
        working=cpu_seconds(lambda: made.append(batch(table))),
        writing=cpu_seconds(lambda: pq.write_table(made[0], io.BytesIO(), compression="zstd")),
        chunks=len(made[0]),
        tokens=sum(made[0]["token_count"].to_pylist()),
    )


def _embedded(kind: Kind, batch: ChunkBatch) -> list[str]:
    chunks = batch(table_of(kind, 16_000)).slice(0, 2000)
    embed = EmbedBatch()
    embed(chunks.slice(0, 10))
    taken = cpu_seconds(lambda: embed(chunks))
    tokens = sum(chunks["token_count"].to_pylist())
    return [kind.name, f"{len(chunks) / taken:,.0f}", f"{tokens / taken:,.0f}"]


if __name__ == "__main__":
    main()
