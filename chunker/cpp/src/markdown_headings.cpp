#include "chunker/markdown_headings.hpp"

#include <algorithm>
#include <utility>

#include "chunker/constants.hpp"

namespace chunker::markdown {

namespace {

constexpr std::size_t deepest_level = markdown_headings::deepest_level;

bool is_in_anchor(char32_t character) { return formats::is_letter(character) || formats::is_digit(character) || character == '-' || character == '_'; }

// The heading without an anchor at its end, "{ #name }" of ASCII, which documentation tools write after most of them.
formats::Text without_anchor(formats::Text heading) {
    std::size_t at = heading.size();
    auto const skip = [&](auto&& is_skipped) {
        std::size_t const end = at;
        while (at > 0 && is_skipped(heading[at - 1])) --at;
        return at < end;
    };
    auto const take = [&](char32_t mark) { return at > 0 && heading[--at] == mark; };
    if (!take('}')) return heading;
    skip(formats::is_blank);
    if (!skip(is_in_anchor) || !take('#')) return heading;
    skip(formats::is_blank);
    if (!take('{') || at == 0 || !formats::is_blank(heading[at - 1])) return heading;
    return heading.substr(0, formats::stripped(heading, 0, at));
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> plain_heading(formats::Text heading) {
    heading = without_anchor(heading.substr(0, formats::stripped(heading, 0, heading.size())));
    std::size_t const end = heading.size();
    std::size_t start = formats::skip_while(heading, 0, [](char32_t character) { return formats::is_blank(character) || character == '>'; });
    std::size_t const after_marks = formats::skip_while(heading, start, [](char32_t character) { return character == '#'; });
    if (after_marks - start <= deepest_level && (after_marks == end || formats::is_space(heading[after_marks])))
        start = formats::skip_while(heading, after_marks, formats::is_space);
    bool is_spaced = false;
    for (char32_t const character : heading.substr(start)) {
        if (character == '[' || character == '{' || (formats::is_space(character) && (is_spaced || character != ' '))) return std::nullopt;
        is_spaced = character == ' ';
    }
    if (start < end && formats::Text(U"#=-").find(heading[end - 1]) != formats::none) return std::nullopt;
    return std::pair(start, end);
}

std::vector<Region> nested_regions(const std::vector<Heading>& headings, const std::vector<bool>& have_names, const std::vector<Table>& tables,
                                   std::size_t size) {
    std::vector<Region> regions;
    for (std::size_t number = 0; number < tables.size(); ++number) regions.push_back({tables[number].start, tables[number].end, number, true});
    std::vector<std::pair<int, std::size_t>> ends;  // level and start of the later headings that end earlier sections
    for (std::size_t number = headings.size(); number-- > 0;) {
        Heading const& heading = headings[number];
        while (!ends.empty() && ends.back().first > heading.level) ends.pop_back();
        if (have_names[number]) regions.push_back({heading.start, ends.empty() ? size : ends.back().second, number, false});
        ends.emplace_back(heading.level, heading.start);
    }
    std::stable_sort(regions.begin(), regions.end(),
                     [](const Region& one, const Region& other) { return one.start != other.start ? one.start < other.start : one.end > other.end; });
    std::vector<Region> nested;
    std::vector<std::size_t> around;  // where the regions around the next one end
    for (Region region : regions) {
        while (!around.empty() && around.back() <= region.start) around.pop_back();
        if (!around.empty()) region.end = std::min(region.end, around.back());
        if (region.end <= region.start) continue;
        nested.push_back(region);
        around.push_back(region.end);
    }
    return nested;
}

}  // namespace chunker::markdown
