#include "bpe/trie.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace bpe {

namespace {

// The free nodes of each block of 256, and the blocks in which to search for a base.
class FreeNodes {
public:
    explicit FreeNodes(std::vector<Trie::Node>& nodes) : nodes_(nodes) { add_block(); }

    // A base that no node has yet and under which the nodes of all `labels` are free; marks these nodes as taken.
    std::uint32_t take(const Byte* labels, std::size_t count) {
        std::size_t const first_open = open_.size() > looked_at ? open_.size() - looked_at : 0;
        for (std::size_t index = open_.size(); index-- > first_open;) {
            std::uint32_t const block = open_[index];
            if (free_[block].count < count) continue;
            std::uint32_t const low = fitting(block, labels, count);
            if (low < 256) return taken(block, index, low, labels, count);
        }
        add_block();
        return taken(open_.back(), open_.size() - 1, fitting(open_.back(), labels, count), labels, count);
    }

private:
    static constexpr std::size_t looked_at = 8;  // blocks; more packs tighter and builds slower

    using Bits = std::array<std::uint64_t, 4>;
    struct Block {
        Bits free, unused_bases;
        std::uint32_t count = 256;  // of the free ones
    };

    static bool has(const Bits& bits, std::uint32_t low) { return bits[low >> 6] >> (low & 63) & 1; }
    static void clear(Bits& bits, std::uint32_t low) { bits[low >> 6] &= ~(std::uint64_t{1} << (low & 63)); }

    void add_block() {
        auto const number = static_cast<std::uint32_t>(free_.size());
        if (number >= 1u << 20) throw std::length_error("too many tokens for a trie");
        nodes_.resize(nodes_.size() + 256);
        Block block;
        block.free.fill(~std::uint64_t{0});
        block.unused_bases.fill(~std::uint64_t{0});
        if (number == 0) {  // the root is node 0, and base 0 is for nodes without children, so that neither may serve
            clear(block.free, 0);
            block.count = 255;
            for (std::uint32_t low = 0; low < 256; ++low) clear(block.unused_bases, low);
        }
        free_.push_back(block);
        if (number > 0) open_.push_back(number);
        else add_block();
    }

    // The low byte of a base, 256 if none fits. To test all bases at once, by bits, was tried: that packs a twelfth tighter, and takes as long.
    std::uint32_t fitting(std::uint32_t number, const Byte* labels, std::size_t count) const {
        Block const& block = free_[number];
        for (std::uint32_t word = 0; word < 4; ++word) {
            for (std::uint64_t bits = block.free[word]; bits; bits &= bits - 1) {
                std::uint32_t const low = (word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))) ^ labels[0];
                if (!has(block.unused_bases, low)) continue;
                std::size_t index = 1;
                while (index < count && has(block.free, low ^ labels[index])) ++index;
                if (index == count) return low;
            }
        }
        return 256;
    }

    std::uint32_t taken(std::uint32_t number, std::size_t open_index, std::uint32_t low, const Byte* labels, std::size_t count) {
        Block& block = free_[number];
        for (std::size_t index = 0; index < count; ++index) clear(block.free, low ^ labels[index]);
        clear(block.unused_bases, low);
        block.count -= static_cast<std::uint32_t>(count);
        if (block.count == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(open_index));
        return number << 8 | low;
    }

    std::vector<Trie::Node>& nodes_;
    std::vector<Block> free_;
    std::vector<std::uint32_t> open_;
};

// A token with its first eight bytes in reading order, so that sorting seldom reads the token itself.
struct Entry {
    std::uint64_t head;
    std::uint32_t index;
    std::uint32_t size;
};

// A counting sort, one byte of the head after the other from the last on: five times as fast as comparing.
void sort_by_head(std::vector<Entry>& entries) {
    std::vector<Entry> other(entries.size());
    for (unsigned shift = 0; shift < 64; shift += 8) {
        std::array<std::size_t, 257> starts{};
        for (Entry const& entry : entries) ++starts[(entry.head >> shift & 0xFF) + 1];
        for (std::size_t value = 0; value < 256; ++value) starts[value + 1] += starts[value];
        for (Entry const& entry : entries) other[starts[entry.head >> shift & 0xFF]++] = entry;
        entries.swap(other);
    }
}

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
        for (std::size_t depth = 0; depth < 8; ++depth) head = head << 8 | (depth < tokens[index].size ? byte_at(index, depth) : 0u);
        order[index] = {head, index, static_cast<std::uint32_t>(tokens[index].size)};
        highest = std::max(highest, ranks[index]);
    }
    sort_by_head(order);
    // Tokens of more than eight bytes with the same head follow each other now, in any order.
    auto const before = [&](const Entry& one, const Entry& other) {
        std::size_t const size = tokens[one.index].size, other_size = tokens[other.index].size;
        for (std::size_t depth = std::min<std::size_t>(8, std::min(size, other_size)); depth < size && depth < other_size; ++depth)
            if (byte_at(one.index, depth) != byte_at(other.index, depth)) return byte_at(one.index, depth) < byte_at(other.index, depth);
        return size < other_size;
    };
    for (auto first = order.begin(); first != order.end();) {
        auto const last = std::find_if(first, order.end(), [&](const Entry& entry) { return entry.head != first->head; });
        if (last - first > 1) std::sort(first, last, before);
        first = last;
    }
    shorter_.assign(tokens.empty() ? 0 : highest + 1, no_rank);
    nodes_.reserve(tokens.size() * 4 + 256);
    FreeNodes free(nodes_);
    // A node without children has base 0, under which byte 0 leads to the root: a label of 1 makes the root nobody's child.
    nodes_[root] = 1;

    // A node and the range of `order` whose tokens pass it.
    struct Work {
        std::uint32_t first, last, node;
        std::uint32_t depth;
        Rank longest;  // the longest token on the way
    };
    // Depth first, so that the nodes of one walk are adjacent in memory. Breadth first was tried: walks were a third slower.
    std::vector<Work> stack{{0, static_cast<std::uint32_t>(order.size()), root, 0, no_rank}};
    std::array<Byte, 256> labels;
    std::array<std::uint32_t, 257> cuts;
    while (!stack.empty()) {
        auto [first, last, node, depth, longest] = stack.back();
        stack.pop_back();
        if (first < last && order[first].size == depth) {
            Rank const rank = ranks[order[first].index];
            nodes_[node] |= (Node{rank} + 1) << 36;
            shorter_[rank] = longest;
            longest = rank;
            ++first;
        }
        if (first == last) continue;
        std::size_t count = 0;
        for (std::uint32_t index = first; index < last; ++index) {
            Entry const& entry = order[index];
            Byte const byte = depth < 8 ? static_cast<Byte>(entry.head >> (56 - 8 * depth)) : byte_at(entry.index, depth);
            if (count == 0 || labels[count - 1] != byte) {
                labels[count] = byte;
                cuts[count++] = index;
            }
        }
        cuts[count] = last;
        std::uint32_t const base = free.take(labels.data(), count);
        nodes_[node] |= Node{base} << 8;
        for (std::size_t index = 0; index < count; ++index) {
            std::uint32_t const child = base ^ labels[index];
            nodes_[child] = labels[index];
            stack.push_back({cuts[index], cuts[index + 1], child, depth + 1, longest});
        }
    }
}

}  // namespace bpe
