#include "chunker/row_grower.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "chunker/enclosing.hpp"
#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr unsigned char closed_flag = 1, head_flag = 2;

// Whether str.rstrip takes the character that ends before `end`; where it starts.
bool is_space_before(const unsigned char* text, std::size_t end, std::size_t& start) {
    start = end - 1;
    unsigned char const last = text[start];
    if (last < 0x80) return last == ' ' || (last >= 0x09 && last <= 0x0D) || (last >= 0x1C && last <= 0x1F);
    while (start > 0 && continues(text[start])) --start;
    return is_wide_space(text + start, end - start);
}

}  // namespace

// The units ahead, numbered from 0, and the encoder that a chunk grows in. What can be counted no more counts as too long.
class RowGrower::Ahead {
public:
    Ahead(const RowGrower& all, const GrowingInterface& encoder, const std::vector<Unit>& front, bool whole_front, std::size_t row,
          const unsigned char* closed)
        : all_(all),
          limits_(all.limits_),
          encoder_(encoder),
          front_(front),
          row_(row),
          closed_(closed),
          complete_(whole_front),
          size_(whole_front ? front.size() + all.rows() - row : front.size() - 1),
          least_(std::max<std::size_t>(std::min(limits_.least, limits_.most), 1)) {}

    // The number of the units.
    std::size_t size() const { return size_; }
    // The closed unit that kept the last chunk from being made, if one did.
    std::optional<std::size_t> opening() const { return opening_; }

    // The chunk that begins with this unit: the number of the unit behind it, its tokens. False where it is not made of whole units, or
    // of more than are known.
    bool chunk(std::size_t first, std::size_t& full, Piece& piece) {
        first_ = first;
        if (!fill(full)) return false;
        if (next_ == size_) {
            piece = {next_, tokens_};
            return complete_;
        }
        if (next_ + 1 == size_ && !complete_) return false;
        bool const enough = next_ > first && tokens_ >= least_;
        if (is_closed(next_)) {
            if (enough && is_in_head(next_)) return false;
            if (!enough || !stays_whole()) {
                opening_ = next_;
                return false;
            }
        } else {
            bool const of_outline = strength(next_) >= limits_.finest && (next_ + 1 == size_ || strength(next_ + 1) >= limits_.finest);
            if (!enough || !of_outline) return false;
        }
        if (takes_blank_lines()) return false;
        std::size_t const length = start(next_).offset - start(first).offset, filled = tokens_;
        if (!whole_units() || is_crumb()) return false;
        full = length * limits_.most / filled;
        piece = {next_, tokens_};
        return true;
    }

private:
    // Where a unit begins, and behind the last one the text ends, or one that is known no more.
    Spot start(std::size_t unit) const {
        if (unit < front_.size()) return front_[unit].start;
        return row_spot(row_ + unit - front_.size());
    }
    Spot row_spot(std::size_t row) const {
        auto const offset = static_cast<std::size_t>(all_.offsets_[row]);
        return {offset, all_.places_.empty() ? offset : all_.places_[row]};
    }
    Spot end_around(std::size_t unit) const {
        if (unit < front_.size()) return front_[unit].end;
        return row_spot(static_cast<std::size_t>(all_.end_rows_[row_ + unit - front_.size()]));
    }
    std::int64_t strength(std::size_t unit) const {
        return unit < front_.size() ? front_[unit].strength : all_.strengths_[row_ + unit - front_.size()];
    }
    bool is_closed(std::size_t unit) const { return unit < front_.size() ? front_[unit].closed : (flags_of_row(unit) & closed_flag) != 0; }
    bool is_in_head(std::size_t unit) const { return unit < front_.size() ? front_[unit].in_head : (flags_of_row(unit) & head_flag) != 0; }
    unsigned char flags_of_row(std::size_t unit) const { return closed_[row_ + unit - front_.size()]; }

    // As many units from `first_` on as fit. False where something cannot be counted, or where they end is not known.
    bool fill(std::size_t full) {
        std::size_t const target = start(first_).offset + static_cast<std::size_t>(static_cast<double>(full) * limits_.leap);
        std::size_t const leap = full > 0 ? leap_to(target) : first_;
        std::size_t from = start(first_).place, tokens = 0, next = first_ + 1;
        bool const carried = carried_ && carried_unit_ == first_;
        carried_ = ink_fits_ = false;
        sizes_.clear();
        if (carried) {
            // The encoder has read so much of it already.
            from = carried_place_;
            tokens = carried_tokens_;
            while (next < size_ && start(next).place <= from) ++next;
        } else {
            encoder_.restart(encoder_.encoder);
        }
        bool whole = true;
        if (leap > next) {
            if (!append(from, start(leap).place, tokens, whole)) return false;
            if (tokens <= limits_.leap_fills) {
                next = leap + 1;
                from = start(leap).place;
                put_size(leap, tokens);
            } else {
                encoder_.restart(encoder_.encoder);
                next = first_ + 1;
                from = start(first_).place;
                tokens = 0;
            }
        } else if (carried && start(next - 1).place == from) {
            put_size(next - 1, tokens);
        }
        next_ = sizes_.empty() ? first_ : sizes_.back().first;
        tokens_ = next_ > first_ ? tokens : 0;
        for (; next <= size_; ++next) {
            std::size_t const to = start(next).place;
            whole = true;
            if (next - 1 == next_ && from == start(next_).place) {
                // Without the blank lines at its end this unit may fit, though it does not with them: counted on the way.
                std::size_t const ink = end_of_ink(from, to);
                if (ink < to && !append(from, ink, tokens, whole)) return false;
                ink_fits_ = ink < to && tokens <= limits_.most;
                from = ink < to ? ink : from;
            }
            if (whole && !append(from, to, tokens, whole)) return false;
            from = to;
            if (tokens <= limits_.most) {
                next_ = next;
                tokens_ = tokens;
                put_size(next, tokens);
            } else if (tokens > limits_.most + limits_.look_ahead) {
                return true;
            }
        }
        return complete_;
    }

    // The tokens of the chunk if it ended with this unit were so many.
    void put_size(std::size_t behind, std::size_t tokens) { sizes_.emplace_back(behind, tokens); }

    // The tokens of the chunk up to a unit in it; false where they are above the budget.
    bool size_up_to(std::size_t behind, std::size_t& tokens) const {
        auto const known = std::lower_bound(sizes_.begin(), sizes_.end(), std::pair<std::size_t, std::size_t>(behind, 0));
        if (known == sizes_.end() || known->first != behind) return fits(start(first_).place, start(behind).place, limits_.most, tokens);
        tokens = known->second;
        return true;
    }

    // The last unit that begins at most so many characters into the text; all of them do up to the first.
    std::size_t leap_to(std::size_t offset) const {
        std::size_t low = first_, high = size_ + 1;
        while (high - low > 1) {
            std::size_t const middle = low + (high - low) / 2;
            (start(middle).offset <= offset ? low : high) = middle;
        }
        return low;
    }

    // Adds text[from:to], or as much of it as tells that it is too long. False where it cannot be counted.
    bool append(std::size_t from, std::size_t to, std::size_t& tokens, bool& whole) const {
        whole = true;
        while (from < to) {
            std::size_t end = to;
            if (to - from > limits_.stride) {
                end = from;
                for (std::size_t characters = 0; end < to; ++end)
                    if ((all_.places_.empty() || !continues(all_.text_[end])) && characters++ == limits_.stride) break;
            }
            if (!encoder_.append(encoder_.encoder, all_.text_ + from, end - from, &tokens)) return false;
            from = end;
            whole = from == to;
            if (tokens > limits_.most + limits_.look_ahead) return true;
        }
        return true;
    }

    // Whether a cut inside the next unit would only be moved back to its start: it fits alone, and not by the blank lines at its end alone
    // into this chunk.
    bool stays_whole() { return !ink_fits_ && fits_alone(next_, start(next_ + 1)); }

    // Whether the next unit fits without the blank lines at its end, and completes a larger one so.
    bool takes_blank_lines() const {
        if (!ink_fits_ || next_ + 1 >= size_ || end_around(next_).offset != start(next_ + 1).offset) return false;
        return last_stronger(strength(next_), next_) != next_;
    }

    // Rule 1 of chunker/cutting.py: back to the start of a larger unit that a cut would break and that fits alone. False where rule 2 has a say.
    bool whole_units() {
        while (true) {
            if (is_in_head(next_)) return false;
            std::size_t const around = last_stronger(strength(next_), next_);
            std::size_t tokens;
            if (around == next_ || around == first_ || !size_up_to(around, tokens) || tokens < least_) return true;
            if (!fits_alone(around, end_around(next_))) return true;
            next_ = around;
            tokens_ = tokens;
        }
    }

    // Whether the text from a unit on, but for blank lines at its end, fits into a chunk of its own. The first such text is left in the
    // encoder: the next chunk may begin with it.
    bool fits_alone(std::size_t unit, Spot to) {
        Spot const from = start(unit);
        if (to.place - from.place <= limits_.most) return true;  // no token is less than a byte
        if (to.offset - from.offset > limits_.most * limits_.longest_token) return false;
        std::size_t const ink = end_of_ink(from.place, to.place);
        std::size_t tokens;
        if (carried_) return fits(from.place, ink, limits_.most, tokens);
        bool whole;
        encoder_.restart(encoder_.encoder);
        carried_ = append(from.place, ink, tokens, whole) && whole && tokens <= limits_.most;
        carried_unit_ = unit;
        carried_place_ = ink;
        carried_tokens_ = tokens;
        return carried_;
    }

    // Whether the text behind this chunk is less than a chunk should have.
    bool is_crumb() const {
        Spot const from = start(next_), to = row_spot(all_.rows());
        if (limits_.least == 0 || to.offset - from.offset > limits_.least * limits_.longest_token) return false;
        std::size_t tokens;
        return fits(from.place, to.place, limits_.least - 1, tokens);
    }

    bool fits(std::size_t start, std::size_t end, std::size_t limit, std::size_t& tokens) const {
        return encoder_.fits(encoder_.encoder, all_.text_ + start, end - start, limit, &tokens);
    }

    // The last unit of the chunk before `behind` that is stronger; `behind` if none is.
    std::size_t last_stronger(std::int64_t than, std::size_t behind) const {
        for (std::size_t unit = behind; unit > first_; --unit)
            if (strength(unit - 1) > than) return unit - 1;
        return behind;
    }

    // Where the blank lines begin that a text ends with, in bytes.
    std::size_t end_of_ink(std::size_t start, std::size_t end) const {
        std::size_t ink = end, before;
        while (ink > start && is_space_before(all_.text_, ink, before)) ink = before;
        void const* const found = std::memchr(all_.text_ + ink, '\n', end - ink);
        return found ? static_cast<std::size_t>(static_cast<unsigned char const*>(found) - all_.text_) + 1 : end;
    }

    const RowGrower& all_;
    const Limits& limits_;
    const GrowingInterface& encoder_;
    const std::vector<Unit>& front_;
    std::size_t row_;
    const unsigned char* closed_;
    bool complete_;  // behind the last of them is the end of the text
    std::size_t size_, least_;
    // The chunk: its first unit, the one behind it, and the tokens of all between.
    std::size_t first_ = 0, next_ = 0, tokens_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> sizes_;  // behind some of its units: their number, its tokens so far
    std::optional<std::size_t> opening_;
    bool ink_fits_ = false;                                   // the next unit fits, but for blank lines at its end
    // What the encoder holds, if that is not the chunk: the text from this unit to this place.
    bool carried_ = false;
    std::size_t carried_unit_ = 0, carried_place_ = 0, carried_tokens_ = 0;
};

RowGrower::RowGrower(const unsigned char* text, std::size_t bytes, std::vector<std::int64_t> offsets, std::vector<std::int64_t> strengths,
                     std::size_t size, const Limits& limits)
    : text_(text), offsets_(std::move(offsets)), strengths_(std::move(strengths)), limits_(limits) {
    std::vector<std::int64_t> numbers(strengths_.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    end_rows_ = enclosing_ends(numbers, strengths_, static_cast<std::int64_t>(strengths_.size()));
    offsets_.push_back(static_cast<std::int64_t>(size));
    if (bytes == size) return;
    places_.reserve(offsets_.size());
    std::size_t character = 0, byte = 0;
    for (std::int64_t const offset : offsets_) {
        for (; byte < bytes && (character < static_cast<std::size_t>(offset) || continues(text[byte])); ++byte) character += !continues(text[byte]);
        places_.push_back(byte);
    }
}

Spot RowGrower::spot(std::size_t offset, Spot from) const {
    if (places_.empty()) return {offset, offset};
    std::size_t const bytes = places_.back();
    for (; from.place < bytes && (from.offset < offset || continues(text_[from.place])); ++from.place) from.offset += !continues(text_[from.place]);
    return from;
}

Spot RowGrower::row_before(std::size_t offset) const {
    auto const behind = std::upper_bound(offsets_.begin(), offsets_.end(), static_cast<std::int64_t>(offset));
    auto const row = static_cast<std::size_t>(behind - offsets_.begin()) - 1;
    auto const start = static_cast<std::size_t>(offsets_[row]);
    return {start, places_.empty() ? start : places_[row]};
}

RowGrower::Grown RowGrower::grow(const GrowingInterface& encoder, const std::vector<Unit>& front, bool whole_front, std::size_t row,
                                 std::size_t number, const unsigned char* closed, std::size_t& full) const {
    std::vector<Piece> pieces;
    if (row > rows() || (!whole_front && front.empty())) return {};
    Ahead ahead(*this, encoder, front, whole_front, row, closed);
    Piece piece{0, 0};
    while (piece.units < ahead.size() && pieces.size() < number && ahead.chunk(piece.units, full, piece)) pieces.push_back(piece);
    return {std::move(pieces), ahead.opening()};
}

}  // namespace chunker
