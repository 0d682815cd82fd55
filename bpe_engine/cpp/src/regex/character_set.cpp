#include "bpe/regex/character_set.hpp"

#include <algorithm>
#include <iterator>

namespace bpe::regex {

CharacterSet::CharacterSet(std::initializer_list<CharacterRange> ranges) : ranges_(ranges), sorted_(false) {}

const std::vector<CharacterRange>& CharacterSet::ranges() const {
    if (!sorted_) {
        std::sort(ranges_.begin(), ranges_.end(), [](const CharacterRange& left, const CharacterRange& right) { return left.first < right.first; });
        std::size_t kept = 0;
        for (CharacterRange const range : ranges_) {
            if (kept > 0 && range.first <= ranges_[kept - 1].last + 1) ranges_[kept - 1].last = std::max(ranges_[kept - 1].last, range.last);
            else ranges_[kept++] = range;
        }
        ranges_.resize(kept);
        sorted_ = true;
    }
    return ranges_;
}

void CharacterSet::add(const CharacterSet& other) {
    auto const& more = other.ranges();
    ranges_.insert(ranges_.end(), more.begin(), more.end());
    sorted_ = false;
}

void CharacterSet::negate() {
    std::vector<CharacterRange> made;
    char32_t next = 0;
    for (CharacterRange const range : ranges()) {
        if (range.first > next) made.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= invalid_character) made.push_back({next, invalid_character});
    ranges_ = std::move(made);
}

void CharacterSet::intersect(const CharacterSet& other) {
    std::vector<CharacterRange> made;
    auto const &left = ranges(), &right = other.ranges();
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        char32_t const first = std::max(left[i].first, right[j].first), last = std::min(left[i].last, right[j].last);
        if (first <= last) made.push_back({first, last});
        if (left[i].last < right[j].last) ++i;
        else ++j;
    }
    ranges_ = std::move(made);
}

void CharacterSet::subtract(const CharacterSet& other) {
    CharacterSet rest = other;
    rest.negate();
    intersect(rest);
}

bool CharacterSet::contains(char32_t code) const {
    auto const& all = ranges();
    auto const after = std::upper_bound(all.begin(), all.end(), code, [](char32_t value, const CharacterRange& range) { return value < range.first; });
    return after != all.begin() && code <= std::prev(after)->last;
}

}  // namespace bpe::regex
