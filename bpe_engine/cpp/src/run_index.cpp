#include "bpe/run_index.hpp"

#include <algorithm>
#include <bit>

namespace bpe {

namespace {

// A bit for each kind of a character.
unsigned kinds_of(Character character) {
    Flags const flags = character.flags;
    bool const newline = is_newline(character);
    bool const letter = flags & letter_class, number = flags & number_class, space = flags & space_class;
    bool const mark = flags & mark_class, upper = flags & upper_class, lower = flags & lower_class;
    bool const other = !(letter || number || space);
    return unsigned{letter} << RunIndex::letter | unsigned{letter || mark} << RunIndex::word | unsigned{number} << RunIndex::number |
           unsigned{space} << RunIndex::space | unsigned{newline} << RunIndex::newline |
           unsigned{newline || character.code == '/'} << RunIndex::newline_or_slash | unsigned{letter || number || space} << RunIndex::not_punctuation |
           unsigned{letter || number || space || mark} << RunIndex::not_punctuation_or_mark | unsigned{upper} << RunIndex::upper |
           unsigned{lower} << RunIndex::lower | unsigned{upper && lower} << RunIndex::both | unsigned{(flags & han_class) != 0} << RunIndex::han |
           unsigned{in_cjk(character.code)} << RunIndex::cjk | unsigned{is_ascii_letter(character.code)} << RunIndex::ascii_letter |
           unsigned{is_ascii_digit(character.code)} << RunIndex::digit | unsigned{other && !is_cut_by_falcon(character)} << RunIndex::uncut |
           unsigned{other && !mark && !(flags & symbol_class)} << RunIndex::left_over;
}

}  // namespace

void RunIndex::extend(Bytes text) {
    const UnicodeTable& table = UnicodeTable::instance();
    unsigned open = 0;  // the kinds whose last run is open
    for (unsigned kind = 0; kind < kinds; ++kind) open |= static_cast<unsigned>(toggles_[kind].size() & 1) << kind;
    auto const take = [&](unsigned is, std::size_t distance) {
        for (unsigned changed = open ^ is; changed; changed &= changed - 1) toggles_[std::countr_zero(changed)].push_back(distance);
        open = is;
        // The third digit of a run; a digit is one byte.
        if (is >> digit & 1 && distance - toggles_[digit].back() == 2) long_digits_.push_back(toggles_[digit].back());
    };
    if (side_ == Side::right) {
        for (std::size_t place = 0; place < text.size;) {
            Character const character = table.at(text.data, place, text.size);
            take(kinds_of(character), end_ + place);
            place += character.size;
        }
    } else {
        // From right to left: a character starts at a byte that is no continuation byte, if its sequence is complete.
        for (std::size_t stop = text.size; stop > 0;) {
            std::size_t start = stop - 1;
            for (std::size_t back = 1; back <= 4 && back <= stop; ++back) {
                if (UnicodeTable::continues(text[stop - back])) continue;
                if (table.at(text.data, stop - back, stop).size == back) start = stop - back;
                break;
            }
            take(kinds_of(table.at(text.data, start, stop)), end_ + (text.size - stop));
            stop = start;
        }
    }
    end_ += text.size;
}

void RunIndex::truncate(std::size_t distance) {
    if (distance >= end_) return;
    for (auto& toggles : toggles_) toggles.erase(std::lower_bound(toggles.begin(), toggles.end(), distance), toggles.end());
    while (!long_digits_.empty() && long_digits_.back() + 3 > distance) long_digits_.pop_back();
    end_ = distance;
}

std::size_t RunIndex::memory() const {
    std::size_t total = long_digits_.capacity() * sizeof(std::size_t);
    for (auto const& toggles : toggles_) total += toggles.capacity() * sizeof(std::size_t);
    return total;
}

std::size_t IndexedText::end(RunIndex::Kind kind, std::size_t place) const {
    auto const& toggles = index_.toggles(kind);
    if (index_.side() == RunIndex::Side::right) {
        auto const after = std::upper_bound(toggles.begin(), toggles.end(), place);
        if ((after - toggles.begin()) % 2 == 0) return place;
        return after == toggles.end() ? limit_ : std::min(*after, limit_);
    }
    auto const from = std::lower_bound(toggles.begin(), toggles.end(), length_ - place);
    if ((from - toggles.begin()) % 2 == 0) return place;
    return std::min(length_ - *(from - 1), limit_);
}

std::size_t IndexedText::next(RunIndex::Kind kind, std::size_t place) const {
    auto const& toggles = index_.toggles(kind);
    if (index_.side() == RunIndex::Side::right) {
        auto const after = std::upper_bound(toggles.begin(), toggles.end(), place);
        if ((after - toggles.begin()) % 2 == 1) return place;
        return after == toggles.end() ? limit_ : std::min(*after, limit_);
    }
    auto const from = std::lower_bound(toggles.begin(), toggles.end(), length_ - place);
    if ((from - toggles.begin()) % 2 == 1) return place;
    return from == toggles.begin() ? limit_ : std::min(length_ - *(from - 1), limit_);
}

std::size_t IndexedText::last_end(RunIndex::Kind kind, std::size_t place, std::size_t stop) const {
    auto const& toggles = index_.toggles(kind);
    if (index_.side() == RunIndex::Side::right) {
        auto const from = std::lower_bound(toggles.begin(), toggles.end(), stop);
        auto const before = from - toggles.begin();
        if (before % 2 == 1) return stop;  // a run holds the last character
        return before == 0 ? place : std::max(*(from - 1), place);
    }
    auto const after = std::upper_bound(toggles.begin(), toggles.end(), length_ - stop);
    if ((after - toggles.begin()) % 2 == 1) return stop;
    return after == toggles.end() ? place : std::max(length_ - *after, place);
}

std::size_t IndexedText::first_triple(std::size_t place) const {
    auto const within_limit = [this](std::size_t start) { return start + 3 <= limit_ ? start : limit_; };
    if (end(RunIndex::digit, place) >= place + 3) return place;
    auto const& starts = index_.long_digits();
    if (index_.side() == RunIndex::Side::right) {
        auto const next = std::lower_bound(starts.begin(), starts.end(), place);
        return next == starts.end() ? limit_ : within_limit(*next);
    }
    // The index reads the text backwards: the start of a run is its end in the index. The first run found may hold `place`, and start before it.
    auto const& toggles = index_.toggles(RunIndex::digit);
    for (auto found = std::lower_bound(starts.begin(), starts.end(), length_ - place); found != starts.begin();) {
        --found;
        auto const stop = std::upper_bound(toggles.begin(), toggles.end(), *found);
        if (stop != toggles.end() && length_ - *stop >= place) return within_limit(length_ - *stop);
    }
    return limit_;
}

}  // namespace bpe
