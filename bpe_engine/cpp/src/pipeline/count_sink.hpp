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
    std::size_t most = std::numeric_limits<std::size_t>::max();  // where there are more some will do
    std::size_t total = 0, at_cut = 0;
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t) { total += coder.count(piece, readable, is_first, workspace); }
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
