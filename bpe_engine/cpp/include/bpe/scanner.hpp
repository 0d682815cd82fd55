// Pre-tokens, up to 64 bytes at a time.
//
// A step starts at the start of a pre-token (or at a seam), reads the next 64 bytes at once, and finds the ends of pre-tokens among them:
//
//     bytes    d e f   f ( x ) : \n . . . . r e t u r n   x
//     ends     . . 1 . 1 . 1 . . .  . . . 1 . . . . . . 1 ...     bit i: a pre-token ends after byte i
//
// Each class of characters becomes a mask of 64 bits, and the grammar becomes algebra on masks: a word starts where a letter follows a
// non-letter that cannot be the prefix of a word; an addition runs a carry through a run, which finds its other end. Text that the algebra
// does not cover (white space or numbers beyond ASCII, bytes that are not UTF-8, a line of blanks only) is a *doubt*: ends well before it are
// right, and the rule of grammar.hpp decides from there on.
//
// The idea of token-start masks is gigatoken's (its README describes it); the algebra is our own.
#pragma once

#include <bit>

#include "bpe/grammar.hpp"
#include "bpe/types.hpp"

namespace bpe {

struct Step {
    // Two numbers, so that it is returned in registers.
    std::uint64_t ends;           // 0: the step is one pre-token of more than 64 bytes
    std::uint64_t seams_or_size;  // with ends: those that are seams, inside of pre-tokens; else the size of the pre-token

    std::uint64_t seams() const { return ends ? seams_or_size : 0; }
    // Bytes: up to the last end found.
    std::size_t consumed() const { return ends ? 64 - static_cast<std::size_t>(std::countl_zero(ends)) : seams_or_size; }
};

// One grammar, ready to use.
struct Scanner {
    std::string_view name;
    // The next pre-tokens of text[0:limit] from `place` on; `place` < `limit`. Constant time except for a long pre-token.
    Step (*step)(const Byte* text, std::size_t place, std::size_t limit);
    // A step in units: pre-tokens, and parts of them between seams of the dictionary (seams.hpp). A step may end at a seam.
    Step (*units)(const Byte* text, std::size_t place, std::size_t limit, const class Dictionary& dictionary);
    // The end of the pre-token at `place`.
    std::size_t (*pretoken_end)(const Byte* text, std::size_t place, std::size_t limit);
    // The end of a pre-token in O(log n), from an index of the runs of characters.
    std::size_t (*indexed_end)(const class IndexedText& text, const Byte* bytes, std::size_t place);
    int lookback;  // all but the last `lookback` pre-tokens of a text are settled
    // Whether the end of an open pre-token may move to the left when text is appended; `last` is its last character.
    bool (*gives_back)(Character last);
    // Whether letters that are lower-case or without case are one pre-token up to what is neither letter nor mark, wherever it is read from.
    bool words_run_on;
    // Whether a pre-token that ends with a line feed, and all before it, are the same where the text ends there: white space is taken up to its last line
    // break first, before any rule looks at what follows it.
    bool lines_end;
};

// The scanner of a named pattern of bpe_engine/patterns.py; null if there is none.
const Scanner* scanner_named(std::string_view name);

// Calls `piece(start, end)` for each end of a step.
template <class Piece>
void for_each_end(Step step, std::size_t place, Piece&& piece) {
    if (step.ends == 0) return piece(place, place + step.consumed());
    std::size_t start = place;
    for (std::uint64_t ends = step.ends; ends; ends &= ends - 1) {
        std::size_t const end = place + static_cast<unsigned>(std::countr_zero(ends)) + 1;
        piece(start, end);
        start = end;
    }
}

// Calls `piece(start, end)` for each pre-token of text[place:limit].
template <class Piece>
void for_each_pretoken(const Scanner& scanner, const Byte* text, std::size_t place, std::size_t limit, Piece&& piece) {
    while (place < limit) {
        Step const step = scanner.step(text, place, limit);
        for_each_end(step, place, piece);
        place += step.consumed();
    }
}

}  // namespace bpe
