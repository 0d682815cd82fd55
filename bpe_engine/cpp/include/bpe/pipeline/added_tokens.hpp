// Added tokens: looked for in the text before anything else.
//
//     "a <mask> b"   with <mask> and lstrip       "a" | " <mask>" | " b"
//
// Of tokens that overlap the leftmost counts, then the longest. One that is found but not wanted, because it is special and nobody allowed it, or
// stands inside a word, is plain text; what overlaps it is still not looked for again.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

struct AddedToken {
    std::string text;
    std::uint32_t id = 0;
    bool special = true;
    bool lstrip = false, rstrip = false;  // it takes the white space on that side along
    bool single_word = false;             // not found inside a word
    bool normalized = false;              // looked for after the others, in the regions that they leave
    std::string sought = {};              // the text to search, if it is not `text`
};

class AddedTokens {
public:
    struct Match {
        std::size_t start = static_cast<std::size_t>(-1), end = 0;  // with the white space that it takes along
        std::uint32_t number = 0;                                   // of the token
        std::size_t certain = 0;                                    // no token begins before this, whatever follows the limit
        bool is_found() const { return start != static_cast<std::size_t>(-1); }
    };
    // By number, whether a special token is found. Empty: none is.
    using Wanted = std::vector<std::uint8_t>;

    AddedTokens() = default;
    // Searches those of `tokens` that are `normalized`, or those that are not.
    AddedTokens(const std::vector<AddedToken>& tokens, bool normalized);

    bool any() const { return nodes_.size() > 1; }
    // Whether some token is found though nobody asks for it.
    bool finds_always() const { return finds_always_; }
    // Whether a token that stands for a whole word may begin with a byte: then what stands before matters.
    bool looks_back(Byte first) const { return words_begin_[first]; }
    bool looks_back() const { return looks_back_; }
    bool finds(const Wanted& wanted) const { return any() && (finds_always_ || !wanted.empty()); }

    // The progress of a search: no added token begins before `place`, and text[spaces:place) is white space, which a token at `place` may take along.
    struct Searched {
        std::size_t place = 0, spaces = 0;
    };
    // The first token in text[from:limit) that is wanted or not special. `begin`: where the text begins. With `at_end` it ends at `limit`; else a token is
    // found only where it is one whatever follows. `searched`: by earlier searches of a text that has grown since, and now by this one.
    Match find(const Byte* text, std::size_t begin, std::size_t from, std::size_t limit, bool at_end, const Wanted& wanted, Searched* searched = nullptr) const;

private:
    struct Flags {
        bool special, lstrip, rstrip, single_word;
    };
    struct Node {
        std::int32_t token = -1;
        std::uint32_t first_edge = 0;
        std::uint16_t edges = 0;
    };
    struct Edge {
        Byte byte;
        std::uint32_t node;
    };
    const Edge* edge(const Node& node, Byte byte) const;

    std::vector<Flags> flags_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::array<bool, 256> begins_{}, words_begin_{};
    int sole_first_ = -1;  // the byte with which all of them begin; -1: there are several
    bool finds_always_ = false, looks_back_ = false, takes_before_ = false;
};

}  // namespace bpe
