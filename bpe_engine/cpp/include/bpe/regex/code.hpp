// The tree -> instructions of a nondeterministic automaton, over classes of characters.
//
// Two characters are in the same class if no set of the pattern distinguishes them: "[a-z]+|\\p{L}" has three classes, {a-z}, the other letters, the
// rest. A table for ASCII and pages of 256 code points give the class of a character.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bpe/regex/syntax.hpp"
#include "bpe/types.hpp"

namespace bpe::regex {

using Index = std::uint32_t;  // of an instruction
using ClassNumber = std::uint16_t;

// A set of classes.
class ClassSet {
public:
    explicit ClassSet(std::size_t count = 0) : words_((count + 63) / 64) {}
    void insert(std::size_t number) { words_[number / 64] |= std::uint64_t{1} << number % 64; }
    bool contains(std::size_t number) const { return (words_[number / 64] >> number % 64 & 1) != 0; }
    bool operator==(const ClassSet&) const = default;

private:
    std::vector<std::uint64_t> words_;
};

class Classes {
public:
    // Throws UnsupportedPattern if there are too many.
    explicit Classes(const std::vector<CharacterSet>& sets);

    std::size_t count() const { return count_; }
    // Characters of a class; what stands for bytes that are not UTF-8 is one, too.
    std::size_t size(std::size_t number) const { return sizes_[number]; }
    ClassNumber of(char32_t code) const { return pages_[static_cast<std::size_t>(page_of_[code >> 8]) << 8 | (code & 255)]; }  // code <= U+10FFFF
    ClassNumber of_ascii(Byte byte) const { return ascii_[byte]; }
    ClassNumber invalid() const { return invalid_; }
    const ClassNumber* ascii() const { return ascii_.data(); }
    // The first bytes of the characters of some classes.
    template <class Wanted>
    std::array<bool, 256> first_bytes(Wanted&& wanted) const;
    // The classes of the set with this index.
    const ClassSet& members(std::size_t set) const { return members_[set]; }

private:
    std::size_t count_ = 0;
    std::vector<std::size_t> sizes_;
    std::array<ClassNumber, 128> ascii_{};
    ClassNumber invalid_ = 0;
    std::array<std::uint16_t, 0x1100> page_of_{};
    std::vector<ClassNumber> pages_;
    std::vector<ClassSet> members_;
};

template <class Wanted>
std::array<bool, 256> Classes::first_bytes(Wanted&& wanted) const {
    std::array<bool, 256> bytes{};
    for (std::size_t byte = 0; byte < 128; ++byte) bytes[byte] = wanted(ascii_[byte]);
    for (char32_t code = 0x80; code < 0x800; ++code)
        if (wanted(of(code))) bytes[0xC0 | code >> 6] = true;
    std::vector<signed char> known(pages_.size() >> 8, -1);  // pages
    for (char32_t page = 0x8; page < 0x1100; ++page) {
        signed char& has = known[page_of_[page]];
        if (has < 0) {
            has = 0;
            for (std::size_t index = 0; index < 256; ++index)
                if (wanted(pages_[static_cast<std::size_t>(page_of_[page]) << 8 | index])) has = 1;
        }
        if (has > 0) bytes[page < 0x100 ? 0xE0 | page >> 4 : 0xF0 | page >> 10] = true;
    }
    if (wanted(invalid_)) std::fill(bytes.begin() + 128, bytes.end(), true);
    return bytes;
}

// A condition on the characters on both sides of an offset. An index of `any` allows every character; the start and the end of the region have flags.
struct Condition {
    static constexpr Index any = ~Index{0};
    Index before = any, after = any;  // indices of sets
    bool before_negated = false, after_negated = false;
    bool start_allowed = true, end_allowed = true;
    bool operator==(const Condition&) const = default;
};

struct Instruction {
    enum class Kind : std::uint8_t {
        character,  // one character of the set `argument`
        split,      // to `next`; if that leads to no match, to `argument`
        condition,  // number `argument`
        look,       // to `next` if the body at `argument` matches the following text; `negated`: if it does not
        atomic,     // the body at `argument`, then `next`
        exit,       // the end of the body of the look or atomic instruction `argument`
        match,
    };
    Kind kind = Kind::match;
    bool negated = false;
    Index next = 0, argument = 0;
};

struct Code {
    std::vector<Instruction> instructions;
    std::vector<CharacterSet> sets;
    std::vector<Condition> conditions;
    Index start = 0;
    bool has_bodies = false;  // look or atomic instructions
    bool looks_behind = false;
};

// Throws UnsupportedPattern if that makes too many instructions.
Code assemble(const Node& tree);

}  // namespace bpe::regex
