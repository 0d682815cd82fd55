#include "bpe/files/token_list.hpp"

#include <algorithm>
#include <numeric>

#include "bpe/byte_hash.hpp"

namespace bpe::files {

void TokenList::grow() {
    slots_.assign(std::max<std::size_t>(slots_.size() * 2, 1024), none);
    std::size_t const mask = slots_.size() - 1;
    for (std::uint32_t number = 0; number < ids_.size(); ++number) {
        std::uint64_t const hash = byte_hash(text(number));
        std::size_t place = hash & mask;
        while (static_cast<std::uint32_t>(slots_[place]) != none) place = (place + 1) & mask;
        slots_[place] = (hash >> 32) << 32 | number;
    }
}

bool TokenList::add(Bytes token, std::uint32_t id) {
    if (bytes_.size() + token.size >= none || ids_.size() + 1 >= none) return false;
    if (ids_.size() * 2 >= slots_.size()) grow();
    std::uint64_t const hash = byte_hash(token);
    std::size_t const mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    for (;; place = (place + 1) & mask) {
        auto const number = static_cast<std::uint32_t>(slots_[place]);
        if (number == none) break;
        if (slots_[place] >> 32 == hash >> 32 && text(number) == token) return false;
    }
    slots_[place] = (hash >> 32) << 32 | static_cast<std::uint32_t>(ids_.size());
    bytes_.insert(bytes_.end(), token.begin(), token.end());
    offsets_.push_back(bytes_.size());
    ids_.push_back(id);
    return true;
}

std::uint32_t TokenList::find(Bytes token) const {
    if (slots_.empty()) return none;
    std::uint64_t const hash = byte_hash(token);
    std::size_t const mask = slots_.size() - 1;
    for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
        auto const number = static_cast<std::uint32_t>(slots_[place]);
        if (number == none) return none;
        if (slots_[place] >> 32 == hash >> 32 && text(number) == token) return number;
    }
}

std::vector<std::uint32_t> TokenList::by_id() const {
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0u);
    if (!std::is_sorted(ids_.begin(), ids_.end()))
        std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) { return ids_[one] < ids_[other]; });
    return order;
}

bool TokenList::has_distinct_ids() const {
    std::vector<std::uint32_t> const order = by_id();
    return std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) { return ids_[one] == ids_[other]; }) ==
           order.end();
}

}  // namespace bpe::files
