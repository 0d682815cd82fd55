#include "chunker/units.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "chunker/enclosing.hpp"
#include "chunker/refining.hpp"

namespace chunker {

std::size_t last_stronger(const Places& places, std::int64_t strength, std::size_t start, std::size_t stop) {
    for (std::size_t index = stop; index > start; --index)
        if (places[index - 1].strength > strength) return index - 1;
    return stop;
}

std::size_t end_of_head(const Heads& heads, std::size_t offset) {
    auto const found = std::lower_bound(heads.begin(), heads.end(), offset, [](auto const& head, std::size_t place) { return head.first < place; });
    return found != heads.end() && found->first == offset ? found->second : 0;
}

bool OutlineRows::close(std::int64_t offset) {
    auto const row = std::lower_bound(offsets.begin(), offsets.end(), offset);
    if (row == offsets.end() || *row != offset) return false;
    closed.resize(offsets.size());
    closed[static_cast<std::size_t>(row - offsets.begin())] = 1;
    return true;
}

Units::Units(const Text& text, OutlineRows rows, Surroundings& surroundings, bool are_joined)
    : text_(text),
      rows_(std::move(rows)),
      surroundings_(surroundings),
      are_joined_(are_joined),
      size_(rows_.strengths.size()),
      end_rows_(stronger_after(rows_.strengths)) {
    rows_.offsets.push_back(static_cast<std::int64_t>(text.size()));
}

Place Units::row(std::size_t number) const {
    return {static_cast<std::size_t>(rows_.offsets[number]), rows_.strengths[number], number, static_cast<std::size_t>(rows_.offsets[end_rows_[number]]),
            number};
}

std::size_t Units::offset_of(std::size_t number) const {
    if (number < front_.size()) return front_[front_.size() - 1 - number].offset;
    return static_cast<std::size_t>(rows_.offsets[std::min(next_row_ + number - front_.size(), size_)]);
}

Place Units::after_next() const {
    if (front_.size() > 1) return front_[front_.size() - 2];
    std::size_t const number = next_row_ + 1 - front_.size();
    return number < size_ ? row(number) : end_of_text();
}

std::size_t Units::number_up_to(std::size_t offset) const {
    // In front the last one is the first.
    auto const first = std::lower_bound(front_.begin(), front_.end(), offset, [](const Place& place, std::size_t limit) { return place.offset > limit; });
    auto const in_front = static_cast<std::size_t>(front_.end() - first);
    if (in_front < front_.size()) return in_front;
    auto const start = rows_.offsets.begin() + static_cast<std::ptrdiff_t>(next_row_);
    return in_front + static_cast<std::size_t>(std::upper_bound(start, rows_.offsets.end(), static_cast<std::int64_t>(offset)) - start);
}

void Units::take(std::size_t number, Places& to) {
    auto const in_front = static_cast<std::ptrdiff_t>(std::min(number, front_.size()));
    to.insert(to.end(), front_.rbegin(), front_.rbegin() + in_front);
    front_.erase(front_.end() - in_front, front_.end());
    for (number -= static_cast<std::size_t>(in_front); number > 0; --number) to.push_back(row(next_row_++));
}

void Units::put_back(Places& places, std::size_t keep) {
    while (places.size() > keep) {
        // Units that equal rows of the outline become rows again.
        if (front_.empty() && places.back().row != no_outline_row && places.back().row + 1 == next_row_) --next_row_;
        else front_.push_back(places.back());
        places.pop_back();
    }
}

void Units::split_next(const Places& parts) {
    Places first;
    take(1, first);
    front_.insert(front_.end(), parts.rbegin(), parts.rend());
    front_.push_back(first[0]);
}

void Units::move_next_end(std::size_t offset) {
    Places both;
    take(2, both);
    Place& second = both[1];
    if (is_closed(second)) {
        std::size_t const said = opened(second);
        moved_[offset] = said;
    }
    second.offset = offset;
    second.row = no_outline_row;
    front_.push_back(second);
    front_.push_back(both[0]);
}

bool Units::is_closed(const Place& place) const {
    if (place.row != no_outline_row) return !rows_.closed.empty() && rows_.closed[place.row] != 0;
    return moved_.contains(place.offset);
}

std::size_t Units::closed_at(const Place& place) const {
    if (!is_closed(place)) return no_outline_row;
    return place.row != no_outline_row ? place.offset : moved_.at(place.offset);
}

std::size_t Units::opened(const Place& place) {
    if (place.row != no_outline_row) {
        rows_.closed[place.row] = 0;
        return place.offset;
    }
    std::size_t const said = moved_.at(place.offset);
    moved_.erase(place.offset);
    return said;
}

bool Units::open_next() {
    Place const place = next();
    if (!is_closed(place)) return false;
    InnerBoundaries inside = surroundings_.inside(opened(place));
    for (auto const& [offset, end] : inside.heads) inner_heads_[offset] = end;
    if (inside.offsets.empty()) return false;
    if (!std::is_sorted(inside.offsets.begin(), inside.offsets.end(), std::less_equal<>()) ||
        inside.offsets.front() <= static_cast<std::int64_t>(place.offset) || inside.offsets.back() >= static_cast<std::int64_t>(end()))
        throw std::invalid_argument("what is inside a unit lies between its start and its end, in order");
    Place const after = after_next();
    Places parts;
    parts.reserve(inside.offsets.size());
    auto const put = [&](std::size_t index, std::size_t end) {
        parts.push_back({static_cast<std::size_t>(inside.offsets[index]), inside.strengths[index], inside.labels[index], end, no_outline_row});
    };
    auto const& strengths = inside.strengths;
    if (std::adjacent_find(strengths.begin(), strengths.end(), std::not_equal_to<>()) == strengths.end()) {
        std::size_t const end = stronger_from(after, strengths.front());
        for (std::size_t index = 0; index < strengths.size(); ++index) put(index, end);
    } else {
        auto const ends = stronger_after(strengths);
        for (std::size_t index = 0; index < ends.size(); ++index)
            put(index, ends[index] < ends.size() ? static_cast<std::size_t>(inside.offsets[ends[index]]) : stronger_from(after, strengths[index]));
    }
    split_next(parts);
    return true;
}

std::size_t Units::open_taken(Places& places, std::size_t index) {
    if (!is_closed(places[index])) return 0;
    std::size_t const number = places.size() - index, before = size();
    put_back(places, index);
    open_next();
    std::size_t const parts = size() - before - number;
    take(number + parts, places);
    return parts;
}

void Units::open_all_taken(Places& places) {
    std::size_t const end = offset();
    put_back(places);
    while (offset() < end)
        if (!open_next()) take(1, places);
}

void Units::open_all() {
    Places ahead;
    take(front_.size() + size_ - next_row_, ahead);
    while (!ahead.empty()) {
        put_back(ahead, ahead.size() - 1);
        open_next();
    }
}

bool Units::any_closed(std::size_t start) const {
    if (std::any_of(moved_.begin(), moved_.end(), [start](auto const& moved) { return moved.first >= start; })) return true;
    if (rows_.closed.empty()) return false;
    auto const first = std::lower_bound(rows_.offsets.begin(), rows_.offsets.end() - 1, static_cast<std::int64_t>(start)) - rows_.offsets.begin();
    return std::any_of(rows_.closed.begin() + first, rows_.closed.end(), [](unsigned char closed) { return closed != 0; });
}

std::size_t Units::stronger_from(const Place& place, std::int64_t strength) const {
    if (place.strength > strength) return place.offset;
    auto const row_at = [this](std::size_t offset) {
        return static_cast<std::size_t>(std::lower_bound(rows_.offsets.begin(), rows_.offsets.end() - 1, static_cast<std::int64_t>(offset)) -
                                        rows_.offsets.begin());
    };
    std::size_t row = row_at(place.enclosing_end);
    while (row < size_ && rows_.strengths[row] <= strength) row = end_rows_[row];
    return static_cast<std::size_t>(rows_.offsets[row]);
}

Places Units::several(const Place& place, const Place& after) const {
    std::int64_t const level = this->level(place, after);
    if (is_sentence(place.offset, after.offset, level)) return {};
    return parts(place, after, rows_.finest, level);
}

Places Units::finer(const Place& place, const Place& after, std::int64_t least) const { return parts(place, after, level(place, after), least); }

Places Units::parts(const Place& place, const Place& after, std::int64_t strength, std::int64_t least) const {
    Refined const finer = refine(text_, place.offset, after.offset, strength, least);
    if (finer.whole_up_to > 0) read_spans_ = {Span{place.offset, finer.whole_up_to}, read_spans_[0]};
    std::size_t const end = !finer.offsets.empty() && after.strength <= finer.strength() ? after.enclosing_end : after.offset;
    Places parts;
    parts.reserve(finer.offsets.size());
    for (std::size_t const offset : finer.offsets)
        parts.push_back({offset, finer.strength(), size_ + static_cast<std::size_t>(finer.level), end, no_outline_row});
    return parts;
}

bool Units::is_sentence(std::size_t start, std::size_t end, std::int64_t level) const {
    auto const holds = [&](Span const& span) { return span.start <= start && end <= span.end; };
    return !are_joined_ && level == strength::sentence && std::any_of(read_spans_.begin(), read_spans_.end(), holds);
}

bool Units::next_is_of_outline() const { return level(next(), after_next()) >= rows_.finest; }

bool Units::next_completes_unit() const {
    std::size_t const end = this->end();
    return end < text_.size() && next().enclosing_end == end;
}

std::ptrdiff_t Units::unsettled() const {
    auto const found = std::find_if(front_.begin(), front_.end(), [this](const Place& place) { return place.enclosing_end == text_.size(); });
    return found == front_.end() ? -1 : static_cast<std::ptrdiff_t>(found->offset);
}

std::size_t Units::head_end(std::size_t offset) const {
    auto const inner = inner_heads_.find(offset);
    return inner != inner_heads_.end() ? inner->second : end_of_head(rows_.heads, offset);
}

}  // namespace chunker
