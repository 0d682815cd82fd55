// The tree over one piece: every slice of it has the count of its own encoding.
#include "bpe/interval_tree.hpp"

#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void all_slices(const Vocabulary& vocabulary, const std::string& text, std::size_t step) {
    IntervalTree const tree(*vocabulary.dictionary, view(text));
    for (std::size_t start = 0; start <= text.size(); start += step)
        for (std::size_t end = start; end <= text.size(); end += step) {
            auto const tokens = encode_by_heap(*vocabulary.dictionary, view(text).part(start, end));
            if (tree.count(start, end) != tokens.size()) {
                std::fprintf(stderr, "slice from %zu to %zu: %zu tokens, not %zu\n", start, end, tree.count(start, end), tokens.size());
                fail("another count", vocabulary, nullptr, text);
            }
        }
    CHECK(tree.memory() > 0);
}

void random_piece(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    std::string const text = random_text(choices, vocabulary, 8, 8);
    try {
        all_slices(vocabulary, text.substr(0, 40), 1);
    } catch (const EncodingError& error) {
        CHECK(vocabulary.dictionary->byte(error.byte) == no_rank);
    }
}

}  // namespace

int main(int count, char** arguments) {
    Vocabulary const vocabulary({"a", "b", "c", "ac", "bb", "ab", "acbb", "aa", "aaaa"});
    all_slices(vocabulary, "abacbb", 1);
    all_slices(vocabulary, std::string(300, 'a'), 7);  // slices whose tokens never meet those of the whole
    std::string mixed;
    for (int time = 0; time < 300; ++time) mixed += "abacbbac"[time * time % 8];
    all_slices(vocabulary, mixed, 7);
    repeat(count, arguments, 300, random_piece);
    return 0;
}
