// Sets of characters, as sorted ranges of code points.
//
// The universe is all code points, and one more that stands for any byte that is not part of UTF-8: a character that has no property, and so is in
// every negated set. Surrogates are code points that no text holds.
#pragma once

#include <string_view>
#include <vector>

namespace bpe::regex {

inline constexpr char32_t invalid_character = 0x110000;  // the last of the universe

struct CharacterRange {
    char32_t first, last;
    bool operator==(const CharacterRange&) const = default;
};

class CharacterSet {
public:
    CharacterSet() = default;
    CharacterSet(std::initializer_list<CharacterRange> ranges);
    static CharacterSet everything() { return {{0, invalid_character}}; }

    void add(char32_t first, char32_t last) { ranges_.push_back({first, last}), sorted_ = false; }
    void add(const CharacterSet& other);
    void negate();
    void intersect(const CharacterSet& other);
    void subtract(const CharacterSet& other);
    // Adds every character that equals one of the set if case is ignored: simple case folding of Unicode 16, without the Turkic pairs.
    void fold();

    bool contains(char32_t code) const;
    bool empty() const { return ranges().empty(); }
    // Sorted, disjoint and not adjacent.
    const std::vector<CharacterRange>& ranges() const;
    bool operator==(const CharacterSet& other) const { return ranges() == other.ranges(); }

private:
    mutable std::vector<CharacterRange> ranges_;
    mutable bool sorted_ = true;
};

// The property of \p{name}: a general category, a script (`Han`, `Script=Han`, `sc=Hani`), Any, Assigned, ASCII, L&, Alphabetic, Lowercase, Uppercase or
// White_Space. Case, spaces, - and _ in names do not matter. False if there is no such property.
bool find_property(std::string_view name, CharacterSet& set);

CharacterSet white_space();
CharacterSet word_characters();  // \w
CharacterSet decimal_digits();   // \d

// The class of [[:name:]]; `ascii`: only its ASCII characters. False if there is no such class.
bool find_posix_class(std::string_view name, bool ascii, CharacterSet& set);

}  // namespace bpe::regex
