#include "vocabularies.hpp"

#include <algorithm>
#include <cstdio>

namespace bpe::test {

Vocabulary::Vocabulary(std::vector<std::string> wanted) : tokens(std::move(wanted)) {
    while (!dictionary) {
        std::vector<Bytes> views;
        for (std::string const& token : tokens) views.push_back(view(token));
        try {
            dictionary = Dictionary::from_tokens(views);
        } catch (const VocabularyError& error) {
            CHECK(error.token < tokens.size());
            tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(error.token));
        }
    }
    for (Rank rank = 0; rank < tokens.size(); ++rank) ranks.emplace(tokens[rank], rank);
}

std::optional<std::size_t> Vocabulary::count(const Scanner* scanner, const std::string& text) const {
    std::size_t total = 0;
    for (std::string const& pretoken : naive_pretokens(scanner, text)) {
        auto const piece = count_piece(pretoken);
        if (!piece) return std::nullopt;
        total += *piece;
    }
    return total;
}

// The definition is quadratic. For long pieces the heap stands in for it, which test_merging.cpp holds to the definition.
std::optional<std::size_t> Vocabulary::count_piece(const std::string& piece) const {
    if (auto const known = counts_.find(piece); known != counts_.end()) return known->second;
    std::optional<std::size_t> count;
    if (ranks.contains(piece)) {
        count = 1;
    } else if (piece.size() <= 40) {
        if (auto const tokens_of_piece = naive_merge(ranks, piece)) count = tokens_of_piece->size();
    } else {
        try {
            count = encode_by_heap(*dictionary, view(piece)).size();
        } catch (const EncodingError&) {
        }
    }
    if (counts_.size() > 5000) counts_.clear();
    counts_.emplace(piece, count);
    return count;
}

Vocabulary random_vocabulary(Choices& choices) {
    std::vector<std::string> tokens;
    std::string letters;
    switch (choices.below(4)) {
    case 0: letters = "ab"; break;
    case 1: letters = "ab "; break;
    default:
        for (int byte = 0; byte < 256; ++byte) letters.push_back(static_cast<char>(byte));
    }
    bool const few = letters.size() < 256;
    if (!few && choices.one_in(3)) std::erase_if(letters, [&](char letter) { return letter == 'z' || letter == '\xf0' || letter == '\x80'; });
    for (char const letter : letters) tokens.emplace_back(1, letter);
    // Bytes need not come in order.
    for (std::size_t time = choices.below(2) * 8; time > 0; --time) std::swap(tokens[choices.below(tokens.size())], tokens[choices.below(tokens.size())]);
    bool const with_unreachable = choices.one_in(2);
    Ranks ranks;
    for (Rank rank = 0; rank < tokens.size(); ++rank) ranks.emplace(tokens[rank], rank);
    for (std::size_t wanted = choices.below(few ? 14 : 160); wanted > 0; --wanted) {
        std::string token;
        auto const piece = [&] {
            std::string made;
            for (std::size_t parts = 2 + choices.below(4); parts > 0; --parts) made += few || choices.one_in(2) ? choices.of(tokens) : choices.of(fragments());
            return made;
        };
        if (with_unreachable && choices.one_in(12)) {
            token = piece();
            if (choices.one_in(3)) token += token + token;
        } else {
            // Two neighbours of an encoding: so the new token is made of these two.
            std::string const text = piece();
            auto const found = naive_merge(ranks, text);
            if (!found || found->size() < 2) continue;
            std::size_t const where = choices.below(found->size() - 1);
            token = tokens[(*found)[where]] + tokens[(*found)[where + 1]];
        }
        if (token.size() > 60 || !ranks.emplace(token, static_cast<Rank>(tokens.size())).second) continue;
        tokens.push_back(token);
    }
    return Vocabulary(std::move(tokens));
}

const Vocabulary& pooled_vocabulary(Choices& choices) {
    constexpr std::size_t size = 48;
    static std::vector<std::unique_ptr<Vocabulary>> pool(size);
    std::size_t const index = choices.below(size);
    if (!pool[index]) {
        Choices own(index + 1000);
        pool[index] = std::make_unique<Vocabulary>(random_vocabulary(own));
    }
    return *pool[index];
}

const Scanner* random_scanner(Choices& choices) {
    static const std::vector<const Scanner*> all = [] {
        std::vector<const Scanner*> found{nullptr};
        for (const char* name : grammar_names) found.push_back(scanner_named(name));
        return found;
    }();
    return choices.of(all);
}

std::string random_text(Choices& choices, const Vocabulary& vocabulary, std::size_t most, std::size_t longest_run) {
    std::string text;
    bool const any_byte = vocabulary.dictionary->has_all_bytes() || choices.one_in(12);
    for (std::size_t parts = choices.below(most + 1); parts > 0 && choices.more() && text.size() < 4000; --parts) {
        std::string part = choices.one_in(3) ? choices.of(vocabulary.tokens) : choices.of(fragments());
        if (choices.one_in(10)) part.resize(choices.below(part.size() + 1));
        if (choices.one_in(8)) {
            std::string const once = part;
            for (std::size_t time = choices.below(longest_run); time > 0; --time) part += once;
        }
        text += part;
    }
    if (!any_byte) std::erase_if(text, [&](char byte) { return vocabulary.dictionary->byte(static_cast<Byte>(byte)) == no_rank; });
    return text;
}

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

std::string hexadecimal(const std::string& text) {
    std::string out;
    char buffer[4];
    for (unsigned char const byte : text) {
        std::snprintf(buffer, sizeof buffer, "%02x ", byte);
        out += buffer;
    }
    return out;
}

void fail(const char* what, const Vocabulary& vocabulary, const Scanner* scanner, const std::string& text) {
    std::fprintf(stderr, "%s, grammar %s, text (%zu bytes) %s\n", what, scanner ? std::string(scanner->name).c_str() : "none", text.size(),
                 hexadecimal(text).c_str());
    if (vocabulary.tokens.size() < 40)
        for (std::string const& token : vocabulary.tokens) std::fprintf(stderr, "token %s\n", hexadecimal(token).c_str());
    stop();
}

}  // namespace bpe::test
