"""The tools of the MCP server.

    count(texts, paths)            tokens, exactly
    chunk(text | path, limits)     chunks that fit a budget, a part of them at a time
    list_files(pattern)            the files that may be read; also the resource chunker://files,
                                   with the text of each as chunker://files/<name>
    map(max_tokens, focus)         the most important signatures of a folder, within a token budget
    skeleton(path, max_tokens)     the signatures of one file, within a token budget
    search(query)                  an index, if there is one; with a budget, as one text that fits it
    assemble(items, budget)        the best prompt that fits, and the outcome for each item

A wrong call (a file outside the roots, an exceeded limit) is a tool error, whose text says what to do; the server goes
on.
"""

# A tool has as many arguments as it has options, by the names that users expect, and agents give all of them by name.
# ruff: noqa: FBT002, PLR0913, PLR0917

from __future__ import annotations

import asyncio
import base64
import fnmatch
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from pydantic import Field

from chunker.files.readers.table import ending_of
from chunker.integrations.mcp.asked import MOST_TEXT_BYTES, MOST_TEXTS, AskedItem, Count, TokenizerName
from chunker.integrations.mcp.asked import Path as AskedPath
from chunker.integrations.service.errors import NoSuchFileError, RefusedError, ServiceError, TooMuchError
from chunker.integrations.service.pool import Pool
from chunker.integrations.service.roots import Roots

# The largest number of characters of text in one answer, which an agent has to read.
ANSWER_CHARACTERS = 100_000
# The largest number of file names in one answer, and of files in a walk.
_MOST_NAMES = 1_000
_MOST_FILES = 100_000
Told = dict[str, Any]


@dataclass(frozen=True)
class Offered:
    """The files and settings that agents may use. `index`: the folder of an index; its files are named from its parent
    folder.
    """

    roots: Roots
    tokenizers: list[str]
    index: Path | None


class _File(NamedTuple):
    """A file, where a text is also allowed."""

    path: str


class Tools:
    """The tools, each a method, and the texts of the resources. Refusals are `ServiceError`s."""

    def __init__(self, offered: Offered, pool: Pool) -> None:
        self._offered = offered
        self._pool = pool

    async def count(
        self,
        texts: Annotated[list[str], Field(max_length=MOST_TEXTS)] = [],  # noqa: B006  # the SDK shows it as the default, and nobody changes it
        paths: Annotated[list[AskedPath], Field(max_length=MOST_TEXTS)] = [],  # noqa: B006  # see texts
        tokenizer: TokenizerName = "o200k_base",
    ) -> Told:
        """Count tokens of texts and files, exactly as the model does."""
        if not texts and not paths:
            raise RefusedError("pass texts or paths")
        contents = await self._contents([*texts, *map(_File, paths)])
        names = [*(f"text {number}" for number in range(1, len(texts) + 1)), *paths]
        counts = await self._ask("count", texts=contents, tokenizer=self._tokenizer(tokenizer))
        told = [{"name": name, "tokens": tokens} for name, tokens in zip(names, counts, strict=True)]
        return {"counts": told, "total": sum(counts)}

    async def chunk(
        self,
        # Only strings: if an argument may have another type, too, the SDK parses it as JSON, and a text may be JSON.
        text: Annotated[str, Field(description="The text; or pass path.")] = "",
        path: AskedPath = "",
        max_tokens: Annotated[Count, Field(ge=1, description="Largest number of tokens of a chunk.")] = 512,
        overlap: Annotated[Count, Field(description="Largest number of tokens repeated from the previous chunk.")] = 0,
        context: Annotated[bool, Field(description="Begin each chunk with its breadcrumb.")] = False,
        strategy: Annotated[
            Literal["grow", "optimal"],
            Field(description="Fill chunk after chunk, or choose all cuts together for even chunks."),
        ] = "grow",
        language: Annotated[
            str, Field(max_length=50, description="python, markdown, ...; auto detects it from name and text.")
        ] = "auto",
        tokenizer: TokenizerName = "o200k_base",
        first: Annotated[
            Count, Field(description="First chunk to return, counted from 0: the `next` of an answer.")
        ] = 0,
    ) -> Told:
        """Cut a text or a file into chunks that fit a token budget, at the boundaries of its structure.
        Long results come in parts: ask again with `first` = `next`.
        """
        if text and path:
            raise RefusedError("pass either text or path")
        if not text and not path:
            raise RefusedError("pass a text that is not empty, or a path")
        content = None
        if path:
            content = base64.b64encode(await self._content(path)).decode()
        else:
            (text,) = await self._contents([text])
        told = await self._ask(
            "chunk",
            text=text,
            content=content,
            name=path,
            language=language,
            first=first,
            most_characters=ANSWER_CHARACTERS,
            max_tokens=max_tokens,
            overlap=overlap,
            context=context,
            strategy=strategy,
            tokenizer=self._tokenizer(tokenizer),
        )
        longest = max((len(one["text"]) for one in told["chunks"]), default=0)
        if longest > ANSWER_CHARACTERS:
            raise TooMuchError(
                f"a chunk has {longest:,} characters; {ANSWER_CHARACTERS:,} is the limit: lower max_tokens"
            )
        return dict(told)

    async def list_files(
        self,
        pattern: Annotated[
            str, Field(max_length=200, description="Only matching names, such as src/*.py; * matches any text.")
        ] = "*",
        first: Annotated[
            Count, Field(description="First name to return, counted from 0: the `next` of an answer.")
        ] = 0,
    ) -> Told:
        """List the files that may be read, by the names that the other tools take. Long lists come in parts: ask again with `first` = `next`."""
        listed = await asyncio.to_thread(self._offered.roots.listed, _MOST_FILES)
        names = fnmatch.filter(listed.names, pattern)
        part = names[first : first + _MOST_NAMES]
        end = first + len(part)
        return {
            "files": part,
            "total": len(names),
            "next": end if end < len(names) else None,
            "refused": len(listed.refused),
        }

    async def map(
        self,
        max_tokens: Annotated[int, Field(ge=1, le=20_000, description="Largest number of tokens of the map.")] = 2000,
        focus: Annotated[list[str], Field(max_length=20, description="Files, folders or symbols to focus on.")] = [],  # noqa: B006  # see count
        folder: Annotated[
            str, Field(max_length=4096, description="Which of several roots, by its name; file names begin in it.")
        ] = "",
        tokenizer: TokenizerName = "o200k_base",
    ) -> Told:
        """Map the source files of a folder: their names, and the signatures in them that are used most, within a token budget exactly."""
        path = self._offered.roots.folder(folder)
        return dict(
            await self._ask(
                "map", folder=str(path), max_tokens=max_tokens, focus=focus, tokenizer=self._tokenizer(tokenizer)
            )
        )

    async def skeleton(
        self,
        path: AskedPath,
        max_tokens: Annotated[int, Field(ge=1, le=20_000, description="Largest number of tokens of the text.")] = 2000,
        tokenizer: TokenizerName = "o200k_base",
    ) -> Told:
        """Show the signatures of a source file, or the headings of prose: all of them, or those that matter most within a
        token budget, with ... where some are left out.
        """
        content = base64.b64encode(await self._content(path)).decode()
        return dict(
            await self._ask(
                "skeleton", name=path, content=content, max_tokens=max_tokens, tokenizer=self._tokenizer(tokenizer)
            )
        )

    async def names_of_files(self) -> str:
        """Return the names of the files that may be read, one per line."""
        listed = await asyncio.to_thread(self._offered.roots.listed, _MOST_FILES)
        return "".join(f"{name}\n" for name in listed.names)

    async def text_of_file(self, path: str) -> str:
        """Return the text of a file, as the tools read it."""
        try:
            return await self._read(path)
        except NoSuchFileError as error:
            raise ResourceNotFoundError(str(error)) from error
        except ServiceError as error:
            raise ResourceError(str(error)) from error

    async def search(
        self,
        query: Annotated[str, Field(max_length=2000, description="A question, or words.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 5,
        by: Literal["both", "vectors", "words"] = "both",
        sources: Annotated[list[str], Field(max_length=20, description="Only files such as src/*.")] = [],  # noqa: B006  # see count
        languages: Annotated[list[str], Field(max_length=20, description="Only these languages, such as python.")] = [],  # noqa: B006  # see count
        kinds: Annotated[list[str], Field(max_length=20, description="Only chunks of these kinds.")] = [],  # noqa: B006  # see count
        tags: Annotated[list[str], Field(max_length=20, description="Only files with one of these tags.")] = [],  # noqa: B006  # see count
        metadata: Annotated[
            dict[str, str | int | float | bool | list[str | int | float | bool]],
            Field(max_length=20, description="Only texts whose metadata have one of the values for each name."),
        ] = {},  # noqa: B006  # see count
        budget: Annotated[
            int,
            Field(
                ge=0,
                le=20_000,
                description="Return one text of at most this many tokens: the hits with the definitions around them.",
            ),
        ] = 0,
    ) -> Told:
        """Search the index of files for the chunks that answer a question best; with a budget, as one text that fits it.
        `unmatched` names sources and tags that no file has.
        """
        index = self._offered.index
        if index is None:
            raise RefusedError("there is no index")
        asked: dict[str, Any] = {"folder": str(index), "query": query, "by": by, "sources": sources}
        asked |= {"languages": languages, "kinds": kinds, "tags": tags, "metadata": metadata}
        unmatched = {}
        if (sources or tags) and (
            values := await self._ask("unmatched", folder=str(index), sources=sources, tags=tags)
        ):
            # Without the nearest: they may be files that must not be read.
            unmatched = {"unmatched": [one["value"] for one in values]}
        if budget:
            found = await self._ask("sources", budget=budget, **asked)
            allowed = await self._given(index, set(found))
            pack = await self._ask("pack", budget=budget, **asked, allowed=sorted(allowed))
            return {**pack, "withheld": len(set(found) - set(allowed)), **unmatched}
        hits = await self._ask("search", limit=limit, most_characters=ANSWER_CHARACTERS, **asked)
        known = {hit["source"] for hit in hits}
        known |= {place.rpartition(":")[0] for hit in hits for place in hit["also"]}
        given = await self._given(index, known)
        shown = [hit for hit in hits if hit["source"] in given]
        for hit in shown:
            hit["also"] = [place for place in hit["also"] if place.rpartition(":")[0] in given]
        return {"hits": shown, "withheld": len(hits) - len(shown), **unmatched}

    async def assemble(
        self,
        items: Annotated[
            list[AskedItem], Field(min_length=1, max_length=MOST_TEXTS, description="In the order of the prompt.")
        ],
        budget: Annotated[Count, Field(ge=1, description="Token budget of prompt and answer together.")],
        reserve: Annotated[Count, Field(description="Tokens of the budget for the answer.")] = 0,
        separator: Annotated[str, Field(max_length=1000)] = "\n\n",
        tokenizer: TokenizerName = "o200k_base",
    ) -> Told:
        """Assemble the best prompt of texts and files that fits a token budget exactly: what is required, then what matters
        most; and a report of what became of each.
        """
        contents = await self._contents([item.text if item.path is None else _File(item.path) for item in items])
        made = [
            {**item.model_dump(exclude={"path"}), "text": content, "id": item.id or item.path}
            for item, content in zip(items, contents, strict=True)
        ]
        return dict(
            await self._ask(
                "assemble",
                items=made,
                budget=budget,
                reserve=reserve,
                separator=separator,
                tokenizer=self._tokenizer(tokenizer),
                most_characters=ANSWER_CHARACTERS,
            )
        )

    async def _ask(self, operation: str, **arguments: object) -> Any:  # noqa: ANN401  # whatever JSON can say
        return json.loads(await self._pool.ask(operation, **arguments))

    async def _given(self, index: Path, sources: set[str]) -> set[str]:
        """Return those of `sources` that an agent may read: files that it could read by name, and texts that were added
        to the index.

        An index may contain others: files outside the roots, and secrets, if they were included.
        """
        root = Path(os.path.realpath(index.parent))
        files = await asyncio.to_thread(
            lambda: {source for source in sources if self._offered.roots.gives(root / source)}
        )
        others = sorted(sources - files)
        return files | set(await self._ask("added", folder=str(index), names=others)) if others else files

    async def _contents(self, asked: Sequence[str | _File | None]) -> list[str]:
        """Return the texts, reading the files. Raises `TooMuchError` as soon as their total size is too large, without
        reading the remaining files.
        """
        left = MOST_TEXT_BYTES
        contents = []
        for one in asked:
            content = await self._read(one.path) if isinstance(one, _File) else one or ""
            left -= len(content.encode("utf-8", "surrogatepass"))
            if left < 0:
                raise TooMuchError(
                    f"the texts have more than {MOST_TEXT_BYTES:,} bytes, which is the limit of one call"
                )
            contents.append(content)
        return contents

    async def _read(self, path: str) -> str:
        content = await self._content(path)
        if ending_of(path) is None:
            return (await asyncio.to_thread(self._offered.roots.read, path)).text
        read = await self._ask("read", name=path, content=base64.b64encode(content).decode())
        return str(read["text"])

    async def _content(self, path: str) -> bytes:
        if not self._offered.roots:
            raise RefusedError("no files are offered: the server was started without roots")
        return await asyncio.to_thread(self._offered.roots.content, path)

    def _tokenizer(self, name: str) -> str:
        if name not in self._offered.tokenizers:
            offered = ", ".join(self._offered.tokenizers)
            raise RefusedError(
                f"tokenizer must be one of {offered}, got {name!r:.100}; `chunker mcp --tokenizer NAME` adds one"
            )
        return name
