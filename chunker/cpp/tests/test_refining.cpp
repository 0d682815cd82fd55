// Checks that a sentence which `refine` calls whole has none inside, in random texts of stops, brackets, marks and letters.
#include "chunker/refining.hpp"

#include <random>
#include <string>

#include "check.hpp"

namespace {

chunker::Text text_of(const std::string& utf8) { return {reinterpret_cast<const unsigned char*>(utf8.data()), utf8.size()}; }

// A sentence of which it is said that it is whole has no other one inside, if it is refined alone.
void check_whole(const std::string& utf8, std::size_t& whole) {
    chunker::Text const text = text_of(utf8);
    constexpr std::int64_t above = chunker::strength::paragraph;
    auto const found = chunker::refine(text, 0, text.size(), above);
    if (found.whole_up_to == 0) return;
    CHECK(found.level == chunker::Level::sentence);
    std::size_t start = 0;
    for (std::size_t index = 0; index <= found.offsets.size() && start < found.whole_up_to; ++index) {
        std::size_t const end = index < found.offsets.size() ? found.offsets[index] : text.size();
        auto const alone = chunker::refine(text, start, end, above);
        CHECK(alone.level != chunker::Level::sentence || alone.offsets.empty());
        start = end;
        ++whole;
    }
}

}  // namespace

int main() {
    std::string const several[] = {"a",      "b",          "A",          "B",      "5",      " ",      " ",      ".",      ".",
                                   "?",      "!",          "(",          ")",      "\"",     "'",      ",",      ":",      "\n",
                                   "\r",     "\t",         "\u00AB",     "\u00BB", "\u2026", "\u0301", "\u00AD", "\u3002", "\uFF0E",
                                   "\u4E2D", "\U0001F1E6", "\U0001F600", "\u200D", "\u0600", "\u203C", "\u00A0", "\u2029"};
    std::string const phrases[] = {"\u0E01", "\u0F0D"};
    std::mt19937 random(11);
    std::size_t whole = 0;
    for (current_round = 0; current_round < 200000; ++current_round) {
        std::size_t const kinds = random() % std::size(several) + 1, first = random() % std::size(several);
        std::string text;
        for (std::size_t left = random() % 24 + 2; left > 0; --left) text += several[(first + random() % kinds) % std::size(several)];
        if (random() % 8 == 0) text.insert(0, phrases[random() % 2]);
        check_whole(text, whole);
    }
    current_round = -1;
    CHECK(whole > 100000);
    // Longer than what is read at once: the rest is not known.
    std::string text;
    while (text.size() < 3 * chunker::refining::window) text += "One sentence. ";
    auto const found = chunker::refine(text_of(text), 0, text.size(), chunker::strength::paragraph);
    CHECK(found.whole_up_to == found.offsets.back() && found.whole_up_to <= chunker::refining::window);
    std::string const thai = "One. \u0E01 \u0E01 two.";
    chunker::Text const with_phrases = text_of(thai);
    CHECK(chunker::refine(with_phrases, 0, with_phrases.size(), chunker::strength::paragraph).whole_up_to == 0);
    return 0;
}
