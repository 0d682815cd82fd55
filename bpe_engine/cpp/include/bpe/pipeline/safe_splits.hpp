// Offsets of a raw text at which a whole pipeline can start anew, decided by the two characters on either side.
//
//     raw text      "l'été est là"      normalized, split, merged: eight tokens
//     units          l'été| est| là     each by itself: three, two and three, in any text
//
// Words repeat in raw text, so a unit that was counted once is looked up by its raw bytes, and neither normalized nor split again: one cache look-up a
// word, whatever a tokenizer does to it. The boundary between two characters is a safe split for every text if
//
//     the normalizer     gives the same for both sides together as for each by itself
//     no added token     that is looked for in normalized text is across it, or beside it where a word may not go on
//     each stage         has no match across it, or a match whose two parts are found in the same way (regex/boundaries.hpp)
//     some stage         ends a piece there, so that later ones do not matter; or no token crosses it (touching.hpp, seams.hpp)
//
// Inside a piece of Unigram these hold but for rounding, for its sums begin where the piece begins (unigram_counts.hpp). Asked of each two letters, a model has
// splits inside of most words of a script that its tokens hardly know; units of a letter or two made Hindi slower than those of a word. So it is asked where
// there are no spaces.
//
// All that is found out once for each two classes of characters, which are made for a block of 256 characters when a text has one of them: most texts have
// characters of few blocks, and all of the basic plane take some milliseconds. (If there are too many kinds, which ones are left without a class depends on
// what was read first: so may splits, but never a count.) None is after white space, so that units are as long as words; but for lines that come apart nowhere
// else: the indentation of code belongs to what stands after it. Emoji and what depends on its neighbours are of one class of which hardly anything is known.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "bpe/models/piece_model.hpp"
#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/seams.hpp"

namespace bpe {

class UnigramModel;

class SafeSplits {
public:
    ~SafeSplits();

    // Null where there is none that can be known. What is given outlives it; `normalizer` null: none. `model`: what gets the pieces as they are; null: they are
    // changed before. `inside`: the tokens that are looked for in normalized text.
    static std::unique_ptr<const SafeSplits> make(const Normalizer* normalizer, const Chain& chain, const PieceModel* model = nullptr,
                                                  const std::vector<AddedToken>& inside = {});
    // As `make`, for a model that gets a whole text as one piece: the splits are inside that piece, where no token crosses them.
    static std::unique_ptr<const SafeSplits> inside_of_piece(const Normalizer* normalizer, const UnigramModel& model);

    // Whether there is a safe split at `place`, between two characters of text[start:end), which is a text of its own; `follows`: or follows one that is not
    // known. Few characters around it are looked at: seldom returns false although there is one.
    bool has_at(const Byte* text, std::size_t start, std::size_t place, std::size_t end, bool follows = false) const;
    // Bytes. It is the same for all starts that are so far before a place.
    static constexpr std::size_t reach_back = 13;

    // Finds the safe splits of a text, from left to right.
    class Search {
    public:
        // Searches text[from:limit), without `from`. `at_end`: the region ends at `limit`; `follows`: a text that is not known ends at `from`.
        Search(const SafeSplits& splits, const Byte* text, std::size_t from, std::size_t limit, bool at_end, bool follows = false)
            : splits_(splits), text_(text), place_(from), limit_(limit), at_end_(at_end), before_(follows ? never : none) {}

        static constexpr std::size_t least_room = 64;
        // Their offsets, up to `capacity`, which is at least `least_room`; 0: there are no more.
        std::size_t next(std::size_t* offsets, std::size_t capacity);

    private:
        const SafeSplits& splits_;
        const Byte* text_;
        std::size_t place_, limit_;
        bool at_end_;
        std::size_t before_, last_ = 0, held_ = 0;  // the class of the last character, and where it begins; a split there that is not told yet
        char32_t code_ = 0;
    };

private:
    using Class = std::uint8_t;
    // ASCII characters are classes of their own. `unknown`: what is made of it depends on more; `nonblank`: but it ends with no white space, and
    // nothing lonely; `joined`: if what stands before it does. `never`: no split is
    // beside it, and what follows is unknown. `none`: where a text begins. `unmade`: the class is not found out yet.
    static constexpr std::size_t unknown = 128, nonblank = 129, joined = 130, never = 131, none = 132, unmade = 133, classes = 256;
    // Of the two characters the model is asked; `ask_table`: only the table of a byte-pair model.
    enum : std::uint8_t { no = 0, yes = 1, ask = 2, ask_table = 3 };

    struct Traits;
    class Edges;
    class Maker;
    SafeSplits();
    static std::unique_ptr<const SafeSplits> made_of(const Normalizer* normalizer, const Chain& chain, const PieceModel* model,
                                                     const std::vector<AddedToken>& inside);
    // Of a character of the basic plane.
    std::size_t class_of(char32_t code) const {
        std::size_t const number = class_of_[code].load(std::memory_order_acquire);
        return number != unmade ? number : made_class_of(code);
    }
    BPE_RARELY_CALLED std::size_t made_class_of(char32_t code) const;
    bool joins(char32_t left, char32_t right) const;
    bool asks_no_join(char32_t left, char32_t right, const Byte* place) const;
    const Seams& seams() const {
        Seams const* const known = seams_.load(std::memory_order_acquire);
        return known ? *known : made_seams();
    }
    BPE_RARELY_CALLED const Seams& made_seams() const;

    // The pairs of a class with all earlier ones are written before any character has it, and never changed then: threads that have seen the class read them.
    std::unique_ptr<std::atomic<Class>[]> class_of_;  // of the basic plane
    std::vector<std::uint8_t> pairs_;                 // of two classes
    std::array<char32_t, 128> firsts_{}, lasts_{};    // of the images of ASCII
    Class beyond_ = unknown, invalid_ = unknown;      // of characters beyond it; of bytes that are not UTF-8
    const MergeModel* touched_ = nullptr;
    const MergeModel* of_bytes_ = nullptr;  // knows its seams
    mutable std::atomic<const Seams*> seams_ = nullptr;
    const UnigramModel* unigram_ = nullptr;
    std::array<bool, classes> leaves_nonblank_{};    // a character of this class
    std::array<bool, classes> may_leave_nothing_{};  // at the start of a text, if the normalizer acts there
    bool depends_on_next_ = false;                   // a character before an unknown one may be another
    std::unique_ptr<Maker> maker_;
};

}  // namespace bpe
