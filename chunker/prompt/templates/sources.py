"""Sources of chat templates: files of tokenizers, GGUF, and the chat formats that are data.

tokenizer_config.json    "chat_template": text, or a list of {"name", "template"}; bos_token, eos_token ...
chat_template.jinja      the template alone; special tokens stand in tokenizer_config.json beside it
chat_template.json       {"chat_template": ...}
model.gguf               tokenizer.chat_template, and tokenizer.chat_template.NAME
a folder                 the first of these that it has, in the order .jinja, .json, tokenizer_config.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bpe_engine.formats.gguf_metadata import read_metadata
from chunker.prompt.chat import ChatFormat
from chunker.prompt.errors import ChatTemplateError

_CONFIG, _JINJA, _JSON = "tokenizer_config.json", "chat_template.jinja", "chat_template.json"
_OTHERS = "additional_chat_templates"
_GGUF_TOKENS = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


class FoundTemplate(NamedTuple):
    """The chat template of a file, its special tokens, the file's other templates, and its name for error messages."""

    text: str
    special_tokens: Mapping[str, str]
    others: Mapping[str, str]
    name: str


def read(path: Path) -> FoundTemplate:
    """The template of a file or folder. Raises ChatTemplateError and OSError."""
    if path.is_dir():
        for name in (_JINJA, _JSON, _CONFIG):
            if (path / name).is_file():
                return read(path / name)
        raise ChatTemplateError(f"the folder has none of {_JINJA}, {_JSON}, {_CONFIG}", str(path))
    if path.suffix == ".gguf":
        return _of_gguf(path)
    if path.suffix != ".json":
        beside = path.parent / _CONFIG
        config = _object(beside) if beside.is_file() else {}
        folder = path.parent / _OTHERS
        others = {file.stem: _text(file) for file in sorted(folder.glob("*.jinja"))} if folder.is_dir() else {}
        return FoundTemplate(_text(path), special_tokens_of(config), others, str(path))
    config = _object(path)
    beside = path.parent / _CONFIG
    tokens = special_tokens_of(_object(beside) if path.name == _JSON and beside.is_file() else config)
    return _chosen(config.get("chat_template"), tokens, str(path))


def _chosen(templates: object, tokens: Mapping[str, str], name: str) -> FoundTemplate:
    if isinstance(templates, str):
        return FoundTemplate(templates, tokens, {}, name)
    if isinstance(templates, list):
        pairs = [(one.get("name"), one.get("template")) for one in templates if isinstance(one, dict)]
        templates = {key: text for key, text in pairs if isinstance(key, str) and isinstance(text, str)}
    if isinstance(templates, dict) and isinstance(templates.get("default"), str):
        templates = {key: text for key, text in templates.items() if isinstance(text, str)}
        return FoundTemplate(templates["default"], tokens, templates, name)
    raise ChatTemplateError("it has no chat_template, or none of the name default", name)


def special_tokens_of(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens that a tokenizer_config.json names: bos_token, eos_token and so on."""
    extra = config.get("extra_special_tokens", config.get("model_specific_special_tokens"))
    named = {**config, **(extra if isinstance(extra, dict) else {})}
    found = {}
    for key, value in named.items():
        text = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and isinstance(text, str):
            found[key] = text
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ChatTemplateError(f"it is not UTF-8: {error}", str(path)) from None


def _object(path: Path) -> dict[str, Any]:
    try:
        made = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ChatTemplateError(f"it is not JSON: {error}", str(path)) from None
    if not isinstance(made, dict):
        raise ChatTemplateError("it is not a JSON object", str(path))
    return made


def _of_gguf(path: Path) -> FoundTemplate:
    prefix = "tokenizer.chat_template"
    numbers = {key: f"tokenizer.ggml.{name}_token_id" for key, name in _GGUF_TOKENS.items()}
    wanted = {*numbers.values(), "tokenizer.ggml.tokens"}
    metadata: Mapping[str, Any] = read_metadata(path, lambda key: key.startswith(prefix) or key in wanted)
    if not isinstance(metadata.get(prefix), str):
        raise ChatTemplateError(f"it has no {prefix}", str(path))
    tokens = metadata.get("tokenizer.ggml.tokens") or []
    special = {}
    for key, number in numbers.items():
        found = metadata.get(number)
        if isinstance(found, int) and 0 <= found < len(tokens):
            token = tokens[found]
            special[key] = token.decode("utf-8", "replace") if isinstance(token, bytes) else str(token)
    others = {
        key.removeprefix(f"{prefix}."): text
        for key, text in metadata.items()
        if key.startswith(f"{prefix}.") and isinstance(text, str)
    }
    return FoundTemplate(metadata[prefix], special, others, str(path))


def source_of(chat_format: ChatFormat) -> str:
    """A chat format as a template. Raises ChatTemplateError for one that is not text."""
    if chat_format.whole_messages or chat_format.tokens_per_message or chat_format.tokens_for_reply:
        raise ChatTemplateError(
            "it has only the number of tokens around a message, not the tokens", f"the chat format {chat_format.name!r}"
        )
    prefix, suffix, reply = (_expression(text) for text in (chat_format.prefix, chat_format.suffix, chat_format.reply))
    named = prefix if chat_format.named is None else _expression(chat_format.named)
    roles = f"({json.dumps(chat_format.roles)}).get(role, role)"
    answering = _expression(chat_format.reply.replace("{role}", chat_format.roles.get("assistant", "assistant")))
    return (
        "{% for message in messages %}{% set role = message.role %}{% set role = " + roles + " %}"
        "{% if message.name %}{{ " + named + " }}{% else %}{{ " + prefix + " }}{% endif %}"
        "{{ message.content or '' }}{{ " + suffix + " }}{% endfor %}"
        "{% if add_generation_prompt %}{{ " + (answering if "{role}" in chat_format.reply else reply) + " }}{% endif %}"
    )


def _expression(text: str) -> str:
    """A text with `{role}` and `{name}` in it, as an expression of Jinja."""
    parts = [json.dumps(text)]
    for name, value in (("{role}", "role"), ("{name}", "(message.name or '')")):
        parts = [piece for part in parts for piece in (_around(part, name, value) if part.startswith('"') else [part])]
    return " ~ ".join(part for part in parts if part != '""') or '""'


def _around(quoted: str, name: str, value: str) -> list[str]:
    first, *rest = json.loads(quoted).split(name)
    parts = [json.dumps(first)]
    for piece in rest:
        parts += [value, json.dumps(piece)]
    return parts
