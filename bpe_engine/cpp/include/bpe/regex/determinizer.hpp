// Instructions -> states of a deterministic automaton, one step at a time.
//
// A state is the list of the ways that a backtracking matcher could still try, in its order: threads, each at an instruction, of which the first to
// succeed counts. A character moves all threads. The conditions before a character are known only after it is read, so matches are found one
// character late:
//
//     "ab|a(?!c)"   read "a":  [ at b, after a(?!c) ]     read "d":  the first is dead, the condition of the second holds: a match
//                                                                     that ended 1 character ago
//
// A match cuts off all threads after it in the list. Look-ahead and atomic groups are entries of the list that hold lists:
//
//     look    `inside`: threads of the body; `then`: threads that continue if the body matches (if `negated`: if it does not)
//     atomic  `inside`: threads of the body; a thread that leaves it becomes an `exit`, with its continuation in `then`, and cuts off those after it
//
// A match under such an entry is not certain yet, so its age grows with every character until the entry is decided.
// The idea of ordered lists of threads is that of RE2 and of Rust's regex; lists within lists are our own.
#pragma once

#include <vector>

#include "bpe/regex/code.hpp"

namespace bpe::regex {

struct Entry {
    enum class Kind : std::uint8_t { thread, match, exit, look, atomic };
    Kind kind = Kind::thread;
    Index value = 0;  // thread, look, atomic: the instruction; match: how many characters ago
    std::vector<Entry> inside, then;
    bool operator==(const Entry&) const = default;
};

using List = std::vector<Entry>;
using Key = std::vector<std::uint32_t>;  // a state as numbers

class Determinizer {
public:
    Determinizer(const Code& code, const Classes& classes);

    // The number of contexts before an offset that conditions can tell apart.
    std::size_t contexts() const { return context_count_; }
    unsigned context_of(std::size_t class_number) const { return context_of_[class_number]; }  // classes.count(): the start of the region
    // The state before the first character; `nonempty`: the match must not be empty.
    Key start(unsigned context, bool nonempty) const;

    struct Step {
        Key key;             // empty: no match can follow
        unsigned match = 0;  // 0: none; n: a match ended n characters ago, including the one just read; it has priority over all earlier ones
    };
    // The step from a state by a character of this class; classes.count(): by the end. Throws UnsupportedPattern if look-ahead is unbounded.
    Step step(const Key& key, std::size_t class_number) const;
    // Instructions that lead to this one without reading a character.
    const std::vector<Index>& silent_before(Index index) const { return silent_before_[index]; }
    bool holds(Index condition, unsigned context, std::size_t class_number) const {
        return after_holds_[condition][class_number] && before_holds_[condition][context];
    }
    // The work of all steps so far, in instructions.
    std::size_t work() const { return work_; }

private:
    struct Walk;

    const Code& code_;
    const Classes& classes_;
    std::size_t context_count_ = 1;
    std::vector<unsigned> context_of_;
    std::vector<std::vector<bool>> before_holds_;  // of condition and context
    std::vector<std::vector<bool>> after_holds_;   // of condition and class
    std::vector<std::vector<Index>> silent_before_;
    std::vector<bool> asks_before_;  // whether an instruction leads, without reading a character, to a condition on the text before
    mutable std::size_t work_ = 0;
};

}  // namespace bpe::regex
