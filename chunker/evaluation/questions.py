"""Questions with known answers: read from a file, or planted in documents by rule.

A file has one question a line:

    {"question": "How long do onions simmer?", "source": "soup.md", "answer": "Let the onions simmer for an hour."}
    {"question": "Who reads headers?", "source": "net/http.py", "start": 1204, "end": 1711}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chunker.errors import ChunkerError


class QuestionError(ChunkerError, ValueError):
    """A question that cannot be used; the message names the file and the line."""


@dataclass(frozen=True)
class Question:
    """A question, and the place of its answer.

    Args:
        text: The question.
        document: The name of the document.
        start: The start of the answer in it, in characters.
        end: Its end.
    """

    text: str
    document: str
    start: int
    end: int


def load_questions(path: Path, documents: Mapping[str, str]) -> list[Question]:
    """Read questions from JSON Lines.

    Each has "question" and "source", and either "answer", a text that occurs once in that document, or "start" and
    "end" in characters.

    Args:
        path: The file.
        documents: Texts by name; a source may be the end of a name, such as "soup.md" for "docs/soup.md", if it fits
            only one.

    Returns:
        The questions in the order of the lines, at least one; the places of their answers are in characters.

    Raises:
        QuestionError: A line is not a question, or its answer is not in its document; or the file is not UTF-8.
        OSError: The file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise QuestionError(f"{path}: not UTF-8: {error}") from None
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(json.loads(line), documents))
        except (ValueError, TypeError) as error:
            raise QuestionError(f"{path}:{number}: {error}") from error
    if not questions:
        raise QuestionError(f"{path}: the file has no questions")
    return questions


def _question(record: object, documents: Mapping[str, str]) -> Question:
    if not isinstance(record, dict):
        raise TypeError("a question must be an object with the members question, source and answer")
    text, source = record.get("question"), record.get("source")
    if not isinstance(text, str) or not text.strip() or not isinstance(source, str):
        raise TypeError('"question" and "source" must be strings')
    document = _document(source, documents)
    whole = documents[document]
    answer = record.get("answer")
    if isinstance(answer, str) and answer.strip():
        found = whole.find(answer)
        if found < 0:
            raise ValueError(f"the answer is not in {document}: {answer!r:.80}")
        if whole.find(answer, found + 1) >= 0:
            raise ValueError(f'the answer is in {document} more than once: add "start" and "end"')
        return Question(text, document, found, found + len(answer))
    start, end = record.get("start"), record.get("end")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(whole):
        raise TypeError(f'add "answer", or "start" and "end" within the {len(whole):,} characters of {document}')
    if not whole[start:end].strip():
        raise ValueError("the answer is white space")
    return Question(text, document, start, end)


def _document(source: str, documents: Mapping[str, str]) -> str:
    if source in documents:
        return source
    ending = [name for name in documents if name.replace("\\", "/").endswith(f"/{source}")]
    if len(ending) != 1:
        raise ValueError(f"{'several files end' if ending else 'no file ends'} in {source}")
    return ending[0]
