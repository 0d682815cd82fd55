#include "merge_growth.hpp"

#include <algorithm>

#include "bpe/unicode.hpp"

namespace bpe {

std::shared_ptr<MergeModel::Growth> MergeModel::make_growth() const {
    auto growth = std::make_shared<Growth>();
    bool const is_covered = std::all_of(options_.byte_fallback.begin(), options_.byte_fallback.end(), [](std::int64_t id) { return id >= 0; }) ||
                            (!options_.by_characters && std::all_of(byte_tokens_.begin(), byte_tokens_.end(), [](std::int64_t token) { return token >= 0; }));
    if (!tells_joins() || bytes_.size() >= std::numeric_limits<std::uint32_t>::max()) return growth;
    // `ignore_merges` finds whole pre-tokens although some of their characters are no tokens.
    if (!is_covered && options_.unknown == Unknown::error && options_.ignore_merges) return growth;
    growth->drops = !is_covered && options_.unknown == Unknown::drop;
    // Bytes that a dropped character stood between could be read as one character.
    auto const is_of_byte = [](auto const& known) { return known.first > 0x10FFFF; };
    bool const has_bytes = std::any_of(options_.byte_fallback.begin(), options_.byte_fallback.end(), [](std::int64_t id) { return id >= 0; }) ||
                           std::any_of(characters_.begin(), characters_.end(), is_of_byte);
    if (growth->drops && has_bytes) return growth;
    // The unknown token and the byte tokens stand in for characters that are no tokens. No merge may need one of them.
    std::vector<bool> is_stand_in(ids_.size());
    if (options_.unknown == Unknown::token) is_stand_in[options_.unknown_id] = true;
    for (std::int64_t const number : options_.byte_fallback)
        if (number >= 0) is_stand_in[static_cast<std::size_t>(number)] = true;
    for (MergePairs::Pair const& pair : pairs_)
        for (std::uint32_t const half : {pair.left, pair.right})
            if (is_stand_in[half] || half + 1 >= offsets_.size() || text_of(half).size == 0) return growth;
    growth->derivations = std::vector<std::atomic<std::uint64_t>>(ids_.size());
    growth->is_possible = true;
    return growth;
}

Bytes MergeModel::text_of(std::uint32_t token) const { return {bytes_.data() + offsets_[token], offsets_[token + 1] - offsets_[token]}; }

MergePairs::Pair MergeModel::merge_best(std::vector<Symbol>& symbols) const {
    MergePairs::Pair best = MergePairs::none;
    std::size_t place = 0;
    for (std::size_t index = 0; index + 1 < symbols.size(); ++index) {
        MergePairs::Pair const& pair = pairs_.find(symbols[index].id, symbols[index + 1].id);
        if (pair.rank < best.rank) {
            best = pair;
            place = index;
        }
    }
    if (!best.merges()) return best;
    symbols[place] = {best.merged, symbols[place].length + symbols[place + 1].length};
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    return best;
}

std::uint64_t MergeModel::derive(std::uint32_t token) const {
    Bytes const text = text_of(token);
    std::size_t size = 1;
    if (options_.by_characters) (void)code_at_start(text, size);
    std::vector<Symbol> made;
    if (size == text.size) return Growth::single;
    try {
        symbols(text, made);
    } catch (const EncodingError&) {
        return Growth::unreachable;
    }
    bool is_in_order = true;
    for (std::uint32_t last = 0;;) {
        MergePairs::Pair const best = merge_best(made);
        if (!best.merges()) return Growth::unreachable;
        is_in_order = is_in_order && best.rank >= last;
        last = best.rank;
        if (made.size() == 1) return best.merged == token ? Growth::of_halves(best.left, best.right, is_in_order) : Growth::unreachable;
    }
}

}  // namespace bpe
