#include "chunker/break_classes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chunker {

namespace {

// From this character on, up to the next run: the fields of BreakClass as numbers.
struct Run {
    char32_t first;
    std::uint8_t fields[7];
};

#include "break_classes.inc"

BreakClass class_of(const Run& run) {
    auto const& fields = run.fields;
    return {static_cast<ClusterBreak>(fields[0]), static_cast<WordBreak>(fields[1]), static_cast<SentenceBreak>(fields[2]),
            static_cast<ConjunctBreak>(fields[3]), fields[4] != 0, fields[5] != 0, fields[6] != 0};
}

}  // namespace

BreakClasses::BreakClasses() {
    std::vector<std::pair<BreakClass, std::uint16_t>> plain;  // blocks of one class, which most are, and their numbers
    std::size_t run = 0;
    auto const end_of = [](std::size_t number) { return number + 1 < std::size(runs) ? runs[number + 1].first : characters; };
    for (std::size_t first = 0; first < characters; first += block) {
        while (end_of(run) <= first) ++run;
        auto const number = static_cast<std::uint16_t>(classes_.size() / block);
        if (end_of(run) >= first + block) {
            BreakClass const only = class_of(runs[run]);
            auto const known = std::find_if(plain.begin(), plain.end(), [&](auto const& other) { return other.first == only; });
            numbers_[first / block] = known == plain.end() ? number : known->second;
            if (known != plain.end()) continue;
            plain.emplace_back(only, number);
            classes_.insert(classes_.end(), block, only);
            continue;
        }
        numbers_[first / block] = number;
        for (std::size_t place = first; place < first + block; ++place) {
            while (end_of(run) <= place) ++run;
            classes_.push_back(class_of(runs[run]));
        }
    }
}

const BreakClasses& break_classes() {
    static const BreakClasses classes;
    return classes;
}

}  // namespace chunker
