"""The grower on small examples where every cut can be foretold."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bpe_engine import Tokenizer
from chunker import Chunk, TextChunker

TOKENIZER = Tokenizer.load("o200k_base")


def bodies(chunks: list[Chunk]) -> list[str]:
    return [chunk.body for chunk in chunks]


def test_a_text_that_fits_is_one_chunk() -> None:
    text = "One line.\n\nAnother paragraph.\n"
    (chunk,) = TextChunker(64).chunk(text)
    assert chunk.body == chunk.text == text
    assert chunk.kind == "paragraph"
    assert (chunk.span.start_line, chunk.span.end_line) == (1, 3)


def test_an_empty_text_has_no_chunks() -> None:
    assert TextChunker(64).chunk("") == []
    assert TextChunker(64, overlap=10, context=True).chunk("", source="empty.txt") == []


def test_prefix_counts_are_not_monotone(halves: Tokenizer) -> None:
    """ "abc" is over a budget of one token, "abcd" is not: the first overflow proves nothing."""
    assert [halves.count("abcd"[:end]) for end in (1, 2, 3, 4)] == [1, 1, 2, 1]
    assert bodies(TextChunker(1, tokenizer=halves).chunk("abcdabcd")) == ["abcd", "abcd"]
    assert bodies(TextChunker(2, tokenizer=halves, min_tokens=0).chunk("abcdabcdabcd")) == ["abcdabcd", "abcd"]


def test_counts_are_those_of_the_whole_chunk_not_the_sum_of_its_units(halves: Tokenizer) -> None:
    """Nine letters at three tokens: a sum over letters would hold three letters a chunk."""
    chunks = TextChunker(3, tokenizer=halves, min_tokens=0).chunk("abcdabcda")
    assert [(chunk.body, chunk.token_count) for chunk in chunks] == [("abcdabcda", 3)]


def test_paragraphs_stay_whole() -> None:
    paragraphs = [
        f"Paragraph {number} is made of one sentence, and of another.\nThis is it.\n\n" for number in range(5)
    ]
    size = TOKENIZER.count(paragraphs[0])
    chunks = TextChunker(2 * size + size // 2).chunk("".join(paragraphs))
    assert bodies(chunks) == ["".join(paragraphs[:2]), "".join(paragraphs[2:4]), paragraphs[4]]


def test_a_unit_is_not_broken_for_the_blank_lines_after_it(halves: Tokenizer) -> None:
    """Ten bytes and two blank lines at a budget of ten: the blank lines go to the next chunk, the second line does not."""
    chunks = TextChunker(10, tokenizer=halves, min_tokens=0).chunk("1234\n6789\n\n\nnext paragraph\n")
    assert bodies(chunks)[0] == "1234\n6789\n"
    # Also where the unit would not begin the chunk.
    chunks = TextChunker(10, tokenizer=halves, min_tokens=0).chunk("pre\n\n1234\n6789\n\n\nnext paragraph\n")
    assert bodies(chunks)[:2] == ["pre\n\n", "1234\n6789\n"]


def test_a_long_line_is_cut_between_sentences_then_words() -> None:
    text = (
        "Short. "
        "The first of two sentences ends here. And this one goes on " + "and on " * 30 + "till the end. Short again."
    )
    chunks = TextChunker(20).chunk(text)
    assert chunks[0].body == "Short. The first of two sentences ends here. "
    # UAX #29 has a word boundary on both sides of a space.
    assert all(before.endswith(" ") or after.startswith(" ") for before, after in pairwise(bodies(chunks)))
    assert "".join(bodies(chunks)) == text
    assert all(len(chunk.body.split()) >= 8 for chunk in chunks[:-1])


def test_full_chunks_from_one_endless_word() -> None:
    """What `refine` leaves together is taken apart at the end of a chunk, so that no room is left over."""
    text = "x" * 40_000
    chunks = TextChunker(64).chunk(text)
    assert all(chunk.token_count == 64 for chunk in chunks[:-2])
    assert "".join(bodies(chunks)) == text


@pytest.mark.parametrize("min_tokens", [0, 10, 40])
def test_the_tail_is_balanced(min_tokens: int) -> None:
    line = "seven words are in this one line\n"
    size = TOKENIZER.count(line)
    chunks = TextChunker(12 * size, min_tokens=min_tokens).chunk(line * 13)
    assert sum(chunk.body.count("\n") for chunk in chunks) == 13
    assert chunks[-1].token_count >= max(min_tokens, 1)
    # No more is moved than is needed.
    assert chunks[-1].token_count <= max(min_tokens + size, size)


def test_a_chunk_is_not_left_small_before_a_unit_that_does_not_fit_beside_it() -> None:
    long_line = "one two three four five six seven eight nine ten. " * 5
    chunks = TextChunker(64, min_tokens=10).chunk("Hi.\n" + long_line + "\n" + long_line + "\n")
    assert all(chunk.token_count >= 10 for chunk in chunks)


def test_overlap_repeats_the_end_of_the_previous_chunk() -> None:
    lines = [f"line {number} says that it is line {number}\n" for number in range(40)]
    size = TOKENIZER.count(lines[10])
    chunks = TextChunker(6 * size, overlap=2 * size).chunk("".join(lines))
    assert len(chunks) > 5
    for before, after in pairwise(chunks):
        repeated = before.body[after.span.start - before.span.start :]
        assert after.body.startswith(repeated)
        # As many whole lines as the overlap has room for.
        assert repeated.count("\n") == 2
        assert repeated.startswith("line ")
        assert TOKENIZER.count(repeated) <= 2 * size


def test_overlap_inside_a_long_line_begins_at_a_word() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta iota kappa " * 60
    chunks = TextChunker(50, overlap=20).chunk(text)
    for before, after in pairwise(chunks):
        repeated = TOKENIZER.count(text[after.span.start : before.span.end])
        assert 15 <= repeated <= 20
        assert text[after.span.start - 1] == " " or text[after.span.start] == " "


def test_overlap_gives_way_to_a_unit_that_would_not_fit_beside_it() -> None:
    long_line = "word " * 50 + "\n"
    size = TOKENIZER.count(long_line)
    text = ("a few words to repeat\n" * 12) + long_line + long_line
    chunks = TextChunker(size + 2, overlap=24, min_tokens=1).chunk(text)
    assert bodies(chunks)[-2] == long_line
    assert bodies(chunks)[-1].endswith(long_line)
    # Where a part of it has room, that part stays.
    chunks = TextChunker(size + 7, overlap=24, min_tokens=1).chunk(text)
    assert bodies(chunks)[-2] == "a few words to repeat\n" + long_line


@pytest.mark.parametrize("overlap", range(12))
def test_every_chunk_goes_on_however_large_the_overlap(overlap: int) -> None:
    text = "Es geht weiter, Zeile für Zeile.\nUnd noch eine.\n" * 4
    chunks = TextChunker(12, overlap=overlap).chunk(text)
    ends = [chunk.span.end for chunk in chunks]
    assert ends == sorted(set(ends))
    assert ends[-1] == len(text)


def test_content_hashes_depend_on_the_content_alone() -> None:
    text = "".join(f"Paragraph {number} has this one line in it, and no more.\n\n" for number in range(20))
    chunker = TextChunker(20)
    hashes = [chunk.content_hash for chunk in chunker.chunk(text)]
    shifted = chunker.chunk("A new paragraph in front, about as long as the others.\n\n" + text)
    assert [chunk.content_hash for chunk in shifted[1:]] == hashes
    assert hashes == [chunk.content_hash for chunk in chunker.chunk(text, source="elsewhere.txt")]
    assert len(set(hashes)) == len(hashes)


def test_ids_depend_on_source_place_and_text() -> None:
    text = "The same line again.\n\n" * 3
    chunker = TextChunker(8)
    sources = [None, "", "a.txt", "b.txt"]
    made = [chunk for source in sources for chunk in chunker.chunk(text, source=source)]
    assert len({chunk.id for chunk in made}) == len(made) == 12
    assert len({chunk.content_hash for chunk in made}) == 1
    assert chunker.chunk(text, source="a.txt") == made[6:9]
    longer = chunker.chunk(text + "One more.\n", source="a.txt")
    assert [chunk.id for chunk in longer[:2]] == [chunk.id for chunk in made[6:8]]
    other = chunker.chunk(text.replace("line", "word"), source="a.txt")
    assert not {chunk.id for chunk in other} & {chunk.id for chunk in made}


def test_chunks_are_members_of_sets() -> None:
    text = "The same line again.\n\n" * 3
    chunker = TextChunker(8)
    made = chunker.chunk(text, source="a.txt")
    assert len({*made, *chunker.chunk(text, source="a.txt"), *chunker.chunk(text)}) == 6
    assert all(hash(chunk) == hash(chunk.model_copy()) for chunk in made)
