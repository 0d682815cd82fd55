"""The REST API as a page to read, made from its OpenAPI document, without scripts and external resources.

Cut a text into chunks        POST /api/chunk
field       type            what it is
max_tokens  integer, 512    the largest number of tokens of a chunk
$ curl ...
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from chunker.integrations.serve.page import without_policy
from chunker.view.page import escaped, frame

_OURS = "chunker.integrations.serve"
_ENUM_SHOWN = 6


def docs_page(described: dict[str, Any]) -> tuple[bytes, str]:
    """Return the page, and its content security policy for a header. `described`: the OpenAPI document."""
    head, body, tail = frame(f"{_OURS}:docs.html", ("page.css", f"{_OURS}:docs.css"), ())
    head, policy = without_policy(head)
    content = "".join(_content(described))
    return (head + body + content + tail).encode(), policy


def _content(described: dict[str, Any]) -> Iterator[str]:
    schemas = described["components"]["schemas"]
    needs_token = "security" in described
    yield f"<p>{_inline(described['info']['description'])}"
    if needs_token:
        yield " Requests carry the token of the server: <code>Authorization: Bearer TOKEN</code>."
    yield "</p>\n"
    for path, methods in described["paths"].items():
        yield from _operation(path, methods["post"], schemas, needs_token=needs_token)
    yield "<h2>Shapes</h2>\n"
    for name, schema in schemas.items():
        if not name.startswith("Asked"):
            yield f'<h3 id="{name}">{name}</h3>\n<p>{escaped(schema.get("description", ""))}</p>\n'
            yield _table(name, schema, schemas, asked=False)


def _operation(path: str, told: dict[str, Any], schemas: dict[str, Any], *, needs_token: bool) -> Iterator[str]:
    yield f'<section aria-labelledby="{told["operationId"]}">\n'
    yield f'<h2 id="{told["operationId"]}">{escaped(told["summary"])}</h2>\n'
    yield f"<p><code>POST {escaped(path)}</code></p>\n<p>{_inline(told['description'])}</p>\n"
    body = told["requestBody"]["content"]["application/json"]
    name = body["schema"]["$ref"].rpartition("/")[2]
    yield _table(told["summary"], schemas[name], schemas, asked=True)
    header = '\n  -H "Authorization: Bearer $TOKEN" \\' if needs_token else ""
    example = shlex.quote(json.dumps(body["example"], ensure_ascii=False))
    curl = f"curl http://127.0.0.1:8808{path} \\{header}\n  -H 'Content-Type: application/json' \\\n  -d {example}"
    yield f'<pre tabindex="0" aria-label="Example of {escaped(told["summary"])}">{_lines(curl)}</pre>\n'
    answers = told["responses"]["200"]["content"]
    shape = next(iter(answers.values()))["schema"].get("$ref", "").rpartition("/")[2]
    yield f'<p>Answers <a href="#{shape}">{shape}</a>.</p>\n' if shape else "<p>Answers the file.</p>\n"
    refusals = (
        f"<li><code>{code}</code> {_inline(one['description'])}</li>"
        for code, one in told["responses"].items()
        if code != "200"
    )
    yield f"<details><summary>When it is refused</summary><ul>{''.join(refusals)}</ul></details>\n</section>\n"


def _table(title: str, schema: dict[str, Any], schemas: dict[str, Any], *, asked: bool) -> str:
    fields = schema.get("properties", {})
    if not fields:
        return "<p>No fields: an empty object.</p>\n"
    required = set(schema.get("required", []))
    rows = []
    for name, field in fields.items():
        default = f"<td>{escaped(json.dumps(field['default'])) if name not in required else ''}</td>" if asked else ""
        rows.append(
            f'<tr><th scope="row"><code>{escaped(name)}</code></th><td>{_type(field, schemas)}</td>{default}'
            f"<td>{_inline(field.get('description', ''))}</td></tr>\n"
        )
    columns = ("field", "type", *(["default"] if asked else []), "what it is")
    head = "<tr>" + "".join(f'<th scope="col">{column}</th>' for column in columns) + "</tr>"
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="Fields of {escaped(title)}"><table>\n'
        f"<thead>{head}</thead>\n<tbody>\n{''.join(rows)}</tbody></table></div>\n"
    )


def _type(field: dict[str, Any], schemas: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f'<a href="#{name}">{name}</a>' if name in schemas else escaped(name)
    if "enum" in field:
        shown = [escaped(json.dumps(one)) for one in field["enum"][:_ENUM_SHOWN]]
        return ", ".join([*shown, *(["…"] if len(field["enum"]) > _ENUM_SHOWN else [])])
    if "anyOf" in field:
        return " or ".join(_type(one, schemas) for one in field["anyOf"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}), schemas)}"
    kinds = field.get("type", "any")
    return escaped(" or ".join(kinds) if isinstance(kinds, list) else kinds)


def _inline(text: str) -> str:
    """Convert text with `code` in it to HTML."""
    parts = text.split("`")
    return "".join(
        f"<code>{escaped(part)}</code>" if number % 2 else escaped(part) for number, part in enumerate(parts)
    )


def _lines(text: str) -> str:
    return "\n".join(map(escaped, text.split("\n")))
