// All matches of a text, from left to right, in time linear in the text for every pattern.
//
//     Sweep sweep(*program, cache, text, 0, 0, size, true);
//     for (Match found = sweep.next(); found.start != no_match; found = sweep.next()) ...
//
// Pre-tokens follow one another without gaps, so ends() finds many matches at once: a match that ends where the next starts costs only the store
// of its end.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "bpe/regex/program.hpp"
#include "bpe/regex/recollection.hpp"
#include "bpe/thresholds.hpp"

namespace bpe::regex {

class Foresight;

// The progress of attempts at long matches, for the next sweep after the text has grown. Truncating the text must remove entries.
struct Resumption {
    struct Try {
        std::size_t from = no_match, place = 0;
        std::size_t end = no_match;  // of the match that was seen up to there
        State state = dead_state;
    };
    static constexpr std::size_t least = thresholds::resumed;  // bytes; shorter attempts are not worth an entry
    std::array<Try, 2> tries{};                                // the last first
    std::size_t valid = 0;                                     // the text up to there has not changed

    const Try* find(std::size_t from) const {
        for (Try const& one : tries)
            if (one.from == from) return &one;
        return nullptr;
    }
    // In place of what was noted there, or longest ago: a match that stays open from early on is tried each time, and one at the end for a while.
    void put(const Try& made) {
        auto const chosen = std::find_if(tries.begin(), tries.end() - 1, [&made](Try const& one) { return one.from == made.from; });
        *chosen = made;
        std::rotate(tries.begin(), chosen, chosen + 1);
    }
};

class Sweep {
public:
    // Matches of text[from:limit); the rest as for Program::find. The text must not change while the sweep lasts. `resumption` is for a pattern that does not
    // look after; all its states must be there. `recollection`, for such a pattern that matches nothing empty either, is of a text that ends at `limit`.
    Sweep(const Program& program, Cache& cache, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end,
          Resumption* resumption = nullptr, Recollection* recollection = nullptr);
    ~Sweep();
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    // The next match; `start` is no_match after the last. Empty matches are found as `regex.finditer` finds them. After a match that is not settled
    // no match is settled: they are those of the text as if it ended at `limit`.
    Match next();

    // The ends of up to `capacity` matches that follow at once, each from the end of the one before on, the first from offset() on; all settled and not empty.
    // 0 if next() has to find the next match. Not valid for matches that next() has already returned.
    std::size_t ends(std::size_t* ends, std::size_t capacity);

    // The end of the match that starts at offset(), or no_match; `settled` and `reach` as in Match. Does not advance.
    std::size_t match_at_offset(bool& settled, std::size_t& reach);

    // The offset from which on the next match is searched.
    std::size_t offset() const { return from_; }
    // Skip to `place`: no match starts before it.
    void skip_to(std::size_t place) { from_ = place; }
    // The next match may not be empty at offset().
    void set_nonempty(bool nonempty) { nonempty_ = nonempty; }
    // The number of characters read so far, for tests of growth.
    std::size_t steps() const;

private:
    struct Attempt;
    struct Eager;
    struct Lazy;

    template <class Table>
    Match next_in(Table& table);
    Match next_recollected();
    template <class Table>
    Attempt attempt(Table& table, std::size_t from, bool nonempty);
    template <class Table>
    bool worth_starting(Table& table, std::size_t place, bool nonempty);
    void look_ahead_of(std::size_t place);

    const Program& program_;
    Cache& cache_;
    const Byte* text_;
    std::size_t start_, from_, limit_;
    std::size_t certain_;   // text after it may still change
    std::size_t finished_;  // up to here all characters are complete
    Resumption* resumption_;
    Recollection* recollection_;
    bool at_end_, open_;  // open: nothing so far is unsettled, and more may follow
    bool nonempty_ = false;
    std::size_t read_ = 0, begun_;
    std::unique_ptr<Foresight> foresight_;
    std::size_t earlier_steps_ = 0;
    friend class Program;
};

}  // namespace bpe::regex
