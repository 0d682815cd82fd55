#include "bpe/pipeline/added_tokens.hpp"

#include <cstring>
#include <algorithm>
#include <map>
#include <stdexcept>

#include "bpe/grammar.hpp"
#include "bpe/regex/character_set.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

bool is_space(const Byte* text, std::size_t place, std::size_t limit) { return UnicodeTable::instance().at(text, place, limit).flags & space_class; }

}  // namespace

bool AddedTokens::is_of_word(char32_t code) {
    static const regex::CharacterSet words = [] {
        regex::CharacterSet set = regex::word_characters();
        (void)set.ranges();  // sorted by now, for all threads
        return set;
    }();
    return words.contains(code);
}

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, bool normalized) {
    struct Building {
        std::map<Byte, std::size_t> edges;
        std::int32_t token = -1;
    };
    std::vector<Building> building(1);
    for (std::size_t number = 0; number < tokens.size(); ++number) {
        AddedToken const& token = tokens[number];
        flags_.push_back({token.special, token.lstrip, token.rstrip, token.single_word});
        if (token.normalized != normalized) continue;
        std::string const& sought = token.sought.empty() ? token.text : token.sought;
        if (sought.empty()) throw std::invalid_argument("an added token has at least one character");
        std::size_t node = 0;
        for (char const character : sought) {
            auto const [found, is_new] = building[node].edges.emplace(static_cast<Byte>(character), building.size());
            node = found->second;
            if (is_new) building.emplace_back();
        }
        building[node].token = static_cast<std::int32_t>(number);  // of two tokens with one text the last counts
        begins_[static_cast<Byte>(sought[0])] = true;
        if (token.single_word) words_begin_[static_cast<Byte>(sought[0])] = looks_back_ = true;
        finds_always_ = finds_always_ || !token.special;
        takes_before_ = takes_before_ || token.lstrip;
        takes_after_ = takes_after_ || token.rstrip;
        longest_ = std::max(longest_, sought.size());
    }
    if (building[0].edges.size() == 1) sole_first_ = building[0].edges.begin()->first;
    for (Building const& node : building) {
        nodes_.push_back({node.token, static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint16_t>(node.edges.size())});
        for (auto const& [byte, next] : node.edges) edges_.push_back({byte, static_cast<std::uint32_t>(next)});
    }
    note_starts();
    for (AddedToken const& token : tokens)
        if (token.normalized == normalized && (token.special || token.single_word))
            hides_ = hides_ || may_begin_inside(token.sought.empty() ? token.text : token.sought);
}

bool AddedTokens::may_begin_inside(const std::string& text) const {
    for (std::size_t start = 1; start < text.size(); ++start) {
        std::uint32_t node = 0;
        for (std::size_t at = start;; ++at) {
            if (nodes_[node].token >= 0 || at == text.size()) return true;
            Edge const* const next = edge(nodes_[node], static_cast<Byte>(text[at]));
            if (!next) break;
            node = next->node;
        }
    }
    return false;
}

void AddedTokens::note_starts() {
    std::size_t number = 0;
    Node const& root = nodes_[0];
    for (std::size_t index = root.first_edge; index < root.first_edge + root.edges; ++index) {
        if (number == starts_.size()) return;
        Node const& node = nodes_[edges_[index].node];
        bool const is_one = node.edges == 1 && node.token < 0;
        starts_[number++] = {edges_[index].byte, is_one ? edges_[node.first_edge].byte : Byte{0}, static_cast<Byte>(is_one ? 0xFF : 0)};
    }
    if (number == 0) return;
    has_few_starts_ = true;
    std::fill(starts_.begin() + static_cast<std::ptrdiff_t>(number), starts_.end(), starts_[number - 1]);
}

std::size_t AddedTokens::next_start(const Byte* text, std::size_t place, std::size_t limit) const {
    if (sole_first_ >= 0 && starts_[0].mask == 0) {
        void const* const found = std::memchr(text + place, sole_first_, limit - place);
        return found ? static_cast<std::size_t>(static_cast<const Byte*>(found) - text) : limit;
    }
    constexpr std::size_t block = 32;
    if (has_few_starts_ && limit - place > 2 * block) {
        // Where tokens are dense, the next one starts within a few bytes: no block is worth reading.
        for (std::size_t const near = place + 8; place < near; ++place)
            if (begins_[text[place]]) return place;
        // A loop that compilers turn into one over many bytes at once.
        for (; limit - place > block; place += block) {
            Byte found = 0;
            for (std::size_t at = 0; at < block; ++at)
                for (Start const& start : starts_)
                    found |= static_cast<Byte>((text[place + at] == start.first) & ((text[place + at + 1] & start.mask) == start.second));
            if (found) break;
        }
    }
    while (place < limit && !begins_[text[place]]) ++place;
    return place;
}

const AddedTokens::Edge* AddedTokens::edge(const Node& node, Byte byte) const {
    for (std::size_t index = node.first_edge; index < node.first_edge + node.edges; ++index)
        if (edges_[index].byte == byte) return &edges_[index];
    return nullptr;
}

AddedTokens::Match AddedTokens::find(const Byte* text, std::size_t begin, std::size_t from, std::size_t limit, bool at_end, const Wanted& wanted,
                                     Searched* searched, std::vector<Span>* unwanted) const {
    UnicodeTable const& table = UnicodeTable::instance();
    Match match;
    auto const before_space = [&](std::size_t place) {
        while (place > from) {
            count_step();
            if (searched && place == searched->place && searched->spaces < place) return std::max(from, searched->spaces);
            std::size_t const last = character_before(text, place, from);
            if (!is_space(text, last, place)) break;
            place = last;
        }
        return place;
    };
    auto const open = [&](std::size_t place) {
        match.certain = takes_before_ ? before_space(place) : place;
        if (searched && !at_end) *searched = {place, match.certain};
        return match;
    };
    for (std::size_t place = searched ? std::max(from, searched->place) : from; place < limit; ++place) {
        count_step();
        place = next_start(text, place, limit);
        if (place == limit) break;
        std::uint32_t node = 0;
        std::int32_t longest = -1;
        std::size_t end = place, at = place;
        for (; at < limit; ++at) {
            Edge const* const next = edge(nodes_[node], text[at]);
            if (!next) break;
            node = next->node;
            if (nodes_[node].token >= 0) {
                longest = nodes_[node].token;
                end = at + 1;
            }
        }
        // It may go on, as this token or as a longer one.
        if (at == limit && !at_end && nodes_[node].edges > 0) return open(place);
        if (longest < 0) continue;
        auto const number = static_cast<std::uint32_t>(longest);
        Flags const& token = flags_[number];
        bool taken = !token.special || (number < wanted.size() && wanted[number]);
        if (taken && token.single_word) {
            if (end == limit && !at_end) return open(place);
            bool const after_word = place > begin && is_of_word(table.at(text, character_before(text, place, begin), place).code);
            taken = !after_word && !(end < limit && is_of_word(table.at(text, end, limit).code));
        }
        if (taken) {
            match.start = token.lstrip ? before_space(place) : place;
            match.end = end;
            if (token.rstrip) {
                while (match.end < limit && is_space(text, match.end, limit)) match.end += table.at(text, match.end, limit).size;
                if (match.end == limit && !at_end) {
                    match.start = static_cast<std::size_t>(-1);
                    return open(place);
                }
            }
            match.number = number;
            match.certain = match.start;
            return match;
        }
        if (unwanted) unwanted->push_back({place, end});
        place = end - 1;
    }
    return open(limit);
}

bool AddedTokens::end_at(const Byte* text, std::size_t begin, std::size_t place) const {
    for (std::size_t start = place - std::min(place - begin, longest_); start < place; ++start) {
        std::uint32_t node = 0;
        std::size_t at = start;
        for (Edge const* next; at < place && (next = edge(nodes_[node], text[at])); ++at) node = next->node;
        if (at == place && nodes_[node].token >= 0) return true;
    }
    return false;
}

bool AddedTokens::are_away(const Byte* text, std::size_t from, std::size_t to, std::size_t limit) const {
    if (!any()) return true;
    // One may begin before the text, or take all of the white space beside it.
    if (takes_before_ || takes_after_ || from < longest_) return false;
    for (std::size_t place = from - longest_; (place = next_start(text, place, to)) < to; ++place) {
        std::uint32_t node = 0;
        for (std::size_t at = place;; ++at) {
            count_step();
            if (nodes_[node].token >= 0 && at >= from) return false;
            if (at == limit && nodes_[node].edges > 0) return false;
            Edge const* const next = at < limit ? edge(nodes_[node], text[at]) : nullptr;
            if (!next) break;
            node = next->node;
        }
    }
    return true;
}

}  // namespace bpe
