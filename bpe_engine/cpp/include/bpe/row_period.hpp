// Rows that repeat: a megabyte of spaces has no more different rows than a few hundred spaces.
//
//     unit       a, repeated               tokens a aa aaaa
//     last token a  aa  a  4a | a  aa  a  4a | a ...        a row depends on as many rows before it as the longest token has bytes:
//     tokens     1  1   2  1  | 2  2   3  2  | 3 ...        if these repeat, so do all that follow, with one token more each time
//
// A table that grows byte by byte reports each byte here. Once its text has repeated a unit of up to four bytes long enough, a period is searched for. With a
// period, until a different byte comes, each row is the row of one period before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "bpe/types.hpp"

namespace bpe {

class RowPeriod {
public:
    static constexpr std::size_t longest_unit = 4;

    // `longest`: bytes of the longest token.
    explicit RowPeriod(std::size_t longest) : longest_(std::max(longest, longest_unit)), next_try_(first_try()) {}

    // The size of a period; 0 if none is known.
    std::size_t bytes() const { return bytes_; }
    std::size_t tokens() const { return tokens_; }

    // Whether the row of `byte`, which is added after `data`, is the row `bytes()` before, with `tokens()` more.
    bool continues(Bytes data, Byte byte) const { return bytes_ != 0 && data[data.size - bytes_] == byte; }

    // Whether the whole text so far repeats a unit of `unit` bytes.
    bool is_whole(std::size_t unit) const { return starts_[unit - 1] == 0; }

    // Takes the last byte of `data` into account. `more(row, period)`: by how many tokens the count of a row exceeds that of the row `period` bytes before;
    // none if their last tokens differ.
    template <class More>
    void add(Bytes data, More more) {
        std::size_t const size = data.size;
        if (bytes_ != 0 && data[size - 1] != data[size - 1 - bytes_]) bytes_ = 0;
        std::size_t run = 0;
        for (std::size_t unit = 1; unit <= longest_unit; ++unit) {
            std::size_t& start = starts_[unit - 1];
            if (size > unit && data[size - 1] != data[size - 1 - unit]) start = size - unit;
            run = std::max(run, size - start);
        }
        if (run < first_try()) next_try_ = first_try();
        else if (bytes_ == 0 && run >= next_try_) {
            find(size, more);
            next_try_ = 2 * run;
        }
    }

    void truncate(std::size_t size) {
        for (std::size_t& start : starts_) start = std::min(start, size);
        if (size < from_ + longest_) bytes_ = 0;
    }

    // The rows of the first `size` bytes are no part of a period from now on.
    void begin_at(std::size_t size) {
        starts_.fill(size);
        next_try_ = first_try();
        bytes_ = 0;
    }

private:
    std::size_t first_try() const { return 4 * longest_; }

    template <class More>
    void find(std::size_t size, More more) {
        for (std::size_t unit = 1; unit <= longest_unit; ++unit) {
            std::size_t const run = size - starts_[unit - 1];
            if (run < next_try_) continue;
            // No token of the rows before reaches to the start of the text.
            for (std::size_t period = unit; period + longest_ + 1 <= run; period += unit) {
                std::optional<std::size_t> const tokens = more(size - 1, period);
                std::size_t row = size - 1;
                while (tokens && row > size - longest_ && more(row - 1, period) == tokens) --row;
                if (!tokens || row > size - longest_) continue;
                bytes_ = period;
                tokens_ = *tokens;
                from_ = row;
                return;
            }
        }
    }

    std::size_t longest_;
    std::array<std::size_t, longest_unit> starts_{};  // for each size of a unit, the offset from which the text repeats one
    std::size_t next_try_;                            // the length of a repetition at which a period is searched for next
    std::size_t bytes_ = 0, tokens_ = 0;
    std::size_t from_ = 0;  // the first row that equals the row of one period before
};

}  // namespace bpe
