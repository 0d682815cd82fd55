// The table of all incremental encoding: the last token of every prefix of a piece, one row a byte.
//
// Of the tokens that end at a byte, exactly one is the last token of the encoding of the prefix: the one that is compatible with the last token
// of the prefix before it. So earlier rows determine a new row. Rows are only appended and cut off at the end, and each stores the number of
// tokens of its prefix.
//
//     text        a    b    a    c    b     b           dictionary a b c ac bb ab acbb
//     last token  a    ab   a    ac   b     acbb
//     tokens      1    1    2    2    3     2
//
// The mirrored table grows to the left and has the first token of every suffix. Rows of a text that repeats a few bytes are copied, not computed: see
// row_period.hpp and repetition.hpp. Source: `encode_via_table` and `AppendableEncoder` of GitHub's `bpe` crate. Nine bytes of memory for each byte of text.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "bpe/dictionary.hpp"
#include "bpe/merging.hpp"
#include "bpe/row_period.hpp"

namespace bpe {

class TokenTable {
public:
    enum class Side { right, left };  // where the piece grows

    struct Row {
        Rank last;
        std::uint32_t count;
    };

    TokenTable(const Dictionary& dictionary, Side side) : dictionary_(&dictionary), side_(side), period_(dictionary.longest()) {}

    std::size_t size() const { return data_.size(); }  // bytes

    // Adds the rows of `text`, which is added at the growing side of the piece. Throws EncodingError, and adds nothing, if a byte is no token
    // (offset in `text`).
    void extend(Bytes text);

    // As `extend`, but computes every row: none is copied from the rows that the tables of a dictionary share.
    void extend_alone(Bytes text);

    // Cuts back to the first `size` bytes from the fixed side.
    void truncate(std::size_t size) {
        data_.resize(size);
        rows_.resize(size);
        period_.truncate(size);
    }

    // Becomes a copy of the first `size` bytes of another table of the same dictionary and side.
    void copy(const TokenTable& other, std::size_t size) {
        data_.assign(other.data_.begin(), other.data_.begin() + static_cast<std::ptrdiff_t>(size));
        rows_.assign(other.rows_.begin(), other.rows_.begin() + static_cast<std::ptrdiff_t>(size));
        period_ = other.period_;
        period_.truncate(size);
    }

    // Rows from number `start` up to `end`, from 0.
    std::span<const Row> rows(std::size_t start, std::size_t end) const { return std::span(rows_).subspan(start, end - start); }
    // The period of the rows at the end of the text.
    const RowPeriod& period() const { return period_; }

    // The number of tokens of the first `size` bytes.
    std::size_t count(std::size_t size) const { return size == 0 ? 0 : rows_[size - 1].count; }
    // The token of the first `size` bytes that is at the growing side; `size` > 0.
    Rank last(std::size_t size) const { return rows_[size - 1].last; }

    // A lower bound for the count of every length from `size` on, whatever is added: the token that covers byte `size` starts at the end of a
    // prefix, at most the length of the longest token before it.
    std::size_t fewest(std::size_t size) const {
        std::size_t const longest = dictionary_->longest();
        std::size_t least = count(size);
        for (std::size_t place = size >= longest ? size - longest + 1 : 0; place < size; ++place) least = std::min(least, count(place));
        return least;
    }

    // The first `size` bytes in reading order.
    void read(std::size_t size, std::vector<Byte>& out) const {
        out.assign(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(size));
        if (side_ == Side::left) std::reverse(out.begin(), out.end());
    }

private:
    void make_room(std::size_t more);
    std::size_t take_repeated(Bytes text);
    void add(Byte byte, Row row);
    Row find_row(std::vector<Rank>& found);
    // The byte of `text` that comes as number `index`.
    Byte coming(Bytes text, std::size_t index) const { return text[side_ == Side::left ? text.size - 1 - index : index]; }

    const Dictionary* dictionary_;
    Side side_;
    std::vector<Byte> data_;  // in the order in which it was added
    std::vector<Row> rows_;
    RowPeriod period_;
};

}  // namespace bpe
