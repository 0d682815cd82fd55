#include "bpe/merging.hpp"

#include <algorithm>
#include <queue>

namespace bpe {

std::size_t merge_short(const Dictionary& dictionary, Bytes piece, Rank* out) {
    std::size_t count = piece.size;
    Rank merged[short_length + 1];  // merged[i]: what tokens i and i + 1 make
    for (std::size_t index = 0; index < count; ++index) out[index] = dictionary.byte(piece[index]);
    for (std::size_t index = 0; index + 1 < count; ++index)
        merged[index] = dictionary.merged_bytes(piece[index], piece[index + 1]);
    while (count > 1) {
        std::size_t best = 0;
        for (std::size_t index = 1; index + 1 < count; ++index)
            if (merged[index] < merged[best]) best = index;
        if (merged[best] == no_rank) break;
        out[best] = merged[best];
        --count;
        for (std::size_t index = best + 1; index < count; ++index) out[index] = out[index + 1];
        for (std::size_t index = best; index + 1 < count; ++index) merged[index] = merged[index + 1];
        if (best + 1 < count) merged[best] = dictionary.merged(out[best], out[best + 1]);
        if (best > 0) merged[best - 1] = dictionary.merged(out[best - 1], out[best]);
    }
    return count;
}

const std::vector<Rank>& Backtracking::encode(const Dictionary& dictionary, Bytes piece) {
    dictionary.check_bytes(piece);
    const Trie& trie = dictionary.starting();
    tokens_.clear();
    possible_.assign(piece.size / 64 + 1, ~std::uint64_t{0});
    std::size_t place = 0;
    Rank next = trie.longest(piece);
    while (place < piece.size) {
        for (;;) {
            std::size_t const end = place + dictionary.length(next);
            bool const possible = possible_[end >> 6] >> (end & 63) & 1;
            if (possible && (tokens_.empty() || pairs_.compatible(dictionary, tokens_.back(), next))) {
                tokens_.push_back(next);
                place = end;
                next = trie.longest({piece.data + place, piece.size - place});
                break;
            }
            Rank const shorter = trie.shorter(next);
            if (shorter != no_rank) {
                next = shorter;
                continue;
            }
            // No token fits at this place: no encoding has a boundary here.
            possible_[place >> 6] &= ~(std::uint64_t{1} << (place & 63));
            next = tokens_.back();
            tokens_.pop_back();
            place -= dictionary.length(next);
            break;
        }
    }
    return tokens_;
}

std::vector<Rank> encode_by_heap(const Dictionary& dictionary, Bytes piece) {
    dictionary.check_bytes(piece);
    constexpr std::uint32_t nobody = 0xFFFFFFFF;
    struct Part {
        Rank token;
        std::uint32_t previous, next;
    };
    struct Candidate {
        Rank merged;
        std::uint32_t place;
        Rank left, right;
        bool operator>(const Candidate& other) const {
            return merged != other.merged ? merged > other.merged : place > other.place;
        }
    };
    auto const size = static_cast<std::uint32_t>(piece.size);
    std::vector<Part> parts(size);
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    auto const offer = [&](std::uint32_t place) {
        if (place == nobody || parts[place].next == nobody) return;
        Rank const left = parts[place].token, right = parts[parts[place].next].token;
        if (Rank const merged = dictionary.merged(left, right); merged != no_rank)
            queue.push({merged, place, left, right});
    };
    for (std::uint32_t place = 0; place < size; ++place)
        parts[place] = {dictionary.byte(piece[place]), place == 0 ? nobody : place - 1,
                        place + 1 < size ? place + 1 : nobody};
    for (std::uint32_t place = 0; place < size; ++place) offer(place);
    while (!queue.empty()) {
        Candidate const best = queue.top();
        queue.pop();
        Part& left = parts[best.place];
        // A candidate is stale where one of its two has been merged since.
        if (left.token != best.left || left.next == nobody || parts[left.next].token != best.right) continue;
        Part& right = parts[left.next];
        right.token = no_rank;
        left.token = best.merged;
        left.next = right.next;
        if (left.next != nobody) parts[left.next].previous = best.place;
        offer(best.place);
        offer(left.previous);
    }
    std::vector<Rank> tokens;
    for (std::uint32_t place = 0; place < size && place != nobody; place = parts[place].next)
        tokens.push_back(parts[place].token);
    return tokens;
}

}  // namespace bpe
