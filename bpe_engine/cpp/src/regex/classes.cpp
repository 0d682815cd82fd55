#include <algorithm>
#include <map>

#include "bpe/regex/code.hpp"

namespace bpe::regex {

namespace {

constexpr std::size_t most_classes = 2000;

}  // namespace

Classes::Classes(const std::vector<CharacterSet>& sets) {
    // At the start and end of a set, its bit in the signature of the following characters changes.
    std::vector<std::pair<char32_t, std::uint32_t>> switches;
    for (std::uint32_t set = 0; set < sets.size(); ++set)
        for (CharacterRange const range : sets[set].ranges()) {
            switches.emplace_back(range.first, set);
            switches.emplace_back(range.last + 1, set);
        }
    // The character for bytes that are not UTF-8 has a run of its own.
    std::sort(switches.begin(), switches.end());
    std::vector<std::uint64_t> signature((sets.size() + 63) / 64);
    std::map<std::vector<std::uint64_t>, ClassNumber> numbers;
    struct Run {
        char32_t first;
        ClassNumber number;
    };
    std::vector<Run> runs;
    std::vector<std::vector<std::uint64_t>> signatures;
    auto const run_from = [&](char32_t first) {
        auto const [found, is_new] = numbers.try_emplace(signature, static_cast<ClassNumber>(numbers.size()));
        if (is_new) {
            if (numbers.size() > most_classes)
                throw UnsupportedPattern("the pattern tells more than " + std::to_string(most_classes) + " kinds of characters apart");
            signatures.push_back(signature);
            sizes_.push_back(0);
        }
        runs.push_back({first, found->second});
    };
    std::size_t next = 0;
    for (char32_t first = 0; first <= invalid_character;) {
        for (; next < switches.size() && switches[next].first == first; ++next)
            signature[switches[next].second / 64] ^= std::uint64_t{1} << switches[next].second % 64;
        run_from(first);
        char32_t const end = next < switches.size() ? switches[next].first : invalid_character + 1;
        sizes_[runs.back().number] += end - first;
        first = end;
    }
    count_ = numbers.size();
    members_.assign(sets.size(), ClassSet(count_));
    for (std::size_t number = 0; number < signatures.size(); ++number)
        for (std::size_t set = 0; set < sets.size(); ++set)
            if (signatures[number][set / 64] >> set % 64 & 1) members_[set].insert(number);

    std::map<std::vector<ClassNumber>, std::uint16_t> pages;
    std::vector<ClassNumber> page(256);
    std::size_t run = 0;
    constexpr std::uint16_t no_page = 0xFFFF;
    std::vector<std::uint16_t> uniform(count_, no_page);  // pages of one class: most are
    for (char32_t start = 0; start < 0x110000; start += 256) {
        while (run + 1 < runs.size() && runs[run + 1].first <= start) ++run;
        bool const is_uniform = run + 1 == runs.size() || runs[run + 1].first >= start + 256;
        std::uint16_t& known = uniform[runs[run].number];
        if (is_uniform && known != no_page) {
            page_of_[start >> 8] = known;
            continue;
        }
        for (char32_t code = start; code < start + 256; ++code) {
            while (run + 1 < runs.size() && runs[run + 1].first <= code) ++run;
            page[code - start] = runs[run].number;
        }
        auto const [found, is_new] = pages.try_emplace(page, static_cast<std::uint16_t>(pages.size()));
        if (is_new) pages_.insert(pages_.end(), page.begin(), page.end());
        page_of_[start >> 8] = found->second;
        if (is_uniform) known = found->second;
    }
    invalid_ = runs.back().number;
    std::copy_n(pages_.begin() + (static_cast<std::ptrdiff_t>(page_of_[0]) << 8), 128, ascii_.begin());
}

}  // namespace bpe::regex
