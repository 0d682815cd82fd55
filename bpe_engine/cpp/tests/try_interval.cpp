#include "try_interval.hpp"

#include "bpe/interval.hpp"
#include "bpe/thresholds.hpp"

namespace bpe::test {

void try_interval(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    const Scanner* const scanner = random_scanner(choices);
    bool const long_runs = choices.one_in(8);
    std::string const text = random_text(choices, vocabulary, long_runs ? 12 : 24, long_runs ? thresholds::long_piece * 2 / 3 + 12 : 12);
    auto const encoder = std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
    bool const possible = vocabulary.count(scanner, text).has_value();
    std::unique_ptr<IntervalEncoder> intervals;
    try {
        intervals = std::make_unique<IntervalEncoder>(encoder, view(text));
        if (!possible && scanner) fail("a byte in no token was taken", vocabulary, scanner, text);
    } catch (const EncodingError&) {
        if (possible) fail("good bytes were refused", vocabulary, scanner, text);
        return;
    }
    CHECK(intervals->size() == text.size());
    auto const slice = [&](std::size_t start, std::size_t end) {
        std::string const part = text.substr(start, end - start);
        auto const fresh = vocabulary.count(scanner, part);
        std::size_t count;
        try {
            count = intervals->count(start, end);
        } catch (const EncodingError& error) {
            // Where the text is one pre-token it is read as a whole, once a slice asks for it.
            if ((fresh && possible) || vocabulary.dictionary->byte(error.byte) != no_rank) fail("good bytes were refused", vocabulary, scanner, part);
            return;
        }
        if (fresh && count == *fresh) return;
        std::fprintf(stderr, "%zu tokens in the slice from %zu to %zu, %zu afresh\n", count, start, end, fresh.value_or(0));
        fail("another count", vocabulary, scanner, text);
    };
    // What slices from one start have in common with the whole text. Where a byte is in no token there is no count to compare.
    for (int time = 0; possible && time < 8; ++time) {
        std::size_t const start = choices.below(text.size() + 1);
        // About so many tokens: what stands between is whole pre-tokens, whose sum is no more.
        std::size_t const tokens = choices.below(12), reached = intervals->reach(0, tokens), first = intervals->reach_back(text.size(), tokens);
        CHECK(reached <= text.size() && first <= text.size());
        std::size_t sum = 0;
        if (scanner && reached > 0)
            for_each_pretoken(*scanner, view(text).data, 0, text.size(), [&](std::size_t from, std::size_t to) {
                if (to <= reached) sum += *vocabulary.count(nullptr, text.substr(from, to - from));
            });
        CHECK(sum <= tokens);
        sum = 0;
        if (scanner && first < text.size())
            for_each_pretoken(*scanner, view(text).data, 0, text.size(), [&](std::size_t from, std::size_t to) {
                if (from >= first) sum += *vocabulary.count(nullptr, text.substr(from, to - from));
            });
        CHECK(sum <= tokens);
        std::string before = choices.one_in(2) ? random_text(choices, vocabulary, 3, 4) : "";
        if (choices.one_in(2)) before += '\n';
        auto const own = vocabulary.count(scanner, before);
        if (!own) continue;
        auto agreement = intervals->agreement(start, view(before));
        if (!before.empty() && before.back() == '\n' && intervals->begins_after_line(start) && choices.one_in(2)) {
            agreement = intervals->agreement(start);
            if (agreement) agreement->shift += static_cast<std::ptrdiff_t>(*own);
        }
        if (!agreement) continue;
        for (std::size_t end = std::max(start, agreement->from); end <= text.size(); ++end) {
            auto const expected = static_cast<std::ptrdiff_t>(intervals->count(0, end)) + agreement->shift;
            if (static_cast<std::ptrdiff_t>(vocabulary.count(scanner, before + text.substr(start, end - start)).value_or(0)) == expected) continue;
            std::fprintf(stderr, "slices from %zu to %zu and beyond, after %zu bytes\n", start, end, before.size());
            fail("no agreement with the whole text", vocabulary, scanner, text);
        }
    }
    if (text.size() <= 24) {
        for (std::size_t start = 0; start <= text.size(); ++start)
            for (std::size_t end = start; end <= text.size(); ++end) slice(start, end);
        return;
    }
    for (int time = 0; time < 40; ++time) {
        std::size_t const start = choices.below(text.size() + 1);
        std::size_t const size = choices.one_in(2) ? choices.below(24) : choices.below(text.size() + 1);
        slice(start, std::min(start + size, text.size()));
    }
    slice(0, text.size());
}

}  // namespace bpe::test
