"""Chat templates: equal to what `transformers` renders, in a sandbox, bounded; errors name the line."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conversation_turns.walk import TOOL, templates
from gguf import GGUFWriter
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.utils.chat_template_utils import render_jinja_template

from chunker.errors import WrongTypeError
from chunker.prompt import CHAT_FORMATS, ChatTemplate, ChatTemplateError, MessageError, TemplateLimitError
from chunker.prompt.templates import limits, measuring

TOKENS = {"bos_token": "<|bos|>", "eos_token": "<|eos|>"}
HI = [{"role": "user", "content": "Hi"}]


def theirs(text: str, messages: Any, **options: Any) -> str | None:
    try:
        found: Any = render_jinja_template([messages], chat_template=text, **{**TOKENS, **options})
    except Exception:  # noqa: BLE001 - templates may raise whatever they like
        return None
    return str(found[0][0])


def ours(text: str, messages: Any, **options: Any) -> str | None:
    try:
        return ChatTemplate(text, TOKENS).render(messages, **options)
    except (ChatTemplateError, MessageError):
        return None


content = st.lists(
    st.sampled_from(["Hi", " ", "\n", "<think>", "</think>", "☃", "<|im_end|>", '"', "<tool_response>"]), max_size=5
).map("".join)
calls = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.just("call12345"),
            "type": st.just("function"),
            "function": st.fixed_dictionaries(
                {"name": st.just("f"), "arguments": st.dictionaries(content, content, max_size=2)}
            ),
        }
    ),
    min_size=1,
    max_size=2,
)
messages = st.lists(
    st.one_of(
        st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "assistant"]), "content": content}),
        st.fixed_dictionaries({"role": st.just("assistant"), "content": content, "tool_calls": calls}),
        st.fixed_dictionaries({"role": st.just("assistant"), "content": content, "reasoning_content": content}),
        st.fixed_dictionaries(
            {"role": st.just("tool"), "content": content, "name": st.just("f"), "tool_call_id": st.just("call12345")}
        ),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("name", templates())
@settings(max_examples=8)
@given(messages=messages, tools=st.sampled_from([None, [TOOL]]), ends=st.sampled_from(["", "prompt", "continue"]))
def test_equal_to_transformers(name: str, messages: Any, tools: Any, ends: str) -> None:
    text = templates()[name]
    options: dict[str, Any] = {
        "prompt": {"add_generation_prompt": True},
        "continue": {"continue_final_message": True},
    }.get(ends, {})
    found = theirs(text, messages, tools=tools, **options)
    assert ours(text, messages, tools=tools, **options) == found


def test_options_that_templates_read() -> None:
    text = templates()["qwen3"]
    for thinking in (True, False):
        expected = theirs(text, HI, enable_thinking=thinking, add_generation_prompt=True)
        assert expected is not None
        assert ours(text, HI, enable_thinking=thinking, add_generation_prompt=True) == expected
    documents = [{"title": "a", "text": "b"}]
    text = "{% for d in documents %}{{ d.title }}{{ d | tojson(indent=1) }}{% endfor %}"
    assert ours(text, HI, documents=documents) == theirs(text, HI, documents=documents)


class Role(str, Enum):  # noqa: UP042 - as people have them
    USER = "user"


@dataclass
class Text:
    type: str
    text: str


@pytest.mark.parametrize(
    "message",
    [
        {"role": Role.USER, "content": np.str_("x"), "number": np.int64(3), "flag": np.bool_(False), "none": None},
        {
            "role": "user",
            "content": [Text("text", "a"), {"type": "image", "image": object()}],
            "n": 1.5,
            "t": (1, True),
        },
        {"role": "user", "reasoning": "because"},
        {"role": "user", "thinking": "because", "content": {"a": {"b": [1, None]}}},
    ],
)
def test_values_are_plain(message: Any) -> None:
    text = "{% for m in messages %}{{ m | tojson }}|{{ m.content }}{% endfor %}"
    dropped = {key: value for key, value in message.items() if value is not None}
    assert ours(text, [message]) == theirs(text, [dropped])


def test_functions_are_tools() -> None:
    def weather(place: str, days: int = 1) -> str:
        """The weather.

        Args:
            place: Where.
            days: How many.
        """
        return place * days

    text = "{{ tools | tojson }}"
    assert ours(text, HI, tools=[weather]) == theirs(text, HI, tools=[weather])
    with pytest.raises(MessageError, match="a JSON schema or a function, got 'x'"):
        ChatTemplate(text).render(HI, tools=["x"])
    with pytest.raises(MessageError, match="has no docstring"):
        ChatTemplate(text).render(HI, tools=[ours])


ENDLESS = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "macros": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "a macro in itself": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "a range": "{{ range(10 ** 9) | list }}",
    "doubling": "{% set n = namespace(x='aa') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "doubling a list": "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
    "doubling a block": "{% set x = 'a' %}{% for i in range(9) %}{% set x %}{{ 'a' * 60000000 }}{{ x }}{{ 'a' * 9000000 }}{% endset %}{% endfor %}",
    "times": "{{ 'a' * 10 ** 12 }}",
    "power": "{{ 9 ** (10 ** 9) }}",
    "percent": "{{ '%999999999d' % 1 }}",
    "percent, star": "{{ '%*d' % (10 ** 9, 1) }}",
    "format": "{{ '{:>999999999}'.format(1) }}",
    "format, nested": "{{ '{:{}}'.format(1, 10 ** 9) }}",
    "format, filter": "{{ '%999999999d' | format(1) }}",
    "center": "{{ 'a'.center(10 ** 9) }}",
    "center, filter": "{{ 'a' | center(10 ** 9) }}",
    "indent": "{{ messages | tojson(indent=10 ** 9) }}",
    "lipsum": "{{ lipsum(n=10 ** 9) }}",
    "replace": "{{ ('a' * 9999999).replace('a', 'b' * 9999999) }}",
    "replace, filter": "{{ ('a' * 9999999) | replace('a', 'b' * 9999999) }}",
    "join": "{{ ('b' * 9999999).join(range(99999) | list) }}",
    "join, filter": "{{ (['x' * 9999999] * 99999) | join }}",
    "join, filter of what is mapped": "{{ (['x' * 9999999] * 99999) | map('upper') | join(', ') }}",
    "join, filter of a field": "{{ ([{'a': 'x' * 9999999}] * 99999) | join(attribute='a') }}",
    "wordwrap": "{{ ('a' * 999999) | wordwrap(1) }}",
    "wordwrap, wide": "{{ 'a' | wordwrap(10 ** 9) }}",
    "wordwrap, what is put between": "{{ ('a ' * 9999) | wordwrap(2, wrapstring='b' * 9999) }}",
    "strftime": "{{ strftime_now('%Y' * 9999999) }}",
    "tojson": "{{ (['a' * 9999999] * 99) | tojson }}",
    "tojson, separators": "{{ (range(9999) | list) | tojson(separators=('a' * 99999, ':')) }}",
    "tojson, indent": "{{ (range(99999) | list) | tojson(indent=99999) }}",
    "string": "{{ (['a' * 9999999] * 99) | string }}",
    "what is written": "{{ ['a' * 9999999] * 99 }}",
    "a tilde": "{% set x = 'a' * 60000000 %}{% set y = x ~ x ~ x %}",
    "a tilde, list": "{% set x = ['a' * 9999999] * 99 ~ '' %}",
    "many additions": "{% set x = 'a' * 9999999 %}{{ (" + " + ".join("x" * 99) + ") | length }}",
    "percent, many": "{{ '%s' * 9999 % (('a' * 9999,) * 9999) }}",
    "percent, names": "{{ '%(a)s' * 9999 % {'a': 'a' * 9999} }}",
    "format, many": "{{ ('{0}' * 9999).format('a' * 9999) }}",
    "format, name": "{{ '{a:>999999999}'.format(a=1) }}",
    "translate": "{{ ('a' * 99999).translate({97: 'b' * 99999}) }}",
    "format, a brace in the name": "{{ '{0[}]:>999999999}'.format({'}': 1}) }}",
    "format, many widths": "{{ ('{:99999}' * 9999).format(1) }}",
    "percent, filter of many": "{{ ('%s' * 9999) | format(*(['a' * 9999] * 9999)) }}",
    "percent, many widths": "{{ '%99999s' * 9999 % (('a',) * 9999) }}",
    "replace, filter with names": "{{ ('a' * 9999999) | replace(old='a', new='b' * 9999999) }}",
    "tabs": "{{ ('\\t' * 9999999).expandtabs(99999) }}",
    "indented lines": "{{ ('a\\n' * 999999) | indent(99999) }}",
    "join of a text": "{{ ('x' * 999999).join('a' * 999999) }}",
    "join of what is mapped": "{{ ('x' * 999999).join(range(99999) | map('string')) }}",
    "a sum of lists": "{{ ([[1] * 9] * 99999) | sum(start=[]) }}",
    "center, method": "{{ 'a'.ljust(10 ** 9) }}{{ 'a'.rjust(10 ** 9) }}",
    "all that is written": "{% for i in range(99999) %}{{ 'x' * 9999999 }}{% endfor %}",
    "all that a macro writes": "{% macro f() %}{% for i in range(99999) %}{{ 'x' * 9999999 }}{% endfor %}{% endmacro %}{{ f() | length }}",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 100_000)
    with pytest.raises(TemplateLimitError, match="the chat template, line 2: it"):
        ChatTemplate("\n" + ENDLESS[name]).render(HI)


_NESTED = (
    "\n{% set n = namespace(x=[], y=[], z=()) %}{% for i in range(60) %}"
    "{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% set n.z = (n.z, n.z) %}{% endfor %}"
)


@pytest.mark.parametrize(
    "text",
    [
        "{{ n.x }}",
        "{{ n.x | tojson }}",
        "{{ n.x | string }}",
        "{{ n.x | pprint }}",
        "{{ n.x ~ 'a' }}",
        "{{ [n.x] | join }}",
        "{{ '%s' % (n.x,) }}",
        "{{ '{}'.format(n.x) }}",
        "{{ n.x == n.y }}",
        "{{ n.x in [n.y] }}",
        "{{ [n.y].index(n.x) }}",
        "{{ n.x is eq(n.y) }}",
        "{{ [n.x, n.y] | sort }}",
        "{{ [n.z] | unique | list }}",
        "{{ {n.z: 1} }}",
        "{{ {}[n.z] }}",
        "{{ {}.get(n.z) }}",
        "{{ dict([(n.z, 1)]) }}",
    ],
)
def test_values_that_hold_themselves_many_times(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few values in memory, and 2 ** 60 where they are written, compared or hashed."""
    monkeypatch.setattr(measuring, "VALUES", 10_000)
    with pytest.raises(TemplateLimitError, match="line 2: it makes a value of more than 10,000 parts"):
        ChatTemplate(_NESTED + text).render(HI)


def test_values_that_are_nested_deeply() -> None:
    text = "\n{% set n = namespace(x=[]) %}{% for i in range(99999) %}{% set n.x = [n.x] %}{% endfor %}"
    for written in ("{{ n.x | tojson }}", "{{ n.x }}"):
        with pytest.raises(TemplateLimitError, match="line 2: it exceeds a limit"):
            ChatTemplate(text + written).render(HI)
    nested: Any = "a"
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(MessageError, match="message 0 is nested too deeply"):
        ChatTemplate("x").render([{"role": "user", "content": nested}])
    while isinstance(nested, list):
        nested = nested[0]


@pytest.mark.parametrize(
    "text",
    [
        "{{ messages[0].role ~ 1 ~ none ~ x ~ ['a'] }}",
        "{{ messages }}{{ messages[0] == messages[1] }}{{ messages[0] in messages }}",
        "{{ [3, 1] | sort }}{{ [[1], [2]] | sum(start=[]) }}{{ [1, 2.5] | sum }}{{ messages | sum(attribute='n') }}",
        "{{ '%s %5.2f' | format('a', 1.5) }}{{ '%(a)s' | format(a=1) }}{{ '-'.join('abc' | map('upper')) }}{{ '1 {:3} {{}} 123456'.format(2) }}",
        "{{ 'a\\nb' | indent }}{{ 'a\\nb' | indent('> ', first=true) }}{{ 'aa' | replace('a', 'b', 1) }}{{ 'a\\tb'.expandtabs(2) }}{{ 'a b c' | wordwrap(2) }}",
        "{{ '%s-%d %%' % ('a', 3) }}{{ '{}{b}'.format(1, b='c') }}{{ '%(a)s' % {'a': 1} }}",
        "{{ {('a', 1): 2}[('a', 1)] }}{{ messages[0]['n'] }}{{ messages[0]['x'] }}{{ messages[0].x is defined }}",
        "{{ 'abc'.translate({97: 'x'}) }}{{ messages | map(attribute='role') | unique | list }}",
        "{{ " + " + ".join(["'a'"] * 20) + " + messages[0].role }}{{ ([1] + [2]) }}{{ 1 + 2 }}",
        "{{ messages | tojson(indent=2) }}{{ messages | tojson(separators=(',', ':')) }}{{ messages | pprint }}",
    ],
)
def test_what_is_measured_is_as_in_transformers(text: str) -> None:
    messages = [{"role": "user", "content": "Hi", "n": 1}, {"role": "assistant", "content": "é", "n": 2}]
    assert ours(text, messages) == theirs(text, messages) is not None


@pytest.mark.parametrize(
    "step", ["{% if 'b' in x %}{% endif %}", "{% set y = 'a' * 999999 %}", "{% set y = x | upper %}"]
)
def test_few_long_steps_are_refused_by_the_clock(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.05)
    text = "{% set x = 'a' * 999999 %}\n{% for i in range(99999) %}" + step + "{% endfor %}"
    with pytest.raises(TemplateLimitError, match=r"line 2: it makes steps that take more than 0\.05 seconds"):
        ChatTemplate(text).render(HI)


@pytest.mark.parametrize(
    "text",
    [
        "{{ ['a', 2, none] | join }}",
        "{{ 'abc' | join('-') }}",
        "{{ nothing | join(', ') }}",
        "{{ messages | join(', ', attribute='role') }}",
        "{{ messages | map(attribute='content') | join(d=1) }}",
        "{{ range(3) | join }}",
    ],
)
def test_texts_are_joined_as_by_jinja(text: str) -> None:
    messages = [*HI, *HI]
    assert ours(text, messages) == theirs(text, messages)


def test_the_limit_is_that_of_one_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 60)
    template = ChatTemplate("{% for a in range(50) %}{% endfor %}x")
    assert [template.render(HI) for _ in range(5)] == ["x"] * 5


@pytest.mark.parametrize(
    "text",
    [
        "{{ messages.__class__.x }}",
        "{{ raise_exception.__globals__.x }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update(a=1) }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ namespace(__x=1) }}",
        "{% set messages[0].x = 1 %}",
        "{{ chunker_tick() }}",
    ],
)
def test_the_sandbox_holds(text: str) -> None:
    with pytest.raises(ChatTemplateError):
        ChatTemplate(text).render(HI)


@pytest.mark.parametrize(
    "text",
    ["{{ messages.__class__ }}", "{{ raise_exception.__globals__ }}", "{{ '{0.__class__}'.format(1) }}"],
)
def test_the_sandbox_shows_nothing(text: str) -> None:
    assert ours(text, HI) == theirs(text, HI) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n{{ raise_exception('no roles') }}", "the chat template, line 2: no roles"),
        ("a\n\n{% if %}", "the chat template, line 3: Expected an expression"),
        ("{{ messages[0].content.x.y }}", "line 1: 'str object' has no attribute 'x'"),
        ("\n\n\n{{ 1 / 0 }}", "line 4: ZeroDivisionError"),
        ("{% macro f() %}\n{{ [] + 1 }}{% endmacro %}\n{{ f() }}", "line 2: TypeError"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(ChatTemplateError, match=re.escape(message)):
        ChatTemplate(text).render(HI)


@pytest.mark.parametrize(
    ("messages", "options", "said"),
    [
        ([{"content": "x"}], {}, "message 0 has no role"),
        ([*HI, {"role": None}], {}, "message 1 has no role"),
        (["Hi"], {}, "message 0 must be a dict with a role, got 'Hi'"),
        (HI, {"documents": ["x"]}, "a document must be a dict"),
        ([], {"continue_final_message": True}, "there is no message to go on with"),
        (HI, {"continue_final_message": "thinking"}, "has no 'thinking'"),
        (HI, {"continue_final_message": True, "add_generation_prompt": True}, "one of them"),
        ([{"role": "user", "content": [{"type": "image"}]}], {"continue_final_message": True}, "no text to go on with"),
        ([{"role": "user", "content": ["some text"]}], {"continue_final_message": True}, "no text to go on with"),
        ([{"role": "user", "content": [None]}], {"continue_final_message": True}, "no text to go on with"),
        ([{"role": "user", "content": [{"text": 5}]}], {"continue_final_message": True}, "no text to go on with"),
        (
            [{"role": "user", "content": {"text": "x"}}],
            {"continue_final_message": True},
            "'content' of the last message is no text",
        ),
        (
            [{"role": "user", "content": 5}],
            {"continue_final_message": True},
            "'content' of the last message is no text: 5",
        ),
    ],
)
def test_wrong_messages(messages: Any, options: Any, said: str) -> None:
    with pytest.raises(MessageError, match=said):
        ChatTemplate("{% for m in messages %}{{ m.content }}{% endfor %}").render(messages, **options)


def test_arguments_of_the_wrong_type() -> None:
    template = ChatTemplate("{{ documents | length }}")
    for call in (
        lambda: template.render(5),  # type: ignore[arg-type]
        lambda: template.render(HI, documents=5),  # type: ignore[arg-type]
        lambda: ChatTemplate(5),  # type: ignore[arg-type]
        lambda: ChatTemplate("x", "<s>"),  # type: ignore[arg-type]
        lambda: ChatTemplate.from_file(5),  # type: ignore[arg-type]
        lambda: ChatTemplate.from_format("chatml"),  # type: ignore[arg-type]
    ):
        with pytest.raises(WrongTypeError):
            call()


def test_documents_of_an_iterator_are_all_there() -> None:
    documents: Any = ({"title": title, "text": "x"} for title in "ab")
    assert ChatTemplate("{{ documents | length }}").render(HI, documents=documents) == "2"


def test_a_message_that_does_not_show_cannot_go_on() -> None:
    with pytest.raises(MessageError, match="does not show the end"):
        ChatTemplate("{{ messages[0].content[:1] }}").render(HI, continue_final_message=True)


def test_files(tmp_path: Path) -> None:
    text = "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
    config = {"bos_token": {"content": "<b>"}, "eos_token": "<e>", "extra_special_tokens": {"image_token": "<i>"}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": text}))
    found = ChatTemplate.from_file(tmp_path)
    assert found.render(HI) == "<b>Hi"
    assert found.special_tokens == {"bos_token": "<b>", "eos_token": "<e>", "image_token": "<i>"}
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": "J" + text}))
    assert ChatTemplate.from_file(tmp_path).render(HI) == "J<b>Hi"
    (tmp_path / "chat_template.jinja").write_text("F" + text)
    assert ChatTemplate.from_file(tmp_path).render(HI) == "F<b>Hi"
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tool_use.jinja").write_text("T")
    assert ChatTemplate.from_file(tmp_path).render(HI, tools=[TOOL]) == "T"
    several = [{"name": "default", "template": text}, {"name": "tool_use", "template": "U" + text}]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({**config, "chat_template": several}))
    found = ChatTemplate.from_file(tmp_path / "tokenizer_config.json")
    assert (found.render(HI), found.render(HI, tools=[TOOL])) == ("<b>Hi", "U<b>Hi")
    assert pickle.loads(pickle.dumps(found)) == found


def test_gguf(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_token_list(["<b>", "x", "<e>"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_chat_template(
        [
            {"name": "default", "template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"},
            {"name": "tool_use", "template": "T"},
        ]
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    found = ChatTemplate.from_file(path)
    assert (found.render(HI), found.render(HI, tools=[TOOL])) == ("<b>Hi<e>", "T")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("tokenizer_config.json", b"{}", "it has no chat_template"),
        ("tokenizer_config.json", b"[]", "it is not a JSON object"),
        ("chat_template.json", b"{", "it is not JSON"),
        ("chat_template.json", b"[" * 100_000, "it is not JSON"),
        ("chat_template.json", b'{"chat_template": {"default": 5}}', "it has no chat_template"),
        ("chat_template.jinja", b"\xff", "it is not UTF-8"),
    ],
)
def test_files_without_a_template(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ChatTemplateError, match=said):
        ChatTemplate.from_file(tmp_path / name)
    with pytest.raises(ChatTemplateError, match="the folder has none"):
        ChatTemplate.from_file(tmp_path / "..")


def test_chat_formats_are_templates() -> None:
    messages = [{"role": "user", "content": "x {role}", "name": "Bob"}, {"role": "assistant", "content": "y"}]
    for name in ("chatml", "llama3", "anthropic", "plain"):
        chat_format = CHAT_FORMATS[name]
        parts = [
            part if isinstance(part, str) else part.text
            for message in messages
            for part in (
                *chat_format.opening(message["role"], message.get("name")),
                message["content"],
                *chat_format.closing(message["role"], message.get("name")),
            )
        ]
        parts += [part if isinstance(part, str) else part.text for part in chat_format.ending()]
        assert ChatTemplate.from_format(chat_format).render(messages, add_generation_prompt=True) == "".join(parts)
    with pytest.raises(ChatTemplateError, match="only the number of tokens"):
        ChatTemplate.from_format(CHAT_FORMATS["openai"])
