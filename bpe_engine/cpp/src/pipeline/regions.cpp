#include "bpe/pipeline/regions.hpp"

#include <algorithm>
#include <iterator>

#include "count_sink.hpp"

namespace bpe {

namespace {

std::vector<AddedToken> looked_for_inside(const std::vector<AddedToken>& tokens) {
    std::vector<AddedToken> found;
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(found), [](AddedToken const& token) { return token.normalized; });
    return found;
}

}  // namespace

Regions::Regions(const std::vector<AddedToken>& tokens, std::shared_ptr<const Normalizer> normalizer, Chain chain, PieceCoder coder, bool looks_inside,
                 std::shared_ptr<const Normalizer> second)
    : inner_(tokens, true),
      normalizer_(std::move(normalizer)),
      second_(std::move(second)),
      looks_inside_(looks_inside && normalizer_),
      chain_(std::move(chain)),
      coder_(std::move(coder)),
      acts_at_start_((normalizer_ && normalizer_->acts_at_start()) || coder_.acts_at_start()),
      leaves_out_(chain_.leaves_out()),
      tokens_inside_(looks_inside_ ? looked_for_inside(tokens) : std::vector<AddedToken>()),
      units_of_unigram_(looks_inside_ ? nullptr : UnigramText::make(coder_, chain_, normalizer_.get())) {}

bool Regions::seek_splits(std::size_t size) const {
    bool const is_slow = normalizer_ && !chain_.stages().empty() && chain_.stages().front().matcher && chain_.stages().front().matcher->expression();
    std::size_t const worth = is_slow ? thresholds::worth_splits_soon : thresholds::worth_splits;
    if (read_before_splits_.fetch_add(size, std::memory_order_relaxed) + size < worth) return false;
    std::call_once(splits_once_, [this] {
        // Not with a second normalizer: it may insert text after an added token, and the unit after a split does not know that a token ended there.
        if (!second_) splits_ = SafeSplits::make(normalizer_.get(), chain_, coder_.is_plain() ? &coder_.model() : nullptr, tokens_inside_);
        has_sought_splits_.store(true, std::memory_order_release);
    });
    return true;
}

std::size_t Regions::count_unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace) const {
    CountSink sink{coder_, workspace.pieces, is_alone(workspace.unit_counts) ? end : 0};
    unit(text, start, end, limit, workspace, sink);
    return sink.total;
}

}  // namespace bpe
