// Which tokens does a text have at a place? A trie in a double array: one load and one comparison a byte.
//
//     child of node n by byte b:   c = base[n] ^ b,   which is a child of n if check[c] == n
//
// `base[n]` keeps c in one block of 256 nodes, so the children of a node share few cache lines. A trie over the reversed tokens finds
// those that end at a place. Source: Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure", 1989.
#pragma once

#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class Trie {
public:
    enum class Direction { forward, backward };

    struct Node {
        std::uint32_t base = 0;
        std::uint32_t check = 0xFFFFFFFF;
        Rank rank = no_rank;  // of the token that ends here
    };

    // `tokens[i]` has the rank `ranks[i]`. Throws nothing but bad_alloc.
    Trie(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, Direction direction);

    static constexpr std::uint32_t root = 0;

    // The child of `node` by `byte`; root where there is none.
    std::uint32_t child(std::uint32_t node, Byte byte) const {
        std::uint32_t const place = nodes_[node].base ^ byte;
        return nodes_[place].check == node ? place : root;
    }

    Rank rank(std::uint32_t node) const { return nodes_[node].rank; }

    // The longest token that starts at `text.data`; no_rank where there is none. For a forward trie.
    Rank longest(Bytes text) const {
        Rank found = no_rank;
        std::uint32_t node = root;
        for (Byte const byte : text) {
            node = child(node, byte);
            if (node == root) break;
            if (nodes_[node].rank != no_rank) found = nodes_[node].rank;
        }
        return found;
    }

    // The longest token that is a proper prefix (of a backward trie: suffix) of the token; no_rank where there is none.
    Rank shorter(Rank token) const { return shorter_[token]; }

    std::size_t memory() const { return nodes_.size() * sizeof(Node) + shorter_.size() * sizeof(Rank); }

private:
    std::vector<Node> nodes_;
    std::vector<Rank> shorter_;
};

}  // namespace bpe
