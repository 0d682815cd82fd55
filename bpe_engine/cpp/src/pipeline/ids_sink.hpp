// The sink that makes the ids of a text.
#pragma once

#include <memory>
#include <vector>

#include "bpe/pipeline/pipeline.hpp"
#include "bpe/pipeline/unigram_text.hpp"

namespace bpe {

struct IdsSink {
    const Pipeline& pipeline;
    Pipeline::Workspace& workspace;
    StagedIds ids;
    std::size_t unit_end;  // as in CountSink
    std::size_t before = ids.count(), at_cut = before;
    IdsSink(const Pipeline& pipeline, Pipeline::Workspace& workspace, std::vector<std::uint32_t>& out, std::size_t unit_end = 0)
        : pipeline(pipeline), workspace(workspace), ids(out), unit_end(unit_end) {
        if (!workspace.unit_ids) workspace.unit_ids = std::make_unique<UnitIds>();
    }
    void part_of_region(const UnigramText& units, const UnigramText::Part& part) { units.encode(part, ids); }
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t start) {
        bool const is_unit = unit_end > 0 && ids.count() == before && (piece.size == readable || start + piece.size == unit_end);
        if (is_unit) pipeline.coder().encode_anew(piece, is_first, ids.flush());
        else pipeline.coder().encode(piece, readable, is_first, workspace.pieces, ids);
    }
    void unit(const Byte* text, std::size_t start, std::size_t end, std::size_t limit) {
        workspace.unit_ids->encode({text + start, end - start}, limit - start, ids, [&](std::vector<std::uint32_t>& out) {
            IdsSink sink(pipeline, workspace, out, pipeline.is_alone(*workspace.unit_ids) ? end : 0);
            pipeline.scan_unit(text, {start, Before::region}, end, limit, workspace, sink);
            sink.ids.flush();
        });
    }
    ExpectedUnit expected_unit(Bytes unit, std::size_t readable) { return workspace.unit_ids->expect(unit, readable); }
    std::size_t known_units(const ExpectedUnit* units, std::size_t number) { return workspace.unit_ids->take_known(units, number, ids); }
    void token(std::uint32_t number, std::size_t, std::size_t) { ids.flush().push_back(pipeline.added_tokens()[number].id); }
    bool cut(Position) {
        at_cut = ids.count();
        return true;
    }
    void again() { ids.flush().resize(at_cut); }
};

}  // namespace bpe
