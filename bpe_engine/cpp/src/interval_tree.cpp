#include "bpe/interval_tree.hpp"

#include <algorithm>

#include "bpe/thresholds.hpp"

namespace bpe {

IntervalTree::IntervalTree(const Dictionary& dictionary, Bytes data)
    : dictionary_(&dictionary), data_(data), table_(dictionary, TokenTable::Side::right), repetitions_(data), own_([&dictionary] {
          return std::make_unique<TokenTable>(dictionary, TokenTable::Side::right);
      }) {
    table_.extend(data);
    auto const size = static_cast<std::uint32_t>(data.size + 1);
    auto const parent = [&](std::uint32_t end) { return end - static_cast<std::uint32_t>(dictionary.length(table_.last(end))); };
    nodes_.assign(size, Node{0, 1, 0, 0});
    for (std::uint32_t end = size; end-- > 1;) nodes_[parent(end)].weight += nodes_[end].weight;
    std::vector<std::uint32_t> next_free(size, 1);
    for (std::uint32_t end = 1; end < size; ++end) {
        std::uint32_t const parent_end = parent(end);
        Node& node = nodes_[end];
        node.number = next_free[parent_end];
        next_free[parent_end] += node.weight;
        next_free[end] = node.number + 1;
        node.next_sibling = nodes_[parent_end].first_child;
        nodes_[parent_end].first_child = end;
    }
}

std::size_t IntervalTree::step_towards(std::size_t place, std::size_t end) const {
    std::uint32_t const target = nodes_[end].number;
    auto const holds = [&](std::size_t node) { return nodes_[node].number <= target && target < nodes_[node].number + nodes_[node].weight; };
    if (place == end || !holds(place) || nodes_[place].number == target) return 0;
    std::size_t child = nodes_[place].first_child;
    while (!holds(child)) child = nodes_[child].next_sibling;
    return child;
}

std::size_t IntervalTree::count(std::size_t start, std::size_t end) const {
    if (start == 0) return table_.count(end);
    Shelf<TokenTable>::Lease const lease(own_);
    TokenTable& own = *lease;
    own.truncate(0);
    std::size_t first = start, before = 0;  // `own` is the table of data[first:], without the skipped part of a repetition, which has `before` tokens
    if (auto const repetition = repetitions_.at(start)) {
        RepeatedTable const& repeated = repetitions_.table(*dictionary_, start, repetition->unit);
        std::size_t const stop = std::min(repetition->end, end);
        if (auto const reduced = repeated.reduce(stop - start)) {
            before = reduced->tokens;
            if (stop == end) return before + repeated.table().count(reduced->length);
            own.copy(repeated.table(), reduced->length);
            first = stop - reduced->length;
        }
    }
    for (std::size_t stop = first + own.size(); stop < end; stop += thresholds::stride) {
        std::size_t const next_stop = std::min(stop + thresholds::stride, end);
        own.extend(data_.part(stop, next_stop));
        for (std::size_t place = stop + 1; place <= next_stop && place < end; ++place) {
            std::size_t const step = step_towards(place, end);
            if (step && compatible(*dictionary_, own.last(place - first), table_.last(step)))
                return before + own.count(place - first) + table_.count(end) - table_.count(place);
        }
    }
    return before + own.count(end - first);
}

}  // namespace bpe
