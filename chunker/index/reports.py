"""The results of `Index.sync` and `Index.status`, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunker.files.discovery import Problem


@dataclass(slots=True)
class SyncReport:
    """The outcome of one sync. Chunks of files that did not change are in none of `computed`, `reused`, `moved` and
    `removed`.

    Attributes:
        files: How many files there are; while a sync is at work, how many it has looked at.
        found: How many it will look at; known before the first.
        added: Names that are new. A renamed file counts: its new name is.
        changed: Files with another text.
        renamed: Files with another name and the same text. Each of them also counts once in `added` and once in
            `removed_files`.
        removed_files: Names that are gone. A renamed file counts: its old name is.
        unchanged: Files as before.
        computed: Chunks that the embedder embedded.
        mended: How many of these had a vector that was damaged.
        reused: Chunks in a file or at an offset that is new to them, whose vector was there.
        moved: Chunks that went to another line or file.
        removed: Chunks that are gone, and did not move.
        tokens_computed: Tokens of the chunks in `computed`.
        tokens_waiting: Tokens of the chunks that are to be embedded before the next files are read.
        embedding_seconds: Duration of the calls of the embedder.
        chunks: Chunks of all tags after the sync.
        tokens: Their tokens.
        dropped: Vectors that were removed because no chunk needs them.
        cost: The price of embedding, if the embedder tells it.
        seconds: Duration of the sync.
        dry_run: Whether nothing was written.
        left_out: Files that were passed over, and why.
        problems: Files that failed, and why.
    """

    files: int = 0
    found: int = 0
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed_files: int = 0
    unchanged: int = 0
    computed: int = 0
    mended: int = 0
    reused: int = 0
    moved: int = 0
    removed: int = 0
    tokens_computed: int = 0
    tokens_waiting: int = 0
    embedding_seconds: float = 0.0
    chunks: int = 0
    tokens: int = 0
    dropped: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    dry_run: bool = False
    left_out: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def share_computed(self) -> float:
        """The share of all tokens that the embedder embedded."""
        return self.tokens_computed / self.tokens if self.tokens else 0.0

    @property
    def pace(self) -> float:
        """Tokens that the embedder embeds in a second; 0 while that is unknown."""
        return self.tokens_computed / self.embedding_seconds if self.embedding_seconds else 0.0

    @property
    def has_changes(self) -> bool:
        """Whether the sync changed the index."""
        return bool(self.added or self.changed or self.removed_files or self.mended)


@dataclass(frozen=True, slots=True)
class Status:
    """The content of an index.

    Attributes:
        tags: Tag -> number of its files.
        files: Number of files of all tags.
        chunks: Number of their chunks.
        tokens: Number of tokens of these chunks.
        embeddings: Number of vectors.
        spare: Number of vectors that no chunk needs at the moment.
        bytes: Size of the files of the index.
        revision: The number of the last change.
        settings: The settings of the index.
    """

    tags: dict[str, int]
    files: int
    chunks: int
    tokens: int
    embeddings: int
    spare: int
    bytes: int
    revision: int
    settings: dict[str, object]
