"""`chunker mcp` as an agent sees it: the SDK's own client, over standard input and output, and the real server process.

Where other roots are offered, the server is in this process: to start one takes two seconds.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from serving import command, environment
from typer.testing import CliRunner

pytest.importorskip("mcp", reason='needs mcp: pip install "bpe-chunker[mcp]"')

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import TextContent, TextResourceContents, Tool

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, chunk_file
from chunker.fields import FIELDS
from chunker.index import Index
from chunker.integrations.mcp.asked import MOST_TEXT_BYTES
from chunker.integrations.mcp.command import mcp
from chunker.integrations.mcp.server import mcp_server
from chunker.integrations.mcp.tools import ANSWER_CHARACTERS, Offered
from chunker.integrations.service.options import offered_roots, offered_tokenizers
from chunker.mapping import map_repository, skeleton
from chunker.prompt import Item, assemble

SOURCE = "".join(f"def f{n}(x):\n    return x * {n}\n\n\n" for n in range(20))


class ToolFailedError(Exception):
    """What a tool complains of."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("offered")
    root = top / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text(SOURCE)
    (root / "notes.md").write_text("# Soup\n\nCut the onions and let them simmer.\n")
    (root / ".env").write_text("PASSWORD=onions\n")
    (root / "key.txt").write_text("-----BEGIN RSA PRIVATE KEY-----\nabc\n")
    (root / "large.txt").write_text("x" * (MOST_TEXT_BYTES + 1))
    (root / "long.txt").write_text("One sentence of it. " * 12_000)
    (top / "outside.txt").write_text("onions, outside\n")
    if os.name == "posix":
        (root / "out.txt").symlink_to("../outside.txt")
        (root / "out").symlink_to("..")
        (root / "null").symlink_to("/dev/zero")
        os.mkfifo(root / "pipe")
    index = Index.open(root / ".chunker")
    index.sync([root, top / "outside.txt"], secrets=True, hidden=True, max_file_bytes=1000)
    return root


class Agent:
    """A client of a server, for tests that do not run in an event loop."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, tool: str, **given: object) -> dict[str, Any]:
        """What a tool answers. Raises ToolFailedError with what it complains of."""
        answer = self.portal.call(self.client.call_tool, tool, given)
        (content,) = answer.content
        assert isinstance(content, TextContent)
        if answer.is_error:
            raise ToolFailedError(content.text)
        assert json.loads(content.text) == answer.structured_content
        return dict(answer.structured_content or {})


@contextlib.contextmanager
def agent_of(*arguments: str, cwd: Path | None = None) -> Iterator[Agent]:
    program, *rest = command("mcp", *arguments)
    server = StdioServerParameters(command=program, args=rest, env=environment(), cwd=cwd)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(stdio_client(server))) as client:
        yield Agent(portal, client)


@contextlib.contextmanager
def agent_here(*roots: Path) -> Iterator[Agent]:
    """An agent of a server in this process, made as the command makes it."""
    offered = Offered(offered_roots([str(root) for root in roots], "ROOT"), offered_tokenizers([]), None)
    server = mcp_server(offered, "")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        yield Agent(portal, client)


@pytest.fixture(scope="module")
def agent(project: Path) -> Iterator[Agent]:
    with agent_of(str(project), cwd=project.parent) as made:
        yield made


def test_files_are_listed(project: Path, agent: Agent) -> None:
    everything = agent.call("list_files")
    assert {"src/a.py", "notes.md"} <= set(everything["files"])
    assert (everything["total"], everything["next"]) == (len(everything["files"]), None)
    for name in everything["files"]:
        assert agent.call("count", paths=[name])["total"] >= 0
    assert agent.call("list_files", pattern="src/*.py")["files"] == [
        name for name in everything["files"] if name.startswith("src/") and name.endswith(".py")
    ]
    assert agent.call("list_files", first=1)["files"] == everything["files"][1:]
    (resource,) = agent.portal.call(agent.client.list_resources).resources
    assert str(resource.uri) == "chunker://files"
    (content,) = agent.portal.call(agent.client.read_resource, "chunker://files").contents
    assert isinstance(content, TextResourceContents)
    assert content.text.splitlines() == everything["files"]


def test_files_are_resources(project: Path, agent: Agent) -> None:
    (template,) = agent.portal.call(agent.client.list_resource_templates).resource_templates
    assert template.uri_template == "chunker://files/{+path}"
    (content,) = agent.portal.call(agent.client.read_resource, "chunker://files/src/a.py").contents
    assert isinstance(content, TextResourceContents)
    assert content.text == (project / "src" / "a.py").read_text(encoding="utf-8")
    for refused, reason in (
        ("no.py", "No such file"),
        (".env", "secret"),
        ("src/../../outside.txt", "Unknown resource|not found|\\.\\."),
    ):
        with pytest.raises(MCPError, match=reason):
            agent.portal.call(agent.client.read_resource, f"chunker://files/{refused}")


def test_documents_are_read_as_the_command_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason='needs pypdfium2: pip install "bpe-chunker[pdf]"')
    from document_files import known_text, pdf_of  # noqa: PLC0415  # which needs the packages that make documents

    project = tmp_path / "project"
    project.mkdir()
    (project / "report.pdf").write_bytes(pdf_of(known_text(1)))
    (project / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    picture = base64.b64encode(bytes(range(256)) * 40).decode()
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture, "text/plain": ["<Figure>"]}}
    cell = {"cell_type": "code", "source": ["plot(1)"], "metadata": {}, "execution_count": 1, "outputs": [shown]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "plots.ipynb").write_text(json.dumps(notebook, indent=1))

    with agent_here(project) as agent:
        assert agent.call("list_files")["files"] == ["broken.pdf", "plots.ipynb", "report.pdf"]
        for name in ("report.pdf", "plots.ipynb"):
            told = agent.call("chunk", path=name, max_tokens=200)
            own = [chunk.record() for chunk in chunk_file(project / name, 200)]
            assert [one["text"] for one in told["chunks"]] == [one["text"] for one in own]
            assert [one["metadata"] for one in told["chunks"]] == [one["metadata"] for one in own]
            assert all(list(one) == [field for field in FIELDS if field != "body"] for one in told["chunks"])
            assert picture[:50] not in json.dumps(told)
        assert agent.call("chunk", path="report.pdf")["chunks"][0]["metadata"]["places"][0]["page"] == 1
        assert agent.call("count", paths=["report.pdf"])["total"] > 100
        for tool in ("chunk", "count"):
            with pytest.raises(ToolFailedError, match=r"broken\.pdf: not read"):
                agent.call(tool, **({"path": "broken.pdf"} if tool == "chunk" else {"paths": ["broken.pdf"]}))


def test_the_tools_and_what_they_answer(project: Path, agent: Agent) -> None:
    tokenizer = Tokenizer.load("o200k_base")

    tools = agent.tools()
    assert sorted(tools) == ["assemble", "chunk", "count", "list_files", "map", "search", "skeleton"]
    for tool in tools.values():
        assert tool.description
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.input_schema["additionalProperties"] is False
    assert "required" not in tools["count"].input_schema
    assert tools["assemble"].input_schema["required"] == ["items", "budget"]

    counts = agent.call("count", texts=["Hello, world", ""], paths=["src/a.py"])
    expected = [tokenizer.count("Hello, world"), 0, tokenizer.count(SOURCE)]
    assert [one["tokens"] for one in counts["counts"]] == expected
    assert counts["total"] == sum(expected)
    assert (agent.call("count", texts=["one two"], tokenizer="words"))["total"] == 2

    chunks = agent.call("chunk", path="src/a.py", max_tokens=40, context=True, overlap=4)
    own = CodeChunker("python", 40, context=True, overlap=4).chunk(SOURCE, source="src/a.py")
    assert [(one["text"], one["token_count"], one["span"]) for one in chunks["chunks"]] == [
        (c.text, c.token_count, c.span.model_dump()) for c in own
    ]
    text = "# A\n\nText.\n\n# B\n\nMore.\n"
    chunks = agent.call("chunk", text=text, language="markdown", max_tokens=6)
    assert [one["text"] for one in chunks["chunks"]] == [c.text for c in MarkdownChunker(6).chunk(text)]
    for text in ("null", "[1, 2]", '{"a": 1}', "12", '"x"'):  # a text that is JSON is a text
        assert [one["text"] for one in (agent.call("chunk", text=text))["chunks"]] == [text]

    hits = agent.call("search", query="onions simmer", by="words")
    assert [hit["source"] for hit in hits["hits"]] == ["notes.md"]
    for other in ({"kinds": ["function"]}, {"tags": ["main"]}, {"metadata": {"team": "a"}}, {"languages": ["python"]}):
        assert agent.call("search", query="onions simmer", by="words", **other)["hits"] == []
    for given in ({}, {"budget": 100}):
        told = agent.call("search", query="onions", sources=["notes.md", "note.md"], tags=["", "main"], **given)
        assert told["unmatched"] == ["main", "note.md"]
        assert "unmatched" not in agent.call("search", query="onions", sources=["src"], **given)

    made = agent.call(
        "assemble",
        items=[
            {"text": "Be brief.", "required": True},
            {"path": "src/a.py", "truncate": "tail", "priority": 3},
            {"path": "notes.md"},
        ],
        budget=60,
        reserve=10,
    )
    prompt = assemble(
        [Item("Be brief.", required=True), Item(SOURCE, id="src/a.py", truncate="tail", truncate_at="line", priority=3),
         Item((project / "notes.md").read_text(), id="notes.md")],
        60,
        reserve=10,
    )  # fmt: skip
    assert (made["text"], made["tokens"]) == (prompt.text, prompt.token_count)
    assert made["tokens"] == tokenizer.count(made["text"]) <= 50
    assert [(one["id"], one["status"]) for one in made["items"]] == [
        (one.id, one.status) for one in prompt.report.items
    ]


@pytest.mark.parametrize("tool", ["chunk", "count", "assemble"])
def test_no_file_but_those_of_the_roots(project: Path, agent: Agent, tool: str) -> None:
    reasons = {
        "../outside.txt": "contains ..",
        "src/../../outside.txt": "contains ..",
        str(project / "src/a.py"): "absolute path",
        "/etc/passwd": "absolute path",
        ".env": "holds secrets",
        "key.txt": "holds a private key",
        ".chunker/index.sqlite": "hidden",
        "large.txt": "is the limit",
        "nowhere.txt": "No such file",
        "src": "this is a folder",
        "a\0b": "not a file name",
    }
    if os.name == "posix":
        reasons |= {
            "out.txt": "leads out of the roots",
            "out/outside.txt": "leads out of the roots",
            "null": "leads out of the roots",
            "pipe": "not a regular file",
        }

    for path, reason in reasons.items():
        asked: dict[str, dict[str, Any]] = {
            "chunk": {"path": path},
            "count": {"paths": ["src/a.py", path]},
            "assemble": {"items": [{"path": path}], "budget": 100},
        }
        with pytest.raises(ToolFailedError, match=reason) as caught:
            agent.call(tool, **asked[tool])
        assert "onions" not in str(caught.value)
    assert (agent.call("count", paths=["notes.md"]))["total"] > 0  # and it goes on


def test_the_index_gives_no_secrets_and_nothing_from_outside(project: Path, agent: Agent) -> None:
    """It was made with all of it."""
    own = {hit.source for hit in Index.open(project / ".chunker").search("onions", by="words")}
    assert {".env", "notes.md"} < own
    assert any(source.endswith("outside.txt") for source in own)

    for by in ("words", "vectors", "both"):
        found = agent.call("search", query="onions", limit=20, by=by)
        assert {hit["source"] for hit in found["hits"]} <= {"notes.md", "src/a.py"}
        assert found["withheld"] >= 2
        assert "PASSWORD" not in str(found)
        assert "outside" not in str(found)

    pack = agent.call("search", query="onions", budget=200)
    assert {part["source"] for part in pack["parts"]} <= {"notes.md", "src/a.py"}
    assert pack["parts"]
    assert pack["withheld"] >= 2
    assert 0 < pack["tokens"] == agent.call("count", texts=[pack["text"]])["total"] <= 200
    assert ".env" not in pack["text"]
    assert "outside" not in pack["text"]


def test_the_index_gives_texts_that_were_added(project: Path, agent: Agent) -> None:
    """They are no files, so no root has them."""
    Index.open(project / ".chunker").add({"ticket-17": "The onions are gone; walrus ate them.\n"})
    found = agent.call("search", query="walrus onions", limit=20)
    assert found["hits"][0]["source"] == "ticket-17"
    assert {hit["source"] for hit in found["hits"]} <= {"ticket-17", "notes.md", "src/a.py"}
    assert found["withheld"] >= 2
    pack = agent.call("search", query="walrus", budget=200)
    assert "ticket-17" in {part["source"] for part in pack["parts"]}
    assert "walrus ate" in pack["text"]
    assert ".env" not in pack["text"]


def test_answers_have_a_size(project: Path, agent: Agent) -> None:
    first: int | None = 0
    texts: list[str] = []
    while first is not None:
        part = agent.call("chunk", path="long.txt", max_tokens=400, first=first)
        assert sum(len(one["text"]) for one in part["chunks"]) <= ANSWER_CHARACTERS
        texts += [one["text"] for one in part["chunks"]]
        first = part["next"]
    assert "".join(texts) == (project / "long.txt").read_text()
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("chunk", {"path": "long.txt", "max_tokens": 1_000_000}, "lower max_tokens"),
        ("assemble", {"items": [{"path": "long.txt"}], "budget": 1_000_000}, "is the limit of an answer"),
        ("count", {"paths": ["long.txt"] * 18}, "is the limit of one call"),
        ("count", {"texts": ["x"] * 201}, "at most 200"),
        ("search", {"query": "x" * 2001}, "at most 2000"),
    ]
    for tool, given, reason in wrong:
        with pytest.raises(ToolFailedError, match=reason):
            agent.call(tool, **given)


def test_what_is_wrong_is_told(agent: Agent) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("chunk", {"text": "x", "path": "notes.md"}, "pass either text or path"),
        ("chunk", {}, "pass a text that is not empty, or a path"),
        ("chunk", {"text": "", "path": ""}, "pass a text that is not empty, or a path"),
        ("chunk", {"text": "x", "max_token": 5}, "chunk: max_token: unknown field; did you mean max_tokens\\?$"),
        ("count", {}, "pass texts or paths"),
        ("count", {"text": "x"}, "count: text: unknown field; did you mean texts\\?$"),
        ("search", {"query": "x", "source": "a.py"}, "source: unknown field; did you mean sources\\?$"),
        ("assemble", {"items": [{"text": "a"}], "budget": 5, "chat_format": "chatml"},
         "chat_format: unknown field; the fields are items, budget, reserve, separator, tokenizer$"),
        ("chunk", {"text": "x", "max_tokens": 0}, "greater than or equal to 1"),
        ("chunk", {"text": "x", "max_tokens": 5, "overlap": 5}, "overlap must be from 0"),
        ("chunk", {"text": "x", "language": "klingon"}, "language must be auto or one of"),
        ("chunk", {"text": "日", "max_tokens": 1, "tokenizer": "bytes"}, "set max_tokens to at least 3"),
        ("count", {"texts": ["x"], "tokenizer": "r50k_base"}, "tokenizer must be one of"),  # would be downloaded
        ("count", {"texts": ["x"], "tokenizer": "/etc/passwd"}, "tokenizer must be one of"),
        ("search", {"query": "x", "by": "magic"}, "search: by: Input should be 'both', 'vectors' or 'words'$"),
        ("search", {}, "search: query: this field is missing$"),
        ("search", {"query": "x", "metadata": {"a": {"b": 1}}}, "metadata.a: Input should be a valid string or a valid integer or"),
        ("count", {"texts": [1]}, "count: texts.0: Input should be a valid string$"),
        ("assemble", {"items": [], "budget": 5}, "at least 1 item"),
        ("assemble", {"items": [{"text": "a", "path": "notes.md"}], "budget": 5}, "either text or path"),
        ("assemble", {"items": [{"text": "a", "secrets": True}], "budget": 5}, "items.0.secrets: unknown field; the fields are text, path, id, "),
        ("assemble", {"items": [{"text": "a " * 50, "required": True}], "budget": 5}, "do not fit"),
        ("assemble", {"items": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}], "budget": 5}, "x"),
    ]  # fmt: skip
    for tool, given, reason in wrong:
        with pytest.raises(ToolFailedError, match=reason):
            agent.call(tool, **given)


def test_a_map_is_within_its_budget_and_of_what_may_be_read(project: Path, agent: Agent) -> None:
    for budget in (5, 20, 400):
        told = agent.call("map", max_tokens=budget)
        assert told["tokens"] == Tokenizer.load("o200k_base").count(told["text"]) <= budget
    assert told["text"] == map_repository(project, 400).text
    assert told["files"] > 0
    assert (
        agent.call("map", max_tokens=400, focus=["src/a.py"])["text"]
        == map_repository(project, 400, focus="src/a.py").text
    )
    names = [line for line in told["text"].splitlines() if line in agent.call("list_files")["files"]]
    assert len(names) == told["files"]
    with pytest.raises(ToolFailedError, match="there is no folder"):
        agent.call("map", folder="other")


def test_a_skeleton_is_within_its_budget_and_of_what_may_be_read(project: Path, agent: Agent) -> None:
    for budget in (3, 30, 2000):
        told = agent.call("skeleton", path="src/a.py", max_tokens=budget)
        assert told["text"] == skeleton(SOURCE, "src/a.py", budget)
        assert told["tokens"] == Tokenizer.load("o200k_base").count(told["text"]) <= budget
    assert agent.call("skeleton", path="notes.md")["text"] == "Soup\n"
    for refused in (".env", "key.txt", "../outside.txt", ""):
        with pytest.raises(ToolFailedError):
            agent.call("skeleton", path=refused)


def test_of_several_roots_one_is_mapped(tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"def go_{name}():\n    return 1\n")
    with agent_here(tmp_path / "left", tmp_path / "right") as agent:
        assert agent.call("map", folder="right")["text"] == "a.py\ndef go_right():\n"
        with pytest.raises(ToolFailedError, match="name one of left, right"):
            agent.call("map")


def test_text_is_never_run_or_filled_in(project: Path, agent: Agent) -> None:
    text = "{{ 7 * 7 }} ${HOME} {path} $(touch was-run) `touch was-run` %s <|endoftext|> __import__('os').system('touch was-run')"

    made = agent.call("assemble", items=[{"text": text, "id": text}], budget=200)
    assert made["text"] == text
    assert made["tokens"] == Tokenizer.load("o200k_base").count(text)
    assert (agent.call("chunk", text=text, max_tokens=200))["chunks"][0]["text"] == text
    assert list(project.parent.rglob("was-run")) == []  # where the server runs


def test_without_roots_no_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("text\n")
    monkeypatch.chdir(tmp_path)
    with agent_here() as agent:
        assert sorted(agent.tools()) == ["assemble", "chunk", "count"]
        assert agent.call("count", texts=["a b"])["total"] == 2
        with pytest.raises(ToolFailedError, match="started without roots"):
            agent.call("count", paths=["a.txt"])


def test_many_calls_at_a_time(agent: Agent) -> None:
    futures = [
        agent.portal.start_task_soon(agent.client.call_tool, "count", {"texts": ["word " * n]}) for n in range(1, 15)
    ]
    tokenizer = Tokenizer.load("o200k_base")
    totals = [(future.result().structured_content or {})["total"] for future in futures]
    assert totals == [tokenizer.count("word " * n) for n in range(1, 15)]


@pytest.mark.parametrize(
    ("arguments", "reason"), [(["nowhere"], "nowhere does not exist"), (["--index", "nowhere"], "there is no index")]
)
def test_wrong_usage(arguments: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = typer.Typer(rich_markup_mode=None)
    app.command()(mcp)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert reason in " ".join(done.output.split())


def said(arguments: list[str], lines: list[bytes], cwd: Path) -> list[dict[str, Any]]:
    """What the server writes, of which each line has to be an answer, to these lines and the end of its input."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    start = [
        json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    ]
    process = subprocess.Popen(
        command("mcp", *arguments), cwd=cwd, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    with process:
        process.stdin.writelines([line + b"\n" for line in [*start, *lines]])
        process.stdin.flush()
        # At the end of the input it gives up what it is at: first all answers.
        expected = 1 + sum(b'"id"' in line or b"method" not in line for line in lines)
        answers = [json.loads(process.stdout.readline()) for _ in range(expected)]
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0
    return answers


def call(number: int, arguments: bytes) -> bytes:
    """A call of `count`, as it is written on a line."""
    start = b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "count", "arguments": ' % number
    return start + arguments + b"}}"


ODD = [
    call(1, b'{"texts": ["half an emoji \\ud83d"]}'),
    call(2, b'{"texts": ["the other half \\ude00 of it"]}'),
    call(3, b'{"texts": ["\\ud83d\\ude00"]}'),
    call(4, b'{"texts": ["a"], "texts": ["a b"]}'),
    call(5, b'{"texts": ["caf\xe9"]}'),
    call(6, b'{"texts": ' + b"[" * 300 + b"]" * 300 + b"}"),
    b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": [1]}',
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": "\\ud800"}',
    call(8, b'{"texts": ["a b"]}'),
]
RUBBISH = [b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"id": 3']


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What one server says to odd requests, and to rubbish after them."""
    return said([], [*ODD, *RUBBISH], tmp_path_factory.mktemp("odd"))


def test_a_request_that_is_none_is_answered(answers: list[dict[str, Any]]) -> None:
    """With its id, and all that comes after it, too."""
    told = {answer["id"]: answer for answer in answers if answer["id"] is not None}
    assert sorted(map(str, told)) == ["1", "2", "3", "4", "5", "6", "7", "8", "hello"]
    reasons = {
        1: "half a character",
        2: "half a character",
        4: "two keys are called 'texts'",
        5: "not UTF-8",
        6: "recursion limit",
        7: "params: Input should be an object",
    }
    assert {number: reason in told[number]["error"]["message"] for number, reason in reasons.items()} == dict.fromkeys(
        reasons, True
    )
    tokenizer = Tokenizer.load("o200k_base")
    for number, text in ((3, "\U0001f600"), (8, "a b")):
        assert told[number]["result"]["structuredContent"]["total"] == tokenizer.count(text)


def test_input_that_is_no_protocol(answers: list[dict[str, Any]]) -> None:
    """Each line is told so, by an error to nobody's request, as JSON-RPC has it; at the end of the input the server ends."""
    nobodys = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert len(nobodys) == len(RUBBISH) + 2
    assert nobodys[2:] == [-32700, -32600, -32700, -32700, -32700]
