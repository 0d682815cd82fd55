#include "chunker/code_lines.hpp"

#include <algorithm>
#include <functional>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr std::string_view blanks = " \t";

// The place of the character that fewest texts have often: a letter that is rare in English, or rather none at all.
std::size_t rarest(std::string_view mark) {
    constexpr std::string_view frequent_first = " etaoinsrhldcumfpgwybvkxjqz";
    auto const rarity = [&](char character) { return std::min(frequent_first.find(character), frequent_first.size()); };
    auto const found = std::max_element(mark.begin(), mark.end(), [&](char left, char right) { return rarity(left) < rarity(right); });
    return static_cast<std::size_t>(found - mark.begin());
}

std::size_t characters(std::string_view text) {
    return count_bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size(), [](unsigned char byte) { return !continues(byte); });
}

}  // namespace

CodeLines::CodeLines(std::vector<std::pair<std::string, Languages>> words, const std::vector<std::pair<std::string, Languages>>& marks)
    : words_(std::move(words)) {
    std::sort(words_.begin(), words_.end(), std::greater<>());
    for (std::uint32_t index = 0; index < words_.size(); ++index) {
        auto& [from, to] = by_first_[static_cast<unsigned char>(words_[index].first.at(0))];
        if (to == 0) from = index;
        to = index + 1;
    }
    for (auto const& [mark, languages] : marks) marks_.push_back({mark, languages, rarest(mark)});
}

CodeLines::Languages CodeLines::languages_of(std::string_view line) const {
    std::size_t const start = line.find_first_not_of(blanks);
    if (start == std::string_view::npos) return 0;
    line.remove_prefix(start);
    auto const [from, to] = by_first_[static_cast<unsigned char>(line.front())];
    for (std::uint32_t index = from; index < to; ++index)
        if (line.starts_with(words_[index].first)) return words_[index].second;
    return 0;
}

std::vector<CodeLines::Line> CodeLines::find(std::string_view text, std::size_t longest) const {
    auto const line_from = [&](std::size_t start) { return text.substr(start, std::min(text.find('\n', start), text.size()) - start); };
    std::vector<std::pair<std::size_t, Languages>> starts;
    for (std::size_t start = 0; start < text.size();) {
        std::string_view const line = line_from(start);
        if (Languages const languages = languages_of(line)) starts.emplace_back(start, languages);
        start += line.size() + 1;
    }
    std::size_t const with_words = starts.size();
    for (Mark const& mark : marks_)
        for (std::size_t place = 0; (place = text.find(mark.text[mark.rarest], place)) != std::string_view::npos; ++place) {
            if (place < mark.rarest || text.substr(place - mark.rarest, mark.text.size()) != mark.text) continue;
            std::size_t const before = text.rfind('\n', place);
            std::size_t const start = before == std::string_view::npos ? 0 : before + 1;
            starts.emplace_back(start, mark.languages);
            place = start + line_from(start).size();
        }
    if (starts.size() > with_words) std::sort(starts.begin(), starts.end());
    std::vector<Line> found;
    for (std::size_t index = 0; index < starts.size();) {
        std::size_t const start = starts[index].first;
        Languages languages = 0;
        for (; index < starts.size() && starts[index].first == start; ++index) languages |= starts[index].second;
        std::string_view const line = line_from(start);
        if (line.size() <= longest || characters(line) <= longest) found.push_back({line, languages});
    }
    return found;
}

}  // namespace chunker
