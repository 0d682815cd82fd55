// The sink that counts the tokens of a text.
#pragma once

#include <limits>

#include "bpe/pipeline/piece_coder.hpp"
#include "bpe/pipeline/piece_sinks.hpp"
#include "bpe/pipeline/unigram_text.hpp"

namespace bpe {

struct CountSink {
    const PieceCoder& coder;
    PieceCoder::Workspace& workspace;
    // The end of a unit of which the piece is not remembered if it is one (Regions::is_alone). 0: all pieces are.
    std::size_t unit_end = 0;
    std::size_t most = std::numeric_limits<std::size_t>::max();  // where there are more some will do
    std::size_t total = 0, at_cut = 0;
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t start) {
        bool const is_unit = unit_end > 0 && total == 0 && (piece.size == readable || start + piece.size == unit_end);
        total += is_unit ? coder.count_anew(piece, is_first) : coder.count(piece, readable, is_first, workspace);
    }
    void expect(Bytes piece, std::size_t readable) { coder.expect(piece, readable, workspace); }
    void unit(std::size_t count) { total += count; }
    void part_of_region(const UnigramText& units, const UnigramText::Part& part) { total += units.count(part, most - total); }
    void token(std::uint32_t, std::size_t, std::size_t) { ++total; }
    bool cut(Position) {
        at_cut = total;
        return true;
    }
    void again() { total = at_cut; }
};

}  // namespace bpe
