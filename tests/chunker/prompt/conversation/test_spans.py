"""Spans that random walks found wrong: contents without letters, messages that go on, characters in several ids, loops over numbers."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_turns.oracle import TOKENS, world
from conversation_turns.walk import templates

from chunker.errors import WrongTypeError
from chunker.prompt import ChatTemplate, Conversation, generation_mask, role_mask, sampled_mask, spans

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content | trim + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def conversation(template: str, family: str = "llama3") -> Conversation:
    return Conversation(world(family, template).ours, ChatTemplate(template, TOKENS))


def told(made: Conversation, kind: str) -> list[tuple[int, str]]:
    text = made.text
    return [(span.message, text[span.start : span.end]) for span in spans(made) if span.kind == kind]


@pytest.mark.parametrize("content", ["<", "| >", " ☃ 日本 ☃\n", "a ☃ ☃", "</think>", "<|im_end|>"])
@pytest.mark.parametrize("name", ["qwen3", "llama3", "gemma"])
def test_contents_without_letters(content: str, name: str) -> None:
    made = conversation(templates()[name])
    made.append({"role": "user", "content": content})
    assert told(made, "content") == [(0, content.strip())]


def test_the_end_of_a_content_that_is_read() -> None:
    """All before the mark is cut off, and what is left has no letters."""
    template = "{% for m in messages %}<|a|>{{ m.content.split('</think>')[-1] }}<|b|>{% endfor %}"
    made = conversation(template)
    made.append({"role": "assistant", "content": "hm</think>  ?!"})
    assert told(made, "content") == [(0, "?!")]


def test_contents_that_are_written_twice() -> None:
    made = conversation("{% for m in messages %}<|a|>{{ m.content }} and {{ m.content }}<|b|>{% endfor %}")
    made.append({"role": "user", "content": "one"})
    assert told(made, "content") == [(0, "one"), (0, "one")]


def test_blocks_of_content() -> None:
    template = "{% for m in messages %}<|a|>{% for p in m.content %}{{ p.text }}{% endfor %}<|b|>{% endfor %}"
    made = conversation(template)
    made.append({"role": "user", "content": [{"type": "text", "text": text} for text in (" ", " ?", "and!", "\n")]})
    assert told(made, "content") == [(0, "?and!")]


def test_a_message_that_goes_on_has_its_end_at_the_end() -> None:
    made = conversation(templates()["qwen3_training"])
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hel"}]
    made.sync(messages, continue_final_message=True)
    assert made.text.endswith("Hel")
    assert [number for number, _ in told(made, "message")] == [0, 1]
    assert told(made, "message")[1][1].endswith("Hel")
    ((number, text),) = told(made, "generation")
    assert (number, text[-3:]) == (1, "Hel")
    assert generation_mask(made)[-1] == 1


@pytest.mark.parametrize("first", [0, 1])
def test_loops_over_numbers_of_messages(first: int) -> None:
    template = (
        f"{{% set own = messages[{first}:] %}}{{% for i in range(own | length) %}}"
        "<|a|>{{ own[i].role }}: {{ own[i].content }}<|b|>{% endfor %}"
    )
    made = conversation(template)
    made.append(*({"role": "user", "content": text} for text in ("one", "?", "three")))
    assert told(made, "message") == [(n, f"<|a|>user: {text}<|b|>") for n, text in enumerate(("one", "?", "three"))][first:]  # fmt: skip


@pytest.mark.parametrize("name", ["gemma4", "gemma4_v3", "gemma4_v5"])
@pytest.mark.parametrize("system", [[], [{"role": "system", "content": "Be brief."}]])
@pytest.mark.parametrize("answer", [{"content": "b 4"}, {"content": ""}, {}], ids=["text", "empty", "none"])
def test_answers_of_tools_that_are_written_with_their_call(
    name: str, system: list[dict[str, str]], answer: dict[str, str]
) -> None:
    """A loop over the numbers of the messages that follow, inside of the turn of the call."""
    made = conversation(templates()[name])
    calls = [
        {"id": one, "type": "function", "function": {"name": one, "arguments": {"place": "Oslo"}}} for one in ("a", "b")
    ]
    answers = [
        {"role": "tool", "name": one, "tool_call_id": one, **said}
        for one, said in (("a", {"content": "a 4"}), ("b", answer))
    ]
    asked = {"role": "user", "content": "Hi"}
    made.append(*system, asked, {"role": "assistant", "content": "", "tool_calls": calls}, *answers, asked)
    first = len(system)
    found = dict(told(made, "message"))
    assert list(found) == [*range(len(system)), *(first + number for number in range(5))]
    for number, one in ((first + 2, "a"), (first + 3, "b")):
        assert found[number].startswith(f"<|tool_response>response:{one}")
        assert found[number].endswith("<tool_response|>")
        assert found[number] in found[first + 1]
    made.replace(first + 1, {**made.messages[first + 1], "content": "So be it."})
    ids, learned = made.ids.tolist(), role_mask(made)
    said = made.tokenizer.decode([token for token, one in zip(ids, learned, strict=True) if one])
    assert "call:b" in said
    assert "So be it." in said
    assert "response" not in said


def test_pinned_ids_that_are_parts_of_characters() -> None:
    made = conversation(CHATML)
    made.append({"role": "user", "content": "Hi"}, add_generation_prompt=True)
    ids = [made.tokenizer.encode_single_token(bytes([byte])) for byte in "☃!".encode()]
    made.push(ids)
    made.append({"role": "assistant", "content": "☃!"})
    (span,) = [span for span in spans(made) if span.kind == "sampled"]
    assert made.text[span.start : span.end] == "☃!"
    assert made.ids.tolist()[span.first : span.last] == ids
    assert all(drift.ids == tuple(ids) for drift in made.drift())


def test_white_space_that_is_in_no_token() -> None:
    """WordPiece drops it: of a span that begins with it the first id is that of the word after it."""
    made = conversation(
        "{% for m in messages %}<|a|>x{% generation %} {{ m.content }} {% endgeneration %}{% endfor %}", "bert, cased"
    )
    made.append({"role": "user", "content": "one"})
    (span,) = [span for span in spans(made) if span.kind == "generation"]
    assert made.text[span.start : span.end] == " one "
    assert made.ids.tolist()[span.first : span.last] == made.tokenizer.encode("one")
    assert list(generation_mask(made)) == [0, 0, *[1] * (span.last - span.first)]


def test_a_message_without_letters_that_goes_on() -> None:
    """The text is stripped at its end, and so would be the text with marks, if none of them stood there."""
    template = (
        "{% for m in messages %}<|a|>{{ m.role }}\n{% generation %}{{ m.content | trim }}{% endgeneration %}<|b|>\n"
        "{% endfor %}"
    )
    made = conversation(template)
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " "}]
    made.sync(messages, continue_final_message=True)
    assert made.text == "<|a|>user\nHi<|b|>\n<|a|>assistant"
    assert told(made, "message") == [(0, "<|a|>user\nHi<|b|>\n"), (1, "<|a|>assistant")]
    assert told(made, "generation") == [(0, "Hi")]
    learned = [token for token, is_learned in zip(made.ids, generation_mask(made), strict=True) if is_learned]
    assert made.tokenizer.decode(learned) == "Hi"


@pytest.mark.parametrize("blank", [[" "], ["", "\n"]])
@pytest.mark.parametrize("name", ["diffusion_gemma", "diffusion_gemma_training"])
def test_a_blank_message_without_which_the_text_is_the_same_writes_nothing(name: str, blank: list[str]) -> None:
    """The end of the turn is that of what was said before, and learned with it."""
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    made, other = conversation(templates()[name]), conversation(templates()[name])
    made.append(*said)
    other.append(*said, *({"role": "assistant", "content": content} for content in blank))
    assert made.text == other.text
    assert spans(made) == spans(other)
    assert role_mask(made) == role_mask(other)
    assert told(other, "message")[1][1].endswith("Hello<turn|>\n")


def test_a_blank_message_before_one_that_says_something_writes_nothing() -> None:
    made = conversation(templates()["diffusion_gemma"])
    made.append(
        {"role": "user", "content": "Hi"}, *({"role": "assistant", "content": content} for content in (" ", "x"))
    )
    assert told(made, "message")[1:] == [(2, "<|turn>model\nx<turn|>\n")]


def test_of_blank_messages_in_one_turn_the_first_has_it() -> None:
    made = conversation(templates()["diffusion_gemma"])
    made.append(
        {"role": "user", "content": "Hi"}, *({"role": "assistant", "content": content} for content in (" ", ""))
    )
    assert [number for number, _ in told(made, "message")] == [0, 1]
    assert told(made, "message")[1][1] == "<|turn>model\n<turn|>\n"


@pytest.mark.parametrize(
    "template", [CHATML, "{% for m in messages %}<|a|>{{ m.role }}{{ m.content | trim }}<|b|>{% endfor %}"]
)
def test_many_blank_messages_take_few_renderings(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = conversation(template)
    made.append(
        *({"role": role, "content": " " * (number % 3)} for number in range(60) for role in ("user", "assistant"))
    )
    rendered, times = ChatTemplate.rendered, []

    def counted(*arguments: Any) -> str:
        times.append(1)
        return rendered(*arguments)

    monkeypatch.setattr(ChatTemplate, "rendered", counted)
    assert len(told(made, "message")) == 120
    assert len(times) < 20


def test_a_blank_answer_of_a_tool_that_is_written_with_its_call() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "a", "arguments": {"place": "Oslo"}}}
    made = conversation(templates()["gemma4"])
    answer = {"role": "tool", "name": "a", "tool_call_id": "a", "content": "\n\n"}
    made.append({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "\n", "tool_calls": [call]}, answer)
    assert dict(told(made, "message"))[2].startswith("<|tool_response>response:a")


def test_arguments_of_the_wrong_type() -> None:
    for found in (spans, generation_mask, sampled_mask, role_mask):
        with pytest.raises(WrongTypeError, match="conversation must be a Conversation"):
            found(5)  # type: ignore[arg-type]
    made = conversation(CHATML)
    for roles in ("assistant", 5, [5]):
        with pytest.raises(WrongTypeError, match="roles must"):
            role_mask(made, roles)  # type: ignore[arg-type]
