#include "chunker/row_grower.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "chunker/enclosing.hpp"
#include "chunker/utf8.hpp"

namespace chunker {

namespace {

// Whether str.rstrip takes the character that ends before `end`; where it starts.
bool is_space_before(const unsigned char* text, std::size_t end, std::size_t& start) {
    start = end - 1;
    unsigned char const last = text[start];
    if (last < 0x80) return last == ' ' || (last >= 0x09 && last <= 0x0D) || (last >= 0x1C && last <= 0x1F);
    while (continues(text[start])) --start;
    return is_wide_space(text + start, end - start);
}

}  // namespace

RowGrower::RowGrower(const unsigned char* text, std::size_t bytes, std::vector<std::int64_t> offsets, std::vector<std::int64_t> strengths,
                     std::size_t size, const Limits& limits)
    : text_(text), offsets_(std::move(offsets)), strengths_(std::move(strengths)), limits_(limits) {
    std::vector<std::int64_t> numbers(strengths_.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    end_rows_ = enclosing_ends(numbers, strengths_, static_cast<std::int64_t>(strengths_.size()));
    offsets_.push_back(static_cast<std::int64_t>(size));
    if (bytes == size) return;
    places_.reserve(offsets_.size());
    std::int64_t character = 0;
    std::size_t byte = 0;
    for (std::int64_t const offset : offsets_) {
        for (; byte < bytes && (character < offset || continues(text[byte])); ++byte) character += !continues(text[byte]);
        // `character` characters begin before `byte`; the one that does at it, if any, is the next.
        places_.push_back(byte);
    }
}

std::vector<RowGrower::Piece> RowGrower::grow(const GrowingInterface& encoder, std::size_t row, std::size_t number, const unsigned char* closed,
                                              std::size_t& full) const {
    std::vector<Piece> pieces;
    std::size_t const least = std::max<std::size_t>(std::min(limits_.least, limits_.most), 1);
    while (row < rows() && pieces.size() < number) {
        Filling filling{};
        if (!fill(encoder, row, full, filling)) break;
        std::size_t const next = filling.next;
        if (next == rows()) {
            pieces.push_back({next, filling.tokens});
            break;
        }
        bool const enough = next > row && filling.tokens >= least;
        bool const of_outline = strengths_[next] >= limits_.finest && (next + 1 == rows() || strengths_[next + 1] >= limits_.finest);
        if (!enough || !(closed[next] ? stays_whole(encoder, filling) : of_outline)) break;
        if (takes_blank_lines(encoder, filling)) break;
        std::size_t const length = size_of(row, next), tokens = filling.tokens;
        if (!whole_units(encoder, filling) || is_crumb(encoder, filling.next)) break;
        full = length * limits_.most / tokens;
        pieces.push_back({filling.next, filling.tokens});
        row = filling.next;
    }
    return pieces;
}

// As many rows from `row` on as fit. False where something cannot be counted.
bool RowGrower::fill(const GrowingInterface& encoder, std::size_t row, std::size_t full, Filling& filling) const {
    std::size_t tokens = 0, next = row + 1;
    encoder.restart(encoder.encoder);
    if (full > 0) {
        std::int64_t const reach = offsets_[row] + static_cast<std::int64_t>(static_cast<double>(full) * limits_.leap);
        auto const behind = std::upper_bound(offsets_.begin() + static_cast<std::ptrdiff_t>(row), offsets_.end(), reach);
        auto const leap = static_cast<std::size_t>(behind - offsets_.begin()) - 1;
        if (leap > next) {
            if (!append(encoder, place(row), place(leap), tokens)) return false;
            if (tokens <= limits_.leap_fills)
                next = leap + 1;
            else
                encoder.restart(encoder.encoder);
        }
    }
    filling = {row, next - 1, next - 1 > row ? tokens : 0};
    for (; next <= rows(); ++next) {
        if (!append(encoder, place(next - 1), place(next), tokens)) return false;
        if (tokens <= limits_.most) {
            filling.next = next;
            filling.tokens = tokens;
        } else if (tokens > limits_.most + limits_.look_ahead) {
            break;
        }
    }
    return true;
}

// Adds text[from:to], as much of it as tells that it is too long.
bool RowGrower::append(const GrowingInterface& encoder, std::size_t from, std::size_t to, std::size_t& tokens) const {
    while (from < to) {
        std::size_t end = to;
        if (to - from > limits_.stride) {
            end = from;
            for (std::size_t characters = 0; end < to; ++end)
                if ((places_.empty() || !continues(text_[end])) && characters++ == limits_.stride) break;
        }
        if (!encoder.append(encoder.encoder, text_ + from, end - from, &tokens)) return false;
        if (tokens > limits_.most + limits_.look_ahead) return true;
        from = end;
    }
    return true;
}

// Whether a cut inside the next row would only be moved back to its start: it fits alone, and not by the blank lines at its end alone into
// this chunk.
bool RowGrower::stays_whole(const GrowingInterface& encoder, const Filling& filling) const {
    if (!fits_alone(encoder, filling.next, filling.next + 1)) return false;
    std::size_t const ink = end_of_ink(place(filling.next), place(filling.next + 1));
    std::size_t tokens;
    return ink == place(filling.next + 1) || !fits(encoder, place(filling.first), ink, limits_.most, tokens);
}

// Whether the next row fits without the blank lines at its end, and completes a larger unit so.
bool RowGrower::takes_blank_lines(const GrowingInterface& encoder, const Filling& filling) const {
    std::size_t const next = filling.next;
    if (next + 1 >= rows() || end_rows_[next] != static_cast<std::int64_t>(next + 1)) return false;
    if (last_stronger(strengths_[next], filling.first, next) == next) return false;
    std::size_t const ink = end_of_ink(place(next), place(next + 1));
    std::size_t tokens;
    return ink != place(next + 1) && fits(encoder, place(filling.first), ink, limits_.most, tokens);
}

// Rule 1 of chunker/cutting.py: back to the start of a unit that a cut would break and that fits alone. False where it cannot be counted.
bool RowGrower::whole_units(const GrowingInterface& encoder, Filling& filling) const {
    while (true) {
        std::size_t const cut = filling.next;
        std::size_t const start = last_stronger(strengths_[cut], filling.first, cut);
        if (start == cut || start == filling.first) return true;
        // Most units that a cut breaks are too long for a chunk: that is known sooner than what stands before them.
        if (!fits_alone(encoder, start, static_cast<std::size_t>(end_rows_[cut]))) return true;
        std::size_t tokens;
        if (!fits(encoder, place(filling.first), place(start), limits_.most, tokens)) return true;
        if (tokens < std::max<std::size_t>(std::min(limits_.least, limits_.most), 1)) return true;
        filling.next = start;
        filling.tokens = tokens;
    }
}

// Whether rows[first:behind], but for blank lines at their end, fit into a chunk of their own.
bool RowGrower::fits_alone(const GrowingInterface& encoder, std::size_t first, std::size_t behind) const {
    if (size_of(first, behind) > limits_.most * limits_.longest_token) return false;
    std::size_t tokens;
    return fits(encoder, place(first), end_of_ink(place(first), place(behind)), limits_.most, tokens);
}

// Whether the text from this row on is less than a chunk should have.
bool RowGrower::is_crumb(const GrowingInterface& encoder, std::size_t row) const {
    if (limits_.least == 0 || size_of(row, rows()) > limits_.least * limits_.longest_token) return false;
    std::size_t tokens;
    return fits(encoder, place(row), place(rows()), limits_.least - 1, tokens);
}

bool RowGrower::fits(const GrowingInterface& encoder, std::size_t start, std::size_t end, std::size_t limit, std::size_t& tokens) const {
    return encoder.fits(encoder.encoder, text_ + start, end - start, limit, &tokens);
}

std::size_t RowGrower::last_stronger(std::int64_t strength, std::size_t first, std::size_t behind) const {
    for (std::size_t row = behind; row > first; --row)
        if (strengths_[row - 1] > strength) return row - 1;
    return behind;
}

std::size_t RowGrower::end_of_ink(std::size_t start, std::size_t end) const {
    std::size_t ink = end, before;
    while (ink > start && is_space_before(text_, ink, before)) ink = before;
    void const* const found = std::memchr(text_ + ink, '\n', end - ink);
    return found ? static_cast<std::size_t>(static_cast<unsigned char const*>(found) - text_) + 1 : end;
}

}  // namespace chunker
