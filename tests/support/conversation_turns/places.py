"""Where the parts of a conversation stand, told in other ways than ours, and whether ours says the same.

generation    the indices and the mask of `transformers`
content       a character that no text has, put before its first and after its last letter: where it stands in the rendered text, if nothing else changes
message       the text without the messages after it, less the text without itself as well, where each begins with the other
ids           the offsets of `tokenizers`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from transformers.utils.chat_template_utils import render_jinja_template

from chunker.prompt import Conversation, generation_mask, role_mask, spans
from chunker.prompt.conversation.spans import ConversationSpan

# What nothing spells, and no template trims or reads.
_MARK = "\U000ff000"
Render = Callable[..., str | None]


class Places:
    """Checks of one conversation's spans and masks; `checked` counts them by kind."""

    def __init__(self, random: Random, template: str, tokens: dict[str, str], where: str) -> None:
        self.random = random
        self.template = template
        self.tokens = tokens
        self.where = where
        self.has_blocks = "endgeneration" in template
        self.checked: Counter[str] = Counter()

    def check(
        self,
        conversation: Conversation,
        messages: list[dict[str, Any]],
        render: Render,
        offsets: Sequence[tuple[int, int]] | None,
        options: dict[str, Any],
    ) -> None:
        """All of them, of one message that is drawn. `offsets`: of all ids, in characters, or None where nobody knows them."""
        self.conversation, self.messages, self.render = conversation, messages, render
        self.text, self.found = conversation.text, spans(conversation)
        self.offsets, self.options = offsets, options
        for span in self.found:
            self.that(0 <= span.start <= span.end <= len(self.text), "range", span)
            if offsets is not None:
                self.ids(span, offsets)
        if not messages:
            return
        self.number = self.random.randrange(len(messages))
        self.own = [span for span in self.found if span.message == self.number]
        self.whole_message()
        self.content()
        self.roles()
        if self.has_blocks:
            self.generation()

    def that(self, holds: bool, kind: str, *told: object) -> None:
        self.checked[kind] += 1
        assert holds, f"{self.where}: {kind}: {told!r}; {self.text!r}; {self.messages!r}"

    def ids(self, span: ConversationSpan, offsets: Sequence[tuple[int, int]]) -> None:
        if span.start == span.end:
            return
        inside = [
            n for n, (start, _) in enumerate(offsets) if start < span.end and self.end_of(n, offsets) > span.start
        ]
        wanted = (inside[0], inside[-1] + 1) if inside else (span.first, span.first)
        around = slice(max(0, min(span.first, wanted[0]) - 3), max(span.last, wanted[1]) + 3)
        self.that((span.first, span.last) == wanted, "ids", span, wanted, around, list(offsets)[around])

    def end_of(self, number: int, offsets: Sequence[tuple[int, int]]) -> int:
        """Where an id ends. White space that a special token takes along, and of which `tokenizers` makes the ids that follow as well, is theirs alone."""
        end = offsets[number][1]
        after = offsets[number + 1][0] if number + 1 < len(offsets) else end
        if not offsets[number][0] < after < end or self.text[after:end].strip():
            return end
        return after if self.conversation.tokenizer.is_special_token(self.conversation.ids[number]) else end

    def whole_message(self) -> None:
        """Where all messages before write the same whatever follows, and this one as well."""
        number, text = self.number, self.text
        before = self.render(self.messages[:number], beginning=True) if number else None
        upto = self.render(self.messages[: number + 1], beginning=True)
        if before is None or upto is None or not (text.startswith(upto) and upto.startswith(before)):
            return
        # Not those in which another message names this one.
        others = [span for span in self.found if span.kind == "message" and span.message != number]
        found = [
            (span.start, span.end)
            for span in self.own
            if span.kind == "message" and not any(one.start <= span.start and span.end <= one.end for one in others)
        ]
        wanted = [(len(before), len(upto))] if upto != before else []
        inside = [(span.start, span.end) for span in self.own if span.kind == "message"]
        if wanted and not found and len(inside) == 1:
            self.inside_of_another(*inside[0])
            return
        if found != wanted and self.ends_with_another(found, wanted):
            self.checked["message, with others at its end"] += 1
        elif found != wanted and self.differs_between(found, wanted):
            self.checked["message, but for what stands between"] += 1
        else:
            self.that(found == wanted, "message", number, found, wanted)

    def inside_of_another(self, start: int, end: int) -> None:
        """A message that another one's frame is around is there twice if it is said twice."""
        text, number = self.text, self.number
        twice = self.render([*self.messages[: number + 1], *self.messages[number:]])
        if twice is not None:
            self.that(
                twice == text[:end] + text[start:end] + text[end:], "message in another", number, start, end, twice
            )

    def ends_with_another(self, found: list[tuple[int, int]], wanted: list[tuple[int, int]]) -> bool:
        """What follows are messages that are written inside of this one, of which the text without them has the beginning by chance: answers of tools in the
        turn of the call.
        """
        if len(found) != 1 or len(wanted) != 1 or found[0][0] != wanted[0][0]:
            return False
        place = wanted[0][1]
        for span in self.found:
            is_inside = span.start <= place and span.end <= found[0][1]
            if span.kind == "message" and span.message > self.number and is_inside:
                place = max(place, span.end)
        end = found[0][1]
        # After them the end of the turn, which some write only if another message follows.
        follows = any(
            span.kind == "message" and span.message > self.number and span.start == end for span in self.found
        )
        between = any(span.kind == "content" and span.start < end and span.end > place for span in self.found)
        return wanted[0][1] < place and (place == end or (place < end and follows and not between))

    def differs_between(self, found: list[tuple[int, int]], wanted: list[tuple[int, int]]) -> bool:
        """What stands between two messages, some write with the one before, if there is another, and some after the last: both are right."""
        text = self.text
        if not found:
            return text[slice(*wanted[0])].isspace()
        if len(found) != 1 or not wanted:
            return False
        (start, end), (first, last) = found[0], wanted[0]
        if (start == first and end < last) or (start < first and end == last):
            # The end of the one before, which is written by the next message or after all of them.
            low, high = (end, last) if end < last else (start, first)
            return not any(span.kind == "content" and span.start < high and span.end > low for span in self.found)
        one, other = text[min(first, start) : max(first, start)], text[min(last, end) : max(last, end)]
        if first <= start and end <= last and not (one + other).strip():
            return True
        # The one before may be inside of another one's turn, as answers of tools are: then that turn ends here.
        ends_before = {span.end for span in self.found if span.message < self.number and span.kind == "message"}
        return one == other or (last == end and start > first and start in ends_before)

    def content(self) -> None:
        message = self.messages[self.number]
        content = message["content"]
        if not isinstance(content, str) or not content.strip():
            return
        first, last = len(content) - len(content.lstrip()), len(content.rstrip())
        start, end = self.mark(first), self.mark(last)
        shown = [(span.start, span.end) for span in self.own if span.kind == "content"]
        # Where nothing is shown but a mark before its first letter, as of "</think>", the mark is read as another part
        # of the message.
        if start is not None and (shown or self.mark(first + 1) == start + 1):
            self.that(any(one == start for one, _ in shown), "content begins", start, shown, message)
        # Where a template cuts all of it off but what is after its last letter, nothing of it is shown.
        if end is not None and self.mark(last - 1) == end - 1:
            self.that(any(one == end for _, one in shown), "content ends", end, shown, message)
            around = [span for span in self.found if span.kind == "message" and span.start < end <= span.end]
            self.that(any(span.message == self.number for span in around), "content is of its message", around)

    def mark(self, place: int) -> int | None:
        """Where a place of the content stands in the text, if that is told."""
        message = self.messages[self.number]
        marked = {**message, "content": message["content"][:place] + _MARK + message["content"][place:]}
        made = self.render([*self.messages[: self.number], marked, *self.messages[self.number + 1 :]])
        if made is None or made.count(_MARK) != 1 or made.replace(_MARK, "") != self.text:
            return None
        return made.index(_MARK)

    def roles(self) -> None:
        """Of a role's messages all contents are learned, and nothing outside of them."""
        mask = role_mask(self.conversation, ("assistant",))
        theirs = [span for span in self.found if span.role == "assistant" and span.kind == "message"]
        inside = bytearray(len(mask))
        for span in theirs:
            inside[span.first : span.last] = b"\1" * (span.last - span.first)
        self.that(all(one <= other for one, other in zip(mask, inside, strict=True)), "role mask within", mask, inside)
        for span in self.found:
            if span.role != "assistant" and span.kind == "content":
                self.that(not any(mask[span.first + 1 : span.last - 1]), "role mask, others", span, mask)
            if span.role == "assistant" and span.kind == "content" and any(one.start <= span.start and span.end <= one.end for one in theirs):  # fmt: skip
                self.that(all(mask[span.first : span.last]), "role mask", span, mask)

    def generation(self) -> None:
        made: Any = render_jinja_template(
            [self.messages],
            chat_template=self.template,
            return_assistant_tokens_mask=True,
            **{**self.tokens, **self.options},
        )
        # Where a message goes on, they are those of the text before its end was cut off.
        size = len(self.text)
        indices = [(start, min(end, size)) for start, end in made[1][0] if start < min(end, size)]
        ours = [(span.start, span.end) for span in self.found if span.kind == "generation"]
        self.that(ours == indices, "generation", ours, indices)
        if self.offsets is None:
            return
        mask = [int(any(start < last and end > first for first, last in indices)) for start, end in self.offsets]
        self.that(list(generation_mask(self.conversation)) == mask, "generation mask", indices)
