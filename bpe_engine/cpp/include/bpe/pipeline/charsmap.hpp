// A compiled table by which SentencePiece normalizes: a trie of texts, and what stands in place of each.
//
//     4 bytes    the size of the trie
//     trie       a double array, four bytes a unit           "ﬁ" -> 17, "ｅ" -> 20
//     texts      one after the other, each up to a zero      17: "fi\0"  20: "e\0"
//
// A unit, from its lowest bit on: a label of 8 bits, whether it has a leaf (bit 8), and from bit 9 on how far its children are; a leaf has the place of its
// text in bits 0 to 30. Source: S. Yata's darts-clone, with which the package `sentencepiece` compiles its rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class Charsmap {
public:
    Charsmap() = default;
    // Throws std::invalid_argument for bytes that are not a table.
    explicit Charsmap(Bytes data);

    bool empty() const { return units_.empty(); }

    struct Match {
        std::size_t size = 0;  // bytes; 0: nothing is known of this text
        Bytes content{};       // the replacement
        bool is_open = false;  // a longer one may be there if the text goes on
    };
    // The shortest or the longest text of the table at the start of `text`. No text of a table holds a zero.
    Match shortest(Bytes text) const { return find(text, false); }
    Match longest(Bytes text) const { return find(text, true); }
    // Of the texts of several characters: the characters after the first one, in any order, repeated. Of all texts: the last character and the replacement.
    struct Texts {
        struct End {
            char32_t last;
            bool is_single;  // the text is this character
            Bytes content;
        };
        std::vector<char32_t> later;
        std::vector<End> ends;
    };
    Texts texts() const;

private:
    Match find(Bytes text, bool longest) const;
    static std::size_t children(std::uint32_t unit) { return static_cast<std::size_t>(unit >> 10) << ((unit & 1u << 9) >> 6); }
    Bytes content_at(std::size_t start) const;

    std::vector<std::uint32_t> units_;
    std::string texts_;
};

}  // namespace bpe
