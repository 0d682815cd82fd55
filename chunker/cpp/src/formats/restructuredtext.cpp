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
        std::size_t ink = start, last = feed, indent = 0;
        for (; ink < feed && (copy[ink] == ' ' || copy[ink] == '\t'); ++ink) indent = copy[ink] == ' ' ? indent + 1 : (indent / tab + 1) * tab;
        while (last > ink && is_space(static_cast<unsigned char>(copy[last - 1]))) --last;
        if (last > ink) lines.push_back({start, ink, end, indent, blank, copy.substr(ink, last - ink)});
        blank = last == ink;
        start = end;
    }
    return lines;
}

}  // namespace chunker::formats
