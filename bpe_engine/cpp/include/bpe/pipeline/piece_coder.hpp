// Pieces -> tokens, with a cache.
//
// Most pieces of a text repeat, so the cost of a model is paid once a word: there are caches of counts and of ids (unit_caches.hpp), by the bytes of the
// piece. The work of later pre-tokenizers on a piece before the model sees it ("▁" put before it, spaces replaced, split again) is part of the cached
// result.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bpe/models/piece_model.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/unit_caches.hpp"
#include "bpe/shelf.hpp"

namespace bpe {

// A change of each piece before the model: Metaspace, or ByteLevel with `add_prefix_space`, after another pre-tokenizer.
struct Insertion {
    enum class Where : std::uint8_t { never, first, always };
    std::string text;  // put before a piece that does not start with it
    Where where = Where::always;
    std::string space;  // replaces each space; empty: spaces stay
};

class PieceCoder {
public:
    PieceCoder(std::shared_ptr<const PieceModel> model, std::vector<Insertion> insertions, std::vector<Chain> chains);

    struct Workspace {
        UnitCounts counts;
        std::unique_ptr<UnitIds> ids;  // made on the first request for them
    };

    const PieceModel& model() const { return *model_; }
    // Whether the model sees pieces as they are.
    bool is_plain() const { return insertions_.empty(); }
    // Whether the first piece of a text may have other tokens than the same piece later in the text.
    bool acts_at_start() const {
        return std::any_of(insertions_.begin(), insertions_.end(), [](Insertion const& one) { return one.where == Insertion::Where::first; });
    }

    // The largest number of bytes of a piece that one token covers; 0 if unknown.
    std::size_t most_bytes() const {
        bool const leaves_out = std::any_of(chains_.begin(), chains_.end(), [](Chain const& chain) { return chain.leaves_out(); });
        return leaves_out ? 0 : model_->most_bytes();
    }

    // `readable`: the number of bytes from the start of the piece that may be read. `is_first`: the whole text starts with this piece.
    std::size_t count(Bytes piece, std::size_t readable, bool is_first, Workspace& workspace) const {
        if (!is_remembered(piece, is_first) || piece.size > UnitCounts::longest) [[unlikely]]
            return count_anew(piece, is_first);
        return workspace.counts.count(piece, readable, [&] { return count_anew(piece, false); });
    }

    // The same, without what is remembered.
    std::size_t count_anew(Bytes piece, bool is_first) const;

    // Prefetches for a piece that will be counted soon.
    void expect(Bytes piece, std::size_t readable, const Workspace& workspace) const { (void)workspace.counts.expect(piece, readable); }

    // Adds the ids to `out`.
    void encode(Bytes piece, std::size_t readable, bool is_first, Workspace& workspace, StagedIds& out) const;
    // The same, without what is remembered.
    void encode_anew(Bytes piece, bool is_first, std::vector<std::uint32_t>& out) const;

    // The ids, and for each the offset in `piece`, in bytes, at which it starts.
    void encode_with_offsets(Bytes piece, bool is_first, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets) const;

    // An empty piece that grows; null if encoding it again is as fast. `is_first`: the whole text starts with it. Its model outlives it.
    std::unique_ptr<GrowingPiece> growing(Side side, bool is_first) const;

    // The pieces that the model gets.
    void split(Bytes piece, bool is_first, std::vector<std::string>& out) const;

private:
    // Whether it has the tokens that it has anywhere.
    bool is_remembered(Bytes piece, bool is_first) const { return piece.size > 0 && (!is_first || is_plain()); }
    // Calls `use(piece, origin)` for each piece that the model gets; `origin[i]` is the offset of its byte i in the original piece. Null: nobody asks.
    template <class Use>
    void inner(std::size_t number, Bytes piece, const std::uint32_t* origin, bool is_first, Use& use) const;

    std::shared_ptr<const PieceModel> model_;
    std::vector<Insertion> insertions_;
    std::vector<Chain> chains_;  // after each insertion
    struct Inside;
    std::shared_ptr<Inside> inside_;  // the first insertion and all stages after it, as a pipeline
};

}  // namespace bpe
