// The pairs of neighbouring characters that a Unigram model may join: no token holds any other pair side by side, so a text can be split there.
#pragma once

#include <unordered_set>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class UnigramJoins {
public:
    // `unknown` is the text of the unknown token if it can be found in a text, otherwise empty; with `parts_unknown` splitting a run of unknown characters
    // does not change its number of tokens.
    UnigramJoins(const std::vector<Bytes>& tokens, Bytes unknown, bool parts_unknown);

    // Whether a token, or a run of unknown characters, may cross the boundary between two characters. Seldom returns true although nothing can cross.
    bool between(char32_t left, char32_t right) const {
        std::uint64_t const bit = bit_of(left, right);
        return (touching_[bit >> 6] >> (bit & 63) & 1) || (!parts_unknown_ && !is_token(left)) || left == unknown_last_;
    }

private:
    static constexpr char32_t basic_plane = 0x10000;
    static constexpr char32_t none = 0xFFFFFFFF;

    bool is_token(char32_t code) const { return code < basic_plane ? tokens_[code] : others_.contains(code); }
    std::uint64_t bit_of(char32_t left, char32_t right) const {
        std::uint64_t const hash = (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15ull;
        return (hash ^ hash >> 29) & (touching_.size() * 64 - 1);
    }

    bool parts_unknown_;
    char32_t unknown_last_ = none;
    std::vector<bool> tokens_ = std::vector<bool>(basic_plane);  // characters that are tokens by themselves
    std::unordered_set<char32_t> others_;                        // those beyond the basic plane
    std::vector<std::uint64_t> touching_;
};

}  // namespace bpe
