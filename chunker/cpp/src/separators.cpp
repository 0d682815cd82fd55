#include "chunker/separators.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

std::string_view bytes_of(const Text& text) { return {reinterpret_cast<const char*>(text.data()), text.place(text.size())}; }

// Where the runs of a separator that begin at `at` end; npos if they are not there.
std::size_t end_of(const std::vector<Run>& runs, std::string_view text, std::size_t at) {
    for (Run const& run : runs) {
        std::size_t number = 0;
        for (; number < run.most && text.compare(at, run.text.size(), run.text) == 0; ++number) at += run.text.size();
        if (number < run.least) return text.npos;
    }
    return at;
}

// The separators that begin with a byte, by that byte.
class Beginnings {
public:
    struct One {
        std::size_t rank, free_from;  // occurrences of a separator do not overlap
        int second;                   // the byte that must follow; -1 if several can
    };

    Beginnings(const std::vector<Separator>& separators, std::size_t number) {
        for (std::size_t rank = 0; rank < number; ++rank) {
            if (separators[rank].runs.empty()) continue;
            std::string const& first = separators[rank].runs[0].text;
            with_[static_cast<unsigned char>(first[0])].push_back({rank, 0, first.size() > 1 ? static_cast<unsigned char>(first[1]) : -1});
        }
        for (std::size_t byte = 0; byte < with_.size(); ++byte) any_[byte] = !with_[byte].empty();
    }

    // The first place from `at` on where one could begin; the end of the text if there is none.
    std::size_t next(std::string_view text, std::size_t at) const {
        while (at < text.size() && !any_[static_cast<unsigned char>(text[at])]) ++at;
        return at;
    }
    // The best one first.
    std::vector<One>& at(char byte) { return with_[static_cast<unsigned char>(byte)]; }

private:
    std::array<std::vector<One>, 256> with_;
    std::array<bool, 256> any_{};
};

// From offsets in bytes, which ascend, to those in characters.
void count_characters(std::vector<SeparatedPart>& parts, const Text& text) {
    unsigned char const* const data = text.data();
    std::size_t counted = 0, offset = 0;
    for (SeparatedPart& part : parts) {
        offset += part.start - counted - static_cast<std::size_t>(std::count_if(data + counted, data + part.start, continues));
        counted = std::exchange(part.start, offset);
    }
}

bool is_before(const SeparatedPart& one, const SeparatedPart& other) { return std::tie(one.start, one.rank) < std::tie(other.start, other.rank); }

// Keeps the best separator of each cut.
void put_in_order(std::vector<SeparatedPart>& parts) {
    if (!std::is_sorted(parts.begin(), parts.end(), is_before)) std::sort(parts.begin(), parts.end(), is_before);
    auto const are_at_one = [](SeparatedPart const& one, SeparatedPart const& other) { return one.start == other.start; };
    parts.erase(std::unique(parts.begin(), parts.end(), are_at_one), parts.end());
}

// The cuts inside a text at the first separators, so many.
std::vector<SeparatedPart> all_cuts(const Text& text, const std::vector<Separator>& separators, std::size_t number, Side side) {
    std::vector<SeparatedPart> parts;
    std::string_view const bytes = bytes_of(text);
    Beginnings beginnings(separators, number);
    for (std::size_t at = 0; (at = beginnings.next(bytes, at)) < bytes.size(); ++at) {
        int const second = at + 1 < bytes.size() ? static_cast<unsigned char>(bytes[at + 1]) : -1;
        for (Beginnings::One& one : beginnings.at(bytes[at])) {
            if (at < one.free_from || (one.second >= 0 && one.second != second)) continue;
            std::size_t const end = end_of(separators[one.rank].runs, bytes, at);
            if (end == bytes.npos) continue;
            one.free_from = end;
            std::size_t const cut = side == Side::before ? at : end;
            if (cut > 0 && cut < bytes.size()) parts.push_back({cut, one.rank, false});
        }
    }
    put_in_order(parts);
    if (bytes.size() > text.size()) count_characters(parts, text);
    std::size_t const found = parts.size();
    for (std::size_t rank = 0; rank < number; ++rank)
        for (std::size_t const cut : separators[rank].cuts)
            if (cut > 0 && cut < text.size()) parts.push_back({cut, rank, false});
    if (parts.size() > found) put_in_order(parts);
    return parts;
}

}  // namespace

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
    std::size_t const last = most > 0 ? separators.size() - 1 : separators.size();
    std::vector<SeparatedPart> parts = all_cuts(text, separators, last, side);
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
            for (std::size_t const cut : cuts_at(text, start, end, separators[last].literal(), side))
                if (cut > start && cut < end) opened.push_back({cut, last, false});
        if (is_last) break;
        opened.push_back(parts[number]);
        start = end;
    }
    return opened;
}

}  // namespace chunker
