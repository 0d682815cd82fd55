// The tables of pre-tokens that are too long to be counted again at each step.
//
// A growing pre-token keeps one table from its fixed end, its *anchor*: its start if text is appended, its end if text is prepended. More than
// one may grow over the same text: "\n     " is one pre-token at the end of the text, and two before a word, so the second has a table that
// starts after the line break.
#pragma once

#include <memory>
#include <vector>

#include "bpe/grown_ids.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/token_ends.hpp"
#include "bpe/token_table.hpp"

namespace bpe {

class OpenPieces {
public:
    OpenPieces(const Dictionary& dictionary, TokenTable::Side side) : dictionary_(&dictionary), side_(side) {}

    // The number of tokens of the pre-token `piece`, which reaches from `anchor` (a distance from the fixed side) to the growing side.
    std::size_t count(std::size_t anchor, Bytes piece) {
        if (dictionary_->has_unreachable() && piece.size <= dictionary_->longest() && dictionary_->find(piece) != no_rank) return 1;
        return grown(anchor, piece).table->count(piece.size);
    }

    // Adds the ids of such a pre-token; `id_of(rank)` is that of a token. Returns false where all of it is a token, which merging might not make.
    template <class IdOf>
    bool read(std::size_t anchor, Bytes piece, FreshIds& ids, IdOf&& id_of) {
        if (dictionary_->has_unreachable() && piece.size <= dictionary_->longest() && dictionary_->find(piece) != no_rank) return false;
        struct Read {
            Piece& piece;
            std::size_t size;
            const Dictionary& dictionary;
            IdOf& id_of;
            std::size_t read(std::vector<std::uint32_t>& out) {
                TokenTable const& table = *piece.table;
                std::size_t const same = piece.ends.walk(size, [&](std::size_t end) { return end - dictionary.length(table.last(end)); });
                piece.ends.for_each_walked(same, [&](std::size_t, std::size_t end) { out.push_back(id_of(table.last(end))); });
                return table.count(same);
            }
            void forget_read() { piece.ends.clear(); }
        };
        Piece& known = grown(anchor, piece);
        Read table{known, piece.size, *dictionary_, id_of};
        ids.add(table, known.known);
        return true;
    }

    // A lower bound for the count of the pre-token from `anchor`, which has at least the bytes of `piece`.
    std::size_t fewest(std::size_t anchor, Bytes piece) {
        // The pre-token may be one token with bytes that are no tokens by themselves: then it has no table.
        return piece.size > dictionary_->longest() ? grown(anchor, piece).table->fewest(piece.size) : 1;
    }

    // Whether to encode a growing pre-token again at each step instead of making a table; counts the bytes for which the answer was yes.
    bool is_better_anew(std::size_t anchor, std::size_t size) {
        if (size <= thresholds::short_piece) return true;
        if (size > thresholds::middle_piece || read_again_ >= thresholds::worth_a_table || has_table(anchor)) return false;
        read_again_ += size;
        return true;
    }

    // The current answer, without counting.
    bool has_no_table(std::size_t anchor, std::size_t size) const { return size <= thresholds::middle_piece && !has_table(anchor); }

    bool any_open() const { return !open_.empty(); }

    bool has_table(std::size_t anchor) const { return is_in(open_, anchor) || is_in(settled_, anchor); }

    // Settle the pre-tokens before the distance `place`. One may be open again: to the left of "--" all of "-\u0301--" is one pre-token, and to the left of a
    // space two.
    void settle(std::size_t place) {
        std::size_t count = 0;
        while (count < open_.size() && open_[count].anchor < place) {
            Piece& piece = open_[count++];
            piece.cut(place - piece.anchor);
            if (piece.table->size() < thresholds::kept_size) {
                spare_ = std::move(piece.table);
                continue;
            }
            auto const where = std::lower_bound(settled_.begin(), settled_.end(), piece.anchor, before);
            if (where != settled_.end() && where->anchor == piece.anchor) *where = std::move(piece);
            else settled_.insert(where, std::move(piece));
        }
        open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(count));
        if (!settled_.empty()) reach_ = std::max(reach_, place);
    }

    // Follow a rollback of the text to `length` bytes, of which `settled` are settled.
    void truncate(std::size_t length, std::size_t settled) {
        while (!settled_.empty() && settled_.back().anchor >= settled) {
            Piece piece = std::move(settled_.back());
            settled_.pop_back();
            if (!is_in(open_, piece.anchor)) open_.insert(at(piece.anchor), std::move(piece));
        }
        while (!open_.empty() && open_.back().anchor >= length) {
            // Kept for the next text in a long pre-token, because a table is expensive to set up.
            if (open_.back().table->size() <= thresholds::middle_piece) spare_ = std::move(open_.back().table);
            open_.pop_back();
        }
        for (Piece& piece : open_) piece.cut(length - piece.anchor);
        if (reach_ <= length) return;
        for (Piece& piece : settled_) piece.cut(length - piece.anchor);
        reach_ = length;
    }

private:
    struct Piece {
        std::size_t anchor;
        std::unique_ptr<TokenTable> table;
        TokenEnds ends = {};  // of the tokens that were read last
        FreshIds::Reading known = {};

        void cut(std::size_t size) {
            if (table->size() > size) table->truncate(size);
            ends.truncate(size);
        }
    };

    static bool before(const Piece& piece, std::size_t anchor) { return piece.anchor < anchor; }
    std::vector<Piece>::iterator at(std::size_t anchor) { return std::lower_bound(open_.begin(), open_.end(), anchor, before); }
    static bool is_in(const std::vector<Piece>& pieces, std::size_t anchor) {
        auto const found = std::lower_bound(pieces.begin(), pieces.end(), anchor, before);
        return found != pieces.end() && found->anchor == anchor;
    }

    Piece& grown(std::size_t anchor, Bytes piece) {
        auto found = at(anchor);
        if (found == open_.end() || found->anchor != anchor) {
            auto const settled = std::lower_bound(settled_.begin(), settled_.end(), anchor, before);
            if (settled != settled_.end() && settled->anchor == anchor) {
                found = open_.insert(found, std::move(*settled));
                settled_.erase(settled);
            } else {
                if (!spare_) spare_ = std::make_unique<TokenTable>(*dictionary_, side_);
                found = open_.insert(found, {anchor, std::move(spare_)});
                found->table->truncate(0);
            }
        }
        TokenTable& table = *found->table;
        if (std::size_t const have = table.size(); have < piece.size)
            table.extend(side_ == TokenTable::Side::left ? piece.part(0, piece.size - have) : piece.part(have, piece.size));
        return *found;
    }

    const Dictionary* dictionary_;
    TokenTable::Side side_;
    std::vector<Piece> open_, settled_;  // by anchor
    std::size_t reach_ = 0;              // no settled one goes further, as a distance from the fixed side
    std::unique_ptr<TokenTable> spare_;  // a table that is not in use
    std::size_t read_again_ = 0;         // bytes
};

}  // namespace bpe
