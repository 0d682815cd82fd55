#include "bpe/trie.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bpe {

namespace {

// The free nodes of each block of 256, and where to look for a place.
class FreeNodes {
public:
    explicit FreeNodes(std::vector<Trie::Node>& nodes) : nodes_(nodes) { add_block(); }

    // A base under which the nodes of all `labels` are free; they are taken.
    std::uint32_t take(const Byte* labels, std::size_t count) {
        std::size_t const first_open = open_.size() > looked_at ? open_.size() - looked_at : 0;
        for (std::size_t index = open_.size(); index-- > first_open;) {
            std::uint32_t const block = open_[index];
            if (free_count_[block] < count) continue;
            std::uint32_t const low = fitting(block, labels, count);
            if (low < 256) return taken(block, index, low, labels, count);
        }
        add_block();
        return taken(open_.back(), open_.size() - 1, fitting(open_.back(), labels, count), labels, count);
    }

private:
    static constexpr std::size_t looked_at = 8;  // blocks; more packs tighter and builds slower

    using Bits = std::array<std::uint64_t, 4>;

    void add_block() {
        auto const block = static_cast<std::uint32_t>(free_.size());
        nodes_.resize(nodes_.size() + 256);
        Bits all;
        all.fill(~std::uint64_t{0});
        free_.push_back(all);
        free_count_.push_back(256);
        if (block == 0) {  // the root is node 0, and no child may be there
            free_[0][0] &= ~std::uint64_t{1};
            free_count_[0] = 255;
        }
        open_.push_back(block);
    }

    bool is_free(std::uint32_t block, std::uint32_t low) const { return free_[block][low >> 6] >> (low & 63) & 1; }

    // The low byte of a base, 256 where none fits.
    std::uint32_t fitting(std::uint32_t block, const Byte* labels, std::size_t count) const {
        for (std::uint32_t word = 0; word < 4; ++word) {
            for (std::uint64_t bits = free_[block][word]; bits; bits &= bits - 1) {
                std::uint32_t const low = (word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))) ^ labels[0];
                std::size_t index = 1;
                while (index < count && is_free(block, low ^ labels[index])) ++index;
                if (index == count) return low;
            }
        }
        return 256;
    }

    std::uint32_t taken(std::uint32_t block, std::size_t open_index, std::uint32_t low, const Byte* labels,
                        std::size_t count) {
        for (std::size_t index = 0; index < count; ++index) {
            std::uint32_t const node = low ^ labels[index];
            free_[block][node >> 6] &= ~(std::uint64_t{1} << (node & 63));
        }
        free_count_[block] -= static_cast<std::uint32_t>(count);
        if (free_count_[block] == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(open_index));
        return block << 8 | low;
    }

    std::vector<Trie::Node>& nodes_;
    std::vector<Bits> free_;
    std::vector<std::uint32_t> free_count_;
    std::vector<std::uint32_t> open_;
};

// A token with its first eight bytes in reading order, so that sorting seldom looks at the token itself.
struct Entry {
    std::uint64_t head;
    std::uint32_t index;
};

}  // namespace

Trie::Trie(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, Direction direction) {
    bool const forward = direction == Direction::forward;
    auto const byte_at = [&](std::uint32_t index, std::size_t depth) {
        Bytes const token = tokens[index];
        return forward ? token[depth] : token[token.size - 1 - depth];
    };
    std::vector<Entry> order(tokens.size());
    Rank highest = 0;
    for (std::uint32_t index = 0; index < tokens.size(); ++index) {
        std::uint64_t head = 0;
        for (std::size_t depth = 0; depth < 8; ++depth)
            head = head << 8 | (depth < tokens[index].size ? byte_at(index, depth) : 0u);
        order[index] = {head, index};
        highest = std::max(highest, ranks[index]);
    }
    std::sort(order.begin(), order.end(), [&](const Entry& one, const Entry& other) {
        if (one.head != other.head) return one.head < other.head;
        std::size_t const size = tokens[one.index].size, other_size = tokens[other.index].size;
        for (std::size_t depth = std::min<std::size_t>(8, std::min(size, other_size)); depth < size && depth < other_size; ++depth)
            if (byte_at(one.index, depth) != byte_at(other.index, depth))
                return byte_at(one.index, depth) < byte_at(other.index, depth);
        return size < other_size;
    });
    shorter_.assign(tokens.empty() ? 0 : highest + 1, no_rank);
    nodes_.reserve(tokens.size() * 4 + 256);
    FreeNodes free(nodes_);
    nodes_[root].check = root;  // so that the root is never its own child: byte 0 leads to base ^ 0

    // A node and the stretch of `order` whose tokens go through it.
    struct Work {
        std::uint32_t first, last, node;
        std::uint32_t depth;
        Rank above;  // the longest token on the way
    };
    std::vector<Work> stack{{0, static_cast<std::uint32_t>(order.size()), root, 0, no_rank}};
    std::array<Byte, 256> labels;
    std::array<std::uint32_t, 257> cuts;
    while (!stack.empty()) {
        auto [first, last, node, depth, above] = stack.back();
        stack.pop_back();
        if (first < last && tokens[order[first].index].size == depth) {
            Rank const rank = ranks[order[first].index];
            nodes_[node].rank = rank;
            shorter_[rank] = above;
            above = rank;
            ++first;
        }
        if (first == last) continue;
        std::size_t count = 0;
        for (std::uint32_t index = first; index < last; ++index) {
            Byte const byte = byte_at(order[index].index, depth);
            if (count == 0 || labels[count - 1] != byte) {
                labels[count] = byte;
                cuts[count++] = index;
            }
        }
        cuts[count] = last;
        std::uint32_t const base = free.take(labels.data(), count);
        nodes_[node].base = base;
        for (std::size_t index = 0; index < count; ++index) {
            std::uint32_t const child = base ^ labels[index];
            nodes_[child].check = node;
            stack.push_back({cuts[index], cuts[index + 1], child, depth + 1, above});
        }
    }
}

}  // namespace bpe
