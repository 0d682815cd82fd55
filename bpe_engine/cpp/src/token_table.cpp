#include "bpe/token_table.hpp"

#include "bpe/steps.hpp"

namespace bpe {

void TokenTable::extend(Bytes text) {
    Dictionary const& dictionary = *dictionary_;
    dictionary.check_bytes(text);
    bool const mirrored = side_ == Side::left;
    const Trie& trie = mirrored ? dictionary.starting() : dictionary.ending();
    if (!pairs_) pairs_ = std::make_unique<PairMemory>();
    std::vector<Rank> found;  // the tokens that reach from the newest byte backwards, shortest first
    // Growth by doubling, also where many small texts come.
    if (data_.capacity() < data_.size() + text.size) {
        std::size_t const wanted = std::max(data_.size() + text.size, data_.size() * 2);
        data_.reserve(wanted);
        rows_.reserve(wanted);
    }
    for (std::size_t index = 0; index < text.size; ++index) {
        count_step();
        data_.push_back(mirrored ? text[text.size - 1 - index] : text[index]);
        found.clear();
        Trie::Node node = trie.root_node();
        for (std::size_t place = data_.size(); place-- > 0;) {
            node = trie.child(node, data_[place]);
            if (node == 0) break;
            if (Trie::rank(node) != no_rank) found.push_back(Trie::rank(node));
        }
        Row row{no_rank, 0};
        for (std::size_t candidate = found.size(); candidate-- > 0;) {
            Rank const token = found[candidate];
            std::size_t const start = data_.size() - dictionary.length(token);
            bool const fits = start == 0 || (mirrored ? pairs_->compatible(dictionary, token, rows_[start - 1].last)
                                                      : pairs_->compatible(dictionary, rows_[start - 1].last, token));
            if (fits) {
                row = {token, static_cast<std::uint32_t>(count(start) + 1)};
                break;
            }
        }
        rows_.push_back(row);
    }
}

}  // namespace bpe
