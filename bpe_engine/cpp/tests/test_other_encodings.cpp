// The encodings that are not byte-pair encodings.
#include "bpe/other_encodings.hpp"

#include "bpe/merging.hpp"
#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

std::string joined(const Vocabulary& vocabulary, const Tokens& tokens) {
    std::string text;
    for (Rank const token : tokens) text += vocabulary.tokens[token];
    return text;
}

void against_search(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    Dictionary const& dictionary = *vocabulary.dictionary;
    std::string const text = random_text(choices, vocabulary, 5, 6).substr(0, 50);
    // For each place: the longest token there, and the fewest tokens up to there.
    std::vector<std::size_t> longest(text.size(), 0), fewest(text.size() + 1, text.size() + 1);
    fewest[0] = 0;
    for (std::size_t start = 0; start < text.size(); ++start)
        for (std::size_t end = start + 1; end <= text.size(); ++end)
            if (vocabulary.ranks.contains(text.substr(start, end - start))) {
                longest[start] = end - start;
                fewest[end] = std::min(fewest[end], fewest[start] + 1);
            }
    Tokens greedy;
    std::size_t place = 0;
    while (place < text.size() && longest[place] > 0) {
        greedy.push_back(vocabulary.ranks.at(text.substr(place, longest[place])));
        place += longest[place];
    }
    try {
        CHECK(encode_greedy(dictionary, view(text)) == greedy && place == text.size());
    } catch (const EncodingError& error) {
        CHECK(place < text.size() && error.offset == place);
    }
    bool const possible = fewest[text.size()] <= text.size();
    try {
        Tokens const minimal = encode_minimal(dictionary, view(text));
        CHECK(possible && minimal.size() == fewest[text.size()] && joined(vocabulary, minimal) == text);
    } catch (const EncodingError&) {
        CHECK(!possible);
    }
    auto const merged = naive_merge(vocabulary.ranks, text);
    if (!merged) {
        try {
            encode_dropout(dictionary, view(text), 0.5, 1);
            CHECK(false);
        } catch (const EncodingError& error) {
            CHECK(dictionary.byte(error.byte) == no_rank);
        }
        return;
    }
    CHECK(encode_dropout(dictionary, view(text), 0, choices.below(100)) == merged);
    CHECK(encode_dropout(dictionary, view(text), 1, choices.below(100)).size() == text.size());
    std::uint64_t const seed = choices.below(1000);
    Tokens const varied = encode_dropout(dictionary, view(text), 0.3, seed);
    CHECK(varied == encode_dropout(dictionary, view(text), 0.3, seed) && joined(vocabulary, varied) == text);
}

// Half of the merges are skipped, in the long run: neither all nor none.
void dropout_is_between() {
    Vocabulary const vocabulary({"a", "b", "ab"});
    std::string const text = "ab";
    int whole = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) whole += encode_dropout(*vocabulary.dictionary, view(text), 0.25, seed).size() == 1;
    CHECK(whole > 2850 && whole < 3150);
}

}  // namespace

int main(int count, char** arguments) {
    dropout_is_between();
    repeat(count, arguments, 1500, against_search);
    return 0;
}
