// The table of a piece by a Unigram model: a row for each byte.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "bpe/models/unigram.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class UnigramRows {
public:
    UnigramRows() = default;
    explicit UnigramRows(const UnigramModel& model, double score = 0) { reset(model, score); }

    // Starts a new piece, reusing the memory; `score` is the sum of the text before it.
    void reset(const UnigramModel& model, double score = 0) {
        model_ = &model;
        first_ = 0;
        if (rows_.empty()) rows_.resize(1);
        rows_[0] = {score, 0, 0, beginning, TokenAutomaton::start};
        walked_ = 0;
        resets_.clear();
    }

    // Makes room for a text of `size` bytes.
    void reserve(std::size_t size) {
        if (rows_.size() < size - first_ + 1) rows_.resize(size - first_ + 1);
    }

    // Computes the row of the character text[start, end). The rows before it must exist, with room for all of `text`.
    void add(Bytes text, std::size_t start, std::size_t end) {
        if (model_->is_float_) add_as<true>(text, start, end);
        else add_as<false>(text, start, end);
    }

    // Adds the rows of a whole piece, and keeps only those that later text can change. Calls `on_settled(end)` before the rows before `end` are dropped.
    template <class OnSettled>
    void add_all(Bytes piece, OnSettled&& on_settled) {
        using thresholds::scored_rows;
        std::size_t room = std::min(piece.size, scored_rows * 2);
        reserve(room);
        std::size_t first = 0;
        for (std::size_t start = 0; start < piece.size;) {
            std::size_t const end = start + character_size(piece.data + start, piece.size - start);
            if (end > room) {
                room = std::min(piece.size, first + (room - first) * 2);
                reserve(room);
            }
            add({piece.data, room}, start, end);
            if (start - first >= scored_rows && settled(start, end)) {
                on_settled(start);
                forget(start);
                room = std::min(piece.size, room + start - first);
                first = start;
            }
            start = end;
        }
    }

    // Cut back to the first `size` bytes of the text.
    void truncate(std::size_t size) { walked_ = std::min(walked_, size); }

    std::size_t count(std::size_t end) const { return row(end).count; }
    double score(std::size_t end) const { return row(end).score; }
    // A lower bound for the count of every continuation of the text before `end`, where a character ends.
    std::size_t fewest(std::size_t end) const;

    // Whether each continuation of text[0, end) has a token that begins at `start`, where the last character begins.
    bool settled(std::size_t start, std::size_t end) const { return model_->automaton_->depth(row(end).state) <= end - start && row(start).last < broken; }
    // Whether there is one way alone to come from `start` to `end`, where the last character begins and ends: no longer token ends there.
    bool is_only_way(std::size_t start, std::size_t end) const {
        Rank const longest = model_->automaton_->longest(row(end).state);
        return longest == no_rank || model_->automaton_->token(longest).size <= end - start;
    }
    // The start of the run of unknown characters that ends at `end`, if no token that goes on there begins before.
    std::optional<std::size_t> unknown_run(std::size_t end) const {
        return is_unknown(row(end)) && row(end).state == TokenAutomaton::start ? std::optional<std::size_t>(row(end).run) : std::nullopt;
    }
    // Where the last token of text[:end) begins, or the unknown characters of which it is one. Not where it is a byte of those.
    std::size_t start_of_last(std::size_t end) const {
        Row const& at = row(end);
        return is_unknown(at) ? at.run : end - model_->automaton_->token(at.last).size;
    }
    std::uint32_t last_id(std::size_t end) const;
    // The start of the run of unknown characters that ends at `end`, if its tokens are those of its bytes.
    std::optional<std::size_t> run_of_bytes(std::size_t end) const {
        Row const& at = row(end);
        return at.last == unknown && token_of_run(at, end) == no_rank ? std::optional<std::size_t>(at.run) : std::nullopt;
    }
    // Appends the tokens of text[first, end), where `first` is the offset up to which `forget` has dropped the rows.
    void read(const Byte* text, std::size_t end, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const;
    // Forgets the rows before `start`, where the last character begins, which is settled.
    void forget(std::size_t start);

    void shrink(std::size_t most) {
        if (rows_.size() <= most) return;
        rows_.clear();
        rows_.shrink_to_fit();
    }

private:
    // Instead of a last token: an unknown character; an unknown character in a run with a byte that has no token; no character ends here; no text.
    static constexpr Rank broken = 0xFFFFFFFC, unknown = 0xFFFFFFFD, inside = 0xFFFFFFFE, beginning = 0xFFFFFFFF;

    struct Row {
        double score;
        std::uint32_t count;
        std::uint32_t run;  // the start of the run of unknown characters that ends here
        Rank last;
        TokenAutomaton::State state;
    };

    // The number of bytes by which the automaton is ahead of the sums, so that the memory that the sums read is prefetched.
    static constexpr std::size_t ahead = 64;

    // An offset at which sentencepiece restarted its sums, and the sum there. Sums with a token that crosses such an offset are reduced by it, too.
    struct Reset {
        std::size_t place;
        float sum;
    };
    static constexpr double reset_above = 100'000;

    // The sum for a part that starts at `from`, converted to be comparable with parts that start at `to`.
    double after_resets(double sum, std::size_t from, std::size_t to) const;

    static bool is_unknown(const Row& row) { return row.last == unknown || row.last == broken; }
    Row& row(std::size_t end) { return rows_[end - first_]; }
    const Row& row(std::size_t end) const { return rows_[end - first_]; }
    template <bool is_float>
    void add_as(Bytes text, std::size_t start, std::size_t end);
    void walk(Bytes text, std::size_t end);
    void add_to_run(const Byte* text, std::size_t from, std::size_t end);
    Rank token_of_run(const Row& row, std::size_t end) const;

    const UnigramModel* model_ = nullptr;
    std::size_t first_ = 0;   // the offset of the first row
    std::size_t walked_ = 0;  // the number of bytes whose states are known
    std::vector<Row> rows_;
    std::vector<Reset> resets_;  // only for sentencepiece
};

}  // namespace bpe
