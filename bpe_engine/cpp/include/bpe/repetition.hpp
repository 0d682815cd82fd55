// Tables of texts that repeat: a megabyte of spaces has no more different rows than a few hundred of them.
//
//     unit       a, repeated               tokens a aa aaaa
//     last token a  aa  a  4a | a  aa  a  4a | a ...        the rows of a length depend on as many before as the longest token has bytes:
//     tokens     1  1   2  1  | 2  2   3  2  | 3 ...        where these come again so do all that follow, with one token more each time
//
// A slice that begins inside of a long repetition is in another phase than the whole text for as long as that goes on, so the two never meet; but it begins
// as each text does that begins in this phase of it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bpe/token_table.hpp"

namespace bpe {

// The rows of a unit that is repeated without end.
class RepeatedTable {
public:
    RepeatedTable(const Dictionary& dictionary, Bytes unit);

    // A shorter length that goes on as `length` does, and how many tokens it has less; none where the rows do not come again soon.
    struct Reduced {
        std::size_t length, tokens;
    };
    std::optional<Reduced> reduce(std::size_t length) const;
    const TokenTable& table() const { return table_; }

private:
    bool finds_period(std::size_t longest);

    TokenTable table_;
    std::size_t period_ = 0;  // bytes; 0: not known
    std::size_t tokens_ = 0;  // of a period
};

// The long repetitions of a text, of units of up to four bytes: one character, or a few of ASCII.
class Repetitions {
public:
    static constexpr std::size_t longest_unit = 4;

    // `data` must outlive them.
    explicit Repetitions(Bytes data);

    // A long repetition around `place` goes on to `end`, with units of `unit` bytes; none where it soon ends.
    struct Found {
        std::size_t end, unit;
    };
    std::optional<Found> at(std::size_t place) const;
    // The table of the unit that begins at `place`. For threads.
    const RepeatedTable& table(const Dictionary& dictionary, std::size_t place, std::size_t unit) const;

private:
    Bytes data_;
    std::array<std::vector<std::pair<std::size_t, std::size_t>>, longest_unit> spans_;  // of each size of a unit
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::unique_ptr<const RepeatedTable>> tables_;
};

}  // namespace bpe
