#include "try_merging.hpp"

#include "bpe/token_table.hpp"

namespace bpe::test {

namespace {

Tokens by_table(const Dictionary& dictionary, TokenTable::Side side, Bytes piece) {
    TokenTable table(dictionary, side);
    table.extend(piece);
    Tokens tokens;
    for (std::size_t size = piece.size; size > 0; size -= dictionary.length(tokens.back())) tokens.push_back(table.last(size));
    CHECK(table.count(piece.size) == tokens.size());
    if (side == TokenTable::Side::right) std::reverse(tokens.begin(), tokens.end());
    return tokens;
}

}  // namespace

void try_piece(const Vocabulary& vocabulary, const std::string& text, Merging& merging, const std::optional<Tokens>& definition) {
    Dictionary const& dictionary = *vocabulary.dictionary;
    Bytes const piece = view(text);
    auto const same = [&](const char* way, auto&& encode) {
        std::optional<Tokens> found;
        try {
            found = encode();
        } catch (const EncodingError& error) {
            CHECK(error.offset < piece.size && piece[error.offset] == error.byte && dictionary.byte(error.byte) == no_rank);
        }
        if (found != definition) fail(way, vocabulary, nullptr, text);
    };
    same("another encoding by the heap", [&] { return encode_by_heap(dictionary, piece); });
    same("another encoding by merging and backtracking", [&] { return merging.encode(dictionary, piece); });
    same("another encoding by backtracking", [&] { return merging.backtrack(dictionary, piece); });
    if (definition) {
        // Windows may refuse, and must not err.
        Tokens tokens;
        if (merge_windows(dictionary, piece, tokens)) same("another encoding by windows", [&] { return tokens; });
    }
    same("another encoding by the table", [&] { return by_table(dictionary, TokenTable::Side::right, piece); });
    same("another encoding by the mirrored table", [&] { return by_table(dictionary, TokenTable::Side::left, piece); });
    if (definition && piece.size <= short_length)
        same("another encoding by merging", [&] {
            Tokens tokens(short_length);
            tokens.resize(merge_short(dictionary, piece, tokens.data()));
            return tokens;
        });
}

void try_compatible(const Vocabulary& vocabulary, Rank left, Rank right, PairMemory& pairs) {
    Dictionary const& dictionary = *vocabulary.dictionary;
    if (!dictionary.reachable(left) || !dictionary.reachable(right)) return;
    std::string const both = vocabulary.tokens[left] + vocabulary.tokens[right];
    bool const definition = naive_merge(vocabulary.ranks, both) == Tokens{left, right};
    if (compatible(dictionary, left, right) != definition || compatible(dictionary, left, right, pairs) != definition)
        fail("another answer whether two tokens may be neighbours", vocabulary, nullptr, both);
}

void try_merging(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    Merging merging;
    PairMemory pairs(thresholds::pair_bits);
    for (int time = 0; time < 4; ++time) {
        std::string const text = random_text(choices, vocabulary, choices.one_in(4) ? 12 : 4, 10);
        std::string const start = text.substr(0, 60);
        try_piece(vocabulary, start, merging, naive_merge(vocabulary.ranks, start));
        if (text.size() > start.size()) {
            std::optional<Tokens> definition;
            try {
                definition = encode_by_heap(*vocabulary.dictionary, view(text));
            } catch (const EncodingError&) {
            }
            try_piece(vocabulary, text, merging, definition);
        }
        for (int pair = 0; pair < 4; ++pair) {
            auto const left = static_cast<Rank>(choices.below(vocabulary.tokens.size()));
            auto const right = static_cast<Rank>(choices.below(vocabulary.tokens.size()));
            try_compatible(vocabulary, left, right, pairs);
        }
    }
}

}  // namespace bpe::test
