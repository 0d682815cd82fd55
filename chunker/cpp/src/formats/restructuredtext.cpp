#include "chunker/formats/restructuredtext.hpp"

#include <algorithm>

#include "chunker/formats/text.hpp"

namespace chunker::formats {

std::vector<TextLine> restructuredtext_lines(std::string_view copy, std::size_t start) {
    constexpr std::size_t tab = 8;
    std::vector<TextLine> lines;
    bool blank = true;
    while (start < copy.size()) {
        std::size_t const feed = std::min(copy.find('\n', start), copy.size()), end = std::min(feed + 1, copy.size());
        std::size_t text_start = start, last = feed, indent = 0;
        for (; text_start < feed && (copy[text_start] == ' ' || copy[text_start] == '\t'); ++text_start)
            indent = copy[text_start] == ' ' ? indent + 1 : (indent / tab + 1) * tab;
        while (last > text_start && is_space(copy[last - 1])) --last;
        if (last > text_start) lines.push_back({start, text_start, end, indent, blank, copy.substr(text_start, last - text_start)});
        blank = last == text_start;
        start = end;
    }
    return lines;
}

}  // namespace chunker::formats
