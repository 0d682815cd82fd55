// Finds the tokens at an offset of a text. A trie in a double array: one load and one comparison for each byte.
//
//     child of node n by byte b:   c = base[n] ^ b,   which is a child of n if label[c] == b
//
//     node, eight bytes            [ 1 + rank of the token that ends here : 28 | base : 28 | label : 8 ]
//
// No two nodes have the same base, so the label alone identifies the parent of a node. A base keeps all children in one block of 256 nodes,
// so they share few cache lines. A trie over the reversed tokens finds the tokens that end at an offset.
// Source: Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure", 1989.
#pragma once

#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class Trie {
public:
    enum class Direction { forward, backward };

    // `tokens[i]` has the rank `ranks[i]`, below 2^28 - 1. Throws std::length_error if there would be more than 2^28 nodes.
    Trie(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, Direction direction);

    static constexpr std::uint32_t root = 0;

    // The eight bytes of a node, as drawn above.
    using Node = std::uint64_t;

    Node root_node() const { return nodes_[root]; }

    // The child of `node` by `byte`; 0 if there is none.
    Node child(Node node, Byte byte) const {
        Node const found = nodes_[child_number(node, byte)];
        return (found & 0xFF) == byte ? found : 0;
    }

    // For tables with an entry for each node: all nodes (0: a free slot), and the slot that the child of `node` by `byte` would have.
    const std::vector<Node>& nodes() const { return nodes_; }
    static std::uint32_t child_number(Node node, Byte byte) { return static_cast<std::uint32_t>(node >> 8 & low_28) ^ byte; }

    // The token that ends at a node; no_rank if none does.
    static Rank rank(Node node) { return static_cast<Rank>(node >> 36) - 1; }

    struct Match {
        Rank token;        // no_rank if there is none
        std::size_t size;  // bytes
    };

    // The longest token that starts at `text.data`. For a forward trie.
    Match longest(Bytes text) const {
        Rank found = 0;
        std::size_t size = 0;
        Node node = root_node();
        for (std::size_t place = 0; place < text.size; ++place) {
            node = child(node, text[place]);
            if (node == 0) break;
            auto const rank = static_cast<Rank>(node >> 36);
            found = rank != 0 ? rank : found;
            size = rank != 0 ? place + 1 : size;
        }
        return {found - 1, size};  // no_rank is what comes before 0
    }

    // The longest token that is a proper prefix (of a backward trie: suffix) of the token; no_rank if there is none.
    Rank shorter(Rank token) const { return shorter_[token]; }

    std::size_t memory() const { return nodes_.size() * sizeof(Node) + shorter_.size() * sizeof(Rank); }

private:
    static constexpr std::uint32_t low_28 = 0xFFFFFFF;

    std::vector<Node> nodes_;  // 0: free
    std::vector<Rank> shorter_;
};

}  // namespace bpe
