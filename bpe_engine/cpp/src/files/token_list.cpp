#include "bpe/files/token_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace bpe::files {

bool TokenList::add(Bytes token, std::uint32_t id) {
    if (bytes_.size() + token.size >= none || ids_.size() + 1 >= none) return false;
    bytes_.insert(bytes_.end(), token.begin(), token.end());
    offsets_.push_back(bytes_.size());
    ids_.push_back(id);
    return true;
}

bool TokenList::index() {
    bool are_distinct = true;
    constexpr std::uint32_t ahead = 8;  // tokens whose slots are being prefetched
    std::array<std::uint64_t, ahead> hashes{};
    slots_.assign(std::bit_ceil(ids_.size() * 2 + 2), none);
    std::size_t const mask = slots_.size() - 1;
    for (std::uint32_t next = 0; next < ids_.size() + ahead; ++next) {
        if (next >= ahead) {
            std::uint32_t const number = next - ahead;
            std::uint64_t const hash = hashes[number % ahead];
            std::size_t place = hash & mask;
            for (; static_cast<std::uint32_t>(slots_[place]) != none; place = (place + 1) & mask)
                if (slots_[place] >> 32 == hash >> 32 && text(static_cast<std::uint32_t>(slots_[place])) == text(number)) are_distinct = false;
            slots_[place] = (hash >> 32) << 32 | number;
        }
        if (next < ids_.size()) hashes[next % ahead] = prepare(text(next));
    }
    return are_distinct;
}

std::uint32_t TokenList::find(Bytes token, std::uint64_t hash) const {
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
    return std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) { return ids_[one] == ids_[other]; }) == order.end();
}

}  // namespace bpe::files
