"""What a sync did, or would do, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunker.files.discovery import Problem


@dataclass(slots=True)
class SyncReport:
    """The outcome of one sync. Files by name, chunks by what became of them.

    Chunks: `computed` were sent to the embedder; `reused` are in a new place with a vector that was there; of `moved` the place went
    elsewhere, to another line or file; `removed` are gone from their place and nowhere new. Chunks of files that did not change are in
    none of these; `chunks` and `tokens` count all of the tags after the sync.
    """

    files: int = 0
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed_files: int = 0
    unchanged: int = 0
    computed: int = 0
    reused: int = 0
    moved: int = 0
    removed: int = 0
    tokens_computed: int = 0
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
        """Of all tokens, the share that was sent to the embedder."""
        return self.tokens_computed / self.tokens if self.tokens else 0.0

    @property
    def has_changes(self) -> bool:
        """Whether the index is another than before."""
        return bool(self.added or self.changed or self.removed_files)


@dataclass(frozen=True, slots=True)
class Status:
    """What an index holds. `spare`: vectors that no chunk needs at the moment. `bytes`: of all files of the index."""

    tags: dict[str, int]
    files: int
    chunks: int
    tokens: int
    embeddings: int
    spare: int
    bytes: int
    revision: int
    settings: dict[str, object]
