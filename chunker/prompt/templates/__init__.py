"""Chat templates in Jinja: find them, render them, and find the message that wrote each part of the text.

environment.py   the sandbox that templates run in: functions, filters, `{% generation %}`
limits.py        what a template may use of time and memory
values.py        messages and tools -> the plain values that a template sees
sources.py       tokenizer_config.json, chat_template.jinja, GGUF -> ChatTemplate
template.py      ChatTemplate: messages -> text
spelled.py       special tokens that a message's text spells, told from those that the template writes
marks.py         which message, tool call or generation block wrote which part of the text
"""

from __future__ import annotations

from chunker.errors import MissingExtraError

try:
    import jinja2 as _jinja2  # noqa: F401  # to tell what to install, before a module of ours fails on it
except ImportError as error:
    raise MissingExtraError("jinja2", "templates") from error
