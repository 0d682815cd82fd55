// Grapheme clusters of Unicode 17: characters as a reader sees them. Tables: scripts/build_cluster_tables.py.
//
//     "e\u0301a\r\n"     e\u0301 | a | \r\n
//
// The rules are those of Unicode Standard Annex 29 (GB3 to GB13). They look back to the start of the cluster, and ahead at one character.
#pragma once

#include <cstdint>
#include <vector>

namespace bpe {

enum class ClusterClass : std::uint8_t {
    other,
    carriage_return,
    line_feed,
    control,
    extend,
    joiner,
    spacing,
    prepend,
    regional,
    leading,
    vowel,
    trailing,
    open_syllable,
    closed_syllable
};

class ClusterTable {
public:
    static const ClusterTable& instance();

    struct Properties {
        ClusterClass kind = ClusterClass::other;
        bool pictographic = false, consonant = false, linker = false, conjunct_extend = false;
    };
    // A code beyond Unicode is a character like any other.
    Properties of(char32_t code) const;

private:
    ClusterTable();
    std::vector<std::uint8_t> blocks_;   // of each 256 characters
    std::vector<std::uint8_t> entries_;  // of each character of each distinct block
};

// Reports for one character after the other whether it starts a cluster.
class ClusterBreaks {
public:
    bool begins(char32_t code);
    // Whether clusters after `code`, the last character, begin where they do in a text that begins with it.
    bool goes_on_alone(char32_t code) const;

private:
    static bool joined(ClusterClass before, ClusterClass after);

    bool is_first_ = true;
    ClusterClass before_ = ClusterClass::other;
    bool odd_regional_ = false;
    std::uint8_t emoji_ = 0;     // 1: a pictograph and its extensions; 2: a joiner after these
    std::uint8_t conjunct_ = 0;  // 1: a consonant and its extensions; 2: with a linker
};

}  // namespace bpe
