#include "bpe/models/unigram.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "bpe/thresholds.hpp"
#include "bpe/token_ends.hpp"
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

// Rows up to the last whole character; rows of an unfinished character at the end are made for each count.
class GrowingUnigram : public GrowingPiece {
public:
    GrowingUnigram(const UnigramModel& model, double sum) : model_(model), rows_(model, sum) {}

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
        ends_.truncate(2 * done_ + 1);
        while (!ways_.empty() && ways_.back() > size) ways_.pop_back();
    }

    std::size_t size() const override { return text_.size(); }

    std::size_t count() override {
        AllRows const all(*this);
        return rows_.count(text_.size());
    }

    // Ends are those of tokens, twice, and 1 more of bytes of unknown characters:
    //
    //     text    a b | ф ч         ends 4 (of "ab"), 7 9 11 13 (of four bytes)
    //             a b | ф ч ю       ends 4, 16: now all of the run is one token, though a byte ended at its place before
    //
    // `run` is that of the end that was looked at last, with which the walk ends.
    std::size_t read(std::vector<std::uint32_t>& ids) override {
        AllRows const all(*this);
        std::optional<std::size_t> run;
        auto const end_at = [&](std::size_t place) {
            run = place > 0 ? rows_.run_of_bytes(place) : std::nullopt;
            return 2 * place + (run ? 1 : 0);
        };
        std::size_t const same = ends_.walk(end_at(text_.size()), [&](std::size_t end) {
            bool const is_byte = end % 2 == 1;
            std::size_t const start = is_byte ? end / 2 - 1 : rows_.start_of_last(end / 2);
            return is_byte && start > *run ? 2 * start + 1 : end_at(start);
        });
        ends_.for_each_walked(same,
                              [&](std::size_t, std::size_t end) { ids.push_back(end % 2 == 1 ? *model_.bytes_[text_[end / 2 - 1]] : rows_.last_id(end / 2)); });
        return run ? rows_.count(*run) + same / 2 - *run : rows_.count(same / 2);
    }
    void forget_read() override { ends_.clear(); }

    std::size_t fewest() override { return rows_.fewest(done_); }

    std::unique_ptr<GrowingPiece> another() const override {
        auto made = std::make_unique<GrowingUnigram>(model_, 0);
        made->is_part_ = true;
        return made;
    }

    // The middle of a part is left out where its tokens are those of the part by itself, for want of any other way through it.
    //
    //     this piece  ...a | part  b c b c b c ... b c | part  d d d ...
    //                              read  left out    read      read
    //
    // Whatever is read after that has one way, too: the sums are not those of the whole piece, so they must not decide anything.
    std::size_t count_with(const std::vector<AddedPart>& parts) override {
        std::size_t const size = text_.size();
        struct Back {
            GrowingUnigram& piece;
            std::size_t size;
            ~Back() { piece.truncate(size); }
        } const back{*this, size};
        if (auto const found = count_without_middles(parts)) return *found;
        truncate(size);
        for (AddedPart const& part : parts) extend(part.table ? static_cast<const GrowingUnigram*>(part.table)->text() : part.text);
        return count();
    }

private:
    // The rows of all bytes, for the time of a scope.
    class AllRows {
    public:
        explicit AllRows(GrowingUnigram& piece) : piece_(piece), done_(piece.done_) {
            try {
                piece.add_up_to(piece.text_.size());
            } catch (...) {
                piece.done_ = done_;
                throw;
            }
        }
        ~AllRows() {
            if (piece_.done_ > done_) piece_.ends_.truncate(2 * done_ + 1);
            piece_.done_ = done_;
        }
        AllRows(const AllRows&) = delete;
        AllRows& operator=(const AllRows&) = delete;

    private:
        GrowingUnigram& piece_;
        std::size_t done_;
    };

    // A span of a part, from the start of a character to that of another one, after which there is one way alone.
    struct Middle {
        std::size_t start = 0, end = 0, count = 0;
        bool is_unknown = false;  // a run of unknown characters goes on over both
    };

    Bytes text() const { return {text_.data(), text_.size()}; }
    std::size_t character_end(std::size_t start) const { return start + character_size(text_.data() + start, text_.size() - start); }

    // No token from before this part reaches into it.
    std::optional<Middle> middle() const {
        constexpr int tries = 16;
        Middle found;
        std::optional<std::size_t> run;
        auto const is_place = [&](std::size_t place) {
            run = rows_.unknown_run(place);
            return run || rows_.settled(place, character_end(place));
        };
        auto const is_inside = [&](std::size_t place) { return place > 0 && place < text_.size(); };
        found.start = std::max(model_.longest_, ways_.empty() ? 0 : ways_.back());
        while (is_inside(found.start) && UnicodeTable::continues(text_[found.start])) ++found.start;
        for (int number = 0; is_inside(found.start) && !is_place(found.start); found.start = character_end(found.start))
            if (++number == tries) return std::nullopt;
        if (!is_inside(found.start)) return std::nullopt;
        auto const first_run = run;
        // The bytes of a run have all their tokens, or none has.
        if (run && model_.has_any_byte_ != model_.has_all_bytes_) return std::nullopt;
        found.is_unknown = run.has_value();
        found.end = text_.size();
        for (int number = 0; number < tries; ++number) {
            found.end = character_before(text_.data(), found.end, found.start);
            if (found.end <= found.start) return std::nullopt;
            if (!is_place(found.end) || run != first_run) continue;
            found.count = !found.is_unknown ? rows_.count(found.end) - rows_.count(found.start) : model_.has_all_bytes_ ? found.end - found.start : 0;
            return found;
        }
        return std::nullopt;
    }

    std::optional<std::size_t> count_without_middles(const std::vector<AddedPart>& parts) {
        std::size_t left_out = 0, first = no_place;
        for (AddedPart const& part : parts) {
            auto const* const table = static_cast<const GrowingUnigram*>(part.table);
            auto const found = table ? table->middle() : std::nullopt;
            if (!found) {
                extend(table ? table->text() : part.text);
                continue;
            }
            extend(table->text().part(0, found->start));
            std::size_t const place = text_.size();
            extend(table->text().part(found->end, table->size()));
            if (!found->is_unknown && !rows_.settled(place, character_end(place))) return std::nullopt;
            first = std::min(first, place);
            left_out += found->count;
        }
        std::size_t const total = count() + left_out;
        for (std::size_t place = first; place < text_.size(); place = character_end(place))
            if (!rows_.is_only_way(place, character_end(place))) return std::nullopt;
        return total;
    }

    static constexpr std::size_t no_place = static_cast<std::size_t>(-1);

    std::size_t unfinished() const { return unfinished_end({text_.data(), text_.size()}); }

    void add_up_to(std::size_t end) {
        while (done_ < end) {
            std::size_t const next = done_ + character_size(text_.data() + done_, text_.size() - done_);
            rows_.add({text_.data(), text_.size()}, done_, next);
            if (is_part_ && !rows_.is_only_way(done_, next)) ways_.push_back(next);
            done_ = next;
        }
    }

    const UnigramModel& model_;
    UnigramRows rows_;
    std::vector<Byte> text_;
    std::size_t done_ = 0;  // bytes that have rows
    bool is_part_ = false;
    std::vector<std::size_t> ways_;  // of a part: the ends of characters to which there is more than one way
    std::size_t room_ = 0;           // bytes
    TokenEnds ends_;                 // of the tokens that were read last
};

std::unique_ptr<GrowingPiece> UnigramModel::growing(Side side) const { return side == Side::right ? growing_after(0) : growing_to_the_left(*this); }

std::unique_ptr<GrowingPiece> UnigramModel::growing_after(double sum) const { return std::make_unique<GrowingUnigram>(*this, sum); }

}  // namespace bpe
