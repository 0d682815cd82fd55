#include "try_limits.hpp"

#include "bpe/limits.hpp"
#include "bpe/thresholds.hpp"

namespace bpe::test {

void try_limits(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    const Scanner* const scanner = random_scanner(choices);
    std::string const text = random_text(choices, vocabulary, 16, choices.one_in(8) ? thresholds::mark_distance + 8 : 8);
    auto const encoder = std::make_shared<const Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
    auto const count = vocabulary.count(scanner, text);
    std::size_t const limit = choices.below(count.value_or(text.size()) + 3);
    try {
        auto const found = count_up_to(*encoder, view(text), limit);
        // A byte in no token may be beyond what was read.
        if (count ? found != (*count <= limit ? count : std::nullopt) : found.has_value()) fail("another count up to a limit", vocabulary, scanner, text);
    } catch (const EncodingError&) {
        if (count) fail("good bytes were refused", vocabulary, scanner, text);
    }
    if (!count) return;
    std::size_t prefix = 0, suffix = 0;
    for (std::size_t const cut : naive_cuts(text)) {
        auto const before = vocabulary.count(scanner, text.substr(0, cut)), after = vocabulary.count(scanner, text.substr(cut));
        if (before && *before <= limit) prefix = std::max(prefix, cut);
        if (after && *after <= limit) suffix = std::max(suffix, text.size() - cut);
    }
    auto const same = [&](const char* which, std::size_t expected, auto&& fitting) {
        try {
            std::size_t const found = fitting(encoder, view(text), limit);
            if (found == expected) return;
            std::fprintf(stderr, "limit %zu, %zu bytes, not %zu\n", limit, found, expected);
        } catch (const EncodingError& error) {
            // A byte may be part of longer tokens and no token by itself. A text cut inside such a token cannot be encoded.
            if (vocabulary.dictionary->byte(error.byte) == no_rank) return;
        }
        fail(which, vocabulary, scanner, text);
    };
    same("another prefix", prefix, fitting_prefix);
    same("another suffix", suffix, fitting_suffix);
}

}  // namespace bpe::test
