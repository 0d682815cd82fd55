// Memory of a long span at the start of a text that grows to the left, so that a prepend reads little more than what it adds.
//
//     aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa. The end ...
//     ↑ new    ↑ read again up to where an earlier scan came by  ↑ the first cut
//
// Each step of a pipeline keeps what a scan from further left meets again: the added token that is found next; the normalized text, which joins what the new
// text becomes at a cut of both; the states of automata (Recollection) and runs of characters (RunIndex); the table of a piece (GrowingPiece). All
// of it belongs to distances from the end of the span, which is where an added token begins or the text ends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/piece_coder.hpp"
#include "bpe/pipeline/position.hpp"

namespace bpe {

class OpenHead {
public:
    // The start of the first token of `tokens` in text[from:limit), `limit` where there is none. `added`: bytes that are new since the last search, about.
    std::size_t first_token(const AddedTokens& tokens, std::size_t kind, const Byte* text, std::size_t from, std::size_t limit, std::size_t length,
                            std::size_t added);

    // The end of the characters at the start of text[from:end) of which a normalizer leaves nothing.
    std::size_t after_dropped(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length);
    // The part of a long run of spaces, or of characters that come to the same, at the start of text[from:end) that can be left out. `at_start`: a region
    // begins at `from`. What is left out from `from` on changes nothing: the text can begin after it.
    NeedlessPart needless(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length, bool at_start);
    // A span text[from:end) of a text of `length` bytes is read. Whether its normalizer, which may be null, leaves it as it is.
    bool begin(const Normalizer* normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length, bool at_start, bool is_first);
    // Its normalized form, else, of which nothing comes from `without`. With `chain`, which cuts it, long runs of marks at its start stand in the order in
    // which they came (mark_run.hpp). `before_nonblank`: the normalizer of text before a non-blank character, if that is another one.
    void normalize(const Normalizer& normalizer, const Normalizer* before_nonblank, const Byte* text, std::size_t from, std::size_t end, bool at_start,
                   bool is_first, std::size_t added, const NeedlessPart& without, const Chain* chain = nullptr);
    Bytes normalized() const { return text_.bytes(); }
    // Whether a piece of it has marks that are not in the order of the normalizer: then `count` has to know its number of tokens, or all is read again after
    // `order_marks`.
    bool has_marks(Bytes piece) const {
        return marks_ && piece.data < text_.data() + (text_.size() - marks_->rest) && piece.data + piece.size > text_.data() + marks_->cut_size;
    }
    void order_marks();
    // The distance in the raw span that a byte of it, or its end, comes from; whether both can be cut there, and at which distance.
    std::size_t distance(std::size_t index) const { return distances_.data()[index]; }
    bool is_cut(std::size_t index) const { return cuts_.data()[index] != Normalized::no_cut; }
    std::size_t cut(std::size_t index) const { return cuts_.data()[index]; }

    // The text that the chain cuts, up to its end.
    LeftMemory& chain(const Byte* text, std::size_t end) {
        cut_end_ = text + end;
        chain_.begin(end);
        return chain_;
    }
    // The number of tokens of a piece of that text, which the stages before `stage` leave; nothing where `make` makes no table. `before`: what it begins after.
    std::optional<std::size_t> count(std::size_t stage, Bytes piece, Before before, const std::function<std::unique_ptr<GrowingPiece>()>& make);

    // Only the last `length` bytes of the raw text are still there.
    void truncate(std::size_t length);

private:
    // An array that grows at its start.
    template <class Item>
    class Left {
    public:
        const Item* data() const { return items_.data() + (items_.size() - size_); }
        std::size_t size() const { return size_; }
        Bytes bytes() const { return {data(), size_}; }
        void drop_first(std::size_t count) { size_ -= count; }
        void put_first(const Item* items, std::size_t count) {
            if (items_.size() < size_ + count) {
                std::vector<Item> larger(2 * (size_ + count));
                std::copy(data(), data() + size_, larger.end() - static_cast<std::ptrdiff_t>(size_));
                items_ = std::move(larger);
            }
            size_ += count;
            std::copy(items, items + count, items_.end() - static_cast<std::ptrdiff_t>(size_));
        }

    private:
        std::vector<Item> items_;
        std::size_t size_ = 0;
    };
    // A search from a distance, and the distance at which the first token begins.
    struct Searched {
        std::size_t from, start;
    };
    // Characters that stand side by side, in distances.
    struct Run {
        std::size_t from, to;
    };
    // Characters of which nothing is left.
    using Dropped = Run;
    using KeptRun = std::pair<const SettlingRun*, Run>;
    struct Piece {
        std::size_t end;  // distance
        std::size_t stage;
        Before before;
        std::unique_ptr<GrowingPiece> table;
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1), most_pieces = 2;
    // Marks at the start of the normalized text, which a normalizer orders by their classes.
    struct Marks {
        // All marks of a class, in their order.
        struct Part {
            std::uint8_t order;
            Left<Byte> text;
            std::unique_ptr<GrowingPiece> table;
        };
        std::size_t rest;          // bytes of the normalized text after them
        std::size_t cut_size = 0;  // bytes before them
        std::size_t first_size;    // bytes of the normalized text when they were first found
        char32_t like;             // one of them
        std::vector<Part> parts;
        Piece piece;  // what stands after the marks in their piece
        bool has_piece = false;
    };

    void forget();
    void find_marks(const Normalizer& normalizer, const Chain& chain, Bytes raw);
    // Puts `more` before the marks; returns whether it is marks alone.
    bool put_marks(const Normalizer& normalizer, const Chain& chain, Bytes more);
    void take_mark(std::uint8_t order, Bytes mark);
    void drop_marks();
    void drop_first_mark();
    void drop_cut_mark();
    std::optional<std::size_t> count_marks(std::size_t stage, Bytes piece, Before before, const std::function<std::unique_ptr<GrowingPiece>()>& make);
    void truncate_chain(std::size_t distance);
    static NeedlessPart middle(const SettlingRun* run, KeptRun& kept, const Byte* text, std::size_t from, std::size_t first, std::size_t end,
                               std::size_t length);
    std::size_t index_of(std::size_t distance) const;
    // The run that begins at this distance or before it, and ends after it; null where there is none.
    const Dropped* dropped_at(std::size_t distance) const;

    std::vector<Searched> searched_[2];
    std::size_t searched_limit_[2] = {none, none};
    std::size_t end_ = none;        // of the span: a distance from the end of the text, as are `kept_` and all of `searched_`
    std::size_t kept_ = none;       // from there to its end the normalizer changes nothing
    std::vector<Dropped> dropped_;  // runs of characters that are dropped, the one at the end of the text first
    // Runs of which the length does not matter that were met last: inside of a region, at its start, and at its end.
    KeptRun runs_[3]{};
    bool is_normalized_ = false;
    Left<Byte> text_;
    Left<std::uint32_t> distances_;  // one more than bytes
    Left<std::uint32_t> cuts_;
    LeftMemory chain_;
    const Byte* cut_end_ = nullptr;
    std::vector<Piece> pieces_;
    std::unique_ptr<Marks> marks_;  // null: there are none, or few
    bool orders_marks_ = false;     // there must be none
    const Normalizer* normalizer_ = nullptr;
};

}  // namespace bpe
