// Whole texts: ids, counts, and a memory of pre-tokens that forgets but never errs; threads that share one encoder.
#include "bpe/encoder.hpp"

#include <algorithm>
#include <thread>

#include "bpe/interval.hpp"
#include "bpe/thresholds.hpp"
#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

std::vector<std::uint32_t> by_definition(const Vocabulary& vocabulary, const Scanner* scanner, const std::vector<std::uint32_t>& ids, const std::string& text) {
    std::vector<std::uint32_t> found;
    for (std::string const& pretoken : naive_pretokens(scanner, text)) {
        Tokens const tokens = naive_piece(vocabulary.ranks, pretoken).value();
        for (Rank const rank : tokens) found.push_back(ids.empty() ? rank : ids[rank]);
    }
    return found;
}

// One encoder for many texts, so that it remembers the pre-tokens of the ones before.
void random_texts(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    const Scanner* const scanner = random_scanner(choices);
    std::vector<std::uint32_t> ids;
    if (choices.one_in(2))
        for (Rank rank = 0; rank < vocabulary.tokens.size(); ++rank) ids.push_back(1000000 - 7 * rank);
    Encoder const encoder(vocabulary.dictionary, scanner, ids);
    for (int time = 0; time < 6; ++time) {
        std::string const text = random_text(choices, vocabulary, 12, 6).substr(0, 300);
        std::vector<std::uint32_t> encoded{42};  // what is there stays
        try {
            encoder.encode(view(text), encoded);
            CHECK(vocabulary.count(scanner, text));
        } catch (const EncodingError& error) {
            CHECK(!vocabulary.count(scanner, text) && vocabulary.dictionary->byte(error.byte) == no_rank);
            try {
                encoder.count(view(text));
                CHECK(false);
            } catch (const EncodingError&) {
            }
            continue;
        }
        CHECK(encoded.front() == 42);
        encoded.erase(encoded.begin());
        if (encoded != by_definition(vocabulary, scanner, ids, text)) fail("other ids", vocabulary, scanner, text);
        if (encoder.count(view(text)) != encoded.size()) fail("another count", vocabulary, scanner, text);
    }
}

// Units of pre-tokens: tokens that hold parts of characters, of two characters and of more, and texts that are all but made of such characters.
void seams(Choices& choices) {
    static const char* const wide[] = {"\xe4\xb8\xad", "\xe4\xba\x9a", "\xe3\x81\xb2", "\xed\x95\x9c", "\xf0\xa0\x80\x80", "\xef\xbc\x8c"};
    static const char* const others[] = {"a", "A", " ", "\xc3\xa9", "\xe3\x80\x82", "\xe3\x82\x99", "\xad", "\xe4\xb8", "1", "'s", "\n"};
    auto const text_of_wide = [&](std::size_t most) {
        std::string text;
        for (std::size_t count = choices.below(most); count > 0; --count)
            text += choices.one_in(8) ? others[choices.below(std::size(others))] : wide[choices.below(std::size(wide))];
        return text;
    };
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    Ranks ranks;
    for (Rank rank = 0; rank < tokens.size(); ++rank) ranks.emplace(tokens[rank], rank);
    bool const with_unreachable = choices.one_in(4);
    for (std::size_t count = choices.below(90); count > 0; --count) {
        std::string const text = text_of_wide(5);
        std::string token;
        if (with_unreachable) {
            token = text.substr(choices.below(text.size() + 1), 2 + choices.below(7));
        } else if (Tokens const parts = naive_merge(ranks, text).value(); parts.size() > 1) {
            // Two neighbours of an encoding: merging makes the token of them.
            std::size_t const left = choices.below(parts.size() - 1);
            token = tokens[parts[left]] + tokens[parts[left + 1]];
        }
        if (token.size() < 2 || !ranks.emplace(token, static_cast<Rank>(tokens.size())).second) continue;
        tokens.push_back(token);
    }
    Vocabulary const vocabulary(tokens);
    const Scanner* const scanner = random_scanner(choices);
    auto const encoder = std::make_shared<const Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
    for (int time = 0; time < 8; ++time) {
        std::string const text = text_of_wide(choices.one_in(8) ? 400 : 60);
        std::vector<std::uint32_t> const expected = by_definition(vocabulary, scanner, {}, text);
        std::vector<std::uint32_t> encoded;
        encoder->encode(view(text), encoded);
        if (encoded != expected) fail("other ids", vocabulary, scanner, text);
        if (encoder->count(view(text)) != expected.size()) fail("another count", vocabulary, scanner, text);
        IntervalEncoder const slices(encoder, view(text));
        for (int slice = 0; slice < 8; ++slice) {
            std::size_t const end = choices.below(text.size() + 1), start = choices.below(end + 1);
            std::string const part = text.substr(start, end - start);
            if (slices.count(start, end) != by_definition(vocabulary, scanner, {}, part).size()) fail("another count of a slice", vocabulary, scanner, part);
        }
    }
}

// Of 4 to 15 letters; one in eight has up to 50.
std::string word(std::uint64_t number) {
    std::size_t const size = number % 8 == 7 ? 16 + number / 8 % 35 : 4 + number % 12;
    std::string made;
    for (std::uint64_t bits = mixed(number + 1); made.size() < size; bits = bits / 5 ? bits / 5 : mixed(number + made.size() * 1000003))
        made.push_back("abcde"[bits % 5]);
    return made;
}

// So many distinct pre-tokens that those met first are forgotten, then met again.
void eviction() {
    Vocabulary const vocabulary({"a", "b", "c", "d", "e", " ", "ab", "ba", "cd", "ec", "abab", "abcd", " a", " ab", "ee", "eeec"});
    const Scanner* const scanner = scanner_named("o200k");
    constexpr std::uint64_t words = (std::uint64_t{1} << thresholds::count_bits) + 5000;
    std::string text;
    std::vector<std::uint32_t> expected;
    Merging merging;  // remembers no pre-tokens
    for (std::uint64_t number = 0; number < words; ++number) {
        std::string const piece = " " + word(number);
        text += piece;
        Tokens const& tokens = merging.encode(*vocabulary.dictionary, view(piece));
        if (number % 64 == 0) CHECK(tokens == naive_piece(vocabulary.ranks, piece));
        expected.insert(expected.end(), tokens.begin(), tokens.end());
    }
    Encoder const encoder(vocabulary.dictionary, scanner, {});
    for (int time = 0; time < 3; ++time) {
        CHECK(encoder.count(view(text)) == expected.size());
        std::vector<std::uint32_t> ids;
        encoder.encode(view(text), ids);
        CHECK(ids == expected);
    }
}

void threads() {
    Choices choices(7);
    Vocabulary const vocabulary({"a", "b", " ", "bbb", "ab", "  ", " a", "abab", "ba", " ab", "aaba"});  // "bbb" comes of no merge
    const Scanner* const scanner = scanner_named("cl100k");
    auto const encoder = std::make_shared<const Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
    std::vector<std::string> texts;
    std::vector<std::vector<std::uint32_t>> ids;
    for (int number = 0; number < 40; ++number) {
        std::string text;
        for (std::size_t size = 40 + choices.below(60); size > 0; --size) text += "abb b"[choices.below(5)];
        ids.push_back(by_definition(vocabulary, scanner, {}, text));
        texts.push_back(text);
    }
    std::vector<std::thread> workers;
    for (std::size_t worker = 0; worker < 4; ++worker)
        workers.emplace_back([&, worker] {
            for (std::size_t time = 0; time < 400; ++time) {
                std::size_t const number = (time * (worker + 1)) % texts.size();
                std::vector<std::uint32_t> encoded;
                encoder->encode(view(texts[number]), encoded);
                CHECK(encoded == ids[number]);
                CHECK(encoder->count(view(texts[number])) == encoded.size());
                CHECK(encoder->dictionary().starting_any().longest(view(texts[number])).size > 0);
            }
        });
    for (std::thread& worker : workers) worker.join();
}

// A workspace belongs to one at a time, and is used again.
void leases() {
    Vocabulary const vocabulary({"a"});
    Encoder const encoder(vocabulary.dictionary, nullptr, {});
    Workspace *first, *second;
    {
        Encoder::Lease const one(encoder), other(encoder);
        first = &*one;
        second = &*other;
        CHECK(first != second);
    }
    for (int time = 0; time < 3; ++time) {
        Encoder::Lease const one(encoder), other(encoder);
        CHECK((&*one == first || &*one == second) && (&*other == first || &*other == second) && &*one != &*other);
    }
    CHECK(encoder.count({}) == 0);
}

}  // namespace

int main(int count, char** arguments) {
    leases();
    threads();
    eviction();
    repeat(count, arguments, 800, random_texts);
    repeat(count, arguments, 200, seams);
    return 0;
}
