#include "bpe/ranking.hpp"

#include <bit>
#include <tuple>

#include "bpe/files/token_list.hpp"

namespace bpe {

namespace {

constexpr std::uint32_t none = files::TokenList::none;

// Pair of tokens -> place in the list of merges.
class Places {
public:
    explicit Places(std::size_t count) : slots_(std::bit_ceil(count * 2 + 1)) {}

    std::uint32_t& at(std::uint32_t left, std::uint32_t right) {
        Slot& slot = slots_[slot_of(left, right)];
        slot.left = left;
        slot.right = right;
        return slot.place;
    }
    std::uint32_t find(std::uint32_t left, std::uint32_t right) const { return slots_[slot_of(left, right)].place; }

private:
    struct Slot {
        std::uint32_t left = none, right = none, place = none;
    };
    std::size_t slot_of(std::uint32_t left, std::uint32_t right) const {
        std::size_t const mask = slots_.size() - 1;
        std::size_t slot = mixed(std::uint64_t{left} << 32 | right) & mask;
        while (slots_[slot].left != none && (slots_[slot].left != left || slots_[slot].right != right)) slot = (slot + 1) & mask;
        return slot;
    }
    std::vector<Slot> slots_;
};

struct Made {
    std::uint32_t place = none, left = none, right = none;  // `place`: none if no merge makes it
};

constexpr std::uint32_t atom = 0xFFFFFFFE;

// Whether `left` and `right` can both be made side by side: no merge across their join comes before they are complete.
bool are_neighbours(std::uint32_t left, std::uint32_t right, const std::vector<Made>& made, const Places& places) {
    for (;;) {
        Made const &one = made[left], &other = made[right];
        if (one.place == atom && other.place == atom) return true;
        // The later merge is undone first, of equals the right one.
        std::uint32_t limit;
        if (one.place != atom && (other.place == atom || one.place > other.place)) {
            limit = one.place;
            left = one.right;
        } else {
            limit = other.place + 1;
            right = other.left;
        }
        std::uint32_t const found = places.find(left, right);
        if (found != none && found < limit) return false;
    }
}

}  // namespace

Ranking rank_by_pairs(const std::vector<Bytes>& tokens, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& merges) {
    files::TokenList numbers;
    for (std::uint32_t number = 0; number < tokens.size(); ++number) (void)numbers.add(tokens[number], number);
    (void)numbers.index();
    Places places(merges.size());
    // The token that is made at each offset; none if the same pair occurs again later, where it counts.
    std::vector<std::uint32_t> targets;
    std::vector<Byte> whole;
    for (std::uint32_t place = 0; place < merges.size(); ++place) {
        auto const [left, right] = merges[place];
        whole.assign(tokens[left].begin(), tokens[left].end());
        whole.insert(whole.end(), tokens[right].begin(), tokens[right].end());
        std::uint32_t const target = numbers.find({whole.data(), whole.size()});
        if (target == none) throw NoSuchToken{place, std::move(whole)};
        std::uint32_t& known = places.at(left, right);
        if (known != none) targets[known] = none;
        known = place;
        targets.push_back(target);
    }
    Ranking found;
    std::vector<Made> made(tokens.size());
    for (std::uint32_t number = 0; number < tokens.size(); ++number) {
        if (tokens[number].size != 1) continue;
        made[number] = {atom, number, number};
        found.order.push_back(number);
    }
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> late;
    auto const is_made = [&](std::uint32_t number) { return made[number].place != none; };
    for (std::uint32_t place = 0; place < merges.size(); ++place) {
        auto const [left, right] = merges[place];
        std::uint32_t const target = targets[place];
        if (target == none || is_made(target)) continue;
        if (!is_made(left) || !is_made(right)) {
            late.emplace_back(left, right, target);
        } else if (are_neighbours(left, right, made, places)) {
            made[target] = {place, left, right};
            found.order.push_back(target);
        }
    }
    for (auto const& [left, right, target] : late) {
        if (is_made(target) || !is_made(left) || !is_made(right) || !are_neighbours(left, right, made, places)) continue;
        found.disordered = target;
        return found;
    }
    for (std::uint32_t number = 0; number < tokens.size(); ++number) {
        if (is_made(number)) continue;
        Bytes const token = tokens[number];
        bool is_two = false;
        for (std::size_t cut = 1; cut < token.size && !is_two; ++cut) {
            std::uint32_t const left = numbers.find(token.part(0, cut));
            if (left == none || !is_made(left)) continue;
            std::uint32_t const right = numbers.find(token.part(cut, token.size));
            is_two = right != none && is_made(right);
        }
        (is_two ? found.blocked : found.unreachable).push_back(number);
    }
    return found;
}

}  // namespace bpe
