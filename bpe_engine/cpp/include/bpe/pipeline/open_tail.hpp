// Memory of a long span at the end of a growing text in which nothing is certain yet, so that an append reads what it adds alone.
//
//     ... end.▁aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
//             ↑ origin                       known ↑   grown ↑
//
// Each step of a pipeline keeps what it needs to go on: up to where no added token begins; the normalized text that is certain, and where that ends in the raw
// text; up to where a stage has looked for a match in vain, and the state of the automaton in the middle of one; the table of a piece (GrowingPiece). Every few
// hundred bytes all this is noted, but for the tables, so a text that is cut back goes on from the last note. A tail whose text has become certain is kept for
// that.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bpe/grown_ids.hpp"
#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/piece_coder.hpp"

namespace bpe {

// Offsets are those of the raw text, but for the text that a chain cuts, which may be normalized.
class OpenTail {
public:
    // `begins_region`, `begins_text`: what else begins at the origin.
    OpenTail(std::size_t origin, bool begins_region, bool begins_text) : origin_(origin), begins_region_(begins_region), begins_text_(begins_text) {
        restart();
    }

    std::size_t origin() const { return origin_; }
    // The length of the text that was read last.
    std::size_t length() const { return now_.length; }
    ChainMemory& chain() { return chain_; }

    // Up to where added tokens were looked for, those that are looked for first (0) and then.
    AddedTokens::Searched& searched(std::size_t kind) { return now_.searched[kind]; }
    // All that is known of the normalizer and of the chain is known of a region that goes on at least up to here.
    std::size_t learned() const { return now_.learned; }
    void set_learned(std::size_t end) { now_.learned = std::max(now_.learned, end); }
    // Whether `size` bytes, of which nothing was certain so far, are to be read again for what is: where they have doubled.
    bool is_worth_a_try(std::size_t size) {
        if (size < 2 * tried_) return false;
        tried_ = size;
        return true;
    }
    // The normalizer leaves all as it is up to here.
    std::size_t kept() const { return now_.kept; }
    void set_kept(std::size_t end) { now_.kept = end; }
    // Keeps this many bytes at the start of the text that the chain cuts.
    void set_valid(std::size_t size);

    bool is_normalized() const { return now_.is_normalized; }
    // From here on the chain cuts normalized text.
    void begin_normalized();
    bool has_normalized() const { return now_.normalized_to > origin_; }
    const Normalized& normalized() const { return normalized_; }
    // Goes on up to `stop`, where the text goes on, or ends.
    void normalize(const Normalizer& normalizer, const Byte* text, std::size_t stop, bool at_end);
    // Takes back what was normalized as if the text ended.
    void keep_certain();

    // Whether the text can be read on from a cut in it.
    bool covers(std::size_t offset) const {
        return !is_closed_ && offset >= origin_ && offset <= now_.length && (!now_.is_normalized || index_of(offset) != no_match);
    }
    // The offset in the normalized text of a cut of the raw text; no_match where it has none.
    std::size_t index_of(std::size_t offset) const;

    // Whether a piece of this size has a table.
    static bool is_long(std::size_t size) { return size > thresholds::kept_size; }
    // Whether a piece is in the text that the chain cuts; `text` is the raw one.
    bool holds(const Byte* text, Bytes piece) const {
        Bytes const all = now_.is_normalized ? Bytes{normalized_.text.data(), normalized_.text.size()} : Bytes{text, now_.length};
        return piece.data >= all.data && piece.data < all.data + all.size;
    }
    // The number of its tokens, of a piece that the stages before `stage` leave; nothing where `make` makes no table.
    using Make = std::function<std::unique_ptr<GrowingPiece>()>;
    std::optional<std::size_t> count(std::size_t stage, const Byte* text, Bytes piece, const Make& make);
    // Adds its ids; returns whether there is a table.
    bool read(std::size_t stage, const Byte* text, Bytes piece, const Make& make, FreshIds& ids);

    // A text of this length is read; it has been read.
    void begin(std::size_t length) { now_.length = length; }
    void note();
    // An added token has ended the region.
    void close() { is_closed_ = true; }
    // The text is cut back to `length`.
    void cut_back(std::size_t length);

private:
    struct Notes {
        std::size_t length = 0;
        AddedTokens::Searched searched[2] = {};
        std::size_t learned = 0;
        std::size_t kept = 0;
        bool is_normalized = false;
        std::size_t normalized_to = 0, normalized_size = 0;
        std::array<StageMemory, ChainMemory::most_stages> stages;
        std::size_t valid = 0;
    };
    struct Piece {
        std::size_t start, stage;
        std::unique_ptr<GrowingPiece> table;
        FreshIds::Reading known = {};
    };
    // Calls `use` with the table of a piece, for the time of which it has all of the piece; returns whether there is one.
    template <class Use>
    bool with_table(std::size_t stage, const Byte* text, Bytes piece, const Make& make, Use&& use);

    void restart();
    void forget_pieces();
    struct Run {
        const SettlingRun* of = nullptr;
        std::size_t start = no_match, end = 0;
    };
    // The middle of a run at the end of text[from:stop) that can be left out.
    NeedlessPart needless(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t stop, bool at_start);
    static NeedlessPart middle(const SettlingRun* run, Run& known, const Byte* text, std::size_t from, std::size_t stop);

    std::size_t origin_;
    bool begins_region_, begins_text_, is_closed_ = false;
    Notes now_;
    std::vector<Notes> earlier_;
    ChainMemory chain_;
    Normalized normalized_;
    std::vector<Piece> pieces_;  // that were asked for last
    // A run at the end of the text that was normalized last, one before bytes that began a character, and one that is all of its region.
    std::array<Run, 3> runs_;
    std::size_t tried_ = 0;
};

}  // namespace bpe
