"""Evaluations: questions that are read or planted, chunks found again in their documents, figures that can be worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.cli.app import app
from chunker.errors import OptionError
from chunker.evaluation import Question, QuestionError, evaluate, load_questions, page, plant_questions
from chunker.evaluation.metrics import DenseText, DocumentSpan, Retrieved, score
from chunker.evaluation.planting import Rewriting
from chunker.evaluation.retrieving import MisplacedChunkError, PeerChunk, cut, passages

TOKENIZER = Tokenizer.load("o200k_base")
DOCUMENTS = {
    "soup.md": "# Soup\n\nCut the onions first of all, finely. Then let them simmer for an hour.\n\n"
    "## Salt\n\nSalt is added at the very end. Never before that.\n",
    "bread.txt": "Bread needs flour, water, salt and time. Let the dough rest overnight.\n\nThe oven has to be hot for it. Bake at 230 degrees.\n",
    "area.py": 'def area(radius):\n    """Compute the area of a circle."""\n    return 3.14 * radius**2\n',
    "bad.py": "def broken(:\n",
}

spans = st.tuples(st.integers(0, 40), st.integers(1, 15)).map(lambda one: DocumentSpan("a", one[0], sum(one)))


@given(spans, st.lists(spans, max_size=5))
def test_recall_is_the_share_of_characters_that_any_span_holds(answer: DocumentSpan, found: list[DocumentSpan]) -> None:
    held = {offset for span in found for offset in range(span.start, span.end)}
    wanted = set(range(answer.start, answer.end))
    result = score(answer, [Retrieved(span, 0) for span in found])
    assert result.recall == len(held & wanted) / len(wanted)
    assert result.whole == float(wanted <= held)


@given(st.text(max_size=60), st.data())
def test_offsets_move_with_what_is_left_out(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    removed = list(zip(cuts[::2], cuts[1::2], strict=False))
    rewriting = Rewriting(text, removed)
    gone = {offset for start, end in removed for offset in range(start, end)}
    assert rewriting.text == "".join(text[offset] for offset in range(len(text)) if offset not in gone)
    for offset in range(len(text) + 1):
        assert rewriting.moved(offset) == offset - len([one for one in gone if one < offset])


def test_what_is_asked_is_not_in_the_text() -> None:
    documents, questions = plant_questions(DOCUMENTS)
    assert set(documents) == set(DOCUMENTS)
    assert {question.text for question in questions} == {
        "Cut the onions first of all, finely.",
        "Salt is added at the very end.",
        "Bread needs flour, water, salt and time.",
        "The oven has to be hot for it.",
        "Compute the area of a circle.",
    }
    for question in questions:
        assert question.text not in documents[question.document]
        assert documents[question.document][question.start : question.end].strip()
    assert plant_questions(DOCUMENTS) == (documents, questions)


@given(st.sampled_from(sorted(DOCUMENTS)), st.integers(2, 40), st.integers(0, 10))
def test_chunks_are_found_again_with_overlap_and_context(name: str, size: int, overlap: int) -> None:
    chunker = TextChunker(size, overlap=min(overlap, size // 2))
    chunks = [chunk for chunk in chunker.chunk(DOCUMENTS[name]) if chunk.body.strip()]
    split = [PeerChunk(chunk.text, chunk.body, chunk.span.start) for chunk in chunks]
    found = passages(lambda _name, _text: split, {name: DOCUMENTS[name]}, TOKENIZER)
    dense = DenseText(DOCUMENTS[name])
    assert [passage.holds.span[1:] for passage in found] == [
        (dense.before(chunk.span.start), dense.before(chunk.span.end)) for chunk in chunks
    ]


def test_chunks_without_offsets_are_found_after_each_other() -> None:
    parts = [PeerChunk("a b", "a b"), PeerChunk("a", "a"), PeerChunk("b c", "b c")]
    found = passages(lambda _name, _text: parts, {"x": "a b\n a - b  c"}, TOKENIZER)
    assert [passage.holds.span[1:] for passage in found] == [(0, 2), (2, 3), (4, 6)]


def test_a_chunk_that_is_not_in_its_document() -> None:
    with pytest.raises(MisplacedChunkError, match=r"soup\.md"):
        passages(lambda _name, _text: [PeerChunk("elsewhere", "elsewhere")], {"soup.md": "soup"}, TOKENIZER)


def test_the_first_tokens_of_a_passage() -> None:
    (passage,) = passages(
        lambda _name, text: [PeerChunk("head\n" + text, text)], {"a": "one two three four"}, TOKENIZER
    )
    kept = cut(passage, 3, TOKENIZER)
    assert (kept.context, kept.span) == (4, DocumentSpan("a", 0, 3))
    assert cut(passage, passage.tokens, TOKENIZER) == passage.holds


def test_settings_are_compared() -> None:
    documents, questions = plant_questions(DOCUMENTS)
    found = evaluate(documents, questions, chunkers=["auto", "auto+context", "text"], sizes=[16, 64], budget=60)
    assert [(row.name, row.size) for row in found.rows] == [
        (name, size) for size in (16, 64) for name in ("auto", "auto+context", "text")
    ]
    assert found.failures == ()
    assert all(len(row.findings.ranks) == len(questions) for row in found.rows)
    assert found.best().findings.mean("recall") == max(row.findings.mean("recall") for row in found.rows)
    assert found.difference(found.rows[0]).verdict == "tie"
    html = page(found, "<Recipes>")
    assert "&lt;Recipes&gt;" in html
    assert "<script" not in html
    assert (html.count("<rect"), html.count("<circle")) == (6, 5)


def test_everything_retrieved_is_perfect_recall() -> None:
    documents, questions = plant_questions(DOCUMENTS)
    (row,) = evaluate(documents, questions, chunkers=["text"], sizes=[1000], budget=100_000).rows
    assert (row.findings.mean("recall"), row.findings.mean("whole")) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["none", "auto+none", "langchain+context"])
def test_unknown_chunkers(name: str) -> None:
    with pytest.raises(OptionError):
        evaluate(DOCUMENTS, [Question("?", "soup.md", 0, 4)], chunkers=[name])


def test_questions_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines = [
        {"question": "How long?", "source": "soup.md", "answer": "simmer for an hour"},
        {"question": "Which?", "source": "area.py", "start": 0, "end": 9},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    documents = {f"docs/{name}": text for name, text in DOCUMENTS.items()}
    first, second = load_questions(path, documents)
    assert documents[first.document][first.start : first.end] == "simmer for an hour"
    assert (second.document, second.start, second.end) == ("docs/area.py", 0, 9)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"question": "", "source": "soup.md", "answer": "x"}',
        '{"question": "?", "source": "none.md", "answer": "x"}',
        '{"question": "?", "source": "soup.md", "answer": "not in it"}',
        '{"question": "?", "source": "soup.md", "answer": "Salt"}',
        '{"question": "?", "source": "soup.md", "start": 5, "end": 5}',
        '{"question": "?", "source": "soup.md"}',
        "",
    ],
)
def test_questions_that_cannot_be_used(line: str, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(QuestionError, match=r"questions\.jsonl"):
        load_questions(path, DOCUMENTS)


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)], catch_exceptions=False)


def test_the_command(tmp_path: Path) -> None:
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    table = command(tmp_path, "--sizes", "16,64", "--page", tmp_path / "page.html")
    assert table.exit_code == 0
    assert table.stdout.splitlines()[1].split()[:2] == ["auto", "16"]
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")
    (tmp_path / "page.html").unlink()
    told = json.loads(command(tmp_path, "--sizes", "16", "--format", "json").stdout)
    assert {record["chunker"] for record in told} == {"auto", "auto+context", "auto+optimal", "text"}
    assert command(tmp_path, "--sizes", "some").exit_code == 2


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--chunkers", "none", "no chunker is called 'none'"),
        ("--chunkers", ",", "no name"),
        ("--embedder", "none", "no embedder is called 'none'"),
        ("--questions", "none", "none does not exist"),
        ("--questions", ".", ". is a folder"),
    ],
)
def test_wrong_usage_of_the_command(option: str, value: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "soup.md").write_text(DOCUMENTS["soup.md"], encoding="utf-8")
    done = command(tmp_path, option, value)
    assert done.exit_code == 2
    assert f"Error: Invalid value for {option}: {why}" in done.stderr


def test_files_that_fail_are_told_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"# Caf\xe9\n")
    (tmp_path / "server.key").write_text("secret")
    told = (
        f"Left out files that hold secrets: {tmp_path}/server.key\n"
        "Failed: 1 of 2 files\n"
        f"  {tmp_path}/bad.md: byte 5 (line 1): not UTF-8: invalid continuation byte (0xE9)\n"
        "To read files in another encoding, pass --encoding, such as cp1252.\n"
    )
    nothing = command(tmp_path)
    assert (nothing.exit_code, nothing.stderr) == (1, told)
    questions = tmp_path.parent / f"{tmp_path.name}.jsonl"
    for content, why in ((b'{"question": "?", "source": "bad.md"}', "bad.md"), (b"\xff", "not UTF-8")):
        questions.write_bytes(content)
        done = command(tmp_path, "--questions", questions)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"Error: {questions}")
        assert why in done.stderr.splitlines()[0]
        assert done.stderr.endswith(told)
