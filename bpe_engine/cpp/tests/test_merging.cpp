// The ways to encode a piece, and the rule which tokens may be neighbours.
#include "bpe/thresholds.hpp"
#include "try_merging.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

// The example of dictionary.hpp and token_table.hpp.
void example() {
    Vocabulary const vocabulary({"a", "b", "c", "ac", "bb", "ab", "acbb"});
    Merging merging;
    std::string const text = "abacbb";
    CHECK(merging.encode(*vocabulary.dictionary, view(text)) == (Tokens{5, 6}));
    CHECK(naive_merge(vocabulary.ranks, text) == (Tokens{5, 6}));
    CHECK(merging.single(3) == Tokens{3});
    CHECK(encode_by_heap(*vocabulary.dictionary, {}).empty());
    CHECK(merging.encode(*vocabulary.dictionary, {}).empty());
}

// Where the longest token leads astray at each step.
void steps_back() {
    Vocabulary const vocabulary({"a", "b", "c", "ab", "bc", "abab", "ababab", "abc"});
    Merging merging;
    std::string text;
    for (int time = 0; time < 300; ++time) text += time % 7 == 6 ? "c" : "ab";
    try_piece(vocabulary, text, merging, naive_merge(vocabulary.ranks, text));
}

// Many windows of text with tokens of all lengths, up to one that fills the first window, are joined.
void joins_windows() {
    Choices choices(7);
    std::vector<std::string> tokens{"a", "b", "c", "ab", "bc", "abc"};
    for (std::string token = "aa"; token.size() <= thresholds::window; token += token) tokens.push_back(token);
    Vocabulary const vocabulary(tokens);
    for (int time = 0; time < 50; ++time) {
        std::string text;
        while (text.size() < 20 * thresholds::window) text += choices.one_in(4) ? std::string(choices.below(3 * thresholds::window), 'a') : "abcb";
        Tokens joined;
        CHECK(merge_windows(*vocabulary.dictionary, view(text), joined));
        CHECK(joined == encode_by_heap(*vocabulary.dictionary, view(text)));
    }
}

// All pairs of the tokens of small vocabularies.
void all_pairs() {
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        Choices choices(seed);
        Vocabulary const vocabulary = random_vocabulary(choices);
        if (vocabulary.tokens.size() > 40) continue;
        PairMemory pairs(thresholds::pair_bits);
        for (Rank left = 0; left < vocabulary.tokens.size(); ++left)
            for (Rank right = 0; right < vocabulary.tokens.size(); ++right) try_compatible(vocabulary, left, right, pairs);
    }
}

}  // namespace

int main(int count, char** arguments) {
    example();
    steps_back();
    joins_windows();
    all_pairs();
    repeat(count, arguments, thresholds::pair_bits > 10 ? 500 : 4000, try_merging);
    return 0;
}
