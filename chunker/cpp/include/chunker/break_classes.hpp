// The properties of a character that the rules of UAX #29 ask for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chunker {

// The names are those of the properties' values, which scripts/build_break_tables.py reads here.
enum class ClusterBreak : std::uint8_t { Other, CR, LF, Control, Extend, ZWJ, Regional_Indicator, Prepend, SpacingMark, L, V, T, LV, LVT };
enum class WordBreak : std::uint8_t {
    Other,
    CR,
    LF,
    Newline,
    Extend,
    ZWJ,
    Regional_Indicator,
    Format,
    Katakana,
    Hebrew_Letter,
    ALetter,
    Single_Quote,
    Double_Quote,
    MidNumLet,
    MidLetter,
    MidNum,
    Numeric,
    ExtendNumLet,
    WSegSpace
};
enum class SentenceBreak : std::uint8_t { Other, CR, LF, Extend, Sep, Format, Sp, Lower, Upper, OLetter, Numeric, ATerm, SContinue, STerm, Close };
enum class ConjunctBreak : std::uint8_t { None, Consonant, Extend, Linker };

// Flags derived from the properties of a character, for the searches that pass most of a text.
enum Alone : std::uint8_t {
    may_end_sentence = 1,  // a terminator or a line end
    ends_cluster = 2,      // a cluster ends after it, unless what follows extends it
    begins_cluster = 4,    // it extends nothing
    ends_word = 8,
    begins_word = 16,
};

struct alignas(8) BreakClass {
    ClusterBreak cluster;
    WordBreak word;
    SentenceBreak sentence;
    ConjunctBreak conjunct;
    bool pictographic;   // Extended_Pictographic
    bool unspaced;       // of a script without spaces between words (Line_Break SA)
    bool opener;         // an opening bracket or quote (Ps, Pi)
    std::uint8_t alone;  // what the character tells whatever is around it: a sum of Alone

    bool tells(Alone what) const { return (alone & what) != 0; }

    bool operator==(const BreakClass&) const = default;
};

// The class of each character. Two steps: the number of each block of characters, and the blocks.
class BreakClasses {
public:
    // Made with the first call.
    static const BreakClasses& instance() {
        const BreakClasses* const known = made_.load(std::memory_order_acquire);
        return known ? *known : make();
    }

    const BreakClass& operator[](char32_t character) const { return classes_[numbers_[character / block] * block + character % block]; }

private:
    static constexpr std::size_t characters = 0x110000, block = 128;
    inline static std::atomic<const BreakClasses*> made_ = nullptr;

    BreakClasses();
    static const BreakClasses& make();

    std::array<std::uint16_t, characters / block> numbers_{};
    std::vector<BreakClass> classes_;
};

inline const BreakClasses& break_classes() { return BreakClasses::instance(); }

// Whether a character belongs to the grapheme cluster of the one before it.
inline bool extends(char32_t character) { return character >= 0x300 && !break_classes()[character].tells(begins_cluster); }

}  // namespace chunker
