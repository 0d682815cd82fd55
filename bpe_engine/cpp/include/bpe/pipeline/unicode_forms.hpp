// Properties of characters for normalizers: decompositions, compositions, marks, lower case. Tables: scripts/build_normalization_tables.py.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace bpe {

class UnicodeForms {
public:
    static const UnicodeForms& instance();

    // Fully decomposed, canonically or also for compatibility; Hangul is not in it. Empty: it stays.
    std::span<const char32_t> decomposition(char32_t code, bool compatible) const;
    std::uint8_t combining(char32_t code) const { return find(combining_, code); }
    // The composition of two characters; 0 if there is none.
    char32_t composed(char32_t first, char32_t second) const;
    // Whether a character may be joined to one before it.
    bool joins(char32_t code) const;
    std::span<const char32_t> lower_case(char32_t code) const;  // empty: it stays
    bool is_mark(char32_t code) const;

    static constexpr char32_t hangul_first = 0xAC00, hangul_last = 0xD7A3;
    static bool is_hangul(char32_t code) { return code >= hangul_first && code <= hangul_last; }

private:
    UnicodeForms();
    struct Part {
        std::uint32_t start = 0, size = 0;
    };
    template <class Map>
    static typename Map::mapped_type find(const Map& map, typename Map::key_type code) {
        auto const found = map.find(code);
        return found == map.end() ? typename Map::mapped_type{} : found->second;
    }
    std::span<const char32_t> part(Part part) const;

    std::unordered_map<char32_t, Part> canonical_, compatible_, lower_;
    std::unordered_map<char32_t, std::uint8_t> combining_;
    std::unordered_map<std::uint64_t, char32_t> compositions_;
    std::unordered_map<char32_t, bool> seconds_;
};

}  // namespace bpe
