"""The REST API of `chunker serve`: what its OpenAPI document says is what it answers; exports are the files of the command."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Server, serving

pytest.importorskip("starlette", reason='needs starlette: pip install "bpe-chunker[serve]"')
pytest.importorskip("jsonschema", reason="needs jsonschema: pip install jsonschema")

import jsonschema

from chunker import chunk
from chunker.index import Index
from chunker.integrations.serve.api import Api
from chunker.integrations.serve.openapi import ENDPOINTS, document
from chunker.integrations.serve.page import samples
from chunker.integrations.serve.reading import docs_page

GUIDE = "# Guide\n\nFirst words.\n\n## Install\n\n" + "Run it, then run it again. " * 12 + "\n"
ASKED: dict[str, Any] = {"text": GUIDE, "name": "guide.md", "max_tokens": 40, "context": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    top = tmp_path_factory.mktemp("served")
    (top / "README.md").write_text(GUIDE)
    Index.open(top / ".chunker").sync(top)
    with serving(str(top), "--index", str(top / ".chunker")) as started:
        yield started


@pytest.fixture(scope="module")
def described(server: Server) -> dict[str, Any]:
    answer = server.request("GET", "/openapi.json")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    return dict(answer.json)


def resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "components": described["components"]}


def test_every_endpoint_is_described(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1")
    routes = {f"/api/{name}" for name in Api.__new__(Api).endpoints()}
    assert routes - set(described["paths"]) == {"/api/cut"}  # the page's own
    assert set(described["paths"]) <= routes
    names = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described))
    assert set(names) == set(described["components"]["schemas"])


@pytest.mark.parametrize("name", [one.name for one in ENDPOINTS])
def test_examples_are_answered_as_it_says(server: Server, described: dict[str, Any], name: str) -> None:
    told = described["paths"][f"/api/{name}"]["post"]
    body = told["requestBody"]["content"]["application/json"]
    validator = jsonschema.Draft202012Validator
    validator(resolved(described, body["schema"])).validate(body["example"])
    answer = server.ask(name, body["example"])
    assert answer.status == 200
    answers = told["responses"]["200"]["content"]
    if list(answers) == ["application/json"]:
        validator(resolved(described, answers["application/json"]["schema"])).validate(answer.json)
    else:
        assert answer.headers["content-type"].partition(";")[0] in answers
    # An unknown field is refused by both.
    wrong = {**body["example"], "no_such": 1}
    refusal = server.ask(name, wrong)
    assert not validator(resolved(described, body["schema"])).is_valid(wrong)
    assert refusal.status == 422
    schema = told["responses"]["422"]["content"]["application/json"]["schema"]
    validator(resolved(described, schema)).validate(refusal.json)


def test_chunks_are_those_of_the_library(server: Server) -> None:
    answer = server.ask("chunk", ASKED).json
    own = chunk(GUIDE, 40, language="markdown", source="guide.md", context=True)
    assert answer["chunks"] == [one.record() for one in own]
    assert answer["tokens"] == sum(one.token_count for one in own)
    names: dict[str, Any] = {"text": GUIDE}
    exec(answer["code"].replace("\nMarkdownChunker", "\nmade = MarkdownChunker"), names)
    assert names["made"] == own
    every = {"min_tokens": 4, "desired_tokens": 20, "overlap": 6, "overlap_by": "token", "reserve": 2}
    answer = server.ask("chunk", {**ASKED, **every, "strategy": "optimal", "context": ["imports", "summary"]}).json
    own = chunk(
        GUIDE,
        40,
        language="markdown",
        source="guide.md",
        min_tokens=4,
        desired_tokens=20,
        overlap=6,
        overlap_by="token",
        reserve=2,
        strategy="optimal",
        context=["imports", "summary"],
    )
    assert answer["chunks"] == [one.record() for one in own]
    assert server.ask("count", {"texts": [GUIDE, ""], "tokenizer": "characters"}).json == {
        "counts": [len(GUIDE), 0],
        "total": len(GUIDE),
    }


def test_files_of_chunks(server: Server) -> None:
    own = [one.record() for one in chunk(GUIDE, 40, language="markdown", source="guide.md", context=True)]
    made = {name: server.ask("export", {**ASKED, "file_format": name}) for name in ("jsonl", "json", "csv")}
    assert {answer.status for answer in made.values()} == {200}
    assert [json.loads(line) for line in made["jsonl"].body.splitlines()] == own
    assert json.loads(made["json"].body) == own
    rows = list(csv.DictReader(io.StringIO(made["csv"].body.decode(), newline="")))
    assert [row["text"] for row in rows] == [record["text"] for record in own]
    assert made["csv"].headers["content-disposition"] == 'attachment; filename="chunks.csv"'
    parquet = pytest.importorskip("pyarrow.parquet", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')
    answer = server.ask("export", {**ASKED, "file_format": "parquet"})
    table = parquet.read_table(io.BytesIO(answer.body))
    assert table.column("id").to_pylist() == [record["id"] for record in own]
    assert server.ask("export", {**ASKED, "file_format": "xlsx"}).status == 422


def test_the_page_that_explains_it(server: Server, described: dict[str, Any]) -> None:
    answer = server.request("GET", "/docs")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "script-src" not in answer.headers["content-security-policy"]
    page = answer.body.decode()
    assert "<script" not in page
    for path, methods in described["paths"].items():
        assert f"POST {path}" in page
        schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for name in described["components"]["schemas"][schema].get("properties", {}):
            assert f"<code>{name}</code>" in page
    links = re.findall(r'href="#(\w+)"', page)
    assert links
    assert all(f'id="{link}"' in page for link in links)
    foreign = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "iframe"}
    assert server.request("GET", "/docs", None, **foreign).status == 403


def test_a_token_is_told() -> None:
    described = document(["o200k_base"], needs_token=True)
    assert described["security"] == [{"token": []}]
    assert "Authorization: Bearer" in docs_page(described)[0].decode()
    hostile = copy.deepcopy(described)
    hostile["info"]["description"] = "<script>alert(1)</script>"
    assert b"<script>" not in docs_page(hostile)[0]


def test_samples_are_read_as_what_they_are() -> None:
    languages = {one["name"]: chunk(one["text"], 64, source=one["name"])[0].language for one in samples()}
    assert languages == {"guide.md": "markdown", "cart.py": "python", "prices.csv": "csv", "letter.txt": None}
    for one in samples():
        assert len(chunk(one["text"], 256, source=one["name"])) > 1
        assert Path(one["name"]).suffix
