// A growing piece of a merge model that drops the characters that are no tokens.
//
//     piece         l     ö     o     w           "ö" is no token, and there is none for unknown characters
//     kept          l           o     w           the neighbours of a dropped character merge: "low"
//
// A piece of the same model grows without them (growing_merges.cpp).
#include <algorithm>
#include <deque>

#include "bpe/growing_side.hpp"
#include "bpe/models/merges.hpp"
#include "bpe/steps.hpp"

namespace bpe {

class MergeModel::GrowingWithoutDropped final : public GrowingPiece {
public:
    GrowingWithoutDropped(const MergeModel& model, std::unique_ptr<GrowingPiece> kept, Side side) : model_(model), kept_(std::move(kept)), side_(side) {}

    void extend(Bytes more) override {
        std::size_t const size = text_.size();
        if (side_ == Side::left) std::reverse_copy(more.begin(), more.end(), std::back_inserter(text_));
        else text_.insert(text_.end(), more.begin(), more.end());
        try {
            take_characters();
        } catch (...) {
            truncate(size);
            throw;
        }
    }

    void truncate(std::size_t size) override {
        text_.resize(size);
        done_ = std::min(done_, size - unfinished());
        while (!dropped_.empty() && dropped_.back().end > done_) dropped_.pop_back();
        kept_->truncate(done_ - (dropped_.empty() ? 0 : dropped_.back().size));
    }

    std::size_t size() const override { return text_.size(); }

    // Bytes of a character that is not finished are dropped, too.
    std::size_t count() override { return whole_token() >= 0 ? 1 : kept_->count(); }

    std::size_t read(std::vector<std::uint32_t>& ids) override {
        std::int64_t const token = whole_token();
        if (token < 0) return kept_->read(ids);
        kept_->forget_read();
        ids.push_back(model_.ids_[static_cast<std::size_t>(token)]);
        return 0;
    }
    void forget_read() override { kept_->forget_read(); }

    std::unique_ptr<GrowingPiece> another() const override { return std::make_unique<GrowingWithoutDropped>(model_, kept_->another(), side_); }

    std::size_t count_with(const std::vector<AddedPart>& parts) override {
        std::deque<std::vector<Byte>> texts;
        std::vector<AddedPart> whole, kept;
        std::size_t size = text_.size();
        for (AddedPart const& part : parts) {
            auto const* const table = static_cast<const GrowingWithoutDropped*>(part.table);
            size += table ? table->size() : part.text.size;
            if (table) {
                kept.push_back({{}, table->kept_.get()});
                if (size <= longest_whole()) texts.push_back(as_read(side_, table->text_, 0, table->size()));
            } else {
                texts.push_back(without_dropped(part.text, [](std::size_t, std::size_t) {}));
                kept.push_back({{texts.back().data(), texts.back().size()}});
            }
            if (size <= longest_whole()) whole.push_back({table ? Bytes{texts.back().data(), texts.back().size()} : part.text});
        }
        return size <= longest_whole() ? GrowingPiece::count_with(whole) : kept_->count_with(kept);
    }

    std::size_t fewest() override { return text_.size() <= longest_whole() ? std::min<std::size_t>(kept_->fewest(), 1) : kept_->fewest(); }

private:
    void take_characters() {
        std::size_t const end = text_.size() - unfinished();
        if (done_ >= end) return;
        std::vector<Byte> const text = as_read(side_, text_, done_, end);
        std::size_t const before = dropped_.size();
        std::vector<Byte> const kept = without_dropped({text.data(), text.size()}, [&](std::size_t start, std::size_t stop) {
            dropped_.push_back({side_ == Side::right ? done_ + stop : end - start, stop - start});
        });
        auto const first = dropped_.begin() + static_cast<std::ptrdiff_t>(before);
        if (side_ == Side::left) std::reverse(first, dropped_.end());
        for (auto one = first; one != dropped_.end(); ++one) one->size += one == dropped_.begin() ? 0 : std::prev(one)->size;
        kept_->extend({kept.data(), kept.size()});
        done_ = end;
    }

    // The end of a dropped character, and the number of dropped bytes up to there; in bytes from the side that stays.
    struct Dropped {
        std::size_t end, size;
    };

    // The text without the characters that are dropped; calls `on_dropped(start, end)` for each.
    template <class OnDropped>
    std::vector<Byte> without_dropped(Bytes text, OnDropped&& on_dropped) const {
        std::vector<Byte> kept;
        for (std::size_t place = 0, size = 1; place < text.size; place += size) {
            count_step();
            Bytes const rest = text.part(place, text.size);
            std::uint32_t const code = model_.options_.by_characters ? code_at_start(rest, size) : text[place];
            if (model_.is_known(code)) kept.insert(kept.end(), rest.begin(), rest.begin() + size);
            else on_dropped(place, place + size);
        }
        return kept;
    }

    // Bytes; longer pieces are never a token that is not merged.
    std::size_t longest_whole() const { return model_.options_.ignore_merges ? model_.longest_ : 0; }

    // The token that the whole piece is, if it is not merged then; else negative.
    std::int64_t whole_token() const {
        if (text_.empty() || text_.size() > longest_whole()) return -1;
        std::vector<Byte> const whole = as_read(side_, text_, 0, text_.size());
        return model_.find_token({whole.data(), whole.size()});
    }

    std::size_t unfinished() const { return model_.options_.by_characters ? unfinished_at(side_, text_) : 0; }

    const MergeModel& model_;
    std::unique_ptr<GrowingPiece> kept_;
    Side side_;
    std::vector<Byte> text_;  // in the order in which it came
    std::size_t done_ = 0;    // bytes of whole characters, from the side that stays
    std::vector<Dropped> dropped_;
};

std::unique_ptr<GrowingPiece> MergeModel::without_dropped(std::unique_ptr<GrowingPiece> kept, Side side) const {
    return std::make_unique<GrowingWithoutDropped>(*this, std::move(kept), side);
}

}  // namespace bpe
