// The counts of slices of a text, and the places of its characters.
#include "bpe/interval.hpp"

#include <algorithm>
#include <thread>

#include "bpe/thresholds.hpp"
#include "try_interval.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void character_places(Choices& choices) {
    // Of UTF-8 alone: a str has nothing else.
    std::string text;
    for (std::size_t parts = choices.below(200); parts > 0; --parts) {
        std::string const& part = choices.of(fragments());
        auto const cuts = naive_cuts(part);
        bool whole = true;
        for (std::size_t index = 0; index + 1 < cuts.size(); ++index)
            whole = whole && (cuts[index + 1] - cuts[index] > 1 || static_cast<unsigned char>(part[cuts[index]]) < 0x80);
        if (whole) text += part;
    }
    CharacterPlaces const places(view(text));
    auto const cuts = naive_cuts(text);
    CHECK(places.size() == cuts.size() - 1);
    for (std::size_t index = 0; index < cuts.size(); ++index) CHECK(places.byte_of(index) == cuts[index]);
}

// A pre-token of more than 255 tokens, and one with a tree, between ordinary ones.
void large_pieces() {
    Vocabulary const vocabulary({"a", "b", " ", "\n", "ab", "aba", "abab"});
    std::string text = "ab ";
    for (int time = 0; time < 2000; ++time) text += time % 5 == 4 ? "aab" : "ab";
    text += " ab\n   b";
    for (const char* name : {"o200k", "r50k"}) {
        const Scanner* const scanner = scanner_named(name);
        IntervalEncoder const intervals(std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{}), view(text));
        Choices choices(1);
        for (int time = 0; time < 300; ++time) {
            std::size_t const one = choices.below(text.size() + 1), other = choices.below(text.size() + 1);
            std::size_t const start = std::min(one, other), end = std::max(one, other);
            CHECK(intervals.count(start, end) == vocabulary.count(scanner, text.substr(start, end - start)));
        }
        CHECK(intervals.memory() > 0);
    }
}

// Where every contraction takes along the next one, slices that begin between two of them have no start in common with the text, but where their head is cut.
void cut_heads() {
    Vocabulary const vocabulary({"s", "'", "r", "e", "re", "'re", " ", "'re're"});
    const Scanner* const scanner = scanner_named("kimi_k2");
    std::string text = "s";
    for (int time = 0; time < 700; ++time) text += "'re";
    text += " s s";
    IntervalEncoder const intervals(std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{}), view(text));
    for (std::size_t start = 0; start < 12; ++start) {
        auto const agreement = intervals.agreement(start);
        for (std::size_t end = agreement ? agreement->from : text.size() + 1; end <= text.size(); end += 13) {
            auto const expected = static_cast<std::ptrdiff_t>(intervals.count(0, end)) + agreement->shift;
            CHECK(static_cast<std::ptrdiff_t>(*vocabulary.count(scanner, text.substr(start, end - start))) == expected);
        }
    }
}

// Words that slices cut, and what may change with them: capitals, marks, contractions one after the other.
void cut_words(Choices& choices) {
    static const std::vector<std::string> parts{"a", "s", "re", "A", "'", "'s", "'re", " ", "\n", "1", "/", "\u6f22", "\u304b", "\u3002", "\u0301", "\u00e9"};
    static const Vocabulary vocabulary = [] {
        std::vector<std::string> tokens;
        auto const add = [&](std::string token) {
            if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(std::move(token));
        };
        for (std::string const& part : parts)
            for (char const byte : part) add({byte});
        // Wherever a pre-token ends elsewhere there is another count.
        for (std::string const& left : parts)
            for (std::string const& right : parts) add({left.back(), right.front()});
        return Vocabulary(std::move(tokens));
    }();
    std::string text;
    for (std::size_t count = choices.below(14); count > 0; --count) text += choices.of(parts);
    const Scanner* const scanner = random_scanner(choices);
    IntervalEncoder const intervals(std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{}), view(text));
    for (std::size_t start = 0; start <= text.size(); ++start)
        for (std::size_t end = start; end <= text.size(); ++end)
            if (intervals.count(start, end) != vocabulary.count(scanner, text.substr(start, end - start)))
                fail("another count of a slice", vocabulary, scanner, text);
    std::string line;
    for (std::size_t count = choices.below(4); count > 0; --count) line += choices.of(parts);
    line += '\n';
    std::size_t const own = vocabulary.count(scanner, line).value();
    for (std::size_t start = 0; start < text.size(); ++start) {
        auto const agreement = intervals.agreement(start);
        for (std::size_t end = agreement ? std::max(start, agreement->from) : text.size() + 1; end <= text.size(); ++end) {
            std::size_t const count = intervals.count(start, end);
            if (static_cast<std::ptrdiff_t>(count) != static_cast<std::ptrdiff_t>(intervals.count(0, end)) + agreement->shift)
                fail("no agreement with the whole text", vocabulary, scanner, text);
            if (intervals.begins_after_line(start) && vocabulary.count(scanner, line + text.substr(start, end - start)) != own + count)
                fail("no sum of a line and what follows", vocabulary, scanner, line + text.substr(start, end - start));
        }
    }
}

// Pre-tokens of Chinese that come apart at seams: slices begin and end at them, beside them, and inside of characters.
void seams(Choices& choices) {
    static const std::vector<std::string> characters{"\u6f22", "\u5b57", "\u8ed2", "\u4ef6", "\u304b", "\uac00"};
    static const Vocabulary vocabulary = [] {
        std::vector<std::string> tokens;
        for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
        for (std::string const& one : characters) {
            if (std::string const start = one.substr(0, 2); std::find(tokens.begin(), tokens.end(), start) == tokens.end()) tokens.push_back(start);
            tokens.push_back(one);
        }
        // The first and the second belong together, and so do the bytes where the third and the fourth meet.
        tokens.push_back(characters[0] + characters[1]);
        tokens.push_back(characters[2].substr(1) + characters[3].substr(0, 1));
        tokens.push_back("ab");
        return Vocabulary(std::move(tokens));
    }();
    std::string text;
    for (std::size_t count = choices.below(choices.one_in(20) ? 2 * thresholds::long_piece : 40); count > 0; --count)
        text += choices.one_in(10) ? (choices.one_in(2) ? "ab" : choices.one_in(2) ? " " : "\u3002") : choices.of(characters);
    const Scanner* const scanner = random_scanner(choices);
    IntervalEncoder const intervals(std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{}), view(text));
    for (int time = 0; time < 60; ++time) {
        std::size_t const one = choices.below(text.size() + 1), other = choices.one_in(2) ? choices.below(text.size() + 1) : one + choices.below(24);
        std::size_t const start = std::min(one, other), end = std::min(std::max(one, other), text.size());
        if (intervals.count(start, end) != vocabulary.count(scanner, text.substr(start, end - start)))
            fail("another count of a slice", vocabulary, scanner, text);
        auto const agreement = intervals.agreement(start);
        if (agreement && end >= agreement->from)
            CHECK(static_cast<std::ptrdiff_t>(intervals.count(start, end)) == static_cast<std::ptrdiff_t>(intervals.count(0, end)) + agreement->shift);
    }
}

// Indexes and trees are made by the first thread whose slice asks for one.
void threads() {
    Vocabulary const vocabulary({"a", "b", " ", "\n", "ab", "aba", "abab"});
    std::string text;
    for (int piece = 0; piece < 6; ++piece) {
        for (int time = 0; time < 1200; ++time) text += (time + piece) % 5 == 4 ? "b" : "a";
        text += " ab\n";
    }
    const Scanner* const scanner = scanner_named("o200k");
    auto const encoder = std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
    IntervalEncoder const alone(encoder, view(text)), shared(encoder, view(text));
    std::vector<std::thread> workers;
    std::vector<std::vector<std::size_t>> counts(4);
    auto const slices = [&](const IntervalEncoder& intervals, std::uint64_t seed, std::vector<std::size_t>& found) {
        Choices choices(seed);
        for (int time = 0; time < 100; ++time) {
            std::size_t const one = choices.below(text.size() + 1), other = choices.below(text.size() + 1);
            found.push_back(intervals.count(std::min(one, other), std::max(one, other)));
        }
    };
    for (std::uint64_t worker = 0; worker < 4; ++worker) workers.emplace_back([&, worker] { slices(shared, worker + 1, counts[worker]); });
    for (std::thread& worker : workers) worker.join();
    for (std::uint64_t worker = 0; worker < 4; ++worker) {
        std::vector<std::size_t> expected;
        slices(alone, worker + 1, expected);
        CHECK(counts[worker] == expected);
    }
}

}  // namespace

int main(int count, char** arguments) {
    large_pieces();
    threads();
    cut_heads();
    repeat(count, arguments, 200, character_places);
    repeat(count, arguments, 2000, cut_words);
    repeat(count, arguments, 2000, seams);
    repeat(count, arguments, thresholds::long_piece > 100 ? 1000 : 3000, try_interval);
    return 0;
}
