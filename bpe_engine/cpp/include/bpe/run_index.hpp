// The end of a run of characters in O(log n), however long it is.
//
// Walking over a run to find its end is fast for words, but quadratic for a megabyte of letters that grows by appends or is sliced a thousand
// times. Here sorted lists, one for each class, hold the offsets where the runs of the class start and end:
//
//     text       "ab  \n  c"
//     letters    0 2       7 8         in the run 0-2, in the run 7-8
//     space          2   7
//     newline          4 5
//
// The index grows and is cut back at one side: the right for appends, the left for prepends. Offsets in the index are distances from the
// fixed side.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "bpe/grammar.hpp"
#include "bpe/types.hpp"

namespace bpe {

class RunIndex {
public:
    enum class Side { right, left };  // the side on which the text grows

    // Kinds of runs.
    enum Kind {
        letter,
        word,
        number,
        space,
        newline,
        newline_or_slash,
        not_punctuation,
        not_punctuation_or_mark,
        upper,
        lower,
        both,
        han,
        cjk,
        ascii_letter,
        digit,
        uncut,
        left_over,
        kinds
    };

    // `origin`: the distance from which on the text is indexed.
    RunIndex(Side side, std::size_t origin) : side_(side), origin_(origin), end_(origin) {}

    std::size_t origin() const { return origin_; }
    std::size_t end() const { return end_; }

    // Adds the whole characters of `text` at the growing side of the indexed text.
    void extend(Bytes text);

    // Forgets everything beyond `distance`.
    void truncate(std::size_t distance);

    Side side() const { return side_; }

    // The toggles of a kind: first, end, first, end, ... as distances; the last end is missing while the run is open.
    const std::vector<std::size_t>& toggles(Kind kind) const { return toggles_[kind]; }

    // The starts of the runs of at least three ASCII digits, as distances.
    const std::vector<std::size_t>& long_digits() const { return long_digits_; }

    std::size_t memory() const;

private:
    Side side_;
    std::size_t origin_, end_;
    std::array<std::vector<std::size_t>, kinds> toggles_;
    std::vector<std::size_t> long_digits_;
};

// A text with an index, for the rule of grammar.hpp. Places are offsets in `bytes`; `length` is the end of the growing text, so that on the left
// side a place is `length - distance`.
class IndexedText {
public:
    IndexedText(const RunIndex& index, const Byte* bytes, std::size_t limit, std::size_t length = 0)
        : index_(index), bytes_(bytes), limit_(limit), length_(length), table_(UnicodeTable::instance()) {}

    std::size_t limit() const { return limit_; }
    Character at(std::size_t place) const { return table_.at(bytes_, place, limit_); }

    std::size_t end_of(Flags wanted, std::size_t place, Flags unwanted = 0) const {
        std::size_t const stop = end(wanted == letter_class   ? RunIndex::letter
                                     : wanted == number_class ? RunIndex::number
                                     : wanted == lower_class  ? RunIndex::lower
                                     : wanted == han_class    ? RunIndex::han
                                                              : RunIndex::word,
                                     place);
        return unwanted ? std::min(stop, next(RunIndex::han, place)) : stop;
    }

    // A set has the characters of some kinds that are not of some others, so its run ends at the first end of a wanted kind or start of an unwanted one.
    std::size_t end_of(Set set, std::size_t place) const {
        switch (set) {
        case Set::ascii_letters: return end(RunIndex::ascii_letter, place);
        case Set::cut: return std::min(next(RunIndex::not_punctuation, place), next(RunIndex::uncut, place));
        case Set::uncut: return end(RunIndex::uncut, place);
        case Set::cjk_word: return std::min(end(RunIndex::word, place), end(RunIndex::cjk, place));
        case Set::other_word: return std::min(end(RunIndex::word, place), next(RunIndex::cjk, place));
        case Set::cjk_symbol: return std::min(end_of_symbols(place), end(RunIndex::cjk, place));
        case Set::other_symbol: return std::min(end_of_symbols(place), next(RunIndex::cjk, place));
        case Set::cjk_left_over: return std::min(end(RunIndex::left_over, place), end(RunIndex::cjk, place));
        case Set::other_left_over: return std::min(end(RunIndex::left_over, place), next(RunIndex::cjk, place));
        }
        return place;
    }

    std::size_t end_before_triple(std::size_t place) const { return std::min(end(RunIndex::number, place), first_triple(place)); }

    std::size_t before(std::size_t place, std::size_t start) const { return character_before(bytes_, place, start); }

    std::size_t end_of_other(Flags unwanted, std::size_t place) const {
        return next(unwanted & mark_class ? RunIndex::not_punctuation_or_mark : RunIndex::not_punctuation, place);
    }

    std::size_t end_of_tail(bool slashes, std::size_t place) const {
        return place < limit_ ? end(slashes ? RunIndex::newline_or_slash : RunIndex::newline, place) : place;
    }

    SpaceRun space(std::size_t place) const {
        SpaceRun run{end(RunIndex::space, place), place, place};
        run.newline_end = last_end(RunIndex::newline, place, run.end);
        if (run.end > place) {
            run.last = run.end - 1;
            while (run.last > place && UnicodeTable::continues(bytes_[run.last])) --run.last;
        }
        return run;
    }

    UpperRun upper(std::size_t place, Flags unwanted = 0) const {
        std::size_t stop = end(RunIndex::upper, place);
        if (unwanted) stop = std::min(stop, next(RunIndex::han, place));
        return {stop, last_end(RunIndex::both, place, stop)};
    }

private:
    // The end of the run of `kind` at `place`, or `place` if its character is of another kind.
    std::size_t end(RunIndex::Kind kind, std::size_t place) const;
    // The first offset from `place` on whose character is of `kind`, or `limit` if there is none.
    std::size_t next(RunIndex::Kind kind, std::size_t place) const;
    // The end of the last character of `kind` in [place, stop), or `place` if there is none.
    std::size_t last_end(RunIndex::Kind kind, std::size_t place, std::size_t stop) const;

    std::size_t end_of_symbols(std::size_t place) const { return std::min(next(RunIndex::not_punctuation_or_mark, place), next(RunIndex::left_over, place)); }
    // The offset of the first three ASCII digits in a row from `place` on, or `limit` if there are none.
    std::size_t first_triple(std::size_t place) const;

    const RunIndex& index_;
    const Byte* bytes_;
    std::size_t limit_, length_;
    const UnicodeTable& table_;
};

}  // namespace bpe
