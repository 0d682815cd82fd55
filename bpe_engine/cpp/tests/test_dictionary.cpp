// The dictionary: from tokens, from planes, and what is refused.
#include "bpe/dictionary.hpp"

#include "bpe/merging.hpp"
#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

std::shared_ptr<const Dictionary> made_of(const std::vector<std::string>& tokens) {
    std::vector<Bytes> views;
    for (std::string const& token : tokens) views.push_back(view(token));
    return Dictionary::from_tokens(views);
}

void refused(const std::vector<std::string>& tokens, VocabularyError::Kind kind, Rank token, const std::string& half) {
    try {
        made_of(tokens);
        CHECK(false);
    } catch (const VocabularyError& error) {
        CHECK(error.kind == kind && error.token == token && error.half == half);
    }
}

void example() {
    auto const dictionary = made_of({"a", "b", "c", "ac", "bb", "ab", "acbb"});
    CHECK(dictionary->size() == 7 && dictionary->longest() == 4);
    CHECK(dictionary->halves(0) == (Halves{0, 0}) && dictionary->halves(3) == (Halves{0, 2}));
    CHECK(dictionary->halves(4) == (Halves{1, 1}) && dictionary->halves(6) == (Halves{3, 4}));
    CHECK(dictionary->merged(3, 4) == 6 && dictionary->merged(4, 3) == no_rank && dictionary->merged(0, 0) == no_rank);
    CHECK(dictionary->byte('b') == 1 && dictionary->byte('d') == no_rank);
    CHECK(!dictionary->has_all_bytes() && !dictionary->has_unreachable());
    std::string const good = "abc", bad = "abcd";
    dictionary->check_bytes(view(good));
    try {
        dictionary->check_bytes(view(bad));
        CHECK(false);
    } catch (const EncodingError& error) {
        CHECK(error.byte == 'd' && error.offset == 3);
    }
    CHECK(made_of({})->size() == 0);
}

void unreachable() {
    auto const dictionary = made_of({"a", "b", "aab", "bb"});
    CHECK(dictionary->has_unreachable() && !dictionary->reachable(2) && dictionary->reachable(3));
    std::string const whole = "aab";
    CHECK(dictionary->find(view(whole)) == 2);
    CHECK(dictionary->starting().longest(view(whole)).token == 0 && dictionary->starting_any().longest(view(whole)).token == 2);
    CHECK(&dictionary->starting() != &dictionary->starting_any());
    auto const other = made_of({"a", "b", "ab"});
    CHECK(&other->starting() == &other->starting_any() && &other->ending() == &other->ending_any());
}

void errors() {
    using Kind = VocabularyError::Kind;
    refused({"a", "b", "abb", "bb"}, Kind::later_half, 2, "bb");
    refused({"ab", "a", "b"}, Kind::later_half, 0, "b");
    refused({"a", "ab"}, Kind::missing_byte, 1, "b");
    refused({"a", ""}, Kind::damaged, 1, "");
    refused({"a", "b", "ab", "ab"}, Kind::damaged, 3, "");
}

std::shared_ptr<const Dictionary> disordered(const std::vector<std::string>& tokens, Dictionary::Disorder disorder) {
    std::vector<Bytes> views;
    for (std::string const& token : tokens) views.push_back(view(token));
    return Dictionary::from_disorder(views, std::move(disorder));
}

// No order of "ab" and "ba" is that of merging where both are to merge at once, the leftmost first.
void disorder() {
    std::vector<std::string> const tokens = {"a", "b", "ab", "ba", "abb", "abab"};
    std::vector<Bytes> views;
    for (std::string const& token : tokens) views.push_back(view(token));
    // "abb" is made as soon as "ab" is, ahead of a "ba" that waits: "bab" is ba b, "abba" is abb a.
    Dictionary::Disorder const good = {{0, 0, 7, 7, 3, 8}, Dictionary::halves_of(views, {0, 0, 7, 7, 3, 8}), true, {{3, 2}, {4, 3}}};
    CHECK(good.halves[2] == (Halves{0, 1}) && good.halves[4] == (Halves{2, 1}) && good.halves[5] == (Halves{2, 2}));
    auto const dictionary = disordered(tokens, good);
    std::string const crossed = "bab", plain = "aba", both = "aababbabb";
    CHECK(!dictionary->is_ordered() && dictionary->is_ordered(view(plain)) && !dictionary->is_ordered(view(crossed)));
    CHECK((encode_by_heap(*dictionary, view(crossed)) == std::vector<Rank>{3, 1}));
    CHECK((encode_by_heap(*dictionary, view(plain)) == std::vector<Rank>{2, 0}));
    // Of its pairs of tokens as of any: compatible if and only if both together encode to themselves.
    for (Rank left = 0; left < tokens.size(); ++left)
        for (Rank right = 0; right < tokens.size(); ++right) {
            std::string const text = tokens[left] + tokens[right];
            bool const stay = encode_by_heap(*dictionary, view(text)) == std::vector<Rank>{left, right};
            CHECK(compatible(*dictionary, left, right) == stay);
        }
    Merging merging;
    CHECK(merging.encode(*dictionary, view(both)) == encode_by_heap(*dictionary, view(both)));
    CHECK(merging.backtrack(*dictionary, view(both)) == encode_by_heap(*dictionary, view(both)));

    auto const damaged = [&](auto change) {
        Dictionary::Disorder disorder = good;
        change(disorder);
        try {
            disordered(tokens, disorder);
            CHECK(false);
        } catch (const VocabularyError& error) {
            CHECK(error.kind == VocabularyError::Kind::damaged);
        }
    };
    damaged([](auto& disorder) { disorder.priorities.pop_back(); });
    damaged([](auto& disorder) { disorder.halves.pop_back(); });
    damaged([](auto& disorder) { disorder.halves[0] = {1, 1}; });
    damaged([](auto& disorder) { disorder.halves[0] = {}; });
    damaged([](auto& disorder) { disorder.halves[2] = {1, 0}; });
    damaged([](auto& disorder) { disorder.halves[2] = {0, 99}; });
    damaged([](auto& disorder) { disorder.halves[2] = {}; });  // "abab" is made of it
    damaged([](auto& disorder) { disorder.crossings[0] = {2, 99}; });
    damaged([](auto& disorder) { disorder.crossings[0] = {2, 2}; });
    damaged([](auto& disorder) { disorder.crossings[0] = {0, 1}; });
    try {
        Dictionary::halves_of(views, {0, 0});
        CHECK(false);
    } catch (const VocabularyError& error) {
        CHECK(error.kind == VocabularyError::Kind::damaged);
    }
}

// Writes the halves as package data has them.
std::string planes_of(const std::vector<std::pair<Rank, Rank>>& halves) {
    std::string planes(halves.size() * 6, '\0');
    for (std::size_t token = 0; token < halves.size(); ++token)
        for (unsigned part = 0; part < 3; ++part) {
            planes[part * halves.size() + token] = static_cast<char>(halves[token].first >> part * 8);
            planes[(part + 3) * halves.size() + token] = static_cast<char>(halves[token].second >> part * 8);
        }
    return planes;
}

constexpr Rank no_half = 0xFFFFFF;

void damaged(const std::string& planes, Rank token) {
    try {
        Dictionary::from_planes(view(planes));
        CHECK(false);
    } catch (const VocabularyError& error) {
        CHECK(error.kind == VocabularyError::Kind::damaged && error.token == token);
    }
}

void damaged_planes() {
    damaged("abcdefg", 0);
    damaged(planes_of({{'a', no_half}, {256, no_half}}), 1);
    damaged(planes_of({{'a', no_half}, {1, 0}}), 1);
    damaged(planes_of({{'a', no_half}, {0, 7}}), 1);
    damaged(planes_of({{'a', no_half}, {'b', no_half}, {'a', no_half}}), 2);
    // Each token twice as long as the one before: soon longer than any token may be.
    std::vector<std::pair<Rank, Rank>> doubled{{'a', no_half}};
    for (Rank token = 0; token < 60; ++token) doubled.emplace_back(token, token);
    damaged(planes_of(doubled), 21);
}

// The halves are those that a merge of the two neighbours left over shows; planes give the same dictionary as tokens do.
void halves_and_planes(Choices& choices) {
    Vocabulary const vocabulary = random_vocabulary(choices);
    Dictionary const& dictionary = *vocabulary.dictionary;
    bool all_bytes = true;
    for (int byte = 0; byte < 256; ++byte) {
        auto const found = vocabulary.ranks.find(std::string(1, static_cast<char>(byte)));
        CHECK(dictionary.byte(static_cast<Byte>(byte)) == (found == vocabulary.ranks.end() ? no_rank : found->second));
        all_bytes = all_bytes && found != vocabulary.ranks.end();
    }
    CHECK(dictionary.has_all_bytes() == all_bytes && dictionary.size() == vocabulary.tokens.size());
    std::vector<std::pair<Rank, Rank>> packed;
    bool any_unreachable = false;
    std::size_t longest = 0;
    for (Rank token = 0; token < dictionary.size(); ++token) {
        std::string const& bytes = vocabulary.tokens[token];
        longest = std::max(longest, bytes.size());
        CHECK(dictionary.bytes(token) == view(bytes) && dictionary.length(token) == bytes.size());
        CHECK(dictionary.find(view(bytes)) == token);
        bool const reached = naive_merge(vocabulary.ranks, bytes) == Tokens{token};
        CHECK(dictionary.reachable(token) == reached);
        any_unreachable = any_unreachable || !reached;
        if (bytes.size() == 1) {
            packed.emplace_back(static_cast<unsigned char>(bytes[0]), no_half);
        } else if (reached) {
            // Without the token itself its bytes stay two.
            Ranks without = vocabulary.ranks;
            without.erase(bytes);
            auto const two = *naive_merge(without, bytes);
            CHECK(two.size() == 2 && dictionary.halves(token) == (Halves{two[0], two[1]}));
            CHECK(dictionary.merged(two[0], two[1]) == token);
            if (bytes.size() == 2) CHECK(dictionary.merged_bytes(static_cast<Byte>(bytes[0]), static_cast<Byte>(bytes[1])) == token);
            packed.emplace_back(two[0], two[1]);
        }
    }
    CHECK(dictionary.has_unreachable() == any_unreachable && dictionary.longest() == longest);
    for (int time = 0; time < 20; ++time) {
        std::string const text = random_text(choices, vocabulary, 3);
        auto const known = vocabulary.ranks.find(text);
        CHECK(dictionary.find(view(text)) == (known == vocabulary.ranks.end() ? no_rank : known->second));
    }
    if (any_unreachable) return;
    std::string const planes = planes_of(packed);
    auto const same = Dictionary::from_planes(view(planes));
    CHECK(same->size() == dictionary.size() && same->longest() == longest && same->has_all_bytes() == all_bytes && !same->has_unreachable());
    for (Rank token = 0; token < same->size(); ++token) CHECK(same->bytes(token) == dictionary.bytes(token) && same->halves(token) == dictionary.halves(token));
    for (int byte = 0; byte < 256; ++byte) CHECK(same->byte(static_cast<Byte>(byte)) == dictionary.byte(static_cast<Byte>(byte)));
}

}  // namespace

int main(int count, char** arguments) {
    example();
    unreachable();
    errors();
    disorder();
    damaged_planes();
    repeat(count, arguments, 150, halves_and_planes);
    return 0;
}
