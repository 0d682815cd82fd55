"""Questions that an index answers: search, packs, definitions and references."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from chunker.arguments import require, require_all, require_name, require_text, whole_number
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.errors import OptionError
from chunker.hits import Hit
from chunker.index.embedders import Embedder, checked, meaning_weight
from chunker.index.filters import Filter
from chunker.index.packing import Pack, hits_for, packed
from chunker.index.ranked import EVERY_TAG
from chunker.index.ranking import DEFAULT_WEIGHTS, Weights
from chunker.index.reranking import AnyReranker, hits_to_read, require_reranker, reranked
from chunker.index.searching import By, Search
from chunker.index.settings import Settings
from chunker.index.store import Store
from chunker.index.symbol_search import FoundDefinition, definitions_named, references_to
from chunker.index.unmatched import Unmatched, unmatched_in
from chunker.symbols import Reference


class Asking(ABC):
    """The part of `Index` that only reads."""

    _store: Store
    _settings: Settings
    _root: Path

    @property
    @abstractmethod
    def embedder(self) -> Embedder:
        """The embedder of questions."""

    @property
    @abstractmethod
    def _is_empty(self) -> bool:
        """Whether there is no index yet."""

    def search(
        self,
        query: str,
        limit: int = 10,
        filter: Filter | None = None,  # noqa: A002  # the word that users expect
        *,
        by: By = "both",
        explain: bool = False,
        weights: Weights | None = None,
        rerank: AnyReranker | None = None,
    ) -> list[Hit]:
        """Find the chunks that answer a question best. Equal chunks of several files, or several in one file, are one hit.

        Args:
            query: A question, words, or a name. Text between double quotes is also looked for as it is.
            limit: The largest number of hits.
            filter: Conditions that hits must meet.
            by: Rank by "vectors", by "words", or by "both".
            explain: Give each hit the points of each rule of the ranking (`Hit.points`).
            weights: The weights of the rules; None for the default.
            rerank: A `Reranker`, or a function of the query and texts that returns a number for each text. It judges
                four times as many hits as `limit`, at least 20, and its numbers decide the order. None: the rules
                decide.

        Returns:
            The hits, best first; none if the index has no files.

        Raises:
            EmbedderError: The question cannot be embedded.
            OptionError: An option cannot be used.
            WrongTypeError: An argument has a wrong type.
        """
        require_text(query, "query")
        limit = whole_number(limit, "limit", least=1)
        require(filter, (Filter, type(None)), "filter", "a Filter or None")
        require(weights, (Weights, type(None)), "weights", "Weights or None")
        require_reranker(rerank)
        if by not in get_args(By):
            raise OptionError(f"by must be one of {', '.join(get_args(By))}; got {by!r}")
        if self._is_empty:
            return []
        vector, chosen = None, weights or DEFAULT_WEIGHTS
        if by != "words" and query.strip():
            vector = checked(self.embedder.embed_query(query)[None], 1, self.embedder)[0]
            chosen = chosen.with_meaning(meaning_weight(self.embedder))
        with self._store.reading() as snapshot:
            text = None if by == "vectors" else query
            read = limit if rerank is None else hits_to_read(limit)
            search = Search(snapshot, vector, text, read, only=filter or Filter(), weights=chosen)
            hits = search.hits(explain=explain)
        return hits if rerank is None else reranked(query, hits, rerank, limit, explain=explain)

    def pack(
        self,
        question: str,
        budget: int = 4000,
        filter: Filter | None = None,  # noqa: A002  # the word that users expect
        *,
        by: By = "both",
        tokenizer: AnyTokenizer | None = None,
        hits: Sequence[Hit] | None = None,
    ) -> Pack:
        """Answer a question with a text for a prompt: the best hits and the lines around them that a reader needs,
        within a budget.

        Args:
            question: A question, words, or a name.
            budget: The largest number of tokens of the text.
            filter: Conditions that hits must meet.
            by: Rank by "vectors", by "words", or by "both".
            tokenizer: The name of an encoding or model, a tokenizer file, or a tokenizer; None for that of the index.
            hits: Hits of `search`, best first, to pack; None to search for them.

        Returns:
            The text, its exact number of tokens, and which lines of which files are in it.

        Raises:
            EmbedderError: The question cannot be embedded.
            OptionError: An option cannot be used.
            WrongTypeError: An argument has a wrong type.
        """
        require_text(question, "question")
        require(filter, (Filter, type(None)), "filter", "a Filter or None")
        if hits is not None:
            require_all(hits, Hit, "hits", "hits of search")
        budget = whole_number(budget, "budget", " of tokens", least=1)
        counter = self._settings.counter(self._root) if tokenizer is None else resolve_tokenizer(tokenizer)
        if hits is None:
            hits = self.search(question, hits_for(budget), filter, by=by)
        if not hits:
            return Pack("", 0, budget, (), ())
        with self._store.reading() as snapshot:
            return packed(snapshot.connection, hits, budget, counter, question=question, only=filter or Filter())

    def definitions(
        self,
        name: str,
        filter: Filter | None = None,  # noqa: A002  # the word that users expect
        *,
        prefix: bool = False,
        limit: int = 100,
    ) -> list[FoundDefinition]:
        """The definitions of a symbol, in any of the languages that have symbols.

        Args:
            name: The name of a function, class, type ..., in upper or lower case; "Stack.push" or "Stack::push" for
                that one alone.
            filter: Conditions on their files; `kinds` are those of definitions: "function", "class", ...
            prefix: Include names that begin with `name`.
            limit: The largest number of results.

        Returns:
            Exactly this name first, then types before functions, then by file and line.
        """
        require_name(name, "name")
        limit = whole_number(limit, "limit", least=1)
        require(filter, (Filter, type(None)), "filter", "a Filter or None")
        if self._is_empty:
            return []
        with self._store.reading() as snapshot:
            return definitions_named(snapshot.connection, name, filter or Filter(), prefix=prefix, limit=limit)

    def references(
        self,
        name: str,
        filter: Filter | None = None,  # noqa: A002  # the word that users expect
        *,
        limit: int = 1000,
    ) -> list[Reference]:
        """The lines of code that use a name, without those that define it; comments and strings are not code.

        Args:
            name: The name exactly as it is written. Of "Stack.push" the lines in files that define or name Stack on
                which push is used on an object (not on another class), and all lines with Stack.push; types are not
                known, so these are the likely ones. Names of one letter are not kept.
            filter: Conditions on the files.
            limit: The largest number of results.

        Returns:
            By file and line. Of a name that is on more than 64 lines of a file, the first 64.
        """
        require_name(name, "name")
        limit = whole_number(limit, "limit", least=1)
        require(filter, (Filter, type(None)), "filter", "a Filter or None")
        if self._is_empty:
            return []
        with self._store.reading() as snapshot:
            return references_to(snapshot.connection, name, filter or Filter(), limit=limit)

    def languages(self) -> list[str]:
        """The languages of the files in the index, as `Filter.languages` takes them.

        Returns:
            Names such as "python", each once, in the order of the alphabet.
        """
        return self._listed("SELECT DISTINCT language FROM versions WHERE language IS NOT NULL ORDER BY language")

    def kinds(self, *, of_definitions: bool = False) -> list[str]:
        """The kinds of the chunks in the index, as `Filter.kinds` takes them.

        Args:
            of_definitions: Those of definitions instead, for `definitions`.

        Returns:
            Their names, sorted.
        """
        table = "definitions" if of_definitions else "places"
        return self._listed(f"SELECT DISTINCT kind FROM {table} ORDER BY kind")  # noqa: S608  # names of ours

    def unmatched(self, filter: Filter) -> list[Unmatched]:  # noqa: A002  # as in search
        """The sources and tags of a filter that no file in the index has. To a search they are no error: nothing is found.

        Args:
            filter: Conditions of a search.

        Returns:
            Each with the nearest that exist; none if the index has no files.

        Raises:
            WrongTypeError: `filter` is not a Filter.
        """
        require(filter, Filter, "filter", "a Filter")
        if self._is_empty:
            return []
        with self._store.reading() as snapshot:
            return unmatched_in(snapshot.connection, filter)

    def added(self, names: Iterable[str]) -> set[str]:
        """The names among `names` that belong, under each of their tags, to added texts (`Index.add`) and not to files.

        Args:
            names: Names of files and texts, as `Hit.source` has them.

        Returns:
            The part of `names` that is so; names that are not in the index are not in it.

        Raises:
            WrongTypeError: `names` is not a collection of str.
        """
        require_all(names, str, "names", "str")
        if self._is_empty:
            return set()
        with self._store.reading() as snapshot:
            rows = snapshot.connection.execute(
                "SELECT asked.value FROM json_each(?) AS asked "  # noqa: S608  # a text of ours
                f"JOIN files AS f ON f.tag IN ({EVERY_TAG}) AND f.source = asked.value "
                "GROUP BY asked.value HAVING min(f.metadata IS NOT NULL)",
                [json.dumps(sorted(set(names)))],
            )
            return {str(name) for (name,) in rows}

    def _listed(self, query: str) -> list[str]:
        if self._is_empty:
            return []
        with self._store.reading() as snapshot:
            return [str(name) for (name,) in snapshot.connection.execute(query)]
