#include "chunker/separators.hpp"

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

using chunker::Run;
using chunker::Separators;
using chunker::Side;

namespace {

// Matches the runs from `index` on at `at`, by trying each number of repetitions, the greatest first. Returns the end of the match; npos if there is none.
std::size_t end_by_trying(const std::string& text, std::size_t at, const std::vector<Run>& runs, std::size_t index = 0) {
    if (index == runs.size()) return at;
    Run const& run = runs[index];
    std::vector<std::size_t> ends = {at};
    while (ends.size() <= run.most && text.compare(ends.back(), run.text.size(), run.text) == 0) ends.push_back(ends.back() + run.text.size());
    for (std::size_t number = ends.size(); number-- > run.least;)
        if (std::size_t const end = end_by_trying(text, ends[number], runs, index + 1); end != text.npos) return end;
    return text.npos;
}

// Finds the cuts of a text in ASCII by trying each separator at each offset.
std::map<std::size_t, std::size_t> by_hand(const std::string& text, const std::vector<std::vector<Run>>& separators, Side side) {
    std::map<std::size_t, std::size_t> ranks;
    for (std::size_t rank = 0; rank < separators.size(); ++rank) {
        for (std::size_t at = 0; at < text.size();) {
            std::size_t const end = end_by_trying(text, at, separators[rank]);
            if (end == text.npos) {
                ++at;
                continue;
            }
            std::size_t const cut = side == Side::before ? at : end;
            if (cut > 0 && cut < text.size()) ranks.emplace(cut, rank);
            at = end;
        }
    }
    return ranks;
}

}  // namespace

int main() {
    std::mt19937 random(5);
    bool good = true;
    std::vector<std::vector<Run>> const separators = {{{"a", 2, 3}, {"b"}}, {{"\n\n"}}, {{" a"}, {"b", 1, 99}}, {{"\n"}}, {{" "}}};
    for (int round = 0; round < 4000; ++round) {
        std::string ascii, wide;
        for (unsigned size = random() % 50; size > 0; --size) {
            char const letter = "ab \nxx"[random() % 6];
            ascii += letter;
            wide += letter == 'x' ? "\xE4\xB8\xAD" : std::string(1, letter);
        }
        for (std::string const& bytes : {ascii, wide}) {
            chunker::Text const text(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
            for (Side const side : {Side::before, Side::after}) {
                std::map<std::size_t, std::size_t> const expected = by_hand(ascii, separators, side);
                std::map<std::size_t, std::size_t> found;
                Separators const prepared(separators, side);
                bool closed = false;
                for (auto const& part : prepared.parts(text, {}, 0, closed)) found.emplace(part.start, part.rank);
                good = good && found == expected;
                // With parts of at most five characters closed, and looked into.
                std::size_t start = 0;
                found.clear();
                std::vector<chunker::SeparatedPart> parts = prepared.parts(text, {}, 5, closed);
                for (std::size_t number = 0; number <= parts.size(); ++number) {
                    std::size_t const end = number < parts.size() ? parts[number].start : text.size();
                    if (closed) {
                        good = good && end - start <= 5;
                        for (std::size_t const cut : prepared.inside(text, start, end)) found.emplace(cut, separators.size() - 1);
                    }
                    if (number == parts.size()) break;
                    found.emplace(parts[number].start, parts[number].rank);
                    start = parts[number].start;
                    closed = parts[number].closed;
                }
                good = good && found == expected;
            }
        }
    }
    if (!good) std::fprintf(stderr, "other parts than those found by hand\n");
    return good ? 0 : 1;
}
