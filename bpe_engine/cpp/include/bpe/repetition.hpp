// Rows of tables for texts that repeat a few bytes, such as spaces: made once, and shared. From some row on they repeat, too (row_period.hpp).
//
// All tables of a dictionary share the rows of repetitions from their start. A slice that begins inside of a long repetition is in another phase than the
// whole text for as long as that goes on, so the two never meet; but it begins as each text does that begins in this phase of it.
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
    TokenTable table_;
};

// The first rows of units that are repeated, for all tables of a dictionary that grow to one side. For threads.
class RepeatedRows {
public:
    // Bytes. Rows of shorter repetitions are looked for.
    static constexpr std::size_t least = 32;

    RepeatedRows(const Dictionary& dictionary, TokenTable::Side side) : dictionary_(dictionary), side_(side) {}

    // Puts the rows from `start` up to `end` of the unit, repeated without end, into `rows`; fewer where a period is known behind them, or none comes soon.
    // The unit is in the order in which its bytes come.
    void copy(Bytes unit, std::size_t start, std::size_t end, std::vector<TokenTable::Row>& rows);

private:
    static constexpr std::size_t most_units = 64;

    const Dictionary& dictionary_;
    TokenTable::Side side_;
    std::mutex mutex_;
    std::map<std::string, TokenTable> tables_;
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
