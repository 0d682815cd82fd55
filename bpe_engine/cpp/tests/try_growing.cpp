#include "try_growing.hpp"

#include <type_traits>

#include "bpe/thresholds.hpp"

namespace bpe::test {

template <class Core>
void try_growing(Choices& choices) {
    constexpr bool to_the_left = std::is_same_v<Core, PrependingEncoder>;
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    const Scanner* const scanner = random_scanner(choices);
    Core growing(std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{}));
    // Some texts grow beyond what is short.
    std::size_t const longest_run = choices.one_in(8) ? thresholds::long_tail * 4 / 3 + 12 : 12;

    struct Mark {
        typename Core::State state;
        std::string text;
    };
    struct Bound {
        std::size_t length, fewest;
    };
    std::vector<Mark> marks;
    std::vector<Bound> bounds;  // of texts that the present one begins (ends) with
    std::string text;
    auto const grown = [&](const std::string& more) { return to_the_left ? more + text : text + more; };

    for (std::size_t steps = 1 + choices.below(30); steps > 0 && choices.more(); --steps) {
        switch (choices.below(8)) {
        case 0: marks.push_back({growing.state(), text}); break;
        case 1:
            if (marks.empty()) break;
            marks.resize(choices.below(marks.size()) + 1);
            text = marks.back().text;
            growing.return_to(marks.back().state);
            while (!bounds.empty() && bounds.back().length > text.size()) bounds.pop_back();
            break;
        case 2: bounds.push_back({text.size(), growing.fewest()}); break;
        default:
            std::string more = random_text(choices, vocabulary, 3, longest_run);
            // Inside a character, too: what is left out comes next, or does not come.
            std::size_t const cut = choices.one_in(3) ? choices.below(more.size() + 1) : more.size();
            for (std::string const& part :
                 to_the_left ? std::vector{more.substr(cut), more.substr(0, cut)} : std::vector{more.substr(0, cut), more.substr(cut)}) {
                std::string const wanted = grown(part);
                bool const possible = vocabulary.count(scanner, wanted).has_value();
                try {
                    if constexpr (to_the_left) growing.prepend(view(part));
                    else growing.append(view(part));
                    if (!possible) fail("a byte in no token was taken", vocabulary, scanner, wanted);
                    text = wanted;
                } catch (const EncodingError& error) {
                    if (possible || vocabulary.dictionary->byte(error.byte) != no_rank) fail("good bytes were refused", vocabulary, scanner, wanted);
                }
                if (choices.one_in(4)) break;
            }
        }
        std::size_t const fresh = *vocabulary.count(scanner, text);
        if (growing.count() != fresh) {
            std::fprintf(stderr, "%zu tokens %s, %zu afresh\n", growing.count(), to_the_left ? "prepending" : "appending", fresh);
            fail("another count", vocabulary, scanner, text);
        }
        if (!(growing.text() == view(text))) fail("another text", vocabulary, scanner, text);
        for (Bound const& bound : bounds) {
            if (bound.fewest <= fresh) continue;
            std::fprintf(stderr, "at least %zu tokens were promised at %zu bytes, %zu came\n", bound.fewest, bound.length, fresh);
            fail("a wrong bound", vocabulary, scanner, text);
        }
    }
}

template void try_growing<AppendingEncoder>(Choices&);
template void try_growing<PrependingEncoder>(Choices&);

}  // namespace bpe::test
