#include "bpe/other_encodings.hpp"

#include <algorithm>

namespace bpe {

std::vector<Rank> encode_greedy(const Dictionary& dictionary, Bytes piece) {
    const Trie& trie = dictionary.starting_any();
    std::vector<Rank> tokens;
    for (std::size_t place = 0; place < piece.size;) {
        Trie::Match const match = trie.longest(piece.part(place, piece.size));
        if (match.token == no_rank) throw EncodingError(piece[place], place);
        tokens.push_back(match.token);
        place += match.size;
    }
    return tokens;
}

std::vector<Rank> encode_minimal(const Dictionary& dictionary, Bytes piece) {
    constexpr std::uint32_t unreached = 0xFFFFFFFF;
    struct Row {
        Rank last;
        std::uint32_t count;
    };
    const Trie& trie = dictionary.ending_any();
    std::vector<Row> rows(piece.size + 1, {no_rank, unreached});
    rows[0].count = 0;
    std::size_t reached = 0;
    for (std::size_t end = 1; end <= piece.size; ++end) {
        Trie::Node node = trie.root_node();
        for (std::size_t start = end; start-- > 0;) {
            node = trie.child(node, piece[start]);
            if (node == 0) break;
            Rank const token = Trie::rank(node);
            // Not `<`: the walk goes from short to long tokens, and of equals the longest counts.
            if (token != no_rank && rows[start].count != unreached && rows[start].count + 1 <= rows[end].count) rows[end] = {token, rows[start].count + 1};
        }
        if (rows[end].count != unreached) reached = end;
    }
    if (rows[piece.size].count == unreached) throw EncodingError(piece[reached], reached);
    std::vector<Rank> tokens;
    for (std::size_t end = piece.size; end > 0; end -= dictionary.length(tokens.back())) tokens.push_back(rows[end].last);
    std::reverse(tokens.begin(), tokens.end());
    return tokens;
}

std::vector<Rank> encode_dropout(const Dictionary& dictionary, Bytes piece, double dropout, std::uint64_t seed) {
    dictionary.check_bytes(piece);
    std::vector<Rank> tokens(piece.size);
    for (std::size_t place = 0; place < piece.size; ++place) tokens[place] = dictionary.byte(piece[place]);
    // SplitMix64 (Steele, Lea, Flood, 2014): the numbers are the same on every platform.
    auto const skipped = [&] {
        seed += 0x9E3779B97F4A7C15ull;
        std::uint64_t word = seed;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
        word ^= word >> 31;
        return static_cast<double>(word >> 11) * 0x1p-53 < dropout;
    };
    for (;;) {
        Rank best = no_rank;
        std::size_t where = 0;
        for (std::size_t index = 0; index + 1 < tokens.size(); ++index) {
            Rank const merged = dictionary.merged(tokens[index], tokens[index + 1]);
            if (merged != no_rank && !skipped() && merged < best) {
                best = merged;
                where = index;
            }
        }
        if (best == no_rank) return tokens;
        tokens[where] = best;
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
}

}  // namespace bpe
