"""Chat template: messages -> the text that a model reads, equal to what `transformers` renders.

template = ChatTemplate.from_file("tokenizer_config.json")
template.render([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import jinja2

from chunker.arguments import require, require_path, require_text
from chunker.prompt.chat import ChatFormat
from chunker.prompt.errors import ChatTemplateError, MessageError, TemplateLimitError
from chunker.prompt.templates import limits, recording, sources
from chunker.prompt.templates.environment import compiled
from chunker.prompt.templates.values import Message, plain_documents, plain_message, plain_part, plain_tools

# Stands after the last message while it is rendered, to find where that ends. The space shows whether the template
# trims.
_TAG = "CONTINUE_FINAL_MESSAGE_TAG "
Taken = TypeVar("Taken")
_REASONING = ("reasoning_content", "thinking", "reasoning")


class Request(NamedTuple):
    """The values to be rendered. `continued`: the field of the last message that goes on, or None."""

    messages: Sequence[Message] = ()
    tools: list[Any] | None = None
    documents: list[Any] | None = None
    add_generation_prompt: bool = False
    continued: str | None = None
    variables: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template in Jinja, and the special tokens that it may name. Immutable; threads may share it; pickles.

    Args:
        text: The template.
        special_tokens: The values of `bos_token`, `eos_token` and so on in the template.
        others: Name -> template for another use. "tool_use" takes the place of `text` if there are tools.
        name: The name of the template in error messages.

    Examples:
        >>> template = ChatTemplate("{% for m in messages %}{{ m.role }}: {{ m.content }}\\n{% endfor %}")
        >>> template.render([{"role": "user", "content": "Hi"}])
        'user: Hi\\n'
    """

    text: str
    special_tokens: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    name: str = "the chat template"

    def __post_init__(self) -> None:
        require_text(self.text)
        require(self.special_tokens, Mapping, "special_tokens", "a mapping of names to texts")
        require(self.others, Mapping, "others", "a mapping of names to templates")

    @classmethod
    def from_file(cls, path: str | Path) -> ChatTemplate:
        """Load the template of a model.

        Args:
            path: A tokenizer_config.json, chat_template.json, *.jinja or *.gguf, or a folder with one of the first
                three.

        Returns:
            The template, with the special tokens that are beside it in the file.

        Raises:
            ChatTemplateError: The file has no template, or is no text.
            OSError: The file cannot be read.
        """
        require_path(path, "path")
        found = sources.read(Path(path))
        return cls(found.text, found.special_tokens, found.others, found.name)

    @classmethod
    def from_format(cls, chat_format: ChatFormat) -> ChatTemplate:
        """The template of a chat format that is text.

        Args:
            chat_format: The chat format.

        Returns:
            A template that frames messages as the format does.

        Raises:
            ChatTemplateError: The format is a number of tokens, such as "openai".
        """
        require(chat_format, ChatFormat, "chat_format", "a ChatFormat")
        return cls(sources.source_of(chat_format), name=f"the chat format {chat_format.name!r}")

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Any] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        **variables: Any,  # noqa: ANN401 - whatever the template takes
    ) -> str:
        """Render a conversation: as `tokenizer.apply_chat_template(..., tokenize=False)` of `transformers`.

        Args:
            messages: Dicts with a role, mostly a content, and other fields that the template reads.
            tools: JSON schemas of tools; or functions, for which `transformers` must be installed.
            documents: Dicts with a title and a text.
            add_generation_prompt: End with the text that asks the model for its answer.
            continue_final_message: End inside the last message, so that the model continues it: True, or the field that
                it continues.
            **variables: Other values that the template reads, such as `enable_thinking`.

        Returns:
            The text.

        Raises:
            ChatTemplateError: The template fails, or raises; with its line.
            TemplateLimitError: The template exceeds the limits of time or length.
            MessageError: A message has no role, or there is nothing to continue.
        """
        return self.rendered(
            request(messages, tools, documents, add_generation_prompt, continue_final_message, variables=variables)
        )

    def rendered(self, wanted: Request, listener: recording.Recording | None = None) -> str:
        """The text of a request.

        Args:
            wanted: The request.
            listener: Records loops and generation blocks; the text then holds its marks.

        Returns:
            The text, with special tokens as they are spelled.
        """
        return self.taken(wanted, "".join, listener)

    def taken(
        self, wanted: Request, take: Callable[[Iterable[str]], Taken], listener: recording.Recording | None = None
    ) -> Taken:
        """The result of `take` for the text of a request, which it gets in parts while they are rendered.

        Args:
            wanted: The request.
            take: Is called with the parts.
            listener: As for `rendered`.

        Returns:
            Whatever `take` returns.
        """
        source = self._source(wanted)
        messages, final = list(wanted.messages), None
        if wanted.continued is not None:
            messages, final = _tagged(messages, wanted.continued, source)
            if listener is not None and id(wanted.messages[-1]) in listener.watched:
                listener.watched[id(messages[-1])] = listener.watched[id(wanted.messages[-1])]
        values: dict[str, Any] = {**self.special_tokens, **wanted.variables}
        values |= {
            "messages": messages,
            "tools": wanted.tools,
            "documents": wanted.documents,
            "add_generation_prompt": wanted.add_generation_prompt,
        }
        if final is None:
            return self._run(source, values, take, listener)
        return take([_cut(self._run(source, values, "".join, listener), final)])

    def _source(self, wanted: Request) -> str:
        return self.others["tool_use"] if wanted.tools is not None and "tool_use" in self.others else self.text

    def _run(
        self,
        source: str,
        values: dict[str, Any],
        take: Callable[[Iterable[str]], Taken],
        listener: recording.Recording | None,
    ) -> Taken:
        before = limits.METER.begin()
        recording.LISTENING.recording, outer = listener, recording.LISTENING.recording
        try:
            return take(limits.bounded(compiled(source, marks=listener is not None).generate(values)))
        except limits.LimitExceededError as error:
            raise TemplateLimitError(f"it makes {error}", self.name, _line(error)) from None
        except (RecursionError, MemoryError, OverflowError) as error:
            raise TemplateLimitError(
                f"it exceeds a limit: {str(error) or type(error).__name__}", self.name, _line(error)
            ) from None
        except jinja2.TemplateSyntaxError as error:
            raise ChatTemplateError(str(error.message), self.name, error.lineno) from None
        except Exception as error:  # a template may call any method of a str or dict, which raise what they like
            reason = str(error) if isinstance(error, jinja2.TemplateError) else f"{type(error).__name__}: {error}"
            raise ChatTemplateError(reason, self.name, _line(error)) from error
        finally:
            limits.METER.resume(before)
            recording.LISTENING.recording = outer


def request(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Any] | None,
    documents: Sequence[Mapping[str, Any]] | None,
    add_generation_prompt: bool,  # noqa: FBT001 - by position, from one place
    continue_final_message: bool | str,  # noqa: FBT001
    *,
    variables: Mapping[str, Any],
) -> Request:
    """Make a request from the arguments of a caller. Raises MessageError if a message, tool or document is invalid."""
    require(messages, Iterable, "messages", "a list of dicts")
    return Request(
        [plain_message(message, number) for number, message in enumerate(messages)],
        plain_tools(tools),
        plain_documents(documents),
        add_generation_prompt,
        continued_field(continue_final_message, add_generation_prompt=add_generation_prompt),
        plain_part(variables, "a variable"),
    )


def continued_field(continue_final_message: bool | str, *, add_generation_prompt: bool) -> str | None:  # noqa: FBT001
    """Return the field of the last message to continue, or None. Raises WrongTypeError, and MessageError if a new message is requested as well."""
    require(continue_final_message, (bool, str), "continue_final_message", "True, False or the name of a field")
    if not continue_final_message:
        return None
    if add_generation_prompt:
        raise MessageError(
            "continue_final_message goes on with the last message, add_generation_prompt begins another: one of them"
        )
    return continue_final_message if isinstance(continue_final_message, str) else "content"


def _tagged(messages: list[Message], name: str, source: str) -> tuple[list[Message], str]:
    """The messages with a tag at the end of the last, and the text that goes on."""
    if not messages:
        raise MessageError("continue_final_message: there is no message to go on with")
    last = dict(messages[-1])
    final = last.get(name)
    if final is None:
        raise MessageError(f"continue_final_message: the last message has no {name!r} to go on with")
    names = [key for key in _REASONING if last.get(key) == final] if name in _REASONING else [name]
    if not any(key in source for key in names):
        raise MessageError(f"continue_final_message: the template does not read {name!r}")
    if isinstance(final, list | tuple):
        places = (
            number
            for number in reversed(range(len(final)))
            if isinstance(final[number], dict) and "text" in final[number]
        )
        place = next(places, None)
        text = None if place is None else final[place]["text"]
        if place is None or not isinstance(text, str):
            raise MessageError("continue_final_message: the last message has no text to go on with")
        last[name] = [*final[:place], replace_text(final[place], text + _TAG), *final[place + 1 :]]
        final = text
    elif not isinstance(final, str):
        raise MessageError(f"continue_final_message: {name!r} of the last message is no text: {final!r:.60}")
    else:
        for key in names:
            last[key] = final + _TAG
    return [*messages[:-1], last], final


def replace_text(block: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A block of content with another text."""
    return {**block, "text": text}


def _cut(text: str, final: str) -> str:
    """The text up to the end of the message that goes on."""
    if final.strip() not in text or _TAG.strip() not in text:
        raise MessageError("continue_final_message: the template does not show the end of the last message")
    place = text.rindex(_TAG.strip())
    return text[:place] if text.startswith(_TAG, place) else text[:place].rstrip()


def _line(error: BaseException) -> int | None:
    """Return the line of the template at which an error was raised: Jinja adds it to the traceback as a frame."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return lines[-1] if lines else None
