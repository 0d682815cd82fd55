// The table of all prefixes (suffixes) of a piece: each row is the encoding of what it stands for, also after cuts.
#include "bpe/token_table.hpp"
#include "try_merging.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void rows(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    Dictionary const& dictionary = *vocabulary.dictionary;
    bool const right = choices.one_in(2);
    TokenTable table(dictionary, right ? TokenTable::Side::right : TokenTable::Side::left);
    std::string text;  // in reading order
    std::vector<std::pair<std::size_t, std::size_t>> bounds;
    for (int step = 0; step < 8; ++step) {
        if (choices.one_in(3)) {
            std::size_t const size = choices.below(text.size() + 1);
            table.truncate(size);
            text = right ? text.substr(0, size) : text.substr(text.size() - size);
            while (!bounds.empty() && bounds.back().first > size) bounds.pop_back();
        } else {
            std::string const more = random_text(choices, vocabulary, 3, 6);
            try {
                table.extend(view(more));
                text = right ? text + more : more + text;
            } catch (const EncodingError& error) {
                CHECK(static_cast<Byte>(more[error.offset]) == error.byte && dictionary.byte(error.byte) == no_rank);
            }
        }
        CHECK(table.size() == text.size() && table.count(0) == 0);
        std::vector<Byte> bytes;
        table.read(text.size(), bytes);
        CHECK((Bytes{bytes.data(), bytes.size()} == view(text)));
        for (std::size_t time = 0; time < 6 && !text.empty(); ++time) {
            std::size_t const size = time == 0 ? text.size() : 1 + choices.below(text.size());
            std::string const part = right ? text.substr(0, size) : text.substr(text.size() - size);
            Tokens const tokens = *naive_merge(vocabulary.ranks, part.substr(0, 200));
            if (part.size() > 200) continue;
            CHECK(table.count(size) == tokens.size() && table.last(size) == (right ? tokens.back() : tokens.front()));
        }
        // Lower bounds hold for all that came since.
        bounds.emplace_back(text.size(), table.fewest(text.size()));
        for (auto const& [size, fewest] : bounds)
            for (std::size_t longer = size; longer <= text.size(); ++longer) CHECK(fewest <= table.count(longer));
    }
}

// Units that are repeated, with cuts and other text between them.
void repetitions(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    Dictionary const& dictionary = *vocabulary.dictionary;
    bool const right = choices.one_in(2);
    TokenTable table(dictionary, right ? TokenTable::Side::right : TokenTable::Side::left);
    std::string text;  // in reading order
    for (int step = 0; step < 6; ++step) {
        if (choices.one_in(4)) {
            std::size_t const size = text.size() - choices.below(text.size() / (choices.one_in(2) ? 1 : 8) + 1);
            table.truncate(size);
            text = right ? text.substr(0, size) : text.substr(text.size() - size);
            continue;
        }
        std::string const unit = random_text(choices, vocabulary, 3, 6).substr(0, 1 + choices.below(5));
        std::string more;
        for (std::size_t time = choices.below(300); time > 0; --time) more += unit;
        if (right && choices.one_in(3) && !text.empty()) more = std::string(choices.below(200), text.back()) + more;
        try {
            table.extend(view(more));
            text = right ? text + more : more + text;
        } catch (const EncodingError& error) {
            CHECK(dictionary.byte(error.byte) == no_rank);
        }
        CHECK(table.size() == text.size());
        for (std::size_t time = 0; time < 12 && !text.empty(); ++time) {
            std::size_t const size = time == 0 ? text.size() : 1 + choices.below(text.size());
            auto const tokens = encode_by_heap(dictionary, view(text).part(right ? 0 : text.size() - size, right ? size : text.size()));
            CHECK(table.count(size) == tokens.size() && table.last(size) == (right ? tokens.back() : tokens.front()));
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    repeat(count, arguments, 500, rows);
    repeat(count, arguments, 300, repetitions);
    return 0;
}
