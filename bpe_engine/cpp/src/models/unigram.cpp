#include "bpe/models/unigram.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"
#include "distinct_tokens.hpp"
#include "unigram_joins.hpp"
#include "unigram_rows.hpp"
#include "unigram_units.hpp"

namespace bpe {

namespace {

using thresholds::scored_rows;

void check_size(std::size_t size) {
    if (size >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a pre-token of 4 GiB or more");
}

// The rows of a thread, for pieces that are encoded as a whole.
UnigramRows& rows_of_thread(const UnigramModel& model) {
    thread_local UnigramRows rows;
    rows.reset(model);
    return rows;
}

}  // namespace

UnigramModel::UnigramModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const std::vector<double>& scores,
                           const UnigramOptions& options)
    : unknown_(options.unknown), bytes_(options.bytes), is_float_(options.flavor == UnigramOptions::Flavor::sentencepiece) {
    std::vector<std::uint32_t> defined = options.user_defined;
    std::sort(defined.begin(), defined.end());
    // The initial value of the search for the lowest score in the two libraries.
    double lowest = is_float_ ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::infinity();
    std::vector<double> used = scores;
    for (std::size_t index = 0; index < scores.size(); ++index) {
        bool const is_defined = is_float_ && std::binary_search(defined.begin(), defined.end(), ids[index]);
        if (is_defined) used[index] = 0.1 * (static_cast<double>(tokens[index].size) - 1);
        if (is_float_) used[index] = static_cast<float>(used[index]);
        if (!is_defined) lowest = std::min(lowest, used[index]);
    }
    unknown_score_ = is_float_ ? static_cast<float>(lowest - 10) : lowest - 10;

    std::vector<std::uint32_t> const indices = distinct_tokens(tokens);
    ids_ = chosen(ids, indices);
    automaton_ = std::make_unique<const TokenAutomaton>(chosen(tokens, indices), chosen(used, indices));
    for (Rank rank = 0; rank < indices.size(); ++rank) {
        longest_ = std::max(longest_, tokens[indices[rank]].size);
        if (!is_float_ && ids_[rank] == unknown_) unknown_rank_ = rank;
    }
    for (auto const& byte : bytes_) {
        has_any_byte_ |= byte.has_value();
        has_all_bytes_ &= byte.has_value();
    }
    Bytes const unknown = unknown_rank_ == no_rank ? Bytes{nullptr, 0} : tokens[indices[unknown_rank_]];
    joins_ = std::make_unique<const UnigramJoins>(tokens, unknown, has_all_bytes_ && is_float_);
}

UnigramModel::~UnigramModel() = default;

bool UnigramModel::may_join(char32_t left, char32_t right) const { return joins_->between(left, right); }

void UnigramModel::encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const {
    if (piece.size == 0) return;
    UnigramRows& rows = rows_of_thread(*this);
    check_size(piece.size);
    rows.add_all(piece, [&](std::size_t end) { rows.read(piece.data, end, ids, lengths); });
    rows.read(piece.data, piece.size, ids, lengths);
    rows.shrink(scored_rows * 4);
}

std::size_t UnigramModel::count(Bytes piece) const {
    if (piece.size == 0) return 0;
    UnigramRows& rows = rows_of_thread(*this);
    check_size(piece.size);
    rows.add_all(piece, [](std::size_t) {});
    std::size_t const found = rows.count(piece.size);
    rows.shrink(scored_rows * 4);
    return found;
}

namespace {

// Rows up to the last whole character; rows of an unfinished character at the end are made for each count.
class GrowingUnigram : public GrowingPiece {
public:
    GrowingUnigram(const UnigramModel& model, double sum) : rows_(model, sum) {}

    void extend(Bytes more) override {
        std::size_t const before = text_.size();
        check_size(before + more.size);
        text_.insert(text_.end(), more.begin(), more.end());
        if (room_ < text_.size()) {
            room_ = std::max(text_.size(), room_ * 2);
            rows_.reserve(room_);
        }
        try {
            add_up_to(text_.size() - unfinished());
        } catch (const NoUnknownTokenError&) {
            truncate(before);
            throw;
        }
    }

    void truncate(std::size_t size) override {
        text_.resize(size);
        // Bytes at the end may again be the start of a character.
        done_ = std::min(done_, size - unfinished());
        rows_.truncate(size);
    }

    std::size_t size() const override { return text_.size(); }

    std::size_t count() override {
        std::size_t const done = done_;
        struct Back {
            std::size_t& place;
            std::size_t value;
            ~Back() { place = value; }
        } const back{done_, done};
        add_up_to(text_.size());
        return rows_.count(text_.size());
    }

    std::size_t fewest() override { return rows_.fewest(done_); }

private:
    std::size_t unfinished() const { return unfinished_end({text_.data(), text_.size()}); }

    void add_up_to(std::size_t end) {
        while (done_ < end) {
            std::size_t const next = done_ + character_size(text_.data() + done_, text_.size() - done_);
            rows_.add({text_.data(), text_.size()}, done_, next);
            done_ = next;
        }
    }

    UnigramRows rows_;
    std::vector<Byte> text_;
    std::size_t done_ = 0;  // bytes that have rows
    std::size_t room_ = 0;  // bytes
};

}  // namespace

std::unique_ptr<GrowingPiece> UnigramModel::growing(Side side) const { return side == Side::right ? growing_after(0) : growing_to_the_left(*this); }

std::unique_ptr<GrowingPiece> UnigramModel::growing_after(double sum) const { return std::make_unique<GrowingUnigram>(*this, sum); }

}  // namespace bpe
