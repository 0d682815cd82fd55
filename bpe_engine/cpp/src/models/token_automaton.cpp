#include "bpe/models/token_automaton.hpp"

#include <numeric>

namespace bpe {

TokenAutomaton::TokenAutomaton(const std::vector<Bytes>& tokens, const std::vector<double>& scores) : tokens_(tokens.size()) {
    std::vector<Rank> ranks(tokens.size());
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    Trie const trie(tokens, ranks, Trie::Direction::forward);
    std::vector<Trie::Node> const& nodes = trie.nodes();
    auto const size = static_cast<State>(nodes.size());

    // The children of each base as a list: no two nodes have the same base.
    std::vector<State> first_child(size), sibling(size);
    nodes_.resize(size);
    nodes_[start].trie = nodes[start];
    for (State state = size - 1; state > start; --state) {
        if (nodes[state] == 0) continue;
        nodes_[state].trie = nodes[state];
        State const base = state ^ (nodes[state] & 0xFF);
        sibling[state] = first_child[base];
        first_child[base] = state;
    }

    // In the order of depth: the state to which a state falls is shorter, so it is complete by then.
    std::vector<State> order{start};
    for (std::size_t index = 0; index < order.size(); ++index) {
        State const parent = order[index];
        for (State state = first_child[Trie::child_number(nodes_[parent].trie, 0)]; state != start; state = sibling[state]) {
            Node& node = nodes_[state];
            node.fall = parent == start ? start : next(nodes_[parent].fall, static_cast<Byte>(node.trie & 0xFF));
            node.depth = nodes_[parent].depth + 1;
            Rank const here = Trie::rank(node.trie), below = longest(node.fall);
            if (here != no_rank) tokens_[here] = {scores[here], static_cast<std::uint32_t>(tokens[here].size), below};
            else node.trie |= Trie::Node{below + 1} << 36;  // no_rank + 1 is 0
            order.push_back(state);
        }
    }
}

}  // namespace bpe
