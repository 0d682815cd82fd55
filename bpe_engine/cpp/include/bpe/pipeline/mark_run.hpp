// A long run of combining marks at the end of a growing text, under a normalizer that puts them in order.
//
//     raw text            a \u0301 \u0323 \u0301 \u0323 \u0301      a mark goes after all others of its class (220: below, 230: above), and before those of
//     normalized text     ạ \u0323 \u0301 \u0301 \u0301               higher classes; the first ones may be joined to the letter
//     order of arrival    ạ \u0323 \u0301 \u0301 ...                 as the chain sees them: it knows no mark from another, so a new one is at the end
//     for the model       ạ | \u0323 ... | \u0301 \u0301 ...          one part for each class, which grows at its end
//
// So an append of marks neither normalizes nor cuts the run again, and the model joins the tables of its parts. The run ends where anything else is appended,
// and is read again where a class is met that it has hardly any mark of: such a mark may be joined to the letter.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bpe/pipeline/pipeline.hpp"

namespace bpe {

// Offsets are those of the raw text.
class MarkRun {
public:
    // The run at the end of `text`, which is read from the cut `from` on; null where there is none, or none of which it is known what becomes of it.
    static std::unique_ptr<MarkRun> make(const Pipeline& pipeline, Bytes text, Position from, bool after_token);

    Position from() const { return from_; }
    // The length of the text that was read first.
    std::size_t first_length() const { return first_length_; }

    // The text has grown. Returns whether the run goes on up to its end; else it is of no use any more.
    bool extend(Bytes text);
    // The text is cut back to `length`, at least `first_length`.
    void truncate(std::size_t length);
    // The number of tokens of the text from `from` on, or nothing where the chain cuts the run. Throws as GrowingPiece.
    std::optional<std::size_t> count(Bytes text, PieceCoder::Workspace& workspace);

private:
    // All marks of a class, in their order.
    struct Part {
        std::uint8_t order;
        std::size_t raw_marks;  // of the raw run
        std::vector<Byte> text;
        std::unique_ptr<GrowingPiece> table;
    };
    // Of this many marks of a class not all join one letter: no character is composed of more than four.
    static constexpr std::size_t enough = 4;

    MarkRun(const Pipeline& pipeline, Position from, std::size_t begin) : pipeline_(pipeline), from_(from), begin_(begin) {}
    bool read(Bytes text);
    Part* part_of(std::uint8_t order);
    std::optional<std::size_t> count_run(Bytes before, Bytes after, bool is_first);

    const Pipeline& pipeline_;
    Position from_;
    std::size_t begin_;                             // the piece from there on is the first of the text
    std::size_t first_length_ = 0, marks_end_ = 0;  // of the raw text
    Normalized text_;                               // in the order of arrival
    std::size_t start_ = 0, first_end_ = 0;         // in `text_`: of the marks, and of those that were read first
    char32_t like_ = 0;                             // one of the marks
    std::vector<Part> parts_;                       // in their order
    ChainMemory memory_;
    std::unique_ptr<GrowingPiece> table_;  // of what stands before the marks in their piece
    std::size_t table_start_ = no_match;   // in `text_`
};

}  // namespace bpe
