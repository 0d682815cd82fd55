// The bytes are the tokens of a vocabulary, or its packed planes: it is refused, or it works.
#include "try_merging.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

// Each token: a byte with its size, then its bytes; "a" to "d" alone for every second size, so that some are made of others.
std::vector<std::string> tokens_of(Bytes input) {
    std::vector<std::string> tokens;
    for (std::size_t place = 0; place < input.size;) {
        std::size_t const head = input[place++];
        std::size_t const size = std::min<std::size_t>(head >> 1 & 7, input.size - place);
        std::string token = text_of(input.part(place, place + size));
        if (head & 1)
            for (char& byte : token) byte = static_cast<char>('a' + (byte & 3));
        place += size;
        tokens.push_back(token);
    }
    return tokens;
}

void from_tokens(Bytes input) {
    std::vector<std::string> tokens = tokens_of(input);
    std::vector<Bytes> views;
    for (std::string const& token : tokens) views.push_back(view(token));
    try {
        auto const made = Dictionary::from_tokens(views);
        CHECK(made->size() == tokens.size());
    } catch (const VocabularyError& error) {
        CHECK(error.token < tokens.size());
    }
    // What is left when all that is refused is taken out encodes as the definition says.
    Vocabulary const vocabulary(std::move(tokens));
    Merging merging;
    PairMemory pairs(thresholds::pair_bits);
    std::string text;
    for (std::string const& token : vocabulary.tokens) {
        CHECK(vocabulary.dictionary->find(view(token)) == vocabulary.ranks.at(token));
        if (text.size() + token.size() < 60) text += token;
    }
    for (std::string const& piece : {text, text + text.substr(text.size() / 2)}) try_piece(vocabulary, piece, merging, naive_merge(vocabulary.ranks, piece));
    for (Rank left = 0; left < std::min<std::size_t>(vocabulary.tokens.size(), 8); ++left)
        for (Rank right = 0; right < vocabulary.tokens.size(); ++right) try_compatible(vocabulary, left, right, pairs);
}

// Planes are believed when they say what a token is merged from. Whatever they say, it has the bytes of its halves.
void from_planes(Bytes planes) {
    try {
        auto const made = Dictionary::from_planes(planes);
        CHECK(made->size() * 6 == planes.size);
        for (Rank token = 0; token < made->size(); ++token) {
            Halves const halves = made->halves(token);
            CHECK(made->find(made->bytes(token)) <= token);
            if (halves.left == token) {
                CHECK(made->byte(made->bytes(token)[0]) == token);
                continue;
            }
            CHECK(text_of(made->bytes(token)) == text_of(made->bytes(halves.left)) + text_of(made->bytes(halves.right)));
        }
        if (made->size() > 0 && made->has_all_bytes()) encode_by_heap(*made, planes);
    } catch (const VocabularyError& error) {
        CHECK(error.kind == VocabularyError::Kind::damaged && error.token <= planes.size / 6);
    }
}

// Random planes are refused at the first token. These are good but for what the bytes spoil: single bytes, then pairs of what is there.
void from_likely_planes(Bytes input) {
    std::size_t const singles = std::min<std::size_t>(input.size, 8);
    std::size_t const count = singles + (input.size - singles) / 2;
    std::vector<Byte> planes(count * 6);
    for (std::size_t token = 0; token < count; ++token) {
        std::size_t left = token, right = 0xFFFFFF;
        if (token >= singles) {
            left = input[singles + (token - singles) * 2] % (token + 1);
            right = input[singles + (token - singles) * 2 + 1] % (token + 1);
        }
        for (std::size_t part = 0; part < 3; ++part) {
            planes[part * count + token] = static_cast<Byte>(left >> part * 8);
            planes[(part + 3) * count + token] = static_cast<Byte>(right >> part * 8);
        }
    }
    from_planes({planes.data(), planes.size()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    Bytes const input{data + 1, std::min<std::size_t>(size - 1, 400)};
    switch (data[0] % 3) {
    case 0: from_tokens(input); break;
    case 1: from_planes(input); break;
    default: from_likely_planes(input);
    }
    return 0;
}
