#include "chunker/separators.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace chunker {

namespace {

std::string_view bytes_of(const Text& text) { return {reinterpret_cast<const char*>(text.data()), text.place(text.size())}; }

// Matches the runs of a separator at `at`. Returns the end of the match, in bytes; npos if there is none.
std::size_t end_of(const std::vector<Run>& runs, std::string_view text, std::size_t at) {
    for (Run const& run : runs) {
        std::size_t number = 0;
        for (; number < run.most && text.compare(at, run.text.size(), run.text) == 0; ++number) at += run.text.size();
        if (number < run.least) return text.npos;
    }
    return at;
}

}  // namespace

// The first separators, so many, by the string that each begins with, as a tree of bytes.
class Beginnings {
public:
    Beginnings(const std::vector<std::vector<Run>>& separators, std::size_t number) : next_rank_(number, none) {
        for (std::size_t rank = 0; rank < number; ++rank)
            if (!separators[rank].empty()) put(separators[rank][0].text, rank);
    }

    // The first place from `at` on where one could begin; the end of the text if there is none.
    std::size_t next(std::string_view text, std::size_t at) const {
        if (first_bytes_.size() == 1) return std::min(text.find(first_bytes_[0], at), text.size());
        if (first_bytes_.empty()) return text.size();
        if (first_bytes_.size() <= few) at = skipped(text, at);
        while (at < text.size() && !roots_[static_cast<unsigned char>(text[at])]) ++at;
        return at;
    }

    // Calls `found` with the rank of each separator whose first string is at `at`, a place where one could begin.
    template <typename Found>
    void each(std::string_view text, std::size_t at, Found found) const {
        std::size_t node = roots_[static_cast<unsigned char>(text[at])];
        while (node) {
            for (std::size_t rank = nodes_[node].rank; rank != none; rank = next_rank_[rank]) found(rank);
            node = ++at < text.size() ? child(node, text[at]) : 0;
        }
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1), few = 3;

    struct Node {
        char byte = 0;
        std::size_t child = 0, sibling = 0;
        std::size_t rank = none;  // the last separator that begins with this string; then next_rank_
    };

    std::size_t child(std::size_t node, char byte) const {
        node = nodes_[node].child;
        while (node && nodes_[node].byte != byte) node = nodes_[node].sibling;
        return node;
    }

    // Past blocks without any of a few bytes. More than 16 at a time, as gcc unrolls shorter loops and then makes no vector instructions of them.
    std::size_t skipped(std::string_view text, std::size_t at) const {
        constexpr std::size_t block = 32;
        char const one = first_bytes_.front(), other = first_bytes_[1], third = first_bytes_.back();
        for (; at + block <= text.size(); at += block) {
            unsigned char found = 0;
            for (std::size_t place = at; place < at + block; ++place) found |= (text[place] == one) | (text[place] == other) | (text[place] == third);
            if (found) break;
        }
        return at;
    }

    void put(std::string_view text, std::size_t rank) {
        std::size_t* root = &roots_[static_cast<unsigned char>(text[0])];
        if (!*root) {
            *root = added({text[0]});
            first_bytes_ += text[0];
        }
        std::size_t node = *root;
        for (char const byte : text.substr(1)) {
            std::size_t next = child(node, byte);
            if (!next) {
                next = added({byte, 0, nodes_[node].child});
                nodes_[node].child = next;
            }
            node = next;
        }
        next_rank_[rank] = std::exchange(nodes_[node].rank, rank);
    }

    std::size_t added(Node node) {
        nodes_.push_back(node);
        return nodes_.size() - 1;
    }

    std::array<std::size_t, 256> roots_{};
    std::string first_bytes_;
    std::vector<std::size_t> next_rank_;
    std::vector<Node> nodes_{1};  // 0 is that of no string
};

namespace {

bool is_before(const SeparatedPart& one, const SeparatedPart& other) { return std::tie(one.start, one.rank) < std::tie(other.start, other.rank); }

// Keeps the best separator of each cut.
void put_in_order(std::vector<SeparatedPart>& parts) {
    if (!std::is_sorted(parts.begin(), parts.end(), is_before)) std::sort(parts.begin(), parts.end(), is_before);
    auto const are_at_one = [](SeparatedPart const& one, SeparatedPart const& other) { return one.start == other.start; };
    parts.erase(std::unique(parts.begin(), parts.end(), are_at_one), parts.end());
}

char32_t character_of(const std::vector<Run>& runs) {
    if (runs.size() != 1 || runs[0].least != 1 || runs[0].most != 1) return 0;
    Text const text(reinterpret_cast<const unsigned char*>(runs[0].text.data()), runs[0].text.size());
    return text.size() == 1 ? text[0] : 0;
}

}  // namespace

Separators::Separators(std::vector<std::vector<Run>> separators, Side side) : separators_(std::move(separators)), side_(side) {
    if (!separators_.empty()) finest_ = character_of(separators_.back());
    beginnings_ = std::make_unique<Beginnings>(separators_, size() - (finest_ != 0));
}

Separators::~Separators() = default;

// The cuts inside a text at all separators but the last one, if that is a character.
std::vector<SeparatedPart> Separators::found(const Text& text, const Cuts& cuts) const {
    std::vector<SeparatedPart> parts;
    std::string_view const bytes = bytes_of(text);
    std::vector<std::size_t> free_from(size());  // occurrences of a separator do not overlap
    for (std::size_t at = 0; (at = beginnings_->next(bytes, at)) < bytes.size(); ++at) {
        beginnings_->each(bytes, at, [&](std::size_t rank) {
            if (at < free_from[rank]) return;
            std::size_t const end = end_of(separators_[rank], bytes, at);
            if (end == bytes.npos) return;
            free_from[rank] = end;
            std::size_t const cut = side_ == Side::before ? at : end;
            if (cut == 0 || cut == bytes.size()) return;
            if (!parts.empty() && parts.back().start == cut) parts.back().rank = std::min(parts.back().rank, rank);
            else parts.push_back({cut, rank, false});
        });
    }
    put_in_order(parts);
    for (SeparatedPart& part : parts) part.start = text.offset_at(part.start);
    std::size_t const plain = parts.size();
    for (std::size_t rank = 0; rank < cuts.size(); ++rank)
        for (std::size_t const cut : cuts[rank])
            if (cut > 0 && cut < text.size()) parts.push_back({cut, rank, false});
    if (parts.size() > plain) put_in_order(parts);
    return parts;
}

std::vector<std::size_t> Separators::inside(const Text& text, std::size_t start, std::size_t end) const {
    std::vector<std::size_t> cuts;
    cuts.reserve((end - start) / 4);
    Characters const part = text.part(start, end);
    for (auto found = std::find(part.begin(), part.end(), finest_); found != part.end(); found = std::find(found + 1, part.end(), finest_)) {
        std::size_t const cut = start + static_cast<std::size_t>(found - part.begin()) + (side_ == Side::after);
        if (cut > start && cut < end) cuts.push_back(cut);
    }
    return cuts;
}

std::vector<SeparatedPart> Separators::parts(const Text& text, const Cuts& cuts, std::size_t most, bool& first_closed) const {
    std::vector<SeparatedPart> parts = found(text, cuts);
    first_closed = false;
    if (finest_ == 0) return parts;
    std::vector<SeparatedPart> opened;
    std::size_t start = 0;
    for (std::size_t number = 0; number <= parts.size(); ++number) {
        bool const is_last = number == parts.size();
        std::size_t const end = is_last ? text.size() : parts[number].start;
        bool const closed = end - start <= most;
        if (opened.empty()) first_closed = closed;
        else opened.back().closed = closed;
        if (!closed)
            for (std::size_t const cut : inside(text, start, end)) opened.push_back({cut, size() - 1, false});
        if (is_last) break;
        opened.push_back(parts[number]);
        start = end;
    }
    return opened;
}

}  // namespace chunker
