// Added tokens: searched for in the text before any other stage.
//
//     "a <mask> b"   with <mask> and lstrip       "a" | " <mask>" | " b"
//
// Of overlapping tokens the leftmost is found, then the longest. A token that is found but not wanted, because it is special and not allowed, or is
// inside a word, is plain text; still, tokens that overlap it are not found. So no text can be cut inside of it: from there on another might be found.
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
    bool lstrip = false, rstrip = false;  // it includes the white space on that side
    bool single_word = false;             // not found inside a word
    bool normalized = false;              // searched for after the others, in the regions between them
    std::string sought = {};              // the text to search, if it is not `text`
};

class AddedTokens {
public:
    struct Match {
        std::size_t start = static_cast<std::size_t>(-1), end = 0;  // with the white space that it strips
        std::uint32_t number = 0;                                   // of the token
        std::size_t certain = 0;                                    // no token starts before this offset, whatever follows the limit
        bool is_found() const { return start != static_cast<std::size_t>(-1); }
    };
    // Number of a special token -> whether it is found. Empty: none is found.
    using Wanted = std::vector<std::uint8_t>;

    AddedTokens() = default;
    // Searches for those of `tokens` that are `normalized`, or for those that are not.
    AddedTokens(const std::vector<AddedToken>& tokens, bool normalized);

    // \w, as the expressions of `tokenizers` have it: joiners and circled letters are in it, fractions are not.
    static bool is_of_word(char32_t code);

    bool any() const { return nodes_.size() > 1; }
    // Whether a `single_word` token may start with a byte: then the text before it matters.
    bool looks_back(Byte first) const { return words_begin_[first]; }
    bool looks_back() const { return looks_back_; }
    bool finds(const Wanted& wanted) const { return any() && (finds_always_ || !wanted.empty()); }

    // Whether one that is not wanted may hide another that begins inside of it.
    bool hides() const { return hides_; }
    struct Span {
        std::size_t start, end;
    };

    // The progress of a search: no added token starts before `place`, and text[spaces:place) is white space, which a token at `place` may strip.
    struct Searched {
        std::size_t place = 0, spaces = 0;
    };
    // The first token in text[from:limit) that is wanted or not special. `begin`: where the text begins. With `at_end` it ends at `limit`; else a token is
    // found only where it is one whatever follows. `searched`: by earlier searches of a text that has grown since, and now by this one. Those that are not
    // wanted are added to `unwanted`.
    Match find(const Byte* text, std::size_t begin, std::size_t from, std::size_t limit, bool at_end, const Wanted& wanted, Searched* searched = nullptr,
               std::vector<Span>* unwanted = nullptr) const;

    // Whether the text of one ends there.
    bool end_at(const Byte* text, std::size_t begin, std::size_t place) const;
    // Whether no token can touch text[from:to), whatever stands before the text and after `limit`.
    bool are_away(const Byte* text, std::size_t from, std::size_t to, std::size_t limit) const;

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
    // The first one or two bytes of tokens; of shorter ones, and where too many differ, the first alone.
    struct Start {
        Byte first, second, mask;  // second == (byte & mask)
    };
    const Edge* edge(const Node& node, Byte byte) const;
    void note_starts();
    // Whether one may begin inside of this text.
    bool may_begin_inside(const std::string& text) const;
    // The first place from `place` on where a token may begin, or close before it; `limit` if there is none.
    std::size_t next_start(const Byte* text, std::size_t place, std::size_t limit) const;

    std::vector<Flags> flags_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::array<bool, 256> begins_{}, words_begin_{};
    // How tokens start, if there are few ways: the last one fills the rest.
    std::array<Start, 4> starts_{};
    bool has_few_starts_ = false;
    int sole_first_ = -1;  // the first byte of all tokens; -1 if there are several
    bool finds_always_ = false, looks_back_ = false, takes_before_ = false, takes_after_ = false, hides_ = false;
    std::size_t longest_ = 0;  // bytes
};

}  // namespace bpe
