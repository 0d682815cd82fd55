#include "chunker/markdown_headings.hpp"

#include <algorithm>
#include <utility>

namespace chunker::markdown {

namespace {

constexpr std::size_t deepest_level = 6;  // of a heading

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> plain_heading(formats::Text heading) {
    std::size_t const end = formats::stripped(heading, 0, heading.size());
    heading = heading.substr(0, end);
    std::size_t start = formats::behind(heading, 0, [](char32_t character) { return formats::is_blank(character) || character == '>'; });
    std::size_t const behind_marks = formats::behind(heading, start, [](char32_t character) { return character == '#'; });
    if (behind_marks - start <= deepest_level && (behind_marks == end || formats::is_space(heading[behind_marks])))
        start = formats::behind(heading, behind_marks, formats::is_space);
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
