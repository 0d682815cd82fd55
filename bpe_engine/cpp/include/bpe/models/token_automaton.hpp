// The tokens of a vocabulary that end at an offset: an Aho-Corasick automaton over the trie of the tokens in a double array.
//
//     tokens  a ab bc abcd          text     a    b    c    b    c
//                                   state    a    ab   abc  b    bc        the longest suffix of the text that starts a token
//                                   tokens   a    ab   bc   -    bc        the longest token that ends there, and by `shorter` the others
//
// A step takes the child of a state, or that of the next shorter suffix which starts a token: amortized one such fall a byte.
// Source: Aho, Corasick, "Efficient String Matching: An Aid to Bibliographic Search", 1975.
#pragma once

#include <vector>

#include "bpe/steps.hpp"
#include "bpe/trie.hpp"
#include "bpe/types.hpp"

namespace bpe {

class TokenAutomaton {
public:
    // `tokens` are distinct and none is empty; the rank of a token is its index. Throws std::length_error if there are too many for a trie.
    TokenAutomaton(const std::vector<Bytes>& tokens, const std::vector<double>& scores);

    struct Token {
        double score;
        std::uint32_t size;  // bytes
        Rank shorter;        // the longest token that is a proper suffix; no_rank if there is none
    };

    using State = std::uint32_t;
    static constexpr State start = Trie::root;

    State next(State state, Byte byte) const {
        for (;;) {
            count_step();
            Node const& node = nodes_[state];
            std::uint32_t const number = Trie::child_number(node.trie, byte);
            Trie::Node const child = nodes_[number].trie;
            if ((child & 0xFF) == byte && child != 0) return number;
            if (state == start) return start;
            state = node.fall;
        }
    }

    // The longest token that ends at a state; no_rank if none does.
    Rank longest(State state) const { return Trie::rank(nodes_[state].trie); }
    const Token& token(Rank rank) const { return tokens_[rank]; }
    // The largest number of bytes by which a token that continues after this state may start before it.
    std::uint32_t depth(State state) const { return nodes_[state].depth; }

private:
    // In one cache line: usually a step reads one node. A copy of the token in the node was tried: words took a tenth longer, because many
    // nodes are in use and each is then twice as large.
    struct Node {
        Trie::Node trie = 0;  // with the rank of the longest token that ends here, instead of the token of this node
        State fall = start;
        std::uint32_t depth = 0;
    };

    std::vector<Node> nodes_;
    std::vector<Token> tokens_;  // by rank
};

}  // namespace bpe
