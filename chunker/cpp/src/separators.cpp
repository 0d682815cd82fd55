#include "chunker/separators.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chunker {

std::vector<std::size_t> cuts_at(const Text& text, std::size_t start, std::size_t end, std::string_view literal, Side side) {
    std::vector<std::size_t> cuts;
    std::size_t const first = text.place(start);
    std::string_view const part(reinterpret_cast<const char*>(text.data()) + first, text.place(end) - first);
    // Offsets are counted on from cut to cut: bytes that go on with a character are none.
    std::size_t offset = start, counted = 0;
    for (std::size_t at = part.find(literal); at != part.npos; at = part.find(literal, at + literal.size())) {
        std::size_t const cut = side == Side::before ? at : at + literal.size();
        for (; counted < cut; ++counted) offset += (static_cast<unsigned char>(part[counted]) & 0xC0) != 0x80;
        cuts.push_back(offset);
    }
    return cuts;
}

std::vector<SeparatedPart> separated_parts(const Text& text, const std::vector<Separator>& separators, Side side, std::size_t most, bool& first_closed) {
    std::vector<SeparatedPart> parts;
    std::size_t const last = most > 0 ? separators.size() - 1 : separators.size();
    for (std::size_t rank = 0; rank < last; ++rank) {
        Separator const& separator = separators[rank];
        std::size_t const before = parts.size();
        for (std::size_t const cut : separator.literal.empty() ? separator.cuts : cuts_at(text, 0, text.size(), separator.literal, side))
            if (cut > 0 && cut < text.size()) parts.push_back({cut, rank, false});
        // The better one stands first, and stays.
        std::inplace_merge(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end(),
                           [](SeparatedPart const& one, SeparatedPart const& other) { return one.start < other.start; });
        parts.erase(std::unique(parts.begin(), parts.end(), [](SeparatedPart const& one, SeparatedPart const& other) { return one.start == other.start; }),
                    parts.end());
    }
    if (most == 0) return parts;
    std::vector<SeparatedPart> opened;
    std::size_t start = 0;
    for (std::size_t number = 0; number <= parts.size(); ++number) {
        bool const is_last = number == parts.size();
        std::size_t const end = is_last ? text.size() : parts[number].start;
        bool const closed = end - start <= most;
        if (opened.empty()) first_closed = closed;
        else opened.back().closed = closed;
        if (!closed)
            for (std::size_t const cut : cuts_at(text, start, end, separators[last].literal, side))
                if (cut > start && cut < end) opened.push_back({cut, last, false});
        if (is_last) break;
        opened.push_back(parts[number]);
        start = end;
    }
    return opened;
}

}  // namespace chunker
