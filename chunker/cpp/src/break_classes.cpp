#include "chunker/break_classes.hpp"

#include <algorithm>
#include <initializer_list>
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

template <class Value>
bool is(Value value, std::initializer_list<Value> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

std::uint8_t alone(const BreakClass& found) {
    using GCB = ClusterBreak;
    using WB = WordBreak;
    using SB = SentenceBreak;
    bool const cluster_ends = is(found.cluster, {GCB::Other, GCB::Control, GCB::CR, GCB::LF});
    bool const cluster_begins = !is(found.cluster, {GCB::Extend, GCB::SpacingMark, GCB::ZWJ});
    unsigned flags = 0;
    if (is(found.sentence, {SB::ATerm, SB::STerm, SB::Sep, SB::CR, SB::LF})) flags |= may_end_sentence;
    if (cluster_ends) flags |= ends_cluster;
    if (cluster_begins) flags |= begins_cluster;
    if (cluster_ends && is(found.word, {WB::Other, WB::WSegSpace, WB::Newline, WB::CR, WB::LF})) flags |= ends_word;
    if (cluster_begins && !is(found.word, {WB::Extend, WB::Format, WB::ZWJ, WB::WSegSpace})) flags |= begins_word;
    return static_cast<std::uint8_t>(flags);
}

BreakClass class_of(const Run& run) {
    auto const& fields = run.fields;
    BreakClass found{static_cast<ClusterBreak>(fields[0]),
                     static_cast<WordBreak>(fields[1]),
                     static_cast<SentenceBreak>(fields[2]),
                     static_cast<ConjunctBreak>(fields[3]),
                     fields[4] != 0,
                     fields[5] != 0,
                     fields[6] != 0,
                     0};
    found.alone = alone(found);
    return found;
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

const BreakClasses& BreakClasses::make() {
    static const BreakClasses made;
    made_.store(&made, std::memory_order_release);
    return made;
}

}  // namespace chunker
