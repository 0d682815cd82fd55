// Text -> tokens: the pre-tokens of a scanner, each encoded by itself, with a cache for short ones.
//
// An Encoder is immutable and shared by threads. Its mutable data (caches, buffers) is in a Workspace, which a call takes from a shelf and puts
// back: a single thread gets the same warm workspace each time, and two threads never share one.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bpe/dictionary.hpp"
#include "bpe/expected_pieces.hpp"
#include "bpe/merging.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/scanner.hpp"
#include "bpe/slice_end.hpp"

namespace bpe {

struct Workspace {
    CountCache counts;
    MediumCountCache medium_counts;
    LongPieceCache<false> long_counts;
    LongPieceCache<false, 3> longer_counts;
    Merging merging;
    SliceEnd slice_end;
    // Made on the first request for ids.
    struct Ids {
        IdsCache short_pieces;
        MediumIdsCache medium_pieces;
        LongPieceCache<true> long_pieces;
        LongPieceCache<true, 3> longer_pieces;
        // Ids are staged and written out at `flushed_at`. `slack` is room for the ids of one more step of 64 bytes and one write of a cache.
        static constexpr std::size_t flushed_at = 4096, slack = 64 + LongPieceCache<true, 3>::most_ids + 1;
        std::vector<std::uint32_t> staged = std::vector<std::uint32_t>(flushed_at + slack + 1);
    };
    std::unique_ptr<Ids> ids;
};

class Encoder {
public:
    // `scanner` null: the whole text is one pre-token. `ids[rank]` is the id for users; empty if the ids are the ranks.
    Encoder(std::shared_ptr<const Dictionary> dictionary, const Scanner* scanner, std::vector<std::uint32_t> ids);
    ~Encoder();

    const Dictionary& dictionary() const { return *dictionary_; }
    const Scanner* scanner() const { return scanner_; }
    std::uint32_t id(Rank rank) const { return ids_.empty() ? rank : ids_[rank]; }

    // The number of tokens. All of these functions throw EncodingError if a byte is in no token.
    std::size_t count(Bytes text) const;
    // The ids, appended to `out`.
    void encode(Bytes text, std::vector<std::uint32_t>& out) const;

    // A workspace for the time of a scope.
    class Lease {
    public:
        explicit Lease(const Encoder& encoder) : encoder_(encoder), workspace_(encoder.take()) {}
        ~Lease() { encoder_.put_back(workspace_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Workspace& operator*() const { return *workspace_; }
        Workspace* operator->() const { return workspace_; }

    private:
        const Encoder& encoder_;
        Workspace* workspace_;
    };

    // The number of tokens of one pre-token. `readable`: the number of bytes from its start that may be read.
    std::size_t count_piece(Bytes piece, std::size_t readable, Workspace& workspace) const {
        if (piece.size <= PieceKey::longest) return count_by(workspace.counts, PieceKey::of(piece.data, piece.size, readable), piece, workspace);
        return count_long(piece, readable, workspace);
    }

    // The number of tokens of a piece of `for_each_step` that is not in its slot.
    std::size_t count_missed(const ExpectedPiece<CountCache::Slot>& one, std::size_t readable, Workspace& workspace) const;

    // The next units of `text`, whose tokens add up to those of their pre-tokens; or pre-tokens. Requires a scanner.
    Step step(Bytes text, std::size_t place) const {
        return by_units_ ? scanner_->units(text.data, place, text.size, *dictionary_) : scanner_->step(text.data, place, text.size);
    }

    // The tokens of one pre-token, as ranks; valid until the workspace is used again.
    const std::vector<Rank>& encode_piece(Bytes piece, Workspace& workspace) const;

private:
    // The number of tokens of a piece with the key `key`.
    template <class Cache, class Key>
    std::size_t count_by(Cache& cache, const Key& key, Bytes piece, Workspace& workspace) const {
        return count_by(cache, key, key.hash(), piece, workspace);
    }
    template <class Cache, class Key>
    std::size_t count_by(Cache& cache, const Key& key, std::uint64_t hash, Bytes piece, Workspace& workspace) const {
        if (unsigned const known = cache.find(key, hash)) [[likely]]
            return known;
        std::size_t const count = count_anew(piece, workspace);
        if (count <= Cache::most) cache.put(key, hash, count);
        return count;
    }
    std::size_t count_anew(Bytes piece, Workspace& workspace) const;
    // The sum of the units of a piece, if it has several.
    std::optional<std::size_t> count_by_units(Bytes piece, Workspace& workspace) const;
    std::size_t count_long(Bytes piece, std::size_t readable, Workspace& workspace) const;
    template <class Cache>
    std::size_t count_long_by(Cache& cache, Bytes piece, Workspace& workspace) const;
    // Writes up to `short_length` ids. Returns their number.
    unsigned encode_unknown(PieceKey key, Bytes piece, Workspace& workspace, std::uint32_t* out) const;
    // Writes the tokens of a piece of up to `short_length` bytes. Returns their number.
    std::size_t merge(Bytes piece, Rank* out) const;

    Workspace* take() const;
    void put_back(Workspace* workspace) const;

    std::shared_ptr<const Dictionary> dictionary_;
    const Scanner* scanner_;
    std::vector<std::uint32_t> ids_;
    // Not where a whole pre-token may be a token that no merge makes; nor where the place of a byte that is no token is told, in its pre-token.
    bool by_units_;

    mutable std::atomic<Workspace*> at_hand_{nullptr};
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Workspace>> all_;
    mutable std::vector<Workspace*> shelf_;
};

}  // namespace bpe
