// Rows of tables for texts that repeat a few bytes, such as spaces: made once, and shared. From some row on the rows repeat, too (row_period.hpp).
//
// All tables of a dictionary share the rows of a repetition from its start. A slice that starts inside a long repetition may be in another phase than the
// whole text until the repetition ends, so the two never meet; but its rows are those of any text that starts in the same phase of the repetition.
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

    // A shorter length whose following rows are those of `length`, and by how many tokens its count is smaller; none if the rows do not repeat soon.
    struct Reduced {
        std::size_t length, tokens;
    };
    std::optional<Reduced> reduce(std::size_t length) const;
    const TokenTable& table() const { return table_; }

private:
    TokenTable table_;
};

// The first rows of repeated units, for all tables of a dictionary that grow to one side. Thread-safe.
class RepeatedRows {
public:
    // Bytes. Rows of shorter repetitions are computed.
    static constexpr std::size_t least = 32;

    RepeatedRows(const Dictionary& dictionary, TokenTable::Side side) : dictionary_(dictionary), side_(side) {}

    // Puts the rows from `start` up to `end` of the endlessly repeated unit into `rows`; fewer if a period is known after them, or is not found soon.
    // The bytes of the unit are in the order in which they are added.
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

    // The long repetition around `place`: up to `end`, with units of `unit` bytes; none if it ends soon.
    struct Extent {
        std::size_t end, unit;
    };
    std::optional<Extent> at(std::size_t place) const;
    // The table of the unit that starts at `place`. Thread-safe.
    const RepeatedTable& table(const Dictionary& dictionary, std::size_t place, std::size_t unit) const;

private:
    Bytes data_;
    std::array<std::vector<std::pair<std::size_t, std::size_t>>, longest_unit> spans_;  // of each size of a unit
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::unique_ptr<const RepeatedTable>> tables_;
};

}  // namespace bpe
