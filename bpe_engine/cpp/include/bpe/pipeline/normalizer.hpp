// Text -> normalized text, in parts that join: what the pre-tokenizers of a pipeline read.
//
//     raw          "e\u0301 a"                      normalizers NFC, Replace " " by "▁", Prepend "▁"
//     normalized   "▁é▁a"
//     origin        0 0 2 3                         by character here, by byte in the code: where in the raw text each comes from
//     cuts             |  |                         normalize(left) + normalize(right) == normalize(both), whatever stands around them
//
// A normalizer reads a region, which is a span between two added tokens, from left to right in as many parts as the caller likes. A part that does not
// end with the region ends at a cut.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bpe/models/piece_model.hpp"

namespace bpe {

struct Normalized {
    std::vector<Byte> text;
    // For each byte of `text` the offset in the raw text, in bytes, of the character that it comes from; and one more, where the part ends.
    std::vector<std::uint32_t> origin;
    // For each byte of `text`, and its end: the offset at which the raw text can be cut, and the normalized text is cut right here; else `no_cut`. Of a space
    // that several have become it is that of the first, and `origin` that of the last.
    std::vector<std::uint32_t> cuts;
    static constexpr std::uint32_t no_cut = 0xFFFFFFFF;

    bool is_cut(std::size_t index) const { return cuts[index] != no_cut; }
    // Remove the entry for the end, so that another part can be appended.
    void open_end() {
        origin.pop_back();
        cuts.pop_back();
    }
    // Ends what is written at an offset.
    void end_at(std::size_t offset) {
        origin.push_back(static_cast<std::uint32_t>(offset));
        cuts.push_back(static_cast<std::uint32_t>(offset));
    }
    void resize(std::size_t size) {
        text.resize(size);
        origin.resize(size);
        cuts.resize(size);
    }

    void clear() {
        text.clear();
        origin.clear();
        cuts.clear();
    }
};

// Characters of which a run, at the side on which a text grows, normalizes to the same text from some length on: white space that is stripped, or of which one
// thing is made.
struct SettlingRun {
    std::size_t enough = 0;   // characters
    std::u32string like;      // ascending
    std::u32string unlike{};  // ascending: beside these a run does not settle
    bool has(char32_t code) const { return std::binary_search(like.begin(), like.end(), code); }
    bool settles_beside(char32_t code) const { return !std::binary_search(unlike.begin(), unlike.end(), code); }
};

// The part of a raw text that changes nothing in what the text normalizes to: the middle of a settling run.
struct NeedlessPart {
    std::size_t start = 0, size = 0;
};

class Normalizer {
public:
    virtual ~Normalizer() = default;

    // The image of a character, as far as it does not depend on the characters around it: the first and the last character of its replacement.
    struct Image {
        bool is_known = false;  // else it depends, or nothing is left
        char32_t first = 0, last = 0;
        // For an unknown image. `is_nonblank`: it never ends with white space. `binds`: the image of the next character may depend on this one.
        bool is_nonblank = false, binds = false;
        // `is_lonely`: the image differs beside another lonely character or at the end of a region, as that of one of several spaces does; `begins_alike`:
        // but begins with the same character. `follows_nonblank`, of an image that is not known: it ends with a lonely character only if the one before does.
        bool is_lonely = false, begins_alike = true, follows_nonblank = false;
    };
    virtual Image image(char32_t) const { return {}; }
    // Inside of a region, whether a text may be normalized in two parts, each as if it were all, between two known characters of which the right one is
    // followed by a known one, too; unless they stand side by side in a text of `inseparable`.
    virtual bool parts_known() const { return false; }
    // The same between this known character and any before that does not bind.
    virtual bool parts_before(char32_t) const { return false; }
    // Whether there are characters that are lonely.
    virtual bool has_lonely() const { return false; }
    virtual std::vector<std::string> inseparable() const { return {}; }
    // Whether nothing is left of a character wherever it stands, and no other character changes because of it unless one is between them: accents that are
    // stripped, control characters that are cleaned away.
    virtual bool drops(char32_t) const { return false; }
    // The combining class of a mark that is put in order among the marks beside it, and that is nothing else to the normalizer unless it is joined to what
    // stands before it; 0 for all other characters.
    virtual std::uint8_t order(char32_t) const { return 0; }
    // The marks that a mark becomes wherever it stands, each with an `order`: itself, or those that it decomposes to ("\u0344" is "\u0308\u0301"); none for all
    // other characters.
    virtual std::u32string marks(char32_t) const { return {}; }
    // Whether there are such marks.
    virtual bool orders_marks() const { return false; }
    // The runs to which a character belongs at the side on which a text grows: in `origin` their first and last character stand for themselves.
    // `at_start`: of a region. Null: it belongs to none.
    virtual const SettlingRun* settling_run(char32_t, Side, bool) const { return nullptr; }
    // For regions that end inside a character: this normalizer without stripping the end, because the white space before that character stays. Null if
    // nothing would differ, or if the variant is not known.
    virtual std::shared_ptr<const Normalizer> before_nonblank() const { return nullptr; }
    // Whether the start of a region is normalized otherwise than the rest of it.
    virtual bool acts_at_start() const { return true; }
    // A text has at most so many times the bytes of what is made of it; 0: that is not known.
    virtual std::size_t most_shrunk() const { return 0; }

    // Whether no character of a part changes: then nothing is written or copied. Only if the start of the region was normalized before, or nothing is
    // inserted there. Fast, because most texts are ASCII and do not change.
    virtual bool keeps(Bytes part, bool at_start, bool is_first) const = 0;

    // Normalizes raw[from:limit), appends to `out`, and returns the offset up to which it went: `limit` if `at_end`, where the region ends;
    // else the last cut that is certain whatever follows, which may be `from`. `at_start`: a region begins at `from`; `is_first`: so does the whole
    // text. Offsets in `out.origin` are those of `raw`, less `base`.
    virtual std::size_t run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end, std::size_t base,
                            Normalized& out) const = 0;
    // As `run`, with `part` of raw[from:limit) left out.
    std::size_t run_without(const NeedlessPart& part, const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end,
                            std::size_t base, Normalized& out) const;
};

}  // namespace bpe
